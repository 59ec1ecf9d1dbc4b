"""Maps places of a text's plain form to places of the original text.

Useful for: marking and cutting out matches. Not useful for: searching, which never looks at the original.
Invariant: every span is a slice of the original, in code points, and splits no grapheme.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from omoide.text.graphemes import clusters
from omoide.text.normalise import plain

Span = tuple[int, int]

#: A text of characters that each become one of the plain text, and of which none belongs to the one before it; most texts are.
ONE_BY_ONE = re.compile("[\0-\x7f·×À-ÖØ-Þà-öø-ÿ‐-―‘’“”•←-↓≪≫■-◿★☆\u3000-\u3029ぁ-ゖァ-ヾ一-鿿！-～]*")


class Offsets:
    """From places in `plain(text)` (and in its folded form, which is as long) to places in `text`."""

    def __init__(self, text: str) -> None:
        #: For each place of the plain text, [start, end) of its origin; None if that is the same place.
        self._origins = None if ONE_BY_ONE.fullmatch(text) else list(_origins(text))

    def span(self, start: int, end: int) -> Span:
        """The span of the original text that the plain text's [start, end) comes from; end > start."""
        if self._origins is None:
            return start, end
        return self._origins[start][0], self._origins[end - 1][1]

    def plain_span(self, start: int, end: int) -> Span:
        """The span of the plain text that comes from the original text's [start, end)."""
        if self._origins is None:
            return start, end
        return bisect_left(self._origins, (start, start)), bisect_left(self._origins, (end, end))


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in order, merged if they overlap or touch."""
    merged_spans: list[Span] = []
    for start, end in sorted(spans):
        if merged_spans and start <= merged_spans[-1][1]:
            merged_spans[-1] = merged_spans[-1][0], max(end, merged_spans[-1][1])
        else:
            merged_spans.append((start, end))
    return tuple(merged_spans)


def _origins(text: str) -> Iterator[Span]:
    for start, end in clusters(text):
        for _ in plain(text[start:end]):
            yield start, end
