"""The pipeline: fold, detect the language of each line, cut words, fold their terms.

The engine does nearly all of it (cut.rs of omoide-text); this module adds the results of Python libraries.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain, repeat

from omoide import _engine
from omoide.installed import version_of
from omoide.text import chinese, english, japanese, meanings
from omoide.text.analysis import Analysis, Question
from omoide.text.asking import asking
from omoide.text.detect import languages
from omoide.text.happenings import ABOUT_ANYTHING
from omoide.text.highlight import Excerpt, best_sentence, window
from omoide.text.lexicon import Lexicon, LexiconFiles
from omoide.text.normalise import plain, variants
from omoide.text.offsets import Offsets, Span, merged
from omoide.text.small_talk import small_talk
from omoide.text.synonyms import Synonyms

#: To be raised whenever the terms of any text change.
PIPELINE = 27

#: What Python libraries contribute to a text's analysis: (the terms of words that are not in the cache, its Japanese lines).
PythonAnalysis = tuple[list[tuple[str, bool]], list[tuple[int, _engine.JapaneseLine]]]


class Analyzer:
    """Turns a text into an Analysis or a Question. Safe from any thread; dictionaries are loaded when first needed."""

    def __init__(
        self,
        japanese: str = "sudachi",
        *,
        language: str | None = None,
        files: LexiconFiles | None = None,
        lexicon: Lexicon | None = None,
    ) -> None:
        """`japanese`: the Japanese analyser, sudachi or fugashi. `language` (ja or zh): the language of text of Han
        characters alone if nothing else tells. `files`: the user's words and synonyms; `lexicon`: those that count instead."""
        self._name = japanese
        self._language = language
        self._files = files or LexiconFiles(None)
        self._lexicon = lexicon or self._files.current()
        self._japanese = _japanese(japanese)
        synonyms = self._lexicon.synonyms
        self._synonyms = Synonyms(synonyms, self._content_terms) if synonyms else None

    @cached_property
    def version(self) -> str:
        """Changes whenever the terms of documents may."""
        unicode = unicodedata.unidata_version
        hint = "" if self._language is None else f" ({self._language})"
        return (
            f"{PIPELINE} {self._name}; unicode {unicode}; {_libraries(self._name)}{hint}{_words_version(self._lexicon)}"
        )

    @cached_property
    def cutter(self) -> _engine.Cutter:
        """The cutter with all of these settings; made when the first text needs it."""
        words = self._lexicon.words
        user_words = (_engine.Phrases(words), words) if words else None
        return _engine.Cutter(
            variants(),
            languages(),
            english.vocabulary(),
            chinese.segmenter(words),
            _spellings(),
            small_talk(),
            asking(),
            user_words,
        )

    def renewed(self) -> Analyzer:
        """This analyser while the user's files of words and synonyms have not changed, else a new one."""
        if self._files.current() is self._lexicon:
            return self
        return Analyzer(self._name, language=self._language, files=self._files)

    def with_synonyms_of(self, other: Analyzer) -> Analyzer:
        """This analyser, with its own words and the other's synonyms."""
        if self._lexicon.synonyms == other._lexicon.synonyms:
            return self
        lexicon = Lexicon(self._lexicon.words, other._lexicon.synonyms)
        return Analyzer(self._name, language=self._language, files=self._files, lexicon=lexicon)

    def resembling(self, version: str) -> Analyzer:
        """The analyser of this installation that is most like that version: itself, or one with the Japanese analyser named
        there."""
        name = version.partition(";")[0].rpartition(" ")[2]
        if name == self._name or not japanese.is_installed(name):
            return self
        return Analyzer(name, language=self._language, files=self._files)

    def document(self, text: str, lang: str | None = None) -> Analysis:
        """The terms of a document's text. `lang`: its language, if known."""
        cut = self._cut(text, lang)
        terms, readings = cut.terms(*self._analyse_in_python(cut))
        return Analysis(cut.folded, terms, readings)

    def query(self, text: str, lang: str | None = None, *, aside: Sequence[Span] = ()) -> Question:
        """The terms to search for. Function words and phrases that only ask for an answer weigh nothing, and words at the places
        `aside` little, unless there are no others; in long messages, words that people use about anything weigh little.

        A line of Han characters alone is read both as Japanese and as Chinese, unless `lang`, the analyser's language or its
        words tell which it is.
        """
        question = self._question(text, lang, aside)
        return question if self._synonyms is None else self._synonyms.added_to(question)

    def names_nothing_beside(self, spans: Sequence[Span], text: str, lang: str | None = None) -> bool:
        """Whether all words of a query outside these spans of it ask for whatever there was: 昨日の出来事 beside 昨日."""
        offsets, words = Offsets(text), self._question(text, lang).words
        said = [(word, range(*offsets.span(word.start, word.end))) for word in words]
        idle = [places for word, places in said if word.weight == 0.0 or word.term in self._about_anything]
        # Of a line that is read as two languages, one may see a word where the other sees two: 做了.
        known = frozenset(chain.from_iterable((*idle, *(range(*span) for span in spans))))
        return all(known.issuperset(places) for _, places in said)

    @cached_property
    def _about_anything(self) -> frozenset[str]:
        questions = map(self._question, ABOUT_ANYTHING, repeat(None))
        return frozenset(
            word.term for each in questions for word in each.words if word.end - word.start == len(each.folded)
        )

    @property
    def language(self) -> str | None:
        """The language of text of Han characters alone, unless other evidence decides."""
        return self._language

    def marks(self, text: str, terms: Iterable[str], lang: str | None = None) -> tuple[Span, ...]:
        """Where words with these index `terms` are in the original text: spans in code points, in order.

        Single characters are marked only if nothing longer is found.
        """
        cut = self._cut(text, lang)
        folded, wanted = cut.folded, set(terms)
        spans = set(cut.places(*self._analyse_in_python(cut), list(wanted)))
        for gram in wanted.intersection(_engine.grams(folded)):
            spans |= {(at, at + len(gram)) for at in _occurrences(gram, folded)}
        longer = {span for span in spans if span[1] - span[0] > 1}
        offsets = Offsets(text)
        return merged(offsets.span(*span) for span in longer or spans)

    def excerpt(self, text: str, terms: Iterable[str], width: int = 120, lang: str | None = None) -> Excerpt:
        """The sentence with most of the index `terms`, cut to at most `width` code points, with the matches marked."""
        wanted = tuple(terms)
        start, end = best_sentence(text, wanted)
        marks = self.marks(text[start:end], wanted, lang)
        first, last = window(text[start:end], marks, width)
        inside = ((max(mark[0], first) + start, min(mark[1], last) + start) for mark in marks)
        return Excerpt(start + first, start + last, tuple(mark for mark in inside if mark[0] < mark[1]))

    def _question(self, text: str, lang: str | None, aside: Sequence[Span] = ()) -> Question:
        """The question of a text, without synonyms."""
        cutter, language = self.cutter, lang or self._language
        if aside:
            offsets = Offsets(text)
            aside = [offsets.plain_span(*span) for span in aside]
        # None: the engine cannot fold the text by itself.
        result = cutter.question(text, language, None, aside) or cutter.question(text, language, plain(text), aside)
        assert result is not None
        if isinstance(result, Question):
            return result
        return cutter.finish_question(result, *self._analyse_in_python(result), aside)

    def _cut(self, text: str, lang: str | None) -> _engine.Cut:
        cutter, language = self.cutter, lang or self._language
        result = cutter.document(text, language) or cutter.document(text, language, plain(text))
        assert result is not None
        return result

    def _analyse_in_python(self, cut: _engine.Cut) -> PythonAnalysis:
        terms: list[tuple[str, bool]] = []
        if unknown := cut.unknown:
            terms = [english.term(word) for word in unknown]
            self.cutter.learn(cut, terms)
        lines: list[tuple[int, _engine.JapaneseLine]] = []
        for start, line in cut.japanese:
            lines += japanese.lines(self._japanese, line, start)
        return terms, lines

    def _content_terms(self, text: str) -> list[str]:
        """The terms of a synonym that are worth searching for; all of them if none is."""
        words = self._question(text, None).words
        content_words = [word.term for word in words if word.weight]
        return list(dict.fromkeys(content_words or [word.term for word in words]))


@lru_cache(maxsize=4)
def _japanese(name: str) -> japanese.JapaneseAnalyzer:
    """One for each process, as dictionaries are large."""
    return japanese.analyzer(name)


@lru_cache(maxsize=1)
def _spellings() -> _engine.Spellings:
    """The terms of words that are also written or called otherwise. One for each process: to make it takes longer than a
    search, and every tenant has an analyser."""
    term_of = {group.first: english.term(group.first)[0] for group in meanings.meanings()}
    in_japanese = [(word, term_of[first]) for word, first in meanings.in_japanese().items()]
    in_chinese = [(word, term_of[first]) for word, first in meanings.in_chinese().items()]
    of_several = [
        ([english.term(word)[0] for word in words], term_of[first]) for words, first in meanings.of_several_words()
    ]
    translated = [term_of[first] for first in meanings.translated()]
    return _engine.Spellings(in_japanese, in_chinese, translated, of_several)


def _occurrences(part: str, text: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _words_version(lexicon: Lexicon) -> str:
    if not lexicon.words:
        return ""
    return "; words " + hashlib.sha256("\n".join(lexicon.words).encode()).hexdigest()[:12]


@lru_cache(maxsize=4)
def _libraries(japanese_analyzer: str) -> str:
    """The installed distributions that the terms of documents depend on, with their versions."""
    names = *japanese.LIBRARIES[japanese_analyzer], "pystemmer"
    return ", ".join(f"{name} {version}" for name in names if (version := version_of(name)))
