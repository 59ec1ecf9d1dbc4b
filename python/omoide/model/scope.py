"""Which memories does a scope cover? Those in it and those under it: `cc` covers `cc:1`, never `ccx`.

Useful for: whoever compares scopes outside of the index, which has the same rule (`engine/attributes.py`). Not useful for:
keys, which hold in exactly the scope that was written.
Invariant: names that differ in compatibility forms alone (NFKC) are one: `日記：旅` lies under `日記`, `ﾃﾞｰﾀ` is `データ`.
"""

from __future__ import annotations

import unicodedata


def plain(scope: str) -> str:
    """A scope as it is compared."""
    return scope if scope.isascii() else unicodedata.normalize("NFKC", scope)


def covers(scope: str, other: str) -> bool:
    """Whether what is in `other` is in `scope` or under it."""
    outer, inner = plain(scope), plain(other)
    return inner == outer or inner.startswith(f"{outer}:")
