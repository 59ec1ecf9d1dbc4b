"""Imports files into a store, in batches of one transaction each, so that a killed import keeps what it has committed.

Useful for: filling a store, restoring an export, importing notes again and again. Not useful for: the rules for keys and
sessions; rows are stored as they are. The index follows by itself afterwards.
Invariant: memories that are pinned to a scope are imported into that alone; a row that names something outside it is refused, and
what has no home gets that of the scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path
from typing import Any

from omoide.errors import Conflict, InvalidArgument, OmoideError, StoreError, not_stored, shortened
from omoide.memory import Memories, argument_types
from omoide.memory.ids import new_id
from omoide.memory.namesakes import Namesakes
from omoide.memory.observe import ensure_entity
from omoide.memory.remember import as_draft, check
from omoide.memory.visibility import Visibility
from omoide.model.entity import Entity, EntityDraft
from omoide.model.memory import DEFAULT_SCOPE, Draft, Memory
from omoide.model.relation import Ref, RelationDraft
from omoide.model.reminder import Reminder
from omoide.model.scope import plain
from omoide.store.folding import fold_case
from omoide.store.protocol import Writer
from omoide.transfer.dump import require_memories
from omoide.transfer.files import PlacedItem, files_of, items_of
from omoide.transfer.items import Item, MemoryRow, Record, Triples, stable_id
from omoide.transfer.reasons import NOUNS, BadRow, bad_row, refused, row_error
from omoide.transfer.tally import Outcome, RowResult, StoredRow, Tally

#: Rows per transaction: few enough for a search, which has to apply them before it answers.
BATCH = 100
#: The key in the metadata of a relation under which exports of older versions have the scopes that stated it.
FORMER_MARK = "omoide:scopes"

_DRAFT_FIELDS = frozenset(each.name for each in fields(Draft))


def load(
    memories: Memories,
    files: Sequence[Path],
    tally: Tally,
    *,
    scope: str | None = None,
    committed: Callable[[Tally], None] = lambda _: None,
) -> None:
    """Import `files` (see `files_of`); `scope` is for memories that name none, as in `import_files`.

    `tally` counts what has been committed, even if this raises StoreError; `committed` is called with it after each batch.
    """
    loader = _Loader(memories, moves=scope is not None)
    home = memories.own_scope(DEFAULT_SCOPE if scope is None else scope)
    found = (each for file in files for each in items_of(file, zone=memories.zone, scope=home))
    while batch := list(islice(found, BATCH)):
        with memories.write() as writer:
            loader.follow(writer)
            results = [result for each in batch for result in loader.bring(writer, each)]
            loader.attach(writer)
        for result in results:
            tally.add(result)
        committed(tally)
    for bad in loader.still_waiting():
        tally.add(bad)


def import_files(memories: Memories, files: Iterable[Path | str], *, scope: str | None = None) -> Tally:
    """Import files and folders into `memories`; returns the counts of their rows, and those that could not be used. `scope` is for
    memories that name none; where they are pinned to a scope, it lies in that. Without it, memories that are stored already keep
    theirs, and new ones have the pinned scope, else `global`. Where they are pinned, rows of other scopes are not used, nor are
    those that have the id of something there.

    Takes the same files as `omoide import`. Raises InvalidArgument, StoreError, OSError; what was committed before stays.
    """
    require_memories(memories)
    argument_types.check_maybe("scope", scope, argument_types.NAME)
    argument_types.check_several("files", files)
    tally = Tally()
    paths = files_of([argument_types.path("files", file) for file in files])
    load(memories, paths, tally, scope=scope)
    return tally


class _Loader:
    """One import. `moves`: memories that are stored already move to the scope of the import, if they name none."""

    def __init__(self, memories: Memories, *, moves: bool) -> None:
        self.memories = memories
        self.clock = memories.clock
        self.moves = moves
        #: Imported id -> id in the store, for entities that the store has by name.
        self.ids_in_store: dict[str, str] = {}
        self.namesakes, self.nodes = Namesakes(), Namesakes("node")
        self.file = ""
        #: Ids of entities that the present file has had: it holds them apart, even if their names are alike.
        self.ids_of_file = set[str]()
        #: Ids of memories that imported entities own and that have not come yet, with (place, entity id). Until then the entities
        #: are stored without them, so that the store is sound whenever the import ends.
        self.awaited: dict[str, list[tuple[str, str]]] = {}
        #: The memories that triples are about, with ids of entities that are still to be attached to them: many lines may be
        #: about one, and attaching writes all that it has.
        self.to_attach: dict[str, tuple[Memory, dict[str, None]]] = {}
        #: Those in the store, by id; read when the first one comes.
        self.reminders: dict[str, Reminder] | None = None

    def follow(self, writer: Writer) -> None:
        """Learn which names others have stored; to be called at the beginning of each transaction."""
        self.namesakes.follow(writer)
        self.nodes.follow(writer)

    def bring(self, writer: Writer, each: PlacedItem | BadRow) -> list[RowResult]:
        """Store one row; returns what became of it. Raises StoreError."""
        if isinstance(each, BadRow):
            return [each]
        if (file := each.place.rpartition(":")[0]) != self.file:
            self.file, self.ids_of_file = file, set()
        try:
            left_out = (refused(each.place, problem, partly=True) for problem in each.item.problems)
            results = [*self._apply(writer, each.item), *left_out]
        except StoreError:
            raise
        except OmoideError as error:
            return [refused(each.place, error)]
        self._note_dependencies(writer, each)
        return results

    def attach(self, writer: Writer) -> None:
        """Attach the entities of the triples so far to their memories. Raises StoreError."""
        for memory, entities in self.to_attach.values():
            attached = tuple({**dict.fromkeys(memory.entities), **entities})
            if attached != memory.entities:
                writer.put_memory(replace(as_draft(memory), entities=attached), now=memory.updated_at)
        self.to_attach.clear()

    def still_waiting(self) -> Iterator[BadRow]:
        """A BadRow for each entity whose memory has not come."""
        for memory_id, waiting in self.awaited.items():
            yield from (bad_row(place, "without_memory", partly=True, id=memory_id) for place, _ in waiting)

    def _note_dependencies(self, writer: Writer, each: PlacedItem) -> None:
        if isinstance(each.item, MemoryRow):
            memory_id = each.item.given["id"]
            if memory_id in self.awaited and self._memory_seen(writer, memory_id) is not None:
                for _, entity_id in self.awaited.pop(memory_id):
                    _give_memory(writer, entity_id, memory_id)
        elif isinstance(each.item, Record) and each.item.noun == "entity":
            memory_id = each.item.given.get("memory_id")
            if memory_id is not None and self._memory_seen(writer, memory_id) is None:
                waiting = self.awaited.setdefault(memory_id, [])
                waiting.append((each.place, self._id_in_store(each.item.given["id"])))

    def _apply(self, writer: Writer, item: Item) -> Iterator[RowResult]:
        if isinstance(item, MemoryRow):
            yield self._memory(writer, item)
        elif isinstance(item, Triples):
            yield from self._triples(writer, item)
        else:
            yield StoredRow(item.noun, _RECORDS[item.noun](self, writer, item.given))

    def _memory(self, writer: Writer, item: MemoryRow) -> StoredRow:
        if item.given["id"] in self.to_attach:
            self.attach(writer)
        id = self._id_for(writer, item)
        known = writer.memory(id)
        if known is not None and not self._visibility().memory(known):
            raise self._of_others("memory", known.id)
        given = {name: value for name, value in item.given.items() if name in _DRAFT_FIELDS} | {"id": id}
        if "entities" in given:
            given["entities"] = tuple(self._id_in_store(id) for id in given["entities"])
        if known is not None and not (item.names_scope or self.moves):
            given["scope"] = known.scope
        if known is None and "text" not in given:
            raise row_error("text", "lacking", where="text")
        draft = Draft(**given) if known is None or item.is_complete else replace(as_draft(known), **given)
        if (own := self.memories.own_scope(draft.scope)) != draft.scope:
            draft = replace(draft, scope=own)
        self._visibility().require(writer, set(draft.entities).difference(() if known is None else known.entities))
        check(draft)
        if known is not None and _says(draft, known):
            return StoredRow("memory", "unchanged")
        memory = writer.put_memory(draft, now=item.given.get("updated_at") or self.clock())
        count, last = item.given.get("access_count", 0), item.given.get("last_accessed_at")
        if known is None and (count or last):
            writer.set_access(memory.number, count=count, last=last)
        return StoredRow("memory", "added" if known is None else "updated")

    def _id_for(self, writer: Writer, item: MemoryRow) -> str:
        """The id of the row. One that was made for it is another scope's where that has imported the same note: then one is made
        for this scope, too."""
        id: str = item.given["id"]
        scope = self.memories.scope
        if item.names_id or scope is None:
            return id
        known, made = writer.memory(id), stable_id(scope, id)
        is_of_others = known is not None and not self._visibility().memory(known)
        return made if is_of_others or writer.memory(made) is not None else id

    def _triples(self, writer: Writer, item: Triples) -> Iterator[StoredRow]:
        memory, entities = self._about(writer, item.doc)
        ids = {}
        for name in item.names:
            ids[name], outcome = self._concept(writer, name)
            yield StoredRow("entity", outcome)
        entities |= dict.fromkeys(ids.values())
        for subject, predicate, object_ in item.relations:
            ends = Ref("entity", ids[subject]), Ref("entity", ids[object_])
            yield StoredRow("relation", _relate(writer, memory, *ends, predicate))

    def _concept(self, writer: Writer, name: str) -> tuple[str, Outcome]:
        visibility = self._visibility()
        named = [*self.namesakes.of(writer, name), *self.nodes.of(writer, name, "concept")]
        if known := visibility.entities(writer, named):
            return known[0].id, "unchanged"
        entity = ensure_entity(writer, visibility, name, "concept", "entity", now=self.clock())
        self.namesakes.add(entity)
        return entity.id, "added"

    def _about(self, writer: Writer, doc: str) -> tuple[Memory, dict[str, None]]:
        if doc not in self.to_attach:
            memory = self._memory_seen(writer, doc)
            if memory is None:
                raise row_error("doc", "no_doc", id=doc)
            self.to_attach[doc] = memory, {}
        return self.to_attach[doc]

    def _entity(self, writer: Writer, given: Mapping[str, Any]) -> Outcome:
        known = writer.entity(given["id"])
        if known is not None and not self._visibility().owns(known):
            raise self._of_others("entity", known.id)
        draft = EntityDraft(**{name: given[name] for name in given if name not in ("created_at", "updated_at")})
        draft = replace(draft, home=self._own_home(draft.home))
        if draft.memory_id is not None and self._memory_seen(writer, draft.memory_id) is None:
            draft = replace(draft, memory_id=None)  # it comes later: _note_dependencies
        if known is None and (namesake := self._entity_of_same_name(writer, draft)) is not None:
            known, draft = namesake, _joined(namesake, draft)
        self.ids_of_file.add(draft.id)
        if known is None:
            writer.put_entity(draft, now=given["created_at"])  # put again below, with the later `updated_at`
        else:
            self.ids_in_store[given["id"]] = known.id
            if all(getattr(known, each.name) == getattr(draft, each.name) for each in fields(draft)):
                return "unchanged"
        stored = writer.put_entity(draft, now=given["updated_at"])
        self.namesakes.add(stored)
        self.nodes.add(stored)
        return "added" if known is None else "updated"

    def _entity_of_same_name(self, writer: Writer, draft: EntityDraft) -> Entity | None:
        if draft.entity_class == "node":
            named = writer.entities_named(draft.name, entity_class="node", type=draft.type, home=draft.home)
        else:
            named = self.namesakes.of(writer, draft.name, draft.type, draft.home)
        folded = fold_case(draft.name)
        same = (each for each in named if each.id not in self.ids_of_file or fold_case(each.name) == folded)
        return next(same, None) or self._of_other_class(writer, draft)

    def _of_other_class(self, writer: Writer, draft: EntityDraft) -> Entity | None:
        """A node for an entity of its name and type, and the other way round: they are one thing, unless the file has both."""
        named = writer.entities_named(draft.name, entity_class=None, type=draft.type, home=draft.home)
        if draft.entity_class == "entity":
            named += self.nodes.in_other_characters(writer, draft.name, draft.type, draft.home)
        return next((each for each in named if each.id not in self.ids_of_file), None)

    def _relation(self, writer: Writer, given: Mapping[str, Any]) -> Outcome:
        """Store a relation, once for each of its homes; the outcome is the first one that is not "unchanged"."""
        homes, metadata = _homes(given)
        home, *others = map(self._own_home, homes)
        values = {**given, "metadata": metadata}
        outcomes = [self._relation_at(writer, values, home)]
        outcomes += [self._relation_at(writer, {**values, "id": new_id()}, each) for each in others]
        return next((each for each in outcomes if each != "unchanged"), "unchanged")

    def _relation_at(self, writer: Writer, given: Mapping[str, Any], home: str) -> Outcome:
        source, target = self._end(writer, given["source"]), self._end(writer, given["target"])
        known = writer.relation(source, target, given["type"], home)
        values = {name: given[name] for name in ("weight", "metadata", "memory_id") if name in given}
        if "memory_id" in values and self._memory_seen(writer, values["memory_id"]) is None:
            raise row_error("memory_id", "no_memory", id=values["memory_id"])
        if known is not None:
            values["metadata"] = {**known.metadata, **values["metadata"]}  # as the store will merge it
            if all(getattr(known, name) == value for name, value in values.items()):
                return "unchanged"
        id = given["id"] if known is None else known.id
        draft = RelationDraft(id=id, source=source, target=target, type=given["type"], home=home, **values)
        try:
            writer.put_relation(draft, now=given["created_at"])
        except Conflict:  # another one has the id; relations are told apart by their ends, type and home
            writer.put_relation(replace(draft, id=new_id()), now=given["created_at"])
        return "added" if known is None else "updated"

    def _thread(self, writer: Writer, given: Mapping[str, Any]) -> Outcome:
        known = writer.thread(given["id"])
        if known is not None and not self._visibility().owns(known):
            raise self._of_others("thread", known.id)
        if known is not None and (known.name, known.type) == (given["name"], given["type"]):
            return "unchanged"
        if known is None:
            home = self._own_home(given.get("home", ""))
            writer.put_thread(
                id=given["id"], name=given["name"], type=given["type"], home=home, now=given["created_at"]
            )
        writer.put_thread(id=given["id"], name=given["name"], type=given["type"], now=given["updated_at"])
        return "added" if known is None else "updated"

    def _reminder(self, writer: Writer, given: Mapping[str, Any]) -> Outcome:
        reminder = Reminder(**given)
        if self.reminders is None:
            self.reminders = {each.id: each for each in writer.reminders()}
        known = self.reminders.get(reminder.id)
        if known is not None and not self._visibility().covers(known.scope):
            raise self._of_others("reminder", known.id)
        reminder = replace(reminder, scope=self.memories.own_scope(reminder.scope))
        if known == reminder:
            return "unchanged"
        self.reminders[reminder.id] = writer.put_reminder(reminder)
        return "added" if known is None else "updated"

    def _id_in_store(self, id: str) -> str:
        return self.ids_in_store.get(id, id)

    def _end(self, writer: Writer, ref: Ref) -> Ref:
        end = Ref("entity", self._id_in_store(ref.id)) if ref.kind == "entity" else ref
        if not self._visibility().end(writer, end):
            raise not_stored(end.kind, end.id)
        return end

    def _visibility(self) -> Visibility:
        return Visibility(self.memories.scope, self.clock())

    def _memory_seen(self, writer: Writer, id: str) -> Memory | None:
        memory = writer.memory(id)
        return None if memory is None or not self._visibility().memory(memory) else memory

    def _own_home(self, home: str) -> str:
        return self.memories.own_scope(home) if home else self.memories.scope or ""

    def _of_others(self, noun: str, id: str) -> InvalidArgument:
        """The error for a row with the id of something that is not of the pinned scope alone."""
        return row_error("id", "of_others", noun=NOUNS[noun], id=shortened(id), scope=self.memories.scope)


_RECORDS: Mapping[str, Callable[[_Loader, Writer, Mapping[str, Any]], Outcome]] = {
    "entity": _Loader._entity,
    "relation": _Loader._relation,
    "thread": _Loader._thread,
    "reminder": _Loader._reminder,
}


def _says(draft: Draft, known: Memory) -> bool:
    """Whether storing the draft would change nothing."""
    if draft.stored_at is None:
        draft = replace(draft, stored_at=known.stored_at)
    stored = as_draft(known)
    return draft == stored or repr(draft) == repr(stored)  # NaN equals nothing, not even itself


def _joined(known: Entity, draft: EntityDraft) -> EntityDraft:
    """The draft merged into an entity that the store has under another id: it keeps id and name, and gets what it lacks."""
    others: dict[str, str] = {}
    for name in (*known.aliases, draft.name, *draft.aliases):
        others.setdefault(fold_case(name), name)
    others.pop(fold_case(known.name), None)
    return replace(
        draft,
        id=known.id,
        entity_class="node" if known.entity_class == "node" else draft.entity_class,
        name=known.name,
        home=known.home,
        aliases=tuple(others.values()),
        description=draft.description or known.description,
        memory_id=draft.memory_id or known.memory_id,
        metadata={**known.metadata, **draft.metadata},
        access_count=max(known.access_count, draft.access_count),
    )


def _homes(given: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """The homes of an exported relation, and its metadata without FORMER_MARK, which lists the homes in older exports."""
    metadata = dict(given.get("metadata", {}))
    if "home" in given or not isinstance(metadata.get(FORMER_MARK), list):
        return [given.get("home", "")], metadata
    homes = [each for each in metadata.pop(FORMER_MARK) if isinstance(each, str)]
    return list(dict.fromkeys(homes)) or [""], metadata


def _give_memory(writer: Writer, id: str, memory_id: str) -> None:
    entity = writer.entity(id)
    if entity is not None:
        writer.put_entity(replace(entity, memory_id=memory_id), now=entity.updated_at)


def _relate(writer: Writer, memory: Memory, source: Ref, target: Ref, type: str) -> Outcome:
    stated = writer.relations_between(source, target, type)
    if any(plain(each.home) in ("", plain(memory.scope)) for each in stated):
        return "unchanged"
    # The relation is known where its memory is, and as old as that: old knowledge decays.
    draft = RelationDraft(id=new_id(), source=source, target=target, type=type, memory_id=memory.id, home=memory.scope)
    writer.put_relation(draft, now=memory.stored_at)
    return "added"
