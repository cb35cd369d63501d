"""Sixty-seven small inputs from public reports, each with the outcome that is right.

``CHECKS`` holds one function a case; a case without one fails. Flows that need a browser are
played here against the study that the browser talks to, and with the browser in the app's tests.
"""

from __future__ import annotations

import csv
import io
import json
import math
import multiprocessing
import random
import resource
import stat
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from labkit import atomic
from labkit.errors import InputError
from labkit.exports import export_to
from labkit.formats import jsonl, methodatlas, records, sarif
from labkit.formats.labelfiles import guard, unguard
from labkit.metrics import calibration, tags
from labkit.metrics.agreement import pair_agreement
from labkit.metrics.binary import confusion
from labkit.metrics.counts import Counts
from labkit.model import Act
from labkit.overrides.change import Change
from labkit.overrides.edit import apply_changes, size_warning
from labkit.overrides.parse import parse as parse_overrides
from labkit.overrides.parse import read as read_overrides
from labkit.overrides.resolve import resolve
from labkit.reports import Document, Report, Table, render
from labkit.study import Study
from labkit.systems import Call
from labkit.systems import methodatlas as scoring
from tests.builders import NO, YES, a_reviewer, a_row, a_study, predictions_csv

if TYPE_CHECKING:
    from collections.abc import Callable

    from labkit.overrides.parse import Overrides

CASES = Path(__file__).parent / "conformance" / "cases"
MANIFEST = json.loads((CASES / "manifest.json").read_text(encoding="utf-8"))["items"]
EXPECTED: dict[str, Any] = {item["id"]: item["expected"] for item in MANIFEST}
FILES = {item["id"]: CASES / item["file"] for item in MANIFEST}
CHECKS: dict[str, Callable[[Path], None]] = {}


def case(name: str) -> Callable[[Callable[[Path], None]], Callable[[Path], None]]:
    def kept(check: Callable[[Path], None]) -> Callable[[Path], None]:
        CHECKS[name] = check
        return check

    return kept


def refused(name: str, read: Callable[[Path], object]) -> str:
    with pytest.raises(InputError) as caught:
        read(FILES[name])
    said = str(caught.value)
    assert len(said.splitlines()) == 1
    return said


def said(found: Any) -> str:
    return "\n".join(str(problem) for problem in found.problems)


def rows_of(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(FILES[name].read_text(encoding="utf-8"))))


def overrides(name: str) -> Overrides:
    return read_overrides(FILES[name])


def scan(name: str) -> methodatlas.Scan:
    return methodatlas.read(FILES[name])


def table(name: str, **options: Any) -> records.Records:
    return records.read(FILES[name], **options)


# --- overrides ----------------------------------------------------------------------------------


@case("Y01")
def names_stay_text(_tmp: Path) -> None:
    found = overrides("Y01")
    assert [entry.method for entry in found.entries] == EXPECTED["Y01"]["methods"]
    for name in EXPECTED["Y01"]["methods"]:
        written = apply_changes("", [Change("com.acme.A", name, security_relevant=True)])
        assert f'"{name}"' in written or f"'{name}'" in written
        assert yaml.safe_load(written)["overrides"][0]["method"] == name


@case("Y03")
def a_duplicate_key_is_an_error(_tmp: Path) -> None:
    fault = refused("Y03", read_overrides)
    assert "duplicate" in fault
    assert "securityRelevant" in fault
    assert ":6:" in fault


@case("Y04")
def of_duplicate_entries_the_last_wins_and_the_others_are_named(_tmp: Path) -> None:
    found = resolve(overrides("Y04"))
    for key, wanted in EXPECTED["Y04"]["resolved"].items():
        entry = found.entry(*key.split("#"))
        assert entry is not None
        assert entry.security_relevant == wanted["securityRelevant"]
        if "tags" in wanted:
            assert list(entry.tags or ()) == wanted["tags"]
    assert len([p for p in found.problems if "superseded" in p.message]) == 2


@case("Y06")
def merge_keys_are_merged_and_doubted(_tmp: Path) -> None:
    found = overrides("Y06")
    wanted = EXPECTED["Y06"]["either"][0]
    read = {e.method: (e.security_relevant, e.tags) for e in found.entries if e.method in wanted}
    assert read == {
        name: (value["securityRelevant"], tuple(value["tags"])) for name, value in wanted.items()
    }
    assert "MethodAtlas refuses" in said(found)


@case("Y08")
def a_windows_file_is_the_plain_file(_tmp: Path) -> None:
    found = overrides("Y08")
    assert [entry.reason for entry in found.entries] == ["first line"]
    text = FILES["Y08"].read_bytes().decode("utf-8")
    saved = apply_changes(text, [Change("com.acme.A", "m", security_relevant=False)])
    assert saved.startswith("\ufeff") == text.startswith("\ufeff")
    assert "\n" not in saved.replace("\r\n", "")


@case("Y10")
def a_tag_is_an_error_and_nothing_runs(_tmp: Path) -> None:
    assert "tag" in refused("Y10", read_overrides)


@case("Y11")
def hostile_names_come_back_identical(_tmp: Path) -> None:
    names = json.loads(FILES["Y11"].read_text(encoding="utf-8"))
    assert len(names) == EXPECTED["Y11"]["names"]
    text = apply_changes("", [Change("com.acme.A", n, security_relevant=True) for n in names])
    assert [entry["method"] for entry in yaml.safe_load(text)["overrides"]] == names
    assert [entry.method for entry in parse_overrides(text).entries] == names


@case("Y13")
def one_changed_field_is_one_changed_line(_tmp: Path) -> None:
    old = FILES["Y13"].read_text(encoding="utf-8")
    change = Change("com.acme.crypto.AesGcmTest", "roundTrip", security_relevant=False)
    right = (CASES / EXPECTED["Y13"]["equals_file"]).read_text(encoding="utf-8")
    assert apply_changes(old, [change]) == right


@case("Y15")
def a_list_at_the_top_is_refused(_tmp: Path) -> None:
    assert "overrides" in refused("Y15", read_overrides)


@case("Y16")
def empty_files_have_no_entries_and_take_the_first(_tmp: Path) -> None:
    for text in (FILES["Y16"].read_text(encoding="utf-8"), "", "# only this\n", "overrides: []\n"):
        assert parse_overrides(text).entries == ()
        saved = apply_changes(text, [Change("A", "m", security_relevant=True)])
        assert len(parse_overrides(saved).entries) == 1
        assert all(line in saved for line in text.splitlines() if line.startswith("#"))


@case("Y17")
def tags_are_a_set_a_null_or_an_error(_tmp: Path) -> None:
    found = overrides("Y17")
    read = {entry.method: entry.tags for entry in found.entries}
    for name, wanted in EXPECTED["Y17"]["tag_labels"].items():
        assert sorted(tags.normalised(read[name])) == wanted
    for name in EXPECTED["Y17"]["tags_not_scored"]:
        assert read.get(name) is None
    faults = {problem.line: problem.message for problem in found.problems}
    assert "tags" in faults[7]
    assert "f" not in read
    assert "tags" in faults[9] or read["h"] == ("1", "true")


@case("Y20")
def a_file_beyond_what_java_reads_works_with_a_warning(_tmp: Path) -> None:
    line = "- {{fqcn: com.acme.pkg{0:04}.Class{0:04}Test, method: method{0:05}, "
    line += "securityRelevant: false, reason: " + "r" * 40 + "}}\n"
    text = "overrides:\n" + "".join(line.format(number) for number in range(40_000))
    assert len(parse_overrides(text).entries) == 40_000
    assert len(text) > 3145728
    assert "3,145,728" in str(size_warning(text))


# --- CSV ----------------------------------------------------------------------------------------


@case("C01")
def a_mark_is_no_part_of_the_name(_tmp: Path) -> None:
    assert [record.fqcn for record in scan("C01").records] == [EXPECTED["C01"]["fqcn"]]


@case("C02")
def a_semicolon_file_has_decimal_commas(_tmp: Path) -> None:
    found = scan("C02").records
    assert [record.ai_confidence for record in found] == EXPECTED["C02"]["ai_confidence"]
    scores = [record.ai_interaction_score for record in found]
    assert scores == EXPECTED["C02"]["ai_interaction_score"]


@case("C04")
def no_name_is_missing(_tmp: Path) -> None:
    assert [record.method for record in scan("C04").records] == EXPECTED["C04"]["methods"]


@case("C06")
def a_stray_quote_is_an_error_where_it_opens(_tmp: Path) -> None:
    fault = refused("C06", methodatlas.read)
    assert "quote" in fault
    assert ":3:" in fault


@case("C09")
def another_encoding_is_named(_tmp: Path) -> None:
    fault = refused("C09", methodatlas.read)
    assert "UTF-8" in fault
    assert ":2:" in fault


@case("C11")
def a_column_twice_is_an_error(_tmp: Path) -> None:
    fault = refused("C11", methodatlas.read)
    assert "ai_confidence" in fault
    assert "twice" in fault


@case("C12")
def hash_lines_are_metadata_before_the_header_only(_tmp: Path) -> None:
    found = scan("C12").records
    assert [record.ai_confidence for record in found] == EXPECTED["C12"]["ai_confidence"]
    assert found[0].ai_reason == EXPECTED["C12"]["ai_reason_0"]


@case("C14")
def booleans_have_a_fixed_list_of_spellings(_tmp: Path) -> None:
    found = scan("C14")
    read = {record.method: record.ai_security_relevant for record in found.records}
    for name, value in EXPECTED["C14"]["values"].items():
        assert read[name] is (value if isinstance(value, bool) else None)
    assert "maybe" in said(found)


@case("C15")
def a_confidence_is_never_rescaled(_tmp: Path) -> None:
    found = scan("C15")
    read = {record.method: record.ai_confidence for record in found.records}
    wanted = {
        "m0": 0.85, "m1": 0.85, "m2": None, "m3": 1.0, "m4": None, "m5": None, "m6": None,
        "m7": None, "m8": None, "m9": 0.001, "m10": 0.5, "m11": None,
    }  # fmt: skip
    assert read == wanted


@case("C16")
def without_confidence_the_rest_works(tmp: Path) -> None:
    labels = tmp / "overrides.yaml"
    (record,) = scan("C16").records
    entry = {"fqcn": record.fqcn, "method": record.method, "securityRelevant": True}
    labels.write_text(json.dumps({"overrides": [entry]}), encoding="utf-8")
    found = scored("C16", labels)
    assert found["relevance"]["support"] == 1
    assert found["calibration"] is None


@case("C17")
def formulas_are_guarded_in_the_spreadsheet_only(_tmp: Path) -> None:
    notes = json.loads(FILES["C17"].read_text(encoding="utf-8"))["notes"]
    for note in notes:
        cell = guard(note)
        assert unguard(cell) == note
        if note.removeprefix("-").replace(".", "").isdigit():
            assert cell == note
        else:
            assert cell.lstrip(" ")[:1] not in {"=", "+", "-", "@", "\t", "\r"}
    text = apply_changes("", [Change("A", f"m{i}", note=n) for i, n in enumerate(notes)])
    assert [entry.note for entry in parse_overrides(text).entries] == notes


@case("C19")
def overloads_are_scored_once_and_said(_tmp: Path) -> None:
    found = scan("C19")
    kept = methodatlas.items(found)
    assert len(found.records) == EXPECTED["C19"]["rows"]
    assert len(kept.by_id) == EXPECTED["C19"]["distinct_keys"]
    assert all(word in said(kept) for word in EXPECTED["C19"]["warning_mentions"])


@case("C20")
def ids_are_text(_tmp: Path) -> None:
    found = table("C20")
    assert [r.id for r in found.values] == [i for i in EXPECTED["C20"]["ids"] if i is not None]
    assert ":4: no id" in said(found)


@case("C22")
def thousands_of_unknown_columns_are_one_message(_tmp: Path) -> None:
    extra = [f"extra_{number:04}" for number in range(5000)]
    rows = [{**a_row(i), **dict.fromkeys(extra, "x")} for i in range(2)]
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    found = methodatlas.parse(text.getvalue(), "p.csv")
    assert len(found.records) == EXPECTED["C22"]["rows"]
    assert len(found.problems) == 1


@case("C23")
def a_header_alone_is_no_rows(tmp: Path) -> None:
    assert scan("C23").records == ()
    empty = tmp / "empty.csv"
    empty.write_bytes(b"")
    with pytest.raises(InputError, match="empty"):
        methodatlas.read(empty)


@case("C25")
def spaces_and_case_in_the_header_are_tolerated(_tmp: Path) -> None:
    found = scan("C25").records
    assert [(r.fqcn, r.method) for r in found] == [("com.acme.AuthTest", "login")]


# --- JSON ---------------------------------------------------------------------------------------


@case("J01")
def nan_is_missing_on_input_and_null_on_output(_tmp: Path) -> None:
    found = table("J01")
    assert [record.confidence for record in found.values] == [None, None, 0.7]
    assert "j01_nan_infinity.jsonl:2:" in said(found)
    text = render(Report({"value": None, "label": "BaNaNa"}), "json")
    assert json.loads(text) == {"value": None, "label": "BaNaNa"}
    with pytest.raises(ValueError, match="JSON"):
        render(Report({"value": math.nan}), "json")


@case("J03")
def marks_blank_lines_and_line_ends_are_fine(_tmp: Path) -> None:
    assert [record.id for record in table("J03").values] == EXPECTED["J03"]["ids"]


@case("J05")
def a_torn_last_line_loses_only_itself(_tmp: Path) -> None:
    found = table("J05")
    assert len(found.values) == EXPECTED["J05"]["resume_rows"]
    assert "j05_truncated_last_line.jsonl:3:" in said(found)


@case("J06")
def a_trailing_comma_is_an_error_on_its_line(_tmp: Path) -> None:
    assert ":4:" in refused("J06", records.read)


@case("J08")
def ids_above_two_to_the_53rd_stay_apart(_tmp: Path) -> None:
    found = table("J08")
    assert [record.id for record in found.values] == EXPECTED["J08"]["ids"]
    assert json.loads(json.dumps([r.id for r in found.values])) == EXPECTED["J08"]["ids"]
    assert "no id" in said(found)


@case("J09")
def labels_of_two_types_are_compared_under_a_declared_mapping(_tmp: Path) -> None:
    wanted = EXPECTED["J09"]
    found = table("J09", columns={"label": "judge"}, classes=wanted["with_mapping"])
    human = {record.id: record.fields["human"] for record in found.values}
    parsed = {r.id: r.label for r in found.values if r.label in set(human.values())}
    assert sorted(human.keys() - parsed.keys()) == wanted["unparsed"]
    right = sum(parsed[name] == human[name] for name in parsed)
    assert len(parsed) == wanted["scored"]
    assert right / len(parsed) == wanted["accuracy_scored"]
    assert right / len(human) == wanted["accuracy_if_unparsed_is_wrong"]


@case("J11")
def predictions_in_a_wrapper_are_found(_tmp: Path) -> None:
    assert [record.confidence for record in table("J11").values] == [0.9, 0.8]
    assert len(jsonl.read(FILES["J11"]).values) == 2


# --- SARIF (in detail in test_sarif.py) -----------------------------------------------------------


def findings(name: str) -> tuple[sarif.Finding, ...]:
    return sarif.read(FILES[name]).values


@case("S01")
def every_run_is_read(_tmp: Path) -> None:
    assert len(findings("S01")) == EXPECTED["S01"]["items"]


@case("S02")
def levels_follow_the_standard(_tmp: Path) -> None:
    assert [finding.level for finding in findings("S02")] == EXPECTED["S02"]["levels"]
    assert [finding.rule for finding in findings("S02")] == EXPECTED["S02"]["ruleIds"]


@case("S04")
def no_line_is_no_line(_tmp: Path) -> None:
    assert [finding.spot.line for finding in findings("S04")] == EXPECTED["S04"]["lines"]
    assert "com.acme.A.m(int[])" in str(findings("S04")[3].spot)


@case("S07")
def paths_are_decoded(_tmp: Path) -> None:
    for finding, right in zip(findings("S07"), EXPECTED["S07"]["paths"], strict=True):
        assert finding.spot.file in right


@case("S09")
def no_runs_and_no_results_are_no_items(_tmp: Path) -> None:
    assert findings("S09") == ()
    assert sarif.read(CASES / "s09_results_absent.sarif").values == ()


@case("S10")
def only_open_claims_are_for_review(_tmp: Path) -> None:
    assert [f.level for f in findings("S10")] == EXPECTED["S10"]["levels"]
    assert [f.for_review for f in findings("S10")] == EXPECTED["S10"]["for_review"]


@case("S11")
def repeats_are_one_vote(_tmp: Path) -> None:
    assert len(findings("S11")) == EXPECTED["S11"]["results"]
    assert sum(finding.for_review for finding in findings("S11")) == 3


@case("S13")
def words_are_no_probabilities(_tmp: Path) -> None:
    assert [finding.confidence for finding in findings("S13")] == EXPECTED["S13"]["confidence"]


# --- metrics ------------------------------------------------------------------------------------


def held_against(counts: Counts, wanted: dict[str, Any]) -> None:
    read: dict[str, Any] = {
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
    for name, value in wanted.items():
        assert read[name] == (pytest.approx(value) if isinstance(value, float) else value), name


def scored(name: str, labels: Path) -> dict[str, Any]:
    return scoring.score(Call(labels, (FILES[name],), {})).data


def truth_and_predicted(name: str) -> Counts:
    rows = rows_of(name)
    pairs = [(row["truth"] == "true", row["predicted"] == "true") for row in rows]
    return confusion(pairs)


@case("M01")
def nothing_predicted_has_no_precision(_tmp: Path) -> None:
    held_against(truth_and_predicted("M01"), EXPECTED["M01"])


@case("M02")
def nothing_positive_has_no_f1(_tmp: Path) -> None:
    held_against(truth_and_predicted("M02"), EXPECTED["M02"])


def confidences(name: str) -> list[tuple[float, bool]]:
    return [(float(row["confidence"]), row["correct"] == "1") for row in rows_of(name)]


@case("M03")
def every_edge_has_one_bin(_tmp: Path) -> None:
    bins = calibration.reliability(confidences("M03"))
    counts = {str(i): one.count for i, one in enumerate(bins) if one.count}
    assert counts == EXPECTED["M03"]["counts_upper_inclusive"]
    assert sum(one.count for one in bins) == 12
    assert calibration.ece(confidences("M03")) == pytest.approx(
        EXPECTED["M03"]["ece_upper_inclusive"]
    )


@case("M05")
def confidence_is_of_relevance(_tmp: Path) -> None:
    found = scored("M05", CASES / "m05_labels.yaml")["calibration"]
    assert found["eceTopLabel"] == pytest.approx(EXPECTED["M05"]["ece10_top_label"])
    assert found["brier"] == pytest.approx(EXPECTED["M05"]["brier_two_labels"])
    assert found["nll"] == pytest.approx(EXPECTED["M05"]["nll"])


def distributions(name: str) -> list[tuple[dict[str, float], str, str]]:
    lines = [item.value for item in jsonl.read(FILES[name]).values]
    return [(line["probabilities"], line["predicted"], line["truth"]) for line in lines]


@case("M07")
def a_confident_miss_has_a_floor(_tmp: Path) -> None:
    found = calibration.multiclass(distributions("M07"))
    assert found.nll == pytest.approx(EXPECTED["M07"]["nll"])
    assert found.brier == pytest.approx(EXPECTED["M07"]["brier"])
    first = calibration.multiclass(distributions("M07")[:1])
    assert first.nll == pytest.approx(EXPECTED["M07"]["one_confident_miss"])


@case("M08")
def invented_tags_count(_tmp: Path) -> None:
    def parted(text: str) -> list[str]:
        return text.split(";") if text else []

    rows = rows_of("M08")
    found = tags.score((parted(r["truth_tags"]), parted(r["predicted_tags"])) for r in rows)
    assert list(found.by_tag) == list(EXPECTED["M08"]["per_tag"])
    for tag, wanted in EXPECTED["M08"]["per_tag"].items():
        held_against(found.by_tag[tag], wanted)
    held_against(found.micro, EXPECTED["M08"]["micro"])
    assert found.macro_f1 == pytest.approx(EXPECTED["M08"]["macro_f1"])


@case("M10")
def one_label_has_no_kappa(_tmp: Path) -> None:
    ratings = [(row["reviewer_1"], row["reviewer_2"]) for row in rows_of("M10")]
    found = pair_agreement("reviewer_1", "reviewer_2", ratings)
    assert found.percent == EXPECTED["M10"]["percent_agreement"]
    assert found.kappa is None


@case("M11")
def the_stated_label_is_scored(_tmp: Path) -> None:
    rows = distributions("M11")
    right = sum(stated == truth for _, stated, truth in rows)
    assert right / len(rows) == EXPECTED["M11"]["accuracy"]
    found = table("M11").values
    assert [record.label for record in found] == ["no", "yes", "yes"]
    assert [record.confidence for record in found] == [0.5, 0.5, 0.4]


@case("M13")
def agreement_with_itself_is_flagged(_tmp: Path) -> None:
    found = scored("M13", CASES / "m13_labels.yaml")
    held_against(
        Counts(*(found["relevance"][cell] for cell in ("tp", "fp", "fn", "tn"))),
        EXPECTED["M13"]["relevance"],
    )
    told = " ".join(problem["message"] for problem in found["problems"])
    assert any(word in told for word in EXPECTED["M13"]["warning_mentions_any"])


@case("M14")
def no_order_changes_a_digit(_tmp: Path) -> None:
    pairs = confidences("M14")
    first = calibration.binary(pairs)
    assert first.n == EXPECTED["M14"]["n"]
    assert first.ece == pytest.approx(EXPECTED["M14"]["ece10"], abs=1e-15)
    assert first.brier == pytest.approx(2 * EXPECTED["M14"]["brier_binary"], abs=1e-15)
    for seed in range(5):
        random.Random(seed).shuffle(pairs)  # noqa: S311  # no secrets here
        assert calibration.binary(pairs) == first


@case("M16")
def cases_are_pooled(_tmp: Path) -> None:
    rows = {
        r["case"]: Counts(*(int(r[cell]) for cell in ("tp", "fp", "fn"))) for r in rows_of("M16")
    }
    held_against(sum(rows.values(), Counts()), EXPECTED["M16"]["aggregate"])
    for name, wanted in EXPECTED["M16"]["per_case"].items():
        held_against(rows[name], wanted)


# --- flows --------------------------------------------------------------------------------------


@case("A01")
def the_same_act_twice_is_one_answer(tmp: Path) -> None:
    with a_study(tmp, protocol="blind") as study:
        review = study.review("rev-1")
        first = review.current
        assert first is not None
        act = Act("gesture-1", first, "answer", YES)
        once, twice = review.act(act), review.act(act)
        assert (once.saved, twice.saved) == (1, 1)
        assert twice.duplicate
        assert [d.item for d in study.decisions() if d.kind == "answer"] == [first]
        assert review.current == once.next == twice.next


@case("A02")
def undo_works_on_what_was_saved(tmp: Path) -> None:
    with a_study(tmp, protocol="blind") as study:
        person = a_reviewer(study)
        one, two = study.review("rev-1").queue[:2]
        person.answer(YES, one)
        person.answer(NO, two)
    with Study.open(tmp / "predictions.study") as study:
        person = a_reviewer(study)
        for _ in range(3):
            person.act("undo", "")
        assert study.labels() == ()
        person.act("redo", "")
        assert {label.item: label.value["relevant"] for label in study.labels() if label.value} == {
            one: True
        }


@case("A03")
def two_reviewers_keep_both_decisions(tmp: Path) -> None:
    with a_study(tmp, protocol="blind", reviewers=("rev-1", "rev-2")) as study:
        one, two = a_reviewer(study, "rev-1"), a_reviewer(study, "rev-2")
        m1, m2 = study.review("rev-1").queue[:2]
        one.answer(YES, m1)
        two.answer(NO, m2)
        two.answer(NO, m1)
        found = {(label.item, label.reviewer): label.value for label in study.labels()}
        assert found[m1, "rev-1"] is not None
        assert found[m1, "rev-1"]["relevant"] is True
        assert found[m1, "rev-2"] is not None
        assert found[m1, "rev-2"]["relevant"] is False
        assert study.disputed == (m1,)
        assert set(study.settled()) == {m2}


@case("A05")
def the_sequence_decides_and_stamps_carry_a_zone(tmp: Path) -> None:
    events = json.loads(FILES["A05"].read_text(encoding="utf-8"))["events"]
    with a_study(tmp, protocol="blind") as study:
        person = a_reviewer(study)
        item = study.review("rev-1").queue[0]
        for number, event in enumerate(events):
            answer = YES if event["value"] else NO
            kind = "answer" if number == 0 else "revise"
            act = Act(f"e{number}", item, kind, answer)
            person.review.act(act, now=datetime.fromisoformat(event["at"]))
        kept = study.decisions()
        assert [d.seq for d in kept] == sorted(d.seq for d in kept)
        (label,) = study.labels()
        assert label.value is not None
        assert label.value["relevant"] is EXPECTED["A05"]["current"]
        assert str(label.as_dict()["decided_at"]).endswith("Z")


@case("A07")
def labels_follow_their_items_into_the_next_scan(tmp: Path) -> None:
    login, logout, sign_out = (f"com.acme.AuthTest#{m}" for m in ("login", "logout", "signOut"))
    study = a_study(tmp, text=FILES["A07"].read_text(encoding="utf-8"), protocol="blind")
    person = a_reviewer(study)
    person.answer(YES, login)
    person.answer(NO, logout)
    study.close()
    Study.update(study.folder, CASES / "a07_scan2.csv")
    with Study.open(study.folder) as again:
        labelled = {label.item: label.value for label in again.labels()}
        assert labelled[login] is not None
        assert labelled[login]["relevant"] is True
        assert again.second_look == ()
        assert again.stale == (logout,)
        assert sign_out in again.items
        assert sign_out not in labelled


@case("A09")
def what_nobody_decided_is_no_label(tmp: Path) -> None:
    text = FILES["A09"].read_text(encoding="utf-8")
    with a_study(tmp, text=text) as study:
        study.review("rev-1").window(6)
        assert study.labels() == ()
        assert study.counted()["relevance"] == {"tp": 0, "fp": 0, "fn": 0, "tn": 0}


@case("N01")
def markup_is_text_everywhere(tmp: Path) -> None:
    wanted = EXPECTED["N01"]["texts"]
    with a_study(tmp, text=FILES["N01"].read_text(encoding="utf-8")) as study:
        assert len(study.items) == EXPECTED["N01"]["rows"]
        views = [study.review("r").view(item) for item in study.items]
        assert [view["title"] for view in views] == wanted
    page = render(Report({}, Document((Table(("a",), tuple((text,) for text in wanted)),))), "html")
    for tag in ("<script>window", "<img src=x", "<init>", "<style>body{display"):
        assert tag not in page
    assert "&amp;lt;b&amp;gt;already" in page


@case("N03")
def a_big_table_is_sent_item_by_item(tmp: Path) -> None:
    row = predictions_csv(rows=[a_row(0, method="MMM", ai_reason="r" * 500)])
    head, line = row.splitlines()
    text = "\n".join([head, *(line.replace("MMM", f"m{n:05}") for n in range(20_000))])
    with a_study(tmp, text=text) as study:
        assert len(study.items) == 20_000
        page = json.dumps(study.review("rev-1").window())
        assert len(study.review("rev-1").window()) == 5
        assert len(page) < 50_000


@case("N04")
def what_was_saved_outlives_the_process(tmp: Path) -> None:
    study = a_study(tmp, protocol="blind")
    person = a_reviewer(study)
    first = person.review.current
    person.answer(YES)
    with Study.open(tmp / "predictions.study") as other:
        assert [label.item for label in other.labels()] == [first]
        assert other.review("rev-1").current != first
    study.close()


# --- files --------------------------------------------------------------------------------------


@case("F01")
def a_link_stays_a_link_and_a_mode_stays(tmp: Path) -> None:
    (tmp / "real").mkdir()
    real, link = tmp / "real" / "overrides.yaml", tmp / "overrides.yaml"
    real.write_text("overrides: []\n")
    real.chmod(0o640)
    link.symlink_to(real)
    atomic.write_text(link, "overrides:\n")
    assert link.is_symlink()
    assert real.read_text() == "overrides:\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def _write_too_much(path: str) -> None:
    import signal  # noqa: PLC0415  # in the child only

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
    try:
        atomic.write_text(Path(path), "x" * 4096)
    except InputError as error:
        Path(path).with_name("said").write_text(str(error))


@case("F03")
def a_full_disk_leaves_the_old_file(tmp: Path) -> None:
    path = tmp / "overrides.yaml"
    path.write_text("old\n" * 500)
    child = multiprocessing.get_context("spawn").Process(target=_write_too_much, args=(str(path),))
    child.start()
    child.join(60)
    assert path.read_text() == "old\n" * 500
    assert sorted(p.name for p in tmp.iterdir()) == ["overrides.yaml", "said"]
    told = (tmp / "said").read_text().lower()
    assert any(word in told for word in ("space", "quota", "large", "limit"))


@case("F04")
def every_path_works(tmp: Path) -> None:
    for name in json.loads(FILES["F04"].read_text(encoding="utf-8"))["paths"]:
        path = tmp / name
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_text(path, apply_changes("", [Change("A", "m", security_relevant=True)]))
        assert len(read_overrides(path).entries) == 1


def _export_a_hundred(folder: str, to: str, name: str) -> None:
    """One process: a hundred labels into the shared file, five at a time."""
    rows = [a_row(i, fqcn=f"com.acme.{name}") for i in range(100)]
    with a_study(Path(folder), text=predictions_csv(rows=rows), name=name, protocol="blind") as one:
        person = a_reviewer(one, name)
        for saved in range(1, 101):
            person.answer(NO)
            if saved % 5 == 0:
                export_to(one, Path(to))


@case("F06")
def two_processes_lose_no_entry(tmp: Path) -> None:
    to = tmp / "overrides.yaml"
    spawn = multiprocessing.get_context("spawn")
    workers = [
        spawn.Process(target=_export_a_hundred, args=(str(tmp / name), str(to), name))
        for name in ("one", "two")
    ]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        if to.exists():
            assert not read_overrides(to).problems
        time.sleep(0.02)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len(read_overrides(to).entries) == 200
    assert [path.name for path in tmp.glob(".*")] == []


@pytest.mark.parametrize("name", [item["id"] for item in MANIFEST])
def test_every_case_has_its_right_outcome(name: str, tmp_path: Path) -> None:
    CHECKS[name](tmp_path)


def test_there_are_sixty_seven_cases() -> None:
    assert len(MANIFEST) == 67
    assert set(CHECKS) == {item["id"] for item in MANIFEST}
