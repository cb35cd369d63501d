from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import InputError
from labkit.model import Basis
from labkit.overrides.notes import Draw, Provenance, attach, parse, render, strip

LINE = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs"), include_characters=" "),
    min_size=1,
    max_size=30,
).map(lambda text: " ".join(text.split()) or "x")
NAME = LINE.filter(lambda text: "Reviewed" not in text and "labkit" not in text)
DRAWS = st.builds(
    lambda stratum, drawn, more, seed: Draw(stratum, drawn, drawn + more, seed),
    NAME.filter(lambda text: ";" not in text and text[-1] != " "),
    st.integers(1, 10**6),
    st.integers(0, 10**6),
    st.integers(-5, 10**6),
)
PROVENANCE = st.builds(
    Provenance, st.dates(date(1000, 1, 1)), NAME, st.sampled_from(Basis), st.none() | DRAWS
)


@given(PROVENANCE)
def test_a_clause_is_read_back_as_it_was_written(provenance: Provenance) -> None:
    assert parse(render(provenance)) == provenance


@given(NAME, PROVENANCE, PROVENANCE)
def test_what_people_wrote_stays_in_front_and_an_older_clause_is_replaced(
    own: str, first: Provenance, second: Provenance
) -> None:
    own = own.rstrip("; ") or "x"
    once = attach(own, first)
    twice = attach(once, second)
    assert once == f"{own}; {render(first)}"
    assert twice == f"{own}; {render(second)}"
    assert strip(twice) == own


@pytest.mark.parametrize(
    "note",
    [
        "",
        "Reviewed 2026-05-01T14:30:00 by Jane Smith",
        "Reviewed 2026-05-01 by Jane Smith",
        "(labkit: blind; targeted)",
        "Reviewed 2026-05-01 by Jane (labkit: guessed; targeted)",
    ],
)
def test_a_note_of_another_tool_is_not_taken_for_a_clause(note: str) -> None:
    assert parse(note) is None
    assert strip(note) == note


def test_a_person_may_write_behind_the_clause() -> None:
    clause = "Reviewed 2026-11-29 by ines (labkit: blind; all 8 of 9; seed 1)"
    note = f"{clause}; see SEC-7"
    found = parse(note)
    assert found is not None
    assert found.draw == Draw("all", 8, 9, 1)
    assert attach(note, found) == f"see SEC-7; {clause}"


def test_a_name_may_hold_brackets_and_never_breaks_the_line() -> None:
    odd = Provenance(date(2026, 1, 2), "Ann (QA)\nReviewed 2020-01-01 by x", Basis.BLIND)
    clause = render(odd)
    assert "\n" not in clause
    assert strip(f"mine; {clause}") == "mine"


@pytest.mark.parametrize(
    "clause",
    [
        "Reviewed 2026-02-30 by a (labkit: blind; targeted)",
        "Reviewed 2026-02-03 by a (labkit: blind; all 5 of 3; seed 1)",
        "Reviewed 2026-02-03 by a (labkit: blind; all 0 of 3; seed 1)",
    ],
)
def test_an_impossible_clause_is_refused_in_one_sentence(clause: str) -> None:
    with pytest.raises(InputError, match="note 'Reviewed"):
        parse(clause)
