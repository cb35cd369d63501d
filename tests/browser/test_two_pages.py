"""Two pages of one reviewer, and what lies over the card: no answer is lost or given unseen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit.study import Study

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "relevance" / "predictions.csv"


def test_the_first_of_two_pages_answers_and_the_other_is_told_and_shows_that_answer(
    tmp_path: Path, review: Callable[..., Any], card: Any, page: Page
) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(SAMPLE.read_bytes())
    app = review(path)
    card.open(app.url)
    item = card.hook("item")
    other = type(card)(page.context.new_page()).open(app.url)
    assert other.state == (item, "answer", 0)
    card.page.bring_to_front()
    card.press("n").until(phase="revealed", saved=1)
    other.page.bring_to_front()
    other.press("y").press("Enter").until(item=item, phase="revealed", saved=1)
    assert "is answered" in other.page.inner_text(".lk-problem")
    assert other.page.get_attribute("[data-action='no']", "aria-pressed") == "true"
    assert other.page.get_attribute("[data-action='yes']", "aria-pressed") == "false"
    with Study.open(tmp_path / "p.study") as study:
        answers = [d for d in study.decisions() if d.kind == "answer"]
    assert [dict(a.answer or {})["relevant"] for a in answers] == [False]
    other.pause().press("Enter")
    other.until(phase="answer", saved=1)
    assert other.hook("item") != item


def test_no_key_answers_an_item_that_the_list_of_keys_lies_over(
    tmp_path: Path, review: Callable[..., Any], card: Any, page: Page
) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(SAMPLE.read_bytes())
    card.open(review(path).url)
    before = card.state
    for key in ("n", "u", "s", "Enter", "z"):
        card.press("?")
        page.wait_for_selector(".lk-sheet:not([hidden])")
        card.press(key)
        page.wait_for_selector(".lk-sheet", state="hidden")
    card.pause()
    assert card.state == before
    card.press("n").until(phase="revealed", saved=1)
