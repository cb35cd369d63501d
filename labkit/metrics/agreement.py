"""How far reviewers agree: percent, Cohen's kappa, Gwet's AC1, Krippendorff's alpha.

Undefined is ``None``: kappa and alpha of reviewers who used one label only are 0/0. Kappa is never
shown without its marginals, because it falls where one label is common (Feinstein and Cicchetti
1990); percent and AC1 stand beside it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Literal

Rating = Hashable
Weights = Literal["none", "linear", "quadratic"]
Distance = Callable[[Rating, Rating], float]
TWO_CODERS = 2
SCALES = (
    ("none", "info", "low", "medium", "high", "critical"),
    ("none", "note", "warning", "error"),
    ("trivial", "minor", "major", "critical", "blocker"),
)
"""Words that have an order."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Agreement of two reviewers on the items that both answered."""

    a: str
    b: str
    n: int
    percent: float | None
    """Share of items with the same label, 0 to 1."""
    kappa: float | None
    kappa_linear: float | None
    kappa_quadratic: float | None
    """Weighted kappas; ``None`` where the labels have no order."""
    ac1: float | None
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        """The row of the report's ``pairs``."""
        return {
            "a": self.a,
            "b": self.b,
            "n": self.n,
            "percent": self.percent,
            "kappa": self.kappa,
            "kappaLinear": self.kappa_linear,
            "kappaQuadratic": self.kappa_quadratic,
            "ac1": self.ac1,
            "reason": self.reason,
        }


def pair_agreement(
    a: str,
    b: str,
    ratings: Sequence[tuple[Rating, Rating]],
    *,
    order: Sequence[Rating] | None = None,
) -> Pair:
    """Every measure of two reviewers.

    >>> pair = pair_agreement("ines", "omar", [("ok", "ok"), ("ok", "ok")])
    >>> pair.percent, pair.kappa, pair.reason
    (1.0, None, 'kappa: both reviewers used one label only')
    """
    if not ratings:
        return Pair(a, b, 0, None, None, None, None, None, "no item was answered by both")
    labels, table = confusion(ratings, order=order)
    ordered = order is not None or is_ordered(labels)
    kappa = cohen_kappa(table)
    return Pair(
        a,
        b,
        len(ratings),
        sum(x == y for x, y in ratings) / len(ratings),
        kappa,
        cohen_kappa(table, "linear") if ordered else None,
        cohen_kappa(table, "quadratic") if ordered else None,
        gwet_ac1(table),
        "kappa: both reviewers used one label only" if kappa is None else None,
    )


def rank(label: Rating) -> tuple[int, float, str] | None:
    """Where a label stands in an order; ``None`` for a label without one.

    Numbers, true and false, severities and single letters (grades) have an order.
    """
    if isinstance(label, bool | int | float):
        return (0, float(label), "")
    text = str(label).strip().lower()
    try:
        return (0, float(text), "")
    except ValueError:
        pass
    if text in {"false", "no", "true", "yes"}:
        return (0, float(text in {"true", "yes"}), "")
    for scale, words in enumerate(SCALES, start=1):
        if text in words:
            return (scale, float(words.index(text)), "")
    return (9, 0.0, text) if len(text) == 1 else None


def is_ordered(labels: Iterable[Rating]) -> bool:
    """Whether all labels belong to one order."""
    ranks = [rank(label) for label in labels]
    scales = {r[0] for r in ranks if r is not None}
    return None not in ranks and len(scales) <= 1


def sorted_labels(labels: Iterable[Rating]) -> list[Rating]:
    """Labels in their order, else by name; the severities share one scale where they can."""
    distinct = set(labels)
    texts = {str(label).strip().lower() for label in distinct}
    for words in SCALES:
        if texts <= set(words):
            return sorted(distinct, key=lambda label: words.index(str(label).strip().lower()))
    if is_ordered(distinct):
        return sorted(distinct, key=lambda label: (rank(label) or (10, 0.0, ""), str(label)))
    return sorted(distinct, key=_name)


def _name(label: Rating) -> str:
    return "\0".join(sorted(map(str, label))) if isinstance(label, frozenset) else str(label)


def confusion(
    ratings: Iterable[tuple[Rating, Rating]], *, order: Sequence[Rating] | None = None
) -> tuple[list[Rating], list[list[int]]]:
    """The labels in order, and how often the first reviewer's met the second's."""
    counts = Counter(ratings)
    used = {label for pair in counts for label in pair}
    labels = [label for label in order if label in used] if order is not None else []
    labels += [label for label in sorted_labels(used) if label not in labels]
    return labels, [[counts[x, y] for y in labels] for x in labels]


def cohen_kappa(table: Sequence[Sequence[int]], weights: Weights = "none") -> float | None:
    """Cohen's kappa of a square table; ``None`` where chance alone explains everything.

    Source: Cohen 1960, 1968. The quotient is exact until the last step.

    >>> cohen_kappa([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    0.4915254237288136
    """
    size = len(table)
    n = sum(map(sum, table))
    rows = [sum(row) for row in table]
    columns = [sum(row[k] for row in table) for k in range(size)]
    power = {"none": 0, "linear": 1, "quadratic": 2}[weights]

    def far(i: int, j: int) -> int:
        return 0 if i == j else abs(i - j) ** power

    cells = [(i, j) for i in range(size) for j in range(size)]
    seen = n * sum(far(i, j) * table[i][j] for i, j in cells)
    expected = sum(far(i, j) * rows[i] * columns[j] for i, j in cells)
    return None if not expected else float(1 - Fraction(seen, expected))


def cohen_kappa_se(table: Sequence[Sequence[int]]) -> float | None:
    """Standard error of the unweighted kappa (Fleiss, Cohen and Everitt 1969)."""
    kappa = cohen_kappa(table)
    n = sum(map(sum, table))
    if kappa is None:
        return None
    size = len(table)
    rows = [sum(row) / n for row in table]
    columns = [sum(row[k] for row in table) / n for k in range(size)]
    chance = math.fsum(r * c for r, c in zip(rows, columns, strict=True))
    same = math.fsum(
        table[i][i] / n * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in range(size)
    )
    other = (1 - kappa) ** 2 * math.fsum(
        table[i][j] / n * (columns[i] + rows[j]) ** 2
        for i in range(size)
        for j in range(size)
        if i != j
    )
    rest = (kappa - chance * (1 - kappa)) ** 2
    return math.sqrt(max(0.0, same + other - rest) / n) / (1 - chance)


def gwet_ac1(table: Sequence[Sequence[int]]) -> float | None:
    """Gwet's AC1 of two reviewers; with one label only it is 1.

    Source: Gwet 2008. ``None`` without a rating.
    """
    n = sum(map(sum, table))
    if not n:
        return None
    size = max(TWO_CODERS, len(table))
    seen = Fraction(sum(table[k][k] for k in range(len(table))), n)
    chance = Fraction(0)
    for k in range(len(table)):
        share = Fraction(sum(table[k]) + sum(row[k] for row in table), 2 * n)
        chance += share * (1 - share)
    chance /= size - 1
    return None if chance == 1 else float((seen - chance) / (1 - chance))


def alpha(
    units: Iterable[Sequence[Rating | None]],
    distance: Literal["nominal", "ordinal", "interval", "ratio", "masi", "jaccard"] = "nominal",
    *,
    order: Sequence[Rating] | None = None,
) -> float | None:
    """Krippendorff's alpha; any number of reviewers, missing answers allowed.

    Args:
        units: For each item its answers; ``None`` is no answer. Items with fewer than two answers
            do not count.
        distance: What a disagreement weighs. ``interval`` and ``ratio`` need numbers; ``masi``
            (Passonneau 2006) and ``jaccard`` need sets.
        order: The labels from low to high, for ``ordinal``.

    Returns:
        1 for full agreement, 0 for chance, below 0 for worse; ``None`` where there are no pairs
        or only one label.

    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability".

    >>> alpha([("A", "B"), ("B", "A")])
    -0.5
    """
    kept = [answers for unit in units if len(answers := _given(unit)) >= TWO_CODERS]
    totals = Counter(label for unit in kept for label in unit)
    n = sum(totals.values())
    far = _distance(distance, totals, order)
    seen = math.fsum(
        2 * far(x, y) * count / (len(unit) - 1)
        for unit in kept
        for (x, y), count in sorted(_pairs(unit).items(), key=lambda kv: (kv[1], str(kv[0])))
    )
    labels = sorted(totals, key=_name)
    expected = math.fsum(2 * far(x, y) * totals[x] * totals[y] for x, y in combinations(labels, 2))
    return None if expected == 0 else 1 - (n - 1) * seen / expected


def _given(unit: Sequence[Rating | None]) -> list[Rating]:
    return [answer for answer in unit if answer is not None]


def _pairs(unit: Sequence[Rating]) -> Mapping[tuple[Rating, Rating], int]:
    """Unordered pairs of different answers within one item, with how often each occurs."""
    counts = Counter(unit)
    labels = sorted(counts, key=_name)
    return {(x, y): counts[x] * counts[y] for x, y in combinations(labels, 2)}


def _distance(name: str, totals: Mapping[Rating, int], order: Sequence[Rating] | None) -> Distance:
    if name == "ordinal":
        return _ordinal(totals, order)
    return {
        "nominal": lambda x, y: float(x != y),
        "interval": lambda x, y: (_number(x) - _number(y)) ** 2,
        "ratio": _ratio,
        "masi": masi_distance,
        "jaccard": jaccard_distance,
    }[name]


def _number(label: Rating) -> float:
    return float(str(label))


def _ratio(x: Rating, y: Rating) -> float:
    a, b = _number(x), _number(y)
    return 0.0 if a == b else ((a - b) / (a + b)) ** 2


def _ordinal(totals: Mapping[Rating, int], order: Sequence[Rating] | None) -> Distance:
    labels = list(order) if order is not None else sorted_labels(totals)
    place = {label: k for k, label in enumerate(labels)}
    upto = [0]
    for label in labels:
        upto.append(upto[-1] + totals.get(label, 0))

    def far(x: Rating, y: Rating) -> float:
        low, high = sorted((place[x], place[y]))
        between = upto[high + 1] - upto[low]
        return (between - (totals[x] + totals[y]) / 2) ** 2

    return far


def _sets(x: Rating, y: Rating) -> tuple[frozenset[object], frozenset[object]]:
    a = x if isinstance(x, frozenset) else frozenset({x})
    b = y if isinstance(y, frozenset) else frozenset({y})
    return a, b


def jaccard_distance(x: Rating, y: Rating) -> float:
    """1 minus shared tags over all tags; two empty sets are alike."""
    a, b = _sets(x, y)
    return 1 - len(a & b) / len(a | b) if a | b else 0.0


def masi_distance(x: Rating, y: Rating) -> float:
    """MASI: Jaccard, weighted by whether one set holds the other (Passonneau 2006).

    >>> round(masi_distance(frozenset({"a"}), frozenset({"a", "b"})), 6)
    0.666667
    """
    a, b = _sets(x, y)
    if a == b:
        return 0.0
    kind = 2 / 3 if a <= b or b <= a else 1 / 3
    return 1 - (1 - jaccard_distance(a, b)) * kind if a & b else 1.0
