"""The pipeline: fold, tell languages apart line by line, cut words, fold their terms."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

from omoide import _engine
from omoide.installed import version_of
from omoide.text import chinese, japanese, other, small_talk
from omoide.text.analysis import Analysis, Piece, Question, Terms
from omoide.text.detect import has_cjk, has_kana, language_of, surely_chinese
from omoide.text.highlight import Excerpt, best_sentence, window
from omoide.text.lexicon import Lexicon, LexiconFiles
from omoide.text.normalise import fold_variants, plain
from omoide.text.offsets import Offsets, Span, merged
from omoide.text.synonyms import Synonyms

#: Raised whenever the terms of any text change.
PIPELINE = 10
_LIBRARIES = ("sudachipy", "sudachidict-small", "snowballstemmer", "fugashi")
_LINE = re.compile(r"[^\n]+")


class Analyzer:
    """Text -> Analysis or Question. Safe from any thread; dictionaries are loaded when the first text needs them."""

    def __init__(
        self, japanese: str = "sudachi", *, language: str | None = None, files: LexiconFiles | None = None
    ) -> None:
        """`japanese` names the Japanese analyser: sudachi or fugashi. `language` (ja or zh) says what text of Han
        characters alone is, where nothing else tells. `files` hold the user's words and synonyms."""
        self._name = japanese
        self._language = language
        self._files = files or LexiconFiles(None)
        self._lexicon = self._files.current()
        self._japanese = _japanese(japanese)
        self._phrases = _phrases(self._lexicon.words)
        self._synonyms = Synonyms(self._lexicon.synonyms, self._telling)

    @cached_property
    def version(self) -> str:
        """Changes whenever the terms of documents may."""
        unicode = unicodedata.unidata_version
        hint = "" if self._language is None else f" ({self._language})"
        return f"{PIPELINE} {self._name}; unicode {unicode}; {_libraries()}{hint}{_words_version(self._lexicon)}"

    def renewed(self) -> Analyzer:
        """The same with the user's words and synonyms as they are now: itself while the files have not changed."""
        if self._files.current() is self._lexicon:
            return self
        return Analyzer(self._name, language=self._language, files=self._files)

    def resembling(self, version: str) -> Analyzer:
        """The analyser for an index of that version, as near as this installation comes to it: itself, or one with the
        Japanese analyser named there."""
        name = version.partition(";")[0].rpartition(" ")[2]
        if name == self._name or name not in japanese.ANALYZERS:
            return self
        return Analyzer(name, language=self._language, files=self._files)

    def document(self, text: str, lang: str | None = None) -> Analysis:
        """The terms of a text to be found. `lang` is its language where that is known."""
        spelled = plain(text)
        folded = fold_variants(spelled)
        terms = Terms()
        for _, found in self._anywhere(spelled, folded, text):
            terms.add(found)
        for language, start, end in self._lines(spelled, lang):
            if language == "ja":
                japanese.terms(self._japanese, spelled[start:end], terms)
            else:
                telling, function = chinese.segmenter(self._lexicon.words).terms(folded[start:end])
                terms.telling += telling
                terms.function |= dict.fromkeys(function)
        return terms.analysis(folded)

    def query(self, text: str, lang: str | None = None) -> Question:
        """The terms to look for; function words weigh nothing, unless there are no others, and in long messages words that
        are said about anything weigh little.

        A line of Han characters alone is read both as Japanese and as Chinese, unless `lang`, the analyser's language
        or its words tell.
        """
        return small_talk.weighed(self._synonyms.beside(self._asked(text, lang)))

    def language_of(self, text: str, lang: str | None = None) -> str | None:
        """`ja`, `zh`, or None for a text without Han and kana: of shared Han characters alone what `lang` or the analyser's
        language says, else Chinese."""
        return language_of(text, lang or self._language)

    def marks(self, text: str, terms: Iterable[str], lang: str | None = None) -> tuple[Span, ...]:
        """Where the words behind index `terms` stand in the text as it was written: spans in code points, in order.

        Single characters are only marked when nothing longer is found.
        """
        spelled = plain(text)
        folded = fold_variants(spelled)
        wanted = set(terms)
        found, spoken = self._places(spelled, folded, text, lang, both=False)
        places = {
            (at + start, at + end)
            for at, tokens in (*found, *spoken)
            for term, start, end, _ in tokens
            if term in wanted
        }
        for gram in wanted.intersection(_engine.grams(folded)):
            places |= {(at, at + len(gram)) for at in _everywhere(gram, folded)}
        longer = {place for place in places if place[1] - place[0] > 1}
        offsets = Offsets(text)
        return merged(offsets.span(*place) for place in longer or places)

    def excerpt(self, text: str, terms: Iterable[str], width: int = 120, lang: str | None = None) -> Excerpt:
        """The sentence that holds most of the index `terms`, in at most `width` code points, with what was found in it
        marked."""
        wanted = tuple(terms)
        start, end = best_sentence(text, wanted)
        marks = self.marks(text[start:end], wanted, lang)
        first, last = window(text[start:end], marks, width)
        inside = ((max(mark[0], first) + start, min(mark[1], last) + start) for mark in marks)
        return Excerpt(start + first, start + last, tuple(mark for mark in inside if mark[0] < mark[1]))

    def _asked(self, text: str, lang: str | None) -> Question:
        """A query as it stands, every word at its full weight."""
        spelled = plain(text)
        folded = fold_variants(spelled)
        both = (lang or self._language) is None and not has_kana(spelled) and not surely_chinese(spelled)
        found, spoken = self._places(spelled, folded, text, lang, both=both)
        return Question.of(folded, spelled, found, spoken, other.joined(spelled))

    def _places(
        self, spelled: str, folded: str, written: str, lang: str | None, *, both: bool
    ) -> tuple[list[Piece], list[Piece]]:
        """(terms, readings) of a text with their places; `both` reads Chinese lines as Japanese too, but for what is a
        function word in Chinese: 的, 是 and 什麼 tell nothing there, and Japanese has few words to mean by them."""
        found = self._anywhere(spelled, folded, written)
        readings: list[Piece] = []
        for language, start, end in self._lines(spelled, lang):
            said_anyway: frozenset[tuple[int, int]] = frozenset()
            if language == "zh":
                words = chinese.segmenter(self._lexicon.words).words(folded[start:end])
                found.append((start, words))
                said_anyway = frozenset((start + first, start + last) for _, first, last, function in words if function)
            if language == "ja" or both:
                for at, unit in japanese.units(self._japanese, spelled[start:end], start):
                    if said_anyway and unit.tokens and (at + unit.tokens[0][1], at + unit.tokens[0][2]) in said_anyway:
                        continue
                    found.append((at, unit.tokens))
                    if unit.spoken:
                        readings.append((at, unit.spoken))
        return found, readings

    def _anywhere(self, spelled: str, folded: str, written: str) -> list[Piece]:
        """What is found in every language alike: words between spaces, numbers, the user's own words."""
        found: list[Piece] = [(0, other.tokens(spelled, written))]
        if not spelled.isascii():
            found.append((0, _engine.numerals(folded)))
        if self._phrases is not None:
            words = self._lexicon.words
            found.append((0, [(words[which], start, end, False) for which, start, end in self._phrases.find(folded)]))
        return found

    def _lines(self, spelled: str, lang: str | None) -> Iterator[tuple[str, int, int]]:
        """(ja or zh, start, end) of each line with Han characters or kana."""
        if not has_cjk(spelled):
            return
        near = lang or self._language
        if "\n" not in spelled:
            yield language_of(spelled, near) or "zh", 0, len(spelled)
            return
        near = near or ("ja" if has_kana(spelled) and not surely_chinese(spelled) else None)
        for line in _LINE.finditer(spelled):
            language = language_of(line[0], near)
            if language is not None:
                yield language, line.start(), line.end()

    def _telling(self, text: str) -> list[str]:
        """The terms of a synonym that are worth asking for, all of them when none is."""
        words = self._asked(text, None).words
        telling = [word.term for word in words if word.weight]
        return list(dict.fromkeys(telling or [word.term for word in words]))


@lru_cache(maxsize=4)
def _japanese(name: str) -> japanese.JapaneseAnalyzer:
    """One a process: dictionaries are large."""
    return japanese.analyzer(name)


def _everywhere(part: str, text: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _phrases(words: tuple[str, ...]) -> _engine.Phrases | None:
    return _engine.Phrases(words) if words else None


def _words_version(lexicon: Lexicon) -> str:
    if not lexicon.words:
        return ""
    return "; words " + hashlib.sha256("\n".join(lexicon.words).encode()).hexdigest()[:12]


@lru_cache(maxsize=1)
def _libraries() -> str:
    return ", ".join(f"{name} {found}" for name in _LIBRARIES if (found := version_of(name)))
