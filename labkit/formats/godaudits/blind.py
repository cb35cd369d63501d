"""godaudits' seeded-ground-truth.json and blind-runs.json."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labkit.evaluate.godaudits.blind import Blind, BlindRun, Seed
from labkit.formats import strict_json
from labkit.formats.fields import Fields, anything, flag, listed, mapping, refuse, some_text, text
from labkit.formats.godaudits.runs import build_output

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class BlindRuns:
    """The runs with their attribution."""

    blind: Blind
    attribution: Mapping[str, Any]


def _seed(value: Any, place: str) -> Seed:
    fields = Fields(value, place)
    repo, seeded = fields.take("repo", some_text), fields.take("seeded", flag)
    if not seeded:
        return Seed(repo, seeded=False)
    path, severity = fields.take("path", some_text), fields.take("severity", text)
    return Seed(repo, seeded=True, path=path, severity=severity)


def read(gold: Path, path: Path) -> BlindRuns:
    """Blind runs against the repositories they saw.

    Raises:
        InputError: A run of a repository that was never seeded, or the same one twice.
    """
    seeds = Fields(strict_json.read(gold), str(gold)).take("repos", listed(_seed))
    by_repo = {seed.repo: seed for seed in seeds}
    fields = Fields(strict_json.read(path), str(path))
    found: dict[str, BlindRun] = {}
    for index, value in enumerate(fields.take("runs", listed(mapping))):
        place = f"{path}: runs[{index}]"
        repo = Fields(value, place).take("repo", some_text)
        if repo not in by_repo:
            raise refuse(place, f"the ground truth has no repository {repo!r}.")
        if repo in found:
            raise refuse(place, f"repository {repo!r} stands twice.")
        found[repo] = BlindRun(by_repo[repo], build_output(value, place))
    if not found:
        raise refuse(str(path), "the file holds no runs.")
    given = fields.take("attribution", anything, None)
    return BlindRuns(Blind(tuple(found.values())), given if isinstance(given, dict) else {})
