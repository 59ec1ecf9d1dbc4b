"""The note, in the language of the question, that an arm took no part in the answer.

Useful for: every tool family; each has its own place for it. Not useful for: the reason, which comes with the answer
(`MissingArm`), with its translations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from omoide.model.query import MissingArm
from omoide.traditional import told_in

_WORDS: Mapping[str, str] = {
    "ja": "{arm} による順位づけなしの結果です。{reason}",
    "zh": "此结果缺少按 {arm} 的排序。{reason}",
    "en": "This answer is without the ranking by {arm}. {reason}",
}


def note(missing: Iterable[MissingArm], language: str) -> list[str]:
    """A sentence for each missing arm, in ja, zh, zh-Hant or en."""
    words = told_in(_WORDS, language) or _WORDS["en"]
    return [words.format(arm=each.arm, reason=told_in(each.also, language) or each.reason) for each in missing]
