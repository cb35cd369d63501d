from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from labkit.errors import LabkitError
from tests.bench import fuzz
from tests.bench.readers import READERS

if TYPE_CHECKING:
    from pathlib import Path


def test_two_thousand_damaged_files_end_in_values_or_one_sentence(tmp_path: Path) -> None:
    before = fuzz.peak_megabytes()
    done, failures = fuzz.fuzz(2000, seed=20261129, folder=tmp_path)
    assert done == 2000
    assert [(failure.reader, failure.why, failure.data[:200]) for failure in failures] == []
    assert fuzz.peak_megabytes() - before < fuzz.MEGABYTES


def test_the_mutants_are_the_same_every_time() -> None:
    seeds = READERS["sarif"].seeds
    first, again = (
        [fuzz.mutant(seeds, chance) for _ in range(50)]
        for chance in (fuzz.random.Random(7), fuzz.random.Random(7))
    )
    assert first == again
    assert len(set(first)) > 40


def test_every_reader_has_a_seed_that_it_reads_whole(tmp_path: Path) -> None:
    for name, reader in READERS.items():
        outcomes = []
        for seed in reader.seeds:
            path = tmp_path / f"seed{reader.ending}"
            path.write_bytes(seed)
            try:
                reader.read(path)
            except LabkitError as error:
                outcomes.append(str(error))
            else:
                break
        else:
            pytest.fail(f"{name}: {outcomes}")


@pytest.mark.parametrize("fault", [ValueError("x"), KeyError("k"), RecursionError(), MemoryError()])
def test_a_traceback_is_a_failure(fault: Exception, tmp_path: Path) -> None:
    def broken(_path: Path) -> object:
        raise fault

    assert type(fault).__name__ in fuzz.tried(broken, tmp_path)


def test_a_hang_and_a_sentence_of_two_lines_are_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def two_lines(_path: Path) -> object:
        return SimpleNamespace(problems=["a\nb"])

    monkeypatch.setattr(fuzz, "SECONDS", 0.02)
    assert "more than" in fuzz.tried(lambda _path: time.sleep(1), tmp_path)
    assert "not one printable sentence" in fuzz.tried(two_lines, tmp_path)
    assert fuzz.tried(lambda _path: None, tmp_path) == ""
