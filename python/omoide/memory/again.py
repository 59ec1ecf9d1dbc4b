"""What is said beside an answer of hits that stand for others which say the same, in the language of the question?

Useful for: doors whose results have no place for it. Not useful for: which say the same; duplicates.py tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from omoide.model.query import Hit
from omoide.traditional import told_in

_WORDS: Mapping[str, str] = {
    "ja": "{id} と同じ内容の記憶がほかにもあります: {others}",
    "zh": "与 {id} 内容相同的记忆还有：{others}",
    "en": "The same as {id} is said by {others}",
}


def told(hits: Iterable[Hit], language: str) -> list[str]:
    """A sentence for each hit that others say again, in ja, zh, zh-Hant or en."""
    words = told_in(_WORDS, language) or _WORDS["en"]
    return [words.format(id=hit.memory.id, others=", ".join(hit.alike)) for hit in hits if hit.alike]
