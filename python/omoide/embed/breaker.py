"""When is an endpoint that fails left alone for a while?

After FAILURES failures in a row it is not asked for REST seconds, then by one caller; each further failure doubles the
rest up to LONGEST_REST. A success ends it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from omoide.embed.protocol import EmbedderUnavailable

logger = logging.getLogger(__name__)

FAILURES = 3
REST_SECONDS = 10.0
LONGEST_REST_SECONDS = 300.0


class Breaker:
    """See the module. `name` is who is asked; `clock` counts seconds."""

    def __init__(self, name: str, clock: Callable[[], float]) -> None:
        self._name = name
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._rest = REST_SECONDS
        self._closed_until: float | None = None
        self._reason = ""

    def check(self) -> None:
        """Raises EmbedderUnavailable while the endpoint is left alone; after a rest, lets one caller try."""
        with self._lock:
            if self._closed_until is None:
                return
            left = self._closed_until - self._clock()
            if left > 0:
                raise self.unavailable(left)
            self._closed_until = self._clock() + self._rest

    def unavailable(self, retry_after: float) -> EmbedderUnavailable:
        """What to tell a caller."""
        return EmbedderUnavailable(f"{self._name} {self._reason}.", retry_after=retry_after)

    def failed(self, reason: str, *, for_good: bool = False) -> None:
        """The endpoint did not do what it was asked; `for_good`: only a person can mend that."""
        with self._lock:
            self._reason = reason
            self._failures += 1
            if self._failures < FAILURES and not for_good:
                return
            if self._closed_until is None:
                logger.warning("%s %s; it is left alone for a while", self._name, reason)
            else:
                self._rest = min(2 * self._rest, LONGEST_REST_SECONDS)
            self._closed_until = self._clock() + self._rest

    def succeeded(self) -> None:
        """The endpoint answered as it should."""
        with self._lock:
            if self._closed_until is not None:
                logger.warning("%s answers again", self._name)
            self._failures, self._rest, self._closed_until = 0, REST_SECONDS, None
