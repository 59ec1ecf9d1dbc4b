"""Case folding: names and texts that differ in compatibility forms (NFKC) and case only are the same.

Useful for: finding an entity by name (`ＫＹＯＴＯ`, `Kyoto`), duplicate observations.
Not useful for: search. Words, Traditional and Simplified, kana are up to text analysis, whose `fold` goes further.
Invariant: `fold_case(fold_case(text)) == fold_case(text)`.
"""

from __future__ import annotations

import zlib
from unicodedata import is_normalized, normalize

from omoide.model.signs import APOSTROPHES, HYPHENS, typed


def fold_case(text: str) -> str:
    """Fold compatibility forms (NFKC) and case; Unicode's compatibility caseless match (chapter 3.13, D146)."""
    if text.isascii():
        return text.lower()
    lowered = text.casefold()
    if "ι" not in lowered and is_normalized("NFKC", text) and is_normalized("NFKC", lowered):
        return lowered  # the same result, several times faster; only the iota of Greek moves when it is folded
    once = normalize("NFKC", normalize("NFD", text).casefold())
    return normalize("NFKC", once.casefold())


def spellings(name: str) -> list[str]:
    """The folded name with other kinds of apostrophes and hyphens, itself left out: O’Brien, and Jean‐Luc for Jean-Luc."""
    folded = fold_case(name)
    plain = typed(folded)
    apostrophes = APOSTROPHES if "'" in plain else "'"
    hyphens = HYPHENS if "-" in plain else "-"
    found = (plain.replace("'", apostrophe).replace("-", hyphen) for apostrophe in apostrophes for hyphen in hyphens)
    return [spelled for spelled in found if spelled != folded]


def folded_checksum(text: str) -> int:
    """A checksum of the folded text: equal for texts that fold to the same, seldom for others."""
    return zlib.crc32(fold_case(text).encode("utf-8", "surrogatepass"))
