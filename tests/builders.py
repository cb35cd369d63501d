"""What tests build studies from: a small predictions file, a study of it, and a reviewer's acts."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from labkit.model import Act
from labkit.study import Study
from labkit.studyoptions import StudyOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from labkit.study import Acted, Review

NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
COLUMNS = (
    "fqcn",
    "method",
    "loc",
    "tags",
    "display_name",
    "ai_security_relevant",
    "ai_display_name",
    "ai_tags",
    "ai_reason",
    "ai_interaction_score",
    "ai_confidence",
)
YES = {"relevant": True, "tags": ["security", "auth"]}
NO = {"relevant": False, "tags": []}


def a_row(i: int, **changed: Any) -> dict[str, Any]:
    """One scanned method; every third is flagged by the AI."""
    flagged = i % 3 == 0
    row = {
        "fqcn": f"com.acme.Case{i // 10}Test",
        "method": f"m{i}",
        "loc": 5 + i % 7,
        "tags": "unit",
        "display_name": f"method {i}",
        "ai_security_relevant": "true" if flagged else "false",
        "ai_display_name": f"SECURITY: marker{i}" if flagged else "",
        "ai_tags": "security;auth" if flagged else "",
        "ai_reason": f"because marker{i}",
        "ai_interaction_score": "0.0",
        "ai_confidence": "0.9" if flagged else "0.1",
    }
    return {**row, **changed}


def predictions_csv(n: int = 12, rows: list[dict[str, Any]] | None = None) -> str:
    """Predictions as MethodAtlas writes them."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", extrasaction="raise")
    writer.writeheader()
    writer.writerows(rows if rows is not None else [a_row(i) for i in range(n)])
    return text.getvalue()


def a_study(
    tmp_path: Path,
    n: int = 12,
    *,
    text: str | None = None,
    name: str = "predictions",
    **options: Any,
) -> Study:
    """A study of ``n`` items in ``tmp_path / "NAME.study"``, open."""
    tmp_path.mkdir(parents=True, exist_ok=True)
    predictions = tmp_path / f"{name}.csv"
    predictions.write_text(predictions_csv(n) if text is None else text, encoding="utf-8")
    return Study.create(predictions, tmp_path / f"{name}.study", options=StudyOptions(**options))


class Reviewer:
    """Somebody at the keyboard: acts with ids and times of its own."""

    _numbers: Iterator[int] = count(1)

    def __init__(self, review: Review) -> None:
        self.review = review
        self.at = NOON

    def act(self, kind: str, item: str | None = None, **more: Any) -> Acted:
        """One act on an item, the current one when none is named, three seconds after the last."""
        self.at += timedelta(seconds=3)
        where = item if item is not None else (self.review.current or "")
        number = next(self._numbers)
        act = Act(uuid=f"act-{number}", item=where, kind=kind, elapsed_ms=3000, **more)
        return self.review.act(act, now=self.at)

    def answer(self, answer: dict[str, Any] = YES, item: str | None = None) -> Acted:
        """Answer an item and, where the AI's answer comes up, keep the own one."""
        acted = self.act("answer", item, answer=answer)
        if acted.item is not None and acted.item["phase"] == "revealed":
            acted = self.act("keep", acted.item["item"])
        return acted


def a_reviewer(study: Study, name: str = "rev-1") -> Reviewer:
    """A reviewer of a study, ready to act."""
    return Reviewer(study.review(name))
