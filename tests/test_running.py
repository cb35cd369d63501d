"""Headline numbers that follow the labels are the numbers of a study that is opened anew."""

from __future__ import annotations

import random
import statistics
from typing import TYPE_CHECKING

from builders import NO, NOON, YES, a_reviewer, a_study
from hypothesis import given
from hypothesis import strategies as st

from labkit import numbers
from labkit.disputes import Disputes
from labkit.estimation.estimates import estimate
from labkit.model import Act
from labkit.running import median_of
from labkit.study import Study

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from labkit.estimation.estimates import Estimate

KINDS = ("answer", "answer", "answer", "unsure", "skip", "undo", "undo", "redo", "flag", "revise")
BACK = ("undo", "redo", "flag")


def anew(study: Study) -> tuple[Estimate, ...]:
    """The headlines, made of every label."""
    frames, labels = study.frames, study.labels(answer="any")
    basis = numbers.headline(labels)
    design = frames.design(numbers.told(frames, labels, basis))
    return tuple(
        frames.named(estimate(metric, design, basis=basis.value)) for metric in frames.metrics
    )


def test_whatever_is_done_the_headlines_are_those_of_all_labels(tmp_path: Path) -> None:
    rng = random.Random(3)  # noqa: S311  # made-up answers
    for protocol in ("blind-first", "assisted", "randomised"):
        with a_study(tmp_path, 40, name=protocol, protocol=protocol) as study:
            ada, bea = a_reviewer(study, "ada"), a_reviewer(study, "bea")
            assert study.headlines() == anew(study)
            for step in range(60):
                who = ada if rng.random() < 0.7 else bea
                kind = rng.choice(KINDS)
                answer = rng.choice((YES, NO))
                item = who.review.current or ""
                phase = who.review.phase(item)
                if kind == "answer" and item and phase == "answer":
                    who.answer(answer)
                elif kind in {"unsure", "skip"} and item and phase == "answer":
                    who.act(kind)
                elif kind == "revise" and item and phase == "revealed":
                    who.act(kind, answer=answer)
                elif kind in BACK:
                    who.act(kind)
                if step % 3 == 0:
                    assert study.headlines() == anew(study)
            with Study.open(study.folder) as again:
                assert again.headlines() == study.headlines()
                assert again.plan() == study.plan()


def test_a_settled_dispute_and_another_process_reach_the_headlines(tmp_path: Path) -> None:
    with a_study(tmp_path, 12, reviewers=("ada", "bea"), lead="ada") as study:
        study.headlines()
        with Study.open(study.folder) as elsewhere:
            for name, answer in (("ada", YES), ("bea", NO)):
                a_reviewer(elsewhere, name).answer(answer, study.sample.items[0])
        study.refresh()
        assert study.headlines() == anew(study)
        assert study.headlines()[4].n == 0
        disputes = Disputes(study, "ada")
        disputes.settle(Act("settle", disputes.open[0], "answer", NO), now=NOON)
        assert study.headlines() == anew(study)
        assert study.headlines()[4].n == 1


def test_an_answer_costs_no_look_at_the_other_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_study(tmp_path, 30) as study:
        ada = a_reviewer(study, "ada")
        study.headlines()
        monkeypatch.setattr(Study, "labels", None)
        for _ in range(5):
            ada.answer(NO)
            assert study.plan().half_width > 0
        assert study.headlines()[4].n == 5


@given(st.lists(st.lists(st.integers(0, 10**6), max_size=9), max_size=4))
def test_the_median_of_several_lists_is_the_median_of_all(parts: list[list[int]]) -> None:
    every = [value for part in parts for value in part]
    found = median_of([sorted(part) for part in parts])
    assert found == (statistics.median(every) if every else None)
