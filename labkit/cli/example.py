"""``labkit example``: something to play with."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("name")
@click.option(
    "--to", type=click.Path(path_type=Path), metavar="DIR", help="Where to; ./NAME when left out."
)
def command(name: str, to: Path | None) -> None:
    """Copy the example NAME and print the next command.

    There are relevance (a review with overrides), agreement (three reviewers), arms (with and
    without the AI's answer in view) and findings (a code reviewer on seeded bugs). From Python:
    labkit.examples.copy and next_command.

    Example: labkit example relevance
    """
    from labkit.examples import copy, next_command  # noqa: PLC0415  # loaded when it is called

    click.echo(next_command(name, copy(name, to)))
