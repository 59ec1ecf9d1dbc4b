"""Which memories does a scope cover? Those in it and those under it: `cc` covers `cc:1`, never `ccx`.

Useful for: comparing scopes outside of the index, which has the same rule (`engine/attributes.py`). Not useful for: canonical
keys, which hold in exactly the scope that was written.
Invariant: names that differ only in compatibility forms (NFKC) are the same: `日記：旅` is under `日記`, `ﾃﾞｰﾀ` is `データ`.
"""

from __future__ import annotations

import unicodedata


def plain(name: str) -> str:
    """The form in which scopes, and other names, are compared (NFKC, which ASCII is already)."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def covers(scope: str, other: str) -> bool:
    """Whether `other` is `scope` or under it."""
    outer, inner = plain(scope), plain(other)
    return inner == outer or inner.startswith(f"{outer}:")
