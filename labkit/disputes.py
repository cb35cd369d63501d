"""Settling what reviewers differ on: one's own answer first, no names, no majority."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from labkit.codebook import checked
from labkit.config import checked_name
from labkit.errors import InputError
from labkit.labels import by_item
from labkit.model import Basis, Decision, plain
from labkit.protocol import Pass, UnknownItem
from labkit.sampling import show_key

if TYPE_CHECKING:
    from labkit.model import Act, Answer, Label
    from labkit.study import Study


class Disputes:
    """The disputes of a study, for whoever may settle them."""

    def __init__(self, study: Study, by: str) -> None:
        """Say who settles.

        Raises:
            InputError: The study has a lead, and this is somebody else.
        """
        if study.lead is not None and by != study.lead:
            raise InputError(
                f"{by!r} cannot settle disputes; the lead of this study is {study.lead!r}."
            )
        self.study, self.by = study, checked_name(by)

    @property
    def open(self) -> tuple[str, ...]:
        """Items that wait, in show order; those found by search last."""
        place = {item: i for i, item in enumerate(self.study.sample.items)}
        return tuple(
            sorted(self.study.disputed, key=lambda item: (place.get(item, len(place)), item))
        )

    def view(self, item: str) -> dict[str, Any]:
        """The JSON of one dispute: the item, and the different answers under ``answers``.

        Nothing of the AI is in it, no name, no count; the order is shuffled by item.

        Raises:
            UnknownItem: Reviewers do not differ on this item.
        """
        waiting = self.open
        if item not in waiting:
            raise UnknownItem(item)
        blank = Pass((item,), self.study.task, protocol="blind")
        found = [json.dumps(plain(a), sort_keys=True) for a in self._answers(item)]
        seed = self.study.sample.seed
        shuffled = sorted({*found}, key=lambda text: show_key(f"{item}:{text}", seed))
        return {
            **self.study.view(blank, item),
            "position": waiting.index(item) + 1,
            "of": len(waiting),
            "answers": [json.loads(text) for text in shuffled],
        }

    def _answers(self, item: str) -> list[Answer]:
        """The first answers, or where those are alike the final ones, and what was imported."""
        labels = by_item(self.study.labels(answer="any")).get(item, ())
        people: list[Label] = [one for one in labels if one.basis is not Basis.IMPORTED]
        before = [one.final for one in labels if one.basis is Basis.IMPORTED]
        firsts = [one.first for one in people if one.first is not None]
        alike = all(answer == firsts[0] for answer in firsts)
        given = [one.final for one in people] if alike else firsts
        return [answer for answer in (*given, *before) if answer is not None]

    def settle(self, act: Act, *, now: datetime | None = None) -> bool:
        """Settle an item with an answer of one's own; a later one supersedes it.

        An act without an answer opens the dispute again.

        Returns:
            Whether something was stored: the same act twice is stored once.

        Raises:
            ChoiceError: Reviewers do not differ on the item, or the answer is not in the codebook.
        """
        self.study.refresh()
        if act.item not in {*self.study.disputed, *self.study.adjudications}:
            raise UnknownItem(act.item)
        answer = None if act.answer is None else checked(self.study.task, act.answer)
        return self.study.settle(
            Decision(
                event_uuid=act.uuid,
                item=act.item,
                reviewer=self.by,
                kind="adjudicate",
                decided_at=now or datetime.now(UTC),
                answer=answer,
                duration_ms=act.elapsed_ms,
                note=act.note.strip(),
            )
        )
