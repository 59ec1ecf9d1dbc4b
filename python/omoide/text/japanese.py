"""Japanese words: an analyser cuts a line into words, and gives the terms of each word once.

There are two, with one interface: SudachiPy (default: normalised forms, long and short units) and fugashi.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import count
from typing import Any, NamedTuple, Protocol

from omoide import _engine
from omoide.errors import InvalidArgument, Unavailable
from omoide.text import english, meanings
from omoide.text.analysis import Token
from omoide.text.detect import has_cjk, has_han, has_kana
from omoide.text.normalise import fold
from omoide.text.tables import latin_of

#: Parts of speech that are not searched for: particles, auxiliaries, symbols.
FUNCTION_POS = frozenset({"助詞", "助動詞", "補助記号", "記号", "空白"})
#: Other words that are not searched for either, by surface or normalised form: interrogatives, demonstratives, light verbs and nouns,
#: and what is said before words (お, ご) or after names out of politeness.
LIGHT = frozenset(
    "どこ 何処 いつ 誰 何 何故 なぜ どう 如何 どれ どの どちら どっち どんな どなた 何方 幾ら 幾 幾つ 何時 何人 何年 何月 何曜 何色 "
    "此の 其の 此れ 其れ 為る 有る 居る 成る 事 こと 為 御 さん 様 ちゃん".split()
)
#: Characters of a line that are cut at a time: Sudachi takes 49,149 bytes, and most characters have three.
CHUNK_CHARS = 8_000
#: Shorter words are not taken apart.
SHORTEST_COMPOUND = 3
#: Shorter readings are not indexed, as too many words share them.
SHORTEST_READING = 2
#: Size of the cache of word numbers in fugashi's analyser, as texts repeat their words.
MOST_NUMBERED = 200_000
_SENTENCE_ENDS = "。！？!?\n、 "


class Unit(NamedTuple):
    """A word for the index: its tokens and readings, with those of its parts; offsets count from the start of the word."""

    tokens: list[Token]
    readings: list[Token]


class JapaneseAnalyzer(Protocol):
    """Cuts a line; safe from any thread."""

    def line(self, text: str) -> _engine.JapaneseLine:
        """The line, cut into words."""
        ...


def analyzer(name: str) -> JapaneseAnalyzer:
    """The analyser with that name. Raises InvalidArgument."""
    if name not in ANALYZERS:
        known = " and ".join(ANALYZERS)
        raise InvalidArgument("japanese", f"No Japanese analyser named {name!r}.", hint=f"There are {known}.")
    return ANALYZERS[name]()


def is_installed(name: str) -> bool:
    """Whether the library of the analyser with that name can be loaded."""
    return name in LIBRARIES and find_spec(LIBRARIES[name][0]) is not None


def lines(analyzer: JapaneseAnalyzer, line: str, offset: int) -> list[tuple[int, _engine.JapaneseLine]]:
    """(start, line) of a line at `offset`, in pieces if it is longer than an analyser takes."""
    if len(line) <= CHUNK_CHARS:
        return [(offset, analyzer.line(line))]
    return [(offset + at, analyzer.line(chunk)) for at, chunk in chunks(line)]


def chunks(line: str) -> Iterator[tuple[int, str]]:
    """(offset, part) of a long line, cut after the last sentence end that fits."""
    start = 0
    while len(line) - start > CHUNK_CHARS:
        window = line[start : start + CHUNK_CHARS]
        cut = max(window.rfind(mark) for mark in _SENTENCE_ENDS) + 1 or CHUNK_CHARS
        yield start, window[:cut]
        start += cut
    yield start, line[start:]


class Form(NamedTuple):
    """An analyser's result for a word, or for a part of one; `start` counts from the start of the word."""

    start: int
    surface: str
    normalised: str
    reading: str
    function: bool


def unit(forms: Iterable[Form]) -> Unit:
    """The unit of a word, given with its parts."""
    tokens: list[Token] = []
    readings: list[Token] = []
    # Words without Han characters and kana get their terms elsewhere.
    for form in (form for form in forms if has_cjk(form.surface)):
        end = form.start + len(form.surface)
        tokens += [(term, form.start, end, form.function) for term in _terms(_written(form), form.function)]
        if not form.function and len(form.reading) >= SHORTEST_READING and has_han(form.surface):
            readings.append((fold(form.reading), form.start, end, False))
    return Unit(tokens, readings)


def _written(form: Form) -> tuple[str, ...]:
    is_same = form.normalised == form.surface or _is_number(form.normalised)
    return (form.surface,) if is_same else (form.normalised, form.surface)


@lru_cache(maxsize=65_536)
def _terms(forms: tuple[str, ...], function: bool) -> tuple[str, ...]:
    """The folded forms, also without a long vowel mark at the end; for a loanword, also the Latin words it comes from. A word with
    Han characters or hiragana that is in a group of the same meaning (東京, 食べる, いとこ) has the term of the group instead."""
    latin = () if function else latin_of(forms[0])
    folded = [_bare(fold(form)) for form in forms]
    # Not はさみ of はさみました, which is 挟む.
    telling = [form for form in forms if has_han(form) or form == forms[0]]
    same = [first for form in telling if (first := _not_in_katakana().get(meanings.key(form)))]
    shortened = [form[:-1] for form in folded if form.endswith("ー") and len(form) > SHORTEST_COMPOUND]
    words = same or (*folded, *shortened, *_in_katakana(forms))
    return tuple(dict.fromkeys(english.term(word)[0] for word in (*words, *latin)))


def _in_katakana(forms: Sequence[str]) -> list[str]:
    """The group of the katakana that a word is normalised to (らーめん: ラーメン), if it is written otherwise."""
    groups, (normalised, *written) = meanings.in_japanese(), forms
    if has_han(normalised) or not written or written[0] in groups:
        return []  # found by its characters, as katakana are without a dictionary
    return [groups[normalised]] if normalised in groups else []


@lru_cache(maxsize=1)
def _not_in_katakana() -> Mapping[str, str]:
    """The words in groups of the same meaning, and the first word of each group, but for those in katakana alone, which are found
    without a dictionary."""
    groups = meanings.in_japanese().items()
    return {word: first for word, first in groups if has_han(word) or "ぁ" <= word[0] <= "ゖ"}


def _bare(form: str) -> str:
    """What a word is normalised to in Latin letters (ワイファイ: wi-fi), as one word, without signs."""
    return "".join(filter(str.isalnum, form)) if form.isascii() else form


def _is_number(normalised: str) -> bool:
    """Whether it was normalised to a number (三 to 3); numbers are read elsewhere, in the same way for every language."""
    return normalised.isascii() and normalised.isdigit()


class Sudachi:
    """SudachiPy with the small dictionary: long units, their parts where they differ, normalised forms."""

    def __init__(self) -> None:
        self._load_lock = threading.Lock()
        self._dictionary: Any = None
        self._local = threading.local()
        self._words = _engine.JapaneseWords()

    def line(self, text: str) -> _engine.JapaneseLine:
        """See JapaneseAnalyzer. A word's forms are cached: to get them takes longer than to cut the line."""
        tokenizer, kinds = self._tools()
        morphemes = tokenizer.tokenize(text)
        places = [(each.word_id(), each.begin()) for each in morphemes]
        # A text without kana may be Chinese, which has other words of two characters (内存).
        seconds = _seconds_of_names(text, morphemes, places, kinds) if has_kana(text) else ()
        firsts = [at for at in range(len(places)) if at not in seconds] if seconds else range(len(places))
        line = self._words.line(text, [places[at] for at in firsts] if seconds else places)
        if unknown := line.unknown:
            units = [
                _name(morphemes[at], morphemes[at + 1])
                if at + 1 in seconds
                else _unit(morphemes[at], kinds.is_function)
                for at in map(firsts.__getitem__, unknown)
            ]
            return self._words.learned(line, units)
        return line

    def _tools(self) -> tuple[Any, Kinds]:
        """A tokeniser and tests for kinds of words, of this thread; threads share only the dictionary."""
        tools = getattr(self._local, "tools", None)
        if tools is None:
            from sudachipy import Dictionary, SplitMode

            with self._load_lock:
                if self._dictionary is None:
                    self._dictionary = Dictionary(dict="small")
            of_kind = self._dictionary.pos_matcher
            kinds = Kinds(
                is_function=of_kind(lambda pos: pos[0] in FUNCTION_POS),
                is_noun=of_kind(lambda pos: pos[0] == "名詞"),
                is_number=of_kind(lambda pos: pos[1] == "数詞"),
                is_surname=of_kind(lambda pos: pos[2:4] == ("人名", "姓")),
                is_given_name=of_kind(lambda pos: pos[2:4] == ("人名", "名")),
            )
            tools = self._local.tools = (self._dictionary.tokenizer(mode=SplitMode.C), kinds)
        return tools


class Kinds(NamedTuple):
    """Sudachi's tests of a word for its part of speech."""

    is_function: Any
    is_noun: Any
    is_number: Any
    is_surname: Any
    is_given_name: Any


#: Two Han characters that stand alone.
_PAIR = re.compile("(?<![一-鿿])[一-鿿]{2}(?![一-鿿])")


def _seconds_of_names(text: str, morphemes: Any, places: Sequence[tuple[int, int]], kinds: Kinds) -> set[int]:
    """Which words are the second character of a name of two that is cut between them (李明, 王伟, 森翔)."""
    starts = [pair.start() for pair in _PAIR.finditer(text)]
    word_at = {start: at for at, (_, start) in enumerate(places)} if starts else {}
    return {
        word_at[start + 1]
        for start in starts
        if start in word_at
        and start + 1 in word_at
        and morphemes[word_at[start + 1]].end() == start + 2
        and _is_name(morphemes[word_at[start]], morphemes[word_at[start + 1]], kinds)
    }


def _is_name(first: Any, second: Any, kinds: Kinds) -> bool:
    """Whether these are a name: of a character that the dictionary does not know, the other one tells."""
    if first.surface() in LIGHT:
        return False  # 何章, though 何 is a surname, too
    if kinds.is_given_name(second):
        return bool(kinds.is_surname(first))
    # Numbers are not in the dictionary either.
    return bool(second.is_oov() and kinds.is_noun(first) and not kinds.is_number(second))


def _name(first: Any, second: Any) -> Unit:
    """The unit of a name that was cut in two: one word, as in Chinese, with its characters as parts, so that 李さん finds it."""
    forms = [_form(each, at, True) for at, each in enumerate((first, second))]
    whole, reading = first.surface() + second.surface(), "".join(each.reading for each in forms)
    return unit([Form(0, whole, whole, reading, False), *forms])


def _unit(morpheme: Any, is_function: Any) -> Unit:
    from sudachipy import SplitMode

    is_compound = len(morpheme.surface()) >= SHORTEST_COMPOUND
    parts = morpheme.split(SplitMode.A, add_single=False) if is_compound else ()
    start = morpheme.begin()
    return unit(_form(each, each.begin() - start, is_function(each)) for each in (morpheme, *parts))


def _form(morpheme: Any, start: int, function: bool) -> Form:
    surface, normalised = morpheme.surface(), morpheme.normalized_form()
    return Form(start, surface, normalised, morpheme.reading_form(), function or _is_light(surface, normalised))


def _is_light(surface: str, normalised: str) -> bool:
    return surface in LIGHT or normalised in LIGHT


class Fugashi:
    """MeCab through fugashi with a UniDic dictionary: surfaces and lemmas."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._words = _engine.JapaneseWords()
        #: The number of each word, by the line that MeCab prints for it; no number is used twice.
        self._numbers: dict[str, int] = {}
        self._next = count()

    def line(self, text: str) -> _engine.JapaneseLine:
        """See JapaneseAnalyzer. MeCab prints all words to one string, which is cheaper than an object for each."""
        tagger = self._tagger()
        printed = tagger.parse(text).split("\n")
        del printed[-1]
        line = self._words.line(text, list(self._cut(text, printed)))
        if unknown := line.unknown:
            tagged = tagger(text)
            return self._words.learned(line, [_unit_of(tagged[index]) for index in unknown])
        return line

    def _cut(self, text: str, printed: Iterable[str]) -> Iterator[tuple[int, int]]:
        at = 0
        for each in printed:
            surface = each.partition("\t")[0]
            start = text.index(surface, at)
            at = start + len(surface)
            yield self._number(each), start

    def _number(self, printed: str) -> int:
        number = self._numbers.get(printed)
        if number is not None:
            return number
        if len(self._numbers) >= MOST_NUMBERED:
            self._numbers.clear()
        return self._numbers.setdefault(printed, next(self._next))

    def _tagger(self) -> Any:
        tagger = getattr(self._local, "tagger", None)
        if tagger is None:
            try:
                from fugashi import Tagger

                tagger = self._local.tagger = Tagger()
            except (ImportError, RuntimeError) as error:  # RuntimeError: it finds no dictionary
                raise Unavailable(
                    "The Japanese analyser fugashi, or its dictionary, is not installed.",
                    hint="Install it with: pip install 'omoide[fugashi]'",
                    also={
                        "ja": "日本語の解析器 fugashi またはその辞書がインストールされていません。pip install 'omoide[fugashi]' で入ります。",
                        "zh": "日语分析器 fugashi 或其词典没有安装。可用 pip install 'omoide[fugashi]' 安装。",
                    },
                ) from error
        return tagger


def _unit_of(word: Any) -> Unit:
    feature = word.feature
    # Lemmas of loanwords carry their origin: コンピューター-computer.
    lemma = (feature.lemma or word.surface).split("-")[0]
    function = feature.pos1 in FUNCTION_POS or _is_light(word.surface, lemma)
    return unit([Form(0, word.surface, lemma, feature.kana or "", function)])


ANALYZERS: Mapping[str, Callable[[], JapaneseAnalyzer]] = {"sudachi": Sudachi, "fugashi": Fugashi}
#: The distributions that decide what an analyser makes of a text: its library, and the dictionaries that this may load.
LIBRARIES: Mapping[str, Sequence[str]] = {
    "sudachi": ("sudachipy", "sudachidict-small"),
    "fugashi": ("fugashi", "unidic", "unidic-lite"),
}
