"""Agreement: the published tables, the libraries, and what is undefined."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from labkit.metrics.agreement import (
    alpha,
    cohen_kappa,
    cohen_kappa_se,
    gwet_ac1,
    jaccard_distance,
    masi_distance,
    pair_agreement,
    sorted_labels,
)
from labkit.metrics.dawid_skene import dawid_skene

EXPECTED: dict[str, Any] = json.loads(
    (Path(__file__).parent / "conformance/stats/agreement_expected.json").read_text()
)


def test_cohens_own_table() -> None:
    cohen = EXPECTED["cohen1960"]
    table = cohen["table"]
    assert cohen_kappa(table) == pytest.approx(cohen["kappa_sklearn"], abs=1e-12)
    assert cohen_kappa(table, "linear") == pytest.approx(cohen["kappa_linear"], abs=1e-12)
    assert cohen_kappa(table, "quadratic") == pytest.approx(cohen["kappa_quadratic"], abs=1e-12)
    assert cohen_kappa_se(table) == pytest.approx(cohen["se_statsmodels"], abs=1e-12)
    assert gwet_ac1(table) == pytest.approx(cohen["AC1"], abs=5e-6)


def test_gwets_abstractors() -> None:
    gwet = EXPECTED["gwet_cont3x3abstractors"]
    assert cohen_kappa(gwet["table"]) == pytest.approx(gwet["kappa"], abs=1e-12)
    assert gwet_ac1(gwet["table"]) == pytest.approx(gwet["gwet"]["v"], abs=5e-6)
    pairs = [
        (i, j) for i, row in enumerate(gwet["table"]) for j, k in enumerate(row) for _ in range(k)
    ]
    assert alpha(pairs) == pytest.approx(gwet["krippendorff"]["v"], abs=5e-6)


def test_krippendorffs_own_data() -> None:
    a = EXPECTED["krippendorff_A_binary"]
    assert alpha(zip(*a["data"], strict=True)) == pytest.approx(2 / 21, abs=1e-12)
    c = EXPECTED["krippendorff_C"]
    for distance in ("nominal", "ordinal", "interval", "ratio"):
        got = alpha(list(zip(*c["data"], strict=True)), distance)
        assert got == pytest.approx(c[distance], abs=1e-12)


def test_the_same_percent_can_mean_very_different_kappas() -> None:
    balanced, skewed = [[40, 9], [6, 45]], [[80, 10], [5, 5]]
    assert cohen_kappa(balanced) == pytest.approx(0.6995, abs=1e-4)
    assert cohen_kappa(skewed) == pytest.approx(0.3182, abs=1e-4)
    assert gwet_ac1(balanced) == pytest.approx(0.70075, abs=1e-5)
    assert gwet_ac1(skewed) == pytest.approx(0.808, abs=1e-4)


def test_one_label_only_leaves_kappa_and_alpha_undefined() -> None:
    pair = pair_agreement("a", "b", [("ok", "ok")] * 3)
    assert (pair.percent, pair.kappa, pair.ac1) == (1.0, None, 1.0)
    assert pair.reason is not None
    assert alpha([("ok", "ok")] * 3) is None
    assert alpha([("ok", None)] * 3) is None
    assert alpha([]) is None
    assert alpha([("A", "B"), ("B", "A")]) == -0.5


def test_nobody_in_common_is_said() -> None:
    pair = pair_agreement("a", "b", [])
    assert (pair.n, pair.percent, pair.ac1) == (0, None, None)
    assert pair.reason == "no item was answered by both"


def test_weighted_kappa_needs_an_order() -> None:
    severities = [("low", "High"), ("High", "critical"), ("low", "low")]
    assert pair_agreement("a", "b", severities).kappa_quadratic is not None
    names = [("crypto", "auth"), ("io", "io")]
    assert pair_agreement("a", "b", names).kappa_linear is None
    assert pair_agreement("a", "b", names, order=["auth", "io", "crypto"]).kappa_linear is not None
    assert sorted_labels({"High", "low", "critical"}) == ["low", "High", "critical"]
    assert sorted_labels({"10", "9"}) == ["9", "10"]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40))
def test_kappa_is_the_one_of_scikit_learn_and_statsmodels(pairs: list[tuple[int, int]]) -> None:
    labels = sorted({label for pair in pairs for label in pair})
    if len(labels) < 2:
        return
    table = [[sum(p == (x, y) for p in pairs) for y in labels] for x in labels]
    left, right = zip(*pairs, strict=True)
    for ours, theirs in (("none", None), ("linear", "linear"), ("quadratic", "quadratic")):
        expected = float(cohen_kappa_score(left, right, labels=labels, weights=theirs))
        got = cohen_kappa(table, ours)  # type: ignore[arg-type]
        assert got == pytest.approx(expected, abs=1e-12)


@given(
    st.lists(
        st.lists(st.none() | st.integers(1, 5), min_size=3, max_size=3), min_size=2, max_size=30
    )
)
def test_alpha_is_the_one_of_krippendorff(units: list[list[int | None]]) -> None:
    pairable = [u for u in units if sum(v is not None for v in u) > 1]
    used = {v for u in pairable for v in u if v is not None}
    if len(used) < 2:
        return
    data = [[np.nan if u[r] is None else u[r] for u in units] for r in range(3)]
    for level in ("nominal", "ordinal", "interval", "ratio"):
        expected = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
        assert alpha(units, level) == pytest.approx(expected, abs=1e-9)


def test_tag_sets_are_compared_by_what_they_share() -> None:
    one, two, other = frozenset("a"), frozenset("ab"), frozenset("c")
    assert masi_distance(one, two) == pytest.approx(1 - 0.5 * 2 / 3)
    assert masi_distance(frozenset("ab"), frozenset("bc")) == pytest.approx(1 - 1 / 3 / 3)
    assert masi_distance(one, other) == 1
    assert masi_distance(frozenset(), frozenset()) == 0
    assert jaccard_distance(frozenset(), frozenset()) == 0
    assert masi_distance(frozenset(), one) == 1
    units = [(one, one), (two, two), (two, one), (other, two)]
    every = [answer for unit in units for answer in unit]
    seen = sum(masi_distance(*unit) for unit in units) / len(units)
    chance = [masi_distance(x, y) for i, x in enumerate(every) for y in every[i + 1 :]]
    expected = 1 - seen / (sum(chance) / len(chance))
    assert alpha(units, "masi") == pytest.approx(expected, abs=1e-12)


def test_three_reviewers_tell_who_errs() -> None:
    rng = random.Random(3)  # noqa: S311  # made-up data
    skill = {"ines": 0.95, "omar": 0.9, "tom": 0.65}
    answers = {}
    for i in range(600):
        truth = rng.choice(["yes", "no"])
        wrong = {"yes": "no", "no": "yes"}[truth]
        answers[f"m{i}"] = {r: truth if rng.random() < p else wrong for r, p in skill.items()}
    rows = dawid_skene(answers)
    assert rows is not None
    for row in rows:
        assert row.accuracy == pytest.approx(skill[row.reviewer], abs=0.06)


def test_two_reviewers_do_not_identify_who_errs() -> None:
    assert dawid_skene({"m": {"ines": "yes", "omar": "no"}}) is None
    assert dawid_skene({"m": {"a": "yes", "b": "yes", "c": "yes"}}) is None
