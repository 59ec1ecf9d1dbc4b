"""The background thread that makes the vectors of a backlog while searches go on.

Useful for: embedders that are slow, or sometimes down. Not useful for: instant ones, whose vectors are made while following the
store.
Invariant: at most one thread runs; it ends by itself when nothing waits.
"""

from __future__ import annotations

import threading
from time import monotonic
from typing import NamedTuple

from omoide.engine.background import BackgroundWork
from omoide.engine.backlog import Backlog
from omoide.store.protocol import Store

#: Memories at a time.
BATCH = 32
FAILING = "vectors could not be made; memories are found by their words"


class FillingState(NamedTuple):
    """How many memories wait for their vectors, why they are not being made (if so), and an estimate of the seconds left."""

    waiting: int
    error: str | None
    seconds_left: float | None


class Filling:
    """See the module."""

    def __init__(self, store: Store, backlog: Backlog) -> None:
        self._store = store
        self._backlog = backlog
        self._background = BackgroundWork("embed", self._embed_backlog, FAILING)
        self._start = (monotonic(), 0)
        self._progressed_at = self._start[0]

    def begin(self) -> None:
        """Begin to make the missing vectors, unless the thread runs already."""
        began = monotonic(), self._backlog.made
        if len(self._backlog) and self._background.begin():
            self._start, self._progressed_at = began, began[0]

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until no vectors are being made; False after `timeout` seconds."""
        return self._background.wait(timeout)

    def wait_while_progressing(self, seconds: float) -> None:
        """Wait until no vectors are being made, or the last progress was `seconds` ago: searches should not each wait for an
        embedder that hangs."""
        if (left := self._progressed_at + seconds - monotonic()) > 0:
            self.wait(left)

    @property
    def is_failing(self) -> bool:
        """Whether the embedder failed when it was last called."""
        return self._background.error is not None

    def stop(self) -> None:
        """End after the present batch; the next process finds out itself what is missing."""
        self._background.stop()

    def state(self) -> FillingState:
        """See FillingState."""
        waiting = len(self._backlog)
        began, made = self._start
        pace = (self._backlog.made - made) / max(monotonic() - began, 1e-9)
        return FillingState(waiting, self._background.error, waiting / pace if waiting and pace else None)

    def _embed_backlog(self, stop: threading.Event) -> None:
        self._backlog.embed_all(self._store, BATCH, stop, self._report)

    def _report(self, error: str | None) -> None:
        self._background.error, self._progressed_at = error, monotonic()
