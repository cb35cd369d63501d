"""Provenance inside a note: how a label came about, as a clause that labkit reads back.

``Reviewed 2026-11-29 by ines (labkit: blind; not-flagged 80 of 1500; seed 7)``: the answer was
blind, the item is one of 80 drawn at random out of the 1500 of its stratum. Without a random
sample it ends in ``(labkit: blind; targeted)``. What people wrote stays in front.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from labkit.errors import InputError
from labkit.model import Basis

_CLAUSE = re.compile(
    r"Reviewed (?P<day>\d{4}-\d{2}-\d{2}) by (?P<reviewer>(?:(?!\bReviewed \d{4}-)[^\r\n])+?) "
    rf"\(labkit: (?P<basis>{'|'.join(Basis)}); "
    r"(?:targeted|(?P<stratum>[^;\r\n]+?) (?P<drawn>\d+) of (?P<population>\d+); "
    r"seed (?P<seed>-?\d+))\)"
)
_BLANK = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Draw:
    """The random sample an item was drawn in: ``drawn`` of the ``population`` of its stratum."""

    stratum: str
    drawn: int
    population: int
    seed: int

    @property
    def inclusion_probability(self) -> float:
        """The chance with which each item of the stratum was drawn, in (0, 1]."""
        return self.drawn / self.population


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who gave a label, when, how independently of the AI, and how the item was chosen."""

    day: date
    """The day of the decision, UTC."""
    reviewer: str
    basis: Basis
    draw: Draw | None = None
    """``None``: chosen by somebody (targeted), so not for estimates."""


def render(provenance: Provenance) -> str:
    """Write the clause.

    >>> render(Provenance(date(2026, 11, 29), "ines", Basis.BLIND, Draw("all", 80, 1500, 7)))
    'Reviewed 2026-11-29 by ines (labkit: blind; all 80 of 1500; seed 7)'
    >>> render(Provenance(date(2026, 11, 29), "ines", Basis.ASSISTED))
    'Reviewed 2026-11-29 by ines (labkit: assisted; targeted)'
    """
    draw = provenance.draw
    how = "targeted"
    if draw is not None:
        stratum = _one_line(draw.stratum).replace(";", ",")
        how = f"{stratum} {draw.drawn} of {draw.population}; seed {draw.seed}"
    reviewer = _one_line(provenance.reviewer)
    return (
        f"Reviewed {provenance.day.isoformat()} by {reviewer} (labkit: {provenance.basis}; {how})"
    )


def parse(note: str) -> Provenance | None:
    """Read the last clause of a note; ``None`` where there is none.

    >>> parse("Agreed in the meeting; Reviewed 2026-11-29 by ines (labkit: blind; targeted)").basis
    <Basis.BLIND: 'blind'>
    >>> parse("Reviewed 2026-05-01T14:30:00 by Jane Smith") is None
    True

    Raises:
        InputError: The clause is there but says something that cannot be, such as 5 of 3.
    """
    clauses = list(_CLAUSE.finditer(note))
    if not clauses:
        return None
    found = clauses[-1]
    try:
        day = date.fromisoformat(found["day"])
    except ValueError as error:
        raise InputError(f"note {found[0]!r}: no such day; write YYYY-MM-DD.") from error
    draw = None
    if found["stratum"] is not None:
        drawn, population = int(found["drawn"]), int(found["population"])
        if not 0 < drawn <= population:
            raise InputError(
                f"note {found[0]!r}: {drawn} of {population} is no sample; correct the numbers."
            )
        draw = Draw(found["stratum"], drawn, population, int(found["seed"]))
    return Provenance(day, found["reviewer"], Basis(found["basis"]), draw)


def strip(note: str) -> str:
    """What people wrote: the note without labkit's clauses.

    >>> strip("see SEC-42; Reviewed 2026-11-29 by ines (labkit: blind; targeted)")
    'see SEC-42'
    """
    for found in reversed(list(_CLAUSE.finditer(note))):
        before, after = note[: found.start()], note[found.end() :]
        if before.strip():
            before = re.sub(r";[ \t]*$", "", before)
        else:
            after = re.sub(r"^;[ \t]*", "", after)
        note = (before + after).rstrip()
    return note


def attach(note: str, provenance: Provenance) -> str:
    """Put the clause behind what people wrote, in the place of an older one.

    >>> ines = Provenance(date(2026, 11, 29), "ines", Basis.BLIND)
    >>> attach("see SEC-42", ines)
    'see SEC-42; Reviewed 2026-11-29 by ines (labkit: blind; targeted)'
    >>> attach("", ines) == attach(attach("", ines), ines)
    True
    """
    own = strip(note).rstrip()
    ending = "\n" if note.endswith("\n") else ""
    return (f"{own}; " if own else "") + render(provenance) + ending


def _one_line(text: str) -> str:
    """A name in one line, without what would end the clause early."""
    line = _BLANK.sub(" ", text).strip().replace(" (labkit:", " [labkit:")
    return re.sub(r"\bReviewed (?=\d{4}-)", "Reviewed, ", line) or "unknown"
