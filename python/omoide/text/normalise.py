"""Which spellings are the same? Folding, in two steps of equal length in code points.

`plain`  NFKC (width, composed forms) and case: what dictionaries get.
`folded` plain, with the variants of each character folded to one: Traditional, Simplified, old and new Japanese Han characters;
         hiragana and katakana. Terms, grams and vectors are made from it. As long as `plain`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache

from omoide import _engine
from omoide.model.signs import APOSTROPHES, HYPHENS, QUOTES, typed
from omoide.text.tables import han_variants

HIRAGANA = range(0x3041, 0x3097)
HIRAGANA_TO_KATAKANA = 0x60
#: Invisible characters: joiners and marks of width zero, soft hyphens, marks of direction, variation
#: selectors (those of Han characters and of Mongolian, too).
_INVISIBLES = (
    "\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"
)
_INVISIBLE = re.compile(f"[{_INVISIBLES}]")
_VISIBLE = re.compile(rf"[^\s\x00-\x1f\x7f-\x9f{_INVISIBLES}]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

#: Kana and Han characters, for use inside [] of a pattern.
CJK = "\u3041-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
#: Marks that only pause or end a sentence: always in Chinese and Japanese, elsewhere before a blank or the end. A pattern that
#: begins with the mark, and looks around afterwards, is several times as fast. Compiled with the first statement, as classes of
#: so many characters take milliseconds.
_PAUSE = f"[、。｡,.;!](?:(?<=[、。｡])|(?<=[,.;!])[,.;!]*(?=\\s|$)|(?<=[{CJK}][,;!])|(?<=[,;!])(?=[{CJK}]))"
_BLANK_BESIDE_CJK = f" (?:(?<=[{CJK}] )|(?=[{CJK}]))"


def plain(text: str) -> str:
    """NFKC and case folding, without invisible characters; a lone surrogate becomes U+FFFD."""
    if text.isascii():
        return text.lower()
    try:
        folded = _engine.plain(text)
    except UnicodeEncodeError:  # a lone surrogate
        folded = None
    return _by_tables(text) if folded is None else folded


def _by_tables(text: str) -> str:
    composed = unicodedata.normalize("NFKC", _LONE_SURROGATE.sub("\ufffd", text))
    folded = unicodedata.normalize("NFKC", composed.casefold())
    return _INVISIBLE.sub("", folded)


def fold_variants(plain_text: str) -> str:
    """Fold the variants of Han characters and kana; the length stays."""
    return plain_text if plain_text.isascii() else variants().fold(plain_text)


def fold(text: str) -> str:
    """`plain`, then `fold_variants`."""
    return fold_variants(plain(text))


def is_blank(text: str) -> bool:
    """Whether nothing of a text can be seen: it has white space, control characters and invisible ones alone, or nothing."""
    return _VISIBLE.search(text) is None


def tags_in(sent: Iterable[str]) -> tuple[str, ...]:
    """Tags as a caller writes them, each kept once, without blanks around it; without those of which nothing can be seen."""
    return tuple(dict.fromkeys(tag.strip() for tag in sent if not is_blank(tag)))


def fold_name(name: str) -> str:
    """A name in the form in which names are compared: folded, with white space collapsed."""
    return " ".join(fold(name).split())


def fold_statement(text: str) -> str:
    """A text in the form in which statements are compared: folded, with the apostrophes, hyphens and double quotes of a
    keyboard, without pauses, full stops and blanks that have no meaning.

    Question marks, numbers and other signs stay: `C++` is not `C`, `1.5` is not `15`, a question is not a statement.
    """
    folded = typed(fold(text), (APOSTROPHES, HYPHENS, QUOTES))
    return without_blanks(" ".join(_compiled(_PAUSE).sub(" ", folded).split()))


def without_blanks(folded: str) -> str:
    """Folded text without the blanks beside Han characters and kana."""
    return folded if folded.isascii() else _compiled(_BLANK_BESIDE_CJK).sub("", folded)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)  # whose own cache takes longer


@lru_cache(maxsize=1)
def variants() -> _engine.Variants:
    """The table of variants of kana and Han characters."""
    hiragana = "".join(map(chr, HIRAGANA))
    katakana = "".join(chr(kana + HIRAGANA_TO_KATAKANA) for kana in HIRAGANA)
    han, folded = han_variants()
    # 市ヶ谷 is also written 市ケ谷.
    return _engine.Variants(hiragana + "ゕゖヵヶ" + han, katakana + "カケカケ" + folded)
