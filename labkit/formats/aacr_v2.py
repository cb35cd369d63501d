"""AACR-Bench's second pipeline: references as JSON Lines, generated comments as result files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.evaluate.aacr import Comment, PullRequest
from labkit.formats import gojson, jsontext
from labkit.formats.aacr import Dataset, doubts
from labkit.formats.aacr_comments import parts
from labkit.formats.jsonl import parse_lines
from labkit.matching import Location
from labkit.parsed import Parsed, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

LISTS = ("reference_comments", "comments", "generated_comments")
SIDE = "right"
"""The side of a generated comment that names none: reviewers comment on the new version."""
_SHORT_COMMIT = 7


def instance_id(pull_request: PullRequest) -> str:
    """``owner__name@head``, seven digits of the head commit; the address where it is no URL.

    >>> instance_id(PullRequest("https://github.com/a/b/pull/7", (), {"head_commit": "0123456789"}))
    'a__b@0123456'
    """
    owner, name, _ = parts(pull_request.url)
    if not owner:
        return pull_request.url
    return f"{owner}__{name}@{pull_request.fields.get('head_commit', '')[:_SHORT_COMMIT]}"


def _first(value: dict[str, Any], *names: str) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _line(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value else None


def _comment(value: dict[str, Any], index: int, side: str | None) -> Comment:
    """A comment in any of the pipeline's forms."""
    said = [_first(value, "text", "content", "note", "summary")]
    said += [value.get(name) for name in ("failure_scenario", "description")]
    path = str(_first(value, "path", "file") or "")
    location = Location(
        path.replace("\\/", "/").replace("\\", "/"),
        _first(value, "side") or side,
        _line(_first(value, "start_line", "from_line", "line")),
        _line(_first(value, "end_line", "to_line", "line")),
    )
    note = "\n".join(part for part in said if isinstance(part, str) and part)
    fields = {n: str(value[n]) for n in ("category", "context", "severity") if value.get(n)}
    return Comment(location, note, index, fields=fields)


def _comments(
    values: list[Any], where: str, source: str, side: str | None
) -> tuple[tuple[Comment, ...], list[Problem]]:
    comments: list[Comment] = []
    problems: list[Problem] = []
    for index, value in enumerate(values):
        if not isinstance(value, dict):
            what = f"{where}#{index}: {gojson.kind(value)} where a comment belongs; it is left out."
            problems.append(Problem(source, None, what))
            continue
        comment = _comment(value, index, side)
        comments.append(comment)
        problems += [
            Problem(source, None, f"{where}#{index}: {doubt}", "warning")
            for doubt in doubts(comment)
        ]
    return tuple(comments), problems


def parse_instances(text: str, source: str = "<text>") -> Dataset:
    """Read JSON Lines of ``instance_id`` and ``reference_comments``.

    Raises:
        InputError: No line is such an instance.
    """
    lines = parse_lines(text, source)
    found: dict[str, PullRequest] = {}
    problems = list(lines.problems)
    for item in lines.values:
        identity = item.value.get("instance_id")
        listed = _first(item.value, *LISTS)
        if not isinstance(identity, str) or not isinstance(listed, list):
            what = "no instance_id with a list of comments; the line is left out."
            problems.append(Problem(source, item.line, what))
        elif identity in found:
            problems.append(Problem(source, item.line, f"{identity}: here twice; left out."))
        else:
            comments, doubted = _comments(listed, identity, source, None)
            problems += doubted
            fields = {"language": str(item.value.get("language", ""))}
            found[identity] = PullRequest(
                identity, comments, {k: v for k, v in fields.items() if v}
            )
    if not found:
        raise InputError(f"{source}: no line has 'instance_id' and 'reference_comments'.")
    return Dataset(tuple(found.values()), tuple(problems))


def parse_result(text: str, source: str = "<text>") -> Parsed[Comment]:
    """Read one result file: ``review.comments``, or ``review_output`` as a list of findings.

    Raises:
        InputError: Not JSON, or neither is there.
    """
    value = jsontext.parse(text, source).value
    review = value.get("review") if isinstance(value, dict) else None
    listed = review.get("comments") if isinstance(review, dict) else None
    if listed is None and isinstance(value, dict):
        listed = value.get("review_output")
    if not isinstance(listed, list):
        raise InputError(f"{source}: no result file; those have 'review' or 'review_output'.")
    comments, problems = _comments(listed, source, source, SIDE)
    return Parsed(comments, tuple(problems))


def pull_request_of(name: str, pull_requests: Iterable[PullRequest]) -> str | None:
    """The pull request that a result file is named after: ``<instance_id>.json``."""
    stem = name.removesuffix(".json")
    return next((pr.url for pr in pull_requests if stem in (instance_id(pr), pr.url)), None)
