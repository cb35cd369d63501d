"""Finding a test method in a folder of source code; plain lines, never outside the folder."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from labkit.presets.material import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from labkit.model import Item

LANGUAGES = {
    ".java": "c",
    ".kt": "kotlin",
    ".cs": "c",
    ".scala": "scala",
    ".groovy": "c",
    ".py": "python",
    ".go": "go",
    ".ts": "script",
    ".tsx": "script",
    ".js": "script",
    ".jsx": "script",
    ".mjs": "script",
    ".ps1": "script",
}
SKIPPED = {"node_modules", "__pycache__", "target", "build", "dist", "bin", "obj", "venv"}
MAX_FILES = 200_000
MAX_BYTES = 2_000_000
MAX_CACHED = 64
MAX_LINES = 400
MAX_COLUMNS = 1_000
CONTEXT = 8
_QUOTES = "[\"'`]"


class SourceTree:
    """The source files of a folder, listed once, when the first excerpt is asked for."""

    def __init__(self, folder: Path) -> None:
        """Name the folder; nothing is read yet."""
        self.folder = folder
        self._texts: dict[PurePosixPath, tuple[str, ...]] = {}

    @cached_property
    def _root(self) -> Path:
        return self.folder.resolve()

    @cached_property
    def _by_stem(self) -> dict[str, list[PurePosixPath]]:
        found: dict[str, list[PurePosixPath]] = {}
        for path in self._walk():
            found.setdefault(path.name.partition(".")[0], []).append(path)
        return found

    def _walk(self) -> Iterator[PurePosixPath]:
        left = MAX_FILES
        for folder, folders, names in os.walk(self._root):
            folders[:] = sorted(f for f in folders if f not in SKIPPED and not f.startswith("."))
            for name in sorted(names):
                if os.path.splitext(name)[1] in LANGUAGES:  # noqa: PTH122  # called for each file
                    yield PurePosixPath(Path(folder, name).relative_to(self._root).as_posix())
                    left -= 1
                    if not left:
                        return

    def excerpt(self, item: Item, context: int = CONTEXT) -> Excerpt | None:
        """The lines of an item, ``context`` more around them; ``None`` where it is not found."""
        for path in self._candidates(item.subtitle):
            lines = self._lines(path)
            span = _span(lines, item, LANGUAGES[path.suffix])
            if span is not None:
                start, end = span
                first = max(1, start - context)
                last = min(len(lines), end + context, first + MAX_LINES - 1)
                shown = tuple(line[:MAX_COLUMNS] for line in lines[first - 1 : last])
                return Excerpt(str(path), first, shown, (start, min(end, last)))
        return None

    def _candidates(self, fqcn: str) -> list[PurePosixPath]:
        """Files that may hold the class, the likeliest first."""
        parts = [part for part in re.split(r"[./\\$+:]+", fqcn) if part]
        found: dict[PurePosixPath, tuple[int, int]] = {}
        for depth, name in enumerate(reversed(parts)):
            before = parts[: len(parts) - depth - 1]
            for path in self._by_stem.get(name, ()):
                found.setdefault(path, (-_shared(before, path.parent.parts), depth))
        best = sorted(found, key=lambda path: (found[path], str(path)))
        if len(parts) == 1:
            # Go: the class name is the package, which is the folder, and the tests are beside it
            paths = [p for group in self._by_stem.values() for p in group if p.suffix == ".go"]
            best += [p for p in paths if p.parent.name == parts[0]]
            best += [p for p in paths if p.parent.name != parts[0] and p.stem.endswith("_test")]
        return best[:50]

    def _lines(self, path: PurePosixPath) -> tuple[str, ...]:
        if path not in self._texts:
            if len(self._texts) >= MAX_CACHED:
                self._texts.pop(next(iter(self._texts)))
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _read(self, path: PurePosixPath) -> tuple[str, ...]:
        real = (self._root / path).resolve()
        try:
            if not real.is_relative_to(self._root) or real.stat().st_size > MAX_BYTES:
                return ()
            text = real.read_bytes().decode("utf-8", errors="replace")
        except OSError:
            return ()
        return tuple(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))


def _shared(wanted: list[str], there: tuple[str, ...]) -> int:
    """How many of the last folders are the wanted ones."""
    count = 0
    for left, right in zip(reversed(wanted), reversed(there), strict=False):
        if left != right:
            break
        count += 1
    return count


def _heads(method: str, language: str) -> list[re.Pattern[str]]:
    """What the first line of the method looks like, the surest first."""
    name = re.escape(method)
    match language:
        case "python":
            return [re.compile(rf"^\s*(?:async\s+)?def\s+{name}\s*[(\[]")]
        case "go":
            return [re.compile(rf"^\s*func\s+(?:\([^)]*\)\s*)?{name}\s*[(\[]")]
        case "kotlin":
            return [re.compile(rf"\bfun\s+(?:<[^>]*>\s*)?(?:[\w.]+\.)?`?{name}`?\s*\(")]
        case "scala":
            return [re.compile(rf"\bdef\s+`?{name}`?\b"), _quoted(method)]
        case "script":
            function = rf"(?:function\s+{name}\s*\(|^\s*(?:async\s+)?{name}\s*\([^;]*\{{\s*$)"
            return [_quoted(re.split(r"\s+>\s+", method)[-1]), re.compile(function)]
    return [
        re.compile(
            rf"^(?!\s*(?:return|new|throw|else|//|\*)\b)[^=;\"(]*[\w>\]]\s+{name}\s*\([^;]*$"
        ),
        re.compile(rf"^(?!\s*(?:return|new|throw|else)\b)\s*{name}\s*\([^;]*\{{"),
        _quoted(method),
    ]


def _quoted(title: str) -> re.Pattern[str]:
    return re.compile(rf"[\w.)]*\s*[( ]\s*{_QUOTES}{re.escape(title)}{_QUOTES}")


def _span(lines: tuple[str, ...], item: Item, language: str) -> tuple[int, int] | None:
    """First and last line of the method, from 1."""
    inner = re.split(r"[.$+]", item.subtitle)[-1]
    opening = re.compile(rf"\b(?:class|interface|record|object|struct)\s+{re.escape(inner)}\b")
    begin = next((i for i, line in enumerate(lines) if opening.search(line)), 0)
    for head in _heads(item.title, language):
        for i in (*range(begin, len(lines)), *range(begin)):
            if head.search(lines[i]):
                start = _with_annotations(lines, i)
                if item.lines:
                    return start + 1, min(len(lines), max(i + 1, start + item.lines))
                return start + 1, _end(lines, i, language) + 1
    return None


def _with_annotations(lines: tuple[str, ...], at: int) -> int:
    while at > 0 and re.match(r"\s*(?:@\w|\[\w)", lines[at - 1]):
        at -= 1
    return at


def _end(lines: tuple[str, ...], at: int, language: str) -> int:
    """The last line by indentation, where the file does not say how long the method is."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    last = at
    for i in range(at + 1, min(len(lines), at + MAX_LINES)):
        line = lines[i]
        if not line.strip():
            continue
        deeper = len(line) - len(line.lstrip()) > indent
        closing = language != "python" and line.lstrip()[0] in "})"
        if not deeper and not closing and not (i == at + 1 and line.lstrip().startswith("{")):
            break
        last = i
        if not deeper and closing:
            break
    return last
