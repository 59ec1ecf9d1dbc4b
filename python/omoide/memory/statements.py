"""Do two texts say the same? 「抹茶が好き。」 and 「抹茶が好きです」 do, "room 101" and "room 102" do not.

The comparison ignores pauses, quotes, articles and polite endings. A long text may have a little more than the other, but
only words in small letters or hiragana: numbers, names and Han characters must be the same in the same order, and neither
text may deny what the other says.

Useful for: texts written down twice. Not useful for: paraphrases, which use other words.
Invariant: pure and symmetric; width, case and character variants make no difference.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from omoide.memory.negation import denies
from omoide.text import fold
from omoide.text.normalise import CJK

#: The longer text may have one more part for each so many parts that it has.
PARTS_TO_ONE_MORE = 10

#: Words without a meaning of their own: articles, polite endings of Japanese sentences, particles of Chinese.
_LIGHT = r"""(?xm)\b(?:an?|[Tt]he|An)\b(?=\s+\w) | (?:^|(?<=[.!?]\s))A(?=\s+[a-z])
      | (?:です|だ|である)?[よね]{0,2}(?=\s*(?:[。．.!！]|$))
      | (?<=[\u3400-\u9fff])[的啊呢]"""
#: Numbers with sign and separators, words, single Han characters and kana, and signs other than pauses and quotes.
_PART = rf"(?:(?<![A-Za-z0-9])[-−+])?\d+(?:[.,:/-]\d+)*|[^\W{CJK}]+(?:['’][^\W{CJK}]+)?|[{CJK}]|[^\s\w、。，,.;；:：!！…‥\"'“”‘’「」『』()（）〜~*_`-]"
_SMALL = re.compile("[a-zß-öø-ÿ]+(?:['’][a-z]+)?|[\u3041-\u309f]")


class Statement(NamedTuple):
    """A text prepared for comparison: its folded parts in order, and which of them are small words."""

    text: str
    parts: tuple[str, ...]
    small: Sequence[bool]

    @staticmethod
    def of(text: str) -> Statement:
        """The statement of a text as it was written."""
        # Compiling such large patterns takes milliseconds: done at the first comparison, not at import.
        meaningful = re.sub(_LIGHT, "", unicodedata.normalize("NFKC", text))
        parts = re.findall(_PART, meaningful)
        folded_parts = [_folded_part(part) for part in parts]
        return Statement(text, tuple(folded for folded, _ in folded_parts), [small for _, small in folded_parts])


@lru_cache(maxsize=1 << 15)
def _folded_part(part: str) -> tuple[str, bool]:
    """The folded part, and whether it is a small word. Cached, as texts share most of their parts."""
    return fold(part), bool(_SMALL.fullmatch(part))


def same(one: Statement, other: Statement) -> bool:
    """Whether they say the same: see the module. Two texts without a part to compare say the same only if they are equal."""
    if one.parts == other.parts:
        return bool(one.parts) or one.text == other.text
    shorter, longer = sorted((one, other), key=lambda each: len(each.parts))
    return (
        _is_little_more(len(longer.parts), len(shorter.parts))
        and _is_contained_in(shorter.parts, longer)
        and denies(one.text) is denies(other.text)
    )


def _is_little_more(parts: int, fewer: int) -> bool:
    return (parts - fewer) * PARTS_TO_ONE_MORE <= parts


def _is_contained_in(parts: Sequence[str], longer: Statement) -> bool:
    """Whether `longer` has all the parts in their order, and besides them only small words."""
    matched = 0
    for part, small in zip(longer.parts, longer.small, strict=True):
        if matched < len(parts) and part == parts[matched]:
            matched += 1
        elif not small:
            return False
    return matched == len(parts)


def holders(statements: Iterable[Statement]) -> dict[tuple[str, ...], list[int]]:
    """For the parts of each statement, numbers of the parts that hold them all and little more, their own among them. Of two
    statements that say the same, one holds the parts of the other, so they share a number: others need not be compared."""
    counts = {statement.parts: Counter(statement.parts or [""]) for statement in statements}
    lengths = [len(parts) for parts in counts]
    holding: dict[tuple[str, int], set[int]] = defaultdict(set)
    for number, count in enumerate(counts.values()):
        for part, times in count.items():
            for fewer in range(1, times + 1):
                holding[part, fewer].add(number)
    return {
        parts: [
            number
            for number in set.intersection(*sorted((holding[needed] for needed in count.items()), key=len))
            if _is_little_more(lengths[number], len(parts))
        ]
        for parts, count in counts.items()
    }
