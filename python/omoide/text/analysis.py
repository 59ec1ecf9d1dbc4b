"""The results of text analysis, for documents and for queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from omoide._engine import Question, Word

__all__ = ["Analysis", "Question", "Token", "Word"]

#: (term, start, end, whether it is a function word): code-point offsets [start, end) into the folded text.
Token = tuple[str, int, int, bool]


class Analysis(NamedTuple):
    """A document's text, analysed. `folded`: the text after folding of width, case and character variants.

    `terms`: the terms to index, with repeats, but each function word once: its repeats would only make the text seem longer
    and its subject less frequent. `readings`: those of words with Han characters, in katakana.
    """

    folded: str
    terms: Sequence[str]
    readings: Sequence[str] = ()
