"""Any history of writes, searches and restarts with an embedder that fails now and then leaves the index that a rebuild makes."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from random import Random

import pytest

from omoide.app import INDEX_FOLDER, STORE_FILE
from omoide.embed import EmbedderUnavailable, Kind, TextRefused, Vector
from omoide.embed.protocol import packed
from omoide.engine import Index
from omoide.memory import Memories
from omoide.memory.verify import verify
from omoide.model.memory import Draft
from tests.engine.test_embedders import opened

WORDS = ("抹茶を飲む", "会議は月曜", "今天开会", "喝绿茶", "meeting on Monday", "drink matcha", "毒", "水豚 capybara")
QUESTIONS = ("抹茶", "会議はいつ", "开会", "绿茶", "matcha meeting", "水豚", "monday")
STEPS = 40


class Moody:
    """Direction by text. With `dice` it fails one time in three, and refuses 毒."""

    name = "moody"
    version = "1"
    dimensions = 8
    semantic = True
    weight = 1.0
    max_tokens = 24
    instant = False

    def __init__(self, dice: Random | None = None) -> None:
        self.dice = dice

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        if self.dice is not None and self.dice.random() < 1 / 3:
            raise EmbedderUnavailable("It is moody.", retry_after=0.001)
        if any("毒" in text for text in texts):
            raise TextRefused("It does not like this.")
        return [packed([byte - 127.5 for byte in blake2b(text.encode(), digest_size=8).digest()]) for text in texts]

    def close(self) -> None:
        pass


def step(dice: Random, memories: Memories) -> None:
    """A write, or a search."""
    which, text = f"m{dice.randrange(12)}", "。".join(dice.choices(WORDS, k=dice.choice((1, 2, 6))))
    is_known = bool(memories.get([which]))
    action = dice.choice(("remember", "remember", "revise", "forget", "recall"))
    if action == "remember":
        memories.remember(Draft(id=which, text=text))
    elif action == "revise" and is_known:
        memories.revise(which, text=text)
    elif action == "forget" and is_known:
        memories.forget(which)
    else:
        memories.recall(dice.choice(QUESTIONS))


def answers(memories: Memories, index: Index) -> list[list[tuple[str, float, float]]]:
    """What the questions find, with scores, when every vector is there."""
    memories.recall("抹茶")
    assert index.wait_for_vectors(60)
    found = (memories.recall(question, limit=50) for question in QUESTIONS)
    return [
        [(hit.memory.id, round(hit.score, 5), round(hit.why.evidence.cosine, 5)) for hit in one.hits] for one in found
    ]


@pytest.mark.parametrize("seed", range(6))
def test_the_index_is_that_of_a_rebuild(seed: int, tmp_path: Path) -> None:
    dice, data = Random(seed), tmp_path / "lived"
    data.mkdir()
    memories, index = opened(data, Moody(Random(seed)))
    for _ in range(STEPS):
        if dice.random() < 0.15:
            memories.close()
            memories, index = opened(data, Moody(Random(dice.random())))
        step(dice, memories)
    memories.close()
    memories, index = opened(data, Moody())
    lived = answers(memories, index)
    assert verify(memories.store, index) == []
    memories.close()
    shutil.rmtree(data / INDEX_FOLDER)
    (tmp_path / "rebuilt").mkdir()
    shutil.copy(data / STORE_FILE, tmp_path / "rebuilt" / STORE_FILE)
    memories, index = opened(tmp_path / "rebuilt", Moody())
    assert lived == answers(memories, index)
    memories.close()
