from __future__ import annotations

from pathlib import Path

import pytest

from labkit.errors import InputError
from labkit.formats import methodatlas
from labkit.formats.methodatlas import Scan, items, parse, parse_json

CASES = Path(__file__).parent / "conformance" / "cases"
HEAD = "fqcn,method,loc,tags,display_name,ai_security_relevant,ai_tags,ai_confidence"


def case(name: str) -> Scan:
    return methodatlas.read(next(CASES.glob(f"{name}_*.csv")))


def said(scan: Scan, line: int) -> str:
    return " ".join(problem.message for problem in scan.problems if problem.line == line)


def test_a_byte_order_mark_is_not_part_of_the_first_name() -> None:
    assert [record.fqcn for record in case("c01").records] == ["com.acme.AuthTest"]


def test_a_semicolon_file_has_decimal_commas_and_tags_parted_by_bars() -> None:
    records = case("c02").records
    assert [record.ai_confidence for record in records] == [0.85, 0.0]
    assert [record.ai_interaction_score for record in records] == [0.0, 0.2]
    assert records[0].ai_tags == ("security", "auth")
    assert records[0].ai_reason == "token checked, then rotated"


def test_names_that_look_like_nothing_or_like_numbers_are_text() -> None:
    assert [record.method for record in case("c04").records] == (
        ["NA", "None", "null", "nan", "N/A", "NULL", "-nan", "true", "1e3", "007", "#N/A", "inf"]
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("c06", [":3:", "quote"]),
        ("c09", [":2:", "UTF-8"]),
        ("c11", [":1:", "ai_confidence", "twice"]),
        ("c20", [":1:", "'fqcn'", "'id'"]),
    ],
)
def test_a_file_that_cannot_be_trusted_is_refused(name: str, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        case(name)
    assert all(word in str(caught.value) for word in words)


def test_hash_lines_are_metadata_before_the_header_and_data_after_it() -> None:
    scan = case("c12")
    assert scan.metadata["tool_version"] == "1.2.0"
    assert [record.ai_confidence for record in scan.records] == [0.9, 0.0, 0.9]
    assert scan.records[0].ai_reason == "uses C# interop; see issue #12"
    assert scan.records[1].fqcn == "#weird.Pkg"


def test_booleans_have_six_spellings_and_all_else_is_no_answer() -> None:
    scan = case("c14")
    found = {record.method: record.ai_security_relevant for record in scan.records}
    assert [found[f"m{i}"] for i in range(12)] == [True] * 5 + [False] * 4 + [None] * 3
    assert "'maybe'" in said(scan, 12)
    assert "'nan'" in said(scan, 13)


def test_a_confidence_is_never_rescaled_by_guess() -> None:
    scan = case("c15")
    found = {record.method: record.ai_confidence for record in scan.records}
    assert found == {
        "m0": 0.85,
        "m1": 0.85,
        "m2": None,
        "m3": 1.0,
        "m4": None,
        "m5": None,
        "m6": None,
        "m7": None,
        "m8": None,
        "m9": 0.001,
        "m10": 0.5,
        "m11": None,
    }
    noted = {problem.line for problem in scan.problems}
    assert noted == {3, 4, 5, 6, 7, 9, 10, 13}


def test_overloads_are_one_item_and_the_last_row_wins() -> None:
    kept = items(case("c19"))
    assert [*kept.by_id] == ["com.acme.AuthTest#decrypt", "com.acme.AuthTest#login"]
    assert kept.by_id["com.acme.AuthTest#decrypt"].ai_security_relevant is False
    (problem,) = kept.problems
    assert "decrypt" in problem.message
    assert "2 rows" in problem.message


def test_five_thousand_unknown_columns_are_one_note() -> None:
    extra = ",".join(f"extra_{i:04}" for i in range(5000))
    row = "A,m{},1,,,true,auth,0.9," + ",".join(["x"] * 5000)
    scan = parse("\n".join([f"{HEAD},{extra}", row.format(1), row.format(2)]))
    assert len(scan.records) == 2
    (problem,) = scan.problems
    assert problem.severity == "note"
    assert "5000 columns" in problem.message
    assert scan.records[0].extra["extra_4999"] == "x"


def test_a_header_alone_is_no_rows_and_an_empty_file_is_an_error() -> None:
    assert case("c23").records == ()
    with pytest.raises(InputError, match="empty"):
        parse("")


def test_spaces_and_case_in_a_header_are_tolerated() -> None:
    (record,) = case("c25").records
    assert (record.fqcn, record.method) == ("com.acme.AuthTest", "login")
    assert record.ai_security_relevant is True


def test_markup_stays_text() -> None:
    scan = case("n01")
    assert len(scan.records) == 9
    assert scan.records[0].ai_reason == "<script>window.pwned=1</script>"
    assert [record.method for record in scan.records] == [r.ai_reason for r in scan.records]


def test_a_row_of_another_width_is_left_out_where_values_would_shift() -> None:
    scan = parse(f"{HEAD}\nA,m,1,,,true,auth\nA,n,1,,,true,auth,0.5,,\n")
    assert [record.method for record in scan.records] == ["n"]
    assert "7 cells under a header of 8" in said(scan, 2)


def test_an_inventory_without_ai_columns_may_leave_out_its_last_cell() -> None:
    scan = parse("fqcn,method,loc,tags,display_name\nA,m,1,x\n")
    assert scan.records[0].tags == ("x",)
    assert scan.problems[0].severity == "warning"


def test_a_quoted_line_break_does_not_shift_the_lines_that_follow() -> None:
    scan = parse('fqcn,method,ai_reason,ai_confidence\nA,m,"a\r\nb\n",0.5\nA,n,,x\n')
    assert [record.line for record in scan.records] == [2, 5]
    assert "'x' is not a number" in said(scan, 5)


def test_no_ai_column_no_value_and_an_empty_list_are_three_things() -> None:
    assert parse("fqcn,method\nA,m\n").records[0].ai_tags is None
    assert parse("fqcn,method,ai_tags\nA,m,\n").records[0].ai_tags == ()
    assert parse_json('[{"fqcn":"A","method":"m","ai_tags":[]}]').records[0].ai_tags == ()
    assert parse_json('[{"fqcn":"A","method":"m"}]').records[0].ai_tags is None


def test_json_and_csv_say_the_same() -> None:
    as_csv = parse(f"{HEAD}\nA,m,3,x;y,d,true,auth;crypto,0.25\n").records[0]
    as_json = parse_json(
        '[{"fqcn":"A","method":"m","loc":3,"tags":["x","y"],"display_name":"d",'
        '"ai_security_relevant":true,"ai_tags":["auth","crypto"],"ai_confidence":0.25}]'
    ).records[0]
    assert (as_csv.loc, as_csv.tags, as_csv.ai_tags) == (as_json.loc, as_json.tags, as_json.ai_tags)
    assert as_csv.ai_security_relevant is as_json.ai_security_relevant is True
    assert as_csv.ai_confidence == as_json.ai_confidence == 0.25


def test_real_rows_are_all_read(conformance: Path) -> None:
    scan = methodatlas.read(conformance / "real/methodatlas_self/predictions.csv")
    assert len(scan.records) == 1215
    assert scan.problems == ()
    assert "taxonomy" in scan.metadata
