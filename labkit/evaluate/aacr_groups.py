"""AACR-Bench's counts by a field, the share of valid comments, and filters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.evaluate.aacr import OVERALL, Evaluation, PullRequest, Rates
from labkit.metrics.counts import ZERO, Ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from labkit.evaluate.aacr import Comment

PR_FIELDS = ("language", "pr_category")
COMMENT_FIELDS = ("source_model", "category", "context", "side", "is_ai_comment")
ALIASES = {"project_main_language": "language", "comment_category": "category"}
HUMAN = "(human)"
"""How a comment is listed whose source model is empty."""
CONTEXTS = ("Diff Level", "File Level", "Repo Level")
CATEGORIES = (
    "Code Defect",
    "Maintainability and Readability",
    "Performance",
    "Security Vulnerability",
)


def field_of(name: str) -> str:
    """The field that ``--by`` means.

    Raises:
        InputError: There is no such field.
    """
    field = ALIASES.get(name, name)
    if field not in (*PR_FIELDS, *COMMENT_FIELDS):
        known = ", ".join((*COMMENT_FIELDS, *PR_FIELDS))
        raise InputError(f"--by {name}: no such field; there are {known}.")
    return field


def value_of(pull_request: PullRequest, comment: Comment, field: str) -> str:
    """A comment's value, its pull request's where the field belongs to that."""
    if field in PR_FIELDS:
        return pull_request.fields.get(field, "")
    value = comment.fields.get(field, "")
    return value or (HUMAN if field == "source_model" else "")


def valid_rates(
    references: Iterable[PullRequest], rejected: Iterable[PullRequest], field: str
) -> dict[str, tuple[int, int]]:
    """(valid, all) comments for each value: annotated as valid over valid and rejected."""
    counts: dict[str, list[int]] = {}
    for valid, side in ((1, references), (0, rejected)):
        for pr in side:
            for comment in pr.comments:
                entry = counts.setdefault(value_of(pr, comment, field), [0, 0])
                entry[0] += valid
                entry[1] += 1
    return {value: (valid, n) for value, (valid, n) in sorted(counts.items())}


def is_annotated(pull_requests: Iterable[PullRequest]) -> bool:
    """Whether every comment says who wrote it, as the dataset's own files do."""
    comments = [comment for pr in pull_requests for comment in pr.comments]
    return bool(comments) and all("is_ai_comment" in comment.fields for comment in comments)


def by_reference(evaluation: Evaluation, field: str) -> dict[str, Rates]:
    """Counts by a field of the references; a matched comment counts where its reference does."""
    groups: dict[str, Rates] = {}
    for one in evaluation.scored:
        pr = one.pull_request
        known = [comment for comment in pr.comments if not comment.blank]
        for comment in known:
            _add(groups, value_of(pr, comment, field), Rates(expected=1))
        if field in PR_FIELDS:
            counts = replace(one.counts, expected=one.counts.expected - len(known))
            _add(groups, pr.fields.get(field, ""), counts)
            continue
        for reference, line, same in one.matched:
            value = value_of(pr, known[reference], field)
            _add(groups, value, Rates(line_matches=int(line), matches=int(same)))
    return dict(sorted(groups.items()))


def _add(groups: dict[str, Rates], value: str, counts: Rates) -> None:
    groups[value] = groups.get(value, Rates()) + counts


def groups(
    evaluation: Evaluation,
    references: Sequence[PullRequest],
    generated: Sequence[PullRequest],
    field: str,
) -> tuple[dict[str, object], ...]:
    """One row a value: what was expected and found there, and the share of valid comments.

    The share of valid comments is meant where the second file holds the rejected comments of the
    same dataset; it is left out unless every comment there says who wrote it.
    """
    found = by_reference(evaluation, field)
    valid = valid_rates(references, generated, field) if is_annotated(generated) else {}
    rows = []
    for value in sorted({*found, *valid}):
        counts = found.get(value, Rates())
        rates = counts.rates(OVERALL)
        row: dict[str, object] = {
            "key": field,
            "value": value,
            "positive_expected": counts.expected,
            "positive_matches": counts.matches,
            "positive_line_matches": counts.line_matches,
            "positive_recall_rate": rates["positive_recall_rate"],
            "positive_line_recall_rate": rates["positive_line_recall_rate"],
        }
        if field in PR_FIELDS:
            row |= {
                "total_generated": counts.generated,
                "unmatched": counts.unmatched,
                "positive_match_rate": rates["positive_match_rate"],
                "positive_line_match_rate": rates["positive_line_match_rate"],
                "unmatched_rate": rates["unmatched_rate"],
            }
        if valid:
            row |= valid_row(*valid.get(value, (0, 0)))
        rows.append(row)
    return tuple(rows)


def valid_row(valid: int, n: int) -> dict[str, object]:
    """Counts and the rounded share."""
    return {"valid": valid, "n": n, "valid_rate": OVERALL(Ratio(valid, n).under(ZERO))}


def keep_pull_requests(
    pull_requests: Iterable[PullRequest], wanted: Mapping[str, Sequence[str]]
) -> tuple[PullRequest, ...]:
    """Only pull requests whose field has one of the wanted values; no wish keeps all."""
    return tuple(
        pr
        for pr in pull_requests
        if all(pr.fields.get(field) in values for field, values in wanted.items())
    )


def keep_comments(
    pull_requests: Iterable[PullRequest], wanted: Mapping[str, Sequence[str]]
) -> tuple[PullRequest, ...]:
    """The same pull requests with only the references that have a wanted value."""
    if not wanted:
        return tuple(pull_requests)
    return tuple(
        replace(
            pr,
            comments=tuple(
                comment
                for comment in pr.comments
                if all(comment.fields.get(field) in values for field, values in wanted.items())
            ),
        )
        for pr in pull_requests
    )
