"""CSV and TSV as text: any delimiter, true line numbers, nothing guessed about a cell."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.parsed import Problem
from labkit.textfile import PARQUET, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

DELIMITERS = ",;\t|"
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_LARGEST_FIELD = 2**31 - 1
_SHOWN = 12
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_SEP_LINE = re.compile(r"sep=([,;|\t])\s*", re.IGNORECASE)
_RUINED = frozenset({"#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#NUM!", "########"})
_LONG_NUMBER = re.compile(r"[0-9][.,][0-9]{2,}E\+[0-9]{2}")
_LONGEST_CELL = 32_767
_NAME_COLUMNS = frozenset({"id", "item", "key", "fqcn", "method", "case_id", "uid", "uuid"})
_METADATA = re.compile(r"#+\s*([^:]+?)\s*:\s*(.*)")


@dataclass(frozen=True, slots=True)
class Row:
    """One record: as many cells as the header has names."""

    line: int
    """Physical line on which the record starts, from 1."""
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A header and its rows, every cell as it was written."""

    source: str
    header: tuple[str, ...]
    """Column names without the spaces around them."""
    header_line: int
    rows: tuple[Row, ...]
    delimiter: str = ","
    metadata: Mapping[str, str] = field(default_factory=dict)
    """``# name: value`` lines before the header."""
    problems: tuple[Problem, ...] = ()

    @property
    def decimal_comma(self) -> bool:
        """Whether ``0,85`` can be a number: only where the comma does not part the cells."""
        return self.delimiter != ","

    def column(self, *names: str) -> int | None:
        """Position of the first of these names that the header has; case counts only in doubt.

        Raises:
            InputError: Two columns differ in case only, and neither is written as asked.
        """
        for name in names:
            if name in self.header:
                return self.header.index(name)
            alike = [i for i, own in enumerate(self.header) if own.lower() == name.lower()]
            if len(alike) > 1:
                both = ", ".join(repr(self.header[i]) for i in alike)
                raise InputError.at(
                    self.source, self.header_line, f"columns {both} differ in case only."
                )
            if alike:
                return alike[0]
        return None

    def require(self, *names: str) -> int:
        """Position of a column that must be there.

        Raises:
            InputError: The header has none of the names.
        """
        found = self.column(*names)
        if found is None:
            wanted = " or ".join(repr(name) for name in names)
            raise InputError.at(
                self.source,
                self.header_line,
                f"no column {wanted}; found {listed(self.header)} "
                f"({_NAMES[self.delimiter]} between cells).",
            )
        return found

    def unknown(self, known: Iterable[str]) -> tuple[int, ...]:
        """Positions of the named columns that are not among the known ones."""
        own = {name.lower() for name in known}
        return tuple(i for i, name in enumerate(self.header) if name and name.lower() not in own)


def listed(names: Iterable[str], shown: int = _SHOWN) -> str:
    """Names for a sentence, in order, cut after a dozen.

    >>> listed(["a", "b", "c"], shown=2)
    "'a', 'b' and 1 more"
    """
    every = [repr(name) for name in names]
    more = len(every) - shown
    return ", ".join(every[:shown]) + (f" and {more} more" if more > 0 else "")


def delimiter_of(header: str) -> str:
    r"""The delimiter that parts a header line into most cells; comma where there is none.

    >>> delimiter_of('fqcn;method;"a,b,c,d"'), delimiter_of("id\tlabel")
    (';', '\t')
    """
    bare = _QUOTED.sub("", header)
    return max(DELIMITERS, key=lambda mark: (bare.count(mark), -DELIMITERS.index(mark)))


def _preamble(lines: list[str]) -> tuple[int, dict[str, str], str | None]:
    """How many lines stand before the header, what they say, and an explicit delimiter."""
    metadata: dict[str, str] = {}
    delimiter: str | None = None
    for number, line in enumerate(lines):
        said = _METADATA.match(line.strip())
        separator = _SEP_LINE.fullmatch(line.strip(" \r\n"))
        if separator:
            delimiter = separator[1]
        elif line.startswith("#"):
            if said:
                metadata.setdefault(said[1], said[2])
        elif line.strip():
            return number, metadata, delimiter
    return len(lines), metadata, delimiter


def _records(
    lines: list[str], skipped: int, delimiter: str, source: str
) -> Iterator[tuple[int, list[str]]]:
    """Records with the physical line on which each starts."""
    csv.field_size_limit(_LARGEST_FIELD)
    reader = csv.reader(lines[skipped:], delimiter=delimiter, strict=True)
    while True:
        start = skipped + reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError.at(
                source,
                start,
                f"a quote is opened and not closed rightly ({error}); double the quotes "
                "inside a quoted cell, or close it.",
            ) from error
        yield start, record


def _header(names: list[str], source: str, line: int) -> tuple[str, ...]:
    header = tuple(name.strip() for name in names)
    seen: set[str] = set()
    for name in header:
        if name and name in seen:
            raise InputError.at(source, line, f"column {name!r} stands twice in the header.")
        seen.add(name)
    while header and not header[-1]:
        header = header[:-1]
    return header


def _never(_header: tuple[str, ...]) -> bool:
    return False


def parse(
    text: str,
    source: str = "<text>",
    *,
    delimiter: str | None = None,
    fill: Callable[[tuple[str, ...]], bool] = _never,
) -> Table:
    r"""Read a table from CSV text.

    Lines that start with ``#`` are metadata before the header, and data after it. Blank lines are
    skipped. A row that is wider or narrower than the header is left out as a ``Problem``; empty
    cells beyond the header are dropped.

    Args:
        text: The file's text.
        source: Its name in messages.
        delimiter: One of comma, semicolon, tab, bar; found from the header when left out.
        fill: Whether, under such a header, cells missing at the end of a row are read as empty
            (with a warning) instead.

    Raises:
        InputError: The text is empty, a name stands twice in the header, or a quote is not closed.

    >>> table = parse("# v: 1\nid;p\na;0,5\n")
    >>> table.header, table.rows[0], table.metadata
    (('id', 'p'), Row(line=3, cells=('a', '0,5')), {'v': '1'})
    """
    lines = list(io.StringIO(text, newline=""))
    skipped, metadata, said = _preamble(lines)
    if skipped == len(lines):
        raise InputError.at(source, None, "the file is empty; a header line is needed.")
    mark = delimiter or said or delimiter_of(lines[skipped])
    records = _records(lines, skipped, mark, source)
    line, names = next(records)
    header = _header(names, source, line)
    width, filled = len(header), fill(header)
    rows: list[Row] = []
    problems: list[Problem] = []
    for start, record in records:
        if not any(cell.strip() for cell in record):
            continue
        if len(record) < width and filled:
            message = f"{len(record)} cells under a header of {width}; the rest is read as empty."
            problems.append(Problem(source, start, message, "warning"))
            record.extend([""] * (width - len(record)))
        if len(record) < width or any(cell.strip() for cell in record[width:]):
            problems.append(
                Problem(
                    source,
                    start,
                    f"{len(record)} cells under a header of {width}; the row is left out.",
                )
            )
            continue
        rows.append(Row(start, tuple(record[:width])))
    problems += damage(header, rows, source)
    return Table(source, header, line, tuple(rows), mark, metadata, tuple(problems))


def damage(header: tuple[str, ...], rows: list[Row], source: str) -> list[Problem]:
    """One warning for all cells that a spreadsheet seems to have ruined when it saved the file.

    Formula errors anywhere; long numbers turned into ``1.57713E+18`` in columns of names; texts cut
    at the 32,767 characters that a cell of a spreadsheet can hold.

    >>> print(damage(("id", "x"), [Row(2, ("1.57713E+18", "#NAME?"))], "a.csv")[0])
    a.csv:2: 2 cells look ruined by a spreadsheet, '#NAME?' first; export the file again.
    """
    names = tuple(i for i, name in enumerate(header) if name.lower() in _NAME_COLUMNS)
    found: list[tuple[int, str]] = []
    for row in rows:
        cells = row.cells
        if not _RUINED.isdisjoint(cells) or _LONGEST_CELL in map(len, cells):
            bad = (c for c in cells if c in _RUINED or len(c) == _LONGEST_CELL)
            found += [(row.line, cell) for cell in bad]
        for i in names:
            if "E+" in cells[i] and _LONG_NUMBER.fullmatch(cells[i]):
                found.append((row.line, cells[i]))
    if not found:
        return []
    line, cell = found[0]
    what = "1 cell looks" if len(found) == 1 else f"{len(found)} cells look"
    message = f"{what} ruined by a spreadsheet, {cell[:40]!r} first; export the file again."
    return [Problem(source, line, message, "warning")]


def is_parquet(path: Path) -> bool:
    """Whether a file starts as Parquet files do."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(PARQUET)) == PARQUET
    except (OSError, ValueError):
        return False


def text_of(path: Path) -> str:
    """The text of a file; a Parquet file as the CSV that says the same.

    Raises:
        InputError: The file cannot be read.
    """
    if not is_parquet(path):
        return read_text(path)
    from labkit.formats import parquet  # noqa: PLC0415  # loads a database only when needed

    found = parquet.read(path)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(found.header)
    writer.writerows(row.cells for row in found.rows)
    return out.getvalue()


def read(path: Path, *, delimiter: str | None = None) -> Table:
    """Read a table from a file; see ``parse``.

    Raises:
        InputError: The file cannot be read, or is no table that can be trusted.
    """
    if is_parquet(path):
        from labkit.formats import parquet  # noqa: PLC0415  # loads a database only when needed

        return parquet.read(path)
    return parse(read_text(path), str(path), delimiter=delimiter)
