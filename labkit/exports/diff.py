"""A unified diff that is quick on long files: anchored on lines that occur once on each side."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Block = tuple[int, int, int, int]

CONTEXT = 3
_SMALL = 10_000
_AHEAD = 60
_SAME = 3


def unified(before: str | None, after: str, name: str) -> str:
    r"""The change as a unified diff; empty where there is none.

    Args:
        before: The old text; ``None`` where there was no file.
        after: The new text.
        name: The name in the two header lines.

    >>> print(unified("a\nb\n", "a\nc\n", "f.txt"), end="")
    --- a/f.txt
    +++ b/f.txt
    @@ -1,2 +1,2 @@
     a
    -b
    +c
    """
    if (before or "") == after:
        return ""
    old, new = _lines(before or ""), _lines(after)
    parts = ["--- /dev/null\n" if before is None else f"--- a/{name}\n", f"+++ b/{name}\n"]
    for group in _groups(list(_changes(old, new))):
        parts.extend(_hunk(group, old, new))
    return "".join(parts)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    ended = [line + "\n" for line in lines[:-1]]
    return ended + ([lines[-1]] if lines[-1] else [])


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Lines that occur once on each side, in the longest order that both sides share."""
    once_old = Counter(old)
    once_new = Counter(new)
    place = {line: at for at, line in enumerate(new) if once_new[line] == 1}
    pairs = [
        (at, place[line]) for at, line in enumerate(old) if once_old[line] == 1 and line in place
    ]
    tails: list[int] = []
    ends: list[int] = []
    back = [-1] * len(pairs)
    for index, (_, there) in enumerate(pairs):
        length = bisect_left(tails, there)
        back[index] = ends[length - 1] if length else -1
        tails[length : length + 1] = [there]
        ends[length : length + 1] = [index]
    found: list[tuple[int, int]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        found.append(pairs[index])
        index = back[index]
    return found[::-1]


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
    """What differs: ``old[i1:i2]`` became ``new[j1:j2]``, in order, never touching each other."""
    i = j = 0
    for i_next, j_next in [*_anchors(old, new), (len(old), len(new))]:
        while i < i_next and j < j_next and old[i] == new[j]:
            i, j = i + 1, j + 1
        end, until = i_next, j_next
        while i < end and j < until and old[end - 1] == new[until - 1]:
            end, until = end - 1, until - 1
        if i < end or j < until:
            yield from _between(old, new, (i, end, j, until))
        i, j = i_next, j_next


def _between(old: Sequence[str], new: Sequence[str], gap: Block) -> Iterator[Block]:
    """The changes between two anchors; long stretches by looking a little ahead only."""
    i, end, j, until = gap
    if (end - i) * (until - j) <= _SMALL:
        matcher = SequenceMatcher(None, old[i:end], new[j:until], autojunk=False)
        for kind, i1, i2, j1, j2 in matcher.get_opcodes():
            if kind != "equal":
                yield i + i1, i + i2, j + j1, j + j2
        return
    while i < end or j < until:
        if i < end and j < until and old[i] == new[j]:
            i, j = i + 1, j + 1
            continue
        ahead, there = _meeting(old[i : min(end, i + _AHEAD)], new[j : min(until, j + _AHEAD)])
        stop = (end, until) if ahead is None else (i + ahead, j + there)
        yield i, stop[0], j, stop[1]
        i, j = stop


def _meeting(old: Sequence[str], new: Sequence[str]) -> tuple[int | None, int]:
    """The nearest place from which a few lines are the same on both sides."""
    for away in range(1, len(old) + len(new)):
        for ahead in range(max(0, away - len(new)), min(away, len(old)) + 1):
            there = away - ahead
            same = old[ahead : ahead + _SAME]
            if len(same) == _SAME and same == new[there : there + _SAME]:
                return ahead, there
    return None, 0


def _groups(changes: list[Block]) -> Iterator[list[Block]]:
    """Changes whose context meets, together."""
    group: list[Block] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(group: list[Block], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    lead = min(CONTEXT, group[0][0])
    tail = min(CONTEXT, len(old) - group[-1][1])
    i1, i2 = group[0][0] - lead, group[-1][1] + tail
    j1, j2 = group[0][2] - lead, group[-1][3] + tail
    yield f"@@ -{_span(i1, i2)} +{_span(j1, j2)} @@\n"
    at = i1
    for start, end, there, until in group:
        yield from (_marked(" ", line) for line in old[at:start])
        yield from (_marked("-", line) for line in old[start:end])
        yield from (_marked("+", line) for line in new[there:until])
        at = end
    yield from (_marked(" ", line) for line in old[at:i2])


def _span(start: int, end: int) -> str:
    length = end - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"


def _marked(mark: str, line: str) -> str:
    if line.endswith("\n"):
        return mark + line
    return f"{mark}{line}\n\\ No newline at end of file\n"
