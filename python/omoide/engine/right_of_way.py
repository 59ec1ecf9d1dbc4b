"""Tells the writers of a store, in any process, that a search is applying the changes before it, so that they wait a moment.

Many writers write faster than one process can analyse what they write: without this, each search beside them would have more to
apply than the one before.

    with right_of_way.taken():    # the thread that applies changes for a search
        ...
    right_of_way.give_way(0.25)   # a writer, before it begins

Useful for: the searches and the writers of one store. Not useful for: excluding each other; whoever does not ask goes on. Invariant:
it leaves nothing on the disk, and ends with its process. Where folders cannot be locked (other systems, some network drives), only
threads of the same process wait for each other.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from omoide.store.folder_lock import FolderLock

#: How often a writer looks whether the search of another process is done.
LOOK_SECONDS = 0.002


class RightOfWay:
    """See the module. `folder`: one that all processes of the store share, made if absent; None: there is only this process.

    One thread at a time may take it; any may give way.
    """

    def __init__(self, folder: Path | None) -> None:
        self._free = threading.Event()
        self._free.set()
        self._taken_at = 0.0
        self._folder = folder
        # The one is held for a search; by the other, writers find out whether a search of any process holds one.
        self._holding = FolderLock(folder)
        self._asking = FolderLock(folder)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Have it while the block runs."""
        self._taken_at = monotonic()
        self._free.clear()
        if self._folder is not None:
            with suppress(OSError):  # read-only, or full: there is nothing to lock
                self._folder.mkdir(exist_ok=True)
        # Several processes may. In the instant in which a writer asks it fails: then only this process has the sign.
        self._holding.take(shared=True)
        try:
            yield
        finally:
            self._end()

    def end_after(self, seconds: float) -> None:
        """To be called now and then in a `taken` block: end it early if it began so long ago."""
        if not self._free.is_set() and monotonic() - self._taken_at >= seconds:
            self._end()

    def _end(self) -> None:
        self._holding.release()
        self._free.set()

    def give_way(self, seconds: float) -> None:
        """Wait until nobody has it, but not longer than so many seconds."""
        until = monotonic() + seconds
        if self._free.wait(seconds):
            while not self._is_free_everywhere() and monotonic() < until:
                sleep(LOOK_SECONDS)

    @property
    def is_free(self) -> bool:
        """Whether nobody has it now."""
        return self._free.is_set() and self._is_free_everywhere()

    def _is_free_everywhere(self) -> bool:
        is_free = self._asking.take()
        self._asking.release()
        return is_free

    def close(self) -> None:
        """Close the folder; from now on only threads of this process wait for each other."""
        self._holding.close()
        self._asking.close()
