"""Live cells: a result that is computed anew after every stored answer, whoever gave it."""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import anywidget

from labkit_widgets.app import chosen_study
from labkit_widgets.bundle import joined
from labkit_widgets.results import headlines_of, results_of
from labkit_widgets.shown import shown
from labkit_widgets.vega import vega

if TYPE_CHECKING:
    from collections.abc import Callable

    from labkit.study import Study

_log = logging.getLogger(__name__)
_STATIC = Path(__file__).parent / "static"
_LOOK_SECONDS = 0.3
_SPARING = 3


def scorecard(study: Study) -> dict[str, Any]:
    """Everything that the answers say about the AI, as the Results tab shows it."""
    return results_of(study)


class LiveWidget(anywidget.AnyWidget):
    """Shows what a function makes of a study, and looks for new answers as long as it is shown."""

    _esm = joined(_STATIC / "live.js")
    _css = _STATIC / "review.css"

    def __init__(self, study: Study, compute: Callable[[Study], object]) -> None:
        """Compute nothing yet: that is done when a page shows the cell."""
        super().__init__()
        self.study, self.compute = study, compute
        self._seq: int | None = None
        self._watch: asyncio.Task[None] | None = None
        self._drawing: asyncio.Task[None] | None = None
        self.on_msg(lambda _widget, content, _buffers: self.receive(content))

    def receive(self, message: object) -> None:
        """Act on a message from the page: it shows the cell, or wants the means to draw."""
        if isinstance(message, dict) and message.get("type") == "vega":
            self._drawing = asyncio.get_running_loop().create_task(self._send_vega())
        else:
            self.show()

    async def _send_vega(self) -> None:
        found = await vega()
        if found is None:
            self.send({"type": "vega", "spec": None})
        else:
            module = found.module.encode()
            self.send({"type": "vega", "spec": found.reliability}, buffers=[module])

    def show(self) -> None:
        """Compute and draw now, then after every stored answer."""
        self.refresh()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        if self._watch is None or self._watch.done():
            self._watch = loop.create_task(self._watching())

    def refresh(self) -> None:
        """Take in what was stored, by any process, and draw the result of it."""
        seq = self._take_in()
        self._tell(self._computed(), seq)

    def _take_in(self) -> int:
        self.study.refresh()
        self._seq = self.study.last_seq()
        return self._seq

    def _computed(self) -> dict[str, Any]:
        try:
            return shown(self.compute(self.study))
        except Exception as error:  # noqa: BLE001  # the user's own function: its error is the result
            return {"type": "problem", "text": f"{type(error).__name__}: {error}"}

    def _tell(self, message: dict[str, Any], seq: int) -> None:
        note = f"Follows every answer; {seq} decisions in the log."
        self.send(message | {"note": note, "seq": seq})

    async def _watching(self) -> None:
        pause = _LOOK_SECONDS
        while self.comm is not None:
            await asyncio.sleep(pause)
            try:
                if self.study.last_seq() == self._seq:
                    continue
                began = time.perf_counter()
                seq = self._take_in()
                # the scorecard is made aside: a card in the same notebook never waits for it
                aside = self.compute is scorecard
                if aside:
                    self._tell(headlines_of(self.study), seq)
                found = await asyncio.to_thread(self._computed) if aside else self._computed()
                self._tell(found, seq)
                pause = max(_LOOK_SECONDS, _SPARING * (time.perf_counter() - began))
            except Exception:  # noqa: BLE001  # a lost file must not end the notebook's loop
                _log.warning("a live cell cannot look at its study any more", exc_info=True)
                return


@overload
def live(study: Study | Path | str | None, compute: Callable[[Study], object]) -> LiveWidget: ...


@overload
def live(
    study: Study | Path | str | None = None, compute: None = None
) -> Callable[[Callable[[Study], object]], LiveWidget]: ...


def live(
    study: Study | Path | str | None = None, compute: Callable[[Study], object] | None = None
) -> LiveWidget | Callable[[Callable[[Study], object]], LiveWidget]:
    """A cell that follows every stored answer, from any reviewer and any process.

    Args:
        study: A study or its folder; the one that ``labkit lab`` chose when left out.
        compute: What is shown: ``scorecard``, or a function of the study that returns text, a
            number, a mapping, estimates, a report or a data frame. Left out, ``live`` decorates.

    Example:
        >>> live("bank.study", scorecard)  # doctest: +SKIP
        >>> @live("bank.study")  # doctest: +SKIP
        ... def unsure(study):
        ...     return {row["name"]: row["unsure"] for row in study.status()["reviewers"]}
    """
    found = chosen_study(study)
    if compute is not None:
        return LiveWidget(found, compute)
    return lambda function: LiveWidget(found, function)
