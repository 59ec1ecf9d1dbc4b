"""Which memories are similar to a given text? Similarity is symmetric: the text is embedded as stored texts are.

Useful for: linking or merging memories that say nearly the same. Not useful for: answering questions (recall.py weights the
words of a question by their rarity; here every part of a text counts alike).
"""

from __future__ import annotations

from typing import NamedTuple

from omoide.engine import Index
from omoide.engine.keys import row_number
from omoide.model.condition import Condition
from omoide.model.memory import Memory
from omoide.store.protocol import Store


class Similar(NamedTuple):
    """(memory, cosine) of memories, nearest first; `is_complete`: no vector was missing for comparing all of them."""

    found: list[tuple[Memory, float]]
    is_complete: bool


def alike(store: Store, index: Index, text: str, *, where: Condition, limit: int, at_least: float) -> Similar:
    """The `limit` memories nearest to the text, without those whose cosine is below `at_least`. Raises IndexBehind as `recall`
    does."""
    index.follow_in_time()
    with store.read() as reader:
        neighbours, is_complete = index.alike(text, reader, where=where, limit=limit)
    cosines = {row_number(key): cosine for key, cosine in neighbours if cosine >= at_least}
    memories = zip(store.memories(list(cosines)), cosines.values(), strict=True)
    return Similar([(memory, cosine) for memory, cosine in memories if memory is not None], is_complete)
