from __future__ import annotations

import json
from pathlib import Path

import pytest

from labkit import overrides
from labkit.errors import InputError
from labkit.formats.methodatlas import ScanRecord
from labkit.overrides import Overrides, apply, effective, label_of, parse, resolve

CASES = Path(__file__).parent / "conformance" / "cases"


def case(name: str) -> Overrides:
    return overrides.read(next(CASES.glob(f"{name}_*.yaml")))


def expected(name: str) -> dict[str, object]:
    items = json.loads((CASES / "manifest.json").read_text(encoding="utf-8"))["items"]
    found: dict[str, object] = next(item["expected"] for item in items if item["id"] == name)
    return found


def test_names_that_look_like_booleans_are_text() -> None:
    assert [entry.method for entry in case("y01").entries] == expected("Y01")["methods"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("y03", [":6:", "duplicate", "securityRelevant"]),
        ("y10", [":3:", "tag", "python/object"]),
        ("y15", [":1:", "overrides"]),
    ],
)
def test_a_file_that_cannot_be_trusted_is_refused(name: str, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        case(name)
    assert all(word in str(caught.value) for word in words)


def test_the_last_duplicate_wins_at_both_levels_and_the_others_are_said() -> None:
    found = resolve(case("y04"))
    label = found.label("com.acme.A", "m1")
    other = found.label("com.acme.A", "other")
    assert label is not None
    assert other is not None
    assert (label.relevant, label.tags, other.relevant) == (False, frozenset(), False)
    assert [(problem.line, problem.severity) for problem in found.problems] == [
        (2, "warning"),
        (3, "warning"),
    ]


def test_merge_keys_are_applied_and_doubted() -> None:
    found = case("y06")
    assert [(entry.method, entry.security_relevant, entry.tags) for entry in found.entries] == [
        ("wrap", True, ("security", "crypto")),
        ("display", False, ()),
    ]
    assert "MethodAtlas refuses" in found.problems[0].message


def test_a_byte_order_mark_and_crlf_change_nothing() -> None:
    (entry,) = case("y08").entries
    assert (entry.fqcn, entry.reason) == ("com.acme.A", "first line")


def test_every_shape_of_tags() -> None:
    found = case("y17")
    labels = {entry.method: label_of(entry) for entry in found.entries}
    tags = {
        name: sorted(label.tags)
        for name, label in labels.items()
        if label and label.tags is not None
    }
    assert tags == expected("Y17")["tag_labels"]
    assert {name for name, label in labels.items() if label and label.tags is None} == {"c", "d"}
    assert labels["g"] is None
    assert [(problem.line, "tags" in problem.message) for problem in found.problems] == [
        (7, True),
        (9, True),
    ]


@pytest.mark.parametrize("text", ["", "# nothing\n", "overrides:\n", "overrides: null\n", "---\n"])
def test_an_empty_file_has_no_entries(text: str) -> None:
    assert parse(text).entries == ()
    assert case("y16").entries == ()


@pytest.mark.parametrize(
    "text", ["- fqcn: A\n", "overrides: {}\n", "overrides: x\n", "just text\n"]
)
def test_a_root_of_the_wrong_type_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="overrides"):
        parse(text)


def test_a_file_with_other_keys_only_has_no_entries_and_says_so() -> None:
    found = parse("entries:\n- fqcn: A\n")
    assert found.entries == ()
    assert "no key 'overrides'" in found.problems[0].message


@pytest.mark.parametrize(
    ("entry", "word"),
    [
        ("method: m", "no fqcn"),
        ("fqcn: ' '", "no fqcn"),
        ("fqcn: ~", "no fqcn"),
        ("just text", "not a mapping"),
        ("fqcn: B\n  securityRelevant: yes", "not true or false but 'yes'"),
        ("fqcn: B\n  securityRelevant: 'true'", "not true or false"),
        ("fqcn: B\n  securityRelevant: 1", "not true or false"),
        ("fqcn: B\n  securityRelevant: [true]", "not true or false"),
        ("fqcn: B\n  tags: auth", "not a list"),
        ("fqcn: B\n  tags: {auth: 1}", "not a list"),
        ("fqcn: B\n  tags: [[auth]]", "nested"),
        ("fqcn: [B]", "fqcn is not text"),
        ("fqcn: B\n  method: {a: b}", "method is not text"),
    ],
)
def test_a_bad_entry_is_left_out_and_the_rest_is_read(entry: str, word: str) -> None:
    found = parse(f"overrides:\n- {entry}\n- fqcn: A\n  securityRelevant: TRUE\n")
    assert [(one.fqcn, one.security_relevant) for one in found.entries] == [("A", True)]
    (problem,) = found.problems
    assert word in problem.message
    assert problem.message.endswith("; the entry is left out.")
    assert problem.line in {2, 3}


def test_a_method_without_a_name_is_no_class_entry() -> None:
    found = resolve(parse("overrides:\n- {fqcn: A, method: '', securityRelevant: true}\n"))
    assert found.classes == {}
    assert found.label("A", "m") is None


def test_forty_thousand_entries_are_read_with_a_warning_for_java() -> None:
    text = "overrides:\n" + "".join(
        f"- fqcn: com.acme.pkg{i:05}.Class{i:05}Test\n  method: method{i}\n"
        f"  securityRelevant: false\n  reason: {'x' * 40}\n"
        for i in range(40_000)
    )
    found = parse(text)
    assert len(found.entries) == 40_000
    assert "Java" in found.problems[0].message


HIDING = """
overrides:
- {fqcn: A, securityRelevant: true, tags: [auth], displayName: d, reason: r}
- {fqcn: A, method: m, note: only a note}
"""
RECORD = ScanRecord(
    "A", "m", ai_security_relevant=True, ai_tags=("crypto",), ai_confidence=0.7, ai_reason="ai"
)


def test_a_note_hides_the_class_entry_on_apply_but_not_as_a_label() -> None:
    found = parse(HIDING)
    label = resolve(found).label("A", "m")
    assert label is not None
    assert label.tags == {"auth"}
    assert resolve(found).problems[0].severity == "note"
    applied = apply(RECORD, effective(found).entry("A", "m"))
    assert (applied.ai_tags, applied.ai_reason, applied.ai_confidence) == (("crypto",), "ai", 1.0)


def test_false_without_tags_means_no_tag_as_a_label_and_keeps_the_ais_tags_on_apply() -> None:
    found = parse("overrides: [{fqcn: A, method: m, securityRelevant: false}]")
    label = resolve(found).label("A", "m")
    assert label is not None
    assert label.tags == frozenset()
    applied = apply(RECORD, effective(found).entry("A", "m"))
    assert (applied.ai_security_relevant, applied.ai_tags) == (False, ("crypto",))
    assert applied.ai_confidence == 0.0


def test_values_of_an_entry_replace_the_ais_and_absent_ones_keep_them() -> None:
    entry = parse("overrides: [{fqcn: A, tags: [], displayName: '', reason: why}]").entries[0]
    applied = apply(RECORD, entry)
    assert (applied.ai_tags, applied.ai_display_name, applied.ai_reason) == ((), "", "why")
    assert apply(RECORD, None) is RECORD
    alone = apply(ScanRecord("A", "m"), entry)
    assert (alone.ai_security_relevant, alone.ai_confidence) == (False, 0.0)


def test_real_override_files_are_read_whole(conformance: Path) -> None:
    for path in (conformance / "systems/methodatlas").glob("*/*.yaml"):
        found = overrides.read(path)
        blank = path.name.startswith("blankFqcn")
        assert found.entries
        assert len(found.problems) == blank, path.name
