"""Override files changed in place: only the bytes of what changed change, proven before return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit import yamlfile
from labkit.errors import InputError
from labkit.overrides.append import appended
from labkit.overrides.look import Look, learn
from labkit.overrides.notes import Provenance, attach
from labkit.overrides.parse import JAVA_LIMIT, KEYS
from labkit.overrides.splice import shared, splice
from labkit.overrides.tags import tags_after
from labkit.overrides.values import add_key, set_value
from labkit.yamlfile import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Sequence as Several

    from labkit.overrides.change import Change, Value
    from labkit.overrides.splice import Splice

_BOM = "\ufeff"


def apply_changes(text: str, changes: Several[Change], source: str = "overrides.yaml") -> str:
    r"""Change entries where they stand, and append the ones that are not there.

    Comments, order, quotes, unknown keys, line ends and a byte order mark stay as they are, byte
    for byte. A method's entry that is added where only its class has one starts as a copy of the
    class entry's ``displayName`` and ``reason``, because MethodAtlas replaces whole entries. From
    ``""`` a new file is made. Before it is returned the new text is read again and compared with
    what it must say.

    Args:
        text: The file as it is.
        changes: What is to be changed; of two changes of one value the later one holds.
        source: The name of the file, for messages.

    Raises:
        InputError: The text is no override file, or cannot be changed without touching more than
            was asked for.

    >>> from labkit.overrides.change import Change
    >>> print(apply_changes("", [Change("com.acme.A", "login", tags=("auth",))]), end="")
    overrides:
      - fqcn: com.acme.A
        method: login
        tags: [auth]
    """
    mark = _BOM if text.startswith(_BOM) else ""
    text = text.removeprefix(_BOM)
    if not changes:
        return mark + text
    file = yamlfile.parse(text, source)
    entries = entry_list(file)
    look = learn(text, entries)
    plan = _Plan(text, entries, look)
    for change in changes:
        plan.add(change)
    new = splice(text, (*plan.splices(), *appended(file, entries, plan.new, look)))
    _prove(text, new, plan, entries, source)
    return mark + new


def entry_list(file: yamlfile.YamlFile) -> Sequence | None:
    """The list under ``overrides``; ``None`` where it is empty or not there.

    Raises:
        InputError: The root is not a mapping, or ``overrides`` is not a list.
    """
    if file.root is None:
        return None
    if not isinstance(file.root, Mapping):
        raise InputError.at(
            file.source, file.root.place.line, "the file must start with 'overrides:', then a list."
        )
    found = file.root.value("overrides")
    if found is None or (isinstance(found, Scalar) and found.is_null):
        return None
    if not isinstance(found, Sequence):
        raise InputError.at(file.source, found.place.line, "'overrides' must be a list of entries.")
    return found


def size_warning(text: str) -> str | None:
    """A sentence where a Java reader would refuse the file for its size."""
    if len(text) <= JAVA_LIMIT:
        return None
    size = f"{len(text):,} characters"
    return f"the file has {size}; MethodAtlas reads at most {JAVA_LIMIT:,}: split it."


def _key(node: Node) -> tuple[str, str | None] | None:
    """What an entry is found by: its class and method, as text; ``None`` without a class."""
    if not isinstance(node, Mapping):
        return None
    own = node.merged if node.merges else {key.text: value for key, value in node.pairs}
    fqcn, method = own.get("fqcn"), own.get("method")
    if not isinstance(fqcn, Scalar) or fqcn.is_null:
        return None
    if not isinstance(method, Scalar) or method.is_null:
        return fqcn.text, None
    return fqcn.text, method.text


class _Plan:
    """What happens to each entry, collected change by change."""

    def __init__(self, text: str, entries: Sequence | None, look: Look) -> None:
        self.text, self.look = text, look
        self.items: tuple[Node, ...] = entries.items if entries else ()
        self.index = {_key(node): at for at, node in enumerate(self.items)}
        self.edits: dict[int, dict[str, Value]] = {}
        self.added: dict[tuple[str, str | None], dict[str, Value]] = {}

    def add(self, change: Change) -> None:
        """Note one change; an entry that an alias may reach is not touched but replaced."""
        at = self.index.get(change.key)
        node = None if at is None else self.items[at]
        if isinstance(node, Mapping) and at is not None and not shared(self.text, node):
            before = self.edits.setdefault(at, {})
            before.update(_wanted(change, _text(node, "note", before)))
            return
        if change.key not in self.added:
            start: dict[str, Value] = {"fqcn": change.fqcn}
            if change.method is not None:
                start["method"] = change.method
            self.added[change.key] = start | self.inherited(change, node)
        values = self.added[change.key]
        values.update(_wanted(change, _text(None, "note", values)))

    def inherited(self, change: Change, node: Node | None) -> dict[str, Value]:
        """What the entry that it takes the place of says beside the label."""
        keys = ["displayName", "reason", "note"]
        if node is None:
            at = self.index.get((change.fqcn, None)) if change.method is not None else None
            node = None if at is None else self.items[at]
            keys.remove("note")
        if not isinstance(node, Mapping):
            return {}
        found = {key: node.merged.get(key) for key in keys}
        return {
            key: value.text
            for key, value in found.items()
            if isinstance(value, Scalar) and not value.is_null
        }

    @property
    def new(self) -> list[dict[str, Value]]:
        """The entries to append, keys in the order of the schema."""
        return [_ordered(values) for values in self.added.values()]

    def splices(self) -> list[Splice]:
        """The pieces of text that change inside the entries that are there."""
        found: list[Splice] = []
        for at, values in self.edits.items():
            node = self.items[at]
            assert isinstance(node, Mapping)  # noqa: S101  # only mappings get edits
            for name, value in _ordered(values).items():
                old = node.value(name)
                found += (
                    add_key(self.text, node, name, value, self.look)
                    if old is None
                    else set_value(self.text, node, name, value, self.look)
                )
        return found

    def expected(self, before: list[object]) -> list[object]:
        """The whole list as data after the changes, from what it was before them."""
        data = list(before)
        for at, values in self.edits.items():
            node, entry = self.items[at], before[at]
            assert isinstance(node, Mapping)  # noqa: S101  # only mappings get edits
            assert isinstance(entry, dict)  # noqa: S101  # the data of a mapping
            data[at] = entry | {
                name: tags_after(node.value(name), value) if isinstance(value, tuple) else value
                for name, value in values.items()
            }
        return data + [
            {key: list(value) if isinstance(value, tuple) else value for key, value in new.items()}
            for new in self.new
        ]


def _ordered(values: dict[str, Value]) -> dict[str, Value]:
    return {key: values[key] for key in KEYS if key in values}


def _text(node: Mapping | None, key: str, values: dict[str, Value]) -> str:
    if key in values:
        return str(values[key])
    found = node.merged.get(key) if node else None
    return found.text if isinstance(found, Scalar) and not found.is_null else ""


def _wanted(change: Change, note: str) -> dict[str, Value]:
    named: dict[str, Value | Provenance | None] = {
        "securityRelevant": change.security_relevant,
        "tags": change.tags,
        "displayName": change.display_name,
        "reason": change.reason,
        "note": change.note,
    }
    if isinstance(change.note, Provenance):
        named["note"] = attach(note, change.note)
    return {
        key: value
        for key, value in named.items()
        if value is not None and not isinstance(value, Provenance)
    }


def _prove(text: str, new: str, plan: _Plan, entries: Sequence | None, source: str) -> None:
    """Read the new text again; it says what was wanted, and nothing else changed."""
    before = yamlfile.data(text) or {}
    assert isinstance(before, dict)  # noqa: S101  # entry_list has looked
    expected = before | {"overrides": plan.expected(before.get("overrides") or [])}
    try:
        found = yamlfile.data(new)
    except InputError:
        found = None
    if found != expected:
        raise InputError.at(
            source,
            entries.place.line if entries else None,
            "this file cannot be changed without touching more than asked for; "
            "write aliases and unusual layout out in plain YAML, or export to a new file.",
        )
