"""Every reader of labkit, and the files that damaged ones are made from."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit import checks, config, gates, scanfile, yamlfile
from labkit.formats import (
    aacr_comments,
    aacr_files,
    jsonl,
    labels,
    methodatlas,
    planwerk,
    planwerk_report,
    records,
    sarif,
    tables,
)
from labkit.formats.decguard import answers, contract, dataset, report
from labkit.formats.godaudits import audit
from labkit.formats.labelfiles import parse_jsonl
from labkit.overrides.parse import read as read_overrides
from labkit.presets.choosing import material_of, preset_of
from labkit.reports import render
from labkit.systems import Call, decguard
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = Path(__file__).parents[1] / "conformance" / "cases"


@dataclass(frozen=True)
class Reader:
    """One reader, its seeds, and the ending its files have."""

    read: Callable[[Path], object]
    seeds: tuple[bytes, ...]
    ending: str


def cases(*patterns: str) -> tuple[bytes, ...]:
    """The public cases of these names, in a fixed order."""
    return tuple(p.read_bytes() for pattern in patterns for p in sorted(CASES.glob(pattern)))


def lines(*rows: dict[str, Any]) -> bytes:
    """JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def document(value: Any) -> bytes:
    """A JSON document as people save it."""
    return json.dumps(value, indent=1).encode()


CONTRACT = b"""schema_version: "0.1"
decision:
  name: refund
  type: choice
  options: [refund, reject, review]
backend: {provider: mock, model: m, default: {refund: 0.2, reject: 0.2, review: 0.6}}
evaluation: {confidence_threshold: 0.8}
requirements: {min_accuracy: 0.9, max_ece: 0.15}
"""
DATASET = lines(
    {"id": "r1", "input": "damaged", "expected": "refund", "metadata": {"locale": "en"}},
    {"input": {"a": 1}, "expected": "reject"},
)
ANSWERS = lines(
    {"id": "r1", "probabilities": {"refund": 0.9, "reject": 0.1, "review": 0}, "latency_ms": 4},
    {"id": "case-2", "error": {"kind": "invalid_response", "message": "m"}},
)
PRODUCTION = lines(
    {"id": "p1", "decision": "refund", "probabilities": {"a": 1.0}, "selected": "a", "input": "x"}
)
REVIEW = document(
    {
        "findings": [
            {"severity": "CRITICAL", "title": "t", "file": "a.go", "line": 8, "problem": "p"}
        ],
        "summary": "s",
        "usage": {"total": {"calls": 1}},
    }
)
EXPECTED = document(
    {
        "description": "d",
        "clean": False,
        "findings": [{"file": "a.go", "line": 8, "severity": "WARNING", "keywords": ["k"]}],
    }
)
EVALUATION = document(
    {
        "runs": 1,
        "cases": [{"name": "c", "tp": 1, "fp": 0, "fn": 2, "precision": 1, "found_by": {"x": 1}}],
        "aggregate": {"tp": 1, "fp": 0, "fn": 2, "severity_accuracy": None},
        "recall_by_pass": [{"pass": "x", "found": 1, "recall": 0.5}],
    }
)
REFERENCES = document(
    [
        {
            "githubPrUrl": "https://github.com/a/b/pull/1",
            "category": "Bug",
            "comments": [
                {"path": "a.c", "side": "right", "from_line": 3, "to_line": 4, "note": "n"}
            ],
        }
    ]
)
COMMENTS = (
    b"<path>a.c</path>\n<side>right</side>\n<from>3</from>\n<to>4</to>\n<note>n</note>\n"
    b"<notesplit />\n<path>b.c</path><note>m</note>\n"
)
AUDIT = document(
    {
        "schema_version": "1.0",
        "audit": {"id": "x"},
        "findings": [
            {
                "id": "F-1",
                "title": "t",
                "severity": "High",
                "confidence": "Firm",
                "status": "open",
                "evidence": ["E-1"],
                "checks": ["A-1"],
            }
        ],
        "evidence": [{"id": "E-1", "type": "source", "path": "a.js", "line": 8, "quote": "q"}],
        "tasks": [{"id": "T-1", "status": "open", "fixes": ["F-1"]}],
    }
)
LABELS = lines(
    {
        "item": "a#b", "reviewer": "r", "value": {"relevant": True}, "first": {"relevant": True},
        "final": {"relevant": True}, "basis": "blind", "stratum": "all",
        "inclusion_probability": 0.5, "arm": None, "seed": 1, "shown_at": None,
        "decided_at": "2026-11-29T12:00:00Z", "duration_ms": 900, "note": "",
    }
)  # fmt: skip
GOLD = b"id,label,tags,weight,stratum,reviewer\na,true,x;y,1.5,s,r\nb,false,,1,s,r\n"
STUDY = (
    b"task: table\npredictions: p.csv\nsample: 10\nseed: 1\nreviewers: [a, b]\n"
    b"columns: {id: key}\ngoal: {metric: f1, half_width: 0.05}\n"
)
GATES = b"requirements:\n  min_accuracy: 0.9\nwarnings:\n  max_ece: 0.1\n"
SCAN = scanfile.render(
    scanfile.Scan({"a": scanfile.Known("k", "c", "a")}, {"label": ("x",)}, "d")
).encode()
JSON_CASES = ("j*.json", "j*.jsonl", "m*.jsonl")


def text_reader(parse: Callable[..., object]) -> Callable[[Path], object]:
    """A reader of a file from a reader of text."""

    def read(path: Path) -> object:
        return parse(read_text(path), path.name)

    return read


def _material(path: Path) -> object:
    return material_of(path, preset_of(path))


def _dataset(path: Path) -> object:
    return dataset.read(path, ("refund", "reject"))


def _scored() -> bytes:
    """A decguard report, made by scoring the answers above."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = {"c.yaml": CONTRACT, "d.jsonl": DATASET, "a.jsonl": ANSWERS}
        for file, data in given.items():
            (folder / file).write_bytes(data)
        gold, cases, said = (folder / file for file in given)
        return render(decguard.score(Call(gold, (cases, said), {})), "json").encode()


REPORT = _scored()
EVERYTHING = (
    *cases("*.yaml", "*.csv", "*.sarif", *JSON_CASES),
    CONTRACT, DATASET, ANSWERS, PRODUCTION, REPORT, REVIEW, EXPECTED, EVALUATION, REFERENCES,
    COMMENTS, AUDIT, LABELS, GOLD, STUDY,
)  # fmt: skip

READERS: dict[str, Reader] = {
    "yaml": Reader(yamlfile.read, cases("*.yaml"), ".yaml"),
    "overrides": Reader(read_overrides, cases("*.yaml"), ".yaml"),
    "tables": Reader(tables.read, cases("*.csv"), ".csv"),
    "jsonl": Reader(jsonl.read, cases(*JSON_CASES), ".jsonl"),
    "records": Reader(records.read, cases("*.csv", *JSON_CASES), ".csv"),
    "methodatlas": Reader(methodatlas.read, cases("*.csv"), ".csv"),
    "sarif": Reader(sarif.read, cases("*.sarif"), ".sarif"),
    "labels": Reader(labels.read_labels, (LABELS, GOLD, *cases(*JSON_CASES)), ".jsonl"),
    "predictions": Reader(labels.read_predictions, cases("m*.csv", *JSON_CASES), ".csv"),
    "label files": Reader(text_reader(parse_jsonl), (LABELS,), ".jsonl"),
    "decguard contract": Reader(contract.read, (CONTRACT,), ".yaml"),
    "decguard dataset": Reader(_dataset, (DATASET,), ".jsonl"),
    "decguard answers": Reader(answers.read, (ANSWERS,), ".jsonl"),
    "decguard report": Reader(report.read, (REPORT,), ".json"),
    "planwerk review": Reader(planwerk.read_review, (REVIEW,), ".json"),
    "planwerk corpus": Reader(planwerk.read_corpus, (EXPECTED,), ".json"),
    "planwerk report": Reader(planwerk_report.read, (EVALUATION,), ".json"),
    "aacr references": Reader(aacr_files.read_references, (REFERENCES,), ".json"),
    "aacr comments": Reader(aacr_comments.read, (COMMENTS,), ".txt"),
    "godaudits audit": Reader(audit.read, (AUDIT,), ".json"),
    "study": Reader(config.read, (STUDY,), ".yaml"),
    "gates": Reader(text_reader(gates.parse), (GATES,), ".yaml"),
    "scan": Reader(text_reader(scanfile.parse), (SCAN,), ".json"),
    "check": Reader(checks.check, EVERYTHING, ".txt"),
    "check csv": Reader(checks.check, EVERYTHING, ".csv"),
    "check json": Reader(checks.check, EVERYTHING, ".json"),
    "check yaml": Reader(checks.check, EVERYTHING, ".yaml"),
    "review": Reader(_material, EVERYTHING, ".json"),
    "review csv": Reader(_material, cases("*.csv", *JSON_CASES), ".csv"),
}
"""Each reader by name."""
