"""Canonical keys that are made from a text, for facts that nobody has named.

Useful for: storing a statement once. Not useful for: names that callers give.
Invariant: two texts of one category have the same key only if they are the same statement, regardless of width, case, character
variants, apostrophes and full stops. A colon separates the category from the rest.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from omoide.model.memory import Draft, Memory
from omoide.text import fold_statement

HASH_CHARS = 32


def key_of_text(category: str, text: str) -> str:
    """The key made from the category and the whole text."""
    digest = hashlib.sha256(fold_statement(text).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{category}:{digest[:HASH_CHARS]}"


def following_text(known: Memory, changed: Draft) -> Draft:
    """What a memory is changed to, with the key of its new text if the old key was made from the old text: whoever tells the old
    text again would otherwise replace the new one."""
    key, old, new = known.canonical_key, (known.category, known.text), (changed.category, changed.text)
    if key is None or key != changed.canonical_key or old == new or key != key_of_text(*old):
        return changed
    return replace(changed, canonical_key=key_of_text(*new))
