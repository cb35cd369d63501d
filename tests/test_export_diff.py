from __future__ import annotations

import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.exports.diff import unified

if TYPE_CHECKING:
    from pathlib import Path

LINES = st.lists(st.sampled_from("abcdefgh"), max_size=25).map("\n".join)


def patched(before: str, diff: str) -> str:
    """Apply a unified diff strictly by its line numbers."""
    old = before.split("\n")
    ended = [line + "\n" for line in old[:-1]] + ([old[-1]] if old[-1] else [])
    out: list[str] = []
    at = 0
    lines = diff.replace("\n\\ No newline at end of file\n", "\0").split("\n")[2:]
    for line in lines:
        for part in line.replace("\0", "\0\n").split("\n"):
            text = part[1:-1] if part.endswith("\0") else part[1:] + "\n"
            if part.startswith("@@"):
                start, _, count = part.split()[1][1:].partition(",")
                first = int(start) - (0 if count == "0" else 1)
                out += ended[at:first]
                at = first
            elif part.startswith(" "):
                assert ended[at] == text
                out.append(text)
                at += 1
            elif part.startswith("-"):
                assert ended[at] == text
                at += 1
            elif part.startswith("+"):
                out.append(text)
    return "".join(out + ended[at:])


@settings(max_examples=300)
@given(LINES, LINES)
def test_the_diff_makes_the_new_text_of_the_old(before: str, after: str) -> None:
    assert patched(before, unified(before, after, "f")) == after


def test_git_understands_it(tmp_path: Path) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    before = "".join(f"{at}\n" for at in range(40))
    after = before.replace("5\n", "five\n", 1).replace("30\n", "") + "last"
    (tmp_path / "f").write_text(before, encoding="utf-8")
    diff = unified(before, after, "f")
    subprocess.run([git, "apply", "-"], input=diff, text=True, cwd=tmp_path, check=True)
    assert (tmp_path / "f").read_text(encoding="utf-8") == after


def test_a_new_file_comes_from_nowhere_and_no_change_has_no_diff() -> None:
    assert unified(None, "a\n", "f") == "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"
    assert unified("a\n", "a\n", "f") == ""
    assert unified(None, "", "f") == ""


def test_a_long_file_takes_less_than_two_seconds() -> None:
    before = "".join(f"- fqcn: A{at // 8}\n  x: true\n" for at in range(10_000))
    after = before.replace("A11\n", "B\n").replace("A999\n  x: true", "A999\n  x: false")
    started = time.process_time()
    diff = unified(before, after, "f")
    assert time.process_time() - started < 2
    assert patched(before, diff) == after


def test_a_long_file_of_equal_lines_is_no_trap() -> None:
    before = "x\n" * 20_000
    after = "x\n" * 7_000 + "y\n" + "x\n" * 12_999 + "z\n"
    started = time.process_time()
    diff = unified(before, after, "f")
    assert time.process_time() - started < 2
    assert patched(before, diff) == after
