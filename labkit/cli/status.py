"""``labkit status``: how far a study is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from labkit.study import Study

MAX_SHOWN = 10
"""Items that are listed by name."""


@click.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
def command(study: Path, form: str) -> None:
    """Show progress, and what comes next; the same as labkit.Study.status.

    Example: labkit status may --format json
    """
    from labkit.cli.init import say_problems  # noqa: PLC0415  # --help stays light
    from labkit.study import Study  # noqa: PLC0415

    with Study.open(study) as opened:
        say_problems(opened.problems)
        status = opened.status()
        if form == "json":
            click.echo(json.dumps(status, indent=2, ensure_ascii=False, allow_nan=False))
        else:
            click.echo(text(status, opened.config.protocol, imported=_imported(opened)))
            for warning in opened.estimated(per_tag=False)[0].warnings:
                click.echo(f"Note: {warning.message}")


def text(status: dict[str, Any], protocol: str, *, imported: int = 0) -> str:
    """The status in words."""
    lines = [f"{status['sampled']} of {status['items']} items drawn, {protocol}."]
    for who in status["reviewers"]:
        pace = who["medianSeconds"]
        lines.append(
            f"{who['name']}: {who['answered']} answered ({who['unsure']} unsure), "
            f"{who['skipped']} skipped, {who['flagged']} flagged"
            + (f", {pace:.1f} s each." if pace is not None else ".")
        )
    if not status["reviewers"]:
        lines.append("Nobody has answered yet.")
    if imported:
        lines.append(f"{imported} label{'s' * (imported > 1)} imported from an existing file.")
    if status["disputed"]:
        lines.append(f"{status['disputed']} items on which reviewers differ.")
    if status["stale"]:
        lines.append(f"{status['stale']} items are not in the predictions any more.")
    if status.get("secondLook"):
        again = ", ".join(status["secondLook"][:MAX_SHOWN])
        lines.append(f"{len(status['secondLook'])} changed since they were answered: {again}.")
    return "\n".join((*lines, *_numbers(status), *_looks(status.get("gateLooks", 0))))


def _imported(study: Study) -> int:
    """How many labels were imported from an existing file."""
    return sum(label.basis == "imported" for label in study.labels(answer="any"))


def _looks(times: int) -> list[str]:
    """How often a gate was looked at, and what that does to a pass by chance."""
    from labkit.estimation.warnings import warn_of_looks  # noqa: PLC0415  # --help stays light

    if times == 1:
        return ["The gate was looked at once."]
    return [warning.message for warning in warn_of_looks(times)]


def _minutes(minutes: float) -> str:
    """A length of work in whole minutes, one at least."""
    whole = max(1, round(minutes))
    return "1 minute" if whole == 1 else f"{whole} minutes"


def _numbers(status: dict[str, Any]) -> list[str]:
    """The headline estimates, and what the goal still needs."""
    rows = status["metrics"]
    basis = rows[0]["basis"] if rows else ""
    begun = any(row["n"] for row in rows)
    lines = [
        _row(row)
        for row in rows
        if row["basis"] == basis and (row["value"] is not None or (begun and row["reason"]))
    ]
    plan = status["plan"]
    if plan is None:
        return lines
    so_far = f"{plan['metric']} is known to ±{plan['halfWidth']:.2f}, goal ±{plan['goalHalfWidth']}"
    if not plan["moreLabels"]:
        return [*lines, f"{so_far}: reached."]
    minutes = plan["minutes"]
    time = "" if minutes is None else f", about {_minutes(minutes)}"
    where = f"; best next: {plan['nextStratum']}" if plan["nextStratum"] else ""
    return [*lines, f"{so_far}: about {plan['moreLabels']} more labels{time}{where}."]


def _row(row: dict[str, Any]) -> str:
    if row["value"] is None:
        return f"{row['name']}: n/a ({row['reason'].split(': ', 1)[-1]})"
    ends = "" if row["low"] is None else f" ({row['low']:.4f} to {row['high']:.4f})"
    about = f"{row['n']} labels, {row['basis']}, {row['design']}"
    return f"{row['name']}: {row['value']:.4f}{ends}, {about}"
