"""build_knowledge over a real store: a batch of facts and relations."""

import json
from typing import Any

import pytest

from omoide.memory import Memories

FACTS = [
    {"entityName": "健太", "entityType": "person", "observation": "京都に住んでいる"},
    {"entityName": "小红", "entityType": "person", "observation": "喜欢在周末去爬山", "source": "note"},
    {"entityName": "Jeff", "entityType": "person", "observation": "prefers TypeScript"},
]
RELATIONS = [
    {"fromEntity": "健太", "relation": "Works At", "toEntity": "任天堂", "toEntityType": "organization"},
    {"fromEntity": "Jeff", "relation": "knows", "toEntity": "小红"},
]


@pytest.mark.requirement("textrawl.build.stored")
def test_facts_and_relations_of_a_batch_are_stored_and_counted(
    call: Any, call_verbose: Any, memories: Memories
) -> None:
    result = call("build_knowledge", facts=FACTS, relations=RELATIONS)
    assert result.text == '{"ok":true,"facts":{"new":3,"dup":0},"rel":2}'
    again = call_verbose("build_knowledge", facts=FACTS[:2], relations=RELATIONS)
    assert json.loads(again.text) == again.structured
    assert again.structured == {"success": True, "factsCreated": 0, "factsDuplicate": 2, "relationsCreated": 2}
    kenta = call("query_memory", mode="entity", entityName="健太").structured
    assert [each["content"] for each in kenta["observations"]] == ["京都に住んでいる"]
    assert [(each["relation_type"], each["to_entity"]) for each in kenta["relations"]["outgoing"]] == [
        ("works_at", "任天堂")
    ]
    for query, name in (("京都", "健太"), ("爬山", "小红"), ("TypeScript", "Jeff")):
        found = call("query_memory", mode="search", query=query).structured
        assert found["entities"][0]["entityName"] == name


@pytest.mark.requirement("textrawl.build.partial")
def test_what_cannot_be_stored_is_told_and_the_rest_is_stored(call: Any) -> None:
    facts = [FACTS[0], {"entityName": "　", "entityType": "person", "observation": "名前がない"}]
    relations = [{"fromEntity": "健太", "relation": "knows", "toEntity": "健太"}, RELATIONS[1]]
    result = call("build_knowledge", facts=facts, relations=relations)
    text = json.loads(result.text)
    assert not result.is_error
    assert (text["ok"], text["partial"], text["facts"], text["rel"]) == (False, True, {"new": 1, "dup": 0}, 1)
    assert [error.partition(":")[0] for error in text["err"]] == ['fact "　"', 'relation "健太 knows 健太"']
    assert result.structured["errors"] == text["err"]
    assert (result.structured["success"], result.structured["partialSuccess"]) == (False, True)


@pytest.mark.requirement("textrawl.build.partial")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("健太さん", " 両端とも 健太さん です。同じものどうしは関係づけられません。何も書き込んでいません。"),
        ("小红", " 两端都是“小红”。实体不能与自身建立关系。没有写入任何内容。"),
        ("小紅", " 兩端都是「小紅」。實體不能與自身建立關係。沒有寫入任何內容。"),
        ("Jeff", ""),
    ],
)
def test_what_cannot_be_stored_is_told_in_the_language_of_the_item_too(call: Any, name: str, said: str) -> None:
    result = call("build_knowledge", relations=[{"fromEntity": name, "relation": "knows", "toEntity": name}])
    (error,) = result.structured["errors"]
    assert error.startswith(f'relation "{name} knows {name}": Both ends are {name}; nothing was written.')
    assert error.endswith(f"Pass two different entities.{said}")


@pytest.mark.requirement("textrawl.build.partial")
def test_a_batch_of_which_nothing_was_stored_is_no_partial_success(call: Any, memories: Memories) -> None:
    result = call("build_knowledge", relations=[{"fromEntity": "Jeff", "relation": "　", "toEntity": "小红"}])
    assert (result.structured["success"], result.structured["partialSuccess"]) == (False, False)
    assert memories.counts().entities == 0


@pytest.mark.requirement("textrawl.build.stored")
@pytest.mark.parametrize("until", ["2025-01-31", "昨日", "いつか", "永远", 5, [5]])
def test_a_fact_of_a_batch_has_no_end_whatever_is_sent_as_one(call: Any, memories: Memories, until: Any) -> None:
    result = call("build_knowledge", facts=[{**each, "validUntil": until} for each in FACTS])
    assert result.structured == {"success": True, "factsCreated": 3, "factsDuplicate": 0, "relationsCreated": 0}
    assert {hit.memory.valid_until for hit in memories.recall("", limit=9).hits} == {None}


@pytest.mark.requirement("textrawl.build.empty")
@pytest.mark.parametrize("arguments", [{}, {"facts": []}, {"facts": [], "relations": []}])
def test_a_batch_without_content_is_refused(call: Any, arguments: dict[str, Any]) -> None:
    result = call("build_knowledge", **arguments)
    payload = json.loads(result.text)
    assert result.is_error
    assert (payload["message"], payload["code"]) == ("Provide at least one fact or relation", "RUNTIME_ERROR")
