"""Which stored entities does a name mean, by what the store alone says? Those of that name, else those whose name is the same in
other characters: 台北 for 臺北, タナカ for ﾀﾅｶ or たなか, 山田 太郎 for 山田太郎.

Useful for: nodes, whose names the index does not have; an import, which has no index to ask; while the index is far behind. Not
useful for: rewriting nodes, whose labels are compared as written.
Invariant: finds every entity that was stored before the first such look-up, by others before the last `follow`, or passed to `add`
since.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from omoide.engine.names import without_accents
from omoide.memory.observe import entities_changed_since, is_called, is_called_without_accents, spelled
from omoide.model.entity import Entity, EntityClass
from omoide.model.scope import plain
from omoide.store.folding import fold_case
from omoide.store.protocol import Reader, Standing

_BySpelling = defaultdict[str, dict[int, str]]


class Namesakes:
    """The look-up of entities, or of nodes; threads may share one."""

    def __init__(self, entity_class: EntityClass = "entity") -> None:
        self._class: EntityClass = entity_class
        #: `_key(name)` -> number and home of those whose folded name differs from it, and the state of the store up to which it
        #: knows the names; None until it is first needed.
        self._known: tuple[_BySpelling, Standing] | None = None

    def of(self, reader: Reader, name: str, type: str | None = None, home: str | None = None) -> list[Entity]:
        """The entities (of that type and home) with the name, most recently updated first; if there is none, those that have it in
        other characters."""
        named = reader.entities_named(name, entity_class=self._class, type=type, home=home)
        return named or self.in_other_characters(reader, name, type, home)

    def in_other_characters(
        self, reader: Reader, name: str, type: str | None = None, home: str | None = None
    ) -> list[Entity]:
        """Those whose name is the same in other characters, as `of` without the first."""
        found = self.without_accents(reader, name, type, home)
        return [each for each in found if is_called(each, name)]

    def without_accents(
        self, reader: Reader, name: str, type: str | None = None, home: str | None = None
    ) -> list[Entity]:
        """Those whose name is the same in other characters or differs in accents only."""
        if (known := self._known) is None:
            by_spelling: _BySpelling = defaultdict(dict)
            _index(by_spelling, reader.names_of_entities(self._class))
            self._known = known = by_spelling, reader.standing()
        key = _key(name)
        spelled_so = list(known[0].get(key, {}).items())
        at_home = [number for number, at in spelled_so if home is None or plain(home) == plain(at)]
        found = {**reader.entities_by_number(at_home)}
        if key != fold_case(name):
            named = reader.entities_named(key, entity_class=self._class, type=type, home=home)
            found.update((each.number, each) for each in named)
        fitting = [each for each in found.values() if each.entity_class == self._class and type in (None, each.type)]
        called = [each for each in fitting if is_called_without_accents(each, name)]
        return sorted(called, key=lambda each: (each.updated_at, each.number), reverse=True)

    def follow(self, reader: Reader) -> None:
        """Add the entities that others have stored; to be called at the beginning of each transaction."""
        if (known := self._known) is None:
            return
        by_spelling, known_at = known
        if not reader.goes_on_from(known_at):
            self._known = None
            return
        for _, changed in entities_changed_since(reader, known_at.seq):
            self._add(by_spelling, changed)
        self._known = by_spelling, reader.standing()

    def add(self, entity: Entity) -> None:
        """Add an entity that was stored in this transaction."""
        if (known := self._known) is not None:
            self._add(known[0], (entity,))

    def _add(self, by_spelling: _BySpelling, entities: Iterable[Entity]) -> None:
        for entity in entities:
            if entity.entity_class == self._class:
                names = (entity.name, *entity.aliases)
                _index(by_spelling, ((entity.number, fold_case(name), entity.home) for name in names))


def _key(name: str) -> str:
    return spelled(name if name.isascii() else without_accents(name))


def _index(by_spelling: _BySpelling, names: Iterable[tuple[int, str, str]]) -> None:
    for number, folded, home in names:
        if (key := _key(folded)) != folded:
            by_spelling[key][number] = home
