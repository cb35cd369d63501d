"""decguard's regression diff: two runs, case by case, and what got worse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from labkit.evaluate.decguard.gates import REGRESSION, Check, Judge, Status, status_of
from labkit.evaluate.decguard.measures import mean
from labkit.evaluate.decguard.metrics import Metrics, labelled, summarise
from labkit.evaluate.decguard.probabilities import js_divergence, tv_distance
from labkit.evaluate.decguard.segments import grouped, value_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.evaluate.decguard.contract import Regression
    from labkit.evaluate.decguard.records import Decision, Evaluation, Record, Result

IMPLICIT = "max_error_rate_increase"


@dataclass(frozen=True, slots=True)
class Pair:
    """The same case in both runs."""

    baseline: Record
    candidate: Record


@dataclass(frozen=True, slots=True)
class Tally:
    """How many cases met, and what became of them."""

    baseline_cases: int
    candidate_cases: int
    matched: int
    only_in_baseline: int
    only_in_candidate: int
    compared: int
    answer_flips: int
    newly_wrong: int
    newly_correct: int
    newly_errored: int
    recovered: int
    still_errored: int


@dataclass(frozen=True, slots=True)
class Shift:
    """How far answers moved, over cases that both runs decided."""

    answer_flip_rate: float | None
    mean_tv_distance: float | None
    max_tv_distance: float | None
    mean_js_divergence: float | None
    mean_confidence_delta: float | None
    mean_abs_confidence_delta: float | None
    max_abs_confidence_delta: float | None


@dataclass(frozen=True, slots=True)
class Delta:
    """One metric on both sides; candidate minus baseline."""

    baseline: float | None
    candidate: float | None
    delta: float | None

    @classmethod
    def of(cls, baseline: float | None, candidate: float | None) -> Delta:
        """The difference, undefined where a side is."""
        if baseline is None or candidate is None:
            return cls(baseline, candidate, None)
        return cls(baseline, candidate, candidate - baseline)


@dataclass(frozen=True, slots=True)
class Segment:
    """The cases that share a metadata value."""

    key: str
    value: str
    matched: int
    compared: int
    baseline_accuracy: float | None
    candidate_accuracy: float | None
    accuracy_drop: float | None
    answer_flip_rate: float | None
    gated: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A case whose answer flipped, appeared or was lost."""

    case_id: str
    kind: Literal["flip", "newly_errored", "recovered"]
    input: Any
    expected: str | None
    baseline_selected: str | None
    baseline_confidence: float | None
    candidate_selected: str | None
    candidate_confidence: float | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Diff:
    """What a comparison of two runs found."""

    counts: Tally
    shift: Shift
    metrics: Mapping[str, Delta]
    segments: tuple[Segment, ...]
    checks: tuple[Check, ...]
    changes: tuple[Change, ...]

    @property
    def status(self) -> Status:
        """The worst of the checks."""
        return status_of(self.checks)


def _decided(pairs: Sequence[Pair]) -> list[tuple[Result, Result, str | None]]:
    return [
        (pair.baseline.result, pair.candidate.result, pair.candidate.expected)
        for pair in pairs
        if pair.baseline.result is not None and pair.candidate.result is not None
    ]


def _tally(baseline: Sequence[Record], candidate: Sequence[Record], pairs: Sequence[Pair]) -> Tally:
    decided = _decided(pairs)
    flips = [(b, c, e) for b, c, e in decided if b.selected != c.selected]
    errors = [(p.baseline.error is not None, p.candidate.error is not None) for p in pairs]
    return Tally(
        len(baseline),
        len(candidate),
        len(pairs),
        len(baseline) - len(pairs),
        len(candidate) - len(pairs),
        len(decided),
        len(flips),
        sum(b.selected == e for b, _, e in flips),
        sum(c.selected == e for _, c, e in flips),
        errors.count((False, True)),
        errors.count((True, False)),
        errors.count((True, True)),
    )


def _shift(pairs: Sequence[Pair], labels: Sequence[str]) -> Shift:
    decided = _decided(pairs)
    chances = [(b.probabilities, c.probabilities) for b, c, _ in decided]
    tv = [tv_distance(p, q, labels) for p, q in chances]
    deltas = [c.confidence - b.confidence for b, c, _ in decided]
    sizes = [abs(delta) for delta in deltas]
    return Shift(
        _flip_rate(pairs),
        mean(tv),
        max(tv, default=None),
        mean([js_divergence(p, q, labels) for p, q in chances]),
        mean(deltas),
        mean(sizes),
        max(sizes, default=None),
    )


def _flip_rate(pairs: Sequence[Pair]) -> float | None:
    decided = _decided(pairs)
    flips = sum(b.selected != c.selected for b, c, _ in decided)
    return flips / len(decided) if decided else None


def _values(metrics: Metrics) -> dict[str, float | None]:
    known = {**metrics.values(), "latency_p50_ms": metrics.latency.p50_ms}
    names = (
        "accuracy macro_f1 ordinal_mae ece brier nll coverage error_rate "
        "latency_p50_ms latency_p95_ms"
    )
    return {name: known[name] for name in names.split()}


def _accuracy(records: Sequence[Record]) -> float | None:
    return mean([float(entry.right) for entry in labelled(records)])


def _segment(key: str, value: str, pairs: Sequence[Pair], least: int) -> Segment:
    before = _accuracy([pair.baseline for pair in pairs])
    after = _accuracy([pair.candidate for pair in pairs])
    return Segment(
        key,
        value,
        len(pairs),
        len(_decided(pairs)),
        before,
        after,
        None if before is None or after is None else before - after,
        _flip_rate(pairs),
        len(pairs) >= least,
    )


def _segments(pairs: Sequence[Pair], keys: Sequence[str], least: int) -> tuple[Segment, ...]:
    found: list[Segment] = []
    for key in keys:
        groups = grouped((value_text(pair.candidate.metadata, key), pair) for pair in pairs)
        found += [_segment(key, value, groups[value], least) for value in sorted(groups)]
    return tuple(found)


def _change(pair: Pair) -> Change | None:
    before, after = pair.baseline.result, pair.candidate.result
    kind: Literal["flip", "newly_errored", "recovered"]
    if before is not None and after is not None:
        if before.selected == after.selected:
            return None
        kind = "flip"
    elif (before is None) == (after is None):
        return None
    else:
        kind = "newly_errored" if after is None else "recovered"
    error = pair.candidate.error or pair.baseline.error
    return Change(
        pair.candidate.case_id,
        kind,
        pair.candidate.input,
        pair.candidate.expected,
        before.selected if before else None,
        before.confidence if before else None,
        after.selected if after else None,
        after.confidence if after else None,
        f"{error.kind}: {error.message}" if error else None,
    )


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _gate_values(
    shift: Shift, metrics: Mapping[str, Delta], segments: Sequence[Segment]
) -> tuple[dict[str, float | None], dict[str, str]]:
    drops = [s for s in segments if s.gated and s.accuracy_drop is not None]
    worst = max(drops, key=lambda s: s.accuracy_drop or 0.0, default=None)
    values = {
        "answer_flip_rate": shift.answer_flip_rate,
        "accuracy_drop": _negative(metrics["accuracy"].delta),
        "macro_f1_drop": _negative(metrics["macro_f1"].delta),
        "ece_increase": metrics["ece"].delta,
        "brier_increase": metrics["brier"].delta,
        "nll_increase": metrics["nll"].delta,
        "mean_tv_distance": shift.mean_tv_distance,
        "mean_confidence_shift": shift.mean_abs_confidence_delta,
        "error_rate_increase": metrics["error_rate"].delta,
        "latency_p95_increase_ms": metrics["latency_p95_ms"].delta,
        "segment_accuracy_drop": worst.accuracy_drop if worst else None,
    }
    notes = {}
    if worst:
        notes["segment_accuracy_drop"] = f" (worst segment {worst.key}={worst.value})"
    return values, notes


def compare(
    baseline: Sequence[Record],
    candidate: Sequence[Record],
    decision: Decision,
    evaluation: Evaluation,
    regression: Regression,
) -> Diff:
    """Compare two runs of the same decision; cases meet by id, in the candidate's order.

    Both sides are measured again on the cases they share. ``max_error_rate_increase`` 0 is a
    requirement where it is not set.
    """
    by_id = {record.case_id: record for record in baseline}
    pairs = [Pair(by_id[r.case_id], r) for r in candidate if r.case_id in by_id]
    before = _values(summarise([pair.baseline for pair in pairs], decision, evaluation))
    after = _values(summarise([pair.candidate for pair in pairs], decision, evaluation))
    metrics = {name: Delta.of(before[name], after[name]) for name in before}
    shift = _shift(pairs, decision.labels)
    segments = _segments(pairs, regression.segment_by, regression.min_segment_size)
    values, notes = _gate_values(shift, metrics, segments)
    checks = Judge("no comparable cases", notes=notes).all(
        REGRESSION, regression.requirements, regression.warnings, values, IMPLICIT
    )
    changes = [change for change in map(_change, pairs) if change is not None]
    return Diff(
        _tally(baseline, candidate, pairs), shift, metrics, segments, checks, tuple(changes)
    )
