"""Starts JupyterLab on the notebooks, with the user's own settings and the study chosen."""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit_widgets.environment import REVIEWER, STUDY
from labkit_widgets.server import launch, places

if TYPE_CHECKING:
    from collections.abc import Sequence

_FIRST = "01_review.ipynb"
_QUIET = (
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate",
)
"""Nothing is asked of other hosts: no news, no look for a newer JupyterLab."""
_CONNECTION = "labkit_widgets.server.nodelay.NoDelay"


def main(argv: Sequence[str] | None = None) -> int:
    """Serve the notebooks until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m labkit_widgets.server.lab")
    parser.add_argument("--study", type=Path, help="the study that the notebooks open")
    parser.add_argument("--reviewer", help="whose answers these are (default: the login name)")
    launch.add_options(parser)
    asked = parser.parse_args(argv)
    return launch.until_interrupted(lambda: serve(asked))


def serve(asked: argparse.Namespace) -> None:
    """Run JupyterLab on a copy of the notebooks beside the study."""
    study = asked.study.resolve() if asked.study else None
    folder = copies(study / "notebooks" if study else Path.cwd() / "labkit-notebooks")
    port, token = launch.free_port(asked.port), secrets.token_urlsafe(24)
    env = launch.importable(dict(os.environ)) | {"JUPYTER_TOKEN": token}
    env |= {STUDY: str(study)} if study else {}
    env |= {REVIEWER: asked.reviewer} if asked.reviewer else {}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ServerApp.ip=127.0.0.1"]
    command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    command += [f"--ServerApp.root_dir={folder}", "--ServerApp.log_level=WARN"]
    command += [f"--ServerApp.kernel_websocket_connection_class={_CONNECTION}"]
    command += _QUIET
    command += ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    page = launch.address(port, f"lab/tree/{_FIRST}?token={token}")
    launch.run(command, env, folder, [("", page)], asked)


def copies(folder: Path) -> Path:
    """The notebooks in a folder of the user's; what is there already stays.

    Raises:
        InputError: The folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for notebook in places.notebooks().glob("[0-9]*.ipynb"):
            if not (folder / notebook.name).exists():
                shutil.copyfile(notebook, folder / notebook.name)
    except OSError as error:
        reason = error.strerror or "cannot be written"
        raise InputError(f"{folder}: {reason}; start labkit lab where you may write.") from error
    return folder


if __name__ == "__main__":
    sys.exit(main())
