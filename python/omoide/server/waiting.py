"""Which requests of a client still wait for their answers.

Useful for: ending when all is answered, and keeping back what was called off. Not useful for: the answers themselves.
"""

from __future__ import annotations

import threading
from typing import Any

from omoide.server.wire import Id


class Waiting:
    """Safe from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._ids: set[tuple[type, Id]] = set()

    def add(self, id: Any) -> bool:
        """Note a request; False where one with that id waits already, or where that is no id."""
        if not isinstance(id, (int, str)):
            return False
        with self._changed:
            before = len(self._ids)
            self._ids.add((type(id), id))
            return len(self._ids) > before

    def holds(self, id: Id) -> bool:
        """Whether the request still waits."""
        with self._changed:
            return (type(id), id) in self._ids

    def settle(self, id: Any) -> bool:
        """It needs no answer any more: it was given, or the client called it off. False where it did not wait."""
        if not isinstance(id, (int, str)):
            return False
        with self._changed:
            waited = (type(id), id) in self._ids
            self._ids.discard((type(id), id))
            self._changed.notify_all()
        return waited

    def until_none(self, seconds: float) -> bool:
        """Whether all are settled, waiting for that as long as `seconds`."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._ids, seconds)
