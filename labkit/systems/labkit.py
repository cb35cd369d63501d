"""Labels and predictions of any origin: ``id`` with ``label`` or ``tags``."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from labkit import gates
from labkit.comparison import Unit
from labkit.errors import InputError
from labkit.estimation.recognised import by_name
from labkit.estimation.units import WHOLE, Predicted, complement
from labkit.estimation.warnings import Warn
from labkit.evaluate.labelled import (
    Evaluation,
    Said,
    Truth,
    Wishes,
    anchored,
    coverage,
    evaluate,
    predicted,
    without_population,
)
from labkit.formats import cells, kinds, labels, methodatlas
from labkit.formats.labels import Answer, GoldLabel
from labkit.formats.tables import listed
from labkit.gates import Measured, Values
from labkit.metrics.tags import normalised
from labkit.parsed import Parsed, Problem
from labkit.reports.labelled import report
from labkit.systems import gating
from labkit.systems.reviewers import agreement_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from labkit.estimation.whole import Drawn
    from labkit.reports import Report
    from labkit.systems import Call

OPTIONS = gating.OPTIONS | {"by", "confidence_of", "positive", "sample", "answer", "rename"}
CHECKS_GATES = True
IMPORTED = "(imported)"
_WORDS = {**dict.fromkeys(cells.TRUE, "true"), **dict.fromkeys(cells.FALSE, "false")}
UMBRELLA = "security"
"""The tag of MethodAtlas that every relevant method has."""
_TWO = 2
_FEW = 5
"""So many models or prompts of one run are named; more are no provenance."""


@dataclass(frozen=True, slots=True)
class Gold:
    """One label an item, and what was in the way of it."""

    by_item: Mapping[str, GoldLabel]
    disputed: tuple[str, ...]
    problems: tuple[Problem, ...]


def _one_each(found: Parsed[GoldLabel], source: str) -> Gold:
    """One label an item: reviewers who differ dispute it, a repeated row is superseded."""
    rows: dict[str, dict[str, GoldLabel]] = {}
    problems = list(found.problems)
    for one in found.values:
        own = rows.setdefault(one.item, {})
        if one.reviewer in own:
            message = f"{one.item!r} is labelled again by the same reviewer; the last one counts."
            problems.append(Problem(source, one.line, message, "warning"))
        own[one.reviewer] = one
    by_item, disputed = {}, []
    for item, own in rows.items():
        asked = [one for one in own.values() if one.reviewer != IMPORTED]
        people = [one for one in asked if not one.unsure]
        if len({(one.label, normalised(one.tags)) for one in people}) > 1:
            disputed.append(item)
        else:
            by_item[item] = (people or asked or list(own.values()))[0]
    return Gold(by_item, tuple(disputed), tuple(problems))


def _from_scan(path: Path) -> Parsed[Answer]:
    """MethodAtlas predictions as answers; their confidence is P(relevant)."""
    scan = methodatlas.read(path)
    kept = methodatlas.items(scan)
    answers = []
    for item, r in kept.by_id.items():
        relevant = r.ai_security_relevant
        p = r.ai_confidence
        answers.append(
            Answer(
                item,
                None if relevant is None else str(relevant).lower(),
                r.ai_tags if relevant is not None else None,
                None if p is None or relevant is None else (p if relevant else complement(p)),
                {} if p is None or relevant is None else {"true": p},
                fields={
                    "source_root": r.source_root,
                    "fqcn": r.fqcn,
                    "tags": ", ".join(r.tags),
                    "loc": "" if r.loc is None else str(r.loc),
                    **r.extra,
                },
                line=r.line,
            )
        )
    return Parsed(tuple(answers), (*scan.problems, *kept.problems))


def _answers(path: Path) -> Parsed[Answer]:
    if kinds.of_path(path).name == "methodatlas-predictions":
        return _from_scan(path)
    return labels.read_predictions(path)


def _renamed(found: Parsed[Answer], pairs: Sequence[str]) -> Parsed[Answer]:
    """Predictions with other words for labels: ``Tie=0`` takes ``Tie`` for ``0``.

    Raises:
        InputError: A pair is not ``NAME=OTHER``, or no prediction has the label.
    """
    if not pairs:
        return found
    words: dict[str, str] = {}
    for pair in pairs:
        name, sign, other = pair.partition("=")
        if not sign or not name.strip() or not other.strip():
            raise InputError(f"--rename {pair!r}: write NAME=OTHER, as in Tie=0.")
        words[name.strip()] = other.strip()
    there = {one.label for one in found.values}
    strange = next((name for name in words if name not in there), None)
    if strange is not None:
        known = listed(sorted(label for label in there if label))
        raise InputError(f"--rename: no prediction says {strange!r}; there are {known}.")
    renamed = (replace(o, label=words.get(o.label or "", o.label)) for o in found.values)
    return replace(found, values=tuple(renamed))


def _positive(wanted: str | None, classes: set[str], source: str) -> str | None:
    """The positive of two classes, or ``None`` where there are several.

    Raises:
        InputError: The class that was named does not occur.
    """
    if wanted is not None:
        if wanted not in classes:
            raise InputError.at(
                source, None, f"--positive {wanted!r} is no label; there are {listed(classes)}."
            )
        if len(classes) > _TWO:
            raise InputError.at(
                source, None, f"--positive needs two labels; there are {listed(sorted(classes))}."
            )
        return wanted
    return "true" if classes <= {"true", "false"} else None


def _classes(gold: Mapping[str, GoldLabel], answers: Sequence[Answer]) -> set[str]:
    found = [one.label for one in gold.values()] + [one.label for one in answers]
    return {label for label in found if label}


def _same_words(
    gold: Mapping[str, GoldLabel], answers: Sequence[Answer]
) -> tuple[dict[str, GoldLabel], list[Answer]]:
    """``1``, ``yes``, ``0``, ``no`` as true and false where somebody says true or false."""
    told = _classes(gold, answers)
    lower = {label.lower() for label in told}
    if not (lower & {"true", "false"} and lower <= set(_WORDS)):
        return dict(gold), list(answers)

    def plain(label: str | None) -> str | None:
        return None if label is None else _WORDS[label.lower()]

    return (
        {item: replace(one, label=plain(one.label)) for item, one in gold.items()},
        [replace(one, label=plain(one.label)) for one in answers],
    )


def _drawn(answers: Sequence[Answer], truths: Sequence[Truth], sample: str | None) -> Drawn:
    """How the labels stand for the predictions; a certain draw of everything is a simple one."""
    if sample == "simple":
        return "simple"
    if any(one.stratum for one in answers):
        return "stratified"
    chances = {t.inclusion_probability for t in truths if not t.targeted}
    if None in chances or not chances:
        return "unknown"
    return "simple" if len(chances) == 1 else "unequal"


def _with_chances(gold: Mapping[str, GoldLabel], answers: Sequence[Answer]) -> list[GoldLabel]:
    """Weights as chances of being drawn: all weights together stand for all predictions.

    So a factor that all weights share changes nothing.
    """
    inside = {one.item for one in answers if one.label is not None or one.tags is not None}
    whole = math.fsum(one.weight or 0.0 for one in gold.values() if one.item in inside)
    if not whole:
        return list(gold.values())
    factor = len(inside) / whole
    return [
        one
        if one.weight is None
        else replace(one, inclusion_probability=min(1.0, 1 / (factor * one.weight)))
        for one in gold.values()
    ]


def _recognised(
    said: Sequence[Said],
    gold: Mapping[str, GoldLabel],
    fields: Mapping[str, Mapping[str, str]],
    positive: str | None,
) -> tuple[Said, ...] | None:
    """Predictions in the strata that labels name; ``None`` where they cannot be found again."""
    named = {item: one.stratum for item, one in gold.items() if one.drawn and item in fields}
    if set(named.values()) <= {WHOLE} or "" in named.values():
        return None
    columns = dict.fromkeys(name for own in fields.values() for name in own)
    values: list[Callable[[str], str]] = [
        lambda item, name=name: fields[item].get(name, "").partition(",")[0].strip()  # type: ignore[misc]  # bound now
        for name in columns
    ]
    tags = {one.item: one.tags or frozenset() for one in said}
    values += [
        lambda item: fields[item].get("fqcn", "").rpartition(".")[0],
        lambda item: str(PurePosixPath(fields[item].get("file", "")).parent),
        lambda item: min(tags[item] - {UMBRELLA}, default=""),
    ]
    found = by_name([_unit(one, positive) for one in said], named, values)
    if found is None:
        return None
    return tuple(replace(one, stratum=u.stratum) for one, u in zip(said, found, strict=True))


def _unit(one: Said, positive: str | None) -> Predicted:
    """A prediction; of several classes every answer is a claim."""
    if positive is not None:
        return predicted(one, positive)
    return Predicted(one.item, None if one.label is None else True, confidence=one.confidence)


def _by_basis(truths: Sequence[Truth], gold: Mapping[str, GoldLabel]) -> list[list[Truth]]:
    """Labels of labkit's by basis, the headline's first, as a study's estimates have them.

    Imported ones, and those given after the reveal alone, have no weight beside them. Labels of
    another origin stay together.
    """
    if not all(one.own for one in gold.values()):
        return [list(truths)]
    parts = [[t for t in truths if t.basis == basis] for basis in ("blind", "assisted")]
    return [part for part in parts if part] or [list(truths)]


def _final(part: Sequence[Truth], gold: Mapping[str, GoldLabel]) -> list[Truth]:
    """Final answers of which some were revised are answers after the reveal."""
    revised = any(gold[truth.item].revised for truth in part)
    return [replace(truth, basis="revealed") for truth in part] if revised else list(part)


def _together(said: Sequence[Said], found: Read) -> Evaluation:
    """The rows of each basis, one after the other; all else is of the first."""
    first, *others = [evaluate(said, part, found.wishes) for part in found.parts]
    used = {truth.item for part in found.parts for truth in part}
    aside = sum(truth.item not in used for truth in found.truths)
    warnings = list(first.warnings)
    if aside:
        warnings.append(
            Warn(
                "left-out",
                f"{aside} labels are not in the estimates (weight 0): they were imported, or given "
                "after the AI's answer was shown.",
            )
        )
    return replace(
        first,
        metrics=tuple(row for one in (first, *others) for row in one.metrics),
        coverage=coverage(said, found.truths, found.wishes.disputed),
        anchoring=anchored(said, found.truths),
        warnings=tuple(warnings),
    )


def _basis(one: GoldLabel) -> str:
    return one.basis or "imported"


def _said(one: Answer, *, of_positive: bool, positive: str | None) -> Said:
    confidence, chances = one.confidence, one.probabilities or None
    if of_positive and positive is not None and confidence is not None:
        # kept as it is: 1 - p and back would carry it over the edge of a bin
        chances = {positive: confidence}
        confidence = confidence if one.label == positive else complement(confidence)
    tags = None if one.tags is None else normalised(one.tags)
    return Said(one.item, one.label, tags, confidence, chances, one.stratum or WHOLE)


def _truth(one: GoldLabel) -> Truth:
    return Truth(
        one.item,
        one.label,
        None if one.tags is None else normalised(one.tags),
        _basis(one),
        one.arm,
        one.inclusion_probability,
        targeted=not one.drawn,
        duration_ms=one.duration_ms,
    )


def values(found: Evaluation, threshold: float | None) -> Values:
    """What each gate reads: the metric of that name."""

    def read(*names: str) -> tuple[Measured, ...]:
        rows = [found.named(name) for name in names]
        return tuple(
            Measured(row.name, row.value, row.low, row.high) for row in rows if row is not None
        )

    at = "" if threshold is None else f"@{threshold:g}"
    return Values(
        {
            "min_f1": read("f1", "tags.micro.f1"),
            "min_precision": read("precision"),
            "min_recall": read("recall"),
            "min_accuracy": read("accuracy"),
            "min_macro_f1": read("macro_f1") or read("tags.macro.f1"),
            "max_ece": read("ece"),
            "max_brier": read("brier"),
            "max_nll": read("nll"),
            "min_coverage": read(f"selective_coverage{at}"),
            "min_selective_accuracy": read(f"selective_accuracy{at}"),
        }
    )


@dataclass(frozen=True, slots=True)
class Read:
    """Both files, made comparable."""

    said: tuple[Said, ...]
    truths: tuple[Truth, ...]
    parts: tuple[tuple[Truth, ...], ...]
    """The labels by basis, the headline's first."""
    wishes: Wishes
    fields: Mapping[str, Mapping[str, str]]
    agreement: Mapping[str, object] | None
    problems: tuple[Problem, ...]


def read(call: Call, gold_path: Path, predictions: Path) -> Read:
    """Read labels and predictions, and find out what is asked of them.

    Raises:
        InputError: A file cannot be read or trusted, or an option does not fit it.
    """
    source = str(gold_path)
    which = call.options.get("answer", "first")
    given = labels.read_labels(gold_path, which=which)
    gold = _one_each(given, source)
    found = _renamed(_answers(predictions), call.options.get("rename", ()))
    by_item, answers = _same_words(gold.by_item, found.values)
    classes = _classes(by_item, answers)
    positive = _positive(call.options.get("positive"), classes, source)
    of_positive = call.options.get("confidence_of") == "positive"
    if of_positive and positive is None:
        raise InputError("--confidence-of positive needs two labels; name one with --positive.")
    truths = tuple(_truth(one) for one in _with_chances(by_item, answers))
    drawn = _drawn(answers, truths, call.options.get("sample"))
    said = tuple(_said(one, of_positive=of_positive, positive=positive) for one in answers)
    fields = {one.item: {"stratum": one.stratum, **one.fields} for one in answers}
    if drawn == "unequal" and (there := _recognised(said, by_item, fields, positive)):
        said, drawn = there, "stratified"
    parts = _by_basis(truths, by_item)
    if which == "final":
        parts = [_final(part, by_item) for part in parts]
    return Read(
        said,
        truths,
        tuple(tuple(part) for part in parts),
        Wishes(drawn, positive, disputed=len(gold.disputed)),
        fields,
        agreement_of(given.values),
        (*gold.problems, *found.problems, *_no_word_in_common(by_item, answers, source)),
    )


def _no_word_in_common(
    gold: Mapping[str, GoldLabel], answers: Sequence[Answer], source: str
) -> tuple[Problem, ...]:
    """A warning where labels and predictions name their classes by other words altogether."""
    both = [one for one in answers if one.item in gold]
    told = {one.label for one in both if one.label}
    true = {label for one in both if (label := gold[one.item].label)}
    if not told or not true or told & true or told | true <= {"true", "false"}:
        return ()
    sides = f"the labels say {listed(sorted(true))}, the predictions {listed(sorted(told))}"
    message = (
        f"{sides}: no word in common, so no answer is right; if they mean the same, say so with "
        "--rename NAME=OTHER."
    )
    return (Problem(source, None, message, "warning"),)


def _groups(found: Read, by: str, source: str) -> dict[str, Evaluation]:
    known = dict.fromkeys(name for own in found.fields.values() for name in own)
    if by not in known:
        raise InputError.at(source, None, f"--by: no field {by!r}; there are {listed(known)}.")
    parts: dict[str, list[Said]] = {}
    for one in found.said:
        parts.setdefault(found.fields[one.item].get(by, ""), []).append(one)
    groups = {}
    for value, part in sorted(parts.items()):
        inside = {one.item for one in part}
        own = tuple(
            tuple(truth for truth in truths if truth.item in inside) for truths in found.parts
        )
        whole = tuple(truth for truth in found.truths if truth.item in inside)
        wishes = replace(found.wishes, disputed=0)
        groups[value] = _together(part, replace(found, truths=whole, parts=own, wishes=wishes))
    return groups


def score(call: Call) -> Report:
    """Score predictions against labels.

    Raises:
        InputError: A file is missing or not to be trusted, or an option is unknown here.
    """
    call.only("labkit", OPTIONS)
    one_file = call.gold is not None and not call.predictions
    whole = replace(call, predictions=(call.gold,)) if one_file and call.gold else call
    gold, predictions = whole.pair("labkit", "labels", "predictions")
    asked = gating.asked(call)
    found = read(call, gold, predictions)
    found = replace(found, wishes=replace(found.wishes, threshold=asked.confidence_threshold))
    evaluation = _together(found.said, found)
    if one_file and call.options.get("sample") == "simple":
        # the file holds the sample alone: what it was drawn from is not known
        evaluation = without_population(evaluation, found.said, found.truths, found.wishes.positive)
    by = call.options.get("by")
    return report(
        evaluation,
        problems=found.problems,
        checks=gates.check(asked, values(evaluation, asked.confidence_threshold)),
        agreement=found.agreement,
        groups=None if by is None else _groups(found, by, str(predictions)),
        by=by or "",
    )


def units(call: Call) -> tuple[Unit, ...]:
    """What each labelled and answered item adds to each metric; weights play no part here."""
    gold, predictions = call.pair("labkit", "labels", "predictions")
    found = read(call, gold, predictions)
    by = call.options.get("by")
    known = dict.fromkeys(name for own in found.fields.values() for name in own)
    if by is not None and by not in known:
        raise InputError.at(
            str(predictions), None, f"--by: no field {by!r}; there are {listed(known)}."
        )
    said = {one.item: one for one in found.said}
    return tuple(
        Unit(
            truth.item,
            _shares(said[truth.item], truth, found.wishes.positive),
            {} if by is None else {by: found.fields[truth.item].get(by, "")},
        )
        for truth in found.truths
        if truth.item in said
    )


def _shares(said: Said, truth: Truth, positive: str | None) -> dict[str, tuple[int, int]]:
    shares: dict[str, tuple[int, int]] = {}
    if said.label is not None and truth.label is not None:
        shares["accuracy"] = (int(said.label == truth.label), 1)
        if positive is not None:
            told, there = int(said.label == positive), int(truth.label == positive)
            shares |= {
                "precision": (told * there, told),
                "recall": (told * there, there),
                "f1": (2 * told * there, told + there),
            }
    if said.tags is not None and truth.tags is not None:
        both, told, there = len(said.tags & truth.tags), len(said.tags), len(truth.tags)
        shares |= {
            "tags.micro.precision": (both, told),
            "tags.micro.recall": (both, there),
            "tags.micro.f1": (2 * both, told + there),
        }
    return shares


def provenance(path: Path) -> dict[str, str]:
    """What every row says alike of its tool version, model, prompt and taxonomy."""
    try:
        rows = _answers(path).values
    except InputError:
        return {}
    names = {
        "toolVersion": ("tool_version",),
        "model": ("model", "model_version"),
        "prompt": ("prompt", "prompt_version"),
        "taxonomy": ("taxonomy",),
    }
    found = {
        ours: sorted({row.fields[name] for row in rows for name in theirs if row.fields.get(name)})
        for ours, theirs in names.items()
    }
    return {ours: ", ".join(values) for ours, values in found.items() if 0 < len(values) <= _FEW}
