"""Which entry holds for a method, as a label and on apply: two rules for one file.

As a label, an entry that decides nothing is left out before resolution. On apply, MethodAtlas
replaces whole entries: a method entry with a note only hides its class entry completely.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from labkit.metrics.tags import normalised
from labkit.parsed import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from labkit.formats.methodatlas import ScanRecord
    from labkit.overrides.parse import Entry, Overrides


@dataclass(frozen=True, slots=True)
class Label:
    """What an entry says about a method; ``None`` is not decided."""

    relevant: bool | None
    tags: frozenset[str] | None
    """Normalised; the empty set says that no tag applies."""
    entry: Entry


def label_of(entry: Entry) -> Label | None:
    """The label of an entry, or ``None`` for one with only a note, reason or display name.

    ``false`` without tags says that no tag applies; ``true`` without tags leaves them open.
    """
    if not entry.is_label:
        return None
    tags = None if entry.tags is None else normalised(entry.tags)
    if tags is None and entry.security_relevant is False:
        tags = frozenset()
    return Label(entry.security_relevant, tags, entry)


@dataclass(frozen=True, slots=True)
class Resolution:
    """Entries by what they hold for; the last of a key wins."""

    classes: Mapping[str, Entry]
    methods: Mapping[tuple[str, str], Entry]
    problems: tuple[Problem, ...] = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every entry that was not superseded, in file order."""
        kept = (*self.classes.values(), *self.methods.values())
        return tuple(sorted(kept, key=lambda entry: entry.line))

    def entry(self, fqcn: str, method: str) -> Entry | None:
        """The entry of the method itself, else of its class, else none."""
        return self.methods.get((fqcn, method)) or self.classes.get(fqcn)

    def label(self, fqcn: str, method: str) -> Label | None:
        """The label that holds for a method."""
        entry = self.entry(fqcn, method)
        return None if entry is None else label_of(entry)


def _last(entries: Iterable[Entry], source: str) -> Resolution:
    classes: dict[str, Entry] = {}
    methods: dict[tuple[str, str], Entry] = {}
    problems = []
    for entry in entries:
        if entry.method is None:
            earlier = classes.get(entry.fqcn)
            classes[entry.fqcn] = entry
        else:
            earlier = methods.get((entry.fqcn, entry.method))
            methods[entry.fqcn, entry.method] = entry
        if earlier is not None:
            message = (
                f"{entry.key!r} is decided again on line {entry.line}; this entry is superseded."
            )
            problems.append(Problem(source, earlier.line, message, "warning"))
    return Resolution(classes, methods, tuple(problems))


def resolve(overrides: Overrides) -> Resolution:
    """Resolution for evaluation: entries that decide nothing are left out first, each with a note.

    Source: MethodAtlas, "AI Accuracy Evaluation": method before class, the last duplicate wins,
    entries with only a note, reason or display name are ignored.
    """
    labels = [entry for entry in overrides.entries if entry.is_label]
    found = _last(labels, overrides.source)
    notes = []
    for entry in overrides.entries:
        if not entry.is_label:
            hides = entry.method is not None and entry.fqcn in found.classes
            effect = ", but MethodAtlas lets it hide the class entry on apply" if hides else ""
            message = f"{entry.key!r} decides nothing and is no label{effect}."
            notes.append(Problem(overrides.source, entry.line, message, "note"))
    problems = sorted([*found.problems, *notes], key=lambda problem: problem.line or 0)
    return Resolution(found.classes, found.methods, tuple(problems))


def effective(overrides: Overrides) -> Resolution:
    """Resolution on apply: whole entries, whatever they say; the last of a key wins."""
    return _last(overrides.entries, overrides.source)


def apply(record: ScanRecord, entry: Entry | None) -> ScanRecord:
    """The record as MethodAtlas emits it with an override: the entry's values, else the AI's.

    The confidence becomes 1 or 0 by the resulting relevance. ``false`` without tags keeps the
    AI's tags here, though as a label it says that no tag applies.
    """
    if entry is None:
        return record
    relevant = entry.security_relevant
    if relevant is None:
        relevant = bool(record.ai_security_relevant)
    tags = record.ai_tags or () if entry.tags is None else entry.tags
    name = record.ai_display_name if entry.display_name is None else entry.display_name
    return replace(
        record,
        ai_security_relevant=relevant,
        ai_tags=tags,
        ai_display_name=name,
        ai_reason=record.ai_reason if entry.reason is None else entry.reason,
        ai_confidence=1.0 if relevant else 0.0,
        ai_interaction_score=record.ai_interaction_score or 0.0,
    )
