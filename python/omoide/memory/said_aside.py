"""Which words of a question say when a memory was, but not what it says?

Most texts with 先週の土曜 or recently mean another Saturday, another time. Those with 今年 mean this year for so long that it tells
今年の目標 from 来年の目標.

Useful for: the weights of a query's words. Not useful for: the time that they mean; see boost.py.
"""

from __future__ import annotations

from omoide.dates import vague_places
from omoide.memory.boost import Boost
from omoide.model.query import Query

_POSSESSIVES = ("'s", "’s")


def said_aside(query: Query, boost: Boost | None) -> list[tuple[int, int]]:
    """[start, end) of these words in a query's text; none if dates in it are to have no effect."""
    if not query.text or query.weights.dates <= 0.0:
        return []
    dates = () if boost is None else boost.dates
    deictic = [(each.start, each.end) for each in dates if each.deictic and each.granularity != "year"]
    return [_with_possessive(query.text, *place) for place in deictic + vague_places(query.text)]


def _with_possessive(text: str, start: int, end: int) -> tuple[int, int]:
    """Of yesterday's meeting the place of yesterday's, which is one word."""
    return start, end + 2 * text.startswith(_POSSESSIVES, end)
