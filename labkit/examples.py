"""The examples that come with labkit: where they are, and a copy of one to play with."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from labkit.errors import InputError

NAMES = {
    "relevance": "sixty tests of a bank, and what an AI said about their security",
    "agreement": "three reviewers of the same methods",
    "arms": "answers with and without the AI's answer in view",
    "findings": "a code reviewer's findings on seeded bugs, and what a person said of each",
}
"""Each example and what it holds."""


def folder() -> Path:
    """The sample data: inside the package, or beside it in a working copy.

    Raises:
        InputError: It is in neither place.
    """
    package = Path(__file__).parent
    for place in (package / "sample_data", package.parent / "sample_data"):
        if (place / "relevance").is_dir():
            return place
    raise InputError("the sample data is not installed; install labkit again.")


def copy(name: str, to: Path | None = None) -> Path:
    """Copy an example into a new folder, ``./NAME`` when none is given.

    Raises:
        InputError: No such example, the folder is there already, or it cannot be written.
    """
    if name not in NAMES:
        raise InputError(f"no example {name!r}; there is {', '.join(NAMES)}.")
    target = Path(name) if to is None else to
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"{target}: this is there already; name another place with --to.")
    try:
        shutil.copytree(folder() / name, target, dirs_exist_ok=True)
        shutil.copyfile(folder() / "README.md", target / "README.md")
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}.") from error
    return target


def next_command(name: str, folder: Path) -> str:
    """What to try first on a copied example, as a line for the shell."""
    first = {
        "relevance": ("review", folder / "predictions.csv", "--source", folder / "src/test/java"),
        "agreement": ("agreement", folder / "ratings.csv"),
        "arms": ("lab",),  # its fourth notebook reads these answers
        "findings": ("score", folder / "corpus", folder / "runs"),
    }
    return shlex.join(["labkit", *map(str, first[name])])
