"""``labkit adjudicate``: opens the app where reviewers' differences are settled."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from labkit.cli.review import become, needs


@click.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--reviewer", metavar="NAME", help="Who settles; the study's lead by default.")
@click.option("--port", type=click.IntRange(1, 65535), help="The first free one from 8866.")
@click.option("--no-browser", is_flag=True, help="Print the address, open nothing.")
def command(
    study: Path,
    reviewer: str | None,
    port: int | None,
    no_browser: bool,  # noqa: FBT001  # click passes flags by name
) -> None:
    """Settle what reviewers differ on: your own answer first, then theirs, without names.

    In Python the same is labkit.disputes.Disputes(labkit.Study.open(FOLDER), NAME).

    Example: labkit adjudicate team.study
    """
    from labkit.disputes import Disputes  # noqa: PLC0415  # --help stays light
    from labkit.study import Study  # noqa: PLC0415
    from labkit.whoami import reviewer_name  # noqa: PLC0415

    needs("labkit adjudicate", "voila")
    with Study.open(study) as opened:
        name = reviewer or opened.lead or reviewer_name()
        waiting = len(Disputes(opened, name).open)
        opened.review(name)
        folder = opened.folder
    click.echo(f"{study}: {waiting} differences wait.", err=True)
    line = [sys.executable, "-m", "labkit_widgets.server", str(folder), "--reviewer", name]
    line += ["--tab", "reviewers"]
    line += ["--port", str(port)] if port else []
    line += ["--no-browser"] if no_browser else []
    become(line)
