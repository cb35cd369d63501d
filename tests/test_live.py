"""Live cells without a browser: what they send, and when."""

from __future__ import annotations

import asyncio
import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from builders import NO, YES, a_reviewer, a_study

import labkit_widgets
from labkit.reports.document import Document, Paragraph, Report
from labkit.study import Study
from labkit_widgets import ReviewApp, chosen_study, live, scorecard, vega
from labkit_widgets.shown import shown

if TYPE_CHECKING:
    from pathlib import Path

    from labkit_widgets.livecells import LiveWidget


def sent_by(widget: LiveWidget) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    widget.send = found.append
    return found


def test_a_live_cell_follows_answers_that_another_process_stored(tmp_path: Path) -> None:
    with a_study(tmp_path) as study, Study.open(study.folder) as elsewhere:
        cell = live(study, lambda s: s.counted()["relevance"])
        sent = sent_by(cell)

        async def watched() -> None:
            cell.show()
            reviewer = a_reviewer(elsewhere)
            for answered in (1, 2):
                reviewer.answer(NO)
                for _ in range(40):
                    await asyncio.sleep(0.05)
                    if sum(row["value"] for row in sent[-1]["rows"]) == answered:
                        break
            await asyncio.sleep(0.7)
            assert cell._watch is not None
            cell._watch.cancel()

        # in a thread of its own: a browser test may have left a loop in this one
        with ThreadPoolExecutor(1) as threads:
            threads.submit(asyncio.run, watched()).result()
        totals = [sum(row["value"] for row in message["rows"]) for message in sent]
        assert sorted(set(totals)) == [0, 1, 2]
        assert len(sent) <= 5, "nothing is computed while nothing is stored"


def test_the_scorecard_is_what_the_results_tab_shows(tmp_path: Path) -> None:
    with a_study(tmp_path) as study:
        reviewer = a_reviewer(study)
        for answer in (YES, NO, NO):
            reviewer.answer(answer)
        cell = live(study, scorecard)
        sent = sent_by(cell)
        cell.refresh()
        assert json.loads(json.dumps(sent[0]))["type"] == "results"
        assert sent[0]["n"] == 3
        assert {row["name"] for row in sent[0]["estimates"]} >= {"precision", "recall", "f1"}
        assert sent[0]["reliability"]
        assert sum(sent[0]["counts"].values()) == 3


def test_live_decorates_a_function_of_ones_own_and_its_error_is_shown(tmp_path: Path) -> None:
    with a_study(tmp_path) as study:

        @live(study)
        def wrong(study: Study) -> str:
            raise KeyError(study.folder.name)

        sent = sent_by(wrong)
        wrong.refresh()
        assert sent[0]["type"] == "problem"
        assert sent[0]["text"] == "KeyError: 'predictions.study'"


class Frame:
    """What a live cell needs of a data frame."""

    def to_string(self) -> str:
        return "a  b\n1  2"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("<b>bold</b>", "<b>bold</b>"),
        (0.5, "0.5000"),
        (3, "3"),
        (None, "n/a"),
        (True, "True"),
        (Frame(), "a  b\n1  2"),
        ([], "[]"),
        (Report({}, Document((Paragraph("Hello."),))), "Hello.\n"),
    ],
)
def test_any_result_is_drawn_as_text(value: object, text: str) -> None:
    assert shown(value) == {"type": "text", "text": text}


def test_estimates_and_mappings_become_tables(tmp_path: Path) -> None:
    with a_study(tmp_path) as study:
        a_reviewer(study).answer(NO)
        table = shown(study.headlines())
        assert [row["name"] for row in table["rows"]][:2] == ["precision", "recall"]
        assert all("range" in row for row in table["rows"])
        assert shown({})["rows"] == []


def test_the_study_is_the_chosen_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_study(tmp_path).close()
    monkeypatch.setenv("LABKIT_STUDY", str(tmp_path / "predictions.study"))
    monkeypatch.setenv("LABKIT_REVIEWER", "bea")
    with chosen_study() as study:
        assert ReviewApp(study).sitting.reviewer == "bea"
    monkeypatch.delenv("LABKIT_STUDY")
    with pytest.raises(Exception, match="labkit lab STUDY"):
        chosen_study()


def test_every_public_name_of_the_package_is_there() -> None:
    for name in labkit_widgets.__all__:
        assert getattr(labkit_widgets, name) is not None
    with pytest.raises(AttributeError):
        _ = labkit_widgets.nothing


def in_a_loop(cell: LiveWidget) -> list[dict[str, Any]]:
    sent = sent_by(cell)

    def keep(message: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        sent.append(message | {"bytes": sum(map(len, buffers or []))})

    cell.send = keep

    async def asked() -> None:
        cell.receive({"type": "vega"})
        assert cell._drawing is not None
        await cell._drawing

    with ThreadPoolExecutor(1) as threads:
        threads.submit(asyncio.run, asked()).result()
    return sent


def test_a_page_that_asks_gets_vega_and_the_diagram_whose_rows_it_pushes(tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    with a_study(tmp_path) as study:
        (told,) = in_a_loop(live(study, scorecard))
    assert told["bytes"] > 100_000
    assert told["spec"]["data"] == {"name": "rows", "values": []}
    assert "consistent_low" in json.dumps(told["spec"])


def test_without_altair_the_page_is_told_to_draw_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vega, "_kept", [])
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "vl_convert.py").write_text("raise ImportError")
    before = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(blocked), *filter(None, [before])]))
    with a_study(tmp_path) as study:
        assert in_a_loop(live(study, scorecard)) == [{"type": "vega", "spec": None, "bytes": 0}]


def test_headlines_come_before_the_rest_and_are_the_same_numbers(tmp_path: Path) -> None:
    with a_study(tmp_path) as study, Study.open(study.folder) as elsewhere:
        cell = live(study, scorecard)
        sent = sent_by(cell)

        async def watched() -> None:
            cell.show()
            a_reviewer(elsewhere).answer(YES)
            for _ in range(60):
                await asyncio.sleep(0.05)
                if len(sent) > 2:
                    break
            assert cell._watch is not None
            cell._watch.cancel()

        with ThreadPoolExecutor(1) as threads:
            threads.submit(asyncio.run, watched()).result()
    assert [message["type"] for message in sent] == ["results", "headlines", "results"]
    full = {row["name"]: row for row in sent[2]["estimates"]}
    assert sent[1]["estimates"]
    assert all(full[row["name"]] == row for row in sent[1]["estimates"])
