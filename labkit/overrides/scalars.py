"""Text as a YAML scalar that every reader, of YAML 1.1 or 1.2, takes for the same text."""

from __future__ import annotations

from typing import Literal

from labkit.errors import InputError

Quoting = Literal["plain", "single", "double"]

_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"])
_SHORT = {
    "\0": "\\0",
    "\t": "\\t",
    "\n": "\\n",
    "\r": "\\r",
    "\x1b": "\\e",
    '"': '\\"',
    "\\": "\\\\",
}
_BYTE, _WORD = 0x100, 0x10000


def is_plain(text: str, *, flow: bool = False) -> bool:
    """Whether the text needs no quotes in any reader.

    Deliberately narrow: a name that starts with a letter, ``_``, ``$`` or ``<``, prints, and
    looks like no boolean, null, number, key, comment or list of either YAML version.

    >>> [word for word in ("login", "<init>", "no", "1e3", "a: b", "=") if is_plain(word)]
    ['login', '<init>']
    """
    if not text or not (text[0].isalpha() or text[0] in "_$<") or text.startswith("<<"):
        return False
    if not text.isprintable() or text.endswith((" ", ":")) or text.lower() in _WORDS:
        return False
    if ": " in text or " #" in text:
        return False
    return not flow or not any(mark in text for mark in ",[]{}:\"'")


def double(text: str) -> str:
    r"""Double quotes; what does not print is escaped, the rest stays as it is.

    >>> print(double('Zeile\n"zwei"'))
    "Zeile\n\"zwei\""

    Raises:
        InputError: The text holds half of a surrogate pair, which no YAML file can hold.
    """
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if character.isprintable():
        return character
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004  # the surrogates' range
        raise InputError(
            f"character U+{code:04X} is half of a pair; it cannot be written: remove it."
        )
    if code < _BYTE:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < _WORD else f"\\U{code:08X}"


def single(text: str) -> str:
    """Single quotes where the text prints in one line, double quotes otherwise."""
    if not text.isprintable():
        return double(text)
    return "'" + text.replace("'", "''") + "'"


def scalar(
    text: str, quoting: Quoting = "plain", *, flow: bool = False, fallback: Quoting = "double"
) -> str:
    """Write the text in the wanted quotes, or in more of them where it needs them.

    >>> scalar("login"), scalar("no"), scalar("no", fallback="single"), scalar("a", "double")
    ('login', '"no"', "'no'", '"a"')
    """
    if quoting == "plain":
        if is_plain(text, flow=flow):
            return text
        quoting = fallback
    return single(text) if quoting == "single" else double(text)
