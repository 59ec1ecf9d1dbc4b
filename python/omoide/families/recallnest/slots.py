"""Recognises preferences of two kinds in a text: one tool over another, and how replies should be.

Useful for: storing a preference once however it is worded: "prefers Bun over npm" and npm より Bun が好き are the same.
Not useful for: other preferences, which are identified by their text.
Invariant: pure; a text that denies something, or states neither kind, has no slot.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from omoide.memory.negation import denies
from omoide.text import sentences

#: A longer text says more than a preference.
MOST_CHARS = 160

_WORD = r"[\w.+#/-]+"
_CHINESE = r"[^\s，。、,.!！?？而比更]{1,20}?"
_JAPANESE = r"[^\s、。，,.はがをに]{1,20}?"
#: Only the end of the sentence may follow: "at work" would make it another preference.
_END = r"[\s。.!！]*$"
_VERB = rf"(?:が|を)\s*(?:好|使|選|いい|良|よい)\w{{0,4}}{_END}"

#: Ways to prefer one tool, `a`, to another, `b`.
_CHOICES = (
    rf"\bprefer(?:s|red)?\s+(?:using\s+)?(?P<a>{_WORD})\s+(?:over|instead of|rather than)\s+(?P<b>{_WORD}?){_END}",
    rf"\bus(?:e|es|ing)\s+(?P<a>{_WORD})\s+(?:over|instead of|rather than)\s+(?P<b>{_WORD}?){_END}",
    rf"比起?\s*(?P<b>{_CHINESE})[，,]?\s*更(?:喜欢|喜歡|偏好|愿意用)\s*(?:用|使用)?\s*(?P<a>{_CHINESE}){_END}",
    rf"(?:使用|用|选择|選擇|喜欢|喜歡|偏好)\s*(?P<a>{_CHINESE})\s*[，,]?\s*而不(?:是|用)\s*(?P<b>{_CHINESE}){_END}",
    rf"(?P<b>{_JAPANESE})\s*よりも?\s*(?P<a>{_JAPANESE})\s*(?:のほう|の方)?{_VERB}",
    rf"(?P<b>{_JAPANESE})\s*ではなく\s*[、,]?\s*(?P<a>{_JAPANESE})\s*{_VERB}",
)
_REPLIES = r"\b(?:repl(?:y|ies)|answers?|responses?|respond)\b|回复|回覆|回答|答复|返信|返事|応答"
#: Trait -> a pattern of the words for it.
_TRAITS = {
    "concise": r"\b(?:concise|brief|short|terse|succinct)\b|简洁|簡潔|简短|簡短|手短|短[いくめ]",
    "direct": r"\b(?:direct|straightforward|blunt)\b|直接|率直|ストレート|开门见山",
    "detailed": r"\b(?:detailed|thorough|long)\b|详细|詳細|詳し[いく]|详尽",
    "formal": r"\b(?:formal|polite)\b|正式|礼貌|丁寧|敬語",
    "casual": r"\b(?:casual|informal|friendly)\b|随意|轻松|口语|カジュアル|くだけた",
    "bulleted": r"\bbullet(?:s|ed| points?)?\b|列表|箇条書き|分点",
}


def slot_of(text: str) -> str | None:
    """`tool-choice:<preferred>:over:<avoided>` or `reply-style:<trait>:<trait>`, in the spelling of keys.

    None for a text that says more than one thing: the rest would be lost when it is replaced.
    """
    if len(text) > MOST_CHARS or len(sentences(text)) != 1:
        return None
    choices = {_choice(found) for pattern in _choices() for found in pattern.finditer(text)}
    if choices:
        return choices.pop() if len(choices) == 1 else None
    if re.search(_REPLIES, text, re.IGNORECASE) is None or denies(text):
        return None
    traits = [trait for trait, words in _TRAITS.items() if re.search(words, text, re.IGNORECASE)]
    return ":".join(("reply-style", *traits)) if traits else None


@cache
def _choices() -> tuple[re.Pattern[str], ...]:
    """The patterns, compiled at the first preference, not at import."""
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in _CHOICES)


def _choice(found: re.Match[str]) -> str:
    return f"tool-choice:{_name(found['a'])}:over:{_name(found['b'])}"


def _name(said: str) -> str:
    return unicodedata.normalize("NFKC", said).casefold().strip(".")
