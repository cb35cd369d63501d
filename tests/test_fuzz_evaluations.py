"""Damaged files of decguard and godaudits are scored, or refused in one sentence."""

from __future__ import annotations

import copy
import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from labkit.errors import LabkitError
from labkit.reports import render
from labkit.systems import Call, decguard, godaudits

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**30, "", "x", "\ud800", [], [None], {}, {"a": 1}, [[[]]],
)  # fmt: skip
ROUNDS = 40


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    entries: Any = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    for key, entry in entries:
        found += _places(entry, (*path, key))
    return found


def damaged(value: Any, chance: random.Random) -> Any:
    """The value with one to three entries dropped, doubled or replaced."""
    made = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        places = _places(made)
        if not places:
            return made
        *outer, last = chance.choice(places)
        target = made
        for step in outer:
            target = target[step]
        match chance.randrange(3):
            case 0:
                del target[last]
            case 1 if isinstance(target, list):
                target.insert(last, copy.deepcopy(target[last]))
            case _:
                target[last] = chance.choice(ODD)
    return made


def _survives(module: Any, call: Call, compare: bool = False) -> None:  # noqa: FBT001, FBT002  # a switch of the test
    try:
        report = module.compare(call) if compare else module.score(call)
    except LabkitError as error:
        said = str(error)
    else:
        said = ""
        for form in ("json", "markdown", "text", "html"):
            render(report, form).encode()
    assert len(said.splitlines()) <= 1, said


def _text(value: Any, *, lines: bool) -> str:
    if lines and isinstance(value, list):
        return "".join(json.dumps(row) + "\n" for row in value)
    return json.dumps(value)


DECGUARD = (
    ("reference/report_refund_default.json", ()),
    ("reference/report_refund_order_sensitive_all.json", ()),
    ("examples/refund/production.jsonl", ("examples/refund/decguard.yaml",)),
    ("examples/refund/cases.jsonl", ("examples/refund/decguard.yaml",)),
)


@pytest.mark.parametrize(("name", "first"), DECGUARD)
def test_damaged_decguard_files(
    conformance: Path, tmp_path: Path, name: str, first: tuple[str, ...]
) -> None:
    folder = conformance / "systems/decguard"
    text = (folder / name).read_text("utf-8")
    lines = name.endswith(".jsonl")
    value = [json.loads(row) for row in text.splitlines()] if lines else json.loads(text)
    chance = random.Random(name)  # noqa: S311  # damage that can be repeated
    path = tmp_path / Path(name).name
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"id": "r1", "probabilities": {"refund": 1, "reject": 0, "review": 0}}\n')
    for number in range(ROUNDS):
        if number % 3 == 0:
            path.write_text(text[: chance.randrange(len(text))], "utf-8")
        else:
            path.write_text(_text(damaged(value, chance), lines=lines), "utf-8")
        files = [*(folder / entry for entry in first), path]
        if "cases" in name:
            files.append(answers)
        _survives(decguard, Call(files[0], tuple(files[1:])))
        if not first:
            _survives(decguard, Call(None, (path, folder / name)), compare=True)


def test_damaged_contracts(conformance: Path, tmp_path: Path) -> None:
    folder = conformance / "systems/decguard/examples/refund"
    text = (folder / "decguard.yaml").read_text("utf-8")
    chance = random.Random(7)  # noqa: S311  # damage that can be repeated
    path = tmp_path / "decguard.yaml"
    for _ in range(ROUNDS):
        rows = text.splitlines(keepends=True)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(rows))
            match chance.randrange(3):
                case 0:
                    del rows[at]
                case 1:
                    rows[at] = rows[at].replace(":", ": [1, x] #", 1)
                case _:
                    rows.insert(at, chance.choice(rows))
        path.write_text("".join(rows), "utf-8")
        _survives(decguard, Call(path, (folder / "production.jsonl",)))


GODAUDITS = (
    ("expected.json", "AUDIT.json"),
    ("accuracy-ground-truth.json", "paired-runs.json"),
    ("seeded-ground-truth.json", "blind-runs.json"),
    ("detectors.json",),
)


@pytest.mark.parametrize("names", GODAUDITS)
def test_damaged_godaudits_files(conformance: Path, tmp_path: Path, names: tuple[str, ...]) -> None:
    folder = conformance / "systems/godaudits"
    if names[0] == "expected.json":
        case = json.loads((folder / "reference/evaluate_edge_cases.json").read_text("utf-8"))[0]
        whole = {"expected.json": case["expected"], "AUDIT.json": case["audit"]}
    else:
        whole = {
            name: json.loads((folder / "benchmarks" / name).read_text("utf-8")) for name in names
        }
        shutil.copytree(folder / "benchmarks/detectors", tmp_path / "detectors")
        for name in ("run-attempts.json", "accuracy-program.json"):
            shutil.copy(folder / "benchmarks" / name, tmp_path)
    chance = random.Random(names[0])  # noqa: S311  # damage that can be repeated
    for number in range(ROUNDS):
        chosen = chance.choice(names)
        for name in names:
            value = damaged(whole[name], chance) if name == chosen else whole[name]
            text = json.dumps(value)
            if name == chosen and number % 3 == 0:
                text = text[: chance.randrange(len(text))]
            (tmp_path / name).write_text(text, "utf-8")
        paths = [tmp_path / name for name in names]
        _survives(godaudits, Call(paths[0], tuple(paths[1:])))
