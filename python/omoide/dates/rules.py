"""Which of many rules can read something that begins with this word?

Useful for: the grammar, where most words begin nothing that most rules look for. Not useful for: what a rule finds.
Invariant: a rule that is left out would have found nothing.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from omoide.dates.words import Senses

Rule = TypeVar("Rule")

#: Kinds of the words that a count begins with (`numbers.cardinal`), a rank (`numbers.ordinal`), an amount
#: (`lengths.amount`).
COUNT = "num cardinal"
RANK = f"{COUNT} ordinal nth_mark"
AMOUNT = f"{COUNT} half few"


class Rules(Generic[Rule]):
    """Rules in their order, each with the kinds of words of which it needs one first."""

    def __init__(self, *rules: tuple[Rule, str]) -> None:
        self._rules = [(rule, frozenset(kinds.split())) for rule, kinds in rules]
        #: By the kinds of a word: the tables have few combinations.
        self._known: dict[tuple[str, ...], tuple[Rule, ...]] = {}

    @property
    def all(self) -> list[Rule]:
        """Every rule."""
        return [rule for rule, _ in self._rules]

    @property
    def kinds(self) -> str:
        """Every kind of word that one of them can begin with."""
        return " ".join(sorted(frozenset[str]().union(*(needed for _, needed in self._rules))))

    def beginning(self, senses: Senses) -> tuple[Rule, ...]:
        """Those that can begin with a word of these meanings."""
        kinds = tuple(senses)
        found = self._known.get(kinds)
        if found is None:
            found = tuple(rule for rule, needed in self._rules if not needed.isdisjoint(kinds))
            self._known[kinds] = found
        return found
