"""How many of a reviewer's items stand how, and how long answers took; kept up step by step."""

from __future__ import annotations

from bisect import insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.protocol.standing import Standing


class Tally:
    """Counts of one pass."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.saved = 0
        """Items with a stored current answer, unsure ones included."""
        self.unsure = 0
        """Items whose current answer is "unsure"."""
        self.skipped = 0
        """Items that wait at the end."""
        self.settled = 0
        """Items about which nothing more is asked."""
        self._durations: list[int] = []

    def change(self, old: Standing, new: Standing) -> None:
        """An item left one standing for another."""
        for sign, standing in ((-1, old), (1, new)):
            answer = standing.answer
            self.saved += sign * (answer is not None)
            self.unsure += sign * (answer is not None and answer.kind == "unsure")
            self.skipped += sign * bool(standing.skipped)
            self.settled += sign * standing.settled

    def took(self, milliseconds: int | None) -> None:
        """An answer took so long."""
        if milliseconds is not None:
            insort(self._durations, milliseconds)

    @property
    def durations(self) -> Sequence[int]:
        """How long each answer took, in milliseconds, sorted."""
        return self._durations

    @property
    def median_seconds(self) -> float | None:
        """The median time an answer took, in seconds."""
        d = self._durations
        if not d:
            return None
        return (d[(len(d) - 1) // 2] + d[len(d) // 2]) / 2000
