"""AACR-Bench through ``labkit score`` and ``labkit compare``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit import gates
from labkit.comparison import Unit
from labkit.errors import InputError
from labkit.evaluate import aacr_groups
from labkit.evaluate.aacr import OVERALL, Rule, evaluate
from labkit.evaluate.aacr_judges import Labelled, judge_of
from labkit.formats.aacr import LANGUAGES
from labkit.formats.aacr_files import read_generated, read_references
from labkit.formats.aacr_pairs import read as read_pairs
from labkit.gates import Measured, Values
from labkit.metrics.counts import Ratio
from labkit.parsed import Problem
from labkit.reports.aacr import report
from labkit.systems import detection, gating

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labkit.evaluate.aacr import Evaluation, PullRequest, Rates
    from labkit.reports.document import Report
    from labkit.systems import Call

_PR_FILTERS = {"pr_category": "pr_category", "language": "language"}
_COMMENT_FILTERS = {"comment_category": "category", "context": "context"}
_VOCABULARY = {
    "language": LANGUAGES,
    "comment_category": aacr_groups.CATEGORIES,
    "context": aacr_groups.CONTEXTS,
}
SCORING = frozenset(
    {"line_distance", "matcher", "ids", "rules", "by", *_PR_FILTERS, *_COMMENT_FILTERS}
)
OPTIONS = gating.OPTIONS | SCORING


@dataclass(frozen=True, slots=True)
class _Scored:
    evaluation: Evaluation
    rule: Rule
    references: tuple[PullRequest, ...]
    generated: tuple[PullRequest, ...]
    problems: tuple[Problem, ...]


def _matcher(call: Call) -> str:
    return str(call.options.get("matcher", "location"))


def _rule(call: Call) -> Rule:
    options = call.options
    rules = options.get("rules", "v1")
    matcher = _matcher(call)
    for name, known in (("rules", ("v1", "v2")), ("ids", ("inject", "verbatim"))):
        if options.get(name, known[0]) not in known:
            raise InputError(f"--{name} {options[name]}: use {' or '.join(known)}.")
    distance = options.get("line_distance", 1)
    if distance < 0:
        raise InputError(f"--line-distance {distance}: it must be 0 or more.")
    if matcher.startswith("labels:"):
        file = matcher.removeprefix("labels:")
        if not file:
            raise InputError("--matcher labels: names no file; write labels:FILE.")
        judge: Any = Labelled(read_pairs(Path(file)))
    else:
        judge = judge_of(matcher, rules)
    return Rule(rules, distance, options.get("ids", "inject"), judge)


def _wanted(
    call: Call, filters: Mapping[str, str], references: tuple[PullRequest, ...]
) -> dict[str, tuple[str, ...]]:
    """The values that a filter lets through, by field.

    Raises:
        InputError: A value that neither the files nor the benchmark know.
    """
    wanted = {}
    for option, field in filters.items():
        given = call.options.get(option, ())
        values = (given,) if isinstance(given, str) else tuple(given)
        seen = {aacr_groups.value_of(pr, c, field) for pr in references for c in pr.comments}
        known = sorted({*seen, *_VOCABULARY.get(option, ())} - {""})
        for value in values:
            if value not in known:
                name = option.replace("_", "-")
                raise InputError(f"--{name} {value}: there is none; there are {', '.join(known)}.")
        if values:
            wanted[field] = values
    return wanted


def _score(call: Call) -> _Scored:
    if call.gold is None or not call.predictions:
        raise InputError("aacr: name the references and the generated comments.")
    detection.expect(call.gold, ["aacr-references"], "the first file")
    for path in call.predictions:
        detection.expect(path, ["aacr-references", "aacr-comments"], "the second file")
    rule = _rule(call)
    dataset = read_references(call.gold)
    generated = read_generated(call.predictions, dataset.pull_requests)
    all_references = dataset.pull_requests
    wanted = _wanted(call, _PR_FILTERS, all_references)
    references = aacr_groups.keep_pull_requests(all_references, wanted)
    passed_over = {pr.url for pr in all_references} - {pr.url for pr in references}
    made = tuple(
        pr
        for pr in generated.pull_requests.values()
        if pr.url not in passed_over and _kept(pr, wanted, all_references)
    )
    references = aacr_groups.keep_comments(
        references, _wanted(call, _COMMENT_FILTERS, all_references)
    )
    evaluation = evaluate(references, {pr.url: pr.comments for pr in made}, rule)
    problems = [*dataset.problems, *generated.problems]
    problems += [
        Problem(
            call.gold.name,
            None,
            f"{url}: a comment has no line and originLineRange null, on which the v1 evaluator "
            "gives up; the pull request is left out.",
        )
        for url in evaluation.failed
    ]
    if isinstance(rule.judge, Labelled) and rule.judge.unlabelled:
        open_pairs = rule.judge.unlabelled
        what = (
            f"{len(open_pairs)} candidate pairs have no label and count as not the same, the "
            f"first is {min(open_pairs)}."
        )
        problems.append(Problem(_matcher(call).removeprefix("labels:"), None, what, "warning"))
    return _Scored(evaluation, rule, references, made, tuple(problems))


def _kept(
    pr: PullRequest, wanted: Mapping[str, tuple[str, ...]], references: tuple[PullRequest, ...]
) -> bool:
    """A generated pull request without references is filtered by what its own file says."""
    if not wanted or any(pr.url == known.url for known in references):
        return True
    return bool(aacr_groups.keep_pull_requests((pr,), wanted))


def score(call: Call) -> Report:
    """Score generated review comments against annotated ones."""
    call.only("aacr", OPTIONS)
    asked = gating.asked(call)
    scored = _score(call)
    by = call.options.get("by")
    groups: tuple[dict[str, object], ...] = ()
    valid = None
    if by:
        field = aacr_groups.field_of(by)
        groups = aacr_groups.groups(scored.evaluation, scored.references, scored.generated, field)
        if aacr_groups.is_annotated(scored.generated):
            good = sum(len(pr.comments) for pr in scored.references)
            bad = sum(len(pr.comments) for pr in scored.generated)
            valid = aacr_groups.valid_row(good, good + bad)
    return report(
        scored.evaluation,
        scored.rule,
        _matcher(call),
        groups=tuple({**group, "key": by} for group in groups),
        valid=valid,
        problems=scored.problems,
        checks=gates.check(asked, _values(scored)),
    )


def _values(scored: _Scored) -> Values:
    """What each gate reads: overall, what says the same; with places only, what stands right."""
    counts = scored.evaluation.overall
    rates = counts.rates(OVERALL)
    by_place = scored.rule.judge is None
    word = "positive_line" if by_place else "positive"
    hits = counts.line_matches if by_place else counts.matches
    f1 = Ratio(2 * hits, counts.generated + counts.expected).value
    precision = rates[f"{word}_match_rate"] if counts.generated else None
    recall = rates[f"{word}_recall_rate"] if counts.expected else None
    return Values(
        {
            "min_precision": (Measured(f"overall.{word}_match_rate", precision),),
            "min_recall": (Measured(f"overall.{word}_recall_rate", recall),),
            "min_f1": (Measured(f"overall.{word}_f1", f1),),
        }
    )


def units(call: Call) -> tuple[Unit, ...]:
    """What each pull request adds to each rate; by a comment's field, its references of a value."""
    scored = _score(call)
    by = call.options.get("by")
    field = aacr_groups.field_of(by) if by else "language"
    found = []
    for one in scored.evaluation.scored:
        if field in aacr_groups.PR_FIELDS:
            value = one.pull_request.fields.get(field, "")
            found.append(_unit(one.pull_request.url, one.counts, {by or field: value}))
            continue
        alone = replace(scored.evaluation, scored=(one,))
        found += [
            _part(one.pull_request.url, value, counts, str(by))
            for value, counts in aacr_groups.by_reference(alone, field).items()
        ]
    return tuple(found)


def _unit(key: str, c: Rates, fields: dict[str, str]) -> Unit:
    return Unit(
        key,
        {
            "positive_recall_rate": (c.matches, c.expected),
            "positive_line_recall_rate": (c.line_matches, c.expected),
            "positive_match_rate": (c.matches, c.generated),
            "positive_line_match_rate": (c.line_matches, c.generated),
            "unmatched_rate": (c.unmatched, c.generated),
        },
        fields,
    )


def _part(url: str, value: str, c: Rates, by: str) -> Unit:
    """The references of one pull request that have a value; only recall can be told by it."""
    shares = {
        "positive_recall_rate": (c.matches, c.expected),
        "positive_line_recall_rate": (c.line_matches, c.expected),
    }
    return Unit(f"{url} {value}", shares, {by: value}, url)
