"""Batches the texts of concurrent callers for one call of the embedder.

Useful for: endpoints and transformers, which take little longer for sixteen queries than for one. Not useful for: instant
embedders. Invariant: a batch waits for no more callers; new ones join the next only while AT_ONCE batches are under way.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout

from omoide.embed.protocol import Embedder, EmbedderUnavailable, Kind, TextRefused, Vector
from omoide.embed.wrapper import Wrapper
from omoide.turns import about_to_wait, waiting

#: Batches under way at once. With only one, a caller who comes just too late would wait twice as long as alone.
AT_ONCE = 2
#: A search that has waited this long goes on without vectors.
QUEUE_SECONDS = 5.0


class _Batch:
    """Texts in the order in which they came, and the future vectors that their callers wait for."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.callers = 0
        self.vectors: Future[list[Vector]] = Future()

    def join(self, texts: Sequence[str]) -> slice:
        """Add texts; returns the slice of the result that has their vectors."""
        self.callers += 1
        self.texts += texts
        return slice(len(self.texts) - len(texts), len(self.texts))


class Batched(Wrapper):
    """`inner`, called for many callers at a time; `queue_seconds`: how long a query may wait."""

    def __init__(self, inner: Embedder, queue_seconds: float = QUEUE_SECONDS) -> None:
        super().__init__(inner)
        self._patience: dict[Kind, float | None] = {"query": queue_seconds, "passage": None}
        self._lock = threading.Lock()
        self._turns: dict[Kind, threading.Semaphore] = {
            "query": threading.Semaphore(AT_ONCE),
            "passage": threading.Semaphore(AT_ONCE),
        }
        self._next: dict[Kind, _Batch] = {}

    @property
    def waiting(self) -> int:
        """How many texts wait for their batch."""
        with self._lock:
            return sum(len(batch.texts) for batch in self._next.values())

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """See Embedder. The first caller of a batch passes all of it to the embedder; an error is raised to every caller."""
        about_to_wait()  # for the batch, in which others may already count on this text
        with self._lock:
            is_first = kind not in self._next
            batch = self._next.setdefault(kind, _Batch())
            own_part = batch.join(texts)
        try:
            with waiting():
                return self._vectors_of(batch, kind, is_first=is_first)[own_part]
        except TextRefused:
            if batch.callers == 1:
                raise
            # The refused text may be another caller's.
            return self.inner.embed(texts, kind)

    def _vectors_of(self, batch: _Batch, kind: Kind, *, is_first: bool) -> list[Vector]:
        if is_first:
            has_turn = self._turns[kind].acquire(timeout=self._patience[kind])
            with self._lock:
                del self._next[kind]
            if not has_turn:
                batch.vectors.set_exception(self._overloaded())
            else:
                self._run(batch, kind)
        try:
            return batch.vectors.result(self._patience[kind])
        except FutureTimeout:
            raise self._overloaded() from None

    def _run(self, batch: _Batch, kind: Kind) -> None:
        try:
            batch.vectors.set_result(self.inner.embed(batch.texts, kind))
        except BaseException as error:
            batch.vectors.set_exception(error)
        finally:
            self._turns[kind].release()

    def _overloaded(self) -> EmbedderUnavailable:
        also = {
            "ja": f"埋め込みモデル {self.name} は処理が間に合っていません。",
            "zh": f"嵌入模型“{self.name}”来不及处理全部请求。",
        }
        return EmbedderUnavailable(f"The embedder {self.name} has more to do than it gets done in time.", also=also)
