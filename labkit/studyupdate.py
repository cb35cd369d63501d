"""Taking a new scan into a study: labels follow stable keys, and nothing changes unseen.

Items that are found again keep their labels, whatever line they moved to. Items that vanished keep
their decisions too, as stale ones. Where the evidence changed, the label stays and a second look
is asked for. The sample becomes the one that the same draw gives on the new items: whoever has a
draw key up to the largest one drawn before is in it, so it is again a simple random sample of its
stratum and can be extended.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from labkit import atomic, scanfile, studyfiles
from labkit import config as study_config
from labkit.errors import InputError
from labkit.model import utc_text
from labkit.parsed import Problem
from labkit.presets import table
from labkit.presets.choosing import preset_of
from labkit.sampling import Drawn, Sample, StratumSize, draw_key, show_key
from labkit.scanfile import Known, Scan
from labkit.store import Store
from labkit.studydraw import arms_for, frame_of
from labkit.studymaking import relative

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from labkit.config import StudyConfig
    from labkit.model import Decision
    from labkit.presets.material import Material
    from labkit.store import ItemRow, StudyRow

_NUMBERED = re.compile(r"^((?:guid|fp|pfp|ctx):[^#]*)(?:#\d+)?$")
"""Stable keys that number findings which look alike."""


@dataclass(frozen=True, slots=True)
class Updated:
    """What a new scan did to a study."""

    items: int
    """Items in the new scan."""
    kept: int
    """Items that were there before."""
    moved: int
    """Of those, how many have another id now."""
    new: tuple[str, ...]
    gone: tuple[str, ...]
    """Items with decisions that the new scan does not have, by the id they have now."""
    back: tuple[str, ...]
    """Items that had gone and are there again; their labels stand again."""
    changed: tuple[str, ...]
    """Labelled items to look at a second time."""
    sampled: int
    drawn_new: int
    left_sample: tuple[str, ...]
    """Labelled items that the new draw does not hold: their labels count as targeted."""
    problems: tuple[Problem, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The form of ``labkit update --format json``."""
        return {
            "schemaVersion": 1,
            "items": self.items,
            "kept": self.kept,
            "moved": self.moved,
            "new": list(self.new),
            "gone": list(self.gone),
            "back": list(self.back),
            "changed": list(self.changed),
            "sampled": self.sampled,
            "drawnNew": self.drawn_new,
            "leftSample": list(self.left_sample),
            "problems": [problem.as_dict() for problem in self.problems],
        }


def update(folder: Path, predictions: Path, *, at: datetime) -> Updated:
    """Take a new scan into a study.

    Args:
        folder: The study.
        predictions: The new predictions file; it may be the old one's name with new content.
        at: When, for the record.

    Raises:
        InputError: No study, the file is of another kind or unreadable, or nothing in it was
            answered by the AI.
    """
    folder, config = studyfiles.configured(folder)
    found_task = preset_of(predictions)
    if found_task not in {config.task, table.NAME}:
        raise InputError(
            f"{predictions}: this is for task {found_task!r}, and the study's task is "
            f"{config.task!r}; make a study of its own with labkit init."
        )
    new_config = replace(config, predictions=relative(predictions, folder))
    material = studyfiles.load(predictions, new_config, folder)
    if not material.predictions:
        raise InputError(f"{predictions}: no row has an AI answer, so nothing is taken over.")
    store = Store.open(studyfiles.store_url(folder, config))
    try:
        row = studyfiles.study_row(store, folder)
        digest = studyfiles.digest_of(predictions)
        after = scanfile.of(material, digest)
        before, after = _scans(folder, row, store.items(row), config, after)
        taking = _Taking(before, after, store.decisions(row))
        sample = _drawn(new_config, material, studyfiles.sample_of(row, store.items(row)), taking)
        found = taking.told(sample, material)
        history = _renamed(row.config.get("updates", []), taking.now)
        history.append(_entry(found, store, row, at))
        settings = {**row.config, **studyfiles.settings_of(sample, digest), "updates": history}
        before_arms = studyfiles.arms_of(store.items(row))
        arms = {taking.now.get(item, item): arm for item, arm in before_arms.items()}
        arms |= arms_for(new_config, material, [i for i in sample.items if i not in arms])
        store.retake(row, settings, taking.now, studyfiles.item_rows(sample, material, arms))
    finally:
        store.close()
    whole = scanfile.of(material, digest).items
    keyed = {i: replace(one, key=whole[i].key) for i, one in taking.scan.items.items()}
    scanfile.write(folder, replace(taking.scan, items=keyed))
    path = folder / study_config.FILE_NAME
    text = path.read_text(encoding="utf-8")
    text = study_config.with_value(text, "predictions", new_config.predictions)
    if config.sample is not None:
        text = study_config.with_value(text, "sample", max(1, len(sample.drawn)))
    atomic.write_text(path, text)
    return found


def _scans(
    folder: Path, row: StudyRow, items: Sequence[ItemRow], config: StudyConfig, after: Scan
) -> tuple[Scan, Scan]:
    """The scan that the study holds now, and the new one in the same terms.

    From scan.json; without it from the old predictions, where they are unchanged; else from the
    store, with ids for keys, which is refused where ids are mere numbers.
    """
    drawn_from = row.config.get("predictionsSha256")
    scan = scanfile.read(folder)
    if scan is not None and scan.digest == drawn_from:
        return scan, after
    old = studyfiles.beside(folder, config.predictions)
    if old.is_file() and studyfiles.digest_of(old) == drawn_from:
        return scanfile.of(studyfiles.load(old, config, folder), str(drawn_from)), after
    if any(_NUMBERED.match(one.key) for one in after.items.values()):
        raise InputError(
            f"{folder / scanfile.FILE_NAME}: missing or of another scan, so findings cannot be "
            "told apart; bring it back, or make a new study."
        )
    before = {i.key: Known(i.key, i.content_sha256 or "", i.key) for i in items}
    by_id = {item: replace(one, key=item) for item, one in after.items.items()}
    return Scan(before), replace(after, items=by_id)


class _Taking:
    """The old scan held against the new one."""

    def __init__(self, before: Scan, after: Scan, decisions: Sequence[Decision]) -> None:
        self.before, self.after = before, after
        self.decided = {decision.item for decision in decisions}
        known = {**before.gone, **before.items}
        by_key = {one.key: item for item, one in after.items.items()}
        self.now: dict[str, str] = {}
        """By old id the new one."""
        gone: dict[str, Known] = {}
        taken = set(after.items)
        for item, one in known.items():
            found = by_key.get(one.key)
            if found is not None:
                self.now[item] = found
            elif item in self.decided:
                self.now[item] = _free(item, taken)
                taken.add(self.now[item])
                gone[self.now[item]] = one
            elif item in taken:
                self.now[item] = _free(item, taken)
                taken.add(self.now[item])
        names = {self.now[item]: one.name for item, one in known.items() if item in self.now}
        used = {one.name for one in known.values()}
        self.scan = replace(
            after,
            gone=gone,
            items={
                item: replace(one, name=names.get(item) or _free(item, used))
                for item, one in after.items.items()
            },
        )

    def name(self, item: str) -> str:
        return self.scan.items[item].name or item

    def _alike(self) -> set[str]:
        """Keys of findings that look alike and are another number now than before."""
        counts = [
            Counter(m.group(1) for one in scan.items.values() if (m := _NUMBERED.match(one.key)))
            for scan in (self.before, self.after)
        ]
        several = {key for key in counts[0] if counts[0][key] > 1 or counts[1][key] > 1}
        return {key for key in several if counts[0][key] != counts[1][key]}

    def changed(self) -> set[str]:
        """Items found again whose evidence is another one, or that cannot be told apart surely."""
        alike = self._alike()
        found = set()
        for item, one in {**self.before.gone, **self.before.items}.items():
            again = self.after.items.get(self.now.get(item, ""))
            if again is None:
                continue
            base = _NUMBERED.match(one.key)
            unsure = base is not None and base.group(1) in alike
            other = bool(one.content and again.content and one.content != again.content)
            if unsure or other or item in self.before.gone:
                found.add(self.now[item])
        return found

    def told(self, sample: Sample, material: Material) -> Updated:
        """What is to be said about it."""
        before, after = self.before.items, self.after.items
        kept = {item: self.now[item] for item in before if self.now.get(item) in after}
        decided = {self.now.get(item, item) for item in self.decided}
        drawn = set(sample.items)
        return Updated(
            items=len(after),
            kept=len(kept),
            moved=sum(old != new for old, new in kept.items()),
            new=tuple(item for item in after if item not in set(self.now.values())),
            gone=tuple(sorted(self.scan.gone)),
            back=tuple(sorted(self.now[i] for i in self.before.gone if self.now.get(i) in after)),
            changed=tuple(sorted(self.changed() & decided)),
            sampled=len(drawn),
            drawn_new=len(drawn - set(kept.values())),
            left_sample=tuple(sorted((decided & set(after)) - drawn)),
            problems=(*material.problems, *self._options(material)),
        )

    def _options(self, material: Material) -> list[Problem]:
        """Labels and tags that came or went."""
        found = []
        for question in material.task.questions:
            old = set(self.before.options.get(question.name, question.options))
            for what, names in (
                ("no longer on offer", old - set(question.options)),
                ("new on offer", set(question.options) - old),
            ):
                if names:
                    listed = ", ".join(repr(name) for name in sorted(names)[:12])
                    message = f"question {question.name!r}: {what}: {listed}."
                    found.append(Problem(study_config.FILE_NAME, None, message, "warning"))
        return found


def _free(item: str, taken: set[str]) -> str:
    """The id itself, or with a number where another item has it."""
    number, free = 1, item
    while free in taken:
        number += 1
        free = f"{item} (earlier {number - 1})"
    return free


def _drawn(config: StudyConfig, material: Material, before: Sample, taking: _Taking) -> Sample:
    """The same draw on the new items: in each stratum every draw key up to the largest drawn."""
    seed = before.seed
    old = {**taking.before.gone, **taking.before.items}
    limits: dict[str, str] = {}
    for unit in before.drawn:
        known = old.get(unit.item)
        key = draw_key((known.name if known else "") or unit.item, seed)
        limits[unit.stratum] = max(limits.get(unit.stratum, ""), key)
    for size in before.strata:
        if size.drawn == size.population:
            limits[size.name] = "g"  # behind every hexadecimal number: all are drawn
    frame = frame_of(config, material)
    members: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for item, stratum in frame.items():
        members[stratum].append((draw_key(taking.name(item), seed), item))
    widest = max(limits.values(), default="")
    batches = {taking.now.get(u.item, u.item): u.batch for u in before.drawn}
    last = 1 + max(batches.values(), default=-1)
    units: list[Drawn] = []
    sizes: list[StratumSize] = []
    for stratum, pairs in sorted(members.items()):
        limit = limits.get(stratum, widest)
        inside = sorted(pair for pair in pairs if pair[0] <= limit)
        chance = len(inside) / len(pairs)
        units += [
            Drawn(item, stratum, chance, rank, batches.get(item, last))
            for rank, (_, item) in enumerate(inside, start=1)
        ]
        sizes.append(StratumSize(stratum, len(pairs), len(inside)))
    units.sort(key=lambda u: (u.batch, show_key(taking.name(u.item), seed), u.item))
    return Sample(before.design, seed, tuple(units), tuple(sizes))


def _entry(found: Updated, store: Store, row: StudyRow, at: datetime) -> dict[str, Any]:
    """One line of the study's history of scans."""
    return {
        "at": utc_text(at),
        "seq": store.last_seq(row),
        "changed": list(found.changed),
        "gone": list(found.gone),
        "back": list(found.back),
        "new": len(found.new),
    }


def _renamed(history: Sequence[Mapping[str, Any]], now: Mapping[str, str]) -> list[dict[str, Any]]:
    """The history with the ids that items have now."""
    listed = ("changed", "gone", "back")
    return [
        {**entry, **{name: [now.get(i, i) for i in entry.get(name, ())] for name in listed}}
        for entry in history
    ]
