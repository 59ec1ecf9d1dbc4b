"""The options of the chronica family. Values only: settings are read from the environment elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from omoide.model.memory import DEFAULT_SCOPE


@dataclass(frozen=True, slots=True)
class Options:
    """`scope` (OMOIDE_SCOPE): reads and writes stay inside it; None reads everything and writes to `home`.
    `language` (OMOIDE_CHRONICA_LANGUAGE): the language of the opening and the tick; ja, en, zh or zh-Hant."""

    scope: str | None = None
    home: str = DEFAULT_SCOPE
    language: str = "ja"
