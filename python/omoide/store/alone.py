"""Is another process making the stores of a folder anew?

Useful for: repairs and restores, of which two at once would put each other's half-made files in place. Not useful for:
transactions; SQLite has locks of its own. Invariant: nothing of it stays on the disk, and the system lets go of what a process
held that has ended. Where a folder cannot be locked (other systems, some network drives), everybody goes on as if alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from omoide.errors import StoreBusy

try:
    import fcntl
except ImportError:  # where folders cannot be locked
    fcntl = None  # type: ignore[assignment]


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """While no other block of any process has the same folder. Raises StoreBusy."""
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
    except OSError:  # whoever goes on says what is wrong with it
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
