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
        self._written = _Written(text, question)

    def of(self, terms: Iterable[str]) -> tuple[str, ...]:
        """The terms as written, in their order, without those that are part of another."""
        written = tuple(dict.fromkeys(map(self._written.__getitem__, terms)))
        # What is part of another stands in the text of all of them more than once.
        every = _BETWEEN.join(written)
        return tuple([each for each in written if every.count(each) == 1])


class _Written(dict[str, str]):
    """Term -> how it was written; hits share most of their terms, so each is looked for once."""

    def __init__(self, text: str, question: Question) -> None:
        self._folded = question.folded
        self._text = plain(text)  # the same length as `folded`: a place in one is a place in the other
        super().__init__({word.term: self._text[word.start : word.end] for word in question.words})

    def __missing__(self, term: str) -> str:
        at = self._folded.find(term)
        written = self[term] = term if at < 0 else self._text[at : at + len(term)]
        return written
