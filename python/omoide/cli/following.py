"""Brings the index of a server up before the first search, and applies what is written later while nobody waits for it.

A search applies what has been written before it answers, which takes seconds after a large import by another process. Here that
is done before anyone asks, but not beside writers, who would be slowed down, nor before the process that imported can have written
a snapshot, from which the index goes on at once.

Useful for: `omoide serve`. Not useful for: a search, which must see the newest change; see Index.catch_up. Invariant: what fails
at the start is logged once and tried again; what fails later is left to the call that meets it.
"""

from __future__ import annotations

import logging
import threading
from contextlib import suppress

from omoide.app import Opened
from omoide.errors import OmoideError

logger = logging.getLogger(__name__)

#: How long to wait before bringing up the index is tried again.
AGAIN_SECONDS = 10.0
#: How often to look for changes.
LOOK_SECONDS = 0.5
#: So many changes are applied as soon as they are seen.
MOST_AT_ONCE = 50
#: For more, there has to have been no other for a while: a second for so many, three times as long as analysing them takes.
AWAITED_PER_SECOND = 1_000


class Following:
    """See the module. The thread runs until `close`."""

    def __init__(self, found: Opened) -> None:
        self._found = found
        self._failed = False
        self._prepared = threading.Event()
        self._over = threading.Event()
        threading.Thread(target=self._run, name="omoide-follow", daemon=True).start()

    def missing(self) -> str:
        """What is missing before the index can answer, a sentence, or "". Raises StoreError (the store cannot be read)."""
        if self._prepared.is_set():
            self._found.store.last_seq()  # the file may be gone since, or another be in its place
            return ""
        state = self._found.index.state()
        if self._failed and state.applied >= state.newest:
            return ""
        what = "the index could not be brought up" if self._failed else "indexing"
        return f"{what}: {state.applied:,} of {state.newest:,} changes"

    def close(self) -> None:
        """End after the present step."""
        self._over.set()

    def _run(self) -> None:
        while (applied := self._first()) is None:
            if self._over.wait(AGAIN_SECONDS):
                return
        self._prepared.set()
        seen, calm = applied, 0.0
        while not self._over.wait(LOOK_SECONDS):
            with suppress(OmoideError):  # the call that meets it will report it
                newest = self._found.store.standing().seq
                calm = calm + LOOK_SECONDS if newest == seen else 0.0
                seen = newest
                if newest != applied and newest - applied <= max(MOST_AT_ONCE, calm * AWAITED_PER_SECOND):
                    applied = self._found.index.catch_up()

    def _first(self) -> int | None:
        """Bring the index up; the change number it then stands at, None if that failed."""
        try:
            return self._found.index.catch_up()
        except OmoideError as error:
            if not (self._failed or self._over.is_set()):
                logger.warning("the index could not be prepared: %s", error)
            self._failed = True
            return None
