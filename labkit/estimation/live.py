"""Running estimates: one label more, less or different costs the same however many there are."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING

from labkit.estimation.designs import Design, Stratum, collapse, name_design, name_of
from labkit.estimation.estimates import Estimate, estimate
from labkit.estimation.intervals import LEVEL, f1_of_jaccard
from labkit.estimation.score_interval import METRICS, point
from labkit.estimation.tallies import BINS, EDGES, Tally, bin_of, quotient, terms_of
from labkit.estimation.units import Labelled, Use

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from labkit.estimation.population import Population

HEADLINE = ("f1", "precision", "recall", "accuracy")
SETTLE_EVERY = 1000
NO_LABEL = 1e-9
"""What rounding may leave of a bin's weight when its last label is taken back."""


class Live:
    """Point metrics and headline intervals that follow the labels.

    >>> from labkit.estimation.population import Population
    >>> from labkit.estimation.units import Labelled, Predicted
    >>> live = Live(Population.of([Predicted("a", flagged=True), Predicted("b", flagged=False)]))
    >>> live.put(Labelled("a", positive=True))
    >>> live.points()["precision"], live.points()["recall"]
    (1.0, None)
    """

    def __init__(self, population: Population, *, simple: bool | None = None) -> None:
        """Index the population once.

        Args:
            population: All predictions.
            simple: Whether every unit had the same chance of being drawn; by default that is so
                where the frame has one stratum.
        """
        self.population = population
        self._simple = simple
        self._labels: dict[str, Labelled] = {}
        self._tallies: dict[str, Tally] = {}
        strata = population.frame.strata
        for name, flagged in strata.values():
            self._tally(name, flagged=flagged).population += 1
        for side in (True, False):
            self._tally(name_of("certainty", flagged=side), flagged=side)
        size = [0] * BINS
        sums: list[list[float]] = [[] for _ in range(BINS)]
        for item, p in population.confidences.items():
            self._tallies[strata[item][0]].known += 1
            size[bin_of(p)] += 1
            sums[bin_of(p)].append(p)
        self._bin_size = size
        self._bin_mean = [math.fsum(ps) / n if n else 0.0 for ps, n in zip(sums, size, strict=True)]
        self._square = (
            math.fsum(p * p for p in population.confidences.values()) / len(population.confidences)
            if population.confidences
            else 0.0
        )
        self._used = self._listed()
        self._bin_n = [0.0] * BINS
        self._bin_x = [0.0] * BINS
        self._changes = 0

    def __len__(self) -> int:
        """How many labels are held, those without weight included."""
        return len(self._labels)

    def put(self, label: Labelled) -> None:
        """Add an item's label, or replace it; labelling twice alike changes nothing."""
        if self._labels.get(label.item) == label:
            return
        self.remove(label.item)
        self._labels[label.item] = label
        self._count(label, 1)

    def remove(self, item: str) -> None:
        """Take an item's label back; an item without one changes nothing."""
        label = self._labels.pop(item, None)
        if label is not None:
            self._count(label, -1)

    def extend(self, labels: Iterable[Labelled]) -> None:
        """Put many labels."""
        for label in labels:
            self.put(label)

    def points(self) -> dict[str, float | None]:
        """Every point metric but the per-tag and macro ones, by the report's names."""
        values = self._binary()
        if self.population.confidences:
            values.update(self._calibration())
        if self.population.tags:
            tallies = [t for t in self._used if t.tagged]
            hits = math.fsum(t.population / t.tagged * t.hits for t in tallies)
            either = math.fsum(t.population / t.tagged * t.either for t in tallies)
            values["tags.micro.f1"] = f1_of_jaccard(hits / either) if either else None
        return values

    def headline(
        self,
        metrics: Sequence[str] = HEADLINE,
        *,
        basis: str = "blind",
        level: float = LEVEL,
    ) -> tuple[Estimate, ...]:
        """The metrics that stand on top, with their intervals."""
        design = self.design()
        return tuple(estimate(m, design, basis=basis, level=level) for m in metrics)

    def design(self) -> Design:
        """The strata as they are now; what every other estimate reads."""
        strata = tuple(
            Stratum(t.name, t.flagged, t.population, t.n, t.x, t.unsure) for t in self._used
        )
        return collapse(Design(name_design(strata, simple=self._simple), strata))

    @property
    def labels(self) -> tuple[Labelled, ...]:
        """The labels held, by item."""
        return tuple(self._labels[item] for item in sorted(self._labels))

    def settle(self) -> None:
        """Sum again exactly, so that no trace of the order of changes remains."""
        self._changes = 0
        for tally in self._tallies.values():
            tally.gain = tally.loss = 0.0
        gains: dict[str, list[tuple[float, float]]] = {}
        for label in self._labels.values():
            found = self._place(label)
            p = self.population.confidences.get(label.item)
            if found is not None and p is not None and label.positive is not None:
                gains.setdefault(found.name, []).append(terms_of(p, positive=label.positive))
        for name, pairs in gains.items():
            self._tallies[name].gain = math.fsum(gain for gain, _ in pairs)
            self._tallies[name].loss = math.fsum(loss for _, loss in pairs)
        tallies = [t for t in self._used if t.judged]
        for b in range(BINS):
            self._bin_n[b] = math.fsum(t.weight * t.bin_n[b] for t in tallies)
            self._bin_x[b] = math.fsum(t.weight * t.bin_x[b] for t in tallies)

    def _listed(self) -> tuple[Tally, ...]:
        """The strata that hold units, in a fixed order."""
        ordered = sorted(self._tallies.values(), key=lambda t: (t.name, t.flagged))
        return tuple(t for t in ordered if t.population > 0)

    def _tally(self, name: str, *, flagged: bool) -> Tally:
        if name not in self._tallies:
            self._tallies[name] = Tally(name, flagged, 0)
        return self._tallies[name]

    def _place(self, label: Labelled) -> Tally | None:
        """The stratum a label stands in; ``None`` where it has no weight."""
        home = self.population.frame.strata.get(label.item)
        if home is None or label.use is Use.TARGETED:
            return None
        if label.use is Use.CERTAINTY:
            return self._tallies[name_of("certainty", flagged=home[1])]
        return self._tallies[home[0]]

    def _count(self, label: Labelled, sign: int) -> None:
        tally = self._place(label)
        if tally is None:
            return
        p = self.population.confidences.get(label.item)
        if label.use is Use.CERTAINTY:
            self._move(label.item, tally, sign, known=p is not None)
        if label.positive is None:
            tally.unsure += sign
        else:
            tally.n += sign
            tally.x += sign * label.positive
            if p is not None:
                self._judge(tally, p, sign, positive=label.positive)
        if label.tags is not None:
            given = self.population.tags.get(label.item, frozenset())
            tally.tagged += sign
            tally.hits += sign * len(given & label.tags)
            tally.either += sign * len(given | label.tags)
        self._changes += 1
        if self._changes >= SETTLE_EVERY:
            self.settle()

    def _move(self, item: str, tally: Tally, sign: int, *, known: bool) -> None:
        """A certainty unit leaves the stratum it came from, or goes back."""
        home = self._tallies[self.population.frame.strata[item][0]]
        self._reweigh(home, -home.weight)
        self._reweigh(tally, -tally.weight)
        home.population -= sign
        tally.population += sign
        home.known -= sign * known
        tally.known += sign * known
        self._reweigh(home, home.weight)
        self._reweigh(tally, tally.weight)
        self._used = self._listed()

    def _judge(self, tally: Tally, p: float, sign: int, *, positive: bool) -> None:
        place = bisect_left(EDGES, p)
        before = tally.weight
        tally.judged += sign
        after = tally.known / tally.judged if tally.judged else 0.0
        gain, loss = terms_of(p, positive=positive)
        tally.gain += sign * gain
        tally.loss += sign * loss
        if not tally.bin_n[place] and place not in tally.bins:
            tally.bins.append(place)
        tally.bin_n[place] += sign
        tally.bin_x[place] += sign * positive
        self._bin_n[place] += before * sign
        self._bin_x[place] += before * sign * positive
        self._reweigh(tally, after - before)

    def _reweigh(self, tally: Tally, change: float) -> None:
        """Change the weight of a stratum's labels in the weighted bins."""
        bin_n, bin_x, own_n, own_x = self._bin_n, self._bin_x, tally.bin_n, tally.bin_x
        for b in tally.bins:
            bin_n[b] += change * own_n[b]
            bin_x[b] += change * own_x[b]

    def _binary(self) -> dict[str, float | None]:
        tp: list[float] = []
        fn: list[float] = []
        n1 = n0 = 0
        for t in self._used:
            if not t.n:
                return self._binary_slowly()
            if t.flagged:
                n1 += t.population
                tp.append(t.population * (t.x / t.n))
            else:
                n0 += t.population
                fn.append(t.population * (t.x / t.n))
        hit, missed = math.fsum(tp), math.fsum(fn)
        negatives = n1 + n0 - hit - missed
        whole = n1 + n0
        return {
            "precision": quotient(hit, n1),
            "recall": quotient(hit, hit + missed),
            "specificity": quotient(n0 - missed, negatives),
            "f1": quotient(2 * hit, n1 + hit + missed),
            "accuracy": quotient(hit + n0 - missed, whole),
            "prevalence": quotient(hit + missed, whole),
        }

    def _binary_slowly(self) -> dict[str, float | None]:
        """While some stratum has no label: what can be said, by the general rule."""
        cells = self.design().cells()
        return {metric: point(metric, cells) for metric in METRICS}

    def _one_sided(self) -> bool:
        """Whether some strata have labels and another one, too large to pass over, has none."""
        if all(t.n for t in self._used):
            return False
        known = [stratum.labelled > 0 for stratum in self.design().strata]
        return any(known) and not all(known)

    def _calibration(self) -> dict[str, float | None]:
        if self._one_sided():
            return {"ece": None, "brier": None, "nll": None}
        gaps: list[float] = []
        seen = 0
        for size, mean, n, x in zip(
            self._bin_size, self._bin_mean, self._bin_n, self._bin_x, strict=True
        ):
            if n > NO_LABEL and size:
                gaps.append(size * abs(x / n - mean))
                seen += size
        known = 0
        gains: list[float] = []
        losses: list[float] = []
        for t in self._used:
            if t.judged:
                weight = t.known / t.judged
                known += t.known
                gains.append(weight * t.gain)
                losses.append(weight * t.loss)
        if not known or not seen:
            return {"ece": None, "brier": None, "nll": None}
        brier = min(1.0, max(0.0, self._square + math.fsum(gains) / known))
        return {
            "ece": math.fsum(gaps) / seen,
            "brier": 2 * brier,
            "nll": math.fsum(losses) / known,
        }
