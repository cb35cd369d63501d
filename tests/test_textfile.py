from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from labkit.errors import InputError
from labkit.textfile import decode, read_text

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_text_is_the_same_in_every_encoding_that_says_what_it_is(encoding: str) -> None:
    assert decode("id,label\r\nä,true\r\n".encode(encoding), "a.csv") == "id,label\r\nä,true\r\n"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"id\ncaf\xe9\n", ["a.csv:2:", "0xE9", "Latin-1"]),
        (b"\x89PNG\r\n\x1a\n\x00\x00", ["a.csv: this is not a text file"]),
        (b"id\n\x01\x02\xff", ["a.csv: this is not a text file"]),
        (b"\x1f\x8b\x08", ["gzip"]),
        (b"PK\x03\x04", ["zip"]),
        (b"a\nb\x00c", ["a.csv:2:", "zero byte"]),
        (b"\xff\xfea\x00b", ["UTF-16"]),
    ],
)
def test_bytes_that_are_not_text_are_named(data: bytes, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        decode(data, "a.csv")
    assert all(word in str(caught.value) for word in words)


def test_a_missing_file_and_a_folder_are_one_sentence_each(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_text(tmp_path / "x.csv")
    with pytest.raises(InputError, match="folder"):
        read_text(tmp_path)
