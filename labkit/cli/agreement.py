"""``labkit agreement``: how far reviewers agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from labkit.cli.output import write_report


@click.command()
@click.argument(
    "paths", nargs=-1, required=True, metavar="STUDY_OR_FILES...", type=click.Path(path_type=Path)
)
@click.option("--answer", type=click.Choice(["first", "final"]), default="first", show_default=True)
@click.option("--order", metavar="A,B,C", help="The labels from low to high, for weighted kappa.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json", "html", "text"]),
    default="markdown",
    show_default=True,
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Write the report to a file instead of stdout.",
)
def command(
    paths: tuple[Path, ...], answer: Any, order: str | None, form: Any, output: Path | None
) -> int:
    """Percent, kappa, AC1 and alpha between reviewers, with their counts.

    A file has a row an answer (id, reviewer, label or tags), or id and one column a reviewer. The
    reviewer of a file without one is the file's name. In Python: labkit.systems.agreement.agree.

    Example: labkit agreement ines.jsonl omar.jsonl
    """
    from labkit.systems.agreement import agree  # noqa: PLC0415  # the command line stays light

    names = None if order is None else [name.strip() for name in order.split(",")]
    write_report(agree(paths, which=answer, order=names), form, output)
    return 0
