"""``labkit doctor``: what works here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("study", required=False, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown", "html"]),
    default="text",
    show_default=True,
)
def command(study: Path | None, form: Any) -> None:
    """Say what works on this machine, and with STUDY: versions, offline assets, store, keys.

    Changes nothing. From Python: labkit.doctor.examine.

    Example: labkit doctor may.study
    """
    from labkit import doctor  # noqa: PLC0415  # the command line stays light
    from labkit.reports import render  # noqa: PLC0415

    report = doctor.examine(study)
    text = doctor.lines(report) if form == "text" else render(report, form)
    click.echo(text, nl=False)
