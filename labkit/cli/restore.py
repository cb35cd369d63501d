"""``labkit restore``: a study again, from its backup."""

from __future__ import annotations

from pathlib import Path

import click

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("file", type=_PATH)
@click.option("--study", required=True, type=_PATH, metavar="DIR", help="The new folder.")
def command(file: Path, study: Path) -> None:
    """Make a study again from a backup; the same as labkit.backup.restore.

    Example: labkit restore may-backup.zip --study may
    """
    from labkit.backup import restore  # noqa: PLC0415  # --help stays light

    n = restore(file, study)
    click.echo(f"{study}: {n} decisions are back. Next: labkit review {study}")
