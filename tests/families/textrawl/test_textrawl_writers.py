"""remember_fact and relate_entities over a real store."""

import json
from datetime import datetime, timezone
from typing import Any

import pytest

from omoide.families.textrawl import Options, tools
from omoide.families.textrawl.translate import relation_type
from omoide.memory import Memories
from omoide.model.memory import Status
from tests.families.calling import as_served, meanwhile


@pytest.mark.requirement("textrawl.remember.stored")
@pytest.mark.parametrize(
    ("name", "type", "fact"),
    [
        ("健太", "person", "京都に住んでいる"),
        ("小红", "person", "喜欢抹茶"),
        ("Jeff", "person", "prefers TypeScript"),
    ],
)
def test_a_new_fact_is_confirmed_with_both_ids(call: Any, name: str, type: str, fact: str) -> None:
    result = call("remember_fact", entityName=name, entityType=type, observation=fact)
    answer = result.structured
    assert answer == {
        "success": True,
        "message": f'Remembered: "{fact}" about {name}',
        "entityId": answer["entityId"],
        "entityName": name,
        "entityType": type,
        "observationId": answer["observationId"],
    }
    short = {"ok": True, "entity": answer["entityId"][:8], "obs": answer["observationId"][:8]}
    assert result.text == json.dumps(short, separators=(",", ":"))


@pytest.mark.requirement("textrawl.doors")
def test_a_fact_is_a_memory_like_any_other(call: Any, memories: Memories, clock: Any) -> None:
    call("remember_fact", entityName="珈琲", entityType="preference", observation="浅煎りが好み", source="document")
    (hit,) = memories.recall("浅煎り").hits
    memory = hit.memory
    assert (memory.tool, memory.category, memory.source, memory.session_id) == (
        "remember_fact",
        "preferences",
        "document",
        "会話-1",
    )
    assert (memory.scope, memory.confidence, memory.valid_until, memory.stored_at) == ("global", 1.0, None, clock.now)
    assert memory.context == "珈琲"


@pytest.mark.requirement("textrawl.remember.once")
@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("抹茶が好き", "抹茶が好き"),
        ("ｶﾋﾟﾊﾞﾗを飼う", "カピバラを飼う"),
        ("doesn’t eat “natto”", 'doesn\'t eat "natto"'),
        ("Prefers tea", "prefers TEA"),
        ("喜欢茶", "喜欢茶"),
    ],
)
def test_the_same_fact_is_kept_once(call: Any, first: str, again: str) -> None:
    stored = call("remember_fact", entityName="健太", entityType="person", observation=first).structured
    result = call("remember_fact", entityName="健太", entityType="person", observation=again)
    assert result.structured == {
        "success": True,
        "duplicate": True,
        "message": "This fact was already remembered.",
        "entityId": stored["entityId"],
        "observationId": stored["observationId"],
    }
    assert json.loads(result.text) == {"ok": True, "dup": True, "id": stored["observationId"][:8]}


@pytest.mark.requirement("textrawl.remember.reworded")
@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("毎朝、抹茶を飲む", "毎朝抹茶を飲む。"),
        ("喜歡台灣的茶", "喜欢台湾的茶！"),
        ("Prefers tea, not coffee", "prefers tea not coffee."),
    ],
)
def test_the_same_statement_is_kept_once(call: Any, first: str, again: str) -> None:
    fact = {"entityName": "健太", "entityType": "person"}
    for number in range(20):
        call("remember_fact", **fact, observation=f"第{number}回の会議に出た")
    stored = call("remember_fact", **fact, observation=first).structured["observationId"]
    assert call("remember_fact", **fact, observation=again).structured["observationId"] == stored


@pytest.mark.requirement("textrawl.remember.reworded")
@pytest.mark.parametrize(
    ("first", "second"),
    [("会議は10時から", "会議は11時から"), ("喜欢喝茶", "不喜欢喝茶"), ("works in room 101", "works in room 102")],
)
def test_statements_that_differ_in_a_word_are_both_kept(call: Any, first: str, second: str) -> None:
    fact = {"entityName": "健太", "entityType": "person"}
    call("remember_fact", **fact, observation=first)
    assert "duplicate" not in call("remember_fact", **fact, observation=second).structured


@pytest.mark.requirement("textrawl.remember.once")
@pytest.mark.requirement("textrawl.search.expired")
def test_a_fact_that_has_expired_is_not_found_and_can_be_learnt_again(call: Any, clock: Any) -> None:
    fact = {"entityName": "小红", "entityType": "person", "observation": "暂时住在大阪"}
    call("remember_fact", **fact, validUntil="2025-11-30")
    clock.advance(days=30)
    assert call("query_memory", mode="search", query="住在大阪").structured["totalMemories"] == 0
    assert call("query_memory", mode="entity", entityName="小红").structured["totalObservations"] == 0
    assert "duplicate" not in call("remember_fact", **fact).structured
    assert call("query_memory", mode="search", query="住在大阪").structured["totalMemories"] == 1


@pytest.mark.requirement("textrawl.remember.once")
@pytest.mark.parametrize(
    ("said", "until"),
    [("大阪に滞在中", "昨日"), ("暂时住在大阪", "2025-11-01"), ("is staying in Osaka", "last Friday")],
)
def test_a_fact_that_has_ended_is_kept_once_when_it_is_told_again_with_its_end(
    call: Any, said: str, until: str
) -> None:
    fact = {"entityName": "健太", "entityType": "person", "observation": said}
    stored = call("remember_fact", **fact, validUntil=until).structured["observationId"]
    again = call("remember_fact", **fact, validUntil=until).structured
    assert (again.get("duplicate"), again["observationId"]) == (True, stored)
    assert "duplicate" not in call("remember_fact", **fact, validUntil="2025-10-01").structured
    assert "duplicate" not in call("remember_fact", **fact).structured


@pytest.mark.requirement("textrawl.remember.until")
@pytest.mark.parametrize(
    ("said", "until"),
    [
        ("2026-12-31", datetime(2026, 12, 31, 15, tzinfo=timezone.utc)),
        ("2026年12月31日", datetime(2026, 12, 31, 15, tzinfo=timezone.utc)),
        ("令和8年12月31日", datetime(2026, 12, 31, 15, tzinfo=timezone.utc)),
        ("December 31, 2026", datetime(2026, 12, 31, 15, tzinfo=timezone.utc)),
        ("明日", datetime(2025, 11, 22, 15, tzinfo=timezone.utc)),
        ("明天", datetime(2025, 11, 22, 15, tzinfo=timezone.utc)),
        ("到年底", datetime(2025, 12, 31, 15, tzinfo=timezone.utc)),
        ("tomorrow", datetime(2025, 11, 22, 15, tzinfo=timezone.utc)),
    ],
)
def test_a_fact_holds_to_the_end_of_the_day_that_was_named(
    call: Any, memories: Memories, said: str, until: datetime
) -> None:
    id = call(
        "remember_fact", entityName="健太", entityType="person", observation="大阪に滞在中", validUntil=said
    ).structured["observationId"]
    assert memories.find(id).valid_until == until


@pytest.mark.requirement("textrawl.remember.once")
@pytest.mark.parametrize(
    ("label", "content", "again"),
    [
        ("認証", "ログインを扱う。", "ログインを扱う"),
        ("认证", "处理登录", "处理登录。"),
        ("Auth", "Handles login", "handles login."),
    ],
)
def test_what_the_content_of_a_node_says_is_known_of_it(
    call: Any, memories: Memories, label: str, content: str, again: str
) -> None:
    node = memories.upsert_node("concept", label, content)
    told = {"entityName": label, "entityType": "concept", "observation": again}
    answer = call("remember_fact", **told).structured
    assert (answer.get("duplicate"), answer["observationId"]) == (True, node.memory_id)
    assert "duplicate" not in call("remember_fact", **told, validUntil="2030-01-01").structured
    (kept,) = memories.get([node.memory_id or ""])
    assert kept.valid_until is None, "the node does not end with the fact"
    call("forget_entity", entityName=label, confirm=True)
    node = memories.upsert_node("concept", label, content)
    memories.revise(node.memory_id, status=Status.ARCHIVED)
    assert "duplicate" not in call("remember_fact", **told).structured


@pytest.mark.requirement("textrawl.remember.until_known")
def test_the_end_told_with_a_fact_that_is_known_already_is_kept(call: Any, memories: Memories, clock: Any) -> None:
    fact = {"entityName": "健太", "entityType": "person", "observation": "大阪に滞在中"}
    id = call("remember_fact", **fact).structured["observationId"]
    again = call("remember_fact", **fact, validUntil="2025-11-30").structured
    assert (again["duplicate"], again["observationId"]) == (True, id)
    assert call("remember_fact", **fact).structured["observationId"] == id  # says nothing of an end, and changes none
    assert memories.find(id).valid_until == datetime(2025, 11, 30, 15, tzinfo=timezone.utc)
    clock.advance(days=30)
    assert call("query_memory", mode="search", query="大阪").structured["totalMemories"] == 0


@pytest.mark.requirement("textrawl.remember.garbage")
@pytest.mark.parametrize("said", ["そのうち、たぶん", "总有一天吧", "whenever", "2026-13-45", ""])
def test_a_valid_until_that_is_no_date_is_refused_and_nothing_is_stored(
    call: Any, memories: Memories, said: str
) -> None:
    result = call("remember_fact", entityName="健太", entityType="person", observation="滞在中", validUntil=said)
    payload = json.loads(result.text)
    assert result.is_error
    assert (payload["error"], payload["code"]) == ("Invalid validUntil", "VALIDATION_ERROR")
    assert memories.counts().memories == 0
    assert memories.entity("健太") is None


@pytest.mark.requirement("textrawl.remember.garbage")
@pytest.mark.parametrize(
    ("name", "fact", "said", "told"),
    [
        ("健太", "大阪に滞在中", "来年以降", "validUntil の「来年以降」には終わりがありません。"),
        ("小红", "住在大阪", "明年以后", "validUntil“明年以后”没有终点，"),
        ("Alice", "lives in Osaka", "from 2030 on", ""),
    ],
)
def test_a_valid_until_without_an_end_is_refused_in_the_language_of_the_fact(
    memories: Memories, name: str, fact: str, said: str, told: str
) -> None:
    call = as_served(tools(memories, Options()))
    result = call("remember_fact", entityName=name, entityType="person", observation=fact, validUntil=said)
    assert json.loads(result.text)["message"] == f"{said!r} has no end."
    assert (result.note.startswith(told), bool(result.note)) == (True, bool(told))
    assert memories.counts().memories == 0


@pytest.mark.parametrize("blank", [" ", "　", "\n\t", "\u200b\ufeff", "\x00"])
@pytest.mark.parametrize(
    ("name", "argument", "others"),
    [
        ("remember_fact", "entityName", {"entityType": "person", "observation": "事実"}),
        ("remember_fact", "observation", {"entityType": "person", "entityName": "健太"}),
        ("relate_entities", "fromEntity", {"relation": "knows", "toEntity": "小红"}),
        ("relate_entities", "toEntity", {"relation": "knows", "fromEntity": "Jeff"}),
    ],
)
@pytest.mark.requirement("textrawl.error.blank")
def test_what_is_blank_is_named_and_nothing_stored(
    call: Any, memories: Memories, name: str, argument: str, others: dict[str, str], blank: str
) -> None:
    result = call(name, **{argument: blank}, **others)
    payload = json.loads(result.text)
    assert result.is_error
    assert (payload["error"], payload["message"]) == (f"Invalid {argument}", f"{argument} is blank.")
    assert payload["hint"].startswith("Pass ")
    assert (memories.counts().memories, memories.counts().entities) == (0, 0)


@pytest.mark.requirement("textrawl.relate.created")
def test_missing_ends_are_made_with_the_type_given_known_or_concept(call: Any) -> None:
    call("remember_fact", entityName="健太", entityType="person", observation="働き者")
    result = call(
        "relate_entities", fromEntity="健太", relation="Works At", toEntity="任天堂", toEntityType="organization"
    )
    answer = result.structured
    assert answer["message"] == "Created relation: 健太 Works At 任天堂"
    assert [(answer[end]["name"], answer[end]["type"]) for end in ("fromEntity", "toEntity")] == [
        ("健太", "person"),
        ("任天堂", "organization"),
    ]
    assert result.text == json.dumps({"ok": True, "id": answer["relationId"][:8]}, separators=(",", ":"))
    other = call("relate_entities", fromEntity="ＪＥＦＦ", relation="knows", toEntity="健太").structured
    assert other["fromEntity"]["type"] == "concept"
    assert other["toEntity"] == answer["fromEntity"]


@pytest.mark.requirement("textrawl.relate.same")
def test_the_same_relation_keeps_its_id_and_the_reverse_is_another(call: Any) -> None:
    ends = {"fromEntity": "健太", "toEntity": "小红"}
    first = call("relate_entities", **ends, relation="knows").structured["relationId"]
    again = call("relate_entities", **ends, relation=" KNOWS ").structured["relationId"]
    reverse = call("relate_entities", fromEntity="小红", toEntity="健太", relation="knows").structured["relationId"]
    assert first == again != reverse


@pytest.mark.requirement("textrawl.relate.same")
@pytest.mark.parametrize(
    ("person", "other", "type"),
    [("健太", "千歳", "location"), ("小红", "小米", "organization"), ("Jeff", "Apple", "organization")],
)
@pytest.mark.parametrize("renamed", ["fromEntity", "toEntity"])
def test_a_relation_is_one_though_its_name_has_been_given_to_something_else_since(
    call: Any, clock: Any, person: str, other: str, type: str, renamed: str
) -> None:
    ends = {"fromEntity": person, "toEntity": other}
    first = call("relate_entities", **ends, relation="knows").structured
    clock.advance(minutes=1)
    call("remember_fact", entityName=ends[renamed], entityType=type, observation="二つ目")
    assert call("relate_entities", **ends, relation="knows").structured == first
    call("build_knowledge", relations=[{**ends, "relation": "Knows"}])
    known = call("query_memory", mode="entity", entityName=person, entityTypes=["concept"]).structured["relations"]
    assert [(each["relation_type"], each["to_entity"]) for each in known["outgoing"]] == [("knows", other)]
    another = call("relate_entities", **ends, relation="likes").structured
    assert another[renamed]["type"] == type, "a new relation is of what was last spoken of"
    elsewhere = call("relate_entities", fromEntity=person, relation="knows", toEntity="京都").structured
    assert elsewhere["toEntity"]["name"] == "京都", "one of the same type to something else is another"


@pytest.mark.requirement("textrawl.relate.self")
@pytest.mark.parametrize(
    ("source", "target"),
    [("健太", "健太"), ("Jeff", "ｊｅｆｆ"), ("小红", "小紅"), ("O'Neil", "O’Neil"), ("山田 太郎", "山田太郎")],
)
def test_a_relation_to_itself_is_refused_before_anything_is_written(
    call: Any, memories: Memories, source: str, target: str
) -> None:
    result = call("relate_entities", fromEntity=source, relation="knows", toEntity=target)
    payload = json.loads(result.text)
    assert result.is_error
    assert (payload["error"], payload["code"]) == ("Cannot create self-referential relation", "DATABASE_ERROR")
    assert payload["message"].startswith("Cannot create self-referential relation: Both ends are")
    assert payload["hint"].startswith("Entity type params are optional — omit them if unsure.")
    assert memories.counts().entities == 0


@pytest.mark.requirement("textrawl.relate.self")
@pytest.mark.parametrize(("source", "target"), [("千歳", "千歳"), ("臺北", "台北"), ("Paris", "ＰＡＲＩＳ")])
def test_a_new_entity_is_not_related_to_itself_though_only_its_first_mention_has_a_type(
    call: Any, memories: Memories, source: str, target: str
) -> None:
    ends = {"fromEntity": source, "fromEntityType": "location", "toEntity": target}
    assert call("relate_entities", **ends, relation="near").is_error
    assert memories.counts().entities == 0


@pytest.mark.requirement("textrawl.relate.self")
def test_two_entities_of_one_name_and_different_types_can_be_related(call: Any) -> None:
    ends = {"fromEntity": "千歳", "fromEntityType": "person", "toEntity": "千歳", "toEntityType": "location"}
    assert call("relate_entities", **ends, relation="located in").structured["success"]


@pytest.mark.requirement("textrawl.relate.name")
@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("works_at", "works_at"),
        (" Works  At ", "works_at"),
        ("Ｗｏｒｋｓ　Ａｔ", "works_at"),
        ("仲が良い", "仲が良い"),
        ("住在　东京", "住在_东京"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
    ],
)
def test_relation_names_are_lower_case_without_blanks(said: str, stored: str) -> None:
    assert relation_type(said) == stored


@pytest.mark.requirement("textrawl.relate.name")
def test_a_blank_relation_is_refused(call: Any, memories: Memories) -> None:
    result = call("relate_entities", fromEntity="健太", relation="　", toEntity="小红")
    assert json.loads(result.text)["error"] == "Invalid relation"
    assert memories.counts().entities == 0


@pytest.mark.requirement("textrawl.relate.created")
def test_a_node_of_another_door_is_known_by_its_name(call: Any, memories: Memories) -> None:
    node = memories.upsert_node("concept", "認証フロー", "ログインを扱う")
    fact = call("remember_fact", entityName="認証フロー", entityType="concept", observation="担当は健太").structured
    related = call("relate_entities", fromEntity="健太", relation="owns", toEntity="認証フロー").structured
    assert fact["entityId"] == related["toEntity"]["id"] == node.id
    described = call("query_memory", mode="entity", entityName="認証フロー").structured
    assert {each["content"] for each in described["observations"]} == {"ログインを扱う", "担当は健太"}
    assert [each["from_entity"] for each in described["relations"]["incoming"]] == ["健太"]


@pytest.mark.requirement("textrawl.relate.meanwhile")
@pytest.mark.parametrize("forgotten", ["健太", "小红"])
def test_a_relation_whose_end_another_has_just_forgotten_is_not_said_to_stand(
    call: Any, memories: Memories, monkeypatch: pytest.MonkeyPatch, forgotten: str
) -> None:
    def forget() -> None:
        for each in memories.entities_named(forgotten):
            memories.forget_entity(each.id)

    meanwhile(monkeypatch, "relate", forget)
    result = call("relate_entities", fromEntity="健太", relation="knows", toEntity="小红")
    assert result.is_error
    assert "one of its ends has been forgotten since" in result.text
    assert memories.counts().relations == 0
