"""YAML as text with places: scalars stay as they were written, and nothing is built or run.

With ``yamltyped`` the only module that imports PyYAML. It reads events, never objects, so a tag
cannot run code and an alias cannot grow; every node knows where it stands in the text.
"""

from __future__ import annotations

import gc
import re
from bisect import bisect_right
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import yaml

from labkit.errors import InputError
from labkit.textfile import LINE_END, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

Style = Literal["plain", "single", "double", "literal", "folded", "flow", "block"]

MAX_DEPTH = 64
MAX_ALIASED = 10_000
_STYLES: dict[str, Style] = {
    "'": "single",
    '"': "double",
    "|": "literal",
    ">": "folded",
}
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NULLS = {"", "~", "null"}
_BOOLEANS = {"true": True, "false": False}
# C where it is there: ten times faster, the same events
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Place(NamedTuple):
    """Where a node stands: ``text[start:end]``; line and column count from 1."""

    start: int
    end: int
    """A block collection ends where the next token starts, after blank lines and comments."""
    line: int
    column: int


class Scalar(NamedTuple):
    """A piece of text, unresolved: ``no``, ``1e3`` and ``2026-04-24`` are what they look like."""

    place: Place
    text: str
    style: Style = "plain"
    alias: bool = False
    """True where the text has ``*name`` in this place."""

    @property
    def is_null(self) -> bool:
        """True for a plain ``null`` in any case, ``~`` or nothing at all."""
        return self.style == "plain" and self.text.lower() in _NULLS

    @property
    def boolean(self) -> bool | None:
        """The value of a plain ``true`` or ``false`` in any case; ``None`` for all else."""
        return _BOOLEANS.get(self.text.lower()) if self.style == "plain" else None


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes."""

    place: Place
    items: tuple[Node, ...]
    style: Style = "block"
    alias: bool = False


@dataclass(frozen=True, slots=True)
class Mapping:
    """Pairs in the order of the file; no key stands twice."""

    place: Place
    pairs: tuple[tuple[Scalar, Node], ...]
    style: Style = "block"
    alias: bool = False

    def value(self, key: str) -> Node | None:
        """The node under a key of this mapping itself, without merges."""
        return next((node for name, node in self.pairs if name.text == key), None)

    @property
    def merged(self) -> dict[str, Node]:
        """Nodes by key, ``<<`` merges applied: what the mapping says itself wins."""
        if not self.merges:
            return {name.text: node for name, node in self.pairs}
        found: dict[str, Node] = {}
        for name, node in self.pairs:
            if _is_merge(name):
                parts = node.items if isinstance(node, Sequence) else (node,)
                for part in parts:
                    if isinstance(part, Mapping):
                        found = {**part.merged, **found}
        own = {name.text: node for name, node in self.pairs if not _is_merge(name)}
        return {**found, **own}

    @property
    def merges(self) -> bool:
        """Whether a ``<<`` key stands in this mapping."""
        return any(_is_merge(name) for name, _ in self.pairs)


Node = Scalar | Sequence | Mapping


def _is_merge(key: Scalar) -> bool:
    return key.text == "<<" and key.style == "plain"


@dataclass(frozen=True, slots=True)
class YamlFile:
    """One YAML document and the text it was read from."""

    text: str
    root: Node | None
    """``None`` where the file is empty or holds comments only."""
    source: str = "<text>"


@dataclass(slots=True)
class _Open:
    """A collection whose end was not read yet."""

    event: Any
    mapping: bool
    children: list[Node] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    size: int = 1


class _Composer:
    """Builds nodes from events, without recursion and within limits."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.breaks = [match.end() for match in LINE_END.finditer(text)]
        # where lines end in LF alone, PyYAML counts them as we do
        self.counted = len(self.breaks) == text.count("\n") and "\r" not in text
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.open: list[_Open] = []
        self.root: Node | None = None
        self.documents = 0
        self.nodes = 0
        self.aliased = 0
        self.takes: dict[type, Callable[[Any], None]] = {
            yaml.DocumentStartEvent: self.document,
            yaml.AliasEvent: self.alias,
            yaml.ScalarEvent: self.scalar,
            yaml.SequenceStartEvent: self.begin,
            yaml.MappingStartEvent: self.begin,
            yaml.SequenceEndEvent: self.close,
            yaml.MappingEndEvent: self.close,
        }

    def line(self, mark: Any) -> int:
        return bisect_right(self.breaks, mark.index) + 1

    def place(self, start: Any, end: Any) -> Place:
        at = start.index
        if self.counted:
            return Place(at, end.index, start.line + 1, start.column + 1)
        row = bisect_right(self.breaks, at)
        begin = self.breaks[row - 1] if row else 0
        return Place(at, end.index, row + 1, at - begin + 1)

    def refuse(self, mark: Any, message: str) -> InputError:
        return InputError.at(self.source, self.line(mark), message)

    def feed(self, events: Iterable[Any]) -> None:
        takes = self.takes
        for event in events:
            take = takes.get(type(event))
            if take is not None:
                take(event)

    def document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            raise self.refuse(
                event.start_mark, "a second document ('---'); keep one document a file."
            )

    def scalar(self, event: Any) -> None:
        if event.tag is not None:
            self.untagged(event)
        style = _STYLES.get(event.style, "plain")
        place = self.place(event.start_mark, event.end_mark)
        self.add(Scalar(place, event.value, style), 1, event.anchor)

    def begin(self, event: Any) -> None:
        self.untagged(event)
        if len(self.open) >= MAX_DEPTH:
            raise self.refuse(
                event.start_mark, f"more than {MAX_DEPTH} levels deep; flatten the file."
            )
        self.open.append(_Open(event, isinstance(event, yaml.MappingStartEvent)))

    def untagged(self, event: Any) -> None:
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            raise self.refuse(
                event.start_mark, f"tag {tag!r} is not supported; remove it, values are plain text."
            )

    def alias(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            raise self.refuse(
                event.start_mark, f"alias '*{event.anchor}' has no anchor before it; write it out."
            )
        node, size = self.anchors[event.anchor]
        self.aliased += size
        if self.aliased > max(MAX_ALIASED, 10 * self.nodes):
            raise self.refuse(
                event.start_mark, "aliases repeat too much of the file; write the values out."
            )
        place = self.place(event.start_mark, event.end_mark)
        again = (
            node._replace(place=place, alias=True)
            if isinstance(node, Scalar)
            else replace(node, place=place, alias=True)
        )
        self.add(again, size, None)

    def close(self, event: Any) -> None:
        done = self.open.pop()
        start = done.event
        place = self.place(start.start_mark, event.end_mark)
        style: Style = "flow" if start.flow_style else "block"
        node: Node
        if not done.mapping:
            node = Sequence(place, tuple(done.children), style)
        else:
            keys, values = done.children[0::2], done.children[1::2]
            pairs = [(k, v) for k, v in zip(keys, values, strict=True) if isinstance(k, Scalar)]
            node = Mapping(place, tuple(pairs), style)
        self.add(node, done.size, start.anchor)

    def add(self, node: Node, size: int, anchor: str | None) -> None:
        self.nodes += 1
        if anchor is not None:
            self.anchors[anchor] = (node, size)
        if not self.open:
            self.root = node
            return
        parent = self.open[-1]
        if parent.mapping and len(parent.children) % 2 == 0:
            self.check_key(parent, node)
        parent.children.append(node)
        parent.size += size

    def check_key(self, parent: _Open, key: Node) -> None:
        line = key.place.line
        if not isinstance(key, Scalar):
            raise InputError.at(self.source, line, "a key must be text, not a list or a mapping.")
        first = parent.lines.get(key.text)
        if first is not None and not _is_merge(key):
            raise InputError.at(
                self.source,
                line,
                f"duplicate key {key.text!r}, first on line {first}; keep one of the two.",
            )
        parent.lines[key.text] = line


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the cycle collector from walking a million fresh nodes again and again."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _fault(error: yaml.MarkedYAMLError, text: str, composer: _Composer) -> InputError:
    mark: Any = error.problem_mark or error.context_mark
    if mark is None:
        return InputError.at(composer.source, None, f"not YAML: {error.problem}.")
    line = composer.line(mark)
    lines = LINE_END.split(text)
    written = lines[line - 1] if line <= len(lines) else ""
    indent = written[: len(written) - len(written.lstrip())]
    if "\t" in indent:
        return InputError.at(composer.source, line, "a tab in the indentation; use spaces.")
    why = " ".join(part for part in (error.context, error.problem) if part)
    return InputError.at(composer.source, line, f"not YAML: {why}.", column=mark.column + 1)


def parse(text: str, source: str = "<text>") -> YamlFile:
    r"""Read one YAML document as text with places.

    Raises:
        InputError: Not YAML, tabs as indentation, several documents, a tag, a duplicate key, a
            key that is not text, or aliases or depth beyond the limits.

    >>> found = parse("method: no\nwhen: 2026-04-24\n").root
    >>> [(key.text, value.text) for key, value in found.pairs]
    [('method', 'no'), ('when', '2026-04-24')]
    >>> parse("a: 1\na: 2\n", "f.yaml")
    Traceback (most recent call last):
    labkit.errors.InputError: f.yaml:2: duplicate key 'a', first on line 1; keep one of the two.
    """
    forbidden = _FORBIDDEN.search(text)
    if forbidden:
        line = len(LINE_END.findall(text[: forbidden.start()])) + 1
        code = f"U+{ord(forbidden.group()):04X}"
        raise InputError.at(source, line, f"character {code} is not allowed in YAML; remove it.")
    composer = _Composer(text, source)
    try:
        with _uncollected():
            composer.feed(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        raise _fault(error, text, composer) from error
    except yaml.YAMLError as error:
        raise InputError.at(source, None, f"not YAML: {error}.") from error
    root = composer.root
    if isinstance(root, Scalar) and root.is_null:
        root = None
    return YamlFile(text, root, source)


def read(path: Path) -> YamlFile:
    """Read one YAML file; see ``parse``.

    Raises:
        InputError: The file cannot be read, or is not one plain YAML document.
    """
    return parse(read_text(path), str(path))


def data(text: str) -> object:
    r"""Read one document quickly, without places: dictionaries, lists, text, booleans, ``None``.

    Five times faster than ``parse``, for text whose source was parsed before; of a key that
    stands twice the last one counts, and ``<<`` is a key like any other.

    >>> data("a: [no, true, ~]\nno: 1\n")
    {'a': ['no', True, None], 'no': '1'}

    Raises:
        InputError: Not YAML.
    """
    reader = _Quick()
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            reader.feed(event)
    except (yaml.YAMLError, TypeError) as error:
        raise InputError(f"not YAML: {error}.") from error
    return reader.current[0] if reader.current else None


class _Quick:
    """Builds plain data from events."""

    def __init__(self) -> None:
        self.current: list[Any] = []
        self.mapping = False
        self.open: list[tuple[list[Any], bool, str | None]] = []
        self.anchors: dict[str, Any] = {}

    def feed(self, event: Any) -> None:
        match event:
            case yaml.ScalarEvent():
                is_key = self.mapping and len(self.current) % 2 == 0
                text = event.value
                self.add(text if event.style or is_key else _resolved(text), event.anchor)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                self.open.append((self.current, self.mapping, event.anchor))
                self.current, self.mapping = [], isinstance(event, yaml.MappingStartEvent)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                done: Any = self.current
                if self.mapping:
                    done = dict(zip(done[0::2], done[1::2], strict=True))
                self.current, self.mapping, anchor = self.open.pop()
                self.add(done, anchor)
            case yaml.AliasEvent():
                self.current.append(self.anchors.get(str(event.anchor)))

    def add(self, value: Any, anchor: str | None) -> None:
        self.current.append(value)
        if anchor:
            self.anchors[anchor] = value


def _resolved(text: str) -> str | bool | None:
    lower = text.lower()
    return None if lower in _NULLS else _BOOLEANS.get(lower, text)
