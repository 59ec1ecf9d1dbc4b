"""Embeds passages with a timeout, for a call that somebody waits for; otherwise passages may take any time.

Useful for: comparing a text that is about to be stored. Not useful for: queries, which have a timeout anyway.
Invariant: the caller waits at most MOST_SECONDS; embedding then goes on in a thread of its own, and its result is dropped. Until
that ends, callers do not wait at all: one that stores many texts would wait for each of them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout

from omoide.embed.protocol import Embedder, EmbedderUnavailable, Vector
from omoide.errors import filled
from omoide.turns import about_to_wait, waiting

MOST_SECONDS = 5.0
_LATE = {
    "en": "The embedder {name} did not answer within {seconds} s.",
    "ja": "埋め込みモデル {name} は {seconds} 秒以内に応答しませんでした。",
    "zh": "嵌入模型“{name}”在 {seconds} 秒内没有应答。",
}


class EmbedWithin:
    """See the module. Safe from any thread."""

    def __init__(self, seconds: float = MOST_SECONDS) -> None:
        self._seconds = seconds
        #: The last texts that took too long.
        self._late: Future[list[Vector]] | None = None

    def embed(self, embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
        """See Embedder.embed; raises EmbedderUnavailable also if it takes too long."""
        if embedder.instant:
            return embedder.embed(texts, "passage")
        if self._late is not None and not self._late.done():
            raise self._too_slow(embedder)
        about_to_wait()
        made: Future[list[Vector]] = Future()
        threading.Thread(target=_make, args=(made, embedder, texts), name="omoide-embed-within", daemon=True).start()
        try:
            with waiting():
                return made.result(self._seconds)
        except FutureTimeout:
            self._late = made
            raise self._too_slow(embedder) from None

    def _too_slow(self, embedder: Embedder) -> EmbedderUnavailable:
        sentences = filled(_LATE, name=embedder.name, seconds=f"{self._seconds:g}")
        return EmbedderUnavailable(sentences.pop("en"), also=sentences)


def _make(made: Future[list[Vector]], embedder: Embedder, texts: Sequence[str]) -> None:
    try:
        made.set_result(embedder.embed(texts, "passage"))
    except BaseException as error:
        made.set_exception(error)
