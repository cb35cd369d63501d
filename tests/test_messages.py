"""What the browser may say."""

from __future__ import annotations

import pytest

from labkit.errors import ChoiceError
from labkit_widgets.messages import Acting, Beat, Hello, Ready, Turn, Visit, Write, parse, uuid_of

ACT = {
    "type": "act",
    "uuid": "u1",
    "item": "m1",
    "nonce": "n1",
    "kind": "answer",
    "answer": {"relevant": True, "tags": ["auth"]},
    "note": "",
    "elapsed_ms": 1200,
}


def test_every_message_of_the_card_is_read() -> None:
    assert parse({"type": "hello"}) == Hello()
    assert parse({"type": "ready", "acts": []}) == Ready(())
    assert parse({"type": "visit", "where": "next", "item": "m1"}) == Visit("next", "m1")
    assert parse({"type": "tab", "tab": "export"}) == Turn("export")
    assert parse({"type": "write", "format": "csv", "token": "t"}) == Write("csv", "t")
    assert parse({"type": "beat", "more": object()}) == Beat()
    acting = parse(ACT)
    assert isinstance(acting, Acting)
    assert acting.nonce == "n1"
    assert acting.act.answer == {"relevant": True, "tags": ("auth",)}


@pytest.mark.parametrize(
    "message",
    [
        None,
        [],
        "act",
        {},
        {"type": 1},
        {"type": ["act"]},
        {"type": "execute", "code": "1"},
        {"type": "ready"},
        {"type": "ready", "acts": {"0": ACT}},
        ACT | {"item": 7},
        ACT | {"item": "m" * 5000},
        ACT | {"note": "n" * 5000},
        ACT | {"answer": "yes"},
        ACT | {"answer": {"relevant": {"a": 1}}},
        ACT | {"answer": {"tags": ["a"] * 500}},
        ACT | {"answer": {"tags": [1]}},
        ACT | {"answer": {1: True}},
        {"type": "preview", "format": ["/etc/passwd"]},
    ],
)
def test_what_is_no_message_is_refused_in_one_sentence(message: object) -> None:
    with pytest.raises(ChoiceError) as refused:
        parse(message)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "kept"), [(None, None), ("1", None), (True, None), (-5, 0), (10**12, 86_400_000)]
)
def test_a_time_that_cannot_be_is_no_time(given: object, kept: int | None) -> None:
    acting = parse(ACT | {"elapsed_ms": given})
    assert isinstance(acting, Acting)
    assert acting.act.elapsed_ms == kept


def test_a_refusal_can_name_its_act() -> None:
    assert uuid_of(ACT) == "u1"
    assert uuid_of({"uuid": 1}) == uuid_of(None) == ""
