"""One reviewer at one page: what is said to the browser in answer to what it says.

Messages that hold the AI's answer to an item (``reveal``) and numbers that are computed from
answered items (``progress``, ``results``) are of types of their own; every other message is the
same whatever the AI said.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labkit import studymaking
from labkit.errors import ChoiceError, InputError, LabkitError
from labkit.study import Study
from labkit.studyoptions import StudyOptions
from labkit_widgets import messages
from labkit_widgets.drawn import coloured, evidence, questions_of
from labkit_widgets.exporting import Exports
from labkit_widgets.finding import found
from labkit_widgets.results import results_of
from labkit_widgets.settling import Desk
from labkit_widgets.team import team_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from labkit.study import Acted, Review

Reply = dict[str, Any]

WINDOW = 5
_OPTIMISTIC = frozenset({"blind", "assisted"})
_MANY_PENDING = 5
_PROPOSED = 30


def new_nonce() -> str:
    """A mark for one painting of one item, never used twice."""
    return str(uuid.uuid4())


def failure(message: object, error: Exception) -> Reply:
    """What the page is told when something broke: the answer comes back, or the study is closed.

    The error's own words stay in the log: they may hold what must not be seen yet.
    """
    if isinstance(error, InputError):
        return {"type": "fatal", "message": str(error)}
    if messages.kind_of(message) in {"preview", "write"}:
        return {"type": "preview", "problem": "This did not work. The server's log says why."}
    act = messages.uuid_of(message)
    if not act:
        return {"type": "fatal", "message": "The study cannot be shown; the server's log says why."}
    sentence = "This answer could not be saved; it is kept here. The server's log says why."
    return {"type": "refused", "uuid": act, "item": "", "message": sentence, "retry": True}


@dataclass
class Sitting:
    """Answers the browser's messages; the rules are the study's, the messages are ours."""

    study: Study
    reviewer: str
    nonce: Callable[[], str] = new_nonce
    tabbed: bool = True
    first_tab: str = "review"
    _review: Review | None = None
    _offered: dict[str, str] = field(default_factory=dict)
    """By item on offer: the nonce under which it was sent."""
    _stored: set[str] = field(default_factory=set)
    """Acts of this sitting that are on disk; one that is sent again is acknowledged again."""
    _tab: str = "review"
    _settling: Desk | None = None

    def __post_init__(self) -> None:
        """Prepare the exports; the log is read when a page says hello."""
        self.exports = Exports(self.study)

    @property
    def review(self) -> Review:
        """The reviewer's pass."""
        if self._review is None:
            self._review = self.study.review(self.reviewer)
        return self._review

    def hear(self, message: object) -> Iterator[Reply]:
        """Reply to one message; what is yielded first may be sent before the rest is computed."""
        try:
            heard = messages.parse(message)
        except ChoiceError as error:
            yield self._refusal(messages.uuid_of(message), "", str(error))
            return
        yield from self._replies(heard)

    def _replies(self, heard: messages.Message) -> Iterator[Reply]:
        match heard:
            case messages.Hello():
                self.study.refresh()
                yield self._welcome()
            case messages.Ready(acts):
                yield from self._open(acts)
            case messages.Acting():
                yield from self._act(heard)
            case messages.Visit(where, item):
                yield from self._visit(where, item)
            case messages.Turn(tab):
                self.turn(tab)
                yield from self.news()
            case messages.Beat():
                yield {"type": "beat"}
            case _:
                yield from self._asides(heard)

    def _asides(self, heard: messages.Message) -> Iterator[Reply]:
        """What has nothing to do with answers: the list, more code, files."""
        match heard:
            case messages.Find(text, state):
                yield found(self.study, self.review, text, state)
            case messages.Context(item, lines):
                yield from self._context(item, lines)
            case messages.AtDesk(message):
                yield from self._desk(message)
            case messages.Extend():
                yield from self._extend()
            case messages.Preview(kind):
                yield self.exports.preview(kind)
            case messages.Write(kind, token):
                yield self.exports.write(kind, token)

    def turn(self, tab: str) -> None:
        """Note which tab is open: only its numbers are made."""
        self._tab = tab

    def news(self) -> Iterator[Reply]:
        """The numbers as they stand now; sent after the acknowledgement, never with it."""
        yield self._progress()
        if self._tab == "reviewers" and "reviewers" in self.tabs:
            yield team_of(self.study)
        if self._tab == "results" and "results" in self.tabs:
            yield results_of(self.study)

    # what the page is told first

    @property
    def leads(self) -> bool:
        """Whether this reviewer sees everything: the named lead, or whoever reviews alone."""
        config = self.study.config
        return config.lead == self.reviewer or (config.lead is None and self._alone)

    @property
    def _alone(self) -> bool:
        return len(self.study.config.reviewers) <= 1

    @property
    def tabs(self) -> list[str]:
        """The tabs that this reviewer's page has."""
        if not self.tabbed:
            return ["review"]
        return [
            "review",
            *(["results"] if self._sees_results() else []),
            *(["reviewers"] if self.leads and self._team() else []),
            *(["export"] if self.leads else []),
        ]

    def _team(self) -> bool:
        people = {name for name in self.study.reviewers if name != self.reviewer}
        return bool(people or self.study.disputed)

    def _sees_results(self) -> bool:
        """A running score is an anchor, too: ``results`` in study.yaml says who gets it."""
        config = self.study.config
        match config.results:
            case "always":
                return True
            case "done":
                return self.review.current is None
            case "lead":
                return self.leads
        return self.leads or (self._alone and config.protocol in {"blind-first", "assisted"})

    def _welcome(self) -> Reply:
        config, task = self.study.config, self.study.task
        place = f"{self.study.folder.resolve()}\n{self.reviewer}"
        return {
            "type": "welcome",
            "study": {
                "key": str(uuid.uuid5(uuid.NAMESPACE_URL, place)),
                "reviewer": self.reviewer,
                "protocol": config.protocol,
                "reveal": config.reveal,
                "pending": _MANY_PENDING if config.protocol in _OPTIMISTIC else 1,
                "sampled": len(self.review.queue),
                **questions_of(task),
                "guidelines": self.study.guidelines,
                "notes": self._notes(),
                "tabs": self.tabs,
                "tab": self.first_tab if self.first_tab in self.tabs else "review",
                "leads": self.leads,
                "fresh": self.review.progress()["saved"] == 0,
                "outside": self._outside(),
                "attached": config.source is not None,
                "exports": self.exports.offered(),
            },
        }

    def _notes(self) -> list[str]:
        """What this reviewer wrote before, the latest first: proposed for the next reason."""
        own = [d.note for d in self.study.decisions() if d.note and d.reviewer == self.reviewer]
        return list(dict.fromkeys(reversed(own)))[:_PROPOSED]

    def _open(self, acts: tuple[messages.Acting, ...]) -> Iterator[Reply]:
        """Store what an earlier page could not, then show where the reviewer stands."""
        problem = ""
        for acting in acts:
            window = {view["item"] for view in self.review.window(WINDOW)}
            turning = acting.act.kind in {"undo", "redo"}
            if not turning and acting.act.item not in window:
                continue
            try:
                self.review.act(acting.act)
            except ChoiceError as error:
                problem = str(error)
        self._offered.clear()
        yield from self._send(self.review.window(WINDOW))
        acked = [acting.act.uuid for acting in acts]
        yield self._place(self.review.current) | {"acked": acked, "problem": problem}
        yield self._progress()

    def _place(self, item: str | None) -> Reply:
        return {"type": "place", "at": item, **self._standing()}

    def _standing(self) -> Reply:
        done = self.review.progress()
        return {"saved": done["saved"], "undo": done["canUndo"], "redo": done["canRedo"]}

    # answers

    def _act(self, acting: messages.Acting) -> Iterator[Reply]:
        act = acting.act
        try:
            self._check_offered(acting)
            acted = self.review.act(act)
        except ChoiceError as error:
            yield from self._back(act.uuid, act.item, str(error), retry=False)
            return
        except LabkitError as error:
            yield from self._back(act.uuid, act.item, str(error), retry=True)
            return
        self._stored.add(act.uuid)
        yield from self._acknowledge(act.uuid, acted)

    def _check_offered(self, acting: messages.Acting) -> None:
        if acting.act.kind in {"undo", "redo"}:
            return
        nonce = self._offered.get(acting.act.item)
        if acting.act.uuid not in self._stored and (nonce is None or nonce != acting.nonce):
            raise ChoiceError("that item is not on the card any more; answer the one in view.")

    def _acknowledge(self, act_uuid: str, acted: Acted) -> Iterator[Reply]:
        if acted.next is not None and acted.next not in self._offered:
            yield from self._send([self.review.view(acted.next)])
        view = None
        if acted.item is not None:
            view, ai = self._offer(acted.item)
            if ai is not None:
                yield {"type": "reveal", "item": view["item"], "ai": ai}
        yield {
            "type": "ack",
            "uuid": act_uuid,
            "view": view,
            "next": acted.next,
            **self._standing(),
        }
        yield from self._send(
            [v for v in self.review.window(WINDOW) if v["item"] not in self._offered]
        )

    def _back(self, act_uuid: str, item: str, sentence: str, *, retry: bool) -> Iterator[Reply]:
        """Bring the item back to the card, with the sentence."""
        view = None
        if item in self.study.items and item in self._offered:
            view, ai = self._offer(self.review.view(item))
            if ai is not None:
                yield {"type": "reveal", "item": item, "ai": ai}
        refusal = self._refusal(act_uuid, item, sentence) | {"view": view, "retry": retry}
        yield refusal if retry else refusal | self._standing()

    def _refusal(self, act_uuid: str, item: str, sentence: str) -> Reply:
        return {"type": "refused", "uuid": act_uuid, "item": item, "message": sentence}

    # what is shown

    def _visit(self, where: str, item: str) -> Iterator[Reply]:
        step = {"next": 1, "previous": -1}.get(where)
        to: str | None
        if step is None:
            to = item if where == "item" and item in self.study.items else self.review.current
        elif item:
            to = self.review.beside(item, step)
        else:
            to = self.review.queue[-1] if step < 0 and self.review.queue else None
        if to is None:
            return
        yield from self._send([self.review.view(to)])
        yield self._place(to)

    def _outside(self) -> int:
        """How many items with an AI answer are not in the sample."""
        return max(0, len(self.study.predictions) - len(self.study.sample.drawn))

    def _extend(self) -> Iterator[Reply]:
        """Draw the rest, behind what was drawn; the page is told everything anew."""
        if not self.leads or not self._outside():
            return
        options = StudyOptions(sample=len(self.study.predictions))
        try:
            studymaking.extend(self.study.folder, options)
        except LabkitError as error:
            yield self._refusal("", "", str(error)) | {"retry": False}
            return
        self.study = Study.open(self.study.folder)
        self._review = None
        self._offered.clear()
        self.exports = Exports(self.study)
        yield self._welcome()

    def _desk(self, message: messages.Message) -> Iterator[Reply]:
        if "reviewers" not in self.tabs:
            return
        if self._settling is None or isinstance(message, messages.Hello):
            self._settling = Desk(self.study, self.reviewer)
        for reply in self._settling.hear(message):
            yield {"type": "desk", "reply": reply}
            if reply["type"] == "ack":
                yield from self.news()

    def _context(self, item: str, lines: int) -> Iterator[Reply]:
        if item not in self._offered:
            return
        code = self.study.context(item, lines)
        if code is not None:
            yield {"type": "code", "item": item, "code": coloured(code)}

    def _send(self, views: list[Reply]) -> Iterator[Reply]:
        if not views:
            return
        sent = []
        for view in views:
            offer, ai = self._offer(view)
            if ai is not None:
                yield {"type": "reveal", "item": offer["item"], "ai": ai}
            sent.append(offer)
        yield {"type": "items", "items": sent}

    def _offer(self, view: Reply) -> tuple[Reply, Reply | None]:
        """The evidence with a nonce, and apart from it what the AI said, where it may be seen."""
        ai: Reply | None = view.get("ai")
        nonce = self._offered[view["item"]] = self.nonce()
        return evidence(view) | {"nonce": nonce}, ai

    def _progress(self) -> Reply:
        done = self.review.progress()
        plan = self.study.plan(assured=False) if self.study.predictions else None
        return {
            "type": "progress",
            "name": self.study.folder.resolve().name.removesuffix(".study"),
            "median_seconds": done["medianSeconds"],
            "answered": done["answered"],
            "skipped": done["skipped"],
            "unsure": done["unsure"],
            "flagged": done["flagged"],
            "half_width": plan.half_width if plan else None,
            "goal": plan.goal_half_width if plan else None,
            "more": plan.more_labels if plan else None,
        }
