"""How long matching takes: findings against seeded bugs, comments against references.

Limits: 10,000 findings against 2,000 expectations in 2 s; 2,145 comments against 1,505
references, all in one pull request, in 3 s.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from labkit.evaluate.aacr import Comment, PullRequest, Rule, score_pull_request
from labkit.evaluate.aacr_judges import Jaccard
from labkit.evaluate.planwerk import Case, Expected, Finding, score_run
from labkit.matching import Location

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WORDS = ("leak", "race", "null", "overflow", "injection", "loop", "query", "branch")


def findings(
    expected: int, reported: int, *, files: int, seed: int = 1
) -> tuple[Case, list[Finding]]:
    """A case with many bugs and a report with many findings."""
    chance = random.Random(seed)  # noqa: S311  # made-up files, no secret
    places = [(f"f{chance.randrange(files)}.go", chance.randrange(5000)) for _ in range(expected)]
    bugs = tuple(
        Expected(file, line, "WARNING", tuple(chance.sample(WORDS, 3))) for file, line in places
    )
    report = []
    for _ in range(reported):
        file, line = chance.choice(places)
        title = " ".join(chance.sample(WORDS, 2))
        shifted = line + chance.randrange(-5, 6)
        report.append(Finding(file, shifted, "WARNING", title, "a sentence of some length " * 8))
    return Case("bench", findings=bugs), report


def comments(n: int, *, files: int, seed: int) -> tuple[Comment, ...]:
    """Many review comments on one pull request."""
    chance = random.Random(seed)  # noqa: S311  # made-up files, no secret
    made = []
    for index in range(n):
        start = chance.randrange(1, 3000)
        place = Location(f"f{chance.randrange(files)}.py", "right", start, start + 9)
        made.append(Comment(place, " ".join(chance.choices(WORDS, k=30)), index))
    return tuple(made)


def seconds(work: Callable[[], object]) -> float:
    """The best of three."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def planwerk(expected: int, reported: int, *, files: int = 300) -> float:
    """Seconds for one run against one case."""
    case, report = findings(expected, reported, files=files)
    return seconds(lambda: score_run(case, report))


def aacr(generated: int, references: int, *, files: int = 40) -> float:
    """Seconds for one pull request with a matcher that compares words."""
    made = comments(generated, files=files, seed=1)
    known = PullRequest("https://github.com/o/r/pull/1", comments(references, files=files, seed=2))
    return seconds(lambda: score_pull_request(known, made, Rule(judge=Jaccard(0.2))))


def lines(_folder: Path) -> Iterator[str]:
    """Each time beside its limit."""
    yield f"planwerk 10,000 x 2,000, 300 files: {planwerk(2000, 10_000):.3f} s (limit 2)"
    yield f"planwerk 10,000 x 2,000, one file: {planwerk(2000, 10_000, files=1):.3f} s (limit 2)"
    yield f"AACR-Bench 2,145 x 1,505, 40 files: {aacr(2145, 1505):.3f} s (limit 3)"
    yield f"AACR-Bench 2,145 x 1,505, one file: {aacr(2145, 1505, files=1):.3f} s (limit 3)"
