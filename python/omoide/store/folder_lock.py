"""Locks on folders, across processes: so that only one at a time repairs or restores the stores in one, for instance.

Useful for: repairs and restores, two of which at once would put each other's half-made files in place; signs that other processes
look for. Not useful for: transactions; SQLite has locks of its own. Invariant: a lock leaves nothing on the disk, and the system
releases it when its process ends. Where folders cannot be locked (other systems, some network drives), everybody goes on without a
lock.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from omoide.errors import StoreBusy

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: How a folder is opened; a file in its place is not, where systems tell.
_FOLDER_ONLY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold the lock on the folder while the block runs. Raises StoreBusy if another block of any process holds it."""
    with closing(FolderLock(folder)) as lock:
        if not lock.take():
            raise StoreBusy(
                f"The stores in {folder.absolute()} are being repaired or restored by another process; nothing was done here.",
                hint="Wait until it has ended, then look again with `omoide doctor`.",
            )
        yield


class FolderLock:
    """A lock on a folder, which is opened when first needed; None: there is nothing to lock. Two of one folder exclude each other,
    also in one process."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._opened: int | None = None
        self._opening = threading.Lock()

    def take(self, *, shared: bool = False) -> bool:
        """Take it without waiting, alone or `shared` with others that share it; False if that is not possible now. True also where the
        folder cannot be locked."""
        if fcntl is None or (opened := self._file()) is None:
            return True
        try:
            fcntl.flock(opened, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # this file system has no locks for folders
            return True
        return True

    def release(self) -> None:
        """Let others take it."""
        if fcntl is not None and self._opened is not None:
            with suppress(OSError):
                fcntl.flock(self._opened, fcntl.LOCK_UN)

    def close(self) -> None:
        """Release it for good."""
        with self._opening:
            self._folder, opened, self._opened = None, self._opened, None
        if opened is not None:
            os.close(opened)

    def _file(self) -> int | None:
        if self._opened is None:
            # Absent, or nobody may enter it: what the caller does next will tell.
            with self._opening, suppress(OSError):
                if self._opened is None and self._folder is not None:
                    self._opened = os.open(self._folder, _FOLDER_ONLY)
        return self._opened
