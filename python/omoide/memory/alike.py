"""Which memories read like a given text? The answer is symmetric: both texts are compared as stored texts are.

Useful for: linking or merging what says nearly the same. Not useful for: answering questions (recall.py weighs the
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
    """Of the `limit` memories nearest to the text those with a cosine of `at_least`, nearest first."""
    index.catch_up()
    with store.read() as reader:
        near = index.alike(text, reader, where=where, limit=limit)
        cosines = {row_number(key): cosine for key, cosine in near if cosine >= at_least}
        found = reader.memories_by_number(cosines)
    return [(found[number], cosine) for number, cosine in cosines.items() if number in found]
