"""Japanese words: an analyser turns a line into morphemes, here they become terms.

Two analysers with one interface: SudachiPy (default: normalised forms, long and short units) and fugashi.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from omoide.errors import InvalidArgument, Unavailable
from omoide.text.analysis import Word

#: Parts of speech that say too little to ask for: particles, auxiliaries, symbols.
FUNCTION_POS = frozenset({"助詞", "助動詞", "補助記号", "記号", "空白"})
#: Sudachi takes 49,149 bytes at a time; three bytes a character leave this many with room to spare.
CHUNK_CHARS = 8_000
_SENTENCE_ENDS = "。！？!?\n、 "


@dataclass(frozen=True, slots=True)
class Morpheme:
    """A word of the line: where it stands, its forms (surface, normalised), whether it is a function word."""

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
    """The analyser by its name. Raises InvalidArgument, Unavailable."""
    if name == "sudachi":
        return Sudachi()
    if name == "fugashi":
        return Fugashi()
    raise InvalidArgument("japanese", f"No Japanese analyser named {name!r}.", hint="There are sudachi and fugashi.")


def words(analyzer: JapaneseAnalyzer, line: str, offset: int) -> Iterator[tuple[Word, bool]]:
    """Terms of a line with offsets shifted by `offset`, and whether each is a function word."""
    for start, chunk in chunks(line):
        for morpheme in analyzer.morphemes(chunk):
            at = offset + start
            for form in morpheme.forms:
                yield Word(form, at + morpheme.start, at + morpheme.end), morpheme.function


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

        for morpheme in self._tokenizer().tokenize(line):
            yield _morpheme(morpheme)
            parts = morpheme.split(SplitMode.A, add_single=False)
            yield from (_morpheme(part) for part in parts)

    def _tokenizer(self) -> Any:
        """One a thread: tokenisers are not shared, the dictionary is."""
        tokenizer = getattr(self._local, "tokenizer", None)
        if tokenizer is None:
            from sudachipy import Dictionary, SplitMode

            with self._loading:
                if self._dictionary is None:
                    self._dictionary = Dictionary(dict="small")
            tokenizer = self._local.tokenizer = self._dictionary.tokenizer(mode=SplitMode.C)
        return tokenizer


def _morpheme(morpheme: Any) -> Morpheme:
    surface, normalised = morpheme.surface(), morpheme.normalized_form()
    forms = (surface,) if surface == normalised else (normalised, surface)
    return Morpheme(morpheme.begin(), morpheme.end(), forms, morpheme.part_of_speech()[0] in FUNCTION_POS)


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
