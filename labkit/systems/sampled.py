"""Estimates for a whole scan from override entries whose notes say how they were drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.overrides import notes
from labkit.parsed import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.estimation.estimates import Estimate
    from labkit.estimation.units import Labelled
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


def _sizes(samples: Sequence[Sample]) -> dict[str, int]:
    """How many methods of the scan the strata have whose members can be told."""
    flagged = sum(bool(s.predicted_relevant) for s in samples if s.predicted)
    whole = sum(s.predicted for s in samples)
    return {"all": whole, "flagged": flagged, "not-flagged": whole - flagged}


def _drawn(draws: Sequence[Draw], sizes: Mapping[str, int]) -> Drawn:
    """How the labels stand for the scan; unknown where the notes tell of another one."""
    strata = {draw.stratum: draw.population for draw in draws}
    if any(sizes.get(name, size) != size for name, size in strata.items()):
        return "unknown"
    if set(strata) <= set(sizes):
        return "simple" if set(strata) == {"all"} else "stratified"
    return "unequal"


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

    draws = [said.draw for said in found.values() if said.draw is not None]
    drawn = _drawn(draws, _sizes(samples))
    if drawn == "unknown":
        message = (
            "the notes tell of a sample from another number of methods than this scan has; "
            "no interval is claimed."
        )
        problems.append(Problem(source, None, message, "warning"))
    predicted = [
        Predicted(
            s.item,
            s.predicted_relevant,
            confidence=s.confidence,
            tags=s.predicted_tags if s.predicted else None,
        )
        for s in samples
    ]
    labels = [_labelled(s, found[s.item]) for s in samples if s.item in found and s.labelled]
    rows = estimate_all(predicted, labels, Options(drawn=drawn)).metrics
    return Sampled(rows, tuple(problems))


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
