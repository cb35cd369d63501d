"""Which finding answers which expectation: each system's matching rule, by name."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class MatchPolicy:
    """A matching rule as one row of the table of differences."""

    name: str
    outer: Literal["expected", "generated"]
    """Whose order decides who claims first."""
    claimed: Literal["finding", "expectation", "nothing"]
    """What can be used only once."""
    lines: Literal["window", "overlap", "none"]
    """``window``: two lines at most so far apart; ``overlap``: two ranges touch or come near."""
    distance: int
    """Lines of tolerance; the default where the caller may choose."""
    swaps_reversed_ranges: bool = False


PLANWERK = MatchPolicy("planwerk", "expected", "finding", "window", 3)
AACR_V1 = MatchPolicy("aacr v1", "generated", "expectation", "overlap", 1)
AACR_V2 = MatchPolicy("aacr v2", "expected", "finding", "overlap", 1, swaps_reversed_ranges=True)
GODAUDITS_EVALUATE = MatchPolicy("godaudits evaluate", "expected", "nothing", "none", 0)
GODAUDITS_ACCURACY = MatchPolicy("godaudits accuracy-check", "expected", "finding", "window", 2)
POLICIES = (PLANWERK, AACR_V1, AACR_V2, GODAUDITS_EVALUATE, GODAUDITS_ACCURACY)


# --- who claims whom ------------------------------------------------------------------------


def claim_once(matches: Iterable[Sequence[int]]) -> tuple[int | None, ...]:
    """Greedy from the expected side: each takes its first match that nobody has taken.

    This is not a maximum matching: the order of the expectations decides.

    Args:
        matches: For each expectation, in file order, the findings that match it, in report order.

    Returns:
        For each expectation the finding it claims, or ``None``.

    >>> claim_once([[0, 1], [0]])
    (0, None)
    >>> claim_once([[0], [0, 1]])
    (0, 1)
    """
    taken: set[int] = set()
    claims: list[int | None] = []
    for candidates in matches:
        claim = next((index for index in candidates if index not in taken), None)
        if claim is not None:
            taken.add(claim)
        claims.append(claim)
    return tuple(claims)


def claim_freely(matches: Iterable[Sequence[int]]) -> tuple[int | None, ...]:
    """Each expectation takes its first match; one finding may satisfy many.

    >>> claim_freely([[0, 1], [0], []])
    (0, 0, None)
    """
    return tuple(candidates[0] if candidates else None for candidates in matches)


@dataclass(frozen=True, slots=True)
class Claim:
    """What became of one comment: whether it was placed right, whether it says the same."""

    index: int
    line_match: bool
    same: bool
    partner: int | None = None
    """The last one on the other side that was claimed by place."""
    same_as: int | None = None
    """The one on the other side that says the same."""

    @property
    def recorded(self) -> int | None:
        """The one on the other side that a report names: what it means, else where it stands."""
        return self.partner if self.same_as is None else self.same_as


Similar = Callable[[int, int], bool]
"""Whether generated comment i and reference j say the same."""


def claim_references(
    near: Iterable[tuple[int, Sequence[int]]],
    ids: Sequence[object],
    similar: Similar | None,
) -> tuple[Claim, ...]:
    """AACR-Bench v1: greedy from the generated side, each reference *id* claimed once.

    A comment may claim several references by place, and counts as one line match. It stops at
    the first reference that says the same.

    Args:
        near: Generated comments in order, each with the references at its place, in file order.
        ids: The references' ids; references that share one can be claimed once between them.
        similar: Decides sameness; ``None`` when places alone are compared.
    """
    placed: set[object] = set()
    meant: set[object] = set()
    claims = []
    for index, references in near:
        partner = same_as = None
        for reference in references:
            identity = ids[reference]
            if identity not in placed:
                placed.add(identity)
                partner = reference
            if similar and identity not in meant and similar(index, reference):
                meant.add(identity)
                same_as = reference
                break
        claims.append(Claim(index, partner is not None, same_as is not None, partner, same_as))
    return tuple(claims)


def claim_generated(
    near: Iterable[tuple[int, Sequence[int]]], similar: Similar | None
) -> tuple[Claim, ...]:
    """AACR-Bench v2: greedy from the reference side, each generated *index* claimed once.

    Args:
        near: References in order, each with the generated comments at its place, in file order.
        similar: As in ``claim_references``.
    """
    placed: set[int] = set()
    meant: set[int] = set()
    claims = []
    for reference, comments in near:
        partner = same_as = None
        for comment in comments:
            if partner is None and comment not in placed:
                placed.add(comment)
                partner = comment
            if similar and comment not in meant and similar(comment, reference):
                meant.add(comment)
                same_as = comment
                break
            if similar is None and partner is not None:
                break
        claims.append(Claim(reference, partner is not None, same_as is not None, partner, same_as))
    return tuple(claims)


# --- where ------------------------------------------------------------------------------------


def slashed(path: str) -> str:
    r"""A path with forward slashes and no blanks around it; nothing else is normalised.

    >>> slashed(" src\\a.go "), slashed("./a.go")
    ('src/a.go', './a.go')
    """
    return path.replace("\\", "/").strip()


class LineIndex:
    """Findings by file and line, to look up the few that lie near an expectation."""

    def __init__(self, places: Iterable[tuple[str, int]]) -> None:
        """Take (file, line) of each finding, in report order; files are compared as given."""
        self._files: dict[str, list[tuple[int, int]]] = {}
        for index, (file, line) in enumerate(places):
            self._files.setdefault(file, []).append((line, index))
        for found in self._files.values():
            found.sort()

    def near(self, file: str, line: int, *, window: int) -> list[int]:
        """The findings in ``file`` at most ``window`` lines from ``line``, in report order."""
        found = self._files.get(file, [])
        first = bisect_left(found, (line - window, -1))
        last = bisect_right(found, (line + window + 1, -1))
        return sorted(index for _, index in found[first:last])


def mentions(text: str, keywords: Iterable[str]) -> bool:
    """Whether a lower-cased text contains one of the lower-cased, non-empty keywords.

    A keyword is a substring, not a word: ``test`` is found in ``latest``.
    """
    return any(keyword in text for keyword in keywords)


@dataclass(frozen=True, slots=True)
class Location:
    """Where a review comment stands; ``None`` is "not said" and agrees with everything."""

    path: str
    side: str | None = None
    start: int | None = None
    end: int | None = None

    @property
    def reversed(self) -> bool:
        """Whether the range ends before it begins."""
        return self.start is not None and self.end is not None and self.end < self.start

    def ordered(self) -> Location:
        """The same place with a missing end filled in and a reversed range swapped.

        >>> Location("a", "right", 1153, 1144).ordered().start
        1144
        """
        ends = [end for end in (self.start, self.end) if end is not None]
        if not ends:
            return self
        return Location(self.path, self.side, min(ends), max(ends))


def overlaps(first: tuple[int, int], second: tuple[int, int], distance: int) -> bool:
    """Whether two ranges overlap, or their near ends are at most ``distance`` lines apart.

    A reversed range is taken as it is, so it overlaps nothing, not even itself.

    >>> overlaps((10, 15), (16, 20), 1), overlaps((10, 15), (17, 20), 1)
    (True, False)
    """
    (a, b), (c, d) = first, second
    return not (a > d or b < c) or min(abs(a - d), abs(b - c)) <= distance


def same_place(generated: Location, reference: Location, distance: int) -> bool:
    """Whether a comment stands where the reference does: path, then side, then lines.

    An empty path matches any file, a side or a line that is not said is not compared;
    an empty side is said, and differs from ``right``.
    """
    if generated.path and reference.path and generated.path != reference.path:
        return False
    sides = generated.side, reference.side
    if None not in sides and sides[0] != sides[1]:
        return False
    a, b, c, d = generated.start, generated.end, reference.start, reference.end
    if a is None or b is None or c is None or d is None:
        return True
    return overlaps((a, b), (c, d), distance)


_Entry = tuple[float, float, int, Location]


def _span(location: Location) -> tuple[float, float]:
    """The lowest and the highest line; without both lines it is anywhere."""
    if location.start is None or location.end is None:
        return (-math.inf, math.inf)
    return (min(location.start, location.end), max(location.start, location.end))


class PlaceIndex:
    """Locations by path, to look up those at the same place as another."""

    def __init__(self, locations: Iterable[tuple[int, Location]]) -> None:
        """Take (index, location) in file order."""
        self._all: list[_Entry] = [(*_span(place), index, place) for index, place in locations]
        self._paths: dict[str, list[_Entry]] = {}
        for path in {place.path for *_, place in self._all} - {""}:
            self._paths[path] = []
        for entry in self._all:
            path = entry[3].path
            for name in (path,) if path else self._paths:
                self._paths[name].append(entry)
        self._anywhere = [entry for entry in self._all if not entry[3].path]

    def near(self, location: Location, distance: int) -> tuple[int, ...]:
        """The indices of those at the same place, in file order."""
        among = self._paths.get(location.path, self._anywhere) if location.path else self._all
        low, high = _span(location)
        low, high = low - distance, high + distance
        # two places that match are never further apart than the distance, reversed or not
        return tuple(
            index
            for first, last, index, other in among
            if first <= high and last >= low and same_place(location, other, distance)
        )
