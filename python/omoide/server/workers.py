"""Threads that take work in turn and do not hold up the end of the process.

Useful for: a transport without an event loop. Not useful for: HTTP, whose loop has threads of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue


class Workers:
    """At most `threads` pieces of work at once; with `ahead` more of them waiting, `do` waits, too."""

    def __init__(self, threads: int, ahead: int) -> None:
        self._room = threading.BoundedSemaphore(threads + ahead)
        self._work: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._threads_left = threads
        self._idle = threading.Semaphore(0)

    def do(self, work: Callable[[], None]) -> None:
        """Have it done in a thread. From one thread alone; `work` must not raise."""
        self._room.acquire()
        if not self._idle.acquire(blocking=False) and self._threads_left:
            self._threads_left -= 1
            threading.Thread(target=self._run, name="omoide-call", daemon=True).start()
        self._work.put(work)

    def _run(self) -> None:
        while True:
            self._work.get()()
            self._room.release()
            self._idle.release()
