"""Keys that outlive a scan: labels stick to them when lines move."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PLACEHOLDERS = frozenset({"", "0", "none", "null", "requires login", "unknown", "n/a"})
"""Fingerprints that some scanners print when they have none."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What a key can be made of."""

    tool: str
    rule: str
    file: str
    context: str
    """The code of the finding where the report holds it, else the message."""
    correlation: str = ""
    """``correlationGuid``: the same in every scan, by the standard."""
    whole: tuple[tuple[str, str], ...] = ()
    """``fingerprints`` by name."""
    partial: tuple[tuple[str, str], ...] = ()
    """``partialFingerprints`` by name."""

    @property
    def place(self) -> tuple[str, str, str]:
        """Rule, file and context: what makes two findings plainly different."""
        return self.rule, self.file, self.context


def useless(every: Iterable[Traits]) -> set[tuple[str, str]]:
    """Fingerprints, as (name, value), that do not tell findings apart.

    Placeholders, and values of a name that has only this one value in the whole run although the
    findings differ in rule, file or code.
    """
    places: defaultdict[tuple[str, str], set[tuple[str, str, str]]] = defaultdict(set)
    values: defaultdict[str, set[str]] = defaultdict(set)
    for traits in every:
        own = traits.whole + traits.partial
        for name, value in (*own, ("correlationGuid", traits.correlation)):
            places[name, value].add(traits.place)
            values[name].add(value)
    return {
        (name, value)
        for (name, value), where in places.items()
        if value.strip().lower() in PLACEHOLDERS or (len(values[name]) == 1 and len(where) > 1)
    }


def keys(every: Sequence[Traits], same: Sequence[int | None]) -> list[str]:
    """One key for each finding of a run.

    ``correlationGuid``, else ``fingerprints``, else ``partialFingerprints`` with rule and file,
    else rule, file and a hash of the code (or of the message). Two different findings that
    come out equal are numbered in the order of the report.

    Args:
        every: The findings' traits, in the order of the report.
        same: For an exact repeat the index of its first; it shares that one's key.
    """
    dull = useless(every)
    counts: Counter[str] = Counter()
    made: list[str] = []
    for traits, first in zip(every, same, strict=True):
        if first is not None:
            made.append(made[first])
            continue
        key = _key(traits, dull)
        counts[key] += 1
        made.append(key if counts[key] == 1 else f"{key}#{counts[key]}")
    return made


def _key(traits: Traits, dull: set[tuple[str, str]]) -> str:
    if traits.correlation and ("correlationGuid", traits.correlation) not in dull:
        return "guid:" + traits.correlation.lower()
    for kind, named in (("fp", traits.whole), ("pfp", traits.partial)):
        sharp = sorted(pair for pair in named if pair not in dull)
        if sharp:
            where = (traits.tool, traits.rule) + ((traits.file,) if kind == "pfp" else ())
            return f"{kind}:{_hash(*where, *(part for pair in sharp for part in pair))}"
    context = " ".join(traits.context.split())
    return "ctx:" + _hash(traits.tool, traits.rule, traits.file, context)


def _hash(*parts: str) -> str:
    text = "\x1f".join(parts)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
