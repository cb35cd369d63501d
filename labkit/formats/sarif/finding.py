"""What a scanner reported: one finding, with its place, its claim and its earlier verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Level = Literal["none", "note", "warning", "error"]
LEVELS: tuple[Level, ...] = ("none", "note", "warning", "error")
REVIEWED_KINDS = frozenset({"fail", "open", "review"})
"""Kinds that claim something a person can settle; the others report that all is well."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file, or a named place in a program."""

    file: str = ""
    """Decoded path, ``/`` between its parts; empty where only a name is known."""
    base: str = ""
    """The base the path is relative to, where the file names one."""
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    name: str = ""
    """Fully qualified name of the method, class or other logical place."""
    snippet: str = ""
    """The code as it stands in the report, the surroundings included where they are."""
    snippet_line: int | None = None
    """The line the snippet starts on."""
    message: str = ""

    def __str__(self) -> str:
        """``file:line``, or the name where there is no file."""
        if not self.file:
            return self.name
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A suppression that stood in the file: somebody's earlier word about the finding."""

    kind: str
    status: str
    justification: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of one run."""

    id: str
    """``run/index``, both from 0."""
    key: str
    """Stays the same in the next scan of the same code; see ``keys``."""
    tool: str
    rule: str
    message: str
    level: Level
    kind: str = "fail"
    spot: Spot = field(default_factory=Spot)
    """The first location; an empty one where the result names none."""
    others: tuple[Spot, ...] = ()
    """Further locations of the same finding."""
    related: tuple[Spot, ...] = ()
    rule_name: str = ""
    rule_help: str = ""
    rank: float | None = None
    """0..100 as the tool gave it; a priority, not a probability."""
    confidence: float | None = None
    """Only a number from 0 to 1 that the tool calls its confidence."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Confidence and severity in the tool's own words, by property."""
    verdicts: tuple[Verdict, ...] = ()
    suppressed: bool | None = None
    """``None`` where the file says nothing about suppression."""
    baseline: str = ""
    """``new unchanged updated absent``, or empty."""
    same_as: str = ""
    """The id of the first of several identical results; empty for the first itself."""
    line: int | None = None
    """The line of the report this result starts on, where it was looked up."""

    @property
    def for_review(self) -> bool:
        """Whether a person should be asked: a claim, still there, not a repeat."""
        return self.kind in REVIEWED_KINDS and self.baseline != "absent" and not self.same_as


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one tool, in numbers."""

    tool: str
    version: str
    results: int | None
    """``None`` where the tool reported no results at all, which is not the same as clean."""
