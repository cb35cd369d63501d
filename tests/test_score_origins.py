from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from labkit.errors import InputError
from labkit.systems import Call, labkit, methodatlas

if TYPE_CHECKING:
    from pathlib import Path

GOLD = '{"id":"a","label":1}\n{"id":"b","label":2}\n{"id":"c","label":0}\n{"id":"d","label":1}\n'
SAID = "id,label\na,1\nb, 2 \nc,Tie\nd,garbage\n"


def scored(tmp_path: Path, **options: Any) -> dict[str, Any]:
    gold, said = tmp_path / "gold.jsonl", tmp_path / "said.csv"
    gold.write_text(GOLD)
    said.write_text(SAID)
    data = labkit.score(Call(gold, (said,), options)).data
    rows = data["metrics"]
    assert isinstance(rows, list)
    return {row["name"]: row["value"] for row in rows}


def test_numbers_and_texts_that_look_alike_are_the_same_label(tmp_path: Path) -> None:
    assert scored(tmp_path)["accuracy"] == 0.5


def test_a_declared_mapping_makes_other_words_the_same_label(tmp_path: Path) -> None:
    assert scored(tmp_path, rename=("Tie=0",))["accuracy"] == 0.75


@pytest.mark.parametrize(
    ("pair", "said"),
    [("Tie", "NAME=OTHER"), ("=0", "NAME=OTHER"), ("Tei=0", "no prediction says 'Tei'")],
)
def test_a_mapping_that_fits_nothing_is_refused(tmp_path: Path, pair: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        scored(tmp_path, rename=(pair,))


def test_parquet_predictions_are_scored_like_the_csv(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    gold, said = tmp_path / "gold.csv", tmp_path / "said.parquet"
    gold.write_text("id,label\n1,true\n2,false\n")
    duckdb.sql(
        "SELECT * FROM (VALUES (1, true, 0.9), (2, true, 0.6)) AS t(id, label, confidence)"
    ).write_parquet(str(said))
    rows = labkit.score(Call(gold, (said,), {})).data["metrics"]
    assert isinstance(rows, list)
    assert {row["name"]: row["value"] for row in rows}["accuracy"] == 0.5


def test_a_parquet_scan_is_scored_by_its_own_rules(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    gold, said = tmp_path / "overrides.yaml", tmp_path / "said.parquet"
    gold.write_text("overrides: [{fqcn: A, method: m, securityRelevant: true}]\n")
    duckdb.sql(
        "SELECT 'A' AS fqcn, 'm' AS method, true AS ai_security_relevant, ['auth'] AS ai_tags"
    ).write_parquet(str(said))
    found = methodatlas.score(Call(gold, (said,), {})).data["relevance"]
    assert isinstance(found, dict)
    assert found["tp"] == 1
    done = subprocess.run(
        [sys.executable, "-m", "labkit", "score", str(gold), str(said), "--format", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert '"system": "methodatlas"' in done.stdout
