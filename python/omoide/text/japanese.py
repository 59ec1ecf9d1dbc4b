"""Japanese words: an analyser turns a line into morphemes, here they become terms.

Two analysers with one interface: SudachiPy (default: normalised forms, long and short units) and fugashi.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from omoide.errors import InvalidArgument, Unavailable
from omoide.text import english
from omoide.text.analysis import Word
from omoide.text.normalise import fold
from omoide.text.tables import loanwords

#: Parts of speech that say too little to ask for: particles, auxiliaries, symbols.
FUNCTION_POS = frozenset({"助詞", "助動詞", "補助記号", "記号", "空白"})
#: Sudachi takes 49,149 bytes at a time; three bytes a character leave this many with room to spare.
CHUNK_CHARS = 8_000
#: Shorter words are never compounds worth taking apart.
SHORTEST_COMPOUND = 3
_SENTENCE_ENDS = "。！？!?\n、 "


class Morpheme(NamedTuple):
    """A word of the line: where it stands, its forms (normalised, then surface), whether it is a function word."""

    start: int
    end: int
    forms: tuple[str, ...]
    function: bool


class JapaneseAnalyzer(Protocol):
    """Cuts a line into morphemes; safe from any thread."""

    def morphemes(self, line: str) -> Iterator[Morpheme]:
        """In order; a long unit comes before its parts."""
        ...


def analyzer(name: str) -> JapaneseAnalyzer:
    """The analyser by its name. Raises InvalidArgument."""
    if name not in ANALYZERS:
        known = " and ".join(ANALYZERS)
        raise InvalidArgument("japanese", f"No Japanese analyser named {name!r}.", hint=f"There are {known}.")
    return ANALYZERS[name]()


def words(analyzer: JapaneseAnalyzer, line: str, offset: int) -> Iterator[tuple[Word, bool]]:
    """Terms of a line with offsets shifted by `offset`, and whether each is a function word."""
    for start, chunk in chunks(line):
        at = offset + start
        for morpheme in analyzer.morphemes(chunk):
            for term in _terms(morpheme.forms, morpheme.function):
                yield Word(term, at + morpheme.start, at + morpheme.end), morpheme.function


@lru_cache(maxsize=65_536)
def _terms(forms: tuple[str, ...], function: bool) -> tuple[str, ...]:
    """The folded forms; with a loanword, the words in Latin letters it came from."""
    latin = () if function else loanwords().get(forms[0], "").split()
    return tuple(dict.fromkeys(english.term(fold(form)) for form in (*forms, *latin)))


def chunks(line: str) -> Iterator[tuple[int, str]]:
    """(offset, part) of a long line, cut after the last sentence end that fits."""
    start = 0
    while len(line) - start > CHUNK_CHARS:
        window = line[start : start + CHUNK_CHARS]
        cut = max(window.rfind(mark) for mark in _SENTENCE_ENDS) + 1 or CHUNK_CHARS
        yield start, window[:cut]
        start += cut
    yield start, line[start:]


class Sudachi:
    """SudachiPy with the small dictionary: long units, their parts where they differ, normalised forms."""

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._dictionary: Any = None
        self._local = threading.local()

    def morphemes(self, line: str) -> Iterator[Morpheme]:
        """See JapaneseAnalyzer."""
        from sudachipy import SplitMode

        tokenizer, is_function = self._tools()
        for morpheme in tokenizer.tokenize(line):
            whole = _morpheme(morpheme, is_function)
            yield whole
            if whole.end - whole.start >= SHORTEST_COMPOUND:
                parts = morpheme.split(SplitMode.A, add_single=False)
                yield from (_morpheme(part, is_function) for part in parts)

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


def _morpheme(morpheme: Any, is_function: Any) -> Morpheme:
    surface, normalised = morpheme.surface(), morpheme.normalized_form()
    forms = (surface,) if surface == normalised else (normalised, surface)
    return Morpheme(morpheme.begin(), morpheme.end(), forms, is_function(morpheme))


class Fugashi:
    """MeCab through fugashi with a UniDic dictionary: surfaces and lemmas."""

    def __init__(self) -> None:
        self._local = threading.local()

    def morphemes(self, line: str) -> Iterator[Morpheme]:
        """See JapaneseAnalyzer."""
        at = 0
        for word in self._tagger()(line):
            at = line.index(word.surface, at)
            lemma = (word.feature.lemma or word.surface).split("-")[0]
            forms = (word.surface,) if lemma == word.surface else (lemma, word.surface)
            yield Morpheme(at, at + len(word.surface), forms, word.feature.pos1 in FUNCTION_POS)
            at += len(word.surface)

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
