from __future__ import annotations

import pytest

from labkit.errors import InputError
from labkit.formats import records


def test_columns_are_found_by_name_whatever_their_case() -> None:
    found = records.parse("Case_ID,Predicted,CONF,note,extra\na,x,0.5,hello,e\n")
    assert found.parts == {
        "id": "Case_ID",
        "label": "Predicted",
        "confidence": "CONF",
        "text": "note",
    }
    assert found.values[0].fields == {"extra": "e"}


def test_columns_can_be_named() -> None:
    text = "ref\tjudged\tother\n1\tyes\tno\n"
    found = records.parse(text, columns={"id": "ref", "label": "judged"})
    assert (found.values[0].id, found.values[0].label) == ("1", "yes")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({}, "no column for the id; found 'a', 'b': name it with --columns id=COLUMN"),
        ({"id": "c"}, "t.csv:1: no column 'c'"),
        ({"key": "a"}, "no part 'key'"),
    ],
)
def test_a_column_that_is_not_there_is_said_with_what_is(
    columns: dict[str, str], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        records.parse("a,b\n1,2\n", "t.csv", columns=columns)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("cell", "value", "severity"),
    [
        ("0.85", 0.85, None),
        ("1.00001", 1.0, "note"),
        ("85", None, "error"),
        ("HIGH", None, "error"),
        ("-0.5", None, "error"),
        ("", None, None),
        ("nan", None, "note"),
    ],
)
def test_a_confidence_is_0_to_1_and_never_rescaled(
    cell: str, value: float | None, severity: str | None
) -> None:
    found = records.parse(f"id,label,confidence\na,x,{cell}\n", "t.csv")
    assert found.values[0].confidence == value
    assert [problem.severity for problem in found.problems] == [severity] * (severity is not None)


@pytest.mark.parametrize(
    ("json", "value"),
    [("0.85", 0.85), ('"0.85"', 0.85), ("1.00001", 1.0), ("85", None), ("true", None)],
)
def test_a_json_confidence_follows_the_same_rule(json: str, value: float | None) -> None:
    found = records.parse(f'{{"id": 1, "label": "x", "confidence": {json}}}')
    assert found.values[0].confidence == value


def test_a_decimal_comma_counts_only_where_it_does_not_part_the_cells() -> None:
    assert records.parse("id;label;confidence\na;x;0,85\n").values[0].confidence == 0.85


def test_labels_of_one_kind_stay_of_one_kind() -> None:
    binary = records.parse("id,label\na,TRUE\nb,false\nc,\n")
    assert [record.label for record in binary.values] == [True, False, None]
    assert binary.binary
    mixed = records.parse("id,label\na,true\nb,maybe\n")
    assert [record.label for record in mixed.values] == ["true", "maybe"]
    assert not mixed.binary


def test_an_id_that_stands_twice_counts_once_and_is_said() -> None:
    found = records.parse("id,label\na,x\nb,y\na,z\n", "t.csv")
    assert [(record.id, record.label) for record in found.values] == [("a", "z"), ("b", "y")]
    assert "'a' stands in 2 rows" in str(found.problems[0])


def test_big_ids_and_leading_zeros_are_text() -> None:
    found = records.parse('[{"id": 9007199254740993}, {"id": "0042"}]')
    assert [record.id for record in found.values] == ["9007199254740993", "0042"]


def test_the_label_gives_the_confidence_where_only_probabilities_are_there() -> None:
    found = records.parse('{"id": "a", "label": "x", "probabilities": {"x": 0.7, "y": 0.3}}')
    assert found.values[0].confidence == 0.7
    bad = records.parse('{"id": "a", "label": "x", "probabilities": {"x": 7}}', "p")
    assert bad.values[0].probabilities == {}
    assert bad.problems[0].severity == "error"


def test_tags_come_as_a_list_or_parted_and_empty_is_not_missing() -> None:
    found = records.parse('[{"id": 1, "tags": ["a", "b", "a"]}, {"id": 2, "tags": []}, {"id": 3}]')
    assert [record.tags for record in found.values] == [("a", "b"), (), None]
    parted = records.parse("id\ttags\n1\ta; b|c\n")
    assert parted.values[0].tags == ("a", "b", "c")
