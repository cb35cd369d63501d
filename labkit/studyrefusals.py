"""What no study is made of: names that the predictions do not have, and files of somebody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit import scanfile
from labkit.errors import InputError
from labkit.formats import kinds, tables
from labkit.presets import finding, table
from labkit.textfile import read_text

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.config import StudyConfig
    from labkit.presets.material import Material

_OWN_COLUMNS = ("sarif", "planwerk-reviews", "godaudits-audit", "aacr-references", "aacr-comments")


def refuse_unknown_names(config: StudyConfig, material: Material, predictions: Path) -> None:
    """Refuse what an option names and the predictions do not have; silence would hide a typo.

    Raises:
        InputError: ``show`` names no field, or ``columns`` is given for a file whose columns
            are known.
    """
    shown = {name for item in material.items.values() for name in item.fields}
    lost = [name for name in config.show if name not in shown]
    if lost and not tables.is_parquet(predictions):
        text = read_text(predictions)
        lost = [name for name in lost if name not in text]
        if lost:
            raise InputError(f"{predictions}: no field {lost[0]!r} to show; check --show.")
    if config.columns and not _is_table(config, predictions):
        raise InputError(
            f"{predictions}: labkit knows this file's columns by name; --columns is for tables."
        )


def _is_table(config: StudyConfig, predictions: Path) -> bool:
    if config.task not in {table.NAME, finding.NAME}:
        return False
    if config.task == table.NAME or tables.is_parquet(predictions):
        return True
    return kinds.of_path(predictions).name not in _OWN_COLUMNS


def refuse_foreign_scan(folder: Path) -> None:
    """Refuse a folder in which ``scan.json`` is somebody else's file: it would be overwritten.

    Raises:
        InputError: There is such a file.
    """
    try:
        scanfile.read(folder)
    except InputError as error:
        raise InputError(
            f"{folder / scanfile.FILE_NAME}: a study keeps a file of this name, and this one is "
            "not labkit's; choose another folder with --study DIR."
        ) from error
