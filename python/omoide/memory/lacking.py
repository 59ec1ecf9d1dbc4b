"""What is said beside an answer that a ranking took no part in, in the language of the question?

Useful for: every door, each of which has its own place for it. Not useful for: why it took no part; the reason comes
with the answer, in the languages that whoever gives it knows.
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


def told(missing: Iterable[MissingArm], language: str) -> list[str]:
    """A sentence for each, in ja, zh, zh-Hant or en."""
    words = told_in(_WORDS, language) or _WORDS["en"]
    return [words.format(arm=each.arm, reason=told_in(each.also, language) or each.reason) for each in missing]
