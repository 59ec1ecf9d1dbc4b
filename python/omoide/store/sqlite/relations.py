"""Relations in SQLite: rows of `relations`, whose ends are given by kind and id."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from operator import itemgetter

from omoide.errors import NotFound, filled
from omoide.model.relation import Ref, Related, Relation, RelationDraft
from omoide.model.scope import plain
from omoide.store.protocol import KnownIn
from omoide.store.sqlite import pinned
from omoide.store.sqlite.checksum import checksum
from omoide.store.sqlite.faults import decoded
from omoide.store.sqlite.session import TABLES, Row, Session
from omoide.store.sqlite.values import identifier, json_text, mapping, micros, moment

_COLUMNS = (
    "number", "id", "source_kind", "source_id", "target_kind", "target_id", "type", "weight", "metadata", "memory_id",
    "home", "created_at",
)  # fmt: skip
_WRITTEN = itemgetter(*_COLUMNS[2:])
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM relations"
_SAME = "source_kind = ? AND source_id = ? AND target_kind = ? AND target_id = ? AND type = ?"
_AT = "(source_kind = ? AND source_id = ?) OR (target_kind = ? AND target_id = ?)"
_OLDEST = "ORDER BY r.created_at, r.number"


def _related(here: str, there: str) -> str:
    """SQL for what the relations with `here` (source or target) at an end lead to; `e` is the entity there, if it is one."""
    return f"""
        SELECT r.number, r.type, r.weight, r.home, r.{there}_kind, r.{there}_id, e.name, e.type
        FROM relations r LEFT JOIN entities e ON r.{there}_kind = 'entity' AND e.id = r.{there}_id
        LEFT JOIN memories t ON r.{there}_kind = 'memory' AND t.id = r.{there}_id
        WHERE r.{here}_kind = ? AND r.{here}_id = ? AND coalesce(e.id, t.id) IS NOT NULL
    """


_FORWARD, _BACKWARD = _related("source", "target"), _related("target", "source")


class RelationReads(Session):
    """The reads of the protocol that return relations."""

    def relation(self, source: Ref, target: Ref, type: str, home: str = "") -> Relation | None:
        """See Reader."""
        stated = [each for each in self.relations_between(source, target, type) if plain(each.home) == plain(home)]
        return min(stated, key=lambda each: each.home != home, default=None)

    def relations_between(self, source: Ref, target: Ref, type: str) -> list[Relation]:
        """See Reader."""
        same = (source.kind, source.id, target.kind, target.id, type)
        found = self.rows(f"{_SELECT} WHERE {_SAME} ORDER BY created_at, number", same)
        return [_relation_from(row) for row in found]

    def relations_of(self, ref: Ref) -> list[Relation]:
        """See Reader."""
        found = self.rows(f"{_SELECT} WHERE {_AT} ORDER BY created_at, number", (ref.kind, ref.id) * 2)
        return [_relation_from(row) for row in found]

    def related(self, ref: Ref, *, forward: bool, known_in: KnownIn | None = None) -> list[Related]:
        """See Reader."""
        asked = _FORWARD if forward else _BACKWARD
        if known_in is None:
            found = self.rows(f"{asked} {_OLDEST}", (ref.kind, ref.id))
        else:
            values = (ref.kind, ref.id, *pinned.values_of_end(known_in))
            found = self.rows(f"{asked} AND {pinned.RELATED} {_OLDEST}", values)
        return list(map(_related_from, found))

    def relations_by_number(self, numbers: Iterable[int]) -> dict[int, Relation]:
        """See Reader."""
        found = self.rows_in(f"{_SELECT} WHERE number IN ({{}})", numbers)
        return {row[0]: _relation_from(row) for row in found}

    def relations_after(self, number: int, limit: int) -> list[Relation]:
        """See Reader."""
        found = self.rows(f"{_SELECT} WHERE number > ? ORDER BY number LIMIT ?", (number, limit))
        return [_relation_from(row) for row in found]

    def count_relations(self, known_in: KnownIn | None = None) -> int:
        """See Reader."""
        if known_in is None:
            return int(self.value("SELECT count(*) FROM relations"))
        return int(self.value(pinned.RELATIONS, pinned.values_of_relations(known_in)))


class RelationWrites(RelationReads):
    """The writes of the protocol that create, change and remove relations."""

    def put_relation(self, draft: RelationDraft, *, now: datetime) -> Relation:
        """See Writer. An updated relation keeps its id, and its `memory_id` unless one is given."""
        at = micros("now", now)
        source, target = draft.source, draft.target
        held = self.relation(source, target, draft.type, draft.home)
        known_weight = held.weight if held else 1.0
        row = {
            **{"source_kind": source.kind, "source_id": source.id, "target_kind": target.kind, "target_id": target.id},
            "type": draft.type,
            "weight": float(known_weight if draft.weight is None else draft.weight),
            "metadata": json_text("metadata", {**(held.metadata if held else {}), **draft.metadata}),
            "memory_id": draft.memory_id or (held.memory_id if held else None),
            "home": held.home if held else draft.home,
            "created_at": micros("created_at", held.created_at) if held else at,
        }
        row["checksum"] = checksum("relations", row)
        if held is None:
            self._require((source, target))
            id = identifier(draft.id)
            number = self.insert("relations", {"id": id, **row})
        else:
            id, number = held.id, held.number
            self.update("relations", number, row)
        self.changed("relation", number, at=at)
        return _relation_from((number, id, *_WRITTEN(row)))

    def remove_relations(self, ids: Iterable[str]) -> int:
        """See Writer."""
        return self._remove_relations(self.rows_in("SELECT number FROM relations WHERE id IN ({})", dict.fromkeys(ids)))

    def remove_relations_at(self, kind: str, id: str) -> None:
        """Remove the relations that begin or end at a memory or entity."""
        self._remove_relations(self.rows(f"SELECT number FROM relations WHERE {_AT}", (kind, id) * 2))

    def changed_relations_at(self, kind: str, id: str) -> None:
        """Note a change of the relations that begin or end at a memory or entity."""
        found = self.rows(f"SELECT number FROM relations WHERE {_AT}", (kind, id) * 2)
        self.changed("relation", *(number for (number,) in found), at=self.now())

    def _remove_relations(self, numbers: Iterable[Row]) -> int:
        gone = [number for (number,) in numbers]
        self.rows_in("DELETE FROM relations WHERE number IN ({})", gone)
        self.changed("relation", *gone, at=self.now())
        return len(gone)

    def _require(self, ends: Iterable[Ref]) -> None:
        for end in ends:
            if self.row(f"SELECT 1 FROM {TABLES[end.kind]} WHERE id = ?", (end.id,)) is None:
                also = filled(
                    {
                        "ja": "{end} がありません。関係の前に保存してください。",
                        "zh": "没有“{end}”。请在关系之前保存它。",
                    },
                    end=end.id,
                )
                hint = "Store it before the relation."
                raise NotFound(f"There is no {end.kind} {end.id!r} to relate.", hint=hint, also=also)


@decoded("relation")
def _related_from(row: Row) -> Related:
    _, type, weight, home, kind, id, name, end_type = row
    return Related(type, float(weight), home, Ref(kind, id), name, end_type)


@decoded("relation")
def _relation_from(row: Row) -> Relation:
    number, id, source_kind, source_id, target_kind, target_id, type, weight, metadata, memory_id, home, created_at = (
        row
    )
    return Relation(
        id=id,
        number=number,
        source=Ref(source_kind, source_id),
        target=Ref(target_kind, target_id),
        type=type,
        weight=float(weight),
        metadata=mapping(metadata),
        memory_id=memory_id,
        home=home,
        created_at=moment(created_at),
    )
