from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from labkit.errors import InputError
from labkit.formats import jsontext, sarif
from labkit.formats.sarif.writing import Judgement

HERE = Path(__file__).parent / "conformance"
CASES = HERE / "cases"
EXPECTED = {item["id"]: item for item in json.loads((CASES / "manifest.json").read_text())["items"]}
SCHEMA = json.loads((HERE / "schemas" / "sarif-2.1.0.json").read_text())
NOTE = "reads only constants; Reviewed 2026-11-29 by rev-1 (labkit: blind; 12 of 60; seed 7)"


def a_log(*results: dict[str, Any], **run: Any) -> str:
    tool = run.pop("tool", {"driver": {"name": "T"}})
    whole = {"version": "2.1.0", "runs": [{"tool": tool, "results": list(results), **run}]}
    return json.dumps(whole, indent=1)


def a_result(rule: str = "R", line: int | None = 1, uri: str = "src/a.py", **more: Any) -> Any:
    place: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if line is not None:
        place["region"] = {"startLine": line}
    return {
        "ruleId": rule,
        "message": {"text": "m"},
        "locations": [{"physicalLocation": place}],
        **more,
    }


def case(name: str) -> sarif.Report:
    path = CASES / EXPECTED[name]["file"]
    return sarif.report(path.read_text(encoding="utf-8"), str(path))


def expected(name: str) -> Any:
    return EXPECTED[name]["expected"]


def test_every_run_is_read_not_only_the_first() -> None:
    found = case("S01")
    assert len(found.findings) == expected("S01")["items"]
    assert {run.tool: run.results for run in found.runs} == expected("S01")["tools"]
    assert [finding.id for finding in found.findings] == ["1/0", "1/1"]


def test_the_level_comes_from_the_rule_where_the_result_has_none() -> None:
    found = case("S02").findings
    assert [finding.level for finding in found] == expected("S02")["levels"]
    assert [finding.rule for finding in found] == expected("S02")["ruleIds"]


def test_a_result_without_a_line_has_no_line_rather_than_line_0() -> None:
    found = case("S04").findings
    assert [finding.spot.line for finding in found] == expected("S04")["lines"]
    assert str(found[3].spot) == "com.acme.A.m(int[])"


def test_paths_are_decoded_and_relative_to_their_base() -> None:
    assert [finding.spot.file for finding in case("S07").findings] == [
        "my file.py",
        "src/a.py",
        "C:/x/été.py",
        "src/win/b.py",
        "c#++.cpp",
        "lib/indexed.py",
        "../../etc/passwd",
    ]


def test_not_reported_and_clean_are_two_things() -> None:
    assert case("S09").findings == ()
    path = CASES / EXPECTED["S09"]["extra_files"][0]
    found = sarif.report(path.read_text(), str(path))
    said = [str(problem) for problem in found.problems]
    assert [run.results for run in found.runs] == [None, None, 0]
    assert "'T' reported no results" in said[0]
    assert "'U' reported no results" in said[1]
    assert "'V' reports no findings: clean" in said[2]


def test_only_fail_open_and_review_are_asked() -> None:
    found = case("S10").findings
    assert [finding.level for finding in found] == expected("S10")["levels"]
    assert [finding.for_review for finding in found] == expected("S10")["for_review"]


def test_a_repeated_result_is_one_vote_and_related_places_add_none() -> None:
    found = case("S11").findings
    assert len(found) == expected("S11")["results"]
    assert [finding.same_as for finding in found] == ["", "0/0", "", ""]
    assert sum(finding.for_review for finding in found) == 3
    assert found[0].key == found[1].key
    assert len({finding.key for finding in found}) == 3
    assert [str(spot) for spot in found[3].related] == ["src/b.py:1", "src/c.py:2"]
    assert [str(spot) for spot in found[3].others] == ["src/d.py:4"]


def test_words_and_ranks_are_no_probabilities() -> None:
    found = case("S13").findings
    assert [finding.confidence for finding in found] == expected("S13")["confidence"]
    assert found[0].words == {"issue_confidence": "HIGH", "issue_severity": "HIGH"}
    assert found[1].rank == 12.5


def test_real_files_give_the_counts_that_were_measured(conformance: Path) -> None:
    folder = conformance / "real" / "sarif"
    for row in json.loads((folder / "expected.json").read_text()):
        text = (folder / row["file"]).read_text(encoding="utf-8-sig")
        whole = sarif.report(text, row["file"])
        found = whole.findings
        lineless = row["results_without_startLine"] + row["results_without_locations"]
        assert len(found) == row["results"], row["file"]
        assert Counter(f.level for f in found) == row["levels"], row["file"]
        assert Counter(f.kind for f in found) == row["kinds"], row["file"]
        assert sum(f.suppressed is True for f in found) == row["suppressed"], row["file"]
        assert sum(f.spot.line is None for f in found) == lineless, row["file"]
        assert sum(bool(f.others) for f in found) == row["results_multi_location"], row["file"]
        assert sum(bool(f.related) for f in found) == row["results_with_relatedLocations"]
        assert sum(bool(f.same_as) for f in found) == row["exact_duplicate_results"]
        assert [[run.tool, run.version or None, run.results] for run in whole.runs] == [
            tool[:3] for tool in row["tools"]
        ]
        assert len({f.key for f in found}) == len(found), row["file"]


@pytest.mark.parametrize(
    ("result", "level"),
    [
        ({"rule": {"index": 0, "toolComponent": {"index": 0}}}, "error"),
        ({"rule": {"index": 0, "toolComponent": {"guid": "g-2"}}}, "note"),
        ({"rule": {"index": 0, "toolComponent": {"name": "Ext2"}}}, "note"),
        ({"rule": {"guid": "r-2"}}, "note"),
        ({"rule": {"id": "E1"}}, "error"),
        ({"ruleId": "E1", "ruleIndex": 7}, "error"),
        ({"ruleId": "D", "ruleIndex": -1}, "note"),
        ({"ruleId": "D", "level": "loud"}, "note"),
        ({"ruleId": "D", "kind": "open"}, "none"),
        ({"ruleId": "D", "provenance": {"invocationIndex": 0}}, "error"),
        ({"ruleId": "E1", "provenance": {"invocationIndex": 0}}, "error"),
    ],
)
def test_a_rule_is_found_by_index_id_guid_and_component(result: Any, level: str) -> None:
    tool = {
        "driver": {"name": "T", "rules": [{"id": "D", "defaultConfiguration": {"level": "note"}}]},
        "extensions": [
            {
                "name": "Ext1",
                "rules": [{"id": "E1", "defaultConfiguration": {"level": "error"}}],
            },
            {
                "name": "Ext2",
                "guid": "g-2",
                "rules": [{"id": "E2", "guid": "r-2", "defaultConfiguration": {"level": "note"}}],
            },
        ],
    }
    override = {"descriptor": {"id": "D"}, "configuration": {"level": "error"}}
    invocations = [{"ruleConfigurationOverrides": [override]}]
    text = a_log({"message": {"text": "m"}, **result}, tool=tool, invocations=invocations)
    assert sarif.parse(text).values[0].level == level


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ({"text": "plain {0}"}, "plain {0}"),
        ({"text": "a {0}", "arguments": ["x"]}, "a x"),
        ({"id": "m1", "arguments": ["x", "y"]}, "y before x {z}"),
        ({"id": "shared"}, "for all"),
        ({"id": "nowhere"}, ""),
        ({"markdown": "*m*"}, "*m*"),
        ({}, ""),
        ("text", ""),
    ],
)
def test_a_message_by_id_is_looked_up_and_filled(message: Any, shown: str) -> None:
    driver = {
        "name": "T",
        "rules": [{"id": "R", "messageStrings": {"m1": {"text": "{1} before {0} {{z}}"}}}],
        "globalMessageStrings": {"shared": {"text": "for all"}},
    }
    text = a_log({"ruleId": "R", "message": message}, tool={"driver": driver})
    assert sarif.parse(text).values[0].message == shown


@pytest.mark.parametrize(
    ("suppressions", "holds"),
    [
        (None, None),
        ([], False),
        ([{"kind": "external"}], True),
        ([{"kind": "inSource", "status": "accepted"}], True),
        ([{"kind": "external", "status": "underReview"}], False),
        ([{"kind": "external"}, {"kind": "external", "status": "rejected"}], False),
    ],
)
def test_a_suppression_holds_only_when_nobody_objects(suppressions: Any, holds: Any) -> None:
    found = sarif.parse(a_log(a_result(suppressions=suppressions))).values[0]
    assert found.suppressed is holds


def test_base_ids_that_go_in_circles_end() -> None:
    bases = {"A": {"uri": "a/", "uriBaseId": "B"}, "B": {"uri": "b/", "uriBaseId": "A"}}
    result = a_result()
    result["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] = "A"
    found = sarif.parse(a_log(result, originalUriBaseIds=bases)).values[0]
    assert found.spot.file.endswith("src/a.py")


def test_an_absolute_path_below_a_known_base_is_relative_to_it() -> None:
    bases = {"ROOT": {"uri": "file:///home/me/my%20work/"}}
    text = a_log(a_result(uri="file:///home/me/my%20work/a.py"), originalUriBaseIds=bases)
    spot = sarif.parse(text).values[0].spot
    assert (spot.file, spot.base) == ("a.py", "ROOT")


def test_labels_stick_when_lines_move_and_a_constant_fingerprint_is_no_help() -> None:
    constant = {"partialFingerprints": {"hash": "requires login"}}
    before = sarif.parse(a_log(a_result("R", 1, **constant), a_result("Q", 5, **constant))).values
    after = sarif.parse(a_log(a_result("Q", 50, **constant), a_result("R", 10, **constant))).values
    assert [f.key for f in after] == [f.key for f in reversed(before)]
    assert len({f.key for f in before}) == 2
    assert all(f.key.startswith("ctx:") for f in before)


def test_one_value_for_plainly_different_findings_is_no_fingerprint() -> None:
    same = {"fingerprints": {"v1": "abc123"}}
    found = sarif.parse(a_log(a_result("R", 1, **same), a_result("Q", 2, **same))).values
    assert {f.key[:3] for f in found} == {"ctx"}
    sharp = [a_result("R", i, fingerprints={"v1": f"h{i}"}) for i in (1, 2)]
    assert {f.key[:3] for f in sarif.parse(a_log(*sharp)).values} == {"fp:"}


def test_a_finding_that_is_gone_is_not_asked() -> None:
    found = sarif.parse(a_log(a_result(baselineState="absent"), a_result(baselineState="new")))
    assert [f.for_review for f in found.values] == [False, True]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("[1, 2]", "not SARIF"),
        ("{}", "not SARIF"),
        ('{"version": "1.0.0", "runs": []}', "1.0.0"),
        ('{"version": "2.1.0", "runs": {}}', "'runs' is not a list"),
        ('{"version": "2.1.0",\n "runs": [}', "s.sarif:2:11: not JSON"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_what_is_not_sarif_is_refused_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(InputError, match=r"s\.sarif") as caught:
        sarif.parse(text, "s.sarif")
    assert said in str(caught.value)


def test_a_bad_result_is_left_out_with_its_line_and_the_rest_is_read() -> None:
    text = '{"version": "2.1.0", "runs": [{"results": [\n 7,\n {"message": {"text": "ok"}}\n]}]}'
    found = sarif.parse(text, "in/s.sarif")
    assert [f.id for f in found.values] == ["0/1"]
    assert str(found.problems[0]) == "s.sarif:2: this result is not an object; it is left out."


@pytest.mark.parametrize("line", [0, -3, "7", 1.5, True])
def test_a_line_that_is_none_is_reported(line: Any) -> None:
    found = sarif.parse(a_log(a_result(line=line)))
    assert found.values[0].spot.line is None
    assert "is no line" in found.problems[0].message


def test_half_a_character_does_not_reach_the_page() -> None:
    text = a_log(a_result()).replace('"m"', '"a\\ud800b"')
    assert sarif.parse(text).values[0].message == "a\ufffdb"


def judged_all(text: str) -> dict[str, Judgement]:
    made = {}
    for index, finding in enumerate(sarif.parse(text).values):
        made[finding.id] = Judgement(
            valid=index % 2 == 0, justification=NOTE, severity="warning", place=index % 3 == 0
        )
    return made


def strictly_valid(text: str) -> list[str]:
    checker = jsonschema.Draft4Validator(SCHEMA)
    return [error.message for error in checker.iter_errors(json.loads(text))]


def test_the_schema_refuses_what_is_not_sarif() -> None:
    assert strictly_valid('{"version": "2.1.0", "runs": [{"results": 3}]}')


def test_verdicts_are_valid_sarif_and_read_back_the_same(conformance: Path) -> None:
    folder = conformance / "real" / "sarif"
    for path in sorted(folder.glob("*.sarif")):
        text = path.read_text(encoding="utf-8-sig")
        judged = judged_all(text)
        written = sarif.render(text, judged, path.name)
        assert set(strictly_valid(written)) <= set(strictly_valid(text)), path.name
        assert sarif.judgements(written) == judged
        assert sarif.render(written, judged) == written
        after = {f.id: f for f in sarif.parse(written).values}
        for before in sarif.parse(text).values:
            assert after[before.id].key == before.key
            if not judged[before.id].valid:
                ours = after[before.id].verdicts[-1]
                assert ours == sarif.Verdict("external", "accepted", NOTE)
                others = [v.status == "accepted" for v in before.verdicts]
                assert after[before.id].suppressed is all(others)


def test_only_the_judged_result_changes() -> None:
    text = a_log(a_result("A"), a_result("B", 2), a_result("C", 3)).replace("\n", "\r\n")
    written = sarif.render(text, {"0/1": Judgement(valid=False, justification="no")})
    (one, two) = jsontext.spans(text, "runs", 0, "results")[1]
    assert written.startswith(text[:one])
    assert written.endswith(text[two:])
    assert "\n" not in written.replace("\r\n", "")
    assert not strictly_valid(written)


def test_a_finding_called_valid_again_loses_only_our_suppression() -> None:
    theirs = {"kind": "inSource", "justification": "theirs"}
    text = a_log(a_result(suppressions=[theirs]))
    out = sarif.render(text, {"0/0": Judgement(valid=False)})
    back = sarif.render(out, {"0/0": Judgement(valid=True)})
    assert json.loads(back)["runs"][0]["results"][0]["suppressions"] == [theirs]


def test_repeats_of_a_result_share_its_verdict() -> None:
    text = (CASES / "s11_exact_duplicates_and_related.sarif").read_text()
    written = sarif.render(text, {"0/0": Judgement(valid=False)})
    assert set(sarif.judgements(written)) == {"0/0", "0/1"}


def test_a_verdict_for_an_unknown_finding_is_refused() -> None:
    with pytest.raises(InputError, match="no finding '0/9'"):
        sarif.render(a_log(a_result()), {"0/9": Judgement(valid=True)})
