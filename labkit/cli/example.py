"""``labkit example``: something to play with."""

from __future__ import annotations

import shlex
from pathlib import Path

import click


@click.command()
@click.argument("name")
@click.option(
    "--to", type=click.Path(path_type=Path), metavar="DIR", help="Where to; ./NAME when left out."
)
def command(name: str, to: Path | None) -> None:
    """Copy the example NAME and print the next command.

    There is one: relevance, sixty tests of a bank and what an AI said about them. From Python:
    labkit.examples.copy.

    Example: labkit example relevance
    """
    from labkit.examples import copy  # noqa: PLC0415  # loaded when it is called

    target = copy(name, to)
    predictions = shlex.quote(str(target / "predictions.csv"))
    source = shlex.quote(str(target / "src" / "test" / "java"))
    click.echo(f"labkit review {predictions} --source {source}")
