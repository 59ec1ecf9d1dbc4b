"""Recognises preferences of two kinds in a text: one tool over another, and how replies should be.

Useful for: storing a preference once however it is worded: "prefers Bun over npm" and npm より Bun が好き are the same.
Not useful for: other preferences, which are identified by their text.
Invariant: pure; a text that denies something, that states neither kind, or that says anything else as well, such as whose
preference it is (Alice) or when it holds (at work), has no slot: it would replace what holds for others, or at other times.
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
#: Only the user may come before, and the end of the sentence after: "Alice" or "at work" would make it another preference.
_BEGIN = (
    r"^\s*(?:(?:(?:the\s+)?user|i|we)\s+(?:(?:always|usually|generally)\s+)?"
    r"|(?:ユーザー?|利用者|私|僕|俺)(?:は|も)?[、,]?\s*(?:いつも|常に)?[、,]?\s*"
    r"|(?:用户|用戶|使用者|本人|我)\s*(?:一般|通常|总是|總是)?)?"
)
_END = r"[\s。.!！]*$"
_VERB = rf"(?:が|を)\s*(?:好|使|選|いい|良|よい)\w{{0,4}}{_END}"

#: Ways to prefer one tool, `a`, to another, `b`.
_CHOICES = (
    rf"prefer(?:s|red)?\s+(?:using\s+|to\s+use\s+)?(?P<a>{_WORD})\s+(?:over|instead of|rather than)\s+(?P<b>{_WORD}?){_END}",
    rf"us(?:e|es|ing)\s+(?P<a>{_WORD})\s+(?:over|instead of|rather than)\s+(?P<b>{_WORD}?){_END}",
    rf"比起?\s*(?P<b>{_CHINESE})[，,]?\s*更(?:喜欢|喜歡|偏好|愿意用)\s*(?:用|使用)?\s*(?P<a>{_CHINESE}){_END}",
    rf"(?:使用|用|选择|選擇|(?:更|比较|比較)?(?:喜欢|喜歡|偏好)(?:使用|用)?)\s*(?P<a>{_CHINESE})\s*[，,]?\s*而不(?:是|用)\s*(?P<b>{_CHINESE}){_END}",
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
#: 敬語なし and 敬語ではなく rule the trait out. Elsewhere either may be part of another word (はなし, なんとなく).
_RULED_OUT = re.compile("な[しく]")
#: Words that say nothing about replies beyond their traits.
_FILLERS = (
    r"\b(?:the|a|an|user|users|i|my|me|we|our|us|your|to|is|are|be|should|must|please|prefers?|preferred|likes?|wants?|keep|make"
    r"|use|uses|give|always|and|but|or|in|with|of|as|it|that|style|styles|tone|format|very|more)\b",
    "用户|用戶|使用者|请|請|喜欢|喜歡|希望|偏好|想要|应该|應該|应当|尽量|儘量|保持|总是|總是|一律|方式|方法|风格|風格|语气|語氣|格式|一点|一點|一些"
    "|比较|比較|我|要|需|应|應|更|很|得|的|地|以|用|使|且|并|並|而|又|和|与|與|时|時|些|点|點",
    "ユーザー?|利用者|スタイル|文体|口調|形式|希望|お願い|下さい|好[きみむ]|欲し|良|方|私|僕|俺|常|[はがをにのでともへなだすまくさいてしむみきうれるほよたかねお]",
)


def slot_of(text: str) -> str | None:
    """`tool-choice:<preferred>:over:<avoided>` or `reply-style:<trait>:<trait>`, in the spelling of keys.

    None for a text that says more than one thing: the rest would be lost when it is replaced.
    """
    if len(text) > MOST_CHARS or len(sentences(text)) != 1:
        return None
    choices = [found for pattern in _choices() if (found := pattern.match(text))]
    if choices:
        names = {_choice(found) for found in choices}
        return names.pop() if len(names) == 1 and not denies(_verb_at_end(choices[0])) else None
    if re.search(_REPLIES, text, re.IGNORECASE) is None or _says_more(text) or _denies(text):
        return None
    traits = [trait for trait, words in _TRAITS.items() if re.search(words, text, re.IGNORECASE)]
    return ":".join(("reply-style", *traits)) if traits else None


def opposite(slot: str) -> str | None:
    """The choice the other way round, `tool-choice:npm:over:bun` of `tool-choice:bun:over:npm`; None for replies."""
    kind, _, names = slot.partition(":")
    preferred, over, avoided = names.partition(":over:")
    return f"{kind}:{avoided}:over:{preferred}" if over else None


@cache
def _choices() -> tuple[re.Pattern[str], ...]:
    """The patterns, compiled at the first preference, not at import."""
    return tuple(re.compile(_BEGIN + pattern, re.IGNORECASE) for pattern in _CHOICES)


def _says_more(text: str) -> bool:
    """Whether a text about replies says anything beside their traits."""
    return re.search(r"\w", _words_about_replies().sub("", text)) is not None


@cache
def _words_about_replies() -> re.Pattern[str]:
    return re.compile("|".join((_REPLIES, *_TRAITS.values(), *_FILLERS)), re.IGNORECASE)


def _denies(text: str) -> bool:
    return denies(text) or _RULED_OUT.search(text) is not None


def _choice(found: re.Match[str]) -> str:
    return f"tool-choice:{_name(found['a'])}:over:{_name(found['b'])}"


def _verb_at_end(found: re.Match[str]) -> str:
    """What follows the two tools, which in Japanese may deny the choice: ではなく before it only compares."""
    return found.string[max(found.end("a"), found.end("b")) :]


def _name(said: str) -> str:
    return unicodedata.normalize("NFKC", said).casefold().strip(".")
