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
from omoide.model.query import MissingArm
from omoide.store.protocol import Store


class Similar(NamedTuple):
    """(memory, cosine) of memories, nearest first; see `engine.Alike`."""

    found: list[tuple[Memory, float]]
    missing: MissingArm | None
    is_answered: bool


def alike(store: Store, index: Index, text: str, *, where: Condition, limit: int, at_least: float) -> Similar:
    """The `limit` memories nearest to the text, without those whose cosine is below `at_least`. Raises IndexBehind as `recall`
    does."""
    index.follow_in_time()
    with store.read() as reader:
        neighbours, missing, is_answered = index.alike(text, reader, where=where, limit=limit)
    cosines = {row_number(key): cosine for key, cosine in neighbours if cosine >= at_least}
    memories = zip(store.memories(list(cosines)), cosines.values(), strict=True)
    found = [(memory, cosine) for memory, cosine in memories if memory is not None]
    return Similar(found, missing, is_answered)
