"""A circuit breaker: stops requests to a failing endpoint for a while.

After FAILURES failures in a row, no request is sent for PAUSE_SECONDS, then that of one caller. Each further failure doubles the
pause, up to LONGEST_PAUSE_SECONDS; a success ends it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from omoide.embed.protocol import EmbedderUnavailable
from omoide.errors import filled

logger = logging.getLogger(__name__)

FAILURES = 3
PAUSE_SECONDS = 10.0
LONGEST_PAUSE_SECONDS = 300.0

#: What the endpoint did, as the predicate of a sentence, by en, ja and zh.
Reason = Mapping[str, str]
_SENTENCE: Mapping[str, str] = {
    "en": "The embedder {name} {reason}.",
    "ja": "埋め込みサービス {name} {reason}。",
    "zh": "嵌入服务“{name}”{reason}。",
}


class CircuitBreaker:
    """See the module. `name`: the endpoint, for messages; `clock` counts seconds."""

    def __init__(self, name: str, clock: Callable[[], float]) -> None:
        self._name = name
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._pause_seconds = PAUSE_SECONDS
        self._open_until: float | None = None
        self._reason: Reason = dict.fromkeys(_SENTENCE, "")
        self._closed = False

    def check(self) -> None:
        """Raises EmbedderUnavailable during a pause; after it, lets one caller through."""
        with self._lock:
            if self._open_until is None:
                return
            left = self._open_until - self._clock()
            if left > 0:
                raise self.unavailable(left)
            self._open_until = self._clock() + self._pause_seconds

    def unavailable(self, retry_after: float, hint: str = "") -> EmbedderUnavailable:
        """The error for a caller."""
        sentences = filled(_SENTENCE, name=self._name, reason=self._reason)
        return EmbedderUnavailable(sentences.pop("en"), hint=hint, retry_after=retry_after, also=sentences)

    def failed(self, reason: Reason, *, for_good: bool = False) -> None:
        """Record a failure; `for_good`: one that only a person can fix, which begins a pause at once."""
        with self._lock:
            self._reason = reason
            self._failures += 1
            if self._failures < FAILURES and not for_good:
                return
            if self._open_until is None and not self._closed:
                logger.warning("The embedder %s %s; it is left alone for a while", self._name, reason["en"])
            elif self._open_until is not None:
                self._pause_seconds = min(2 * self._pause_seconds, LONGEST_PAUSE_SECONDS)
            self._open_until = self._clock() + self._pause_seconds

    def close(self) -> None:
        """Log nothing more: from here on requests fail because they are called off."""
        self._closed = True

    def succeeded(self) -> None:
        """Record a success."""
        with self._lock:
            if self._open_until is not None:
                logger.warning("The embedder %s answers again", self._name)
            self._failures, self._pause_seconds, self._open_until = 0, PAUSE_SECONDS, None
