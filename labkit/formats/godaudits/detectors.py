"""godaudits' detectors.json: a corpus of audits, and where the recorded ones came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from labkit.evaluate.godaudits.audit import evaluate
from labkit.evaluate.godaudits.corpus import Corpus, CorpusCase, aggregate
from labkit.formats import beside, strict_json
from labkit.formats.fields import Fields, anything, listed, one_of, refuse, some_text, text
from labkit.formats.godaudits import audit as audits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

RECORDED_RUNS = "blind-runs.json"
ATTRIBUTION = (
    "model",
    "harness",
    "recording_commit",
    "fixture_commit",
    "engine_version",
    "pack_version",
    "capabilities",
)
"""What a recorded run should say about itself; ``None`` is shown as "not recorded"."""


@dataclass(frozen=True, slots=True)
class Detectors:
    """An evaluated corpus with its scope and the attribution of its recorded runs."""

    corpus: Corpus
    audits: Mapping[str, str]
    """The audit's path, as the file names it, by case."""
    scope: str
    attribution: Mapping[str, Any]
    note: str
    source: str | None
    """The file that the attribution came from."""


def _case(value: Any, place: str, source: Path) -> tuple[CorpusCase, str]:
    fields = Fields(value, place)
    name = fields.take("name", some_text)
    provenance = cast("Any", fields.take("provenance", one_of("authored", "recorded")))
    named = fields.take("audit", some_text)
    expected = audits.build_expected(fields.take("expected", anything), f"{place}: expected")
    path = beside.find(named, source)
    if path is None:
        raise refuse(place, f"no audit {named!r} beside the file or in the folders above.")
    return CorpusCase(name, provenance, expected, evaluate(audits.read(path), expected)), named


def _attribution(source: Path) -> tuple[dict[str, Any], str, str | None]:
    absent: dict[str, Any] = dict.fromkeys(ATTRIBUTION)
    path = beside.find(RECORDED_RUNS, source)
    if path is None:
        return absent, "", None
    fields = Fields(strict_json.read(path), str(path))
    given = fields.take("attribution", anything, None)
    found = dict(given) if isinstance(given, dict) else {}
    note = found.pop("note", "")
    return {**absent, **found}, note if isinstance(note, str) else "", path.name


def read(path: Path) -> Detectors:
    """A corpus from a file; audits and ``blind-runs.json`` are looked for beside it and above.

    Raises:
        InputError: A provenance that is neither authored nor recorded, a name that stands twice,
            or an audit that is not there or cannot be read.
    """
    source = str(path)
    fields = Fields(strict_json.read(path), source)

    def one(value: Any, place: str) -> tuple[CorpusCase, str]:
        return _case(value, place, path)

    cases = fields.take("cases", listed(one))
    if not cases:
        raise refuse(source, "the corpus holds no case.")
    names = [case.name for case, _ in cases]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise refuse(source, f"the case {twice!r} stands twice.")
    attribution, note, origin = _attribution(path)
    return Detectors(
        aggregate([case for case, _ in cases]),
        {case.name: named for case, named in cases},
        fields.take("scope", text, ""),
        attribution,
        note,
        origin,
    )
