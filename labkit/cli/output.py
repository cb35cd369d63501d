"""Reports to stdout or a file, and what was left out to stderr."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labkit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.parsed import Problem
    from labkit.reports import Report
    from labkit.reports.document import Format

SHOWN = 20


def write_whole(path: Path, text: str) -> None:
    """Write a file so that nobody ever sees half of it; its mode and links stay.

    Raises:
        InputError: The file cannot be written.
    """
    target = Path(os.path.realpath(path))
    temporary: str | None = None
    try:
        mode = target.stat().st_mode & 0o7777 if target.exists() else None
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as out:
            out.write(text.encode())
            out.flush()
            os.fsync(out.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(mode if mode is not None else 0o666 & ~umask)
        Path(temporary).replace(target)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise InputError.at(str(path), None, f"cannot be written: {error.strerror}.") from error


def say_problems(problems: Sequence[Problem]) -> None:
    """Say on stderr what was left out or doubted: the first twenty, then how many more."""
    told = [problem for problem in problems if problem.severity != "note"]
    for problem in told[:SHOWN]:
        click.echo(str(problem), err=True)
    if len(told) > SHOWN:
        click.echo(f"and {len(told) - SHOWN} more", err=True)


def write_report(report: Report, form: Format, output: Path | None) -> None:
    """Render the report to stdout, or to a file as a whole.

    Raises:
        InputError: The file cannot be written.
    """
    from labkit.reports import render  # noqa: PLC0415  # the command line stays light

    text = render(report, form)
    say_problems(report.problems)
    if output is not None:
        write_whole(output, text)
        return
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
