"""The note, in the language of the question, that names the memories which were folded into a hit.

Useful for: tool families whose results have no field for it. Not useful for: finding duplicates (duplicates.py).
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


def note(hits: Iterable[Hit], language: str) -> list[str]:
    """A sentence for each hit with duplicates folded into it, in ja, zh, zh-Hant or en."""
    words = told_in(_WORDS, language) or _WORDS["en"]
    return [words.format(id=hit.memory.id, others=", ".join(hit.alike)) for hit in hits if hit.alike]
