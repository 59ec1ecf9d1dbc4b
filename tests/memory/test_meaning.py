"""What vectors that know meaning add to words: turns around a turn, and the meaning of what only words have found."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import omoide
from omoide.embed import Kind, Vector
from omoide.embed.protocol import packed
from omoide.memory import Memories
from omoide.model.memory import Draft

#: What a text is about -> its vector; a text is about the first it names.
MEANINGS = {"湖": (1.0, 0.0, 0.0), "鳥": (0.6, 0.8, 0.0), "昼": (0.0, 0.0, 1.0), "猫": (0.2, 0.9, 0.1)}


class Toy:
    """An embedder of four meanings."""

    name, version, dimensions, semantic, weight = "toy", "1", 3, True, 0.5
    max_tokens, instant = None, True
    closed = False

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        return [packed(next((v for sign, v in MEANINGS.items() if sign in text), (0.0,) * 3)) for text in texts]

    def close(self) -> None:
        self.closed = True


def remember(memories: Memories, texts: Sequence[str], session: str | None = None) -> None:
    memories.remember_many(
        Draft(text=text, id=f"{session}{at}", sequence_order=at, session_id=session) for at, text in enumerate(texts)
    )


@pytest.mark.parametrize("asked", ["湖 where", "湖在哪里", "湖はどこ"])
def test_of_equal_turns_the_one_among_turns_about_the_question_comes_first(tmp_path: Path, asked: str) -> None:
    with omoide.open(tmp_path, embedder=Toy()) as memories:
        remember(memories, ["昼 one", "鳥 telescope", "昼 two"], "others")
        remember(memories, ["湖 one", "鳥 waterfall", "湖 two"], "near")
        found = [hit.memory.id for hit in memories.recall(asked).hits]
    assert found.index("near1") < found.index("others1")


def test_what_only_its_words_have_found_is_judged_by_its_meaning_too(tmp_path: Path) -> None:
    with omoide.open(tmp_path, embedder=Toy()) as memories:
        remember(memories, [*(f"湖 {at}" for at in range(300)), "猫 telescope"])
        hits = memories.recall("湖 telescope").hits
    arms = {hit.memory.text: {each.arm for each in hit.why.arms} for hit in hits}
    assert {"words", "vectors"} <= arms["猫 telescope"]


def test_an_embedder_of_the_caller_s_own_is_left_open(tmp_path: Path) -> None:
    toy = Toy()
    with omoide.open(tmp_path, embedder=toy) as memories:
        remember(memories, ["湖 one"])
        assert memories.recall("湖").missing == ()
    assert not toy.closed
