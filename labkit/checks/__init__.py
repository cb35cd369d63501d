"""Reading any file and saying what it is: its kind, its counts, and every problem at its line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labkit.checks.kinds import BY_KIND, counted, plain
from labkit.errors import InputError
from labkit.formats import jsontext, kinds, tables
from labkit.parsed import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_FILES = 10_000
"""Files that one folder may hold before it is refused."""
_TABLE = re.compile(r"\.(csv|tsv|jsonl|ndjson|parquet)(\.gz|\.zip)?$", re.IGNORECASE)
_ROWS = re.compile(r"\s*\[\s*\{")
_GUESSED = {"planwerk-reviews": "*/*.json", "aacr-comments": "comments_*.txt"}
"""Kinds of folders that files of that kind make, where nothing else is in them."""
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
    name = kinds.of_path(path).name
    if name == kinds.UNKNOWN and path.is_file() and _is_table(path):
        return "table"
    return "planwerk-corpus" if name == "planwerk-expected" else name


def _is_table(path: Path) -> bool:
    """Whether a file of no other kind is rows: by its name, or a JSON list of objects."""
    if _TABLE.search(path.name):
        return True
    text = tables.text_of(path) if path.suffix.lower() == ".json" else ""
    return bool(_ROWS.match(text))


def check(path: Path) -> Checked:
    """Read one file, or a folder that is one thing (a study, a corpus, reviews).

    Raises:
        InputError: It cannot be read, or its content cannot be trusted as a whole.
    """
    kind = kind_of(path)
    if kind == kinds.UNKNOWN:
        said = _said_of_unknown(path)
        return Checked(str(path), kind, 0, (Problem(str(path), None, said, "warning"),))
    found = counted(BY_KIND.get(kind, plain)(path))
    return Checked(str(path), kind, found.items, found.problems, found.summary)


def _said_of_unknown(path: Path) -> str:
    """Why a file of no known kind was not read.

    Raises:
        InputError: It is JSON by its name, and no JSON.
    """
    text = "" if path.is_dir() else tables.text_of(path)
    if path.suffix.lower() in {".json", ".sarif"}:
        jsontext.parse(text, str(path))
    if path.is_file() and not text.strip():
        return "the file is empty."
    return "no format labkit knows by its content; nothing was read."


def check_all(path: Path) -> Iterator[Checked]:
    """Read a file, or every file of a folder that labkit knows.

    In a folder a file that cannot be read is a problem of that file and not the end; a fault
    that lies in no single file (a case without its ``expected.json``) comes last.

    Raises:
        InputError: The path itself is a file that cannot be read, or holds too many files.
    """
    whole = _whole_folder(path) if path.is_dir() else check(path)
    if whole is not None and (path.is_file() or not whole.bad):
        yield whole
        return
    bad = False
    for file in _files(path):
        one = _one_of_folder(file)
        if one is not None:
            bad = bad or one.bad
            yield one
    if whole is not None and not bad:
        yield whole


def _one_of_folder(file: Path) -> Checked | None:
    """A file of a folder; ``None`` where it is nothing to labkit."""
    kind = kinds.UNKNOWN
    try:
        kind = kind_of(file)
        found = check(file)
    except InputError as error:
        return Checked(str(file), kind, 0, (problem_of(error, str(file)),))
    return None if found.kind == kinds.UNKNOWN else found


def _whole_folder(path: Path) -> Checked | None:
    """A folder that is one thing; ``None`` where its files stand for themselves.

    A corpus that its reader refuses is that one problem.

    Raises:
        InputError: It is a study, and cannot be read.
    """
    kind = kinds.of_path(path).name
    pattern = _GUESSED.get(kind)
    if kind == kinds.UNKNOWN or (pattern is not None and not _only(path, pattern)):
        return None
    try:
        return check(path)
    except InputError as error:
        if kind == "study":
            raise
        return None if pattern else Checked(str(path), kind, 0, (problem_of(error, str(path)),))


def _only(folder: Path, pattern: str) -> bool:
    """Whether nothing else that labkit knows is in a folder."""
    of_it = set(folder.glob(pattern))
    rest = [file for file in _files(folder) if file not in of_it]
    return all(_known(file) in {kinds.UNKNOWN, None} for file in rest)


def _known(file: Path) -> str | None:
    try:
        return kinds.of_path(file).name
    except InputError:
        return None


def problem_of(error: InputError, source: str) -> Problem:
    """An error about a file as a problem of that file.

    >>> print(problem_of(InputError.at("in/a.csv", 3, "no id.", column=2), "in/a.csv"))
    a.csv:3:2: no id.
    """
    said, name = str(error), re.escape(source.replace("\\", "/").rsplit("/", 1)[-1])
    place = re.match(
        rf"(?P<before>case [^:]*: )?(?:{re.escape(source)}|{name})"
        r"(?::(?P<line>\d+))?(?::(?P<column>\d+))?: ",
        said,
    )
    if place is None:
        return Problem(source, None, said)
    line, column = (None if part is None else int(part) for part in place.group("line", "column"))
    return Problem(source, line, (place["before"] or "") + said[place.end() :], column=column)


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
