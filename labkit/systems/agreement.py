"""Agreement between reviewers, from files or from a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.evaluate.agreement import Repeat, evaluate
from labkit.formats import ratings
from labkit.formats.ratings import Rated
from labkit.metrics.agreement import Rating, pair_agreement
from labkit.reports.agreement import report

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from labkit.formats.labels import Which
    from labkit.labels import Repeated
    from labkit.model import Answer
    from labkit.parsed import Problem
    from labkit.reports import Report

_FIRST_OF = ("relevant", "valid")


def agree(
    paths: Sequence[Path], *, which: Which = "first", order: Sequence[str] | None = None
) -> Report:
    """Compare reviewers.

    Args:
        paths: Files of answers, or one study.
        which: The first answers, or the final ones.
        order: The labels from low to high, where their own names do not say so.

    Raises:
        InputError: A file is missing or not to be trusted, or one reviewer answers an item twice.
    """
    studies = [path for path in paths if _is_study(path)]
    if studies and len(paths) > 1:
        raise InputError.at(str(studies[0]), None, "a study is compared alone; name no other file.")
    if studies:
        return _of_study(studies[0], which, order)
    rated: list[Rated] = []
    problems: list[Problem] = []
    seen: dict[tuple[str, str], str] = {}
    for path in paths:
        found = ratings.read(path, which=which)
        problems += found.problems
        for one in found.values:
            key = (one.item, one.reviewer)
            if key in seen:
                raise InputError.at(
                    str(path),
                    one.line,
                    f"{one.item!r} is answered by {one.reviewer} in {seen[key]} too; keep one of "
                    "the two.",
                )
            seen[key] = path.name
        rated += found.values
    return report(evaluate(rated, order=order), problems=problems)


def _is_study(path: Path) -> bool:
    return path.name == "study.yaml" or path.is_dir()


def _of_study(path: Path, which: Which, order: Sequence[str] | None) -> Report:
    from labkit import numbers  # noqa: PLC0415  # files need no study
    from labkit.labels import IMPORTED  # noqa: PLC0415  # as above
    from labkit.study import Study  # noqa: PLC0415  # as above

    with Study.open(path.parent if path.name == "study.yaml" else path) as study:
        labels = study.labels(answer="any")
        rated = [
            one
            for label in labels
            if label.reviewer != IMPORTED
            and not label.adjudicated
            and (one := _rated(label.item, label.reviewer, getattr(label, which))) is not None
        ]
        anchoring = numbers.anchored(study.frames, labels)
        found = evaluate(
            rated,
            order=order,
            repeats=_repeats(study.repeated()),
            anchoring=None if anchoring is None else anchoring.as_dict(),
        )
        sentence = "" if anchoring is None else anchoring.sentence()
        return report(found, problems=study.problems, sentence=sentence)


def _repeats(answers: Iterable[Repeated]) -> tuple[Repeat, ...]:
    """Each reviewer against the answers that the same reviewer gave again."""
    pairs: dict[tuple[str, str], list[tuple[Rating, Rating]]] = {}
    for one in answers:
        kind = "intra-rater, after reveal" if one.revealed else "intra-rater"
        before, after = (_rated(one.item, one.reviewer, a) for a in (one.first, one.again))
        if before is not None and after is not None:
            given = (_main(before), _main(after))
            pairs.setdefault((one.reviewer, kind), []).append(given)
    return tuple(
        Repeat(reviewer, found.n, found.percent, found.kappa, kind)
        for (reviewer, kind), rows in sorted(pairs.items())
        for found in (pair_agreement(reviewer, reviewer, rows),)
    )


def _main(rated: Rated) -> Rating:
    return rated.label if rated.label is not None else rated.tags


def _rated(item: str, reviewer: str, answer: Answer | None) -> Rated | None:
    """An answer by question as label and tags; ``None`` for unsure."""
    if answer is None:
        return None
    names = [name for name in answer if name != "tags"]
    name = next((name for name in _FIRST_OF if name in answer), None)
    if name is None and names:
        name = names[0]
    given = answer.get("tags")
    tags = frozenset(map(str, given)) if isinstance(given, (tuple, list)) else None
    label = None if name is None else _text(answer[name])
    return None if label is None and tags is None else Rated(item, reviewer, label, tags)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
