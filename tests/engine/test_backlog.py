"""Vectors that are made while something else happens to the build they are for."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from omoide.app import STORE_FILE, open_memories, utc_now
from omoide.embed import EmbedderUnavailable, Kind, Lexical, Vector
from omoide.engine.backlog import Backlog
from omoide.store.sqlite import SqliteStore


class Taker:
    """An engine that is given vectors."""

    def __init__(self) -> None:
        self.vectors: list[Any] = []

    def without_vectors(self) -> list[int]:
        return []

    def put_vectors(self, vectors: Sequence[Any]) -> None:
        self.vectors += vectors


def test_vectors_of_a_text_from_before_the_store_was_put_back_are_not_another_text_s(tmp_path: Path) -> None:
    with open_memories(tmp_path) as memories:
        number = memories.remember("京都で抹茶を飲んだ").memory.number
    store = SqliteStore(tmp_path / STORE_FILE, clock=utc_now)
    before: Any = Taker()
    after: Any = Taker()

    class PutBack(Lexical):
        """While it embeds, the store is put back, and another text is written with the same change."""

        is_back = False

        def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
            if not self.is_back:
                self.is_back = True
                backlog.start_over(after)
                backlog.note([number], 1)
            return super().embed(texts, kind)

    backlog = Backlog(before, PutBack())
    backlog.note([number], 1)
    assert backlog.make(store, 10) == 1
    assert (before.vectors, after.vectors, len(backlog)) == ([], [], 1)
    assert backlog.make(store, 10) == 1
    assert (len(after.vectors), len(backlog), backlog.made) == (1, 0, 1)
    store.close()


def test_an_embedder_that_is_away_is_asked_again_after_as_long_as_it_says(tmp_path: Path) -> None:
    with open_memories(tmp_path) as memories:
        numbers = [memories.remember(text).memory.number for text in ("京都で抹茶", "在北京喝茶", "tea in Kyoto")]

    waits, rested = [7.0, 14.0], list[float | None]()

    class Away(Lexical):
        """The first two times that it is asked."""

        def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
            if waits:
                raise EmbedderUnavailable("It is away.", retry_after=waits.pop(0))
            return super().embed(texts, kind)

    class Rests(threading.Event):
        """A stop that nobody sets, and that is not waited for."""

        def wait(self, timeout: float | None = None) -> bool:
            rested.append(timeout)
            return False

    engine: Any = Taker()
    backlog, told = Backlog(engine, Away()), list[str | None]()
    backlog.note(numbers, 3)
    with SqliteStore(tmp_path / STORE_FILE, clock=utc_now) as store:
        backlog.embed_all(store, 10, Rests(), told.append)
    assert rested == [7.0, 14.0]
    assert told == ["It is away.", "It is away.", None, None]
    assert (len(engine.vectors), len(backlog)) == (3, 0)
