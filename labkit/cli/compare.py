"""``labkit compare``: a baseline against one or more candidates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from labkit.cli.output import write_report
from labkit.cli.system_options import given, system_options

FORMATS = ("markdown", "json", "html", "text")


@click.command()
@click.argument("baseline", type=click.Path(path_type=Path))
@click.argument("candidates", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--gold", type=click.Path(path_type=Path), help="Labels that both are scored on.")
@click.option("--system", help="The system; detected from the files when left out.")
@click.option("--contract", type=click.Path(path_type=Path), help="decguard's contract.")
@click.option("--fail-on-regression", is_flag=True, help="Exit 1 when a metric regressed.")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="markdown")
@click.option("--output", type=click.Path(path_type=Path), help="Write the report to a file.")
@system_options
def command(**asked: Any) -> int:
    """Say of each metric whether it held or regressed: ``labkit.compare``.

    Takes two reports of score --format json, or predictions with --gold, which are paired by
    item. More than two runs give one row a run.

    Example: labkit compare before.csv after.csv --gold overrides.yaml --fail-on-regression
    """
    from labkit.systems import NAMES, Call  # noqa: PLC0415  # the command line stays light
    from labkit.systems.compare import compare  # noqa: PLC0415

    gold, system, output = (asked.pop(name) for name in ("gold", "system", "output"))
    runs = (asked.pop("baseline"), *asked.pop("candidates"))
    form = asked.pop("format_")
    if system is not None and system not in NAMES:
        raise click.UsageError(f"no system {system!r}; there are {', '.join(NAMES)}.")
    report = compare(Call(gold, runs, given(asked)), system)
    write_report(report, form, output)
    return report.exit_code
