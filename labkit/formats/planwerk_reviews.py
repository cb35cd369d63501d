"""Folders of planwerk review reports: which files are the runs of which case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.formats.planwerk import read_review

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from labkit.evaluate.planwerk import Case, Review


def _reports(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.suffix == ".json" and p.is_file())


def _folders(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))


def _files(path: Path, cases: Sequence[Case]) -> dict[str, list[Path]]:
    """The report files of one argument, by case."""
    alone = cases[0].name if len(cases) == 1 else None
    if not path.exists():
        raise InputError.at(str(path), None, "no such file or folder; check the path.")
    if path.is_dir() and _folders(path):
        return {folder.name: _reports(folder) for folder in _folders(path)}
    if alone is None:
        what = "a folder without case folders" if path.is_dir() else "one report"
        raise InputError(
            f"{path.name}: {what} for {len(cases)} cases; give a folder <case>/*.json, or choose "
            "one case with --case NAME."
        )
    return {alone: _reports(path) if path.is_dir() else [path]}


def read_runs(
    cases: Sequence[Case], paths: Sequence[Path], *, chosen: bool = False
) -> tuple[int, tuple[tuple[Case, tuple[Review, ...]], ...]]:
    """Read the reviews of every case, one file a run, in the order of their names.

    Args:
        cases: The corpus.
        paths: Folders ``<case>/*.json``, or with a single case the reports themselves.
        chosen: Whether the cases were chosen, so that reviews of others are passed over.

    Returns:
        The number of runs a case, and each case with its reviews.

    Raises:
        InputError: A case without reviews, a different number of runs, or reviews of no case.
    """
    files: dict[str, list[Path]] = {case.name: [] for case in cases}
    for path in paths:
        for name, found in _files(path, cases).items():
            if name in files:
                files[name] += found
            elif not chosen and found:
                raise InputError(
                    f"{path.name}/{name}: the corpus has no case of this name; it has "
                    f"{', '.join(case.name for case in cases)}."
                )
    _demand_equal(files)
    runs = len(files[cases[0].name])
    return runs, tuple((case, tuple(map(read_review, files[case.name]))) for case in cases)


def _demand_equal(files: dict[str, list[Path]]) -> None:
    empty = [name for name, found in files.items() if not found]
    if empty:
        raise InputError(
            f"no review report for case {', '.join(empty)}; each case needs a file "
            "<case>/*.json a run."
        )
    counts = {name: len(found) for name, found in files.items()}
    if len(set(counts.values())) > 1:
        few, many = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
        raise InputError(
            f"case {few} has {counts[few]} runs and case {many} has {counts[many]}; every case "
            "needs the same number."
        )


def read_reviews(path: Path) -> dict[str, tuple[Review, ...]]:
    """Read every review of a folder ``<case>/*.json``, or one report, by case.

    Without a corpus nobody can say which cases there are: a report alone belongs to the case that
    its folder is called.

    Raises:
        InputError: There is no report, or one cannot be read.
    """
    if path.is_file():
        files = {path.resolve().parent.name: [path]}
    elif _folders(path):
        files = {folder.name: _reports(folder) for folder in _folders(path)}
    else:
        files = {path.resolve().name: _reports(path)}
    if not any(files.values()):
        raise InputError.at(str(path), None, "no review report in this folder.")
    return {case: tuple(map(read_review, found)) for case, found in files.items()}
