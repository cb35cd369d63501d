"""Finding a method's lines in a folder of source code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from labkit.model import Item
from labkit.presets.sourcecode import MAX_BYTES, SourceTree

if TYPE_CHECKING:
    from pathlib import Path

JAVA = """package com.acme;

class LoginTest {
    @Test
    @DisplayName("x")
    void rejects() {
        login("rejects()");
        rejects(1);
    }

    @Nested
    class Inner {
        @Test void rejects() {
            check();
        }
    }
}
"""
PYTHON = """class TestLogin:
    def test_rejects(self) -> None:
        assert login() == 1

        assert login() == 2

    async def test_other(self):
        pass
"""
GO = """package login

func helper() {}

func TestRejects(t *testing.T) {
\tif true {
\t\tt.Fail()
\t}
}
"""
TYPESCRIPT = """describe('Login', () => {
  describe("form", () => {
    it(`rejects "x", twice`, async () => {
      expect(1).toBe(1);
    });
  });
});
"""
CSHARP = """namespace Acme.Tests
{
    public class LoginTests
    {
        [Fact]
        public async Task<int> Rejects()
        {
            return 1;
        }
    }
}
"""
KOTLIN = """class LoginTest {
    @Test
    fun `rejects a bad password`() {
        check(true)
    }
}
"""


@pytest.mark.parametrize(
    ("path", "text", "fqcn", "method", "loc", "mark"),
    [
        ("src/test/java/com/acme/LoginTest.java", JAVA, "com.acme.LoginTest", "rejects", 6, (4, 9)),
        ("src/com/acme/LoginTest.java", JAVA, "com.acme.LoginTest", "rejects", None, (4, 9)),
        ("src/com/acme/LoginTest.java", JAVA, "com.acme.LoginTest.Inner", "rejects", 3, (13, 15)),
        ("src/com/acme/LoginTest.java", JAVA, "com.acme.LoginTest$Inner", "rejects", 3, (13, 15)),
        ("auth/test_login.py", PYTHON, "auth.test_login.TestLogin", "test_rejects", None, (2, 5)),
        ("auth/test_login.py", PYTHON, "auth.test_login.TestLogin", "test_other", 2, (7, 8)),
        ("pkg/login/login_test.go", GO, "login", "TestRejects", 5, (5, 9)),
        (
            "web/login.spec.ts",
            TYPESCRIPT,
            "web.login.spec",
            'Login > form > rejects "x", twice',
            3,
            (3, 5),
        ),
        ("Tests/LoginTests.cs", CSHARP, "Acme.Tests.LoginTests", "Rejects", None, (5, 9)),
        ("src/LoginTest.kt", KOTLIN, "LoginTest", "rejects a bad password", None, (2, 5)),
    ],
)
def test_a_method_is_found_by_its_class_and_name(  # noqa: PLR0913, PLR0917  # one row of the table
    tmp_path: Path,
    path: str,
    text: str,
    fqcn: str,
    method: str,
    loc: int | None,
    mark: tuple[int, int],
) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(text, encoding="utf-8")
    found = SourceTree(tmp_path).excerpt(Item("i", method, fqcn, lines=loc))
    assert found is not None
    assert (found.file, found.mark) == (path, mark)
    shown = text.split("\n")
    assert list(found.lines) == shown[found.first - 1 : found.first - 1 + len(found.lines)]


def test_of_two_classes_of_a_name_the_one_in_the_right_package_is_shown(tmp_path: Path) -> None:
    for package in ("acme", "other"):
        folder = tmp_path / "src" / "com" / package
        folder.mkdir(parents=True)
        (folder / "LoginTest.java").write_text(JAVA, encoding="utf-8")
    found = SourceTree(tmp_path).excerpt(Item("i", "rejects", "com.other.LoginTest", lines=6))
    assert found is not None
    assert found.file == "src/com/other/LoginTest.java"


def test_nothing_outside_the_folder_and_nothing_huge_is_shown(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "A.java").write_text(JAVA.replace("LoginTest", "A"), encoding="utf-8")
    (inside / "A.java").symlink_to(outside / "A.java")
    (inside / "B.java").write_text(JAVA.replace("LoginTest", "B") + " " * MAX_BYTES)
    tree = SourceTree(inside)
    for fqcn in ("A", "B", "../out/A", "Nowhere", ""):
        assert tree.excerpt(Item("i", "rejects", fqcn)) is None
    assert SourceTree(tmp_path / "missing").excerpt(Item("i", "rejects", "A")) is None
