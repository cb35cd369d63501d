"""What an export would write, and the writing of it."""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from labkit.atomic import write_bytes
from labkit.errors import InputError
from labkit.exports import golden as golden_files
from labkit.exports import scanner
from labkit.exports.diff import unified
from labkit.exports.overridefile import edited, text_of
from labkit.formats.labelfiles import render_csv, render_jsonl
from labkit.textfile import decode, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from labkit.exports.source import Exportable

Format = Literal["methodatlas", "decguard", "planwerk", "sarif", "csv", "jsonl"]
FORMATS: tuple[Format, ...] = ("methodatlas", "decguard", "planwerk", "sarif", "csv", "jsonl")
_ENDINGS: dict[str, Format] = {
    ".yaml": "methodatlas",
    ".yml": "methodatlas",
    ".sarif": "sarif",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".json": "planwerk",
}
_GOLDEN: dict[str, Callable[[Exportable], tuple[str, int]]] = {
    "decguard": golden_files.decguard,
    "planwerk": golden_files.planwerk,
    "sarif": scanner.sarif,
}
_KEPT = "exports"


@dataclass(frozen=True, slots=True)
class Planned:
    """What an export is going to write; nothing is written yet."""

    path: Path
    before: bytes | None
    """The file as it is; ``None`` where there is none."""
    after: bytes
    diff: str
    """Unified diff; empty where nothing changes."""
    summary: str
    """One sentence for people: what comes, what changes."""
    warnings: tuple[str, ...] = ()
    study: Exportable | None = field(default=None, repr=False)
    format: Format = "methodatlas"


def format_of(path: Path, wanted: str | None = None) -> Format:
    """The format: the one that is named, else by the ending of the file's name.

    >>> from pathlib import Path
    >>> format_of(Path("o.yml")), format_of(Path("x.jsonl")), format_of(Path("x"), "csv")
    ('methodatlas', 'jsonl', 'csv')

    Raises:
        InputError: Nothing says which format it is.
    """
    if wanted is not None:
        found = next((known for known in FORMATS if known == wanted), None)
        if found is None:
            raise InputError(f"no format {wanted!r}; use one of {', '.join(FORMATS)}.")
        return found
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        known = ", ".join(_ENDINGS)
        raise InputError(f"{path}: which format? End the name in {known}, or give --format.")
    return _ENDINGS[ending]


def plan_export(  # noqa: PLR0913  # one argument an option of the command
    study: Exportable,
    to: Path,
    format: str | None = None,  # noqa: A002  # the option's own name
    *,
    only: Literal["disagreements"] | None = None,
    skip_disputed: bool = False,
    force: bool = False,
) -> Planned:
    """Work out what an export would write, without writing anything.

    Args:
        study: The study.
        to: The file; an existing override file is edited in place.
        format: One of ``FORMATS``; by the file's ending when left out.
        only: ``"disagreements"`` leaves out new override entries that restate what the AI said.
        skip_disputed: Leave disputed items out instead of refusing.
        force: Replace an existing file of another format, and let the study win where others
            changed the same override entry.

    Raises:
        InputError: The format does not fit the study, the file is there or cannot be edited,
            items are disputed, or others changed the same entry.
    """
    found = format_of(to, format)
    if to.is_dir():
        raise InputError(f"{to}: this is a folder; name a file in it.")
    before = read_bytes(to) if to.exists() else None
    if found in {"csv", "jsonl"}:
        return _labels(study, to, found, before, force=force)
    golden = _GOLDEN.get(found)
    if golden is None and (found != "methodatlas" or study.task.preset != "methodatlas"):
        raise InputError(
            f"a {study.task.preset} study is not exported as {found}; "
            "use --format csv or jsonl for its labels."
        )
    disputed = study.disputed
    if disputed and not skip_disputed:
        raise InputError(
            f"{len(disputed)} items are disputed, {disputed[0]} first; settle them with "
            "'labkit adjudicate', or leave them out with --skip-disputed."
        )
    if golden is not None:
        text, count = golden(study)
        return _replaced(study, to, found, before, text, f"{count} entries", force=force)
    return _overrides(study, to, before, disagreements=only == "disagreements", force=force)


def write(planned: Planned) -> None:
    """Write what was planned: whole or not at all, keeping mode and symbolic links.

    Raises:
        InputError: The file is not as it was when this was planned, or cannot be written; it is
            as it was.
    """
    with _locked(planned.path):
        there = read_bytes(planned.path) if planned.path.exists() else None
        if there != planned.before:
            raise InputError(f"{planned.path}: changed since the preview; preview it again.")
        _write(planned)


def export_to(  # noqa: PLR0913  # the arguments of plan_export
    study: Exportable,
    to: Path,
    format: str | None = None,  # noqa: A002  # the option's own name
    *,
    only: Literal["disagreements"] | None = None,
    skip_disputed: bool = False,
    force: bool = False,
) -> Planned:
    """Plan and write in one go; of two that write at once neither loses an entry."""
    with _locked(to):
        planned = plan_export(
            study, to, format, only=only, skip_disputed=skip_disputed, force=force
        )
        _write(planned)
    return planned


def _write(planned: Planned) -> None:
    if planned.after != planned.before:
        write_bytes(planned.path, planned.after)
    if planned.study is not None:
        if planned.format == "methodatlas":
            _keep(planned.study, planned.path, planned.after)
        digest = hashlib.sha256(planned.after).hexdigest()
        planned.study.remember_export(planned.path.resolve(), digest, by=_who())


def _who() -> str:
    try:
        return os.environ.get("LABKIT_REVIEWER") or getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep other exports into the folder waiting, where the system can."""
    folder = path.resolve().parent
    try:
        import fcntl  # noqa: PLC0415  # not on every system

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        # no such lock here, or no such folder: writing says so
        yield
        return
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _labels(
    study: Exportable, to: Path, found: Format, before: bytes | None, *, force: bool
) -> Planned:
    labels = study.labels(answer="any")
    text = render_csv(labels, study.task) if found == "csv" else render_jsonl(labels)
    return _replaced(study, to, found, before, text, f"{len(labels)} labels", force=force)


def _replaced(  # noqa: PLR0913, PLR0917  # what there is, what comes, and what it is called
    study: Exportable,
    to: Path,
    found: Format,
    before: bytes | None,
    text: str,
    what: str,
    *,
    force: bool,
) -> Planned:
    """A whole new file; one that is there is replaced only by force."""
    if before is not None and not force:
        raise InputError(f"{to}: this file is there already; replace it with --force.")
    old = None if before is None else before.decode(errors="replace")
    return Planned(
        to,
        before,
        text.encode(),
        unified(old, text, to.name),
        f"{to.name}: {what}.",
        study=study,
        format=found,
    )


def _overrides(
    study: Exportable, to: Path, before: bytes | None, *, disagreements: bool, force: bool
) -> Planned:
    text = "" if before is None else decode(before, str(to))
    codec, mark = ("utf-8", b"") if before is None else text_of(before, text)
    base, outside = _base(study, to, before)
    new = edited(
        study,
        text,
        base,
        str(to),
        disagreements=disagreements,
        outside=outside and not force,
    )
    after = mark + new.text.encode(codec)
    return Planned(
        to,
        before,
        before if before is not None and new.text == text else after,
        unified(None if before is None else text, new.text, to.name),
        f"{to.name}: {new.added} entries added, {new.changed} changed, "
        f"{new.same} as they should be.",
        new.warnings,
        study,
        "methodatlas",
    )


def _base(study: Exportable, to: Path, before: bytes | None) -> tuple[str | None, bool]:
    """The file as this study last wrote it, and whether others changed it since."""
    written = study.exported(to.resolve())
    if before is None or written is None:
        return None, False
    if hashlib.sha256(before).hexdigest() == written:
        return decode(before, str(to)), False
    kept = _kept(study, to)
    if not kept.is_file():
        return None, True
    data = read_bytes(kept)
    same = hashlib.sha256(data).hexdigest() == written
    return (decode(data, str(kept)) if same else None), True


def _kept(study: Exportable, to: Path) -> Path:
    name = hashlib.sha256(str(to.resolve()).encode()).hexdigest()[:16]
    return study.folder / _KEPT / f"{name}.yaml"


def _keep(study: Exportable, to: Path, data: bytes) -> None:
    """Keep a copy, so that the next export can tell whose change is whose."""
    kept = _kept(study, to)
    kept.parent.mkdir(exist_ok=True)
    write_bytes(kept, data)
