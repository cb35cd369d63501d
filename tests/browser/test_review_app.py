"""The review app as a reviewer meets it: keyboard, reload, undo, export, and the blind promise."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from labkit.model import Act
from labkit.study import Study
from labkit.studyoptions import StudyOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "sample_data" / "relevance" / "predictions.csv"


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    """Real predictions of 1,215 methods where they are, else the sample's sixty."""
    folder = os.environ.get("LABKIT_CONFORMANCE", "")
    real = Path(folder) / "real" / "methodatlas_self" / "predictions.csv"
    copy = tmp_path / "predictions.csv"
    copy.write_bytes((real if folder and real.is_file() else SAMPLE).read_bytes())
    return copy


def labkit(*arguments: object) -> str:
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'widgets'}"}
    command = [sys.executable, "-m", "labkit", *(str(a) for a in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
    return done.stdout


def stored(study: Path) -> list[tuple[str, str]]:
    with Study.open(study) as opened:
        return [(d.kind, d.item) for d in opened.decisions() if d.kind != "reveal"]


def test_ten_items_by_keyboard_across_a_reload_come_out_as_the_file_that_scores_the_same(
    predictions: Path, review: Callable[..., Any], card: Any, page: Page
) -> None:
    app = review(predictions)
    study = predictions.with_suffix(".study")
    assert len(app.lines) == 1
    card.open(app.url)
    answered = [card.answer(*(["y", "2", "Enter"] if i % 2 else ["n"])) for i in range(5)]
    before = card.state
    page.reload()
    page.wait_for_selector("[data-labkit='card']")
    assert card.state == before
    assert before[2] == 5
    card.press("z").until(item=answered[-1], phase="revealed", saved=5).pause()
    card.press("z").until(item=answered[-1], phase="answer", saved=4)
    card.press("Shift+Z").until(item=answered[-1], phase="revealed", saved=5).pause()
    card.press("Control+y").until(item=before[0], phase="answer", saved=5)
    answered += [card.answer(*(["y", "Enter"] if i % 2 else ["n"])) for i in range(5)]
    assert len(set(answered)) == 10
    assert card.hook("saved") == "10"

    page.click("[data-tab='results']")
    shown = {}
    for cell in ("tp", "fp", "fn", "tn"):
        metric = page.wait_for_selector(f"[data-labkit='metric'][data-name='relevance.{cell}']")
        shown[cell] = int(metric.get_attribute("data-value") or "")
    page.click("[data-tab='export']")
    page.click("[data-action='export-preview']")
    page.wait_for_selector(".lk-diff-line")
    page.click("[data-action='export-write']")
    page.wait_for_selector("[data-written]")
    written = study / "overrides.yaml"
    score = json.loads(labkit("score", written, predictions, "--format", "json"))
    assert {cell: score["relevance"][cell] for cell in shown} == shown
    assert sum(shown.values()) == score["evaluated"] == 10
    assert app.stop() == 0
    assert app.lines == [app.url + "\n"]


TEN_PRESSES = """async () => {
    for (let i = 0; i < 10; i++) {
        const press = { key: 'n', code: 'KeyN', bubbles: true, cancelable: true };
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', press));
        document.activeElement.dispatchEvent(new KeyboardEvent('keyup', press));
        await new Promise(done => setTimeout(done, 10));
    }
}"""


def test_ten_presses_in_a_tenth_of_a_second_and_a_held_key_make_one_answer_each(
    predictions: Path, review: Callable[..., Any], card: Any, page: Page
) -> None:
    app = review(predictions, "--protocol", "blind")
    card.open(app.url)
    first = card.hook("item")
    page.evaluate(TEN_PRESSES)  # in the page itself: a busy machine would stretch the tenth
    card.until(saved=1).pause()
    assert stored(app.study.with_suffix(".study")) == [("answer", first)]
    second = card.hook("item")
    for _ in range(25):
        page.keyboard.down("n")
    page.keyboard.up("n")
    card.until(saved=2).pause()
    assert stored(app.study.with_suffix(".study")) == [("answer", first), ("answer", second)]
    page.eval_on_selector("[data-action='no']", "e => { for (let i = 0; i < 10; i++) e.click(); }")
    card.until(saved=3).pause()
    assert card.hook("saved") == "3"


def marked(path: Path, *, flipped: bool) -> Path:
    """Predictions of which two copies differ in nothing but what the AI said."""
    head = "fqcn,method,loc,tags,display_name,ai_security_relevant,ai_tags,ai_reason,ai_confidence"
    tags = ["security;auth", "crypto", "", "security;logging"]
    rows = []
    for i in range(24):
        said = (i % 3 == 0) != flipped
        sure = 0.05 + (i * 7 % 10) / 10 if flipped else 0.95 - (i % 10) / 11
        reason = f"{'zulu' if flipped else 'alfa'}marker{i}x"
        given = tags[(i + (2 if flipped else 0)) % 4]
        rows.append(f"com.a.T{i % 4},m{i},9,unit,name,{str(said).lower()},{given},{reason},{sure}")
    path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    return path


class Wire:
    """What a page was told: every frame, and the page itself."""

    def __init__(self, page: Page) -> None:
        self.frames: list[str] = []
        self.sent: list[dict[str, Any]] = []
        page.on("websocket", lambda ws: ws.on("framereceived", self._heard))

    def _heard(self, frame: str | bytes) -> None:
        text = frame.decode("utf-8", "replace") if isinstance(frame, bytes) else frame
        self.frames.append(text)
        for found in re.finditer(r'\{"method": ?"custom", ?"content": ?', text):
            message, _end = json.JSONDecoder().raw_decode(text[found.end() :])
            self.sent.append(message)


UNIQUE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
OWN_TYPES = {"reveal", "progress", "results", "beat"}


def test_the_ai_cannot_be_told_from_anything_that_reaches_the_browser_before_the_answer(
    tmp_path: Path, review: Callable[..., Any], browser: Any
) -> None:
    told: list[list[str]] = []
    for name, flipped in (("one", False), ("two", True)):
        (tmp_path / name).mkdir()
        app = review(marked(tmp_path / name / "p.csv", flipped=flipped))
        context = browser.new_context()
        page = context.new_page()
        wire = Wire(page)
        page.goto(app.url)
        page.wait_for_selector("[data-labkit='card']")
        marker = re.compile(r"(?:alfa|zulu)marker\d+x")
        open_items: set[str] = set()
        for _ in range(8):
            card = "[data-labkit='card']"
            item = page.get_attribute(card, "data-item")
            assert item not in open_items
            seen = {m for frame in wire.frames for m in marker.findall(frame)}
            number = (item or "").rpartition("#m")[2]
            assert not {m for m in seen if m.endswith(f"marker{number}x")}
            assert len(seen) <= len(open_items)
            assert not marker.search(page.content()) or open_items
            page.keyboard.press("n")
            page.wait_for_selector(f"{card}[data-phase='revealed']")
            page.keyboard.press("Enter")
            page.wait_for_selector(f"{card}[data-phase='answer']")
            open_items.add(item or "")
        page.wait_for_timeout(500)
        revealed = [m for m in wire.sent if m["type"] == "reveal"]
        assert {m["item"] for m in revealed} == open_items
        assert {m for f in wire.frames for m in marker.findall(f)} == {
            m["ai"]["reason"] for m in revealed
        }
        assert not marker.search(app.log.read_text())
        told.append(
            [UNIQUE.sub("ID", json.dumps(m)) for m in wire.sent if m["type"] not in OWN_TYPES]
        )
        context.close()
        app.stop()
    assert len(told[0]) > 16
    assert told[0] == told[1]


def test_a_dead_kernel_is_said_within_three_seconds_and_the_answer_is_stored_once_after_a_reload(
    predictions: Path, review: Callable[..., Any], card: Any, page: Page
) -> None:
    app = review(predictions)
    card.open(app.url)
    first = card.answer("n")
    item = card.hook("item")
    for pid in app.kernels():
        os.kill(pid, signal.SIGKILL)
    card.press("n")
    began = time.monotonic()
    page.wait_for_selector("text=the kernel is busy or gone")
    assert time.monotonic() - began < 5
    assert card.state == (item, "answer", 1)
    card.press("y")
    page.reload()
    page.wait_for_selector("[data-labkit='card']")
    card.until(item=item, phase="revealed", saved=2)
    study = predictions.with_suffix(".study")
    assert stored(study) == [("answer", first), ("keep", first), ("answer", item)]
    assert page.evaluate("Object.keys(localStorage).filter(k => k.startsWith('labkit'))") == []
    # nothing stays behind after reloads: one kernel for the page, one in reserve
    for _ in range(2):
        page.reload()
        page.wait_for_selector("[data-labkit='card']")
    end = time.monotonic() + 15
    while len(app.kernels()) > 2 and time.monotonic() < end:
        time.sleep(0.2)
    assert len(app.kernels()) <= 2
    pids = app.kernels()
    assert app.stop() == 0
    end = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_what_items_and_models_wrote_stays_text(
    tmp_path: Path, review: Callable[..., Any], card: Any, page: Page
) -> None:
    attack = "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script>"
    quoted = '"' + attack.replace('"', '""') + '"'
    head = "fqcn,method,loc,tags,display_name,ai_security_relevant,ai_tags,ai_reason,ai_confidence"
    row = f"com.a.T,{quoted},3,{quoted},{quoted},true,{quoted},{quoted},0.9"
    path = tmp_path / "p.csv"
    path.write_text(f"{head}\n{row}\n", encoding="utf-8")
    app = review(path)
    card.open(app.url)
    card.press("y").press("Enter").until(phase="revealed")
    page.wait_for_selector("[data-labkit='ai'][data-hidden='false']")
    assert attack in page.inner_text(".lk-title")
    assert attack in page.inner_text("[data-labkit='ai']")
    page.click("[data-tab='results']")
    page.wait_for_selector(".lk-table")
    assert page.evaluate("window.hacked") is None
    assert page.query_selector_all("img[src='x']") == []


def test_several_reviewers_have_a_page_each_and_the_lead_alone_has_results(
    predictions: Path, review: Callable[..., Any], card: Any, page: Page, tmp_path: Path
) -> None:
    study = tmp_path / "team.study"
    labkit("init", predictions, "--study", study, "--reviewers", "ada,bea", "--sample", "20")
    config = study / "study.yaml"
    config.write_text(re.sub(r"(?m)^lead:.*$", "lead: ada", config.read_text()))
    app = review(study, reviewer=None)
    end = time.monotonic() + 10
    while len(app.lines) < 3 and time.monotonic() < end:
        time.sleep(0.05)
    pages = dict(line.split() for line in app.lines)
    assert list(pages) == ["ada", "bea", "lead"]
    assert pages["lead"] == pages["ada"]
    response = page.goto(pages["bea"].partition("?")[0])
    assert "token" not in page.url
    assert response is not None
    assert page.query_selector("[data-labkit='card']") is None
    card.open(pages["bea"])
    assert page.query_selector("[data-tab='results']") is None
    page.context.set_extra_http_headers({"X-Labkit-Reviewer": "ada"})
    card.press("n").until(saved=1)
    page.reload()
    page.wait_for_selector("[data-labkit='card']")
    assert card.hook("saved") == "1"
    with Study.open(study) as opened:
        assert {d.reviewer for d in opened.decisions()} == {"bea"}
    other = page.context.browser.new_context().new_page()
    other.goto(pages["ada"])
    other.wait_for_selector("[data-tab='results']")
    assert other.get_attribute("[data-labkit='card']", "data-saved") == "0"
    other.context.close()


def test_the_lead_settles_a_difference_on_a_card_of_its_own(
    tmp_path: Path, predictions: Path, review: Callable[..., Any], card: Any, page: Page
) -> None:
    study = tmp_path / "team.study"
    options = StudyOptions(sample=3, reviewers=("ada", "bea"), lead="ada")
    with Study.create(predictions, study, options=options) as made:
        for who, relevant in (("ada", True), ("bea", False)):
            person = made.review(who)
            tags = ["security"] if relevant else []
            for i in range(3):
                item = person.current or ""
                answer = {"relevant": relevant, "tags": tags}
                person.act(Act(f"{who}-{i}", item, "answer", answer))
                person.act(Act(f"{who}-k{i}", item, "keep"))
        assert len(made.disputed) == 3
    app = review(study, command="adjudicate")
    page.goto(app.url)
    page.wait_for_selector(".lk-desk [data-labkit='card']")
    assert len(page.query_selector_all("[data-labkit='card']")) == 1
    item = card.hook("item")
    box = page.wait_for_selector(".lk-desk [data-labkit='ai']")
    assert box.get_attribute("data-hidden") == "true"
    card.press("n").until(phase="revealed", item=item)
    shown = page.inner_text(".lk-desk [data-labkit='ai']")
    assert "ada" not in shown
    assert "bea" not in shown
    card.press("Enter")
    card.until(phase="answer", saved=1)
    assert card.hook("item") != item
    page.click("[data-action='desk-close']")
    page.wait_for_selector("text=Reviewers differ on 2 items")
    with Study.open(study) as opened:
        assert len(opened.disputed) == 2
        assert opened.settled()[item].final == {"relevant": False, "tags": ()}
