"""Options that only some systems know; a system refuses those it does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
_PATH = click.Path(path_type=Path)
_OPTIONS = (
    click.option("--by", metavar="FIELD", help="Also the numbers for each value of a field."),
    click.option("--case", multiple=True, metavar="NAME", help="planwerk: only this case."),
    click.option("--thorough", is_flag=True, default=None, help="planwerk: recorded."),
    click.option("--specialists", is_flag=True, default=None, help="planwerk: recorded."),
    click.option("--tiers", type=_PATH, help="planwerk: models and efforts, a JSON object."),
    click.option("--line-distance", type=click.IntRange(min=0), help="aacr: lines of tolerance."),
    click.option(
        "--matcher", metavar="RULE", help="aacr: location, exact, jaccard:T, labels:FILE."
    ),
    click.option("--ids", type=click.Choice(["inject", "verbatim"]), help="aacr: comments' ids."),
    click.option("--rules", type=click.Choice(["v1", "v2"]), help="aacr: the matching rules."),
    click.option("--pr-category", multiple=True, help="aacr: only these pull requests."),
    click.option("--language", multiple=True, help="aacr: only these main languages."),
    click.option("--comment-category", multiple=True, help="aacr: only such references."),
    click.option("--context", multiple=True, help="aacr: only references of this context."),
)
"""In the order of the help text."""

baseline_option = click.option(
    "--baseline", type=_PATH, help="planwerk: the report to hold against; decguard: the drift's."
)
"""For ``score`` only; in ``compare`` the baseline is the first argument."""


def system_options(function: F) -> F:
    """Add every option that belongs to one or two systems."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given: an absent one is left out, so that a system can refuse.

    >>> given({"by": None, "case": (), "line_distance": 0, "thorough": None})
    {'line_distance': 0}
    """
    return {
        name: value
        for name, value in options.items()
        if value is not None and value is not False and value != ()
    }
