"""Estimates for a whole scan from override entries whose notes say how they were drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.model import Basis
from labkit.overrides import notes
from labkit.parsed import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.estimation.estimates import Estimate
    from labkit.estimation.units import Labelled, Predicted
    from labkit.estimation.whole import Drawn
    from labkit.evaluate.methodatlas import Sample
    from labkit.overrides import Entry
    from labkit.overrides.notes import Draw, Provenance


@dataclass(frozen=True, slots=True)
class Sampled:
    """What the notes allow to be estimated; no rows where no note has a clause."""

    rows: tuple[Estimate, ...] = ()
    problems: tuple[Problem, ...] = ()


def _clauses(
    entries: Mapping[str, Entry], source: str
) -> tuple[dict[str, Provenance], list[Problem]]:
    found: dict[str, Provenance] = {}
    problems: list[Problem] = []
    for item, entry in entries.items():
        try:
            said = notes.parse(entry.note or "")
        except InputError as error:
            problems.append(Problem(source, entry.line, str(error), "warning"))
            continue
        if said is not None and entry.method is not None:
            found[item] = said
    return found, problems


def _apart(found: Mapping[str, Provenance]) -> list[dict[str, Provenance]]:
    """Labels given with the AI's answer in view are rows of their own, behind the others."""
    own = [
        {item: said for item, said in found.items() if (said.basis is Basis.ASSISTED) is assisted}
        for assisted in (False, True)
    ]
    return [part for part in own if part]


def _sides(samples: Sequence[Sample]) -> dict[str, int]:
    """How many methods of the scan there are in all, and on each side of the AI's decision."""
    flagged = sum(bool(s.predicted_relevant) for s in samples if s.predicted)
    whole = sum(s.predicted for s in samples)
    return {"all": whole, "flagged": flagged, "not-flagged": whole - flagged}


def _placed(
    predicted: Sequence[Predicted], draws: Mapping[str, Draw], sides: Mapping[str, int]
) -> tuple[Drawn, Sequence[Predicted]]:
    """How the labels stand for the scan; unknown where the notes tell of another one."""
    from labkit.estimation.recognised import by_size  # noqa: PLC0415  # numpy, only where needed

    strata = {draw.stratum: draw.population for draw in draws.values()}
    if any(sides.get(name, size) != size for name, size in strata.items()):
        return "unknown", predicted
    if set(strata) <= {"all"}:
        return "simple", predicted
    named = {item: draw.stratum for item, draw in draws.items()}
    there = by_size(predicted, named, strata)
    return ("unequal", predicted) if there is None else ("stratified", there)


def estimate(samples: Sequence[Sample], entries: Mapping[str, Entry], source: str) -> Sampled:
    """Estimate every metric of the scan from the labels whose notes have labkit's clause.

    Args:
        samples: Every method of the scan.
        entries: The entry that holds for each labelled method.
        source: The override file, for problems.
    """
    found, problems = _clauses(entries, source)
    if not found:
        return Sampled((), tuple(problems))
    from labkit.estimation.units import Predicted  # noqa: PLC0415  # numpy, only where needed
    from labkit.estimation.whole import Options, estimate_all  # noqa: PLC0415

    predicted: Sequence[Predicted] = [
        Predicted(
            s.item,
            s.predicted_relevant,
            confidence=s.confidence,
            tags=s.predicted_tags if s.predicted else None,
        )
        for s in samples
    ]
    inside = {s.item for s in samples if s.predicted}
    draws = {
        item: said.draw for item, said in found.items() if said.draw is not None and item in inside
    }
    drawn, predicted = _placed(predicted, draws, _sides(samples))
    if drawn == "unknown":
        message = (
            "the notes tell of a sample from another number of methods than this scan has; "
            "no interval is claimed."
        )
        problems.append(Problem(source, None, message, "warning"))
    bare = sum(s.labelled and s.predicted and s.item not in found for s in samples)
    if bare:
        message = (
            f"{bare} entries do not say how their items were chosen; they are not in the "
            "estimates, which lack them also where they were drawn."
        )
        problems.append(Problem(source, None, message, "note"))
    rows: list[Estimate] = []
    for part in _apart(found):
        labels = [_labelled(s, part[s.item]) for s in samples if s.item in part and s.labelled]
        rows += estimate_all(predicted, labels, Options(drawn=drawn, basis=_basis(part))).metrics
    return Sampled(tuple(rows), tuple(problems))


def _basis(part: Mapping[str, Provenance]) -> str:
    """The least independent answer among them; those that were revised make it ``revealed``."""
    found = {said.basis for said in part.values()}
    order = (Basis.IMPORTED, Basis.ASSISTED, Basis.REVEALED, Basis.BLIND)
    return next(basis.value for basis in order if basis in found)


def _labelled(sample: Sample, said: Provenance) -> Labelled:
    from labkit.estimation.units import Labelled, Use  # noqa: PLC0415  # numpy, only where needed

    return Labelled(
        sample.item,
        sample.truth_relevant,
        sample.truth_tags,
        basis=said.basis.value,
        use=Use.TARGETED if said.draw is None else Use.SAMPLED,
        inclusion_probability=None if said.draw is None else said.draw.inclusion_probability,
    )
