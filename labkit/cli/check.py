"""``labkit check``: what a file is, what is in it, and every problem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from labkit.checks import Checked


@click.command()
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
)
def command(files: tuple[Path, ...], form: str) -> int:
    """Read any supported file or folder: what it is, counts, and every problem.

    In Python: labkit.check. Exits with 1 when part of a file could not be read.

    Example: labkit check predictions.csv overrides.yaml scan.sarif
    """
    from labkit.checks import check_all  # noqa: PLC0415  # the command line stays light

    found = [one for path in files for one in check_all(path)]
    alone = len(files) == 1 and len(found) == 1 and Path(found[0].file) == files[0]
    text = _json(found, alone=alone) if form == "json" else _text(found)
    click.echo(text, nl=False)
    return 1 if any(one.bad for one in found) else 0


def _json(found: list[Checked], *, alone: bool) -> str:
    from labkit.reports import Report, render  # noqa: PLC0415  # the command line stays light

    if alone:
        return render(Report({"schemaVersion": 1, **found[0].as_dict()}), "json")
    files = [{"file": Path(one.file).name, **one.as_dict()} for one in found]
    return render(Report({"schemaVersion": 1, "files": files}), "json")


def _text(found: list[Checked]) -> str:
    if not found:
        return "no file that labkit knows.\n"
    return "\n".join(_one(checked) for checked in found)


def _one(checked: Checked) -> str:
    name = Path(checked.file).name or checked.file
    items = f"{checked.items} item{'' if checked.items == 1 else 's'}"
    lines = [f"{name}: {checked.kind}, {items}"]
    lines += [f"  {_words(key)}: {_value(value)}" for key, value in checked.summary.items()]
    lines += [
        str(problem) + ("" if problem.severity == "error" else f" ({problem.severity})")
        for problem in checked.problems
    ]
    return "\n".join(lines) + "\n"


def _words(key: str) -> str:
    """``forReview`` as ``for review``."""
    return "".join(f" {c.lower()}" if c.isupper() else c for c in key)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value(part)}" for name, part in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_value, value)) or "none"
    if value is None:
        return "n/a"
    text = str(value)
    return text if text.isprintable() else repr(text)
