"""What of the hits fits into a number of tokens? Whole texts where they are short, the best part of long ones.

No text may take more than a quarter of the budget, so that one long memory does not stand for all. What does not fit is
left out and counted; a shorter one behind it may still fit.

Useful for: as much evidence as a model's context has room for. Not useful for: choosing hits; their order stays.
Invariant: what is shown costs no more than the budget, by the estimate of text/tokens.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from omoide.model.query import Hit
from omoide.text import best_sentence, sentence_spans, tokens_of
from omoide.text.graphemes import border

#: The part of a budget that one memory may take.
SHARE = 4
#: A beginning of a sentence shorter than this tells nothing.
LEAST_TOKENS = 12
#: Hardly any text has more characters to a token.
MOST_CHARS = 20

Span = tuple[int, int]


class Fitted(NamedTuple):
    """The hits that fit, what they cost (None: nobody counted), and how many were left out."""

    hits: tuple[Hit, ...]
    tokens: int | None
    omitted: int


def fitted(hits: Sequence[Hit], budget: int) -> Fitted:
    """As much of the hits as fits into so many tokens, best first."""
    shown: list[Hit] = []
    left = budget
    for hit in hits:
        title = tokens_of(hit.memory.title or "")
        part = shown_part(hit, min(left, budget // SHARE) - title)
        if part is not None:
            whole = part == (0, len(hit.memory.text))
            shown.append(hit._replace(part=None if whole else part))
            left -= title + tokens_of(hit.memory.text[slice(*part)])
    return Fitted(tuple(shown), budget - left, len(hits) - len(shown))


def shown_part(hit: Hit, room: int) -> Span | None:
    """What of a text to show in at most `room` tokens: all of it, else whole sentences around the best one, of a sentence
    that is longer alone its beginning. None where that would tell nothing."""
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
    # A text of many times the room is not counted to its end.
    return tokens_of(text[: room * MOST_CHARS]) <= room and tokens_of(text) <= room


def _best_sentence(hit: Hit) -> Span:
    """The one that holds most of what was found, of the passage nearest in meaning where there is one."""
    first, last = hit.why.passage or (0, len(hit.memory.text))
    start, end = best_sentence(hit.memory.text[first:last], hit.why.terms)
    return first + start, first + end


def _grown(text: str, best: Span, room: int) -> Span:
    """With the sentences after it, then those before it, as far as there is room."""
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
    """Where a sentence has to end to fit."""
    end = min(end, start + room * MOST_CHARS)
    while (cost := tokens_of(text[start:end])) > room:
        end = start + (end - start) * room // (cost + 1)
    return end
