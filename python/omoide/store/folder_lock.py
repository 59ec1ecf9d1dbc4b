"""A lock on a folder, so that only one process at a time repairs or restores the stores in it.

Useful for: repairs and restores, two of which at once would put each other's half-made files in place. Not useful for:
transactions; SQLite has locks of its own. Invariant: it leaves nothing on the disk, and the system releases it when its process
ends. Where folders cannot be locked (other systems, some network drives), everybody goes on without a lock.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from omoide.errors import StoreBusy

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold the lock on the folder while the block runs. Raises StoreBusy if another block of any process holds it."""
    opened = _opened(folder)
    try:
        if opened is not None and not _taken(opened):
            raise StoreBusy(
                f"The stores in {folder.absolute()} are being repaired or restored by another process; nothing was done here.",
                hint="Wait until it has ended, then look again with `omoide doctor`.",
            )
        yield
    finally:
        if opened is not None:
            os.close(opened)


def _opened(folder: Path) -> int | None:
    try:
        return os.open(folder, os.O_RDONLY)
    except OSError:  # what the caller does next says what is wrong with it
        return None


def _taken(opened: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # this file system has no locks for folders
        return True
    return True
