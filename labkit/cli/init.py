"""``labkit init``: makes a study of a predictions file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from labkit.studyoptions import StudyOptions

MAX_PROBLEMS = 20


def study_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what a study is; ``review`` takes them too."""
    path = click.Path(path_type=Path)
    for option in reversed(
        (
            click.option("--task", metavar="T", help="What is asked; found out when left out."),
            click.option(
                "--labels", type=path, help="An overrides YAML: its entries are imported."
            ),
            click.option("--source", type=path, help="The folder with the code under review."),
            click.option(
                "--sample",
                type=click.IntRange(1),
                metavar="N",
                help="Draw N items; all by default.",
            ),
            click.option(
                "--design",
                type=click.Choice(["simple", "stratified"]),
                help="Every item alike (default), or by AI decision and confidence.",
            ),
            click.option(
                "--strata",
                metavar="FIELD",
                help="Stratify by a field, 'folder' or 'tag', instead of by confidence.",
            ),
            click.option(
                "--take-all",
                metavar="STRATUM,...",
                help="Strata to draw whole, as auth/flagged, or auth for both sides.",
            ),
            click.option(
                "--seed", type=click.IntRange(0), metavar="S", help="What is drawn; 1 by default."
            ),
            click.option(
                "--protocol",
                type=click.Choice(["blind-first", "blind", "assisted", "randomised"]),
                help="When the AI's answer is shown; blind-first by default.",
            ),
            click.option("--reviewers", metavar="A,B", help="Who reviews; anybody by default."),
            click.option(
                "--overlap",
                type=click.FloatRange(0, 1),
                metavar="P",
                help="The share of items that all reviewers get; the rest is split.",
            ),
            click.option(
                "--store", metavar="URL", help="postgresql://... instead of a file in the study."
            ),
            click.option("--tags", metavar="FILE|A,B,C", help="The tags on offer."),
            click.option("--columns", metavar="ID=...,LABEL=...", help="Columns by other names."),
            click.option("--receipt", type=path, help="The scan's receipt, kept with the study."),
            click.option("--show", metavar="FIELD,...", help="Hidden columns to open."),
        )
    ):
        function = option(function)
    return function


def options_of(**given: Any) -> StudyOptions:
    """The options as the Python API takes them.

    Raises:
        InputError: ``--columns`` is not made of pairs, or the file of ``--tags`` is unreadable.
    """
    from labkit.config import split_words  # noqa: PLC0415  # --help stays light
    from labkit.errors import InputError  # noqa: PLC0415
    from labkit.studyoptions import StudyOptions, tags_on_offer  # noqa: PLC0415
    from labkit.whoami import reviewer_name  # noqa: PLC0415

    pairs = []
    for word in split_words(given.pop("columns") or ""):
        part, sign, column = word.partition("=")
        if not sign or not part.strip() or not column.strip():
            raise InputError(f"--columns {word!r}: write PART=COLUMN, as in id=key,label=truth.")
        pairs.append((part.strip(), column.strip()))
    reviewers = split_words(given.pop("reviewers") or "")
    return StudyOptions(
        reviewers=reviewers,
        lead=reviewer_name() if len(reviewers) > 1 else None,
        show=split_words(given.pop("show") or ""),
        tags=tags_on_offer(given.pop("tags") or ""),
        take_all=split_words(given.pop("take_all") or ""),
        columns=tuple(pairs),
        **given,
    )


def say_problems(problems: Any) -> None:
    """The first problems on stderr, one line each."""
    for problem in problems[:MAX_PROBLEMS]:
        click.echo(str(problem), err=True)
    if len(problems) > MAX_PROBLEMS:
        click.echo(f"and {len(problems) - MAX_PROBLEMS} more", err=True)


@click.command()
@click.argument("predictions", type=click.Path(path_type=Path))
@click.option("--study", type=click.Path(path_type=Path), required=True, help="The new folder.")
@study_options
def command(predictions: Path, study: Path, **given: Any) -> None:
    """Make a study of a predictions file; the same as labkit.Study.create.

    On a study that is there already, --sample with a larger number draws more items into it.

    Example: labkit init predictions.csv --study may --sample 200 --source src/test/java
    """
    from labkit.study import Study  # noqa: PLC0415  # --help stays light

    with Study.create(predictions, study, options=options_of(**given)) as made:
        say_problems(made.problems)
        click.echo(
            f"{study}: {len(made.sample.drawn)} of {len(made.predictions)} items drawn "
            f"({made.sample.design}, seed {made.sample.seed}, {made.config.protocol}). "
            f"Next: labkit review {study}"
        )
