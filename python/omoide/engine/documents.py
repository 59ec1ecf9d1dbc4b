"""Turns rows of the store into the engine's documents, nodes and edges, one batch of changes at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from omoide import _engine
from omoide.engine.attributes import FOLDING, attributes_of, microseconds, numbers_of, scope_family
from omoide.engine.keys import entity_key, memory_key, row_number
from omoide.engine.names import NameWithWords, names_with_words, titles, unaccented
from omoide.errors import damaged
from omoide.model.entity import Entity
from omoide.model.memory import Memory
from omoide.model.relation import Ref, Relation
from omoide.model.scope import covers, plain
from omoide.store.protocol import Change, Reader
from omoide.text import Analyzer, fold
from omoide.turns import about_to_wait, give_way

#: Which parts of a memory are searched, which words of a name a text must have, and where edges lead; part of an index's identity.
SEARCHABLE = (
    f"title, text, context, parameters, frames; numbers; names in any script, of threads where they are known; "
    f"about the contents of nodes; {FOLDING}"
)
#: Rows read at a time.
ROWS = 32
#: Characters of memories in one batch: while a text is analysed, its words take fifty times its memory.
MOST_CHARS = 2_000_000
#: Memories with so many characters are analysed in some ten milliseconds, so a thread that must not wait does that itself.
QUICK_CHARS = 4_000
#: Errors raised where a column holds a value of another type than was written.
WRONG_TYPE = (AttributeError, TypeError, ValueError, OverflowError)
#: Types of the edges that are derived from a memory; relations have types of their own.
ABOUT = "about"
FOLLOWS = "follows"
#: Key, type, weight and time of an edge that is derived from a memory.
_OwnEdge = tuple[int, str, float, int]


@dataclass(slots=True)
class Batch:
    """Changes to apply to the engine in one call; `seq` is the number of the last."""

    seq: int = 0
    documents: list[_engine.Document] = field(default_factory=list)
    nodes: list[_engine.Node] = field(default_factory=list)
    edges: list[_engine.Edge] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    removed_edges: list[int] = field(default_factory=list)


def searchable_text(memory: Memory) -> str:
    """The searched text of a memory: title, text, context, and the values of parameters and frames, each on a line.

    Whoever changes this must change `SEARCHABLE`, so that old builds of the index are replaced.
    """
    filled_in = _texts([memory.parameters, memory.frames]) if memory.parameters or memory.frames else ()
    return "\n".join(part for part in (memory.title, memory.text, memory.context, *filled_in) if part)


def _texts(value: object) -> Iterator[str]:
    """The texts and numbers inside a JSON value, however deep, in order."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (str, int, float)) and not isinstance(each, bool):
            yield str(each)
        elif isinstance(each, Mapping):
            waiting += reversed(list(each.values()))
        elif isinstance(each, (list, tuple)):
            waiting += reversed(each)


def read_texts(reader: Reader, keys: Sequence[int]) -> list[tuple[int, str, int]]:
    """(key, folded text, time) of memories, to look for names in them; the text of one that was removed is empty."""
    memories = reader.memories_by_number(map(row_number, keys))
    texts = []
    for key in keys:
        memory = memories.get(row_number(key))
        texts.append((key, fold(searchable_text(memory)), microseconds(memory.stored_at)) if memory else (key, "", 0))
    return texts


class _SearchedMemory(NamedTuple):
    """A memory and its searched text."""

    memory: Memory
    text: str


def read_batch(reader: Reader, changes: Sequence[Change], analyzer: Analyzer, most_chars: int = MOST_CHARS) -> Batch:
    """The present rows of the changes, or of the first ones, at least one, that together have up to `most_chars`. A row that no
    longer exists becomes a removal. Raises WouldWait in a thread that must not wait, if there is much to analyse, or an entity, which
    older memories may name."""
    batch_changes, memories = _take_batch(reader, changes, most_chars)
    chars = sum(len(each.text) for each in memories.values())
    if chars > QUICK_CHARS or any(each.kind == "entity" for each in batch_changes):
        about_to_wait()
    numbers: dict[str, list[int]] = {"memory": [], "entity": [], "relation": []}
    for change in batch_changes:
        numbers[change.kind].append(change.number)
    batch = Batch(seq=batch_changes[-1].seq)
    batch.removed += [memory_key(number) for number in numbers["memory"] if number not in memories]
    _read_memories(reader, list(memories.values()), analyzer, batch)
    _read_entities(reader, numbers["entity"], analyzer, batch)
    _read_relations(reader, numbers["relation"], batch)
    return batch


def _take_batch(
    reader: Reader, changes: Sequence[Change], most_chars: int
) -> tuple[list[Change], dict[int, _SearchedMemory]]:
    """(the changes of one batch, their memories by number)."""
    batch_changes: list[Change] = []
    memories: dict[int, _SearchedMemory] = {}
    chars = 0
    for at in range(0, len(changes), ROWS):
        portion = changes[at : at + ROWS]
        rows = reader.memories_by_number(each.number for each in portion if each.kind == "memory")
        for change in portion:
            memory = rows.get(change.number) if change.kind == "memory" else None
            if memory is not None:
                with _reading(memory):
                    searched = _SearchedMemory(memory, searchable_text(memory))
                chars += len(searched.text)
                if batch_changes and chars > most_chars:
                    return batch_changes, memories
                memories[change.number] = searched
            batch_changes.append(change)
    return batch_changes, memories


def _read_memories(
    reader: Reader, searched_memories: Sequence[_SearchedMemory], analyzer: Analyzer, batch: Batch
) -> None:
    memories = [each.memory for each in searched_memories]
    entities_by_id = {each.id: each for each in reader.entities({id for memory in memories for id in memory.entities})}
    contents = {each.memory_id for each in entities_by_id.values() if each.memory_id}
    numbers = reader.numbers_of_memories({m.preceding_id for m in memories if m.preceding_id} | contents)
    threads = _Threads(reader, {m.thread for m in memories if m.thread})
    # The memories of a batch are often all of one thread.
    names_of_thread = lru_cache(lambda names: names_with_words(names, analyzer))
    for searched in searched_memories:
        memory = searched.memory
        entities = [entities_by_id[id] for id in memory.entities if id in entities_by_id]
        about = [_vertex_key(entity.number, numbers.get(entity.memory_id or "")) for entity in entities]
        edges = _edges_of(memory, about, numbers.get(memory.preceding_id or ""))
        with _reading(memory):
            thread = titles(memory.thread_name or threads.name_for(memory))
        batch.documents.append(_document(searched, entities, edges, names_of_thread(thread), analyzer))
        give_way()


@contextmanager
def _reading(memory: Memory) -> Iterator[None]:
    """A block that looks at columns and analyses no text: an error of the analyser is no damage. Raises StoreError if a value has
    another type than was written."""
    try:
        yield
    except WRONG_TYPE as error:
        raise damaged(f"memory number {memory.number}", error) from error


class _Threads:
    """The threads with these ids."""

    def __init__(self, reader: Reader, ids: Collection[str]) -> None:
        self._names_and_homes = reader.names_and_homes_of_threads(ids) if ids else {}

    def name_for(self, memory: Memory) -> str | None:
        """The name of the memory's thread, unless the thread is at home in a scope beside the memory's: there nobody may know it."""
        name, home = self._names_and_homes.get(memory.thread or "", (None, ""))
        is_known = not home or covers(home, memory.scope) or covers(memory.scope, home)
        return name if is_known else None


def _document(
    searched: _SearchedMemory,
    entities: list[Entity],
    edges: list[_OwnEdge],
    thread_names: list[NameWithWords],
    analyzer: Analyzer,
) -> _engine.Document:
    memory = searched.memory
    stored_at = microseconds(memory.stored_at)
    with _reading(memory):  # before the analysis, which takes its language for a text
        attributes, numbers = attributes_of(memory, entities), numbers_of(memory)
    analysis = analyzer.document(searched.text, memory.lang)
    names = names_with_words(titles(memory.title), analyzer)
    with _reading(memory):  # the engine checks what the numbers are
        return _engine.Document(
            key=memory_key(memory.number),
            folded=analysis.folded,
            words=analysis.terms,
            readings=analysis.readings,
            attributes=attributes,
            numbers=numbers,
            edges=edges,
            turn=_turn(memory, stored_at),
            names=names,
            thread_names=thread_names,
            stored_at=stored_at,
        )


def _edges_of(memory: Memory, about: Iterable[int], preceding: int | None) -> list[_OwnEdge]:
    """The edges that are derived from a memory; `about`: the keys of what it is about; `preceding`: the number of the one before."""
    stored_at = microseconds(memory.stored_at)
    edges = [(key, ABOUT, 1.0, stored_at) for key in about if key != memory_key(memory.number)]
    return edges if preceding is None else [*edges, (memory_key(preceding), FOLLOWS, 1.0, stored_at)]


def _turn(memory: Memory, stored_at: int) -> tuple[str, int, int] | None:
    """The conversation a memory is part of (its thread, else its session, within its scope), and its place there."""
    conversation = memory.thread or memory.session_id
    if conversation is None:
        return None
    name = f"{memory.scope}\n{conversation}"
    return name, memory.sequence_order or 0, stored_at


def _read_entities(reader: Reader, numbers: list[int], analyzer: Analyzer, batch: Batch) -> None:
    entities = reader.entities_by_number(numbers)
    for number in numbers:
        entity = entities.get(number)
        if entity is None or entity.entity_class == "node":
            batch.removed.append(entity_key(number))
        else:
            names = names_with_words(unaccented((entity.name, *entity.aliases)), analyzer)
            homes = scope_family(entity.home) if entity.home else ()
            batch.nodes.append(_engine.Node(key=entity_key(number), names=names, homes=homes))


def _read_relations(reader: Reader, numbers: list[int], batch: Batch) -> None:
    relations = reader.relations_by_number(numbers)
    keys = keys_of(reader, {end for relation in relations.values() for end in (relation.source, relation.target)})
    for number in numbers:
        relation = relations.get(number)
        if relation is not None and relation.source in keys and relation.target in keys:
            batch.edges.append(_edge(relation, keys))
        else:
            batch.removed_edges.append(number)


def _edge(relation: Relation, keys: dict[Ref, int]) -> _engine.Edge:
    return _engine.Edge(
        key=relation.number,
        source=keys[relation.source],
        target=keys[relation.target],
        type=relation.type,
        weight=relation.weight,
        created_at=microseconds(relation.created_at),
        home=plain(relation.home),
    )


def keys_of(reader: Reader, refs: Iterable[Ref]) -> dict[Ref, int]:
    """The engine's key of each reference; those that are not stored are left out."""
    wanted = list(refs)
    memories = reader.numbers_of_memories(_ids(wanted, "memory"))
    keys = {Ref("memory", id): memory_key(number) for id, number in memories.items()}
    for id, (number, content_number) in reader.numbers_of_entities(_ids(wanted, "entity")).items():
        keys[Ref("entity", id)] = _vertex_key(number, content_number)
    return keys


def _vertex_key(number: int, content_number: int | None) -> int:
    """The engine's key of an entity or a node; `content_number`: that of the memory which holds the node's content."""
    return entity_key(number) if content_number is None else memory_key(content_number)


def _ids(refs: list[Ref], kind: str) -> list[str]:
    return [ref.id for ref in refs if ref.kind == kind]
