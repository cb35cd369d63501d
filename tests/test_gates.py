from __future__ import annotations

import pytest

from labkit import gates
from labkit.errors import InputError
from labkit.gates import Gate, Measured, Values

READS = Values(
    {
        "min_f1": (Measured("relevance.f1", 0.8, 0.7, 0.9), Measured("tagsMicro.f1", None)),
        "max_ece": (Measured("ece", 0.1, 0.05, 0.2),),
    }
)


def held(asked: gates.Asked) -> list[bool]:
    return [check.held for check in gates.check(asked, READS)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"min_f1": 0.8}, [True, True]),
        ({"min_f1": 0.81}, [False, True]),
        ({"min_f1": 0.75, "gate_on": "low"}, [False, True]),
        ({"max_ece": 0.1}, [True]),
        ({"max_ece": 0.1, "gate_on": "low"}, [False]),
        ({"min_recall": 0.0}, [False]),
    ],
)
def test_a_gate_holds_at_its_threshold_and_never_on_nothing(
    options: dict[str, object], expected: list[bool]
) -> None:
    assert held(gates.asked(options)) == expected


def test_a_file_has_requirements_that_fail_and_warnings_that_do_not() -> None:
    text = "requirements:\n  min-f1: 0.9\n  min_recall: null\nwarnings: {max_ece: 0.01}\n"
    checks = gates.check(gates.asked({}, gates.parse(text)), READS)
    assert [(check.gate.name, check.held, check.failed) for check in checks] == [
        ("min_f1", False, True),
        ("min_f1", True, False),
        ("max_ece", False, False),
    ]
    assert checks[2].as_dict()["level"] == "warning"
    assert [*checks[0].as_dict()] == ["gate", "metric", "threshold", "value", "held"]


def test_a_contracts_own_threshold_serves_its_gates() -> None:
    text = "requirements: {min_coverage: 0.5}\nevaluation: {confidence_threshold: 0.7}\n"
    assert gates.asked({}, gates.parse(text)).confidence_threshold == 0.7
    assert gates.asked({"confidence_threshold": 0.9}, gates.parse(text)).confidence_threshold == 0.9
    with pytest.raises(InputError, match="--confidence-threshold"):
        gates.asked({}, gates.parse("requirements: {min_coverage: 0.5}"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("requirements: {min_fun: 1}", ["g.yaml:1:", "min_fun", "min_f1"]),
        ("requirements:\n  min_f1: high", ["g.yaml:2:", "not a number"]),
        ("requirements:\n  min_f1: 1.2", ["g.yaml:2:", "0 to 1"]),
        ("requirements:\n  max_nll: .inf", ["g.yaml:2:"]),
        ("requirements: [min_f1]", ["g.yaml:1:", "mapping"]),
        ("something: else", ["g.yaml:1:", "nothing to check"]),
        ("", ["g.yaml:1:", "requirements"]),
    ],
)
def test_a_file_of_gates_that_is_wrong_is_one_sentence(text: str, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        gates.parse(text, "g.yaml")
    assert all(word in str(caught.value) for word in words)


def test_a_gate_keeps_its_name_in_python_and_on_the_command_line() -> None:
    (check,) = gates.check(gates.Asked((Gate("max_ece", 0.2),)), READS)
    assert check.as_dict()["gate"] == "max-ece"
