"""The desk where reviewers' differences are settled: one's own answer first, no names shown."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from labkit.codebook import checked
from labkit.disputes import Disputes
from labkit.errors import ChoiceError, LabkitError
from labkit.model import plain
from labkit_widgets import messages
from labkit_widgets.drawn import coloured, evidence, questions_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from labkit.model import Act, Answer
    from labkit.study import Study

Reply = dict[str, Any]
AHEAD = 3


@dataclass
class Desk:
    """Answers the desk's messages; nothing is stored before the answer is kept or changed."""

    study: Study
    by: str
    _mine: dict[str, Answer] = field(default_factory=dict)
    """Own answers that wait for a look at the others'."""
    _settled: list[str] = field(default_factory=list)
    _later: list[str] = field(default_factory=list)
    _nonces: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Say who settles."""
        self.disputes = Disputes(self.study, self.by)

    def hear(self, heard: messages.Message) -> Iterator[Reply]:
        """Reply to one message of the desk's card."""
        match heard:
            case messages.Hello():
                self.study.refresh()
                yield self._welcome()
            case messages.Ready(acts):
                yield from self._window()
                yield self._place() | {"acked": [acting.act.uuid for acting in acts]}
            case messages.Acting(act, nonce):
                yield from self._act(act, nonce)
            case messages.Context(item, lines) if item in self._nonces:
                code = self.study.context(item, lines)
                if code is not None:
                    yield {"type": "code", "item": item, "code": coloured(code)}
            case messages.Beat():
                yield {"type": "beat"}

    @property
    def _waiting(self) -> list[str]:
        waiting = [item for item in self.disputes.open if item not in self._later]
        return waiting + [item for item in self._later if item in self.disputes.open]

    def _welcome(self) -> Reply:
        place = f"{self.study.folder.resolve()}\nsettling\n{self.by}"
        study = {
            "key": str(uuid.uuid5(uuid.NAMESPACE_URL, place)),
            "reviewer": self.by,
            "protocol": "settling",
            "reveal": "always",
            "pending": 1,
            "sampled": len(self.disputes.open) + len(self._settled),
            "tabs": [],
            "guidelines": self.study.guidelines,
            "attached": self.study.config.source is not None,
            **questions_of(self.study.task),
        }
        return {"type": "welcome", "study": study}

    def _act(self, act: Act, nonce: str) -> Iterator[Reply]:
        try:
            if act.kind not in {"undo", "redo"} and self._nonces.get(act.item) != nonce:
                raise ChoiceError("that dispute is not on the card any more.")
            item = self._done(act)
        except LabkitError as error:
            retry = not isinstance(error, ChoiceError)
            yield {"type": "refused", "uuid": act.uuid, "message": str(error), "retry": retry}
            return
        yield from self._window()
        if item in self._mine:
            yield {"type": "reveal", "item": item, "ai": self._others(item)}
        view = self._view(item) if item in self.disputes.open else self._closed(item)
        waiting = self._waiting
        yield {
            "type": "ack",
            "uuid": act.uuid,
            "view": view,
            "next": waiting[0] if waiting else None,
            **self._standing(),
        }

    def _done(self, act: Act) -> str:
        """Do it; the item that it was done to."""
        match act.kind:
            case "answer":
                self._mine[act.item] = checked(self.study.task, act.answer)
            case "keep" | "revise":
                answer = self._mine.get(act.item) if act.kind == "keep" else act.answer
                if answer is None:
                    raise ChoiceError("answer the dispute yourself first.")
                self.disputes.settle(replace(act, answer=answer))
                self._mine.pop(act.item, None)
                self._settled.append(act.item)
            case "skip":
                self._later = [item for item in self._later if item != act.item] + [act.item]
            case "undo":
                return self._taken_back(act)
            case _:
                raise ChoiceError("settle the dispute, or skip it.")
        return act.item

    def _taken_back(self, act: Act) -> str:
        """Take back the answer in view, else open the dispute that was settled last."""
        if act.item in self._mine:
            self._mine.pop(act.item)
            return act.item
        if not self._settled:
            return act.item
        item = self._settled.pop()
        self.disputes.settle(replace(act, item=item, answer=None))
        return item

    def _others(self, item: str) -> Reply:
        answers = self.disputes.view(item)["answers"]
        return {"answers": answers, "agrees": plain(self._mine[item]) in answers}

    def _window(self) -> Iterator[Reply]:
        views = [self._view(item) for item in self._waiting[:AHEAD]]
        if views:
            yield {"type": "items", "items": views}

    def _view(self, item: str) -> Reply:
        nonce = self._nonces.setdefault(item, str(uuid.uuid4()))
        view = evidence(self.disputes.view(item)) | {"nonce": nonce}
        mine = self._mine.get(item)
        if mine is not None:
            view |= {"phase": "revealed", "answer": plain(mine)}
        return view

    def _closed(self, item: str) -> Reply:
        self._nonces.pop(item, None)
        return {"item": item, "phase": "done", "position": 0}

    def _place(self) -> Reply:
        waiting = self._waiting
        return {"type": "place", "at": waiting[0] if waiting else None, **self._standing()}

    def _standing(self) -> Reply:
        undo = bool(self._settled or self._mine)
        return {"saved": len(self._settled), "undo": undo, "redo": False}
