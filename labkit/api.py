"""What the command line does, as functions: ``labkit.score`` is ``labkit score``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from labkit.checks import Checked
    from labkit.exports import Planned
    from labkit.formats.methodatlas import Scan
    from labkit.overrides import Overrides
    from labkit.reports import Report
    from labkit.study import Study

File = str | Path


def read_predictions(path: File) -> Scan:
    """Read MethodAtlas predictions, CSV or a JSON array, with a problem for each bad row.

    Raises:
        InputError: The file cannot be read, or is no such file.
    """
    from labkit.formats import methodatlas  # noqa: PLC0415  # import labkit stays light

    return methodatlas.read(Path(path))


def read_overrides(path: File) -> Overrides:
    """Read a MethodAtlas override file, with a problem for each entry that is left out.

    Raises:
        InputError: The file cannot be read or trusted.
    """
    from labkit import overrides  # noqa: PLC0415  # import labkit stays light

    return overrides.read(Path(path))


def score(
    gold: File | Study, *predictions: File, system: str | None = None, **options: Any
) -> Report:
    """Evaluate files against labels, or a study.

    Args:
        gold: The labels' file; or an open study, or its folder.
        predictions: What is evaluated; none for a study.
        system: ``methodatlas``, ``planwerk``, ``decguard``, ``aacr``, ``godaudits`` or ``labkit``;
            found out from the files when left out.
        options: The command's options by their Python names, such as ``min_f1=0.8``.

    Returns:
        The report: ``data`` as the command prints it in JSON, ``exit_code`` 1 where a gate failed.

    Raises:
        InputError: A file cannot be read, or an option means nothing here.
    """
    from labkit.studyfiles import is_study  # noqa: PLC0415  # import labkit stays light
    from labkit.systems import Call, detection, gating  # noqa: PLC0415

    place = Path(gold) if isinstance(gold, str | Path) else gold.folder
    files = tuple(map(Path, predictions))
    if not files and is_study(place):
        return gating.score("study", Call(place, (), options))
    return gating.score(system or detection.system_of((place, *files)), Call(place, files, options))


def compare(
    baseline: File,
    candidate: File,
    *more: File,
    gold: File | None = None,
    system: str | None = None,
    **options: Any,
) -> Report:
    """Hold runs against a baseline: held or regressed, check by check.

    Args:
        baseline: A report of ``score`` in JSON, or predictions with ``gold``.
        candidate: What is held against it.
        more: More of them.
        gold: Labels that all are scored on, paired by item.
        system: Found out from the files when left out.
        options: The command's options by their Python names.

    Raises:
        InputError: A file cannot be read, or the runs cannot be compared.
    """
    from labkit.systems import Call  # noqa: PLC0415  # import labkit stays light
    from labkit.systems import compare as comparing  # noqa: PLC0415

    runs = tuple(map(Path, (baseline, candidate, *more)))
    return comparing.compare(Call(None if gold is None else Path(gold), runs, options), system)


def agreement(*files: File, answer: Literal["first", "final"] = "first") -> Report:
    """Say how far reviewers agree: percent, kappa, alpha, AC1, and anchoring in a study.

    Args:
        files: Tables or labels files; or one study.
        answer: The first answers, or the final ones.

    Raises:
        InputError: A file is missing or not to be trusted, or one reviewer answers an item twice.
    """
    from labkit.systems.agreement import agree  # noqa: PLC0415  # import labkit stays light

    return agree([Path(path) for path in files], which=answer)


def check(*files: File) -> list[Checked]:
    """Say of each file, or of each file in a folder, what it is, and every problem."""
    from labkit.checks import check_all  # noqa: PLC0415  # import labkit stays light

    return [one for path in files for one in check_all(Path(path))]


def export(  # noqa: PLR0913  # one argument an option of the command
    study: Study,
    to: File,
    format: str | None = None,  # noqa: A002  # the option's own name
    *,
    dry_run: bool = False,
    only: Literal["disagreements"] | None = None,
    skip_disputed: bool = False,
    force: bool = False,
) -> Planned:
    """Write the labels of a study; an existing override file is edited in place.

    Returns:
        What was written, or with ``dry_run`` would be: its ``diff``, a ``summary``, ``warnings``.

    Raises:
        InputError: See ``labkit.exports.plan_export``.
    """
    from labkit.exports import export_to, plan_export  # noqa: PLC0415  # import labkit stays light

    work = plan_export if dry_run else export_to
    return work(study, Path(to), format, only=only, skip_disputed=skip_disputed, force=force)


def example(name: str, to: File | None = None) -> Path:
    """Copy an example to play with, into ``./NAME`` when no folder is given.

    Raises:
        InputError: No such example, or something is there already.
    """
    from labkit import examples  # noqa: PLC0415  # import labkit stays light

    return examples.copy(name, None if to is None else Path(to))
