"""study.yaml as a value: what is asked, of which predictions, of whom, and how it is drawn."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from labkit import yamlfile
from labkit.errors import InputError
from labkit.protocol import PROTOCOLS, REVEALS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from labkit.yamlfile import Node

FILE_NAME = "study.yaml"
DESIGNS = ("simple", "stratified")
RESULTS = ("always", "lead", "done")
GOAL_METRICS = ("precision", "recall", "f1", "accuracy", "prevalence")
NAME = re.compile(r"[^\W_][\w .@+'-]{0,99}")
"""What a reviewer may be called."""


@dataclass(frozen=True, slots=True)
class Goal:
    """How sure the headline is to be."""

    metric: str = "f1"
    half_width: float = 0.05
    """Half the width of its interval, in (0, 0.5]."""


@dataclass(frozen=True, slots=True)
class StudyConfig:
    """Every key of study.yaml; paths as written, relative to the study's folder."""

    task: str = "methodatlas"
    predictions: str = ""
    labels: str | None = None
    """An overrides file whose entries count as imported labels."""
    source: str | None = None
    """The folder with the code under review."""
    sample: int | None = None
    """How many items to draw; ``None`` for all."""
    design: str = "simple"
    strata: str | None = None
    """A column that strata are made of, always crossed with the AI's decision."""
    take_all: tuple[str, ...] = ()
    """Strata that are drawn whole: ``auth/flagged``, or ``auth`` for both sides of the decision."""
    seed: int = 1
    protocol: str = "blind-first"
    reveal: str = "always"
    reviewers: tuple[str, ...] = ()
    """Who reviews; anybody who opens it when empty."""
    lead: str | None = None
    overlap: float | None = None
    """The share of items that everybody gets, the rest is split; ``None``: all get all."""
    repeats: float = 0.0
    """The share of items shown a second time, for agreement with oneself."""
    results: str | None = None
    """Who sees the numbers while reviewing; ``None``: as the protocol says."""
    show: tuple[str, ...] = ()
    """Hidden columns to open."""
    implied: tuple[str, ...] | None = None
    """Tags that "yes" switches on; ``None``: the preset's."""
    tags: tuple[str, ...] = ()
    """The taxonomy; the preset's own when empty."""
    columns: tuple[tuple[str, str], ...] = ()
    """Which column plays which part, where it has another name."""
    receipt: str | None = None
    """The receipt of the scan, a copy in the study."""
    goal: Goal = Goal()
    guidelines: str | None = None
    """A text file shown on the card, or the text itself."""
    store: str = "labels.db"
    """A file in the study's folder, or ``postgresql://...``."""


KEYS = tuple(f.name for f in fields(StudyConfig))
_ROOT_SOURCE = "study.yaml"


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads values of study.yaml, each fault at its line."""

    source: str

    def fault(self, node: Node, message: str) -> InputError:
        return InputError.at(self.source, node.place.line, message)

    def text(self, key: str, node: Node) -> str:
        if not isinstance(node, yamlfile.Scalar):
            raise self.fault(node, f"{key} must be text.")
        return node.text

    def choice(self, key: str, node: Node, allowed: tuple[str, ...]) -> str:
        text = self.text(key, node)
        if text not in allowed:
            raise self.fault(node, f"{key} is {text!r}; use {_either(allowed)}.")
        return text

    def whole(self, key: str, node: Node, least: int) -> int:
        text = self.text(key, node)
        if not re.fullmatch(r"[+-]?\d{1,18}", text) or int(text) < least:
            raise self.fault(node, f"{key} is {text!r}; give a whole number from {least} on.")
        return int(text)

    def share(self, key: str, node: Node, most: float = 1.0) -> float:
        text = self.text(key, node)
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value <= most:
            raise self.fault(node, f"{key} is {text!r}; give a number from 0 to {most:g}.")
        return value

    def words(self, key: str, node: Node) -> tuple[str, ...]:
        if isinstance(node, yamlfile.Scalar):
            return () if node.is_null else split_words(node.text)
        if not isinstance(node, yamlfile.Sequence):
            raise self.fault(node, f"{key} must be a list.")
        return tuple(dict.fromkeys(self.text(key, item).strip() for item in node.items))

    def names(self, key: str, node: Node) -> tuple[str, ...]:
        found = self.words(key, node)
        for name in found:
            try:
                checked_name(name)
            except InputError as error:
                raise self.fault(node, str(error)) from error
        return found

    def goal(self, key: str, node: Node) -> Goal:
        if not isinstance(node, yamlfile.Mapping):
            raise self.fault(node, f"{key} must look like {{metric: f1, half_width: 0.05}}.")
        found = Goal()
        for name, value in node.pairs:
            if name.text == "metric":
                found = replace(found, metric=self.choice("goal metric", value, GOAL_METRICS))
            elif name.text == "half_width":
                width = self.share("goal half_width", value, 0.5)
                if not width:
                    raise self.fault(value, "goal half_width must be above 0.")
                found = replace(found, half_width=width)
            else:
                raise self.fault(name, _unknown(name.text, ("metric", "half_width")))
        return found

    def pairs(self, key: str, node: Node) -> tuple[tuple[str, str], ...]:
        if not isinstance(node, yamlfile.Mapping):
            raise self.fault(node, f"{key} must look like {{id: COLUMN, label: COLUMN}}.")
        return tuple((name.text, self.text(key, value)) for name, value in node.pairs)


_READ: dict[str, Callable[[_Reader, str, Node], Any]] = {
    "sample": lambda r, k, n: (
        None if isinstance(n, yamlfile.Scalar) and n.text == "all" else r.whole(k, n, 1)
    ),
    "design": lambda r, k, n: r.choice(k, n, DESIGNS),
    "seed": lambda r, k, n: r.whole(k, n, 0),
    "protocol": lambda r, k, n: r.choice(k, n, PROTOCOLS),
    "reveal": lambda r, k, n: r.choice(k, n, REVEALS),
    "results": lambda r, k, n: r.choice(k, n, RESULTS),
    "reviewers": _Reader.names,
    "take_all": _Reader.words,
    "overlap": _Reader.share,
    "repeats": _Reader.share,
    "show": _Reader.words,
    "implied": _Reader.words,
    "tags": _Reader.words,
    "columns": _Reader.pairs,
    "goal": _Reader.goal,
}


def parse(text: str, source: str = _ROOT_SOURCE) -> StudyConfig:
    r"""Read study.yaml; an empty value means the default.

    Raises:
        InputError: Not YAML, an unknown key, a value that is not possible, or no predictions.

    >>> parse("predictions: p.csv\nsample: 100\n").sample
    100
    >>> parse("predictions: p.csv\nprotocl: blind\n")
    Traceback (most recent call last):
    labkit.errors.InputError: study.yaml:2: unknown key 'protocl'; did you mean 'protocol'?
    """
    root = yamlfile.parse(text, source).root
    if root is None or not isinstance(root, yamlfile.Mapping):
        raise InputError.at(source, 1, "a study needs keys, at least 'predictions: FILE'.")
    reader = _Reader(source)
    found: dict[str, Any] = {}
    for name, node in root.pairs:
        if name.text not in KEYS:
            raise reader.fault(name, _unknown(name.text, KEYS))
        if isinstance(node, yamlfile.Scalar) and node.is_null:
            continue
        found[name.text] = _READ.get(name.text, _Reader.text)(reader, name.text, node)
    if not found.get("predictions"):
        raise InputError.at(source, None, "no key 'predictions'; name the predictions file.")
    return StudyConfig(**found)


def read(path: Path) -> StudyConfig:
    """Read a study's file; see ``parse``."""
    return parse(yamlfile.read(path).text, str(path))


def checked_name(name: str) -> str:
    """A reviewer's name.

    Raises:
        InputError: Empty, too long, or with characters that a name does not need.
    """
    if not NAME.fullmatch(name):
        raise InputError(
            f"reviewer {name!r} is no name labkit can use; "
            "begin with a letter or digit, then letters, digits, spaces and . @ + ' - _."
        )
    return name


def split_words(text: str) -> tuple[str, ...]:
    """Words parted by commas, each once.

    >>> split_words("a, b,,a")
    ('a', 'b')
    """
    return tuple(dict.fromkeys(word for part in text.split(",") if (word := part.strip())))


def _either(allowed: tuple[str, ...]) -> str:
    return f"{', '.join(allowed[:-1])} or {allowed[-1]}"


def _unknown(key: str, allowed: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(key, allowed, n=1, cutoff=0)
    return f"unknown key {key!r}; did you mean {near[0]!r}?"


_HEAD = """\
# A labkit study. Edit by hand; unknown keys are refused. Paths are relative to this folder.
# Drawn once: predictions, sample, design, strata and seed say what was drawn, so leave them
# (labkit init --sample N with a larger N extends the sample).
"""


def render(config: StudyConfig) -> str:
    """study.yaml with what differs from the defaults, and what people look for first."""
    always = ("task", "predictions", "sample", "design", "seed", "protocol", "store")
    default = StudyConfig()
    lines = [_HEAD]
    for key in KEYS:
        value = getattr(config, key)
        if key in always or value != getattr(default, key):
            lines.append(f"{key}: {_value(key, value)}\n")
    return "".join(lines)


def _value(key: str, value: Any) -> str:
    if key == "sample" and value is None:
        return "all"
    if isinstance(value, Goal):
        return f"{{metric: {value.metric}, half_width: {value.half_width!r}}}"
    if key == "columns":
        return "{" + ", ".join(f"{_scalar(k)}: {_scalar(v)}" for k, v in value) + "}"
    if isinstance(value, tuple):
        return "[" + ", ".join(_scalar(v) for v in value) + "]"
    return _scalar(value) if isinstance(value, str) else repr(value)


_PLAIN = re.compile(r"[A-Za-z_./][\w./-]*")
_LOADED = re.compile(r"(?i)(null|true|false|yes|no|on|off|y|n|\.nan|\.inf|\.|~)")


def _scalar(text: str) -> str:
    if _PLAIN.fullmatch(text) and not _LOADED.fullmatch(text) and text.isascii():
        return text
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f")


def with_value(text: str, key: str, value: Any) -> str:
    r"""The same file with one key set to another value; every other line stays as it is.

    >>> with_value("predictions: p.csv # mine\nsample: 10  # small\n", "sample", 20)
    'predictions: p.csv # mine\nsample: 20  # small\n'
    """
    root = yamlfile.parse(text).root
    node = root.value(key) if isinstance(root, yamlfile.Mapping) else None
    if node is None:
        gap = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{gap}{key}: {_value(key, value)}\n"
    return text[: node.place.start] + _value(key, value) + text[node.place.end :]


def schema() -> Mapping[str, Any]:
    """The JSON Schema of study.yaml."""
    words = {"type": "array", "items": {"type": "string"}}
    share = {"type": "number", "minimum": 0, "maximum": 1}
    text = {"type": "string"}
    kinds: dict[str, Any] = {
        "predictions": {"type": "string", "minLength": 1},
        "sample": {"oneOf": [{"const": "all"}, {"type": "integer", "minimum": 1}]},
        "design": {"enum": [*DESIGNS]},
        "seed": {"type": "integer", "minimum": 0},
        "protocol": {"enum": [*PROTOCOLS]},
        "reveal": {"enum": [*REVEALS]},
        "results": {"enum": [*RESULTS]},
        "take_all": words,
        "reviewers": words,
        "overlap": share,
        "repeats": share,
        "show": words,
        "implied": words,
        "tags": words,
        "columns": {"type": "object", "additionalProperties": text},
        "goal": {
            "type": "object",
            "properties": {
                "metric": {"enum": [*GOAL_METRICS]},
                "half_width": {"type": "number", "exclusiveMinimum": 0, "maximum": 0.5},
            },
            "additionalProperties": False,
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "labkit study.yaml",
        "type": "object",
        "properties": {key: kinds.get(key, text) for key in KEYS},
        "required": ["predictions"],
        "additionalProperties": False,
    }
