"""Japanese words: an analyser cuts a line into units whose terms are ready.

Two analysers with one interface: SudachiPy (default: normalised forms, long and short units) and fugashi.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from omoide.errors import InvalidArgument, Unavailable
from omoide.text import english
from omoide.text.analysis import Terms, Token
from omoide.text.detect import has_cjk, has_han
from omoide.text.normalise import fold
from omoide.text.tables import latin_of

#: Parts of speech that say too little to ask for: particles, auxiliaries, symbols.
FUNCTION_POS = frozenset({"助詞", "助動詞", "補助記号", "記号", "空白"})
#: Others that say as little, by surface or normalised form: what asks, what points, and verbs and nouns that carry others.
LIGHT = frozenset(
    "どこ 何処 いつ 誰 何 何故 なぜ どう 如何 どれ どの どちら どっち どんな どなた 何方 此の 其の 此れ 其れ 為る 有る 居る 成る 事 為".split()
)
#: Sudachi takes 49,149 bytes at a time; three bytes a character leave this many with room to spare.
CHUNK_CHARS = 8_000
#: Shorter words are never compounds worth taking apart.
SHORTEST_COMPOUND = 3
#: Shorter readings are those of too many words.
SHORTEST_READING = 2
#: Units remembered by an analyser; texts repeat their words.
REMEMBERED = 200_000
_SENTENCE_ENDS = "。！？!?\n、 "


class Unit(NamedTuple):
    """What a word means to the index: its tokens and readings, with those of its parts, by their places inside it; and
    the same as bare terms, since a document needs no places."""

    tokens: tuple[Token, ...]
    spoken: tuple[Token, ...]
    telling: tuple[str, ...]
    function: tuple[str, ...]
    readings: tuple[str, ...]


class JapaneseAnalyzer(Protocol):
    """Cuts a line; safe from any thread."""

    def units(self, line: str) -> Iterable[tuple[int, Unit]]:
        """(where it begins, unit) in order."""
        ...

    def words(self, line: str) -> Sequence[Unit]:
        """The same without their places, which a document does not need and which cost time."""
        ...


def analyzer(name: str) -> JapaneseAnalyzer:
    """The analyser by its name. Raises InvalidArgument."""
    if name not in ANALYZERS:
        known = " and ".join(ANALYZERS)
        raise InvalidArgument("japanese", f"No Japanese analyser named {name!r}.", hint=f"There are {known}.")
    return ANALYZERS[name]()


def units(analyzer: JapaneseAnalyzer, line: str, offset: int) -> Iterator[tuple[int, Unit]]:
    """(where it begins, unit) of a line that begins at `offset`."""
    for at, chunk in chunks(line):
        for start, unit in analyzer.units(chunk):
            yield offset + at + start, unit


def terms(analyzer: JapaneseAnalyzer, line: str, into: Terms) -> None:
    """The terms and readings of a line."""
    said, spoken, seen = into.telling.extend, into.readings.extend, into.function
    for _, chunk in chunks(line):
        # The hottest loop of an import of Japanese text.
        for _, _, telling, function, readings in analyzer.words(chunk):
            said(telling)
            if readings:
                spoken(readings)
            for term in function:
                seen[term] = None


def chunks(line: str) -> Iterator[tuple[int, str]]:
    """(offset, part) of a long line, cut after the last sentence end that fits."""
    if len(line) <= CHUNK_CHARS:
        yield 0, line
        return
    start = 0
    while len(line) - start > CHUNK_CHARS:
        window = line[start : start + CHUNK_CHARS]
        cut = max(window.rfind(mark) for mark in _SENTENCE_ENDS) + 1 or CHUNK_CHARS
        yield start, window[:cut]
        start += cut
    yield start, line[start:]


class Form(NamedTuple):
    """What an analyser says of a word or of a part of one, at its place inside the word."""

    start: int
    surface: str
    normalised: str
    reading: str
    function: bool


def unit(forms: Iterable[Form]) -> Unit:
    """A word and its parts."""
    tokens: list[Token] = []
    spoken: list[Token] = []
    # Words without Han and kana are cut elsewhere: they have no terms here.
    for form in (form for form in forms if has_cjk(form.surface)):
        end = form.start + len(form.surface)
        tokens += [(term, form.start, end, form.function) for term in _terms(_written(form), form.function)]
        if not form.function and len(form.reading) >= SHORTEST_READING and has_han(form.surface):
            spoken.append((fold(form.reading), form.start, end, False))
    return Unit(
        tokens=tuple(tokens),
        spoken=tuple(spoken),
        telling=tuple(token[0] for token in tokens if not token[3]),
        function=tuple(token[0] for token in tokens if token[3]),
        readings=tuple(token[0] for token in spoken),
    )


def _written(form: Form) -> tuple[str, ...]:
    same = form.normalised == form.surface or _is_number(form.normalised)
    return (form.surface,) if same else (form.normalised, form.surface)


@lru_cache(maxsize=65_536)
def _terms(forms: tuple[str, ...], function: bool) -> tuple[str, ...]:
    """The folded forms, and without a long vowel at their end; with a loanword, the Latin words it came from."""
    latin = () if function else latin_of(forms[0])
    folded = [fold(form) for form in forms]
    shortened = [form[:-1] for form in folded if form.endswith("ー") and len(form) > SHORTEST_COMPOUND]
    return tuple(dict.fromkeys(english.term(form)[0] for form in (*folded, *shortened, *latin)))


def _is_number(normalised: str) -> bool:
    """三 becomes 3: numbers are read elsewhere, alike for every language."""
    return normalised.isascii() and normalised.isdigit()


class Sudachi:
    """SudachiPy with the small dictionary: long units, their parts where they differ, normalised forms."""

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._dictionary: Any = None
        self._local = threading.local()
        #: The last word met of each number of the dictionary, which nearly always is the only one.
        self._last: dict[int, tuple[str, Unit]] = {}
        self._known: dict[tuple[int, str], Unit] = {}

    def units(self, line: str) -> Iterable[tuple[int, Unit]]:
        """See JapaneseAnalyzer. A word is looked into once: asking for its forms costs more than cutting it."""
        tokenizer, is_function = self._tools()
        known = self._known.get
        found = []
        for morpheme in tokenizer.tokenize(line):
            key = morpheme.word_id(), morpheme.surface()
            found.append((morpheme.begin(), known(key) or self._learn(key, morpheme, is_function)))
        return found

    def words(self, line: str) -> Sequence[Unit]:
        """See JapaneseAnalyzer."""
        tokenizer, is_function = self._tools()
        last = self._last
        found = []
        for morpheme in tokenizer.tokenize(line):
            surface = morpheme.surface()
            met = last.get(morpheme.word_id())
            if met is None or met[0] != surface:
                met = last[morpheme.word_id()] = surface, self._look_up(surface, morpheme, is_function)
            found.append(met[1])
        return found

    def _look_up(self, surface: str, morpheme: Any, is_function: Any) -> Unit:
        key = morpheme.word_id(), surface
        return self._known.get(key) or self._learn(key, morpheme, is_function)

    def _learn(self, key: tuple[int, str], morpheme: Any, is_function: Any) -> Unit:
        from sudachipy import SplitMode

        long = len(key[1]) >= SHORTEST_COMPOUND
        parts = morpheme.split(SplitMode.A, add_single=False) if long else ()
        start = morpheme.begin()
        learned = unit(_form(each, each.begin() - start, is_function(each)) for each in (morpheme, *parts))
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        self._known[key] = learned
        return learned

    def _tools(self) -> tuple[Any, Any]:
        """A tokeniser and a test for function words. One a thread: tokenisers are not shared, the dictionary is."""
        tools = getattr(self._local, "tools", None)
        if tools is None:
            from sudachipy import Dictionary, SplitMode

            with self._loading:
                if self._dictionary is None:
                    self._dictionary = Dictionary(dict="small")
            is_function = self._dictionary.pos_matcher(lambda pos: pos[0] in FUNCTION_POS)
            tools = self._local.tools = (self._dictionary.tokenizer(mode=SplitMode.C), is_function)
        return tools


def _form(morpheme: Any, start: int, function: bool) -> Form:
    surface, normalised = morpheme.surface(), morpheme.normalized_form()
    return Form(start, surface, normalised, morpheme.reading_form(), function or _is_light(surface, normalised))


def _is_light(surface: str, normalised: str) -> bool:
    return surface in LIGHT or normalised in LIGHT


class Fugashi:
    """MeCab through fugashi with a UniDic dictionary: surfaces and lemmas."""

    def __init__(self) -> None:
        self._local = threading.local()
        #: By the line that MeCab prints of a word.
        self._known: dict[str, Unit] = {}

    def units(self, line: str) -> Iterable[tuple[int, Unit]]:
        """See JapaneseAnalyzer."""
        at = 0
        for word in self._tagger()(line):
            start = line.index(word.surface, at)
            at = start + len(word.surface)
            yield start, self._learn(f"{word.surface}\t{word.feature_raw}", word)

    def words(self, line: str) -> Sequence[Unit]:
        """See JapaneseAnalyzer. The printed words are one string: cheaper than an object for each of them."""
        tagger = self._tagger()
        printed = tagger.parse(line).split("\n")
        del printed[-1]
        try:
            return list(map(self._known.__getitem__, printed))
        except KeyError:
            return [self._learn(*each) for each in zip(printed, tagger(line), strict=True)]

    def _learn(self, printed: str, word: Any) -> Unit:
        known = self._known.get(printed)
        if known is not None:
            return known
        feature = word.feature
        # Lemmas of loanwords carry their origin: コンピューター-computer.
        lemma = (feature.lemma or word.surface).split("-")[0]
        function = feature.pos1 in FUNCTION_POS or _is_light(word.surface, lemma)
        form = Form(0, word.surface, lemma, feature.kana or "", function)
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        learned = self._known[printed] = unit([form])
        return learned

    def _tagger(self) -> Any:
        tagger = getattr(self._local, "tagger", None)
        if tagger is None:
            try:
                from fugashi import Tagger
            except ImportError as error:
                raise Unavailable(
                    "The Japanese analyser fugashi is not installed.",
                    hint="Install it with: pip install 'omoide[fugashi]'",
                ) from error
            tagger = self._local.tagger = Tagger()
        return tagger


ANALYZERS: Mapping[str, Callable[[], JapaneseAnalyzer]] = {"sudachi": Sudachi, "fugashi": Fugashi}
