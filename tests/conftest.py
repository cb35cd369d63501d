"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def conformance() -> Path:
    """Real files with known right values; they live outside this project."""
    folder = os.environ.get("LABKIT_CONFORMANCE", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("LABKIT_CONFORMANCE names no folder: the real files are not here")
    return Path(folder).resolve()
