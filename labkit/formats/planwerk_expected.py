"""planwerk's expected.json, written: one case of seeded or confirmed bugs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from labkit.errors import InputError

if TYPE_CHECKING:
    from labkit.evaluate.planwerk import Case


def render(case: Case) -> str:
    r"""A case as ``expected.json``; the name is its folder's and stands nowhere in the file.

    Raises:
        InputError: An expected finding lacks a file or keywords, or a clean case has findings.

    >>> from labkit.evaluate.planwerk import Case
    >>> print(render(Case("c", "Nothing is wrong here.", clean=True)), end="")
    {
      "description": "Nothing is wrong here.",
      "clean": true,
      "findings": []
    }
    """
    if case.clean == bool(case.findings):
        raise InputError(f"case {case.name}: a clean case has no findings, any other has some.")
    odd = next((f for f in case.findings if not f.file or not f.keywords), None)
    if odd is not None:
        raise InputError(f"case {case.name}: an expected finding needs a file and keywords.")
    data = {
        "description": case.description,
        "clean": case.clean,
        "findings": [
            {
                "file": finding.file,
                "line": finding.line,
                "severity": finding.severity,
                "keywords": list(finding.keywords),
            }
            for finding in case.findings
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
