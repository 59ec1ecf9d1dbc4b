"""Text to tokens: which words of the tables and which numbers stand where?

Useful for: the grammar, which sees meanings and never spellings. Not useful for: word analysis of a text.
Invariant: tokens are in order and do not overlap; the work per character is bounded by the longest word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cache, cached_property
from heapq import merge
from typing import Any, NamedTuple

from omoide.dates import numbers
from omoide.dates.fold import fold
from omoide.dates.words import Senses, en, ja, zh

_SCAN = re.compile(r"(?P<space>\s+)|(?P<num>\d+)|(?P<word>[a-z]+)|(?P<other>.)", re.S)
_NUMERALS = re.compile(rf"[{numbers.CHARACTERS}]+")
#: Every date has a word of one of these kinds, or a digit.
_TELLING = (
    "unit month weekday day period vague now part season holiday edge_of eo todate decade era calendar_month new_year_day "
    "calendar_day halfyear cardinal ordinal"
).split()


#: A text of at most so many characters is read whole; of a longer one, what is so near to a telling word or digit.
SHORT_CHARS, REACH_CHARS = 2_000, 200
#: Pieces are not much longer, so that reading can end early.
PIECE_CHARS = 2_000
_DIGITS = re.compile(r"\d+")
#: Digits that may be a date without any telling word: a year, two numbers with a separator, 20240131, '98, the 18th,
#: 90s, Q3, 8pm, 12号.
_DATE_DIGITS = re.compile(
    r"(?<!\d)(?:1[5-9]|2[01])\d\d(?!\d)|\d\s?[-/.:~]\s?\d|(?<!\d)\d{6}(?:\d\d)?(?!\d)|'\d\d"
    r"|\d\s?(?:st|nd|rd|th|'?s|[ap]\.?\s?m|[号號日月年时時点點分])(?![a-z])"
    r"|(?<![a-z])(?:the|on|for|at|by|from|since|until|till|before|after|during|between|[qh]|[cf]y)\s?\d"
)
_GROUP = 10
#: Kinds of words that stand between the parts of a date or behind it, never in front.
_JOINING = frozenset("link to and closing by_then".split())
#: Names of months and days, ordinals and units that say no date by themselves.
_OFTEN_OTHERWISE = frozenset("may march mar second fall spring sun sat mon wed fri thu tue s d w y mo".split())


class Token(NamedTuple):
    """A word or number at [start, end) with its possible meanings; `glued` = no space before it."""

    text: str
    start: int
    end: int
    senses: Senses
    glued: bool


class Tokens:
    """The tokens of a folded text; asking beyond either end is answered with None."""

    def __init__(self, text: str) -> None:
        self.text = fold(text)
        self.all = list(_tokens(self.text))
        self._count = len(self.all)
        #: What was read already, by how it is read and where: a range and a plain date begin with the same term.
        self.memo: dict[tuple[Hashable, int], Any] = {}

    def __len__(self) -> int:
        return len(self.all)

    def at(self, at: int) -> Token | None:
        """The token, if there is one."""
        return self.all[at] if 0 <= at < self._count else None

    def get(self, at: int, kind: str) -> Any:
        """Its value in that meaning, or None."""
        return self.all[at].senses.get(kind) if 0 <= at < self._count else None

    def has(self, at: int, *kinds: str) -> bool:
        """Whether it has any of the meanings."""
        if not 0 <= at < self._count:
            return False
        senses = self.all[at].senses
        for kind in kinds:  # noqa: SIM110  (the hottest line: a generator would double its cost)
            if kind in senses:
                return True
        return False

    def may_begin(self, at: int) -> bool:
        """Whether a date may begin with it: not with what only joins."""
        return not self.all[at].senses.keys() <= _JOINING

    def glued(self, at: int) -> bool:
        """Whether it stands directly behind the token before it."""
        return 0 < at < len(self.all) and self.all[at].glued

    def index_at(self, offset: int, start: int) -> int:
        """The first token, from `start` on, that begins at or after the offset."""
        at = start
        while at < len(self.all) and self.all[at].start < offset:
            at += 1
        return at


def may_hold_date(text: str, *, surely: bool = False) -> bool:
    """False when no date can be in the text: no telling word, and no digits as dates have them; `surely`: when none can
    be that is sure to be one."""
    folded, hint = fold(text), _hint()
    words = _LATIN.findall(folded)
    telling = hint.latin.intersection(words)
    digits = _DIGITS.search(folded) is not None
    if not telling <= _OFTEN_OTHERWISE or (telling and hint.weak.search(folded) is not None):
        return True
    if not folded.isascii() and any(hint.places(folded, surely=surely)):
        return True
    return digits and _DATE_DIGITS.search(folded) is not None


def stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where dates may be, as [start, end): the whole of a short text, what is near telling words and digits of a long."""
    if not may_hold_date(text):
        return iter(())
    if len(text) <= SHORT_CHARS:
        return iter([(0, len(text))])
    folded, hint = fold(text), _hint()
    latin = (found.start() for found in _LATIN.finditer(folded) if found.group() in hint.latin)
    digits = (found.start() for found in _DIGITS.finditer(folded))
    other = (found.start() for found in hint.places(folded))
    return _joined(merge(latin, digits, other), len(text))


def _joined(places: Iterator[int], length: int) -> Iterator[tuple[int, int]]:
    """What lies within reach of the places (ascending), joined where it meets, up to a piece's length at a time."""
    start = end = 0
    for place in places:
        if place - REACH_CHARS > end or end - start >= PIECE_CHARS:
            if end > start:
                yield start, end
            start = max(place - REACH_CHARS, end)
        end = min(place + REACH_CHARS, length)
    if end > start:
        yield start, end


class _Lexicon(NamedTuple):
    words: dict[str, Senses]
    lengths: dict[str, tuple[int, ...]]
    phrases: dict[str, list[str]]


@cache
def _lexicon() -> _Lexicon:
    words: dict[str, Senses] = defaultdict(dict)
    for table in (en.WORDS, zh.WORDS, ja.WORDS):
        for kind, values in table.items():
            for value, spelled in values.items():
                for word in spelled.split():
                    words[fold(word).replace("_", " ")].setdefault(kind, value)
    lengths: dict[str, set[int]] = defaultdict(set)
    phrases: dict[str, list[str]] = defaultdict(list)
    for word in words:
        first = re.match(r"[a-z]+", word)
        if first and first.group() != word:
            phrases[first.group()].append(word)
        elif not first:
            lengths[word[0]].add(len(word))
    return _Lexicon(
        dict(words),
        {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()},
        dict(phrases),
    )


@cache
def _phrases(first: str) -> re.Pattern[str]:
    """Those that begin with a word, the longest first: made when a text has the word."""
    longest = sorted(_lexicon().phrases[first], key=len, reverse=True)
    spelled = (re.escape(one).replace(r"\ ", r"\s+") + (r"(?![a-z])" if one[-1].isalpha() else "") for one in longest)
    return re.compile("|".join(spelled))


_LATIN = re.compile(r"[a-z]+")


class _Hint:
    """What tells that a text may hold a date. A pattern of so many words takes as long to make as a thousand searches: each
    is made for the first text that gets as far."""

    def __init__(self, words: Mapping[str, Senses]) -> None:
        telling = [word for word, senses in words.items() if any(kind in senses for kind in _TELLING)]
        latin = {word for word in telling if _LATIN.fullmatch(word)}
        # A phrase without a telling word of its own ("at the moment") is told by its last word.
        latin |= {parts[-1] for word in telling if (parts := _LATIN.findall(word)) and latin.isdisjoint(parts)}
        self.latin = frozenset(latin)
        self._other = [word for word in telling if not word.isascii()]

    def places(self, folded: str, *, surely: bool = False) -> Iterator[re.Match[str]]:
        """Telling words that are not Latin; `surely`: those that are sure to be of a date."""
        for opening in self.opening.finditer(folded):
            words = self.sure if surely else self.other
            if found := words.match(folded, opening.start()):
                yield found

    @cached_property
    def weak(self) -> re.Pattern[str]:
        """A word that often says something else, beside what makes a date of it."""
        joins = {"here", "skip", "link", "and", "one"}
        beside = {word for word, senses in _lexicon().words.items() if word.isascii() and not senses.keys() <= joins}
        return _weak_pattern(beside)

    @cached_property
    def opening(self) -> re.Pattern[str]:
        """What any of them begins with: a class of characters alone is searched for ten times as fast as the words."""
        return re.compile(f"[{_class_of({word[0] for word in self._other})}]")

    @cached_property
    def other(self) -> re.Pattern[str]:
        """Any telling word that is not Latin."""
        return re.compile(_any_of(self._other))

    @cached_property
    def sure(self) -> re.Pattern[str]:
        """Any of them that is sure to be of a date."""
        return _sure_pattern(self._other)


@cache
def _hint() -> _Hint:
    return _Hint(_lexicon().words)


def _sure_pattern(other: Iterable[str]) -> re.Pattern[str]:
    """Any of the words, but a unit, a season or a part of a day in one character only beside what makes a date of it: 日 not
    in 日本, 春 not in 春子."""
    words = {word: senses for word, senses in _lexicon().words.items() if not word.isascii()}
    single = {word for word in other if len(word) == 1 and words[word].keys() <= {"unit", "season", "part"}}
    before = {word[-1] for word in words} | {*numbers.CHARACTERS}
    after = {word[0] for word, senses in words.items() if senses.keys() & {"edge", "edge_of", "bound", "halved"}}
    singles, before_them, behind_them = map(_class_of, (single, before, after | {*numbers.CHARACTERS}))
    longer = _any_of(word for word in other if word not in single)
    return re.compile(rf"(?:(?<=[\s\d{before_them}])[{singles}]|[{singles}](?=の?[{behind_them}])|{longer})")


def _class_of(characters: Iterable[str]) -> str:
    return re.escape("".join(sorted(characters)))


def _weak_pattern(beside: Iterable[str]) -> re.Pattern[str]:
    """A word that often says something else, beside a number or another word of dates: 8 May, last fall, Sat morning."""
    weak = f"(?:{'|'.join(sorted(_OFTEN_OTHERWISE))})"
    other = "|".join(sorted((re.escape(word) for word in beside if _LATIN.fullmatch(word)), key=len, reverse=True))
    return re.compile(
        rf"(?<![a-z])(?:{other})[\s,.]+(?:the\s+)?{weak}(?![a-z])|\d(?:st|nd|rd|th)?[\s,./-]*(?:of\s+)?{weak}(?![a-z])"
        rf"|(?<![a-z]){weak}[\s,./'-]*(?:\d|(?:the\s+)?(?:{other})(?![a-z]))"
    )


def _any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words that looks at each character once."""
    rest: dict[str, list[str]] = defaultdict(list)
    for word in words:
        if not word:
            return ""  # a shorter word is found already
        rest[word[0]].append(word[1:])
    spelled = [re.escape(first) + _any_of(after) for first, after in rest.items()]
    # A place is compared with one group of beginnings after the other, not with each of a hundred.
    groups = [range(at, min(at + _GROUP, len(spelled))) for at in range(0, len(spelled), _GROUP)]
    if len(groups) > 1:
        firsts = [re.escape(first) for first in rest]
        chosen = ("".join(firsts[at] for at in group) for group in groups)
        spelled = [
            f"(?=[{first}])(?:{'|'.join(spelled[at] for at in group)})"
            for first, group in zip(chosen, groups, strict=True)
        ]
    return "(?:" + "|".join(spelled) + ")"


def _tokens(text: str) -> Iterator[Token]:
    place, glued = 0, False
    while found := _SCAN.match(text, place):
        place = found.end()
        if found.lastgroup == "space":
            glued = False
            continue
        token = _READERS[found.lastgroup or "other"](text, found, glued)
        place, glued = token.end, True
        yield token


def _number(text: str, found: re.Match[str], glued: bool) -> Token:
    digits = found.group()
    senses: Senses = {"num": int(digits)} if len(digits) <= 8 else {}
    return Token(digits, found.start(), found.end(), senses, glued)


def _word(text: str, found: re.Match[str], glued: bool) -> Token:
    lexicon = _lexicon()
    leads = found.group() in lexicon.phrases
    longer = _phrases(found.group()).match(text, found.start()) if leads else None
    if longer:
        known = re.sub(r"\s+", " ", longer.group())
        return Token(known, found.start(), longer.end(), lexicon.words[known], glued)
    return Token(found.group(), found.start(), found.end(), lexicon.words.get(found.group(), {}), glued)


def _other(text: str, found: re.Match[str], glued: bool) -> Token:
    lexicon, start = _lexicon(), found.start()
    for length in lexicon.lengths.get(found.group(), ()):
        word = text[start : start + length]
        senses = lexicon.words.get(word)
        if senses is not None:
            return Token(word, start, start + len(word), senses, glued)
    numerals = _NUMERALS.match(text, start)
    if numerals:
        return _han_number(text, start, numerals.end(), glued)
    return Token(found.group(), start, found.end(), {}, glued)


def _han_number(text: str, start: int, end: int, glued: bool) -> Token:
    """第一四半期 is the first quarter, not the fourteenth half."""
    if end - start > 1 and text[end - 1] == "四" and text.startswith("半期", end):
        end -= 1
    return Token(text[start:end], start, end, numbers.senses(text[start:end]), glued)


_READERS = {"num": _number, "word": _word, "other": _other}
