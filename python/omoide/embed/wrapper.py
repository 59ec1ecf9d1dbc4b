"""Base class of embedders that wrap another one, to which they delegate whatever they do not do themselves.

Useful for: a cache, a queue or a cut in front of an embedder. Not useful for: embedders that make vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from omoide.embed.protocol import Embedder, Kind, Vector


class Wrapper:
    """Delegates everything to `inner`."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self.name = inner.name
        self.semantic = inner.semantic
        self.weight = inner.weight
        self.max_tokens = inner.max_tokens
        self.instant = inner.instant

    @property
    def version(self) -> str:
        """The inner one's."""
        return self.inner.version

    @property
    def dimensions(self) -> int | None:
        """The inner one's."""
        return self.inner.dimensions

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """See Embedder."""
        return self.inner.embed(texts, kind)

    def close(self) -> None:
        """Close the inner one."""
        self.inner.close()
