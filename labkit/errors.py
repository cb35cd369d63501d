"""What can go wrong, said in one sentence each.

LabkitError                 catch this to catch labkit
├─ InputError               a file, a frame or a call is not what it should be   → exit 2
├─ ChoiceError              a reviewer's choice cannot be recorded              → shown on the card
└─ ComparisonError          two evaluations cannot be compared                  → exit 2

Subclasses live beside the code that raises them when they carry fields of their own.
"""

from __future__ import annotations

_LONGEST = 800
_HEAD = 600


def printable(sentence: str) -> str:
    r"""A sentence for one line of a terminal: too long is cut, what is not printable is escaped.

    Files are untrusted, and so are the names and values that sentences quote from them.

    >>> print(printable("no column 'a" + chr(0x2028) + "b', found" + chr(27) + "[2J"))
    no column 'a\u2028b', found\x1b[2J
    """
    if len(sentence) > _LONGEST:
        sentence = f"{sentence[:_HEAD]} … {sentence[_HEAD - _LONGEST :]}"
    if sentence.isprintable():
        return sentence
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in sentence)


class LabkitError(Exception):
    """The base of every error that labkit raises on purpose."""

    def __str__(self) -> str:
        """The sentence, on one line."""
        return printable(super().__str__())


class InputError(LabkitError):
    """A file, a frame or a call is not what it should be.

    The message is one sentence: place, fault, way out. ``labkit`` prints it on stderr and
    exits with 2.

    >>> print(InputError.at("a.csv", 3, "no column 'fqcn'; found loc, method."))
    a.csv:3: no column 'fqcn'; found loc, method.
    """

    @classmethod
    def at(
        cls, source: str, line: int | None, message: str, *, column: int | None = None
    ) -> InputError:
        """Put the place in front of the sentence: ``source[:line[:column]]: message``."""
        place = ":".join(str(part) for part in (source, line, column) if part is not None)
        return cls(f"{place}: {message}")


class ChoiceError(LabkitError):
    """A reviewer's choice cannot be recorded; the card shows the sentence."""


class ComparisonError(LabkitError):
    """Two evaluations cannot be compared."""
