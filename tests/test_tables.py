from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import InputError
from labkit.formats.tables import parse


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_from_the_header(mark: str) -> None:
    table = parse(f"id{mark}label{mark}note\n1{mark}true{mark}'a, b; c'\n".replace("'", '"'))
    assert table.delimiter == mark
    assert table.rows[0].cells == ("1", "true", "a, b; c")
    assert table.decimal_comma == (mark != ",")


def test_what_a_spreadsheet_ruined_is_counted_and_kept() -> None:
    text = "id,label,note\n1.57713E+18,x,#NAME?\n2,1.57713E+18,fine\n" + "3,y," + "a" * 32_767
    table = parse(text, "t.csv")
    assert [row.cells[0] for row in table.rows] == ["1.57713E+18", "2", "3"]
    assert [str(problem) for problem in table.problems] == [
        "t.csv:2: 3 cells look ruined by a spreadsheet, '#NAME?' first; export the file again."
    ]
    assert parse("id,p\n#N/A,1e3\n1e3,1.50E+02\n").problems == ()


def test_a_spreadsheets_own_separator_line_is_obeyed() -> None:
    table = parse("sep=;\nid;a,b,c\n1;2\n")
    assert table.header == ("id", "a,b,c")
    assert table.rows[0].line == 3


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_by_any_line_end(end: str) -> None:
    table = parse(end.join(["# x: 1", "", "id,b", "1,2", "", '2,"a', 'b"', "3,4", ""]))
    assert [row.line for row in table.rows] == [4, 6, 8]


def test_other_unicode_line_ends_are_text() -> None:
    assert parse("id,b\n1,a\u2028b\x85c\x0cd\n").rows[0].cells == ("1", "a\u2028b\x85c\x0cd")


def test_a_cell_may_be_longer_than_a_megabyte() -> None:
    assert len(parse("id,b\n1," + "x" * 1_000_001).rows[0].cells[1]) == 1_000_001


def test_empty_cells_beyond_the_header_are_dropped_and_others_are_not() -> None:
    table = parse("id,b,,\n1,2,,\n3,4,5,\n6,7\n")
    assert [row.cells for row in table.rows] == [("1", "2"), ("6", "7")]
    assert [problem.line for problem in table.problems] == [3]


def test_columns_that_differ_in_case_only_are_refused_when_asked_for() -> None:
    table = parse("id,Label,LABEL\n1,2,3\n")
    assert table.column("Label") == 1
    with pytest.raises(InputError, match="case only"):
        table.column("label")


@pytest.mark.parametrize(
    ("text", "line"),
    [('a,b\n1,"x\n2,3\n', 2), ('a,b\n1,2\n3,"x"y\n', 3), ('"a,b\n1,2\n', 1)],
)
def test_a_quote_that_is_not_closed_rightly_is_an_error_where_it_opens(
    text: str, line: int
) -> None:
    with pytest.raises(InputError, match=f"^f.csv:{line}: .*quote"):
        parse(text, "f.csv")


CELL = st.text(alphabet='ab",;|\t\r\n #é0.-', max_size=6)


@given(st.lists(st.tuples(CELL, CELL), max_size=6))
def test_what_is_quoted_comes_back_as_it_was(rows: list[tuple[str, str]]) -> None:
    quoted = [
        ",".join('"' + cell.replace('"', '""') + '"' for cell in ("k", *row)) + "\n" for row in rows
    ]
    table = parse("key,a,b\n" + "".join(quoted))
    assert [row.cells[1:] for row in table.rows] == rows
    assert table.problems == ()
