"""Which sentences of a text do the memories that it cites support?

Without a model, nobody can tell whether a sentence follows from a text. What can be checked, and is required of each sentence
here: it cites memories that were given; their words cover its words; they contain every number and name in it; and it does
not deny what they say, or say what they deny. A sentence that fails one of these is dropped.

Useful for: text by a language model. Not useful for: proving that a claim is true.
Invariant: pure; a claim that is kept names its memories, and no number or name in it is new.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from omoide.memory.ids import ids_meant
from omoide.memory.negation import denies
from omoide.model.memory import Memory
from omoide.text import Analyzer, fold
from omoide.text.detect import has_kana
from omoide.text.highlight import sentence_spans

#: The share of a claim's words that its memories must have.
COVERED = 0.75

Reason = Literal["uncited", "unknown_id", "not_covered", "denied"]

_BRACKETS = re.compile(r"[\[【(（]([^\[\]【】()（）]{1,400})[\]】)）]")
_SOURCE = re.compile(r"\s*(?:src|source|id)\s*[:：]\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;、，；]+")
#: A citation after the end of a sentence belongs to that sentence. (A run of full stops or blanks is looked at from its first one
#: only: a model that has gone astray may repeat either without end.)
_BEHIND_END = re.compile(r"(?<![。．！？!?.])([。．！？!?.]+)((?:\s*\ue000\d+\ue001)+)")
_MARK = re.compile("(?<!\\s)\\s*\ue000(\\d+)\ue001")
_PRIVATE = re.compile("[\ue000\ue001]")
_BULLET = re.compile(r"^[^\S\n]*(?:#{1,6}\s+|[-*•]\s+|\d+[.)]\s+)", re.MULTILINE)
_CLAUSE = re.compile(r"[,，、;；]|\bbut\b|\bwhile\b|けれど|けど|しかし|但是|但|而")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
#: A number whose groups of digits are no numbers: 200 is none of 1,200.
_GROUPED = re.compile(r"(?<![\d.,:])\d{1,3}(?:,\d{3})+(?!\d)")
_NAME = re.compile(r"(?<=[^.!?\s]\s)[A-Z][A-Za-z0-9]*|(?<=[^\x00-\x7f])[A-Z][A-Za-z0-9]*|\b[A-Z][a-z0-9]*[A-Z]\w*")
#: Words of Han characters or katakana are mostly names and nouns: none may be new.
_CONTENT_WORD = re.compile("[\u30a1-\u30fc\u3400-\u9fff]{2,}")
#: Words that sentences about memories add to what the memories say.
_FRAMING = frozenset(
    fold(word)
    for word in (
        "user memory memories according mention mentions mentioned note notes noted record records recorded state states "
        "stated say says said also there ユーザー ユーザ 記憶 記録 よる と の こと いる 用户 用戶 记忆 記憶 根据 提到 记录 说"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence, and the ids of the memories that support it."""

    text: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A sentence that is not shown, and why."""

    text: str
    reason: Reason


def checked(text: str, memories: Sequence[Memory], analyzer: Analyzer) -> tuple[list[Claim], list[Dropped]]:
    """The sentences of a text that the memories they cite support, and the others; each once."""
    sources = {memory.id: _Source.of(memory, analyzer) for memory in memories}
    kept: list[Claim] = []
    dropped: list[Dropped] = []
    for sentence, ids, unknown in _cited(text, sources):
        reason = "unknown_id" if unknown else _reason_to_drop(sentence, [sources[id] for id in ids], analyzer)
        if reason is None:
            kept.append(Claim(sentence, ids))
        else:
            dropped.append(Dropped(sentence, reason))
    return kept, dropped


@dataclass(frozen=True, slots=True)
class Word:
    """A word with a weight above 0: its form in the folded text, and all its index terms."""

    shown: str
    terms: frozenset[str]


def words_of(text: str, analyzer: Analyzer, lang: str | None) -> list[Word]:
    """The words of a text, one for each place in it."""
    analysed = analyzer.query(text, lang)
    terms: dict[tuple[int, int], set[str]] = defaultdict(set)
    for word in analysed.words:
        if word.weight > 0:
            terms[word.start, word.end].add(word.term)
    return [Word(analysed.folded[start:end], frozenset(found)) for (start, end), found in terms.items()]


def terms_of(text: str, analyzer: Analyzer, lang: str | None) -> frozenset[str]:
    """Every index term of every word of the text."""
    return frozenset(term for word in words_of(text, analyzer, lang) for term in word.terms)


# --- citations --------------------------------------------------------------------------------------------------------


def _cited(text: str, known: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """(sentence, ids that it cites, whether it cites an unknown one) for each sentence with a letter or digit, once."""
    citations: list[tuple[list[str], bool]] = []
    ids = list(known)
    # A model that has gone astray repeats a sentence until it is cut off.
    met: set[tuple[str, tuple[str, ...], bool]] = set()

    def marked(bracket: re.Match[str]) -> str:
        cited = _resolved(bracket[1], ids)
        if cited is None:
            return bracket[0]
        citations.append(cited)
        return f"\ue000{len(citations) - 1}\ue001"

    plain = _BRACKETS.sub(marked, _BULLET.sub("", _PRIVATE.sub("", text)))
    plain = _BEHIND_END.sub(r"\2\1", plain)
    for start, end in sentence_spans(plain):
        sentence = plain[start:end]
        cited = [citations[int(mark)] for mark in _MARK.findall(sentence)]
        plain_sentence = " ".join(_MARK.sub("", sentence).split())
        if any(char.isalnum() for char in plain_sentence):
            found = dict.fromkeys(id for ids, _ in cited for id in ids)
            claim = (plain_sentence, tuple(found), any(unknown for _, unknown in cited))
            if claim not in met:
                met.add(claim)
                yield claim


def _resolved(inside: str, known: Sequence[str]) -> tuple[list[str], bool] | None:
    """(known ids, whether there was an unknown one) in a pair of brackets; None if it is not a citation."""
    body = _SOURCE.sub(" ", inside).strip()
    if (whole := _id_of(body, known)) is not None:
        return [whole], False
    parts = [part for part in _BETWEEN.split(body) if part]
    found = [_id_of(part, known) for part in parts]
    if not parts or (None in found and not _SOURCE.match(inside)):
        return None
    return [id for id in found if id is not None], None in found


def _id_of(text: str, known: Sequence[str]) -> str | None:
    matches = ids_meant(text, known)
    return matches[0] if len(matches) == 1 else None


# --- support ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Source:
    """A memory prepared for comparison; `parts` are its sentences and their clauses, each with its terms. `numbers` has
    those in digits and all terms, as some are numbers in words: that of twenty is 20."""

    lang: str
    terms: frozenset[str]
    folded: str
    numbers: frozenset[str]
    parts: tuple[tuple[str, frozenset[str]], ...]

    @staticmethod
    def of(memory: Memory, analyzer: Analyzer) -> _Source:
        whole = "\n".join(filter(None, (memory.title, memory.context, memory.text)))
        dated = f"{memory.stored_at.date()} {memory.event_time.raw if memory.event_time else ''}".replace("-", " ")
        # A memory without a language is read as Japanese if it has kana, else as Chinese.
        lang = memory.lang or ("ja" if has_kana(whole) else "zh")
        terms = frozenset(analyzer.document(whole, lang).terms)
        parts = tuple((part, terms_of(part, analyzer, lang)) for part in _parts(memory.text))
        numbers = (terms - _groups(whole)).union(_numbers(f"{whole} {dated}"))
        return _Source(lang, terms, fold(whole), numbers, parts)

    def has(self, word: Word) -> bool:
        return not word.terms.isdisjoint(self.terms) or (not word.shown.isascii() and word.shown in self.folded)


def _reason_to_drop(claim: str, cited: Sequence[_Source], analyzer: Analyzer) -> Reason | None:
    if not cited:
        return "uncited"
    words = [word for word in words_of(claim, analyzer, cited[0].lang) if word.shown not in _FRAMING]
    covered, uncovered = list[Word](), list[str]()
    for word in words:
        if any(each.has(word) for each in cited):
            covered.append(word)
        else:
            uncovered.append(word.shown)
    if not words or len(uncovered) > (1 - COVERED) * len(words) or any(map(_CONTENT_WORD.fullmatch, uncovered)):
        return "not_covered"
    if not _have_names_and_numbers(claim, cited):
        return "not_covered"
    return "denied" if denies(claim) is not denies(_nearest_part(covered, cited)) else None


def _have_names_and_numbers(claim: str, cited: Sequence[_Source]) -> bool:
    """Whether the cited memories contain every number and every capitalised name of the claim."""
    numbers = {number for each in cited for number in each.numbers}
    names = (fold(name) for name in _NAME.findall(unicodedata.normalize("NFKC", claim)))
    named = all(any(name in each.folded for each in cited) or name in _FRAMING for name in names)
    return named and numbers.issuperset(_numbers(claim))


def _numbers(text: str) -> Iterator[str]:
    for number in _NUMBER.findall(unicodedata.normalize("NFKC", text)):
        yield number.replace(",", "").lstrip("0") or "0"


def _groups(text: str) -> set[str]:
    """The groups of digits of numbers such as 1,200."""
    return {group for number in _GROUPED.findall(unicodedata.normalize("NFKC", text)) for group in number.split(",")}


def _nearest_part(covered: Sequence[Word], cited: Sequence[_Source]) -> str:
    """The part of the memories that has the most of the claim's words, the shortest of several."""
    wanted = {term for word in covered for term in word.terms}
    parts = [part for each in cited for part in each.parts]
    return max(parts, key=lambda part: (len(wanted & part[1]), -len(part[0])), default=("", wanted))[0]


def _parts(text: str) -> Iterator[str]:
    """Every sentence, and every clause of it."""
    for start, end in sentence_spans(text):
        yield text[start:end]
        yield from (part for part in _CLAUSE.split(text[start:end]) if part.strip())
