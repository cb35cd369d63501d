"""A scanner's findings at the card, in a window as small as four times zoomed in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

IN_VIEW = """selector => {
    const box = document.querySelector(selector).getBoundingClientRect();
    return box.top < innerHeight && box.bottom > 0;
}"""
AI = "[data-labkit='ai']"


def scan(path: Path) -> Path:
    snippet = {"text": "a = 1\nassert a\n"}
    region = {"startLine": 4, "contextRegion": {}, "snippet": {"text": "assert a"}}
    place = {"artifactLocation": {"uri": "src/a.py"}, "region": region}
    place["contextRegion"] = {"startLine": 3, "snippet": snippet}
    results = [
        {
            "ruleId": "R1",
            "message": {"text": f"finding {i}"},
            "level": "note",
            "locations": [{"physicalLocation": place}],
        }
        for i in range(4)
    ]
    run = {"tool": {"driver": {"name": "Scanner"}}, "results": results}
    path.write_text(json.dumps({"version": "2.1.0", "runs": [run]}), encoding="utf-8")
    return path


def test_findings_are_answered_by_keyboard_and_what_changes_comes_into_view(
    tmp_path: Path, review: Callable[..., Any], card: Any, page: Page
) -> None:
    app = review(scan(tmp_path / "scan.sarif"))
    page.set_viewport_size({"width": 320, "height": 256})
    card.open(app.url)
    assert "Scanner" not in page.inner_text("body")
    card.press("m")
    page.wait_for_selector(".lk-place >> text=No more lines here")
    card.press("n").until(phase="revealed", saved=1)
    said = page.inner_text(AI)
    assert "not asked" in said
    assert "Scanner" in said
    assert page.evaluate(IN_VIEW, AI)
    card.pause().press("Enter").until(phase="answer")
    assert page.evaluate(IN_VIEW, ".lk-title")
    card.answer("y", "1", "n")
    card.press("r")
    page.keyboard.type("test code")
    card.press("Enter").answer("y", "3", "y")
    proposed = page.eval_on_selector_all("datalist option", "all => all.map(one => one.value)")
    assert proposed == ["test code"]
    assert card.hook("saved") == "3"
    assert page.evaluate("document.activeElement.dataset.labkit") == "card"
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.click("[data-action='list']")
    page.wait_for_selector(".lk-sheet:not([hidden])")
