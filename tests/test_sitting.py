"""What is said to the browser in answer to what it says."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from labkit.study import Study
from labkit.studyoptions import StudyOptions
from labkit_widgets.sitting import Sitting, failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARK = "MARK"
NO = {"relevant": False, "tags": []}


def write_predictions(path: Path, n: int = 8, *, flipped: bool = False) -> Path:
    """Predictions of ``n`` methods; flipped, everything that the AI said is another."""
    head = "fqcn,method,loc,tags,display_name,ai_security_relevant,ai_tags,ai_reason,ai_confidence"
    rows = []
    for i in range(n):
        said = (i % 2 == 0) != flipped
        tags = "security;auth" if said else ""
        sure = 0.9 if said else 0.1
        reason = f"{'B' if flipped else 'A'}{MARK}{i}"
        rows.append(
            f"com.a.T,m{i},{i + 3},unit,name {i},{str(said).lower()},{tags},{reason},{sure}"
        )
    path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    return path


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(write_predictions(tmp_path / "p.csv"), tmp_path / "p.study") as made:
        yield made


class Page:
    """The browser's side of a sitting, as far as a test needs it."""

    def __init__(self, study: Study, reviewer: str = "ada", first_act: int = 0) -> None:
        numbers, self.acts = count(), count(first_act)
        self.sitting = Sitting(study, reviewer, nonce=lambda: f"nonce-{next(numbers)}")
        self.items: dict[str, dict[str, Any]] = {}
        self.at: str | None = None
        self.log: list[dict[str, Any]] = []

    def say(self, **message: Any) -> list[dict[str, Any]]:
        replies = list(self.sitting.hear(message))
        json.dumps(replies)
        self.log += replies
        for reply in replies:
            views = reply.get("items", []) if reply["type"] == "items" else [reply.get("view")]
            self.items |= {view["item"]: view for view in views if view}
            if reply["type"] == "place":
                self.at = reply["at"]
            if reply["type"] == "ack":
                self.at = reply["next"]
        return replies

    def open(self, *acts: dict[str, Any]) -> Page:
        self.say(type="hello")
        self.say(type="ready", acts=list(acts))
        return self

    def act(self, kind: str, answer: object = None, **more: Any) -> list[dict[str, Any]]:
        item = self.at or ""
        nonce = self.items[item]["nonce"] if item else ""
        message = {"uuid": f"u{next(self.acts)}", "item": item, "nonce": nonce, "kind": kind}
        return self.say(**({"type": "act", "answer": answer, **message} | more))


def types(replies: list[dict[str, Any]]) -> list[str]:
    return [reply["type"] for reply in replies]


def test_before_the_first_answer_nothing_of_the_ai_is_said(study: Study) -> None:
    page = Page(study).open()
    assert types(page.log)[:3] == ["welcome", "items", "place"]
    assert MARK not in json.dumps(page.log)
    assert not any("ai" in view for view in page.items.values())


def test_the_reveal_comes_with_the_acknowledgement_of_a_stored_answer(study: Study) -> None:
    page = Page(study).open()
    first = page.at
    replies = page.act("answer", NO)
    assert types(replies)[:2] == ["reveal", "ack"]
    assert replies[0]["item"] == first
    assert [d.kind for d in study.decisions()] == ["answer", "reveal"]
    assert replies[1]["saved"] == 1
    assert replies[1]["view"]["phase"] == "revealed"


def test_two_studies_that_differ_in_the_ai_alone_say_the_same_but_for_reveals_and_numbers(
    tmp_path: Path,
) -> None:
    said = []
    for name, flipped in (("one", False), ("two", True)):
        folder = tmp_path / name
        folder.mkdir()
        predictions = write_predictions(folder / "p.csv", flipped=flipped)
        with Study.create(predictions, folder / "p.study") as made:
            page = Page(made).open()
            for _ in range(8):
                page.act("answer", NO)
                page.act("keep")
            said.append([m for m in page.log if m["type"] not in {"reveal", "progress"}])
            said[-1][0]["study"]["key"] = "ID"
    assert json.dumps(said[0]) == json.dumps(said[1])
    assert MARK not in json.dumps(said)


def test_an_item_that_was_not_offered_cannot_be_answered(study: Study) -> None:
    page = Page(study).open()
    hidden = next(item for item in study.items if item not in page.items)
    replies = page.act("answer", NO, item=hidden, nonce="")
    assert types(replies) == ["refused"]
    assert study.decisions() == []


def test_a_late_answer_for_an_earlier_painting_is_refused_and_the_item_comes_back(
    study: Study,
) -> None:
    page = Page(study).open()
    replies = page.act("answer", NO, nonce="nonce-of-another-page")
    assert types(replies) == ["refused"]
    assert replies[0]["view"]["item"] == page.at
    assert not replies[0]["retry"]
    assert study.decisions() == []


def test_the_same_act_sent_twice_is_stored_once_and_acknowledged_twice(study: Study) -> None:
    page = Page(study).open()
    nonce, item = page.items[page.at or ""]["nonce"], page.at
    for _ in range(2):
        replies = page.act("answer", NO, uuid="same", item=item, nonce=nonce)
        assert "ack" in types(replies)
    assert [d.kind for d in study.decisions()] == ["answer", "reveal"]


def test_an_answer_outside_the_codebook_is_refused(study: Study) -> None:
    page = Page(study).open()
    replies = page.act("answer", {"relevant": True, "tags": ["<img src=x>"]})
    assert types(replies) == ["refused"]
    assert "codebook" in replies[0]["message"]


def test_what_an_earlier_page_could_not_store_is_stored_once(study: Study) -> None:
    page = Page(study).open()
    lost = {"uuid": "lost", "item": page.at, "nonce": "gone", "kind": "answer", "answer": NO}
    for _ in range(2):
        page = Page(study).open(lost)
        assert page.log[-2]["acked"] == ["lost"]
    assert [d.kind for d in study.decisions()] == ["answer", "reveal"]
    assert page.log[-2]["saved"] == 1


def test_a_new_page_resumes_at_the_same_item_with_the_same_undo(study: Study) -> None:
    page = Page(study).open()
    page.act("answer", NO)
    page.act("keep")
    page.act("answer", NO)
    again = Page(study, first_act=100).open()
    assert again.at == page.at
    place = next(m for m in again.log if m["type"] == "place")
    assert (place["saved"], place["undo"], place["redo"]) == (2, True, False)
    again.act("undo", item="", nonce="")
    assert study.review("ada").progress()["saved"] == 1


def test_what_an_undone_answer_revealed_is_in_view_but_is_no_suggestion(study: Study) -> None:
    page = Page(study).open()
    page.act("answer", NO)
    undone = page.act("undo")
    (reveal,) = [m for m in undone if m["type"] == "reveal"]
    assert (undone[1]["view"]["phase"], reveal["ai"]["suggested"]) == ("answer", False)


def test_undo_with_nothing_to_undo_is_acknowledged(study: Study) -> None:
    page = Page(study).open()
    assert "ack" in types(page.act("undo"))
    assert "ack" in types(page.act("undo", item="", nonce=""))


def test_the_neighbours_can_be_visited_and_an_answer_changed_there(study: Study) -> None:
    page = Page(study).open()
    first = page.at
    page.act("answer", NO)
    page.act("keep")
    page.say(type="visit", where="previous", item=page.at)
    assert page.at == first
    replies = page.act("revise", {"relevant": True, "tags": ["auth"]})
    assert "ack" in types(replies)
    assert study.labels()[0].final == {"relevant": True, "tags": ("auth",)}


def test_the_end_is_told_and_can_be_undone(study: Study) -> None:
    page = Page(study).open()
    while page.at:
        page.act("answer", NO)
        page.act("keep")
    assert Page(study, first_act=100).open().at is None
    page.act("undo", item="", nonce="")
    assert page.at is not None


def test_under_blind_nothing_is_ever_revealed(tmp_path: Path) -> None:
    options = StudyOptions(protocol="blind")
    predictions = write_predictions(tmp_path / "p.csv")
    with Study.create(predictions, tmp_path / "s", options=options) as made:
        page = Page(made).open()
        assert page.log[0]["study"]["pending"] == 5
        while page.at:
            page.act("answer", NO)
        assert "reveal" not in types(page.log)
        assert MARK not in json.dumps(page.log)


def test_assisted_shows_the_suggestion_and_keep_accepts_it(tmp_path: Path) -> None:
    options = StudyOptions(protocol="assisted")
    predictions = write_predictions(tmp_path / "p.csv")
    with Study.create(predictions, tmp_path / "s", options=options) as made:
        page = Page(made).open()
        assert page.at in {m["item"] for m in page.log if m["type"] == "reveal"}
        assert all(m["ai"]["suggested"] for m in page.log if m["type"] == "reveal")
        page.act("keep")
        assert made.labels()[0].basis == "assisted"


def test_results_are_sent_while_their_tab_is_open(study: Study) -> None:
    page = Page(study).open()
    assert "results" not in types(list(page.sitting.news()))
    page.act("answer", NO)
    replies = page.say(type="tab", tab="results")
    results = replies[-1]
    assert results["type"] == "results"
    assert sum(results["counts"].values()) == results["n"] == 1
    assert results["counts"] == {
        cell: study.counted()["relevance"][cell] for cell in ("tp", "fp", "fn", "tn")
    }


def test_what_breaks_is_told_without_its_own_words() -> None:
    lost = failure({"type": "act", "uuid": "u1"}, RuntimeError("ai said MARK"))
    assert lost["retry"]
    assert MARK not in json.dumps(lost)
    assert failure({"type": "hello"}, ValueError(MARK))["type"] == "fatal"
    assert "problem" in failure({"type": "write"}, ValueError(MARK))


def test_the_list_knows_states_names_and_places_and_nothing_of_the_ai(study: Study) -> None:
    page = Page(study).open()
    answered = page.at
    page.act("answer", NO, note="clear from the name")
    page.act("keep")
    page.act("skip")

    def listed(text: str = "", state: str = "all") -> list[str]:
        reply = page.say(type="find", text=text, state=state)[0]
        assert MARK not in json.dumps(reply)
        return [row["item"] for row in reply["items"]]

    assert len(listed()) == 8
    assert listed(state="answered") == [answered]
    assert len(listed(state="open")) == 6
    assert listed("M3 com.a") == ["com.a.T#m3"]
    assert listed("2") == list(dict.fromkeys([study.review("ada").queue[1], "com.a.T#m2"]))
    assert listed("nowhere") == listed(state="flagged") == listed(state="'; drop") == []
    assert Page(study).open().log[0]["study"]["notes"] == ["clear from the name"]


def test_an_item_outside_the_sample_can_be_found_and_labelled(tmp_path: Path) -> None:
    options = StudyOptions(sample=3)
    predictions = write_predictions(tmp_path / "p.csv")
    with Study.create(predictions, tmp_path / "s", options=options) as made:
        page = Page(made).open()
        rows = page.say(type="find", text="", state="all")[0]["items"]
        outside = [row["item"] for row in rows if row["place"] is None]
        assert len(outside) == 5
        page.say(type="visit", where="item", item=outside[0])
        assert page.at == outside[0]
        replies = page.act("answer", NO)
        assert "ack" in types(replies)
        assert made.labels()[0].inclusion_probability is None


def test_more_lines_are_shown_of_an_item_on_offer_and_of_no_other(tmp_path: Path) -> None:
    source = tmp_path / "src" / "com" / "a"
    source.mkdir(parents=True)
    body = "\n".join(f"    void m{i}() {{\n    }}\n" for i in range(40))
    (source / "T.java").write_text(f"class T {{\n{body}\n}}\n", encoding="utf-8")
    options = StudyOptions(source=tmp_path / "src")
    predictions = write_predictions(tmp_path / "p.csv")
    with Study.create(predictions, tmp_path / "s", options=options) as made:
        page = Page(made).open()
        near = len(page.items[page.at or ""]["code"]["lines"])
        replies = page.say(type="context", item=page.at, lines=50)
        assert len(replies[0]["code"]["lines"]) > near
        hidden = next(item for item in made.items if item not in page.items)
        assert page.say(type="context", item=hidden, lines=50) == []
        assert page.say(type="context", item="/etc/passwd", lines=50) == []
        assert types(page.say(type="context", item=page.at, lines="all")) == ["refused"]


def test_the_rest_can_be_drawn_behind_the_sample_by_whoever_leads(tmp_path: Path) -> None:
    predictions = write_predictions(tmp_path / "p.csv")
    options = StudyOptions(sample=3)
    with Study.create(predictions, tmp_path / "s", options=options) as made:
        page = Page(made).open()
        before = made.review("ada").queue
        page.act("answer", NO)
        assert page.log[0]["study"]["outside"] == 5
        welcome = page.say(type="extend")[0]["study"]
        assert (welcome["sampled"], welcome["outside"], welcome["fresh"]) == (8, 0, False)
        page.say(type="ready", acts=[])
        assert page.at == before[0]
        grown = page.sitting.study.review("ada")
        assert grown.queue[:3] == before
        assert page.say(type="extend") == []
        page.sitting.study.close()


@pytest.mark.parametrize(
    ("results", "tabs"),
    [
        ("", ["review", "results", "export"]),
        ("results: lead", ["review", "results", "export"]),
        ("results: done", ["review", "export"]),
    ],
)
def test_who_sees_results_is_for_study_yaml_to_say(
    tmp_path: Path, results: str, tabs: list[str]
) -> None:
    Study.create(write_predictions(tmp_path / "p.csv"), tmp_path / "s").close()
    config = tmp_path / "s" / "study.yaml"
    config.write_text(f"{config.read_text()}{results}\n")
    with Study.open(tmp_path / "s") as made:
        assert Sitting(made, "ada").tabs == tabs
        assert Sitting(made, "ada", tabbed=False).tabs == ["review"]


def a_team(tmp_path: Path) -> Study:
    """Two reviewers who differ on everything they both answered."""
    options = StudyOptions(reviewers=("ada", "bea"), lead="ada")
    made = Study.create(write_predictions(tmp_path / "p.csv"), tmp_path / "s", options=options)
    yes = {"relevant": True, "tags": ["auth"]}
    for who, answer, first in (("ada", NO, 0), ("bea", yes, 100)):
        page = Page(made, who, first_act=first).open()
        for _ in range(3):
            page.act("answer", answer)
            page.act("keep")
    return made


def test_differences_are_settled_answer_first_without_names(tmp_path: Path) -> None:
    with a_team(tmp_path) as made:
        page = Page(made, "ada", first_act=200).open()
        assert page.log[0]["study"]["tabs"] == ["review", "results", "reviewers", "export"]
        team = page.say(type="tab", tab="reviewers")[-1]
        assert (team["type"], team["disputed"]) == ("team", 3)
        assert [row["name"] for row in team["reviewers"]] == ["ada", "bea"]

        def desk(**message: Any) -> list[dict[str, Any]]:
            replies = page.say(type="desk", message=message)
            return [reply["reply"] for reply in replies if reply["type"] == "desk"]

        said = desk(type="hello") + desk(type="ready", acts=[])
        place = said[-1]
        views = {view["item"]: view for view in said[-2]["items"]}
        assert not {"ada", "bea"} & set(json.dumps(said[1:]).replace('"', " ").split())
        assert "answers" not in views[place["at"]]
        act = {"type": "act", "item": place["at"], "nonce": views[place["at"]]["nonce"]}
        refused = desk(**act, uuid="d0", kind="keep")
        assert types(refused) == ["refused"]
        replies = desk(**act, uuid="d1", kind="answer", answer=NO)
        reveal = next(reply for reply in replies if reply["type"] == "reveal")
        assert len(reveal["ai"]["answers"]) == 2
        assert reveal["ai"]["agrees"]
        assert len(made.disputed) == 3, "nothing is stored before it is kept"
        settled = desk(**act, uuid="d2", kind="keep")[-1]
        assert settled["saved"] == 1
        assert len(made.disputed) == 2
        assert desk(type="act", uuid="d3", item="", nonce="", kind="undo")[-1]["saved"] == 0
        assert len(made.disputed) == 3


def test_only_the_lead_has_the_desk(tmp_path: Path) -> None:
    with a_team(tmp_path) as made:
        page = Page(made, "bea", first_act=300).open()
        assert page.log[0]["study"]["tabs"] == ["review"]
        assert page.say(type="desk", message={"type": "hello"}) == []
        assert page.say(type="extend") == []


SCAN = {
    "version": "2.1.0",
    "runs": [
        {
            "tool": {"driver": {"name": "scanner"}},
            "results": [
                {"ruleId": f"R{i}", "level": "error", "message": {"text": f"told {i}"}}
                for i in range(3)
            ],
        }
    ],
}


def test_a_scan_is_offered_as_sarif_first_and_previewed_without_what_is_not_reviewed(
    tmp_path: Path,
) -> None:
    scan = tmp_path / "scan.json"
    scan.write_text(json.dumps(SCAN, indent=2), encoding="utf-8")
    with Study.create(scan, tmp_path / "s") as made:
        page = Page(made).open()
        assert [e["format"] for e in page.log[0]["study"]["exports"]] == ["sarif", "csv", "jsonl"]
        page.act("answer", {"valid": False})
        shown = page.say(type="preview", format="sarif")[0]
        assert "suppressions" in shown["diff"]
        assert "level" not in shown["diff"]
        written = page.say(type="write", format="sarif", token=shown["token"])[0]
        assert written["type"] == "written"


def test_a_preview_that_is_asked_for_twice_may_still_be_written(study: Study) -> None:
    page = Page(study).open()
    page.act("answer", NO)
    first = page.say(type="preview", format="csv")[0]
    page.say(type="preview", format="csv")
    assert page.say(type="write", format="csv", token=first["token"])[0]["type"] == "written"
