"""planwerk's review findings as items: is each one real, how severe, at the right place?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.evaluate.planwerk import score_run
from labkit.evaluate.planwerk_groups import SEVERITIES
from labkit.formats.planwerk import EXPECTED, read_case
from labkit.formats.planwerk_reviews import read_reviews
from labkit.matching import slashed
from labkit.model import Item, Prediction
from labkit.presets import difference, finding
from labkit.presets.material import Excerpt, Material

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.evaluate.planwerk import Finding, Review

_IN_VIEW = ("action", "pattern")
_HIDDEN = (
    "id",
    "actionability",
    "fix_class",
    "suggested_fix",
    "recommendation_reasoning",
    "verification_note",
    "snippet_check",
    "claim_check",
)
MECHANICAL = "mechanical_match"
"""What the matcher says about a finding, beside what a person says."""


@dataclass(frozen=True, slots=True)
class CorpusCode:
    """The code of a finding: ``head/`` of its case over ``base/``, as a difference."""

    corpus: Path | None
    snippets: Mapping[str, Excerpt]

    def excerpt(self, item: Item, context: int = 0) -> Excerpt | None:  # noqa: ARG002  # a whole page always
        """The changed file around the finding, else the snippet that the report quotes."""
        case = item.id.partition("/")[0]
        if self.corpus is None or not item.file or case in {"", ".", ".."}:
            return self.snippets.get(item.id)
        before = difference.stored_lines(self.corpus / case / "base", item.file)
        after = difference.stored_lines(self.corpus / case / "head", item.file)
        if after is None:
            after = before
        if after is None:
            return self.snippets.get(item.id)
        line = item.line or 1
        mark = (line, line + (item.lines or 1) - 1)
        return difference.excerpt(before or (), after, file=item.file, mark=mark)


def material(path: Path, *, show: tuple[str, ...] = (), source: Path | None = None) -> Material:
    """Items and claims of planwerk's review reports; ids are ``case/run/index``, from 0.

    Severity, confidence, the passes that confirmed it, checks and the mechanical match are hidden
    until the answer.

    Args:
        path: A folder ``<case>/*.json`` or one report.
        show: Hidden fields to open, by name.
        source: The corpus: its code is shown, and its labels give the mechanical match.

    Raises:
        InputError: A report cannot be read, or none holds a finding.
    """
    corpus = source.resolve() if source else None  # the study's folder may not be there yet
    items: dict[str, Item] = {}
    predictions: dict[str, Prediction] = {}
    snippets: dict[str, Excerpt] = {}
    for case, reviews in read_reviews(path).items():
        for run, review in enumerate(reviews):
            matched = _mechanical(case, review, corpus)
            for index, one in enumerate(review.findings):
                name = f"{case}/{run}/{index}"
                hidden = {**_said(one), MECHANICAL: matched.get(index, "")}
                items[name] = _item(name, one, {k: v for k, v in hidden.items() if k in show})
                predictions[name] = _prediction(one, hidden, show)
                quoted = _snippet(one)
                if quoted:
                    snippets[name] = quoted
    if not items:
        raise InputError.at(str(path), None, "no report holds a finding; nothing to review.")
    return Material(
        task=finding.task(SEVERITIES),
        items=items,
        predictions=predictions,
        code=CorpusCode(corpus, snippets).excerpt,
    )


def _mechanical(case: str, review: Review, corpus: Path | None) -> dict[int, str]:
    """Which seeded bug the matcher gives each finding, where the corpus is known."""
    if corpus is None or not (corpus / case / EXPECTED).is_file():
        return {}
    known = read_case(corpus / case)
    words = dict.fromkeys(range(len(review.findings)), "no seeded bug")
    claims = score_run(known, review.findings).claims
    for bug, claim in zip(known.findings, claims, strict=True):
        if claim is not None:
            words[claim] = f"the seeded bug at {bug.file}:{bug.line}"
    return words


def _text(one: Finding, name: str) -> str:
    value = one.fields.get(name)
    return value if isinstance(value, str) else ""


def _said(one: Finding) -> dict[str, str]:
    return {
        "severity": one.severity,
        "confidence": one.confidence,
        "confirmed_by": ", ".join(one.confirmed_by),
        **{name: _text(one, name) for name in _HIDDEN},
    }


def _lines(one: Finding) -> int | None:
    end = one.fields.get("line_end")
    if isinstance(end, int) and not isinstance(end, bool) and end >= one.line > 0:
        return end - one.line + 1
    return 1 if one.line > 0 else None


def _item(name: str, one: Finding, opened: dict[str, str]) -> Item:
    fields = {**{n: _text(one, n) for n in _IN_VIEW}, **opened}
    file = slashed(one.file)
    return Item(
        id=name,
        title=one.title or name,
        subtitle=f"{file}:{one.line}" if one.line else file,
        fields={key: value for key, value in fields.items() if value},
        file=file,
        line=one.line or None,
        lines=_lines(one),
        text=one.problem,
    )


def _prediction(one: Finding, hidden: dict[str, str], show: tuple[str, ...]) -> Prediction:
    answer: dict[str, object] = {"valid": True, "place": True}
    if one.severity in SEVERITIES:
        answer["severity"] = one.severity
    fields = {name: value for name, value in hidden.items() if value and name not in show}
    return Prediction(answer=answer, fields=fields)


def _snippet(one: Finding) -> Excerpt | None:
    code = _text(one, "code_snippet").rstrip("\n")
    if not code.strip():
        return None
    first, lines = one.line or 1, tuple(code.replace("\r\n", "\n").split("\n"))
    return Excerpt(slashed(one.file), first, lines, (first, first + (_lines(one) or 1) - 1))
