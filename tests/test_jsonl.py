from __future__ import annotations

from pathlib import Path

import pytest

from labkit.errors import InputError
from labkit.formats import jsonl
from labkit.formats.jsonl import parse, parse_lines

CASES = Path(__file__).parent / "conformance" / "cases"


def test_nan_is_no_value_and_infinity_is_a_problem() -> None:
    found = jsonl.read(CASES / "j01_nan_infinity.jsonl")
    assert [item.value["confidence"] for item in found.values] == [None, None, 0.7]
    assert [(p.line, p.severity) for p in found.problems] == [(1, "note"), (2, "error")]


def test_blank_lines_crlf_and_a_missing_last_line_end_are_fine() -> None:
    found = jsonl.read(CASES / "j03_bom_blank_crlf.jsonl")
    assert [item.value["id"] for item in found.values] == ["a", "b"]
    assert [item.line for item in found.values] == [1, 4]
    assert found.problems == ()


def test_a_torn_last_line_is_a_problem_and_the_whole_lines_count() -> None:
    found = jsonl.read(CASES / "j05_truncated_last_line.jsonl")
    assert [item.value["id"] for item in found.values] == ["a", "b"]
    assert "j05_truncated_last_line.jsonl:3:" in str(found.problems[0])
    assert "torn" in found.problems[0].message


def test_a_trailing_comma_is_an_error_on_its_line() -> None:
    with pytest.raises(InputError, match=r"j06_trailing_comma\.json:4:"):
        jsonl.read(CASES / "j06_trailing_comma.json")


def test_big_integers_are_exact_and_infinite_ones_no_value() -> None:
    found = jsonl.read(CASES / "j08_big_ints.json")
    assert [item.value["id"] for item in found.values] == [9007199254740993, 9007199254740992, None]
    assert "too large" in found.problems[0].message


def test_items_in_a_wrapper_are_found() -> None:
    found = jsonl.read(CASES / "j11_wrapped_object.json")
    assert [item.value["id"] for item in found.values] == ["a", "b"]
    with pytest.raises(InputError, match="list of objects"):
        parse('{"x": 1}')


def test_lines_end_at_a_line_feed_only() -> None:
    found = parse_lines('{"id": "a\u2028b\x85c"}\n{"id": 2}\n')
    assert [item.value["id"] for item in found.values] == ["a\u2028b\x85c", 2]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('{"id": 1, "id": 2}', "twice"),
        ("[1]", "not an object"),
        ('{"id": 1} {"id": 2}', "more than one"),
        ('{"id": "\\ud800"}', "surrogate"),
        ('{"id": ' + "[" * 200_000 + "}", "nested"),
        ('{"id": ' + "1" * 5000 + "}", "5000 digits"),
        ("{'id': 1}", "not JSON"),
    ],
)
def test_a_bad_line_is_left_out_and_named(line: str, word: str) -> None:
    found = parse_lines('{"id": 0}\n' + line + '\n{"id": 9}\n')
    assert [item.value["id"] for item in found.values] == [0, 9]
    (problem,) = found.problems
    assert problem.line == 2
    assert word in problem.message


def test_items_of_an_array_know_their_lines() -> None:
    found = parse('[\n {"id": 1},\n\n {"id":\n 2}, {"id": 3}\n]\n')
    assert [item.line for item in found.values] == [2, 4, 5]
    assert parse("[]").values == ()


@pytest.mark.parametrize("text", ["", "  \n", "nonsense", "[1]", "[{}", "[{}] x", "3", "{", "[,]"])
def test_what_is_no_list_of_objects_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^f\.json"):
        parse(text, "f.json")


@pytest.mark.parametrize("text", ["", "{", '{"a": 1, "a": 2}', "[" * 200_000, "{} {}"])
def test_a_document_that_cannot_be_trusted_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^f\.json"):
        parse(text, "f.json")


def test_an_empty_object_is_named_as_one() -> None:
    with pytest.raises(InputError, match="an object with nothing in it"):
        parse("{}", "f.json")
