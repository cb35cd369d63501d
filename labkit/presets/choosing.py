"""Which preset a predictions file asks for, and the material it makes of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.formats import kinds, tables
from labkit.presets import choice, finding, methodatlas, pairwise, table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.presets.material import Material

PRESETS = (methodatlas.NAME, finding.NAME, choice.NAME, pairwise.NAME, table.NAME)
_BY_KIND = {
    "methodatlas-predictions": methodatlas.NAME,
    "sarif": finding.NAME,
    "planwerk-reviews": finding.NAME,
    "aacr-references": finding.NAME,
    "aacr-comments": finding.NAME,
    "godaudits-audit": finding.NAME,
    "decguard-report": choice.NAME,
    "decguard-answers": choice.NAME,
    "decguard-production": choice.NAME,
    "table": table.NAME,
    "labels": table.NAME,
}
_TABLE_ENDINGS = (".csv", ".tsv", ".jsonl", ".json", ".parquet")


def preset_of(path: Path, source: Path | None = None) -> str:
    """The preset for a predictions file, by its content.

    Comments beside a file of references (``--source``) are pairs; beside a folder of code, or
    beside nothing, each of them is a finding.

    Raises:
        InputError: The file cannot be read, or is nothing that can be reviewed.
    """
    if tables.is_parquet(path):
        return table.NAME
    kind = kinds.of_path(path).name
    if kind.startswith("aacr-") and source is not None and source.is_file():
        return pairwise.NAME
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    if kind == kinds.UNKNOWN and any(end in path.suffixes for end in _TABLE_ENDINGS):
        return table.NAME
    what = "no predictions labkit knows" if kind == kinds.UNKNOWN else f"{kind}, not predictions"
    raise InputError.at(str(path), None, f"this is {what}; name a predictions file.")


def material_of(  # noqa: PLR0913  # what a study may say about its predictions, keyword only
    path: Path,
    preset: str,
    *,
    tags: tuple[str, ...] = (),
    implied: tuple[str, ...] | None = None,
    show: tuple[str, ...] = (),
    columns: Mapping[str, str] | None = None,
    source: Path | None = None,
) -> Material:
    """Items, predictions and task of a predictions file under a preset.

    Raises:
        InputError: There is no such preset, or the file cannot be read as one of its kind.
    """
    match preset:
        case methodatlas.NAME:
            from labkit.formats import methodatlas as scans  # noqa: PLC0415  # same name

            return methodatlas.material(
                scans.read(path), tags=tags, implied=implied, show=show, source=source
            )
        case finding.NAME:
            return _findings(path, show, source, columns or {})
        case pairwise.NAME:
            return pairwise.material(path, references=source)
        case choice.NAME:
            return choice.material(path, tags=tags, show=show)
        case table.NAME:
            from labkit.formats import records  # noqa: PLC0415  # only for files of this kind

            found = records.read(path, columns=columns)
            return table.material(found, tags=tags, implied=implied, show=show, source=source)
    raise InputError(f"task {preset!r} is no preset; use {', '.join(PRESETS)}.")


def _findings(
    path: Path, show: tuple[str, ...], source: Path | None, columns: Mapping[str, str]
) -> Material:
    """The findings of a scanner, a reviewer, an audit or a benchmark, or of any table."""
    from labkit.formats import sarif  # noqa: PLC0415  # only for files of this kind
    from labkit.presets import audit, comments, findingtable, planwerk  # noqa: PLC0415
    from labkit.textfile import read_text  # noqa: PLC0415

    kind = "table" if tables.is_parquet(path) else kinds.of_path(path).name
    if kind == "planwerk-reviews":
        return planwerk.material(path, show=show, source=source)
    if kind.startswith("aacr-"):
        return comments.material(path, show=show, source=source)
    if kind == "godaudits-audit":
        return audit.material(path, show=show, source=source)
    if kind != "sarif":
        return findingtable.material(path, columns=columns, show=show, source=source)
    return finding.material(sarif.report(read_text(path), str(path)), show=show, source=source)
