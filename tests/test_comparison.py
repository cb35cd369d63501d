"""Runs side by side: held or regressed, paired by unit, and what differs between them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from labkit.cli import cli
from labkit.comparison import Check, Measure, Unit, by_field, check_measures, pair
from labkit.errors import ComparisonError, InputError
from labkit.estimation.paired import Pairs, linearised, mcnemar_mid_p, newcombe, t_of

if TYPE_CHECKING:
    from pathlib import Path

COUNTS = st.builds(Pairs, *[st.integers(0, 40)] * 4).filter(lambda p: p.n)


# --- intervals ----------------------------------------------------------------------------------


@given(COUNTS)
def test_the_paired_interval_holds_the_difference_and_swaps_with_the_runs(p: Pairs) -> None:
    difference = (p.second - p.first) / p.n
    low, high = newcombe(p)
    assert -1 <= low <= difference + 1e-12
    assert difference - 1e-12 <= high <= 1
    back = newcombe(Pairs(p.both, p.second, p.first, p.neither))
    assert (back.low, back.high) == pytest.approx((-high, -low))


def test_the_paired_interval_is_the_published_one() -> None:
    # Airway hyper-responsiveness before and after treatment (Fagerland, Lydersen, Laake 2017).
    low, high = newcombe(Pairs(1, 7, 1, 12))
    assert (round(low, 3), round(high, 3)) == (-0.507, -0.026)


@given(COUNTS)
def test_the_mid_p_value_is_the_binomials(p: Pairs) -> None:
    n, k = p.first + p.second, min(p.first, p.second)
    expected = 1.0
    if n and 2 * k < n:
        expected = 2 * stats.binom.cdf(k, n, 0.5) - stats.binom.pmf(k, n, 0.5)
    assert mcnemar_mid_p(p) == pytest.approx(expected)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 10, 29, 150])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_students_quantile_is_scipys(freedom: int, level: float) -> None:
    assert t_of(level, freedom) == pytest.approx(stats.t.ppf(0.5 + level / 2, freedom))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=3, max_size=40))
def test_one_trial_a_unit_gives_the_paired_t_interval(outcomes: list[tuple[bool, bool]]) -> None:
    first, second = ([(int(x[i]), 1) for x in outcomes] for i in (0, 1))
    found = linearised(first, second)
    steps = [int(y) - int(x) for x, y in outcomes]
    if len(set(steps)) == 1:
        assert found is None
        return
    expected = stats.ttest_1samp(steps, 0).confidence_interval(0.95)
    assert found is not None
    assert found.low == pytest.approx(max(-1, expected.low))
    assert found.high == pytest.approx(min(1, expected.high))


def test_without_a_spread_there_is_no_interval() -> None:
    assert linearised([(1, 1)], [(0, 1)]) is None
    assert linearised([(0, 0)] * 3, [(1, 1)] * 3) is None


# --- checks -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "before", "after", "held"),
    [
        ("f1", (1, 3), (333333, 1000000), False),
        ("f1", (1, 3), (2, 6), True),
        ("f1", (1, 3), (1, 2), True),
        ("unmatched_rate", (1, 3), (1, 2), False),
        ("unmatched_rate", (1, 2), (1, 3), True),
        ("f1", (0, 0), (1, 2), True),
        ("f1", (1, 2), (0, 0), True),
    ],
)
def test_counts_decide_whether_a_metric_held(
    metric: str, before: tuple[int, int], after: tuple[int, int], *, held: bool
) -> None:
    sides = [Measure(metric, x / n if n else None, (x, n)) for x, n in (before, after)]
    assert Check(metric, *sides).held is held


def test_only_metrics_of_both_sides_are_checked() -> None:
    one = (Measure("f1", 0.5), Measure("ece", 0.1))
    other = (Measure("ece", 0.2), Measure("recall", 1.0))
    checks = check_measures(one, other)
    assert [(check.metric, check.held) for check in checks] == [("ece", False)]


def some_units(*hits: int, field: str = "a") -> list[Unit]:
    return [Unit(str(i), {"recall": (hit, 1)}, {"k": field}) for i, hit in enumerate(hits)]


def test_units_of_one_run_only_are_left_out_and_counted() -> None:
    found = pair(some_units(1, 0, 1), some_units(1, 1))
    assert (found.both, found.baseline_only, found.candidate_only) == (2, 1, 0)
    assert found.checks[0].difference == 0.5
    assert (found.checks[0].method, found.checks[0].n) == ("newcombe-paired", 2)


def test_runs_without_a_common_unit_are_not_compared() -> None:
    with pytest.raises(ComparisonError, match="share no item"):
        pair([Unit("a", {})], [Unit("b", {})])


def test_a_value_of_a_field_that_one_run_lacks_adds_nothing_there() -> None:
    one = [Unit("u/x", {"recall": (1, 2)}, {"k": "x"}, "u")]
    other = [
        Unit("u/y", {"recall": (2, 2)}, {"k": "y"}, "u"),
        Unit("v/y", {"recall": (0, 9)}, {"k": "y"}, "v"),
    ]
    groups = dict(by_field(one, other, "k", among={"u"}))
    assert groups["y"].checks[0].candidate.counts == (2, 2)
    assert groups["y"].checks[0].baseline.value is None


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(InputError, match="--by moon"):
        by_field(some_units(1), some_units(1), "moon", among={"0"})


# --- the command --------------------------------------------------------------------------------


def run(*arguments: object) -> tuple[int, dict[str, Any]]:
    result = CliRunner().invoke(cli, ["compare", *map(str, arguments)], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, json.loads(result.stdout) if "json" in arguments else {}


@pytest.fixture
def scans(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Labels of four methods and two scans of them."""
    labels = tmp_path / "labels.yaml"
    labels.write_text(
        "overrides:\n"
        + "".join(
            f"  - {{fqcn: A, method: m{i}, securityRelevant: {str(i < 2).lower()}, tags: [auth]}}\n"
            for i in range(4)
        ),
        encoding="utf-8",
    )
    head = "fqcn,method,ai_security_relevant,ai_tags\n"
    for name, answers, version in (("a", (1, 1, 0, 0), "1.0"), ("b", (1, 0, 0, 0), "1.1")):
        rows = "".join(f"A,m{i},{str(bool(x)).lower()},auth\n" for i, x in enumerate(answers))
        text = f"# tool_version: {version}\n# taxonomy: built-in/default\n{head}{rows}"
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    return labels, tmp_path / "a.csv", tmp_path / "b.csv"


def test_two_predictions_are_paired_by_item_on_the_same_labels(
    scans: tuple[Path, Path, Path],
) -> None:
    labels, a, b = scans
    code, data = run(a, b, "--gold", labels, "--format", "json")
    checks = {check["metric"]: check for check in data["checks"]}
    assert (code, data["verdict"], data["pairs"]["both"]) == (0, "REGRESSED", 4)
    assert checks["relevance.accuracy"]["counts"] == {"baseline": [4, 4], "candidate": [3, 4]}
    assert checks["relevance.accuracy"]["method"] == "newcombe-paired"
    assert checks["relevance.recall"]["n"] == 2
    assert checks["tagsMicro.f1"]["held"] is True
    assert data["differing"] == ["toolVersion"]


def test_a_regression_fails_only_when_asked(scans: tuple[Path, Path, Path]) -> None:
    labels, a, b = scans
    assert run(a, b, "--gold", labels, "--fail-on-regression")[0] == 1
    assert run(b, a, "--gold", labels, "--fail-on-regression")[0] == 0


def test_a_field_splits_the_comparison(scans: tuple[Path, Path, Path]) -> None:
    labels, a, b = scans
    _, data = run(a, b, "--gold", labels, "--by", "method", "--format", "json")
    assert [group["value"] for group in data["groups"]] == ["m0", "m1", "m2", "m3"]


def test_reports_are_compared_by_their_counts(scans: tuple[Path, Path, Path]) -> None:
    labels, a, b = scans
    reports = []
    for path in (a, b, a):
        result = CliRunner().invoke(
            cli, ["score", str(labels), str(path), "--format", "json"], standalone_mode=False
        )
        reports.append(path.with_name(f"{len(reports)}.json"))
        reports[-1].write_bytes(result.stdout_bytes)
    _, data = run(*reports[:2], "--format", "json")
    recall = next(check for check in data["checks"] if check["metric"] == "relevance.recall")
    assert (data["verdict"], recall["counts"]["candidate"]) == ("REGRESSED", [1, 2])
    _, data = run(*reports, "--format", "json")
    assert [one["name"] for one in data["runs"]] == ["0.json", "1.json", "2.json"]
    assert len(data["candidates"]) == 2


def test_runs_of_two_systems_are_not_compared(tmp_path: Path) -> None:
    for name in ("planwerk", "aacr"):
        text = json.dumps({"schemaVersion": 1, "system": name})
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    with pytest.raises(ComparisonError, match=r"planwerk\.json is of planwerk"):
        run(tmp_path / "planwerk.json", tmp_path / "aacr.json")


def test_predictions_without_labels_are_not_compared(scans: tuple[Path, Path, Path]) -> None:
    with pytest.raises(InputError, match="give --gold"):
        run(scans[1], scans[2])


def test_labels_of_any_origin_are_compared_pairwise(tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("id,label\na,true\nb,true\nc,false\nd,false\n", encoding="utf-8")
    for name, answers in (("one", "tttf"), ("two", "tfff")):
        rows = "".join(
            f"{i},{'true' if x == 't' else 'false'},m-{name}\n"
            for i, x in zip("abcd", answers, strict=True)
        )
        (tmp_path / f"{name}.csv").write_text(f"id,label,model\n{rows}", encoding="utf-8")
    _, data = run(tmp_path / "one.csv", tmp_path / "two.csv", "--gold", gold, "--format", "json")
    checks = {check["metric"]: check.get("counts") for check in data["checks"]}
    assert checks["specificity"] is None, "by its value, since no item adds to it"
    assert data["system"] == "labkit"
    assert checks["precision"] == {"baseline": [2, 3], "candidate": [1, 1]}
    assert checks["recall"] == {"baseline": [2, 2], "candidate": [1, 2]}
    assert data["differing"] == ["model"]


def test_reports_that_list_their_units_are_paired_by_them(tmp_path: Path) -> None:
    def report_of(*hits: int) -> str:
        keys = ("positive_expected", "positive_matches", "positive_recall_rate")
        rows = [
            {"github_pr_url": str(i), "positive_expected_nums": 3, "positive_match_nums": hit}
            for i, hit in enumerate(hits)
        ]
        total = (3 * len(hits), sum(hits), sum(hits) / (3 * len(hits)))
        overall = dict(zip(keys, total, strict=True))
        return json.dumps(
            {"schemaVersion": 1, "system": "aacr", "pullRequests": rows, "overall": overall}
        )

    paths = [tmp_path / name for name in ("a.json", "b.json", "c.json")]
    for path, hits in zip(paths, ((3, 2, 1), (3, 0, 1), (3, 0, 1, 0)), strict=True):
        path.write_text(report_of(*hits), encoding="utf-8")
    _, data = run(*paths, "--format", "json")
    same, other = (
        next(c for c in one["checks"] if c["metric"] == "overall.positive_recall_rate")
        for one in data["candidates"]
    )
    assert (same["method"], same["n"]) == ("linearised-paired", 3)
    assert same["low"] < same["difference"] < same["high"]
    assert (other["low"], other["held"]) == (None, False)


def planwerk_report(path: Path, tp: int, fp: int, names: str = "ab", runs: int = 3) -> Path:
    tally = {"tp": tp, "fp": fp, "fn": 10 - tp, "severity_matches": tp}
    half = {name: value // 2 for name, value in tally.items()}
    cases = [{"name": name, "clean": False, **half} for name in names]
    value = {"runs": runs, "cases": cases, "aggregate": {"name": "AGGREGATE", **tally}}
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_planwerk_keeps_its_tolerances_and_refusals_over_many_runs(tmp_path: Path) -> None:
    base = planwerk_report(tmp_path / "a.json", 8, 2)
    within = planwerk_report(tmp_path / "b.json", 8, 3)
    beyond = planwerk_report(tmp_path / "c.json", 8, 4)
    _, data = run(base, within, beyond, "--format", "json")
    held = [{c["metric"]: c["held"] for c in one["checks"]} for one in data["candidates"]]
    assert held[0] == dict.fromkeys(held[0], True)
    assert [name for name, ok in held[1].items() if not ok] == ["aggregate.precision"]
    lower = planwerk_report(tmp_path / "d.json", 7, 0)
    _, data = run(base, lower, base, "--format", "json")
    assert not next(c for c in data["checks"] if c["metric"] == "aggregate.recall")["held"]
    for change in ({"names": "ac"}, {"runs": 2}):
        odd = planwerk_report(tmp_path / "e.json", 8, 2, **change)  # type: ignore[arg-type]  # one of two
        with pytest.raises(ComparisonError):
            run(base, within, odd)


def test_every_metric_is_checked_and_not_only_those_that_items_add_to(tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("id,label\na,true\nb,false\n", encoding="utf-8")
    for name, sure in (("one", 0.9), ("two", 0.6)):
        rows = f"id,label,confidence\na,true,{sure}\nb,false,{sure}\n"
        (tmp_path / f"{name}.csv").write_text(rows, encoding="utf-8")
    _, data = run(tmp_path / "one.csv", tmp_path / "two.csv", "--gold", gold, "--format", "json")
    checks = {check["metric"]: check for check in data["checks"]}
    assert (checks["ece"]["held"], checks["ece"]["reason"]) == (False, "not paired by item")
    assert (data["verdict"], checks["accuracy"]["held"]) == ("REGRESSED", True)


def test_runs_of_decguard_are_paired_by_case_and_of_one_decision(conformance: Path) -> None:
    folder = conformance / "systems/decguard/reference"
    names = ("refund_default", "refund_order_sensitive", "severity_default")
    first, second, strange = (folder / f"report_{name}.json" for name in names)
    _, data = run(first, second, second, "--format", "json")
    (accuracy,) = (c for c in data["checks"] if c["metric"].endswith("accuracy") and c["n"])
    assert (accuracy["method"], accuracy["n"]) == ("newcombe-paired", 10)
    _, data = run(first, second, "--format", "json")
    assert [c["metric"] for c in data["differences"]] == ["accuracy", "error_rate"]
    with pytest.raises(ComparisonError, match="different decisions"):
        run(first, second, strange)
    with pytest.raises(InputError, match="--by moon"):
        run(first, second, "--by", "moon")
