"""Which ids do new rows get, and which id does a prefix mean?

New ids are random, but those of a batch lie close together in the store's index by id: with unrelated ids, every row of a
batch would change another page of that index. The ids of a batch share their first four digits; the next four count on in
steps of _STEP. So their first eight digits, by which people name a memory, differ as surely as those of random ids.

Useful for: rows without an id of their own, and ids as people write them. Not useful for: secrets.
Invariant: each new id is a UUID of version 4 and is given once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from uuid import uuid4

from omoide.errors import InvalidArgument

#: Odd, so that steps modulo 65,536 reach every number before one comes again.
_STEP = 0x9E37
_RUN = 1 << 16
_ID_BYTES = 16
#: The variant digit of a UUID for each random digit drawn in its place: two of its bits are kept.
_VARIANT = {f"{drawn:x}": f"{drawn & 3 | 8:x}" for drawn in range(16)}
#: The shortest prefix that names an id.
MIN_PREFIX_CHARS = 8


def new_id() -> str:
    """A fresh id."""
    return str(uuid4())


def new_ids(count: int) -> list[str]:
    """`count` fresh ids for rows that are stored together."""
    drawn = os.urandom(_ID_BYTES * (count + 1))
    first = int.from_bytes(drawn[:4], "big")
    rest = (drawn[at + 4 : at + _ID_BYTES].hex() for at in range(_ID_BYTES, len(drawn), _ID_BYTES))
    return [_written(_beginning(first, place), each) for place, each in enumerate(rest)]


def ids_meant(said: str, ids: Iterable[str]) -> list[str]:
    """The ids that `said` may mean: the one equal to it, else all that begin with it; none if it is a shorter prefix."""
    known = list(ids)
    if said in known:
        return [said]
    return [id for id in known if id.startswith(said)] if len(said) >= MIN_PREFIX_CHARS else []


def ambiguous(nouns: str, said: str) -> InvalidArgument:
    """The error for a prefix that several ids have."""
    also = {
        "ja": f"{said!r} で始まる ID がいくつかあります。もっと長く書いてください。",
        "zh": f"有多个 ID 以 {said!r} 开头，请写得更长一些。",
    }
    return InvalidArgument("id", f"Several {nouns} begin with {said!r}.", hint="Give more of the id.", also=also)


def _beginning(first: int, place: int) -> int:
    run, at = divmod(place, _RUN)
    shared = ((first >> 16) + run) % _RUN
    return shared << 16 | (first + at * _STEP) % _RUN


def _written(beginning: int, rest: str) -> str:
    """The text of a UUID of these digits, with version and variant set; a quarter of the time that `str(UUID(…))` takes."""
    return f"{beginning:08x}-{rest[:4]}-4{rest[5:8]}-{_VARIANT[rest[8]]}{rest[9:12]}-{rest[12:]}"
