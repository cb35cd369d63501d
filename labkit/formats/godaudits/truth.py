"""The ground truth of godaudits' accuracy program: suites, cases, and append-only corrections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from labkit.evaluate.godaudits.grade import Case, Defect
from labkit.evaluate.godaudits.paired import RUNS_PER_ARM, Suite
from labkit.formats import strict_json
from labkit.formats.fields import (
    Fields,
    anything,
    flag,
    listed,
    number,
    one_of,
    optional,
    refuse,
    some_text,
    text,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Correction:
    """One change of the ground truth after it was written; never edited, only followed."""

    suite: str
    case: str
    from_revision: int
    to_revision: int
    change: str


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """All suites by id, and the corrections in order."""

    suites: Mapping[str, Suite]
    corrections: tuple[Correction, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """The targets of the program and how many runs a complete suite needs."""

    version: str | None = None
    targets: int | None = None
    fixture_ready: int | None = None
    recorded_targets: int | None = None
    runs_per_arm: int = RUNS_PER_ARM


def _lines(fields: Fields) -> tuple[float, ...]:
    line = fields.take("line", optional(number()), None)
    default = () if line is None else (line,)
    return fields.take("acceptable_lines", listed(number()), default)


def _defect(value: Any, place: str) -> Defect:
    fields = Fields(value, place)
    return Defect(
        fields.take("path", some_text),
        fields.take("severity", optional(text), None),
        _lines(fields),
        fields.take("eligible_for_metrics", flag, default=True),
    )


def build_case(value: Any, place: str) -> Case:
    """A case: a control, or a seeded one with its defects, or with one defect in its own fields."""
    fields = Fields(value, place)
    kind = cast("Any", fields.take("kind", one_of("seeded", "control")))
    defects: tuple[Defect, ...] = ()
    if kind == "seeded":
        own = fields.take("findings", optional(listed(_defect)), None)
        defects = own if own is not None else (_defect(value, place),)
    return Case(
        fields.take("id", text, ""),
        kind,
        fields.take("eligible_for_lift", flag, default=True),
        defects,
    )


def _suite(value: Any, place: str) -> Suite:
    fields = Fields(value, place)
    cases = fields.take("cases", listed(build_case))
    by_id = {case.id: case for case in cases}
    if len(by_id) < len(cases) or "" in by_id:
        raise refuse(place, "each case needs an id of its own.")
    return Suite(
        fields.take("id", some_text),
        fields.take("check", some_text),
        fields.take("domain", text, ""),
        fields.take("revision", whole(1)),
        by_id,
    )


def _correction(value: Any, place: str) -> Correction:
    fields = Fields(value, place)
    return Correction(
        fields.take("suite", some_text),
        fields.take("case", text, ""),
        fields.take("from_revision", whole(1)),
        fields.take("to_revision", whole(1)),
        fields.take("change", text, ""),
    )


def _append_only(
    suites: Mapping[str, Suite], corrections: Sequence[Correction], source: str
) -> None:
    """Each correction starts where the one before ended, and the last is the suite's revision."""
    reached: dict[str, int] = {}
    for entry in corrections:
        place = f"{source}: correction {entry.from_revision} to {entry.to_revision}"
        if entry.suite not in suites:
            raise refuse(place, f"there is no suite {entry.suite!r}.")
        start = reached.get(entry.suite, entry.from_revision)
        if entry.from_revision != start or entry.to_revision <= entry.from_revision:
            raise refuse(
                place, f"corrections of {entry.suite} only append; the last one ended at {start}."
            )
        reached[entry.suite] = entry.to_revision
    for name, revision in reached.items():
        if suites[name].revision != revision:
            fault = f"suite {name} is at revision {suites[name].revision}"
            raise refuse(source, f"{fault}, but its corrections end at {revision}.")


def read(path: Path) -> GroundTruth:
    """The ground truth from a file.

    Raises:
        InputError: It is another file, a suite or a case is malformed, or a correction was edited
            instead of appended.
    """
    raw, source = strict_json.read(path), str(path)
    fields = Fields(raw, source)
    if "suites" not in fields:
        what = (
            "these are the paired runs; swap the two files" if "runs" in fields else "it has none"
        )
        raise refuse(source, f"a ground truth of the accuracy program holds suites; {what}.")
    suites = fields.take("suites", listed(_suite))
    by_id = {suite.id: suite for suite in suites}
    if len(by_id) < len(suites):
        raise refuse(source, "a suite's id stands twice.")
    corrections = fields.take("corrections", listed(_correction), ())
    _append_only(by_id, corrections, source)
    return GroundTruth(by_id, corrections)


def read_program(path: Path | None) -> Program:
    """The program beside the runs; without one the protocol's three runs an arm hold."""
    if path is None:
        return Program()
    fields = Fields(strict_json.read(path), str(path))
    targets = fields.take("targets", listed(anything), ())
    states = [t.get("fixture_status") if isinstance(t, dict) else None for t in targets]
    protocol = Fields(fields.take("protocol", anything, {}), f"{path}: protocol")
    return Program(
        fields.take("program_version", optional(text), None),
        len(targets),
        sum(state in {"fixture-ready", "recorded"} for state in states),
        states.count("recorded"),
        protocol.take("runs_per_arm", whole(1), RUNS_PER_ARM),
    )
