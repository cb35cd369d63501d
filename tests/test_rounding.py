"""Rounding policies, against what the systems' own languages give."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from labkit.metrics.rounding import EXACT, JS_FIXED_4, PYTHON_3, PYTHON_4

if TYPE_CHECKING:
    from pathlib import Path


def test_exact_ties_go_up_in_javascript_and_to_even_in_python() -> None:
    assert [JS_FIXED_4(k / 32) for k in (1, 3, 5, 7)] == [0.0313, 0.0938, 0.1563, 0.2188]
    assert [PYTHON_4(k / 32) for k in (1, 3, 5, 7)] == [0.0312, 0.0938, 0.1562, 0.2188]
    assert PYTHON_3(0.0005) == 0.001
    assert (EXACT(1 / 3), JS_FIXED_4(None)) == (1 / 3, None)


def test_ratios_round_as_the_auditors_own_tool_rounds(conformance: Path) -> None:
    path = conformance / "systems/godaudits/reference/ratio_rounding.json"
    for case in json.loads(path.read_text("utf-8")):
        if case["denominator"]:
            assert JS_FIXED_4(case["numerator"] / case["denominator"]) == case["ratio"]


@given(st.floats(0, 1))
def test_no_policy_moves_a_value_by_more_than_half_a_step(value: float) -> None:
    assert abs(JS_FIXED_4.of(value) - value) <= 0.00005 + 1e-12
    assert abs(JS_FIXED_4.of(value) - PYTHON_4.of(value)) <= 0.0001 + 1e-12
