"""How did the caller write a term? From folded index terms back to the text they were asked in."""

from __future__ import annotations

from collections.abc import Iterable

from omoide.text.analysis import Question
from omoide.text.normalise import plain

#: Stands in no word.
_BETWEEN = "\0"


class Spelling:
    """The words of one query as they were written (width and case aside)."""

    def __init__(self, text: str, question: Question) -> None:
        self._folded = question.folded
        self._written = plain(text)  # the same length as `folded`: a place in one is a place in the other
        self._words = {word.term: self._written[word.start : word.end] for word in question.words}

    def of(self, terms: Iterable[str]) -> tuple[str, ...]:
        """The terms as written, in their order, without those that are part of another."""
        written = tuple(dict.fromkeys(map(self._one, terms)))
        # What is part of another stands in the text of all of them more than once.
        every = _BETWEEN.join(written)
        return tuple(each for each in written if every.count(each) == 1)

    def _one(self, term: str) -> str:
        if term in self._words:
            return self._words[term]
        at = self._folded.find(term)
        return term if at < 0 else self._written[at : at + len(term)]
