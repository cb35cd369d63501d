"""How quick the review app is: from a key to the next paint, to the disk, and the first paint."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from tests.bench.processes import ROOT, many_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEYS = 60
LOADS = 5
SIZES = (100, 20_000)
CARD = "[data-labkit='card']"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WATCH = """() => {
  const card = document.querySelector("[data-labkit='card']");
  const log = (window.labkitBench = {painted: [], stored: []});
  let pressed = 0, item = card.dataset.item, saved = card.dataset.saved;
  addEventListener("keydown", () => { pressed = performance.now(); }, true);
  new MutationObserver(() => {
    const start = pressed;
    if (!start) return;
    if (card.dataset.saved !== saved) log.stored.push(performance.now() - start);
    const next = card.dataset.item !== item;
    [item, saved] = [card.dataset.item, card.dataset.saved];
    if (next) {
      const done = () => log.painted.push(performance.now() - start);
      const painted = new MessageChannel();
      painted.port1.onmessage = done;  // comes when the frame has been drawn
      requestAnimationFrame(() => painted.port2.postMessage(null));
    }
  }).observe(card, {attributes: true});
}"""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def serving(words: list[str], url: str | None = None) -> Iterator[str]:
    """A server for as long as it is needed; its address is printed by it, or known."""
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'widgets'}"}
    process = subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=env,
        start_new_session=True,
    )
    try:
        if url is None:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
        yield url
    finally:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(5)


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """Chromium, headless."""
    from playwright.sync_api import sync_playwright

    named = os.environ.get("LABKIT_CHROMIUM")
    path = next((p for name in ((named,) if named else NAMES) if (p := shutil.which(name))), None)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield found
        found.close()


def _p95(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, round(0.95 * (len(values) - 1)))]


def keys(page: Any, url: str) -> tuple[list[float], list[float]]:
    """Milliseconds from each key to the next item's paint, and to the acknowledgement."""
    page.goto(url)
    page.wait_for_selector(f"{CARD}[data-phase='answer']")
    page.evaluate(WATCH)
    for count in range(1, KEYS + 1):
        page.keyboard.press("n")
        page.wait_for_selector(f"{CARD}[data-saved='{count}']")
        page.wait_for_timeout(350)  # a repeat of the same key is swallowed for 300 ms
    log = page.evaluate("() => window.labkitBench")
    return log["painted"], log["stored"]


def first_paint(found: Any, url: str, selector: str) -> float:
    """Median milliseconds until the selector is there, on a server that is warm."""
    took = []
    for _ in range(LOADS + 1):
        context = found.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        started = time.perf_counter()
        page.goto(url, wait_until="commit")
        page.wait_for_selector(selector)
        took.append((time.perf_counter() - started) * 1000)
        context.close()
        time.sleep(4)  # the next kernel is heated meanwhile
    return statistics.median(took[1:])


def lines(folder: Path) -> Iterator[str]:
    """The measurements, one line each."""
    medians: dict[str, dict[int, float]] = {"painted": {}, "stored": {}}
    goals = {"painted": 50, "stored": 60}
    with browser() as found:
        for size in SIZES:
            place = folder / str(size)
            place.mkdir()
            _, predictions = many_rows(place, size)
            study = place / "s"
            run_labkit("init", str(predictions), "--study", str(study), "--protocol", "blind")
            with serving(review_words(study)) as url:
                page = found.new_page(viewport={"width": 1280, "height": 800})
                measured = dict(zip(medians, keys(page, url), strict=True))
                page.close()
                for name, took in measured.items():
                    medians[name][size] = statistics.median(took)
                    yield (
                        f"key to {name:<8} {size:>6,} items      median {medians[name][size]:6.1f}"
                        f"  p95 {_p95(took):6.1f} ms, goal p95 ≤ {goals[name]}"
                    )
                if size == SIZES[0]:
                    paint = first_paint(found, url, f"{CARD}[data-phase='answer']")
        for name, by_size in medians.items():
            ratio = by_size[SIZES[1]] / by_size[SIZES[0]]
            yield f"key to {name:<8} 20,000 against 100     {ratio:.2f} ×, goal ≤ 1.2"
        bare = _bare(found, folder)
        yield (
            f"first paint                       {paint:7.0f} ms  {paint / bare:.2f} × a bare Voila "
            f"page with one button ({bare:.0f} ms), goal ≤ 1.3"
        )


def run_labkit(*words: str) -> None:
    """One command, silently."""
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'widgets'}"}
    command = [sys.executable, "-m", "labkit", *words]
    subprocess.run(command, check=True, capture_output=True, env=env)


def review_words(study: Path, reviewer: str = "bench") -> list[str]:
    """What Python is started with to review a study."""
    words = ["-m", "labkit", "review", str(study), "--no-browser", "--reviewer", reviewer]
    return [*words, "--port", str(_free_port())]


def _bare(found: Any, folder: Path) -> float:
    notebook = folder / "bare.ipynb"
    source = "import ipywidgets\nipywidgets.Button(description='ready')"
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "source": source,
            "execution_count": None}  # fmt: skip
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook.write_text(
        json.dumps({"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}),
        encoding="utf-8",
    )
    port = _free_port()
    words = ["-m", "voila", str(notebook), f"--port={port}", "--no-browser",
             "--preheat_kernel=True", "--pool_size=1"]  # fmt: skip
    url = f"http://127.0.0.1:{port}/"
    with serving(words, url):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.2)
        time.sleep(5)
        return first_paint(found, url, "button:has-text('ready')")
