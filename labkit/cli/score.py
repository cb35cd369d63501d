"""``labkit score``: evaluate files against labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labkit.cli.output import write_report
from labkit.cli.system_options import baseline_option, given, system_options

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ("methodatlas", "planwerk", "decguard", "aacr", "godaudits", "labkit")
_GATES = (
    ("min-f1", "relevance F1 and micro tag F1"),
    ("min-precision", "precision"),
    ("min-recall", "recall"),
    ("min-accuracy", "accuracy"),
    ("min-macro-f1", "macro F1"),
    ("max-ece", "expected calibration error"),
    ("max-brier", "Brier score, 0 to 2"),
    ("max-nll", "negative log-likelihood"),
    ("min-coverage", "share answered at the confidence threshold"),
    ("min-selective-accuracy", "accuracy at the confidence threshold"),
    ("max-error-rate", "error rate"),
    ("max-latency-p95-ms", "95th percentile of latency"),
)
_FILE = click.Path(path_type=Path)


def _gates(function: Callable[..., Any]) -> Callable[..., Any]:
    for name, what in reversed(_GATES):
        most = "at least" if name.startswith("min") else "at most"
        text = f"Exit 1 unless the {what} is {most} X."
        function = click.option(f"--{name}", type=float, metavar="X", help=text)(function)
    return function


@click.command()
@click.argument("gold", required=False, type=_FILE)
@click.argument("predictions", nargs=-1, type=_FILE)
@click.option("--study", type=_FILE, help="Score a study instead of files.")
@click.option("--system", type=click.Choice(NAMES), help="Whose files; detected when left out.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json", "html", "text"]),
    default="markdown",
    show_default=True,
)
@click.option("--output", type=_FILE, help="Write the report to a file instead of stdout.")
@_gates
@click.option("--confidence-threshold", type=float, metavar="X", help="For coverage.")
@click.option("--gates", type=_FILE, help="YAML with requirements and warnings.")
@click.option("--gate-on", type=click.Choice(["value", "low"]), help="Which end a gate reads.")
@click.option("--contract", type=_FILE, help="decguard: an edited contract.")
@click.option("--fail-on-warn", is_flag=True, help="decguard: exit 1 on warnings too.")
@click.option("--confidence-of", type=click.Choice(["given", "positive"]), help="labkit.")
@click.option("--positive", help="labkit: which of two labels is the positive one.")
@click.option(
    "--rename",
    multiple=True,
    metavar="NAME=OTHER",
    help="labkit: take the predictions' label NAME for OTHER; repeatable.",
)
@click.option(
    "--sample",
    type=click.Choice(["simple"]),
    help="labkit: the labels are a random sample; of one file, all of it is.",
)
@click.option("--answer", type=click.Choice(["first", "final"]), help="labkit: which answer.")
@baseline_option
@system_options
def command(  # noqa: PLR0913, PLR0917  # one parameter an option that is not passed on
    gold: Path | None,
    predictions: tuple[Path, ...],
    study: Path | None,
    system: str | None,
    form: Any,
    output: Path | None,
    **options: Any,
) -> int:
    """Evaluate PREDICTIONS against GOLD (Python: labkit.score).

    Low scores alone never change the exit code: gates do (1). Bad input is 2.

    Example: labkit score overrides.yaml predictions.csv --min-f1 0.8
    """
    from labkit.systems import Call, detection, gating  # noqa: PLC0415  # the command line stays light

    asked = given(options)
    if study is not None:
        report = gating.score(
            "study", Call(study, tuple(filter(None, (gold, *predictions))), asked)
        )
    elif gold is None:
        raise click.UsageError("name GOLD and PREDICTIONS, or --study.")
    else:
        name = system or detection.system_of((gold, *predictions))
        report = gating.score(name, Call(gold, predictions, asked))
    write_report(report, form, output)
    code: int = report.exit_code
    return code
