"""Verdicts written back into a SARIF file: a false positive becomes a suppression.

Only the results that were judged change; every other byte of the file stays as it was.
"""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.formats import jsontext
from labkit.formats.sarif.reading import report
from labkit.formats.sarif.shape import record, rows, text

if TYPE_CHECKING:
    from collections.abc import Mapping

BAG = "labkit"
"""Our name in the property bags of results and suppressions."""
_INDENT = re.compile(r"\n([ \t]+)\S")
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://docs.oasis-open.org/sarif/sarif/v2.1.0/")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What people decided about one finding."""

    valid: bool
    justification: str = ""
    """Reason and provenance, in words; stands in the suppression of a false positive."""
    severity: str = ""
    """The reviewer's word for the gravity; empty where it was not asked."""
    place: bool | None = None
    """Whether the finding points at the right place; ``None`` where it was not asked."""

    def as_properties(self) -> dict[str, Any]:
        """The form in a property bag, from which ``judgements`` reads it back."""
        bag: dict[str, Any] = {"valid": self.valid}
        if self.severity:
            bag["severity"] = self.severity
        if self.place is not None:
            bag["rightPlace"] = self.place
        if self.justification:
            bag["justification"] = self.justification
        return bag


def render(original: str, judged: Mapping[str, Judgement], source: str = "<text>") -> str:
    r"""Put verdicts into the text of a SARIF file.

    A finding that is not valid gets an accepted suppression of kind ``external`` with the
    justification; suppressions by others stay. A valid one loses a suppression that labkit
    wrote before. Exact repeats of a finding share its verdict. All verdicts stand in the
    result's property bag too, so that they can be read back.

    Args:
        original: The SARIF text the findings came from.
        judged: Verdicts by finding id, ``run/index``.
        source: The file's name, for error sentences.

    Raises:
        InputError: The text is not SARIF, or has no finding of such an id.

    >>> log = '{"version": "2.1.0", "runs": [{"results": [{"message": {"text": "m"}}]}]}'
    >>> "suppressions" in render(log, {"0/0": Judgement(valid=False)})
    True
    """
    findings = report(original, source).findings
    unknown = sorted(set(judged) - {finding.id for finding in findings})
    if unknown:
        raise InputError.at(source, None, f"no finding {unknown[0]!r}; take the file it came from.")
    wanted: dict[int, dict[int, Judgement]] = {}
    for finding in findings:
        judgement = judged.get(finding.same_as or finding.id) or judged.get(finding.id)
        if judgement is not None:
            run, index = map(int, finding.id.split("/"))
            wanted.setdefault(run, {})[index] = judgement
    edits: list[tuple[int, int, str]] = []
    for run, results in wanted.items():
        places = jsontext.spans(original, "runs", run, "results")
        for index, judgement in results.items():
            start, end = places[index]
            result = jsontext.parse(original[start:end], source).value
            edited = _judged(result, judgement, f"{run}/{index}")
            if edited != result:
                edits.append((start, end, _written(edited, original, start, end)))
    made: list[str] = []
    at = 0
    for start, end, part in sorted(edits):
        made += [original[at:start], part]
        at = end
    return "".join((*made, original[at:]))


def judgements(content: str, source: str = "<text>") -> dict[str, Judgement]:
    """The verdicts that labkit wrote into a SARIF text, by finding id.

    Raises:
        InputError: The text is not SARIF 2.1.0.
    """
    found: dict[str, Judgement] = {}
    document = jsontext.parse(content, source)
    for run, part in enumerate(rows(record(document.value).get("runs"))):
        for index, result in enumerate(rows(record(part).get("results"))):
            bag = record(record(record(result).get("properties")).get(BAG))
            place = bag.get("rightPlace")
            if isinstance(bag.get("valid"), bool):
                found[f"{run}/{index}"] = Judgement(
                    valid=bag["valid"],
                    justification=text(bag.get("justification")),
                    severity=text(bag.get("severity")),
                    place=place if isinstance(place, bool) else None,
                )
    return found


def _judged(result: dict[str, Any], judgement: Judgement, identity: str) -> dict[str, Any]:
    """The result with our suppression in, changed or out, and our properties in."""
    edited = dict(result)
    others = [entry for entry in rows(result.get("suppressions")) if not _is_ours(entry)]
    ours = len(others) < len(rows(result.get("suppressions")))
    if not judgement.valid:
        suppression: dict[str, Any] = {
            "guid": str(uuid.uuid5(_NAMESPACE, f"{identity} {judgement.justification}")),
            "kind": "external",
            "status": "accepted",
        }
        if judgement.justification:
            suppression["justification"] = judgement.justification
        suppression["properties"] = {"tags": [BAG]}
        edited["suppressions"] = [*others, suppression]
    elif ours:
        edited["suppressions"] = others
    properties = dict(record(result.get("properties")))
    properties[BAG] = judgement.as_properties()
    edited["properties"] = properties
    return edited


def _is_ours(suppression: Any) -> bool:
    return BAG in rows(record(record(suppression).get("properties")).get("tags"))


def _written(result: dict[str, Any], original: str, start: int, end: int) -> str:
    """JSON in the manner of the text around it: its indent, its line ends, or all on one line."""
    before = original[start:end]
    if "\n" not in before:
        tight = '": ' not in before
        return json.dumps(result, ensure_ascii=False, separators=(",", ":") if tight else None)
    line = original[original.rfind("\n", 0, start) + 1 : start]
    margin = line[: len(line) - len(line.lstrip())]
    inner = _INDENT.search(before)
    step = inner.group(1).removeprefix(margin) if inner else "  "
    made = json.dumps(result, ensure_ascii=False, indent=step or "  ")
    ending = "\r\n" if "\r\n" in before else "\n"
    return made.replace("\n", ending + margin)
