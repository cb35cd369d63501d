"""Findings of code reviewers as items: what is asked, what is in view, and what is hidden."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from labkit.errors import InputError
from labkit.formats.aacr_pairs import labels_of
from labkit.presets import comments, pairwise, planwerk
from labkit.presets.choosing import material_of, preset_of
from labkit.presets.difference import excerpt, rows, stored_lines

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.model import Item


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def everything_shown(item: Item) -> str:
    return " ".join([item.id, item.title, item.subtitle, item.text, *item.fields.values()])


@pytest.fixture
def reviewed(tmp_path: Path) -> Path:
    """A corpus of one case and two runs over it, the first of them empty."""
    bug = {"file": "a.go", "line": 2, "severity": "BLOCKING", "keywords": ["leak"]}
    case = tmp_path / "corpus" / "leak"
    write(case / "expected.json", {"description": "d", "findings": [bug]})
    write(case / "base" / "a.go.txt", "one\ntwo\nthree\n")
    write(case / "head" / "a.go.txt", "one\nTWO\nthree\n")
    one = {
        "id": "B-001",
        "severity": "CRITICAL",
        "title": "A leak",
        "file": "a.go",
        "line": 2,
        "problem": "It never ends.",
        "action": "End it.",
        "confidence": "verified",
        "confirmed_by": ["review", "adversarial"],
        "verification_note": "seen twice",
    }
    write(tmp_path / "runs/leak/1.json", {"findings": None})
    write(
        tmp_path / "runs/leak/2.json", {"findings": [one, {**one, "title": "other", "problem": ""}]}
    )
    return tmp_path


def test_findings_are_items_by_case_run_and_index(reviewed: Path) -> None:
    found = planwerk.material(reviewed / "runs")
    assert list(found.items) == ["leak/1/0", "leak/1/1"]
    assert preset_of(reviewed / "runs") == "finding"


def test_what_the_reviewer_claims_is_hidden_until_the_answer(reviewed: Path) -> None:
    found = planwerk.material(reviewed / "runs", source=reviewed / "corpus")
    shown = everything_shown(found.items["leak/1/0"])
    for word in ("B-001", "CRITICAL", "verified", "adversarial", "seen twice", "seeded"):
        assert word not in shown
    assert "It never ends." in shown
    said = found.predictions["leak/1/0"]
    assert said.answer == {"valid": True, "place": True, "severity": "CRITICAL"}
    assert said.fields["confirmed_by"] == "review, adversarial"


def test_the_matchers_word_stands_beside_the_persons(reviewed: Path) -> None:
    found = planwerk.material(reviewed / "runs", source=reviewed / "corpus")
    words = [said.fields["mechanical_match"] for said in found.predictions.values()]
    assert words == ["the seeded bug at a.go:2", "no seeded bug"]


def test_the_evidence_is_the_change_with_the_new_files_numbers(reviewed: Path) -> None:
    found = planwerk.material(reviewed / "runs", source=reviewed / "corpus")
    shown = found.code(found.items["leak/1/0"])
    assert shown is not None
    assert shown.lines == ("  one", "- two", "+ TWO", "  three")
    assert (shown.numbers, shown.mark) == ((1, None, 2, 3), (2, 2))


def test_without_a_corpus_the_quoted_code_is_shown(tmp_path: Path) -> None:
    one = {"title": "t", "file": "a.go", "line": 4, "code_snippet": "x := 1\ny := 2"}
    found = planwerk.material(write(tmp_path / "case" / "1.json", {"findings": [one]}))
    shown = found.code(found.items["case/0/0"])
    assert shown is not None
    assert (shown.first, shown.lines) == (4, ("x := 1", "y := 2"))


def test_reports_without_findings_are_nothing_to_review(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to review"):
        planwerk.material(write(tmp_path / "case" / "1.json", {"findings": []}))


def test_nothing_outside_the_tree_is_read(tmp_path: Path) -> None:
    write(tmp_path / "secret", "s")
    write(tmp_path / "tree" / "a.go.txt", "a\n")
    assert stored_lines(tmp_path / "tree", "../secret") is None
    assert stored_lines(tmp_path / "tree", str(tmp_path / "secret")) is None
    assert stored_lines(tmp_path / "tree", "a.go") == ("a",)


def test_a_long_difference_is_cut_around_the_line_under_review() -> None:
    lines = [f"line {n}" for n in range(1, 2001)]
    shown = excerpt([], lines, file="a", mark=(1500, 1500))
    assert len(shown.lines) == 400
    assert 1500 in shown.numbers
    assert rows([], ["a"]) == [(1, "+ a")]


# --- comments and pairs -------------------------------------------------------------------------

URL = "https://github.com/o/r/pull/1"


def a_comment(note: str, line: int = 5, **more: Any) -> dict[str, Any]:
    place = {"path": "a.py", "side": "right", "from_line": line, "to_line": line}
    return {**place, "note": note, **more}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    known = [a_comment("memory leak here"), a_comment("far away", 90)]
    made = [a_comment("leak of memory here", source_model="M-1"), a_comment(" ")]
    return (
        write(tmp_path / "gold.json", [{"githubPrUrl": URL, "comments": known}]),
        write(tmp_path / "made.json", [{"githubPrUrl": URL, "comments": made}]),
    )


def test_comments_are_items_and_their_author_is_hidden(files: tuple[Path, Path]) -> None:
    found = comments.material(files[1])
    assert list(found.items) == [f"{URL}#0"]
    assert "M-1" not in everything_shown(found.items[f"{URL}#0"])
    assert found.predictions[f"{URL}#0"].fields == {"source_model": "M-1"}
    assert [q.name for q in found.task.questions] == ["valid", "place"]


def test_pairs_are_the_comments_at_one_place(files: tuple[Path, Path]) -> None:
    found = material_of(files[1], "pairwise", source=files[0])
    assert list(found.items) == [f"{URL}#0~0"]
    item, said = found.items[f"{URL}#0~0"], found.predictions[f"{URL}#0~0"]
    assert "memory leak here" in item.text
    assert "leak of memory here" in item.text
    assert said.answer == {"same": "same defect"}
    assert said.fields["words_in_common"] == "0.75"
    assert "reference" not in everything_shown(item)


def test_the_order_of_a_pair_says_nothing_about_which_is_the_reference() -> None:
    first = [pairwise._reference_first(f"{URL}#{i}~0") for i in range(400)]
    assert 150 < sum(first) < 250


def test_comments_beside_a_file_of_references_are_pairs(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    generated, references = files
    assert preset_of(generated, references) == "pairwise"
    assert preset_of(generated, tmp_path) == preset_of(generated) == "finding"


def test_pairs_need_the_references(files: tuple[Path, Path]) -> None:
    with pytest.raises(InputError, match="--source"):
        pairwise.material(files[1])


def test_related_not_it_counts_as_a_miss() -> None:
    rows_ = [{"item": str(i), "first": {"same": word}} for i, word in enumerate(pairwise.ANSWERS)]
    assert labels_of(rows_, "l") == {"0": True, "1": False, "2": False}


def test_labels_that_contradict_each_other_are_refused() -> None:
    rows_ = [{"item": "p", "label": True}, {"item": "p", "label": False}]
    with pytest.raises(InputError, match="both ways"):
        labels_of(rows_, "l")


def test_a_pair_on_which_reviewers_differ_has_no_label() -> None:
    rows_ = [
        {"item": "p", "reviewer": "a", "label": True},
        {"item": "p", "reviewer": "b", "label": False},
        {"item": "q", "reviewer": "a", "label": True},
        {"item": "q", "reviewer": "b", "label": True},
    ]
    assert labels_of(rows_, "l") == {"q": True}
