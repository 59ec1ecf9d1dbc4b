"""forget_entity over a real store: told first, then only after a yes."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from omoide.app import open_memories
from omoide.families.textrawl import Options, tools
from omoide.families.tool import Caller, Result, Tool
from omoide.memory import Memories
from omoide.model.memory import Draft
from omoide.model.relation import Ref
from tests.families.calling import as_served

PEOPLE = [
    ("健太", "京都に住んでいる", "登山が趣味"),
    ("小红", "住在上海", "喜欢爬山"),
    ("Jeff", "lives in Boston", "likes hiking"),
]


@pytest.fixture
def known(call: Any) -> None:
    for name, *facts in PEOPLE:
        for fact in facts:
            call("remember_fact", entityName=name, entityType="person", observation=fact)
    call("relate_entities", fromEntity="健太", relation="knows", toEntity="小红")


def forget_tool(memories: Memories) -> Tool:
    return next(tool for tool in tools(memories, Options()) if tool.name == "forget_entity")


def refusal(result: Result) -> tuple[bool, str, str]:
    payload = json.loads(result.text)
    return result.is_error, payload["message"], payload["code"]


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.forget.deleted")
@pytest.mark.parametrize(("name", "asked"), [("健太", "健太"), ("小红", "小红"), ("Jeff", "ＪＥＦＦ")])
def test_an_entity_goes_with_its_memories_and_relations(call: Any, memories: Memories, name: str, asked: str) -> None:
    entity = memories.entity(name)
    assert entity is not None
    result = call("forget_entity", entityName=asked, confirm=True)
    assert result.text == '{"ok":true}'
    assert result.structured == {
        "success": True,
        "message": f"Forgotten: {name} and all associated memories",
        "deletedEntityId": entity.id,
        "memories": 2,
    }
    assert call("query_memory", mode="entity", entityName=name).structured["found"] is False
    assert (memories.counts().memories, memories.counts().entities) == (4, 2)
    assert memories.counts().relations == (1 if name == "Jeff" else 0)


@pytest.mark.requirement("textrawl.forget.deleted")
def test_a_node_of_another_door_goes_with_its_content(call: Any, memories: Memories) -> None:
    node = memories.upsert_node("symbol", "loginUser", "ログインを扱う")
    call("remember_fact", entityName="Jeff", entityType="person", observation="wrote it")
    memories.relate(Ref("entity", node.id), ("Jeff", "person"), "created_by")
    assert call("forget_entity", entityName="LOGINUSER", confirm=True).structured["memories"] == 1
    assert [hit.memory.text for hit in memories.recall("").hits] == ["wrote it"]
    assert memories.counts().relations == 0


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.forget.dry")
@pytest.mark.parametrize("confirm", [{}, {"confirm": True}])
def test_a_dry_run_tells_and_deletes_nothing(call: Any, memories: Memories, confirm: dict[str, bool]) -> None:
    entity, before = memories.entity("健太"), memories.store.last_seq()
    assert entity is not None
    result = call("forget_entity", entityName="健太", dryRun=True, **confirm)
    assert json.loads(result.text) == result.structured
    assert result.structured == {
        "dryRun": True,
        "wouldDelete": {"entityId": entity.id, "entityName": "健太"},
        "message": "Dry run — nothing deleted. Set dryRun=false and confirm to permanently delete this entity and all "
        "its memories.",
        "memories": 2,
    }
    assert (memories.counts().memories, memories.store.last_seq()) == (6, before)


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.forget.dry")
def test_a_dry_run_keeps_no_other_from_writing(call: Any, memories: Memories) -> None:
    with memories.store.write() as writer, ThreadPoolExecutor(1) as beside:
        writer.put_memory(Draft(id="新", text="同时写入"), now=memories.clock())
        asked = beside.submit(call, "forget_entity", entityName="健太", dryRun=True)
        assert asked.result(timeout=20).structured["memories"] == 2


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.forget.confirm")
@pytest.mark.parametrize(
    ("confirmed", "arguments", "gone"),
    [
        (None, {}, False),
        (None, {"confirm": False}, False),
        (None, {"confirm": True}, True),
        (True, {}, True),
        (True, {"confirm": False}, True),
        (False, {}, False),
        (False, {"confirm": True}, False),
    ],
)
def test_the_persons_word_decides_and_the_argument_where_nobody_was_asked(
    memories: Memories, confirmed: bool | None, arguments: dict[str, bool], gone: bool
) -> None:
    caller = Caller("s-1", confirmed=confirmed)
    result = forget_tool(memories).run(caller, {"entityName": "健太", **arguments})
    assert (memories.entity("健太") is None) is gone
    if not gone:
        said = "Deletion not confirmed. Set confirm=true (or accept the confirmation prompt) to delete."
        assert refusal(result) == (True, said, "RUNTIME_ERROR")


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.forget.question")
def test_the_question_says_what_would_go_in_three_languages(memories: Memories) -> None:
    asks = forget_tool(memories).asks
    assert asks is not None
    question = asks({"entityName": "健太"}) or ""
    assert [line for line in question.splitlines() if "健太" in line and "2" in line] == question.splitlines()
    assert len(question.splitlines()) == 3
    assert asks({"entityName": "健太", "dryRun": True}) is None
    assert asks({"entityName": "誰か"}) is None
    assert memories.counts().memories == 6


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.forget.absent")
@pytest.mark.parametrize("name", ["%", "_", "健", "健太さん", "Jef", "whoever"])
def test_only_a_whole_name_is_found(call: Any, memories: Memories, name: str) -> None:
    said = f'Entity "{name}" not found. Use query_memory with mode="list" to see available entities.'
    assert refusal(call("forget_entity", entityName=name, confirm=True)) == (True, said, "NOT_FOUND")
    assert memories.counts().entities == 3


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.forget.absent")
@pytest.mark.parametrize(("name", "said"), [("誰か", "は見つかりません"), ("某人", "没有找到"), ("whoever", "")])
def test_that_nothing_has_a_name_is_told_in_its_language_too(memories: Memories, name: str, said: str) -> None:
    refused = as_served(tools(memories, Options()))("forget_entity", entityName=name, confirm=True)
    assert (said in refused.note, bool(refused.note)) == (True, bool(said))


@pytest.mark.requirement("textrawl.forget.ambiguous")
def test_of_several_of_one_name_the_type_says_which(call: Any, memories: Memories) -> None:
    for type, fact in (("person", "登山が趣味"), ("location", "空港がある")):
        call("remember_fact", entityName="千歳", entityType=type, observation=fact)
    refused, said, code = refusal(call("forget_entity", entityName="千歳", confirm=True))
    assert (refused, code) == (True, "VALIDATION_ERROR")
    assert "person" in said
    assert "location" in said
    assert memories.counts().entities == 2
    call("forget_entity", entityName="千歳", entityType="location", confirm=True)
    assert [entity.type for entity in memories.entities_named("千歳")] == ["person"]


@pytest.mark.requirement("textrawl.forget.ambiguous")
def test_an_entity_and_a_node_of_one_name_and_type_go_together(call: Any, memories: Memories) -> None:
    memories.observe("認証", "concept", "担当は健太")
    memories.upsert_node("concept", "認証", "ログインを扱う")
    assert call("forget_entity", entityName="認証", dryRun=True).structured["memories"] == 2
    assert call("forget_entity", entityName="認証", confirm=True).structured["memories"] == 2
    assert (memories.counts().memories, memories.counts().entities) == (0, 0)


@pytest.mark.requirement("textrawl.forget.shared")
def test_what_is_also_known_of_another_stays(call: Any, memories: Memories) -> None:
    kenta, _ = memories.observe("健太", "person", "登山が趣味")
    xiaohong, _ = memories.observe("小红", "person", "喜欢爬山")
    memories.remember("二人で京都へ行った", entities=(kenta.id, xiaohong.id))
    assert call("forget_entity", entityName="健太", confirm=True).structured["memories"] == 1
    (shared,) = memories.recall("京都", arms=frozenset({"words"})).hits
    assert shared.memory.entities == (xiaohong.id,)


@pytest.mark.requirement("textrawl.scope")
def test_a_pinned_process_forgets_what_its_own_scope_knows(tmp_path: Path, clock: Any) -> None:
    left = {}
    for scope, facts in {"cc": ["猫を飼う"], "ccx": ["养了一只狗", "likes hiking"]}.items():
        with open_memories(tmp_path, clock=clock, scope=scope) as pinned:
            for fact in facts:
                pinned.observe("健太", "person", fact)
    with open_memories(tmp_path, clock=clock, scope="cc") as pinned:
        told = forget_tool(pinned).run(Caller("s"), {"entityName": "健太", "dryRun": True}).structured or {}
        forget_tool(pinned).run(Caller("s"), {"entityName": "健太", "confirm": True})
    for scope in ("cc", "ccx"):
        with open_memories(tmp_path, clock=clock, scope=scope) as pinned:
            left[scope] = (pinned.entity("健太") is not None, len(pinned.recall("").hits))
    assert (told["memories"], left) == (1, {"cc": (False, 0), "ccx": (True, 2)})
