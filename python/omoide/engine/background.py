"""A background thread that works through what is left to do, while searches go on.

Useful for: work whose result may come a little later. Not useful for: what the next search must see.
Invariant: at most one thread of a background work runs; it ends by itself when there is nothing left to do.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable

from omoide.errors import StoreError, Unavailable
from omoide.turns import waiting

logger = logging.getLogger(__name__)

#: How long `stop` waits for the present step, which may be waiting for another server.
STOP_SECONDS = 5.0


class BackgroundWork:
    """See the module. `work` receives an event that is set when it is to end early; `failure_message` is logged if it raises."""

    def __init__(self, name: str, work: Callable[[threading.Event], None], failure_message: str) -> None:
        self._name = name
        self._work = work
        self._failure_message = failure_message
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.error: str | None = None  #: why it ended early

    def begin(self) -> bool:
        """Start the thread; False if it runs already, or `stop` was called."""
        with self._lock:
            if self._stop.is_set() or (self._thread is not None and self._thread.is_alive()):
                return False
            if self._thread is None:  # else it is registered already
                atexit.register(self.stop)
            self._thread = threading.Thread(target=self._run, name=f"omoide-{self._name}", daemon=True)
            self._thread.start()
            return True

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the thread has ended; False after `timeout` seconds."""
        thread = self._thread
        if thread is None or not thread.is_alive():
            return True
        with waiting():
            thread.join(timeout)
        return not thread.is_alive()

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """End after the present step, and never begin again; a step that takes longer than `seconds` is not waited for."""
        self._stop.set()
        atexit.unregister(self.stop)
        if self._thread is not threading.current_thread():
            self.wait(seconds)
        # Most works belong to what they work on, an index with all its memory; without the cycle it is freed when nobody uses it,
        # not when the garbage collector comes by.
        self._work = _nothing

    def _run(self) -> None:
        try:
            self._work(self._stop)
        except Exception as error:
            self.error = log_failure(self._failure_message, error)


def _nothing(_: threading.Event) -> None:
    """What a work that was stopped has left to do."""


def log_failure(failure_message: str, error: Exception) -> str:
    """Log an error of background work; returns it in words. For a StoreError, or a part that is not installed, its message is
    enough, for any other error the stack is logged too."""
    if isinstance(error, (StoreError, Unavailable)):
        logger.error("%s: %s", failure_message, error)
    else:
        logger.error(failure_message, exc_info=error)
    return described(error)


def described(error: Exception) -> str:
    """The error in words."""
    return f"{type(error).__name__}: {error}"
