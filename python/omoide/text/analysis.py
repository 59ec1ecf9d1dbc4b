"""What text analysis yields: a folded text and its words, the same way for writing and for asking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from omoide._engine import Question, Word

__all__ = ["Analysis", "Piece", "Question", "Terms", "Token", "Word"]

#: (term, start, end, whether it is a function word): code-point offsets [start, end) into the folded text.
Token = tuple[str, int, int, bool]
#: Tokens of a part of the text, with the offset that theirs count from.
Piece = tuple[int, Sequence[Token]]


class Analysis(NamedTuple):
    """A text to be found. `folded` has been through width, case and character-variant folding.

    `terms` are to be indexed, repeats included, but a function word once: its repeats would only make the text seem
    longer, and what it is about thinner. `readings` are those of words with Han characters, in katakana.
    """

    folded: str
    terms: Sequence[str]
    readings: Sequence[str] = ()


class Terms:
    """The terms of a text on their way into an Analysis."""

    def __init__(self) -> None:
        self.telling: list[str] = []
        self.function: dict[str, None] = {}
        self.readings: list[str] = []

    def add(self, tokens: Iterable[Token]) -> None:
        """From words with places."""
        for token in tokens:
            if token[3]:
                self.function[token[0]] = None
            else:
                self.telling.append(token[0])

    def analysis(self, folded: str) -> Analysis:
        """What has come together."""
        return Analysis(folded, [*self.telling, *self.function], self.readings)
