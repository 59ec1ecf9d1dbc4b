"""The thread that works off a backlog of vectors while searches go on.

Useful for: embedders that are slow or come and go. Not useful for: instant ones; following the store makes their vectors.
Invariant: at most one thread runs; it ends by itself when nothing waits.
"""

from __future__ import annotations

import atexit
import logging
import threading
from dataclasses import dataclass
from time import monotonic

from omoide.engine.backlog import Backlog
from omoide.store.protocol import Store

logger = logging.getLogger(__name__)

#: Memories at a time.
BATCH = 32


@dataclass(frozen=True, slots=True)
class FillingState:
    """How many memories wait for their vectors, why it does not go on (if so), and an estimate of the seconds left."""

    waiting: int
    error: str | None
    seconds_left: float | None


class Filling:
    """See the module."""

    def __init__(self, store: Store, backlog: Backlog) -> None:
        self._store = store
        self._backlog = backlog
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._error: str | None = None
        self._began = (monotonic(), 0)

    def begin(self) -> None:
        """Work off what waits, in the background; nothing if that is going on already."""
        if not len(self._backlog):
            return
        with self._lock:
            if self._stop.is_set() or (self._thread is not None and self._thread.is_alive()):
                return
            self._began = (monotonic(), self._backlog.made)
            self._thread = threading.Thread(target=self._run, name="omoide-embed", daemon=True)
            atexit.register(self.stop)
            self._thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is going on; False when it takes longer than `timeout` seconds."""
        thread = self._thread
        if thread is None:
            return True
        thread.join(timeout)
        return not thread.is_alive()

    @property
    def ailing(self) -> bool:
        """Whether the embedder could not be asked the last time."""
        return self._error is not None

    def stop(self) -> None:
        """End after the present batch; what waits is found again by the next process."""
        self._stop.set()
        atexit.unregister(self.stop)
        if self._thread is not threading.current_thread():
            self.wait()

    def state(self) -> FillingState:
        """See FillingState."""
        waiting = len(self._backlog)
        began, made = self._began
        pace = (self._backlog.made - made) / max(monotonic() - began, 1e-9)
        return FillingState(waiting, self._error, waiting / pace if waiting and pace else None)

    def _run(self) -> None:
        try:
            self._backlog.work_off(self._store, BATCH, self._stop, self._tell)
        except Exception as error:
            self._error = f"{type(error).__name__}: {error}"
            logger.exception("vectors could not be made; memories are found by their words")

    def _tell(self, error: str | None) -> None:
        self._error = error
