"""The place of one value in an entry, and how to fill it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.overrides.splice import Splice, content_end

if TYPE_CHECKING:
    from labkit.overrides.look import Look
    from labkit.yamlfile import Mapping, Node, Scalar


@dataclass(frozen=True, slots=True)
class Slot:
    """A key that is there, with its value."""

    text: str
    """The whole file."""
    entry: Mapping
    key: Scalar
    value: Node
    look: Look

    @property
    def flow(self) -> bool:
        """Whether the entry stands in braces."""
        return self.entry.style == "flow"

    @property
    def colon(self) -> int:
        """Just behind the colon."""
        return self.text.index(":", self.key.place.end) + 1

    @property
    def end(self) -> int:
        """Where the pair's own content ends."""
        return max(self.colon, content_end(self.text, self.value))

    def fill(self, new: str) -> list[Splice]:
        """Put ``new`` in the place of a scalar or a list in brackets."""
        start, end = self.value.place.start, self.value.place.end
        gap = " " if start == end and self.text[start - 1 : start] == ":" else ""
        return [Splice(start, end, gap + new)]

    def replace(self, new: str) -> list[Splice]:
        """Put ``new`` behind the colon, in the place of a value that may fill lines of its own."""
        if self.value.style != "block" or self.value.alias:
            return self.fill(new)
        return [Splice(self.colon, self.end, " " + new)]
