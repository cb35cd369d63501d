"""planwerk's corpus of seeded bugs and its review reports, read as strictly as planwerk does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.evaluate.planwerk import Case, Expected, Finding, Review
from labkit.formats import gojson, kinds
from labkit.metrics.usage import Usage
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

EXPECTED = "expected.json"
_EXPECTED_FINDING: dict[str, gojson.Reader] = {
    "file": gojson.string,
    "line": gojson.integer,
    "severity": gojson.string,
    "keywords": gojson.listed(gojson.string),
}
_CASE: dict[str, gojson.Reader] = {
    "description": gojson.string,
    "clean": gojson.boolean,
    "findings": gojson.listed(
        lambda value, place: Expected(
            **{"file": "", **gojson.fields(value, place, _EXPECTED_FINDING, strict=True)}
        )
    ),
}


# --- the corpus -------------------------------------------------------------------------------


def parse_case(text: str, name: str) -> Case:
    """Read one ``expected.json``; every fault refuses the case.

    Args:
        text: The file's text; what follows the object is ignored, as planwerk does.
        name: The case's name, its folder.

    Raises:
        InputError: Not JSON, an unknown field, a wrong type, or a label that contradicts itself.
    """
    place = f"case {name}: {EXPECTED}"
    value = gojson.parse(text, place, trailing=True)
    case = Case(name, **gojson.fields(value, place, _CASE, strict=True))
    if case.clean and case.findings:
        raise InputError(
            f"{place}: a clean case must declare no expected findings, got {len(case.findings)}; "
            "remove them or say clean: false."
        )
    if not case.clean and not case.findings:
        raise InputError(
            f"{place}: a non-clean case must declare at least one expected finding; add it or "
            "say clean: true."
        )
    for i, finding in enumerate(case.findings):
        if not finding.file:
            raise InputError(f"{place}: expected finding {i} has no file; name it.")
        if not finding.keywords:
            raise InputError(
                f"{place}: expected finding {i} ({finding.file}) has no keywords to match; "
                "give at least one."
            )
    return case


def read_case(folder: Path) -> Case:
    """Read one case; ``base/`` and ``head/`` may be missing, but are folders when they are there.

    Raises:
        InputError: As ``parse_case``, or a part of the case is missing or of the wrong kind.
    """
    for tree in ("base", "head"):
        if (folder / tree).exists() and not (folder / tree).is_dir():
            raise InputError(f"case {folder.name}: {tree} is a file where a folder belongs.")
    if not (folder / EXPECTED).is_file():
        raise InputError(
            f"case {folder.name}: no {EXPECTED}; every folder of a corpus is a case with one."
        )
    return parse_case(read_text(folder / EXPECTED), folder.name)


def read_corpus(root: Path, names: Iterable[str] = ()) -> tuple[Case, ...]:
    """Read the cases of a corpus folder by name; the first invalid case refuses the whole.

    Args:
        root: The corpus, one case, or one ``expected.json``.
        names: Only these cases, so that the others are not even looked at; none means all.

    Raises:
        InputError: No such corpus, no case in it, an unknown name, or an invalid case.
    """
    wanted = sorted(set(names))
    if root.is_file():
        folders = {_case_name(root): root}
    elif (root / EXPECTED).is_file():
        folders = {root.resolve().name: root / EXPECTED}
    elif root.is_dir():
        folders = {entry.name: entry for entry in sorted(root.iterdir()) if entry.is_dir()}
    else:
        raise InputError.at(str(root), None, "no such file or folder; check the path.")
    if not folders:
        raise InputError.at(
            root.name, None, f"no case in this folder; a case is a folder with an {EXPECTED}."
        )
    for name in wanted:
        if name not in folders:
            raise InputError(f"no case {name!r} in the corpus; it has {', '.join(folders)}.")
    return tuple(
        parse_case(read_text(place), name) if place.is_file() else read_case(place)
        for name, place in sorted(folders.items())
        if not wanted or name in wanted
    )


def _case_name(path: Path) -> str:
    return path.resolve().parent.name if path.name == EXPECTED else path.stem


# --- review reports -----------------------------------------------------------------------------

_COUNTERS: dict[str, gojson.Reader] = {
    "calls": gojson.integer,
    "input_tokens": gojson.integer,
    "output_tokens": gojson.integer,
    "cache_read_input_tokens": gojson.integer,
    "cache_creation_input_tokens": gojson.integer,
    "est_cost_usd": gojson.number,
}


def _pass(value: object, place: str) -> tuple[str, Usage]:
    found = gojson.fields(value, place, {"pass": gojson.string, **_COUNTERS})
    return found.pop("pass", ""), Usage(**found)


def read_usage(value: object, place: str) -> Usage:
    """What a run cost; counters that are not there are 0."""
    readers = {**_COUNTERS, "passes": gojson.listed(_pass)}
    return Usage(**gojson.fields(value, place, readers))


_TEXTS = ("severity", "title", "file", "problem", "confidence")
_FINDING: dict[str, gojson.Reader] = {
    **dict.fromkeys(_TEXTS, gojson.string),
    "line": gojson.integer,
    "confirmed_by": gojson.listed(gojson.string),
}


def _finding(value: object, place: str) -> Finding:
    found = gojson.fields(value, place, _FINDING)
    found["severity"] = found.get("severity", "").strip().upper()
    rest = value if isinstance(value, dict) else {}
    return Finding(**found, fields={k: v for k, v in rest.items() if k.casefold() not in _FINDING})


_REVIEW: dict[str, gojson.Reader] = {"findings": gojson.listed(_finding), "usage": read_usage}
_COMMENT = re.compile(r"<!--\s*planwerk-agent-data\s*\n(.*?)\n\s*-->", re.DOTALL)


def parse_review(text: str, source: str) -> Review:
    """Read one review report: planwerk's JSON, or a comment that carries it.

    The findings keep their order, which decides who claims an expected bug first; ``null``
    findings are none, a missing line is 0.

    Raises:
        InputError: Not JSON, no ``findings``, or a member of the wrong type.
    """
    comment = _COMMENT.search(text)
    value: Any = gojson.parse(comment.group(1) if comment else text, source)
    if not isinstance(value, dict) or "findings" not in {key.casefold() for key in value}:
        raise InputError(
            f"{source}: {_guess(value)}, no planwerk review report; those have 'findings'."
        )
    return Review(**gojson.fields(value, source, _REVIEW), name=source)


def _guess(value: object) -> str:
    """What a JSON value is instead, by the kinds that labkit knows."""
    if not isinstance(value, dict):
        return f"this is {gojson.kind(value)}"
    if {"schemaVersion", "system"} <= value.keys():
        return "this is a report of labkit"
    name = kinds.of_document(value)
    return "an object of another kind" if name == kinds.UNKNOWN else f"this is {name}"


def read_review(path: Path) -> Review:
    """Read one review report from a file."""
    return parse_review(read_text(path), path.name)
