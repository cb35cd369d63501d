"""What a file is, by its content: the kinds that labkit reads, told apart by their keys."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.formats import jsonl, tables
from labkit.textfile import LINE_END

if TYPE_CHECKING:
    from collections.abc import Iterable

UNKNOWN = "unknown"
SYSTEM_OF = {
    "methodatlas-predictions": "methodatlas",
    "methodatlas-overrides": "methodatlas",
    "planwerk-corpus": "planwerk",
    "planwerk-reviews": "planwerk",
    "planwerk-report": "planwerk",
    "decguard-dataset": "decguard",
    "decguard-contract": "decguard",
    "decguard-report": "decguard",
    "decguard-answers": "decguard",
    "decguard-production": "decguard",
    "aacr-references": "aacr",
    "aacr-comments": "aacr",
    "godaudits-audit": "godaudits",
    "godaudits-expected": "godaudits",
    "godaudits-detectors": "godaudits",
    "godaudits-paired": "godaudits",
    "labels": "labkit",
    "table": "labkit",
}
"""Each kind that can be scored, and the system it belongs to."""

_DOCUMENTS: tuple[tuple[str, frozenset[str]], ...] = (
    ("decguard-report", frozenset({"decguard_version"})),
    ("decguard-report", frozenset({"report_version", "metrics"})),
    ("decguard-report", frozenset({"check_version"})),
    ("decguard-contract", frozenset({"schema_version", "decision"})),
    ("decguard-report", frozenset({"diff_version"})),
    ("sarif", frozenset({"runs", "version"})),
    ("sarif", frozenset({"runs", "$schema"})),
    ("godaudits-paired", frozenset({"schema_version", "suites"})),
    ("godaudits-paired", frozenset({"schema_version", "program_version", "runs"})),
    ("godaudits-detectors", frozenset({"schema_version", "cases"})),
    ("godaudits-expected", frozenset({"required_findings"})),
    ("godaudits-expected", frozenset({"clean_checks"})),
    ("godaudits-expected", frozenset({"schema_version", "expected_findings"})),
    ("godaudits-paired", frozenset({"schema_version", "check", "repos"})),
    ("godaudits-paired", frozenset({"schema_version", "runs", "attribution"})),
    ("godaudits-paired", frozenset({"schema_version", "attempts"})),
    ("godaudits-paired", frozenset({"schema_version", "targets"})),
    ("godaudits-audit", frozenset({"audit", "findings"})),
    ("godaudits-audit", frozenset({"findings", "evidence"})),
    ("planwerk-report", frozenset({"cases", "aggregate"})),
    ("planwerk-report", frozenset({"cases", "thorough"})),
    ("aacr-comments", frozenset({"review_output"})),
    ("aacr-comments", frozenset({"review", "duration_seconds"})),
    ("godaudits-paired", frozenset({"outcome", "findings"})),
    ("planwerk-corpus", frozenset({"clean"})),
    ("planwerk-corpus", frozenset({"description", "findings"})),
    ("planwerk-reviews", frozenset({"findings"})),
)
"""Keys at the top of a JSON object that give a kind away; the first that fits."""
_LISTS = frozenset({"findings", "cases", "runs"})
"""Words so common that they say something of a kind only with a list behind them."""
_DATASET = frozenset({"id", "input", "expected", "metadata"})
"""What a case of a decguard dataset may have; anything far from it makes it another file."""

_RECORDS: tuple[tuple[str, frozenset[str]], ...] = (
    ("methodatlas-predictions", frozenset({"fqcn", "method"})),
    ("aacr-references", frozenset({"githubPrUrl"})),
    ("aacr-references", frozenset({"github_pr_url", "comments"})),
    ("aacr-references", frozenset({"pr_url", "comments"})),
    ("aacr-references", frozenset({"instance_id", "reference_comments"})),
    ("decguard-production", frozenset({"decision", "probabilities", "selected"})),
    ("labels", frozenset({"item", "first"})),
    ("labels", frozenset({"item", "final"})),
    ("labels", frozenset({"item", "value"})),
    ("table", frozenset({"id", "label"})),
    ("table", frozenset({"id", "tags"})),
    ("decguard-answers", frozenset({"id", "latency_ms"})),
    ("decguard-answers", frozenset({"id", "error"})),
    ("table", frozenset({"id", "truth"})),
    ("table", frozenset({"id", "predicted"})),
    ("decguard-answers", frozenset({"id", "probabilities"})),
    ("decguard-dataset", frozenset({"input", "expected"})),
    ("table", frozenset({"id", "confidence"})),
    ("decguard-dataset", frozenset({"id", "input"})),
    ("table", frozenset({"id"})),
    ("decguard-dataset", frozenset({"input"})),
)
"""Keys of a record in a list, in JSON Lines or in a table that give a kind away."""

_TAGGED = re.compile(r"\s*<+(path|side|from|to|note|notesplit)\b[^<]*>")
_LABEL_WORDS = frozenset({"weight", "inclusion_probability", "basis", "reviewer"})
_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|:\s*(?:[^\s"]|(?="))|[{}\[\]]')
"""Strings, brackets, and a colon with the first character behind it."""
_TORN = "torn"
_MEMBERS = 200
"""So many files of a folder are looked into to say what the folder is."""
_HEAD = 1 << 20
"""A header is looked for in so many characters."""
_MARGIN_KEY = re.compile(r"""^["']?([A-Za-z_]\w*)["']?\s*:""", re.MULTILINE)
_ENTRY = re.compile(r"""- *\{?["']?fqcn\b""")
_PROSE = {".md", ".txt", ".rst", ".py", ".sh", ".toml", ".ini", ".cfg", ".log"}
"""Endings of files whose comments are no empty override file."""
_PREDICTION_WORDS = frozenset({"confidence", "probabilities"})


@dataclass(frozen=True, slots=True)
class Kind:
    """What a file is."""

    name: str

    @property
    def system(self) -> str | None:
        """The system that scores such a file, where there is one."""
        return SYSTEM_OF.get(self.name)


def of_document(value: dict[str, Any]) -> str:
    """The kind of a JSON object by its keys.

    >>> of_document({"runs": [], "version": "2.1.0"})
    'sarif'
    """
    keys = {
        key for key, part in value.items() if key not in _LISTS or isinstance(part, list | None)
    }
    keys |= {key.lower() for key in keys}  # planwerk reads names of any case
    found = value.get("findings")
    if isinstance(found, list) and any(isinstance(f, dict) and "keywords" in f for f in found):
        return "planwerk-corpus"
    for name, wanted in _DOCUMENTS:
        if wanted <= keys:
            return name
    return of_record(value)


def of_record(record: Iterable[str]) -> str:
    """The kind of a record, or of a table with such columns.

    >>> of_record(["id", "label", "reviewer"]), of_record(["id", "label", "confidence"])
    ('labels', 'table')
    """
    record = [str(key).strip() for key in record]
    keys = {key.lower() for key in record} | set(record)
    for name, wanted in _RECORDS:
        if wanted <= keys and (name != "decguard-dataset" or _like_dataset(record)):
            is_label = keys & _LABEL_WORDS and not keys & _PREDICTION_WORDS
            return "labels" if name == "table" and is_label else name
    return UNKNOWN


def _like_dataset(record: Iterable[str]) -> bool:
    """Whether every key is one of a dataset's, or one mistyped."""
    return all(difflib.get_close_matches(key.lower(), _DATASET, 1) for key in record)


def _first_record(text: str) -> tuple[Any, bool]:
    """The first JSON value of a text, and whether more follows it."""
    start = len(text) - len(text.lstrip())
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, False
    return value, bool(text[end:].strip())


def _torn_object(text: str) -> dict[str, Any]:
    """The keys at the top of an object that breaks off or is spoiled, each with a stand-in.

    >>> _torn_object('{"cases": [{"name": "a"}], "runs": 3, "aggre')
    {'cases': [], 'runs': 0}
    """
    found: dict[str, Any] = {}
    depth, last = 0, ""
    for match in _MARK.finditer(text[:_HEAD]):
        mark = match.group()
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
        elif mark[0] == ":" and depth == 1 and last[:1] == '"':
            stand_in: dict[str, Any] = {"[": [], "{": {}, "n": None}
            found[last[1:-1]] = stand_in.get(mark[-1], 0)
        last = mark
        if depth < 1:
            break
        if mark[0] == ":" and mark[-1] in "[{":
            depth += 1
    return found


def _of_list(text: str) -> str:
    opening = text.index("[") + 1
    first, _ = _first_record(text[opening:])
    if first is None and text[opening:].lstrip().startswith("{"):
        first = _torn_object(text[opening:].lstrip())
    return of_record(first) if isinstance(first, dict) else UNKNOWN


def _of_json(text: str) -> str:
    if text.lstrip().startswith("["):
        return _of_list(text)
    value, more = _first_record(text)
    if value is None:
        value = _torn_object(text.lstrip())
    if not isinstance(value, dict):
        return UNKNOWN
    if more and (found := of_record(value)) != UNKNOWN:
        return found
    found = of_document(value)
    if found != UNKNOWN:
        return found
    for name in jsonl.WRAPPERS:
        inner = value.get(name)
        items = list(inner.values()) if isinstance(inner, dict) else inner
        if isinstance(items, list) and items and isinstance(items[0], dict):
            return of_record({"id": "", **items[0]})
    return UNKNOWN


def _of_yaml(text: str) -> str:
    """The kind of a YAML text by the keys at its margin, so that a broken file has one too."""
    keys = set(_MARGIN_KEY.findall(text))
    lines = (line.strip() for line in LINE_END.split(text))
    first = next((line for line in lines if line and line[0] != "#" and line != "---"), None)
    if "overrides" in keys or first is None or _ENTRY.match(first):
        return "methodatlas-overrides"
    if "decision" in keys or {"requirements", "evaluation"} <= keys:
        return "decguard-contract"
    return "study" if {"task", "predictions"} <= keys else UNKNOWN


def _of_folder(folder: Path) -> str:
    if (folder / "study.yaml").is_file():
        return "study"
    for pattern, kind in (
        ("expected.json", "planwerk-corpus"),
        ("*/expected.json", "planwerk-corpus"),
        ("*/*.json", "planwerk-reviews"),
    ):
        found = {_of_member(path) for path in sorted(folder.glob(pattern))[:_MEMBERS]}
        if kind in found or found == {_TORN}:
            return kind
    return "aacr-comments" if next(folder.glob("comments_*.txt"), None) else UNKNOWN


def _of_member(path: Path) -> str:
    """The kind of a file that may make its folder one thing; ``torn`` where it cannot be read."""
    try:
        text = tables.text_of(path)
    except InputError:
        return _TORN
    found = of_text(text, str(path))
    torn = text.lstrip()[:1] in {"", "{"} and _first_record(text)[0] is None
    return _TORN if torn and found == UNKNOWN else found


def of_text(text: str, source: str = "<text>") -> str:
    r"""The kind of a text.

    >>> of_text("fqcn,method\nA,m\n"), of_text("overrides: []\n"), of_text('{"id": 1}\n{"id": 2}')
    ('methodatlas-predictions', 'methodatlas-overrides', 'table')
    """
    start = text.lstrip()[:1]
    if start in {"[", "{"} and not source.lower().endswith((".yaml", ".yml", ".csv", ".tsv")):
        return _of_json(text)
    if _TAGGED.match(text):
        return "aacr-comments"
    if not source.lower().endswith((".yaml", ".yml")):
        lines = LINE_END.split(text[:_HEAD])
        header = next((line for line in lines if line.strip() and line[0] != "#"), "")
        if any(mark in header for mark in tables.DELIMITERS):
            try:
                found = of_record(tables.parse(header, source).header)
            except InputError:
                found = of_record(header.split(tables.delimiter_of(header)))
            if found != UNKNOWN:
                return found
    found = _of_yaml(text) if text.strip() else UNKNOWN
    bare = found == "methodatlas-overrides" and "overrides" not in text
    return UNKNOWN if bare and Path(source).suffix.lower() in _PROSE else found


def of_path(path: Path) -> Kind:
    """The kind of a file or folder.

    Raises:
        InputError: There is no such file, or it is not text.
    """
    if path.is_dir():
        return Kind(_of_folder(path))
    text = tables.text_of(path)
    if not text.strip() and path.suffix in {".yaml", ".yml"}:
        return Kind("methodatlas-overrides")
    return Kind(of_text(text, str(path)))
