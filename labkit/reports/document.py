"""What a report is before it is written: JSON-ready data, and a document of blocks."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from labkit.parsed import Problem

Format = Literal["markdown", "json", "html", "text"]
FORMATS: tuple[Format, ...] = ("markdown", "json", "html", "text")


@dataclass(frozen=True, slots=True)
class Heading:
    """A section title; level 1 is the report's own."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Plain prose. No markup: every writer escapes it."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of plain sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts; ``right`` names the columns (from 0) that are numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    caption: str = ""


Block = Heading | Paragraph | Bullets | Table


@dataclass(frozen=True, slots=True)
class Document:
    """Blocks in reading order."""

    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a command: the same facts as data and as a document.

    ``data`` follows the key order of the contract; ``exit_code`` is 0, or 1 when a gate failed.
    """

    data: dict[str, object]
    document: Document = field(default_factory=Document)
    exit_code: int = 0
    problems: tuple[Problem, ...] = ()
    """What the readers left out or doubted; the command prints them on stderr."""
    text: str | None = None
    """A tool's own text layout, where labkit reproduces one; ``--format text`` prints it."""


_STEERING = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but the line feed, what ends a line elsewhere, and marks of direction."""


def four(value: float | None) -> str:
    """Four decimals, or ``n/a`` where the value is undefined.

    >>> four(0.75), four(None), four(3)
    ('0.7500', 'n/a', '3.0000')
    """
    return "n/a" if value is None else f"{value:.4f}"


def render(report: Report, format: Format) -> str:  # noqa: A002  # the option's own name
    """Write the report; ends with one newline, only LF inside, no time, host or path.

    What could steer a terminal or turn the line around is escaped: names come from files.
    """
    module = importlib.import_module(f"labkit.reports.as_{format}")
    text: str = module.render(report)
    if format != "json":  # which escapes its own
        text = _STEERING.sub(lambda found: repr(found.group())[1:-1], text)
    return text.rstrip("\n") + "\n"
