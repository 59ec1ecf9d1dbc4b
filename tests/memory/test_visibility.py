"""A process pinned to a scope knows the entities, relations and threads of that scope alone."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide.app import open_memories
from omoide.engine.searching import searching
from omoide.errors import Conflict, IndexBehind, InvalidArgument, NotFound
from omoide.memory import Memories
from omoide.memory.counts import GraphSize
from omoide.model.entity import Entity
from omoide.model.memory import Draft, Memory, Status
from omoide.model.query import NeighbourWalk, Query, RankWalk
from omoide.model.relation import Ref

PEOPLE = [("健太", "京都に住んでいる"), ("小红", "喜欢抹茶"), ("Jeff", "prefers TypeScript")]


@pytest.fixture
def pinned(tmp_path: Path, clock: Any) -> Iterator[Callable[[str | None], Memories]]:
    """Memories over one store, as processes pinned to different scopes have them."""
    with ExitStack() as stack:
        yield lambda scope: stack.enter_context(open_memories(tmp_path / "store", clock=clock, scope=scope))


@pytest.mark.parametrize(("name", "fact"), PEOPLE)
def test_an_entity_is_known_where_it_was_spoken_of(pinned: Any, name: str, fact: str) -> None:
    ours, theirs, everyone = pinned("team:a"), pinned("team:b"), pinned(None)
    entity, _ = ours.observe(name, "person", fact)
    for memories, known in ((ours, True), (everyone, True), (pinned("team"), True), (theirs, False)):
        assert (memories.entity(name) is not None) is known
        assert bool(memories.entities_by_id([entity.id])) is known
        assert memories.list_entities()[0] == known
        assert memories.observations(entity.id)[0] == known


@pytest.mark.parametrize(
    ("scope", "seen"),
    [
        ("日記", ["日記", "日記:旅", "日記：旅", "日記：旅:京都"]),
        ("日記：旅", ["日記:旅", "日記：旅", "日記：旅:京都"]),
        ("ﾃﾞｰﾀ", ["データ", "ﾃﾞｰﾀ：1"]),
        ("team", ["team", "ｔｅａｍ:a"]),
    ],
)
def test_what_is_found_is_what_is_seen_however_wide_a_scope_is_written(
    pinned: Any, scope: str, seen: list[str]
) -> None:
    everything, ours = pinned(None), pinned(scope)
    scopes = [
        "日記",
        "日記帳",
        "日記:旅",
        "日記：旅",
        "日記：旅:京都",
        "データ",
        "ﾃﾞｰﾀ：1",
        "team",
        "ｔｅａｍ:a",
        "teams",
    ]
    everything.remember_many(Draft(text="抹茶", id=each, scope=each, thread=each) for each in scopes)
    for each in scopes:
        everything.create_thread("茶", id=each)
        everything.remind("抹茶", each, scope=each)
    assert sorted(hit.memory.id for hit in ours.recall("抹茶", diverse=False).hits) == sorted(seen)
    assert [each.id for each in ours.get(scopes)] == seen
    assert sorted(each.id for each in ours.threads()) == sorted(seen)
    assert [each.action for each in ours.pending_reminders()] == seen
    assert [each.action for each in ours.due_reminders("抹茶を飲む", scope=None)] == seen
    assert ours.remember(Draft(text="煎茶", scope=seen[-1])).memory.scope == seen[-1]


def test_a_relation_that_no_scope_said_is_seen_where_both_ends_are(pinned: Any) -> None:
    everything, ours, theirs = pinned(None), pinned("team:a"), pinned("team:b")
    (first, _), (second, _) = (ours.observe(name, "person", "同僚") for name in ("健太", "小红"))
    theirs.observe("健太", "person", "同僚")
    unmarked = everything.relate(Ref("entity", first.id), Ref("entity", second.id), "knows")
    assert ours.relations_of(unmarked.source) == [unmarked]
    assert theirs.relations_of(unmarked.source) == []


@pytest.mark.parametrize(("name", "fact"), PEOPLE)
def test_the_same_fact_is_learnt_in_each_scope(pinned: Any, name: str, fact: str) -> None:
    for scope in ("team:a", "team:b"):
        assert pinned(scope).observe(name, "person", fact)[1].disposition == "stored"
        assert pinned(scope).observe(name, "person", fact)[1].disposition == "deduplicated"


@pytest.mark.parametrize(("name", "fact"), PEOPLE)
def test_a_fact_that_another_scope_says_of_what_both_know_is_not_learnt_twice(
    pinned: Any, name: str, fact: str
) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    for scope in ("team:a", "team:b"):
        pinned(None).observe(name, "person", Draft(text=f"{name} {scope}", scope=scope))
    for told in ("stored", "deduplicated"):
        for memories in (ours, theirs):
            assert memories.observe(name, "person", fact)[1].disposition == told


@pytest.mark.parametrize(("name", "fact"), PEOPLE)
def test_nor_does_what_another_scope_says_stand_for_it_where_the_store_alone_can_tell(
    pinned: Any, name: str, fact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def behind(self: Memories) -> None:
        raise IndexBehind("索引を作成しています。")

    for scope, text in (("team:a", name), ("team:b", f"{fact}!")):
        pinned(None).observe(name, "person", Draft(text=text, scope=scope))
    monkeypatch.setattr(Memories, "_follow_for_write", behind)
    ours = pinned("team:a")
    for told in ("stored", "deduplicated"):
        known = ours.observe(name, "person", f"{fact}." if told == "deduplicated" else fact)[1]
        assert (known.disposition, known.memory.text, known.memory.scope) == (told, fact, "team:a")


def test_an_entity_of_an_unpinned_process_is_known_by_its_memories(pinned: Any) -> None:
    pinned(None).observe("小红", "person", Draft(text="喜欢抹茶", scope="team:a"))
    assert pinned("team:a").entity("小红") is not None
    assert pinned("team:b").entity("小红") is None


@pytest.mark.parametrize("text", ["京都の抹茶", "京都的抹茶", "Matcha in Kyoto"])
def test_a_memory_that_leaves_the_scope_between_search_and_reading_is_not_shown(pinned: Any, text: str) -> None:
    everything, ours = pinned(None), pinned("team:a")
    id = everything.remember(text, scope="team:a").memory.id

    def moved_after(engine: Any, query: Any) -> Any:
        hits = search(engine, query)
        found.append(len(hits.keys))
        everything.revise(id, scope="team:b")
        return hits

    found: list[int] = []
    search = searching.get()
    token = searching.set(moved_after)
    try:
        assert (ours.recall(text).hits, found) == ((), [1])
    finally:
        searching.reset(token)


@pytest.mark.parametrize(
    "change",
    [Memories.forget, Memories.forget_with_versions, lambda memories, id: memories.revise(id, tags=["我们的"])],
    ids=["forget", "forget with versions", "revise"],
)
def test_a_memory_that_leaves_the_scope_before_it_is_changed_stays_as_it_is(
    pinned: Any, change: Callable[[Memories, str], object]
) -> None:
    everything, ours = pinned(None), pinned("team:a")
    id, clock = everything.remember("京都の抹茶", scope="team:a").memory.id, ours.clock

    def moved() -> Any:
        ours.clock = clock
        everything.revise(id, scope="team:b")
        return clock()

    ours.clock = moved  # first read when the memory has been found
    with pytest.raises(NotFound):
        change(ours, id)
    (kept,) = everything.get([id])
    assert (kept.scope, kept.tags) == ("team:b", ())


@pytest.fixture(params=PEOPLE, ids=[name for name, _ in PEOPLE])
def shared(request: pytest.FixtureRequest, pinned: Any) -> Entity:
    """A node of an unpinned process: its content is team:a's, an observation team:b's."""
    name, fact = request.param
    everything = pinned(None)
    node = everything.upsert_node("person", name, fact)
    everything.revise(node.memory_id, scope="team:a")
    everything.observe(name, "person", Draft(text=f"{fact} 2", scope="team:b"), entity_class="node")
    return node


def test_how_often_another_scope_looks_at_what_both_know_is_not_told(pinned: Any, shared: Entity) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    for memories, counted in ((ours, 1), (theirs, 1), (pinned(None), 2)):
        assert memories.visit(Ref("entity", shared.id)).access_count == counted
        assert [each.access_count for each in ours.entities_by_id([shared.id])] == [counted]


def test_pruning_a_scope_leaves_what_another_one_knows_too(pinned: Any, clock: Any, shared: Entity) -> None:
    clock.advance(days=8)
    for scope in ("team:a", "team:b"):
        assert pinned(scope).prune(faded=lambda _: True, idle_since=clock()).nodes == 0
    ours, theirs = pinned("team:a"), pinned("team:b")
    (fact,) = theirs.observations(shared.id)[1]
    theirs.forget(fact.id)
    clock.advance(days=8)
    assert theirs.prune(faded=lambda _: True, idle_since=clock()).nodes == 0
    assert ours.prune(faded=lambda _: True, idle_since=clock()).nodes == 1


@pytest.mark.parametrize(("name", "fact"), PEOPLE)
def test_what_others_say_of_a_namesake_is_neither_shown_nor_touched(
    pinned: Any, clock: Any, name: str, fact: str
) -> None:
    theirs, everything = pinned("team:b"), pinned(None)
    for memories in (theirs, everything):
        memories.observe(name, "person", fact)
    before = everything.entities_named(name)
    clock.advance(days=1)
    ours, entity = pinned("team:a"), pinned("team:a").observe(name.upper(), "person", "別の事実")[0]
    ours.relate((name, "person"), ("京都", "location"), "lives_in")
    assert [each for each in everything.entities_named(name) if each.id != entity.id] == before
    assert ours.entities_named(name) == [entity]
    assert (entity.name, entity.created_at) == (name.upper(), clock())
    assert ours.forget_entity(entity.id, dry_run=True) == ours.forget_entity(entity.id) == 1
    assert everything.entities_named(name) == before


@pytest.mark.parametrize(
    "hidden",
    [
        {"valid_until": timedelta(days=1)},
        {"valid_from": timedelta(days=30)},
        {"status": Status.ARCHIVED},
        {"status": Status.SUPERSEDED},
    ],
    ids=["no longer valid", "not valid yet", "archived", "superseded"],
)
@pytest.mark.parametrize(("name", "fact"), PEOPLE)
def test_what_another_scope_no_longer_shows_of_an_entity_stays_when_this_one_forgets_it(
    pinned: Any, clock: Any, name: str, fact: str, hidden: dict[str, Any]
) -> None:
    everything, ours = pinned(None), pinned("team:a")
    entity, _ = everything.observe(name, "person", Draft(text=fact, scope="team:a"))
    fields = {field: clock() + value if isinstance(value, timedelta) else value for field, value in hidden.items()}
    theirs, mine = (
        everything.remember(fact, scope=scope, entities=(entity.id,), **fields).memory for scope in ("team:b", "team:a")
    )
    clock.advance(days=2)
    assert ours.forget_entity(entity.id, dry_run=True) == ours.forget_entity(entity.id) == 2
    assert everything.get([theirs.id, mine.id]) == [theirs]


@pytest.mark.parametrize(("name", "fact"), PEOPLE)
def test_an_entity_that_a_scope_has_forgotten_is_no_longer_known_by_what_it_shared_there(
    pinned: Any, name: str, fact: str
) -> None:
    everything, ours, theirs = pinned(None), pinned("team:a"), pinned("team:b")
    for scope in ("team:a", "team:b"):
        entity, _ = everything.observe(name, "person", Draft(text=f"{fact} {scope}", scope=scope))
    friend, _ = everything.observe("友達", "person", Draft(text="京都に住む", scope="team:a"))
    shared = everything.remember(fact, scope="team:a", entities=(entity.id, friend.id)).memory
    assert ours.forget_entity(entity.id) == 1
    assert ours.entity(name) is None
    assert [(each.entities, each.updated_at) for each in ours.get([shared.id])] == [((friend.id,), shared.updated_at)]
    assert theirs.observations(entity.id)[0] == 1


@pytest.mark.parametrize(("name", "fact"), PEOPLE)
def test_an_entity_that_its_scope_has_forgotten_stays_with_the_scope_that_knows_it_too(
    pinned: Any, name: str, fact: str
) -> None:
    everything, ours, theirs = pinned(None), pinned("team:a"), pinned("team:b")
    entity, _ = ours.observe(name, "person", fact)
    everything.observe(name, "person", Draft(text="別の事実", scope="team:b"))
    assert ours.forget_entity(entity.id) == 1
    assert (ours.entity(name), theirs.observations(entity.id)[0]) == (None, 1)
    assert theirs.forget_entity(entity.id) == 1
    assert everything.entity(name) is None


@pytest.mark.parametrize(("name", "fact"), PEOPLE)
def test_an_entity_of_another_scope_stays_with_it_when_this_one_forgets_what_was_said_of_it_here(
    pinned: Any, name: str, fact: str
) -> None:
    everything, ours, theirs = pinned(None), pinned("team:a"), pinned("team:b")
    entity, _ = theirs.observe(name, "person", fact)
    everything.remember(fact, scope="team:a", entities=(entity.id,))
    assert ours.forget_entity(entity.id) == 1
    assert (ours.entity(name), theirs.entity(name)) == (None, entity)


@pytest.mark.parametrize(("name", "fact"), PEOPLE)
@pytest.mark.parametrize("is_first", [False, True])
def test_a_namesake_of_the_forgotten_entity_stays_in_its_scope(
    pinned: Any, clock: Any, name: str, fact: str, is_first: bool
) -> None:
    everything, made = pinned(None), []
    for scope in ("team:a", "team:b"):
        made.append(pinned(scope).observe(name, "person", fact)[0])
        clock.advance(days=1)
    forgotten, kept = made if is_first else reversed(made)
    everything.remember(fact, scope="elsewhere", entities=(forgotten.id,))
    assert pinned("team").forget_entity(forgotten.id) == 1
    assert [each.id for each in pinned("elsewhere").entities_named(name)] == [forgotten.id]
    assert pinned(kept.home).entities_named(name) == [kept]


def test_relations_between_entities_that_both_scopes_know_stay_in_theirs(pinned: Any) -> None:
    everything = pinned(None)
    for scope in ("team:a", "team:b"):
        for name, type in (("Jeff", "person"), ("東京支社", "organization")):
            entity, _ = everything.observe(name, type, Draft(text=f"{name}のこと {scope}", scope=scope))
    ours, theirs = pinned("team:a"), pinned("team:b")
    mine = ours.relate(("Jeff", "person"), ("東京支社", "organization"), "works_at")
    other = theirs.relate(("東京支社", "organization"), ("Jeff", "person"), "knows")
    assert (ours.relations_of(mine.source), theirs.relations_of(mine.source)) == ([mine], [other])
    assert ours.forget_entity(entity.id, dry_run=True) == ours.forget_entity(entity.id) == 1
    assert theirs.relations_of(mine.source) == everything.relations_of(mine.source) == [other]
    assert theirs.observations(entity.id)[0] == 1


@pytest.mark.parametrize(("name", "other"), [("健太", "東京支社"), ("小红", "东京分公司"), ("Jeff", "Tokyo office")])
def test_scopes_say_the_same_of_what_both_know_without_learning_of_each_other(
    pinned: Any, clock: Any, name: str, other: str
) -> None:
    everything, ours, theirs = pinned(None), pinned("team:a"), pinned("team:b")
    for scope, each in [(scope, each) for scope in ("team:a", "team:b") for each in (name, other)]:
        everything.observe(each, "thing", Draft(text=f"{each}のこと {scope}", scope=scope))
    read_from = theirs.remember(f"{name} {other}").memory.id
    said = theirs.relate((name, None), (other, None), "works_at", weight=0.3, metadata={"秘密": 1}, memory_id=read_from)
    clock.advance(days=1)
    assert ours.relations_of(said.source) == []
    mine = ours.relate((name, None), (other, None), "works_at", metadata={"x": 2})
    assert (mine.source, mine.target) == (said.source, said.target)
    assert (mine.weight, mine.metadata, mine.memory_id, mine.created_at) == (1.0, {"x": 2}, None, clock())
    assert ours.relate((name, None), (other, None), "works_at", weight=0.9).weight == 0.9
    assert theirs.relations_of(said.source) == [said]
    assert len(everything.relations_of(said.source)) == 1, "it is told once"
    for memories, weight in ((ours, 0.9), (theirs, 0.3), (everything, 0.3)):
        outgoing, incoming = memories.related(said.source)
        assert ([(each.end, each.name, each.weight) for each in outgoing], incoming) == (
            [(said.target, other, weight)],
            [],
        )
        assert memories.related(said.target)[0] == []
    assert pinned("team:c").related(said.source) == ([], [])
    assert ours.prune(faded=lambda _: True, idle_since=clock()).edges == 1
    assert ours.relations_of(said.source) == []
    assert theirs.relations_of(said.source) == everything.relations_of(said.source) == [said]


def test_what_was_said_in_no_scope_stays_as_it_is_for_the_others(pinned: Any, clock: Any) -> None:
    everything, ours, theirs = pinned(None), pinned("team:a"), pinned("team:b")
    for scope, each in [(scope, each) for scope in ("team:a", "team:b") for each in ("健太", "小红")]:
        entity, _ = everything.observe(each, "person", Draft(text=f"{each} {scope}", scope=scope))
    common = everything.relate(("健太", None), ("小红", None), "knows", weight=0.4, metadata={"y": 1})
    clock.advance(days=1)
    mine = ours.relate(("健太", None), ("小红", None), "knows", metadata={"x": 2})
    assert (mine.weight, mine.metadata, mine.created_at) == (0.4, {"x": 2, "y": 1}, common.created_at)
    assert ours.relations_of(common.source) == [mine]
    assert theirs.relations_of(common.source) == everything.relations_of(common.source) == [common]
    assert ours.prune(faded=lambda _: True, idle_since=clock()) == (1, 0, 1)
    ours.forget_entity(entity.id)
    assert theirs.relations_of(common.source) == [common]


def test_whoever_sees_a_statement_of_a_scope_under_it_changes_that_one(pinned: Any) -> None:
    ours = pinned("team:a")
    said = ours.relate(("健太", None), ("小红", None), "knows", weight=0.4)
    for above in (pinned("team"), pinned(None)):
        again = above.relate(said.source, said.target, "knows", weight=0.7)
        assert (again.id, again.home, again.weight) == (said.id, "team:a", 0.7)
    assert ours.graph_size().relations == 1


@pytest.mark.parametrize("is_later", [False, True])
def test_of_two_statements_a_scope_changes_its_own(pinned: Any, is_later: bool) -> None:
    everything, ours, above = pinned(None), pinned("team:a"), pinned("team")
    for name in ("健太", "小红"):
        everything.observe(name, "person", Draft(text=f"{name}のこと", scope="team:a"))
    common = everything.relate(("健太", None), ("小红", None), "knows", weight=0.1)
    memory = everything.remember("健太认识小红", scope="team").memory.id
    for scope in (ours, above) if is_later else (above, ours):
        scope.relate(common.source, common.target, "knows", weight=0.2, memory_id=memory if scope is above else None)
    again = above.relate(common.source, common.target, "knows", weight=0.7)
    assert (again.home, again.weight) == ("team", 0.7)
    assert [each.weight for each in ours.relations_of(common.source)] == [0.2]


def test_a_relation_that_is_read_from_a_memory_is_known_where_the_memory_is(pinned: Any) -> None:
    everything = pinned(None)
    for scope, each in [(scope, each) for scope in ("team:a", "team:b") for each in ("健太", "小红")]:
        everything.observe(each, "person", Draft(text=f"{each} {scope}", scope=scope))
    secret = everything.remember("健太认识小红", scope="team:b").memory.id
    said = everything.relate(("健太", None), ("小红", None), "knows", memory_id=secret)
    assert pinned("team:a").relations_of(said.source) == []
    assert pinned("team:b").relations_of(said.source) == [said]


def test_a_relation_of_memories_is_known_where_both_of_them_are(pinned: Any) -> None:
    everything = pinned(None)
    tea, coffee, elsewhere = (
        Ref("memory", everything.remember(text, scope=scope).memory.id)
        for text, scope in (("抹茶が好き", "team:a"), ("喜欢咖啡", "team:a:1"), ("likes water", "team:b"))
    )
    within = everything.relate(tea, coffee, "beside")
    across = everything.relate(tea, elsewhere, "beside")
    assert everything.relations_of(tea) == [within, across]
    assert pinned("team:a").relations_of(tea) == pinned("team:a").relations_of(coffee) == [within]
    assert pinned("team:a:1").relations_of(coffee) == pinned("team:b").relations_of(elsewhere) == []


def test_relations_stay_in_their_scope(pinned: Any) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    relation = ours.relate(("Jeff", "person"), ("東京支社", "organization"), "works_at")
    assert (ours.graph_size().relations, theirs.graph_size().relations) == (1, 0)
    others = theirs.relate(("東京支社", "organization"), ("Jeff", "person"), "knows")
    assert theirs.relations_of(relation.source) == ours.relations_of(others.source) == []
    everything = pinned(None)
    assert [everything.relations_of(each.source) for each in (relation, others)] == [[relation], [others]]


def test_a_walk_does_not_lead_through_what_is_not_known(pinned: Any) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    mine = ours.remember("抹茶の店を見つけた").memory
    hidden = theirs.upsert_node("note", "極秘計画", "秘密の内容")
    pinned(None).relate(Ref("memory", mine.id), Ref("entity", hidden.id), "relates_to")
    walk = NeighbourWalk(depth=2)
    assert ours.recall(Query(text="抹茶", walk=walk)).neighbours == ()
    assert ours.neighbours(Ref("memory", mine.id), depth=2) == ()
    assert len(pinned(None).neighbours(Ref("memory", mine.id), depth=1)) == 1


@pytest.mark.parametrize(("hidden", "own"), [("極秘計画", "散歩の計画"), ("绝密计划", "散步计划"), ("secret", "walks")])
def test_a_walk_spends_nothing_on_what_is_not_known(pinned: Any, clock: Any, hidden: str, own: str) -> None:
    everything, ours, theirs = pinned(None), pinned("team:a"), pinned("team:b")
    start, goal = ours.remember(f"{own} 1").memory, ours.remember(f"{own} 2").memory
    for number in range(5):
        thing = theirs.observe(f"{hidden} {number}", "project", hidden)[0]
        for end in (start, goal):
            everything.relate(Ref("memory", end.id), Ref("entity", thing.id), "relates_to")
    clock.advance(days=1)
    between = ours.observe(own, "project", f"{own} 3")[0]
    for end in (start, goal):
        ours.relate(Ref("memory", end.id), Ref("entity", between.id), "part_of")
    for met in (
        ours.neighbours(Ref("memory", start.id), depth=2, limit=3),
        ours.recall(f"{own} 1", limit=1, walk=NeighbourWalk(depth=2, limit=3)).neighbours,
    ):
        assert {each.node.id for each in met} >= {between.id, goal.id}
        assert not any(hidden in repr(each) for each in met)
    assert goal.id in {each.node.id for each in everything.neighbours(Ref("memory", start.id), depth=2, limit=9)}


@pytest.mark.parametrize(("one", "other"), [("北斗計画", "南十字計画"), ("北斗计划", "南极计划"), ("Orion", "Lyra")])
def test_nothing_is_found_by_what_another_scope_says_of_names(pinned: Any, one: str, other: str) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    for name in (one, other):
        theirs.observe(name, "project", f"{name} は極秘")
    theirs.relate((one, None), (other, None), "secretly_funds")
    mine = [ours.remember(f"{name} 看板").memory for name in (one, other)]
    for walk in (None, RankWalk(), NeighbourWalk(depth=4)):
        found = ours.recall(Query(text=one, walk=walk))
        ways = [(hit.why.path, "graph" in hit.why.ranked_by) for hit in found.hits if hit.memory == mine[1]]
        assert ways in ([], [((), False)])
        assert (found.neighbours, found.entities) == ((), ())
        assert "secretly_funds" not in repr(found)
    theirs.remember(f"{other} の支援者")
    assert "secretly_funds" in repr(theirs.recall(Query(text=one, walk=RankWalk())))


@pytest.mark.parametrize(("name", "other"), [("健太", "東京支社"), ("小红", "东京分公司"), ("Jeff", "Tokyo office")])
def test_a_walk_goes_along_what_the_scope_says_of_what_both_know(pinned: Any, name: str, other: str) -> None:
    everything, ours, theirs = pinned(None), pinned("team:a"), pinned("team:b")
    for scope, each in [(scope, each) for scope in ("team:a", "team:b") for each in (name, other)]:
        everything.observe(each, "thing", Draft(text=f"{each} {scope}", scope=scope))
    said = theirs.relate((name, None), (other, None), "sued_by", weight=0.25)

    def weights(memories: Memories, type: str) -> list[float]:
        met = memories.neighbours(said.source, depth=1, relations=frozenset({type}))
        return [each.weight for each in met]

    assert (weights(ours, "sued_by"), weights(theirs, "sued_by")) == ([], [0.25])
    ours.relate((name, None), (other, None), "sued_by", weight=0.75)
    assert (weights(ours, "sued_by"), weights(theirs, "sued_by")) == ([0.75], [0.25])
    everything.relate((other, None), (name, None), "employs", weight=0.5)
    assert (weights(ours, "employs"), weights(theirs, "employs")) == ([0.5], [0.5])
    ours.relate((other, None), (name, None), "employs", weight=0.875)
    assert (weights(ours, "employs"), weights(theirs, "employs")) == ([0.875], [0.5])


@pytest.mark.parametrize("fact", [{"valid_until": 0}, {"status": Status.ARCHIVED}, {}])
def test_a_walk_knows_what_the_scope_knows_now(pinned: Any, clock: Any, fact: dict[str, Any]) -> None:
    everything, ours = pinned(None), pinned("日記：旅")
    if "valid_until" in fact:
        fact = {"valid_until": clock() + timedelta(days=1)}
    start, _ = everything.observe("京都", "location", Draft(text="京都へ行く", scope="日記:旅:春"))
    other, told = everything.observe("小红", "person", Draft(text="小红也去", scope="日記:旅"))
    everything.relate(Ref("entity", start.id), Ref("entity", other.id), "with")
    walk = lambda: [each.node.id for each in ours.neighbours(Ref("entity", start.id), depth=1)]  # noqa: E731
    assert other.id in walk()
    everything.revise(told.memory.id, **fact)
    clock.advance(days=2)
    assert (other.id in walk()) is (not fact)
    assert (ours.entity("小红") is not None) is (not fact)


@pytest.mark.parametrize("text", ["極秘の計画", "绝密的计划", "the secret plan"])
def test_whether_something_is_elsewhere_is_not_told_by_walking_from_it(pinned: Any, text: str) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    hidden = theirs.remember(text).memory.id, theirs.entity(text) or theirs.observe(text, "note", text)[0].id
    for ref in (Ref("memory", hidden[0]), Ref("entity", hidden[1]), Ref("memory", "nope"), Ref("entity", "nope")):
        with pytest.raises(NotFound, match=f"No {ref.kind} with the id '{ref.id}'"):
            ours.neighbours(ref, depth=1)


def test_what_is_not_known_cannot_be_related_visited_rewritten_or_forgotten(pinned: Any) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    hidden = theirs.upsert_node("note", "極秘計画", "秘密の内容")
    ref = Ref("entity", hidden.id)
    for attempt in (
        lambda: ours.relate(ref, ref, "knows"),
        lambda: ours.visit(ref),
        lambda: ours.forget_entity(hidden.id),
    ):
        with pytest.raises(NotFound):
            attempt()
    assert theirs.entities_by_id([hidden.id]) == [hidden]


@pytest.mark.parametrize("text", ["極秘の計画", "绝密的计划", "the secret plan"])
def test_the_id_of_a_memory_elsewhere_is_taken(pinned: Any, text: str) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    hidden = theirs.remember(text).memory
    for attempt in (
        lambda: ours.remember("上書き", id=hidden.id),
        lambda: ours.remember_many([Draft(text="新しい"), Draft(text="覆盖", id=hidden.id)]),
        lambda: ours.observe("Jeff", "person", Draft(text="overwritten", id=hidden.id)),
    ):
        with pytest.raises(Conflict, match="elsewhere"):
            attempt()
    assert theirs.get([hidden.id]) == [hidden]
    assert ours.counts().memories == 1
    assert ours.entity("Jeff") is None
    assert theirs.remember("自分で書き直す", id=hidden.id).disposition == "updated"


@pytest.mark.parametrize(("name", "fact"), PEOPLE)
def test_an_entity_of_another_scope_is_not_learnt_by_naming_its_id(pinned: Any, name: str, fact: str) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    hidden, own = theirs.observe(name, "person", fact)[0].id, ours.observe(f"{name}?", "person", fact)[0].id
    mine = ours.remember("私の").memory.id
    for unseen in (hidden, "nope"):
        for attempt in (
            lambda id: ours.remember("x", entities=(own, id)),
            lambda id: ours.remember_many([Draft(text="x", entities=(id,))]),
            lambda id: ours.observe("別人", "person", Draft(text="x", entities=(id,))),
            lambda id: ours.revise(mine, entities=(id,)),
        ):
            with pytest.raises(NotFound, match=f"There is no entity '{unseen}' to attach the memory to"):
                attempt(unseen)
    assert ours.entities_by_id([hidden]) == []
    assert ours.revise(mine, entities=(own,), status=Status.ARCHIVED).entities == (own,)
    assert ours.remember("書き直す", id=mine, entities=(own,)).memory.entities == (own,)


def test_a_memory_keeps_what_it_is_about_though_nothing_else_tells_of_it_any_more(pinned: Any) -> None:
    ours, everything = pinned("team:a"), pinned(None)
    about, told = everything.observe("小红", "person", Draft(text="喜欢抹茶", scope="team:a", status=Status.ARCHIVED))
    assert ours.entity("小红") is None
    assert ours.revise(told.memory.id, text="抹茶", entities=(about.id,)).entities == (about.id,)
    again = ours.remember("抹茶が好き", id=told.memory.id, entities=(about.id,)).memory
    assert again.entities == (about.id,)
    assert ours.entity("小红") is not None


@pytest.mark.parametrize("session", ["朝の会話", "早上的对话", "morning"])
def test_a_session_goes_on_behind_what_is_seen_of_it(pinned: Any, session: str) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")

    def chained(memories: Memories) -> Memory:
        return memories.remember(Draft(text=session, session_id=session), chain=True).memory

    first, second = chained(theirs), chained(theirs)
    assert (second.sequence_order, second.preceding_id) == (2, first.id)
    mine, then = chained(ours), chained(ours)
    assert (mine.sequence_order, mine.preceding_id) == (1, None)
    assert (then.sequence_order, then.preceding_id) == (2, mine.id)
    assert chained(pinned(None)).sequence_order == 3


@pytest.mark.parametrize("begun", ["日記-二〇二六年", "日记-2026-01", "diary-2026"])
def test_the_beginning_of_an_id_is_that_of_what_is_seen(pinned: Any, begun: str) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    for end in ("", "-0", "-1", "-2"):
        theirs.remember("极秘", id=f"{begun}{end}")
    with pytest.raises(NotFound):
        ours.find(begun)
    mine = ours.remember("私の", id=f"{begun}-9").memory
    assert ours.find(begun) == mine
    ours.remember("もう一つ", id=f"{begun}-8")
    with pytest.raises(InvalidArgument, match="Several"):
        ours.find(begun)
    assert theirs.find(begun).id == begun


@pytest.mark.parametrize("scope", [None, "team:a"])
def test_a_relation_is_read_from_a_memory_that_is_there_and_seen(pinned: Any, scope: str | None) -> None:
    ours = pinned(scope)
    hidden = pinned("team:b").remember("健太は小红を知っている").memory.id
    for unknown in ("nope", *([hidden] if scope else [])):
        with pytest.raises(NotFound):
            ours.relate(("健太", None), ("小红", None), "knows", memory_id=unknown)
    assert ours.counts().relations == 0
    mine = ours.remember("健太认识小红").memory.id
    assert ours.relate(("健太", None), ("小红", None), "knows", memory_id=mine).memory_id == mine


def test_a_memory_is_not_moved_out_of_the_scope(pinned: Any) -> None:
    ours = pinned("team:a")
    id = ours.remember("京都で抹茶を飲んだ").memory.id
    with pytest.raises(InvalidArgument, match="outside of 'team:a'"):
        ours.revise(id, scope="team:b")
    assert ours.revise(id, scope="global").scope == "team:a"
    assert ours.revise(id[:8], scope="team:a:tea").scope == "team:a:tea"


@pytest.mark.parametrize("label", ["極秘計画", "绝密计划", "secret plan"])
def test_scopes_have_nodes_of_one_label_without_learning_of_each_other(pinned: Any, label: str) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    hidden = theirs.upsert_node("note", label, "秘密の内容")
    own = [ours.upsert_node("note", label, text) for text in ("私たちの計画", "書き換え")]
    assert own[0].id == own[1].id != hidden.id
    assert (own[0].access_count, own[1].access_count) == (1, 2)
    assert theirs.entities_named(label) == [hidden]
    assert ours.entities_named(label) == [own[1]]
    everything = pinned(None)
    assert {each.id for each in everything.entities_named(label)} == {hidden.id, own[0].id}
    assert everything.upsert_node("note", label, "全体から").id == own[0].id, "the one that was changed last"


@pytest.mark.parametrize("label", ["極秘計画", "绝密计划", "secret plan"])
def test_the_content_of_a_node_of_another_scope_is_not_rewritten_where_the_node_is_spoken_of(
    pinned: Any, label: str
) -> None:
    ours, theirs, everything = pinned("team:a"), pinned("team:b"), pinned(None)
    hidden = theirs.upsert_node("note", label, "秘密の内容")
    everything.remember(Draft(text=f"{label}の噂", scope="team:a", entities=(hidden.id,)))
    own = ours.upsert_node("note", label, "私たちの内容")
    assert own.id != hidden.id
    assert ours.upsert_node("note", label, "書き換え").id == own.id
    assert [each.text for each in theirs.get([hidden.memory_id])] == ["秘密の内容"]
    assert theirs.entities_by_id([hidden.id]) == [hidden]


def test_forgetting_in_one_scope_leaves_what_the_others_know(pinned: Any) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    entity, _ = ours.observe("Jeff", "person", "likes tea")
    others, _ = theirs.observe("Jeff", "person", "likes coffee")
    assert ours.forget_entity(entity.id, dry_run=True) == ours.forget_entity(entity.id) == 1
    assert ours.entity("Jeff") is None
    assert [each.text for each in theirs.observations(others.id)[1]] == ["likes coffee"]
    assert theirs.forget_entity(others.id, dry_run=True) == theirs.forget_entity(others.id) == 1
    assert pinned(None).entity("Jeff") is None


def test_pruning_keeps_to_the_scope(pinned: Any, clock: Any) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    for memories in (ours, theirs):
        memories.upsert_node("note", f"計画 {memories.scope}", "内容")
        memories.relate(("a", None), ("b", None), f"knows_{memories.scope}")
    clock.advance(days=8)
    pruned = ours.prune(faded=lambda _: True, idle_since=clock() - timedelta(days=7))
    assert (pruned.edges, pruned.nodes, pruned.remaining_edges) == (1, 1, 0)
    assert theirs.graph_size().relations == 1
    assert theirs.entity("計画 team:b", entity_class="node") is not None


@pytest.mark.parametrize("scope", [None, "team:a"])
def test_the_size_of_the_graph_follows_what_other_processes_write(pinned: Any, scope: str | None) -> None:
    one, other = pinned(scope), pinned(scope)
    for number, (name, fact) in enumerate(PEOPLE, 1):
        other.observe(name, "person", fact)
        other.relate((name, "person"), ("京都", "location"), "knows")
        assert one.graph_size() == other.graph_size() == GraphSize(entities=number + 1, relations=number)


@pytest.mark.parametrize("name", ["設計の話", "购物", "plans"])
def test_a_thread_is_known_where_it_was_made_and_where_it_has_entries(pinned: Any, name: str) -> None:
    ours, theirs, everyone = pinned("team:a"), pinned("team:b"), pinned(None)
    made, shared = ours.create_thread(name), everyone.create_thread(f"{name}?")
    assert made.home == "team:a"
    for memories, known in (
        (ours, [made]),
        (pinned("team"), [made]),
        (theirs, []),
        (pinned("team:ab"), []),
        (everyone, [shared, made]),
    ):
        assert memories.threads() == known
        assert [memories.thread(each.id) for each in (shared, made) if each in known] == known
    for memories, entries in ((ours, 1), (theirs, 2)):
        for number in range(entries):
            memories.remember(Draft(text=f"{name} {number}", thread=shared.id))
    assert [(each.id, each.entry_count) for each in theirs.threads()] == [(shared.id, 2)]
    assert {each.id: each.entry_count for each in ours.threads()} == {shared.id: 1, made.id: 0}
    assert {each.id: each.entry_count for each in everyone.threads()} == {shared.id: 3, made.id: 0}


@pytest.mark.parametrize("name", ["秘密の計画", "秘密计划", "secret plan"])
def test_naming_the_thread_of_another_scope_tells_nothing_of_it(pinned: Any, name: str) -> None:
    ours, theirs, above = pinned("team:a"), pinned("team:b"), pinned("team")
    made, common = theirs.create_thread(name), above.create_thread("共通")
    mine = [ours.remember(Draft(text="私の", thread=each.id)).memory.id for each in (made, common)]
    assert ours.thread(made.id) is None
    assert [each.id for each in ours.threads()] == [common.id]
    with pytest.raises(Conflict):
        ours.create_thread("乗っ取り", id=made.id)
    assert [(each.name, each.entry_count) for each in theirs.threads()] == [(name, 0)]
    assert {each.id: each.entry_count for each in above.threads()} == {made.id: 1, common.id: 1}
    assert [each.thread for each in ours.get(mine)] == [made.id, common.id]


def test_a_thread_of_another_scope_is_not_renamed(pinned: Any) -> None:
    ours, theirs = pinned("team:a"), pinned("team:b")
    made = theirs.create_thread("秘密の計画")
    with pytest.raises(Conflict):
        ours.create_thread("私の計画", id=made.id)
    assert theirs.thread(made.id) == made
    assert theirs.create_thread("新しい計画", id=made.id).name == "新しい計画"


@pytest.mark.parametrize(("name", "scope"), [("共通の話", "team"), ("公共话题", None), ("shared", "team")])
def test_a_thread_that_a_scope_continues_is_not_renamed_by_it_for_the_others(
    pinned: Any, name: str, scope: str | None
) -> None:
    ours, above = pinned("team:a"), pinned(scope)
    common, mine = above.create_thread(name), ours.create_thread("mine")
    ours.remember("続き", thread=common.id)
    with pytest.raises(Conflict):
        ours.create_thread("私の話", id=common.id)
    assert [each.name for each in ours.threads()] == ["mine", name]
    assert above.create_thread("新しい名前", id=mine.id).name == "新しい名前"


@pytest.mark.parametrize("name", ["抹茶の茶会", "龙井茶会", "Project Kettle"])
def test_an_entry_in_the_thread_of_a_scope_beside_it_does_not_tell_the_name_of_the_thread(
    pinned: Any, name: str
) -> None:
    ours, theirs, above = pinned("team:a"), pinned("team:b"), pinned("team")
    thread = theirs.create_thread(name)
    shared = above.create_thread(f"{name} 2")
    guess = ours.remember(f"{name} 2?").memory

    def met(id: str) -> list[str]:
        entry = ours.remember(f"entry {id}", thread=id).memory
        return [each.node.id for each in ours.neighbours(Ref("memory", entry.id), depth=1)]

    assert met(thread.id) == []
    assert met(shared.id) == [guess.id]


@pytest.mark.parametrize(
    ("label", "content"), [("茶", "京都で飲む"), ("会议", "改到周五"), ("plan", "begin on Monday")]
)
def test_a_node_whose_content_was_moved_to_another_scope_can_be_written_anew(
    pinned: Any, label: str, content: str
) -> None:
    ours, theirs, everyone = pinned("team:a"), pinned("team:b"), pinned(None)
    node = ours.upsert_node("concept", label, content)
    everyone.revise(node.memory_id, scope="team:b")
    again = ours.upsert_node("concept", label, f"{content}!")
    assert (again.id, ours.find(again.memory_id).text) == (node.id, f"{content}!")
    assert [hit.memory.text for hit in ours.recall("").hits] == [f"{content}!"]
    assert [hit.memory.text for hit in theirs.recall("").hits] == [content]
    assert ours.observe(label, "concept", f"{content}?")[0].id == node.id
