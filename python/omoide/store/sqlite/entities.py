"""Entities and nodes in SQLite: rows of `entities`, and of `entity_names` for every name and alias."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from omoide.errors import Conflict, filled
from omoide.model.entity import Entity, EntityClass, EntityDraft
from omoide.model.scope import plain
from omoide.store.folding import fold_case, spellings
from omoide.store.protocol import KnownIn
from omoide.store.sqlite import pinned
from omoide.store.sqlite.checksum import checksum
from omoide.store.sqlite.faults import decoded
from omoide.store.sqlite.memories import MemoryWrites
from omoide.store.sqlite.session import Row, Session, in_order
from omoide.store.sqlite.values import identifier, json_text, mapping, micros, moment, texts

_COLUMNS = (
    "number id entity_class name type aliases description memory_id metadata access_count home created_at updated_at"
)
_READ = f"SELECT {', '.join('e.' + name for name in _COLUMNS.split())}"
_SELECT = f"{_READ} FROM entities e"
#: CROSS JOIN, so that SQLite looks up the names first: for several names it would otherwise read every entity of the class.
_NAMED = f"{_READ} FROM entity_names n CROSS JOIN entities e ON e.number = n.entity AND n.name_folded IN ({{}})"
#: Separates name and home in `name_folded`, the key that is unique; folded names have no capitals.
HOME_MARK = " IN "
_NEWEST = "ORDER BY e.updated_at DESC, e.number DESC"


class EntityReads(Session):
    """The reads of the protocol that return entities."""

    def entity(self, id: str) -> Entity | None:
        """See Reader."""
        found = self.row(f"{_SELECT} WHERE e.id = ?", (id,))
        return None if found is None else _entity_of_row(found)

    def entities(self, ids: Iterable[str]) -> list[Entity]:
        """See Reader."""
        requested = list(ids)
        found = self.rows_in(f"{_SELECT} WHERE e.id IN ({{}})", dict.fromkeys(requested))
        return in_order(requested, {row[1]: _entity_of_row(row) for row in found})

    def entities_known(self, ids: Iterable[str], known_in: KnownIn) -> set[str]:
        """See Reader."""
        found = self.rows_in(
            f"SELECT e.id FROM entities e WHERE {pinned.ENTITY} AND e.id IN ({{}})", ids, *pinned.values(known_in)
        )
        return {id for (id,) in found}

    def numbers_of_entities(self, ids: Iterable[str]) -> dict[str, tuple[int, int | None]]:
        """See Reader."""
        owned = "SELECT e.id, e.number, m.number FROM entities e LEFT JOIN memories m ON m.id = e.memory_id"
        found = self.rows_in(f"{owned} WHERE e.id IN ({{}})", dict.fromkeys(ids))
        return {id: (number, content) for id, number, content in found}

    def entities_by_number(self, numbers: Iterable[int]) -> dict[int, Entity]:
        """See Reader."""
        return {row[0]: _entity_of_row(row) for row in self.rows_in(f"{_SELECT} WHERE e.number IN ({{}})", numbers)}

    def count_with_entity(self, id: str) -> int:
        """See Reader."""
        entity = self.entity(id)
        return 0 if entity is None else len(self._memories_of(entity)[0])

    def entities_named(
        self,
        name: str,
        *,
        entity_class: EntityClass | None = "entity",
        type: str | None = None,
        home: str | None = None,
    ) -> list[Entity]:
        """See Reader."""
        where, values = _where(entity_class, () if type is None else (type,))

        def named(names: Sequence[str]) -> list[Entity]:
            query = f"{_NAMED.format(', '.join('?' * len(names)))} {where} {_NEWEST}"
            every = [_entity_of_row(row) for row in self.rows(query, (*names, *values))]
            return [each for each in every if home is None or plain(each.home) == plain(home)]

        found = named([fold_case(name)])
        others = spellings(name)
        return list({each.number: each for each in (*found, *named(others))}.values()) if others else found

    def names_of_entities(self, entity_class: EntityClass) -> Iterable[tuple[int, str, str]]:
        """See Reader."""
        names = (
            "SELECT e.number, n.name_folded, e.home FROM entity_names n CROSS JOIN entities e ON e.number = n.entity"
        )
        return self.rows(f"{names} WHERE e.entity_class = ?", (entity_class,))

    def entity_of_memory(self, memory_ids: Iterable[str]) -> dict[str, Entity]:
        """See Reader."""
        found = map(_entity_of_row, self.rows_in(f"{_SELECT} WHERE e.memory_id IN ({{}})", dict.fromkeys(memory_ids)))
        return {entity.memory_id: entity for entity in found if entity.memory_id is not None}

    def list_entities(
        self,
        *,
        entity_class: EntityClass | None = "entity",
        types: Sequence[str] | None = None,
        known_in: KnownIn | None = None,
        limit: int,
        offset: int = 0,
    ) -> tuple[int, list[Entity]]:
        """See Reader."""
        where, values = _where(entity_class, types or ())
        if known_in is not None:
            where, values = f"{where} AND {pinned.ENTITY}", (*values, *pinned.values(known_in))
        count = self.value(f"SELECT count(*) FROM entities e {where}", values)
        if not limit:  # SQLite would look at all of them once more
            return count, []
        page = self.rows(f"{_SELECT} {where} {_NEWEST} LIMIT ? OFFSET ?", (*values, limit, offset))
        return count, [_entity_of_row(row) for row in page]

    def _memories_of(self, entity: Entity) -> tuple[list[Row], list[Row]]:
        """(number, id) of the entity's memories: those of no other entity, and those that it shares."""
        rows = self.rows(
            """
            SELECT m.number, m.id,
                EXISTS (SELECT 1 FROM memory_entities o WHERE o.memory = m.number AND o.entity <> ?)
                OR EXISTS (SELECT 1 FROM entities o WHERE o.memory_id = m.id AND o.number <> ?)
            FROM memories m
            WHERE m.id = ? OR m.number IN (SELECT memory FROM memory_entities WHERE entity = ?)
            ORDER BY m.number
            """,
            (entity.number, entity.number, entity.memory_id, entity.number),
        )
        return [row[:2] for row in rows if not row[2]], [row[:2] for row in rows if row[2]]


class EntityWrites(EntityReads, MemoryWrites):
    """The writes of the protocol that create, change and remove entities."""

    def put_entity(self, draft: EntityDraft, *, now: datetime) -> Entity:
        """See Writer."""
        folded = fold_case(draft.name)
        values: dict[str, Any] = {
            "entity_class": draft.entity_class,
            "name": draft.name,
            "name_folded": f"{folded}{HOME_MARK}{draft.home}" if draft.home else folded,
            "type": draft.type,
            "aliases": json_text("aliases", draft.aliases),
            "description": draft.description,
            "memory_id": draft.memory_id,
            "metadata": json_text("metadata", draft.metadata),
            "access_count": draft.access_count,
            "home": draft.home,
            "updated_at": micros("now", now),
        }
        number = self._put_entity_row(identifier(draft.id), values)
        self._put_names(number, (draft.name, *draft.aliases))
        self.changed("entity", number, at=values["updated_at"])
        return self.entities_by_number((number,))[number]

    def touch_entity(self, id: str, *, now: datetime) -> None:
        """See Writer."""
        self.rows("UPDATE entities SET updated_at = ? WHERE id = ?", (micros("now", now), id))

    def remove_entity(self, id: str, *, with_observations: bool) -> int:
        """See Writer."""
        entity = self.entity(id)
        if entity is None:
            return 0
        self.remove_relations_at("entity", id)
        exclusive, shared = self._memories_of(entity)
        self._detach(entity.number, exclusive + shared)
        self.rows("DELETE FROM entity_names WHERE entity = ?", (entity.number,))
        self.rows("DELETE FROM entities WHERE number = ?", (entity.number,))
        self.changed("entity", entity.number, at=self.now())
        if not with_observations:
            return 0
        return sum(self.remove_memory(memory_id) for _, memory_id in exclusive)

    def _put_entity_row(self, id: str, values: dict[str, Any]) -> int:
        unique = (values["entity_class"], values["name_folded"], values["type"], id)
        same = "entity_class = ? AND name_folded = ? AND type = ? AND id <> ?"
        if (other := self.value(f"SELECT id FROM entities WHERE {same}", unique)) is not None:
            raise Conflict(
                f"There is already a {values['type']} {values['name']!r}, with the id {other!r}.",
                hint="Change that one, or choose another name or type.",
                also=filled(
                    {
                        "ja": "{name}（{type}）はすでにあります（ID：{other}）。それを変更するか、別の名前か type にしてください。",
                        "zh": "已有“{name}”（{type}），ID 为“{other}”。请更新它，或使用其他名称或 type。",
                    },
                    name=values["name"],
                    type=values["type"],
                    other=other,
                ),
            )
        existing = self.row("SELECT number, created_at, memory_id, type FROM entities WHERE id = ?", (id,))
        row = {**values, "created_at": existing[1] if existing else values["updated_at"]}
        row["checksum"] = checksum("entities", row)
        if existing is None:
            return self.insert("entities", {"id": id, **row})
        number, _, memory_id, type = existing
        self.update("entities", number, row)
        if memory_id != values["memory_id"]:
            self.changed_links_of(id)  # in the index they lead to the memory with the content
        if type != values["type"]:
            self._changed_observations(number, at=values["updated_at"])
        return int(number)

    def _changed_observations(self, entity_number: int, *, at: int) -> None:
        """Note a change of the memories that are observations of an entity: in the index they have its type."""
        found = self.rows("SELECT memory FROM memory_entities WHERE entity = ?", (entity_number,))
        self.changed("memory", *(number for (number,) in found), at=at)

    def _put_names(self, number: int, names: Iterable[str]) -> None:
        self.rows("DELETE FROM entity_names WHERE entity = ?", (number,))
        for name in dict.fromkeys(map(fold_case, names)):
            self.rows("INSERT INTO entity_names (name_folded, entity) VALUES (?, ?)", (name, number))

    def _detach(self, entity_number: int, memories: Iterable[Row]) -> None:
        self.rows("DELETE FROM memory_entities WHERE entity = ?", (entity_number,))
        for number, _ in memories:
            self.changed("memory", number, at=self.now())


def _where(entity_class: EntityClass | None, types: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A WHERE clause and its values for entities of this class (None: any) and of one of these types (empty: any)."""
    clauses, values = ["1"], list(types)
    if types:
        clauses.append(f"e.type IN ({', '.join('?' * len(types))})")
    if entity_class is not None:
        clauses.append("e.entity_class = ?")
        values.append(entity_class)
    return f"WHERE {' AND '.join(clauses)}", tuple(values)


@decoded("entity")
def _entity_of_row(row: Row) -> Entity:
    number, id, entity_class, name, type, aliases, description, memory_id, metadata, *rest = row
    access_count, home, created, updated = rest
    return Entity(
        id=id,
        number=number,
        entity_class=entity_class,
        name=name,
        type=type,
        aliases=texts(aliases),
        description=description,
        memory_id=memory_id,
        metadata=mapping(metadata),
        access_count=access_count,
        home=home,
        created_at=moment(created),
        updated_at=moment(updated),
    )
