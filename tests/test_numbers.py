"""A study's estimates: what they are made of, and what they leave out aloud."""

from __future__ import annotations

from labkit.estimation.population import Population
from labkit.estimation.units import Predicted
from labkit.model import Basis, Label, Question, Task
from labkit.numbers import Frames, estimated

TASK = Task("table", (Question("label", "binary", "?"),))
FRAMES = Frames(
    TASK, {}, Population.of(Predicted(f"m{i}", flagged=i < 20) for i in range(100)), "simple"
)


def a_label(item: str, *, yes: bool, basis: Basis = Basis.BLIND) -> Label:
    answer = {"label": yes}
    chance = None if basis is Basis.IMPORTED else 0.1
    return Label(item, "ines", answer, answer, basis, inclusion_probability=chance)


def test_imported_labels_have_no_weight_and_it_is_said() -> None:
    drawn = [a_label(f"m{i}", yes=i < 15) for i in range(0, 100, 4)]
    brought = [a_label(f"m{i}", yes=True, basis=Basis.IMPORTED) for i in range(1, 40, 4)]
    alone, both = (estimated(FRAMES, own, Basis.BLIND) for own in (drawn, drawn + brought))
    assert both.metrics == alone.metrics
    (told,) = [w for w in both.warnings if w not in alone.warnings]
    assert told.code == "left-out"
    assert told.message.startswith("10 imported labels are not in the estimates")
