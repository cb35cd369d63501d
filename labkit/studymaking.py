"""Making a study: the sample is drawn, study.yaml and the store are written."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from labkit import atomic, receipts, scanfile, studyfiles
from labkit import config as study_config
from labkit.config import FILE_NAME, StudyConfig
from labkit.errors import InputError
from labkit.parsed import Parsed
from labkit.presets import imported
from labkit.presets.choosing import preset_of
from labkit.store import Store, StoreError
from labkit.store.problems import told
from labkit.studydraw import arms_for, draw, extended
from labkit.studyrefusals import refuse_foreign_scan, refuse_unknown_names

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import URL

    from labkit.model import Decision
    from labkit.parsed import Problem
    from labkit.presets.material import Material
    from labkit.sampling import Sample
    from labkit.studyoptions import StudyOptions


def create(
    predictions: Path, folder: Path, options: StudyOptions, *, at: datetime
) -> tuple[Problem, ...]:
    """Make a study, or draw more items into the one that is there.

    Returns:
        What was left out of the labels that were imported, and a doubt about the scan.

    Raises:
        InputError: The predictions cannot be read, the folder cannot be written, or it holds a
            study and more was asked than a larger sample.
    """
    if studyfiles.is_study(folder):
        extend(folder, options)
        return ()
    receipt, doubts = receipts.read(options.receipt) if options.receipt else (b"", ())
    config = _checked(_configured(predictions, folder, options), folder)
    material = studyfiles.load(predictions, config, folder)
    _refuse_silence(predictions, material)
    refuse_unknown_names(config, material, predictions)
    sample = draw(config, material)
    known: Parsed[Decision] = Parsed()
    if options.labels is not None:
        known = imported.read(options.labels, material.items, at=at)
    url = studyfiles.store_url(folder, config)
    made = _make_folder(folder)
    refuse_foreign_scan(folder)
    try:
        with told(str(folder)):
            _remove_leftover(folder, config)
        _fill(
            url,
            folder,
            predictions,
            _Draw(sample, material, known.values, arms_for(config, material, sample.items)),
        )
        scanfile.write(folder, scanfile.of(material, studyfiles.digest_of(predictions)))
        if receipt:
            atomic.write_bytes(folder / receipts.FILE, receipt)
        # last: a folder without it is no study yet
        atomic.write_text(folder / FILE_NAME, study_config.render(config))
    except InputError:
        if made:
            _remove_made(folder, config)
        raise
    return (*doubts, *known.problems)


@dataclass(frozen=True, slots=True)
class _Draw:
    """What goes into the store of a new study."""

    sample: Sample
    material: Material
    known: tuple[Decision, ...]
    arms: Mapping[str, str]


def _fill(url: URL, folder: Path, predictions: Path, new: _Draw) -> None:
    store = Store.create(url)
    try:
        row = store.add_study(
            studyfiles.study_name(folder),
            studyfiles.settings_of(new.sample, studyfiles.digest_of(predictions)),
            studyfiles.item_rows(new.sample, new.material, new.arms),
        )
        store.append(row, new.known)
    finally:
        store.close()


def _remove_made(folder: Path, config: StudyConfig) -> None:
    """Leave nothing of a study that could not be made; never a folder with other files in it."""
    if "://" not in config.store:
        studyfiles.beside(folder, config.store).unlink(missing_ok=True)
    for own in (scanfile.FILE_NAME, receipts.FILE):
        (folder / own).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder.rmdir()


def extend(folder: Path, options: StudyOptions) -> None:
    """Draw more items into a study; what was drawn and decided stays, the new ones come after.

    Raises:
        InputError: Something else than a larger sample was asked.
    """
    folder, config, material, store = studyfiles.opened(folder)
    try:
        row = studyfiles.study_row(store, folder)
        before = studyfiles.sample_of(row, store.items(row))
        drawn = len(before.drawn)
        more = options.sample
        if options.given != ("sample",) or more is None or more <= drawn:
            raise InputError(
                f"{folder}: there is a study already; 'labkit review {folder}' opens it, "
                f"and --sample with more than {drawn} draws more items into it."
            )
        problem = studyfiles.changed(folder, config, row)
        if problem is not None:
            raise InputError(str(problem))
        after = extended(scanfile.names(folder), config, material, before, more)
        store.extend(
            row,
            {**row.config, **studyfiles.settings_of(after, row.config["predictionsSha256"])},
            studyfiles.item_rows(after, material, arms_for(config, material, after.items)),
        )
    finally:
        store.close()
    path = folder / FILE_NAME
    text = path.read_text(encoding="utf-8")
    atomic.write_text(path, study_config.with_value(text, "sample", more))


def _configured(predictions: Path, folder: Path, options: StudyOptions) -> StudyConfig:
    values: dict[str, Any] = {
        name: getattr(options, name)
        for name in options.given
        if name not in {"labels", "source", "receipt"}
    }
    if options.receipt is not None:
        values["receipt"] = receipts.FILE
    for name in ("labels", "source"):
        path = getattr(options, name)
        if path is not None:
            if not path.exists():
                raise InputError(f"{path}: no such file or folder; check --{name}.")
            values[name] = relative(path, folder)
    if options.strata is not None or options.take_all:
        if options.design == "simple":
            raise InputError(
                "--strata and --take-all make a stratified sample; leave --design simple out."
            )
        values["design"] = "stratified"
    values.setdefault("task", preset_of(predictions, options.source))
    if options.strata is not None:
        values.setdefault("design", "stratified")
        if options.design == "simple":
            raise InputError("--strata is for --design stratified; leave one of the two out.")
    return replace(StudyConfig(), predictions=relative(predictions, folder), **values)


def _checked(config: StudyConfig, folder: Path) -> StudyConfig:
    """The same, read back from its own file: every value is checked in one place."""
    return study_config.parse(study_config.render(config), str(folder / FILE_NAME))


def relative(path: Path, folder: Path) -> str:
    """A path as study.yaml has it: from the study's folder, with ``/``."""
    try:
        written = os.path.relpath(path.resolve(), folder.resolve())
    except ValueError:  # another drive
        written = str(path.resolve())
    return written.replace(os.sep, "/")


def _refuse_silence(predictions: Path, material: Material) -> None:
    if material.items and not material.predictions:
        raise InputError(
            f"{predictions}: no row has an AI answer, so there is nothing to review; "
            "scan again with the AI on."
        )


def _make_folder(folder: Path) -> bool:
    """Make the folder; whether it is new."""
    new = not folder.exists()
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: this is a file; give --study another name.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be made ({error.strerror}); choose another place with --study DIR."
        ) from error
    if not os.access(folder, os.W_OK):
        raise InputError(f"{folder}: not writable; choose another place with --study DIR.")
    return new


def _remove_leftover(folder: Path, config: StudyConfig) -> None:
    """Remove a store in which nothing was decided, left by a study that was not finished."""
    path = studyfiles.beside(folder, config.store)
    if "://" in config.store or not path.exists():
        return
    store = Store.open(studyfiles.store_url(folder, config))
    try:
        if any(store.last_seq(study) for study in store.studies()):
            raise StoreError(
                f"{path}: a store with decisions and no {FILE_NAME} beside it; "
                f"bring {FILE_NAME} back, or choose another folder with --study DIR."
            )
    finally:
        store.close()
    path.unlink()
