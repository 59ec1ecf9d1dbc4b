"""The pipeline: fold, tell languages apart line by line, cut words, fold their terms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from omoide.text import chinese, japanese, other
from omoide.text.analysis import Analysis, Word
from omoide.text.detect import CJK, has_kana, language_of, surely_chinese
from omoide.text.normalise import fold_variants, plain

#: Raised whenever the terms of any text change.
PIPELINE = 3
_LIBRARIES = ("sudachipy", "sudachidict-small", "rjieba", "snowballstemmer", "fugashi")
_LINE = re.compile(r"[^\n]+")

Marked = tuple[Word, bool]


class Analyzer:
    """Text -> Analysis. Safe from any thread; dictionaries are loaded when the first text needs them."""

    def __init__(self, japanese: str = "sudachi") -> None:
        """`japanese` names the Japanese analyser: sudachi or fugashi."""
        self._name = japanese
        self._japanese = _japanese(japanese)

    @property
    def version(self) -> str:
        """Changes whenever the terms may."""
        return f"{PIPELINE} {self._name}; unicode {unicodedata.unidata_version}; {_libraries()}"

    def resembling(self, version: str) -> Analyzer:
        """The analyser for an index of that version, as near as this installation comes to it: itself, or one with the
        Japanese analyser named there."""
        name = version.partition(";")[0].rpartition(" ")[2]
        return self if name == self._name or name not in japanese.ANALYZERS else Analyzer(name)

    def document(self, text: str, lang: str | None = None) -> Analysis:
        """The terms of a text to be found; a function word counts once, however often it stands there."""
        spelled = plain(text)
        marked = self._marked(spelled, lang, both=False)
        return Analysis(fold_variants(spelled), _in_order(_function_words_once(marked)), lang)

    def query(self, text: str, lang: str | None = None) -> Analysis:
        """The terms to look for; function words weigh nothing, unless there are no others.

        A line of Han characters alone is read both as Japanese and as Chinese, unless `lang` or its words tell.
        """
        spelled = plain(text)
        both = lang is None and not has_kana(spelled) and not surely_chinese(spelled)
        marked = dict(self._marked(spelled, lang, both=both))
        only_function = all(marked.values())
        words = (
            word if only_function or not function else replace(word, weight=0.0) for word, function in marked.items()
        )
        return Analysis(fold_variants(spelled), _in_order(words), lang)

    def _marked(self, spelled: str, lang: str | None, *, both: bool) -> Iterator[Marked]:
        """Every word with a mark on function words."""
        yield from other.words(spelled)
        if CJK.search(spelled) is None:
            return
        near = lang or ("ja" if has_kana(spelled) and not surely_chinese(spelled) else None)
        for line in _LINE.finditer(spelled):
            language = language_of(line[0], near)
            if language == "ja" or (both and language == "zh"):
                yield from self._japanese_words(line[0], line.start())
            if language == "zh":
                yield from _chinese_words(line[0], line.start())

    def _japanese_words(self, line: str, offset: int) -> Iterator[Marked]:
        for word, function in japanese.words(self._japanese, line, offset):
            if CJK.search(line, word.start - offset, word.end - offset) is not None:
                yield word, function


@lru_cache(maxsize=4)
def _japanese(name: str) -> japanese.JapaneseAnalyzer:
    """One a process: dictionaries are large."""
    return japanese.analyzer(name)


def _chinese_words(line: str, offset: int) -> Iterator[Marked]:
    for word in chinese.words(fold_variants(line), offset):
        if CJK.search(line, word.start - offset, word.end - offset) is not None:
            yield word, word.term in chinese.STOP_WORDS


def _function_words_once(marked: Iterable[Marked]) -> Iterator[Word]:
    """Repeats would only make the text seem longer, and what it is about thinner."""
    seen: set[str] = set()
    for word, function in marked:
        if not function:
            yield word
        elif word.term not in seen:
            seen.add(word.term)
            yield word


def _in_order(words: Iterable[Word]) -> tuple[Word, ...]:
    return tuple(sorted(words, key=lambda word: (word.start, word.end)))


@lru_cache(maxsize=1)
def _libraries() -> str:
    return ", ".join(f"{name} {found}" for name in _LIBRARIES if (found := _installed(name)))


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
