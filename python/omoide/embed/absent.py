"""The embedder that an index was built with and that cannot be had any more: its vectors are left out.

Useful for: an old build that answers by words while its successor is made. Invariant: it embeds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from omoide.embed.protocol import EmbedderUnavailable, Kind


class Absent:
    """Named as the one that is missing; `why` ends the sentence that tells so."""

    semantic = False
    weight = 0.0
    dimensions = None
    max_tokens = None
    instant = False

    def __init__(self, name: str, version: str, why: str) -> None:
        self.name = name
        self.version = version
        self._why = why

    def embed(self, texts: Sequence[str], kind: Kind) -> NoReturn:
        """Raises EmbedderUnavailable."""
        raise EmbedderUnavailable(f"The index was built with {self.name}, {self._why}.", retry_after=60.0)

    def close(self) -> None:
        """Nothing is held."""
