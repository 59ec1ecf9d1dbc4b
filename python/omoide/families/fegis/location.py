"""A place in an archetype file, for errors and the log: the path, and the names that lead there."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from omoide.errors import InvalidArgument, filled, joined

logger = logging.getLogger(__name__)

_FILE = {"ja": "archetype のファイル {path}：", "zh": "archetype 文件“{path}”："}
_PLACE = {"ja": "archetype のファイル {path} の {where}：", "zh": "archetype 文件“{path}”的“{where}”："}


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file; `where` is like `tools.NoteTaker.frames`."""

    path: Path
    where: str = ""

    def inside(self, where: str) -> Location:
        """The place of a name in this one."""
        return Location(self.path, f"{self.where}.{where}" if self.where else where)

    def error(self, message: str, hint: str = "", *, also: Mapping[str, str]) -> InvalidArgument:
        """The error for a file that is refused; `also` has message and hint in other languages."""
        places = filled(_PLACE if self.where else _FILE, path=self.path, where=self.where)
        translated = joined(places, also)
        return InvalidArgument("archetype", f"{self._said()}: {message}", hint=hint, also=translated)

    def warn(self, message: str) -> None:
        """Log what in the file has no effect, or not everywhere."""
        logger.warning("%s: %s", self._said(), message)

    def _said(self) -> str:
        return f"Archetype file {self.path}" + (f", at {self.where}" if self.where else "")
