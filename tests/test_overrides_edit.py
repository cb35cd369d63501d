from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.errors import InputError
from labkit.model import Basis
from labkit.overrides.change import Change
from labkit.overrides.edit import apply_changes, size_warning
from labkit.overrides.notes import Draw, Provenance, attach
from labkit.overrides.parse import parse

CASES = Path(__file__).parent / "conformance" / "cases"
INES = Provenance(date(2026, 11, 29), "ines", Basis.BLIND, Draw("all", 80, 1500, 7))
TARGETED = Provenance(date(2026, 11, 29), "ines", Basis.BLIND)


def both(
    fqcn: str, method: str, tags: str, note: Provenance | None = None, *, relevant: bool = True
) -> Change:
    """A change of relevance and tags."""
    return Change(fqcn, method, security_relevant=relevant, tags=tuple(tags.split()), note=note)


def load(text: str) -> list[dict[str, object]]:
    """An outside reader, with every scalar as text."""
    root = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506  # builds text only
    found: list[dict[str, object]] = root["overrides"]
    return found


def lines_changed(old: str, new: str) -> int:
    before, after = old.splitlines(), new.splitlines()
    assert len(before) == len(after)
    return sum(a != b for a, b in zip(before, after, strict=True))


# --- random files -----------------------------------------------------------------------------

WORDS = st.sampled_from(
    [
        "login",
        "no",
        "1e3",
        "über prüfung",
        "a: b",
        "x # y",
        "it's",
        'say "hi"',
        "<init>",
        "=",
        "[x]",
    ]
)
TAGS = st.lists(
    st.sampled_from(["security", "auth", "Crypto ", "no", "access-control"]), unique=True
)


@dataclass(frozen=True)
class Written:
    """One entry as it stands in a random file."""

    fqcn: str
    method: str
    text: str


def quoted(text: str, how: str) -> str:
    if how == "single":
        return "'" + text.replace("'", "''") + "'"
    if how == "plain" and text.replace("-", "").replace(" ", "").isalpha() and text != "no":
        return text
    return json.dumps(text, ensure_ascii=False)


@st.composite
def entries(draw: st.DrawFn, number: int, indent: str) -> Written:
    fqcn, method = f"com.acme.T{number}", f"m{number}"
    how = draw(st.sampled_from(["plain", "single", "double"]))
    pairs: list[tuple[str, str]] = [("fqcn", quoted(fqcn, how)), ("method", quoted(method, how))]
    if draw(st.booleans()):
        pairs.append(
            ("securityRelevant", draw(st.sampled_from(["true", "false", "TRUE", "False"])))
        )
    if draw(st.booleans()):
        tags = draw(TAGS)
        if tags and draw(st.booleans()):
            pad = indent + draw(st.sampled_from(["  ", "    "]))
            pairs.append(("tags", "".join(f"\n{pad}- {quoted(tag, how)}" for tag in tags)))
        else:
            gap = draw(st.sampled_from(["", " "]))
            pairs.append(("tags", f"[{gap}{', '.join(quoted(t, 'double') for t in tags)}{gap}]"))
    if draw(st.booleans()):
        pairs.append(
            ("reason", draw(st.sampled_from([f">-\n{indent}    folded text\n{indent}    here"])))
        )
    if draw(st.booleans()):
        block = f"|\n{indent}    line one\n{indent}      line two"
        pairs.append(("note", draw(WORDS.map(lambda w: quoted(w, how)) | st.just(block))))
    if draw(st.booleans()):
        pairs.append(("ticket", "SEC-42  # unknown key"))
    if draw(st.booleans()):
        pairs = pairs[1:2] + pairs[:1] + pairs[2:]
    lines = [f"{key}:{'' if value.startswith(chr(10)) else ' '}{value}" for key, value in pairs]
    for at, line in enumerate(lines):
        if "\n" not in line and "#" not in line and draw(st.integers(0, 4)) == 0:
            lines[at] = f"{line}  # remark {at}"
    lead = draw(st.sampled_from(["", "\n", f"{indent}# a remark\n", "\n# at the margin\n\n"]))
    text = f"{lead}{indent}- " + f"\n{indent}  ".join(lines) + "\n"
    return Written(fqcn, method, text)


@dataclass(frozen=True)
class File:
    head: str
    written: tuple[Written, ...]
    tail: str
    end: str

    def text(self, first: int = 0, last: int | None = None) -> str:
        middle = "".join(entry.text for entry in self.written[first:last])
        return middle.replace("\n", self.end)

    @property
    def whole(self) -> str:
        return self.head.replace("\n", self.end) + self.text() + self.tail.replace("\n", self.end)


@st.composite
def files(draw: st.DrawFn) -> File:
    indent = draw(st.sampled_from(["", "  ", "    "]))
    size = draw(st.integers(1, 5))
    written = tuple(draw(entries(number, indent)) for number in range(size))
    head = draw(st.sampled_from(["", "# owner: guild\n", "---\n", "\ufeff# saved on Windows\n"]))
    other = draw(st.sampled_from(["", "version: '2'\n"]))
    tail = draw(st.sampled_from(["", "\n# the end\n", "labkit: {sample: random}\n", "\n\n"]))
    if tail.startswith("labkit") and other:
        tail = ""
    return File(head + other + "overrides:\n", written, tail, draw(st.sampled_from(["\n", "\r\n"])))


CHANGES = st.fixed_dictionaries(
    {
        "security_relevant": st.none() | st.booleans(),
        "tags": st.none() | TAGS.map(tuple),
        "reason": st.none() | WORDS,
        "note": st.none() | WORDS | st.sampled_from([INES, TARGETED]),
    }
)


def after(entry: dict[str, object], change: Change) -> dict[str, object]:
    """What the changed entry must say, for the outside reader."""
    new = dict(entry)
    if change.security_relevant is not None:
        new["securityRelevant"] = "true" if change.security_relevant else "false"
    if change.reason is not None:
        new["reason"] = change.reason
    if isinstance(change.note, str):
        new["note"] = change.note
    elif change.note is not None:
        new["note"] = attach(str(entry.get("note", "")), change.note)
    if change.tags is not None:
        new["tags"] = {tag.strip().lower() for tag in change.tags}
    return {key: as_compared(key, value) for key, value in new.items()}


def as_compared(key: str, value: object) -> object:
    if key == "tags" and isinstance(value, list | set):
        return {str(tag).strip().lower() for tag in value}
    text = str(value)
    return text.lower() if key == "securityRelevant" else text.rstrip("\n")


@settings(max_examples=1000, deadline=None)
@given(files(), CHANGES, st.data())
def test_only_the_bytes_of_the_changed_entry_change(
    file: File, values: dict[str, object], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(file.written) - 1))
    target = file.written[at]
    change = Change(target.fqcn, target.method, **values)  # type: ignore[arg-type]
    old = file.whole
    new = apply_changes(old, [change])
    before = file.head.replace("\n", file.end) + file.text(0, at)
    behind = file.text(at + 1) + file.tail.replace("\n", file.end)
    assert new.startswith(before)
    assert new.endswith(behind)
    assert "\n" not in new.replace(file.end, "")
    expected = [{k: as_compared(k, v) for k, v in entry.items()} for entry in load(old)]
    expected[at] = after(load(old)[at], change)
    assert [{k: as_compared(k, v) for k, v in entry.items()} for entry in load(new)] == expected
    assert apply_changes(new, [change]) == new


@settings(max_examples=300, deadline=None)
@given(files(), CHANGES)
def test_an_appended_entry_leaves_every_earlier_byte(file: File, values: dict[str, object]) -> None:
    old = file.whole
    change = Change("com.acme.New", "on", **values)  # type: ignore[arg-type]
    new = apply_changes(old, [change])
    kept = file.head.replace("\n", file.end) + file.text()
    assert new.startswith(kept)
    assert new.endswith(file.tail.replace("\n", file.end))
    assert "\n" not in new.replace(file.end, "")
    *same, added = load(new)
    assert same == load(old)
    assert added["method"] == "on"
    assert {k: as_compared(k, v) for k, v in added.items()} == after(
        {"fqcn": "com.acme.New", "method": "on"}, change
    )


# --- known files ------------------------------------------------------------------------------


def test_one_changed_field_is_one_changed_line() -> None:
    old = (CASES / "y13_comments_and_order.yaml").read_text(encoding="utf-8")
    new = apply_changes(
        old, [Change("com.acme.crypto.AesGcmTest", "roundTrip", security_relevant=False)]
    )
    assert new == (CASES / "y13_comments_and_order.expected.yaml").read_text(encoding="utf-8")
    assert lines_changed(old, new) == 1


def test_every_hostile_name_is_read_back_by_either_version() -> None:
    names = json.loads((CASES / "y11_hostile_names.json").read_text(encoding="utf-8"))
    changes = [Change("com.acme.A", name, security_relevant=True, reason=name) for name in names]
    for start in (
        "",
        "overrides: [{fqcn: a, method: b}]\n",
        "overrides:\n- {fqcn: a, method: b}\n",
    ):
        new = apply_changes(start, changes)
        entries = yaml.safe_load(new)["overrides"][1 if start else 0 :]
        assert [entry["method"] for entry in entries] == names
        assert [entry["reason"] for entry in entries] == names


def test_words_that_a_reader_takes_for_booleans_or_numbers_are_quoted() -> None:
    words = [
        "no",
        "Yes",
        "ON",
        "off",
        "y",
        "N",
        "~",
        "null",
        "1E6",
        "0o17",
        "12:30:45",
        "=",
        ".inf",
    ]
    new = apply_changes("", [Change("A", word, security_relevant=False) for word in words])
    for word in words:
        assert f'method: "{word}"\n' in new


@pytest.mark.parametrize(
    "start", ["", "# nothing yet\n", "# nothing yet", "overrides:\n", "overrides: []  # none\n",
              "overrides: ~\n", "# c\noverrides:   # soon\n# end\n", "foo: 1\n", "foo: 1", "{}\n",
              "{overrides: []}", "{overrides: , a: 1}", '{"a": 1}', "---\n", "\ufeff",
              "a:\n  b: |\n    x\n"],
)  # fmt: skip
def test_the_first_entry_goes_into_any_empty_file_and_keeps_what_was_there(start: str) -> None:
    new = apply_changes(start, [Change("com.acme.A", "m", security_relevant=True, tags=("auth",))])
    root = yaml.safe_load(new.removeprefix("\ufeff"))
    assert root.pop("overrides") == [
        {"fqcn": "com.acme.A", "method": "m", "securityRelevant": True, "tags": ["auth"]}
    ]
    assert root == {
        key: value
        for key, value in (yaml.safe_load(start.removeprefix("\ufeff")) or {}).items()
        if key != "overrides"
    }
    assert new.startswith("\ufeff") == start.startswith("\ufeff")
    for comment in ("# nothing yet", "# none", "# soon", "# end"):
        assert (comment in new) == (comment in start)


def test_a_windows_file_keeps_its_mark_and_its_line_ends() -> None:
    old = (CASES / "y08_bom_crlf.yaml").read_bytes().decode("utf-8")
    new = apply_changes(
        old,
        [
            Change("com.acme.A", "m", security_relevant=False, note=INES),
            Change("com.acme.B", "n", security_relevant=True),
        ],
    )
    assert new.startswith("\ufeff# reviewed by QA\r\n")
    assert "\n" not in new.replace("\r\n", "")
    assert "\r" not in str(load(new.removeprefix("\ufeff")))


GUI = """overrides:
- fqcn: "com.acme.crypto.AesGcmTest"
  method: "roundTrip"
  securityRelevant: true
  tags:
  - "security"
  - "crypto"
  note: "Reviewed 2026-05-01T14:30:00 by Jane Smith"
"""


def test_a_new_entry_looks_like_the_file() -> None:
    new = apply_changes(GUI, [both("com.acme.B", "m", "security auth", TARGETED)])
    assert new == GUI + (
        '- fqcn: "com.acme.B"\n'
        '  method: "m"\n'
        "  securityRelevant: true\n"
        "  tags:\n"
        '  - "security"\n'
        '  - "auth"\n'
        '  note: "Reviewed 2026-11-29 by ines (labkit: blind; targeted)"\n'
    )
    flow = "overrides:\n    - { fqcn: A, method: a, tags: [ x ] }\n"
    assert apply_changes(flow, [both("B", "b", "x z", relevant=False)]) == flow + (
        "    - { fqcn: B, method: b, securityRelevant: false, tags: [ x, z ] }\n"
    )
    spaced = "overrides:\n- fqcn: A\n  method: 'a'\n\n- fqcn: B\n  method: 'no'\n"
    assert apply_changes(spaced, [Change("C", "on")]) == spaced + ("\n- fqcn: C\n  method: 'on'\n")


def test_tags_come_and_go_one_by_one() -> None:
    new = apply_changes(
        GUI, [Change("com.acme.crypto.AesGcmTest", "roundTrip", tags=("crypto", "x"))]
    )
    assert new == GUI.replace('  - "security"\n', "").replace(
        '  - "crypto"\n', '  - "crypto"\n  - "x"\n'
    )
    none = apply_changes(GUI, [both("com.acme.crypto.AesGcmTest", "roundTrip", "", relevant=False)])
    assert '  securityRelevant: false\n  tags: []\n  note: "Rev' in none
    spelled = "overrides:\n- {fqcn: A, method: m, tags: [ ' AUTH ', Security ]}\n"
    assert apply_changes(spelled, [Change("A", "m", tags=("security", "auth"))]) == spelled
    assert "[ ' AUTH ', x ]" in apply_changes(spelled, [Change("A", "m", tags=("auth", "x"))])


def test_a_note_people_wrote_stays_and_an_older_clause_is_replaced() -> None:
    key = ("com.acme.crypto.AesGcmTest", "roundTrip")
    once = apply_changes(GUI, [Change(*key, note=TARGETED)])
    assert 'by Jane Smith; Reviewed 2026-11-29 by ines (labkit: blind; targeted)"' in once
    assert apply_changes(once, [Change(*key, note=INES)]) == once.replace(
        "blind; targeted", "blind; all 80 of 1500; seed 7"
    )


def test_a_clause_behind_a_folded_or_literal_note_changes_its_last_line_only() -> None:
    old = "overrides:\n- fqcn: A\n  method: m\n  note: |\n    one\n      two\n\n- fqcn: B\n"
    new = apply_changes(old, [Change("A", "m", note=TARGETED)])
    assert new == old.replace(
        "      two\n", "      two; Reviewed 2026-11-29 by ines (labkit: blind; targeted)\n"
    )


def test_a_method_under_a_class_entry_copies_what_a_whole_entry_would_hide() -> None:
    old = (
        "overrides:\n  - fqcn: A\n    securityRelevant: false\n    tags: []\n"
        "    displayName: none\n    reason: text only\n    note: mine\n"
    )
    new = apply_changes(old, [both("A", "m", "auth")])
    assert new == old + (
        "  - fqcn: A\n    method: m\n    securityRelevant: true\n    tags: [auth]\n"
        "    displayName: none\n    reason: text only\n"
    )
    own = apply_changes(old, [Change("A", "m", security_relevant=True, reason="mine")])
    assert own.endswith("    displayName: none\n    reason: mine\n")


def test_of_two_entries_for_one_method_the_last_is_changed() -> None:
    old = "overrides:\n- {fqcn: A, method: m, securityRelevant: true}\n- {fqcn: A, method: m}\n"
    assert apply_changes(old, [Change("A", "m", security_relevant=False)]) == old.replace(
        "{fqcn: A, method: m}", "{fqcn: A, method: m, securityRelevant: false}"
    )


def test_what_an_alias_reaches_is_left_alone_and_a_new_entry_takes_its_place() -> None:
    old = (
        "overrides:\n- fqcn: A\n  method: m\n  tags: &t [auth]\n  reason: why\n"
        "- fqcn: B\n  method: m\n  tags: *t\n"
    )
    new = apply_changes(old, [Change("A", "m", tags=("crypto",)), Change("B", "m", tags=())])
    assert new.startswith(old)
    assert [(entry["fqcn"], entry["tags"]) for entry in load(new)] == [
        ("A", ["auth"]), ("B", ["auth"]), ("A", ["crypto"]), ("B", []),
    ]  # fmt: skip
    assert load(new)[2]["reason"] == "why"


def test_merged_defaults_stay_and_the_entry_says_its_own() -> None:
    old = (CASES / "y06_merge_keys.yaml").read_text(encoding="utf-8")
    new = apply_changes(
        old, [Change("com.acme.crypto.KeyWrapTest", "wrap", security_relevant=False, tags=())]
    )
    found = {entry["method"]: entry for entry in yaml.safe_load(new)["overrides"]}
    assert found["wrap"]["securityRelevant"] is False
    assert found["wrap"]["tags"] == []
    assert found["display"]["securityRelevant"] is False


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- fqcn: A\n", "overrides.yaml:1: the file must start with 'overrides:'"),
        ("overrides: 3\n", "overrides.yaml:1: 'overrides' must be a list"),
        ("overrides:\n- fqcn: A\n  fqcn: B\n", "overrides.yaml:3: duplicate key 'fqcn'"),
        ("overrides:\n\t- fqcn: A\n", "overrides.yaml:2: a tab in the indentation"),
        ("overrides: &o []\n---\nx: 1\n", "overrides.yaml:2: a second document"),
    ],
)
def test_a_file_that_cannot_be_trusted_is_not_changed(text: str, message: str) -> None:
    with pytest.raises(InputError, match="^" + message.replace(".", r"\.")):
        apply_changes(text, [Change("A", "m", security_relevant=True)])


def test_nothing_to_change_changes_nothing() -> None:
    assert apply_changes(GUI, []) == GUI
    assert apply_changes("not: [yaml", []) == "not: [yaml"
    same = both("com.acme.crypto.AesGcmTest", "roundTrip", "crypto security")
    assert apply_changes(GUI, [same]) == GUI


def test_ten_thousand_entries_are_changed_within_two_seconds() -> None:
    one = (
        "  # remark {0}\n  - fqcn: com.acme.pkg{0}.Class{0}Test\n    method: method{0}\n"
        "    securityRelevant: true\n    tags: [security, crypto]\n    note: 'see {0}'\n"
    )
    old = "overrides:\n" + "".join(one.format(at) for at in range(10_000))
    changes = [
        Change(
            f"com.acme.pkg{at}.Class{at}Test",
            f"method{at}",
            security_relevant=at % 3 == 0,
            note=INES,
        )
        for at in range(0, 10_000, 2)
    ]
    took = []
    for _ in range(3):  # a busy machine slows the processor down too
        started = time.process_time()
        new = apply_changes(old, changes)
        took.append(time.process_time() - started)
        if took[-1] < 2:
            break
    assert min(took) < 2
    assert new.count("labkit: blind") == 5_000
    assert size_warning(new) is None


def test_a_file_that_java_would_refuse_is_named() -> None:
    assert size_warning("x" * 3_145_728) is None
    warning = size_warning("x" * 3_145_729)
    assert warning is not None
    assert "3,145,728" in warning


def test_real_files_lose_no_comment_and_no_other_entry(conformance: Path) -> None:
    files = [
        *(conformance / "systems" / "methodatlas").rglob("*.yaml"),
        *(conformance / "real" / "methodatlas_self").glob("*.yaml"),
    ]
    assert len(files) > 10
    for file in files:
        old = file.read_text(encoding="utf-8")
        before = parse(old, str(file)).entries
        for at in {0, len(before) // 2, len(before) - 1} & set(range(len(before))):
            entry = before[at]
            wanted = entry.security_relevant is not True
            change = Change(entry.fqcn, entry.method, security_relevant=wanted, note=TARGETED)
            new = apply_changes(old, [change, Change("new.Class", "yes", tags=("auth",))])
            after = parse(new, str(file)).entries
            pairs = zip(before, after, strict=False)
            changed = [
                a
                for a, b in pairs
                if (a.security_relevant, a.note) != (b.security_relevant, b.note)
            ]
            assert [one.key for one in changed] == [entry.key]
            assert (after[-1].fqcn, after[-1].method) == ("new.Class", "yes")
            assert len(after) == len(before) + 1
            kept = set(new.splitlines())
            gone = [line for line in old.splitlines() if line not in kept]
            assert len(gone) <= 3, (file, gone)
