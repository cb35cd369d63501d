"""The findings of a godaudits audit, each with the evidence it cites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.formats.godaudits import audit as audits
from labkit.presets import claims
from labkit.presets.claims import Claim

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.evaluate.godaudits.audit import Evidence, Finding
    from labkit.presets.material import Material

SEVERITIES = ("Critical", "High", "Medium", "Low")


def material(path: Path, *, show: tuple[str, ...] = (), source: Path | None = None) -> Material:
    """Items and claims of an audit; severity, confidence and status are hidden until the answer.

    Args:
        path: ``AUDIT.json``.
        show: Hidden fields to open, by name.
        source: The folder with the audited code.

    Raises:
        InputError: The audit cannot be read.
    """
    audit = audits.read(path)
    evidence = {one.id: one for one in audit.evidence}
    found = [
        _claim(one, [evidence[name] for name in one.evidence if name in evidence])
        for one in audit.findings
    ]
    return claims.material(found, SEVERITIES, show=show, source=source)


def _claim(finding: Finding, cited: list[Evidence]) -> Claim:
    line = cited[0].fields.get("line") if cited else None
    quotes = (str(one.fields.get("quote") or "") for one in cited)
    return Claim(
        id=finding.id,
        title=finding.title,
        message="\n".join((finding.title, *filter(None, quotes))),
        file=(cited[0].path or "") if cited else "",
        line=line if isinstance(line, int) and not isinstance(line, bool) and line > 0 else None,
        severity=finding.severity,
        shown={
            "checks": ", ".join(finding.checks),
            "evidence": ", ".join(dict.fromkeys(one.path for one in cited if one.path)),
        },
        hidden={
            "severity": finding.severity,
            "confidence": finding.confidence,
            "status": finding.status,
        },
    )
