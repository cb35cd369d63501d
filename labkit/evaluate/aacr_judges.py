"""Who decides whether two review comments say the same: their words, or a person. Never a model."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.evaluate.aacr import Rules, without_details

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labkit.evaluate.aacr import Comment, Judge, PullRequest

_WORD = re.compile(r"[a-z0-9_]+")
MATCHERS = "location, exact, jaccard:T or labels:FILE"


def words(note: str) -> frozenset[str]:
    """The set of words of a note, lower-cased.

    >>> sorted(words("Use `max_len`, not MAX_LEN!"))
    ['max_len', 'not', 'use']
    """
    return frozenset(_WORD.findall(note.lower()))


def pair_id(pull_request: PullRequest, generated: Comment, reference: Comment) -> str:
    """The name of a candidate pair: the address, and both comments' places from 0."""
    return f"{pull_request.url}#{generated.index}~{reference.index}"


@dataclass(frozen=True, slots=True)
class Exact:
    """Equal text after stripping."""

    rules: Rules = "v1"

    def __call__(self, pull_request: PullRequest, generated: Comment, reference: Comment) -> bool:  # noqa: ARG002  # a judge's signature
        """Whether the notes are equal."""
        one, other = generated.note, reference.note
        if self.rules == "v2":
            one, other = without_details(one), without_details(other)
        return one.strip() == other.strip()


@dataclass(frozen=True, slots=True)
class Jaccard:
    """Enough words in common: shared words over all words, at least the threshold."""

    threshold: float
    rules: Rules = "v1"
    _seen: dict[str, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)

    def _words(self, note: str) -> frozenset[str]:
        if note not in self._seen:
            self._seen[note] = words(without_details(note) if self.rules == "v2" else note)
        return self._seen[note]

    def __call__(self, pull_request: PullRequest, generated: Comment, reference: Comment) -> bool:  # noqa: ARG002  # a judge's signature
        """Whether the notes share enough words; two without words share none."""
        one, other = self._words(generated.note), self._words(reference.note)
        union = len(one | other)
        return bool(union) and len(one & other) / union >= self.threshold


@dataclass(frozen=True, slots=True)
class Labelled:
    """What people said about the candidate pairs; a pair without a label is not the same."""

    labels: Mapping[str, bool]
    unlabelled: set[str] = field(default_factory=set, compare=False)
    """The pairs that were asked for and have no label."""

    def __call__(self, pull_request: PullRequest, generated: Comment, reference: Comment) -> bool:
        """Whether a person said that the two say the same."""
        name = pair_id(pull_request, generated, reference)
        if name not in self.labels:
            self.unlabelled.add(name)
        return self.labels.get(name, False)


def judge_of(matcher: str, rules: Rules) -> Judge | None:
    """The judge that a matcher's text names; ``location`` has none, ``labels:`` is read elsewhere.

    Raises:
        InputError: There is no such matcher, or its threshold is not from 0 to 1.

    >>> judge_of("jaccard:0.2", "v1")
    Jaccard(threshold=0.2, rules='v1')
    """
    name, _, argument = matcher.partition(":")
    if name == "location" and not argument:
        return None
    if name == "exact" and not argument:
        return Exact(rules)
    if name != "jaccard":
        raise InputError(f"--matcher {matcher}: there is no such matcher; use {MATCHERS}.")
    try:
        threshold = float(argument)
    except ValueError:
        threshold = -1.0
    if not 0 <= threshold <= 1:
        raise InputError(f"--matcher {matcher}: the threshold must be a number from 0 to 1.")
    return Jaccard(threshold, rules)
