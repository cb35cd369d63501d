from __future__ import annotations

import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, log_loss, precision_score, recall_score

from labkit.errors import LabkitError
from labkit.formats import methodatlas as predictions_format
from labkit.reports import render
from labkit.systems import Call, methodatlas

CASES = Path(__file__).parent / "conformance" / "cases"
EXAMPLE = "systems/methodatlas/constructed_accuracy_example"
SELF = "real/methodatlas_self"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "labkit", "score", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )


def scored(gold: Path, predictions: Path, **options: Any) -> dict[str, Any]:
    return methodatlas.score(Call(gold, (predictions,), options)).data


def of(tmp_path: Path, labels: str, rows: str, **options: Any) -> dict[str, Any]:
    gold, predictions = tmp_path / "overrides.yaml", tmp_path / "predictions.csv"
    gold.write_text(labels, encoding="utf-8")
    predictions.write_text(rows, encoding="utf-8")
    return scored(gold, predictions, **options)


HEAD = "fqcn,method,ai_security_relevant,ai_tags,ai_confidence\n"


def test_the_example_of_the_documentation_has_its_numbers(conformance: Path) -> None:
    folder = conformance / EXAMPLE
    found = scored(folder / "labels.yaml", folder / "predictions.csv")
    expected = json.loads((folder / "expected_metrics.json").read_text(encoding="utf-8"))
    tags = expected.pop("tags")
    assert {key: found[key] for key in expected} == expected
    assert {row.pop("tag"): row for row in found["tags"]} == tags
    assert [*found][:10] == [
        "schemaVersion",
        "system",
        "predictionRows",
        "evaluated",
        "unlabelledPredictions",
        "unpredictedLabels",
        "staleLabelEntries",
        "relevanceSamples",
        "tagSamples",
        "relevance",
    ]
    assert [*found][10:] == ["tags", "tagsMicro", "tagsMacroF1", "calibration", "problems", "gates"]


@pytest.mark.parametrize(("threshold", "code"), [(".625", 0), (".63", 1), ("0", 0), ("1", 1)])
def test_a_gate_holds_at_its_threshold_and_fails_above(
    conformance: Path, threshold: str, code: int
) -> None:
    folder = conformance / EXAMPLE
    done = run(
        folder / "labels.yaml",
        folder / "predictions.csv",
        "--min-f1",
        threshold,
        "--format",
        "json",
    )
    assert done.returncode == code
    gates = json.loads(done.stdout)["gates"]
    assert [(row["gate"], row["metric"]) for row in gates] == [
        ("min-f1", "relevance.f1"),
        ("min-f1", "tagsMicro.f1"),
    ]
    assert [row["held"] for row in gates] == [row["value"] >= float(threshold) for row in gates]


@pytest.mark.parametrize("form", ["markdown", "json", "html", "text"])
def test_every_format_is_the_same_twice_with_one_line_end_and_no_path(
    conformance: Path, form: str
) -> None:
    folder = conformance / EXAMPLE
    first, second = (
        run(folder / "labels.yaml", folder / "predictions.csv", "--format", form) for _ in "12"
    )
    assert first.stdout == second.stdout
    assert first.stdout.endswith("\n")
    assert not first.stdout.endswith("\n\n")
    assert "\r" not in first.stdout
    assert str(folder) not in first.stdout
    for number in ("0.75", "0.625"):
        assert number in first.stdout
    assert first.stderr == ""


def test_the_default_is_markdown_and_a_low_score_exits_with_zero(conformance: Path) -> None:
    folder = conformance / EXAMPLE
    done = run(folder / "labels.yaml", folder / "predictions.csv")
    assert done.returncode == 0
    assert done.stdout.startswith("# MethodAtlas")
    assert "| macro-average |  |  |  |  |  | 0.4167 |  |" in done.stdout


def test_twelve_hundred_real_methods_have_the_reference_values(conformance: Path) -> None:
    folder = conformance / SELF
    found = scored(folder / "labels_overrides.yaml", folder / "predictions.csv")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert found["predictionRows"] == found["evaluated"] == 1215
    assert found["relevance"] == pytest.approx(expected["relevance"], abs=1e-15)
    stated = found["calibration"]
    for key, reference in (
        ("ece", "ece10_positive_class"),
        ("eceTopLabel", "ece10_top_label"),
        ("brier", "brier_multiclass"),
        ("nll", "nll"),
    ):
        assert stated[key] == pytest.approx(expected[reference], abs=1e-14)


def test_real_values_agree_with_scikit_learn_and_with_exact_fractions(
    conformance: Path, tmp_path: Path
) -> None:
    source = conformance / SELF / "predictions.csv"
    rows = predictions_format.read(source).records
    rng = random.Random(7)  # noqa: S311  # labels for a test
    truth = [bool(row.ai_security_relevant) ^ (rng.random() < 0.2) for row in rows]
    said = [bool(row.ai_security_relevant) for row in rows]
    p = [row.ai_confidence or 0.0 for row in rows]
    gold = tmp_path / "labels.yaml"
    gold.write_text(
        "overrides:\n"
        + "".join(
            f"- {{fqcn: {row.fqcn}, method: {row.method}, securityRelevant: {str(y).lower()}}}\n"
            for row, y in zip(rows, truth, strict=True)
        ),
        encoding="utf-8",
    )
    found = scored(gold, source)
    relevance, stated = found["relevance"], found["calibration"]
    assert relevance["precision"] == pytest.approx(precision_score(truth, said), abs=1e-15)
    assert relevance["recall"] == pytest.approx(recall_score(truth, said), abs=1e-15)
    assert relevance["f1"] == pytest.approx(f1_score(truth, said), abs=1e-15)
    exact = sum((2 * (Fraction(q) - y) ** 2 for q, y in zip(p, truth, strict=True)), Fraction())
    assert stated["brier"] == pytest.approx(float(exact / len(rows)), abs=1e-15)
    floored = [min(max(q, 1e-15), 1 - 1e-15) for q in p]
    assert stated["nll"] == pytest.approx(log_loss(truth, floored), rel=1e-3)
    bins: dict[int, list[tuple[Fraction, bool]]] = {}
    for q, y in zip(p, truth, strict=True):
        place = next(i for i in range(10) if q <= (i + 1) / 10)
        bins.setdefault(place, []).append((Fraction(q), y))
    gap = sum(abs(sum(q for q, _ in own) - sum(y for _, y in own)) for own in bins.values())
    assert stated["ece"] == pytest.approx(float(Fraction(gap) / len(rows)), abs=1e-15)


def test_confidence_is_of_relevance_and_not_of_the_answer() -> None:
    found = scored(CASES / "m05_labels.yaml", CASES / "m05_methodatlas_confidence.csv")
    assert found["calibration"]["eceTopLabel"] == pytest.approx(0.24, abs=1e-15)
    assert found["calibration"]["brier"] == pytest.approx(0.36, abs=1e-15)
    assert found["calibration"]["nll"] == pytest.approx(0.5318520073865556, abs=1e-15)


def test_a_scan_with_the_overrides_applied_is_scored_and_doubted() -> None:
    found = scored(CASES / "m13_labels.yaml", CASES / "m13_self_agreement.csv")
    assert found["relevance"]["f1"] == 1.0
    (problem,) = found["problems"]
    assert problem["severity"] == "warning"
    assert "agreement with itself" in problem["message"]


def test_without_confidences_relevance_works_and_calibration_is_null(tmp_path: Path) -> None:
    rows = (CASES / "c16_no_confidence_column.csv").read_text(encoding="utf-8")
    labels = "overrides: [{fqcn: com.acme.AuthTest, securityRelevant: true}]"
    found = of(tmp_path, labels, rows, max_ece=0.5)
    assert found["relevance"]["tp"] == 1
    assert found["calibration"] is None
    assert found["gates"][0] == {
        "gate": "max-ece",
        "metric": "calibration.ece",
        "threshold": 0.5,
        "value": None,
        "held": False,
    }


@pytest.mark.parametrize("labels", ["", "# nothing yet\n", "overrides:\n", "overrides: []\n"])
def test_nothing_to_evaluate_is_undefined_and_only_a_gate_fails(
    tmp_path: Path, labels: str
) -> None:
    found = of(tmp_path, labels, HEAD + "A,m,true,auth,0.9\n", min_f1=0.0)
    assert found["relevance"]["f1"] is found["tagsMicro"]["f1"] is found["tagsMacroF1"] is None
    assert [row["held"] for row in found["gates"]] == [False, False]
    assert found["unlabelledPredictions"] == 1


def test_one_undefined_value_is_left_out_of_the_f1_gate(tmp_path: Path) -> None:
    labels = "overrides: [{fqcn: A, method: m, securityRelevant: true}]"
    found = of(tmp_path, labels, HEAD + "A,m,true,,0.9\n", min_f1=1.0)
    assert [(row["value"], row["held"]) for row in found["gates"]] == [(1.0, True), (None, True)]


def test_each_key_is_scored_once_and_rows_are_all_counted() -> None:
    labels = CASES / "y16_empty_variants.yaml"
    found = scored(labels, CASES / "c19_overloads_same_key.csv")
    assert (found["predictionRows"], found["unlabelledPredictions"]) == (3, 2)
    assert "2 rows" in found["problems"][0]["message"]


TABLE = """
overrides:
- {fqcn: A, securityRelevant: true, tags: [Security, " AUTH ", auth]}
- {fqcn: A, method: relevance, securityRelevant: true}
- {fqcn: A, method: not, securityRelevant: false}
- {fqcn: A, method: tags, tags: [crypto]}
- {fqcn: A, method: noted, note: only a note}
- {fqcn: A, method: silent, securityRelevant: true}
- {fqcn: B, securityRelevant: true}
- {fqcn: A, method: gone, securityRelevant: false}
- {fqcn: A, method: again, securityRelevant: true}
- {fqcn: A, method: again, securityRelevant: false}
"""


def test_every_rule_of_resolution_in_one_file(tmp_path: Path) -> None:
    rows = "".join(
        f"A,{name},{said},{tags},\n"
        for name, said, tags in (
            ("byclass", "true", "security;auth"),
            ("relevance", "true", "logging"),
            ("not", "false", "auth"),
            ("tags", "true", "crypto"),
            ("noted", "true", "security"),
            ("silent", "", ""),
            ("again", "true", ""),
        )
    )
    found = of(tmp_path, TABLE, HEAD + rows + "C,free,true,,\nC,none,,,\n")
    assert found["predictionRows"] == 9
    assert found["evaluated"] == 6
    assert found["unlabelledPredictions"] == 1
    assert found["unpredictedLabels"] == 1
    assert found["staleLabelEntries"] == 2
    relevance = {key: found["relevance"][key] for key in ("tp", "fp", "fn", "tn")}
    assert relevance == {"tp": 3, "fp": 1, "fn": 0, "tn": 1}
    assert found["tagSamples"] == 5
    tags = {row["tag"]: (row["tp"], row["fp"], row["fn"]) for row in found["tags"]}
    assert tags == {"auth": (1, 1, 1), "crypto": (1, 0, 0), "security": (2, 0, 0)}
    severities = [problem["severity"] for problem in found["problems"]]
    assert sorted(severities) == ["note", "warning"]


def test_entries_saved_from_the_window_are_pointed_out(conformance: Path) -> None:
    folder = conformance / "systems/methodatlas/constructed_gui"
    found = scored(folder / "overrides.yaml", next(folder.glob("*.csv")))
    assert any("window" in problem["message"] for problem in found["problems"])


def test_notes_that_say_how_a_label_was_drawn_give_estimates_for_all(tmp_path: Path) -> None:
    rows = HEAD + "".join(f"A,m{i},{str(i < 20).lower()},,\n" for i in range(100))
    drawn = [*range(10), *range(20, 60)]
    labels = "overrides:\n" + "".join(
        f"- {{fqcn: A, method: m{i}, securityRelevant: {str(i % 2 == 0 and i < 20).lower()}, "
        f'note: "Reviewed 2026-11-29 by ines (labkit: blind; '
        f'{"flagged 10 of 20" if i < 20 else "not-flagged 40 of 80"}; seed 7)"}}\n'
        for i in drawn
    )
    found = of(tmp_path, labels, rows, min_precision=0.4, gate_on="low")
    by_name = {row["name"]: row for row in found["estimates"]}
    precision = by_name["precision"]
    assert precision["value"] == found["relevance"]["precision"] == 0.5
    assert precision["low"] < 0.5 < precision["high"]
    assert precision["basis"] == "blind"
    assert found["gates"][0]["value"] == precision["low"]
    assert found["gates"][0]["held"] is False
    other = of(tmp_path, labels.replace("of 20;", "of 30;"), rows)
    assert "another number of methods" in other["problems"][0]["message"]
    assert {row["low"] for row in other["estimates"] if row["value"] is not None} == {None}
    assert "estimates" not in of(tmp_path, "overrides: []", rows)


def test_roots_make_items_of_their_own_and_a_label_holds_in_each(tmp_path: Path) -> None:
    rows = "fqcn,method,source_root,ai_security_relevant\nA,m,x,true\nA,m,y,false\nA,m,y,false\n"
    found = of(tmp_path, "overrides: [{fqcn: A, securityRelevant: true}]", rows, by="source_root")
    assert (found["predictionRows"], found["evaluated"]) == (3, 2)
    assert [(g["value"], g["relevance"]["tp"]) for g in found["groups"]] == [("x", 1), ("y", 0)]


def test_answers_below_the_threshold_are_set_aside(tmp_path: Path) -> None:
    labels = "overrides: [{fqcn: A, securityRelevant: true}]"
    rows = HEAD + "A,a,true,,0.9\nA,b,false,,0.1\nA,c,true,,0.6\nB,d,false,,0.2\nA,e,true,,\n"
    found = of(tmp_path, labels, rows, confidence_threshold=0.8, min_coverage=0.6)
    assert found["selective"] == {"threshold": 0.8, "coverage": 0.6, "accuracy": 0.5, "n": 2}
    assert found["gates"][0]["held"] is True


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["labels", "missing"], ["missing.csv", "no such file"]),
        (["rows", "labels"], ["p.csv", "methodatlas-predictions"]),
        (["labels", "labels"], ["o.yaml", "methodatlas-overrides"]),
        (["labels"], ["needs", "1 files"]),
        ([], ["GOLD"]),
        (["broken", "rows"], ["b.yaml:2", "not YAML"]),
        (["twice", "rows"], ["t.yaml:3", "duplicate"]),
        (["labels", "rows", "--min-f1", "1.5"], ["min-f1", "0 to 1"]),
        (["labels", "rows", "--min-f1", "nan"], ["min-f1", "0 to 1"]),
        (["labels", "rows", "--min-coverage", "0.5"], ["confidence-threshold"]),
        (["labels", "rows", "--line-distance", "0"], ["--line-distance", "methodatlas"]),
        (["labels", "rows", "--by", "nothing"], ["no field 'nothing'"]),
        (["labels", "rows", "--nonsense"], ["nonsense"]),
        (["labels", "rows", "--gates", "labels"], ["requirements"]),
        (["labels", "rows", "--output", "nowhere"], ["cannot be written"]),
        (["folder", "rows"], ["folder"]),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(
    tmp_path: Path, arguments: list[str], words: list[str]
) -> None:
    texts = {
        "labels": ("o.yaml", "overrides: [{fqcn: A, securityRelevant: true}]\n"),
        "rows": ("p.csv", HEAD + "A,m,true,,0.9\n"),
        "broken": ("b.yaml", "overrides: [\n"),
        "twice": ("t.yaml", "overrides:\n- fqcn: A\n  fqcn: B\n"),
    }
    paths = {"missing": tmp_path / "missing.csv", "nowhere": tmp_path / "no/where.md"}
    paths["folder"] = tmp_path / "folder"
    paths["folder"].mkdir()
    for name, (file, text) in texts.items():
        paths[name] = tmp_path / file
        paths[name].write_text(text, encoding="utf-8")
    done = run(*(paths.get(argument, argument) for argument in arguments))
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert all(word in done.stderr for word in words)


def test_what_is_left_out_is_on_stderr_twenty_lines_at_most(tmp_path: Path) -> None:
    (tmp_path / "o.yaml").write_text("overrides: []\n", encoding="utf-8")
    (tmp_path / "p.csv").write_text(HEAD + "A,,true,,0.9\n" * 25, encoding="utf-8")
    done = run(tmp_path / "o.yaml", tmp_path / "p.csv", "--output", tmp_path / "r.json")
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert lines[0].startswith("p.csv:2: no method")
    assert lines[20:] == ["and 5 more"]
    assert done.stdout == ""
    assert (tmp_path / "r.json").read_text(encoding="utf-8").startswith("# MethodAtlas")


def test_scoring_loads_nothing_heavy(conformance: Path) -> None:
    folder = conformance / EXAMPLE
    code = (
        "import sys\nfrom labkit.cli import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "except SystemExit as done:\n    assert not done.code\n"
        "heavy = {'pandas', 'sqlalchemy', 'duckdb', 'pydantic', 'IPython'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    arguments = ["score", str(folder / "labels.yaml"), str(folder / "predictions.csv")]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def outcome(gold: Path, predictions: Path) -> str:
    try:
        return render(methodatlas.score(Call(gold, (predictions,))), "json")
    except LabkitError as error:
        return str(error)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_files_that_were_cut_or_scribbled_on_are_scored_or_refused_in_one_sentence(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    gold, predictions = folder / "mutant.yaml", folder / "mutant.csv"
    whole = {gold: TABLE.encode(), predictions: (HEAD + 'A,m,true,"a;b",0.5\nA,n,,,\n').encode()}
    for path, content in whole.items():
        at = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(at, min(at + 8, len(content))))
        path.write_bytes(content[:at] + data.draw(st.binary(max_size=5)) + content[end:])
    said = outcome(gold, predictions)
    assert said.startswith("{") or said.endswith(".")


def a_scan(path: Path, rows: list[tuple[bool, float | None]]) -> Path:
    lines = [
        f"A,m{i},{str(relevant).lower()},{'' if sure is None else sure}"
        for i, (relevant, sure) in enumerate(rows)
    ]
    head = "fqcn,method,ai_security_relevant,ai_confidence"
    path.write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    return path


MIXED: list[tuple[bool, float | None]] = [(True, 0.9), (False, 0.0)]


@pytest.mark.parametrize(
    ("rows", "stale", "signs"),
    [
        (MIXED * 10, True, set()),
        ([(True, 0.7)] * 10, False, {"-security-only", "-min-confidence"}),
        ([(True, None)] * 10, False, {"-security-only"}),
        ([(True, 0.7), (False, 0.6)] * 5, False, {"-min-confidence"}),
        ([(True, 0.7), (False, 0.4)] * 5, True, set()),
        ([(True, 0.7)] * 9, False, set()),
        ([(True, 0.7)] * 2, True, {"-security-only", "-min-confidence"}),
        ([(True, 0.7)], True, set()),
    ],
)
def test_a_scan_that_left_rows_out_is_hinted_at(
    tmp_path: Path, *, rows: list[tuple[bool, float | None]], stale: bool, signs: set[str]
) -> None:
    labels = tmp_path / "labels.yaml"
    entries = ["- {fqcn: A, method: m0, securityRelevant: true}"]
    entries += ["- {fqcn: B, method: gone, securityRelevant: false}"] if stale else []
    labels.write_text("\n".join(["overrides:", *entries, ""]), encoding="utf-8")
    report = methodatlas.score(Call(labels, (a_scan(tmp_path / "scan.csv", rows),)))
    said = " ".join(problem.message for problem in report.problems)
    assert {name for name in ("-security-only", "-min-confidence") if name in said} == signs
