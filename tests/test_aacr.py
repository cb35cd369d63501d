"""AACR-Bench: its files, its matching and its rates."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from labkit.errors import InputError
from labkit.evaluate.aacr import (
    OVERALL,
    PER_PULL_REQUEST,
    Comment,
    PullRequest,
    Rates,
    Rule,
    evaluate,
    score_pull_request,
)
from labkit.evaluate.aacr_judges import Exact, Jaccard, judge_of
from labkit.formats import aacr, aacr_comments, aacr_v2
from labkit.matching import Location, same_place
from labkit.systems import Call
from labkit.systems import aacr as system

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

URL = "https://github.com/o/r/pull/1"


def a_comment(note: str = "n", **more: Any) -> dict[str, Any]:
    return {"path": "a.py", "side": "right", "from_line": 5, "to_line": 5, "note": note, **more}


def a_pull_request(*comments: Any, **more: Any) -> dict[str, Any]:
    return {"githubPrUrl": URL, "comments": list(comments), **more}


def write(path: Path, *pull_requests: dict[str, Any]) -> Path:
    path.write_text(json.dumps(pull_requests), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """References and generated comments of one pull request each."""
    gold = write(
        tmp_path / "gold.json",
        a_pull_request(
            a_comment("leak of memory", category="Security Vulnerability", context="Diff Level"),
            a_comment("slow loop", from_line=90, to_line=91, category="Performance"),
            project_main_language="Go",
            category="Bug Fix",
        ),
    )
    made = write(tmp_path / "made.json", a_pull_request(a_comment("memory leak"), a_comment("x")))
    return gold, made


def score(files: tuple[Path, Path], **options: Any) -> dict[str, Any]:
    return system.score(Call(files[0], (files[1],), options)).data


# --- reading ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "empty"),
        ("{}", "a list of pull requests"),
        ('[{"id": 1}]', "no entry has 'githubPrUrl'"),
        ('[{"githubPrUrl": "u", "comments": [', "not JSON"),
    ],
)
def test_what_is_no_dataset_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)) as caught:
        aacr.parse(text, "d.json")
    assert "\n" not in str(caught.value)


def test_what_cannot_be_taken_is_left_out_and_named() -> None:
    text = json.dumps(
        [
            a_pull_request("oops", a_comment(from_line="5"), a_comment(path=3), a_comment()),
            {"comments": []},
            {"githubPrUrl": "u"},
            a_pull_request(),
        ]
    )
    dataset = aacr.parse(text, "d.json")
    assert [comment.index for comment in dataset.pull_requests[0].comments] == [3]
    assert len(dataset.problems) == 6
    assert {problem.severity for problem in dataset.problems} == {"error"}


def test_reversed_lines_and_an_empty_side_are_kept_and_doubted() -> None:
    text = json.dumps([a_pull_request(a_comment(from_line=9), a_comment(side=""))])
    dataset = aacr.parse(text, "d.json")
    assert dataset.comments == 2
    assert [problem.severity for problem in dataset.problems] == ["warning", "warning"]


def test_comments_that_belong_to_no_pull_request_are_counted_and_named(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    text = tmp_path / "comments_nope_9.txt"
    text.write_text("<path>a.py</path><note>n</note>", encoding="utf-8")
    data = score((files[0], text))
    assert data["skipped"] == {"generatedOnly": 1, "referencesOnly": 1}
    assert "fits no pull request" in data["problems"][-1]["message"]


def test_swapped_files_are_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    text = tmp_path / "comments_r_1.txt"
    text.write_text("<path>a.py</path><note>n</note>", encoding="utf-8")
    with pytest.raises(InputError, match="this is aacr-comments"):
        score((text, files[0]))


def test_another_systems_file_is_recognised(files: tuple[Path, Path], tmp_path: Path) -> None:
    report = tmp_path / "r.json"
    report.write_text('{"decguard_version": "1", "metrics": {}}', encoding="utf-8")
    with pytest.raises(InputError, match="decguard-report"):
        score((files[0], report))


def test_an_option_of_another_system_is_refused(files: tuple[Path, Path]) -> None:
    with pytest.raises(InputError, match="--thorough"):
        score(files, thorough=True)


# --- scoring ----------------------------------------------------------------------------------


def test_counts_and_rates_carry_upstreams_names(files: tuple[Path, Path]) -> None:
    data = score(files, matcher="jaccard:0.5")
    assert data["pullRequests"][0]["positive_recall_rate"] == 0.5
    assert data["overall"] == {
        "total_generated": 2,
        "positive_expected": 2,
        "positive_matches": 1,
        "positive_line_matches": 1,
        "unmatched": 1,
        "positive_match_rate": 0.5,
        "positive_line_match_rate": 0.5,
        "positive_recall_rate": 0.5,
        "positive_line_recall_rate": 0.5,
        "unmatched_rate": 0.5,
    }


def test_without_a_matcher_only_places_count(files: tuple[Path, Path]) -> None:
    overall = score(files)["overall"]
    assert (overall["positive_matches"], overall["unmatched"]) == (0, 0)
    assert overall["positive_line_matches"] == 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"comment_category": "Performance"}, 1),
        ({"comment_category": ("Performance", "Security Vulnerability")}, 2),
        ({"context": "Diff Level"}, 1),
        ({"language": "Go"}, 2),
        ({"language": "Rust"}, 0),
        ({"pr_category": "Bug Fix"}, 2),
    ],
)
def test_filters_keep_what_has_the_value(
    files: tuple[Path, Path], options: dict[str, Any], expected: int
) -> None:
    assert score(files, **options)["overall"]["positive_expected"] == expected


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"language": "Ruby"}, "--language Ruby"),
        ({"matcher": "llm"}, "no such matcher"),
        ({"matcher": "jaccard:2"}, "from 0 to 1"),
        ({"matcher": "jaccard"}, "from 0 to 1"),
        ({"line_distance": -1}, "0 or more"),
        ({"by": "moon"}, "no such field"),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    files: tuple[Path, Path], options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        score(files, **options)


def test_people_decide_where_their_labels_are_given(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    labels = tmp_path / "labels.jsonl"
    rows = [
        {"item": f"{URL}#0~0", "first": {"same": False}, "final": {"same": True}},
        {"item": f"{URL}#1~0", "first": {"same": True}},
    ]
    labels.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    data = score(files, matcher=f"labels:{labels}")
    assert data["overall"]["positive_matches"] == 1
    assert data["problems"] == []
    labels.write_text(json.dumps(rows[0]), encoding="utf-8")
    data = score(files, matcher=f"labels:{labels}")
    assert data["overall"]["positive_matches"] == 0
    assert data["problems"][0]["message"].startswith("1 candidate pair")
    labels.write_text("", encoding="utf-8")
    data = score(files, matcher=f"labels:{labels}")
    assert data["problems"][0]["message"].startswith("2 candidate pairs"), "nobody answered yet"
    with pytest.raises(InputError, match="names no file"):
        score(files, matcher="labels:")


def test_groups_add_up_to_the_whole(files: tuple[Path, Path]) -> None:
    data = score(files, by="category", matcher="jaccard:0.5")
    groups = {group["value"]: group for group in data["groups"]}
    assert groups["Security Vulnerability"]["positive_recall_rate"] == 1.0
    assert groups["Performance"]["positive_matches"] == 0
    assert "valid" not in groups["Performance"]


def test_a_pull_request_that_v1_gives_up_on_leaves_both_denominators(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    broken = {**a_comment(from_line=0), "originLineRange": None}
    made = write(tmp_path / "broken.json", a_pull_request(broken))
    assert score((files[0], made))["overall"]["positive_expected"] == 0
    assert score((files[0], made), rules="v2")["overall"]["positive_expected"] == 2


def test_a_gate_reads_places_where_only_places_are_compared(files: tuple[Path, Path]) -> None:
    report = system.score(Call(files[0], (files[1],), {"min_recall": 0.6}))
    assert report.exit_code == 1
    assert report.data["gates"][0]["metric"] == "overall.positive_line_recall_rate"  # type: ignore[index]


def test_rates_of_nothing_are_zero() -> None:
    assert set(Rates().rates(OVERALL).values()) == {0.0}


@pytest.mark.parametrize(
    ("one", "other", "threshold", "same"),
    [
        ("a b", "b a!", 1.0, True),
        ("a b c", "a b d", 0.5, True),
        ("a b c", "a b d", 0.51, False),
        ("", "", 0.0, False),
    ],
)
def test_jaccard_compares_sets_of_words(
    one: str, other: str, threshold: float, *, same: bool
) -> None:
    pr, place = PullRequest(URL), Location("a")
    judge = Jaccard(threshold)
    assert judge(pr, Comment(place, one), Comment(place, other)) is same


def test_v2_compares_without_the_folded_parts() -> None:
    pr, place = PullRequest(URL), Location("a")
    one, other = Comment(place, "x<details>\nmore</details> "), Comment(place, "x")
    assert Exact("v2")(pr, one, other)
    assert not Exact("v1")(pr, one, other)


# --- second pipeline ----------------------------------------------------------------------------


def test_instances_and_result_files_are_joined_by_their_id(tmp_path: Path) -> None:
    reference = {"path": "a.py", "start_line": 7, "end_line": 5, "side": "right", "text": "t"}
    gold = tmp_path / "gold.jsonl"
    line = {"instance_id": "o__r@0123456", "repo": "r", "reference_comments": [reference]}
    gold.write_text(json.dumps(line), encoding="utf-8")
    comment = {"path": "a.py", "content": "t", "start_line": 6, "end_line": 6}
    result = tmp_path / "o__r@0123456.json"
    result.write_text(json.dumps({"review": {"comments": [comment]}}), encoding="utf-8")
    data = score((gold, result), rules="v2", matcher="exact")
    assert data["overall"]["positive_matches"] == 1
    assert data["summary"]["semantic_f1"] == 1.0


@pytest.mark.parametrize(
    "comment",
    [
        {"file": "a.py", "line": 6, "summary": "s", "failure_scenario": "f"},
        {"file": "a.py", "start_line": 6, "end_line": 7, "severity": "P1", "summary": "s"},
    ],
)
def test_findings_of_other_tools_are_read(comment: dict[str, Any]) -> None:
    found = aacr_v2.parse_result(json.dumps({"review_output": [comment]})).values[0]
    assert (found.location.path, found.location.side, found.location.start) == ("a.py", "right", 6)
    assert found.note.startswith("s")


# --- the benchmark's own files ------------------------------------------------------------------

JUDGES = {
    "exact": Exact(),
    "never": lambda *_: False,
    "always": lambda *_: True,
    None: None,
}
MODELS = {
    "GPT_5_2": "GPT-5.2",
    "Claude": "Claude-Code/Claude-4.5-Sonnet",
    "Gemini": "Gemini-3-Pro",
    "Deepseek": "Deepseek-V3.2",
}


@pytest.fixture(scope="session")
def folder(conformance: Path) -> Path:
    return conformance / "systems" / "aacr"


@pytest.fixture(scope="session")
def samples(folder: Path) -> tuple[Sequence[PullRequest], Sequence[PullRequest]]:
    raw = folder / "raw"
    return (
        aacr.read(raw / "positive_samples.json").pull_requests,
        aacr.read(raw / "negative_samples.json").pull_requests,
    )


def reference(folder: Path, name: str) -> Any:
    return json.loads((folder / "reference" / f"{name}.json").read_text(encoding="utf-8"))


def generated(
    name: str, samples: tuple[Sequence[PullRequest], Sequence[PullRequest]]
) -> dict[str, list[Comment]]:
    if name.startswith(("pos", "neg")):
        return {pr.url: list(pr.comments) for pr in samples[name.startswith("neg")]}
    model = next(model for mark, model in MODELS.items() if mark in name)
    found: dict[str, list[Comment]] = {}
    for pr in (*samples[0], *samples[1]):
        kept = [c for c in pr.comments if c.fields["source_model"] == model]
        if kept:
            found.setdefault(pr.url, []).extend(kept)
    return found


def test_every_scenario_of_the_first_pipeline_is_reproduced(
    folder: Path, samples: tuple[Sequence[PullRequest], Sequence[PullRequest]]
) -> None:
    order = {pr.url: index for index, pr in enumerate(samples[0])}
    scenarios = reference(folder, "scenarios")
    assert len(scenarios) >= 16
    for name, scenario in scenarios.items():
        config, totals = scenario["config"], scenario["totals"]
        verbatim = config["reference_ids"].startswith("none")
        rule = Rule(
            "v1",
            config["line_distance_threshold"],
            "verbatim" if verbatim else "inject",
            JUDGES[config["semantic_stub"]],
        )
        found = evaluate(samples[0], generated(name, samples), rule)
        overall, rates = found.overall, found.overall.rates(OVERALL)
        assert {
            "evaluated_files": len(found.scored),
            "total_generated_comments": overall.generated,
            "total_reference_comments": overall.expected,
            "total_line_matches": overall.line_matches,
            "total_semantic_matches": overall.matches,
            "total_unmatched": overall.unmatched,
            "overall_line_match_rate": rates["positive_line_match_rate"],
            "overall_semantic_match_rate": rates["positive_match_rate"],
            "overall_line_recall": rates["positive_line_recall_rate"],
            "overall_semantic_recall": rates["positive_recall_rate"],
            "overall_unmatched_rate_extra": rates["unmatched_rate"],
        } == totals, name
        for one, expected in zip(found.scored, scenario["per_pr"], strict=True):
            rates = one.counts.rates(PER_PULL_REQUEST)
            assert rates == {key: expected[key] for key in rates}, name
            known = [c for c in one.pull_request.comments if not c.blank]
            claims = [
                [
                    claim.line_match,
                    claim.same,
                    None
                    if claim.recorded is None or verbatim
                    else f"p{order[one.pull_request.url]:03d}c{known[claim.recorded].index:03d}",
                ]
                for claim in one.claims
            ]
            assert claims == [claim[1:] for claim in expected["claims"]], name


def test_every_scenario_of_the_second_pipeline_is_reproduced(
    folder: Path, samples: tuple[Sequence[PullRequest], Sequence[PullRequest]]
) -> None:
    scenarios = reference(folder, "scenarios_v2_reference_outer")
    for name, scenario in scenarios.items():
        made = generated(name, samples)
        if scenario["generated_side"].startswith("right"):
            made = {
                url: [replace(c, location=replace(c.location, side="right")) for c in comments]
                for url, comments in made.items()
            }
        rule = Rule("v2", scenario["line_k"], "inject", JUDGES[scenario["semantic_stub"]])
        found = evaluate(samples[0], made, rule)
        rows = [
            [
                one.pull_request.url,
                one.counts.expected,
                one.counts.generated,
                one.counts.line_matches,
                one.counts.matches,
            ]
            for one in found.scored
        ]
        assert rows == scenario["per_pr_[url,expected,generated,line,semantic]"], name
        upstream = scenario["summary_upstream_round3_missing_excluded"]
        assert system.report(found, rule, "x").data["summary"] == upstream, name


def test_every_unit_case_of_the_evaluator_is_reproduced(folder: Path) -> None:
    for case in reference(folder, "unit_cases")["evaluator"]:
        known, _ = aacr.comments_of(case["references"], "u", "s")
        made, _ = aacr.comments_of(case["generated"], "u", "s")
        rule = Rule("v1", case["threshold"], "verbatim", JUDGES[case["semantic"]])
        scored = score_pull_request(PullRequest("u", known), made, rule)
        output = case["output"]
        counts = scored.counts
        assert (
            counts.expected,
            counts.generated,
            counts.matches,
            counts.line_matches,
            counts.unmatched,
        ) == (
            output["positive_expected_nums"],
            output["total_generated_nums"],
            output["positive_match_nums"],
            output["positive_line_match_nums"],
            output["unmatched_nums"],
        ), case["name"]
        rates = counts.rates(PER_PULL_REQUEST)
        assert rates == {key: output[key] for key in rates}, case["name"]
        assert _details(scored.claims, known) == [
            (d["line_match"], d["semantic_match"], d["matched_reference_id"])
            for d in output["match_details"]
        ], case["name"]


def _details(claims: Any, comments: Sequence[Comment]) -> list[tuple[bool, bool, object]]:
    known = [comment for comment in comments if not comment.blank]
    return [
        (c.line_match, c.same, None if c.recorded is None else known[c.recorded].id) for c in claims
    ]


def test_the_details_of_five_pull_requests_are_reproduced(folder: Path) -> None:
    for case in reference(folder, "detail_neg_loc_k1"):
        known, _ = aacr.comments_of(case["input"]["references"], "u", "s")
        made, _ = aacr.comments_of(case["input"]["generated"], "u", "s")
        scored = score_pull_request(PullRequest("u", known), made, Rule())
        details = case["output"]["match_details"]
        assert _details(scored.claims, known) == [
            (d["line_match"], d["semantic_match"], d["matched_reference_id"]) for d in details
        ]


def test_every_unit_case_of_places_and_texts_is_reproduced(folder: Path) -> None:
    cases = reference(folder, "unit_cases")
    for case in cases["match_location"]:
        if "error" in case:
            with_note = {**case["generated"], "note": "n"}
            assert aacr.comment_of(with_note, 0).unreadable
            continue
        one, other = aacr.place(case["generated"]), aacr.place(case["reference"])
        assert same_place(one, other, case["threshold"]) is case["result"]["is_match"], case
        shown = {"path": one.path, "from_line": one.start, "to_line": one.end, "side": one.side}
        assert shown == case["extracted_generated"]
    for case in cases["parse_generated_comments_file"]:
        assert _as_written(aacr_comments.parse(case["text"]).values) == case["result"]
    for case in cases["parse_github_pr_url"]:
        assert aacr_comments.parts(case["url"]) == tuple(case["parsed"].values())


def _as_written(comments: Sequence[Comment]) -> list[dict[str, object]]:
    return [
        {
            "path": c.location.path,
            "side": c.location.side,
            "from_line": c.location.start,
            "to_line": c.location.end,
            "note": c.note,
        }
        for c in comments
    ]


def test_files_of_comments_are_read_placed_and_scored(
    folder: Path, samples: tuple[Sequence[PullRequest], Sequence[PullRequest]]
) -> None:
    urls = [pr.url for pr in samples[0]]
    for case in reference(folder, "unit_cases")["infer_pr_url_from_filename"]:
        assert aacr_comments.pull_request_of(case["filename"], urls) == case["result"]
    gold = folder / "raw" / "positive_samples.json"
    for case in reference(folder, "comments_txt_expected"):
        path = folder / "comments_txt" / case["file"]
        assert _as_written(aacr_comments.read(path).values) == case["parsed"]
        row = score((gold, path))["pullRequests"][0]
        assert row["github_pr_url"] == case["inferred_url"]
        expected = case["location_only_k1_with_ids"]
        assert {key: row[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("by", "name"),
    [
        ("source_model", "source_model"),
        ("is_ai_comment", "is_ai_comment"),
        ("category", "comment_category"),
        ("context", "context"),
        ("side", "side"),
        ("language", "project_main_language"),
        ("pr_category", "pr_category"),
    ],
)
def test_valid_rates_by_any_field_are_the_benchmarks(folder: Path, by: str, name: str) -> None:
    raw = folder / "raw"
    data = score((raw / "positive_samples.json", raw / "negative_samples.json"), by=by)
    assert data["valid"] == {"valid": 1505, "n": 2145, "valid_rate": 0.7016}
    found = {
        group["value"]: {key: group[key] for key in ("valid", "n", "valid_rate")}
        for group in data["groups"]
    }
    assert found == reference(folder, "group_counts")[name]
    assert sum(group["positive_line_matches"] for group in data["groups"]) == 136


def test_the_one_reversed_range_is_a_warning(folder: Path) -> None:
    dataset = aacr.read(folder / "raw" / "positive_samples.json")
    assert [problem.severity for problem in dataset.problems] == ["warning"]
    assert "1153 to 1144" in dataset.problems[0].message


def test_matchers_are_named_by_text() -> None:
    assert judge_of("location", "v1") is None
    assert judge_of("exact", "v2") == Exact("v2")


def test_what_is_doubted_is_said_beside_the_report(files: tuple[Path, Path]) -> None:
    made = write(files[1], a_pull_request(a_comment(side="")))
    report = system.score(Call(files[0], (made,)))
    assert [problem.as_dict() for problem in report.problems] == report.data["problems"]
    assert len(report.problems) == 1
