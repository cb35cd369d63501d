"""Reading any file and saying what it is: its kind, its counts, and every problem at its line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labkit.checks.kinds import BY_KIND, counted, plain
from labkit.errors import InputError
from labkit.formats import kinds, tables
from labkit.parsed import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_FILES = 10_000
"""Files that one folder may hold before it is refused."""
_TABLE = re.compile(r"\.(csv|tsv|jsonl|ndjson)(\.gz|\.zip)?$", re.IGNORECASE)
_GUESSED = {"planwerk-reviews", "aacr-comments"}
"""Kinds of folders that are known by the shape of the tree alone."""
_PASSED_OVER = (".", "__", "node_modules")


@dataclass(frozen=True, slots=True)
class Checked:
    """One file or folder: what it is and what is in it."""

    file: str
    """Its path, as it was given or found."""
    kind: str
    items: int
    problems: tuple[Problem, ...] = ()
    summary: dict[str, Any] = field(default_factory=dict)

    @property
    def bad(self) -> bool:
        """Whether something in it could not be read."""
        return any(problem.severity == "error" for problem in self.problems)

    def as_dict(self) -> dict[str, object]:
        """The form of ``labkit check --format json``."""
        return {
            "kind": self.kind,
            "items": self.items,
            "problems": [problem.as_dict() for problem in self.problems],
            "summary": self.summary,
        }


def kind_of(path: Path) -> str:
    """The kind of a file or folder; one of CONTRACT's, ``unknown`` where none fits.

    Raises:
        InputError: There is no such file, or it is neither text nor Parquet.
    """
    if tables.is_parquet(path):
        return kinds.of_record(tables.read(path).header)
    name = kinds.of_path(path).name
    if name == kinds.UNKNOWN and path.is_file() and _TABLE.search(path.name):
        return "table"
    return "planwerk-corpus" if name == "planwerk-expected" else name


def check(path: Path) -> Checked:
    """Read one file, or a folder that is one thing (a study, a corpus, reviews).

    Raises:
        InputError: It cannot be read, or its content cannot be trusted as a whole.
    """
    kind = kind_of(path)
    if kind == kinds.UNKNOWN:
        said = "no format labkit knows by its content; nothing was read."
        return Checked(str(path), kind, 0, (Problem(str(path), None, said, "warning"),))
    found = counted(BY_KIND.get(kind, plain)(path))
    return Checked(str(path), kind, found.items, found.problems, found.summary)


def check_all(path: Path) -> Iterator[Checked]:
    """Read a file, or every file of a folder that labkit knows.

    In a folder a file that cannot be read is a problem of that file and not the end.

    Raises:
        InputError: The path itself is a file that cannot be read, or holds too many files.
    """
    whole = _whole_folder(path) if path.is_dir() else check(path)
    if whole is not None:
        yield whole
        return
    for file in _files(path):
        try:
            if kinds.of_path(file).name != kinds.UNKNOWN:
                yield check(file)
        except InputError as error:
            yield Checked(str(file), kinds.UNKNOWN, 0, (problem_of(error, str(file)),))


def _whole_folder(path: Path) -> Checked | None:
    """A folder that is one thing; ``None`` where its files stand for themselves.

    Raises:
        InputError: It is a study or a corpus, and cannot be read.
    """
    kind = kinds.of_path(path).name
    if kind == kinds.UNKNOWN:
        return None
    try:
        return check(path)
    except InputError:
        if kind in _GUESSED:
            return None
        raise


def problem_of(error: InputError, source: str) -> Problem:
    """An error about a file as a problem of that file.

    >>> print(problem_of(InputError.at("in/a.csv", 3, "no id.", column=2), "in/a.csv"))
    a.csv:3:2: no id.
    """
    place = re.match(r"(?::(\d+))?(?::(\d+))?: ", str(error).removeprefix(source))
    if place is None or not str(error).startswith(source):
        return Problem(source, None, str(error))
    line, column = (None if part is None else int(part) for part in place.groups())
    return Problem(source, line, str(error)[len(source) + place.end() :], column=column)


def _files(folder: Path) -> Iterator[Path]:
    """Files below a folder by name; hidden ones and caches are passed over."""
    count = 0
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith(_PASSED_OVER) for part in inner):
            count += 1
            if count > MAX_FILES:
                raise InputError.at(str(folder), None, f"more than {MAX_FILES} files; name some.")
            yield path
