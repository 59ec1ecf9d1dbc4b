"""add_interlinked_context over a real store: several nodes at once, the alike ones linked."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from omoide.app import open_memories
from omoide.embed import EmbedderUnavailable, Kind, Lexical, Vector
from omoide.embed.wrapper import Wrapper
from omoide.errors import InvalidArgument
from omoide.families.contextplus import tools
from omoide.memory import Memories
from tests.families.calling import as_served, by_name, meanwhile

ALIKE = [
    ("ログインの流れを説明する文書", "利用者のログインの流れを説明する文書"),
    ("会议记录保存在数据库里面", "会议记录都保存在数据库里面"),
    ("The login flow keeps a session cookie", "The login flow keeps one session cookie"),
]
UNLIKE = ("週末は山に登る", "Five attempts per minute")


def item(label: str, content: str, type: str = "note") -> dict[str, str]:
    return {"type": type, "label": label, "content": content}


def ends(result: Any) -> list[tuple[str, str]]:
    return [(edge["source_id"], edge["target_id"]) for edge in result.structured["edges"]]


@pytest.mark.requirement("contextplus.interlink.pairs")
@pytest.mark.requirement("contextplus.interlink.layout")
@pytest.mark.parametrize(("first", "second"), ALIKE)
def test_items_that_are_alike_are_linked_once_from_the_earlier_to_the_later(call: Any, first: str, second: str) -> None:
    result = call("add_interlinked_context", items=[item("甲", first), item("乙", second), item("丙", UNLIKE[0])])
    one, two, three = (node["id"] for node in result.structured["nodes"])
    assert ends(result) == [(one, two)]
    weight = result.structured["edges"][0]["weight"]
    assert 0.72 <= weight < 1
    assert weight == round(weight, 2)
    assert result.text == "\n".join(
        [
            "✅ Added 3 interlinked nodes",
            "  Auto-linked: 1 similarity edges (threshold ≥ 0.72)",
            "",
            "Nodes:",
            f"  [note] 甲 → {one}",
            f"  [note] 乙 → {two}",
            f"  [note] 丙 → {three}",
            "",
            "Edges:",
            f"  {one} --[similar_to w:{weight}]--> {two}",
            "",
            "Graph total: 3 nodes, 1 edges",
        ]
    )


@pytest.mark.requirement("contextplus.interlink.layout")
@pytest.mark.parametrize("arguments", [{}, {"auto_link": True}, {"auto_link": False}])
def test_without_links_there_is_no_block_of_edges(call: Any, arguments: dict[str, bool]) -> None:
    result = call("add_interlinked_context", items=[item("山", UNLIKE[0]), item("limits", UNLIKE[1])], **arguments)
    one, two = (node["id"] for node in result.structured["nodes"])
    assert result.text == "\n".join(
        [
            "✅ Added 2 interlinked nodes",
            "  No auto-links above threshold",
            "",
            "Nodes:",
            f"  [note] 山 → {one}",
            f"  [note] limits → {two}",
            "",
            "Graph total: 2 nodes, 0 edges",
        ]
    )


@pytest.mark.requirement("contextplus.interlink.layout")
def test_no_items_add_nothing(call: Any) -> None:
    result = call("add_interlinked_context", items=[])
    assert result.text == (
        "✅ Added 0 interlinked nodes\n  No auto-links above threshold\n\nNodes:\n\nGraph total: 0 nodes, 0 edges"
    )


@pytest.mark.requirement("contextplus.interlink.layout")
def test_of_very_many_edges_the_first_are_listed_and_all_are_counted(call: Any, memories: Memories) -> None:
    result = call("add_interlinked_context", items=[item(f"茶 {place}", "京都で抹茶を飲んだ") for place in range(21)])
    made = 21 * 20 // 2
    assert (result.structured["edges_total"], len(result.structured["edges"])) == (made, 200)
    assert memories.counts().relations == made
    lines = result.text.splitlines()
    assert lines[1] == f"  Auto-linked: {made} similarity edges (threshold ≥ 0.72)"
    assert lines[-3:] == ["  … and 10 more", "", f"Graph total: 21 nodes, {made} edges"]


@pytest.mark.requirement("contextplus.interlink.whole")
def test_more_items_than_one_call_takes_are_refused_before_the_first_is_written(memories: Memories) -> None:
    call = as_served(tools(memories))
    refused = call("add_interlinked_context", items=[item(f"山 {place}", "登る") for place in range(201)])
    assert refused.is_error
    assert refused.note == "items は 200 件までです（201 件ありました）。"
    assert memories.counts().memories == 0


@pytest.mark.requirement("contextplus.interlink.existing")
@pytest.mark.parametrize(("first", "second"), ALIKE)
def test_a_single_item_is_linked_to_what_was_there(call: Any, memories: Memories, first: str, second: str) -> None:
    note = memories.remember(first).memory.id
    result = call("add_interlinked_context", items=[item("付箋", second)])
    (node,) = result.structured["nodes"]
    assert ends(result) == [(node["id"], note)]


@pytest.mark.requirement("contextplus.interlink.again")
def test_the_same_items_in_another_order_make_no_second_edge(call: Any, memories: Memories) -> None:
    items = [item("甲", ALIKE[0][0]), item("乙", ALIKE[0][1])]
    first = call("add_interlinked_context", items=items)
    again = call("add_interlinked_context", items=items[::-1])
    assert again.structured["edges"] == first.structured["edges"]
    assert [node["id"] for node in again.structured["nodes"]] == [node["id"] for node in first.structured["nodes"]][
        ::-1
    ]
    assert memories.counts().relations == 1


@pytest.mark.requirement("contextplus.interlink.again")
def test_an_item_given_twice_is_one_node_that_is_not_linked_to_itself(call: Any) -> None:
    result = call("add_interlinked_context", items=[item("ＡＵＴＨ", "旧い内容"), item("auth", "新しい内容")])
    assert len({node["id"] for node in result.structured["nodes"]}) == 1
    assert (result.structured["edges"], result.structured["totals"]) == ([], {"nodes": 1, "edges": 0})


@pytest.mark.requirement("contextplus.interlink.off")
def test_auto_link_off_links_nothing(call: Any) -> None:
    items = [item("甲", ALIKE[1][0]), item("乙", ALIKE[1][1])]
    assert call("add_interlinked_context", items=items, auto_link=False).structured["edges"] == []


@pytest.mark.requirement("contextplus.interlink.whole")
@pytest.mark.parametrize(
    ("label", "message", "also"),
    [
        ("　", "The label of items.1 is blank.", {"ja": "items.1.label が必要です。", "zh": "缺少 items.1.label。"}),
        (
            "山" * 201,
            "The label of items.1 has 201 characters; at most 200 are accepted.",
            {
                "ja": "items.1.label は 200 文字までです（201 文字ありました）。",
                "zh": "items.1.label 最多 200 个字符（现有 201 个）。",
            },
        ),
    ],
)
def test_nothing_is_written_when_one_item_cannot_be_and_the_error_says_which(
    call: Any, memories: Memories, label: str, message: str, also: dict[str, str]
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        call("add_interlinked_context", items=[item("山", "登る"), item(label, "名前がない")])
    assert (refused.value.message, refused.value.also) == (message, also)
    assert memories.counts().memories == 0


@pytest.mark.requirement("contextplus.interlink.whole")
@pytest.mark.parametrize("label", ["京都", "部署", "deploy"])
def test_nothing_is_written_when_the_store_refuses_the_last_item(call: Any, memories: Memories, label: str) -> None:
    with pytest.raises(InvalidArgument, match="half of a character"):
        call("add_interlinked_context", items=[item(label, "登る"), item("山", "half \ud800")])
    assert (memories.counts().memories, memories.counts().entities) == (0, 0)


class Away(Wrapper):
    """An embedder that does not answer; `waited_for` counts who waits for it."""

    def __init__(self) -> None:
        super().__init__(Lexical())
        self.instant = False
        self.waited_for = 0

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        self.waited_for += threading.current_thread().name == "omoide-embed-within"
        raise EmbedderUnavailable("It is away.", also={"ja": "不在です。", "zh": "现在不在。"})


@pytest.mark.requirement("contextplus.interlink.vectors")
@pytest.mark.parametrize(
    ("texts", "note"),
    [
        (ALIKE[0], "リンクが足りないかもしれません。あとで同じ項目をもう一度追加すると補われます。不在です。"),
        (ALIKE[1], "可能缺少部分关系；稍后再次添加相同的内容即可加上。现在不在。"),
        (ALIKE[2], "Some links may be missing; the same items, added again later, get them. It is away."),
    ],
)
def test_an_embedder_that_does_not_answer_is_asked_once_and_the_answer_says_so(
    tmp_path: Path, texts: tuple[str, str], note: str
) -> None:
    away = Away()
    with open_memories(tmp_path, embedder=away) as memories:
        call = by_name(tools(memories))
        result = call("add_interlinked_context", items=[item(f"ab {at}", text) for at, text in enumerate(texts)])
        assert (result.structured["notes"], result.structured["edges"]) == ([note], [])
        assert result.text.endswith(f"Graph total: 2 nodes, 0 edges\n\n{note}")
        assert away.waited_for == 1
        unlinked = call("add_interlinked_context", items=[item("ab", texts[0])], auto_link=False)
        assert "notes" not in unlinked.structured


@pytest.mark.requirement("contextplus.interlink.meanwhile")
@pytest.mark.parametrize("looked", ["similar", "relations_of"])
def test_what_another_forgets_between_being_found_and_being_linked_is_left_out(
    call: Any, memories: Memories, monkeypatch: pytest.MonkeyPatch, looked: str
) -> None:
    """After `similar` its end is not found any more, after `relations_of` there is none to be linked."""
    stored = memories.remember(f"甲 {ALIKE[0][0]}").memory.id
    meanwhile(monkeypatch, looked, lambda: memories.forget(stored))
    result = call("add_interlinked_context", items=[item("甲", ALIKE[0][0])])
    assert (result.structured["edges"], len(result.structured["nodes"])) == ([], 1)


@pytest.mark.requirement("contextplus.interlink.meanwhile")
def test_a_new_node_that_another_forgets_at_once_is_not_linked_and_the_others_are_told(
    call: Any, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.remember(ALIKE[2][0])

    def forget() -> None:
        for each in memories.entities_named("甲"):
            memories.forget_entity(each.id)

    meanwhile(monkeypatch, "relations_of", forget)
    result = call("add_interlinked_context", items=[item("甲", ALIKE[2][1]), item("乙", UNLIKE[0])])
    assert ([node["label"] for node in result.structured["nodes"]], result.structured["edges"]) == (["甲", "乙"], [])
