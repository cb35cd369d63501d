"""The Results tab: the numbers of ``labkit status``, in charts that can be dragged and stay."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from labkit.model import Act
from labkit.study import Study

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

HEAVY = ("vl_convert", "pandas", "altair")


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A study of 400 predictions with 90 answers, some of them revised."""
    rng = random.Random(4)  # noqa: S311  # made-up answers
    rows = [
        "fqcn,method,loc,tags,display_name,ai_security_relevant,ai_tags,ai_reason,ai_confidence"
    ]
    for i in range(400):
        p = round(rng.betavariate(0.6, 0.9), 2)
        flagged = str(p >= 0.5).lower()
        rows.append(f"com.a.T{i // 10},m{i},9,unit,name,{flagged},{'security' * (p >= 0.5)},r,{p}")
    predictions = tmp_path / "bank.csv"
    predictions.write_text("\n".join([*rows, ""]), encoding="utf-8")
    with Study.create(predictions, tmp_path / "bank.study") as study:
        ada = study.review("ada")
        for i in range(90):
            item = ada.current or ""
            said = study.predictions[item]
            yes = rng.random() < (said.confidence or 0)
            answer = {"relevant": yes, "tags": ["security"] if yes else []}
            ada.act(Act(f"a{i}", item, "answer", answer, elapsed_ms=4000))
            if i % 9:
                ada.act(Act(f"k{i}", item, "keep"))
            else:
                ada.act(Act(f"k{i}", item, "revise", dict(said.answer)))
    return tmp_path / "bank.study"


def told(page: Page, name: str, basis: str) -> dict[str, str]:
    """What the page says of a metric."""
    found = page.wait_for_selector(f"[data-labkit=metric][data-name='{name}'][data-basis={basis}]")
    assert found is not None
    return dict(found.evaluate("e => ({...e.dataset})"))


def table(page: Page, name: str) -> list[list[str]]:
    """The text that says the same as a chart."""
    return page.eval_on_selector_all(
        f"[data-twin='{name}'] tbody tr",
        "rows => rows.map(r => [...r.cells].map(c => c.textContent))",
    )


def test_results_tell_what_status_tells_and_what_the_charts_draw(
    bank: Path, review: Callable[..., Any], page: Page
) -> None:
    app = review(bank)
    page.goto(app.url)
    page.click("[data-tab='results']")
    page.wait_for_selector("[data-chart='risk'] .lk-curve-line")
    with Study.open(bank) as study:
        status, curves = study.status(), json.loads(json.dumps(study.curves()))
        shown = ("precision", "recall", "f1", "accuracy", "prevalence", "ece", "brier", "nll")
        for row in status["metrics"]:
            if row["name"] not in shown or (
                row["basis"] == "revealed" and row["name"] in shown[5:]
            ):
                continue
            hook = told(page, row["name"], row["basis"])
            for key in ("value", "low", "high", "n"):
                assert float(hook[key]) == pytest.approx(row[key], abs=1e-12), (row["name"], key)
        lead = page.inner_text(".lk-results h2")
        assert lead.startswith("Of 100 methods that matter the AI finds ")
        bins = curves["reliability"]
        assert [row[-1] for row in table(page, "reliability")] == [str(b["count"]) for b in bins]
        assert [row[1] for row in table(page, "reliability")] == [
            f"{b['accuracy']:.2f}" for b in bins
        ]
        assert len(table(page, "risk")) == len(curves["risk"])
        assert len(page.query_selector_all("[data-chart='reliability'] .lk-consistent")) == len(
            bins
        )
        picture = page.query_selector("[data-chart='risk'] svg")
        assert picture is not None
        picture.scroll_into_view_if_needed()
        box = picture.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] - 16, box["y"] + 80)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.55, box["y"] + 80, steps=4)
        page.mouse.up()
        at = page.eval_on_selector("[data-chart='risk']", "e => ({...e.dataset})")
        assert 0.3 < float(at["coverage"]) < 0.7
        threshold = float(at["threshold"])
        main = study.estimated(per_tag=False, thresholds=(threshold,))[0]
        kept = main.named(f"selective_coverage@{threshold:g}")
        right = main.named(f"selective_accuracy@{threshold:g}")
        assert kept is not None
        assert right is not None
        assert float(at["coverage"]) == pytest.approx(kept.value, abs=1e-12)
        for key in ("low", "high"):
            assert float(at[key]) == pytest.approx(getattr(right, key), abs=1e-3)
        words = page.inner_text("[data-chart='risk'] .lk-said")
        assert f"confidence of {threshold:.2f} and more" in words
        assert f"{at['labelled']} labels" in words
    for pid in app.kernels():
        loaded = Path(f"/proc/{pid}/maps").read_text()
        assert not [name for name in HEAVY if name in loaded]


def test_an_answer_changes_the_charts_in_place_and_a_phone_needs_no_sideways_scrolling(
    bank: Path, review: Callable[..., Any], page: Page
) -> None:
    app = review(bank)
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(app.url)
    page.click("[data-tab='results']")
    page.wait_for_selector("[data-chart='risk'] .lk-curve-line")
    page.focus(".lk-threshold")
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    before = page.eval_on_selector("[data-chart='risk']", "e => e.dataset.threshold")
    page.evaluate("window.kept = document.querySelector(\"[data-chart='risk'] svg\")")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.evaluate("document.querySelector(\"[data-name='f1']\").dataset.old = '1'")
    with Study.open(bank) as study:
        ada = study.review("bea")
        ada.act(Act("b", ada.queue[200], "answer", {"relevant": True, "tags": []}))
    page.click("[data-tab='review']")
    page.wait_for_timeout(400)
    page.keyboard.press("n")
    page.wait_for_selector("[data-labkit='card'][data-phase='revealed']")
    page.click("[data-tab='results']")
    page.wait_for_selector("[data-name='f1']:not([data-old])")
    assert page.evaluate("window.kept === document.querySelector(\"[data-chart='risk'] svg\")")
    after = page.eval_on_selector("[data-chart='risk']", "e => e.dataset.threshold")
    assert float(after) == pytest.approx(float(before), abs=0.03)
