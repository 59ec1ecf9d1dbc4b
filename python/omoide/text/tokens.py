"""Estimates how many tokens a text has for a model: about as many as cl100k counts, rather too many than too few.

The real vocabulary is a download, or a package of 78 MB. tests/text/test_token_estimate.py compares the estimate with real
counts: never below, at most 1.4 times. Useful for: budgets. Not useful for: billing, or rare names and languages, which
models cut into smaller pieces.
"""

from __future__ import annotations

import math
import re

#: Roughly the pieces that cl100k splits a text into first: words, numbers by three digits, signs, blanks.
_PIECE = re.compile(r"[^\W\d_]+|\d{1,3}| ?[^\s\w]+|_+|\s+")
#: Parts of a word that are at least one token each: parts of a camelCase name, runs of one script.
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[\u3041-\u30ff]+|[^\x00-\x7f\u3041-\u30ff]+")
#: Letters in a token, signs in a token, tokens for a kana and for any other character beyond ASCII.
LETTERS = 9
SIGNS = 3
PER_KANA = 1.0
PER_OTHER = 1.25


def tokens_of(text: str) -> int:
    """An upper estimate of the tokens of a text in English, Japanese or Chinese, prose or JSON."""
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
