"""scan.json: what the predictions held when a study last took them in, item by item.

It lies beside study.yaml. With it a new scan is held against the old one: by stable keys, by what
the evidence was, and by the names that the sample was drawn with.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labkit import atomic
from labkit.errors import InputError
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.presets.material import Material

FILE_NAME = "scan.json"
MAX_ITEMS = 200_000
"""Beyond this many items nothing is written, and ids alone tell items apart."""


@dataclass(frozen=True, slots=True)
class Known:
    """One item of a scan."""

    key: str
    """What stays when lines move and results are numbered anew."""
    content: str = ""
    """A digest of the evidence; empty where it is not known."""
    name: str = ""
    """What its draw key is made of: its id in the scan that it first came with."""


@dataclass(frozen=True, slots=True)
class Scan:
    """Every item of a scan by id, and what could be answered."""

    items: Mapping[str, Known] = field(default_factory=dict)
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What was on offer, by question."""
    digest: str = ""
    """SHA-256 of the predictions file."""
    gone: Mapping[str, Known] = field(default_factory=dict)
    """Items of earlier scans that decisions were made on, by the id they have now."""


def of(material: Material, digest: str) -> Scan:
    """The scan of a predictions file."""
    keys = {**_keys_by_content(material), **material.keys}
    items = {
        item: Known(keys.get(item, item), content_of(material, item), item)
        for item in material.items
    }
    options = {question.name: question.options for question in material.task.questions}
    return Scan(items, options, digest)


def _keys_by_content(material: Material) -> dict[str, str]:
    """Keys of findings whose ids are mere numbers: what they say, and about which file."""
    if material.task.preset != "finding":
        return {}
    seen: Counter[str] = Counter()
    keys: dict[str, str] = {}
    for name, item in material.items.items():
        said = "\x1f".join((item.title, item.file, item.text, *item.fields.values()))
        key = "ctx:" + hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:32]
        seen[key] += 1
        keys[name] = key if seen[key] == 1 else f"{key}#{seen[key]}"
    return keys


def content_of(material: Material, item: str) -> str:
    """A digest of the evidence of an item, where the file says what it is."""
    said = material.digests.get(item, "")
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:32] if said else ""


def render(scan: Scan) -> str:
    """The file's text: one item a line, so that version control shows what came and went."""

    def lines(items: Mapping[str, Known]) -> str:
        rows = (
            f"  {_text(item)}: {_text([known.key, known.content, known.name])}"
            for item, known in items.items()
        )
        return "{\n" + ",\n".join(rows) + "\n }" if items else "{}"

    options = {name: list(values) for name, values in scan.options.items()}
    return (
        f'{{\n "digest": {_text(scan.digest)},\n "options": {_text(options)},\n'
        f' "items": {lines(scan.items)},\n "gone": {lines(scan.gone)}\n}}\n'
    )


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def parse(text: str, source: str = "<text>") -> Scan:
    """Read the file's text.

    Raises:
        InputError: It is damaged.

    >>> parse(render(Scan({"a": Known("k", "c", "a")}))).items["a"].key
    'k'
    """

    def known(items: Any) -> dict[str, Known]:
        return {str(item): Known(*map(str, parts)) for item, parts in items.items()}

    try:
        value = json.loads(text)
        options = {str(name): tuple(map(str, v)) for name, v in value["options"].items()}
        return Scan(known(value["items"]), options, str(value["digest"]), known(value["gone"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError.at(
            source, None, "damaged; remove it, then ids alone tell the items of scans apart."
        ) from error


def read(folder: Path) -> Scan | None:
    """The scan that a study last took in; ``None`` where none was written.

    Raises:
        InputError: The file is damaged.
    """
    path = folder / FILE_NAME
    return parse(read_text(path), str(path)) if path.is_file() else None


def write(folder: Path, scan: Scan) -> None:
    """Write the file, or remove one that would be too large to keep."""
    path = folder / FILE_NAME
    if len(scan.items) > MAX_ITEMS:
        path.unlink(missing_ok=True)
        return
    atomic.write_text(path, render(scan))


def names(folder: Path) -> dict[str, str]:
    """By id the name that an item's draw key is made of, where it is another one."""
    scan = read(folder)
    items = scan.items.items() if scan is not None else ()
    return {item: known.name for item, known in items if known.name and known.name != item}
