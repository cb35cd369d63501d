"""From decisions to labels: the value that stands for one item and one reviewer."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.model import Basis, Decision, Label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from labkit.model import Answer
    from labkit.protocol import Pass
    from labkit.sampling import Drawn

IMPORTED = "(imported)"
"""The reviewer of labels that came from a file."""


def labels_of(
    reviewer: str, done: Pass, *, drawn: Mapping[str, Drawn], seed: int
) -> Iterator[Label]:
    """Every label of one reviewer's pass, unsure ones included, in order of the first decision.

    Second showings make no label.
    """
    for item in done.touched:
        if item in done.repeats:
            continue
        label = label_of(reviewer, done, item, drawn=drawn.get(item), seed=seed)
        if label is not None:
            yield label


def label_of(
    reviewer: str, done: Pass, item: str, *, drawn: Drawn | None = None, seed: int | None = None
) -> Label | None:
    """The label of one item, or ``None`` where no answer stands and none was given blind."""
    first, final = done.first(item), done.final(item)
    told = first if first is not None and first.answer is not None else final
    given = first or final
    if given is None:
        return None
    return Label(
        item=item,
        reviewer=reviewer,
        first=None if first is None else first.answer,
        final=None if final is None else final.answer,
        basis=basis_of(told or given, mode=done.mode(item)),
        stratum=None if drawn is None else drawn.stratum,
        inclusion_probability=None if drawn is None else drawn.inclusion_probability,
        arm=done.arm(item),
        seed=None if drawn is None else seed,
        shown_at=given.shown_at,
        decided_at=given.decided_at,
        duration_ms=given.duration_ms,
        note=done.note(item),
        unsure=given.kind == "unsure",
    )


def basis_of(decision: Decision, *, mode: str) -> Basis:
    """How independent of the AI a decision is."""
    if decision.reviewer == IMPORTED:
        return Basis.IMPORTED
    if not decision.suggestion_shown:
        return Basis.BLIND
    return Basis.ASSISTED if mode == "assisted" else Basis.REVEALED


def by_item(labels: Iterable[Label]) -> Mapping[str, tuple[Label, ...]]:
    """Labels grouped by item, in order of first appearance."""
    found: defaultdict[str, list[Label]] = defaultdict(list)
    for label in labels:
        found[label.item].append(label)
    return {item: tuple(group) for item, group in found.items()}


def is_disputed(labels: Iterable[Label]) -> bool:
    """Whether reviewers differ on one item, in their first answers or in their final ones.

    Imported labels and unsure answers dispute nothing; an adjudicated item is disputed no more.
    """
    people = [label for label in labels if label.basis is not Basis.IMPORTED]
    if any(label.adjudicated for label in people):
        return False
    for answers in ([p.first for p in people], [p.final for p in people]):
        given = [answer for answer in answers if answer is not None]
        if any(answer != given[0] for answer in given[1:]):
            return True
    return False


def is_contested(labels: Iterable[Label]) -> bool:
    """Whether a reviewer's final answer says something else than an imported label.

    Only questions that both answer are compared: an entry may decide relevance or tags alone.
    """
    found = list(labels)
    if any(label.adjudicated for label in found):
        return False
    before = [x.final for x in found if x.basis is Basis.IMPORTED and x.final is not None]
    now = [x.final for x in found if x.basis is not Basis.IMPORTED and x.final is not None]
    return any(_differ(old, new) for old in before for new in now)


def _differ(left: Answer, right: Answer) -> bool:
    def plain(value: object) -> object:
        return frozenset(value) if isinstance(value, tuple) else value

    return any(plain(left[name]) != plain(right[name]) for name in left.keys() & right.keys())


_INDEPENDENCE = (Basis.REVEALED, Basis.ASSISTED, Basis.BLIND)


def adjudicated(decision: Decision, labels: Iterable[Label]) -> Label:
    """The label that settles an item.

    Its basis is the least independent one of the answers that were in dispute: who settles sees
    them, and not the AI's. Where the first answers were alike, metrics go on using those.

    Args:
        decision: The adjudication.
        labels: The reviewers' labels of the item.
    """
    people = [label for label in labels if label.basis is not Basis.IMPORTED]
    found = {label.basis for label in people}
    basis = next((basis for basis in _INDEPENDENCE if basis in found), Basis.BLIND)
    drawn = next((label for label in people if label.inclusion_probability is not None), None)
    firsts = [label.first for label in people if label.first is not None]
    agreed = bool(firsts) and all(answer == firsts[0] for answer in firsts)
    return Label(
        item=decision.item,
        reviewer=decision.reviewer,
        first=firsts[0] if agreed else decision.answer,
        final=decision.answer,
        basis=basis,
        stratum=None if drawn is None else drawn.stratum,
        inclusion_probability=None if drawn is None else drawn.inclusion_probability,
        arm=None if drawn is None else drawn.arm,
        seed=None if drawn is None else drawn.seed,
        shown_at=decision.shown_at,
        decided_at=decision.decided_at,
        duration_ms=decision.duration_ms,
        note=decision.note,
        adjudicated=True,
    )


@dataclass(frozen=True, slots=True)
class Repeated:
    """One reviewer's two answers about one item."""

    reviewer: str
    item: str
    first: Answer
    again: Answer
    revealed: bool
    """The AI's answer had been shown in between."""


def repeated(reviewer: str, done: Pass) -> Iterator[Repeated]:
    """The items that a reviewer answered twice; unsure ones left out."""
    for again, item in done.repeats.items():
        first, second = done.first(item), done.final(again)
        if first is None or second is None or first.answer is None or second.answer is None:
            continue
        yield Repeated(reviewer, item, first.answer, second.answer, done.shown(item))
