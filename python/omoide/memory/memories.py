"""The memories of one tenant: the methods that the tool families, the command line and the Python API call.

    import omoide
    memories = omoide.open("notes")
    memories.remember("昨日、京都で抹茶を飲んだ。", tags=["旅行"])
    memories.recall("京都のお茶").hits[0].memory.text

Every method is an ordinary blocking function, safe to call from any thread. An argument of the wrong type raises
InvalidArgument, which names the argument, before anything is done.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import partial
from typing import Any, TypeVar

from omoide.dates import Moment
from omoide.engine import Index
from omoide.errors import Conflict, IndexBehind, InvalidArgument, needed, not_stored, shortened
from omoide.memory import argument_types, forget, observe, prune, recall, remember, remind, similar
from omoide.memory.counts import CountCache, GraphSize
from omoide.memory.ids import MIN_PREFIX_CHARS, ambiguous, new_id
from omoide.memory.namesakes import Namesakes
from omoide.memory.prune import Pruned
from omoide.memory.remember import NOTHING_ELSE, Over, Remembered, ToldAgain, as_sent
from omoide.memory.stats import describe
from omoide.memory.visibility import Visibility
from omoide.model.condition import All, Condition, Equals, Not, OneOf, Under, live, valid_at
from omoide.model.entity import Entity, EntityClass, NodeDraft
from omoide.model.memory import DEFAULT_SCOPE, Draft, Memory
from omoide.model.query import Hit, Neighbour, NeighbourWalk, Query, Recalled
from omoide.model.relation import Ref, Related, Relation
from omoide.model.reminder import Reminder
from omoide.model.scope import covers
from omoide.model.thread import Thread
from omoide.store.protocol import Counts, KnownIn, Reader, Store, Writer
from omoide.text import Excerpt, fold_statement, is_blank
from omoide.turns import hurried

Stated = TypeVar("Stated", Relation, Related)

#: Older versions of a memory fetched by one search.
MOST_VERSIONS = 1000
#: `observe` looks for another spelling of the statement among this many nearest observations with at least this cosine.
TWINS_AMONG = 10
TWIN_LIKENESS = 0.5
#: Where the index is far behind, it compares the statement with this many of the newest observations instead.
MOST_READ = 1000
#: Edges that `relate_existing` writes in one transaction.
EDGES_AT_ONCE = 500


class Memories:
    """See the module. `zone` is the time zone of calendar days, `week_starts` the first day of a week (0 = Monday ..
    6 = Sunday); `clock` gives aware UTC datetimes.

    With `scope`, the process is pinned: everything read and written stays within that scope and those under it. `home` is the
    scope that tools store in when a call names none. Use `store` only for import, export and backup, which move whole stores.
    `watch` is called with every answer to a search.
    """

    def __init__(
        self,
        store: Store,
        index: Index,
        *,
        clock: Callable[[], datetime],
        zone: tzinfo,
        week_starts: int = 0,
        scope: str | None = None,
        home: str = DEFAULT_SCOPE,
        watch: Callable[[Recalled], None] | None = None,
    ) -> None:
        self.clock = clock
        self.zone = zone
        self.week_starts = week_starts
        self.scope = scope
        self.home = home
        self.store = store
        self._index = index
        self._counts = CountCache()
        self._entities, self._nodes = Namesakes(), Namesakes("node")
        self._reminders = remind.Pending(store)
        self._watch = watch
        self._closed = False

    def __repr__(self) -> str:
        return f"<Memories in {self.store!r}{', closed' if self._closed else ''}>"

    @property
    def moment(self) -> Moment:
        """Now, on the caller's calendar; relative dates are resolved against it."""
        return Moment(self.clock(), self.zone, self.week_starts)

    def close(self) -> None:
        """Save a snapshot of the index if it is worth it, and close the files. Further calls do nothing."""
        if self._closed:
            return
        self._closed = True
        self._index.close()
        self.store.close()

    def __enter__(self) -> Memories:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- writing

    def remember(
        self,
        draft: Draft | str,
        *,
        chain: bool = False,
        again: ToldAgain = NOTHING_ELSE,
        over: Over = as_sent,
        **fields: Any,
    ) -> Remembered:
        """Store one memory. A string is the text of a Draft with `fields`.

        With `chain` it becomes the next of its session: `sequence_order` and `preceding_id` are set inside the
        transaction. remember.py has the rules for a `canonical_key`; `again`: what else of the draft goes to a memory of that
        key that says the same already. A memory of the same `id` is replaced; `over`: what of it stays, none by default. Raises
        InvalidArgument (empty or too long text, bad id), Conflict (a memory outside the pinned scope has the id), StoreError.
        """
        argument_types.check("chain", chain, argument_types.FLAG)
        pinned = self._pinned(argument_types.draft_of(draft, fields))
        with self.write() as writer:
            self._check_own(writer, [pinned])
            now = self.clock()
            return remember.remember(writer, pinned, now=now, chain=chain, scope=self.scope, again=again, over=over)

    def remember_many(self, drafts: Iterable[Draft]) -> list[Remembered]:
        """Store many in one transaction: all or nothing."""
        argument_types.check_several("drafts", drafts)
        checked = [argument_types.draft_of(draft, {}) for draft in drafts]
        for draft in checked:
            remember.check(draft)
        return self.remember_checked(checked)

    def remember_checked(self, drafts: Iterable[Draft]) -> list[Remembered]:
        """`remember_many` without checking the drafts, for tools that have done so."""
        pinned = [self._pinned(draft) for draft in drafts]
        with self.write() as writer:
            self._check_own(writer, pinned)
            return remember.remember_many(writer, pinned, now=self.clock())

    def revise(self, id: str, **fields: Any) -> Memory:
        """Change fields of a stored memory, given by its id or a prefix as in `find`. Raises NotFound, InvalidArgument."""
        known = self.find(id)
        given: dict[str, Any] = {name: fields[name] for name in ("scope", "entities") if name in fields}
        checked = self._pinned(argument_types.draft_of(known.text, given))
        if "scope" in fields:
            fields["scope"] = checked.scope
        with self.write() as writer:
            self._check_still_own(writer, known.id)
            self._visibility().require(writer, set(checked.entities) - {*known.entities})
            return remember.revise(writer, known.id, fields, now=self.clock())

    def forget(self, id: str) -> Memory:
        """Remove a memory for good and return it; `id` as in `find`. If it is the content of a node without relations and other
        memories, the node goes with it. Raises NotFound, InvalidArgument (ambiguous)."""
        memory = self.find(id)
        with self.write() as writer:
            self._check_still_own(writer, memory.id)
            return forget.forget(writer, self._visibility(), memory.id)

    def forget_with_versions(self, id: str) -> list[Memory]:
        """Remove a memory and its older versions for good; returns them, the memory first. Raises as `forget` does."""
        memory = self.find(id)
        while True:
            versions = self._versions(memory.id)
            with self.write() as writer:
                self._check_still_own(writer, memory.id)
                now = writer.memory(memory.id)
                if now is None or now == memory:
                    own = [each.id for each in writer.memories(versions) if self._visible(each)]
                    return forget.forget_with_versions(writer, self._visibility(), memory.id, own)
            memory = now  # its text was replaced since, so that it has one more version

    def _versions(self, id: str) -> list[str]:
        """The ids of the memories that this one replaced, directly or through others."""
        known = {id: None}
        while replaced := self.recall(_replaced_by(known)).hits:
            known.update((hit.memory.id, None) for hit in replaced)
        return list(known)[1:]

    def write(self) -> AbstractContextManager[Writer]:
        """A write transaction of the store, begun once a search that has to apply the changes before it has done so."""
        self._index.let_search_catch_up()
        return self.store.write()

    # --- reading

    def glance(self) -> AbstractContextManager[None]:
        """A block for several queries in a row: only the first checks whether other processes have written."""
        return self.store.glance()

    def recall(self, query: Query | str, **fields: Any) -> Recalled:
        """Search. A string is the text of a Query with `fields`, such as `limit`, `where`, `min_relevance`.

        Sees every write committed by any process. Hits come best first; there may be none. Raises InvalidArgument.
        """
        asked = Query(text=query) if isinstance(query, str) else query
        if not isinstance(asked, Query):
            raise argument_types.wrong("query", query, "a text or a Query")
        if fields:
            asked = argument_types.with_fields(asked, fields)
        argument_types.check_fields(asked)
        return self.recall_checked(asked, self.moment)

    def recall_checked(self, query: Query, moment: Moment) -> Recalled:
        """`recall` as of that moment, of a query whose fields have the right types, as a tool's schema has checked."""
        known_in = None
        if self.scope is not None:
            query = replace(query, where=self._within(query.where))
            known_in = KnownIn(self.scope, moment.now)
        with hurried(), self.store.glance():
            recalled = recall.recall(self.store, self._index, query, moment=moment, known_in=known_in)
        answer = self._visible_answer(recalled)
        if self._watch is not None:
            self._watch(answer)
        return answer

    def alike(
        self, text: str, *, where: Condition | None = None, limit: int, at_least: float
    ) -> list[tuple[Memory, float]]:
        """(memory, cosine) of the `limit` memories nearest to the text, nearest first; those with a cosine below `at_least` are
        left out."""
        argument_types.check("text", text, argument_types.TEXT)
        argument_types.check("limit", limit, argument_types.COUNT)
        argument_types.check("at_least", at_least, argument_types.NUMBER)
        return self.similar(text, where=where, limit=limit, at_least=at_least).found

    def similar(self, text: str, *, where: Condition | None = None, limit: int, at_least: float) -> similar.Similar:
        """`alike`, and why vectors were missing for comparing all memories, if some were."""
        limits = self._within(where)
        with hurried():
            found = similar.alike(self.store, self._index, text, where=limits, limit=limit, at_least=at_least)
        return found._replace(found=[(memory, cosine) for memory, cosine in found.found if self._visible(memory)])

    def language_of(self, question: str) -> str:
        """The language to answer a question in: ja, zh, zh-Hant (Chinese in Traditional characters), else en."""
        argument_types.check("question", question, argument_types.TEXT)
        return self._index.answer_language(question, None, whole=self.scope is None)()

    def usual_language(self, text: str) -> str | None:
        """ja or zh: what a text of Han characters that Japanese and Chinese share is taken for, as the settings or most memories
        say. None: neither says anything."""
        argument_types.check("text", text, argument_types.TEXT)
        return self._index.usual_language(text, whole=self.scope is None)

    def excerpt(self, hit: Hit, *, width: int = 120) -> Excerpt:
        """What to show of a hit: its best sentence as a slice of `hit.memory.text`, and the matches in it."""
        argument_types.check("hit", hit, argument_types.HIT)
        argument_types.check("width", width, argument_types.COUNT)
        memory = hit.memory
        return self._index.excerpt(memory.text, hit.why.terms, width=width, lang=memory.lang)

    def get(self, ids: Iterable[str]) -> list[Memory]:
        """The memories with these ids, in the order of `ids`; unknown ids are left out."""
        argument_types.check_several("ids", ids)
        with self.store.read() as reader:
            return [memory for memory in reader.memories(ids) if self._visible(memory)]

    def holding(self, scope: str, canonical_key: str) -> str | None:
        """The id of the memory that has the key in exactly that scope and has not ended, the newest of several; None: there is
        none."""
        if not self._visibility().covers(scope):
            return None
        now = self.clock()
        with self.store.read() as reader:
            held = reader.summaries_under_key(scope, canonical_key)
        return next((each.id for each in held if not remember.has_ended(each, now)), None)

    def find(self, id_or_prefix: str) -> Memory:
        """The memory with this id, or with this prefix of an id (at least 8 characters). Raises NotFound, InvalidArgument
        (ambiguous)."""
        argument_types.check("id", id_or_prefix, argument_types.TEXT)
        with self.store.read() as reader:
            exact = reader.memory(id_or_prefix)
            if exact is not None and self._visible(exact):
                return exact
            long_enough = len(id_or_prefix) >= MIN_PREFIX_CHARS
            found = reader.memories_by_id_prefix(id_or_prefix, 2, self.scope) if long_enough else []
        if not found:
            raise not_stored("memory", id_or_prefix, "Search for it; hits carry their full id.")
        if len(found) > 1:
            raise ambiguous("memories", id_or_prefix)
        return found[0]

    def neighbours(
        self,
        start: Ref,
        *,
        depth: int,
        relations: frozenset[str] | None = None,
        limit: int = 200,
        where: Condition | None = None,
    ) -> tuple[Neighbour, ...]:
        """What is reached breadth-first from one memory or entity, at most `limit`. Raises NotFound."""
        argument_types.check("start", start, argument_types.REF)
        argument_types.check_fields(NeighbourWalk(depth=depth, relations=relations, limit=limit))
        limits, visibility = self._within(where), self._visibility()
        with self.store.read() as reader:
            if not visibility.end(reader, start):
                raise not_stored(start.kind, start.id)
        with hurried():
            found = recall.neighbours(
                self.store,
                self._index,
                start,
                depth=depth,
                relations=relations,
                limit=limit,
                where=limits,
                known_in=visibility.known_in,
            )
        return self._visible_neighbours(found)

    def counts(self) -> Counts:
        """How much is stored, by category and by scope; counts every scope, even in a pinned process."""
        with self.store.read() as reader:
            return reader.counts(partial(self._counts.memories_by, reader))

    def count_by_scope(self) -> dict[str, int]:
        """How many memories each scope holds; counts every scope, even in a pinned process."""
        with self.store.read() as reader:
            return self._counts.memories_by(reader, "scope")

    def stats(self) -> Mapping[str, Any]:
        """Counts, sizes, the state of index, analyser and embedder, as plain JSON values."""
        self._index.catch_up()
        return describe(self.counts(), self._index.state())

    # --- entities and relations

    def observe(
        self,
        name: str,
        type: str,
        draft: Draft | str,
        *,
        entity_class: EntityClass = "entity",
        deduplicate: bool = True,
    ) -> tuple[Entity, Remembered]:
        """Attach a memory to an entity in one transaction; either is made if missing.

        With `deduplicate`, a statement that the entity has already is returned instead of stored; comparing texts ignores
        width, case, character variants, kinds of apostrophes and quotes, punctuation and blanks; a `valid_until` of the draft
        then becomes its end. One that has ended counts only for a draft with the same end. An existing entity whose name is the
        same in other characters (台北 for 臺北) is used, and so is a node of that name and type.
        """
        argument_types.check_named(name, type)
        argument_types.check("entity_class", entity_class, argument_types.ENTITY_CLASS)
        argument_types.check("deduplicate", deduplicate, argument_types.FLAG)
        made = self._at_home(argument_types.draft_of(draft, {}))
        now, looked_up_at = self.clock(), self.store.standing().seq
        name = self._known_spelling(name, type, entity_class)
        near = self._observations_like(name, type, made, entity_class) if deduplicate else []
        with self.write() as writer:
            self._check_own(writer, [made])
            return observe.observe(
                writer,
                self._visibility(),
                name,
                type,
                made,
                entity_class,
                deduplicate=deduplicate,
                near=near,
                looked_up_at=looked_up_at,
                now=now,
            )

    def _observations_like(self, name: str, type: str, draft: Draft, entity_class: EntityClass) -> list[Memory]:
        """The valid observations of an entity that are most like the draft; where their vectors cannot all be compared, also those
        that make the same statement."""
        entity = next(iter(self.entities_named(name, type, entity_class=entity_class)), None)
        if entity is None:
            return []
        about = All((Equals("entity", entity.id), live(), valid_at(self.clock())))
        text = f"{draft.text}\n{draft.context or ''}"
        try:
            self._follow_for_write()
            near = self.similar(text, where=about, limit=TWINS_AMONG, at_least=TWIN_LIKENESS)
        except IndexBehind:
            return self._observations_saying(entity, draft.text)
        same = [] if near.missing is None else self._observations_saying(entity, draft.text)
        return [memory for memory, _ in near.found] + same

    def _observations_saying(self, entity: Entity, text: str) -> list[Memory]:
        """The valid observations of an entity that make the same statement, among the newest: what the store alone can tell."""
        statement = fold_statement(text)
        with self.store.read() as reader:
            _, newest = reader.observations(entity.id, at=self.clock(), limit=MOST_READ)
        return [each for each in newest if self._visible(each) and fold_statement(each.text) == statement]

    def upsert_node(
        self,
        type: str,
        label: str,
        content: str,
        metadata: Mapping[str, str] | None = None,
        *,
        tool: str | None = None,
    ) -> Entity:
        """Create or rewrite the node with this type and folded label, and the memory that holds its content."""
        return self.upsert_nodes([NodeDraft(type, label, content, metadata)], tool=tool)[0]

    def upsert_nodes(self, nodes: Iterable[NodeDraft], *, tool: str | None = None) -> list[Entity]:
        """`upsert_node` for several in one transaction: all or nothing."""
        argument_types.check_several("nodes", nodes)
        made = [(node, self._content(node, tool)) for node in map(argument_types.node_of, nodes)]
        with self.write() as writer:
            visibility, now = self._visibility(), self.clock()
            return [observe.upsert_node(writer, visibility, node, content, now=now) for node, content in made]

    def _content(self, node: NodeDraft, tool: str | None) -> Draft:
        return self._at_home(Draft(text=node.content, title=node.label.strip(), kind=node.type, tool=tool))

    def entity(
        self, name: str, type: str | None = None, *, entity_class: EntityClass | None = "entity"
    ) -> Entity | None:
        """The entity with that folded name, the most recently updated of several; else one whose name is the same in other
        characters (台北 for 臺北, たなか for タナカ, 山田 太郎 for 山田太郎); else one that differs in accents only (José for Jose)."""
        found = self.entities_named(name, type, entity_class=entity_class)
        if not found and entity_class != "node":
            with hurried():
                self._index.follow_in_time()
            others = self._in_other_characters(name, type)
            found = [each for each in others if entity_class in (None, each.entity_class)]
        return next(iter(found), None)

    def entities_named(
        self, name: str, type: str | None = None, *, entity_class: EntityClass | None = None
    ) -> list[Entity]:
        """Every entity with that folded name (outer blanks are ignored), most recently updated first; `entity_class` None:
        nodes too."""
        argument_types.check("name", name, argument_types.TEXT)
        argument_types.check_maybe("type", type, argument_types.TEXT)
        argument_types.check_maybe("entity_class", entity_class, argument_types.ENTITY_CLASS)
        with self.store.read() as reader:
            visibility = self._visibility()
            return visibility.entities(
                reader, reader.entities_named(name.strip(), entity_class=entity_class, type=type)
            )

    def _in_other_characters(self, name: str, type: str | None) -> list[Entity]:
        """Entities and nodes whose name is the same in other characters, then those that differ in accents only; each most
        recently updated first. Entities as of the last change in the index, which does not have the names of nodes."""
        numbers = self._index.entities_named(name)
        with self.store.read() as reader:
            entities = reader.entities_by_number(numbers).values()
            found = self._visibility().entities(reader, [*entities, *self._nodes_called(reader, name)])
        fit = [each for each in found if type in (None, each.type) and observe.is_called_without_accents(each, name)]
        return sorted(fit, key=lambda each: (observe.is_called(each, name), each.updated_at, each.number), reverse=True)

    def _nodes_called(self, reader: Reader, name: str) -> list[Entity]:
        self._nodes.follow(reader)
        return self._nodes.without_accents(reader, name)

    def _known_spelling(self, name: str, type: str | None, entity_class: EntityClass = "entity") -> str:
        """The name as a stored entity spells it, if one has the same name in other characters; else the name itself."""
        if entity_class == "node" or self.entities_named(name, type):
            return name
        known = self._namesake(name, type)
        return name if known is None else known.name

    def meant_by(self, name: str, type: str | None = None) -> Entity | None:
        """The entity or node that a write of this name is about: the first of `entities_named`, else one whose name is the same in
        other characters; accents count. Unlike `entity`, it does not need the index."""
        return next(iter(self.entities_named(name, type)), None) or self._namesake(name, type)

    def _namesake(self, name: str, type: str | None) -> Entity | None:
        try:
            self._follow_for_write()
            found = self._in_other_characters(name, type)
        except IndexBehind:  # a write does not have to wait for the index: the store has all names
            with self.store.read() as reader:
                self._entities.follow(reader)
                entities = self._entities.in_other_characters(reader, name, type)
                nodes = [each for each in self._nodes_called(reader, name) if type in (None, each.type)]
                found = self._visibility().entities(reader, [*entities, *nodes])
        return next((each for each in found if observe.is_called(each, name)), None)

    def _follow_for_write(self) -> None:
        with hurried():
            self._index.follow_for_write()

    def entities_by_id(self, ids: Iterable[str]) -> list[Entity]:
        """The entities with these ids, in the order of `ids`; unknown ids are left out."""
        argument_types.check_several("ids", ids)
        with self.store.read() as reader:
            return self._visibility().entities(reader, reader.entities(ids))

    def nodes_of(self, memory_ids: Iterable[str]) -> dict[str, Entity]:
        """The node that owns each memory, by memory id; memories that no node owns are left out."""
        argument_types.check_several("memory_ids", memory_ids)
        with self.store.read() as reader:
            nodes = self._visibility().entities(reader, reader.entity_of_memory(memory_ids).values())
            return {node.memory_id: node for node in nodes if node.memory_id is not None}

    def list_entities(
        self,
        *,
        types: Sequence[str] | None = None,
        limit: int = 10,
        offset: int = 0,
        entity_class: EntityClass | None = "entity",
    ) -> tuple[int, list[Entity]]:
        """(how many match, one page), most recently updated first. `types` None or empty: all."""
        argument_types.check_maybe("types", types, argument_types.TEXTS)
        argument_types.check("limit", limit, argument_types.COUNT)
        argument_types.check("offset", offset, argument_types.COUNT)
        argument_types.check_maybe("entity_class", entity_class, argument_types.ENTITY_CLASS)
        with self.store.read() as reader:
            known_in = self._visibility().known_in
            return reader.list_entities(
                entity_class=entity_class, types=types, known_in=known_in, limit=limit, offset=offset
            )

    def observations(self, entity_id: str, *, limit: int = 20) -> tuple[int, list[Memory]]:
        """(how many there are, the newest `limit`) of the valid, live memories of an entity."""
        argument_types.check("entity_id", entity_id, argument_types.TEXT)
        about = All((Equals("entity", entity_id), live(), valid_at(self.clock())))
        found = self.recall(Query(where=about, limit=limit))
        return found.considered, [hit.memory for hit in found.hits]

    def relate(
        self,
        source: Ref | tuple[str, str | None],
        target: Ref | tuple[str, str | None],
        type: str,
        *,
        weight: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        memory_id: str | None = None,
    ) -> Relation:
        """Create or update an edge between two memories or entities. An end given as (name, type) is an entity, created if
        missing; with type None, any entity of that name is used, else a `concept` is created. Raises NotFound."""
        argument_types.check_end("source", source)
        argument_types.check_end("target", target)
        argument_types.check("type", type, argument_types.TEXT)
        argument_types.check_maybe("weight", weight, argument_types.NUMBER)
        argument_types.check_maybe("metadata", metadata, argument_types.MAPPING)
        argument_types.check_maybe("memory_id", memory_id, argument_types.TEXT)
        looked_up_at = self.store.standing().seq
        source, target = self._known_end(source), self._known_end(target)
        with self.write() as writer:
            return observe.relate(
                writer,
                self._visibility(),
                source,
                target,
                type,
                weight=weight,
                metadata=metadata or {},
                memory_id=memory_id,
                looked_up_at=looked_up_at,
                now=self.clock(),
            )

    def _known_end(self, end: Ref | tuple[str, str | None]) -> Ref | tuple[str, str | None]:
        return end if isinstance(end, Ref) else (self._known_spelling(*end), end[1])

    def relate_existing(self, type: str, edges: Iterable[tuple[Ref, Ref, float]]) -> list[Relation]:
        """Create or update edges of one type, given as (source, target, weight); returns them. Edges with an end that does not
        exist are left out. Written in transactions of EDGES_AT_ONCE, so that other writers get their turn."""
        argument_types.check("type", type, argument_types.TEXT)
        argument_types.check_several("edges", edges)
        edges, made = [argument_types.edge_of(each) for each in edges], list[Relation]()
        for start in range(0, len(edges), EDGES_AT_ONCE):
            with self.write() as writer:
                visibility, now = self._visibility(), self.clock()
                made += observe.relate_existing(writer, visibility, edges[start : start + EDGES_AT_ONCE], type, now=now)
        return made

    def relations_of(self, ref: Ref) -> list[Relation]:
        """Relations in both directions, oldest first. One that several scopes have stated is listed once: the pinned scope's,
        else the oldest."""
        argument_types.check("ref", ref, argument_types.REF)
        with self.store.read() as reader:
            seen = self._visibility().relations(reader, reader.relations_of(ref))
        return self._without_repeats(seen, lambda each: (each.source, each.target, each.type))

    def related(self, ref: Ref) -> tuple[list[Related], list[Related]]:
        """What the relations lead to that begin at `ref`, and that end there: those of `relations_of`, oldest first."""
        argument_types.check("ref", ref, argument_types.REF)
        visibility = self._visibility()
        with self.store.read() as reader:
            if not visibility.end(reader, ref):
                return [], []
            outgoing = reader.related(ref, forward=True, known_in=visibility.known_in)
            incoming = reader.related(ref, forward=False, known_in=visibility.known_in)
        return self._without_repeats(outgoing, _statement_about), self._without_repeats(incoming, _statement_about)

    def _without_repeats(self, stated: list[Stated], statement: Callable[[Stated], Hashable]) -> list[Stated]:
        """Of the relations that say the same, the pinned scope's, else the oldest; in the order given."""
        first_stated: dict[Hashable, Stated] = {}
        for each in sorted(stated, key=lambda each: each.home != (self.scope or "")):
            first_stated.setdefault(statement(each), each)
        return [each for each in stated if first_stated[statement(each)] is each]

    def graph_size(self) -> GraphSize:
        """How many entities and relations there are."""
        with self.store.read() as reader:
            return self._counts.size(reader, self._visibility())

    def visit(self, ref: Ref) -> Memory | Entity:
        """Count an access of a memory or entity; returns it updated. In a pinned scope, accesses of an entity that an unpinned
        process made are not counted. Raises NotFound."""
        argument_types.check("ref", ref, argument_types.REF)
        visibility = self._visibility()
        with self.write() as writer:
            if not visibility.end(writer, ref):
                raise not_stored(ref.kind, ref.id)
            return observe.visit(writer, visibility, ref, now=self.clock())

    def prune(self, *, faded: Callable[[Relation], bool], idle_since: datetime) -> Pruned:
        """Remove the edges for which `faded` is true, then the nodes without edges and observations that were never rewritten or
        visited and are older than `idle_since`. Other memories and entities are never pruned. Works in many short transactions."""
        argument_types.check("faded", faded, argument_types.FUNCTION)
        argument_types.check("idle_since", idle_since, argument_types.INSTANT)
        return prune.prune(self.store, self._visibility(), faded=faded, idle_since=idle_since)

    def forget_entity(self, id: str, *, dry_run: bool = False) -> int:
        """Remove an entity, its relations and the memories that belong to no other entity; returns how many memories.

        With `dry_run`, only counts them. In a pinned scope, what other scopes know of the entity stays. Raises NotFound.
        """
        argument_types.check("id", id, argument_types.TEXT)
        argument_types.check("dry_run", dry_run, argument_types.FLAG)
        if dry_run:
            with self.store.read() as reader:
                return forget.count_with_entity(reader, self._visibility(), id)
        with self.write() as writer:
            return forget.forget_entity(writer, self._visibility(), id)

    # --- threads and reminders

    def create_thread(self, name: str, type: str = "normal", *, id: str | None = None) -> Thread:
        """Create a thread, or replace name and type of the one with that `id`. Names need not be unique. Raises InvalidArgument
        (no name), Conflict (a thread that was not created in the pinned scope has the id, even if it is continued there)."""
        argument_types.check_named(name, type)
        argument_types.check_maybe("id", id, argument_types.TEXT)
        if is_blank(name):
            raise InvalidArgument("name", "The thread has no name.", also=needed("name"))
        with self.write() as writer:
            known = None if id is None else writer.thread(id)
            if known is not None and not self._visibility().owns(known):
                raise _id_taken("thread", known.id)
            home = self.scope or ""
            return writer.put_thread(id=id or new_id(), name=name, type=type, home=home, now=self.clock())

    def thread(self, id: str) -> Thread | None:
        """A thread with its count of entries; None if there is none. For a pinned scope, see `threads`."""
        argument_types.check("id", id, argument_types.TEXT)
        with self.store.read() as reader:
            return reader.thread(id, self.scope)

    def thread_names(self, ids: Collection[str]) -> dict[str, str]:
        """The names of threads by id; unknown ones are left out. For a pinned scope, see `threads`."""
        argument_types.check_several("ids", ids)
        with self.store.read() as reader:
            if self.scope is None:
                return reader.thread_names(ids)
            seen = (reader.thread(id, self.scope) for id in ids)
            return {each.id: each.name for each in seen if each is not None}

    def threads(self, type: str | None = None) -> list[Thread]:
        """All threads, newest first. In a pinned scope: those created or continued there, counting the entries of that scope;
        never one that was created in another scope."""
        argument_types.check_maybe("type", type, argument_types.TEXT)
        with self.store.read() as reader:
            return reader.threads(type=type, scope=self.scope)

    def remind(self, trigger: str, action: str, *, scope: str, expires_in_days: int | None = None) -> Reminder:
        """Store an action to be shown when a query mentions the trigger. Raises InvalidArgument (blank text, an expiry that is
        not in the future, a scope outside the pinned one)."""
        for argument, value in (("trigger", trigger), ("action", action), ("scope", scope)):
            argument_types.check(argument, value, argument_types.TEXT)
        argument_types.check_maybe("expires_in_days", expires_in_days, argument_types.DAYS)
        own = self.own_scope(scope)
        with self.write() as writer:
            return remind.remind(writer, trigger, action, scope=own, expires_in_days=expires_in_days, now=self.clock())

    def due_reminders(self, query: str, *, scope: str | None, exactly: bool = False) -> list[Reminder]:
        """Reminders whose trigger words are all in the query. Marks them as fired: each is returned exactly once.

        Looks in `scope` and those under it, with `exactly` in that scope only; None: in every scope. Raises InvalidArgument
        (a scope outside the pinned one).
        """
        argument_types.check("query", query, argument_types.TEXT)
        argument_types.check_maybe("scope", scope, argument_types.TEXT)
        argument_types.check("exactly", exactly, argument_types.FLAG)
        asked = self.own_scope(scope) if scope else self.scope
        return remind.due(self.store, self._reminders, query, scope=asked, exactly=exactly, clock=self.clock)

    def pending_reminders(self, *, limit: int | None = None) -> list[Reminder]:
        """Reminders that may still fire, oldest first; `limit` None: all."""
        argument_types.check_maybe("limit", limit, argument_types.COUNT)
        with self.store.read() as reader:
            return reader.pending_reminders(self.scope, at=self.clock(), limit=limit)

    def count_pending_reminders(self) -> int:
        """How many reminders may still fire."""
        with self.store.read() as reader:
            return reader.count_pending_reminders(self.scope, at=self.clock())

    def pending_reminder(self, id_or_prefix: str) -> Reminder:
        """The pending reminder with this id, or with this prefix of an id (at least 8 characters). Raises NotFound,
        InvalidArgument (ambiguous)."""
        argument_types.check("id", id_or_prefix, argument_types.TEXT)
        with self.store.read() as reader:
            return remind.find(reader, id_or_prefix, scope=self.scope, now=self.clock())

    def call_off(self, id_or_prefix: str) -> Reminder:
        """Cancel a reminder, given as in `pending_reminder`, and return it. Raises NotFound, InvalidArgument (ambiguous)."""
        argument_types.check("id", id_or_prefix, argument_types.TEXT)
        with self.write() as writer:
            return remind.call_off(writer, id_or_prefix, scope=self.scope, now=self.clock())

    # --- the pinned scope

    def own_scope(self, scope: str) -> str:
        """The scope to store in. In a pinned process, the default scope means the pinned one. Raises InvalidArgument (a scope
        outside the pinned one)."""
        if self.scope is None or covers(self.scope, scope):
            return scope
        if scope == DEFAULT_SCOPE:
            return self.scope
        raise InvalidArgument(
            "scope",
            f"The scope {scope!r} is outside of {self.scope!r}.",
            hint=f"Use {self.scope!r} or one under it.",
            also={
                "ja": f"スコープ {scope!r} は {self.scope!r} の外にあります。{self.scope!r} かその下のスコープを指定してください。",
                "zh": f"作用域 {scope!r} 在 {self.scope!r} 之外，请使用 {self.scope!r} 或其下的作用域。",
            },
        )

    def _visibility(self) -> Visibility:
        return Visibility(self.scope, self.clock())

    def _visible(self, memory: Memory) -> bool:
        return self._visibility().memory(memory)

    def _visible_answer(self, recalled: Recalled) -> Recalled:
        """The answer without entities that only other scopes know, without paths through them, and without memories that another
        process has moved to another scope between search and reading."""
        if self.scope is None:
            return recalled
        visible = self._visibility().memory
        recalled = recalled._replace(hits=tuple([hit for hit in recalled.hits if visible(hit.memory)]))
        if not (recalled.entities or recalled.neighbours):
            return recalled
        with self.store.read() as reader:
            named = tuple(self._visibility().entities(reader, recalled.entities))
        return recalled._replace(entities=named, neighbours=self._visible_neighbours(recalled.neighbours))

    def _visible_neighbours(self, met: tuple[Neighbour, ...]) -> tuple[Neighbour, ...]:
        if self.scope is None:
            return met
        with self.store.read() as reader:
            visibility = self._visibility()
            # Looks all of them up at once, so that the loop below asks the store for none.
            visibility.entities(reader, (thing for each in met for thing in _along(each) if isinstance(thing, Entity)))
            return tuple(each for each in met if all(visibility.thing(reader, thing) for thing in _along(each)))

    def _within(self, where: Condition | None) -> Condition:
        conditions = [] if where is None else [where]
        return All((*conditions, *([] if self.scope is None else [Under(self.scope)])))

    def _check_own(self, writer: Writer, drafts: Iterable[Draft]) -> None:
        """Keep drafts from reaching outside the pinned scope. Raises Conflict (the id is that of a memory outside it), NotFound
        (an entity that only other scopes know: attaching to it would reveal it)."""
        if self.scope is None:
            return
        drafts = list(drafts)
        held = list(writer.memories(draft.id for draft in drafts if draft.id is not None))
        other = next((each for each in held if not self._visible(each)), None)
        if other is not None:
            raise _id_taken("memory", other.id)
        attached = {id for each in held for id in each.entities}
        self._visibility().require(writer, {id for draft in drafts for id in draft.entities} - attached)

    def _check_still_own(self, writer: Writer, id: str) -> None:
        """Raises NotFound for a memory that another process has moved out of the pinned scope since it was found."""
        memory = None if self.scope is None else writer.memory(id)
        if memory is not None and not self._visible(memory):
            raise not_stored("memory", id)

    def _at_home(self, draft: Draft) -> Draft:
        """The draft, in the home scope if it has the default one: for methods whose callers name no scope."""
        return self._pinned(replace(draft, scope=self.home) if draft.scope == DEFAULT_SCOPE else draft)

    def _pinned(self, draft: Draft) -> Draft:
        scope = self.own_scope(draft.scope)
        return draft if scope == draft.scope else replace(draft, scope=scope)


def _id_taken(noun: str, id: str) -> Conflict:
    """The error for an id that is in use in another scope: ids are unique in the whole store."""
    return Conflict(
        f"There is a {noun} {id!r} elsewhere.",
        hint="Leave out the id: a new one is made.",
        also={
            "ja": f"ID {shortened(id)} は別のスコープで使われています。ID を省けば、新しい ID が付きます。",
            "zh": f"ID {shortened(id)} 已被其他作用域使用。请省略 ID，将使用新的 ID。",
        },
    )


def _statement_about(related: Related) -> Hashable:
    return related.type, related.end.kind, related.end.id


def _replaced_by(known: Iterable[str]) -> Query:
    """Memories that one of the known ones replaced and that are not known yet."""
    ids = tuple(known)
    return Query(where=All((OneOf("superseded_by", ids), Not(OneOf("id", ids)))), limit=MOST_VERSIONS)


def _along(neighbour: Neighbour) -> list[Memory | Entity]:
    """Every memory and entity on a neighbour's path, both ends included."""
    return [neighbour.origin, neighbour.node, *(step.to for step in neighbour.path)]
