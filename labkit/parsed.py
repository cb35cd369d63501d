"""What a reader returns: the values it understood, and a problem for each thing it left out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Generic, Literal, TypeVar

from labkit.errors import printable

T = TypeVar("T")
Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing in an input that was left out or doubted, and why.

    >>> print(Problem("in/p.csv", 3, "no method name; the row is left out."))
    p.csv:3: no method name; the row is left out.
    """

    file: str
    """The path as it was given; only its base name is ever printed."""
    line: int | None
    """Physical line, from 1; ``None`` when the whole file is meant."""
    message: str
    """A sentence: what is wrong and what was done about it."""
    severity: Severity = "error"
    """``error``: left out; ``warning``: read, but doubtful; ``note``: good to know."""
    column: int | None = None
    """Column, from 1, where it is known."""

    @property
    def name(self) -> str:
        """The base name of the file."""
        return PurePath(self.file).name

    def as_dict(self) -> dict[str, object]:
        """The form that every JSON report uses."""
        return {
            "file": self.name,
            "line": self.line,
            "column": self.column,
            "message": self.message,
            "severity": self.severity,
        }

    def __str__(self) -> str:
        """``file:line[:column]: sentence``."""
        place = ":".join(str(p) for p in (self.name, self.line, self.column) if p is not None)
        return printable(f"{place}: {self.message}")


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """Values read from one source, in file order, and what was left out of it."""

    values: tuple[T, ...] = ()
    problems: tuple[Problem, ...] = ()
