"""One reviewer's pass: what may be stored, and what follows from what was stored."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.codebook import BadChoice
from labkit.errors import ChoiceError
from labkit.model import Act, Decision, Question, Task
from labkit.protocol import BlindAccept, Pass, UnknownItem

NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
TASK = Task(
    "methodatlas",
    (
        Question("relevant", "binary", "Relevant?", ("yes", "no")),
        Question("tags", "tags", "Tags?", ("security", "auth")),
    ),
    ("security",),
)
YES = {"relevant": True, "tags": ("security",)}
NO: dict[str, Any] = {"relevant": False, "tags": ()}
AI = {"m0": YES, "m1": NO, "m2": YES, "m3": NO, "m4": YES}
QUEUE = tuple(AI)


def a_pass(**options: Any) -> Pass:
    return Pass(QUEUE, TASK, **{"suggestion": AI.get, **options})


class Player:
    """Decides and folds, as a study does; ``log`` is what was stored."""

    def __init__(self, **options: Any) -> None:
        self.done = a_pass(**options)
        self.log: list[Decision] = []
        self.at = NOON

    def act(self, kind: str, item: str = "", answer: Any = None, **more: Any) -> tuple[str, ...]:
        self.at += timedelta(seconds=2)
        act = Act(f"a{len(self.log)}-{self.at}", item, kind, answer, elapsed_ms=2000, **more)
        made = self.done.decide(act, at=self.at, reviewer="rev-1")
        for decision in made:
            stored = replace(decision, seq=len(self.log) + 1)
            self.log.append(stored)
            self.done.fold(stored)
        return tuple(d.kind for d in made)


def state(done: Pass) -> dict[str, Any]:
    """Everything that a card could show."""
    return {
        "items": {
            item: (
                done.phase(item),
                done.shown(item),
                done.standing(item).answer,
                bool(done.standing(item).skipped),
                done.first(item),
                done.flagged(item),
            )
            for item in QUEUE
        },
        "counts": (*vars(done.tally).values(), done.flags, done.agenda.left),
        "current": done.current,
        "next": done.next_open(),
        "undo": done.undo_target,
        "redo": done.redo_target,
    }


def test_blind_first_stores_the_reveal_with_the_answer_and_waits_for_the_keep() -> None:
    p = Player()
    assert p.act("answer", "m0", YES) == ("answer", "reveal")
    assert p.log[1].answer == YES
    assert p.log[1].revealed_at == p.at
    assert (p.done.phase("m0"), p.done.current, p.done.saved) == ("revealed", "m0", 1)
    p.act("keep", "m0")
    assert (p.done.phase("m0"), p.done.current, p.done.saved) == ("done", "m1", 1)


def test_one_undo_takes_back_the_keep_the_next_the_answer_and_the_box_stays_open() -> None:
    p = Player()
    p.act("answer", "m0", NO)
    p.act("keep", "m0")
    p.act("undo")
    assert (p.done.phase("m0"), p.done.saved) == ("revealed", 1)
    p.act("undo")
    assert (p.done.phase("m0"), p.done.saved, p.done.shown("m0")) == ("answer", 0, True)
    assert p.done.first("m0") == p.log[0], "metrics go on using the blind first answer"
    assert p.act("undo") == ()
    p.act("redo")
    p.act("redo")
    assert (p.done.phase("m0"), p.done.current) == ("done", "m1")


def test_what_is_answered_after_the_reveal_says_so_and_the_first_answer_stays() -> None:
    p = Player()
    p.act("answer", "m0", NO)
    p.act("undo")
    p.act("answer", "m0", YES)
    assert p.log[-1].suggestion_shown
    assert not p.log[0].suggestion_shown
    first, final = p.done.first("m0"), p.done.final("m0")
    assert first is not None
    assert final is not None
    assert (first.answer, final.answer) == (NO, YES)
    assert p.done.phase("m0") == "done"


def test_a_second_reveal_in_the_log_never_moves_the_first_answer() -> None:
    p = Player()
    p.act("answer", "m0", NO)
    p.act("undo")
    p.act("answer", "m0", YES)
    p.done.fold(replace(p.log[1], event_uuid="again", seq=9))
    first = p.done.first("m0")
    assert first is not None
    assert first.answer == NO


def test_under_blind_an_undone_item_is_open_and_still_blind() -> None:
    p = Player(protocol="blind")
    assert p.act("answer", "m0", YES) == ("answer",)
    p.act("answer", "m1", NO)
    for _ in range(3):
        p.act("undo")
    assert (p.done.saved, p.done.shown("m0"), p.done.current) == (0, False, "m0")
    p.act("redo")
    assert (p.done.saved, p.done.phase("m0"), p.done.phase("m1")) == (1, "done", "answer")


def test_a_new_answer_ends_the_redo_chain() -> None:
    p = Player(protocol="blind")
    p.act("answer", "m0", YES)
    p.act("undo")
    p.act("answer", "m1", YES)
    assert p.done.redo_target is None
    assert p.act("redo") == ()


def test_skipped_items_come_back_at_the_end_the_oldest_first() -> None:
    p = Player(protocol="blind")
    p.act("skip", "m0")
    p.act("skip", "m1")
    for item in ("m2", "m3", "m4"):
        assert p.done.current == item
        p.act("answer", item, YES)
    assert p.done.current == "m0"
    p.act("skip", "m0")
    assert p.done.current == "m1"
    p.act("answer", "m1", YES)
    p.act("answer", "m0", YES)
    assert (p.done.current, p.done.agenda.left, p.done.tally.skipped) == (None, 0, 0)


def test_reveal_disagreement_stops_only_where_reviewer_and_ai_differ() -> None:
    p = Player(reveal="disagreement")
    p.act("answer", "m0", YES)
    assert (p.done.phase("m0"), p.done.current) == ("done", "m1")
    p.act("answer", "m1", YES)
    assert (p.done.phase("m1"), p.done.current) == ("revealed", "m1")


def test_an_unsure_answer_counts_as_stored_and_shows_the_ai() -> None:
    p = Player()
    assert p.act("unsure", "m0", note="two readings") == ("unsure", "reveal")
    assert (p.done.saved, p.done.tally.unsure, p.done.note("m0")) == (1, 1, "two readings")
    p.act("revise", "m0", YES)
    first, final = p.done.first("m0"), p.done.final("m0")
    assert first is not None
    assert final is not None
    assert (first.answer, final.answer, p.done.tally.unsure) == (None, YES, 0)


def test_an_item_without_an_ai_answer_has_nothing_to_reveal() -> None:
    p = Player(suggestion={}.get)
    assert p.act("answer", "m0", YES) == ("answer",)
    assert p.done.phase("m0") == "done"


def test_assisted_shows_the_suggestion_and_one_act_accepts_it() -> None:
    p = Player(protocol="assisted")
    assert p.done.shown("m0")
    assert p.act("keep", "m0") == ("answer",)
    assert p.log[0].answer == YES
    assert p.log[0].suggestion_shown


@pytest.mark.parametrize(
    ("kind", "item", "answer", "error", "sentence"),
    [
        ("keep", "m0", None, BlindAccept, "nothing to accept"),
        ("answer", "m9", YES, UnknownItem, "'m9' is not part"),
        ("answer", "m0", {"relevant": True, "tags": ("made-up",)}, BadChoice, "not in the code"),
        ("answer", "m0", {"relevant": True}, BadChoice, "not answered yet"),
        ("answer", "m0", {"relevant": "yes", "tags": ()}, BadChoice, "neither true nor false"),
        ("answer", "m0", {"relevant": False, "tags": ("auth",)}, BadChoice, "take one back"),
        ("answer", "m0", {**NO, "admin": 1}, BadChoice, "'admin': it is not asked"),
        ("answer", "m0", None, BadChoice, "no answer"),
        ("revise", "m0", YES, ChoiceError, "no answer to change"),
        ("reveal", "m0", None, ChoiceError, "no act"),
    ],
)
def test_what_cannot_be_recorded_is_refused_in_a_sentence(
    kind: str, item: str, answer: Any, error: type[ChoiceError], sentence: str
) -> None:
    p = Player()
    with pytest.raises(error, match=sentence):
        p.act(kind, item, answer)
    assert p.log == []


def test_an_answered_item_is_neither_answered_again_nor_skipped() -> None:
    p = Player()
    p.act("answer", "m0", YES)
    for kind in ("answer", "skip", "unsure"):
        with pytest.raises(ChoiceError, match="is answered"):
            p.act(kind, "m0", YES)


def test_the_same_act_twice_is_one_decision() -> None:
    done = a_pass(protocol="blind")
    act = Act("same", "m0", "answer", YES)
    (made,) = done.decide(act, at=NOON, reviewer="rev-1")
    done.fold(made)
    assert done.decide(act, at=NOON, reviewer="rev-1") == ()
    done.fold(made)
    assert done.saved == 1


def test_the_place_in_the_log_decides_not_the_clock() -> None:
    """Times around the end of summer time: the last row of the log stands."""
    p = Player(protocol="blind")
    times = ["2026-10-25T02:30:00+02:00", "2026-10-25T02:10:00+01:00", "2026-10-24T23:59:00+00:00"]
    for kind, answer, text in zip(
        ("answer", "revise", "revise"), (YES, NO, YES), times, strict=True
    ):
        p.at = datetime.fromisoformat(text)
        p.act(kind, "m0", answer)
    final = p.done.final("m0")
    assert final is not None
    assert final.answer == YES


ACTS = st.tuples(
    st.sampled_from(
        ["answer", "answer", "keep", "revise", "skip", "unsure", "flag", "undo", "undo", "redo"]
    ),
    st.sampled_from(QUEUE),
    st.sampled_from([YES, NO]),
)
SETTINGS = st.fixed_dictionaries(
    {
        "protocol": st.sampled_from(["blind-first", "blind", "assisted", "randomised"]),
        "reveal": st.sampled_from(["always", "disagreement"]),
        "arms": st.sampled_from([{}, {"m1": "assisted", "m2": "blind-first"}]),
    }
)


def play(player: Player, acts: list[tuple[str, str, Any]]) -> None:
    for kind, item, answer in acts:
        try:
            player.act(kind, item, answer)
        except ChoiceError:
            continue


@given(options=SETTINGS, acts=st.lists(ACTS, max_size=40))
@settings(max_examples=200, deadline=None)
def test_a_pass_replayed_from_its_log_is_the_live_one(
    options: dict[str, Any], acts: list[tuple[str, str, Any]]
) -> None:
    player = Player(**options)
    play(player, acts)
    again = a_pass(**options)
    for decision in player.log:
        again.fold(decision)
    assert state(again) == state(player.done)
    answered = {i for i in QUEUE if player.done.standing(i).answer is not None}
    assert player.done.saved == len(answered)


@given(options=SETTINGS, acts=st.lists(ACTS, max_size=30))
@settings(max_examples=200, deadline=None)
def test_redo_after_undo_changes_nothing(
    options: dict[str, Any], acts: list[tuple[str, str, Any]]
) -> None:
    player = Player(**options)
    play(player, acts)
    before = state(player.done)
    steps = 0
    while player.act("undo"):
        steps += 1
    assert player.done.saved == 0
    after_all = [player.act("redo") for _ in range(steps)]
    assert ("redo",) * 1 in after_all or steps == 0
    now = state(player.done)
    for key in ("current", "redo"):
        before.pop(key)
        now.pop(key)
    assert now == before


@given(acts=st.lists(ACTS, max_size=30), other=st.sampled_from([{}, dict.fromkeys(QUEUE, NO)]))
@settings(max_examples=150, deadline=None)
def test_before_the_first_answer_a_pass_never_depends_on_the_ai(
    acts: list[tuple[str, str, Any]], other: dict[str, Any]
) -> None:
    """Until the first reveal two passes over different predictions are alike."""
    left, right = Player(), Player(suggestion=other.get)
    for kind, item, answer in acts:
        made = []
        for player in (left, right):
            try:
                made.append(player.act(kind, item, answer))
            except ChoiceError as error:
                made.append((str(error),))
        if any("reveal" in kinds for kinds in made):
            break
        assert made[0] == made[1]
        assert state(left.done) == state(right.done)
