"""How much of the hits fits into a number of tokens? Short texts are shown whole, of long ones the best part.

No text may take more than a quarter of the budget (in a small budget, more than LEAST_TOKENS), so that one long memory does not
crowd out the others. A hit that does not fit is left out and counted; a shorter one after it may still fit.

Useful for: filling a model's context with evidence. Not useful for: choosing hits; their order stays.
Invariant: what is shown costs no more than the budget, by the estimate of text/tokens.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from omoide.model.query import Hit
from omoide.text import best_sentence, sentence_spans, tokens_of
from omoide.text.graphemes import border

#: One memory may take the budget divided by this.
SHARE = 4
#: Fewer tokens of a longer text tell nothing: the hit is left out. A whole text of so many fits into any budget as large.
LEAST_TOKENS = 12
#: Hardly any text has more characters per token.
MOST_CHARS = 20

Span = tuple[int, int]


class Fitted(NamedTuple):
    """The hits that fit, what they cost (None: not counted), and how many were left out."""

    hits: tuple[Hit, ...]
    tokens: int | None
    omitted: int


def fitted(hits: Sequence[Hit], budget: int) -> Fitted:
    """As much of the hits as fits into `budget` tokens, best first."""
    shown: list[Hit] = []
    left = budget
    share = max(budget // SHARE, LEAST_TOKENS)
    for hit in hits:
        title = tokens_of(hit.memory.title or "")
        part = shown_part(hit, min(left, share) - title)
        if part is not None:
            whole = part == (0, len(hit.memory.text))
            shown.append(hit._replace(part=None if whole else part))
            left -= title + tokens_of(hit.memory.text[slice(*part)])
    return Fitted(tuple(shown), budget - left, len(hits) - len(shown))


def shown_part(hit: Hit, room: int) -> Span | None:
    """The [start, end) of a hit's text to show in at most `room` tokens: all of it; else whole sentences around the best one;
    else the beginning of the best sentence. None if `room` is too small."""
    text = hit.memory.text
    if _fits(text, room):
        return 0, len(text)
    if room < LEAST_TOKENS:
        return None
    start, end = _best_sentence(hit)
    if _fits(text[start:end], room):
        return _grown(text, (start, end), room)
    return start, border(text, _end_within(text, start, end, room))


def _fits(text: str, room: int) -> bool:
    # Counts the beginning first: a text many times too long need not be counted to its end.
    return tokens_of(text[: room * MOST_CHARS]) <= room and tokens_of(text) <= room


def _best_sentence(hit: Hit) -> Span:
    """The sentence with the most matches, within the passage nearest in meaning if the hit has one."""
    first, last = hit.why.passage or (0, len(hit.memory.text))
    start, end = best_sentence(hit.memory.text[first:last], hit.why.terms)
    return first + start, first + end


def _grown(text: str, best: Span, room: int) -> Span:
    """The span extended by the sentences after it, then by those before it, as far as there is room."""
    start, end = best
    spans = list(sentence_spans(text))
    for _, further in (span for span in spans if span[1] > end):
        if not _fits(text[start:further], room):
            break
        end = further
    for earlier, _ in reversed([span for span in spans if span[0] < start]):
        if not _fits(text[earlier:end], room):
            break
        start = earlier
    return start, end


def _end_within(text: str, start: int, end: int, room: int) -> int:
    """Where to cut a sentence so that it fits."""
    end = min(end, start + room * MOST_CHARS)
    while (cost := tokens_of(text[start:end])) > room:
        end = start + (end - start) * room // (cost + 1)
    return end
