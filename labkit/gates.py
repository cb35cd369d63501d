"""Gates: thresholds that a report must hold, for pipelines. labkit ships no default."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from labkit import yamlfile
from labkit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LIMITS: dict[str, float] = {
    "min_f1": 1,
    "min_precision": 1,
    "min_recall": 1,
    "min_accuracy": 1,
    "min_macro_f1": 1,
    "max_ece": 1,
    "max_brier": 2,
    "max_nll": math.inf,
    "min_coverage": 1,
    "max_abstention_rate": 1,
    "min_selective_accuracy": 1,
    "max_error_rate": 1,
    "max_latency_p95_ms": math.inf,
    "max_ordinal_mae": math.inf,
}
"""Every gate and the largest threshold that makes sense; the smallest is 0."""
SELECTIVE = frozenset({"min_coverage", "min_selective_accuracy", "max_abstention_rate"})
"""Gates that mean nothing without a confidence threshold."""

Level = Literal["requirement", "warning"]


@dataclass(frozen=True, slots=True)
class Gate:
    """One threshold somebody asked for."""

    name: str
    threshold: float
    level: Level = "requirement"


@dataclass(frozen=True, slots=True)
class Measured:
    """A value that a gate reads, with the ends of its interval where it has one."""

    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """A gate, the value it read, and whether it held."""

    gate: Gate
    metric: str
    value: float | None
    held: bool

    @property
    def failed(self) -> bool:
        """Whether this check alone makes the command exit with 1."""
        return not self.held and self.gate.level == "requirement"

    def as_dict(self) -> dict[str, object]:
        """The form that every JSON report uses; warnings say that they are."""
        row: dict[str, object] = {
            "gate": self.gate.name.replace("_", "-"),
            "metric": self.metric,
            "threshold": self.gate.threshold,
            "value": self.value,
            "held": self.held,
        }
        return row if self.gate.level == "requirement" else {**row, "level": self.gate.level}


@dataclass(frozen=True, slots=True)
class Asked:
    """All gates of a call and the confidence threshold they share."""

    gates: tuple[Gate, ...] = ()
    confidence_threshold: float | None = None
    on: Literal["value", "low"] = "value"
    """``low`` reads the worse end of the interval: lower for ``min``, upper for ``max``."""


def _checked(name: str, threshold: float, place: str) -> float:
    top = LIMITS[name]
    if math.isnan(threshold) or not 0 <= threshold <= top or math.isinf(threshold):
        span = "0 or more" if math.isinf(top) else f"from 0 to {top:g}"
        option = name.replace("_", "-")
        raise InputError(f"{place}{option} must be {span}, not {threshold:g}.")
    return threshold


@dataclass(frozen=True, slots=True)
class GatesFile:
    """What a file of gates asks for."""

    gates: tuple[Gate, ...] = ()
    confidence_threshold: float | None = None


def _number(node: yamlfile.Node | None, source: str, name: str) -> float:
    text = node.text if isinstance(node, yamlfile.Scalar) else ""
    try:
        return float(text)
    except ValueError:
        line = node.place.line if node else None
        raise InputError.at(source, line, f"{name} is not a number.") from None


def _block(root: yamlfile.Mapping, key: Level, source: str) -> list[Gate]:
    node = root.value(f"{key}s")
    if node is None or (isinstance(node, yamlfile.Scalar) and node.is_null):
        return []
    if not isinstance(node, yamlfile.Mapping):
        raise InputError.at(source, node.place.line, f"'{key}s' must be a mapping of gates.")
    gates = []
    for name, value in node.pairs:
        gate = name.text.replace("-", "_")
        line = name.place.line
        if gate not in LIMITS:
            known = ", ".join(LIMITS)
            raise InputError.at(source, line, f"no gate {name.text!r}; there are {known}.")
        if isinstance(value, yamlfile.Scalar) and value.is_null:
            continue
        number = _number(value, source, name.text)
        gates.append(Gate(gate, _checked(gate, number, f"{source}:{line}: "), key))
    return gates


def parse(text: str, source: str = "<text>") -> GatesFile:
    """Read ``requirements`` and ``warnings`` blocks, as decguard's contracts have them.

    Raises:
        InputError: Not YAML, an unknown gate, or a threshold outside its range.

    >>> parse("requirements: {min_f1: 0.8}").gates
    (Gate(name='min_f1', threshold=0.8, level='requirement'),)
    """
    root = yamlfile.parse(text, source).root
    if not isinstance(root, yamlfile.Mapping):
        raise InputError.at(source, 1, "a mapping with 'requirements' or 'warnings' is needed.")
    gates = _block(root, "requirement", source) + _block(root, "warning", source)
    if not gates and not {key.text for key, _ in root.pairs} & {"requirements", "warnings"}:
        raise InputError.at(source, 1, "no 'requirements' and no 'warnings'; nothing to check.")
    block = root.value("evaluation")
    found = block.value("confidence_threshold") if isinstance(block, yamlfile.Mapping) else None
    null = isinstance(found, yamlfile.Scalar) and found.is_null
    threshold = None if found is None or null else _number(found, source, "confidence_threshold")
    return GatesFile(tuple(gates), threshold)


def asked(options: Mapping[str, object], file: GatesFile | None = None) -> Asked:
    """The gates of a call: its options by their Python names, and a file's gates after them.

    Raises:
        InputError: A threshold is outside its range, or a gate needs ``--confidence-threshold``.
    """
    gates = [
        Gate(name, _checked(name, float(value), "--"))
        for name, value in options.items()
        if name in LIMITS and isinstance(value, (int, float))
    ]
    gates += file.gates if file else ()
    given = options.get("confidence_threshold")
    threshold = float(given) if isinstance(given, (int, float)) else None
    if threshold is None and file:
        threshold = file.confidence_threshold
    if threshold is not None and not 0 <= threshold <= 1:
        raise InputError(f"--confidence-threshold must be from 0 to 1, not {threshold:g}.")
    for gate in gates:
        if gate.name in SELECTIVE and threshold is None:
            option = gate.name.replace("_", "-")
            raise InputError(f"--{option} needs --confidence-threshold.")
    return Asked(tuple(gates), threshold, "low" if options.get("gate_on") == "low" else "value")


@dataclass(frozen=True, slots=True)
class Values:
    """What each gate reads in one system; a gate that is not here reads nothing."""

    by_gate: Mapping[str, Sequence[Measured]] = field(default_factory=dict)


def _read(gate: Gate, measured: Measured, on: Literal["value", "low"]) -> float | None:
    if on == "value":
        return measured.value
    return measured.low if gate.name.startswith("min") else measured.high


def _holds(gate: Gate, value: float) -> bool:
    return value >= gate.threshold if gate.name.startswith("min") else value <= gate.threshold


def check(asked_for: Asked, values: Values) -> tuple[Check, ...]:
    """Check every gate; an undefined value never holds.

    A gate that reads several values (``min_f1``: relevance and tags) leaves out the undefined
    ones, and fails when all of them are.
    """
    found = []
    for gate in asked_for.gates:
        fallback = Measured(gate.name.split("_", 1)[1], None)
        sources = values.by_gate.get(gate.name) or (fallback,)
        read = [(one.metric, _read(gate, one, asked_for.on)) for one in sources]
        nothing = all(value is None for _, value in read)
        for metric, value in read:
            held = not nothing if value is None else _holds(gate, value)
            found.append(Check(gate, metric, value, held))
    return tuple(found)
