"""planwerk through ``labkit score`` and ``labkit compare``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from labkit import gates
from labkit.comparison import Unit, check_measures, with_intervals
from labkit.errors import InputError
from labkit.evaluate import planwerk as rules
from labkit.evaluate.planwerk_compare import TOLERANCE as LOSS
from labkit.evaluate.planwerk_compare import compare as judge
from labkit.evaluate.planwerk_compare import demand_comparable
from labkit.evaluate.planwerk_groups import by_confidence_word, by_field
from labkit.formats import kinds
from labkit.formats.planwerk import EXPECTED, read_corpus
from labkit.formats.planwerk_report import as_data, parse_tiers, read, read_baseline
from labkit.formats.planwerk_reviews import read_runs
from labkit.gates import Measured, Values
from labkit.parsed import Problem
from labkit.reports.planwerk import report
from labkit.reports.planwerk_text import tiers_line
from labkit.systems import detection, gating
from labkit.systems.measures import measures
from labkit.systems.measures import units as parts
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labkit.evaluate.planwerk import Case, Evaluation, Review
    from labkit.evaluate.planwerk_compare import Comparison
    from labkit.reports.document import Report
    from labkit.systems import Call

SCORING = frozenset({"case", "thorough", "specialists", "tiers", "by"})
OPTIONS = gating.OPTIONS | SCORING | {"baseline"}
COMPARING = frozenset({"fail_on_regression"})
TOLERANCE = LOSS
"""What each metric of the aggregate may lose by planwerk's rule."""


@dataclass(frozen=True, slots=True)
class _Scored:
    evaluation: Evaluation
    corpus: tuple[tuple[Case, tuple[Review, ...]], ...]


def _path(call: Call, option: str) -> Path | None:
    value = call.options.get(option)
    return None if value is None else Path(value)


def _score(call: Call, gold: Path, predictions: tuple[Path, ...]) -> _Scored:
    detection.expect(gold, ["planwerk-corpus"], "the first file or folder")
    for path in predictions:
        detection.expect(path, ["planwerk-reviews"], "the second file or folder")
    named = call.options.get("case", ())
    chosen = (named,) if isinstance(named, str) else tuple(named)
    cases = read_corpus(gold, chosen)
    if not predictions:
        raise InputError(
            f"{gold.name}: a corpus alone gives no score; name the folder with the review reports."
        )
    alone = gold.is_file() or (gold / EXPECTED).is_file()
    runs, corpus = read_runs(cases, predictions, chosen=alone or bool(chosen))
    tiers = _path(call, "tiers")
    return _Scored(
        rules.evaluate(
            corpus,
            runs=runs,
            thorough=bool(call.options.get("thorough")),
            specialists=bool(call.options.get("specialists")),
            tiers=parse_tiers(read_text(tiers), tiers.name) if tiers else None,
        ),
        corpus,
    )


def _read_report(call: Call, path: Path) -> _Scored:
    """Planwerk's own report instead of a corpus; it holds no findings to look at again."""
    again = sorted(SCORING & call.options.keys())
    if again:
        options = ", ".join(f"--{name}" for name in again)
        raise InputError(f"{path.name}: {options} needs the corpus and the review reports.")
    return _Scored(read(path), ())


def _warned(comparison: Comparison | None, source: str) -> tuple[Problem, ...]:
    warnings = comparison.warnings if comparison else ()
    return tuple(Problem(source, None, message, "warning") for message in warnings)


def score(call: Call) -> Report:
    """Score review reports against a corpus; with ``baseline`` also judge them against a report.

    The exit code is never 1 for a low score or a regression: planwerk leaves that to a person.
    """
    call.only("planwerk", OPTIONS)
    if call.gold is None:
        raise InputError("planwerk: name the corpus folder or one expected.json.")
    asked = gating.asked(call)
    baseline_path = _path(call, "baseline")
    baseline = read_baseline(baseline_path) if baseline_path else None
    if not call.predictions and kinds.of_path(call.gold).name == "planwerk-report":
        scored = _read_report(call, call.gold)
    else:
        scored = _score(call, call.gold, call.predictions)
    comparison = judge(baseline, scored.evaluation) if baseline else None
    by = call.options.get("by")
    made = report(
        scored.evaluation,
        comparison,
        words=by_confidence_word(scored.corpus),
        severities=by_field(scored.corpus, "severity") if scored.corpus else (),
        groups=by_field(scored.corpus, by) if by else (),
        checks=gates.check(asked, _values(scored.evaluation)),
    )
    problems = _warned(comparison, baseline_path.name) if baseline_path else ()
    return _with(made, problems, made.exit_code)


def _values(evaluation: Evaluation) -> Values:
    """What each gate reads: the aggregate."""
    total = evaluation.aggregate
    return Values(
        {
            "min_precision": (Measured("aggregate.precision", total.precision),),
            "min_recall": (Measured("aggregate.recall", total.recall),),
            "min_f1": (Measured("aggregate.f1", total.tally.f1),),
        }
    )


def _with(made: Report, problems: tuple[Problem, ...], exit_code: int = 0) -> Report:
    return type(made)(made.data, made.document, exit_code, problems, made.text)


def compare(call: Call) -> Report:
    """Judge a candidate report against a baseline report by planwerk's rule."""
    call.only("planwerk", COMPARING)
    first, second, *_ = call.predictions
    comparison = judge(read_baseline(first), read_baseline(second))
    one, other = data_of(first), data_of(second)
    totals = check_measures(measures(one), measures(other))
    checks = with_intervals(totals, parts(one), parts(other))
    made = report(read(second), comparison, differences=checks)
    failed = bool(call.options.get("fail_on_regression")) and not comparison.held
    return _with(made, _warned(comparison, second.name), int(failed))


def demand(first: Path, other: Path) -> None:
    """Refuse two reports that planwerk would not compare."""
    demand_comparable(read_baseline(first), read_baseline(other))


def units(call: Call) -> tuple[Unit, ...]:
    """What each case adds to each metric; by severity or file, each case's bugs of that value.

    The case is the unit, not the run: runs over one case are no independent evidence.
    """
    if call.gold is None:
        raise InputError("planwerk: --gold names the corpus folder or one expected.json.")
    scored = _score(call, call.gold, call.predictions)
    by = call.options.get("by", "case")
    if by != "case":
        return tuple(
            Unit(
                f"{case.name}/{group['value']}",
                _shares(group),
                {by: str(group["value"])},
                case.name,
            )
            for case, reviews in scored.corpus
            for group in by_field(((case, reviews),), by)
        )
    return tuple(
        Unit(
            case.name,
            {
                "recall": (case.tally.tp, case.tally.expected),
                "precision": (case.tally.tp, case.tally.tp + case.tally.fp),
                "severity_accuracy": (case.tally.severity_matches, case.tally.tp),
            },
            {"case": case.name},
        )
        for case in scored.evaluation.cases
    )


def _shares(group: Mapping[str, object]) -> dict[str, tuple[int, int]]:
    tp, expected, hits, findings = (group[k] for k in ("tp", "expected", "hits", "findings"))
    return {"recall": (tp, expected), "precision": (hits, findings)}  # type: ignore[dict-item]  # counts


def data_of(path: Path) -> Mapping[str, object]:
    """Planwerk's own report file as the data of a labkit report."""
    return {"schemaVersion": 1, "system": "planwerk", **as_data(read(path))}


def provenance(path: Path) -> dict[str, str]:
    """The tiers a report was made with, where it records them."""
    if path.is_dir() or path.suffix != ".json":
        return {}
    try:
        tiers = read(path).tiers
    except InputError:
        return {}
    return {"model": tiers_line(tiers)} if any(tiers.values()) else {}
