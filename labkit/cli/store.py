"""``labkit store``: where a study's decisions are kept."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def command() -> None:
    """Move a study's decisions to another database.

    Example: labkit store copy may.study --to postgresql://labkit@db.example/labkit
    """


@command.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--to", required=True, metavar="URL", help="postgresql://USER@HOST/NAME, or a file.")
def copy(study: Path, to: str) -> None:
    """Copy the decisions of STUDY, and use the copy from now on (labkit.backup.move_store).

    A password is not written into study.yaml: PostgreSQL finds it in PGPASSWORD or ~/.pgpass.

    Example: labkit store copy may.study --to postgresql://labkit@db.example/labkit
    """
    from labkit.backup import move_store  # noqa: PLC0415  # --help stays light

    n = move_store(study, to)
    click.echo(f"{study}: {n} decisions copied; study.yaml names the new store.")
