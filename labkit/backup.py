"""A study in one file: study.yaml, its whole log and the predictions, to be kept elsewhere."""

from __future__ import annotations

import io
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from sqlalchemy import URL

from labkit import atomic, looks, receipts, scanfile, studyfiles
from labkit import config as study_config
from labkit.config import FILE_NAME, StudyConfig
from labkit.errors import InputError
from labkit.store import Store
from labkit.store.connect import file_url, parse_url
from labkit.store.copying import copy

if TYPE_CHECKING:
    from collections.abc import Mapping

LOG = "labels.db"
PREDICTIONS = "predictions/"
MAX_BYTES = 4_000_000_000
_KEPT = (FILE_NAME, LOG)
_ALSO = (scanfile.FILE_NAME, looks.FILE, receipts.FILE)


def backup(folder: Path, to: Path, *, force: bool = False) -> int:
    """Write a study into one zip file, whole or not at all; reviewing may go on meanwhile.

    Args:
        folder: The study.
        to: The file to write.
        force: Replace a file that is there.

    Returns:
        How many decisions are in it.

    Raises:
        InputError: No study, or the file is there already or cannot be written.
    """
    if to.exists() and not force:
        raise InputError(f"{to}: there already; choose another name, or replace it with --force.")
    config = _config(folder)
    with tempfile.TemporaryDirectory(prefix="labkit-") as place:
        log = Path(place) / LOG
        copied = copy_log(folder, config, log)
        predictions = studyfiles.beside(folder, config.predictions)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(folder / FILE_NAME, FILE_NAME)
            archive.write(log, LOG)
            for own in _ALSO:
                if (folder / own).is_file():
                    archive.write(folder / own, own)
            archive.writestr(f"{PREDICTIONS}{predictions.name}", _raw(predictions))
    atomic.write_bytes(to, packed.getvalue())
    return copied


def copy_log(folder: Path, config: StudyConfig, to: Path) -> int:
    """Copy a study's log, from whatever database it is in, into a new SQLite file."""
    source = Store.open(studyfiles.store_url(folder, config))
    try:
        row = studyfiles.study_row(source, folder)
        target = Store.create(file_url(to))
        try:
            return copy(source, row, target, row.name)
        finally:
            target.close()
    finally:
        source.close()


def restore(file: Path, folder: Path) -> int:
    """Make a study again from a backup, with its log in a SQLite file.

    Where study.yaml names a predictions file that is not there, the one of the backup is put into
    the study's folder.

    Returns:
        How many decisions were brought back.

    Raises:
        InputError: No backup, or the folder holds something already.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: not empty; restore into a new folder.")
    found = _unpacked(file)
    name = next(name for name in found if name.startswith(PREDICTIONS))
    text = found[FILE_NAME].decode("utf-8")
    config = study_config.parse(text, f"{file}:{FILE_NAME}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}.") from error
    if not studyfiles.beside(folder, config.predictions).is_file():
        kept = PurePosixPath(name).name
        atomic.write_bytes(folder / kept, found[name])
        text = study_config.with_value(text, "predictions", kept)
    if config.store != LOG:
        text = study_config.with_value(text, "store", LOG)
    for own in (LOG, *_ALSO):
        if own in found:
            atomic.write_bytes(folder / own, found[own])
    atomic.write_text(folder / FILE_NAME, text)
    store = Store.open(file_url(folder / LOG))
    try:
        return len(store.decisions(studyfiles.study_row(store, folder)))
    finally:
        store.close()


def _unpacked(file: Path) -> Mapping[str, bytes]:
    """The members of a backup, by name; nothing else of an archive is looked at."""
    data = _raw(file)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [
                info
                for info in archive.infolist()
                if info.filename in (*_KEPT, *_ALSO) or info.filename.startswith(PREDICTIONS)
            ]
            if sum(info.file_size for info in names) > MAX_BYTES:
                raise InputError(
                    f"{file}: unpacks to more than {MAX_BYTES} bytes; no labkit backup."
                )
            found = {info.filename: archive.read(info) for info in names}
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
        raise InputError(f"{file}: no labkit backup: not a readable zip file.") from error
    lacks = [name for name in _KEPT if name not in found]
    lacks += [] if any(name.startswith(PREDICTIONS) for name in found) else ["the predictions"]
    if lacks:
        raise InputError(f"{file}: no labkit backup: {', '.join(lacks)} not in it.")
    return found


def move_store(folder: Path, url: str) -> int:
    """Copy a study's log into another database, and let study.yaml name that one.

    The old store stays as it is. A password is not written into study.yaml.

    Returns:
        How many decisions were copied.

    Raises:
        InputError: No study, or the other database holds one of that name or cannot be written.
    """
    config = _config(folder)
    if url == config.store:
        raise InputError(f"{folder}: its decisions are there already; name another store.")
    there = studyfiles.store_url(folder, replace(config, store=url))
    source = Store.open(studyfiles.store_url(folder, config))
    try:
        row = studyfiles.study_row(source, folder)
        target = Store.create(there)
        try:
            copied = copy(source, row, target, studyfiles.study_name(folder))
        finally:
            target.close()
    finally:
        source.close()
    path = folder / FILE_NAME
    text = path.read_text(encoding="utf-8")
    atomic.write_text(path, study_config.with_value(text, "store", _public(url)))
    return copied


def _config(folder: Path) -> StudyConfig:
    if not (folder / FILE_NAME).is_file():
        raise InputError(f"{folder}: no {FILE_NAME} in it, so it is no study.")
    return study_config.read(folder / FILE_NAME)


def _public(url: str) -> str:
    """The address without its password."""
    if "://" not in url:
        return url
    found = parse_url(url)
    shown = URL.create(
        found.drivername,
        username=found.username,
        host=found.host,
        port=found.port,
        database=found.database,
        query=found.query,
    ).render_as_string()
    return shown.replace("postgresql+psycopg://", "postgresql://")


def _raw(path: Path) -> bytes:
    """The bytes of a file as they are, packed or not."""
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file; check the path.") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error
