"""AACR-Bench's dataset: pull requests with annotated review comments, as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.evaluate.aacr import Comment, PullRequest
from labkit.formats import gojson, jsontext
from labkit.matching import Location
from labkit.parsed import Problem
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

URL = "githubPrUrl"
URLS = (URL, "github_pr_url", "pr_url")
"""What the pull request's address is called; the first is the dataset's own name."""
LANGUAGES = ("C", "C#", "C++", "Go", "Java", "JavaScript", "PHP", "Python", "Rust", "TypeScript")
"""The main languages that occur in the dataset."""
PR_FIELDS = {"project_main_language": "language", "category": "pr_category"}
COMMENT_FIELDS = ("source_model", "category", "context", "side", "is_ai_comment")


class _Unreadable(ValueError):  # noqa: N818  # never leaves this module
    """A comment that cannot be taken."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Pull requests in file order, and what was left out or doubted."""

    pull_requests: tuple[PullRequest, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def comments(self) -> int:
        """How many comments there are."""
        return sum(len(pr.comments) for pr in self.pull_requests)


def _line(comment: dict[str, Any], name: str) -> int | None:
    """A line number as the v1 evaluator takes it: 0 and nothing are looked up a second time."""
    value = comment.get(name)
    if not value:
        inner = comment.get("originLineRange", {})
        value = inner.get(name) if isinstance(inner, dict) else None
    if value is None or value == 0:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Unreadable(f"{name} is {gojson.kind(value)} where a whole number belongs")
    return value


def _gives_up(comment: dict[str, Any]) -> bool:
    inner = comment.get("originLineRange", {})
    lines = (comment.get("from_line"), comment.get("to_line"))
    return not isinstance(inner, dict) and not all(lines)


def _text(comment: dict[str, Any], *names: str) -> str | None:
    for name in names:
        value = comment.get(name)
        if value is not None:
            if not isinstance(value, str):
                raise _Unreadable(f"{name} is {gojson.kind(value)} where a text belongs")
            return value
    return None


def place(comment: dict[str, Any]) -> Location:
    r"""Where a comment stands; both kinds of slash are one, nothing else is normalised.

    >>> place({"path": "a\\b", "from_line": 0, "originLineRange": {"from_line": 3}})
    Location(path='a/b', side=None, start=3, end=None)
    """
    path = (_text(comment, "path") or "").replace("\\/", "/").replace("\\", "/")
    return Location(
        path, _text(comment, "side"), _line(comment, "from_line"), _line(comment, "to_line")
    )


def comment_of(value: object, index: int) -> Comment:
    """One comment of the dataset's form.

    Raises:
        ValueError: It is no object, or a member has the wrong type.
    """
    if not isinstance(value, dict):
        raise _Unreadable(f"{gojson.kind(value)} where a comment belongs")
    fields = {
        name: str(value[name]).lower() if isinstance(value[name], bool) else str(value[name])
        for name in COMMENT_FIELDS
        if value.get(name) is not None
    }
    identity = value.get("id")
    return Comment(
        place(value),
        _text(value, "note") or "",
        index,
        identity if isinstance(identity, str | int) else None,
        fields,
        _gives_up(value),
    )


def comments_of(
    values: list[Any], where: str, source: str
) -> tuple[tuple[Comment, ...], list[Problem]]:
    """The comments of one pull request and what is wrong with them."""
    comments, problems = [], []
    for index, value in enumerate(values):
        try:
            comment = comment_of(value, index)
        except _Unreadable as error:
            problems.append(Problem(source, None, f"{where}#{index}: {error}; it is left out."))
            continue
        comments.append(comment)
        problems += [
            Problem(source, None, f"{where}#{index}: {doubt}", "warning")
            for doubt in doubts(comment)
        ]
    return tuple(comments), problems


def doubts(comment: Comment) -> Iterator[str]:
    """What is odd about a comment that is kept as it is."""
    if comment.location.reversed:
        start, end = comment.location.start, comment.location.end
        yield (
            f"lines {start} to {end} run backwards; v1 rules keep them, so that they overlap "
            "nothing, v2 rules swap them."
        )
    if comment.location.side == "":  # empty is said, missing is not
        yield "the side is empty; it differs from right and left, so nothing matches it."


def parse(text: str, source: str = "<text>") -> Dataset:
    """Read the dataset's form: a list of pull requests with comments.

    Raises:
        InputError: Not JSON, no list, or no pull request in it.
    """
    value = jsontext.parse(text, source).value
    if isinstance(value, dict) and _url(value):
        value = [value]
    if not isinstance(value, list):
        raise InputError(
            f"{source}: {gojson.kind(value)} where a list of pull requests with {URL!r} belongs."
        )
    merged: dict[str, PullRequest] = {}
    problems: list[Problem] = []
    for number, entry in enumerate(value):
        if not isinstance(entry, dict) or not _url(entry):
            problems.append(Problem(source, None, f"[{number}]: no {URL}; it is left out."))
        elif not isinstance(entry.get("comments"), list):
            problems.append(Problem(source, None, f"[{number}]: no comments; it is left out."))
        else:
            _add(entry, merged, problems, source)
    if value and not merged:
        raise InputError(f"{source}: no entry has {URL!r} and 'comments'; is this another file?")
    return Dataset(tuple(merged.values()), tuple(problems))


def _url(entry: dict[str, Any]) -> str:
    values = (entry.get(name) for name in URLS)
    return next((value for value in values if isinstance(value, str) and value), "")


def _add(
    entry: dict[str, Any], merged: dict[str, PullRequest], problems: list[Problem], source: str
) -> None:
    url = _url(entry)
    if url in merged:
        problems.append(
            Problem(source, None, f"{url}: here twice; only the first is read.", "error")
        )
        return
    comments, found = comments_of(entry["comments"], url, source)
    problems += found
    fields = {ours: str(entry[name]) for name, ours in PR_FIELDS.items() if entry.get(name)}
    head = entry.get("target_commit")
    if isinstance(head, str):
        fields["head_commit"] = head
    merged[url] = PullRequest(url, comments, fields)


def read(path: Path) -> Dataset:
    """Read the dataset's form from a file."""
    return parse(read_text(path), path.name)
