"""Review comments as AACR-Bench's generators write them: tagged text, one file a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from labkit.evaluate.aacr import Comment
from labkit.formats.aacr import doubts
from labkit.matching import Location
from labkit.parsed import Parsed, Problem
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_SPLIT = re.compile(r"</?notesplit\s*/?>", re.IGNORECASE)
_TAGS = {
    name: re.compile(f"<{name}>(.*?)</{name}>", re.DOTALL)
    for name in ("path", "side", "from", "to", "note")
}
_URL = re.compile(r"https://github\.com/([^/]+)/([^/]+)/pull/(\d+)")
_PREFIX = "comments_"


def _tag(block: str, name: str) -> str | None:
    found = _TAGS[name].search(block)
    return found.group(1).strip() if found else None


def _number(text: str | None) -> int | None:
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


def parse(text: str, source: str = "<text>") -> Parsed[Comment]:
    """Read the comments of one file.

    Blocks are separated by ``<notesplit />``; of each the first ``path``, ``side``, ``from``,
    ``to`` and ``note`` count, and one without a note is dropped. A missing path or side is an
    empty text, a line that is no whole number is missing.

    >>> parse("<path>a.py</path><from>x</from><to> 7 </to><note> b </note>").values[0].location
    Location(path='a.py', side='', start=None, end=7)
    """
    comments: list[Comment] = []
    problems: list[Problem] = []
    end = 0
    for block in _SPLIT.split(text):
        start = text.index(block, end)
        end = start + len(block)
        note = _tag(block, "note")
        if not note:
            if block.strip():
                line = text.count("\n", 0, start) + 1
                problems.append(Problem(source, line, "a block without a note; it is left out."))
            continue
        raw = {name: _tag(block, name) for name in ("path", "side", "from", "to")}
        lines = [_number(raw[name]) for name in ("from", "to")]
        location = Location(raw["path"] or "", raw["side"] or "", *lines)
        comment = Comment(location, note, len(comments))
        comments.append(comment)
        problems += [
            Problem(source, text.count("\n", 0, start) + 1, doubt, "warning")
            for doubt in doubts(comment)
        ]
    return Parsed(tuple(comments), tuple(problems))


def read(path: Path) -> Parsed[Comment]:
    """Read the comments of one file."""
    return parse(read_text(path), path.name)


def parts(url: str) -> tuple[str, str, str]:
    """Owner, repository and number of a pull request; empty where the URL is another one.

    >>> parts("https://github.com/a/b/pull/7/files"), parts("http://github.com/a/b/pull/7")
    (('a', 'b', '7'), ('', '', ''))
    """
    found = _URL.match(url)
    return found.groups() if found else ("", "", "")  # type: ignore[return-value]  # three groups


def pull_request_of(name: str, urls: Iterable[str]) -> str | None:
    """The pull request a file of comments belongs to, by the file's name.

    ``comments_<repo>_<number>.txt`` is the first URL with the repository's name in it (in any
    case) and ``/pull/<number>``, which is a prefix: 194 finds 19411. Else it is the first whose
    repository's name and number both occur in the file's name.

    Args:
        name: The file's base name.
        urls: The dataset's pull requests, in file order.
    """
    stem = name.rsplit(".", 1)[0].replace(_PREFIX, "")
    known = tuple(urls)
    repository, _, number = stem.rpartition("_")
    for url in known:
        if repository and repository.lower() in url.lower() and f"/pull/{number}" in url:
            return url
    for url in known:
        _, repo, number = parts(url)
        if repo and repo.lower() in stem.lower() and number in stem:
            return url
    return None
