"""A study's log: the store, the sample, and every reviewer's pass, kept up to date."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from labkit import studyfiles
from labkit.dealing import Dealing, lent, take_over
from labkit.labels import IMPORTED
from labkit.model import utc_moment
from labkit.protocol import Pass
from labkit.queue import with_repeats
from labkit.repeats import as_shown, as_stored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from labkit.config import StudyConfig
    from labkit.model import Act, Answer, Decision, Item, Prediction, Task
    from labkit.parsed import Problem
    from labkit.presets.material import Material
    from labkit.sampling import Drawn, Sample
    from labkit.store import Store


class StudyLog:
    """What is under review, who decided what, and nothing else."""

    def __init__(  # noqa: PLR0913  # what create and open found
        self,
        folder: Path,
        config: StudyConfig,
        material: Material,
        store: Store,
        *,
        told: tuple[Problem, ...] = (),
        now: datetime | None = None,
    ) -> None:
        """Use ``create`` or ``open``."""
        now = now or datetime.now(UTC)
        self.folder, self.config, self.store = folder, config, store
        self._material = material
        store.guidelines = studyfiles.guidelines_version(folder, config)
        self._row = studyfiles.study_row(store, folder)
        items = store.items(self._row)
        self.sample: Sample = studyfiles.sample_of(self._row, items)
        self._drawn: dict[str, Drawn] = {unit.item: unit for unit in self.sample.drawn}
        self._arms = studyfiles.arms_of(items)
        self._passes: dict[str, Pass] = {}
        there = [unit.item for unit in self.sample.drawn if unit.item in self.items]
        self._dealing = Dealing(there, config, self.sample.seed)
        self._lent = lent(store, self._row, self._dealing, now=now)
        self._adjudications: dict[str, Decision] = {}
        self._changed: set[str] = set()
        """Items about which something was folded in since somebody last asked."""
        self._seq = 0
        self._told = told
        self._lock = threading.RLock()
        with self._lock:
            self._fold(store.decisions(self._row))

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
                self._spare(decision)
            self._changed.add(decision.item)
            self._seq = max(self._seq, decision.seq)

    def _spare(self, decision: Decision) -> None:
        """Take an item that somebody else answered off its owner's list."""
        owner = self._dealing.owner.get(decision.item)
        if owner in {None, decision.reviewer} or decision.kind not in {"answer", "unsure"}:
            return
        if decision.reviewer != IMPORTED and self._pass(owner).final(decision.item) is None:
            self._pass(owner).agenda.withdraw(decision.item)

    def take_over(self, done: Pass, reviewer: str, *, now: datetime) -> bool:
        """Give a reviewer with nothing left some items of those who stay away; whether any came.

        Each item is lent for a day to one person; used by ``Review``.
        """
        if not self._dealing.owner:
            return False
        with self._lock:
            self.refresh()
            got = take_over(
                self._dealing,
                self._passes,
                self.store,
                self._row,
                reviewer=reviewer,
                since=utc_moment(self._row.created_at) or now,
                now=now,
            )
            done.agenda.add(got)
            return bool(got)

    def _pass(self, reviewer: str) -> Pass:
        if reviewer not in self._passes:
            queue, repeats = with_repeats(
                self._dealing.queue(reviewer), self.config.repeats, seed=self.sample.seed
            )
            made = self._passes[reviewer] = Pass(
                queue,
                self.task,
                protocol=self.config.protocol,
                reveal=self.config.reveal,
                arms=self._arms,
                suggestion=self._suggestion,
                offered=self.items,
                repeats=repeats,
            )
            for item, holder in self._lent.items():
                if holder == reviewer:
                    made.agenda.add([item])
                elif self._dealing.owner.get(item) == reviewer:
                    made.agenda.withdraw(item)
        return self._passes[reviewer]

    def _suggestion(self, item: str) -> Answer | None:
        prediction = self.predictions.get(item)
        return None if prediction is None else prediction.answer

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Everybody who is named or has decided something, the named first."""
        decided = (name for name in self._passes if name != IMPORTED)
        return tuple(dict.fromkeys((*self.config.reviewers, *decided)))

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
