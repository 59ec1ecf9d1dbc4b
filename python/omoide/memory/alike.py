"""Which memories read like a given text? The answer is symmetric: both texts are compared as stored texts are.

Useful for: linking or merging what says nearly the same. Not useful for: answering questions (recall.py weighs the
words of a question by their rarity; here every part of a text counts alike).
"""

from __future__ import annotations

from dataclasses import replace

from omoide.dates import Moment
from omoide.engine import Index
from omoide.memory.recall import recall
from omoide.model.memory import Memory
from omoide.model.query import MAX_QUERY_CHARS, Query
from omoide.store.protocol import Store


def alike(
    store: Store, index: Index, text: str, query: Query, *, at_least: float, moment: Moment
) -> list[tuple[Memory, float]]:
    """Among the memories that `query` allows, and of those its limit of the nearest: what resembles the text with a
    cosine of `at_least`, most alike first."""
    asked = replace(query, text=text[:MAX_QUERY_CHARS], arms=frozenset({"vectors"}))
    near = [hit.memory for hit in recall(store, index, asked, moment=moment).hits]
    likenesses = zip(near, index.likeness(text, near), strict=True)
    return sorted((each for each in likenesses if each[1] >= at_least), key=lambda each: -each[1])
