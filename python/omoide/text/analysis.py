"""What text analysis yields: a folded text and its words, the same way for writing and for asking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from omoide._engine import Question, Word

__all__ = ["Analysis", "Question", "Token", "Word"]

#: (term, start, end, whether it is a function word): code-point offsets [start, end) into the folded text.
Token = tuple[str, int, int, bool]


class Analysis(NamedTuple):
    """A text to be found. `folded` has been through width, case and character-variant folding.

    `terms` are to be indexed, repeats included, but a function word once: its repeats would only make the text seem
    longer, and what it is about thinner. `readings` are those of words with Han characters, in katakana.
    """

    folded: str
    terms: Sequence[str]
    readings: Sequence[str] = ()
