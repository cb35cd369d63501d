"""Source lines as pieces of text with a kind each, for the card to colour."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pygments.lexers import get_lexer_for_filename
from pygments.token import Token
from pygments.util import ClassNotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pygments.lexer import Lexer

Piece = tuple[str, str]
"""A kind (``k`` keyword, ``s`` string, ``m`` number, ``c`` comment, ``n`` name) and a text."""

MAX_CHARACTERS = 60_000

_KINDS = (
    (Token.Comment, "c"),
    (Token.Keyword, "k"),
    (Token.Operator.Word, "k"),
    (Token.Literal.String, "s"),
    (Token.Literal.Number, "m"),
    (Token.Name.Decorator, "n"),
    (Token.Name.Function, "n"),
)


def highlight(file: str, lines: Sequence[str]) -> list[list[Piece]]:
    """Each line in pieces; put together they are the line, whatever language it is in.

    >>> highlight("A.java", ["int x = 1;"])
    [[('k', 'int'), ('', ' x = '), ('m', '1'), ('', ';')]]
    >>> highlight("notes", ["int x"])
    [[('', 'int x')]]
    """
    text = "\n".join(lines)
    lexer = _lexer(file.rpartition("/")[2])
    plain = [[("", line)] for line in lines]
    if lexer is None or len(text) > MAX_CHARACTERS:
        return plain
    found: list[list[Piece]] = [[]]
    for kind, piece in ((_kind(token), value) for token, value in lexer.get_tokens(text)):
        first, *more = piece.split("\n")
        found[-1].append((kind, first))
        found.extend([(kind, part)] for part in more)
    drawn = [_joined(pieces) for pieces in found[: len(lines)]]
    same = ["".join(t for _, t in pieces) for pieces in drawn] == list(lines)
    return drawn if same else plain


@lru_cache(maxsize=32)
def _lexer(name: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _kind(token: Any) -> str:
    return next((kind for parent, kind in _KINDS if token in parent), "")


def _joined(pieces: list[Piece]) -> list[Piece]:
    runs = groupby((p for p in pieces if p[1]), key=lambda piece: piece[0])
    return [(kind, "".join(text for _, text in run)) for kind, run in runs]
