"""Sets of tags against labelled sets: each tag one against the rest, then micro and macro."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from labkit.metrics.counts import Counts

Tags = Iterable[str]


def normalised(tags: Tags | None) -> frozenset[str]:
    """Tags trimmed and lower-cased, blanks and repeats dropped; ``None`` is no tag.

    >>> sorted(normalised([" Crypto ", "crypto", "AUTH", " "]))
    ['auth', 'crypto']
    """
    return frozenset(tag.strip().lower() for tag in tags or () if tag.strip())


@dataclass(frozen=True, slots=True)
class TagScores:
    """Counts by tag over items whose tags are labelled.

    A tag that was predicted and never labelled is in ``by_tag`` with support 0: it has F1 0 and
    lowers the macro average (the scikit-learn convention over tags seen on either side).
    """

    by_tag: Mapping[str, Counts]
    """Sorted by name; every tag of any prediction or label."""
    samples: int

    @property
    def micro(self) -> Counts:
        """Counts summed over tags."""
        return sum(self.by_tag.values(), Counts())

    @property
    def macro_f1(self) -> float | None:
        """Unweighted mean of F1 over the tags seen; ``None`` where there is no tag at all."""
        values = [counts.f1.value for counts in self.by_tag.values()]
        known = [value for value in values if value is not None]
        return math.fsum(known) / len(known) if known else None


def score(pairs: Iterable[tuple[Tags | None, Tags | None]]) -> TagScores:
    """Score ``(labelled, predicted)`` tag sets, normalised first.

    >>> scores = score([(["auth"], ["Auth", "logging"]), ([], None)])
    >>> [(tag, c.tp, c.fp, c.fn) for tag, c in scores.by_tag.items()], scores.macro_f1
    ([('auth', 1, 0, 0), ('logging', 0, 1, 0)], 0.5)
    """
    sets = [(normalised(truth), normalised(predicted)) for truth, predicted in pairs]
    tp = Counter(chain.from_iterable(truth & predicted for truth, predicted in sets))
    fp = Counter(chain.from_iterable(predicted - truth for truth, predicted in sets))
    fn = Counter(chain.from_iterable(truth - predicted for truth, predicted in sets))
    by_tag = {}
    for tag in sorted({*tp, *fp, *fn}):
        tn = len(sets) - tp[tag] - fp[tag] - fn[tag]
        by_tag[tag] = Counts(tp[tag], fp[tag], fn[tag], tn)
    return TagScores(by_tag, len(sets))
