"""query_memory over a real store, mode by mode."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide.app import open_memories
from omoide.errors import InvalidArgument, NotFound, OmoideError, StoreBusy, StoreFull
from omoide.families.textrawl import Options, tools
from omoide.families.textrawl.refusals import explained
from omoide.families.textrawl.translate import search_query
from omoide.families.tool import Caller, Misfit
from omoide.memory import Memories
from omoide.model.entity import EntityDraft
from omoide.model.memory import Draft
from omoide.model.relation import Ref
from tests.families.calling import as_served

FACTS = [
    ("健太", "person", "毎朝、抹茶を飲む"),
    ("健太", "person", "京都の寺を巡るのが好き"),
    ("小红", "person", "喜欢在周末去爬山"),
    ("京都", "location", "春には桜が満開になる"),
    ("Development Setup", "preference", "dark mode enabled by default"),
    ("Jeff", "person", "prefers TypeScript over JavaScript"),
]


@pytest.fixture
def known(call: Any, clock: Any) -> None:
    for name, type, fact in FACTS:
        call("remember_fact", entityName=name, entityType=type, observation=fact)
        clock.advance(minutes=1)


def contents(structured: Any) -> list[str]:
    return [memory["content"] for group in structured["entities"] for memory in group["memories"]]


def scores(structured: Any) -> list[float]:
    return [memory["score"] for group in structured["entities"] for memory in group["memories"]]


# --- search


@pytest.mark.requirement("textrawl.search.alike")
@pytest.mark.parametrize(
    ("query", "again"),
    [
        ("抹茶が好き", ["抹茶が好き。", "抹茶が好きです"]),
        ("喜欢喝茶", ["喜欢喝茶。", "喜歡喝茶"]),
        ("prefers dark mode", ["Prefers dark mode.", "prefers the dark mode"]),
    ],
)
def test_a_fact_that_was_noted_again_stands_once(call: Any, memories: Memories, query: str, again: list[str]) -> None:
    ids = {memories.remember(text).memory.id for text in again}
    answer = call("query_memory", mode="search", query=query)
    ((found,),) = (group["memories"] for group in answer.structured["entities"])
    assert len(ids.intersection(found["alike"])) == 1
    assert json.loads(answer.text)["e"][0]["m"][0]["a"] == 1


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.search.languages")
@pytest.mark.requirement("textrawl.search.grouped")
@pytest.mark.parametrize("search_mode", ["hybrid", "semantic"])
@pytest.mark.parametrize(
    ("query", "name", "fact"),
    [
        ("抹茶", "健太", "毎朝、抹茶を飲む"),
        ("寺を巡る", "健太", "京都の寺を巡るのが好き"),
        ("周末爬山", "小红", "喜欢在周末去爬山"),
        ("週末爬山", "小红", "喜欢在周末去爬山"),
        ("桜 満開", "京都", "春には桜が満開になる"),
        ("default dark mode", "Development Setup", "dark mode enabled by default"),
        ("ＴｙｐｅＳｃｒｉｐｔ", "Jeff", "prefers TypeScript over JavaScript"),
    ],
)
def test_the_fact_comes_first_under_its_entity(call: Any, query: str, search_mode: str, name: str, fact: str) -> None:
    structured = call("query_memory", mode="search", query=query, searchMode=search_mode).structured
    first = structured["entities"][0]
    assert (first["entityName"], first["memories"][0]["content"]) == (name, fact)
    assert structured["totalMemories"] == len(contents(structured))


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.search.score")
@pytest.mark.parametrize("search_mode", ["hybrid", "semantic"])
@pytest.mark.parametrize(
    "query", ["毎朝、抹茶を飲む", "喜欢在周末去爬山", "prefers TypeScript over JavaScript", "京都 桜"]
)
def test_scores_use_the_whole_published_scale_and_never_rise(call: Any, query: str, search_mode: str) -> None:
    structured = call("query_memory", mode="search", query=query, searchMode=search_mode).structured
    assert 0.5 <= scores(structured)[0] <= 1
    found = [memory["score"] for group in structured["entities"][:1] for memory in group["memories"]]
    assert found == sorted(found, reverse=True)


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.search.score")
@pytest.mark.parametrize("fact", [fact for _, _, fact in FACTS])
def test_a_fact_asked_for_in_its_own_words_is_highly_relevant(call: Any, fact: str) -> None:
    assert scores(call("query_memory", mode="search", query=fact).structured)[0] >= 0.9


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.search.unlike")
@pytest.mark.parametrize("search_mode", ["hybrid", "semantic"])
@pytest.mark.parametrize("query", ["quantum physics", "今日の株価", "明天的天气", "抹茶", "dark mode"])
def test_nothing_is_returned_that_is_not_like_the_query(call: Any, query: str, search_mode: str) -> None:
    structured = call("query_memory", mode="search", query=query, searchMode=search_mode, limit=50).structured
    assert all(score > 0 for score in scores(structured))
    assert len(scores(structured)) < len(FACTS)


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.search.compact")
@pytest.mark.requirement("textrawl.search.structured")
def test_the_compact_text_is_made_of_the_same_memories(call: Any) -> None:
    result = call("query_memory", mode="search", query="dark mode")
    first = result.structured["entities"][0]
    assert first == {
        "entityName": "Development Setup",
        "entityType": "preference",
        "memories": [
            {
                "content": "dark mode enabled by default",
                "source": "conversation",
                "score": first["memories"][0]["score"],
            }
        ],
    }
    short = json.loads(result.text)
    assert short["n"] == result.structured["totalMemories"]
    assert short["e"][0]["m"] == [{"c": "dark mode enabled by default", "s": first["memories"][0]["score"]}]
    assert ": " not in result.text.replace(first["memories"][0]["content"], "")


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.search.verbose")
def test_the_verbose_text_is_the_structured_value_after_the_query(call_verbose: Any) -> None:
    result = call_verbose("query_memory", mode="search", query="抹茶")
    assert result.text.startswith('{\n  "query": "抹茶",\n  "mode": "search",\n')
    assert json.loads(result.text) == {"query": "抹茶", **result.structured}


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("types", "names"),
    [
        pytest.param(["location"], {"京都"}, marks=pytest.mark.requirement("textrawl.search.types")),
        pytest.param(["person"], {"健太"}, marks=pytest.mark.requirement("textrawl.search.types")),
        pytest.param(["location", "person"], {"健太", "京都"}, marks=pytest.mark.requirement("textrawl.search.types")),
        pytest.param(["organization"], set(), marks=pytest.mark.requirement("textrawl.search.types")),
        pytest.param([], set(), marks=pytest.mark.requirement("textrawl.search.no_types")),
    ],
)
def test_only_entities_of_the_given_types_are_searched(call: Any, types: list[str], names: set[str]) -> None:
    structured = call("query_memory", mode="search", query="抹茶 寺を巡る 桜が満開", entityTypes=types).structured
    assert {group["entityName"] for group in structured["entities"]} == names


@pytest.mark.requirement("textrawl.search.types")
def test_a_rare_type_is_found_among_many_better_matches(call: Any, memories: Memories) -> None:
    memories.remember_many(Draft(text=f"京都の抹茶の店、その{number}") for number in range(300))
    call("remember_fact", entityName="一保堂", entityType="organization", observation="京都に本店がある")
    structured = call("query_memory", mode="search", query="京都の抹茶の店", entityTypes=["organization"]).structured
    assert contents(structured) == ["京都に本店がある"]


@pytest.mark.requirement("textrawl.search.types")
def test_a_memory_of_two_entities_is_shown_under_the_one_that_was_asked_for(call: Any, memories: Memories) -> None:
    person, _ = memories.observe("小红", "person", "搬到了大阪")
    place, _ = memories.observe("大阪", "location", "大阪的章鱼烧很有名")
    memories.remember("小红在大阪吃章鱼烧", entities=(person.id, place.id))
    for types, name in ((["location"], "大阪"), (["person"], "小红"), (["person", "location"], "小红")):
        structured = call("query_memory", mode="search", query="小红在大阪吃章鱼烧", entityTypes=types).structured
        assert structured["entities"][0]["entityName"] == name


@pytest.mark.requirement("textrawl.search.limit")
@pytest.mark.parametrize(("limit", "returned"), [(None, 10), (1, 1), (50, 50), (100, 50), (3.0, 3)])
def test_a_search_returns_at_most_fifty(call: Any, memories: Memories, limit: float | None, returned: int) -> None:
    memories.remember_many(Draft(text=f"会議の記録、第{number}回") for number in range(60))
    chosen = {} if limit is None else {"limit": limit}
    structured = call("query_memory", mode="search", query="会議の記録", **chosen).structured
    assert structured["totalMemories"] == returned == len(contents(structured))


@pytest.mark.requirement("textrawl.search.semantic")
@pytest.mark.parametrize(
    ("chosen", "arms"),
    [
        ({}, {"words", "vectors", "graph"}),
        ({"searchMode": "hybrid"}, {"words", "vectors", "graph"}),
        ({"searchMode": "semantic"}, {"vectors"}),
    ],
)
def test_semantic_ranks_by_vectors_alone(clock: Any, chosen: dict[str, str], arms: set[str]) -> None:
    assert search_query({"query": "抹茶", **chosen}, clock()).arms == arms


@pytest.mark.requirement("textrawl.search.ownerless")
@pytest.mark.parametrize(
    ("fields", "name", "type"),
    [
        ({"thread": "t-1", "thread_name": "引っ越し相談", "project": "家"}, "引っ越し相談", "thread"),
        ({"thread": "t-1"}, "t-1", "thread"),
        ({"project": "记忆", "scope": "cc:1"}, "记忆", "project"),
        ({"scope": "cc:1"}, "cc:1", "scope"),
        ({}, "global", "scope"),
    ],
)
def test_a_memory_without_an_entity_is_grouped_by_where_it_belongs(
    call: Any, memories: Memories, fields: dict[str, Any], name: str, type: str
) -> None:
    memories.remember("引っ越しの見積もりを取った", source="note", **fields)
    (group,) = call("query_memory", mode="search", query="引っ越し 見積もり").structured["entities"]
    assert (group["entityName"], group["entityType"]) == (name, type)
    assert group["memories"][0]["source"] == "note"


@pytest.mark.requirement("textrawl.search.ownerless")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("引っ越し相談", "見積もりは三万円だった"),
        ("搬家计划", "搬家的报价是三万"),
        ("Moving house", "The movers ask for three hundred"),
    ],
)
def test_a_memory_that_says_only_the_id_of_its_thread_is_grouped_under_the_name_of_the_thread(
    call: Any, memories: Memories, name: str, text: str
) -> None:
    thread = memories.create_thread(name)
    memories.remember(text, thread=thread.id)
    (group,) = call("query_memory", mode="search", query=text).structured["entities"]
    assert (group["entityName"], group["entityType"]) == (name, "thread")


@pytest.mark.requirement("textrawl.search.ownerless")
def test_the_name_of_a_thread_of_another_scope_is_not_told(caller_of: Any, memories: Memories, tmp_path: Path) -> None:
    with open_memories(tmp_path / "store", clock=memories.clock, scope="cc") as pinned:
        kept = pinned.create_thread("秘密の相談")
        memories.remember("見積もりは三万円だった", thread=kept.id, scope="dd")
        with open_memories(tmp_path / "store", clock=memories.clock, scope="dd") as other:
            (group,) = caller_of(other, Options())("query_memory", mode="search", query="見積もり").structured[
                "entities"
            ]
    assert (group["entityName"], group["entityType"]) == (kept.id, "thread")


@pytest.mark.requirement("textrawl.search.ownerless")
def test_the_content_of_a_node_is_grouped_under_the_node(call: Any, memories: Memories) -> None:
    memories.upsert_node("concept", "认证流程", "处理用户登录和会话")
    (group,) = call("query_memory", mode="search", query="用户登录").structured["entities"]
    assert (group["entityName"], group["entityType"]) == ("认证流程", "concept")
    assert call("query_memory", mode="entity", entityName="认证流程").structured["totalObservations"] == 1


@pytest.mark.requirement("textrawl.entity.structured")
@pytest.mark.parametrize(
    ("name", "fact", "content"),
    [
        ("認証", "担当は健太", "ログインを扱う"),
        ("认证", "由小红负责", "处理登录"),
        ("Auth", "owned by Jeff", "handles login"),
    ],
)
def test_what_was_known_of_a_name_before_there_was_a_node_of_it_is_shown_with_the_node(
    call: Any, memories: Memories, clock: Any, name: str, fact: str, content: str
) -> None:
    told = {"entityName": name, "entityType": "concept", "observation": fact}
    call("remember_fact", **told)
    clock.advance(minutes=1)
    memories.upsert_node("concept", name, content)
    assert call("remember_fact", **told).structured.get("duplicate")
    known = call("query_memory", mode="entity", entityName=name).structured
    assert [each["content"] for each in known["observations"]] == [content, fact]
    assert call("query_memory", mode="list").structured["total"] == 1


@pytest.mark.usefixtures("known")
@pytest.mark.requirement("textrawl.search.named")
@pytest.mark.parametrize(
    ("query", "fact"),
    [
        ("What does Jeff like?", "prefers TypeScript over JavaScript"),
        ("小红的爱好是什么", "喜欢在周末去爬山"),
        ("健太の習慣", "毎朝、抹茶を飲む"),
    ],
)
def test_naming_an_entity_finds_what_is_known_of_it(call: Any, query: str, fact: str) -> None:
    assert fact in contents(call("query_memory", mode="search", query=query, limit=5).structured)


# --- entity


@pytest.mark.requirement("textrawl.entity.structured")
def test_an_entity_is_described_newest_fact_first_with_its_relations(call: Any, clock: Any) -> None:
    stored = []
    for fact in ("住在东京", "在任天堂工作", "喜欢抹茶"):
        answer = call("remember_fact", entityName="健太", entityType="person", observation=fact, source="note")
        stored.append(answer.structured["observationId"])
        clock.advance(minutes=1)
    call("relate_entities", fromEntity="健太", relation="works at", toEntity="任天堂", toEntityType="organization")
    call("relate_entities", fromEntity="Sarah", fromEntityType="person", relation="manages", toEntity="健太")
    result = call("query_memory", mode="entity", entityName="健太", maxObs=2)
    structured = result.structured
    assert structured == {
        "mode": "entity",
        "found": True,
        "entity": {"id": structured["entity"]["id"], "name": "健太", "type": "person", "description": None},
        "observations": [
            {
                "id": stored[2],
                "content": "喜欢抹茶",
                "source": "note",
                "confidence": 1,
                "created_at": "2025-11-21T03:02:00+00:00",
            },
            {
                "id": stored[1],
                "content": "在任天堂工作",
                "source": "note",
                "confidence": 1,
                "created_at": "2025-11-21T03:01:00+00:00",
            },
        ],
        "relations": {
            "outgoing": [
                {
                    "relation_type": "works_at",
                    "to_entity": "任天堂",
                    "to_entity_type": "organization",
                    "strength": 1,
                }
            ],
            "incoming": [
                {"relation_type": "manages", "from_entity": "Sarah", "from_entity_type": "person", "strength": 1}
            ],
        },
        "hasMore": True,
        "totalObservations": 3,
    }
    expected = (
        '{"t":"person","o":["喜欢抹茶","在任天堂工作"],"r":{"out":["works_at→任天堂"],"in":["Sarah→manages"]},"more":1}'
    )
    assert result.text == expected


@pytest.mark.requirement("textrawl.json.integral")
def test_whole_numbers_have_no_fraction_in_the_text_either(call_verbose: Any) -> None:
    call_verbose("remember_fact", entityName="Jeff", entityType="person", observation="likes tea")
    call_verbose("relate_entities", fromEntity="Jeff", relation="knows", toEntity="健太")
    text = call_verbose("query_memory", mode="entity", entityName="Jeff").text
    assert '"confidence": 1,' in text
    assert '"strength": 1\n' in text


@pytest.mark.requirement("textrawl.entity.compact")
@pytest.mark.parametrize(
    ("stored", "max_obs", "shown", "more"), [(25, None, 20, 5), (20, None, 20, None), (3, 1, 1, 2)]
)
def test_more_is_there_only_when_observations_were_cut(
    call: Any, stored: int, max_obs: int | None, shown: int, more: int | None
) -> None:
    for number in range(stored):
        call("remember_fact", entityName="健太", entityType="person", observation=f"{number}番目の事実")
    chosen = {} if max_obs is None else {"maxObs": max_obs}
    short = json.loads(call("query_memory", mode="entity", entityName="健太", **chosen).text)
    assert (len(short["o"]), short.get("more"), "r" in short) == (shown, more, False)


@pytest.mark.requirement("textrawl.entity.compact")
def test_relations_are_left_out_on_request(call: Any) -> None:
    call("relate_entities", fromEntity="健太", relation="knows", toEntity="小红")
    result = call("query_memory", mode="entity", entityName="健太", includeRelated=False)
    assert result.text == '{"t":"concept","o":[]}'
    assert result.structured["relations"] == {"outgoing": [], "incoming": []}


@pytest.mark.requirement("textrawl.entity.folded")
@pytest.mark.parametrize(
    ("stored", "asked", "found"),
    [
        ("Jeff", "JEFF", True),
        ("Jeff", "ｊｅｆｆ", True),
        ("O’Brien", "o'brien", True),
        ("让-吕克", "让–吕克", True),
        ("Jeff", "Jef", False),
        ("Jeff", "%", False),
        ("Jeff", "J_ff", False),
        ("カピバラ", "ｶﾋﾟﾊﾞﾗ", True),
        ("カピバラ", "カピ", False),
        ("小红", "小红", True),
        ("小红", "小", False),
    ],
)
def test_a_name_is_looked_up_whole_and_folded(call: Any, stored: str, asked: str, found: bool) -> None:
    call("remember_fact", entityName=stored, entityType="person", observation="事実")
    structured = call("query_memory", mode="entity", entityName=asked).structured
    assert structured["found"] is found
    assert not found or structured["entity"]["name"] == stored


OTHER_CHARACTERS = pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("台北", "臺北"),
        ("臺灣大學", "台湾大学"),
        ("たなか", "ﾀﾅｶ"),
        ("髙橋", "高橋"),
        ("山田 太郎", "山田太郎"),
        ("O’Neil 店", "O'Neil店"),
    ],
)


@pytest.mark.requirement("textrawl.entity.characters")
@OTHER_CHARACTERS
def test_a_name_in_other_characters_is_the_one_that_is_there(call: Any, stored: str, asked: str) -> None:
    call("remember_fact", entityName=stored, entityType="location", observation="事実")
    assert call("query_memory", mode="entity", entityName=asked).structured["entity"]["name"] == stored
    added = call("remember_fact", entityName=asked, entityType="location", observation="另一个事实").structured
    call("relate_entities", fromEntity=asked, relation="near", toEntity="海")
    found = call("query_memory", mode="entity", entityName=stored).structured
    assert (added["entityName"], found["totalObservations"]) == (stored, 2)
    assert [each["relation_type"] for each in found["relations"]["outgoing"]] == ["near"]
    assert call("query_memory", mode="list").structured["total"] == 2
    assert call("forget_entity", entityName=asked, confirm=True).is_error  # for good: only what was named to the letter
    assert not call("forget_entity", entityName=stored, confirm=True).is_error


@pytest.mark.requirement("textrawl.entity.characters")
@OTHER_CHARACTERS
def test_a_concept_that_became_a_node_is_the_one_that_is_there_in_other_characters(
    call: Any, memories: Memories, stored: str, asked: str
) -> None:
    call("remember_fact", entityName=stored, entityType="concept", observation="事実")
    node = memories.upsert_node("concept", stored, "内容")
    assert call("query_memory", mode="entity", entityName=asked).structured["entity"]["id"] == node.id
    added = call("remember_fact", entityName=asked, entityType="concept", observation="另一个事实").structured
    call("relate_entities", fromEntity=asked, relation="near", toEntity="海")
    found = call("query_memory", mode="entity", entityName=stored).structured
    assert (added["entityName"], found["entity"]["id"], found["totalObservations"]) == (stored, node.id, 3)
    assert [each["relation_type"] for each in found["relations"]["outgoing"]] == ["near"]
    assert call("query_memory", mode="list").structured["total"] == 2


@pytest.mark.requirement("textrawl.entity.accents")
@pytest.mark.parametrize(("stored", "asked"), [("José", "Jose"), ("Jose", "José"), ("Café 東京", "cafe東京")])
def test_reading_finds_a_node_whose_name_has_other_accents(
    call: Any, memories: Memories, stored: str, asked: str
) -> None:
    node = memories.upsert_node("concept", stored, "内容")
    assert call("query_memory", mode="entity", entityName=asked).structured["entity"]["id"] == node.id
    call("remember_fact", entityName=asked, entityType="concept", observation="別のこと")
    assert call("query_memory", mode="list").structured["total"] == 2


@pytest.mark.requirement("textrawl.entity.characters")
@OTHER_CHARACTERS
def test_a_name_that_is_there_itself_is_not_another(call: Any, memories: Memories, stored: str, asked: str) -> None:
    memories.observe(stored, "location", "一つ目")
    memories.observe(asked, "person", "二つ目")
    for name, type in [(stored, "location"), (asked, "person")]:
        entity = call("query_memory", mode="entity", entityName=name).structured["entity"]
        assert (entity["name"], entity["type"]) == (name, type)
    assert call("query_memory", mode="entity", entityName=asked, entityTypes=["concept"]).structured["found"] is False


@pytest.mark.requirement("textrawl.entity.folded")
@pytest.mark.parametrize("name", ["田中", "小红", "Jeff"])
def test_blanks_around_a_name_are_no_part_of_it(call: Any, memories: Memories, name: str) -> None:
    added = call("remember_fact", entityName=f" {name}　", entityType="person", observation="事実").structured
    assert added["entityName"] == name
    call("remember_fact", entityName=name, entityType="person", observation="另一个事实")
    call("relate_entities", fromEntity=f"\n{name} ", relation="knows ", toEntity=" 海")
    assert memories.relate((f" {name}", None), ("海 ", None), "knows").source.id == added["entityId"]
    memories.upsert_node("note", f" {name}のメモ ", "x")
    listed = call("query_memory", mode="list").structured["entityList"]
    assert [each["name"] for each in listed] == [f"{name}のメモ", "海", name]
    found = call("query_memory", mode="entity", entityName=f" {name} ", entityTypes=["person"]).structured
    assert (found["entity"]["name"], found["totalObservations"]) == (name, 2)


@pytest.mark.requirement("textrawl.entity.accents")
@pytest.mark.parametrize(
    ("stored", "asked", "found"),
    [
        ("José", "Jose", True),
        ("Jose", "JOSÉ", True),
        ("Café 月", "cafe月", True),
        ("Lǐ Míng 老师", "Li Ming老師", True),
        ("Hoà", "Hoả", False),
        ("はは", "ばば", False),
    ],
)
def test_a_name_is_found_without_its_accents_but_nothing_is_added_to_it(
    call: Any, stored: str, asked: str, found: bool
) -> None:
    call("remember_fact", entityName=stored, entityType="person", observation="事実")
    entity = call("query_memory", mode="entity", entityName=asked).structured
    assert entity["found"] is found
    assert not found or entity["entity"]["name"] == stored
    call("relate_entities", fromEntity=asked, relation="认识", toEntity=stored)
    call("remember_fact", entityName=asked, entityType="person", observation="事実")
    for name in (stored, asked):
        entity = call("query_memory", mode="entity", entityName=name, entityTypes=["person"]).structured
        assert (entity["entity"]["name"], entity["totalObservations"]) == (name, 1)


@pytest.mark.requirement("textrawl.entity.absent")
def test_an_unknown_entity_is_a_normal_answer(call: Any, call_verbose: Any) -> None:
    result = call("query_memory", mode="entity", entityName="誰か")
    assert (result.text, result.is_error) == ('{"found":false}', False)
    assert result.structured == {
        "mode": "entity",
        "found": False,
        "message": 'No entity found with name "誰か". Use query_memory with mode="list" to see available entities, '
        "or remember_fact to create one.",
    }
    assert json.loads(call_verbose("query_memory", mode="entity", entityName="誰か").text) == result.structured


@pytest.mark.requirement("textrawl.entity.types")
@pytest.mark.parametrize(
    ("types", "type"),
    [
        (None, "location"),
        ([], "location"),
        (["person"], "person"),
        (["person", "location"], "location"),
        (["fact"], None),
    ],
)
def test_types_choose_among_entities_of_one_name(call: Any, clock: Any, types: Any, type: str | None) -> None:
    for each in ("person", "location"):
        call("remember_fact", entityName="千歳", entityType=each, observation="事実")
        clock.advance(minutes=1)
    chosen = {} if types is None else {"entityTypes": types}
    structured = call("query_memory", mode="entity", entityName="千歳", **chosen).structured
    assert structured.get("entity", {}).get("type") == type


@pytest.mark.requirement("textrawl.search.ownerless")
def test_a_relation_that_ends_at_a_memory_shows_its_first_sentence(call: Any, memories: Memories) -> None:
    call("remember_fact", entityName="健太", entityType="person", observation="京都に住む")
    memory = memories.remember("引っ越した。荷物は多い。").memory
    person = memories.entity("健太")
    assert person is not None
    memories.relate(Ref("memory", memory.id), Ref("entity", person.id), "mentions", weight=0.5)
    incoming = call("query_memory", mode="entity", entityName="健太").structured["relations"]["incoming"]
    assert [(each["from_entity_type"], each["relation_type"], each["strength"]) for each in incoming] == [
        ("memory", "mentions", 0.5)
    ]
    assert incoming[0]["from_entity"].startswith("引っ越した")
    assert "荷物" not in incoming[0]["from_entity"]


@pytest.mark.requirement("textrawl.entity.related_memory")
@pytest.mark.parametrize("text", ["給与は月末に払う。", "工资在月底支付。", "Salaries are paid monthly."])
@pytest.mark.parametrize("hidden", ["archived", "superseded", "ended", "upcoming"])
def test_a_relation_does_not_show_a_memory_that_is_not_shown_itself(
    call: Any, memories: Memories, clock: Any, text: str, hidden: str
) -> None:
    call("remember_fact", entityName="健太", entityType="person", observation="京都に住む")
    person = memories.entity("健太")
    assert person is not None
    validity = {"valid_until": clock() + timedelta(days=1)} if hidden == "ended" else {}
    if hidden == "upcoming":
        validity = {"valid_from": clock() + timedelta(days=9)}
    memory = memories.remember(text, **validity).memory
    memories.relate(Ref("entity", person.id), Ref("memory", memory.id), "told")
    if hidden in ("archived", "superseded"):
        memories.revise(memory.id, status=hidden)
    clock.advance(days=2)
    result = call("query_memory", mode="entity", entityName="健太")
    assert result.structured["relations"] == {"outgoing": [], "incoming": []}
    assert memory.id not in result.shown


@pytest.mark.requirement("textrawl.entity.twins")
@pytest.mark.parametrize(
    ("name", "fact", "content"),
    [
        ("認証", "担当は健太", "ログインを扱う"),
        ("认证", "由小红负责", "处理登录"),
        ("Auth", "owned by Jeff", "logs in"),
    ],
)
def test_an_entity_and_a_node_of_one_name_and_type_are_shown_as_one(
    call: Any, memories: Memories, clock: Any, name: str, fact: str, content: str
) -> None:
    with memories.write() as writer:  # as an import does of a file that has both
        writer.put_entity(EntityDraft(id="e", entity_class="entity", name=name, type="concept"), now=clock())
        writer.put_entity(EntityDraft(id="n", entity_class="node", name=name, type="concept"), now=clock())
    memories.remember(fact, entities=("e",))
    node = memories.upsert_node("concept", name, content)
    memories.relate(Ref("entity", "e"), ("Redis", None), "uses")
    memories.relate(Ref("entity", node.id), ("Nginx", None), "uses")
    found = call("query_memory", mode="entity", entityName=name).structured
    assert {each["content"] for each in found["observations"]} == {fact, content}
    assert {each["to_entity"] for each in found["relations"]["outgoing"]} == {"Redis", "Nginx"}
    assert found["totalObservations"] == 2


# --- list


@pytest.fixture
def forty_five(call: Any, clock: Any) -> None:
    for number in range(45):
        type = "person" if number % 3 else "location"
        call("remember_fact", entityName=f"名前{number}", entityType=type, observation="事実")
        clock.advance(minutes=1)


@pytest.mark.usefixtures("forty_five")
@pytest.mark.parametrize(
    ("arguments", "total", "returned", "first"),
    [
        pytest.param({}, 45, 10, "名前44", marks=pytest.mark.requirement("textrawl.list.page")),
        pytest.param({"limit": 20, "offset": 40}, 45, 5, "名前4", marks=pytest.mark.requirement("textrawl.list.page")),
        pytest.param({"offset": 100}, 45, 0, None, marks=pytest.mark.requirement("textrawl.list.page")),
        pytest.param({"limit": 100}, 45, 45, "名前44", marks=pytest.mark.requirement("textrawl.list.page")),
        pytest.param(
            {"entityTypes": ["location"], "limit": 100},
            15,
            15,
            "名前42",
            marks=pytest.mark.requirement("textrawl.list.types"),
        ),
        pytest.param({"entityTypes": []}, 45, 10, "名前44", marks=pytest.mark.requirement("textrawl.list.types")),
        pytest.param({"entityTypes": ["fact"]}, 0, 0, None, marks=pytest.mark.requirement("textrawl.list.types")),
    ],
)
def test_entities_are_listed_by_page(
    call: Any, arguments: dict[str, Any], total: int, returned: int, first: str | None
) -> None:
    result = call("query_memory", mode="list", **arguments)
    structured = result.structured
    names = [entity["name"] for entity in structured["entityList"]]
    assert (structured["total"], structured["returned"], structured["offset"]) == (
        total,
        returned,
        arguments.get("offset", 0),
    )
    assert names[:1] == ([first] if first else [])
    assert [entity["n"] for entity in json.loads(result.text)["e"]] == names


@pytest.mark.requirement("textrawl.list.page")
def test_a_listed_entity_says_when_it_last_changed(call: Any, clock: Any) -> None:
    call("remember_fact", entityName="京都", entityType="location", observation="桜が咲く")
    clock.advance(days=1)
    call("remember_fact", entityName="小红", entityType="person", observation="爬山")
    clock.advance(days=1)
    call("remember_fact", entityName="京都", entityType="location", observation="紅葉も見事")
    entities = call("query_memory", mode="list").structured["entityList"]
    assert [(each["name"], each["updatedAt"], each["description"]) for each in entities] == [
        ("京都", "2025-11-23T03:00:00.000Z", None),
        ("小红", "2025-11-22T03:00:00.000Z", None),
    ]


# --- errors


@pytest.mark.parametrize(
    ("arguments", "payload"),
    [
        pytest.param(
            {"mode": "search"},
            {
                "error": "Missing query",
                "tool": "query_memory",
                "message": 'query is required for mode="search"',
                "code": "RUNTIME_ERROR",
                "hint": "Provide query parameter.",
            },
            marks=pytest.mark.requirement("textrawl.error.query"),
        ),
        pytest.param(
            {"mode": "search", "query": "　"},
            {
                "error": "Missing query",
                "tool": "query_memory",
                "message": 'query is required for mode="search"',
                "code": "RUNTIME_ERROR",
                "hint": "Provide query parameter.",
            },
            marks=pytest.mark.requirement("textrawl.error.query"),
        ),
        pytest.param(
            {"mode": "entity", "query": "健太"},
            {
                "error": "Missing entityName",
                "tool": "query_memory",
                "message": 'entityName is required for mode="entity"',
                "code": "RUNTIME_ERROR",
                "hint": "Provide entityName parameter.",
            },
            marks=pytest.mark.requirement("textrawl.error.name"),
        ),
        pytest.param(
            {"mode": "list", "limit": 2.5},
            {
                "error": "Invalid limit",
                "tool": "query_memory",
                "message": "limit is 2.5, not a whole number.",
                "code": "VALIDATION_ERROR",
                "hint": "Pass 2, for example.",
            },
            marks=pytest.mark.requirement("textrawl.error.whole"),
        ),
        pytest.param(
            {"mode": "list", "offset": 2**63},
            {
                "error": "Invalid offset",
                "tool": "query_memory",
                "message": "offset is 9.22337e+18, more than there can be.",
                "code": "VALIDATION_ERROR",
                "hint": "Pass a whole number, 0 or more.",
            },
            marks=pytest.mark.requirement("textrawl.error.whole"),
        ),
    ],
)
def test_an_argument_that_is_missing_or_cannot_be_used_is_named(
    call: Any, arguments: dict[str, Any], payload: dict[str, Any]
) -> None:
    result = call("query_memory", **arguments)
    assert (json.loads(result.text), result.is_error, result.structured) == (payload, True, None)


@pytest.mark.parametrize(
    ("tool", "argument", "phrase", "hint"),
    [
        ("query_memory", "entityTypes", "Invalid entity type", "Use valid types: person, concept, project"),
        ("remember_fact", "entityType", "Invalid entity type", "Use valid types: person, concept, project"),
        ("relate_entities", "toEntityType", "Invalid entity type", "Use valid types: person, concept, project"),
        ("query_memory", "limit", "Invalid limit", "Pass a whole number from 1 to 100"),
        ("query_memory", "", "Invalid arguments", ""),
    ],
)
@pytest.mark.requirement("textrawl.error.type")
def test_arguments_that_do_not_fit_the_schema_name_the_next_step(
    memories: Memories, tool: str, argument: str, phrase: str, hint: str
) -> None:
    refuse = {each.name: each.refuse for each in tools(memories, Options())}[tool]
    assert refuse is not None
    result = refuse(Misfit("'動物' is not one of [...]", (argument,) if argument else ()))
    payload = json.loads(result.text)
    assert result.is_error
    assert (payload["error"], payload["tool"], payload["code"]) == (phrase, tool, "VALIDATION_ERROR")
    assert payload["message"].endswith("'動物' is not one of [...]")
    assert payload.get("hint", "").startswith(hint)


@pytest.mark.requirement("textrawl.error.disabled")
@pytest.mark.parametrize(
    "name", ["query_memory", "remember_fact", "relate_entities", "build_knowledge", "forget_entity"]
)
def test_a_switched_off_memory_says_so_and_stays_listed(memories: Memories, name: str) -> None:
    offered = {tool.name: tool for tool in tools(memories, Options(enable_memory=False))}
    refuse = offered[name].refuse
    assert refuse is not None
    for result in (offered[name].run(Caller("s"), {"mode": "list"}), refuse(Misfit("missing", ("mode",)))):
        payload = json.loads(result.text)
        assert result.is_error
        assert (payload["error"], payload["code"]) == ("Memory not enabled", "CONFIG_ERROR")
        assert "ENABLE_MEMORY=true" in payload["message"]


@pytest.mark.requirement("textrawl.error.disabled")
@pytest.mark.parametrize(
    ("query", "said"), [("お茶", "無効になっています"), ("喝茶", "未启用"), ("會議記錄", "未啟用"), ("tea", "")]
)
def test_a_switched_off_memory_says_so_in_the_language_of_the_arguments(
    memories: Memories, query: str, said: str
) -> None:
    call = as_served(tools(memories, Options(enable_memory=False)))
    for refused in (call("query_memory", mode="search", query=query), call("query_memory", mode=query)):
        assert (said in refused.note, bool(refused.note)) == (True, bool(said))


@pytest.mark.requirement("textrawl.error.store")
@pytest.mark.parametrize(
    ("error", "tool", "mode", "phrase", "code"),
    [
        (StoreFull("Full.", hint="Make room."), "query_memory", "search", "Memory search failed", "DATABASE_ERROR"),
        (StoreBusy("Busy.", hint="Wait."), "query_memory", "entity", "Failed to get entity context", "DATABASE_ERROR"),
        (StoreBusy("Busy.", hint="Wait."), "query_memory", "list", "Failed to list entities", "DATABASE_ERROR"),
        (StoreFull("満杯です。"), "remember_fact", "", "Failed to remember the fact", "DATABASE_ERROR"),
        (StoreFull("満杯です。"), "remember_fact", "search", "Failed to remember the fact", "DATABASE_ERROR"),
        (StoreFull("磁盘已满。"), "relate_entities", "模式", "Failed to create the relation", "DATABASE_ERROR"),
        (NotFound("No entity."), "relate_entities", "", "Not found", "NOT_FOUND"),
        (InvalidArgument("name", "Too long."), "remember_fact", "", "Invalid name", "VALIDATION_ERROR"),
    ],
)
def test_a_failure_keeps_its_message_and_next_step(
    error: OmoideError, tool: str, mode: str, phrase: str, code: str
) -> None:
    """A tool without modes gets whatever a client calls `mode`."""
    result = explained(tool, Options(), error, mode)
    payload = json.loads(result.text)
    message = f"{phrase}: {error.message}" if code == "DATABASE_ERROR" else error.message
    assert (payload["error"], payload["code"], payload["message"]) == (phrase, code, message)
    assert payload.get("hint", "") == error.hint


@pytest.mark.requirement("textrawl.scope")
def test_a_pinned_process_shows_memories_of_its_scope_alone(tmp_path: Path, clock: Any, caller_of: Any) -> None:
    facts = {"cc": "猫を飼っている", "ccx": "養了一隻狗"}
    for scope, fact in facts.items():
        with open_memories(tmp_path, clock=clock, scope=scope) as pinned:
            caller_of(pinned, Options())("remember_fact", entityName="健太", entityType="person", observation=fact)
    for scope, fact in facts.items():
        with open_memories(tmp_path, clock=clock, scope=scope) as pinned:
            call = caller_of(pinned, Options())
            assert contents(call("query_memory", mode="search", query="猫 狗 健太").structured) == [fact]
            described = call("query_memory", mode="entity", entityName="健太").structured
            assert [each["content"] for each in described["observations"]] == [fact]
            assert described["totalObservations"] == 1
