"""``labkit update``: takes a new scan into a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from labkit.studyupdate import Updated

SHOWN = 10


@click.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.argument("predictions", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
)
def command(study: Path, predictions: Path, form: str) -> None:
    """Take a new scan into a study: labels follow their items; in Python labkit.Study.update.

    Vanished items keep their decisions as stale ones, changed evidence asks for a second look,
    and new items are drawn as the old ones were.

    Example: labkit update may.study june.csv
    """
    from datetime import UTC, datetime  # noqa: PLC0415  # --help stays light

    from labkit.cli.output import say_problems  # noqa: PLC0415
    from labkit.studyupdate import update  # noqa: PLC0415

    found = update(study, predictions, at=datetime.now(UTC))
    say_problems(found.problems)
    if form == "json":
        from labkit.reports import Report, render  # noqa: PLC0415

        click.echo(render(Report(found.as_dict()), "json"), nl=False)
        return
    click.echo("\n".join(_lines(found)))
    click.echo(f"Next: labkit review {study}")


def _lines(found: Updated) -> list[str]:
    moved = f", {found.moved} under another id" if found.moved else ""
    lines = [
        f"{found.items} items: {found.kept} as before{moved}, {len(found.new)} new.",
        f"{found.sampled} in the sample, {found.drawn_new} of them newly drawn.",
    ]
    for items, what in (
        (found.gone, "labelled and gone (stale)"),
        (found.back, "gone before and back, with their labels"),
        (found.changed, "labelled and changed: look again"),
        (found.left_sample, "labelled and outside the sample now"),
    ):
        if items:
            more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
            lines.append(f"{len(items)} {what}: {', '.join(items[:SHOWN])}{more}.")
    return lines
