"""Which stored entities does a name mean, by what the store alone says? Those of that name, else those whose name is the same in
other characters: 台北 for 臺北, タナカ for ﾀﾅｶ or たなか, 山田 太郎 for 山田太郎.

Useful for: an import, which has no index to ask, and while the index is far behind. Not useful for: nodes, whose labels are
compared as written.
Invariant: finds every entity that was stored before the first such look-up, by others before the last `follow`, or passed to `add`
since.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from omoide.memory.observe import entities_changed_since, spelled
from omoide.model.entity import Entity
from omoide.store.folding import fold_case
from omoide.store.protocol import Reader

_BySpelling = defaultdict[str, dict[int, str]]


class Namesakes:
    """The look-up of one import, or of one name."""

    def __init__(self) -> None:
        #: `spelled(name)` -> number and home of the entities whose folded name differs from it; None until it is first needed.
        self._by_spelling: _BySpelling | None = None
        self._seq = 0  #: the change up to which it knows the names

    def of(self, reader: Reader, name: str, type: str | None = None, home: str | None = None) -> list[Entity]:
        """The entities (of that type and home) with the name, most recently updated first; if there is none, those that have it in
        other characters."""
        return reader.entities_named(name, type=type, home=home) or self.in_other_characters(reader, name, type, home)

    def in_other_characters(
        self, reader: Reader, name: str, type: str | None = None, home: str | None = None
    ) -> list[Entity]:
        """Those whose name is the same in other characters, as `of` without the first."""
        spelling = spelled(name)
        if self._by_spelling is None:
            self._by_spelling = defaultdict(dict)
            _index(self._by_spelling, reader.names_of_entities())
            self._seq = reader.last_seq()
        at_home = [number for number, at in self._by_spelling.get(spelling, {}).items() if home in (None, at)]
        found = reader.entities_by_number(at_home).values()
        fitting = [each for each in found if each.entity_class == "entity" and type in (None, each.type)]
        if spelling != fold_case(name):
            fitting += reader.entities_named(spelling, type=type, home=home)
        return sorted(fitting, key=lambda each: (each.updated_at, each.number), reverse=True)

    def follow(self, reader: Reader) -> None:
        """Add the entities that others have stored; to be called at the beginning of each transaction."""
        if self._by_spelling is None:
            return
        for seq, changed in entities_changed_since(reader, self._seq):
            for entity in changed:
                self.add(entity)
            self._seq = seq

    def add(self, entity: Entity) -> None:
        """Add an entity that was stored in this transaction."""
        if self._by_spelling is not None and entity.entity_class == "entity":
            names = (entity.name, *entity.aliases)
            _index(self._by_spelling, ((entity.number, fold_case(name), entity.home) for name in names))


def _index(by_spelling: _BySpelling, names: Iterable[tuple[int, str, str]]) -> None:
    for number, folded, home in names:
        if (spelling := spelled(folded)) != folded:
            by_spelling[spelling][number] = home
