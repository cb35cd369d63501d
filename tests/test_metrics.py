from __future__ import annotations

import csv
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

from labkit.errors import InputError
from labkit.metrics import calibration, selective, tags
from labkit.metrics.binary import confusion
from labkit.metrics.counts import ONE, UNDEFINED, ZERO, Counts, Ratio

HERE = Path(__file__).parent / "conformance"
CASES = HERE / "cases"
EXPECTED = {
    case["id"]: case["expected"]
    for case in json.loads((CASES / "manifest.json").read_text(encoding="utf-8"))["items"]
}
CORE = json.loads((HERE / "stats/cal_expected_core.json").read_text(encoding="utf-8"))
PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=30)
COUNTS = st.builds(Counts, *[st.integers(0, 50)] * 4)


def rows(name: str) -> list[dict[str, str]]:
    path = next(CASES.glob(f"{name}_*.csv"))
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def summary(counts: Counts) -> dict[str, Any]:
    return {
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "tn": counts.tn,
        "precision": counts.precision.value,
        "recall": counts.recall.value,
        "f1": counts.f1.value,
        "accuracy": counts.accuracy.value,
        "support": counts.support,
    }


@pytest.mark.parametrize("name", ["M01", "M02"])
def test_a_missing_denominator_is_undefined_and_a_real_zero_is_zero(name: str) -> None:
    found = confusion(
        (row["truth"] == "true", row["predicted"] == "true") for row in rows(name.lower())
    )
    assert summary(found) == EXPECTED[name]


def test_totals_are_pooled_and_never_a_mean_of_ratios() -> None:
    cases = {
        row["case"]: Counts(int(row["tp"]), int(row["fp"]), int(row["fn"])) for row in rows("m16")
    }
    expected = EXPECTED["M16"]
    for name, counts in [*cases.items(), ("aggregate", sum(cases.values(), Counts()))]:
        wanted = expected["aggregate"] if name == "aggregate" else expected["per_case"][name]
        assert summary(counts).items() >= wanted.items()


def test_invented_tags_lower_the_macro_average() -> None:
    found = tags.score(
        (row["truth_tags"].split(";"), row["predicted_tags"].split(";")) for row in rows("m08")
    )
    expected = EXPECTED["M08"]
    assert [*found.by_tag] == sorted(expected["per_tag"])
    for tag, wanted in expected["per_tag"].items():
        assert summary(found.by_tag[tag]).items() >= wanted.items()
    assert summary(found.micro).items() >= expected["micro"].items()
    assert found.macro_f1 == expected["macro_f1"]


def test_no_tag_at_all_is_undefined() -> None:
    assert tags.score([([], []), ([], None)]).macro_f1 is None


@given(COUNTS, COUNTS)
def test_counts_add_up(a: Counts, b: Counts) -> None:
    assert (a + b).total == a.total + b.total
    assert sum([a, b], Counts()) == a + b == b + a


@given(COUNTS)
def test_f1_is_defined_exactly_when_something_was_predicted_or_there(c: Counts) -> None:
    assert (c.f1.value is None) == (c.tp + c.fp + c.fn == 0)


@pytest.mark.parametrize(("policy", "value"), [(UNDEFINED, None), (ZERO, 0.0), (ONE, 1.0)])
def test_what_nothing_is_worth_is_a_policy(policy: Any, value: float | None) -> None:
    assert Ratio(0, 0).under(policy) == value
    assert Ratio(1, 2).under(policy) == 0.5


@given(PAIRS.filter(bool))
def test_the_binary_ratios_are_those_of_scikit_learn(pairs: list[tuple[bool, bool]]) -> None:
    truth, predicted = [y for y, _ in pairs], [q for _, q in pairs]
    found = confusion(pairs)
    for ratio, reference in (
        (found.precision, precision_score),
        (found.recall, recall_score),
        (found.f1, f1_score),
    ):
        value = reference(truth, predicted, zero_division=math.nan)
        assert (ratio.value is None) == math.isnan(value)
        assert ratio.value is None or ratio.value == pytest.approx(value, abs=1e-15)
    assert found.accuracy.value == accuracy_score(truth, predicted)


TAG_SETS = st.frozensets(st.sampled_from("abcd"))


@given(st.lists(st.tuples(TAG_SETS, TAG_SETS), min_size=1, max_size=12))
def test_micro_and_macro_are_those_of_scikit_learn_on_the_tags_seen(
    pairs: list[tuple[frozenset[str], frozenset[str]]],
) -> None:
    found = tags.score(pairs)
    seen = [*found.by_tag]
    if not seen:
        assert found.macro_f1 is found.micro.f1.value is None
        return
    truth, predicted = ([[tag in side for tag in [*seen, "_"]] for side in s] for s in zip(*pairs))  # noqa: B905  # pairs have two sides
    kinds = {"labels": range(len(seen)), "zero_division": 0}
    assert found.macro_f1 == pytest.approx(f1_score(truth, predicted, average="macro", **kinds))
    assert found.micro.f1.value == pytest.approx(
        f1_score(truth, predicted, average="micro", **kinds)
    )


def test_bins_include_their_upper_edge_and_the_first_its_lower_one() -> None:
    pairs = [(float(row["confidence"]), row["correct"] == "1") for row in rows("m03")]
    table = calibration.reliability(pairs)
    counts = {str(i): one.count for i, one in enumerate(table) if one.count}
    assert counts == EXPECTED["M03"]["counts_upper_inclusive"]
    assert calibration.ece(pairs) == EXPECTED["M03"]["ece_upper_inclusive"]


@pytest.mark.parametrize(
    ("file", "key", "sub", "bins"),
    [
        ("cal_binary_500", "binary_500", "ece_width10_right", 10),
        ("cal_binary_500", "binary_500", "ece_width15_right", 15),
        ("cal_edges_24", "edges_24", "right_iovern", 10),
    ],
)
def test_calibration_is_the_reference_one_bin_by_bin(
    file: str, key: str, sub: str, bins: int
) -> None:
    data = json.loads((HERE / f"stats/{file}.json").read_text(encoding="utf-8"))["rows"]
    found = calibration.binary([(row["p"], row["y"] == 1) for row in data], bins=bins)
    expected = CORE[key]
    assert found.ece == pytest.approx(expected[sub]["ece"], abs=1e-15)
    assert found.brier == pytest.approx(2 * expected["brier"], abs=1e-15)
    nll = expected.get("nll", expected.get("nll_floor_1e-15"))
    assert found.nll == pytest.approx(nll, abs=1e-14)
    full = [one for one in found.reliability if one.count]
    for one, wanted in zip(full, [b for b in expected[sub]["bins"] if b["n"]], strict=True):
        assert (one.lower, one.upper, one.count) == (wanted["lo"], wanted["hi"], wanted["n"])
        assert one.mean_confidence == pytest.approx(wanted["conf"], abs=1e-15)
        assert one.accuracy == pytest.approx(wanted["acc"], abs=1e-15)
    assert len(found.reliability) == found.bins == bins


def test_no_order_of_the_rows_changes_a_digit() -> None:
    pairs = [(float(row["confidence"]), row["correct"] == "1") for row in rows("m14")]
    first = calibration.binary(pairs)
    assert first.ece == pytest.approx(EXPECTED["M14"]["ece10"], abs=1e-15)
    assert first.brier == 2 * EXPECTED["M14"]["brier_binary"]
    for seed in range(20):
        shuffled = random.Random(seed).sample(pairs, len(pairs))  # noqa: S311  # a shuffle
        assert calibration.binary(shuffled) == first


def test_one_confident_miss_costs_what_the_floor_says() -> None:
    path = CASES / "m07_confident_miss.jsonl"
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    triples = [(row["probabilities"], row["predicted"], row["truth"]) for row in found]
    result = calibration.multiclass(triples)
    assert result.nll == pytest.approx(EXPECTED["M07"]["nll"], abs=1e-15)
    assert result.brier == pytest.approx(EXPECTED["M07"]["brier"], abs=1e-15)
    assert calibration.multiclass(triples[:1]).nll == EXPECTED["M07"]["one_confident_miss"]


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan, math.inf])
def test_what_is_no_probability_is_refused(p: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        calibration.binary([(p, True)])
    with pytest.raises(InputError, match="between 0 and 1"):
        calibration.bin_of(p)


def test_calibration_of_nothing_is_undefined_and_its_bins_are_listed() -> None:
    found = calibration.binary([], missing=3).as_dict()
    assert (found["n"], found["missing"], found["ece"], found["brier"]) == (0, 3, None, None)
    assert len(found["reliability"]) == 10  # type: ignore[arg-type]  # a list


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30))
def test_two_labels_as_a_distribution_have_the_same_losses(pairs: list[tuple[float, bool]]) -> None:
    one = calibration.binary(pairs)
    two = calibration.multiclass(
        [({"yes": p, "no": 1 - p}, "yes", "yes" if y else "no") for p, y in pairs]
    )
    assert one.brier == pytest.approx(two.brier, abs=1e-12)
    assert one.nll == pytest.approx(two.nll, abs=1e-12)
    assert one.ece == two.ece


def test_a_threshold_includes_what_reaches_it_and_coverage_counts_the_unsure() -> None:
    assert selective.coverage([0.8, 0.79, None, 1.0], 0.8) == Ratio(2, 4)
    pairs = [(0.8, True), (0.9, False), (0.7, True), (None, True)]
    assert selective.selective_accuracy(pairs, 0.8) == Ratio(1, 2)
    assert selective.selective_accuracy(pairs, 1.0).value is None
    with pytest.raises(InputError):
        selective.coverage([], 1.2)
