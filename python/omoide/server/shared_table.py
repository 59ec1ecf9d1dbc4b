"""A table in memory that the processes of one server share, with a row of numbers for each name; and a bare list of counts.

Useful for: limits and sessions that hold for all `--workers` together. Not useful for: long values, or any that must outlive the
server.
Invariant: one process at a time changes a row. Nobody waits long: a process that was stopped in the middle of a change does not
hold up the others. Where there are more names than rows, the least recently used ones are forgotten.
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
#: A name may have any of this many rows (a set-associative cache); the least recently used one makes room.
_WAYS = 8
#: A change takes microseconds, unless the process was stopped: after this long, another process no longer waits for it.
_PATIENCE_SECONDS, _TRY_SECONDS = 0.5, 0.0005


class SharedTable:
    """`rows` rows of `fields` (a format of `struct`), 0 at first. Made before the `processes` that share it are forked. Safe from
    any thread."""

    def __init__(self, fields: str, *, rows: int, processes: int = 1) -> None:
        self._fields = Struct(f"<{fields}")
        self._head = Struct(f"<{_KEY_BYTES}sd")  # the key of the name, and when the row was last used
        self._size = self._head.size + self._fields.size
        self._group_size = _WAYS * self._size
        self._groups = -(-rows // _WAYS)
        self._nothing = self._fields.unpack(bytes(self._fields.size))
        self._secret = os.urandom(_KEY_BYTES)  # so that nobody can choose names that fall into one group
        self._lock = threading.Lock()
        length = self._groups * self._group_size
        self._file = _nameless(length) if processes > 1 and fcntl is not None else None
        self._rows = mmap.mmap(-1 if self._file is None else self._file, length)

    def change(self, name: str, change: Callable[[Row], Row]) -> Row:
        """Replace the row of a name by what `change` makes of it, and return that; where `change` raises, the row stays."""
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
        """Where the least recently used row begins."""
        return min(self._places(group), key=lambda at: self._head.unpack_from(self._rows, at)[1])

    def _places(self, group: int) -> range:
        return range(group * self._group_size, (group + 1) * self._group_size, self._size)

    @contextmanager
    def _held(self, group: int) -> Iterator[None]:
        """Keep other processes from changing rows of the group in the block. The system releases the lock of a process that
        ends."""
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


def shared_counts(length: int) -> memoryview:
    """`length` integers, 0 at first, that all processes forked from now on share. There is no lock: only one process may write a
    number."""
    made = memoryview(mmap.mmap(-1, length * calcsize("I")))
    return made.cast("I")


def _taken(file: int, group: int) -> bool:
    """Try to lock a group for this process; whether that succeeded."""
    with suppress(OSError):
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, group)
        return True
    return False


def _nameless(length: int) -> int:
    """A file in memory that is gone when the last process closes it."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("omoide-shared")
    else:  # a sparse file on a disk: writing to the map would fail should that fill up
        from tempfile import TemporaryFile

        with TemporaryFile() as made:
            file = os.dup(made.fileno())
    os.ftruncate(file, length)
    return file
