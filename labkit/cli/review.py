"""``labkit review``: opens the review app on a predictions file or a study."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labkit.cli.init import options_of, say_problems, study_options

if TYPE_CHECKING:
    from labkit.study import Study

_NEEDED = ("labkit_widgets", "anywidget", "ipywidgets")


@click.command()
@click.argument("predictions_or_study", type=click.Path(path_type=Path))
@click.option("--study", type=click.Path(path_type=Path), help="Where a new study is made.")
@click.option("--reviewer", metavar="NAME", help="Whose answers these are; your login by default.")
@click.option("--port", type=click.IntRange(1, 65535), help="The first free one from 8866.")
@click.option("--no-browser", is_flag=True, help="Print the address, open nothing.")
@study_options
def command(  # the options of the command line
    predictions_or_study: Path,
    study: Path | None,
    reviewer: str | None,
    port: int | None,
    no_browser: bool,  # noqa: FBT001  # click passes flags by name
    **given: Any,
) -> None:
    """Open the review app; a predictions file gets a study beside it first.

    In Python the same is labkit_widgets.ReviewApp(labkit.Study.open(FOLDER), NAME) in a notebook.

    Example: labkit review predictions.csv --source src/test/java
    """
    from labkit.whoami import reviewer_name  # noqa: PLC0415  # --help stays light

    needs("labkit review", "voila")
    with _opened(predictions_or_study, study, given) as made:
        several = len(made.config.reviewers) > 1 and reviewer is None
        names = made.config.reviewers if several else (reviewer or reviewer_name(),)
        lead = made.config.lead if several else None
        for name in (*names, *([lead] if lead else [])):
            made.review(name)
        say_problems(made.problems)
        folder = made.folder
    line = [sys.executable, "-m", "labkit_widgets.server", str(folder)]
    line += [word for name in names for word in ("--reviewer", name)]
    line += ["--lead", lead] if lead else []
    line += ["--port", str(port)] if port else []
    line += ["--no-browser"] if no_browser else []
    become(line)


def _opened(target: Path, folder: Path | None, given: dict[str, Any]) -> Study:
    """The study of the target: opened, or made where there is none yet."""
    from labkit.errors import InputError  # noqa: PLC0415  # --help stays light
    from labkit.study import Study  # noqa: PLC0415
    from labkit.studyfiles import beside, folder_beside, is_study  # noqa: PLC0415

    options = options_of(**given)
    if is_study(target) or (target.is_dir() and not _holds_reviews(target)):
        if folder is not None or options.given:
            raise InputError(
                f"{target}: this is a study already; what it asks stands in its study.yaml."
            )
        return Study.open(target)
    if not target.exists():
        raise InputError(f"{target}: no such file; name a predictions file or a study's folder.")
    folder = folder or folder_beside(target)
    if is_study(folder) and not options.given:
        made = Study.open(folder)
        asked = beside(made.folder, made.config.predictions)
        if not asked.exists() or asked.samefile(target):
            return made
        made.close()
        raise InputError(
            f"{folder}: this is the study of {made.config.predictions}; open it by its folder, "
            f"or give {target.name} a study of its own with --study DIR."
        )
    return Study.create(target, folder, options=options)


def _holds_reviews(folder: Path) -> bool:
    """Whether a folder is itself the predictions: a code reviewer's reports, case by case."""
    from labkit.formats import kinds  # noqa: PLC0415  # --help stays light

    return kinds.of_path(folder).name == "planwerk-reviews"


def needs(command: str, server: str) -> None:
    """Say what to install where the app is not.

    Raises:
        InputError: A package is missing.
    """
    from labkit.errors import InputError  # noqa: PLC0415  # --help stays light

    if any(find_spec(name) is None for name in (*_NEEDED, server)):
        raise InputError(
            f"{command} needs packages that are not installed; pip install 'labkit[app]'"
        )


def become(command: list[str]) -> None:
    """Go on as another program, so that signals and both streams are its own."""
    if os.name == "posix":
        sys.stdout.flush()
        os.execv(command[0], command)  # noqa: S606  # our own module, no shell
    sys.exit(subprocess.call(command))  # noqa: S603  # our own module
