"""A study's labels as golden files of other tools: decguard's dataset, planwerk's expected.json."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.evaluate.decguard.records import Case as GoldenCase
from labkit.evaluate.planwerk import Case, Expected
from labkit.formats import planwerk_expected
from labkit.formats.decguard import dataset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from labkit.exports.source import Exportable
    from labkit.model import Answer, Item

_UNSTATED = "WARNING"
"""The severity of a finding for which nobody named one."""


def _answers(study: Exportable) -> Iterator[tuple[Item, Answer]]:
    """Items with a settled answer, in the order of the study's items."""
    settled = study.settled()
    for key, item in study.items.items():
        label = settled.get(key)
        if label is not None and label.final is not None:
            yield item, label.final


def _input(text: str, title: str) -> Any:
    """What was asked: an object where the text is one, else the text."""
    if text.lstrip().startswith("{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return value if isinstance(value, dict) else text
    return text or title


def _label(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def decguard(study: Exportable) -> tuple[str, int]:
    """Every settled item as a golden case, and how many there are.

    Yes and no become decguard's labels ``yes`` and ``no``; what was in view becomes metadata.

    Raises:
        InputError: The study asks for no label.
    """
    if study.task.question("label") is None:
        raise InputError(
            f"a {study.task.preset} study has no label and is not exported as decguard; "
            "use --format csv or jsonl for its labels."
        )
    cases = [
        GoldenCase(item.id, _input(item.text, item.title), _label(answer["label"]), item.fields)
        for item, answer in _answers(study)
        if answer.get("label") is not None
    ]
    return dataset.render(cases), len(cases)


def planwerk(study: Exportable) -> tuple[str, int]:
    """The findings that reviewers confirmed as one case, and how many there are.

    The same place with the same title in several runs is one finding. The keyword is the title;
    shorten it by hand so that another wording of the same bug is found too.

    Raises:
        InputError: The study has no findings, more than one case, or no answer yet.
    """
    if study.task.question("valid") is None:
        raise InputError(
            f"a {study.task.preset} study has no findings and is not exported as planwerk; "
            "use --format csv or jsonl for its labels."
        )
    answers = list(_answers(study))
    cases = sorted({item.id.partition("/")[0] for item, _ in answers if "/" in item.id})
    if len(cases) != 1:
        what = f"{len(cases)} cases ({', '.join(cases[:3])})" if cases else "no answered case"
        raise InputError(f"one expected.json holds one case, but the study has {what}.")
    found: dict[tuple[str, int, str], Expected] = {}
    for item, answer in answers:
        if answer.get("valid") is True and item.file:
            said = study.predictions[item.id].answer if item.id in study.predictions else {}
            severity = str(answer.get("severity") or said.get("severity") or _UNSTATED)
            title = item.title.strip().lower()
            expected = Expected(item.file, item.line or 0, severity, (title,))
            found.setdefault((item.file, item.line or 0, title), expected)
    bugs = tuple(found.values())
    described = f"{len(bugs)} findings confirmed in review."
    case = Case(cases[0], described, clean=not bugs, findings=bugs)
    return planwerk_expected.render(case), len(bugs)
