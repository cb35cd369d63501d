"""``labkit export``: vetted labels out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click


@click.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "--to", required=True, type=click.Path(path_type=Path), metavar="FILE", help="What to write."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["methodatlas", "decguard", "planwerk", "sarif", "csv", "jsonl"]),
    help="By the ending of FILE when left out.",
)
@click.option("--dry-run", is_flag=True, help="Print the change as a diff, and write nothing.")
@click.option(
    "--only",
    type=click.Choice(["disagreements"]),
    help="Leave out entries that restate what the AI said.",
)
@click.option("--skip-disputed", is_flag=True, help="Leave out what reviewers disagree on.")
@click.option(
    "--force", is_flag=True, help="Replace a file that is there; the study wins over others' edits."
)
def command(  # noqa: PLR0913  # one argument an option
    study: Path,
    to: Path,
    form: str | None,
    only: Literal["disagreements"] | None,
    *,
    dry_run: bool,
    skip_disputed: bool,
    force: bool,
) -> None:
    """Write the labels of STUDY into a file.

    An existing overrides YAML is edited in place: only the entries that change change. From
    Python: labkit.exports.export_to.

    Example: labkit export may.study --to overrides.yaml --dry-run
    """
    from labkit.exports import export_to, plan_export  # noqa: PLC0415  # heavy
    from labkit.study import Study  # noqa: PLC0415  # heavy

    with Study.open(study) as opened:
        work = plan_export if dry_run else export_to
        planned = work(opened, to, form, only=only, skip_disputed=skip_disputed, force=force)
    for warning in planned.warnings:
        click.echo(warning, err=True)
    if dry_run:
        sys.stdout.buffer.write(planned.diff.encode())
        sys.stdout.buffer.flush()
        return
    click.echo(planned.summary, err=True)
