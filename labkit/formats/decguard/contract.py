"""decguard contracts: YAML or JSON, every section checked, unknown fields refused."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from labkit import yamltyped
from labkit.evaluate.decguard.contract import Contract, Production, Regression
from labkit.evaluate.decguard.gates import (
    GOLDEN,
    NEED_THRESHOLD,
    PRODUCTION,
    REGRESSION,
    SEGMENT,
    Gate,
    Thresholds,
)
from labkit.evaluate.decguard.policy import ACTIONS, Route
from labkit.evaluate.decguard.records import Decision, Evaluation
from labkit.formats import strict_json
from labkit.formats.fields import (
    Check,
    Fields,
    listed,
    mapping,
    number,
    one_of,
    optional,
    refuse,
    shown,
    some_text,
    text,
    whole,
)
from labkit.textfile import decode, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_BYTES = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_KEYS = {"choice": "options", "noul": "labels", "score": "levels"}


def _label(value: Any, place: str) -> str:
    if isinstance(value, bool):
        raise refuse(place, "yes and no without quotes are true and false in YAML; quote them.")
    if not text(value, place) or value != value.strip():
        raise refuse(place, f"a label needs text without surrounding spaces, got {value!r}.")
    return str(value)


def _level(value: Any, place: str) -> str:
    return str(value) if type(value) is int else _label(value, place)


def _labels(fields: Fields, kind: str) -> tuple[str, ...]:
    check: Check[str] = _level if kind == "score" else _label
    default: Any = {"default": ("yes", "no")} if kind == "noul" else {}
    labels: tuple[str, ...] = fields.take(_KEYS[kind], listed(check), **default)
    twice = [label for label, n in Counter(labels).items() if n > 1]
    if twice:
        raise refuse(fields.place, f"duplicate labels: {twice}.")
    if len(labels) < 2 or (kind == "noul" and len(labels) > 2):  # noqa: PLR2004  # two sides
        some = "exactly two" if kind == "noul" else "at least two"
        raise refuse(fields.place, f"{_KEYS[kind]} needs {some} labels, got {len(labels)}.")
    return labels


def decision_name(value: Any, place: str) -> str:
    """A decision's name: letters, digits, ``_ . -``, not starting with a sign."""
    if not _NAME.fullmatch(text(value, place)):
        raise refuse(place, f"letters, digits, '_', '.' and '-' only, got {shown(value)}.")
    return str(value)


def _decision(value: Any, place: str) -> Decision:
    fields = Fields(value, place)
    name = fields.take("name", decision_name)
    kind = cast("Literal['choice', 'noul', 'score']", fields.take("type", one_of(*_KEYS)))
    description = fields.take("description", optional(text), None)
    labels = _labels(fields, kind)
    fields.close()
    return Decision(name, kind, labels, description)


def evaluation(value: Any, place: str) -> Evaluation:
    """The ``evaluation`` block."""
    fields = Fields(value, place)
    least = 1e-300
    found = Evaluation(
        fields.take("confidence_threshold", optional(number(0, 1)), None),
        fields.take("calibration_bins", whole(1, 1000), 10),
        fields.take("probability_tolerance", number(least, 0.1), 0.001),
        fields.take("max_concurrency", whole(1, 256), 4),
    )
    fields.close()
    return found


def _take_gates(fields: Fields, gates: Iterable[Gate]) -> Thresholds:
    high = float("inf")
    found = {
        gate.name: fields.take(
            gate.name, optional(number(0, high if gate.high is None else gate.high)), None
        )
        for gate in gates
    }
    return {name: value for name, value in found.items() if value is not None}


def thresholds(gates: Iterable[Gate]) -> Check[Thresholds]:
    """A block of gates: number by gate name; an unknown gate is refused."""

    def block(value: Any, place: str) -> Thresholds:
        fields = Fields(value, place)
        found = _take_gates(fields, gates)
        fields.close()
        return found

    return block


def _regression(value: Any, place: str) -> Regression:
    fields = Fields(value, place)
    requirements = _take_gates(fields, REGRESSION)
    found = Regression(
        requirements,
        fields.take("warnings", thresholds(REGRESSION), {}),
        fields.take("segment_by", listed(some_text), ()),
        fields.take("min_segment_size", whole(1), 5),
    )
    fields.close()
    gated = {**found.requirements, **found.warnings}
    if "max_segment_accuracy_drop" in gated and not found.segment_by:
        raise refuse(place, "max_segment_accuracy_drop needs segment_by (case metadata keys).")
    return found


def _production(value: Any, place: str) -> Production:
    fields = Fields(value, place)
    found = Production(
        fields.take("segments", listed(some_text), ()),
        fields.take("requirements", thresholds(PRODUCTION), {}),
        fields.take("warnings", thresholds(PRODUCTION), {}),
        fields.take("segment_requirements", thresholds(SEGMENT), {}),
        fields.take("segment_warnings", thresholds(SEGMENT), {}),
    )
    fields.close()
    if (found.segment_requirements or found.segment_warnings) and not found.segments:
        raise refuse(place, "gates of segments need segments (record metadata keys).")
    return found


def _when(value: Any, place: str) -> float:
    fields = Fields(value, place)
    found = fields.take("confidence_gte", number(0, 1))
    fields.close()
    return found


def _route(value: Any, place: str) -> Route:
    fields = Fields(value, place)
    when = fields.take("when", optional(_when), None)
    action = cast("Any", fields.take("action", one_of(*ACTIONS)))
    backend = fields.take("backend", optional(some_text), None)
    fields.close()
    if action == "fallback" and backend is None:
        raise refuse(place, "a fallback route needs a backend.")
    if action != "fallback" and backend is not None:
        raise refuse(place, "'backend' is only valid for fallback routes.")
    return Route(action, when, backend)


def routes(value: Any, place: str) -> tuple[Route, ...]:
    """The ``policy`` block: thresholds strictly descending, the last route unconditional."""
    fields = Fields(value, place)
    found: tuple[Route, ...] = fields.take("routes", listed(_route))
    fields.close()
    if not found:
        raise refuse(place, "a policy needs at least one route.")
    bounds = [route.confidence_gte for route in found]
    if bounds[-1] is not None:
        raise refuse(place, "the last route must be unconditional.")
    conditional = [bound for bound in bounds[:-1] if bound is not None]
    if len(conditional) < len(bounds) - 1:
        raise refuse(place, "only the last route may be unconditional.")
    if any(a <= b for a, b in itertools.pairwise(conditional)):
        raise refuse(place, "confidence_gte must fall strictly from route to route.")
    return found


def _policy(value: Any, place: str) -> tuple[Route, ...]:
    return () if value is None else routes(value, place)


def _schema_version(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise refuse(place, f'must be quoted text such as "0.1", got {shown(value)}.')
    if value != "0.1":
        raise refuse(place, f"unsupported version {value!r}; this reads '0.1'.")
    return value


def _fit(contract: Contract, backends: Iterable[str], source: str) -> None:
    """Rules that hold between sections."""
    evaluation, production = contract.evaluation, contract.production
    blocks = {"requirements": contract.requirements, "warnings": contract.warnings}
    for name, gates in blocks.items():
        for gate in NEED_THRESHOLD:
            if gate in gates and evaluation.confidence_threshold is None:
                raise refuse(source, f"{name}.{gate} needs evaluation.confidence_threshold.")
        if "max_ordinal_mae" in gates and contract.decision.type != "score":
            raise refuse(source, f"{name}.max_ordinal_mae only applies to score decisions.")
    live = (
        production.requirements,
        production.warnings,
        production.segment_requirements,
        production.segment_warnings,
    )
    if evaluation.confidence_threshold is None and any(
        "min_threshold_coverage" in gates for gates in live
    ):
        fault = "production min_threshold_coverage needs evaluation.confidence_threshold."
        raise refuse(source, fault)
    for index, route in enumerate(contract.routes):
        if route.backend is not None and route.backend not in backends:
            place = f"{source}: policy.routes[{index}]"
            known = ", ".join(backends)
            raise refuse(place, f"unknown backend {route.backend!r}; known are {known}.")


def build(data: Any, source: str = "<contract>") -> Contract:
    """A contract from typed data.

    Raises:
        InputError: A field is missing, unknown or wrong, or two sections contradict each other.
    """
    fields = Fields(data, source)
    version = fields.take("schema_version", _schema_version)
    decision = fields.take("decision", _decision)
    fields.take("backend", mapping, {})
    backends = fields.take("backends", mapping, {})
    if "default" in backends:
        raise refuse(source, "backends: 'default' is the name of the top-level backend.")
    contract = Contract(
        decision,
        fields.take("evaluation", evaluation, Evaluation()),
        fields.take("requirements", thresholds(GOLDEN), {}),
        fields.take("warnings", thresholds(GOLDEN), {}),
        fields.take("regression", _regression, Regression()),
        fields.take("production", _production, Production()),
        fields.take("policy", _policy, ()),
        fields.take("dataset", optional(some_text), None),
        version,
        None,
        Path(source).name,
    )
    for carried in ("fuzz", "properties"):
        fields.take(carried, optional(mapping), None)
    fields.close()
    _fit(contract, ["default", *backends], source)
    return contract


def parse(content: str, source: str = "<contract>") -> Contract:
    """A contract from YAML text, or from JSON where the name ends in ``.json``."""
    if source.lower().endswith(".json"):
        return build(strict_json.parse(content, source), source)
    return build(yamltyped.parse(content, source), source)


def read(path: Path) -> Contract:
    """A contract from a file of at most a million bytes."""
    raw = read_bytes(path)
    if len(raw) > MAX_BYTES:
        raise refuse(str(path), f"larger than {MAX_BYTES} bytes; this is no contract.")
    return parse(decode(raw, str(path)), str(path))
