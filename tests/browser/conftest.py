"""A real Voila and a real Chromium; nothing of the user's Jupyter or browser gets in."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[2]
CARD = "[data-labkit='card']"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OURS = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


def _chromium() -> str | None:
    named = os.environ.get("LABKIT_CHROMIUM")
    found = (shutil.which(name) for name in ((named,) if named else NAMES))
    return next((path for path in found if path), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=_chromium(), args=FLAGS)
        except api.Error as error:
            pytest.skip(f"no browser here; set LABKIT_CHROMIUM: {str(error).splitlines()[0]}")
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh browser; every host but this one is blocked, and asking for one is a failure."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    asked: list[str] = []
    errors: list[str] = []

    def gate(route: Any) -> None:
        url = route.request.url
        if url.startswith(OURS):
            route.continue_()
        else:
            asked.append(url)
            route.abort()

    context.route("**/*", gate)
    found = context.new_page()
    found.set_default_timeout(20_000)
    found.on("pageerror", lambda error: errors.append(str(error)))
    yield found
    context.close()
    assert asked == []
    assert [e for e in errors if "Cannot send" not in e and "Canceled" not in e] == []


@dataclass
class App:
    """A running ``labkit review``."""

    url: str
    study: Path
    process: subprocess.Popen[str]
    log: Path
    lines: list[str] = field(default_factory=list)

    def kernels(self) -> list[int]:
        """The process ids of the kernels that this server started."""
        family, found = {self.process.pid}, []
        for _generation in range(3):
            for entry in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError, IndexError, ValueError):
                    stat = (entry / "stat").read_text().rpartition(")")[2].split()
                    if int(stat[1]) in family and stat[0] != "Z":
                        family.add(int(entry.name))
        for pid in family:
            with contextlib.suppress(OSError):
                if b"ipykernel_launcher" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
        return sorted(found)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def labkit_env(**more: str) -> dict[str, str]:
    """The environment of a command; relative import paths would not survive another folder."""
    roots = [str(ROOT), str(ROOT / "widgets")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(roots), **more}
    env.pop("LABKIT_REVIEWER", None)
    return env


@pytest.fixture
def review(tmp_path: Path) -> Iterator[Callable[..., App]]:
    """Starts ``labkit review`` on predictions or a study; ends it, and looks that it ended."""
    with contextlib.ExitStack() as running:

        def start(
            target: Path, *options: str, reviewer: str | None = "ada", command: str = "review"
        ) -> App:
            line = [sys.executable, "-m", "labkit", command, str(target), "--no-browser"]
            line += ["--port", str(free_port()), *options]
            line += ["--reviewer", reviewer] if reviewer else []
            return _running(line, labkit_env(), tmp_path, running, target)

        yield start


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Callable[[Path], App]]:
    """Starts ``labkit lab`` on a study, with Jupyter settings of its own."""
    with contextlib.ExitStack() as running:

        def start(study: Path) -> App:
            places = {
                f"JUPYTER_{name}_DIR": str(tmp_path / name)
                for name in ("CONFIG", "DATA", "RUNTIME")
            }
            settings = tmp_path / "CONFIG/lab/user-settings/@jupyterlab/apputils-extension"
            settings.mkdir(parents=True)
            (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
            config = tmp_path / "CONFIG/jupyter_lab_config.py"
            config.write_text("c.LabApp.expose_app_in_browser = True\n")
            command = [sys.executable, "-m", "labkit", "lab", str(study), "--no-browser"]
            command += ["--reviewer", "ada", "--port", str(free_port())]
            env = labkit_env(IPYTHONDIR=str(tmp_path / "IPYTHON"), **places)
            return _running(command, env, tmp_path, running, study)

        yield start


def _running(
    command: list[str],
    env: dict[str, str],
    folder: Path,
    running: contextlib.ExitStack,
    study: Path,
) -> App:
    log = folder / f"server-{time.monotonic_ns()}.log"
    with log.open("w") as stderr:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=env,
            cwd=folder,
            start_new_session=True,
        )
    running.callback(_finish, process)
    app = App("", study, process, log)
    threading.Thread(target=_gather, args=(process, app.lines), daemon=True).start()
    end = time.monotonic() + 60
    while not app.lines and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    assert app.lines, log.read_text()
    app.url = app.lines[0].strip()
    return app


def _gather(process: subprocess.Popen[str], lines: list[str]) -> None:
    if process.stdout is not None:
        with process.stdout:
            lines.extend(process.stdout)


def _finish(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(5)


class Card:
    """What a reviewer does at the card, and what the hooks say."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self, url: str) -> Card:
        self.page.goto(url)
        self.page.wait_for_selector(CARD)
        return self

    def hook(self, name: str) -> str:
        found: str = self.page.get_attribute(CARD, f"data-{name}") or ""
        return found

    @property
    def state(self) -> tuple[str, str, int]:
        found: list[str] = self.page.eval_on_selector(
            CARD, "e => [e.dataset.item, e.dataset.phase, e.dataset.saved]"
        )
        return found[0], found[1], int(found[2])

    def until(self, **hooks: object) -> Card:
        wanted = {name: str(value) for name, value in hooks.items()}
        self.page.wait_for_function(
            "([s, w]) => Object.entries(w).every(([k, v]) =>"
            " document.querySelector(s)?.dataset[k] === v)",
            arg=[CARD, wanted],
        )
        return self

    def press(self, key: str) -> Card:
        self.page.keyboard.press(key)
        return self

    def answer(self, *keys: str) -> str:
        """Answer the item in view, keep the answer, and wait for the next item."""
        item, _phase, saved = self.state
        for key in keys:
            self.press(key)
        self.until(phase="revealed", saved=saved + 1)
        if keys[-1] == "Enter":
            self.pause()
        self.press("Enter")
        self.page.wait_for_function(
            "([s, i]) => document.querySelector(s).dataset.item !== i", arg=[CARD, item]
        )
        return item

    def pause(self, milliseconds: int = 320) -> Card:
        """Longer than a slip of the finger."""
        self.page.wait_for_timeout(milliseconds)
        return self


@pytest.fixture
def card(page: Page) -> Card:
    return Card(page)
