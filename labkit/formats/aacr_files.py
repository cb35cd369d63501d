"""Any file or folder with AACR-Bench comments, told apart by its content."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.evaluate.aacr import Comment, PullRequest
from labkit.formats import aacr, aacr_comments, aacr_v2
from labkit.parsed import Problem
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from labkit.formats.aacr import Dataset

_HEAD = 4000
"""Characters in which a file gives away what it is."""


def read_references(path: Path) -> Dataset:
    """Read annotated pull requests: the dataset's JSON, or v2's JSON Lines.

    Raises:
        InputError: It is neither.
    """
    if path.is_dir():
        raise InputError.at(str(path), None, "a folder where the file of references belongs.")
    text = read_text(path)
    if text.lstrip().startswith("{") and '"instance_id"' in text[:_HEAD]:
        return aacr_v2.parse_instances(text, path.name)
    if text.lstrip().startswith("<"):
        raise InputError(
            f"{path.name}: generated comments where references belong; name the references first."
        )
    return aacr.parse(text, path.name)


@dataclass(slots=True)
class Generated:
    """Generated comments by pull request, collected from one or more files."""

    comments: dict[str, list[Comment]] = field(default_factory=dict)
    pull_requests: dict[str, PullRequest] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def add(self, pull_request: PullRequest) -> None:
        """Add the comments on one pull request; indexes go on where another file stopped."""
        kept = self.comments.setdefault(pull_request.url, [])
        start = kept[-1].index + 1 if kept else 0
        kept += [
            Comment(c.location, c.note, c.index + start, c.id, c.fields, c.unreadable)
            for c in pull_request.comments
        ]
        known = self.pull_requests.get(pull_request.url, pull_request)
        self.pull_requests[pull_request.url] = PullRequest(known.url, tuple(kept), known.fields)

    def add_dataset(self, dataset: Dataset, references: Sequence[PullRequest]) -> None:
        """Add a whole dataset; an instance id stands for the reference it names."""
        addresses = {aacr_v2.instance_id(pr): pr.url for pr in references}
        for pr in dataset.pull_requests:
            self.add(PullRequest(addresses.get(pr.url, pr.url), pr.comments, pr.fields))
        self.problems += dataset.problems


def _files(paths: Sequence[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(p for p in path.iterdir() if p.suffix in (".txt", ".json", ".jsonl"))
        if not inside:
            raise InputError.at(str(path), None, "no comments_*.txt and no JSON in this folder.")
        found += inside
    return found


def read_generated(paths: Sequence[Path], references: Sequence[PullRequest]) -> Generated:
    """Read generated comments: the dataset's form, ``comments_*.txt`` or v2 result files.

    Args:
        paths: Files, or folders of them.
        references: The annotated pull requests, to find the one a file belongs to.

    Raises:
        InputError: A file is of no known form.
    """
    generated = Generated()
    for path in _files(paths):
        text = read_text(path)
        start, head = text.lstrip()[:1], text[:_HEAD]
        if start in {"[", "{"} and any(f'"{name}"' in head for name in aacr.URLS):
            generated.add_dataset(aacr.parse(text, path.name), references)
        elif start == "{" and '"instance_id"' in head:
            generated.add_dataset(aacr_v2.parse_instances(text, path.name), references)
        elif start in {"[", "{"}:
            _add_result(generated, text, path, references)
        else:
            _add_tagged(generated, text, path, references)
    return generated


def _add_result(
    generated: Generated, text: str, path: Path, references: Sequence[PullRequest]
) -> None:
    if text.lstrip().startswith("["):
        generated.add_dataset(aacr.parse(text, path.name), references)
        return
    parsed = aacr_v2.parse_result(text, path.name)
    generated.problems += parsed.problems
    url = aacr_v2.pull_request_of(path.name, references)
    _add_named(generated, url, parsed.values, path)


def _add_tagged(
    generated: Generated, text: str, path: Path, references: Sequence[PullRequest]
) -> None:
    parsed = aacr_comments.parse(text, path.name)
    if not parsed.values and text.strip() and "<" not in text:
        raise InputError(
            f"{path.name}: no generated comments; those are JSON, or blocks of <path>, <side>, "
            "<from>, <to> and <note>."
        )
    generated.problems += parsed.problems
    if not parsed.values:
        what = "no comment in this file; its pull request is not evaluated."
        generated.problems.append(Problem(path.name, None, what, "warning"))
        return
    url = aacr_comments.pull_request_of(path.name, [pr.url for pr in references])
    _add_named(generated, url, parsed.values, path)


def _add_named(
    generated: Generated, url: str | None, comments: Sequence[Comment], path: Path
) -> None:
    if url is None:
        what = "the name fits no pull request of the references; the file is left out."
        generated.problems.append(Problem(path.name, None, what))
        url = path.name
    generated.add(PullRequest(url, tuple(comments)))
