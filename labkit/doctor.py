"""What works on this machine: versions, offline assets, browser, store, keys."""

from __future__ import annotations

import os
import platform
import re
import shutil
import socket
import sqlite3
import sys
import tempfile
import webbrowser
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from labkit.errors import LabkitError
from labkit.reports.document import Block, Document, Heading, Report, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

State = Literal["ok", "missing", "problem"]
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+).*?(?:;.*extra\s*==\s*[\"']([a-z]+)[\"'])?$")
_ADDRESS = re.compile(rb"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//|import\s*\(?["']https?:""")
_ASSETS = ("static/review.js", "static/review.css")
_LAB_KEYS = (4, 1)
"""From this JupyterLab on a widget can keep the page's shortcuts off its keys."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    area: str
    name: str
    state: State
    detail: str = ""


def examine(study: Path | None = None) -> Report:
    """Look at everything, and at a study's files where one is named. Changes nothing."""
    found = [*_python(), *_packages(), *_assets(), *_browser(), *_store(), *_keys()]
    if study is not None:
        found += _study(study)
    areas = list(dict.fromkeys(one.area for one in found))
    blocks: list[Block] = [Heading("What works here", 1)]
    for area in areas:
        rows = tuple((one.name, one.state, one.detail) for one in found if one.area == area)
        blocks += [Heading(area.capitalize()), Table(("what", "state", "detail"), rows)]
    data: dict[str, object] = {
        "schemaVersion": 1,
        "works": all(one.state != "problem" for one in found),
        "checks": [
            {"area": one.area, "name": one.name, "state": one.state, "detail": one.detail}
            for one in found
        ],
    }
    return Report(data, Document(tuple(blocks)))


def lines(report: Report) -> str:
    """The findings as plain lines, one each."""
    checks = report.data["checks"]
    assert isinstance(checks, list)  # noqa: S101  # made by examine
    marks = {"ok": "ok      ", "missing": "missing ", "problem": "PROBLEM "}
    text = [f"{marks[c['state']]} {c['area']}: {c['name']}  {c['detail']}".rstrip() for c in checks]
    return "\n".join(text) + "\n"


def _python() -> Iterator[Finding]:
    where = f"{platform.system()} {platform.machine()}"
    state: State = "ok" if sys.version_info >= (3, 11) else "problem"
    yield Finding("versions", f"Python {platform.python_version()}", state, where)
    mode = sys.getfilesystemencoding()
    yield Finding("versions", "file names", "ok" if mode == "utf-8" else "problem", mode)


def _packages() -> Iterator[Finding]:
    try:
        wanted = requires("labkit") or []
    except PackageNotFoundError:
        from labkit import __version__  # noqa: PLC0415  # only where nothing is installed

        yield Finding(
            "versions", f"labkit {__version__}", "ok", "not installed, run from its folder"
        )
        return
    yield Finding("versions", f"labkit {version('labkit')}", "ok")
    for line in wanted:
        matched = _REQUIREMENT.match(line)
        if matched is None:
            continue
        name, extra = matched[1], matched[2] or ""
        if extra not in {"", "app", "postgres"} or name == "labkit":
            continue
        try:
            yield Finding("versions", f"{name} {version(name)}", "ok", extra and f"for [{extra}]")
        except PackageNotFoundError:
            hint = f"pip install 'labkit[{extra}]'" if extra else "install labkit again"
            yield Finding("versions", name, "missing" if extra else "problem", hint)


def _widgets() -> Path | None:
    spec = find_spec("labkit_widgets")
    return Path(spec.origin).parent if spec and spec.origin else None


def _assets() -> Iterator[Finding]:
    folder = _widgets()
    if folder is None:
        yield Finding("offline", "the app", "missing", "pip install 'labkit[app]'")
        return
    for name in _ASSETS:
        there = (folder / name).is_file()
        yield Finding("offline", name, "ok" if there else "problem")
    outside = [
        path.name
        for path in sorted((folder / "static").rglob("*"))
        if path.suffix in {".js", ".css"} and _ADDRESS.search(path.read_bytes())
    ]
    yield Finding(
        "offline",
        "no file asks another host",
        "problem" if outside else "ok",
        ", ".join(outside),
    )
    vega = find_spec("vl_convert") is not None
    yield Finding("offline", "charts", "ok" if vega else "missing", "drawn by vl-convert")


def _browser() -> Iterator[Finding]:
    try:
        name = getattr(webbrowser.get(), "name", "the system's own")
    except webbrowser.Error:
        name = ""
    detail = name or "none that Python can open; open the printed address yourself"
    yield Finding("browser", "for people", "ok" if name else "missing", str(detail))
    named = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    here = [os.environ.get("LABKIT_CHROMIUM", ""), *named]
    chrome = next((path for one in here if one and (path := shutil.which(one))), "")
    yield Finding("browser", "for the tests", "ok" if chrome else "missing", chrome)
    with socket.socket() as listener:
        try:
            listener.bind(("127.0.0.1", 0))
            yield Finding("browser", "a port on 127.0.0.1", "ok")
        except OSError as error:
            yield Finding("browser", "a port on 127.0.0.1", "problem", str(error))


def _store() -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        try:
            connection = sqlite3.connect(Path(folder) / "probe.db")
            mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            connection.execute("CREATE TABLE probe (x)")
            connection.close()
            yield Finding("store", f"SQLite {sqlite3.sqlite_version}", "ok", f"journal {mode}")
        except sqlite3.Error as error:
            yield Finding("store", f"SQLite {sqlite3.sqlite_version}", "problem", str(error))
    driver = find_spec("psycopg") is not None
    hint = "" if driver else "only for teams: pip install 'labkit[postgres]'"
    yield Finding("store", "PostgreSQL driver", "ok" if driver else "missing", hint)


def _keys() -> Iterator[Finding]:
    try:
        lab = version("jupyterlab")
    except PackageNotFoundError:
        yield Finding("keys", "JupyterLab", "missing", "only for notebooks")
        return
    numbers = tuple(int(part) for part in re.findall(r"\d+", lab)[:2])
    state: State = "ok" if numbers >= _LAB_KEYS else "problem"
    yield Finding("keys", f"JupyterLab {lab} leaves the card its keys", state)


def _study(folder: Path) -> Iterator[Finding]:
    from labkit.study import Study  # noqa: PLC0415  # only where a study is named

    try:
        with Study.open(folder) as study:
            yield Finding("study", f"{len(study.items)} items", "ok", study.store.place)
            yield Finding("study", f"{study.last_seq()} rows in the log", "ok")
            for problem in study.problems:
                yield Finding("study", problem.name, "problem", problem.message)
            here = os.access(study.folder, os.W_OK)
            yield Finding("study", "the folder can be written", "ok" if here else "problem")
    except LabkitError as error:
        yield Finding("study", str(folder), "problem", str(error))
