"""Sentences beside an answer, in the language of the question: which arms took no part in it, which memories were folded into a hit.

Useful for: every tool family; each has its own place for them. Not useful for: the reason why an arm is missing, which comes with
the answer (`MissingArm`), with its translations; finding duplicates (duplicates.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from omoide.model.query import Hit, MissingArm
from omoide.traditional import told_in

_MISSING: Mapping[str, str] = {
    "ja": "{arm} による順位づけなしの結果です。{reason}",
    "zh": "此结果缺少按 {arm} 的排序。{reason}",
    "en": "This answer is without the ranking by {arm}. {reason}",
}
_FOLDED: Mapping[str, str] = {
    "ja": "{id} と同じ内容の記憶がほかにもあります：{others}",
    "zh": "与 {id} 内容相同的记忆还有：{others}",
    "en": "The same as {id} is said by {others}",
}


def on_missing_arms(missing: Iterable[MissingArm], language: str) -> list[str]:
    """A sentence for each missing arm, in ja, zh, zh-Hant or en."""
    words = told_in(_MISSING, language) or _MISSING["en"]
    return [words.format(arm=each.arm, reason=told_in(each.also, language) or each.reason) for each in missing]


def on_folded_duplicates(hits: Iterable[Hit], language: str) -> list[str]:
    """A sentence for each hit with duplicates folded into it, in ja, zh, zh-Hant or en."""
    words = told_in(_FOLDED, language) or _FOLDED["en"]
    return [words.format(id=hit.memory.id, others=", ".join(hit.alike)) for hit in hits if hit.alike]
