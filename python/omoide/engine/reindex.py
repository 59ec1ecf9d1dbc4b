"""Makes a new build of the index while the old one answers: in a thread of its own, in small steps that a restart resumes.

Useful for: a change of analyser or embedder while searches go on. Not useful for: following the store; see generation.py.
Invariant: `take_over` is called once, by the thread, when the new build has caught up with the store; never after `stop`.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

from omoide.engine.background import STOP_SECONDS, described, log_failure
from omoide.engine.generation import Generation
from omoide.errors import StoreError
from omoide.store.protocol import Store
from omoide.turns import giving_way

logger = logging.getLogger(__name__)

#: Changes in a step: few, so that a search seldom waits for the interpreter.
STEP = 50
#: How long to wait before a store that could not be read is tried again.
REST_SECONDS = 10.0
FAILING = "the new index could not be built; the present one goes on answering"


class ReindexState(NamedTuple):
    """How far a new build is: changes applied, of how many, and with which analyser and embedder."""

    applied: int
    newest: int
    analyzer: str
    embedder: str
    seconds_left: float | None  #: an estimate from the pace so far; None before the first step
    error: str | None  #: why it does not go on; an embedder or a store that does not answer is tried again


class Reindex:
    """See the module. `take_over` switches over to the new generation."""

    def __init__(self, store: Store, generation: Generation, take_over: Callable[[], None]) -> None:
        self.generation = generation
        self._store = store
        self._take_over = take_over
        self._stop = threading.Event()
        self._error: str | None = None
        self._start = (monotonic(), generation.engine.applied)
        self._thread = threading.Thread(target=self._run, name="omoide-reindex", daemon=True)

    def start(self) -> None:
        """Start the thread. When the process ends, the work done so far is saved."""
        logger.info("building a new index beside the present one: %s", self.generation.identity)
        atexit.register(self.stop)
        self._thread.start()

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """End after the present step and save the build so far, from which the next process goes on. If the step takes longer
        than `seconds`, it is not waited for, and the next process repeats it."""
        self._stop.set()
        atexit.unregister(self.stop)
        if self._thread is threading.current_thread():
            return
        self._thread.join(seconds)
        if self._thread.is_alive():
            self.generation.save()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the thread has ended; False after `timeout` seconds."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def state(self) -> ReindexState:
        """See ReindexState."""
        applied, newest = self.generation.engine.applied, self._store.last_seq()
        return ReindexState(
            applied=applied,
            newest=newest,
            analyzer=self.generation.identity.analyzer,
            embedder=self.generation.identity.embedder,
            seconds_left=self._seconds_left(applied, newest),
            error=self._error,
        )

    def _seconds_left(self, applied: int, newest: int) -> float | None:
        started, applied_before = self._start
        pace = (applied - applied_before) / max(monotonic() - started, 1e-9)
        return (newest - applied) / pace if pace > 0 else None

    def _run(self) -> None:
        try:
            with giving_way():
                while not self._is_built() and not self._stop.wait(REST_SECONDS):
                    pass
        except Exception as error:
            self._error = log_failure(FAILING, error)
        finally:
            atexit.unregister(self.stop)  # which keeps the build, long after its store may have been closed

    def _is_built(self) -> bool:
        """Build to the end; False if the store could not be read, which is logged once, however often it is tried."""
        try:
            self._build()
        except StoreError as error:
            if self._error != described(error):
                self._error = log_failure(FAILING, error)
            return False
        return True

    def _build(self) -> None:
        while not self._stop.is_set() and self.generation.step(self._store, self._store.last_seq(), STEP):
            self.generation.backlog.embed_all(self._store, STEP, self._stop, self._report)
            self.generation.save_if_worth_it()
        self.generation.read_all_again(self._store, self._stop)
        if self._stop.is_set():
            self.generation.save()
        else:
            self._take_over()

    def _report(self, error: str | None) -> None:
        self._error = error
