"""Which part of a text to show, and where are the matches in it? Spans are slices of the original text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from omoide.text.graphemes import border
from omoide.text.normalise import fold, variants
from omoide.text.offsets import Offsets, Span, merged

ELLIPSIS = "..."
_SENTENCE_ENDS = tuple("。！？!?.")
_CLOSERS = "」』）)\"'”’"
_SENTENCE = re.compile(r"[^。！？!?\n]*?(?:[。！？!?]+[」』）)\"'”’]*|\.(?=\s)|\n|$)")


class Excerpt(NamedTuple):
    """text[start:end], and the spans of matches in it, all in code points of the whole text."""

    start: int
    end: int
    marks: tuple[Span, ...]


def sentences(text: str) -> list[str]:
    """The sentences, with white space collapsed, without empty ones; ended as in Japanese, Chinese or English."""
    return [" ".join(text[start:end].split()) for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> Iterator[Span]:
    """[start, end) of each sentence without the white space around it."""
    for match in _SENTENCE.finditer(text):
        sentence = match[0].strip()
        if sentence:
            start = match.start() + match[0].index(sentence[0])
            yield start, start + len(sentence)


def first_sentence(text: str, limit: int = 80) -> str:
    """The first sentence in at most `limit` code points; "" for a blank text."""
    return cut(next(iter(sentences(text)), ""), limit)


def best_sentence(text: str, terms: Iterable[str]) -> Span:
    """The sentence with most of the folded `terms`, the first of equals; (0, 0) for a blank text."""
    wanted = [term for term in dict.fromkeys(terms) if term]

    def matched(span: Span) -> int:
        folded = fold(text[span[0] : span[1]])
        return sum(term in folded for term in wanted)

    return max(sentence_spans(text), key=matched, default=(0, 0))


def glimpse(text: str, terms: Iterable[str], width: int = 120) -> Span:
    """[start, end) of what to show of a text, at most `width` code points: the best sentence, cut around the first term.

    Terms are compared letter by letter, which is much faster than `Analyzer.excerpt`, which also knows other spellings.
    """
    wanted = tuple(terms)
    try:
        span = variants().glimpse(text, wanted, width)
    except UnicodeEncodeError:  # a lone surrogate
        span = None
    return _glimpse_by_tables(text, wanted, width) if span is None else span


def snippets(texts: Sequence[str], terms: Sequence[Sequence[str]], width: int = 120) -> list[str]:
    """The `glimpse` of several texts, each for its terms, as one line: see `line_of`."""
    try:
        lines = variants().snippets(texts, terms, width)
    except UnicodeEncodeError:  # a lone surrogate in one of them
        lines = [None] * len(texts)
    if all(lines):
        return cast("list[str]", lines)
    return [
        line_of(text, *_glimpse_by_tables(text, wanted, width)) if line is None else line
        for line, text, wanted in zip(lines, texts, terms, strict=True)
    ]


def line_of(text: str, start: int, end: int) -> str:
    """text[start:end] as one line: white space of every kind collapsed, with dots where a sentence goes on."""
    sentence = text[start:end]
    is_whole = text[end : end + 1] in ("", "\n") or sentence.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)
    return " ".join((sentence if is_whole else sentence + ELLIPSIS).split())


def _glimpse_by_tables(text: str, wanted: Sequence[str], width: int) -> Span:
    start, end = best_sentence(text, wanted)
    if end - start <= width:
        return start, end
    first, last = window(text[start:end], occurrences(text[start:end], wanted), width)
    return start + first, start + last


def occurrences(text: str, terms: Iterable[str]) -> tuple[Span, ...]:
    """Where the folded `terms` are in the text, letter by letter."""
    folded, offsets = fold(text), Offsets(text)
    spans = (
        offsets.span(match.start(), match.end())
        for term in terms
        if term
        for match in re.finditer(re.escape(term), folded)
    )
    return merged(spans)


def window(text: str, marks: Sequence[Span], width: int) -> Span:
    """[start, end) of what to show of one sentence, at most `width` code points, with the first mark in it."""
    if len(text) <= width:
        return 0, len(text)
    first = marks[0][0] if marks else 0
    start = 0 if first < width * 2 // 3 else border(text, first - width // 3)
    return start, border(text, min(start + width, len(text)))


def cut(text: str, limit: int) -> str:
    """The text, if necessary cut to `limit` code points, the last three of which are then dots."""
    if len(text) <= limit:
        return text
    return text[: border(text, max(limit - len(ELLIPSIS), 0))] + ELLIPSIS
