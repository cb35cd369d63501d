"""planwerk's counts by a field: seeded bugs and findings with the same severity, file or word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.evaluate.planwerk import score_run
from labkit.metrics.findings import ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from labkit.evaluate.planwerk import Case, Expected, Finding, Review

    Corpus = Sequence[tuple[Case, Sequence[Review]]]

SEVERITIES = ("BLOCKING", "CRITICAL", "WARNING", "INFO")
ALWAYS = SEVERITIES[:2]
"""Severities that are listed even where no such bug is seeded."""
CONFIDENCE_WORDS = ("verified", "likely", "uncertain")


def _bug_value(case: Case, bug: Expected, field: str) -> str | None:
    values = {"case": case.name, "file": bug.file, "severity": bug.severity.strip().upper()}
    return values.get(field)


def _finding_value(case: Case, finding: Finding, field: str) -> str | None:
    if field == "case":
        return case.name
    if field in ("file", "severity", "confidence"):
        return str(getattr(finding, field)).strip()
    value = finding.fields.get(field)
    return value if isinstance(value, str) else None


def _rows(corpus: Corpus, field: str) -> Iterable[tuple[str, str, bool]]:
    """(value, "bug" or "finding", whether it was caught or real) of everything with the field."""
    for case, reviews in corpus:
        for review in reviews:
            claims = score_run(case, review.findings).claims
            for bug, claim in zip(case.findings, claims, strict=True):
                value = _bug_value(case, bug, field)
                if value is not None:
                    yield value, "bug", claim is not None
            for index, finding in enumerate(review.findings):
                value = _finding_value(case, finding, field)
                if value is not None:
                    yield value, "finding", index in claims


def _order(value: str) -> tuple[int, str]:
    ranked = (*SEVERITIES, *CONFIDENCE_WORDS)
    return (ranked.index(value) if value in ranked else len(ranked), value)


def by_field(corpus: Corpus, field: str) -> tuple[dict[str, object], ...]:
    """Counts and ratios for each value of a field.

    Seeded bugs are grouped by their own value and give the recall; findings by theirs and give
    the precision, so that a bug reported with the wrong severity counts in both places.

    Raises:
        InputError: Neither a seeded bug nor a finding has such a field.
    """
    counts: dict[str, list[int]] = {value: [0] * 4 for value in ALWAYS if field == "severity"}
    for value, what, good in _rows(corpus, field):
        entry = counts.setdefault(value, [0] * 4)
        first = 0 if what == "bug" else 2
        entry[first] += 1
        entry[first + 1] += good
    if not counts and field not in ("case", "file", "confidence"):
        raise InputError(
            f"--by {field}: no seeded bug and no finding has this field; try case, file, severity "
            "or confidence."
        )
    return tuple(
        {
            "key": field,
            "value": value,
            "expected": expected,
            "tp": tp,
            "fn": expected - tp,
            "recall": ratio(tp, expected),
            "findings": findings,
            "hits": hits,
            "precision": ratio(hits, findings),
        }
        for value, (expected, tp, findings, hits) in sorted(
            counts.items(), key=lambda row: _order(row[0])
        )
    )


def by_confidence_word(corpus: Corpus) -> tuple[dict[str, object], ...]:
    """Precision of the findings by the word they give; a word is no probability."""
    return tuple(
        {"word": group["value"], "n": group["findings"], "precision": group["precision"]}
        for group in by_field(corpus, "confidence")
        if group["value"] and group["findings"]
    )
