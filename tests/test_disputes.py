"""Settling what reviewers differ on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from builders import NO, NOON, YES, a_reviewer, a_study

from labkit.codebook import BadChoice
from labkit.disputes import Disputes
from labkit.errors import InputError
from labkit.labels import adjudicated
from labkit.model import Act
from labkit.protocol import UnknownItem
from labkit.study import Study

if TYPE_CHECKING:
    from pathlib import Path


def a_dispute(tmp_path: Path) -> tuple[Study, str]:
    study = a_study(tmp_path, 12, reviewers=("rev-1", "rev-2", "rev-3"), lead="rev-1")
    first, second = study.sample.items[:2]
    for name, answer in (("rev-1", YES), ("rev-2", NO), ("rev-3", NO)):
        reviewer = a_reviewer(study, name)
        reviewer.answer(answer, first)
        reviewer.answer(YES, second)
    return study, first


def test_who_settles_sees_the_answers_and_neither_names_nor_counts_nor_the_ai(
    tmp_path: Path,
) -> None:
    study, item = a_dispute(tmp_path)
    view = Disputes(study, "rev-1").view(item)
    plain = {json.dumps(answer, sort_keys=True) for answer in view["answers"]}
    assert plain == {json.dumps(answer, sort_keys=True) for answer in (YES, NO)}
    assert (view["phase"], view["ai"], view["answer"]) == ("answer", None, None)
    said = json.dumps(view)
    assert not any(word in said for word in ("rev-", "marker", "because"))


def test_a_settled_item_counts_again_with_the_answer_that_settled_it(tmp_path: Path) -> None:
    study, item = a_dispute(tmp_path)
    disputes = Disputes(study, "rev-1")
    assert disputes.open == (item,)
    assert item not in study.settled()
    n = study.headlines()[4].n
    act = Act("settle", item, "answer", NO)
    assert disputes.settle(act, now=NOON)
    assert not disputes.settle(act, now=NOON), "the same act twice is stored once"
    assert (disputes.open, study.disputed) == ((), ())
    label = study.settled()[item]
    assert (label.reviewer, label.adjudicated, label.basis) == ("rev-1", True, "blind")
    assert label.inclusion_probability == 1.0
    assert label.value == {"relevant": False, "tags": ()}
    assert study.headlines()[4].n == n + 1
    study.close()
    with Study.open(study.folder) as again:
        assert again.settled()[item].adjudicated
        later = Disputes(again, "rev-1")
        later.settle(Act("again", item, "answer", YES))
        assert again.settled()[item].value == {"relevant": True, "tags": ("security", "auth")}
        later.settle(Act("open", item, "answer"))
        assert later.open == (item,)


def test_only_the_lead_settles_and_only_disputes(tmp_path: Path) -> None:
    study, item = a_dispute(tmp_path)
    with pytest.raises(InputError, match="the lead of this study is 'rev-1'"):
        Disputes(study, "rev-2")
    disputes = Disputes(study, "rev-1")
    other = study.sample.items[1]
    for act in (Act("a", other, "answer", YES), Act("b", "nothing", "answer", YES)):
        with pytest.raises(UnknownItem):
            disputes.settle(act)
    with pytest.raises(UnknownItem):
        disputes.view(other)
    with pytest.raises(BadChoice):
        disputes.settle(Act("c", item, "answer", {"relevant": True, "tags": ["made-up"]}))


def test_an_adjudication_is_no_more_independent_than_what_it_settles(tmp_path: Path) -> None:
    study = a_study(tmp_path, 6, protocol="assisted", reviewers=("rev-1", "rev-2"))
    item = study.sample.items[0]
    for name, answer in (("rev-1", YES), ("rev-2", NO)):
        a_reviewer(study, name).answer(answer, item)
    Disputes(study, "rev-1").settle(Act("s", item, "answer", NO))
    assert study.settled()[item].basis == "assisted"
    assert adjudicated(study.adjudications[item], ()).basis == "blind"


def test_an_answer_that_contradicts_an_imported_label_is_a_dispute_not_an_overwrite(
    tmp_path: Path,
) -> None:
    known = tmp_path / "known.yaml"
    known.write_text(
        "overrides:\n"
        "- {fqcn: com.acme.Case0Test, method: m0, securityRelevant: true}\n"
        "- {fqcn: com.acme.Case0Test, method: m1, securityRelevant: true}\n"
        "- {fqcn: com.acme.Case0Test, method: m2, tags: [auth, security]}\n"
        "- {fqcn: com.acme.Case0Test, method: m3, securityRelevant: false}\n"
    )
    study = a_study(tmp_path, 6, labels=known)
    m0, m1, m2, m3 = (f"com.acme.Case0Test#m{i}" for i in range(4))
    reviewer = a_reviewer(study)
    reviewer.answer(YES, m0)
    reviewer.answer(NO, m1)
    reviewer.answer(YES, m2)
    assert study.disputed == (m1,)
    assert study.settled().keys() == {m0, m2, m3}
    assert study.settled()[m3].basis == "imported"
    before = study.headlines()
    disputes = Disputes(study, "rev-1")
    assert {json.dumps(answer) for answer in disputes.view(m1)["answers"]} == {
        json.dumps({"relevant": False, "tags": []}),
        json.dumps({"relevant": True}),
    }
    disputes.settle(Act("s", m1, "answer", YES))
    assert study.disputed == ()
    label = study.settled()[m1]
    assert (label.first, label.final) == (
        {"relevant": False, "tags": ()},
        {"relevant": True, "tags": ("security", "auth")},
    )
    assert study.headlines() == before, "metrics go on using the blind first answer"
