"""Reviewers against each other: every pair, all together, and who errs where it can be told."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol

from labkit.metrics.agreement import (
    TWO_CODERS,
    Pair,
    alpha,
    confusion,
    is_ordered,
    pair_agreement,
    sorted_labels,
)
from labkit.metrics.dawid_skene import Reliability, dawid_skene

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Rating(Protocol):
    """One reviewer's answer about one item."""

    @property
    def item(self) -> str:
        """The item's id."""

    @property
    def reviewer(self) -> str:
        """Who answered."""

    @property
    def label(self) -> str | None:
        """The answer, or ``None`` where only tags were asked for."""

    @property
    def tags(self) -> frozenset[str] | None:
        """The tags, or ``None`` where they were not asked for."""


@dataclass(frozen=True, slots=True)
class Marginals:
    """How often a pair's labels met: rows are the first reviewer's."""

    a: str
    b: str
    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A reviewer's answers to the same items, given again later."""

    reviewer: str
    n: int
    percent: float | None
    kappa: float | None
    kind: str
    """``intra-rater``, or ``intra-rater, after reveal`` where the AI's answer had been shown."""

    def as_dict(self) -> dict[str, object]:
        """The row of the report's ``repeats``."""
        return {
            "reviewer": self.reviewer,
            "n": self.n,
            "percent": self.percent,
            "kappa": self.kappa,
            "kind": self.kind,
        }


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far reviewers agree."""

    reviewers: tuple[str, ...]
    items: int
    """Items that at least two reviewers answered."""
    answered: int
    """Items with any answer."""
    pairs: tuple[Pair, ...]
    nominal: float | None
    ordinal: float | None
    """``None`` where the labels have no order."""
    masi: float | None
    """Over sets of tags; ``None`` where no tags were asked for."""
    reliabilities: tuple[Reliability, ...] | None
    marginals: tuple[Marginals, ...]
    repeats: tuple[Repeat, ...] = ()
    anchoring: Mapping[str, Any] | None = None

    def as_dict(self) -> dict[str, object]:
        """The report's JSON."""
        return {
            "reviewers": list(self.reviewers),
            "items": self.items,
            "pairs": [pair.as_dict() for pair in self.pairs],
            "alpha": {"nominal": self.nominal, "ordinal": self.ordinal, "masi": self.masi},
            "repeats": [row.as_dict() for row in self.repeats],
            "dawidSkene": (
                None
                if self.reliabilities is None
                else {"reviewers": [row.as_dict() for row in self.reliabilities]}
            ),
            "anchoring": self.anchoring,
        }


def evaluate(
    ratings: Sequence[Rating],
    *,
    order: Sequence[str] | None = None,
    repeats: Sequence[Repeat] = (),
    anchoring: Mapping[str, Any] | None = None,
) -> Agreement:
    """Compare every pair of reviewers, and all of them together.

    Args:
        ratings: At most one a reviewer and item.
        order: The labels from low to high, where their own names do not say so.
        repeats: Answers to the same items given again, compared already.
        anchoring: The two arms of a randomised study, compared already.
    """
    reviewers = tuple(sorted({one.reviewer for one in ratings}))
    by_label = _grouped(ratings, "label")
    by_tags = _grouped(ratings, "tags")
    main = by_label or by_tags
    units = _units(main, reviewers)
    used = {answer for by in main.values() for answer in by.values()}
    ordered = bool(by_label) and (order is not None or is_ordered(used))
    pairs, marginals = [], []
    for a, b in combinations(reviewers, 2):
        both = [(by[a], by[b]) for _, by in sorted(main.items()) if a in by and b in by]
        pairs.append(pair_agreement(a, b, both, order=order if by_label else None))
        if both and by_label:
            names, table = confusion(both, order=order)
            rows = tuple(tuple(row) for row in table)
            marginals.append(Marginals(a, b, tuple(map(str, names)), rows))
    answered = {one.item for one in ratings}
    counts = Counter(one.item for one in ratings)
    places = order if order is not None else sorted_labels(used) if ordered else None
    if ordered and places is not None:
        places = [*places, *(label for label in sorted_labels(used) if label not in places)]
    return Agreement(
        reviewers,
        sum(n >= TWO_CODERS for n in counts.values()),
        len(answered),
        tuple(pairs),
        alpha(units),
        alpha(units, "ordinal", order=places) if ordered else None,
        alpha(_units(by_tags, reviewers), "masi") if by_tags else None,
        dawid_skene({i: {r: str(v) for r, v in by.items()} for i, by in by_label.items()}),
        tuple(marginals),
        tuple(repeats),
        anchoring,
    )


def _grouped(ratings: Sequence[Rating], field: str) -> dict[str, dict[str, Any]]:
    """Item to reviewer to answer."""
    found: dict[str, dict[str, Any]] = {}
    for one in ratings:
        answer = getattr(one, field)
        if answer is not None:
            found.setdefault(one.item, {})[one.reviewer] = answer
    return found


def _units(by_item: Mapping[str, Mapping[str, Any]], reviewers: Sequence[str]) -> list[list[Any]]:
    return [[by.get(name) for name in reviewers] for _, by in sorted(by_item.items())]
