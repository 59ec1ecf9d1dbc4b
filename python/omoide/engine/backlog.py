"""Which memories of one build still lack their vectors, and how do they get them?

Useful for: embedders that are slow, or down: words are indexed at once, vectors follow. Not useful for: the built-in embedder,
whose vectors the engine makes itself.
Invariant: a memory waits until the engine has the vectors of its newest text. When a build is loaded, the engine itself knows
which memories wait.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from omoide import _engine
from omoide.embed import Embedder, EmbedderUnavailable, TextRefused, Vector
from omoide.embed.protocol import zero
from omoide.engine.keys import is_memory, memory_key, row_number
from omoide.engine.passages import parts
from omoide.model.memory import Memory
from omoide.store.protocol import Store

logger = logging.getLogger(__name__)


class Backlog:
    """See the module. Safe from any thread."""

    def __init__(self, engine: _engine.Engine, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self.made = 0
        self._engine = engine
        #: Row numbers, the latest last, each with the change that it was indexed at.
        self._waiting: dict[int, int] = {}
        self.start_over(engine)

    def __len__(self) -> int:
        return len(self._waiting)

    def start_over(self, engine: _engine.Engine) -> None:
        """From now on, make the vectors that another engine lacks."""
        with self._lock:
            self._engine = engine
            self._waiting = dict.fromkeys((row_number(key) for key in engine.without_vectors() if is_memory(key)), 0)

    def note(self, numbers: Iterable[int], seq: int) -> None:
        """Note memories whose documents have just been indexed without vectors, as of change `seq`."""
        with self._lock:
            for number in numbers:
                self._waiting.pop(number, None)
                self._waiting[number] = seq

    def make(self, store: Store, most: int) -> int:
        """Embed up to `most` waiting memories, the newest first; returns how many.

        Raises EmbedderUnavailable; they then go on waiting.
        """
        with self._lock:
            due, engine = dict(islice(reversed(self._waiting.items()), most)), self._engine
        if not due:
            return 0
        with store.read() as reader:
            memories = reader.memories_by_number(due)
        vectors = self._vectors(list(memories.values()))
        with self._lock:
            if engine is not self._engine:
                # The store was put back meanwhile: the same numbers may mean other texts now.
                return len(due)
            # Memories that were changed meanwhile go on waiting, for the vectors of their new text.
            done = [number for number, seq in due.items() if self._waiting.get(number) == seq]
            engine.put_vectors([(memory_key(number), vectors.get(number, [])) for number in done])
            for number in done:
                del self._waiting[number]
            self.made += len(done)
        return len(due)

    def embed_all(self, store: Store, most: int, stop: threading.Event, report: Callable[[str | None], None]) -> None:
        """Make vectors, `most` memories at a time, until none waits or `stop` is set, however long the embedder is down.
        `report` is called after each batch, with the reason if the embedder is down, else with None."""
        while not stop.is_set():
            try:
                made = self.make(store, most)
            except EmbedderUnavailable as error:
                report(str(error))
                stop.wait(error.retry_after)
                continue
            report(None)
            if not made:
                return

    def _vectors(self, memories: Sequence[Memory]) -> dict[int, list[Vector]]:
        """The vectors of each memory's passages, by its number. A refused text gets the zero vector, and is found by its words."""
        parts_by_memory = [parts(memory, self._embedder.max_tokens) for memory in memories]
        texts = [part.text for each in parts_by_memory for part in each]
        vectors = iter(self._embedded(texts))
        return {
            memory.number: list(islice(vectors, len(each)))
            for memory, each in zip(memories, parts_by_memory, strict=True)
        }

    def _embedded(self, texts: Sequence[str]) -> Iterator[Vector]:
        try:
            yield from self._embedder.embed(texts, "passage")
        except TextRefused:
            for text in texts:
                yield self._embedded_alone(text)

    def _embedded_alone(self, text: str) -> Vector:
        try:
            return self._embedder.embed([text], "passage")[0]
        except TextRefused as refused:
            logger.warning("a memory is found by its words alone: %s", refused.message)
            return zero(self._embedder.dimensions or 0)
