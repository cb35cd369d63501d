"""The review card as a notebook widget: a shell around one reviewer's sitting."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import anywidget

from labkit_widgets import messages
from labkit_widgets.bundle import joined
from labkit_widgets.environment import TAB
from labkit_widgets.sitting import Sitting, failure

if TYPE_CHECKING:
    from labkit.study import Study

_log = logging.getLogger(__name__)
_STATIC = Path(__file__).parent / "static"
_QUIET_SECONDS = 0.15
_SPARING = 5
"""Numbers that take long are computed the less often, so that answers never wait for them."""
_LONGEST_SECONDS = 5.0


class ReviewWidget(anywidget.AnyWidget):
    """Shows a study to one reviewer and records what they decide.

    Everything goes through messages: no trait holds an item, an answer or a rule, so there is
    nothing in a saved notebook, and nothing that a browser could overwrite.

    Example:
        >>> ReviewWidget(Study.open(Path("bank.study")), "ada")  # doctest: +SKIP
    """

    tabbed = False
    """Whether Results and Export stand beside the card."""
    _esm = joined(_STATIC / "review.js")
    _css = _STATIC / "review.css"

    def __init__(self, study: Study, reviewer: str) -> None:
        """Make the card; nothing is read from the store before a page opens it."""
        super().__init__()
        self.sitting = Sitting(
            study, reviewer, tabbed=self.tabbed, first_tab=os.environ.get(TAB, "review")
        )
        self._later: asyncio.TimerHandle | None = None
        self._pause = _QUIET_SECONDS
        self._telling: asyncio.Task[None] | None = None
        self._again = False
        self.on_msg(lambda _widget, content, _buffers: self.receive(content))

    def receive(self, message: object) -> None:
        """Act on one message from the browser; numbers follow a moment later."""
        try:
            if self._turned(message):
                return
            for reply in self.sitting.hear(message):
                self.send(reply)
                if reply["type"] == "ack":
                    self._soon()
        except Exception as error:  # noqa: BLE001  # the page must be told, whatever broke
            _log.exception("a message from the page failed")
            self.send(failure(message, error))

    def _turned(self, message: object) -> bool:
        """Open a tab: its numbers are made aside, so that the page is never kept waiting."""
        turn = messages.kind_of(message) == "tab" and _loop() is not None
        if turn:
            heard = messages.parse(message)
            self.sitting.turn(heard.tab if isinstance(heard, messages.Turn) else "")
            self._soon(0.0)
        return turn

    def _soon(self, pause: float | None = None) -> None:
        """Recompute the numbers when no answer has come for a moment."""
        if self._later is not None:
            self._later.cancel()
        loop = _loop()
        if loop is None:
            for reply in self.sitting.news():
                self.send(reply)
            return
        self._later = loop.call_later(self._pause if pause is None else pause, self._begin)

    def _begin(self) -> None:
        """Make the numbers, unless they are being made: then once more when that is done."""
        if self._telling is not None and not self._telling.done():
            self._again = True
            return
        self._telling = asyncio.get_running_loop().create_task(self._tell_news())

    async def _tell_news(self) -> None:
        """What is quick at once, the rest from a thread: no answer waits for a number."""
        try:
            began = time.perf_counter()
            news = self.sitting.news()
            self.send(next(news))
            for reply in await asyncio.to_thread(list, news):
                self.send(reply)
            cost = time.perf_counter() - began
            self._pause = min(max(_QUIET_SECONDS, _SPARING * cost), _LONGEST_SECONDS)
        except Exception:  # noqa: BLE001  # the task has nobody else to tell
            _log.exception("the numbers could not be made")
        if self._again:
            self._again = False
            self._soon()


def _loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
