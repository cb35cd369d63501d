"""Damaged files for every reader: what comes out is values, or one sentence, and soon.

Run it for five minutes: ``python tests/bench/fuzz.py``; it prints the number of mutants.
"""

from __future__ import annotations

import argparse
import gzip
import random
import resource
import signal
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit.errors import LabkitError
from tests.bench.readers import READERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from labkit.parsed import Problem

SECONDS = 2.0
MEGABYTES = 500

TOKENS = (
    b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\xe9", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"{", b"}", b"[", b"]", b":", b"# a: b\n",
    b"&a ", b"*a", b"<<: ", b"!!python/object:os.system ", b"---\n", b"...\n", b"- ", b"? ", b"|\n",
    b"null", b"true", b"NaN", b"Infinity", b"-1", b"1e999", b"9" * 400, b"9" * 5000, b"[" * 3000,
    b'{"a":' * 2000, b"- " * 2000, b"id", b"fqcn", b"method", b"%", b"%FF", b"../", b"$", b"=1+1",
    b"\xe2\x80\xa8", b"\xc2\x85", b"\x1f\x8b", b"PK\x03\x04", b"PAR1",
)  # fmt: skip
"""What is put in: the marks of every format, and what breaks readers."""


def mutant(seeds: Sequence[bytes], chance: random.Random) -> bytes:
    """One damaged file."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        at = chance.randrange(len(data) + 1)
        to = min(len(data), at + chance.choice((1, 2, 8, 64, 512)))
        match chance.randrange(10):
            case 0:
                del data[at:]
            case 1:
                del data[at:to]
            case 2 | 3 | 4:
                data[at:at] = chance.choice(TOKENS)
            case 5 if at < len(data):
                data[at] ^= 1 << chance.randrange(8)
            case 6:
                data[at:at] = bytes(data[at:to]) * chance.choice((1, 2, 200))
            case 7:
                other = chance.choice(seeds)
                data[at:] = other[chance.randrange(len(other) + 1) :]
            case 8:
                data[at:to] = chance.choice(TOKENS)
            case _:
                data = bytearray(bytes(data).replace(b"\n", chance.choice((b"\r\n", b"\r", b""))))
    return _wrapped(bytes(data), chance)


def _wrapped(data: bytes, chance: random.Random) -> bytes:
    match chance.randrange(24):
        case 0:
            return data.decode("utf-8", "replace").encode("utf-16")
        case 1:
            packed = gzip.compress(data, 1, mtime=0)
            return packed[: chance.choice((len(packed), len(packed) // 2))]
        case _:
            return data


class TooSlowError(BaseException):
    """A reader took longer than it may."""


@contextmanager
def watched(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True)
class Failure:
    """A mutant that a reader did not take well."""

    reader: str
    why: str
    data: bytes


def tried(read: Callable[[Path], object], path: Path) -> str:
    """Why the reader failed on this file; empty when it did well."""
    try:
        with watched(SECONDS):
            found = read(path)
            said = [str(problem) for problem in problems_of(found)]
    except LabkitError as error:
        said = [str(error)]
    except TooSlowError:
        return f"more than {SECONDS:g} s"
    except Exception as error:  # noqa: BLE001  # that is what is looked for
        return f"{type(error).__name__}: {error}"[:300]
    for sentence in said:
        if not sentence or "\n" in sentence.strip() or not sentence.isprintable():
            return f"not one printable sentence: {sentence[:200]!r}"
        sentence.encode()
    return ""


def problems_of(found: Any) -> list[Problem]:
    """The problems a reader returned, whatever it returns them in."""
    return list(getattr(found, "problems", ()))


def fuzz(
    mutants: int, seed: int, folder: Path, *, until: float | None = None
) -> tuple[int, list[Failure]]:
    """Try so many mutants, in turn over the readers, or go on until a time.

    Returns:
        How many were tried, and the failures.
    """
    chance = random.Random(seed)  # noqa: S311  # no secrets here
    readers = list(READERS.items())
    failures: list[Failure] = []
    done = 0
    while done < mutants or (until is not None and time.monotonic() < until):
        name, reader = readers[done % len(readers)]
        data = mutant(reader.seeds, chance)
        path = folder / f"mutant{reader.ending}"
        path.write_bytes(data)
        why = tried(reader.read, path)
        if why:
            failures.append(Failure(name, why, data))
        done += 1
    return done, failures


def peak_megabytes() -> float:
    """The most memory this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def lines(folder: Path, seconds: float = 300) -> Iterator[str]:
    """The part of ``make bench``: as many mutants as fit, and how many there were."""
    done, failures = fuzz(0, 1, folder, until=time.monotonic() + seconds)
    peak = peak_megabytes()
    yield (
        f"fuzz: {done} damaged files over {len(READERS)} readers in {seconds:.0f} s, "
        f"{len(failures)} failures, peak {peak:.0f} MB (at most {MEGABYTES})"
    )
    for failure in failures[:20]:
        yield f"  {failure.reader}: {failure.why}"


def main() -> int:
    """Fuzz for a while and print the number."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=300)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep", type=Path, help="folder for the mutants that failed")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        until = time.monotonic() + chosen.seconds
        done, failures = fuzz(0, chosen.seed, Path(folder), until=until)
    for number, failure in enumerate(failures[:20]):
        sys.stdout.write(f"{failure.reader}: {failure.why}\n")
        if chosen.keep:
            chosen.keep.mkdir(parents=True, exist_ok=True)
            (chosen.keep / f"{failure.reader}-{number}").write_bytes(failure.data)
    peak = peak_megabytes()
    sys.stdout.write(
        f"{done} mutants over {len(READERS)} readers, {len(failures)} failures, "
        f"peak {peak:.0f} MB\n"
    )
    return 1 if failures or peak > MEGABYTES else 0


if __name__ == "__main__":
    sys.exit(main())
