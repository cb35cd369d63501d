"""The same card in JupyterLab, whose own keys insert, cut and delete cells."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit.model import Act
from labkit.study import Study

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "relevance" / "predictions.csv"
READY = (
    "() => { const w = window.jupyterapp?.shell?.currentWidget; return w?.context?.isReady"
    " && w.context.sessionContext.session?.kernel?.status === 'idle' }"
)
CELLS = (
    "() => window.jupyterapp.shell.currentWidget.content.widgets"
    ".map(c => [c.model.type, c.model.sharedModel.getSource()])"
)


def test_twenty_answers_with_jupyterlabs_own_keys_among_them_change_no_cell(
    tmp_path: Path, lab: Callable[..., Any], card: Any, page: Page
) -> None:
    folder = tmp_path / "bank.study"
    Study.create(SAMPLE, folder).close()
    app = lab(folder)
    page.goto(app.url)
    page.wait_for_function(READY, timeout=60_000)
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_selector("[data-labkit='card']")
    before = page.evaluate(CELLS)
    page.click(".lk-title")
    page.focus("[data-labkit='card']")
    for i in range(20):
        for key in ("a", "b", "x", "d", "d", "m", "Enter", "Escape", "0", "0", "Shift+Enter"):
            card.press(key)
        assert card.hook("phase") == "answer"
        card.answer(*(["y", "Enter"] if i % 4 == 0 else ["n"]))
    assert card.hook("saved") == "20"
    assert page.evaluate("document.activeElement.dataset.labkit") == "card"
    assert page.evaluate(CELLS) == before

    state = card.state
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    page.reload()
    page.wait_for_selector("[data-labkit='card']", timeout=60_000)
    assert card.state == state
    saved = (folder / "notebooks" / "01_review.ipynb").read_text()
    assert state[0].rpartition("#")[2] not in saved


def test_live_cells_follow_an_answer_that_came_from_another_process(
    tmp_path: Path, lab: Callable[..., Any], page: Page
) -> None:
    folder = tmp_path / "bank.study"
    Study.create(SAMPLE, folder).close()
    app = lab(folder)
    page.goto(app.url.replace("01_review", "02_score"))
    page.wait_for_function(READY, timeout=60_000)
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_selector("[data-labkit='live'][data-seq='0'] >> nth=1")
    with Study.open(folder) as study:
        review = study.review("bea")
        for i in range(3):
            answer = {"relevant": i == 0, "tags": ["security"] if i == 0 else []}
            review.act(Act(f"a{i}", review.current or "", "answer", answer))
            review.act(Act(f"k{i}", review.current or "", "keep"))
        counted = study.counted()["relevance"]
        last = study.last_seq()
    began = time.monotonic()
    page.wait_for_selector(f"[data-labkit='live'][data-seq='{last}'] >> nth=1")
    assert time.monotonic() - began < 4, "a live cell looks three times a second"
    for cell, n in counted.items():
        metric = page.query_selector(f"[data-labkit='metric'][data-name='relevance.{cell}']")
        assert metric is not None
        assert metric.get_attribute("data-value") == str(n)
    bea = page.query_selector("[data-labkit='metric'][data-name='bea']")
    assert bea is not None
    assert bea.get_attribute("data-value") == "3"
    view = page.wait_for_selector("[data-labkit='vega'][data-rows] svg.marks", timeout=60_000)
    assert view is not None, "the diagram is Vega's, with no request off this host"
    assert page.query_selector("[data-chart='reliability'] svg.lk-chart") is None
    with Study.open(folder) as study:
        told = len([b for b in study.curves()["reliability"] if b["count"]])
        assert page.get_attribute("[data-labkit='vega']", "data-rows") == str(told)
        dots = "[data-labkit='vega'] .mark-symbol.role-mark path"
        assert len(page.query_selector_all(dots)) == told
        while len([b for b in study.curves()["reliability"] if b["count"]]) == told:
            item, n = study.review("bea").current or "", study.last_seq()
            review = study.review("bea")
            review.act(Act(f"b{n}", item, "answer", {"relevant": False, "tags": []}))
            review.act(Act(f"l{n}", item, "keep"))
        told = len([b for b in study.curves()["reliability"] if b["count"]])
    page.wait_for_selector(f"[data-labkit='vega'][data-rows='{told}']")
    assert len(page.query_selector_all(dots)) == told
    assert view.evaluate("svg => svg.isConnected"), "rows are pushed into the view that is there"
