"""SARIF 2.1.0 read into findings: every run, every result, and a word on what is odd."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.formats import jsontext
from labkit.formats.sarif.finding import Finding, Run, Spot, Verdict
from labkit.formats.sarif.keys import Traits, keys
from labkit.formats.sarif.places import Paths
from labkit.formats.sarif.rules import Rules, described
from labkit.formats.sarif.shape import number, record, rows, text, whole
from labkit.parsed import Parsed, Problem
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from labkit.parsed import Severity

WORDS = (
    "confidence",
    "precision",
    "security-severity",
    "problem.severity",
    "issue_confidence",
    "issue_severity",
    "severity",
    "likelihood",
    "impact",
)
"""Properties of a result or its rule that speak of confidence or gravity in words."""
NUMBERS = ("confidence", "aiConfidence", "ai_confidence")
"""Properties that are taken as a confidence where they are a number from 0 to 1."""
BASELINES = frozenset({"new", "unchanged", "updated", "absent"})


@dataclass(frozen=True, slots=True)
class Report:
    """A whole SARIF file."""

    findings: tuple[Finding, ...]
    runs: tuple[Run, ...]
    problems: tuple[Problem, ...]


def parse(content: str, source: str = "<text>") -> Parsed[Finding]:
    """Read every result of every run.

    A result that is not an object is left out and reported; all else is read as far as it goes.

    Raises:
        InputError: The text is not JSON, or not SARIF 2.1.0.

    >>> log = '{"version": "2.1.0", "runs": [{"results": [{"ruleId": "R", "message": {}}]}]}'
    >>> found = parse(log).values[0]
    >>> found.id, found.level, found.spot.line
    ('0/0', 'warning', None)
    """
    found = report(content, source)
    return Parsed(found.findings, found.problems)


def read(path: Path) -> Parsed[Finding]:
    """Read a SARIF file; see ``parse``."""
    return parse(read_text(path), str(path))


def is_sarif(content: str) -> bool:
    """Whether a text is a SARIF log, readable or not in all its parts.

    >>> is_sarif('{"version": "2.1.0", "runs": []}'), is_sarif("id,label")
    (True, False)
    """
    if content.lstrip()[:1] != "{":
        return False
    try:
        value = jsontext.parse(content).value
    except InputError:
        return False
    return isinstance(value, dict) and "runs" in value and bool({"version", "$schema"} & set(value))


def report(content: str, source: str = "<text>") -> Report:
    """Read a SARIF text with its runs: see ``parse``."""
    document = jsontext.parse(content, source)
    runs, problems = _runs(document, source)
    findings: list[Finding] = []
    summaries: list[Run] = []
    for index, run in enumerate(runs):
        reading = _Reading(index, record(run), source)
        if not isinstance(run, dict):
            reading.say(None, f"run {index} is not an object; it is left out.", "error")
        found = reading.findings()
        findings.extend(found)
        summaries.append(reading.summary)
        problems.extend(_placed(reading.problems, document.text, index))
    return Report(tuple(findings), tuple(summaries), tuple(problems))


def _runs(document: jsontext.Document, source: str) -> tuple[list[Any], list[Problem]]:
    root = document.value
    if not isinstance(root, dict) or not {"runs", "version"} & root.keys():
        raise InputError.at(source, None, "not SARIF: no object with 'version' and 'runs'.")
    version = root.get("version")
    problems = [
        Problem(source, None, f"key {key!r} stands twice in an object; the last counts.", "warning")
        for key in document.repeated[:20]
    ]
    if version is None:
        problems.append(Problem(source, None, "no 'version'; read as SARIF 2.1.0.", "warning"))
    elif not text(version).startswith("2.1"):
        raise InputError.at(
            source, None, f"SARIF version {version!r} is not read; convert it to 2.1.0."
        )
    runs = root.get("runs")
    if runs is None:
        problems.append(Problem(source, None, "no 'runs'; nothing was reported.", "warning"))
        return [], problems
    if not isinstance(runs, list):
        raise InputError.at(source, None, "'runs' is not a list; this is not valid SARIF.")
    if not runs:
        problems.append(Problem(source, None, "no runs: no tool reported anything.", "note"))
    return runs, problems


def _placed(
    found: Iterable[tuple[int | None, Problem]], content: str, run: int
) -> Iterable[Problem]:
    """Give the line of its result to each problem that belongs to one."""
    starts: list[tuple[int, int]] | None = None
    for index, problem in found:
        if index is None:
            yield problem
            continue
        if starts is None:
            starts = jsontext.spans(content, "runs", run, "results")
        line = content.count("\n", 0, starts[index][0]) + 1 if index < len(starts) else None
        yield replace(problem, line=line)


class _Reading:
    """Reads one run; what is odd is kept with the index of its result."""

    def __init__(self, index: int, run: dict[str, Any], source: str) -> None:
        self.index, self.run, self.source = index, run, source
        self.rules, self.paths = Rules(run), Paths(run)
        self.problems: list[tuple[int | None, Problem]] = []
        driver = record(record(run.get("tool")).get("driver"))
        self.tool = text(driver.get("name")) or f"run {index}"
        self.version = text(driver.get("semanticVersion")) or text(driver.get("version"))
        self.summary = Run(self.tool, self.version, None)

    def say(self, result: int | None, message: str, severity: Severity) -> None:
        self.problems.append((result, Problem(self.source, None, message, severity)))

    def findings(self) -> list[Finding]:
        results = self.run.get("results")
        if results is None:
            self.say(
                None, f"{self.tool!r} reported no results at all, which is not 'clean'.", "warning"
            )
            return []
        if not isinstance(results, list):
            self.say(None, f"{self.tool!r}: 'results' is not a list; it is left out.", "error")
            return []
        self.summary = Run(self.tool, self.version, len(results))
        if not results:
            self.say(None, f"{self.tool!r} reports no findings: clean.", "note")
        read = [(i, r) for i, r in enumerate(results) if isinstance(r, dict)]
        for index in sorted(set(range(len(results))) - {i for i, _ in read}):
            self.say(index, "this result is not an object; it is left out.", "error")
        first = self._repeats([result for _, result in read])
        found = [self._finding(index, result) for index, result in read]
        made = keys([self._traits(f, r) for f, (_, r) in zip(found, read, strict=True)], first)
        return [
            replace(f, key=key, same_as=found[same].id if same is not None else "")
            for f, key, same in zip(found, made, first, strict=True)
        ]

    def _repeats(self, results: list[dict[str, Any]]) -> list[int | None]:
        """For each result the index of the identical one before it."""
        seen: dict[str, int] = {}
        first: list[int | None] = []
        for index, result in enumerate(results):
            bare = {key: value for key, value in result.items() if key != "guid"}
            same = seen.setdefault(json.dumps(bare, sort_keys=True), index)
            first.append(None if same == index else same)
        repeats = sum(same is not None for same in first)
        if repeats:
            self.say(
                None,
                f"{self.tool!r}: {repeats} result(s) repeat another one exactly; asked once.",
                "note",
            )
        return first

    def _finding(self, index: int, result: dict[str, Any]) -> Finding:
        rule_id, rule, agrees = self.rules.find(result)
        if not agrees:
            self.say(index, f"ruleIndex and rule {rule_id!r} differ; the id counts.", "warning")
        spots = [self.paths.spot(place) for place in rows(result.get("locations"))]
        related = [self.paths.spot(place) for place in rows(result.get("relatedLocations"))]
        kind, level = text(result.get("kind")) or "fail", self.rules.level(result, rule)
        if kind != "fail" and level != "none":
            self.say(index, f"kind {kind!r} with level {level!r}; read as written.", "warning")
        name, explanation = described(rule)
        suppressions = result.get("suppressions")
        verdicts = tuple(_verdict(entry) for entry in rows(suppressions))
        properties = record(result.get("properties"))
        baseline = text(result.get("baselineState"))
        self._check_lines(index, result)
        return Finding(
            id=f"{self.index}/{index}",
            key="",
            tool=self.tool,
            rule=rule_id,
            message=self.rules.message(result.get("message"), rule, result),
            level=level,
            kind=kind,
            spot=spots[0] if spots else Spot(),
            others=tuple(spots[1:]),
            related=tuple(related),
            rule_name=name,
            rule_help=explanation,
            rank=number(result.get("rank")),
            confidence=_confidence(properties),
            words=_words(record(rule.get("properties")), properties),
            verdicts=verdicts,
            suppressed=_suppressed(verdicts) if isinstance(suppressions, list) else None,
            baseline=baseline if baseline in BASELINES else "",
        )

    def _check_lines(self, index: int, result: dict[str, Any]) -> None:
        for place in rows(result.get("locations")):
            region = record(record(record(place).get("physicalLocation")).get("region"))
            line = region.get("startLine")
            if line is not None and whole(line, 1) is None:
                self.say(index, f"startLine {line!r} is no line; shown without one.", "warning")

    def _traits(self, finding: Finding, result: dict[str, Any]) -> Traits:
        places = rows(result.get("locations"))
        physical = record(record(places[0] if places else None).get("physicalLocation"))
        code = text(record(record(physical.get("region")).get("snippet")).get("text"))
        return Traits(
            tool=finding.tool,
            rule=finding.rule,
            file=finding.spot.file or finding.spot.name,
            context=code if code.strip() else finding.message,
            correlation=text(result.get("correlationGuid")),
            whole=_texts(result.get("fingerprints")),
            partial=_texts(result.get("partialFingerprints")),
        )


def _texts(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((name, text(part)) for name, part in sorted(record(value).items()))


def _verdict(entry: Any) -> Verdict:
    said = record(entry)
    return Verdict(
        kind=text(said.get("kind")),
        status=text(said.get("status")) or "accepted",
        justification=text(said.get("justification")),
    )


def _suppressed(verdicts: tuple[Verdict, ...]) -> bool:
    """Whether the suppressions hold: at least one, none rejected or under review (3.27.23)."""
    return bool(verdicts) and all(verdict.status == "accepted" for verdict in verdicts)


def _confidence(properties: dict[str, Any]) -> float | None:
    for name in NUMBERS:
        value = number(properties.get(name))
        if value is not None and 0 <= value <= 1:
            return value
    return None


def _words(*bags: dict[str, Any]) -> Mapping[str, str]:
    """Words by property; what the result says goes before what its rule says."""
    found: dict[str, str] = {}
    for bag in bags:
        for name in WORDS:
            value = text(bag.get(name))
            if value and not (name in NUMBERS and _confidence({name: bag.get(name)}) is not None):
                found[name] = value
    return found
