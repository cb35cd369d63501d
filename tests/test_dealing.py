"""A split sample: nobody gets another's item by accident, and nothing waits for ever."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from builders import YES, Reviewer, a_study
from hypothesis import given
from hypothesis import strategies as st

from labkit.queue import assign
from labkit.store.leasing import LEASE, claim, leases
from labkit.study import Study

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.study import Acted

ITEMS = [f"m{i}" for i in range(60)]


@given(st.floats(0, 1), st.integers(2, 5), st.integers(0, 99))
def test_every_item_is_dealt_once_or_to_everybody(overlap: float, n: int, seed: int) -> None:
    names = [f"r{i}" for i in range(n)]
    queues = assign(ITEMS, names, overlap=overlap, seed=seed)
    for item in ITEMS:
        assert sum(item in queue for queue in queues.values()) in {1, n}
    own = [sum(1 for i in q if sum(i in o for o in queues.values()) == 1) for q in queues.values()]
    assert max(own) - min(own) <= 1
    fewer = assign(ITEMS[:30], names, overlap=overlap, seed=seed)
    assert all(queues[name][: len(fewer[name])] == fewer[name] for name in names)


def later(study: Study, **more: Any) -> datetime:
    made = datetime.fromisoformat(study.store.studies()[0].created_at)
    return made + timedelta(**more)


def a_split(tmp_path: Path) -> Study:
    return a_study(tmp_path, 18, reviewers=("rev-1", "rev-2", "rev-3"), overlap=0.0)


def work_through(reviewer: Reviewer, at: datetime) -> list[str]:
    """Answer until nothing is left; the items answered."""
    done = []
    while (item := reviewer.review.current) is not None:
        reviewer.at = at
        acted: Acted = reviewer.answer(YES, item)
        done.append(item)
        assert acted.saved
    return done


def test_items_of_somebody_who_stays_away_come_back_after_a_day(tmp_path: Path) -> None:
    study = a_split(tmp_path)
    one = Reviewer(study.review("rev-1"))
    assert len(work_through(one, later(study, hours=1))) == 6
    assert not one.review.take_over(now=later(study, hours=23))
    assert one.review.take_over(now=later(study, hours=25))
    taken = [view["item"] for view in one.review.window(9)]
    assert len(taken) == 5
    two, three = study.review("rev-2"), study.review("rev-3")
    assert not {view["item"] for view in (*two.window(9), *three.window(9))} <= set(taken)


def test_an_item_is_lent_to_one_person_at_a_time(tmp_path: Path) -> None:
    study = a_split(tmp_path)
    other = Study.open(study.folder)
    early, late = later(study, hours=1), later(study, hours=26)
    one, two = Reviewer(study.review("rev-1")), Reviewer(other.review("rev-2"))
    work_through(one, early)
    work_through(two, early)
    assert one.review.take_over(now=late)
    assert two.review.take_over(now=late)
    own = set(study.review("rev-3").queue)
    lent = [{i for i in r.review.queue if i in own} for r in (one, two)]
    assert [len(part) for part in lent] == [5, 1]
    assert lent[0] | lent[1] == own
    assert set(leases(study.store, study._row, now=late).values()) == {"rev-1", "rev-2"}
    assert leases(study.store, study._row, now=late + LEASE) == {}


def test_whoever_comes_back_is_not_asked_what_somebody_else_answers(tmp_path: Path) -> None:
    study = a_split(tmp_path)
    one = Reviewer(study.review("rev-1"))
    work_through(one, later(study, hours=1))
    now = datetime.now(UTC)
    wanted = study.review("rev-3").queue[:2]
    assert claim(study.store, study._row, wanted, reviewer="rev-1", most=1, now=now) == wanted[:1]
    study.close()
    with Study.open(study.folder) as again:
        one, three = Reviewer(again.review("rev-1")), Reviewer(again.review("rev-3"))
        assert one.review.current == wanted[0]
        assert three.review.current == wanted[1]
        one.answer(YES)
        assert wanted[0] not in work_through(three, later(study, hours=2))
        assert len({label.item for label in again.labels()}) == 12
        assert again.disputed == ()


@pytest.mark.parametrize("overlap", [None, 1.0])
def test_where_everybody_gets_everything_nothing_is_lent(
    tmp_path: Path, overlap: float | None
) -> None:
    study = a_study(tmp_path, 6, reviewers=("rev-1", "rev-2"), overlap=overlap)
    one = Reviewer(study.review("rev-1"))
    assert len(work_through(one, later(study, hours=1))) == 6
    assert not one.review.take_over(now=later(study, days=9))
