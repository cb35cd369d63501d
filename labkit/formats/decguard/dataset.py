"""decguard's golden datasets: JSONL or a JSON list of cases; nothing is ever skipped."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.evaluate.decguard.records import Case
from labkit.formats import strict_json
from labkit.formats.fields import Fields, mapping, optional, refuse, shown, some_text
from labkit.textfile import decode, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
"""Line ends that JSON lets stand in text and the reader splits at; written as escapes."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Cases in file order, and which file they came from."""

    cases: tuple[Case, ...]
    path: str
    hash: str

    @property
    def n_labeled(self) -> int:
        """How many cases have a label."""
        return sum(case.expected is not None for case in self.cases)


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a file, and the word that says where it stands."""

    value: Any
    place: str
    where: str


def digest(raw: bytes) -> str:
    """The hash that decguard keeps of a file."""
    return "sha256:" + hashlib.sha256(raw).hexdigest()


def rows(
    raw: bytes, source: str, word: str = "case", *, newline_only: bool = False
) -> Iterator[Row]:
    r"""The objects of a ``.jsonl`` file, blank lines skipped, or of a ``.json`` list.

    Args:
        raw: The bytes of the file.
        source: Its name; the ending (any case) tells the form.
        word: What an entry of a ``.json`` list is called in errors.
        newline_only: Split at ``\\n`` only; else at everything Python calls a line end, which
            has U+2028 and U+0085 among it.

    Raises:
        InputError: Another ending, not UTF-8, not strict JSON, or a ``.json`` that is no list.
    """
    ending = Path(source).suffix.lower()
    if ending not in {".jsonl", ".json"}:
        raise refuse(source, f"unsupported format {ending!r}; use .jsonl or .json.")
    content = decode(raw, source)
    if ending == ".json":
        data = strict_json.parse(content, source)
        if not isinstance(data, list):
            raise refuse(source, f"a .json file must hold a list of {word}s.")
        for index, value in enumerate(data, 1):
            yield Row(value, f"{source}: {word} {index}", f"{word} {index}")
        return
    lines = content.split("\n") if newline_only else content.splitlines()
    for line, row in enumerate(lines, 1):
        if row.strip():
            value = strict_json.parse(row, source, line)
            yield Row(value, f"{source}:{line}", f"line {line}")


def _input(value: Any, place: str) -> Any:
    if not isinstance(value, str | dict):
        raise refuse(place, f"expected text or an object, got {shown(value)}.")
    return value


def _expected(value: Any, place: str) -> str:
    if type(value) is int:
        return str(value)
    if not isinstance(value, str):
        raise refuse(place, f"expected a label as text, got {shown(value)}.")
    return value


def _case(row: Row, number: int, labels: Sequence[str]) -> Case:
    fields = Fields(row.value, row.place)
    case = Case(
        fields.take("id", optional(some_text), None) or f"case-{number}",
        fields.take("input", _input),
        fields.take("expected", optional(_expected), None),
        fields.take("metadata", mapping, {}),
    )
    fields.close()
    if case.expected is not None and case.expected not in labels:
        known = ", ".join(labels)
        raise refuse(row.place, f"expected {case.expected!r} is not one of the labels {known}.")
    return case


def build(entries: Iterable[Row], source: str, labels: Sequence[str]) -> tuple[Case, ...]:
    """Cases from rows: default ids ``case-<n>``, no id twice, every label a known one."""
    seen: dict[str, str] = {}
    cases: list[Case] = []
    for number, row in enumerate(entries, 1):
        case = _case(row, number, labels)
        if case.id in seen:
            raise refuse(row.place, f"duplicate case id {case.id!r} (first at {seen[case.id]}).")
        seen[case.id] = row.where
        cases.append(case)
    if not cases:
        raise refuse(source, "the dataset contains no cases.")
    return tuple(cases)


def parse(raw: bytes, source: str, labels: Sequence[str]) -> Dataset:
    """A dataset from the bytes of a file."""
    return Dataset(build(rows(raw, source), source, labels), Path(source).name, digest(raw))


def read(path: Path, labels: Sequence[str]) -> Dataset:
    """A dataset from a file.

    Raises:
        InputError: Anything at all is wrong with it; no case is ever left out.
    """
    return parse(read_bytes(path), str(path), labels)


def render(cases: Iterable[Case]) -> str:
    r"""Cases as decguard's JSONL; absent labels and empty metadata are left out.

    >>> print(render([Case("a", "hello", "yes")]), end="")
    {"id": "a", "input": "hello", "expected": "yes"}
    """
    lines = []
    for case in cases:
        if not isinstance(case.input, str | dict):
            raise InputError(f"case {case.id!r}: the input must be text or an object.")
        entry: dict[str, Any] = {"id": case.id, "input": case.input}
        if case.expected is not None:
            entry["expected"] = case.expected
        if case.metadata:
            entry["metadata"] = dict(case.metadata)
        line = json.dumps(entry, ensure_ascii=False, allow_nan=False)
        lines.append(line.translate(_LINE_ENDS) + "\n")
    return "".join(lines)
