"""Where in an archetype file is something wrong? The path and the names on the way there, for errors and the log."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from omoide.errors import InvalidArgument

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere in a file; `where` is like `tools.NoteTaker.frames`."""

    path: Path
    where: str = ""

    def inside(self, where: str) -> Place:
        """The place of a name in this one."""
        return Place(self.path, f"{self.where}.{where}" if self.where else where)

    def wrong(self, message: str, hint: str = "") -> InvalidArgument:
        """The error that refuses the file."""
        return InvalidArgument("archetype", f"{self._said()}: {message}", hint=hint)

    def warn(self, message: str) -> None:
        """Tell the log what of the file has no effect, or not everywhere."""
        logger.warning("%s: %s", self._said(), message)

    def _said(self) -> str:
        return f"Archetype file {self.path}" + (f", at {self.where}" if self.where else "")
