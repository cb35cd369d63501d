"""An override file as entries with their places; one bad entry is a problem, not the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit import yamlfile
from labkit.errors import InputError
from labkit.formats.tables import listed
from labkit.parsed import Problem
from labkit.yamlfile import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.yamlfile import YamlFile

KEYS = ("fqcn", "method", "securityRelevant", "tags", "displayName", "reason", "note")
"""Every key that MethodAtlas reads in an entry, in its order."""
JAVA_LIMIT = 3 * 1024 * 1024
"""Code points beyond which Java readers of YAML refuse a file by default."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it stands in the file; ``None`` is a key that is absent or null."""

    fqcn: str
    method: str | None = None
    """``None`` is the class itself; the empty text is a method without a name."""
    security_relevant: bool | None = None
    tags: tuple[str, ...] | None = None
    """As written; the empty tuple says that no tag applies."""
    display_name: str | None = None
    reason: str | None = None
    note: str | None = None
    line: int = 0
    node: Mapping | None = None
    """Where the entry stands in the text, for those who edit the file."""

    @property
    def key(self) -> str:
        """``fqcn#method``, or ``fqcn`` for the class."""
        return self.fqcn if self.method is None else f"{self.fqcn}#{self.method}"

    @property
    def is_label(self) -> bool:
        """Whether the entry decides anything: relevance, tags or both."""
        return self.security_relevant is not None or self.tags is not None


@dataclass(frozen=True, slots=True)
class Overrides:
    """An override file: every entry that could be read, in file order."""

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...] = ()
    file: YamlFile | None = None
    source: str = "<text>"


class _BadEntryError(ValueError):
    """Why one entry is left out, and on which line."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        super().__init__(message)


def _text(keys: dict[str, Node], name: str) -> str | None:
    node = keys.get(name)
    if node is None or (isinstance(node, Scalar) and node.is_null):
        return None
    if not isinstance(node, Scalar):
        raise _BadEntryError(node.place.line, f"{name} is not text")
    return node.text


def _relevance(keys: dict[str, Node]) -> bool | None:
    node = keys.get("securityRelevant")
    if node is None or (isinstance(node, Scalar) and node.is_null):
        return None
    value = node.boolean if isinstance(node, Scalar) else None
    if value is None:
        shown = f" but {node.text!r}" if isinstance(node, Scalar) else ""
        raise _BadEntryError(node.place.line, f"securityRelevant is not true or false{shown}")
    return value


def _tags(keys: dict[str, Node]) -> tuple[str, ...] | None:
    node = keys.get("tags")
    if node is None or (isinstance(node, Scalar) and node.is_null):
        return None
    if not isinstance(node, Sequence):
        raise _BadEntryError(node.place.line, "tags is not a list of text")
    found = []
    for item in node.items:
        if not isinstance(item, Scalar) or item.is_null:
            raise _BadEntryError(
                item.place.line, "tags is not a list of text: one is null or nested"
            )
        found.append(item.text)
    return tuple(found)


def _entry(node: Node) -> Entry:
    line = node.place.line
    if not isinstance(node, Mapping):
        raise _BadEntryError(line, "not a mapping with an fqcn")
    keys = node.merged
    fqcn = _text(keys, "fqcn")
    if fqcn is None or not fqcn.strip():
        raise _BadEntryError(line, "no fqcn")
    return Entry(
        fqcn=fqcn,
        method=_text(keys, "method"),
        security_relevant=_relevance(keys),
        tags=_tags(keys),
        display_name=_text(keys, "displayName"),
        reason=_text(keys, "reason"),
        note=_text(keys, "note"),
        line=line,
        node=node,
    )


def _items(file: YamlFile) -> tuple[Node, ...]:
    """The nodes of the entries.

    Raises:
        InputError: The root is no mapping, or ``overrides`` is no list.
    """
    root = file.root
    if root is None:
        return ()
    if not isinstance(root, Mapping):
        raise InputError.at(
            file.source, root.place.line, "the top level must be a mapping with 'overrides:'."
        )
    node = root.merged.get("overrides")
    if node is None or (isinstance(node, Scalar) and node.is_null):
        return ()
    if not isinstance(node, Sequence):
        raise InputError.at(file.source, node.place.line, "'overrides' must be a list of entries.")
    return node.items


def _uses_aliases(node: Node) -> bool:
    if node.alias:
        return True
    if isinstance(node, Mapping):
        return node.merges or any(_uses_aliases(value) for _, value in node.pairs)
    return isinstance(node, Sequence) and any(_uses_aliases(item) for item in node.items)


def _doubts(file: YamlFile, nodes: tuple[Node, ...]) -> list[Problem]:
    """What labkit reads and MethodAtlas may not, or what looks like another kind of file."""
    found = []
    root = file.root
    if isinstance(root, Mapping) and "overrides" not in root.merged:
        keys = listed(key.text for key, _ in root.pairs)
        message = f"no key 'overrides', so no labels; found {keys}."
        found.append(Problem(file.source, root.place.line, message, "warning"))
    written = "*" in file.text or "<<" in file.text  # without either there is nothing to look for
    shared = next((node for node in nodes if _uses_aliases(node)), None) if written else None
    if shared is not None:
        message = (
            "aliases and merge keys are read here, but MethodAtlas refuses them; write them out."
        )
        found.append(Problem(file.source, shared.place.line, message, "warning"))
    if len(file.text) > JAVA_LIMIT:
        message = f"over {JAVA_LIMIT} characters: Java readers refuse such a file by default."
        found.append(Problem(file.source, None, message, "warning"))
    return found


def from_file(file: YamlFile) -> Overrides:
    """The entries of a YAML file; see ``parse``."""
    nodes = _items(file)
    problems = _doubts(file, nodes)
    entries = []
    for node in nodes:
        try:
            entries.append(_entry(node))
        except _BadEntryError as error:
            message = f"{error}; the entry is left out."
            problems.append(Problem(file.source, error.line, message))
    return Overrides(tuple(entries), tuple(problems), file, file.source)


def parse(text: str, source: str = "<text>") -> Overrides:
    r"""Read overrides from YAML text.

    Names, tags and texts are taken as they are written: ``method: no`` is the method ``no``. An
    entry without an ``fqcn``, or with a value of the wrong kind, is left out as a ``Problem``.

    Raises:
        InputError: The file as a whole cannot be trusted (``labkit.yamlfile.parse``), or its root
            or ``overrides`` is of the wrong type.

    >>> found = parse("overrides:\n- {fqcn: A, method: no, tags: []}\n- {method: x}\n")
    >>> [(entry.key, entry.tags) for entry in found.entries]
    [('A#no', ())]
    >>> print(found.problems[0])
    <text>:3: no fqcn; the entry is left out.
    """
    return from_file(yamlfile.parse(text, source))


def read(path: Path) -> Overrides:
    """Read an override file; see ``parse``.

    Raises:
        InputError: The file cannot be read or trusted.
    """
    return from_file(yamlfile.read(path))
