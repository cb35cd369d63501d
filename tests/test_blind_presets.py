"""Before the first answer a page is told the same whatever the tool said, for every preset."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from labkit.study import Study
from labkit_widgets.sitting import Sitting

if TYPE_CHECKING:
    from pathlib import Path

N = 4
_OPEN = {"reveal", "progress", "results"}
"""Messages that may hold the AI's words, or numbers made of them."""


def sarif(folder: Path, *, other: bool) -> Path:
    place = {"artifactLocation": {"uri": "src/a.py"}, "region": {"startLine": 3}}
    results = [
        {
            "ruleId": f"R{i}",
            "message": {"text": f"finding {i}"},
            "level": "error" if other else "note",
            "rank": 91.5 if other else 12.25,
            "locations": [{"physicalLocation": place}],
            "properties": {"issue_confidence": "HIGH" if other else "LOW"},
        }
        for i in range(N)
    ]
    driver = {"name": "Zulu" if other else "Alfa"}
    run = {"tool": {"driver": driver}, "results": results}
    return _json(folder / "scan.sarif", {"version": "2.1.0", "runs": [run]})


def reviews(folder: Path, *, other: bool) -> Path:
    for i in range(N):
        one = {
            "title": f"finding {i}",
            "problem": "It breaks.",
            "file": "a.go",
            "line": 3,
            "severity": "CRITICAL" if other else "INFO",
            "confidence": "verified" if other else "uncertain",
            "confirmed_by": ["zulu"] if other else [],
        }
        (folder / "runs" / f"case{i}").mkdir(parents=True)
        _json(folder / "runs" / f"case{i}" / "1.json", {"findings": [one]})
    return folder / "runs"


def comments(folder: Path, *, other: bool) -> Path:
    place = {"path": "a.py", "side": "right", "from_line": 1, "to_line": 2}
    model = "Zulu-2" if other else "Alfa-1"
    notes = [{**place, "note": f"comment {i}", "source_model": model} for i in range(N)]
    known = {"githubPrUrl": "https://github.com/o/r/pull/1", "comments": notes}
    return _json(folder / "made.json", [known])


def decisions(folder: Path, *, other: bool) -> Path:
    rows = []
    for i in range(N):
        chances = {"refund": 0.87, "reject": 0.13}
        if other == bool(i % 2):
            chances = {"refund": 0.31, "reject": 0.69}
        selected = max(chances, key=lambda label: chances[label])
        said = {"probabilities": chances, "selected": selected, "model": f"m-{other}"}
        rows.append({"id": f"p{i}", "decision": "d", "input": f"text {i}", **said})
    path = folder / "production.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def table(folder: Path, *, other: bool) -> Path:
    lines = ["id,text,label,confidence,model,score_b,human_label"]
    for i in range(N):
        label = "spam" if other == bool(i % 2) else "ham"
        sure = 0.873 if other else 0.412
        lines.append(f"t{i},text {i},{label},{sure},m-{other},{sure / 2},{label}")
    path = folder / "table.csv"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def _json(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def _first_answer(task: dict[str, Any]) -> dict[str, Any]:
    first = task["questions"][0]
    return {first["name"]: False if first["kind"] == "binary" else first["options"][0]}


def told(folder: Path, predictions: Path) -> tuple[list[Any], list[Any]]:
    """What a page is told through all items that each get the same answer: hidden, and open."""
    numbers = count()
    with Study.create(predictions, folder / "s.study") as study:
        sitting = Sitting(study, "ada", nonce=lambda: f"nonce-{next(numbers)}")
        heard = [*sitting.hear({"type": "hello"}), *sitting.hear({"type": "ready", "acts": []})]
        heard += sitting.hear({"type": "find", "text": "", "state": "all"})
        task = {"questions": heard[0]["study"]["questions"]}
        heard[0]["study"] |= {"key": ""}
        for turn in range(N):
            nonces = {v["item"]: v["nonce"] for m in heard for v in _views(m)}
            at = next(m.get("at") or m.get("next") for m in reversed(heard) if _moves(m))
            for kind, answer in (("answer", _first_answer(task)), ("keep", None)):
                act = {"uuid": f"{turn}{kind}", "item": at, "kind": kind, "nonce": nonces[at]}
                heard += sitting.hear({"type": "act", **act, "answer": answer})
                nonces |= {v["item"]: v["nonce"] for m in heard for v in _views(m)}
    hidden = [m for m in heard if m["type"] not in _OPEN]
    return hidden, [m for m in heard if m["type"] == "reveal"]


def _views(message: dict[str, Any]) -> list[dict[str, Any]]:
    found = message.get("items", []) if message["type"] == "items" else [message.get("view")]
    return [view for view in found if view]


def _moves(message: dict[str, Any]) -> bool:
    return message["type"] in {"place", "ack"} and bool(message.get("at") or message.get("next"))


@pytest.mark.parametrize("preset", [sarif, reviews, comments, decisions, table])
def test_a_page_is_told_the_same_whatever_the_tool_said(preset: Any, tmp_path: Path) -> None:
    found = []
    for other in (False, True):
        folder = tmp_path / str(other) / "here"
        folder.mkdir(parents=True)
        found.append(told(folder, preset(folder, other=other)))
    (one, revealed), (two, differently) = found
    assert json.dumps(one) == json.dumps(two)
    assert len(revealed) >= N
    assert json.dumps(revealed) != json.dumps(differently)
    assert {m["saved"] for m in one if m["type"] == "ack"} == set(range(1, N + 1))
