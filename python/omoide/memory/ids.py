"""Which ids do new rows get, and which one does somebody mean?

New ones are random, those of a batch side by side: a store finds rows by id, and ids that lie anywhere make every row of
a batch change another page of that index. The ids of a batch share their first four digits, and the next four differ in a
way that is easy to tell apart, so that the first eight, by which people name a memory, are alike no more often than if all
were random.

Useful for: rows that nobody has named, and ids as people write them. Not useful for: secrets.
Invariant: each new one is a UUID of version 4, given once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from uuid import uuid4

from omoide.errors import InvalidArgument

#: Odd, so that it meets each of 65,536 numbers before it meets one again.
_STEP = 0x9E37
_RUN = 1 << 16
_ID_BYTES = 16
#: The digit that says which kind of UUID it is, for whatever was drawn in its place: of its bits, two are random.
_VARIANT = {f"{drawn:x}": f"{drawn & 3 | 8:x}" for drawn in range(16)}
#: The shortest beginning of an id that names it.
MIN_PREFIX_CHARS = 8


def new_id() -> str:
    """A fresh id."""
    return str(uuid4())


def new_ids(count: int) -> list[str]:
    """So many fresh ids for rows that are stored together."""
    drawn = os.urandom(_ID_BYTES * (count + 1))
    first = int.from_bytes(drawn[:4], "big")
    rest = (drawn[at + 4 : at + _ID_BYTES].hex() for at in range(_ID_BYTES, len(drawn), _ID_BYTES))
    return [_written(_beginning(first, place), each) for place, each in enumerate(rest)]


def meant(said: str, ids: Iterable[str]) -> list[str]:
    """What somebody may mean who writes this: the id that is written out, else all that begin so."""
    known = list(ids)
    if said in known:
        return [said]
    return [id for id in known if id.startswith(said)] if len(said) >= MIN_PREFIX_CHARS else []


def ambiguous(nouns: str, said: str) -> InvalidArgument:
    """The error where several may be meant."""
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
    """As `str` of a UUID that is made of the same digits, with its version and variant: that takes four times as long."""
    return f"{beginning:08x}-{rest[:4]}-4{rest[5:8]}-{_VARIANT[rest[8]]}{rest[9:12]}-{rest[12:]}"
