"""The report on how far reviewers agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.reports import blocks
from labkit.reports.document import (
    Bullets,
    Document,
    Heading,
    Paragraph,
    Report,
    Table,
    four,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.evaluate.agreement import Agreement, Marginals
    from labkit.metrics.agreement import Pair
    from labkit.parsed import Problem
    from labkit.reports.document import Block

_LABELS_SHOWN = 12


def report(found: Agreement, *, problems: Sequence[Problem] = (), sentence: str = "") -> Report:
    """Put pairs, alpha and marginals into one report.

    Args:
        found: The agreement.
        problems: What was left out of the files.
        sentence: The finding about the two arms, where there are any.
    """
    data: dict[str, object] = {"schemaVersion": 1, "system": "labkit", **found.as_dict()}
    parts: list[Block] = [Heading("Agreement between reviewers", 1), Paragraph(_intro(found))]
    if found.pairs:
        parts += [Heading("Pairs"), _pairs(found.pairs)]
        reasons = tuple(f"{p.a}, {p.b}: {p.reason}" for p in found.pairs if p.reason)
        parts += [Bullets(reasons)] if reasons else []
    parts += [Heading("All reviewers"), _alpha(found)]
    for one in found.marginals:
        parts += _marginals(one)
    if found.repeats:
        parts += [Heading("The same items again"), _repeats(found)]
    if found.reliabilities is not None:
        parts += [Heading("How often each is right"), _reliabilities(found)]
    if sentence:
        parts += [Heading("Does seeing the AI's answer matter?"), Paragraph(sentence)]
    parts += blocks.problems(problems)
    return Report(data, Document(tuple(parts)), 0, tuple(problems))


def _intro(found: Agreement) -> str:
    people = len(found.reviewers)
    if people < 2:  # noqa: PLR2004  # agreement needs two
        named = "1 reviewer" if people else "no reviewer"
        return f"{named}, {found.answered} items: agreement needs two reviewers."
    return (
        f"{people} reviewers, {found.answered} items, {found.items} of them answered by at least "
        "two. Kappa and alpha fall where one label is common; read them with the counts below, "
        "the percentage and AC1."
    )


def _pairs(pairs: Sequence[Pair]) -> Table:
    header = (
        "Reviewers",
        "Items",
        "Agree",
        "Kappa",
        "Kappa, linear",
        "Kappa, quadratic",
        "AC1",
    )
    rows = tuple(
        (
            f"{p.a}, {p.b}",
            str(p.n),
            "n/a" if p.percent is None else f"{100 * p.percent:.1f} %",
            four(p.kappa),
            four(p.kappa_linear),
            four(p.kappa_quadratic),
            four(p.ac1),
        )
        for p in pairs
    )
    return Table(header, rows, frozenset(range(1, 7)))


def _alpha(found: Agreement) -> Table:
    rows = (
        ("nominal", four(found.nominal)),
        ("ordinal", four(found.ordinal)),
        ("tags (MASI)", four(found.masi)),
    )
    return Table(("Krippendorff's alpha", "Value"), rows, frozenset({1}))


def _marginals(one: Marginals) -> list[Block]:
    if len(one.labels) > _LABELS_SHOWN:
        return []
    header = (f"{one.a} \\ {one.b}", *one.labels, "all")
    columns = [sum(row[k] for row in one.table) for k in range(len(one.labels))]
    rows: list[tuple[str, ...]] = [
        (label, *map(str, row), str(sum(row)))
        for label, row in zip(one.labels, one.table, strict=True)
    ]
    rows.append(("all", *map(str, columns), str(sum(columns))))
    right = frozenset(range(1, len(header)))
    return [Heading(f"{one.a} and {one.b}", 3), Table(header, tuple(rows), right)]


def _repeats(found: Agreement) -> Table:
    rows = tuple(
        (r.reviewer, r.kind, str(r.n), four(r.percent), four(r.kappa)) for r in found.repeats
    )
    return Table(("Reviewer", "Kind", "Items", "Agree", "Kappa"), rows, frozenset({2, 3, 4}))


def _reliabilities(found: Agreement) -> Table:
    rows: list[tuple[Any, ...]] = []
    for one in found.reliabilities or ():
        worst = [
            f"{true} as {given} {p:.2f}"
            for true, row in one.confusion.items()
            for given, p in row.items()
            if given != true
        ]
        rows.append((one.reviewer, str(one.n), four(one.accuracy), ", ".join(worst[:6])))
    header = ("Reviewer", "Items", "Estimated accuracy", "Errors")
    return Table(header, tuple(rows), frozenset({1, 2}), "Dawid-Skene, three reviewers or more")
