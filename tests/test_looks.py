"""How often a gate was looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.cli.status import text
from labkit.looks import FILE, looked, remember

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = {"sampled": 5, "items": 9, "reviewers": [], "disputed": 0, "stale": 0}


def test_the_same_labels_are_the_same_look(tmp_path: Path) -> None:
    assert looked(tmp_path) == 0
    assert [remember(tmp_path, n) for n in (40, 40, 80, 40, 120)] == [1, 1, 2, 2, 3]
    assert looked(tmp_path) == 3


def test_a_damaged_count_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"labels": 40}\nnot json\n{"n": 1}\n[]\n"x"\n')
    assert looked(tmp_path) == 1
    assert looked(tmp_path / "nowhere") == 0
    assert remember(tmp_path / "nowhere", 3) == 1


def test_status_says_what_repeated_looks_do() -> None:
    rows = {"metrics": [], "plan": None}
    assert "looked at" not in text({**PLAIN, **rows}, "blind")
    assert "looked at once" in text({**PLAIN, **rows, "gateLooks": 1}, "blind")
    assert "looked at 4 times" in text({**PLAIN, **rows, "gateLooks": 4}, "blind")


def test_status_says_why_a_number_is_not_there_once_labelling_began() -> None:
    row = {
        "name": "recall",
        "value": None,
        "low": 0.0,
        "high": 1.0,
        "n": 3,
        "basis": "blind",
        "design": "simple",
        "reason": "recall: no positive item has been found",
    }
    begun = text({**PLAIN, "metrics": [row], "plan": None}, "blind")
    assert "recall: n/a (no positive item has been found)" in begun
    assert "recall" not in text({**PLAIN, "metrics": [{**row, "n": 0}], "plan": None}, "blind")
