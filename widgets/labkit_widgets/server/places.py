"""Where the app's own files lie, in an installed package and beside a source tree."""

from __future__ import annotations

from pathlib import Path

import labkit_widgets
from labkit.errors import InputError

APP = "review_app.ipynb"
"""The page of ``labkit review``."""


def notebooks() -> Path:
    """The folder of notebooks: in the package, else beside the source tree.

    Raises:
        InputError: It is in neither place.
    """
    package = Path(labkit_widgets.__path__[0]).resolve()
    for folder in (package / "notebooks", *(up / "notebooks" for up in package.parents[:2])):
        if (folder / APP).is_file():
            return folder
    raise InputError("the notebooks are missing from the installation; install labkit again.")


def share() -> Path:
    """The folder with the page template."""
    return Path(__file__).resolve().parent / "share"
