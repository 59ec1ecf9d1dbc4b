"""Entities with their observations, nodes with their content, and relations between them and memories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from omoide.engine.names import without_accents
from omoide.errors import InvalidArgument, NotFound, needed, not_stored, too_long
from omoide.memory.ids import new_id
from omoide.memory.remember import Remembered, as_draft, has_ended, remember
from omoide.memory.visibility import Visibility
from omoide.model.entity import MAX_NAME_CHARS, Entity, EntityClass, EntityDraft, NodeDraft
from omoide.model.memory import LIVE, Draft, Memory, Status
from omoide.model.relation import Ref, Relation, RelationDraft
from omoide.model.signs import typed
from omoide.store.protocol import Reader, Writer
from omoide.text import fold_name, fold_statement, is_blank, without_blanks

End = Ref | tuple[str, str | None]

#: Changes that are read at a time.
CHANGES_AT_ONCE = 1_000


def ensure_entity(
    writer: Writer,
    visibility: Visibility,
    name: str,
    type: str,
    entity_class: EntityClass,
    *,
    looked_up_at: int | None = None,
    now: datetime,
) -> Entity:
    """The visible entity or node of that folded name (outer blanks are ignored) and type, created if there is none. A node is used
    where an entity is asked for: they are one thing.

    `looked_up_at`: the change up to which the caller knows that no entity has the name in other characters; one that others have
    stored since is used. One that only another scope knows is neither changed nor revealed: a process pinned to a scope makes its
    own.
    """
    name = name.strip()
    named: Iterable[Entity]
    if entity_class == "node":
        named = writer.entities_named(name, entity_class="node", type=type)
    else:
        both = writer.entities_named(name, entity_class=None, type=type)
        named = sorted(both, key=lambda each: each.entity_class == "node")
        if looked_up_at is not None:
            named = chain(named, _called_since(writer, looked_up_at, name, type))
    visible = next((each for each in named if _is_ours(writer, visibility, each)), None)
    if visible is not None:
        return visible
    if is_blank(name):
        raise InvalidArgument("name", "The name is blank.", hint="Name the thing.", also=needed("name"))
    if len(name) > MAX_NAME_CHARS:
        raise InvalidArgument(
            "name",
            f"A name has 1 to {MAX_NAME_CHARS} characters; this one has {len(name)}.",
            also=too_long("name", len(name), MAX_NAME_CHARS),
        )
    draft = EntityDraft(id=new_id(), entity_class=entity_class, name=name, type=type, home=visibility.scope or "")
    return writer.put_entity(draft, now=now)


def _called_since(reader: Reader, seq: int, name: str, type: str | None) -> Iterator[Entity]:
    """The entities and nodes changed after `seq` that have the name, in whatever characters."""
    for _, changed in entities_changed_since(reader, seq):
        yield from (each for each in changed if type in (None, each.type) and is_called(each, name))


def entities_changed_since(reader: Reader, seq: int) -> Iterator[tuple[int, Iterable[Entity]]]:
    """The entities and nodes changed after `seq`, a portion at a time, each with the change up to which it goes."""
    while changes := reader.changes_since(seq, CHANGES_AT_ONCE):
        seq = changes[-1].seq
        yield seq, reader.entities_by_number(each.number for each in changes if each.kind == "entity").values()


def _is_ours(reader: Reader, visibility: Visibility, entity: Entity) -> bool:
    """Whether the entity may be seen here, and a node rewritten."""
    is_writable = visibility.owns(entity) or visibility.content(reader, entity)
    return is_writable and visibility.entity(reader, entity)


def observe(
    writer: Writer,
    visibility: Visibility,
    name: str,
    type: str,
    draft: Draft,
    entity_class: EntityClass,
    *,
    deduplicate: bool,
    near: Iterable[Memory],
    looked_up_at: int,
    now: datetime,
) -> tuple[Entity, Remembered]:
    """Attach a memory to an entity (see `Memories.observe`); `near`: the observations most like the draft; `looked_up_at` as in
    `ensure_entity`."""
    entity = ensure_entity(writer, visibility, name, type, entity_class, looked_up_at=looked_up_at, now=now)
    writer.touch_entity(entity.id, now=now)
    twin = _equal_observation(writer, visibility, entity, draft, near, now) if deduplicate else None
    if twin is not None:
        return entity, Remembered("deduplicated", _valid_as_told(writer, twin, draft, now))
    return entity, remember(writer, replace(draft, entities=(*draft.entities, entity.id)), now=now)


def _valid_as_told(writer: Writer, known: Memory, draft: Draft, now: datetime) -> Memory:
    """The known observation with the end of validity of the draft, if that has one."""
    if draft.valid_until in (None, known.valid_until):
        return known
    return writer.put_memory(replace(as_draft(known), valid_until=draft.valid_until), now=now)


def _equal_observation(
    writer: Writer, visibility: Visibility, entity: Entity, draft: Draft, near: Iterable[Memory], now: datetime
) -> Memory | None:
    """A visible observation that says the same: its folded text is equal, or one of `near`, or the content of the node, makes the
    same statement. The content does not count for a draft that ends: the node would end with it."""
    statement = fold_statement(draft.text)
    content = None if entity.memory_id is None or draft.valid_until is not None else writer.memory(entity.memory_id)
    if content is not None and visibility.memory(content) and content.status in LIVE and not has_ended(content, now):
        near = (*near, content)
    equivalent = (each for each in near if fold_statement(each.text) == statement)
    valid = writer.observation_of(entity.id, draft.text, at=now, scope=visibility.scope) or next(equivalent, None)
    return valid or _ended_twin(writer, visibility, entity, draft, now)


def _ended_twin(writer: Writer, visibility: Visibility, entity: Entity, draft: Draft, now: datetime) -> Memory | None:
    """For a draft whose validity has ended: a visible observation with an equal text and the same end, as when a client retries a
    call whose answer it did not get."""
    if draft.valid_until is None or not has_ended(draft, now):
        return None
    try:
        last = draft.valid_until - timedelta(microseconds=1)
    except OverflowError:  # the first instant of the calendar: nothing holds before it
        return None
    known = writer.observation_of(entity.id, draft.text, at=last, scope=visibility.scope)
    return known if known is not None and known.valid_until == draft.valid_until else None


def spelled(name: str) -> str:
    """A key that all spellings of a name share: in whatever characters, with or without blanks beside Han and kana."""
    return without_blanks(typed(fold_name(name)))


def is_called(entity: Entity, name: str) -> bool:
    """Whether the name, in any spelling, is the entity's name or an alias of it."""
    return spelled(name) in map(spelled, (entity.name, *entity.aliases))


def is_called_without_accents(entity: Entity, name: str) -> bool:
    """Like `is_called`, if one of the two names loses its accents: José and Jose match, but not Hoà and Hoả."""
    said, bare = spelled(name), spelled(without_accents(name))
    return any(
        spelled(each) == bare or spelled(without_accents(each)) == said for each in (entity.name, *entity.aliases)
    )


def upsert_node(writer: Writer, visibility: Visibility, made: NodeDraft, draft: Draft, *, now: datetime) -> Entity:
    """Create or rewrite a node and the memory that holds its content (`draft`). An entity of that name and type becomes the node:
    it is one thing, whichever family of tools named it first."""
    node = _to_be_node(writer, visibility, made) or ensure_entity(
        writer, visibility, made.label, made.type, "node", now=now
    )
    content = writer.memory(node.memory_id) if node.memory_id is not None else None
    if content is None or not visibility.memory(content):  # it was moved to another scope
        memory, count = remember(writer, draft, now=now).memory, 1
    else:
        # A tool of another family may have edited it, and left out the title, by which the node is found.
        told = {name: getattr(draft, name) for name in ("text", "kind", "tool")}
        rewritten = replace(_in_force(content, now), title=node.name, **told)
        memory, count = remember(writer, rewritten, now=now).memory, node.access_count + 1
    metadata = {**node.metadata, **(made.metadata or {})}
    return writer.put_entity(replace(node, memory_id=memory.id, metadata=metadata, access_count=count), now=now)


def _to_be_node(writer: Writer, visibility: Visibility, made: NodeDraft) -> Entity | None:
    """The node of that name and type, or the entity of the same scope that becomes it; None if there is neither. What the scope
    itself has comes before the nodes of other scopes."""
    named = writer.entities_named(made.label.strip(), entity_class=None, type=made.type)
    visible = [each for each in named if _is_ours(writer, visibility, each)]
    own = [each for each in visible if each.home == (visibility.scope or "")]
    nodes_first = sorted(own, key=lambda each: each.entity_class != "node")
    found = next(chain(nodes_first, (each for each in visible if each.entity_class == "node")), None)
    return found and replace(found, entity_class="node")


def _in_force(memory: Memory, now: datetime) -> Draft:
    """The memory as one that holds now: what is written anew is neither archived nor past."""
    return replace(
        as_draft(memory),
        status=memory.status if memory.status in LIVE else Status.ACTIVE,
        superseded_by=None,
        valid_until=None if has_ended(memory, now) else memory.valid_until,
    )


def relate(
    writer: Writer,
    visibility: Visibility,
    source: End,
    target: End,
    type: str,
    *,
    weight: float | None,
    metadata: Mapping[str, Any],
    memory_id: str | None,
    looked_up_at: int | None = None,
    now: datetime,
) -> Relation:
    """Create or update an edge (see `Memories.relate`); `looked_up_at` as in `ensure_entity`.

    An edge of another scope is neither changed nor revealed. One without a home is not changed for a scope: the scope gets an
    edge of its own, which starts with that one's weight, metadata and age.
    """
    if is_blank(type):
        hint = "Name it, for example depends_on."
        raise InvalidArgument("type", "The relation has no type.", hint=hint, also=needed("type"))
    read_from = writer.memory(memory_id) if memory_id is not None else None
    if memory_id is not None and (read_from is None or not visibility.memory(read_from)):
        raise not_stored("memory", memory_id, "Name the memory that the relation was read from.")
    ends = _end(writer, visibility, source, looked_up_at, now), _end(writer, visibility, target, looked_up_at, now)
    home = visibility.scope or (read_from.scope if read_from is not None else "")
    made = RelationDraft(
        id=new_id(),
        source=ends[0],
        target=ends[1],
        type=type,
        weight=weight,
        metadata=metadata,
        memory_id=memory_id,
        home=home,
    )
    return _put(writer, visibility, made, now)


def _put(writer: Writer, visibility: Visibility, made: RelationDraft, now: datetime) -> Relation:
    """Create an edge, or update the one of its type between its ends that it may change."""
    stated = writer.relations_between(made.source, made.target, made.type)
    mine = [each for each in stated if each.home == made.home or (made.memory_id is None and visibility.owns(each))]
    if mine:
        known = min(mine, key=lambda each: each.home != made.home)
        return writer.put_relation(replace(made, home=known.home), now=now)
    common = next((each for each in stated if not each.home), None)
    if common is None:
        return writer.put_relation(made, now=now)
    weight = common.weight if made.weight is None else made.weight
    begun = replace(made, weight=weight, metadata={**common.metadata, **made.metadata})
    return writer.put_relation(begun, now=common.created_at)  # keeps its age


def relate_existing(
    writer: Writer, visibility: Visibility, edges: Iterable[tuple[Ref, Ref, float]], type: str, *, now: datetime
) -> Iterator[Relation]:
    """Create or update edges of one type, given as (source, target, weight), without those that have an end which does not
    exist."""
    for source, target, weight in edges:
        with suppress(NotFound):
            yield relate(writer, visibility, source, target, type, weight=weight, metadata={}, memory_id=None, now=now)


def _end(writer: Writer, visibility: Visibility, end: End, looked_up_at: int | None, now: datetime) -> Ref:
    if isinstance(end, Ref):
        if not visibility.end(writer, end):
            raise not_stored(end.kind, end.id)
        return end  # `put_relation` raises if it does not exist
    name, type = end[0].strip(), end[1]
    named: Iterable[Entity] = writer.entities_named(name, type=type)
    if looked_up_at is not None:
        named = chain(named, _called_since(writer, looked_up_at, name, type))
    seen = next((each for each in named if visibility.entity(writer, each)), None)
    type = seen.type if seen is not None else type or "concept"
    made = ensure_entity(writer, visibility, name, type, "entity", looked_up_at=looked_up_at, now=now)
    return Ref("entity", made.id)


def visit(writer: Writer, visibility: Visibility, ref: Ref, *, now: datetime) -> Memory | Entity:
    """Count an access of a memory or entity; returns it updated. Raises NotFound.

    A scope does not count on an entity without a home: other scopes that know it would see the number.
    """
    if ref.kind == "memory" and (memory := writer.memory(ref.id)) is not None:
        writer.mark_accessed([memory.number], now=now)
        return replace(memory, access_count=memory.access_count + 1, last_accessed_at=now)
    entity = writer.entity(ref.id) if ref.kind == "entity" else None
    if entity is None:
        raise not_stored(ref.kind, ref.id)
    if not visibility.owns(entity):
        return entity
    return writer.put_entity(replace(entity, access_count=entity.access_count + 1), now=now)
