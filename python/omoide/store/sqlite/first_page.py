"""The first page of a database, made anew where it is lost: it leads to the pages that list the tables.

The list of our tables is longer than a page, so the first one only says on which pages it is. Those are known by their shape.
Useful for: salvage.py. Not useful for: a file's head, or pages that other tables have lost.
Invariant: nothing but the first page of the file is written. https://www.sqlite.org/fileformat2.html, 1.6 and 2.1.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

HEAD_BYTES = 100

_INNER, _LEAF = 0x05, 0x0D
_INNER_HEAD_BYTES, _LEAF_HEAD_BYTES = 12, 8
_COLUMNS = 5
_KINDS = (b"table", b"index")


class _Page(NamedTuple):
    """A page of the list: the number of its last row, and its own."""

    last: int
    number: int


def relist(file: Path, page_bytes: int) -> None:
    """Have the first page lead to all pages that list tables; where there are none, it stays."""
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), 0) as content:
        if pages := sorted(_listing(content, page_bytes)):
            content[HEAD_BYTES:page_bytes] = _leading_to(pages, page_bytes)


def _listing(content: mmap.mmap, page_bytes: int) -> Iterator[_Page]:
    for start in range(page_bytes, len(content), page_bytes):
        if content[start] == _LEAF:
            page = content[start : start + page_bytes]
            try:
                rows = [_row(page, at) for at in _cells(page)]
            except IndexError:  # it leads out of itself
                continue
            if rows and all(is_of_list for _, is_of_list in rows):
                yield _Page(rows[-1][0], start // page_bytes + 1)


def _cells(page: bytes) -> list[int]:
    """Where the rows of a leaf begin, in order."""
    count = int.from_bytes(page[3:5], "big")
    ends = range(_LEAF_HEAD_BYTES, _LEAF_HEAD_BYTES + 2 * count, 2)
    return [int.from_bytes(page[at : at + 2], "big") for at in ends]


def _row(page: bytes, at: int) -> tuple[int, bool]:
    """The number of a row, and whether it is one of the list of tables. Raises IndexError."""
    _, at = _varint(page, at)
    number, start = _varint(page, at)
    head_bytes, at = _varint(page, start)
    columns: list[int] = []
    while at < start + head_bytes and len(columns) <= _COLUMNS:
        column, at = _varint(page, at)
        columns.append(column)
    first = page[start + head_bytes :]
    return number, len(columns) == _COLUMNS and first.startswith(_KINDS)


def _varint(page: bytes, at: int) -> tuple[int, int]:
    """A number and where it ends. Raises IndexError."""
    value = 0
    for end in range(at, at + 8):
        value = value << 7 | page[end] & 0x7F
        if page[end] < 0x80:
            return value, end + 1
    return value << 8 | page[at + 8], at + 9


def _leading_to(pages: Sequence[_Page], page_bytes: int) -> bytes:
    """What follows the head of a first page with so many below it."""
    *before, last = pages
    made, end = bytearray(page_bytes), page_bytes
    for place, page in enumerate(before):
        cell = page.number.to_bytes(4, "big") + _as_varint(page.last)
        end -= len(cell)
        made[end : end + len(cell)] = cell
        pointer = HEAD_BYTES + _INNER_HEAD_BYTES + 2 * place
        made[pointer : pointer + 2] = end.to_bytes(2, "big")
    made[HEAD_BYTES] = _INNER
    made[HEAD_BYTES + 3 : HEAD_BYTES + 5] = len(before).to_bytes(2, "big")
    made[HEAD_BYTES + 5 : HEAD_BYTES + 7] = end.to_bytes(2, "big")
    made[HEAD_BYTES + 8 : HEAD_BYTES + 12] = last.number.to_bytes(4, "big")
    return bytes(made[HEAD_BYTES:])


def _as_varint(number: int) -> bytes:
    """Of a small one: rows of the list are counted in tens."""
    return bytes((number,)) if number < 0x80 else bytes((0x80 | number >> 7, number & 0x7F))
