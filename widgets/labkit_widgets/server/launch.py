"""Starts the server, waits until it answers, prints the address, and ends everything at the end."""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import labkit
import labkit_widgets
from labkit.errors import InputError, LabkitError
from labkit_widgets.environment import REVIEWER, STUDY, TAB, reviewer_name
from labkit_widgets.server import places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

FIRST_PORT = 8866
TOKENS = "LABKIT_TOKENS"
_PORTS = 200
_START_SECONDS = 90
_STOP_SECONDS = 8
_HOST = "127.0.0.1"


def main(argv: Sequence[str] | None = None) -> int:
    """Serve one study to one reviewer until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m labkit_widgets.server", description=__doc__)
    parser.add_argument("study", type=Path, help="a study's folder")
    parser.add_argument("--reviewer", action="append", help="whose page; may be repeated")
    parser.add_argument("--tab", default="review", help="the tab on which the page opens")
    parser.add_argument("--lead", help="who sees results and exports, where there are several")
    add_options(parser)
    asked = parser.parse_args(argv)
    return until_interrupted(lambda: serve(asked.study.resolve(), asked))


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of every server."""
    parser.add_argument("--port", type=int, help=f"default: the first free one from {FIRST_PORT}")
    parser.add_argument("--no-browser", action="store_true", help="print the address, open nothing")


def until_interrupted(work: Callable[[], None]) -> int:
    """Do it; an interruption is a good end, and what is wrong with the call is one sentence."""
    try:
        with _interruptible():
            work()
    except KeyboardInterrupt:
        return 0
    except LabkitError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def free_port(wanted: int | None = None) -> int:
    """The port asked for, or the first free one from 8866.

    Raises:
        InputError: The one asked for is taken, or none is free.
    """
    for port in range(FIRST_PORT, FIRST_PORT + _PORTS) if wanted is None else (wanted,):
        with socket.socket() as probe, contextlib.suppress(OSError, OverflowError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((_HOST, port))
            return port
    taken = f"port {wanted}" if wanted is not None else f"every port from {FIRST_PORT} on"
    raise InputError(f"{taken} is in use or not allowed; name a free one with --port.")


def serve(study: Path, asked: argparse.Namespace) -> None:
    """Run Voila on the study; return when it ends, end it when interrupted."""
    names: list[str] = asked.reviewer or [reviewer_name()]
    people = list(dict.fromkeys([*names, *([asked.lead] if asked.lead else [])]))
    tokens = {name: secrets.token_urlsafe(24) for name in people}
    port = free_port(asked.port)
    pages = [(name, f"{address(port)}?token={tokens[name]}") for name in names]
    pages += [("lead", f"{address(port)}?token={tokens[asked.lead]}")] if asked.lead else []
    alone = {REVIEWER: names[0]} if len(people) == 1 else {}
    notebook = places.notebooks() / places.APP
    command = [sys.executable, "-m", "labkit_widgets.server.serve", str(notebook), str(port)]
    with tempfile.TemporaryDirectory(prefix="labkit-") as folder:
        env = environment(Path(folder))
        env.pop(REVIEWER, None)
        env |= {STUDY: str(study), TOKENS: json.dumps(tokens), TAB: asked.tab, **alone}
        run(command, env, notebook.parent, pages if len(pages) > 1 else [("", pages[0][1])], asked)


def address(port: int, path: str = "") -> str:
    """Where a page of this machine's server is."""
    return f"http://{_HOST}:{port}/{path}"


def run(
    command: Sequence[str],
    env: dict[str, str],
    folder: Path,
    pages: Sequence[tuple[str, str]],
    asked: argparse.Namespace,
) -> None:
    """Start a server, print the address of everybody's page when it answers, wait for its end."""
    server = subprocess.Popen(  # noqa: S603  # our own command
        command,
        env=env,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=sys.stderr.fileno(),
        start_new_session=True,
    )
    try:
        _wait(server, urlsplit(pages[0][1]).port or 0)
        sys.stdout.write("".join(f"{name} {page}".lstrip() + "\n" for name, page in pages))
        sys.stdout.flush()
        if not asked.no_browser:
            webbrowser.open(pages[-1][1])
        if server.wait():
            raise InputError(
                "the server ended by itself; what was shown as saved is on disk: start it again."
            )
    finally:
        _end(server)


def environment(folder: Path) -> dict[str, str]:
    """Ours plus the place of our packages; of the user's Jupyter settings nothing."""
    theirs = ("JUPYTER", "VOILA", "IPYTHON")
    env = {name: value for name, value in os.environ.items() if not name.startswith(theirs)}
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        place = folder / name.lower()
        place.mkdir(mode=0o700)
        env[name] = str(place)
    profile = Path(env["IPYTHONDIR"]) / "profile_default"
    profile.mkdir()
    quiet = {"IPKernelApp": {"log_level": logging.ERROR}}
    (profile / "ipython_kernel_config.json").write_text(json.dumps(quiet), encoding="utf-8")
    return importable(env) | {
        "JUPYTER_PATH": str(places.share()),
        "JUPYTER_NO_CONFIG": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


def importable(env: dict[str, str]) -> dict[str, str]:
    """The same with our packages on Python's path, whatever folder the process starts in."""
    roots = [str(Path(p.__path__[0]).resolve().parent) for p in (labkit, labkit_widgets)]
    theirs = [os.path.abspath(p) for p in _split(env.get("PYTHONPATH", ""))]  # noqa: PTH100  # keeps links as they are
    return env | {"PYTHONPATH": os.pathsep.join(dict.fromkeys([*roots, *theirs]))}


def _split(paths: str) -> list[str]:
    return [path for path in paths.split(os.pathsep) if path]


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + _START_SECONDS
    while not _answers(port):
        if server.poll() is not None:
            raise InputError("the server did not start; the lines above say why.")
        if time.monotonic() > end:
            raise InputError(f"the server did not answer within {_START_SECONDS} seconds.")
        time.sleep(0.05)


def _answers(port: int) -> bool:
    """Ask for a file that needs no kernel: the page itself would start one."""
    connection = http.client.HTTPConnection(_HOST, port, timeout=5)
    try:
        connection.request("GET", "/login")
        return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Let a polite kill end us the way Ctrl+C does."""
    names = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = [(name, signal.signal(name, signal.default_int_handler)) for name in names]
    try:
        yield
    finally:
        for name, handler in before:
            signal.signal(name, handler)


def _end(server: subprocess.Popen[bytes]) -> None:
    """End the server's own group: it takes its kernels along."""
    for name in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, name)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(_STOP_SECONDS)
            break
    if server.stdin is not None:
        server.stdin.close()
