"""Remembers how long an endpoint's vectors are, for a start while the endpoint is down.

Kept in one small file in the cache's folder; without a folder nothing is remembered.
"""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

logger = logging.getLogger(__name__)

FILE_NAME = "dimensions.json"


class KnownDimensions:
    """Numbers by name. If the file cannot be read, it counts as empty; if it cannot be written, that is logged."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / FILE_NAME

    def get(self, name: str) -> int | None:
        """The number stored under that name, or None."""
        value = self._read().get(name)
        return value if isinstance(value, int) and value > 0 else None

    def put(self, name: str, number: int) -> None:
        """Store a number, also for other processes."""
        if self._path is None:
            return
        beside = self._path.with_name(f"{FILE_NAME}.{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_text(json.dumps(self._read() | {name: number}, ensure_ascii=False), encoding="utf-8")
            beside.replace(self._path)
        except OSError as error:
            logger.warning("%s cannot be written: %s", self._path, error)

    def _read(self) -> dict[str, object]:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8")) if self._path else {}
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}
