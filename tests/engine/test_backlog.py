"""Vectors that are made while something else happens to the build they are for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from omoide.app import STORE_FILE, open_memories, utc_now
from omoide.embed import Kind, Lexical, Vector
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
