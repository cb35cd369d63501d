"""godaudits' paired accuracy program as a report: arms, lift, repetitions, cost, failures apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.evaluate.godaudits.paired import ARMS, COSTS, RATIOS
from labkit.evaluate.godaudits.program import LIFTED, VARYING
from labkit.metrics.rounding import JS_FIXED_4
from labkit.reports import blocks
from labkit.reports.document import Document, Heading, Paragraph, Report, Table, four
from labkit.reports.plain import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.evaluate.godaudits.paired import PairedRun
    from labkit.evaluate.godaudits.program import ArmFigures, Contrast, ProgramFigures
    from labkit.formats.godaudits.truth import GroundTruth, Program
    from labkit.gates import Check as Asked
    from labkit.metrics.counts import Ratio
    from labkit.parsed import Problem
    from labkit.reports.document import Block


def _arm(figures: ArmFigures) -> dict[str, Any]:
    sums = figures.sums
    return {
        "runs": sums.runs,
        **sums.counts,
        "clean_controls": sums.clean_controls,
        "clean_controls_without_false_positive": sums.clean_controls_without_false_positive,
        **sums.costs,
        **{name: JS_FIXED_4(sums.ratio(name).value) for name in RATIOS},
        "recall_by_severity": {
            name: JS_FIXED_4(ratio.value) for name, ratio in figures.severities.items()
        },
        "repetitions": plain(figures.repetitions),
    }


def _contrast(found: Contrast) -> dict[str, Any]:
    return {
        "arms": {name: _arm(found.arms[name]) for name in ARMS},
        "lift": {name: found.lift(name) for name in LIFTED},
    }


def _run(run: PairedRun) -> dict[str, Any]:
    pinned = run.pinned
    return {
        "pair_id": run.pair_id,
        "arm": run.arm,
        "repo": pinned["repo"],
        "check": pinned["check"],
        "repetition": run.repetition,
        "eligible_for_lift": run.eligible,
        "model": pinned["model"],
        "harness": pinned["harness"],
        "fixture_commit": pinned["fixture_commit"],
        "skill_commit": run.skill_commit,
        "capabilities": list(pinned["capabilities"]),
        "regraded": run.regraded is not None,
        "result": plain(run.grade),
        "cost": dict(run.cost),
    }


def _attempts(found: ProgramFigures) -> dict[str, Any] | None:
    if found.attempts is None:
        return None
    by_arm = {
        name: {
            status: sum(a.arm == name and a.status == status for a in found.attempts)
            for status in ("recorded", "technical-failure")
        }
        for name in ARMS
    }
    return {"total": len(found.attempts), "arms": by_arm}


def as_data(found: ProgramFigures, truth: GroundTruth, program: Program) -> dict[str, Any]:
    """The program's figures as JSON-ready data."""
    return {
        "schemaVersion": 1,
        "system": "godaudits",
        "report": "paired",
        "program_version": program.version,
        "targets": program.targets,
        "fixture_ready": program.fixture_ready,
        "recorded_targets": program.recorded_targets,
        "paired_observations": found.pairs,
        "eligible_paired_observations": found.contrast.pairs,
        "complete_suites": [s.suite.check for s in found.suites if s.complete],
        "skill_lift_measured": found.contrast.measured,
        "technical_failures": found.technical_failures,
        **_contrast(found.contrast),
        "suites": [
            {
                "suite": s.suite.id,
                "check": s.suite.check,
                "revision": s.suite.revision,
                "complete": s.complete,
                "pairs": s.contrast.pairs,
                **_contrast(s.contrast),
            }
            for s in found.suites
        ],
        "runs": [_run(run) for run in found.runs],
        "attempts": _attempts(found),
        "corrections": plain(truth.corrections),
    }


def _difference(a: float | None, b: float | None) -> str:
    return "n/a" if a is None or b is None else f"{b - a:+.4f}"


def _arms_table(contrast: Contrast) -> Table:
    control, skill = (contrast.arms[name].sums for name in ARMS)
    rows: list[tuple[str, ...]] = []
    for name in RATIOS:
        one, other = control.ratio(name), skill.ratio(name)
        cells = [f"{four(r.value)} ({r.numerator} of {r.denominator})" for r in (one, other)]
        change = _difference(one.value, other.value) if contrast.measured else "n/a: incomplete"
        rows.append((name.replace("_", " "), *cells, change))
    for name in (*control.counts, *COSTS):
        pair = [
            arm.counts[name] if name in arm.counts else arm.costs[name] for arm in (control, skill)
        ]
        rows.append((name.replace("_", " "), *map(str, pair), f"{pair[1] - pair[0]:+d}"))
    header = ("", f"Control ({control.runs} runs)", f"Skill ({skill.runs} runs)", "Difference")
    return Table(header, tuple(rows), frozenset({1, 2, 3}))


def _spread_table(contrast: Contrast) -> Table:
    rows = tuple(
        (
            name.replace("_", " "),
            side,
            four(spread.mean),
            four(spread.worst),
            four(spread.variance),
            str(len(spread.values)),
        )
        for name in VARYING
        for side in ARMS
        for spread in (contrast.arms[side].repetitions[name],)
    )
    header = ("Ratio", "Arm", "Mean", "Worst run", "Variance", "Repetitions")
    return Table(header, rows, frozenset({2, 3, 4, 5}))


def _severity_blocks(contrast: Contrast) -> list[Block]:
    names = list(dict.fromkeys(n for side in ARMS for n in contrast.arms[side].severities))
    rows = tuple(
        (name, *(_counted(contrast.arms[side].severities.get(name)) for side in ARMS))
        for name in names
    )
    return [
        Heading("Recall by severity"),
        Table(("Severity", "Control", "Skill"), rows, frozenset({1, 2})),
    ]


def _counted(ratio: Ratio | None) -> str:
    if ratio is None or not ratio.denominator:
        return "n/a"
    return f"{four(ratio.value)} ({ratio.numerator} of {ratio.denominator})"


def _lift_blocks(found: ProgramFigures) -> list[Block]:
    rows = tuple(
        (
            s.suite.check,
            "complete" if s.complete else "incomplete",
            str(s.contrast.pairs),
            *(four(s.contrast.lift(name)) for name in LIFTED),
        )
        for s in found.suites
    )
    header = ("Suite", "State", "Eligible pairs", "Recall lift", "Precision lift")
    return [
        Heading("Lift by suite"),
        Paragraph("A lift is given for complete suites only: every eligible case in every arm."),
        Table(header, rows, frozenset({2, 3, 4})),
    ]


def _ledger(found: ProgramFigures) -> list[Block]:
    failed = found.technical_failures
    text = (
        "No ledger of attempts was found."
        if failed is None
        else f"{failed} technical failures; none is a hit, a miss or a false positive."
    )
    return [Heading("Attempts"), Paragraph(text)]


def report(
    found: ProgramFigures,
    truth: GroundTruth,
    program: Program,
    *,
    asked: Sequence[Asked] = (),
    problems: Sequence[Problem] = (),
) -> Report:
    """The report on paired runs."""
    data = as_data(found, truth, program)
    if asked:
        data["gates"] = [check.as_dict() for check in asked]
    data["problems"] = [problem.as_dict() for problem in problems]
    regraded = sum(run.regraded is not None for run in found.runs)
    document = Document(
        (
            Heading("godaudits: paired runs with and without the skill", 1),
            Paragraph(
                f"{found.pairs} pairs, {found.contrast.pairs} eligible; {regraded} of "
                f"{len(found.runs)} runs graded again from their outputs."
            ),
            Heading("Arms over eligible runs"),
            _arms_table(found.contrast),
            *_severity_blocks(found.contrast),
            *_lift_blocks(found),
            Heading("Over repetitions"),
            _spread_table(found.contrast),
            *_ledger(found),
            *blocks.gates(asked),
            *blocks.problems(problems),
        )
    )
    return Report(data, document, int(any(check.failed for check in asked)))
