"""The options of the chronica family. Values only: settings are read from the environment elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from omoide.model.memory import DEFAULT_SCOPE
from omoide.model.scope import covers


@dataclass(frozen=True, slots=True)
class Options:
    """`scope` (OMOIDE_SCOPE): reads and writes stay inside it; None reads everything. `home`: where entries are saved.
    `language` (OMOIDE_CHRONICA_LANGUAGE): the language of the opening and the tick; ja, en, zh or zh-Hant."""

    scope: str | None = None
    home: str = DEFAULT_SCOPE
    language: str = "ja"

    @property
    def saved_in(self) -> str:
        """The scope that entries are saved in: `home`, unless it is outside of `scope`."""
        return self.home if self.scope is None or covers(self.scope, self.home) else self.scope
