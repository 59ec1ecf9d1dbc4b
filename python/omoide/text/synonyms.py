"""Adds the user's synonyms to a query.

Useful for: queries. Not useful for: documents, which are indexed without them, so that a changed group takes effect at once.
Invariant: a group never makes a query find less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from omoide import _engine
from omoide.text.analysis import Question, Word

#: Weights of a synonym, where the word of the query has 1: as a word, by each of its grams, and by all of these at most.
#: Together they are less than 1, so that the query's own word comes first.
SYNONYM_WEIGHT = 0.5
SYNONYM_GRAM_WEIGHT = 0.1
SYNONYM_GRAMS_WEIGHT = 0.4

#: (start, end, the index of the group found there)
Match = tuple[int, int, int]


class Synonyms:
    """Groups of folded members; `content_terms` returns the terms of a text that are worth searching for."""

    def __init__(self, groups: Sequence[tuple[str, ...]], content_terms: Callable[[str], list[str]]) -> None:
        self._groups = groups
        self._content_terms = content_terms

    def added_to(self, question: Question) -> Question:
        """The question with the synonyms of its words and phrases."""
        folded = question.folded
        synonyms: dict[tuple[str, int, int], None] = {}
        texts: dict[str, None] = {}
        for start, end, group in self._matches(folded, question.words):
            for member in self._groups[group]:
                if member != folded[start:end]:
                    texts[member] = None
                    for term in self._terms[member]:
                        synonyms[term, start, end] = None
        words = [Word(term, start, end, SYNONYM_WEIGHT) for term, start, end in synonyms]
        return question.with_synonyms(words, [(text, self._gram_weights[text]) for text in texts])

    def _matches(self, folded: str, words: Iterable[Word]) -> Iterable[Match]:
        """The members that occur in the query as they are, or as one word in another form."""
        members = [
            (member, group) for group, members_of_group in enumerate(self._groups) for member in members_of_group
        ]
        matches = {(start, end, members[number][1]): None for number, start, end in self._phrases.find(folded)}
        for word in words:
            matches |= {(word.start, word.end, group): None for group in self._by_term.get(word.term, ())}
        return matches

    @cached_property
    def _terms(self) -> dict[str, list[str]]:
        return {member: self._content_terms(member) for group in self._groups for member in group}

    @cached_property
    def _gram_weights(self) -> dict[str, float]:
        return {member: _gram_weight(member) for member in self._terms}

    @cached_property
    def _by_term(self) -> dict[str, set[int]]:
        groups: dict[str, set[int]] = defaultdict(set)
        for number, group in enumerate(self._groups):
            for member in group:
                if len(terms := self._terms[member]) == 1:
                    groups[terms[0]].add(number)
        return groups

    @cached_property
    def _phrases(self) -> _engine.Phrases:
        return _engine.Phrases([member for group in self._groups for member in group])


def _gram_weight(text: str) -> float:
    """The weight of each gram of a synonym."""
    return min(SYNONYM_GRAM_WEIGHT, SYNONYM_GRAMS_WEIGHT / max(1, len(_engine.grams(text))))
