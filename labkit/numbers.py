"""What a study's labels say about all predictions: estimates by basis, and what is still needed."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from labkit.codebook import agrees
from labkit.estimation.anchoring import Answered, anchoring
from labkit.estimation.designs import crossed
from labkit.estimation.estimates import estimate
from labkit.estimation.score_interval import METRICS
from labkit.estimation.whole import Drawn, Estimates, Options, estimate_all
from labkit.labels import by_item, is_disputed
from labkit.model import Basis
from labkit.population import is_flagged, is_positive, labelled, yes_no

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from labkit.config import Goal
    from labkit.estimation.anchoring import Anchoring
    from labkit.estimation.designs import Design
    from labkit.estimation.estimates import Estimate
    from labkit.estimation.population import Population
    from labkit.estimation.routes import Allocation
    from labkit.estimation.units import Labelled
    from labkit.model import Label, Prediction, Task

INDEPENDENT = (Basis.BLIND, Basis.ASSISTED)
"""The bases that estimates are made of, each by itself; the first with labels is the headline."""


@dataclass(frozen=True, slots=True)
class Frames:
    """A study's population, read once."""

    task: Task
    predictions: Mapping[str, Prediction]
    population: Population
    drawn: Drawn
    seed: int = 1

    @property
    def binary(self) -> bool:
        """Whether the AI says yes and no, so that recall and F1 exist."""
        strata = self.population.frame.strata.values()
        # asked at every answer: the first item that is not claimed settles it
        claimed = bool(strata) and all(side is True for _, side in strata)
        return yes_no(self.task) is not None and not claimed

    @property
    def claimed(self) -> bool:
        """Whether anything else than tags and text is asked."""
        return any(q.kind not in {"tags", "text"} for q in self.task.questions)

    def labels(
        self, labels: Iterable[Label], basis: Basis, *, final: bool = False
    ) -> tuple[Labelled, ...]:
        """One label an item of that basis; items on which reviewers differ have none."""
        return tuple(
            labelled(self.task, one, self.predictions.get(item), final=final)
            for item, group in by_item(labels).items()
            if not is_disputed(group) and (one := standing(group, basis))
        )

    def design(self, labels: Iterable[Labelled]) -> Design:
        """The strata with what the labels say."""
        return crossed(self.population.frame, labels, simple=self.drawn == "simple")

    @property
    def allocation(self) -> Allocation:
        """Where further labels go: as the sample was drawn, or where they help most."""
        return "proportional" if self.drawn == "simple" else "optimal"

    @property
    def of_choice(self) -> bool:
        """Whether the AI chooses among labels, so that the share that is right is its accuracy."""
        return not self.binary and yes_no(self.task) is None

    @property
    def metrics(self) -> tuple[str, ...]:
        """The binary metrics that mean something here."""
        if not self.claimed:
            return ()
        return METRICS if self.binary else ("precision",)

    def named(self, row: Estimate) -> Estimate:
        """A row under the name that fits: of a choice the share that is right is its accuracy."""
        if row.name == "precision" and yes_no(self.task) is None:
            return replace(row, name="accuracy")
        return row


def standing(group: Sequence[Label], basis: Basis) -> Label | None:
    """The label of a basis: the adjudicated one, else the first."""
    found = [label for label in group if label.basis is basis]
    return next((label for label in found if label.adjudicated), found[0] if found else None)


def headline(labels: Iterable[Label]) -> Basis:
    """The basis of the headline: blind where there is a blind label, else assisted."""
    found = {label.basis for label in labels}
    return next((basis for basis in INDEPENDENT if basis in found), Basis.BLIND)


def bases(labels: Sequence[Label]) -> tuple[Basis, ...]:
    """The bases that have labels, the headline's first; ``revealed`` where answers were revised."""
    first = headline(labels)
    found = {label.basis for label in labels}
    rest = [basis for basis in INDEPENDENT if basis in found - {first}]
    revised = any(label.revised and label.final is not None for label in labels)
    return (first, *rest, *([Basis.REVEALED] if revised else []))


def told(frames: Frames, labels: Sequence[Label], basis: Basis) -> tuple[Labelled, ...]:
    """The labels of a basis; of ``revealed``, the final answers of the headline's items."""
    if basis is Basis.REVEALED:
        return frames.labels(labels, headline(labels), final=True)
    return frames.labels(labels, basis)


def estimated(
    frames: Frames,
    labels: Sequence[Label],
    basis: Basis,
    *,
    per_tag: bool = True,
    thresholds: tuple[float, ...] = (),
) -> Estimates:
    """Everything that the labels of one basis say.

    Args:
        frames: The population.
        labels: Every label of every reviewer, unsure ones included.
        basis: Which of them.
        per_tag: Whether each tag has rows of its own.
        thresholds: Confidences for selective accuracy and coverage.
    """
    options = Options(
        drawn=frames.drawn,
        metrics=frames.metrics,
        basis=basis.value,
        thresholds=thresholds,
        per_tag=per_tag,
        seed=frames.seed,
        disputed=len(disputed(labels)),
    )
    found = estimate_all(frames.population, told(frames, labels, basis), options)
    rows = found.metrics
    if not any(row.name in frames.metrics for row in rows):
        # nothing is labelled yet: undefined, with the reason, rather than absent
        rows = (*(estimate(m, found.design, basis=basis.value) for m in frames.metrics), *rows)
    return replace(found, metrics=tuple(frames.named(row) for row in rows))


def disputed(labels: Iterable[Label]) -> tuple[str, ...]:
    """Items on which reviewers differ."""
    return tuple(item for item, group in by_item(labels).items() if is_disputed(group))


def curves(frames: Frames, labels: Sequence[Label], goal: Goal) -> dict[str, object]:
    """What the charts draw: reliability, risk against coverage, width against labels."""
    from labkit.estimation import curves as drawn  # noqa: PLC0415  # only where a chart is shown

    own = told(frames, labels, headline(labels))
    stated = frames.population.confidences
    pairs = [
        (stated[one.item], one.positive)
        for one in own
        if one.positive is not None and one.item in stated
    ]
    widths = drawn.width_curve(
        frames.design(own),
        metric=goal.metric if frames.binary else "precision",
        allocation=frames.allocation,
        points=12,
    )
    risk = drawn.risk_coverage(frames.population, own, points=25) if pairs else ()
    return {
        "reliability": [asdict(b) for b in drawn.reliability_curve(pairs) if b.count],
        "risk": [asdict(one) for one in risk if one.accuracy is not None],
        "widths": [asdict(one) for one in widths],
        "goal": {"metric": goal.metric if frames.binary else "precision", "at": goal.half_width},
    }


def counted(
    task: Task, settled: Mapping[str, Label], predictions: Mapping[str, Prediction]
) -> dict[str, object]:
    """Plain counts over labelled items with an AI answer, by final answer."""
    cells: Counter[tuple[bool, bool]] = Counter()
    tags: dict[str, Counter[str]] = {}
    for item, label in settled.items():
        said = predictions.get(item)
        if said is None or label.final is None:
            continue
        positive = is_positive(task, label.final, said)
        if positive is not None:
            cells[is_flagged(task, said), positive] += 1
        if "tags" in label.final:
            _count_tags(tags, said.answer.get("tags"), label.final["tags"])
    total = sum((Counter(counts) for counts in tags.values()), Counter())
    return {
        "relevance": {
            "tp": cells[True, True],
            "fp": cells[True, False],
            "fn": cells[False, True],
            "tn": cells[False, False],
        },
        "tags": [
            {"tag": tag, **{cell: tags[tag][cell] for cell in ("tp", "fp", "fn")}}
            for tag in sorted(tags)
        ],
        "tagsMicro": {cell: total[cell] for cell in ("tp", "fp", "fn")},
    }


def _count_tags(tags: dict[str, Counter[str]], said: object, given: object) -> None:
    predicted = set(said) if isinstance(said, (tuple, list)) else set()
    right = set(given) if isinstance(given, (tuple, list)) else set()
    for tag in predicted | right:
        cell = "tp" if tag in predicted and tag in right else "fp" if tag in predicted else "fn"
        tags.setdefault(tag, Counter())[cell] += 1


def anchored(frames: Frames, labels: Iterable[Label]) -> Anchoring | None:
    """How much more often reviewers agree with an AI they see; ``None`` without two arms."""
    strata = frames.population.frame.strata
    rows = [
        Answered(
            arm="assisted" if label.basis is Basis.ASSISTED else "blind",
            stratum=strata[label.item][0],
            same=agrees(frames.task, label.first, frames.predictions[label.item].answer),
        )
        for label in labels
        if label.arm is not None and label.first is not None and label.item in strata
    ]
    return anchoring(rows) if rows else None
