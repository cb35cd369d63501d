"""The ``labkit`` command: one small module a subcommand, loaded only when it is called."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import Any

import click

from labkit import __version__
from labkit.errors import LabkitError, printable

COMMANDS: dict[str, str] = {
    "review": "Open the review app on a predictions file or a study",
    "adjudicate": "Settle what reviewers differ on",
    "lab": "Open JupyterLab on the notebooks, with a study chosen",
    "init": "Make a study: draw a sample of an AI's predictions",
    "update": "Take a new scan into a study; labels follow their items",
    "status": "Progress of a study, and what comes next",
    "check": "Read any supported file: what it is, counts, every problem",
    "score": "Evaluate predictions against labels, with gates",
    "export": "Write vetted labels: overrides in place, or labels with their provenance",
    "compare": "Hold runs against a baseline: held or regressed, check by check",
    "doctor": "What works on this machine: versions, assets, store, keys",
    "agreement": "How far reviewers agree: percent, kappa, alpha, AC1, anchoring",
    "backup": "Write a study with its whole log into one file",
    "restore": "Make a study again from a backup",
    "store": "Move a study's decisions to another database",
    "example": "Copy an example to play with, and print the next command",
}
"""Each subcommand and its one line; the function lives in ``labkit.cli.NAME`` as ``command``."""

EXIT_BAD_INPUT = 2


class _Lazy(click.Group):
    """A group that knows its commands' names without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"labkit.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            if COMMANDS:
                formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="labkit")
def cli() -> None:
    """Find out how good an AI's answers really are.

    Example: labkit review predictions.csv
    """


def _say(message: str) -> None:
    click.echo(" ".join(message.split()), err=True)


def main(args: list[str] | None = None) -> None:
    """Run the command; bad input or a bad call is one sentence on stderr and exit code 2."""
    # a command is over before its garbage matters; looking for it costs a fifth of the time
    gc.set_threshold(1_000_000, 20, 20)
    try:
        outcome: Any = cli.main(args, prog_name="labkit", standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        hint = ""
        if isinstance(error, click.UsageError) and error.ctx is not None:
            hint = f" Try '{error.ctx.command_path} --help'."
        _say(f"labkit: {error.format_message()}{hint}")
        sys.exit(EXIT_BAD_INPUT)
    except LabkitError as error:
        _say(str(error))
        sys.exit(EXIT_BAD_INPUT)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _say(printable(f"{place}{error.strerror or error}."))
        sys.exit(EXIT_BAD_INPUT)
    gc.freeze()  # the end of the process need not look for garbage either
    sys.exit(outcome if isinstance(outcome, int) else 0)
