"""What a scope knows, asked of SQLite at once, is what it knows when one thing is looked at after the other."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from itertools import product
from typing import Any

import pytest

from omoide.memory.visibility import Visibility
from omoide.model.entity import Entity, EntityDraft
from omoide.model.memory import LIVE, Draft, Memory, Status
from omoide.model.relation import Ref, Relation, RelationDraft
from omoide.model.scope import covers
from omoide.store.migrations import shipped
from omoide.store.protocol import KnownIn, Reader
from omoide.store.sqlite.connections import open_memory
from omoide.store.sqlite.transactions import SqliteWriter

NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
SCOPES = ("日記", "日記：旅", "日記帳", "team:a")
OBSERVED: tuple[dict[str, Any], ...] = (
    {},
    {"status": Status.ARCHIVED},
    {"valid_from": NOW},
    {"valid_from": NOW + HOUR},
    {"valid_until": NOW},
    {"valid_until": NOW + HOUR},
)


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with open_memory(1.0, None, shipped(), now=NOW).lend() as connection:
        connection.execute("BEGIN")
        yield connection


@pytest.fixture
def writer(connection: sqlite3.Connection) -> SqliteWriter:
    return SqliteWriter(connection, ":memory:", lambda: NOW)


def entity(writer: SqliteWriter, id: str, **more: Any) -> Entity:
    made = {"entity_class": "entity", "name": id, "type": "person", **more}
    return writer.put_entity(EntityDraft(id=id, **made), now=NOW)


def relate(writer: SqliteWriter, source: Ref, target: Ref, home: str = "") -> Relation:
    draft = RelationDraft(id=f"{source}{target}{home}", source=source, target=target, type="認識", home=home)
    return writer.put_relation(draft, now=NOW)


def peopled(writer: SqliteWriter) -> None:
    """Entities at home in every scope and in none, with contents and observations in every state."""
    for number, (scope, more) in enumerate(product(SCOPES, OBSERVED)):
        entity(writer, f"of {number}")
        writer.put_memory(Draft(text="抹茶", id=f"m{number}", scope=scope, entities=(f"of {number}",), **more), now=NOW)
        entity(writer, f"content {number}", entity_class="node", memory_id=f"m{number}")
    for number, scope in enumerate((*SCOPES, "")):
        entity(writer, f"home {number}", home=scope)
    entity(writer, "lost", memory_id="nowhere")


def about(reader: Reader, entity: Entity) -> list[Memory]:
    owned = [] if entity.memory_id is None else reader.memories([entity.memory_id])
    every = reader.memories_by_number(reader.numbers("memory")).values()
    observed = [each for each in every if entity.id in each.entities and each.status in LIVE]
    started = [each for each in observed if each.valid_from is None or each.valid_from <= NOW]
    return owned + [each for each in started if each.valid_until is None or each.valid_until > NOW]


def is_known(reader: Reader, scope: str, entity: Entity) -> bool:
    at_home = entity.home != "" and covers(scope, entity.home)
    return at_home or any(covers(scope, each.scope) for each in about(reader, entity))


def is_seen(reader: Reader, scope: str, relation: Relation) -> bool:
    heard = covers(scope, relation.home or scope)
    ends = [
        reader.memory(end.id) if end.kind == "memory" else reader.entity(end.id)
        for end in (relation.source, relation.target)
    ]
    return heard and all(
        covers(scope, end.scope) if isinstance(end, Memory) else end is not None and is_known(reader, scope, end)
        for end in ends
    )


@pytest.mark.parametrize("scope", ["日記", "日記:旅", "team", "nobody"])
def test_the_entities_that_are_known_are_those_one_of_which_is(writer: SqliteWriter, scope: str) -> None:
    peopled(writer)
    _, every = writer.list_entities(entity_class=None, limit=1000)
    known = [each.id for each in every if is_known(writer, scope, each)]
    known_in = KnownIn(scope, NOW)
    assert [each.id for each in Visibility(scope, NOW).entities(writer, every)] == known
    assert writer.entities_known([each.id for each in (*every, *every)] + ["none"], known_in) == set(known)
    total, page = writer.list_entities(entity_class=None, known_in=known_in, limit=3, offset=1)
    assert (total, [each.id for each in page]) == (len(known), known[1:4])
    nodes = [each.id for each in every if each.id in known and each.entity_class == "node"]
    assert writer.list_entities(entity_class="node", types=["person"], known_in=known_in, limit=0)[0] == len(nodes)


@pytest.mark.parametrize("scope", ["日記", "日記:旅", "team", "nobody"])
def test_the_relations_that_are_seen_are_those_one_of_which_is(writer: SqliteWriter, scope: str) -> None:
    peopled(writer)
    ends = [
        Ref("entity", "home 0"),
        Ref("entity", "of 7"),
        Ref("entity", "content 20"),
        Ref("memory", "m1"),
        Ref("memory", "m19"),
    ]
    every = [relate(writer, *pair, home) for pair in product(ends, ends) for home in ("", *SCOPES)]
    seen = [each.id for each in every if is_seen(writer, scope, each)]
    assert [each.id for each in Visibility(scope, NOW).relations(writer, every)] == seen
    assert writer.count_relations(KnownIn(scope, NOW)) == len(seen)
    assert writer.count_relations() == len(every)
    for here, known_in in product(ends, (None, KnownIn(scope, NOW))):
        told = [each for each in every if each.id in seen or known_in is None]
        to = [(each.target, each.home) for each in told if each.source == here]
        if not to:
            continue  # who asks sees the end that is asked about
        assert [(each.end, each.home) for each in writer.related(here, forward=True, known_in=known_in)] == to
        back = [(each.source, each.home) for each in told if each.target == here]
        assert [(each.end, each.home) for each in writer.related(here, forward=False, known_in=known_in)] == back


def statements(connection: sqlite3.Connection, ask: Callable[[], object]) -> int:
    said: list[str] = []
    connection.set_trace_callback(said.append)
    ask()
    connection.set_trace_callback(None)
    return len(said)


def test_a_hundred_times_as_many_are_asked_for_in_as_many_statements(
    connection: sqlite3.Connection, writer: SqliteWriter
) -> None:
    hub = Ref("entity", entity(writer, "拠点", home="日記").id)

    def asked() -> int:
        _, every = writer.list_entities(limit=1000)
        relations = writer.relations_of(hub)
        return statements(
            connection,
            lambda: (
                Visibility("日記", NOW).entities(writer, every),
                Visibility("日記", NOW).relations(writer, relations),
                writer.list_entities(known_in=KnownIn("日記", NOW), limit=1000),
                writer.count_relations(KnownIn("日記", NOW)),
                writer.related(hub, forward=True, known_in=KnownIn("日記", NOW)),
            ),
        )

    few = None
    for number in range(300):
        writer.put_memory(Draft(text="抹茶", id=f"m{number}", scope="日記"), now=NOW)
        friend = entity(writer, f"友 {number}", memory_id=f"m{number}")
        relate(writer, hub, Ref("entity", friend.id))
        few = asked() if number == 2 else few
    assert asked() == few == 6


def test_entities_that_are_only_counted_are_not_looked_for_again(
    connection: sqlite3.Connection, writer: SqliteWriter
) -> None:
    peopled(writer)
    counted = statements(connection, lambda: writer.list_entities(known_in=KnownIn("日記", NOW), limit=0))
    assert counted == 1
