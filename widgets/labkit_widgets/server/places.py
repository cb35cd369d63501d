"""Where the app's own files lie, in an installed package and beside a source tree."""

from __future__ import annotations

from pathlib import Path

import labkit_widgets
from labkit.errors import InputError


def notebook(name: str) -> Path:
    """A notebook by name: in the package, else in ``notebooks`` beside the source tree.

    Raises:
        InputError: It is in neither place.
    """
    package = Path(labkit_widgets.__path__[0]).resolve()
    for folder in (package / "notebooks", *(up / "notebooks" for up in package.parents[1:3])):
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"notebook {name!r} is missing from the installation; install labkit again.")


def share() -> Path:
    """The folder with the page template."""
    return Path(__file__).resolve().parent / "share"
