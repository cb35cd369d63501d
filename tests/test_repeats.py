"""Items shown a second time: blind again, for agreement with oneself, and for nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from builders import NO, YES, a_reviewer, a_study
from hypothesis import given
from hypothesis import strategies as st

from labkit.queue import AGAIN, GAP, with_repeats
from labkit.study import Study
from labkit.systems.agreement import agree

if TYPE_CHECKING:
    from pathlib import Path


@given(st.integers(0, 80), st.floats(0, 1), st.integers(0, 9))
def test_a_repeat_comes_later_and_at_a_distance(n: int, share: float, seed: int) -> None:
    items = [f"m{i}" for i in range(n)]
    queue, repeats = with_repeats(items, share, seed=seed)
    assert [entry for entry in queue if entry not in repeats] == items
    assert sorted(queue) == sorted([*items, *repeats])
    place = {entry: i for i, entry in enumerate(queue)}
    for again, item in repeats.items():
        between = [e for e in queue[place[item] + 1 : place[again]] if e not in repeats]
        assert len(between) == min(GAP, n - 1 - items.index(item))


def test_no_share_makes_no_repeats() -> None:
    assert with_repeats(["a", "b"], 0.0, seed=1) == (("a", "b"), {})


def all_repeated(tmp_path: Path, protocol: str) -> Study:
    study = a_study(tmp_path, 20, sample=4, protocol=protocol)
    study.close()
    text = (study.folder / "study.yaml").read_text()
    (study.folder / "study.yaml").write_text(text + "repeats: 1\n")
    return Study.open(study.folder)


def test_second_answers_change_no_number(tmp_path: Path) -> None:
    study = all_repeated(tmp_path, "blind-first")
    reviewer = a_reviewer(study)
    assert len(reviewer.review.queue) == 8
    for _ in range(4):
        reviewer.answer(YES)
    before = (study.labels(answer="any"), study.counted(), study.estimates(), study.status())
    saved = reviewer.review.progress()["saved"]
    for i in range(4):
        item = reviewer.review.current
        assert item is not None
        assert item.endswith(AGAIN)
        view = reviewer.review.view(item)
        assert (view["item"], view["phase"], view["ai"], view["answer"]) == (
            item,
            "answer",
            None,
            None,
        )
        acted = reviewer.act("answer", item, answer=NO if i == 0 else YES)
        assert acted.item is not None
        assert (acted.item["phase"], acted.saved, acted.item["ai"]) == ("done", saved, None)
    assert reviewer.review.current is None
    after = (study.labels(answer="any"), study.counted(), study.estimates(), study.status())
    assert after == before
    study.close()
    with Study.open(study.folder) as again:
        assert again.labels(answer="any") == before[0]
        assert again.stale == ()
        assert [(one.item, one.revealed) for one in again.repeated()] == [
            (item, True) for item in again.sample.items
        ]
        assert again.repeated()[0].again == {"relevant": False, "tags": ()}
        person = a_reviewer(again)
        undone = person.act("undo")
        assert undone.item is not None
        assert undone.item["item"] == again.sample.items[3] + AGAIN
        assert len(again.repeated()) == 3
        assert person.act("redo").next is None
    (row,) = agree([study.folder]).data["repeats"]
    assert (row["reviewer"], row["n"], row["percent"]) == ("rev-1", 4, 0.75)
    assert row["kind"] == "intra-rater, after reveal"


def test_under_blind_a_repeat_is_plain_intra_rater_agreement(tmp_path: Path) -> None:
    study = all_repeated(tmp_path, "blind")
    reviewer = a_reviewer(study)
    for _ in range(8):
        reviewer.act("answer", answer=YES)
    assert not any(one.revealed for one in study.repeated())
    study.close()
    report = agree([study.folder]).data
    assert json.loads(json.dumps(report["repeats"]))[0]["kind"] == "intra-rater"
