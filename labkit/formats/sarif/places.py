"""Where a finding is: URIs decoded, base ids followed, regions read with care."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote_to_bytes

from labkit.formats.sarif.finding import Spot
from labkit.formats.sarif.shape import at, record, rows, text, whole

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:")
_DRIVE = re.compile(r"^/?([A-Za-z]:)(/|$)")
_LONGEST_CHAIN = 16


def decoded(uri: str) -> str:
    r"""A path as a person writes it: percent signs resolved, ``/`` between the parts.

    A raw ``#`` or ``?`` stays: tools that forget to escape mean the file ``c#.cpp``.

    >>> decoded("my%20file.py"), decoded("src\\win\\b.py"), decoded("file:///C:/x/%C3%A9.py")
    ('my file.py', 'src/win/b.py', 'C:/x/é.py')
    >>> decoded("file://host/share/a.c"), decoded("100%.txt"), decoded("https://h/a%20b.py")
    ('//host/share/a.c', '100%.txt', 'https://h/a b.py')
    """
    path = uri
    if path[:5].lower() == "file:":
        path = path[5:]
        if path.startswith("//"):
            host, slash, rest = path[2:].partition("/")
            path = slash + rest if host in {"", "localhost"} else path
    if "%" in path:
        with suppress(UnicodeDecodeError):  # not UTF-8: shown as it is written
            path = unquote_to_bytes(path).decode("utf-8")
    path = path.replace("\\", "/")
    return _DRIVE.sub(r"\1\2", path)


def is_absolute(path: str) -> bool:
    """Whether a decoded path stands on its own."""
    return path.startswith("/") or bool(_DRIVE.match(path) or _SCHEME.match(path))


class Paths:
    """Looks up the files that one run speaks of."""

    def __init__(self, run: dict[str, Any]) -> None:
        """Take the run's artifacts, logical locations and base ids."""
        self._run = run
        self._bases = record(run.get("originalUriBaseIds"))
        self._found: dict[tuple[str, str], tuple[str, str]] = {}

    def _base(self, name: str) -> tuple[str, str]:
        """The relative part that a base id adds, and the base that part is relative to."""
        parts: list[str] = []
        last = name
        for _ in range(_LONGEST_CHAIN):
            location = record(self._bases.get(name))
            uri = decoded(text(location.get("uri")))
            last = name
            if is_absolute(uri) or not uri:
                break
            parts.insert(0, uri if uri.endswith("/") else uri + "/")
            name = text(location.get("uriBaseId"))
            if not name:
                break
        return "".join(parts), last

    def _unrooted(self, path: str) -> tuple[str, str]:
        """An absolute path made relative where a base of the run holds it."""
        for name, location in self._bases.items():
            root = decoded(text(record(location).get("uri")))
            if is_absolute(root) and root.endswith("/") and path.startswith(root) and path != root:
                return path[len(root) :], name
        return path, ""

    def path(self, location: Any) -> tuple[str, str]:
        """Decoded path and base name of an ``artifactLocation`` (SARIF 2.1.0, 3.4).

        The URI counts; without one, the artifact at ``index``. A path below a base is relative to
        that base, so that it fits any checkout.
        """
        here = record(location)
        uri, base = text(here.get("uri")), text(here.get("uriBaseId"))
        if not uri:
            listed = record(at(self._run.get("artifacts"), here.get("index")).get("location"))
            uri, base = text(listed.get("uri")), text(listed.get("uriBaseId")) or base
        if (uri, base) not in self._found:
            self._found[uri, base] = self._resolved(uri, base)
        return self._found[uri, base]

    def _resolved(self, uri: str, base: str) -> tuple[str, str]:
        path = decoded(uri)
        if not path or is_absolute(path):
            return self._unrooted(path)
        prefix, base = self._base(base) if base else ("", "")
        path = prefix + path
        plain = path.removeprefix("./") or path
        return (plain if ".." in plain else str(PurePosixPath(plain))), base

    def spot(self, location: Any) -> Spot:
        """One ``location`` object; a line below 1 is no line."""
        here = record(location)
        physical = record(here.get("physicalLocation"))
        region, context = record(physical.get("region")), record(physical.get("contextRegion"))
        file, base = self.path(physical.get("artifactLocation"))
        line = whole(region.get("startLine"), 1)
        end = whole(region.get("endLine"), 1)
        snippet, first = _snippet(context, region)
        return Spot(
            file=file,
            base=base,
            line=line,
            column=whole(region.get("startColumn"), 1) if line else None,
            end_line=end if line and end and end >= line else line,
            name=self._name(here.get("logicalLocations")),
            snippet=snippet,
            snippet_line=first,
            message=text(record(here.get("message")).get("text")),
        )

    def _name(self, named: Any) -> str:
        for entry in rows(named):
            here = record(entry)
            listed = at(self._run.get("logicalLocations"), here.get("index"))
            for source in (here, listed):
                name = text(source.get("fullyQualifiedName")) or text(source.get("name"))
                if name:
                    return name
        return ""


def _snippet(context: dict[str, Any], region: dict[str, Any]) -> tuple[str, int | None]:
    for part in (context, region):
        written = text(record(part.get("snippet")).get("text"))
        if written:
            return written, whole(part.get("startLine"), 1)
    return "", None
