"""Rebuilds the first page of a database, which leads to the pages of the schema table (`sqlite_schema`, the list of tables).

The schema table of a store takes more than a page, so the first page is an interior b-tree page with pointers to its leaves,
which are recognised by the shape of their rows.
Useful for: salvage.py. Not useful for: the file header, or damaged pages of other tables.
Invariant: only the first page of the file is written. https://www.sqlite.org/fileformat2.html, 1.6 and 2.1.
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
    """A leaf of the schema table: the number of its last row, and its page number."""

    last: int
    number: int


def relist(file: Path, page_bytes: int) -> None:
    """Make the first page point to all leaves of the schema table; does nothing if none is found."""
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), 0) as content:
        if pages := sorted(_listing(content, page_bytes)):
            content[HEAD_BYTES:page_bytes] = _leading_to(pages, page_bytes)


def _listing(content: mmap.mmap, page_bytes: int) -> Iterator[_Page]:
    for start in range(page_bytes, len(content), page_bytes):
        if content[start] == _LEAF:
            page = content[start : start + page_bytes]
            try:
                rows = [_row(page, at) for at in _cells(page)]
            except IndexError:  # an offset beyond the page
                continue
            if rows and all(is_of_list for _, is_of_list in rows):
                yield _Page(rows[-1][0], start // page_bytes + 1)


def _cells(page: bytes) -> list[int]:
    """The offsets of a leaf's rows, in the order of the rows."""
    count = int.from_bytes(page[3:5], "big")
    ends = range(_LEAF_HEAD_BYTES, _LEAF_HEAD_BYTES + 2 * count, 2)
    return [int.from_bytes(page[at : at + 2], "big") for at in ends]


def _row(page: bytes, at: int) -> tuple[int, bool]:
    """The number of a row, and whether it is one of the schema table. Raises IndexError."""
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
    """A varint and the offset after it. Raises IndexError."""
    value = 0
    for end in range(at, at + 8):
        value = value << 7 | page[end] & 0x7F
        if page[end] < 0x80:
            return value, end + 1
    return value << 8 | page[at + 8], at + 9


def _leading_to(pages: Sequence[_Page], page_bytes: int) -> bytes:
    """The first page without the file header: an interior page with these leaves."""
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
    """A varint of at most two bytes: the schema table has a few dozen rows."""
    return bytes((number,)) if number < 0x80 else bytes((0x80 | number >> 7, number & 0x7F))
