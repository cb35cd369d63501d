from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from labkit.checks import BY_KIND, check, check_all
from labkit.errors import InputError

CASES = Path(__file__).parent / "conformance" / "cases"


def labkit(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "labkit", "check", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("name", "kind", "items"),
    [
        ("c14_boolean_spellings.csv", "methodatlas-predictions", 12),
        ("y01_bool_like_names.yaml", "methodatlas-overrides", 9),
        ("s01_two_runs_first_empty.sarif", "sarif", 2),
        ("s11_exact_duplicates_and_related.sarif", "sarif", 4),
        ("j03_bom_blank_crlf.jsonl", "table", 2),
        ("m16_aggregate_pooling.csv", "table", 0),
        ("f04_paths.json", "unknown", 0),
    ],
)
def test_a_file_is_named_and_counted(name: str, kind: str, items: int) -> None:
    found = check(CASES / name)
    assert (found.kind, found.items) == (kind, items)


def test_the_json_has_the_keys_of_the_contract() -> None:
    done = labkit(CASES / "j05_truncated_last_line.jsonl", "--format", "json")
    assert done.returncode == 1
    assert done.stderr == ""
    data = json.loads(done.stdout)
    assert list(data) == ["schemaVersion", "kind", "items", "problems", "summary"]
    assert data["problems"] == [
        {
            "file": "j05_truncated_last_line.jsonl",
            "line": 3,
            "column": data["problems"][0]["column"],
            "message": "a torn last line; the line is left out.",
            "severity": "error",
        }
    ]


def test_text_shows_what_it_is_and_every_problem_at_its_line() -> None:
    done = labkit(CASES / "c20_big_integer_ids.csv")
    assert done.returncode == 1
    assert done.stdout.startswith("c20_big_integer_ids.csv: table, 3 items\n")
    assert done.stdout.endswith("c20_big_integer_ids.csv:4: no id; the row is left out.\n")


def test_a_good_file_and_a_note_exit_with_0() -> None:
    assert labkit(CASES / "s09_no_runs.sarif", CASES / "a07_scan1.csv").returncode == 0


def test_a_file_that_cannot_be_trusted_exits_with_2_and_an_empty_stdout(tmp_path: Path) -> None:
    for path in (CASES / "c06_unbalanced_quote.csv", tmp_path / "none.csv"):
        done = labkit(path)
        assert done.returncode == 2
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) == 1


def test_in_a_folder_the_rest_is_read_and_strange_files_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# hello\n")
    (tmp_path / ".hidden.csv").write_text("id\n")
    (tmp_path / "bad.csv").write_bytes(b"fqcn,method\nA,\xe9\n")
    (tmp_path / "good.csv.gz").write_bytes(gzip.compress(b"id,label\na,true\n"))
    found = {Path(one.file).name: one for one in check_all(tmp_path)}
    assert set(found) == {"bad.csv", "good.csv.gz"}
    assert found["good.csv.gz"].kind == "table"
    assert str(found["bad.csv"].problems[0]).startswith("bad.csv:2: byte 0xE9")


def test_every_real_file_is_known_and_read(conformance: Path) -> None:
    kinds = {
        "systems/planwerk/corpus_expected": "planwerk-corpus",
        "systems/planwerk/corpus_expected/off-by-one/expected.json": "planwerk-corpus",
        "systems/planwerk/baseline/baseline.json": "planwerk-report",
        "systems/planwerk/report_fixtures/structured-review/canonical.json": "planwerk-reviews",
        "systems/decguard/examples/refund/decguard.yaml": "decguard-contract",
        "systems/decguard/examples/refund/cases.jsonl": "decguard-dataset",
        "systems/decguard/examples/refund/production.jsonl": "decguard-production",
        "systems/decguard/reference/report_refund_default.json": "decguard-report",
        "systems/aacr/raw/positive_samples.json": "aacr-references",
        "systems/godaudits/benchmarks/detectors.json": "godaudits-detectors",
        "systems/methodatlas/constructed_gui/overrides.yaml": "methodatlas-overrides",
        "real/methodatlas_self/predictions.csv": "methodatlas-predictions",
        "real/sarif/mobsfscan.json": "sarif",
    }
    for name, kind in kinds.items():
        found = check(conformance / name)
        assert (found.kind, found.bad) == (kind, False), name
        assert found.items > 0, name


def test_a_broken_corpus_is_an_error_and_a_folder_that_only_looks_like_one_is_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "expected.json").write_text('{"metrics": 3}')
    (tmp_path / "p.csv").write_text("id,label\na,true\n")
    assert [one.kind for one in check_all(tmp_path)] == ["table"]
    (tmp_path / "a" / "expected.json").write_text('{"clean": true, "findings": 3}')
    assert any("findings" in str(one.problems) and one.bad for one in check_all(tmp_path))


def test_a_folder_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labkit.checks.MAX_FILES", 2)
    for name in "abc":
        (tmp_path / name).write_text("x")
    with pytest.raises(InputError, match="more than 2 files"):
        list(check_all(tmp_path))


def test_every_kind_that_is_counted_is_one_of_the_known_ones() -> None:
    from labkit.formats.kinds import SYSTEM_OF  # noqa: PLC0415  # only for this comparison

    assert set(BY_KIND) <= {*SYSTEM_OF, "sarif", "study"}


FAMILIES = [
    ("systems/planwerk/baseline/baseline.json", "planwerk-report"),
    ("systems/planwerk/corpus_expected/nil-map-append/expected.json", "planwerk-corpus"),
    ("systems/planwerk/report_fixtures/structured-review/canonical.json", "planwerk-reviews"),
    ("systems/decguard/examples/spam/cases.json", "decguard-dataset"),
    ("systems/decguard/reference/report_spam_default.json", "decguard-report"),
    ("systems/decguard/reference/check_production.json", "decguard-report"),
    ("systems/aacr/raw/negative_samples.json", "aacr-references"),
    ("systems/godaudits/benchmarks/detectors.json", "godaudits-detectors"),
    ("systems/godaudits/benchmarks/paired-runs.json", "godaudits-paired"),
    (
        "systems/godaudits/benchmarks/runs/accuracy/a-sec-6/case-02/rep-1/skill.json",
        "godaudits-paired",
    ),
]


@pytest.mark.parametrize(("name", "kind"), FAMILIES)
@pytest.mark.parametrize("share", [0.5, 0.97])
def test_a_document_that_breaks_off_is_still_named_and_refused_with_its_place(
    conformance: Path, tmp_path: Path, name: str, kind: str, share: float
) -> None:
    torn = tmp_path / Path(name).name
    whole = (conformance / name).read_bytes()
    torn.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(InputError, match=r"\.json:\d+"):
        check(torn)
    (found,) = check_all(tmp_path)
    assert (found.kind, found.bad) == (kind, True)
    assert found.problems[0].line


@pytest.mark.parametrize("text", ["", " \n", "{", "[1,", '{"a" 1}'])
@pytest.mark.parametrize("name", ["a.json", "a.sarif"])
def test_json_by_its_name_that_is_none_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError):
        check(tmp_path / name)
    assert [one.bad for one in check_all(tmp_path)] == [True]


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n")
    assert check(tmp_path / "a.txt").problems[0].message == "the file is empty."


def test_every_case_of_a_corpus_is_read_past_a_bad_one(tmp_path: Path) -> None:
    good = '{"clean": true}'
    for name, text in {"a": '{"clean": true, "typo": 1}', "b": good, "c": "{", "d": good}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "expected.json").write_text(text)
    (tmp_path / "e").mkdir()
    found = [(Path(one.file).parent.name, one.kind, one.bad) for one in check_all(tmp_path)]
    kind = "planwerk-corpus"
    assert found == [
        ("a", kind, True),
        ("b", kind, False),
        ("c", "unknown", True),
        ("d", kind, False),
    ]
    for name in "ac":
        (tmp_path / name / "expected.json").write_text(good)
    assert [(one.kind, one.bad) for one in check_all(tmp_path)][-1] == (kind, True), "e has none"


def test_a_folder_with_others_files_in_it_is_not_called_after_a_few(tmp_path: Path) -> None:
    inner = tmp_path / "case"
    inner.mkdir()
    (inner / "run.json").write_text('{"findings": null}')
    assert [one.kind for one in check_all(tmp_path)] == ["planwerk-reviews"]
    (tmp_path / "p.csv").write_text("fqcn,method\nA,m\n")
    (inner / "expected.json").write_text('{"findings": 2145, "valid": 1505}')
    found = {Path(one.file).name: one.kind for one in check_all(tmp_path)}
    assert found == {"run.json": "planwerk-reviews", "p.csv": "methodatlas-predictions"}


@pytest.mark.parametrize("command", ["check", "score", "compare"])
def test_a_name_too_long_for_any_file_is_a_sentence(command: str, tmp_path: Path) -> None:
    name = "a" * 5000
    (tmp_path / "good.csv").write_text("id,label\na,true\n")
    arguments = [sys.executable, "-m", "labkit", command, name, str(tmp_path / "good.csv")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "Traceback" not in done.stderr


def test_rows_that_no_system_knows_are_a_table(tmp_path: Path) -> None:
    rows = tmp_path / "rows.json"
    rows.write_text('[\n {"idx": 0, "input": "x", "verdict": "1"}, {"idx": 1, "verdict": "2"}]')
    assert (check(rows).kind, check(rows).items) == ("table", 2)
    rows.write_text('[{"colour": "red"}]')
    found = check(rows)
    assert (found.kind, found.bad, found.problems[0].severity) == ("table", False, "warning")
    rows.write_text("[1, 2]")
    assert check(rows).kind == "unknown"
