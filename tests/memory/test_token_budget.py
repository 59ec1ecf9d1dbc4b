"""An answer within a number of tokens: never more, whole texts where they are short, the best sentences of long ones."""

import pytest

from omoide.errors import InvalidArgument
from omoide.memory import Memories
from omoide.text import tokens_of

#: (what is asked, a long text, its sentence that answers, a short text)
NOTES = [
    (
        "抹茶をどこで飲んだ",
        "朝は雨だった。" * 40 + "京都の寺で抹茶を飲んだ。" + "夜は本を読んだ。" * 40,
        "京都の寺で抹茶を飲んだ。",
        "抹茶は苦い。",
    ),
    (
        "在哪里喝抹茶",
        "早上下雨。" * 60 + "在京都的寺里喝了抹茶。" + "晚上看书。" * 60,
        "在京都的寺里喝了抹茶。",
        "抹茶很苦。",
    ),
    (
        "where did we drink matcha",
        "It rained in the morning. " * 40 + "We drank matcha in a temple of Kyoto. " + "At night we read. " * 40,
        "We drank matcha in a temple of Kyoto.",
        "Matcha is bitter.",
    ),
]


def read(hit: object) -> str:
    text: str = hit.memory.text  # type: ignore[attr-defined]
    part = hit.part  # type: ignore[attr-defined]
    return text if part is None else text[slice(*part)]


@pytest.mark.parametrize(("query", "long", "answer", "short"), NOTES)
@pytest.mark.parametrize("budget", [40, 100, 400])
def test_a_long_text_is_read_where_it_answers(
    memories: Memories, query: str, long: str, answer: str, short: str, budget: int
) -> None:
    memories.remember(long, id="long", title="日記")
    memories.remember(short, id="short")
    found = memories.recall(query, token_budget=budget)
    shown = {hit.memory.id: read(hit) for hit in found.hits}
    assert shown["short"] == short
    assert found.tokens is not None
    assert found.tokens <= budget
    assert found.omitted == 2 - len(shown)
    if budget > 40:
        assert answer in shown["long"]
        assert found.tokens == tokens_of("日記") + sum(map(tokens_of, shown.values()))


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("抹茶", ["抹茶は苦い。", "抹茶を買った。"]),
        ("会议", ["会议在周三。", "会议改期了。"]),
        ("matcha", ["Matcha is bitter.", "We bought some matcha."]),
    ],
)
def test_short_texts_fill_a_small_budget(memories: Memories, query: str, texts: list[str]) -> None:
    for text in texts:
        memories.remember(text)
    budget = sum(map(tokens_of, texts))
    assert max(map(tokens_of, texts)) > budget // 4
    found = memories.recall(query, token_budget=budget)
    assert sorted(map(read, found.hits)) == sorted(texts)
    assert (found.tokens, found.omitted) == (budget, 0)


@pytest.mark.parametrize(("query", "long", "answer", "short"), NOTES)
def test_with_room_for_all_nothing_is_cut_or_left_out(
    memories: Memories, query: str, long: str, answer: str, short: str
) -> None:
    for text in (long, short):
        memories.remember(text)
    found = memories.recall(query, token_budget=10_000)
    assert ([hit.part for hit in found.hits], found.omitted) == ([None, None], 0)
    assert [hit.memory.id for hit in found.hits] == [hit.memory.id for hit in memories.recall(query).hits]


@pytest.mark.parametrize("text", ["長い文" * 400, "很长的一句话" * 200, "word " * 2_000, "x" * 9_000])
def test_one_endless_sentence_is_cut_to_fit(memories: Memories, text: str) -> None:
    memories.remember(text)
    found = memories.recall(text[:40], token_budget=100)
    (hit,) = found.hits
    assert hit.part is not None
    assert 10 < (found.tokens or 0) <= 25


def test_what_does_not_fit_at_all_is_counted(memories: Memories) -> None:
    for number in range(3):
        memories.remember(f"京都の寺で{number}杯目の抹茶を飲んだあと、川沿いを歩いて帰った。")
    found = memories.recall("抹茶", token_budget=10)
    assert (found.hits, found.tokens, found.omitted) == ((), 0, 3)


def test_without_a_budget_nobody_counts(memories: Memories) -> None:
    memories.remember("抹茶を飲んだ。")
    found = memories.recall("抹茶")
    assert (found.tokens, found.omitted, found.hits[0].part) == (None, 0, None)


def test_a_budget_is_at_least_one_token(memories: Memories) -> None:
    with pytest.raises(InvalidArgument, match="token_budget is 0"):
        memories.recall("抹茶", token_budget=0)
