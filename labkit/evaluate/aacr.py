"""AACR-Bench's score of review comments against annotated ones, by its v1 and v2 rules.

Sources: AACR-Bench's documentation of its metrics and the behaviour of its evaluators.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from labkit.matching import Location, PlaceIndex, Similar, claim_generated, claim_references
from labkit.metrics.counts import ZERO, Ratio
from labkit.metrics.rounding import PYTHON_3, PYTHON_4, Rounding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from labkit.matching import Claim

Rules = Literal["v1", "v2"]
Ids = Literal["inject", "verbatim"]
_DETAILS = re.compile(r"<details>.*?</details>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Comment:
    """One review comment."""

    location: Location
    note: str
    index: int = 0
    """Its place in the pull request's list, from 0."""
    id: object = None
    fields: Mapping[str, str] = field(default_factory=dict)
    """What is said about it: category, context, source_model, is_ai_comment, side."""
    unreadable: bool = False
    """Its lines are written so that the v1 evaluator gives up on the whole pull request."""

    @property
    def blank(self) -> bool:
        """Whether it says nothing; blank comments are neither counted nor matched."""
        return not self.note.strip()


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request and the comments on it."""

    url: str
    comments: tuple[Comment, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    """What is said about it: language, pr_category."""


class Judge(Protocol):
    """Decides whether a generated comment says the same as a reference."""

    def __call__(self, pull_request: PullRequest, generated: Comment, reference: Comment) -> bool:
        """Whether the two say the same; the model or the person behind it is not known here."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Counts of one or more pull requests; ratios are made of them, 0/0 is 0.0."""

    expected: int = 0
    generated: int = 0
    matches: int = 0
    line_matches: int = 0
    unmatched: int = 0

    def __add__(self, other: Rates) -> Rates:
        """Pool both."""
        return Rates(
            self.expected + other.expected,
            self.generated + other.generated,
            self.matches + other.matches,
            self.line_matches + other.line_matches,
            self.unmatched + other.unmatched,
        )

    def rates(self, rounding: Rounding) -> dict[str, float]:
        """The five rates under AACR-Bench's names."""
        shares = {
            "positive_match_rate": (self.matches, self.generated),
            "positive_line_match_rate": (self.line_matches, self.generated),
            "positive_recall_rate": (self.matches, self.expected),
            "positive_line_recall_rate": (self.line_matches, self.expected),
            "unmatched_rate": (self.unmatched, self.generated),
        }
        return {
            name: rounding.of(Ratio(*share).under(ZERO) or 0.0) for name, share in shares.items()
        }


@dataclass(frozen=True, slots=True)
class Scored:
    """One pull request: its counts and what became of each comment on the claiming side."""

    pull_request: PullRequest
    counts: Rates
    claims: tuple[Claim, ...] = ()
    from_references: bool = False
    """Whether a claim's own side is the reference (v2) rather than the generated comment (v1)."""

    @property
    def matched(self) -> tuple[tuple[int, bool, bool], ...]:
        """(reference that is not blank, placed right, says the same) of every match."""
        found = []
        for claim in self.claims:
            reference = claim.index if self.from_references else claim.recorded
            if reference is not None and (claim.line_match or claim.same):
                found.append((reference, claim.line_match, claim.same))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All pull requests that both files hold."""

    scored: tuple[Scored, ...]
    generated_only: int = 0
    references_only: int = 0
    failed: tuple[str, ...] = ()
    """Pull requests on which the v1 evaluator gives up; they leave both denominators."""

    @property
    def overall(self) -> Rates:
        """The sum over the pull requests."""
        return sum((one.counts for one in self.scored), Rates())


@dataclass(frozen=True, slots=True)
class Rule:
    """How comments are matched."""

    rules: Rules = "v1"
    distance: int = 1
    ids: Ids = "inject"
    judge: Judge | None = None
    """Decides whether two comments say the same; ``None`` compares places only."""


PER_PULL_REQUEST, OVERALL = PYTHON_3, PYTHON_4


def without_details(note: str) -> str:
    """A note without its folded parts, as v2 compares it.

    >>> without_details("a<details>long</details>b")
    'ab'
    """
    return _DETAILS.sub("", note)


def score_pull_request(reference: PullRequest, generated: Sequence[Comment], rule: Rule) -> Scored:
    """Score the comments generated for one pull request.

    Without a generated comment the references are counted as they are, blank ones included.
    """
    if not generated:
        return Scored(reference, Rates(expected=len(reference.comments)))
    made = [comment for comment in generated if not comment.blank]
    known = [comment for comment in reference.comments if not comment.blank]
    score = _score_v1 if rule.rules == "v1" else _score_v2
    claims = score(reference, made, known, rule)
    same = sum(claim.same for claim in claims)
    lines = sum(claim.line_match for claim in claims)
    unmatched = len(made) - same if rule.judge else 0
    counts = Rates(len(known), len(made), same, lines, unmatched)
    return Scored(reference, counts, claims, from_references=rule.rules == "v2")


def _similar(
    reference: PullRequest, made: Sequence[Comment], known: Sequence[Comment], rule: Rule
) -> Similar | None:
    judge = rule.judge
    if judge is None:
        return None
    return lambda i, j: judge(reference, made[i], known[j])


def _score_v1(
    pr: PullRequest, made: list[Comment], known: list[Comment], rule: Rule
) -> tuple[Claim, ...]:
    places = PlaceIndex((j, comment.location) for j, comment in enumerate(known))
    near = ((i, places.near(comment.location, rule.distance)) for i, comment in enumerate(made))
    ids = [_identity(comment, rule.ids) for comment in known]
    return claim_references(near, ids, _similar(pr, made, known, rule))


def _identity(comment: Comment, ids: Ids) -> object:
    """What can be claimed once: the id, and without one its place in the list where injected."""
    if comment.id is not None or ids == "verbatim":
        return comment.id
    return ("index", comment.index)


def _score_v2(
    pr: PullRequest, made: list[Comment], known: list[Comment], rule: Rule
) -> tuple[Claim, ...]:
    places = PlaceIndex((i, comment.location.ordered()) for i, comment in enumerate(made))
    near = (
        (j, places.near(comment.location.ordered(), rule.distance))
        for j, comment in enumerate(known)
    )
    return claim_generated(near, _similar(pr, made, known, rule))


def gives_up(reference: PullRequest, generated: Sequence[Comment]) -> bool:
    """Whether the v1 evaluator stops with an error on this pull request."""
    made = [comment for comment in generated if not comment.blank]
    known = [comment for comment in reference.comments if not comment.blank]
    return any(c.unreadable for c in made) or (bool(made) and any(c.unreadable for c in known))


def evaluate(
    references: Iterable[PullRequest],
    generated: Mapping[str, Sequence[Comment]],
    rule: Rule | None = None,
) -> Evaluation:
    """Score every pull request that both sides hold, in the order of the references.

    Args:
        references: The annotated pull requests.
        generated: The comments made for each, by URL.
        rule: How comments are matched; v1 and places only where left out.
    """
    rule = rule or Rule()
    scored, failed, left = [], [], 0
    seen = set()
    for reference in references:
        comments = generated.get(reference.url)
        seen.add(reference.url)
        if comments is None:
            left += 1
        elif rule.rules == "v1" and gives_up(reference, comments):
            failed.append(reference.url)
        else:
            scored.append(score_pull_request(reference, comments, rule))
    extra = sum(url not in seen for url in generated)
    return Evaluation(tuple(scored), extra, left, tuple(failed))
