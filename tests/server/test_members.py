"""What a tool says nothing of, at any depth: over the calls that every lane makes."""

from typing import Any

import pytest

from omoide.families.chronica import Options as ChronicaOptions
from omoide.families.chronica import tools as chronica
from omoide.families.contextplus import tools as contextplus
from omoide.families.textrawl import Options as TextrawlOptions
from omoide.families.textrawl import tools as textrawl
from omoide.families.tool import Result
from omoide.memory import Memories
from tests.families.calling import Call, as_served

FACT = {"entityName": "健太", "entityType": "person", "observation": "毎朝、抹茶を飲む"}
RELATION = {"fromEntity": "小红", "relation": "knows", "toEntity": "Jeff"}
ITEM = {"type": "note", "label": "周末计划", "content": "周六去爬山"}
KNOWN_OF_A_FACT = "facts[] knows: entityName, entityType, observation, source."


@pytest.fixture
def call(memories: Memories) -> Call:
    return as_served([*textrawl(memories, TextrawlOptions()), *contextplus(memories)])


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        (
            "build_knowledge",
            {"facts": [FACT, {**FACT, "validUntil": "来年"}]},
            f"facts[].validUntil. {KNOWN_OF_A_FACT}",
        ),
        (
            "build_knowledge",
            {"facts": [{**FACT, "確度": 1}] * 2, "relations": [{**RELATION, "weight": 0.5}], "dryRun": True},
            f"dryRun, facts[].確度, relations[].weight. build_knowledge knows: facts, relations. {KNOWN_OF_A_FACT} "
            "relations[] knows: fromEntity, relation, toEntity, fromEntityType, toEntityType.",
        ),
        (
            "add_interlinked_context",
            {"items": [{**ITEM, "标签": ["山"]}]},
            "items[].标签. items[] knows: type, label, content, metadata.",
        ),
    ],
)
def test_members_of_arguments_that_a_tool_does_not_know_are_named(
    call: Call, name: str, arguments: dict[str, Any], told: str
) -> None:
    result: Result = call(name, **arguments)
    assert not result.is_error, result.text
    english, _ = result.note.splitlines()
    assert english == f"Unknown arguments were not used: {told}"


def test_a_tool_that_tells_itself_what_it_does_not_know_is_spoken_for_where_it_is_not_asked(memories: Memories) -> None:
    call = as_served(chronica(memories, ChronicaOptions()))
    interleaver = call("chronica_save_entry", kind="note", text="記念日のこと")
    assert interleaver.is_error
    assert interleaver.note.splitlines() == [
        "entry が必要です。",
        "Unknown arguments were not used: kind, text. chronica_save_entry knows: entry.",
        "次の引数は使われませんでした：kind, text。chronica_save_entry で使えるもの：entry。",
    ]
    saved = call("chronica_save_entry", entry={"kind": "note", "text": "纪念日"}, tags=["家人"])
    assert (saved.is_error, saved.note) == (False, "以下参数未被使用：tags。chronica_save_entry 可用的有：entry。")
    assert "'tags'" in saved.text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("build_knowledge", {"facts": [{**FACT, "source": None}]}),
        ("build_knowledge", {"relations": [{**RELATION, "fromEntityType": None, "toEntityType": None, "x": None}]}),
        ("add_interlinked_context", {"items": [{**ITEM, "metadata": None}], "auto_link": None}),
        ("upsert_memory_node", {**ITEM, "metadata": {"作者": "小红"}}),
    ],
)
def test_null_for_an_optional_member_counts_as_not_given(call: Call, name: str, arguments: dict[str, Any]) -> None:
    result: Result = call(name, **arguments)
    assert (result.is_error, result.note) == (False, ""), result.text


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("build_knowledge", {"facts": [{**FACT, "entityType": None}]}, "facts.0.entityType: None is not of type"),
        ("build_knowledge", {"facts": ["抹茶"]}, "facts.0: '抹茶' is not of type 'object'"),
        ("upsert_memory_node", {**ITEM, "metadata": {"作者": None}}, "metadata.作者: None is not of type 'string'"),
    ],
)
def test_null_for_what_is_required_or_has_a_name_of_its_own_is_refused(
    call: Call, name: str, arguments: dict[str, Any], said: str
) -> None:
    result: Result = call(name, **arguments)
    assert result.is_error
    assert said in result.text
