"""SARIF 2.1.0 (OASIS): what any scanner reports, in and out."""

from __future__ import annotations

from labkit.formats.sarif.finding import LEVELS, Finding, Level, Run, Spot, Verdict
from labkit.formats.sarif.reading import Report, is_sarif, parse, read, report
from labkit.formats.sarif.writing import Judgement, judgements, render

__all__ = [
    "LEVELS",
    "Finding",
    "Judgement",
    "Level",
    "Report",
    "Run",
    "Spot",
    "Verdict",
    "is_sarif",
    "judgements",
    "parse",
    "read",
    "render",
    "report",
]
