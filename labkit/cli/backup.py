"""``labkit backup``: a study in one file."""

from __future__ import annotations

from pathlib import Path

import click

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("study", type=_PATH)
@click.option("--to", required=True, type=_PATH, metavar="FILE", help="The zip file to write.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def command(study: Path, to: Path, *, force: bool) -> None:
    """Write STUDY with its whole log into one file; the same as labkit.backup.backup.

    Example: labkit backup may.study --to may-backup.zip
    """
    from labkit.backup import backup  # noqa: PLC0415  # --help stays light

    n = backup(study, to, force=force)
    click.echo(f"{to}: {n} decisions. Bring it back with: labkit restore {to} --study DIR")
