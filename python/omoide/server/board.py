"""A table that the processes of one server share: a row of numbers for each name. And a bare list of counts.

Useful for: what has to hold over all `--workers` together. Not useful for: what is long, or has to outlive the server.
Invariant: a row is changed by one at a time. Nobody waits long for it: who was stopped in the middle of a change does not
hold up the others. Of more names than there is room for, those not met for longest are forgotten.
"""

from __future__ import annotations

import mmap
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from struct import Struct, calcsize
from time import monotonic, sleep
from typing import Any

try:
    import fcntl
except ImportError:  # where there is no fork either
    fcntl = None  # type: ignore[assignment]

Row = tuple[Any, ...]

_KEY_BYTES = 16
#: So many rows may be a name's; the one not met for longest makes room.
_WAYS = 8
#: A change takes microseconds, unless who makes it is kept from going on: after so long another is made all the same.
_PATIENCE_SECONDS, _TRY_SECONDS = 0.5, 0.0005


class Board:
    """`rows` rows of `fields` (in the letters of `struct`), 0 at first. Made before `processes` are forked that share it; safe
    from any thread."""

    def __init__(self, fields: str, *, rows: int, processes: int = 1) -> None:
        self._fields = Struct(f"<{fields}")
        self._head = Struct(f"<{_KEY_BYTES}sd")  # whose row it is, and when it was last met
        self._size = self._head.size + self._fields.size
        self._group_size = _WAYS * self._size
        self._groups = -(-rows // _WAYS)
        self._nothing = self._fields.unpack(bytes(self._fields.size))
        self._secret = os.urandom(_KEY_BYTES)  # nobody can choose names that meet in one group
        self._lock = threading.Lock()
        length = self._groups * self._group_size
        self._file = _nameless(length) if processes > 1 and fcntl is not None else None
        self._rows = mmap.mmap(-1 if self._file is None else self._file, length)

    def change(self, name: str, change: Callable[[Row], Row]) -> Row:
        """The row of a name as `change` makes it from what it was; where that raises, it stays."""
        key = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES, key=self._secret).digest()
        group = int.from_bytes(key[:8], "little") % self._groups
        with self._lock, self._held(group):
            at = self._place(key, group)
            row = change(self._nothing if at is None else self._fields.unpack_from(self._rows, at + self._head.size))
            at = self._oldest(group) if at is None else at
            self._head.pack_into(self._rows, at, key, monotonic())
            self._fields.pack_into(self._rows, at + self._head.size, *row)
        return row

    def _place(self, key: bytes, group: int) -> int | None:
        """Where the row of a key begins, if it has one."""
        places = self._places(group)
        at = self._rows.find(key, places.start, places.stop)
        return None if at < 0 else at

    def _oldest(self, group: int) -> int:
        """Where the row begins that was not met for longest."""
        return min(self._places(group), key=lambda at: self._head.unpack_from(self._rows, at)[1])

    def _places(self, group: int) -> range:
        return range(group * self._group_size, (group + 1) * self._group_size, self._size)

    @contextmanager
    def _held(self, group: int) -> Iterator[None]:
        """While no other process changes a row of the group. The system lets go of what a process held that has ended."""
        if self._file is None:
            yield
            return
        until = monotonic() + _PATIENCE_SECONDS
        while not _taken(self._file, group) and monotonic() < until:
            sleep(_TRY_SECONDS)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, group)


def counts(length: int) -> memoryview:
    """So many whole numbers, 0 at first, which all processes see that are forked from now on. Where one process alone writes a
    number, nobody has to wait."""
    made = memoryview(mmap.mmap(-1, length * calcsize("I")))
    return made.cast("I")


def _taken(file: int, group: int) -> bool:
    """Whether a group is this process's now, to change rows of."""
    with suppress(OSError):
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, group)
        return True
    return False


def _nameless(length: int) -> int:
    """A file in memory that ends with the last process that has it open."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("omoide-board")
    else:  # on a disk, which must not become full
        from tempfile import TemporaryFile

        with TemporaryFile() as made:
            file = os.dup(made.fileno())
    os.ftruncate(file, length)
    return file
