from __future__ import annotations

import gzip
import io
import tracemalloc
import zipfile
from typing import TYPE_CHECKING

import pytest

from labkit import archives
from labkit.errors import InputError
from labkit.formats import tables
from labkit.textfile import read_text

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "id,label\na,true\n"


def a_zip(**members: bytes | str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def test_every_reader_sees_through_gzip_and_zip(tmp_path: Path) -> None:
    for name, data in {
        "p.csv.gz": gzip.compress(TEXT.encode()),
        "p.zip": a_zip(**{"p.csv": TEXT, "__MACOSX/._p.csv": "x", ".DS_Store": "x"}),
        "noending": gzip.compress(TEXT.encode()),
    }.items():
        (tmp_path / name).write_bytes(data)
        assert read_text(tmp_path / name) == TEXT
        assert tables.read(tmp_path / name).header == ("id", "label")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (a_zip(**{"a.csv": "x", "b.csv": "y"}), "2 files ('a.csv', 'b.csv')"),
        (a_zip(), "0 files"),
        (a_zip(**{"[Content_Types].xml": "x", "sheet.xml": "y"}), "spreadsheet"),
        (a_zip(**{"inner.zip": a_zip(a="1")}), "inside an archive"),
        (gzip.compress(gzip.compress(b"x")), "inside an archive"),
        (gzip.compress(TEXT.encode())[:-9], "damaged"),
        (b"\x1f\x8b\x08\x00garbage", "damaged"),
        (b"PK\x03\x04garbage", "damaged"),
        (a_zip(a=TEXT)[:40], "damaged"),
    ],
    ids=range(9),  # packed bytes hold the time, names of tests must not
)
def test_a_packed_file_that_cannot_be_trusted_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match="in/x") as caught:
        archives.unpack(data, "in/x")
    assert said in str(caught.value)


def test_an_encrypted_zip_is_refused() -> None:
    data = bytearray(a_zip(a=TEXT))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(InputError, match="encrypted"):
        archives.unpack(bytes(data), "x")


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: a_zip(a=data)])
def test_a_bomb_is_refused_before_it_fills_the_memory(pack: object) -> None:
    assert callable(pack)
    bomb = pack(b"\0" * (64 * 2**20))
    tracemalloc.start()
    with pytest.raises(InputError, match="like a bomb"):
        archives.unpack(bomb, "x")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * 2**20


def test_a_size_limit_stands_whatever_the_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED", 2**20)
    with pytest.raises(InputError, match="1 MB"):
        archives.unpack(gzip.compress(b"ab" * 2**20), "x")


def test_parquet_cells_are_text_and_lists_are_tags(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "p [1]*.parquet"
    duckdb.sql(
        "SELECT * FROM (VALUES ('007', true, 0.85::DOUBLE, ['auth','crypto'], 1577134800018226901),"
        " ('NA', NULL, NULL, [], NULL)) AS t(id, label, confidence, tags, big)"
    ).write_parquet(str(path))
    table = tables.read(path)
    assert table.header == ("id", "label", "confidence", "tags", "big")
    assert [row.cells for row in table.rows] == [
        ("007", "true", "0.85", "auth;crypto", "1577134800018226901"),
        ("NA", "", "", "", ""),
    ]
    assert [row.line for row in table.rows] == [2, 3]


def test_a_damaged_parquet_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    path.write_bytes(b"PAR1" + b"x" * 40 + b"PAR1")
    with pytest.raises(InputError, match=r"p\.parquet.*Parquet") as caught:
        tables.read(path)
    assert "\n" not in str(caught.value)
