"""Vectors by 16-bit floats or by bytes: the setting may change at any start; what is found stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.app import INDEX_FOLDER, STORE_FILE, utc_now
from omoide.config import load
from omoide.embed.lexical import Lexical
from omoide.embed.truncated import Truncated
from omoide.engine import Index, VectorStorage
from omoide.errors import InvalidArgument
from omoide.memory import Memories
from omoide.model.memory import Draft
from omoide.store.sqlite import SqliteStore
from omoide.text import Analyzer

QUESTIONS = {
    "京都で飲んだ抹茶": "昨日、京都で抹茶を飲んだ。",
    "数据库保存记忆": "我们决定用数据库保存记忆。",
    "where we parked": "We parked on level two.",
}


def opened(data: Path, storage: VectorStorage) -> tuple[Memories, Index]:
    store = SqliteStore(data / STORE_FILE, clock=utc_now)
    # Vectors of its own, which the index keeps: the built-in embedder itself has none there.
    embedder = Truncated(Lexical(), 512)
    index = Index(store, Analyzer(), folder=data / INDEX_FOLDER, embedder=embedder, storage=storage)
    return Memories(store, index, clock=utc_now, zone=utc_now().tzinfo), index  # type: ignore[arg-type]


@pytest.mark.parametrize("storages", [("f16", "i8"), ("i8", "f16"), ("i8", "i8")])
def test_what_is_found_does_not_depend_on_how_vectors_are_kept(
    tmp_path: Path, storages: tuple[VectorStorage, VectorStorage]
) -> None:
    found = []
    for storage in storages:
        memories, _ = opened(tmp_path, storage)
        if not found:
            memories.remember_many([Draft(text=text) for text in QUESTIONS.values()])
        answers = [memories.recall(question, arms=frozenset({"vectors"})).hits for question in QUESTIONS]
        found.append([[(hit.memory.text, round(hit.score, 4)) for hit in hits] for hits in answers])
        assert [hits[0].memory.text for hits in answers] == list(QUESTIONS.values())
        assert memories.stats()["index"]["vector_storage"] == storage
        memories.close()
    assert found[0] == found[1]


def test_a_snapshot_is_converted_once(tmp_path: Path) -> None:
    steps: list[tuple[VectorStorage, bool]] = [
        ("f16", False),
        ("i8", True),
        ("i8", False),
        ("f16", True),
        ("f16", False),
    ]
    memories, _ = opened(tmp_path, "f16")
    memories.remember("抹茶")
    memories.recall("抹茶")
    memories.close()
    for storage, is_converted in steps:
        memories, index = opened(tmp_path, storage)
        assert index._serving.engine.converted == is_converted, storage
        memories.close()


@pytest.mark.parametrize("given", ["f32", "int8", "I8"])
def test_another_storage_is_refused_with_those_there_are(tmp_path: Path, given: str) -> None:
    with pytest.raises(InvalidArgument, match="f16 or i8 is expected"):
        load({"data": str(tmp_path), "vector_storage": given}, {})
