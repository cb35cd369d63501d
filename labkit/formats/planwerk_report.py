"""planwerk's own eval report (its ``-json`` form): read in every dialect, and written again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.evaluate.planwerk import CaseScore, Evaluation
from labkit.formats import gojson
from labkit.formats.planwerk import read_usage
from labkit.metrics.findings import Tally
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.evaluate.planwerk_compare import Comparison
    from labkit.metrics.usage import Usage

TIERS = tuple(
    f"{t}_{part}" for t in ("claude", "finder", "structure") for part in ("model", "effort")
)
EFFORTS = ("low", "medium", "high", "xhigh", "max")
RATIOS = ("precision", "recall", "severity_accuracy")
_COUNTS = ("tp", "fp", "fn", "severity_matches")
_CASE: dict[str, gojson.Reader] = {
    "name": gojson.string,
    "description": gojson.string,
    "clean": gojson.boolean,
    **dict.fromkeys(_COUNTS, gojson.integer),
    **dict.fromkeys(RATIOS, gojson.number),
    "found_by": gojson.mapped(gojson.integer),
    "usage": read_usage,
}


def _case(value: object, place: str) -> CaseScore:
    found = gojson.fields(value, place, _CASE)
    said = {key.casefold() for key in value} if isinstance(value, dict) else set()
    tally = Tally(*(found.pop(name, 0) for name in _COUNTS))
    recorded = {name: found.pop(name, None) for name in RATIOS if name in said}
    return CaseScore(**{"name": "", **found}, tally=tally, recorded=recorded)


def _pass(value: object, place: str) -> tuple[str, int, float | None]:
    readers = {"pass": gojson.string, "found": gojson.integer, "recall": gojson.number}
    found = gojson.fields(value, place, readers)
    return found.get("pass", ""), found.get("found", 0), found.get("recall")


def _tiers(value: object, place: str) -> dict[str, str]:
    return gojson.fields(value, place, dict.fromkeys(TIERS, gojson.string))


_REPORT: dict[str, gojson.Reader] = {
    "runs": gojson.integer,
    "thorough": gojson.boolean,
    "specialists": gojson.boolean,
    "tiers": _tiers,
    "cases": gojson.listed(_case),
    "aggregate": _case,
    "recall_by_pass": gojson.listed(_pass),
    "passes": gojson.listed(_pass),
}


def parse(text: str, source: str = "<text>") -> Evaluation:
    """Read a report; the first version had no ``runs``, ``usage`` or ``tiers``.

    A later one called ``recall_by_pass`` ``passes``. Unknown keys are ignored, so labkit's own
    report of a planwerk score is read as well.

    Raises:
        InputError: Not JSON, not such a report, or a member of the wrong type.
    """
    value = gojson.parse(text, source)
    keys = {key.casefold() for key in value} if isinstance(value, dict) else set()
    if not {"cases", "aggregate"} <= keys:
        raise InputError(f"{source}: no planwerk eval report; those have 'cases' and 'aggregate'.")
    found: dict[str, Any] = gojson.fields(value, source, _REPORT)
    old = found.pop("passes", None)
    return Evaluation(
        found.pop("runs", 0),
        found.pop("cases", ()),
        found.pop("aggregate", CaseScore("AGGREGATE", Tally())),
        recorded_passes=found.pop("recall_by_pass", old),
        **found,
    )


def read(path: Path) -> Evaluation:
    """Read a report from a file."""
    return parse(read_text(path), path.name)


def read_baseline(path: Path) -> Evaluation:
    """Read a report that a comparison can start from.

    Raises:
        InputError: As ``parse``, or the report records no runs.
    """
    evaluation = read(path)
    if evaluation.runs < 1:
        raise InputError(
            f"{path.name}: the baseline records no runs; score it again so that it does."
        )
    return evaluation


def parse_tiers(text: str, source: str) -> dict[str, str]:
    """Read the models and efforts a run was made with: an object with the six keys of ``tiers``.

    Raises:
        InputError: Not such an object, or an effort that does not exist.
    """
    place = f"{source}: tiers"
    readers = dict.fromkeys(TIERS, gojson.string)
    tiers = gojson.fields(gojson.parse(text, source), place, readers, strict=True)
    for name, value in tiers.items():
        if name.endswith("_effort") and value not in ("", *EFFORTS):
            raise InputError(
                f"{source}: {name} is {value!r}; it must be one of {', '.join(EFFORTS)}."
            )
    return tiers


# --- written -----------------------------------------------------------------------------------


def plain(value: float | None) -> float | None:
    """A number as Go writes it: a whole one without a point.

    >>> plain(1.0), plain(0.75), plain(None)
    (1, 0.75, None)
    """
    return int(value) if value is not None and value == int(value) else value


def _usage_data(usage: Usage) -> dict[str, object]:
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_input_tokens": usage.cache_read_input_tokens,
        "cache_creation_input_tokens": usage.cache_creation_input_tokens,
        "est_cost_usd": plain(usage.est_cost_usd),
    }


def _case_data(case: CaseScore) -> dict[str, object]:
    usage = _usage_data(case.usage)
    if case.usage.passes:
        usage["passes"] = [{"pass": name, **_usage_data(u)} for name, u in case.usage.passes]
    return {
        "name": case.name,
        **({"description": case.description} if case.description else {}),
        "clean": case.clean,
        **{name: getattr(case.tally, name) for name in _COUNTS},
        **{name: plain(getattr(case, name)) for name in RATIOS},
        **({"found_by": dict(sorted(case.found_by.items()))} if case.found_by else {}),
        "usage": usage,
    }


def as_data(evaluation: Evaluation, comparison: Comparison | None = None) -> dict[str, object]:
    """The report as planwerk's ``-json`` has it, key by key."""
    data: dict[str, object] = {
        "runs": evaluation.runs,
        "thorough": evaluation.thorough,
        "specialists": evaluation.specialists,
        "tiers": _tiers_data(evaluation.tiers),
        "cases": [_case_data(case) for case in evaluation.cases],
        "aggregate": _case_data(evaluation.aggregate),
        "recall_by_pass": [
            {"pass": name, "found": found, "recall": plain(recall)}
            for name, found, recall in evaluation.recall_by_pass
        ],
    }
    if comparison:
        data["comparison"] = comparison_data(comparison)
    return data


def _tiers_data(tiers: Mapping[str, str]) -> dict[str, str]:
    return {name: tiers.get(name, "") for name in TIERS}


def comparison_data(comparison: Comparison) -> dict[str, object]:
    """The comparison as planwerk's report holds it."""
    sides = {"baseline": comparison.baseline, "candidate": comparison.candidate}
    return {
        "verdict": comparison.verdict,
        "checks": [
            {
                "metric": check.metric,
                "baseline": plain(check.baseline),
                "candidate": plain(check.candidate),
                "floor": plain(check.floor),
                "held": check.held,
            }
            for check in comparison.checks
        ],
        "recall_by_pass": [
            {"pass": name, "baseline": plain(before), "candidate": plain(after)}
            for name, before, after in comparison.recall_by_pass
        ],
        **{
            name: {
                "prompt_tokens": cost.prompt_tokens,
                "output_tokens": cost.output_tokens,
                "est_cost_usd": plain(cost.est_cost_usd),
            }
            for name, cost in sides.items()
        },
        "baseline_tiers": _tiers_data(comparison.tiers[0]),
        "candidate_tiers": _tiers_data(comparison.tiers[1]),
    }
