"""Canonical keys: the names under which a fact is stored once in its scope.

Invariant: no script is dropped. Two names have the same key only if their letters and digits are the same, two texts only if
they are the same statement, regardless of width, case, character variants, apostrophes and full stops.
"""

from __future__ import annotations

import unicodedata

from omoide.errors import InvalidArgument, filled, shown
from omoide.families.recallnest import slots
from omoide.memory.text_keys import key_of_text

#: The category in which texts may have a slot, see slots.py.
SLOTTED = "preferences"
_MARKS = frozenset({"Mn", "Mc"})


def canonical_key(given: str | None, category: str, text: str) -> str:
    """The key given by the caller, normalised; else that of the preference that the text states; else one made from the
    category and the whole text.

    Raises InvalidArgument for a given key without a letter or digit.
    """
    if given is not None:
        return _of_name(given)
    slot = slots.slot_of(text) if category == SLOTTED else None
    return key_of_text(category, text) if slot is None else f"{SLOTTED}:{slot}"


def is_given(key: str) -> bool:
    """Whether a caller gave this key; only made ones have a colon."""
    return ":" not in key


def slot(key: str) -> str | None:
    """The preference that a key stands for; None if it stands for a text or was given."""
    category, _, rest = key.partition(":")
    return rest if category == SLOTTED and ":" in rest else None


def opposite(key: str) -> str | None:
    """The key of the opposite preference, if this is that of a choice."""
    found = slots.opposite(slot(key) or "")
    return found and f"{SLOTTED}:{found}"


def _of_name(given: str) -> str:
    """The normalised name: `User:Reply-Style` -> `user-reply-style`, `ユーザー：返信` -> `ユーザー-返信`; keeps combining marks."""
    folded = unicodedata.normalize("NFKC", given).casefold()
    parts = "".join(char if char.isalnum() or unicodedata.category(char) in _MARKS else " " for char in folded).split()
    if not parts:
        raise InvalidArgument(
            "canonicalKey",
            f"canonicalKey {given!r} has no letter or digit.",
            hint="Name the fact, such as user:reply-style, or leave canonicalKey out.",
            also=filled(
                {
                    "ja": "canonicalKey {given} には文字も数字もありません。user:reply-style のように事実の名前を書くか、"
                    "canonicalKey を省いてください。",
                    "zh": "canonicalKey {given} 中没有字母或数字。请写出事实的名称，例如 user:reply-style，或省略 canonicalKey。",
                },
                given=shown(given),
            ),
        )
    return "-".join(parts)
