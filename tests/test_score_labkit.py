from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from statsmodels.stats.proportion import proportion_confint

from labkit.errors import InputError, LabkitError
from labkit.formats.labels import parse_labels, parse_predictions
from labkit.metrics import calibration
from labkit.reports import render
from labkit.systems import Call, gating, labkit

CASES = Path(__file__).parent / "conformance" / "cases"
LABELS = "id,label\na,true\nb,false\nc,true\nd,false\ne,\nx,true\n"
ROWS = (
    "id,label,confidence,model\na,true,.9,m1\nb,true,.6,m1\n"
    "c,false,.8,m2\nd,false,.7,m2\ne,true,.5,m2\nf,,,\n"
)


def scored(tmp_path: Path, labels: str, rows: str, **options: Any) -> dict[str, Any]:
    gold, predictions = tmp_path / "labels", tmp_path / "predictions"
    gold.write_text(labels, encoding="utf-8")
    predictions.write_text(rows, encoding="utf-8")
    return labkit.score(Call(gold, (predictions,), options)).data


def values(data: dict[str, Any]) -> dict[str, float | None]:
    return {row["name"]: row["value"] for row in data["metrics"]}


def test_two_classes_are_scored_and_nothing_is_claimed_without_a_sample(tmp_path: Path) -> None:
    data = scored(tmp_path, LABELS, ROWS)
    found = values(data)
    assert (found["precision"], found["recall"], found["accuracy"]) == (0.5, 0.5, 0.5)
    assert {name: data["counts"][name] for name in ("tp", "fp", "fn", "tn")} == {
        "tp": 1,
        "fp": 1,
        "fn": 1,
        "tn": 1,
    }
    row = data["metrics"][0]
    assert (row["low"], row["high"], row["design"]) == (None, None, "labelled items only")
    pairs = [(0.9, True), (0.6, False), (1 - 0.8, True), (1 - 0.7, False)]
    plain = calibration.binary(pairs)
    assert found["ece"] == pytest.approx(plain.ece)
    assert found["brier"] == pytest.approx(plain.brier)
    assert found["nll"] == pytest.approx(plain.nll)
    assert [*data][:11] == [
        "schemaVersion",
        "system",
        "metrics",
        "counts",
        "calibration",
        "coverage",
        "agreement",
        "anchoring",
        "warnings",
        "plan",
        "problems",
    ]
    assert [*data["calibration"]][:7] == [
        "n",
        "missing",
        "ece",
        "brier",
        "nll",
        "bins",
        "reliability",
    ]
    assert data["coverage"]["unsure"] == 1
    assert data["coverage"]["staleLabels"] == 1


def test_a_full_census_has_its_point_as_both_ends(tmp_path: Path) -> None:
    data = scored(tmp_path, "id,label\na,true\nb,false\n", "id,label\na,true\nb,true\n")
    row = next(row for row in data["metrics"] if row["name"] == "precision")
    assert row["low"] == row["value"] == row["high"] == 0.5
    assert row["method"] == "census"


def test_a_simple_sample_has_an_interval_for_all_predictions(tmp_path: Path) -> None:
    rows = "id,label\n" + "".join(f"{i},{str(i % 3 == 0).lower()}\n" for i in range(90))
    gold = "id,label\n" + "".join(f"{i},{str(i % 2 == 0).lower()}\n" for i in range(30))
    data = scored(tmp_path, gold, rows, sample="simple")
    row = next(row for row in data["metrics"] if row["name"] == "f1")
    assert row["low"] < row["value"] < row["high"]
    assert row["design"] == "simple, post-stratified by AI decision"


def test_calibration_of_all_is_undefined_while_one_side_has_no_label(tmp_path: Path) -> None:
    rows = "id,label,confidence\na,true,.9\nb,true,.6\nc,true,.8\nd,false,.7\ne,false,.7\n"
    data = scored(tmp_path, "id,label\na,true\nb,false\nc,true\n", rows, sample="simple")
    found = {row["name"]: row for row in data["metrics"]}
    assert found["precision"]["value"] == pytest.approx(2 / 3)
    for name in ("ece", "brier", "nll"):
        assert found[name]["value"] is None
        assert "stratum not-flagged (2 items)" in found[name]["reason"]
    assert data["calibration"]["ece"] is None
    assert (data["calibration"]["bins"], len(data["calibration"]["reliability"])) == (10, 10)


def test_strata_in_the_predictions_make_a_stratified_design(tmp_path: Path) -> None:
    rows = "id,label,stratum\n" + "".join(f"{i},true,{'ab'[i % 2]}\n" for i in range(20))
    gold = "id,label\n0,true\n1,false\n2,true\n3,true\n"
    data = scored(tmp_path, gold, rows)
    row = next(row for row in data["metrics"] if row["name"] == "precision")
    assert row["design"] == "stratified"
    assert row["low"] < row["value"] < row["high"]


def test_chances_in_the_labels_weigh_them(tmp_path: Path) -> None:
    rows = "id,label\n" + "".join(f"{i},true\n" for i in range(20))
    gold = "id,label,inclusion_probability\n0,true,1\n1,true,0.5\n2,false,0.25\n3,false,0.25\n"
    found = values(scored(tmp_path, gold, rows))
    assert found["precision"] == pytest.approx((1 + 2) / (1 + 2 + 4 + 4))


def test_a_label_of_another_type_or_spelling_is_the_same_label(tmp_path: Path) -> None:
    gold = '{"id": 1, "label": 1}\n{"id": "2", "label": 2}\n{"id": 3, "label": " 2 "}\n'
    rows = '{"id": "1", "label": "1"}\n{"id": 2, "label": "2"}\n{"id": 3, "label": 2}\n'
    assert values(scored(tmp_path, gold, rows))["accuracy"] == 1.0
    assert (
        values(scored(tmp_path, "id,label\na,1\nb,no\n", "id,label\na,TRUE\nb,false\n"))["accuracy"]
        == 1.0
    )


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "wine"])
def test_several_classes_have_the_reference_values(conformance: Path, name: str) -> None:
    folder = conformance / "real/sklearn_toy"
    path = folder / f"{name}_logreg.jsonl"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))[f"{name}_logreg"]
    data = labkit.score(Call(path)).data
    found = values(data)
    assert found["accuracy"] == pytest.approx(expected["accuracy"], abs=1e-14)
    assert found["macro_f1"] == pytest.approx(expected["macro_f1_sklearn"], abs=1e-14)
    assert found["ece"] == pytest.approx(expected["ece10"], abs=1e-12)
    assert found["brier"] == pytest.approx(expected["brier_multiclass"], abs=1e-12)
    assert found["nll"] == pytest.approx(expected["nll"], abs=1e-12)
    row = data["metrics"][0]
    assert (row["low"], row["high"], row["method"]) == (row["value"], row["value"], "census")


def test_a_named_positive_makes_two_classes_binary(conformance: Path) -> None:
    path = conformance / "real/sklearn_toy/breast_cancer_logreg.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    truth = [row["truth"] == "malignant" for row in rows]
    said = [row["predicted"] == "malignant" for row in rows]
    found = values(labkit.score(Call(path, (), {"positive": "malignant"})).data)
    assert found["f1"] == pytest.approx(f1_score(truth, said), abs=1e-15)
    pairs = [(row["probabilities"]["malignant"], y) for row, y in zip(rows, truth, strict=True)]
    assert found["ece"] == pytest.approx(calibration.ece(pairs), abs=1e-12)


def test_a_tie_is_scored_as_it_was_stated_and_a_contradiction_is_said() -> None:
    path = CASES / "m11_tied_probabilities.jsonl"
    data = labkit.score(Call(path)).data
    assert values(data)["accuracy"] == pytest.approx(1 / 3)
    assert [problem["line"] for problem in data["problems"]] == [3]


def test_one_confident_miss_counts_as_the_floor_says() -> None:
    found = values(labkit.score(Call(CASES / "m07_confident_miss.jsonl")).data)
    assert found["nll"] == pytest.approx(11.779094697042817, abs=1e-12)
    assert found["brier"] == pytest.approx(0.84, abs=1e-12)


def test_tags_of_one_file_have_the_reference_values() -> None:
    found = values(labkit.score(Call(CASES / "m08_multilabel_tags.csv")).data)
    assert found["tags.micro.f1"] == pytest.approx(8 / 11)
    assert found["tags.macro.f1"] == pytest.approx(0.4)


@pytest.mark.parametrize("name", ["m01_nothing_predicted", "m02_all_negative"])
def test_undefined_values_are_null_with_a_reason(name: str) -> None:
    data = labkit.score(Call(CASES / f"{name}.csv")).data
    row = next(row for row in data["metrics"] if row["name"] == "precision")
    assert row["value"] is None
    assert "flagged no item" in row["reason"]


OWN = (
    '{"item":"A#m","reviewer":"ann","value":{"relevant":false,"tags":[]},'
    '"first":{"relevant":true,"tags":["auth"]},"final":{"relevant":false,"tags":[]},'
    '"basis":"blind","stratum":null,"inclusion_probability":0.5,"arm":null}\n'
    '{"item":"A#n","reviewer":"ann","value":null,"first":null,"final":null,'
    '"basis":"blind","inclusion_probability":0.5}\n'
)


def test_labels_that_labkit_exports_are_read_by_their_first_answer(tmp_path: Path) -> None:
    first = parse_labels(OWN).values
    assert [(one.item, one.label, one.tags, one.unsure) for one in first] == [
        ("A#m", "true", ("auth",), False),
        ("A#n", None, None, True),
    ]
    assert parse_labels(OWN, which="final").values[0].label == "false"
    table = (
        "item,reviewer,first.relevant,first.tags,final.relevant,final.tags,basis\n"
        "A#m,ann,true,auth;crypto,false,,blind\nA#n,ann,,,,,blind\n"
    )
    assert [(one.label, one.tags, one.unsure) for one in parse_labels(table).values] == [
        ("true", ("auth", "crypto"), False),
        (None, None, True),
    ]
    rows = (
        "fqcn,method,ai_security_relevant,ai_tags,ai_confidence\nA,m,true,auth,0.9\nA,n,false,,0\n"
    )
    found = scored(tmp_path, OWN, rows)
    assert found["counts"]["tp"] == 1
    assert values(found)["tags.micro.f1"] == 1.0


def test_reviewers_who_differ_dispute_an_item_and_repeated_rows_are_said(tmp_path: Path) -> None:
    gold = "id,label,reviewer\na,true,x\na,false,y\nb,true,x\nb,true,y\nc,true,x\nc,false,x\n"
    data = scored(tmp_path, gold, "id,label\na,true\nb,true\nc,true\n")
    assert data["coverage"]["disputed"] == 1
    (pair,) = data["agreement"]["pairs"]
    assert (pair["a"], pair["b"], pair["n"], pair["percent"]) == ("x", "y", 2, 0.5)
    assert (data["counts"]["tp"], data["counts"]["fp"]) == (1, 1)
    assert "again" in data["problems"][0]["message"]


def test_big_ids_stay_apart_and_rows_without_one_are_left_out() -> None:
    found = parse_predictions((CASES / "c20_big_integer_ids.csv").read_text(encoding="utf-8"))
    assert [one.item for one in found.values] == [
        "1577134800018164904",
        "1577134800018226901",
        "0042",
    ]
    assert found.problems[0].line == 4
    big = parse_predictions((CASES / "j08_big_ints.json").read_text(encoding="utf-8"))
    assert [one.item for one in big.values] == ["9007199254740993", "9007199254740992"]


def test_a_missing_confidence_is_noted() -> None:
    found = parse_predictions((CASES / "j01_nan_infinity.jsonl").read_text(encoding="utf-8"))
    assert [one.confidence for one in found.values] == [None, None, 0.7]
    assert [problem.line for problem in found.problems] == [1, 2]
    wrapped = parse_predictions((CASES / "j11_wrapped_object.json").read_text(encoding="utf-8"))
    assert [one.confidence for one in wrapped.values] == [0.9, 0.8]


def test_gates_read_the_metric_or_the_worse_end_of_its_interval(tmp_path: Path) -> None:
    rows = "id,label,stratum\n" + "".join(f"{i},true,{'ab'[i % 2]}\n" for i in range(20))
    gold = "id,label\n0,true\n1,true\n2,true\n3,false\n"
    plain = scored(tmp_path, gold, rows, min_precision=0.7)
    low = scored(tmp_path, gold, rows, min_precision=0.7, gate_on="low")
    assert plain["gates"][0]["held"] is True
    assert low["gates"][0]["held"] is False
    assert low["gates"][0]["value"] < 0.7
    sure = scored(tmp_path, LABELS, ROWS, confidence_threshold=0.7, min_coverage=0.6)
    assert sure["gates"][0]["metric"] == "selective_coverage@0.7"
    assert sure["gates"][0]["held"] is True


def test_figures_by_any_field(tmp_path: Path) -> None:
    data = scored(tmp_path, LABELS, ROWS, by="model")
    groups = {group["value"]: values(group) for group in data["groups"]}
    assert groups["m1"]["precision"] == 0.5
    assert groups["m2"]["accuracy"] == 0.5


@pytest.mark.parametrize(
    ("labels", "rows", "options", "word"),
    [
        ("name\nx\n", ROWS, {}, "no id or item"),
        ("id,x\n1,2\n", ROWS, {}, "no label"),
        (LABELS, "id,x\n1,2\n", {}, "no predicted"),
        (LABELS, ROWS, {"positive": "maybe"}, "maybe"),
        ("id,label\na,x\nb,y\nc,z\n", ROWS, {"positive": "x"}, "two labels"),
        ("id,label\na,x\nb,y\n", ROWS, {"confidence_of": "positive"}, "two labels"),
        (LABELS, ROWS, {"by": "colour"}, "colour"),
        (LABELS, ROWS, {"line_distance": 1}, "--line-distance"),
        ("id,ID,label\n1,2,true\n", ROWS, {}, "twice"),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    tmp_path: Path, labels: str, rows: str, options: dict[str, Any], word: str
) -> None:
    with pytest.raises(InputError) as caught:
        scored(tmp_path, labels, rows, **options)
    assert word in str(caught.value)
    assert str(caught.value).endswith(".")


def test_other_systems_reports_are_held_against_gates(conformance: Path) -> None:
    folder = conformance / "systems/godaudits/benchmarks/detectors.json"
    report = gating.score("godaudits", Call(folder, (), {"min_recall": 0.9}))
    assert report.data["gates"]


def test_several_classes_without_one_common_item_are_undefined(tmp_path: Path) -> None:
    data = scored(tmp_path, "id,label\na,x\n", '{"id":"b","label":"y","tags":["t"]}')
    assert set(values(data).values()) == {None}
    assert data["coverage"]["staleLabels"] == 1


def outcome(gold: Path, predictions: Path) -> str:
    try:
        return render(labkit.score(Call(gold, (predictions,))), "json")
    except LabkitError as error:
        return str(error)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_damaged_files_are_scored_or_refused_in_one_sentence(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    gold, predictions = folder / "mutant.labels", folder / "mutant.rows"
    jsonl = '{"id":"a","label":true,"tags":["x"],"confidence":0.5}\n{"id":"b","label":"false"}\n'
    whole = {
        gold: data.draw(st.sampled_from([LABELS, OWN, jsonl])).encode(),
        predictions: data.draw(st.sampled_from([ROWS, jsonl])).encode(),
    }
    for path, content in whole.items():
        at = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(at, min(at + 8, len(content))))
        path.write_bytes(content[:at] + data.draw(st.binary(max_size=5)) + content[end:])
    said = outcome(gold, predictions)
    assert said.startswith("{") or said.endswith(".")


@pytest.mark.parametrize("factor", [10.0, 0.01, 1 / 3])
def test_a_factor_that_all_weights_share_changes_nothing(tmp_path: Path, factor: float) -> None:
    rows = "id,label,confidence\n" + "".join(
        f"m{i},{str(i % 4 == 0).lower()},0.{5 + i % 5}\n" for i in range(400)
    )

    def labels(by: float) -> str:
        return "id,label,weight\n" + "".join(
            f"m{i},{str(i % 4 == 0 or i % 7 == 0).lower()},{by * (2 + i % 3)!r}\n"
            for i in range(0, 400, 3)
        )

    plain, scaled = (scored(tmp_path, labels(by), rows) for by in (1.0, factor))
    assert plain["problems"] == scaled["problems"] == []
    for one, other in zip(plain["metrics"], scaled["metrics"], strict=True):
        for end in ("value", "low", "high"):
            assert other[end] == pytest.approx(one[end], abs=1e-9)
        assert (one["method"], one["design"], one["n"]) == (
            other["method"],
            other["design"],
            other["n"],
        )


def test_a_weight_that_is_none_is_said(tmp_path: Path) -> None:
    labels = "id,label,weight\na,true,2\nb,false,0\nc,true,-1\nd,false,many\n"
    said = [problem["message"] for problem in scored(tmp_path, labels, ROWS)["problems"]]
    assert said == [f"weight '{bad}' is not above 0; not used." for bad in ("0", "-1", "many")]


def a_pair(tmp_path: Path, gold: str, said: str) -> dict[str, Any]:
    """Labels and predictions as JSON Lines, one object each separated by ``;``."""
    for name, text in (("gold", gold), ("said", said)):
        (tmp_path / f"{name}.jsonl").write_text(text.replace("; ", "\n"), encoding="utf-8")
    call = Call(tmp_path / "gold.jsonl", (tmp_path / "said.jsonl",))
    return labkit.score(call).data


@pytest.mark.parametrize(
    ("gold", "said", "warned"),
    [
        ('{"id": 1, "label": "good"}', '{"id": 1, "label": "positive"}', True),
        ('{"id": 1, "label": true}', '{"id": 1, "label": "positive"}', True),
        ('{"id": 1, "label": true}', '{"id": 1, "label": false}', False),
        ('{"id": 1, "label": true}', '{"id": 1, "label": "no"}', False),
        ('{"id": 1, "label": "a"}; {"id": 2, "label": "b"}', '{"id": 1, "label": "b"}', True),
        ('{"id": 1, "label": "a"}', '{"id": 2, "label": "b"}', False),
    ],
)
def test_classes_under_other_words_are_doubted(
    tmp_path: Path, *, gold: str, said: str, warned: bool
) -> None:
    problems: Any = a_pair(tmp_path, gold, said)["problems"]
    assert any("--rename" in problem["message"] for problem in problems) is warned


@pytest.mark.parametrize(
    ("values", "used"), [((0.33, 0.33, 0.33), True), ((0.5, 0.3, 0.0), False), ((1, 1, 0), False)]
)
def test_a_distribution_that_does_not_sum_to_one_is_not_used(
    tmp_path: Path, *, values: tuple[float, ...], used: bool
) -> None:
    shares = dict(zip("abc", values, strict=True))
    said = json.dumps({"id": "1", "label": "a", "probabilities": shares})
    data = a_pair(tmp_path, '{"id": "1", "label": "a"}', said)
    (brier,) = (row for row in data["metrics"] if row["name"] == "brier")
    assert (brier["value"] is not None) is used
    assert any("sum to" in problem["message"] for problem in data["problems"]) is not used


def test_a_census_gives_points_for_tags_and_classes_too(tmp_path: Path) -> None:
    tags = a_pair(
        tmp_path,
        '{"id": 1, "tags": ["a"]}; {"id": 2, "tags": []}',
        '{"id": 1, "tags": ["a", "b"]}; {"id": 2, "tags": []}',
    )
    classes = a_pair(
        tmp_path,
        '{"id": 1, "label": "a"}; {"id": 2, "label": "b"}',
        '{"id": 1, "label": "a"}; {"id": 2, "label": "a"}',
    )
    for data, names in (
        (tags, {"tags.micro.f1", "tags.macro.f1"}),
        (classes, {"accuracy", "macro_f1"}),
    ):
        rows = [row for row in data["metrics"] if row["name"] in names]
        assert len(rows) == len(names)
        for row in rows:
            assert row["low"] == row["value"] == row["high"]
            assert (row["method"], row["design"], row["reason"]) == ("census", "census", None)
    part = a_pair(
        tmp_path, '{"id": 1, "tags": ["a"]}', '{"id": 1, "tags": ["a"]}; {"id": 2, "tags": []}'
    )
    assert {row["low"] for row in part["metrics"] if row["name"] == "tags.micro.f1"} == {None}


@pytest.mark.parametrize("name", ["cal_edges_24", "cal_binary_500"])
def test_a_chance_on_the_edge_of_a_bin_stays_in_it(tmp_path: Path, name: str) -> None:
    path = CASES.parent / "stats" / f"{name}.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    rows = found["rows"] if isinstance(found, dict) else found
    said = "".join(
        json.dumps({"id": f"i{k}", "label": row["p"] >= 0.5, "confidence": row["p"]}) + "\n"
        for k, row in enumerate(rows)
    )
    gold = "".join(
        json.dumps({"id": f"i{k}", "label": bool(row["y"])}) + "\n" for k, row in enumerate(rows)
    )
    data = scored(tmp_path, gold, said, confidence_of="positive")
    plain = calibration.binary([(row["p"], bool(row["y"])) for row in rows])
    for metric in ("ece", "brier", "nll"):
        assert values(data)[metric] == pytest.approx(getattr(plain, metric), abs=1e-12)


def test_macro_f1_over_classes_has_the_interval_of_its_sample(tmp_path: Path) -> None:
    rows = "id,label\n" + "".join(f"m{i},{'abc'[i % 3]}\n" for i in range(300))
    gold = "id,label\n" + "".join(
        f"m{i},{'abc'[(i + (i % 7 == 0)) % 3]}\n" for i in range(0, 300, 2)
    )
    data = scored(tmp_path, gold, rows, sample="simple")
    (row,) = (row for row in data["metrics"] if row["name"] == "macro_f1")
    assert row["low"] < row["value"] < row["high"] < row["low"] + 0.2
    assert row["method"] == "item bootstrap"


def test_a_sample_whose_population_is_not_known_has_wilsons_intervals(tmp_path: Path) -> None:
    rows = [("true", "true")] * 30 + [("false", "true")] * 10 + [("true", "false")] * 5
    rows += [("false", "false")] * 55
    lines = ["id,truth,predicted", *(f"{k},{t},{p}" for k, (t, p) in enumerate(rows))]
    file = tmp_path / "sample.csv"
    file.write_text("\n".join(lines) + "\n")
    whole: Any = labkit.score(Call(file, (), {})).data
    assert {row["method"] for row in whole["metrics"]} == {"census"}
    drawn: Any = labkit.score(Call(file, (), {"sample": "simple"})).data
    found = {row["name"]: row for row in drawn["metrics"]}
    low, high = proportion_confint(30, 40, method="wilson")
    assert (found["precision"]["low"], found["precision"]["high"]) == pytest.approx((low, high))
    j_low, j_high = proportion_confint(30, 45, method="wilson")
    expected = (2 * j_low / (1 + j_low), 2 * j_high / (1 + j_high))
    assert (found["f1"]["low"], found["f1"]["high"]) == pytest.approx(expected)
    assert {row["design"] for row in found.values()} == {"simple, population not known"}
