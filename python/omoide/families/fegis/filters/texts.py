"""Rules for names (ids, tools, agents) and texts (title, context): compared exactly, or by what they contain."""

from __future__ import annotations

import re
import unicodedata

from omoide.families.fegis.filters.filter import Filter, options, rules
from omoide.families.fegis.filters.numbers import is_number
from omoide.model.condition import All, Condition, Contains, Equals, OneOf
from omoide.text import fold

#: Most words in a filter: each is looked for in every memory.
MAX_WORDS = 50
_RUN = re.compile(r"[^\W_]+")


def text_of(filter: Filter) -> str:
    """The value as a text. Raises InvalidArgument."""
    value = filter.value
    if isinstance(value, str):
        return value
    if is_number(value):
        return str(value)
    message = f"'{filter.operator}' compares with one text, not with {filter.shown}."
    also = {"ja": "値は一つの文字列にしてください。", "zh": "值应为单个字符串。"}
    raise filter.error(message, "give a single value.", also)


def part_of(filter: Filter) -> str:
    """The value as a text to look for. Raises InvalidArgument if it is blank."""
    text = text_of(filter).strip()
    if not fold(text):  # nothing, or invisible characters only
        also = {"ja": "探す文字を 1 文字以上書いてください。", "zh": "请至少写出一个要查找的字符。"}
        raise filter.error("'contains' needs some text to look for.", "give at least one character.", also)
    return text


def words_of(text: str) -> list[str]:
    """The words that have to occur, in any order: runs of letters and digits. If only single letters or digits would be left
    (C++, 1.2), the signs are part of the word. A letter and its accent are composed first, as a mark of its own ends a run."""
    composed = unicodedata.normalize("NFKC", text)
    return list(dict.fromkeys(part for word in composed.split() for part in _runs(word)))


def _runs(word: str) -> list[str]:
    runs = _RUN.findall(word)
    return runs if any(len(run) > 1 for run in runs) else [word]


def same(filter: Filter) -> Condition:
    """`is`: the whole value, case-sensitive."""
    return Equals(filter.column, text_of(filter))


def contains(filter: Filter) -> Condition:
    """`contains` on names: the value as one piece."""
    return Contains(filter.column, part_of(filter))


def _contains_words(filter: Filter) -> Condition:
    words = words_of(part_of(filter))
    if len(words) > MAX_WORDS:
        message = f"{len(words)} words are more than 'contains' looks for."
        also = {
            "ja": f"contains で探せる語は {MAX_WORDS} 個までです（{len(words)} 個ありました）。",
            "zh": f"contains 最多查找 {MAX_WORDS} 个词（现有 {len(words)} 个）。",
        }
        raise filter.error(message, f"give at most {MAX_WORDS}.", also)
    return All(tuple(Contains(filter.column, word) for word in words))


def _one_of(filter: Filter) -> Condition:
    return OneOf(filter.column, tuple(text_of(each) for each in options(filter)))


NAME = rules(same, contains=contains, any_of=_one_of)
TEXT = rules(same, contains=_contains_words, any_of=_one_of)
