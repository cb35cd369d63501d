"""Answers of a model to a golden dataset: one object a case, with probabilities or an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.evaluate.decguard.probabilities import (
    ProbabilityError,
    redacted,
    select,
    validate,
)
from labkit.evaluate.decguard.records import (
    ERROR_KINDS,
    Case,
    CaseError,
    Decision,
    Evaluation,
    Record,
    Result,
)
from labkit.formats import strict_json
from labkit.formats.fields import (
    Fields,
    anything,
    mapping,
    number,
    one_of,
    optional,
    refuse,
    some_text,
    text,
)
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as the file gives it, not yet judged against the labels."""

    id: str
    probabilities: Any
    selected: str | None
    confidence: float | None
    error: CaseError | None
    latency_ms: float | None
    backend: str
    provider: str
    model: str | None
    model_version: str | None
    metadata: Mapping[str, Any]
    place: str


def _error(value: Any, place: str) -> CaseError:
    if isinstance(value, str):
        return CaseError("backend_error", value)
    fields = Fields(value, place)
    found = CaseError(fields.take("kind", one_of(*ERROR_KINDS)), fields.take("message", text, ""))
    fields.close()
    return found


def _answer(value: Any, place: str) -> Answer:
    fields = Fields(value, place)
    found = Answer(
        fields.take("id", some_text),
        fields.take("probabilities", anything, None),
        fields.take("selected", optional(text), None),
        fields.take("confidence", optional(number()), None),
        fields.take("error", optional(_error), None),
        fields.take("latency_ms", optional(number(0)), None),
        fields.take("backend", optional(some_text), None) or "answers",
        fields.take("provider", optional(some_text), None) or "file",
        fields.take("model", optional(some_text), None),
        fields.take("model_version", optional(some_text), None),
        fields.take("metadata", mapping, {}),
        place,
    )
    fields.close()
    if (found.probabilities is None) == (found.error is None):
        raise refuse(place, "an answer needs exactly one of 'probabilities' and 'error'.")
    return found


def parse(content: str, source: str) -> tuple[Answer, ...]:
    """Answers from JSONL text, blank lines skipped.

    Raises:
        InputError: A line is no answer, or an id is answered twice.
    """
    found: dict[str, Answer] = {}
    for line, row in enumerate(content.split("\n"), 1):
        if not row.strip():
            continue
        value = strict_json.parse(row, source, line, constants=True)
        answer = _answer(value, f"{source}:{line}")
        if answer.id in found:
            first = found[answer.id].place.rpartition(":")[2]
            raise InputError.at(
                source, line, f"case {answer.id!r} is answered twice (first at line {first})."
            )
        found[answer.id] = answer
    if not found:
        raise refuse(source, "the file contains no answers.")
    return tuple(found.values())


def read(path: Path) -> tuple[Answer, ...]:
    """Answers from a file."""
    source = str(path)
    return parse(read_text(path), source)


def _result(
    answer: Answer, decision: Decision, tolerance: float
) -> tuple[Result | None, CaseError | None]:
    if answer.error is not None:
        return None, answer.error
    try:
        chances = validate(decision.labels, answer.probabilities, tolerance)
    except ProbabilityError as error:
        return None, CaseError("invalid_response", str(error))
    selected = select(decision.labels, chances)
    if answer.selected not in {None, selected}:
        fault = f"selected {answer.selected!r} is not the most probable label {selected!r}"
        return None, CaseError("invalid_response", fault)
    if answer.confidence not in {None, chances[selected]}:
        fault = f"confidence {answer.confidence} is not the probability of {selected!r}"
        return None, CaseError("invalid_response", f"{fault} ({chances[selected]})")
    result = Result(
        answer.id,
        decision.name,
        decision.type,
        decision.labels,
        chances,
        selected,
        chances[selected],
        answer.backend,
        answer.provider,
        answer.model,
        answer.model_version,
        answer.latency_ms,
        redacted(answer.metadata),
    )
    return result, None


def join(
    cases: Sequence[Case],
    answers: Iterable[Answer],
    decision: Decision,
    evaluation: Evaluation,
    source: str,
) -> tuple[Record, ...]:
    """Each case with its answer, in dataset order.

    An answer whose probabilities are no distribution is an ``invalid_response`` error, and a
    case without an answer an ``unavailable`` one: both count in the error rate.

    Raises:
        InputError: An answer belongs to no case, or no case has a valid answer.
    """
    by_id = {answer.id: answer for answer in answers}
    known = {case.id for case in cases}
    for answer in by_id.values():
        if answer.id not in known:
            raise refuse(
                answer.place, f"no case {answer.id!r} in the dataset; is it another one's answer?"
            )
    absent = CaseError("unavailable", "the file has no answer for this case")
    records: list[Record] = []
    for case in cases:
        answer_of = by_id.get(case.id)
        result, error = (
            (None, absent)
            if answer_of is None
            else _result(answer_of, decision, evaluation.probability_tolerance)
        )
        records.append(
            Record(case.id, case.input, case.expected, dict(case.metadata), result, error)
        )
    if all(record.result is None for record in records):
        first = records[0].error
        reason = f"; the first: {first.message}" if first else ""
        raise refuse(source, f"every case is an error, so nothing can be measured{reason}.")
    return tuple(records)
