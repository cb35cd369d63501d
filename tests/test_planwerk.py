"""planwerk: its corpus, its reports, its counts and its verdict."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from labkit.cli import cli
from labkit.errors import ComparisonError, InputError
from labkit.evaluate.planwerk import Case, CaseScore, Evaluation, Expected, Finding, score_run
from labkit.evaluate.planwerk import aggregate as rules_aggregate
from labkit.evaluate.planwerk_compare import check, compare
from labkit.formats import planwerk, planwerk_report
from labkit.metrics.findings import Tally
from labkit.reports.document import render as render_report
from labkit.reports.planwerk import report
from labkit.reports.planwerk_text import comparison_lines, render
from labkit.systems import Call
from labkit.systems import compare as comparing
from labkit.systems import planwerk as system

if TYPE_CHECKING:
    from pathlib import Path

CASES = (("a", 2, 0), ("b", 1, 1), ("c", 1, 1))
BUG = Expected("a.go", 10, "BLOCKING", ("leak",))


def a_finding(line: int = 10, **more: Any) -> Finding:
    return Finding(
        **{"file": "a.go", "line": line, "severity": "BLOCKING", "title": "leak", **more}
    )


def tally(bugs: list[Expected], findings: list[Finding]) -> tuple[int, int, int, int]:
    t = score_run(Case("c", findings=tuple(bugs)), findings).tally
    return t.tp, t.fp, t.fn, t.severity_matches


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        ([a_finding()], (1, 0, 0, 1)),
        ([a_finding(file="b.go")], (0, 1, 1, 0)),
        ([a_finding(file="./a.go")], (0, 1, 1, 0)),
        ([a_finding(file="A.go")], (0, 1, 1, 0)),
        ([a_finding(title="race")], (0, 1, 1, 0)),
        ([a_finding(severity="INFO")], (1, 0, 0, 0)),
        ([a_finding(severity=" blocking ")], (1, 0, 0, 1)),
        ([a_finding(13)], (1, 0, 0, 1)),
        ([a_finding(14)], (0, 1, 1, 0)),
        ([a_finding(7)], (1, 0, 0, 1)),
        ([a_finding(title="", problem="A LEAKY pipe")], (1, 0, 0, 1)),
        ([a_finding(), a_finding(11)], (1, 1, 0, 1)),
        ([], (0, 0, 1, 0)),
    ],
)
def test_a_bug_is_caught_in_its_file_near_its_line_by_a_keyword(
    findings: list[Finding], expected: tuple[int, int, int, int]
) -> None:
    assert tally([BUG], findings) == expected


def test_a_finding_without_a_line_stands_on_line_0() -> None:
    bug = Expected("a.go", 3, "INFO", ("leak",))
    assert tally([bug], [Finding("a.go", title="leak")]) == (1, 0, 0, 0)


def test_a_blank_keyword_never_matches() -> None:
    assert tally([Expected("a.go", 10, "", (" ",))], [a_finding()]) == (0, 1, 1, 0)


def test_the_order_of_the_bugs_changes_the_count() -> None:
    bugs = [Expected("a.go", 10, "", ("leak", "x")), Expected("a.go", 12, "", ("x",))]
    findings = [Finding("a.go", 11, title="x"), Finding("a.go", 9, title="leak")]
    assert tally(bugs, findings)[:3] == (1, 1, 1)
    assert tally(bugs[::-1], findings)[:3] == (2, 0, 0)


def test_every_matching_finding_credits_its_passes_even_when_another_claimed_the_bug() -> None:
    findings = [a_finding(), a_finding(11, confirmed_by=("specialist:security", "review"))]
    scored = score_run(Case("c", findings=(BUG,)), findings)
    assert scored.found_by == {"review": 1, "specialist:security": 1}
    assert scored.tally == Tally(1, 1, 0, 1)


def test_one_finding_near_two_bugs_credits_its_pass_twice() -> None:
    scored = score_run(Case("c", findings=(BUG, BUG)), [a_finding()])
    assert (scored.tally.tp, scored.tally.fn, scored.found_by) == (1, 1, {"review": 2})


# --- corpus -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"typo": 1}', 'unknown field "typo"'),
        ('{"findings": [{"file": "a", "keyword": ["x"]}]}', "did you mean 'keywords'"),
        ('{"clean": true, "findings": [{"file": "a", "keywords": ["x"]}]}', "got 1"),
        ('{"clean": false}', "at least one expected finding"),
        ("null", "at least one expected finding"),
        ('{"findings": [{"keywords": ["x"]}]}', "expected finding 0 has no file"),
        ('{"findings": [{"file": "a"}]}', "(a) has no keywords"),
        ('{"findings": [{"file": "a", "line": 1.5, "keywords": ["x"]}]}', "whole number"),
        ('{"findings": [{"file": "a", "line": "1", "keywords": ["x"]}]}', "whole number"),
        ("[]", "an object"),
        ('{"clean": ', "not JSON"),
        ("", "empty"),
    ],
)
def test_an_expected_json_that_contradicts_itself_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)) as caught:
        planwerk.parse_case(text, "x")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("case x: expected.json")


def test_keys_are_known_in_any_case_and_what_follows_the_object_is_ignored() -> None:
    case = planwerk.parse_case('{"FINDINGS": [{"File": "a", "keywords": ["x"]}]} tail', "x")
    assert case.findings == (Expected("a", 0, "", ("x",)),)


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ('{"findings": null}', 0),
        ('{"findings": []}', 0),
        ('{"findings": [{"title": "t"}], "gates": {"snippet": {"recovered_outside_diff": 1}}}', 1),
        ('<!-- planwerk-agent-data\n{"commit_sha": "x", "findings": [{}]}\n-->', 1),
    ],
)
def test_a_review_may_have_no_findings_and_more_members_than_known(
    text: str, findings: int
) -> None:
    assert len(planwerk.parse_review(text, "r.json").findings) == findings


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"summary": "x"}',
        '{"findings": {}}',
        '{"findings": [3]}',
        '{"findings": [{"line": "3"}]}',
        '{"findings": [{"line": 3',
        '{"findings": [{"confirmed_by": "review"}]}',
    ],
)
def test_what_is_no_review_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(InputError) as caught:
        planwerk.parse_review(text, "r.json")
    assert str(caught.value).startswith("r.json")
    assert "\n" not in str(caught.value)


# --- whole runs -------------------------------------------------------------------------------


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two cases, one of them clean, with two runs each."""
    finding = {"file": "a.go", "line": 10, "severity": "BLOCKING", "keywords": ["leak"]}
    write(tmp_path / "corpus/leak/expected.json", {"description": "d", "findings": [finding]})
    write(tmp_path / "corpus/tidy/expected.json", {"clean": True})
    hit = {"file": "a.go", "line": 11, "severity": "critical", "title": "Leak", "problem": ""}
    usage = {"calls": 3, "input_tokens": 5, "cache_read_input_tokens": 4, "est_cost_usd": 0.1}
    write(tmp_path / "runs/leak/1.json", {"findings": [hit], "usage": usage})
    write(tmp_path / "runs/leak/2.json", {"findings": None, "usage": usage})
    write(tmp_path / "runs/tidy/1.json", {"findings": [hit]})
    write(tmp_path / "runs/tidy/2.json", {"findings": []})
    return tmp_path


def score(tmp_path: Path, **options: Any) -> dict[str, Any]:
    return system.score(Call(tmp_path / "corpus", (tmp_path / "runs",), options)).data


def test_the_runs_of_a_case_are_pooled_and_the_aggregate_is_made_of_sums(corpus: Path) -> None:
    data = score(corpus)
    leak, tidy = data["cases"]
    assert (leak["tp"], leak["fp"], leak["fn"], leak["severity_matches"]) == (1, 0, 1, 0)
    assert (tidy["precision"], tidy["recall"], tidy["clean"]) == (0, None, True)
    assert data["aggregate"]["precision"] == data["aggregate"]["recall"] == 0.5
    assert data["recall_by_pass"] == [{"pass": "review", "found": 1, "recall": 0.5}]
    assert data["aggregate"]["usage"]["est_cost_usd"] == 0.2
    own = ["runs", "thorough", "specialists", "tiers", "cases", "aggregate", "recall_by_pass"]
    assert list(data)[:9] == ["schemaVersion", "system", *own]


def test_one_case_can_be_chosen(corpus: Path) -> None:
    assert [case["name"] for case in score(corpus, case=("leak",))["cases"]] == ["leak"]
    with pytest.raises(InputError, match="no case 'x'"):
        score(corpus, case=("x",))


def test_every_case_needs_the_same_number_of_runs(corpus: Path) -> None:
    (corpus / "runs/tidy/2.json").unlink()
    with pytest.raises(InputError, match="case tidy has 1 runs and case leak has 2"):
        score(corpus)
    (corpus / "runs/tidy/1.json").unlink()
    with pytest.raises(InputError, match="no review report for case tidy"):
        score(corpus)


def test_reviews_of_no_case_are_refused(corpus: Path) -> None:
    write(corpus / "runs/other/1.json", {"findings": []})
    with pytest.raises(InputError, match="no case of this name"):
        score(corpus)


def test_swapped_folders_are_refused(corpus: Path) -> None:
    with pytest.raises(InputError, match="this is planwerk-reviews"):
        system.score(Call(corpus / "runs", (corpus / "corpus",)))


def test_one_expected_json_takes_one_report_a_run(corpus: Path) -> None:
    gold = corpus / "corpus/leak/expected.json"
    reports = tuple(sorted((corpus / "runs/leak").iterdir()))
    data: Any = system.score(Call(gold, reports)).data
    assert (data["runs"], data["cases"][0]["name"]) == (2, "leak")


def test_critical_severities_are_listed_even_where_none_is_seeded(corpus: Path) -> None:
    groups = score(corpus, by="severity")["groups"]
    assert [group["value"] for group in groups] == ["BLOCKING", "CRITICAL"]
    assert (groups[0]["recall"], groups[1]["recall"], groups[1]["findings"]) == (0.5, None, 2)


def test_an_unknown_field_to_group_by_is_refused(corpus: Path) -> None:
    with pytest.raises(InputError, match="--by moon"):
        score(corpus, by="moon")


@pytest.mark.parametrize(
    ("tiers", "sentence"),
    [({"claude_effort": "extreme"}, "one of low, medium"), ({"model": "x"}, "unknown field")],
)
def test_an_effort_that_does_not_exist_is_refused(
    corpus: Path, tiers: dict[str, str], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        score(corpus, tiers=write(corpus / "tiers.json", tiers))


def test_low_scores_never_change_the_exit_code(corpus: Path) -> None:
    assert system.score(Call(corpus / "corpus", (corpus / "runs",))).exit_code == 0


# --- verdict ----------------------------------------------------------------------------------


def a_report(tp: int, fp: int, fn: int, severity: int, **more: Any) -> Evaluation:
    total = Tally(tp, fp, fn, severity)
    kept = {"runs": 3, "cases": (CaseScore("a", total),), **more}
    return Evaluation(aggregate=CaseScore("AGGREGATE", total), **kept)


def test_the_documented_example_holds() -> None:
    baseline, candidate = a_report(27, 9, 3, 21), a_report(28, 11, 2, 22)
    lines = list(comparison_lines(compare(baseline, candidate)))
    assert lines[0] == "VERDICT: HELD"
    assert "recall                            90.0%      93.3%      90.0%  held" in lines
    assert "precision                         75.0%      71.8%      65.0%  held" in lines
    assert "severity_accuracy                 77.8%      78.6%      67.8%  held" in lines


@pytest.mark.parametrize(
    ("metric", "before", "after", "held"),
    [
        ("recall", 0.9, 0.9, True),
        ("recall", 0.9, 0.8999, False),
        ("precision", 0.9, 0.8, True),
        ("precision", 0.9, 0.79, False),
        ("severity_accuracy", 0.7, 0.6, True),
        ("precision", None, 0.1, True),
        ("precision", 0.9, None, True),
    ],
)
def test_each_metric_has_its_tolerance(
    metric: str, before: float | None, after: float | None, *, held: bool
) -> None:
    result = check(metric, before, after)
    assert result.held is held
    assert (result.floor is None) == (before is None or after is None)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"runs": 2}, "at least 3 runs per side"),
        ({"thorough": True}, "compare like with like"),
        ({"specialists": True}, "compare like with like"),
        ({"cases": (CaseScore("b", Tally()),)}, "baseline covers cases"),
    ],
)
def test_unlike_runs_are_not_compared(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ComparisonError, match=sentence):
        compare(a_report(1, 0, 0, 1), a_report(1, 0, 0, 1, **change))


def test_a_baseline_without_seeded_bugs_is_not_compared() -> None:
    with pytest.raises(ComparisonError, match="baseline has no recall"):
        compare(a_report(0, 1, 0, 0), a_report(0, 1, 0, 0))


def test_order_and_number_of_the_same_cases_do_not_matter() -> None:
    cases = (CaseScore("b", Tally()), CaseScore("a", Tally()), CaseScore("a", Tally()))
    both = (CaseScore("a", Tally()), CaseScore("b", Tally()))
    assert compare(a_report(1, 0, 0, 1, cases=cases), a_report(1, 0, 0, 1, cases=both)).held


def test_only_the_finder_tier_may_differ_without_a_warning() -> None:
    tiers = {"claude_model": "a", "finder_model": "a", "structure_model": "a"}
    one = a_report(1, 0, 0, 1, tiers=tiers)
    tried = compare(one, a_report(1, 0, 0, 1, tiers={**tiers, "finder_model": "b"}))
    mixed = compare(one, a_report(1, 0, 0, 1, tiers={**tiers, "claude_model": "b"}))
    assert (tried.warnings, len(mixed.warnings), mixed.held) == ((), 1, True)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"cases": [], "aggregate": {}}', "records no runs"),
        ('{"runs": 3', "not JSON"),
        ('{"findings": []}', "no planwerk eval report"),
    ],
)
def test_a_baseline_that_cannot_be_used_is_refused(
    tmp_path: Path, text: str, sentence: str
) -> None:
    (tmp_path / "b.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=sentence):
        planwerk_report.read_baseline(tmp_path / "b.json")


def test_older_reports_are_read() -> None:
    first = '{"Cases": [{"name": "a", "tp": 1, "fn": 1}], "aggregate": {"tp": 1, "fn": 1}}'
    old = planwerk_report.parse(first)
    assert (old.runs, old.aggregate.recall, old.cases[0].recall) == (0, 0.5, 0.5)
    named = planwerk_report.parse(
        '{"cases": [], "aggregate": {}, "passes": [{"pass": "review", "found": 1, "recall": null}]}'
    )
    assert named.recall_by_pass == (("review", 1, None),)


def test_a_regression_fails_only_when_asked(tmp_path: Path) -> None:
    for name, e in (("a", a_report(2, 0, 0, 2)), ("b", a_report(1, 0, 1, 1))):
        write(tmp_path / f"{name}.json", planwerk_report.as_data(e))
    files = [str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--system", "planwerk"]
    run = CliRunner().invoke
    fine = run(cli, ["compare", *files, "--format", "json"], standalone_mode=False)
    failed = run(cli, ["compare", *files, "--fail-on-regression"], standalone_mode=False)
    assert (fine.return_value, failed.return_value) == (0, 1)
    assert json.loads(fine.stdout)["comparison"]["verdict"] == "REGRESSED"


def test_two_runs_over_one_corpus_are_paired_by_case(corpus: Path) -> None:
    write(corpus / "new/leak/1.json", {"findings": []})
    write(corpus / "new/tidy/1.json", {"findings": []})
    for stale in corpus.glob("runs/*/2.json"):
        stale.unlink()
    arguments = ["compare", "runs", "new", "--gold", "corpus", "--system", "planwerk"]
    full = [str(corpus / a) if a in ("runs", "new", "corpus") else a for a in arguments]
    result = CliRunner().invoke(cli, [*full, "--format", "json"], standalone_mode=False)
    data = json.loads(result.stdout)
    recall = next(check for check in data["checks"] if check["metric"] == "recall")
    assert (data["verdict"], recall["held"], recall["difference"]) == ("REGRESSED", False, -1.0)
    assert recall["low"] <= -1.0 <= recall["high"]
    assert data["pairs"] == {"both": 2, "baselineOnly": 0, "candidateOnly": 0}


# --- planwerk's own files -----------------------------------------------------------------------


def test_its_baseline_is_written_again_byte_for_byte(conformance: Path) -> None:
    path = conformance / "systems/planwerk/baseline/baseline.json"
    data = planwerk_report.as_data(planwerk_report.read(path))
    del data["tiers"]
    assert json.dumps(data, indent=2) == path.read_text(encoding="utf-8").strip()


def test_its_baseline_costs_what_its_own_test_says(conformance: Path) -> None:
    e = planwerk_report.read(conformance / "systems/planwerk/baseline/baseline.json")
    cost = compare(e, e).baseline
    assert (cost.prompt_tokens, cost.output_tokens, cost.est_cost_usd) == (1110, 30, 0.375)
    assert "AGGREGATE                        3.0           1110             30     $0.38" in render(
        e
    )


def test_its_corpus_has_ten_cases_and_ten_bugs(conformance: Path) -> None:
    cases = planwerk.read_corpus(conformance / "systems/planwerk/corpus_expected")
    bugs = [bug.severity for case in cases for bug in case.findings]
    assert (len(cases), len(bugs), [c.name for c in cases if c.clean]) == (
        10,
        10,
        ["clean-refactor"],
    )
    assert [bugs.count(s) for s in ("BLOCKING", "CRITICAL", "WARNING")] == [2, 3, 5]


def test_its_report_fixtures_are_read(conformance: Path) -> None:
    fixtures = sorted((conformance / "systems/planwerk/report_fixtures").rglob("*.json"))
    counts = [len(planwerk.read_review(path).findings) for path in fixtures]
    assert counts == [1, 0, 1, 1, 0, 1]


def test_the_smallest_label_is_taken_for_what_it_is(corpus: Path) -> None:
    bug = {"file": "a.go", "line": 10, "keywords": ["leak"]}
    gold = write(corpus / "corpus/leak/expected.json", {"findings": [bug]})
    data: Any = system.score(Call(gold, (corpus / "runs/leak/1.json",), {"case": "leak"})).data
    assert data["aggregate"]["tp"] == 1


def test_a_baseline_is_judged_beside_the_score(corpus: Path) -> None:
    data = score(corpus)
    path = write(corpus / "baseline.json", data)
    with pytest.raises(ComparisonError, match="at least 3 runs"):
        score(corpus, baseline=str(path))
    for case in ("leak", "tidy"):
        write(corpus / f"runs/{case}/3.json", {"findings": []})
    path = write(corpus / "baseline.json", score(corpus))
    comparison = score(corpus, baseline=path)["comparison"]
    assert (comparison["verdict"], len(comparison["checks"])) == ("HELD", 3)
    assert list(comparison) == [
        "verdict",
        "checks",
        "recall_by_pass",
        "baseline",
        "candidate",
        "baseline_tiers",
        "candidate_tiers",
    ]


def test_a_gate_reads_the_aggregate(corpus: Path) -> None:
    call = Call(corpus / "corpus", (corpus / "runs",), {"min_recall": 0.6, "min_precision": 0.5})
    report = system.score(call)
    gates: Any = report.data["gates"]
    assert (report.exit_code, [gate["held"] for gate in gates]) == (1, [False, True])


def test_words_are_no_confidences(corpus: Path) -> None:
    one = {"file": "a.go", "line": 10, "title": "leak", "problem": "", "confidence": "verified"}
    write(corpus / "runs/leak/1.json", {"findings": [one, {**one, "file": "b.go"}]})
    words = score(corpus)["byConfidenceWord"]
    assert words == [{"word": "verified", "n": 2, "precision": 0.5}]


def test_planwerks_own_report_is_shown_and_judged_alone(tmp_path: Path) -> None:
    one = write(tmp_path / "a.json", planwerk_report.as_data(a_report(9, 1, 1, 9)))
    two = write(tmp_path / "b.json", planwerk_report.as_data(a_report(8, 1, 2, 8)))
    data: Any = system.score(Call(two, (), {"baseline": one})).data
    assert data["comparison"]["verdict"] == "REGRESSED"
    with pytest.raises(InputError, match="--by needs the corpus"):
        system.score(Call(two, (), {"by": "severity"}))


def test_another_systems_file_in_the_folder_is_named(corpus: Path) -> None:
    write(corpus / "runs/leak/1.json", {"version": "2.1.0", "runs": []})
    with pytest.raises(InputError, match=r"1\.json: this is sarif"):
        score(corpus)


def test_one_case_finds_its_reviews_among_those_of_others(corpus: Path) -> None:
    data: Any = system.score(Call(corpus / "corpus/leak", (corpus / "runs",))).data
    assert [case["name"] for case in data["cases"]] == ["leak"]


def test_folders_are_compared_with_labels_only(corpus: Path) -> None:
    with pytest.raises(InputError, match="--gold"):
        comparing.compare(Call(None, (corpus / "runs", corpus / "runs")))


def test_five_runs_of_a_case_narrow_no_interval() -> None:
    def said(runs: int) -> str:
        cases = [CaseScore(name, sum([Tally(tp, 1, fn)] * runs, Tally())) for name, tp, fn in CASES]
        made = report(Evaluation(runs, tuple(cases), rules_aggregate(cases)))
        lines = render_report(made, "markdown").splitlines()
        return next(line for line in lines if line.startswith("| recall |"))

    assert said(1) == said(5)
    assert said(1).startswith("| recall | 0.6667 | 0.")
    assert said(1).endswith("| 3 |")
