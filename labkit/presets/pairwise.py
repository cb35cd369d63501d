"""Pairs of review comments at one place: do the two speak of the same defect?"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.evaluate.aacr_judges import Jaccard, pair_id, words
from labkit.formats.aacr_files import read_generated, read_references
from labkit.matching import AACR_V1, same_place
from labkit.model import Item, Prediction, Question, Task
from labkit.presets.comments import place
from labkit.presets.material import Material

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.evaluate.aacr import Comment, PullRequest

NAME = "pairwise"
QUESTION = "same"
ANSWERS = ("same defect", "related, not it", "different")
"""Only the first is a match: "related, not it" counts as a miss."""
THRESHOLD = 0.2
"""From so many words in common the mechanical matcher calls two comments the same."""


def task() -> Task:
    """The one question."""
    prompt = "Do the two comments speak of the same defect?"
    return Task(NAME, (Question(QUESTION, "choice", prompt, ANSWERS),))


def material(path: Path, *, references: Path | None = None) -> Material:
    """Every pair of a generated comment and a reference at one place, the order shuffled.

    Which of the two is the reference and what the words have in common are hidden until the
    answer. The labels of this study are what ``--matcher labels:FILE`` takes.

    Args:
        path: The generated comments.
        references: The annotated comments (``--source``).

    Raises:
        InputError: A file cannot be read, or no two comments stand at one place.
    """
    if references is None:
        raise InputError.at(
            str(path), None, "pairs need the references too; name them with --source FILE."
        )
    known = read_references(references.resolve())  # the study's folder may not be there yet
    generated = read_generated((path,), known.pull_requests)
    items: dict[str, Item] = {}
    predictions: dict[str, Prediction] = {}
    for pr in known.pull_requests:
        for made in generated.comments.get(pr.url, ()):
            for reference in pr.comments:
                if not made.blank and not reference.blank and _near(made, reference):
                    name = pair_id(pr, made, reference)
                    items[name] = _item(name, pr, made, reference)
                    predictions[name] = _prediction(name, pr, made, reference)
    if not items:
        raise InputError.at(str(path), None, "no comment stands where a reference does.")
    problems = (*known.problems, *generated.problems)
    return Material(task=task(), items=items, predictions=predictions, problems=problems)


def _near(made: Comment, reference: Comment) -> bool:
    """Whether v1's or v2's rule puts the two at one place."""
    one, other = made.location, reference.location
    distance = AACR_V1.distance
    return same_place(one, other, distance) or same_place(one.ordered(), other.ordered(), distance)


def _reference_first(name: str) -> bool:
    return hashlib.md5(name.encode(), usedforsecurity=False).digest()[0] % 2 == 0


def _item(name: str, pr: PullRequest, made: Comment, reference: Comment) -> Item:
    both = (reference, made) if _reference_first(name) else (made, reference)
    text = "\n\n".join(
        f"{letter}  {place(comment)}\n{comment.note.strip()}"
        for letter, comment in zip("AB", both, strict=True)
    )
    return Item(
        id=name,
        title="A and B: the same defect?",
        subtitle=both[0].location.path,
        fields={"pull_request": pr.url},
        text=text,
    )


def _prediction(name: str, pr: PullRequest, made: Comment, reference: Comment) -> Prediction:
    same = Jaccard(THRESHOLD)(pr, made, reference)
    one, other = words(made.note), words(reference.note)
    share = len(one & other) / len(one | other) if one | other else 0.0
    return Prediction(
        answer={QUESTION: ANSWERS[0] if same else ANSWERS[2]},
        fields={
            "reference": "A" if _reference_first(name) else "B",
            "words_in_common": f"{share:.2f}",
        },
    )
