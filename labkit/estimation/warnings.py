"""What a reader must know before believing a number, one sentence each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.estimation.designs import Design, Stratum
from labkit.estimation.score_interval import point
from labkit.estimation.units import Use

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from labkit.estimation.units import Labelled

FAST_MS = 2000
MOST = 0.5
FEW_TAG_POSITIVES = 10
MANY_UNSURE = 0.05
FALSE_PASS_ONE_LOOK = 0.025
FALSE_PASS_MANY_LOOKS = 0.15
_ASSISTED = frozenset({"assisted", "revealed"})


@dataclass(frozen=True, slots=True)
class Warn:
    """One warning: a stable code and its sentence."""

    code: str
    message: str

    def as_dict(self) -> dict[str, object]:
        """The row of the report's ``warnings``."""
        return {"code": self.code, "message": self.message}


def warn_of_basis(labels: Sequence[Labelled], flagged: Mapping[str, bool]) -> list[Warn]:
    """Labels that follow the AI, or that were collected because it was wrong.

    Args:
        labels: Labels that enter the estimates.
        flagged: The AI's decision by item.
    """
    known = [one for one in labels if one.positive is not None and one.item in flagged]
    if not known:
        return []
    found: list[Warn] = []
    n = len(known)
    assisted = sum(one.basis in _ASSISTED for one in known)
    if assisted > MOST * n:
        found.append(
            Warn(
                "assisted",
                f"{assisted} of {n} labels were given with the AI's answer in view: agreement "
                "with the AI may be overstated.",
            )
        )
    bulk = sum(
        one.positive is flagged[one.item]
        and one.duration_ms is not None
        and one.duration_ms < FAST_MS
        and one.basis in _ASSISTED
        for one in known
    )
    if bulk > MOST * n:
        found.append(
            Warn(
                "bulk",
                f"{bulk} of {n} labels equal the AI's answer and took less than "
                f"{FAST_MS // 1000} s: agreement with the AI may be overstated.",
            )
        )
    # certainty units stand for themselves alone: they over-represent nothing
    imported = [one for one in known if one.basis == "imported" and one.use is Use.SAMPLED]
    same = sum(one.positive is flagged[one.item] for one in imported)
    if len(imported) > MOST * n and same < MOST * len(imported):
        found.append(
            Warn(
                "imported",
                f"{len(imported)} of {n} labels were imported and only {same} of them equal the "
                "AI's answer: corrections over-represent errors, so the AI may be understated.",
            )
        )
    return found


def warn_of_rare_tags(positives: Mapping[str, int]) -> list[Warn]:
    """Tags with fewer than ten labelled positives; the plan names them."""
    rare = sorted(tag for tag, n in positives.items() if n < FEW_TAG_POSITIVES)
    if not rare:
        return []
    named = ", ".join(f"{tag} ({positives[tag]})" for tag in rare)
    return [
        Warn(
            "rare-tags",
            f"Fewer than {FEW_TAG_POSITIVES} labelled positives: {named}; label more items with "
            "these tags before reading their numbers.",
        )
    ]


def unsure_bounds(
    design: Design, metrics: Iterable[str]
) -> dict[str, tuple[float | None, float | None]]:
    """Each metric if all unsure answers were negative, and if all were positive."""

    def filled(stratum: Stratum, *, positive: bool) -> Stratum:
        return Stratum(
            stratum.name,
            stratum.flagged,
            stratum.population,
            stratum.labelled + stratum.unsure,
            stratum.positives + (stratum.unsure if positive else 0),
        )

    cells = {
        side: [filled(s, positive=side).cell() for s in design.strata] for side in (False, True)
    }
    return {metric: (point(metric, cells[False]), point(metric, cells[True])) for metric in metrics}


def warn_of_unsure(
    design: Design, metrics: Sequence[str] = ("precision", "recall", "f1")
) -> list[Warn]:
    """Both bounds, where unsure answers are more than 5 % of the answers."""
    unsure = sum(s.unsure for s in design.strata)
    answers = unsure + design.labelled
    if not answers or unsure <= MANY_UNSURE * answers:
        return []
    bounds = ", ".join(
        f"{metric} {_text(low)} to {_text(high)}"
        for metric, (low, high) in unsure_bounds(design, metrics).items()
    )
    return [
        Warn(
            "unsure",
            f"{unsure} of {answers} answers are unsure ({unsure / answers:.0%}). If all were "
            f"negative to if all were positive: {bounds}.",
        )
    ]


def warn_of_looks(looks: int) -> list[Warn]:
    """A gate that was looked at several times passes by chance more often."""
    if looks <= 1:
        return []
    return [
        Warn(
            "looks",
            f"The gate was looked at {looks} times while labels came in. A model exactly at the "
            f"bar passes one look by chance with {FALSE_PASS_ONE_LOOK:.1%}, and some look with up "
            f"to about {FALSE_PASS_MANY_LOOKS:.0%}; decide at the planned number of labels.",
        )
    ]


def warn_of_unequal() -> list[Warn]:
    """Unequal chances are experimental; what was measured stands beside the interval."""
    return [
        Warn(
            "unequal",
            "Unequal chances of being drawn are experimental: in simulation the 95 % intervals "
            "held the truth in 87 to 99 % of samples, least with few positives.",
        )
    ]


def warn_of_design(design: Design, *, disputed: int = 0) -> list[Warn]:
    """Labels left out, strata counted with others, disputed items."""
    found = [
        Warn(
            "left-out",
            f"{out.n} {'label is' if out.n == 1 else 'labels are'} not in the estimates: "
            f"{out.reason}.",
        )
        for out in design.left_out
    ]
    if design.collapsed:
        names = ", ".join(design.collapsed)
        found.append(
            Warn(
                "collapsed",
                f"No label yet in {names}: counted with the rest of the AI's class.",
            )
        )
    if disputed:
        found.append(
            Warn(
                "disputed",
                f"{disputed} {'item is' if disputed == 1 else 'items are'} disputed between "
                "reviewers and left out.",
            )
        )
    return found


def basis_of(labels: Iterable[Labelled]) -> str:
    """One word for the labels' basis, the most frequent first: ``blind`` or ``blind, imported``.

    >>> basis_of([])
    'none'
    """
    counts = Counter(str(one.basis) for one in labels)
    return ", ".join(sorted(counts, key=lambda b: (-counts[b], b))) or "none"


def _text(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
