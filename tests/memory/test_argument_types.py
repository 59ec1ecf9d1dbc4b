"""Values of the wrong type, through the Python API: each is refused by name, and nothing has happened."""

import math
from collections.abc import Callable
from dataclasses import fields
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from omoide import (
    All,
    Contains,
    Either,
    Equals,
    EventTime,
    Memories,
    Missing,
    NeighbourWalk,
    Not,
    OneOf,
    Query,
    Ref,
    Under,
    Weights,
    Within,
)
from omoide.app import open_memories
from omoide.embed import Lexical
from omoide.embed.wrapper import Wrapper
from omoide.errors import InvalidArgument, NotFound
from omoide.memory import argument_types
from omoide.model.memory import Archetype, Draft, Memory
from omoide.model.query import Hit, RankWalk, Why

Ask = Callable[[Memories], object]
AT = datetime(2025, 11, 21, tzinfo=timezone.utc)
HIT = Hit(Memory(text="喝茶", id="茶", number=1, stored_at=AT, updated_at=AT), 1.0, 1.0, Why())


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("importance", "高い", "importance is '高い'; it has to be a number."),
        ("importance", None, "importance is None; it has to be a number."),
        ("confidence", True, "confidence is True; it has to be a number."),
        ("tags", "旅行", "tags is '旅行'; it has to be a list of texts."),
        ("tags", [2026], "tags is [2026]; it has to be a list of texts."),
        ("title", 3, "title is 3; it has to be a text."),
        ("scope", None, "scope is None; it has to be a name."),
        ("scope", "　", "scope is '\\u3000'; it has to be a name."),
        ("stored_at", "昨日", "stored_at is '昨日'; it has to be a datetime with a time zone."),
        ("event_time", "昨天", "event_time is '昨天'; it has to be an EventTime."),
        ("event_time", EventTime(raw=3), "raw is 3; it has to be a text."),
        ("archetype", Archetype("t", 1.0), "version is 1.0; it has to be a text."),
        ("extra", [1], "extra is [1]; it has to be a mapping."),
        ("parameters", "x", "parameters is 'x'; it has to be a mapping."),
        ("status", "完了", "it has to be one of active, superseded, archived, consolidated, pending_review."),
        ("sequence_order", 1.5, "sequence_order is 1.5; it has to be a whole number."),
        ("id", 7, "id is 7; it has to be a text."),
        ("context", b"x" * 100, "…; it has to be a text."),
    ],
)
def test_a_field_of_the_wrong_type_is_refused_by_name(memories: Memories, field: str, value: object, said: str) -> None:
    id = memories.remember("京都で抹茶を飲んだ").memory.id
    given = {field: value}
    tries: tuple[Ask, ...] = (
        lambda memories: memories.remember("在北京喝了茶", **given),
        lambda memories: memories.remember_many([Draft(text="good"), Draft(text="bad", **given)]),
        lambda memories: memories.observe("健太", "person", Draft(text="茶", **given)),
        *([lambda memories: memories.revise(id, **given)] if field != "id" else []),
    )
    for each in tries:
        with pytest.raises(InvalidArgument) as refused:
            each(memories)
        assert refused.value.message.endswith(said)
        assert f"{refused.value.argument} is " in refused.value.message
    assert memories.counts().memories == 1
    assert memories.entity("健太") is None


@pytest.mark.parametrize(
    ("argument", "ask"),
    [
        ("draft", lambda memories: memories.remember(3)),
        ("draft", lambda memories: memories.remember_many([None])),
        ("drafts", lambda memories: memories.remember_many("抹茶")),
        ("query", lambda memories: memories.recall(None)),
        ("limit", lambda memories: memories.recall("茶", limit="五")),
        ("limit", lambda memories: memories.recall("茶", limit=1.5)),
        ("limit", lambda memories: memories.recall("茶", limit=10**30)),
        ("order", lambda memories: memories.recall("茶", order="newst")),
        ("arms", lambda memories: memories.recall("茶", arms=frozenset({"word"}))),
        ("arms", lambda memories: memories.recall("茶", arms="words")),
        ("where", lambda memories: memories.recall("茶", where="tag = '旅'")),
        ("where", lambda memories: memories.recall("茶", where=Not("x"))),
        ("tag", lambda memories: memories.recall("茶", where=OneOf("tag", "旅行"))),
        ("kind", lambda memories: memories.recall("茶", where=OneOf("kind", None))),  # type: ignore[arg-type]
        ("stored_at", lambda memories: memories.recall("茶", where=Within("stored_at", "昨日"))),
        (
            "stored_at",
            lambda memories: memories.recall("茶", where=Within("stored_at", datetime.fromisoformat("2026-01-01"))),
        ),
        ("importance", lambda memories: memories.recall("茶", where=Within("importance", float("nan")))),
        ("importance", lambda memories: memories.recall("茶", where=Equals("importance", "高"))),
        ("archetype_version", lambda memories: memories.recall(where=Within("archetype_version", "1"), query=Query())),
        ("schema_version", lambda memories: memories.recall("茶", where=Within("schema_version", memories.clock()))),
        ("title", lambda memories: memories.recall("茶", where=Contains("title", 3))),
        ("scope", lambda memories: memories.recall("茶", where=Under(["京都"]))),  # type: ignore[arg-type]
        ("scope", lambda memories: memories.recall("茶", where=Under(3))),  # type: ignore[arg-type]
        ("where", lambda memories: memories.recall("茶", where=Either(Equals("tag", "旅")))),  # type: ignore[arg-type]
        ("where", lambda memories: memories.recall("茶", where=Not(All("旅")))),  # type: ignore[arg-type]
        ("field", lambda memories: memories.recall("茶", where=Equals([], "旅"))),  # type: ignore[arg-type]
        ("field", lambda memories: memories.recall("茶", where=OneOf({}, ("旅",)))),  # type: ignore[arg-type]
        ("field", lambda memories: memories.recall("茶", where=Within(["importance"], 1))),  # type: ignore[arg-type]
        ("field", lambda memories: memories.recall("茶", where=Contains(["title"], "旅"))),  # type: ignore[arg-type]
        ("field", lambda memories: memories.recall("茶", where=Not(Missing(["tag"])))),  # type: ignore[arg-type]
        ("scope", lambda memories: memories.recall("茶", where=Under("京都\ud800"))),
        ("tag", lambda memories: memories.recall("茶", where=Equals("tag", "旅行\ud800"))),
        ("scope", lambda memories: memories.recall("茶", where=Not(OneOf("scope", ("京都", "杭州\udc00"))))),
        ("weights", lambda memories: memories.recall("茶", weights={"words": 1})),
        ("words", lambda memories: memories.recall("茶", weights=Weights(words="x"))),
        ("recency_half_life_days", lambda memories: memories.recall("茶", weights=Weights(recency_half_life_days=0))),
        ("recency_half_life_days", lambda memories: memories.recall("茶", weights=Weights(recency_half_life_days=-1))),
        ("min_relevance", lambda memories: memories.recall("茶", min_relevance="0.4")),
        ("min_relevance", lambda memories: memories.recall("茶", min_relevance=float("nan"))),
        ("min_relevance", lambda memories: memories.recall("茶", min_relevance=40)),
        ("min_relevance", lambda memories: memories.recall("茶", min_relevance=-0.1)),
        ("hit", lambda memories: memories.excerpt("抹茶を飲んだ。")),
        ("hit", lambda memories: memories.excerpt(memories.recall("茶"))),
        ("width", lambda memories: memories.excerpt(HIT, width="120")),
        ("width", lambda memories: memories.excerpt(HIT, width=-5)),
        ("width", lambda memories: memories.excerpt(HIT, width=1.5)),
        ("depth", lambda memories: memories.recall("茶", walk=NeighbourWalk(depth=-1))),
        ("hit_seeds", lambda memories: memories.recall("茶", walk=RankWalk(hit_seeds=-1))),
        ("damping", lambda memories: memories.recall("茶", walk=RankWalk(damping=1.0))),
        ("damping", lambda memories: memories.recall("茶", walk=RankWalk(damping=-0.1))),
        ("damping", lambda memories: memories.recall("茶", walk=RankWalk(damping=float("nan")))),
        ("weight", lambda memories: memories.recall("茶", walk=RankWalk(weight=-1.0))),
        ("words", lambda memories: memories.recall("茶", weights=Weights(words=1e308))),
        ("vectors", lambda memories: memories.recall("茶", weights=Weights(vectors=-1.0))),
        ("dates", lambda memories: memories.recall("茶", weights=Weights(dates=float("nan")))),
        ("recency", lambda memories: memories.recall("茶", weights=Weights(recency=1_001.0))),
        ("where", lambda memories: memories.recall("茶", where=All(3))),
        ("where", lambda memories: memories.recall("茶", where=Either(None))),
        ("relations", lambda memories: memories.recall("茶", walk=NeighbourWalk(relations="about"))),
        ("weight", lambda memories: memories.relate(("甲", None), ("乙", None), "knows", weight="強い")),
        ("weight", lambda memories: memories.relate(("甲", None), ("乙", None), "knows", weight=float("inf"))),
        ("weight", lambda memories: memories.relate(("甲", None), ("乙", None), "knows", weight=10**400)),
        ("type", lambda memories: memories.relate(("甲", None), ("乙", None), None)),
        ("source", lambda memories: memories.relate("甲", ("乙", None), "knows")),
        ("target", lambda memories: memories.relate(("甲", None), ("乙", 3), "knows")),
        ("metadata", lambda memories: memories.relate(("甲", None), ("乙", None), "knows", metadata=[1])),
        ("edges", lambda memories: memories.relate_existing("knows", [(Ref("memory", "a"),)])),
        ("weight", lambda memories: memories.relate_existing("x", [(Ref("memory", "a"), Ref("memory", "b"), "1")])),
        ("name", lambda memories: memories.observe(3, "person", "茶")),
        ("entity_class", lambda memories: memories.observe("甲", "person", "茶", entity_class="thing")),
        ("name", lambda memories: memories.observe("　", "person", "茶")),
        ("label", lambda memories: memories.upsert_node("note", None, "茶")),
        ("content", lambda memories: memories.upsert_node("note", "茶", None)),
        ("id", lambda memories: memories.find(None)),
        ("id", lambda memories: memories.forget(7)),
        ("id", lambda memories: memories.forget_entity(["a"])),
        ("dry_run", lambda memories: memories.forget_entity("甲", dry_run=None)),
        ("id", lambda memories: memories.call_off(7)),
        ("ids", lambda memories: memories.get("abc")),
        ("ids", lambda memories: memories.entities_by_id(None)),
        ("offset", lambda memories: memories.list_entities(offset=2**70)),
        ("limit", lambda memories: memories.list_entities(limit=-1)),
        ("types", lambda memories: memories.list_entities(types="person")),
        ("entity_class", lambda memories: memories.list_entities(entity_class="things")),
        ("entity_class", lambda memories: memories.entities_named("甲", entity_class="things")),
        ("entity_id", lambda memories: memories.observations(3)),
        ("start", lambda memories: memories.neighbours("a", depth=1)),
        ("depth", lambda memories: memories.neighbours(Ref("memory", "a"), depth="x")),
        ("start", lambda memories: memories.neighbours(Ref("記憶", "a"), depth=1)),  # type: ignore[arg-type]
        ("ref", lambda memories: memories.visit(Ref("Memory", "a"))),  # type: ignore[arg-type]
        ("ref", lambda memories: memories.related(Ref("实体", "a"))),  # type: ignore[arg-type]
        ("ref", lambda memories: memories.relations_of(Ref("entity", None))),  # type: ignore[arg-type]
        ("source", lambda memories: memories.relate(Ref("node", "甲"), ("乙", None), "knows")),  # type: ignore[arg-type]
        ("target", lambda memories: memories.relate_existing("x", [(Ref("memory", "a"), Ref("node", "b"), 1)])),
        ("text", lambda memories: memories.usual_language(3)),
        ("faded", lambda memories: memories.prune(faded=None, idle_since=memories.clock())),
        ("idle_since", lambda memories: memories.prune(faded=bool, idle_since="先月")),
        ("ref", lambda memories: memories.relations_of("a")),
        ("ref", lambda memories: memories.related("a")),
        ("trigger", lambda memories: memories.remind(3, "茶筅を買う", scope="旅")),
        ("expires_in_days", lambda memories: memories.remind("抹茶", "買う", scope="旅", expires_in_days=-1)),
        ("expires_in_days", lambda memories: memories.remind("抹茶", "買う", scope="旅", expires_in_days=1.5)),
        ("name", lambda memories: memories.create_thread(3)),
        ("query", lambda memories: memories.due_reminders(None, scope=None)),
        ("exactly", lambda memories: memories.due_reminders("抹茶", scope="旅", exactly="no")),
        ("chain", lambda memories: memories.remember("喝茶", session_id="s", chain="no")),
        ("deduplicate", lambda memories: memories.observe("甲", "person", "茶", deduplicate="no")),
    ],
)
def test_an_argument_of_the_wrong_type_is_refused_by_name(memories: Memories, argument: str, ask: Ask) -> None:
    with pytest.raises(InvalidArgument) as refused:
        ask(memories)
    assert refused.value.argument == argument
    assert memories.counts().memories == 0
    assert memories.pending_reminders() == []
    assert memories.graph_size().entities == 0


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        ("idle_since", {"idle_since": AT.replace(tzinfo=None)}),
        ("idle_since", {"idle_since": "2025-01-01"}),
        ("faded", {"faded": 0.15}),
    ],
)
def test_a_pruning_with_an_argument_of_the_wrong_type_removes_nothing(
    memories: Memories, argument: str, wrong: dict[str, Any]
) -> None:
    memories.upsert_node("note", "茶", "喝茶")
    memories.relate(("甲", None), ("乙", None), "knows")
    fit: dict[str, Any] = {"faded": lambda _: True, "idle_since": memories.clock()}
    with pytest.raises(InvalidArgument) as refused:
        memories.prune(**fit | wrong)
    assert refused.value.argument == argument
    assert (memories.counts().relations, memories.counts().memories) == (1, 1)


@pytest.mark.parametrize(
    ("ask", "argument", "said"),
    [
        (
            lambda memories: memories.recall("茶", scope="旅"),
            "scope",
            "A Query has no field scope. Write where=Under(…).",
        ),
        (lambda memories: memories.recall("茶", tags=["旅"]), "tags", 'Write where=Equals("tag", …).'),
        (lambda memories: memories.recall("茶", category="events"), "category", 'where=Equals("category", …)'),
        (lambda memories: memories.recall("茶", after="昨日"), "after", 'where=Within("stored_at", start=…, end=…)'),
        (lambda memories: memories.recall(Query(text="茶"), top_k=3), "top_k", "Write limit=…."),
        (lambda memories: memories.recall("茶", 上限=3), "上限", "Its fields are text, where, limit,"),
        (lambda memories: memories.remember("茶", titel="旅"), "titel", "A Draft has no field titel. Write title=…."),
        (lambda memories: memories.remember("茶", metadata={}), "metadata", "Write extra=…."),
        (lambda memories: memories.remember(Draft(text="茶"), timestamp=1), "timestamp", "Write stored_at=…."),
        (lambda memories: memories.revise(memories.recall("").hits[0].memory.id, tag="旅"), "tag", "Write tags=[…]."),
    ],
)
def test_a_field_that_there_is_not_is_refused_with_what_to_write_instead(
    memories: Memories, ask: Ask, argument: str, said: str
) -> None:
    memories.remember("抹茶を飲んだ")
    with pytest.raises(InvalidArgument) as refused:
        ask(memories)
    assert refused.value.argument == argument
    assert said in str(refused.value)
    assert [hit.memory.text for hit in memories.recall("").hits] == ["抹茶を飲んだ"]


def test_an_excerpt_is_not_narrower_than_nothing(memories: Memories) -> None:
    memories.remember("抹茶を飲んだ")
    (hit,) = memories.recall("抹茶").hits
    with pytest.raises(InvalidArgument, match="width is -1; it has to be a whole number from 0"):
        memories.excerpt(hit, width=-1)


def test_what_is_said_to_write_instead_can_be_written(memories: Memories) -> None:
    memories.remember("抹茶を飲んだ", scope="旅:京都", tags=["茶"], extra={"a": 1})
    for where in (Under("旅"), Equals("tag", "茶"), Equals("category", "events")):
        assert memories.recall("抹茶", where=where, limit=1).hits


def test_what_is_of_its_type_fits() -> None:
    now = datetime(2026, 11, 22, tzinfo=timezone.utc)
    argument_types.check_fields(Draft(text="茶", tags=["旅"], importance=1, status="active", stored_at=now, title=None))
    argument_types.check_fields(
        Query(text="茶", walk=NeighbourWalk(relations=frozenset({"about"})), arms=frozenset({"words"}))
    )


@pytest.mark.parametrize("record", [Draft, Query, Weights, RankWalk, NeighbourWalk, EventTime, Archetype])
def test_every_field_has_a_kind(record: Any) -> None:
    assert [name for name, *_ in argument_types.kinds_of(record).rules] == [each.name for each in fields(record)]


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"zone": "Asia/Tokyo"}, "zone is 'Asia/Tokyo'; it has to be a tzinfo"),
        ({"language": "日本語"}, "language is '日本語'; it has to be ja or zh."),
        ({"week_starts": 7}, "week_starts is 7; it has to be a whole number from 0 (Monday) to 6."),
        ({"scope": " "}, "scope is ' '; it has to be a name."),
        ({"japanese": 3}, "japanese is 3; it has to be a text."),
        ({"clock": 3}, "clock is 3; it has to be a function."),
        ({"embedder": 3}, "embedder is 3; it has to be the name of an embedder, or an omoide.embed.Embedder."),
        ({"embedder": Lexical}, "it has to be the name of an embedder, or an omoide.embed.Embedder."),
        ({"models": 3}, "models is 3; it has to be the path of a folder, as a text or a Path."),
        ({"vector_storage": "f32"}, "vector_storage is 'f32'; it has to be f16 or i8."),
        ({"models": 5}, "models is 5; it has to be the path of a folder"),
        ({"embedder": None}, "embedder is None; it has to be the name of an embedder, or an omoide.embed.Embedder."),
        ({"embedder": len}, "it has to be the name of an embedder, or an omoide.embed.Embedder."),
    ],
)
def test_memories_are_not_opened_with_what_means_nothing(tmp_path: Path, chosen: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        open_memories(tmp_path / "store", **chosen)
    assert said in raised.value.message
    assert not (tmp_path / "store").exists()


def test_a_home_that_there_is_not_has_no_models(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="There is no model '模型' in ~誰もいない/models"):
        open_memories(tmp_path / "store", embedder="static:模型", models="~誰もいない/models")


def test_scores_are_finite_with_the_largest_weights(memories: Memories) -> None:
    weight = argument_types.MOST_WEIGHT
    memories.observe("京都", "place", Draft(text="昨日、京都で抹茶を飲んだ。"))
    weights = Weights(words=weight, vectors=weight, dates=weight, recency=weight)
    (hit,) = memories.recall("京都 抹茶 昨日", weights=weights, walk=RankWalk(weight=weight)).hits
    assert math.isfinite(hit.score)
    assert 0 <= hit.relevance <= 1


@pytest.mark.parametrize("folder", ["", " ", None, 5, b"notes"])
def test_a_folder_that_is_none_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidArgument) as raised:
        open_memories(folder)
    assert raised.value.message.endswith("it has to be the path of a folder, as a text or a Path.")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("茶\0", "no path can hold all of its characters."),
        ("茶\ud800", "no path can hold all of its characters."),
        ("茶" * 5000, "no path can be so long."),
        ("~no such user/茶", "it is not known where that home is; a whole path is expected."),
        ("omoide.sqlite3", "it is no folder; the one that holds the store is expected."),
    ],
)
def test_a_path_that_cannot_be_a_folder_is_refused_as_any_argument_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "omoide.sqlite3").write_bytes(b"")
    with pytest.raises(InvalidArgument) as raised:
        open_memories(name)
    assert raised.value.message.startswith("data is '")
    assert raised.value.message.endswith(f": {said}")
    assert raised.value.also["ja"].startswith("data に '")
    assert raised.value.also["zh"].startswith("data 不能是 '")
    assert len(raised.value.message) < 500
    assert [file.name for file in tmp_path.iterdir()] == ["omoide.sqlite3"]


def test_a_model_whose_name_no_path_can_have_is_not_there(tmp_path: Path) -> None:
    for name in ("茶" * 5000, "茶\0", "茶\ud800"):
        with pytest.raises(NotFound, match="There is no model"):
            open_memories(tmp_path, embedder=f"static:{name}")


class Nameless(Wrapper):
    """An embedder that fails when it is asked which version it is."""

    @property
    def version(self) -> str:
        raise RuntimeError("no version")


def test_a_store_that_cannot_be_opened_after_all_is_closed_again(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no version"):
        open_memories(tmp_path, embedder=Nameless(Lexical()))
    # SQLite removes the log when the last connection is closed.
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("omoide.sqlite3")] == ["omoide.sqlite3"]


def test_memories_show_where_they_are_kept_and_are_closed_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_memories(tmp_path / "旅") as memories:
        memories.remember("抹茶を飲んだ")
        assert "旅" in repr(memories)
        assert "closed" not in repr(memories)
        memories.close()
    assert repr(memories).endswith(", closed>")
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("said", "ask"),
    [
        ("'place' is not a field of a memory.", lambda memories: memories.recall("茶", where=Equals("place", "京都"))),
        ("'地点' is not a field of a memory.", lambda memories: memories.recall("茶", where=Missing("地点"))),
        (
            "Missing does not look into texts such as title",
            lambda memories: memories.recall("茶", where=Missing("title")),
        ),
        ("tag has no order: ranges go with", lambda memories: memories.recall("茶", where=Within("tag", 1))),
        ("importance holds no text", lambda memories: memories.recall("茶", where=Contains("importance", "高"))),
        ("limit is -1; it has to be a whole number from 0", lambda memories: memories.recall("茶", limit=-1)),
        ("Only a memory with a session_id", lambda memories: memories.remember("続き", chain=True)),
        ("The name is blank.", lambda memories: memories.relate(("　", None), ("乙", None), "knows")),
        ("The relation has no type.", lambda memories: memories.relate(("甲", None), ("乙", None), "　")),
        ("The thread has no name.", lambda memories: memories.create_thread("　")),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_written(memories: Memories, said: str, ask: Ask) -> None:
    with pytest.raises(InvalidArgument, match=said):
        ask(memories)
    assert memories.counts().memories == 0
    assert memories.entity("甲") is memories.entity("乙") is None
    assert memories.threads() == []


def test_a_relation_read_from_a_memory_that_is_not_there_is_refused(memories: Memories) -> None:
    with pytest.raises(NotFound, match="No memory with the id '消えた'"):
        memories.relate(("甲", None), ("乙", None), "knows", memory_id="消えた")
    with pytest.raises(NotFound, match="There is no entity 'gone' to relate"):
        memories.relate(Ref("entity", "gone"), ("乙", None), "knows")
    assert memories.entity("甲") is memories.entity("乙") is None
