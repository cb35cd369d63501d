"""One document, four ways to write it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from labkit.reports import Bullets, Document, Heading, Paragraph, Report, Table, render

if TYPE_CHECKING:
    from labkit.reports.document import Format

HOSTILE = "a\x1b[2J\x9b1m\x07\u202eb\u2028c\rd\te<script>|`*"


def a_report(text: str) -> Report:
    blocks = (
        Heading(text, 1),
        Paragraph(text),
        Bullets((text,)),
        Table((text, "n"), ((text, "1"),), frozenset({1}), text),
    )
    return Report({"schemaVersion": 1, "name": text}, Document(blocks))


@pytest.mark.parametrize("form", ["markdown", "html", "text"])
def test_names_from_files_cannot_steer_a_terminal(form: Format) -> None:
    written = render(a_report(HOSTILE), form)
    assert all(c == "\n" or c.isprintable() for c in written)
    assert "\\x1b[2J" in written.replace("\\\\", "\\").replace("\\[", "[")
    own = Report({}, text=HOSTILE)
    assert "\x1b" not in render(own, "text")


@pytest.mark.parametrize("form", ["markdown", "html", "text"])
@pytest.mark.parametrize("name", ["é漢字 👩\u200d🔬", "naïve", "שלום", "plain"])
def test_what_people_write_stays_as_it_is(form: Format, name: str) -> None:
    assert name in render(a_report(name), form)


def test_json_holds_the_text_itself() -> None:
    assert json.loads(render(a_report(HOSTILE), "json"))["name"] == HOSTILE


def test_a_cell_stays_in_its_column() -> None:
    rows = [line for line in render(a_report(HOSTILE), "markdown").splitlines() if line[0:1] == "|"]
    assert {line.replace("\\|", "").count("|") for line in rows} == {3}
    assert "<script>" not in render(a_report(HOSTILE), "html")
