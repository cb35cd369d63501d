"""The files of a study: study.yaml, the predictions it names, and the store beside it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit import config as study_config
from labkit import scanfile
from labkit.config import FILE_NAME, StudyConfig
from labkit.errors import InputError
from labkit.estimation.population import Population
from labkit.numbers import Frames
from labkit.parsed import Problem
from labkit.population import population, strata_of
from labkit.presets.choosing import material_of
from labkit.sampling import Drawn, Sample, StratumSize
from labkit.store import ItemRow, Store, StoreError, StudyRow
from labkit.store.connect import file_url, parse_url
from labkit.textfile import read_bytes, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import URL

    from labkit.estimation.whole import Drawn as HowDrawn
    from labkit.presets.material import Material

SUFFIX = ".study"
MAX_GUIDELINES = 100_000


def folder_beside(predictions: Path) -> Path:
    """The study that ``labkit review FILE`` makes or opens: ``FILE``'s stem and ``.study``.

    >>> folder_beside(Path("scans/may.csv")).as_posix()
    'scans/may.study'
    >>> folder_beside(Path("scans/app-2.1.csv")).as_posix()
    'scans/app-2.1.study'
    """
    return predictions.with_name(predictions.stem + SUFFIX)


def is_study(path: Path) -> bool:
    """Whether a path is a study's folder, or its study.yaml."""
    return (path / FILE_NAME).is_file() or (path.name == FILE_NAME and path.is_file())


def beside(folder: Path, written: str) -> Path:
    """A path as written in study.yaml, from where the process is."""
    return folder / Path(written).expanduser()


def configured(folder: Path) -> tuple[Path, StudyConfig]:
    """A study's folder and configuration.

    Raises:
        InputError: There is no study, or its file cannot be read.
    """
    if folder.name == FILE_NAME and folder.is_file():
        folder = folder.parent
    if not folder.is_dir():
        raise InputError(f"{folder}: no such study; labkit init PREDICTIONS --study DIR makes one.")
    if not (folder / FILE_NAME).is_file():
        raise InputError(
            f"{folder}: no {FILE_NAME} in it, so it is no study; "
            "labkit init PREDICTIONS --study DIR makes one."
        )
    config = study_config.read(folder / FILE_NAME)
    return folder, config


def opened(folder: Path) -> tuple[Path, StudyConfig, Material, Store]:
    """A study's folder, configuration, material and open store.

    Raises:
        InputError: There is no study, or one of its files cannot be read.
    """
    folder, config = configured(folder)
    material = load(beside(folder, config.predictions), config, folder)
    return folder, config, material, Store.open(store_url(folder, config))


def load(predictions: Path, config: StudyConfig, folder: Path) -> Material:
    """Items, predictions and task of a predictions file.

    Raises:
        InputError: The file cannot be read, or labkit has no preset of that name.
    """
    return material_of(
        predictions,
        config.task,
        tags=config.tags,
        implied=config.implied,
        show=config.show,
        columns=dict(config.columns),
        source=beside(folder, config.source) if config.source else None,
    )


def store_url(folder: Path, config: StudyConfig) -> URL:
    """The address of the study's store; a plain name is a SQLite file in the folder."""
    if "://" in config.store:
        url = parse_url(config.store)
        if url.get_backend_name() == "sqlite":
            return file_url(beside(folder, url.database or ""))
        return url
    return file_url(beside(folder, config.store))


def study_name(folder: Path) -> str:
    """What the study is called in its store: its folder's name."""
    return folder.resolve().name[:200]


def study_row(store: Store, folder: Path) -> StudyRow:
    """The study of this folder; the only one of a store is it whatever the folder is called.

    Raises:
        StoreError: The store holds no such study.
    """
    studies = store.studies()
    if len(studies) == 1:
        return studies[0]
    name = study_name(folder)
    for study in studies:
        if study.name == name:
            return study
    there = ", ".join(study.name for study in studies) or "none"
    raise StoreError(
        f"{store.place}: no study named {name!r} ({there}); name the folder as it was."
    )


def item_rows(
    sample: Sample, material: Material, arms: Mapping[str, str] | None = None
) -> list[ItemRow]:
    """The sample as rows of the store, in show order."""
    return [
        ItemRow(
            key=unit.item,
            position=place,
            batch=unit.batch,
            draw_order=unit.order,
            stratum=unit.stratum,
            inclusion_probability=unit.inclusion_probability,
            arm=(arms or {}).get(unit.item),
            content_sha256=scanfile.content_of(material, unit.item) or None,
        )
        for place, unit in enumerate(sample.drawn)
    ]


def settings_of(sample: Sample, digest: str) -> dict[str, Any]:
    """What the store keeps of a draw beside its items."""
    return {
        "design": sample.design,
        "seed": sample.seed,
        "strata": [[s.name, s.population, s.drawn] for s in sample.strata],
        "predictionsSha256": digest,
    }


def sample_of(row: StudyRow, items: Iterable[ItemRow]) -> Sample:
    """The sample that was drawn, in show order."""
    return Sample(
        design=row.config.get("design", "simple"),
        seed=row.config.get("seed", 1),
        drawn=tuple(
            Drawn(
                i.key, i.stratum or "", i.inclusion_probability or 0.0, i.draw_order or 0, i.batch
            )
            for i in items
            if i.position is not None
        ),
        strata=tuple(StratumSize(*size) for size in row.config.get("strata", ())),
    )


def arms_of(items: Iterable[ItemRow]) -> dict[str, str]:
    """The arm of each item that has one."""
    return {item.key: item.arm for item in items if item.arm is not None}


def digest_of(predictions: Path) -> str:
    """SHA-256 of the predictions, lower-case hex; of a folder, of its JSON files."""
    if not predictions.is_dir():
        return hashlib.sha256(read_bytes(predictions)).hexdigest()
    whole = hashlib.sha256()
    for path in sorted(predictions.rglob("*.json")):
        name = path.relative_to(predictions).as_posix()
        whole.update(f"{name}\0{hashlib.sha256(read_bytes(path)).hexdigest()}\n".encode())
    return whole.hexdigest()


def changed(folder: Path, config: StudyConfig, row: StudyRow) -> Problem | None:
    """A warning where the predictions are other ones than those the sample was drawn from."""
    path = beside(folder, config.predictions)
    drawn_from = row.config.get("predictionsSha256")
    if drawn_from is None or digest_of(path) == drawn_from:
        return None
    return Problem(
        str(path),
        None,
        "changed since the sample was drawn; 'labkit update STUDY FILE' takes a new scan in.",
        "warning",
    )


def asked_again(folder: Path, items: Sequence[str]) -> Problem | None:
    """A warning where labelled items are to be looked at a second time."""
    if not items:
        return None
    few = ", ".join(items[:3]) + (f" and {len(items) - 3} more" if len(items) > 3 else "")  # noqa: PLR2004  # a sentence
    message = f"{len(items)} labelled items changed with the last scan; look again at {few}."
    return Problem(str(folder / FILE_NAME), None, message, "warning")


def guidelines(folder: Path, config: StudyConfig) -> str:
    """The guidelines' text: of the file that is named, or the text itself."""
    written = config.guidelines or ""
    if written and "\n" not in written and len(written) < 255:  # noqa: PLR2004  # a file name's limit
        path = beside(folder, written)
        if path.is_file():
            return read_text(path)[:MAX_GUIDELINES]
    return written[:MAX_GUIDELINES]


def frames(config: StudyConfig, material: Material, sample: Sample) -> Frames:
    """The population behind a sample: drawn items in the stratum they were drawn from."""
    own = config.strata if sample.design == "stratified" else None
    units = population(material.task, material.items, material.predictions, own)
    if sample.design == "stratified":
        strata = {**strata_of(units, own), **{unit.item: unit.stratum for unit in sample.drawn}}
        units = tuple(replace(unit, stratum=strata[unit.item]) for unit in units)
    drawn: HowDrawn = "simple" if sample.design == "simple" else "stratified"
    return Frames(material.task, material.predictions, Population.of(units), drawn, sample.seed)


def guidelines_version(folder: Path, config: StudyConfig) -> str | None:
    """SHA-256 of the guidelines' text; ``None`` where there are none."""
    text = guidelines(folder, config)
    return hashlib.sha256(text.encode()).hexdigest() if text else None
