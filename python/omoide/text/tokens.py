"""How many tokens does a model read in a text? About as cl100k would count, rather too many than too few.

The real vocabulary is a download, or 78 MB in a package that carries it. tests/text/test_token_estimate.py holds the estimate against
real counts: never below, at most 1.4 times.
Useful for: budgets. Not useful for: billing, or rare names and languages, which models cut into smaller pieces.
"""

from __future__ import annotations

import math
import re

#: What cl100k cuts a text into before it looks anything up, near enough: words, numbers by three digits, signs, blanks.
_PIECE = re.compile(r"[^\W\d_]+|\d{1,3}| ?[^\s\w]+|_+|\s+")
#: What in a word is a token at least: a part of a camelCase name, a run of one script.
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[\u3041-\u30ff]+|[^\x00-\x7f\u3041-\u30ff]+")
#: Letters to a token, signs to a token, tokens to a kana and to any other character beyond ASCII.
LETTERS = 9
SIGNS = 3
PER_KANA = 1.0
PER_OTHER = 1.25


def tokens_of(text: str) -> int:
    """An upper estimate for text in English, Japanese or Chinese, prose or JSON."""
    return sum(map(_tokens_of_piece, _PIECE.findall(text)))


def _tokens_of_piece(piece: str) -> int:
    parts = _PART.findall(piece)
    if not parts:
        return 0 if piece == " " else math.ceil(len(piece.strip()) / SIGNS) or 1
    return sum(map(_tokens_of_part, parts))


def _tokens_of_part(part: str) -> int:
    if part.isascii():
        return math.ceil(len(part) / LETTERS)
    return math.ceil(len(part) * (PER_KANA if "\u3041" <= part[0] <= "\u30ff" else PER_OTHER))
