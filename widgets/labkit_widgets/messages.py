"""What the browser may say. Nothing past this module trusts a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from labkit.errors import ChoiceError
from labkit.model import Act, Answer

MAX_TEXT = 1_000
MAX_NOTE = 2_000
MAX_TAGS = 200
MAX_REPLAYED = 50
MAX_LINES = 400
_A_DAY_MS = 24 * 3_600_000


@dataclass(frozen=True, slots=True)
class Hello:
    """A page was opened and asks what there is."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The page can draw; these acts were never acknowledged to it."""

    acts: tuple[Acting, ...]


@dataclass(frozen=True, slots=True)
class Acting:
    """An act on the item that was painted under this nonce."""

    act: Act
    nonce: str


@dataclass(frozen=True, slots=True)
class Visit:
    """Show another item: the next, the previous, the current, or one by id."""

    where: str
    item: str


@dataclass(frozen=True, slots=True)
class Find:
    """List the items of a state whose names hold some words."""

    text: str
    state: str


@dataclass(frozen=True, slots=True)
class Context:
    """Show more lines around the item in view."""

    item: str
    lines: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A tab was opened."""

    tab: str


@dataclass(frozen=True, slots=True)
class Preview:
    """Show what an export would change."""

    format: str


@dataclass(frozen=True, slots=True)
class Write:
    """Write what the preview with this token showed."""

    format: str
    token: str


@dataclass(frozen=True, slots=True)
class AtDesk:
    """A message of the card on which disputes are settled."""

    message: Message


@dataclass(frozen=True, slots=True)
class Extend:
    """Draw the items that were left out of the sample, too."""


@dataclass(frozen=True, slots=True)
class Beat:
    """Are you there?"""


Message = (
    Hello
    | Ready
    | Acting
    | Visit
    | Find
    | Context
    | Turn
    | Preview
    | Write
    | AtDesk
    | Extend
    | Beat
)


def parse(message: object) -> Message:
    """Read one message from the browser.

    Raises:
        ChoiceError: It is none of the messages above, or a part has the wrong type or size.

    >>> parse({"type": "tab", "tab": "results"})
    Turn(tab='results')
    """
    if not isinstance(message, Mapping):
        raise ChoiceError("the page sent something that is no message; reload it.")
    kind = kind_of(message)
    if kind not in _KINDS:
        raise ChoiceError("the page sent an unknown message; reload it.")
    return _KINDS[kind](message)


def kind_of(message: object) -> str:
    """What the message says it is."""
    found = message.get("type") if isinstance(message, Mapping) else None
    return found if isinstance(found, str) else ""


def uuid_of(message: object) -> str:
    """The act's id where there is one, so that a refusal can name it."""
    found = message.get("uuid") if isinstance(message, Mapping) else None
    return found if isinstance(found, str) else ""


def _acts(found: object) -> tuple[Acting, ...]:
    if not isinstance(found, list):
        raise ChoiceError("the page's outbox cannot be read; reload the page.")
    return tuple(_acting(one) for one in found[:MAX_REPLAYED] if isinstance(one, Mapping))


def _acting(message: Mapping[object, object]) -> Acting:
    elapsed = message.get("elapsed_ms")
    whole = isinstance(elapsed, int) and not isinstance(elapsed, bool)
    return Acting(
        Act(
            uuid=_text(message, "uuid"),
            item=_text(message, "item"),
            kind=_text(message, "kind"),
            answer=_answer(message.get("answer")),
            note=_text(message, "note", most=MAX_NOTE),
            elapsed_ms=min(max(elapsed, 0), _A_DAY_MS)
            if whole and isinstance(elapsed, int)
            else None,
        ),
        nonce=_text(message, "nonce"),
    )


def _text(message: Mapping[object, object], key: str, *, most: int = MAX_TEXT) -> str:
    found = message.get(key, "")
    if not isinstance(found, str) or len(found) > most:
        raise ChoiceError(f"the page's message has no usable {key!r}; reload the page.")
    return found


def _lines(message: Mapping[object, object]) -> int:
    found = message.get("lines")
    if not isinstance(found, int) or isinstance(found, bool):
        raise ChoiceError("the page's message has no number of lines; reload the page.")
    return min(max(found, 0), MAX_LINES)


def _answer(found: object) -> Answer | None:
    """Values by question; whether they are in the codebook is the protocol's to say."""
    if found is None:
        return None
    if not isinstance(found, Mapping) or len(found) > MAX_TAGS:
        raise ChoiceError("the answer cannot be read; answer again.")
    return {_short(name): _value(value) for name, value in found.items()}


def _value(value: object) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _short(value, most=MAX_NOTE)
    if isinstance(value, list) and len(value) <= MAX_TAGS:
        return tuple(_short(one) for one in value)
    raise ChoiceError("the answer cannot be read; answer again.")


def _short(value: object, *, most: int = MAX_TEXT) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise ChoiceError("the answer cannot be read; answer again.")
    return value


_KINDS: dict[str, Callable[[Mapping[object, object]], Message]] = {
    "hello": lambda _m: Hello(),
    "ready": lambda m: Ready(_acts(m.get("acts"))),
    "act": _acting,
    "visit": lambda m: Visit(_text(m, "where"), _text(m, "item")),
    "find": lambda m: Find(_text(m, "text"), _text(m, "state")),
    "context": lambda m: Context(_text(m, "item"), _lines(m)),
    "tab": lambda m: Turn(_text(m, "tab")),
    "preview": lambda m: Preview(_text(m, "format")),
    "write": lambda m: Write(_text(m, "format"), _text(m, "token")),
    "desk": lambda m: AtDesk(parse(m.get("message"))),
    "extend": lambda _m: Extend(),
    "beat": lambda _m: Beat(),
}
