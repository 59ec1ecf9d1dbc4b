"""What a tool says nothing of, at any depth: over the calls that every lane makes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.families.chronica import Options as ChronicaOptions
from omoide.families.chronica import tools as chronica
from omoide.families.contextplus import tools as contextplus
from omoide.families.textrawl import Options as TextrawlOptions
from omoide.families.textrawl import tools as textrawl
from omoide.families.tool import Result
from omoide.memory import Memories
from omoide.server.calls.call import _not_finite
from omoide.server.calls.members import Members
from tests.families.calling import Call, as_served

FACT = {"entityName": "健太", "entityType": "person", "observation": "毎朝、抹茶を飲む"}
RELATION = {"fromEntity": "小红", "relation": "knows", "toEntity": "Jeff"}
ITEM = {"type": "note", "label": "周末计划", "content": "周六去爬山"}
KNOWN_OF_A_FACT = "facts[] knows: entityName, entityType, observation, source."


TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
NESTED = {
    "properties": {
        "題": TEXT,
        "标签": TEXTS,
        "items": {
            "items": {"properties": {"text": TEXT, "tags": TEXTS, "at": {"items": {"properties": {"day": TEXT}}}}}
        },
        "one": {"properties": {"text": TEXT}},
    }
}
VALUES = st.recursive(
    st.sampled_from(["茶", 1, True, 0.5, float("inf"), None]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["題", "标签", "items", "one", "text", "tags", "at", "day", "?"]), inner)
    ),
)


@given(st.dictionaries(st.sampled_from([*NESTED["properties"], "?"]), VALUES))
def test_what_needs_no_closer_look_has_neither_nulls_nor_unknown_members_nor_infinite_numbers(value: Any) -> None:
    members = Members.of(NESTED, lambda schema: False)
    if members.is_plain(value):
        assert members.without_nulls(value) == value
        assert list(members.unknown(value)) == []
        assert _not_finite(value) is None


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"題": "茶", "标签": ["山", "水"], "items": [{"text": "雨", "tags": ["a"], "at": [{"day": "明日"}]}]}, True),
        ({"標題": "茶"}, False),
        ({"标签": ["山", None]}, False),
        ({"标签": [{"text": "山"}]}, False),
        ({"items": [{"text": "雨"}, {"text": None}]}, False),
        ({"items": [{"text": "雨"}, ["下雨"]]}, False),
        ({"items": [{"text": "rain"}, "雨"]}, False),
        ({"items": [{"text": "雨", "?": 1}]}, False),
        ({"items": [{"text": 0.5}]}, False),
        ({"items": [{"at": [{"day": "tomorrow", "hour": 3}]}]}, False),
        ({"one": {"text": "雨"}}, False),
    ],
)
def test_lists_of_plain_values_and_objects_need_no_closer_look(value: Any, plain: bool) -> None:
    assert Members.of(NESTED, lambda schema: False).is_plain(value) == plain


CLOSED = {
    "properties": {
        "one": {"properties": {"text": TEXT}, "additionalProperties": False},
        "items": {"items": {"properties": {"text": TEXT}, "additionalProperties": False}},
    }
}


@pytest.mark.parametrize(
    ("schema", "value", "places"),
    [
        (NESTED, {"one": {"text": "雨", "天気": "晴れ"}, "标签": ["?"]}, ["one.天気"]),
        (NESTED, {"items": [{"at": [{"day": "明日", "几点": 3}]}], "one": {"?": None}}, ["items[].at[].几点"]),
        (CLOSED, {"one": {"天気": "晴れ"}, "items": [{"几点": 3}]}, []),
    ],
)
def test_members_that_are_unknown_are_found_at_any_depth(schema: Any, value: Any, places: list[str]) -> None:
    members = Members.of(schema, lambda schema: False)
    assert [each.place + each.name for each in members.unknown(value)] == places
    refused = places or ["one.天気", "items[].几点"]
    assert [each.place + each.name for each in members.unknown(value, refused=True)] == refused


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
