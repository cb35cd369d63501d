"""The words of a protocol, and what cannot be recorded under one."""

from __future__ import annotations

from typing import Literal

from labkit.errors import ChoiceError

Phase = Literal["answer", "revealed", "done"]
PROTOCOLS = ("blind-first", "blind", "assisted", "randomised")
REVEALS = ("always", "disagreement")
ACTS = ("answer", "keep", "revise", "skip", "unsure", "flag", "undo", "redo")


class UnknownItem(ChoiceError):  # noqa: N818  # reads as the sentence it says
    """The study has no such item, or it was not offered."""

    def __init__(self, item: str) -> None:
        """Name the item."""
        self.item = item
        super().__init__(f"item {item!r} is not part of this study; reload the page.")


class BlindAccept(ChoiceError):  # noqa: N818  # reads as the sentence it says
    """A choice accepts what was never shown."""

    def __init__(self, item: str) -> None:
        """Name the item."""
        self.item = item
        super().__init__(
            f"item {item!r}: nothing to accept, the AI's answer is hidden. "
            "Choose the answer yourself, or skip."
        )
