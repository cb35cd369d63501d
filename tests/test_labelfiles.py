from __future__ import annotations

import csv
import io
import json
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import InputError
from labkit.formats.labelfiles import (
    guard,
    parse_csv,
    parse_jsonl,
    render_csv,
    render_jsonl,
    unguard,
)
from labkit.model import Basis, Label, Question, Task

CASES = Path(__file__).parent / "conformance" / "cases"
TASK = Task(
    "methodatlas",
    (
        Question("relevant", "binary", "Relevant?", ("yes", "no")),
        Question("tags", "tags", "Tags?", ("auth",)),
        Question("why", "text", "Why?"),
    ),
)
TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))
TAG = TEXT.filter(lambda tag: tag.strip() != "")
ANSWERS = st.none() | st.fixed_dictionaries(
    {
        "relevant": st.booleans(),
        "tags": st.lists(TAG, max_size=3).map(tuple),
        "why": TEXT.filter(bool),
    }
)
MOMENTS = st.none() | st.datetimes(timezones=st.just(UTC)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
LABELS = st.builds(
    lambda first, **more: Label(first=first, unsure=first is None, **more),
    first=ANSWERS,
    final=ANSWERS,
    item=TEXT,
    reviewer=TEXT,
    basis=st.sampled_from(Basis),
    stratum=st.none() | TEXT.filter(bool),
    inclusion_probability=st.none() | st.floats(1e-9, 1),
    arm=st.none() | st.just("assisted"),
    seed=st.none() | st.integers(0),
    shown_at=MOMENTS,
    decided_at=MOMENTS,
    duration_ms=st.none() | st.integers(0),
    note=TEXT,
)


@given(st.lists(LABELS, max_size=3))
def test_either_file_is_read_back_as_it_was(labels: list[Label]) -> None:
    assert parse_jsonl(render_jsonl(labels)) == tuple(labels)
    assert parse_csv(render_csv(labels, TASK), TASK) == tuple(labels)


def test_no_cell_of_the_spreadsheet_runs_and_the_jsonl_keeps_every_byte() -> None:
    notes = json.loads((CASES / "c17_formula_injection.json").read_text(encoding="utf-8"))["notes"]
    labels = [
        Label(note, note, {"why": note}, {"why": note}, Basis.BLIND, duration_ms=7, note=note)
        for note in notes
    ]
    sheet = render_csv(labels, TASK)
    for row in list(csv.reader(io.StringIO(sheet, newline="")))[1:]:
        for cell in row:
            running = cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))
            assert not running or cell == "-0.5"
        assert "7" in row
    assert [label.note for label in parse_csv(sheet, TASK)] == notes
    lines = render_jsonl(labels).splitlines()
    assert [json.loads(line)["note"] for line in lines] == notes
    assert all(
        json.dumps(note, ensure_ascii=False) in line
        for note, line in zip(notes, lines, strict=True)
    )


@given(TEXT)
def test_a_guard_comes_off_again(text: str) -> None:
    assert unguard(guard(text)) == text
    if not text.removeprefix("-").replace(".", "").isdigit():
        assert not guard(text).lstrip().startswith(("=", "+", "-", "@"))


@pytest.mark.parametrize("line", ["[]", "{}", "{", '{"item": "a"}', "3"])
def test_what_is_no_label_is_named_with_its_line(line: str) -> None:
    with pytest.raises(InputError, match=r"l\.jsonl:2: not a label"):
        parse_jsonl(f"\n{line}\n", "l.jsonl")


def test_a_sheet_without_a_column_or_with_a_bad_cell_is_named() -> None:
    with pytest.raises(InputError, match=r"l\.csv:1: no column 'item'"):
        parse_csv("id,label\n", TASK, "l.csv")
    sheet = render_csv([Label("a", "r", None, None, Basis.BLIND)], TASK)
    with pytest.raises(InputError, match=r"l\.csv:2: not a label"):
        parse_csv(sheet.replace(",blind,", ",sighted,"), TASK, "l.csv")
