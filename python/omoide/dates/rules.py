"""Selects the rules that can read something beginning with a given word.

Useful for: the grammar, where most rules can begin with few words. Not useful for: what a rule finds.
Invariant: a rule that is left out would have found nothing.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

from omoide.dates import numbers
from omoide.dates.lexer import INSIDE, Tokens

Rule = TypeVar("Rule")

#: Kinds of words that begin a count (`numbers.cardinal`), a rank (`numbers.ordinal`), an amount (`lengths.amount`), and the
#: count and rank of a day: a number that may be a day also has the kind "small".
COUNT = "num cardinal"
RANK = f"{COUNT} ordinal nth_mark"
AMOUNT = f"{COUNT} half few"
DAY = "small cardinal"
DAY_RANK = f"{DAY} ordinal nth_mark"
_MOST_DAYS = 31


class Behind(NamedTuple):
    """What a rule needs after a number in digits or Han characters, which is one word: a word of one of the kinds in `some`,
    or else one of none of the kinds in `but`. A unit also has a kind of its own, as "unit:year", and the kind "counted" if the
    number can be so many of it; "inside": a word of INSIDE."""

    some: str = ""
    but: str = ""

    def met(self, kinds: set[str]) -> bool:
        """Whether a word of these kinds is what the rule needs."""
        return not kinds.isdisjoint(self.some.split()) or (self.but != "" and kinds.isdisjoint(self.but.split()))


class Rules(Generic[Rule]):
    """Rules in order, each with the kinds of words it can begin with, and what it needs after a number."""

    def __init__(self, *rules: tuple[Rule, str] | tuple[Rule, str, Behind]) -> None:
        self._rules = [(rule[0], frozenset(rule[1].split()), rule[2] if len(rule) > 2 else None) for rule in rules]
        #: A cache by the kinds of a word, and of the one after a number: the tables have few combinations.
        self._known: dict[tuple[Hashable, ...], tuple[Rule, ...]] = {}

    @property
    def all(self) -> list[Rule]:
        """Every rule."""
        return [rule for rule, _, _ in self._rules]

    @property
    def kinds(self) -> str:
        """Every kind of word that any of the rules can begin with."""
        return " ".join(sorted(frozenset[str]().union(*(needed for _, needed, _ in self._rules))))

    def beginning(self, tokens: Tokens, at: int) -> tuple[Rule, ...]:
        """The rules that can begin with the word there."""
        token = tokens.at(at)
        if token is None or not token.senses:
            return ()
        senses = token.senses
        number = senses.get("num")
        small = number is not None and number <= _MOST_DAYS
        behind = None if number is None else _behind(tokens, at + 1, number)
        key = (*senses, small, behind)
        found = self._known.get(key)
        if found is None:
            kinds = {*senses, "small"} if small else set(senses)
            found = self._known[key] = tuple(self._fitting(kinds, behind))
        return found

    def _fitting(self, kinds: set[str], behind: _Seen | None) -> list[Rule]:
        rules = [(rule, after) for rule, needed, after in self._rules if not needed.isdisjoint(kinds)]
        if behind is None:
            return [rule for rule, _ in rules]
        follows = _kinds(behind)
        return [rule for rule, after in rules if after is None or after.met(follows)]


def is_counted(tokens: Tokens, at: int, number: float) -> bool:
    """Whether the number in front of the unit at `at` says how many: 2004年 is a year; 一千年, 两千多年 and 2000 years are lengths."""
    if tokens.get(at, "unit") != "year" or not _LEAST_YEAR <= number <= _LAST_YEAR:
        return True
    before = tokens.word(at - 1)
    return numbers.is_round(before) or before in _OVER or tokens.word(at).endswith("s")


#: No year is meant by an earlier or later number with a unit, and by one that these words make approximate.
_LEAST_YEAR, _LAST_YEAR = 1000, 2100
_OVER = {"多", "余", "几", "数"}
#: The kinds of a word, and its unit or None.
_Seen = tuple[str | None, ...]


def _behind(tokens: Tokens, at: int, number: int) -> _Seen:
    token = tokens.at(at)
    if token is None:
        return ()
    senses = token.senses
    if not senses:
        return ("inside", None) if token.text in INSIDE else ()
    unit = senses.get("unit")
    return (*senses, "counted", unit) if unit is not None and is_counted(tokens, at, number) else (*senses, unit)


def _kinds(seen: _Seen) -> set[str]:
    *kinds, unit = seen or (None,)
    return {kind for kind in (*kinds, unit and f"unit:{unit}") if kind}
