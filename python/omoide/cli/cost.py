"""How many tokens does it cost a conversation that a tool is listed?

Name, description and input schema as JSON, counted as cl100k would count them, rather too many than too few: the real
vocabulary is a download, or 78 MB in a package that carries it. Of the tools of this server the estimate is 5 % above the
real count in all (15 % where descriptions are Japanese, never more than 3 % below); tests/cli/test_cost.py holds it
against real counts.

Useful for: budgets, and choosing tools. Not useful for: billing, or prose of other kinds.
"""

from __future__ import annotations

import json
import math
import re

from omoide.families.tool import Tool

#: What cl100k cuts a text into before it looks anything up, near enough: words, numbers by three digits, signs, blanks.
_PIECE = re.compile(r"[^\W\d_]+|\d{1,3}| ?[^\s\w]+|_+|\s+")
#: What in a word is a token at least: a part of a camelCase name, a run of one script.
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[\u3041-\u30ff]+|[^\x00-\x7f\u3041-\u30ff]+")
#: Letters to a token, signs to a token, tokens to a kana and to any other character beyond ASCII.
LETTERS = 9
SIGNS = 3
PER_KANA = 1.0
PER_OTHER = 1.25


def tokens_to_list(tool: Tool) -> int:
    """Tokens of what a client is shown of a tool to call it by."""
    shown = {"name": tool.name, "description": tool.description, "inputSchema": dict(tool.input_schema)}
    return tokens_of(json.dumps(shown, ensure_ascii=False))


def tokens_of(text: str) -> int:
    """An upper estimate for a JSON text with descriptions in English, Japanese or Chinese."""
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
