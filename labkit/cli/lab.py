"""``labkit lab``: JupyterLab on the notebooks, with a study chosen."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from labkit.cli.review import become, needs


@click.command()
@click.argument("study", type=click.Path(path_type=Path), required=False)
@click.option("--reviewer", metavar="NAME", help="Whose answers these are; your login by default.")
@click.option("--port", type=click.IntRange(1, 65535), help="The first free one from 8866.")
@click.option("--no-browser", is_flag=True, help="Print the address, open nothing.")
def command(
    study: Path | None,
    reviewer: str | None,
    port: int | None,
    no_browser: bool,  # noqa: FBT001  # click passes flags by name
) -> None:
    """Open JupyterLab on labkit's notebooks, copied beside the study; yours are never overwritten.

    In Python the same is labkit_widgets.ReviewApp(FOLDER) in a notebook of your own.

    Example: labkit lab predictions.study
    """
    needs("labkit lab", "jupyterlab")
    line = [sys.executable, "-m", "labkit_widgets.server.lab"]
    if study is not None:
        from labkit.study import Study  # noqa: PLC0415

        with Study.open(study) as opened:
            line += ["--study", str(opened.folder)]
    line += ["--reviewer", reviewer] if reviewer else []
    line += ["--port", str(port)] if port else []
    line += ["--no-browser"] if no_browser else []
    become(line)
