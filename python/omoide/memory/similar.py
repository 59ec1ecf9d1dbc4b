"""Which memories are similar to a given text? Similarity is symmetric: the text is embedded as stored texts are.

Useful for: linking or merging memories that say nearly the same. Not useful for: answering questions (recall.py weights the
words of a question by their rarity; here every part of a text counts alike).
"""

from __future__ import annotations

from omoide.engine import Index
from omoide.engine.keys import row_number
from omoide.model.condition import Condition
from omoide.model.memory import Memory
from omoide.store.protocol import Store


def alike(
    store: Store, index: Index, text: str, *, where: Condition, limit: int, at_least: float
) -> list[tuple[Memory, float]]:
    """(memory, cosine) of the `limit` memories nearest to the text, nearest first, without those below `at_least`. Raises
    IndexBehind as `recall` does."""
    index.follow_in_time()
    with store.read() as reader:
        neighbours = index.alike(text, reader, where=where, limit=limit)
    cosines = {row_number(key): cosine for key, cosine in neighbours if cosine >= at_least}
    memories = store.memories(list(cosines))
    return [(memory, cosine) for memory, cosine in zip(memories, cosines.values(), strict=True) if memory is not None]
