"""What came of a study: labels, estimates, plan, status, and what was written from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from labkit import certainty, numbers, studyfiles
from labkit.labels import (
    IMPORTED,
    Repeated,
    adjudicated,
    by_item,
    is_contested,
    is_disputed,
    label_of,
    labels_of,
    repeated,
)
from labkit.looks import looked
from labkit.model import utc_text
from labkit.running import Running, median_of
from labkit.store import ExportRow
from labkit.studylog import StudyLog

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.estimation.estimates import Estimate
    from labkit.estimation.planner import Plan
    from labkit.estimation.whole import Estimates
    from labkit.model import Label
    from labkit.numbers import Frames


class StudyResults(StudyLog):
    """A study's log, and what follows from it."""

    _run: Running | None = None

    def labels(self, *, answer: Literal["any", "first", "final"] = "final") -> tuple[Label, ...]:
        """Every label of every reviewer and every imported one.

        Args:
            answer: Leave out labels without a first, or without a final answer; ``any`` keeps
                unsure ones and those whose final answer was taken back.
        """
        with self._lock:  # numbers may be made in a thread of their own
            found = [
                label
                for reviewer, done in self._passes.items()
                for label in labels_of(reviewer, done, drawn=self._drawn, seed=self.sample.seed)
            ]
            if self._adjudications:
                groups = by_item(found)
                found += [
                    adjudicated(decision, groups.get(item, ()))
                    for item, decision in self._adjudications.items()
                    if decision.answer is not None
                ]
        if answer == "any":
            return tuple(found)
        return tuple(label for label in found if getattr(label, answer) is not None)

    def repeated(self) -> tuple[Repeated, ...]:
        """Items that a reviewer answered twice, for agreement with oneself and nothing else."""
        return tuple(
            one for reviewer, done in self._passes.items() for one in repeated(reviewer, done)
        )

    @property
    def disputed(self) -> tuple[str, ...]:
        """Items on which reviewers differ, or with which they contest an imported label.

        Nothing is exported about them until somebody settles them.
        """
        return tuple(
            item
            for item, labels in by_item(self.labels(answer="any")).items()
            if is_disputed(labels) or is_contested(labels)
        )

    def settled(self) -> Mapping[str, Label]:
        """The label that stands for each item: the one that settles it, else a reviewer's.

        An imported label stands where no reviewer answered. Disputed items have none; of
        reviewers who agree the first to decide is named.
        """
        found: dict[str, Label] = {}
        for item, labels in by_item(self.labels()).items():
            people = [label for label in labels if label.reviewer != IMPORTED]
            if not is_disputed(people) and not is_contested(labels):
                last_word = [label for label in people if label.adjudicated]
                found[item] = (last_word or people or labels)[0]
        return found

    def counted(self) -> dict[str, Any]:
        """Plain counts over the labelled items, on final answers: what the export scores to."""
        return numbers.counted(self.task, self.settled(), self.predictions)

    @cached_property
    def frames(self) -> Frames:
        """The population that estimates are about, read once."""
        return studyfiles.frames(self.config, self._material, self.sample)

    def estimated(
        self, *, per_tag: bool = True, thresholds: tuple[float, ...] = ()
    ) -> tuple[Estimates, ...]:
        """What the labels say about all predictions, by basis, the headline's first.

        On first answers, blind and assisted ones apart; where answers were revised the same on
        final answers follows, as ``revealed``. Disputed items are left out. Last, where labels were
        imported before the draw, the binary metrics with those as certainty units.
        """
        labels = self.labels(answer="any")
        parts = [
            numbers.estimated(self.frames, labels, basis, per_tag=per_tag, thresholds=thresholds)
            for basis in numbers.bases(labels)
        ]
        mixed = certainty.with_certain(self.frames, labels)
        told = certainty.chosen(self.frames, labels).warning
        if told is not None:
            parts[0] = replace(parts[0], warnings=(*parts[0].warnings, told))
        return (*parts, *([] if mixed is None else [mixed]))

    def estimates(self, *, per_tag: bool = True) -> tuple[Estimate, ...]:
        """The rows of ``estimated``, one basis after the other."""
        return tuple(row for part in self.estimated(per_tag=per_tag) for row in part.metrics)

    def headlines(self) -> tuple[Estimate, ...]:
        """The binary metrics of the headline's basis: quick enough for every answer."""
        with self._lock:
            return self._running().headlines()

    def plan(self, *, assured: bool = True) -> Plan:
        """How many more labels the goal of study.yaml needs, where, and how long they take."""
        with self._lock:
            return self._running().plan(
                self.config.goal, median_seconds=self.median_seconds, assured=assured
            )

    def _running(self) -> Running:
        """The headline's numbers, made of every label once and followed from then on."""
        if self._run is None:
            self._run = Running(self.frames, self.labels(answer="any"), self._labels_of)
        for item in self._changed:
            self._run.touch(item)
        self._changed.clear()
        return self._run

    def _labels_of(self, item: str) -> tuple[Label, ...]:
        """Every label of one item, as ``labels`` lists them."""
        drawn, seed = self._drawn.get(item), self.sample.seed
        found = [
            label
            for reviewer, done in self._passes.items()
            if item not in done.repeats
            and (label := label_of(reviewer, done, item, drawn=drawn, seed=seed)) is not None
        ]
        settled = self._adjudications.get(item)
        if settled is not None and settled.answer is not None:
            found.append(adjudicated(settled, found))
        return tuple(found)

    def curves(self) -> dict[str, object]:
        """What the charts draw: reliability, risk against coverage, width against labels."""
        return numbers.curves(self.frames, self.labels(answer="any"), self.config.goal)

    @property
    def median_seconds(self) -> float | None:
        """The median time of an answer over all reviewers, in seconds."""
        middle = median_of([done.tally.durations for done in self._passes.values()])
        return None if middle is None else middle / 1000

    # what was written from it

    def exported(self, target: Path) -> str | None:
        """SHA-256 of a file as this study last wrote it; ``None`` where it never did."""
        rows = self.store.exports(self._row)
        return next((row.sha256 for row in reversed(rows) if row.target == str(target)), None)

    def remember_export(self, target: Path, sha256: str, *, by: str) -> None:
        """Note that a file was written from the log as far as it is known here."""
        now = utc_text(datetime.now(UTC)) or ""
        self.store.add_export(self._row, ExportRow(self._seq, sha256, str(target), by, now))

    def status(self) -> dict[str, Any]:
        """Progress as the command ``status`` prints it in JSON."""
        again: dict[str, Any] = {"secondLook": list(self.second_look)} if self.second_look else {}
        looks = looked(self.folder)
        if looks:
            again["gateLooks"] = looks
        return {
            "schemaVersion": 1,
            "items": len(self.items),
            "sampled": len(self._drawn),
            "reviewers": self.people(),
            "disputed": len(self.disputed),
            "stale": len(self.stale),
            "metrics": [row.as_dict() for row in self.estimates(per_tag=False)],
            "plan": self.plan().as_dict() if self.predictions else None,
            **again,
        }

    def people(self) -> list[dict[str, Any]]:
        """How far each reviewer is."""
        return [self._progress(name) for name in self.reviewers]

    def _progress(self, reviewer: str) -> dict[str, Any]:
        done = self._pass(reviewer)
        return {
            "name": reviewer,
            "answered": done.saved,
            "skipped": done.tally.skipped,
            "unsure": done.tally.unsure,
            "flagged": done.flags,
            "medianSeconds": done.tally.median_seconds,
        }

    @property
    def stale(self) -> tuple[str, ...]:
        """Sampled or labelled items that the predictions file no longer has."""
        touched = (i for p in self._passes.values() for i in p.touched if i not in p.repeats)
        return tuple(sorted({*self._drawn, *touched} - self.items.keys()))

    @property
    def second_look(self) -> tuple[str, ...]:
        """Labelled items whose evidence a new scan changed, and nobody answered again since."""
        asked: dict[str, int] = {}
        for entry in self._row.config.get("updates", ()):
            asked |= dict.fromkeys(entry.get("changed", ()), entry.get("seq", 0))
        latest: dict[str, int] = {}
        for done in self._passes.values():
            for item in asked.keys() & set(done.touched):
                answer = done.standing(item).answer
                latest[item] = max(latest.get(item, 0), answer.seq if answer else 0)
        return tuple(i for i, seq in sorted(asked.items()) if 0 < latest.get(i, 0) <= seq)
