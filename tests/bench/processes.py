"""How long whole processes take: scoring ten thousand rows, and importing."""

from __future__ import annotations

import csv
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
ROWS = 10_000
RUNS = 5


def many_rows(folder: Path, rows: int) -> tuple[Path, Path]:
    """Labels and predictions of so many test methods."""
    labels, predictions = folder / "labels.yaml", folder / "predictions.csv"
    with predictions.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            [
                "fqcn",
                "method",
                "loc",
                "tags",
                "display_name",
                "ai_security_relevant",
                "ai_display_name",
                "ai_tags",
                "ai_reason",
                "ai_interaction_score",
                "ai_confidence",
            ]
        )
        for at in range(rows):
            said = "true" if at % 3 == 0 else "false"
            tags = "security;auth" if at % 3 == 0 else ""
            why = f"Method number {at}, looked at, and described."
            name = f"com.acme.p{at // 100}.C{at // 10}Test"
            confidence = f"{at % 11 / 10:.1f}"
            writer.writerow([name, f"m{at}", 9, "", "", said, "", tags, why, "0.0", confidence])
    with labels.open("w", encoding="utf-8") as file:
        file.write("overrides:\n")
        for at in range(rows):
            file.write(
                f"  - fqcn: com.acme.p{at // 100}.C{at // 10}Test\n    method: m{at}\n"
                f"    securityRelevant: {'true' if at % 4 == 0 else 'false'}\n"
                f"    tags: [{'security, auth' if at % 4 == 0 else ''}]\n"
            )
    return labels, predictions


def seconds(*words: str) -> float:
    """Median wall time of a fresh Python process with these arguments."""
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'widgets'}"}
    took = []
    for _ in range(RUNS + 1):
        started = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, capture_output=True, env=env)
        took.append(time.perf_counter() - started)
    return statistics.median(took[1:])  # the first one warms the disk


def lines(folder: Path) -> Iterator[str]:
    """The measurements, one line each."""
    nothing = seconds("-c", "pass")
    pandas = seconds("-c", "import pandas") - nothing
    yield f"import pandas                     {pandas * 1000:7.0f} ms  (beyond an empty Python)"
    for name, goal in (("labkit", 0.5), ("labkit.metrics", None), ("labkit.cli", None)):
        took = max(0.0, seconds("-c", f"import {name}") - nothing)
        wanted = f", goal ≤ {goal}" if goal else ""
        label = f"import {name}"
        yield f"{label:<33} {took * 1000:7.0f} ms  {took / pandas:.2f} × import pandas{wanted}"
    labels, predictions = many_rows(folder, ROWS)
    score = seconds("-m", "labkit", "score", str(labels), str(predictions))
    whole = pandas + nothing
    yield (
        f"labkit score, {ROWS:,} rows        {score * 1000:7.0f} ms  "
        f"{score / whole:.2f} × a process that imports pandas, goal ≤ 2.5"
    )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    yield f"most memory of any of them        {peak:7.0f} MB"
