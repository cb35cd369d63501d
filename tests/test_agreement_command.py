"""``labkit agreement``: wide, long and exported answers, one report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from labkit.cli import main
from labkit.errors import InputError
from labkit.formats import ratings

if TYPE_CHECKING:
    from pathlib import Path

COHEN = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["agreement", *args])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def data_of(capsys: pytest.CaptureFixture[str], *paths: Path, extra: tuple[str, ...] = ()) -> Any:
    code, out, _ = run(capsys, *map(str, paths), "--format", "json", *extra)
    assert code == 0
    return json.loads(out)


def cohen_rows() -> list[tuple[int, int]]:
    return [(i, j) for i, row in enumerate(COHEN) for j, k in enumerate(row) for _ in range(k)]


@pytest.mark.parametrize("form", ["wide", "long", "jsonl"])
def test_every_form_gives_cohens_numbers(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(f"m{n}", str(i), str(j)) for n, (i, j) in enumerate(cohen_rows())]
    text = {
        "wide": "id,ines,omar\n" + "".join(f"{m},{a},{b}\n" for m, a, b in rows),
        "long": "id,reviewer,label\n"
        + "".join(f"{m},ines,{a}\n{m},omar,{b}\n" for m, a, b in rows),
        "jsonl": "".join(
            json.dumps({"id": m, "reviewer": who, "label": v}) + "\n"
            for m, a, b in rows
            for who, v in (("ines", a), ("omar", b))
        ),
    }[form]
    path = tmp_path / ("a.jsonl" if form == "jsonl" else "a.csv")
    path.write_text(text)
    data = data_of(capsys, path)
    assert list(data) == [
        "schemaVersion",
        "system",
        "reviewers",
        "items",
        "pairs",
        "alpha",
        "repeats",
        "dawidSkene",
        "anchoring",
    ]
    assert data["reviewers"] == ["ines", "omar"]
    assert data["items"] == 200
    (pair,) = data["pairs"]
    assert pair["percent"] == pytest.approx(0.7)
    assert pair["kappa"] == pytest.approx(29 / 59, abs=1e-12)
    assert pair["kappaLinear"] == pytest.approx(0.4736842105263158, abs=1e-12)
    assert pair["kappaQuadratic"] == pytest.approx(0.4545454545454546, abs=1e-12)
    assert data["alpha"]["nominal"] == pytest.approx(0.48846, abs=5e-6)
    assert data["dawidSkene"] is None


def test_labels_that_labkit_exports_are_read_one_file_a_reviewer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for who, answers in (("ines", (True, False, True)), ("omar", (True, True, None))):
        lines = [
            {
                "item": f"m{i}",
                "reviewer": who,
                "value": None,
                "first": None if a is None else {"relevant": a, "tags": ["auth"] if a else []},
                "final": {"relevant": True, "tags": ["auth"]},
            }
            for i, a in enumerate(answers)
        ]
        (tmp_path / f"{who}.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))
    paths = (tmp_path / "ines.jsonl", tmp_path / "omar.jsonl")
    first = data_of(capsys, *paths)
    assert (first["pairs"][0]["n"], first["pairs"][0]["percent"]) == (2, 0.5)
    assert first["alpha"]["masi"] is not None
    final = data_of(capsys, *paths, extra=("--answer", "final"))
    assert (final["pairs"][0]["n"], final["pairs"][0]["percent"]) == (3, 1.0)


def test_a_file_without_reviewers_is_one_reviewer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ines.csv").write_text("id,label\na,yes\nb,no\n")
    (tmp_path / "omar.csv").write_text("id,label\na,yes\nb,yes\n")
    data = data_of(capsys, tmp_path / "ines.csv", tmp_path / "omar.csv")
    assert data["reviewers"] == ["ines", "omar"]
    assert data["pairs"][0]["percent"] == 0.5
    alone = data_of(capsys, tmp_path / "ines.csv")
    assert (alone["reviewers"], alone["pairs"]) == (["ines"], [])


def test_one_label_only_is_not_applicable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,reviewer_1,reviewer_2\na,ok,ok\nb,ok,ok\nc,ok,ok\n")
    data = data_of(capsys, path)
    assert (data["pairs"][0]["percent"], data["pairs"][0]["kappa"]) == (1.0, None)
    assert data["alpha"] == {"nominal": None, "ordinal": None, "masi": None}
    code, out, _ = run(capsys, str(path))
    assert code == 0
    assert "n/a" in out
    assert "nan" not in out.lower()


def test_an_empty_cell_is_not_reviewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,ines,omar,tom\na,yes,,no\nb,,,yes\nc,no,no,no\n")
    data = data_of(capsys, path)
    assert [pair["n"] for pair in data["pairs"]] == [1, 2, 1]
    assert data["items"] == 2


def test_three_reviewers_get_a_reliability(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.csv"
    rows = [f"m{i},{i % 2},{i % 2},{(i + (i % 7 == 0)) % 2}" for i in range(60)]
    path.write_text("id,ines,omar,tom\n" + "\n".join(rows) + "\n")
    found = data_of(capsys, path)["dawidSkene"]["reviewers"]
    accuracy = {row["reviewer"]: row["accuracy"] for row in found}
    assert accuracy["tom"] < accuracy["ines"]
    assert len(data_of(capsys, path)["pairs"]) == 3


def test_tags_in_columns_are_compared_as_sets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,ines,omar\na,auth;io,io;auth\nb,auth,auth;io\nc,crypto,crypto\n")
    data = data_of(capsys, path)
    assert data["pairs"][0]["percent"] == pytest.approx(2 / 3)
    assert data["pairs"][0]["kappaLinear"] is None
    assert data["alpha"]["masi"] > data["alpha"]["nominal"] - 0.2


def test_an_order_makes_weighted_kappa(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,ines,omar\na,tiny,huge\nb,huge,huge\nc,mid,tiny\nd,tiny,tiny\n")
    assert data_of(capsys, path)["pairs"][0]["kappaQuadratic"] is None
    data = data_of(capsys, path, extra=("--order", "tiny, mid, huge"))
    assert data["pairs"][0]["kappaQuadratic"] is not None
    assert data["alpha"]["ordinal"] is not None


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"a.csv": "id,reviewer,label\na,ines,yes\na,ines,no\n"}, "a.csv:3: 'a' is answered twice"),
        ({"a.csv": "id,ines,omar\na,x,y\na,x,y\n"}, "answered twice by ines"),
        (
            {"a.csv": "id,reviewer,label\na,ines,yes\n", "b.csv": "id,ines,omar\na,yes,no\n"},
            "is answered by ines in a.csv too",
        ),
        ({"a.csv": "name,ines\na,x\n"}, "no id"),
        ({"a.csv": ""}, "empty"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(
    files: dict[str, str], fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    code, out, err = run(capsys, *(str(tmp_path / name) for name in files))
    assert (code, out) == (2, "")
    assert fault in err
    assert err.count("\n") == 1


def test_a_row_without_an_id_is_a_problem_and_the_rest_is_read() -> None:
    found = ratings.parse("id,ines,omar\n,yes,no\nb,yes,no\n")
    assert len(found.values) == 2
    assert [p.line for p in found.problems] == [2]
    with pytest.raises(InputError, match="no id with a label"):
        ratings.parse("id\nb\n")
