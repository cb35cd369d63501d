"""One study: its files, its store, its sample, and every reviewer's pass, kept up to date."""

from __future__ import annotations

import statistics
import threading
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

from labkit import config as study_config
from labkit import numbers, studyfiles, studymaking
from labkit.errors import InputError
from labkit.labels import IMPORTED, Repeated, adjudicated, by_item, is_disputed, labels_of, repeated
from labkit.looks import looked
from labkit.model import utc_text
from labkit.protocol import Pass, UnknownItem
from labkit.queue import assign, with_repeats
from labkit.repeats import as_shown, as_stored
from labkit.store import ExportRow
from labkit.view import view_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from labkit.config import StudyConfig
    from labkit.estimation.estimates import Estimate
    from labkit.estimation.planner import Plan
    from labkit.estimation.whole import Estimates
    from labkit.model import Act, Answer, Decision, Item, Label, Prediction, Task
    from labkit.numbers import Frames
    from labkit.parsed import Problem
    from labkit.presets.material import Material
    from labkit.sampling import Drawn, Sample
    from labkit.store import Store
    from labkit.studymaking import StudyOptions
    from labkit.studyupdate import Updated

WINDOW = 5


@dataclass(frozen=True, slots=True)
class Acted:
    """What an act led to; everything in it is on disk."""

    decisions: tuple[Decision, ...]
    item: dict[str, Any] | None
    """The view of the item acted on; ``None`` where there was nothing to do."""
    next: str | None
    """The item to show now: the same one while it is not done; ``None`` at the end."""
    saved: int
    """Items with a stored current answer of this reviewer."""
    duplicate: bool = False
    """The act was stored before; nothing was stored now."""


class Study:
    """A study that is open; ``create`` makes one, ``open`` opens what was made."""

    def __init__(  # what create and open found
        self,
        folder: Path,
        config: StudyConfig,
        material: Material,
        store: Store,
        *,
        told: tuple[Problem, ...] = (),
    ) -> None:
        """Use ``create`` or ``open``."""
        self.folder, self.config, self.store = folder, config, store
        self._material = material
        self._row = studyfiles.study_row(store, folder)
        items = store.items(self._row)
        self.sample: Sample = studyfiles.sample_of(self._row, items)
        self._drawn: dict[str, Drawn] = {unit.item: unit for unit in self.sample.drawn}
        self._arms = studyfiles.arms_of(items)
        self._passes: dict[str, Pass] = {}
        self._queues: dict[str, tuple[str, ...]] = {}
        self._adjudications: dict[str, Decision] = {}
        self._seq = 0
        self._told = told
        self._lock = threading.RLock()
        with self._lock:
            self._fold(store.decisions(self._row))

    @classmethod
    def create(
        cls, predictions: Path, folder: Path, *, options: StudyOptions | None = None
    ) -> Study:
        """Make a study of a predictions file: draw the sample, write study.yaml and the store.

        Raises:
            InputError: The predictions cannot be read, or the folder holds a study already.
        """
        told = studymaking.create(
            predictions, folder, options or studymaking.StudyOptions(), at=datetime.now(UTC)
        )
        return cls(*studyfiles.opened(folder), told=told)

    @classmethod
    def open(cls, folder: Path) -> Study:
        """Open the study of a folder (or of its study.yaml).

        Raises:
            InputError: No study, a key that is unknown, or a file that cannot be read.
        """
        return cls(*studyfiles.opened(folder))

    @staticmethod
    def update(folder: Path, predictions: Path, *, at: datetime | None = None) -> Updated:
        """Take a new scan into a study that nobody has open; see ``labkit.studyupdate``.

        Raises:
            InputError: No study, or the file is of another kind or cannot be read.
        """
        from labkit.studyupdate import update  # noqa: PLC0415  # seldom needed

        return update(folder, predictions, at=at or datetime.now(UTC))

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Self:
        """Use the study in a ``with`` block."""
        return self

    def __exit__(self, *_exc: object) -> None:
        """Close it."""
        self.close()

    # what is under review

    @property
    def task(self) -> Task:
        """What is asked of every item."""
        return self._material.task

    @property
    def items(self) -> Mapping[str, Item]:
        """Every item of the predictions file, by id."""
        return self._material.items

    @property
    def predictions(self) -> Mapping[str, Prediction]:
        """What the AI said, by item; items without an AI answer are not in it."""
        return self._material.predictions

    @property
    def predictions_path(self) -> Path:
        """Where the predictions file is."""
        return studyfiles.beside(self.folder, self.config.predictions)

    @property
    def guidelines(self) -> str:
        """The text that folds out on the card; empty where there is none."""
        return studyfiles.guidelines(self.folder, self.config)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was left out or doubted when the files were read."""
        changed = studyfiles.changed(self.folder, self.config, self._row)
        return (*self._material.problems, *self._told, *([changed] if changed else []))

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

    @property
    def lead(self) -> str | None:
        """Who sees everything: the named lead, or the only reviewer."""
        if self.config.lead is not None:
            return self.config.lead
        reviewers = self.reviewers
        return reviewers[0] if len(reviewers) == 1 else None

    # the log

    def decisions(self, after: int = 0) -> list[Decision]:
        """The log behind a place, in its order, from every process."""
        return self.store.decisions(self._row, after)

    def last_seq(self) -> int:
        """The last place of the log; cheap enough to ask every second."""
        return self.store.last_seq(self._row)

    def refresh(self) -> tuple[Decision, ...]:
        """Take in what other processes stored, and return it."""
        with self._lock:
            missed = self.store.decisions(self._row, self._seq)
            self._fold(missed)
            return tuple(missed)

    def _fold(self, decisions: Sequence[Decision]) -> None:
        for decision in decisions:
            if decision.kind == "adjudicate":
                self._adjudications[decision.item] = decision
            else:
                self._pass(decision.reviewer).fold(as_shown(decision))
            self._seq = max(self._seq, decision.seq)

    def _pass(self, reviewer: str) -> Pass:
        if reviewer not in self._passes:
            queue, repeats = with_repeats(
                self._queue(reviewer), self.config.repeats, seed=self.sample.seed
            )
            self._passes[reviewer] = Pass(
                queue,
                self.task,
                protocol=self.config.protocol,
                reveal=self.config.reveal,
                arms=self._arms,
                suggestion=self._suggestion,
                offered=self.items,
                repeats=repeats,
            )
        return self._passes[reviewer]

    def _suggestion(self, item: str) -> Answer | None:
        prediction = self.predictions.get(item)
        return None if prediction is None else prediction.answer

    def _queue(self, reviewer: str) -> tuple[str, ...]:
        there = [unit.item for unit in self.sample.drawn if unit.item in self.items]
        named = self.config.reviewers
        if not named or reviewer == IMPORTED:
            return tuple(there)
        if not self._queues:
            self._queues = assign(there, named, overlap=self.config.overlap, seed=self.sample.seed)
        return self._queues.get(reviewer, ())

    # reviewing

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Everybody who is named or has decided something, the named first."""
        decided = (name for name in self._passes if name != IMPORTED)
        return tuple(dict.fromkeys((*self.config.reviewers, *decided)))

    def review(self, reviewer: str) -> Review:
        """One reviewer's live pass.

        Raises:
            InputError: The study names its reviewers, and this is none of them.
        """
        study_config.checked_name(reviewer)
        named = self.config.reviewers
        if named and reviewer not in named and reviewer != self.config.lead:
            raise InputError(
                f"{reviewer!r} is not a reviewer of this study ({', '.join(named)}); "
                f"add the name under reviewers in {self.folder / study_config.FILE_NAME}."
            )
        with self._lock:
            return Review(self, reviewer, self._pass(reviewer))

    def stored(self, done: Pass, act: Act, reviewer: str, at: datetime) -> tuple[Decision, ...]:
        """Decide an act on the newest state of the log and store it; used by ``Review``."""

        def decide(missed: Sequence[Decision]) -> Sequence[Decision]:
            self._fold(missed)
            made = done.decide(act, at=at, reviewer=reviewer)
            return [as_stored(decision, done.repeats) for decision in made]

        with self._lock:
            _, made = self.store.record(self._row, self._seq, decide)
            self._fold(made)
            return tuple(as_shown(decision) for decision in made)

    def view(self, done: Pass, item: str) -> dict[str, Any]:
        """The JSON of one item for one reviewer; used by ``Review``."""
        found = self.items.get(done.repeats.get(item, item))
        if found is None:
            raise UnknownItem(item)
        code = self._material.code(found)
        shown = replace(found, id=item)
        return view_of(shown, self.predictions.get(found.id), done, code=code)

    def settle(self, decision: Decision) -> bool:
        """Store an adjudication; whether it was new. Used by ``Disputes``."""
        with self._lock:
            made = self.store.append(self._row, [decision])
            self._fold(made)
            return bool(made)

    @property
    def adjudications(self) -> Mapping[str, Decision]:
        """The latest adjudication of each item that has one."""
        return self._adjudications

    # what came of it

    def labels(self, *, answer: Literal["any", "first", "final"] = "final") -> tuple[Label, ...]:
        """Every label of every reviewer and every imported one.

        Args:
            answer: Leave out labels without a first, or without a final answer; ``any`` keeps
                unsure ones and those whose final answer was taken back.
        """
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
        """Items on which reviewers differ."""
        return numbers.disputed(self.labels(answer="any"))

    def settled(self) -> Mapping[str, Label]:
        """The label that stands for each item: a reviewer's before an imported one.

        Disputed items have none; of reviewers who agree the first to decide is named.
        """
        found: dict[str, Label] = {}
        for item, labels in by_item(self.labels()).items():
            people = [label for label in labels if label.reviewer != IMPORTED]
            if not is_disputed(people):
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
        final answers follows, as ``revealed``. Disputed items are left out.
        """
        labels = self.labels(answer="any")
        return tuple(
            numbers.estimated(self.frames, labels, basis, per_tag=per_tag, thresholds=thresholds)
            for basis in numbers.bases(labels)
        )

    def estimates(self, *, per_tag: bool = True) -> tuple[Estimate, ...]:
        """The rows of ``estimated``, one basis after the other."""
        return tuple(row for part in self.estimated(per_tag=per_tag) for row in part.metrics)

    def headlines(self) -> tuple[Estimate, ...]:
        """The binary metrics of the headline's basis: quick enough for every answer."""
        return numbers.headlines(self.frames, self.labels(answer="any"))

    def plan(self, *, assured: bool = True) -> Plan:
        """How many more labels the goal of study.yaml needs, where, and how long they take."""
        return numbers.planned(
            self.frames,
            self.labels(answer="any"),
            self.config.goal,
            median_seconds=self.median_seconds,
            assured=assured,
        )

    @property
    def median_seconds(self) -> float | None:
        """The median time of an answer over all reviewers, in seconds."""
        took = [ms for p in self._passes.values() for ms in p.durations]
        return statistics.median(took) / 1000 if took else None

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
            "reviewers": [self._progress(name) for name in self.reviewers],
            "disputed": len(self.disputed),
            "stale": len(self.stale),
            "metrics": [row.as_dict() for row in self.estimates(per_tag=False)],
            "plan": self.plan().as_dict() if self.predictions else None,
            **again,
        }

    def _progress(self, reviewer: str) -> dict[str, Any]:
        done = self._pass(reviewer)
        return {
            "name": reviewer,
            "answered": done.saved,
            "skipped": done.skipped,
            "unsure": done.unsure,
            "flagged": done.flags,
            "medianSeconds": done.median_seconds,
        }


class Review:
    """One reviewer, live: what is shown, and what is stored."""

    def __init__(self, study: Study, reviewer: str, done: Pass) -> None:
        """Use ``Study.review``."""
        self.study, self.reviewer = study, reviewer
        self._pass = done

    @property
    def blind(self) -> bool:
        """Whether the AI's answer is hidden until the first answer."""
        return self.study.config.protocol != "assisted"

    @property
    def current(self) -> str | None:
        """The item to show; ``None`` when nothing is left."""
        return self._pass.current

    @property
    def queue(self) -> tuple[str, ...]:
        """The reviewer's items in show order."""
        return self._pass.queue

    def phase(self, item: str) -> str:
        """``answer``, ``revealed`` or ``done``."""
        return self._pass.phase(item)

    def next_open(self, after: str | None = None) -> str | None:
        """The first open item behind another one; skipped ones at the end."""
        return self._pass.next_open(after)

    def beside(self, item: str, step: int) -> str | None:
        """The item ``step`` places further in the queue, done or not."""
        place = self._pass.position(item)
        at = (place or 0) - 1 + step
        return self.queue[at] if place is not None and 0 <= at < len(self.queue) else None

    def view(self, item: str) -> dict[str, Any]:
        """The JSON of one item's card; before the first answer nothing of the AI is in it.

        Raises:
            UnknownItem: The study has no such item.
        """
        return self.study.view(self._pass, item)

    def window(self, n: int = WINDOW) -> list[dict[str, Any]]:
        """The current item and the open ones behind it, at most ``n``."""
        current = self.current
        if current is None:
            return []
        following = self._pass.following(current, n - 1) if n > 1 else ()
        return [self.view(item) for item in (current, *following)]

    def act(self, act: Act, *, now: datetime | None = None) -> Acted:
        """Store what the reviewer wants; when this returns it is on disk.

        Raises:
            ChoiceError: It cannot be recorded; the message is fit for the card.
            StoreError: It was not stored; the same act may be sent again.
        """
        done = self._pass
        duplicate = done.seen(act.uuid)
        made = self.study.stored(done, act, self.reviewer, now or datetime.now(UTC))
        item = made[0].item if made else act.item
        if made and act.kind in {"undo", "redo"}:
            item = done.latest or item
        known = item in self.study.items or item in done.repeats
        return Acted(
            decisions=made,
            item=self.view(item) if known else None,
            next=self._after(item, act.kind) if known else done.current,
            saved=done.saved,
            duplicate=duplicate or (not made and done.seen(act.uuid)),
        )

    def _after(self, item: str, kind: str) -> str | None:
        done = self._pass
        if kind in {"undo", "redo"}:
            return done.current
        passed = done.phase(item) == "done" or done.standing(item).skipped
        return done.next_open(item) if passed and kind != "flag" else item

    def progress(self) -> dict[str, Any]:
        """How far this reviewer is, as numbers."""
        done = self._pass
        return {
            "reviewer": self.reviewer,
            "saved": done.saved,
            "answered": done.saved,
            "skipped": done.skipped,
            "unsure": done.unsure,
            "flagged": done.flags,
            "settled": done.settled,
            "sampled": len(done.queue),
            "left": done.left,
            "medianSeconds": done.median_seconds,
            "canUndo": done.undo_target is not None,
            "canRedo": done.redo_target is not None,
        }
