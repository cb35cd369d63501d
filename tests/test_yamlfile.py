from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit import yamlfile
from labkit.errors import InputError
from labkit.yamlfile import Mapping, Scalar, Sequence, parse

CASES = Path(__file__).parent / "conformance" / "cases"


def root(text: str) -> Mapping:
    found = parse(text).root
    assert isinstance(found, Mapping)
    return found


@pytest.mark.parametrize(
    "text", ["no", "on", "Y", "1e3", "007", "2026-04-24", "12:30", "1_000", "0x1F", "=", "~x"]
)
def test_a_scalar_is_the_text_that_was_written(text: str) -> None:
    value = root(f"method: {text}\n").value("method")
    assert isinstance(value, Scalar)
    assert value.text == text


@pytest.mark.parametrize(
    ("text", "boolean", "null"),
    [
        ("true", True, False),
        ("FALSE", False, False),
        ("'true'", None, False),
        ("yes", None, False),
        ("1", None, False),
        ("~", None, True),
        ("Null", None, True),
        ("", None, True),
        ('""', None, False),
    ],
)
def test_only_plain_true_false_and_null_have_a_meaning(
    text: str, *, boolean: bool | None, null: bool
) -> None:
    value = root(f"a: {text}\n").value("a")
    assert isinstance(value, Scalar)
    assert (value.boolean, value.is_null) == (boolean, null)


def test_a_place_is_the_slice_of_the_text_whatever_its_line_ends_and_letters() -> None:
    text = "# é \U0001f600\r\noverrides:\r\n- fqcn: com.é.A\r\n  tags: ['a b', c]\r\n"
    entries = root(text).value("overrides")
    assert isinstance(entries, Sequence)
    entry = entries.items[0]
    assert isinstance(entry, Mapping)
    values = {key.text: text[node.place.start : node.place.end] for key, node in entry.pairs}
    assert values == {"fqcn": "com.é.A", "tags": "['a b', c]"}
    assert [(key.place.line, key.place.column) for key, _ in entry.pairs] == [(3, 3), (4, 3)]


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "duplicate key 'a', first on line 1"),
        ("- x: {k: 1, 'k': 2}\n", 1, "duplicate"),
        ("a:\n\tb: 1\n", 2, "tab"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("a: !!python/object/apply:os.getcwd []\n", 1, "tag '!!python/object"),
        ("a: !x y\n", 1, "tag"),
        (BOMB, 5, "aliases repeat"),
        ("a: *b\n", 1, "no anchor"),
        ("a: &a [*a]\n", 1, "no anchor"),
        ("[" * 100 + "]" * 100, 1, "levels deep"),
        ("[" * 5000, 1, "nesting"),
        ("? [a]\n: b\n", 1, "key must be text"),
        ("a: [\n", 2, "not YAML"),
        ('a: "x\n', 2, "not YAML"),
        ("a: \x07\n", 1, "U+0007"),
    ],
)
def test_what_cannot_be_trusted_is_refused_with_its_line(text: str, line: int, word: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "f.yaml")
    assert str(caught.value).startswith(f"f.yaml:{line}:")
    assert word in str(caught.value)


@pytest.mark.parametrize("text", ["", "# only\n", "---\n", "~\n", "--- # x\n...\n"])
def test_a_file_without_content_has_no_root(text: str) -> None:
    assert parse(text).root is None


def test_merges_fill_in_what_the_mapping_does_not_say() -> None:
    found = root("d: &d {a: 1, b: 2}\ne: {<<: [*d, {c: 3}], b: 5}\n").value("e")
    assert isinstance(found, Mapping)
    assert {k: v.text for k, v in found.merged.items() if isinstance(v, Scalar)} == {
        "a": "1",
        "b": "5",
        "c": "3",
    }


def test_the_case_with_a_byte_order_mark_and_crlf_reads_like_the_plain_file() -> None:
    found = yamlfile.read(CASES / "y08_bom_crlf.yaml")
    assert isinstance(found.root, Mapping)
    assert "\ufeff" not in found.text


def refusal(text: str) -> str:
    try:
        parse(text, "f.yaml")
    except InputError as error:
        return str(error)
    return "f.yaml: read."


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@\n\t ?,0~<é\u2028\x85", max_size=60))
def test_any_text_is_read_or_refused_in_one_sentence(text: str) -> None:
    assert refusal(text).startswith("f.yaml")
    assert refusal(text).endswith(".")
