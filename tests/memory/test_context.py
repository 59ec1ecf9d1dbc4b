"""A short turn of a conversation is read together with the turns around it."""

from collections.abc import Sequence

import pytest

from omoide.memory import Memories
from omoide.model.condition import Equals
from omoide.model.memory import Draft
from omoide.model.query import Query

#: (what is asked, what was said, in order; the second and the last say the same, the second within the talk about it)
TALKS = [
    (
        "京都の湖で見た鳥",
        [
            "京都の湖へ行きました。",
            "そこで鳥を見ました。",
            "楽しかったです。",
            "昼は？",
            "鳥を見ました。",
        ],
    ),
    ("在京都的湖边看到的鸟", ["我去了京都的湖边。", "在那里看到了鸟。", "很开心。", "中午吃了什么？", "看到了鸟。"]),
    (
        "the bird seen at the lake in Kyoto",
        ["I went to the lake in Kyoto.", "There I saw a bird.", "So nice!", "Lunch?", "Saw a bird."],
    ),
]


def talk(memories: Memories, said: Sequence[str], **fields: str) -> None:
    memories.remember_many(Draft(text=text, id=str(at), sequence_order=at, **fields) for at, text in enumerate(said))  # type: ignore[arg-type]


def order(memories: Memories, asked: str) -> list[str]:
    return [hit.memory.id for hit in memories.recall(asked).hits]


@pytest.mark.parametrize(("asked", "said"), TALKS)
@pytest.mark.parametrize("of", ["session_id", "thread"])
def test_a_turn_beside_what_was_asked_for_comes_first(memories: Memories, asked: str, said: list[str], of: str) -> None:
    talk(memories, said, **{of: "話"})
    found = order(memories, asked)
    assert found.index("1") < found.index("4")


@pytest.mark.parametrize(("asked", "said"), TALKS)
def test_without_a_conversation_each_stands_for_itself(memories: Memories, asked: str, said: list[str]) -> None:
    talk(memories, said)
    found = order(memories, asked)
    assert found.index("4") < found.index("1")


@pytest.mark.parametrize(("asked", "said"), TALKS)
def test_a_turn_that_matches_nothing_is_not_found_by_its_neighbours(
    memories: Memories, asked: str, said: list[str]
) -> None:
    talk(memories, said, session_id="話")
    assert "words" not in {
        arm.arm for hit in memories.recall(asked).hits for arm in hit.why.arms if hit.memory.id == "3"
    }


@pytest.mark.parametrize(("asked", "said"), TALKS)
def test_turns_outside_the_conditions_lend_no_words(memories: Memories, asked: str, said: list[str]) -> None:
    talk(memories, said, session_id="話")
    where = Equals("id", "1")
    among_hidden = memories.recall(Query(text=asked, where=where)).hits[0].why
    memories.revise("1", session_id=None)
    assert memories.recall(Query(text=asked, where=where)).hits[0].why == among_hidden


@pytest.mark.parametrize(("asked", "said"), TALKS)
def test_scopes_do_not_share_a_conversation(memories: Memories, asked: str, said: list[str]) -> None:
    memories.remember(said[0], id="0", session_id="話", sequence_order=0, scope="other")
    for at, text in enumerate(said[1:], 1):
        memories.remember(text, id=str(at), session_id="話", sequence_order=at)
    apart = {hit.memory.id: hit.score for hit in memories.recall(asked).hits}
    memories.revise("0", session_id=None)
    assert {hit.memory.id: hit.score for hit in memories.recall(asked).hits} == apart


@pytest.mark.parametrize("pattern", ["{}番目の思い出の話", "第{}次见面的回忆", "memory number {} of our trip"])
def test_a_turn_of_a_chain_comes_before_those_around_it_when_its_own_words_are_asked_for(
    memories: Memories, pattern: str
) -> None:
    for number in range(6):
        memories.remember(pattern.format(number), id=str(number), session_id="話", chain=True)
    assert [order(memories, pattern.format(number))[0] for number in range(6)] == list("012345")
