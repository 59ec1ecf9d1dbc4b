"""One embedder for many stores: each is lent it, and none closes it.

Useful for: a server of many tenants, where a model is loaded once and an endpoint's failures are learnt once. Not useful
for: one store, which may close its own. Invariant: whoever lends it closes it, after all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from omoide.embed.protocol import Embedder, Kind, Vector


class Lent:
    """`inner` as it is, but for `close`."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.name = inner.name
        self.semantic = inner.semantic
        self.weight = inner.weight
        self.max_tokens = inner.max_tokens
        self.instant = inner.instant

    @property
    def version(self) -> str:
        """The inner one's."""
        return self._inner.version

    @property
    def dimensions(self) -> int | None:
        """The inner one's."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """See Embedder."""
        return self._inner.embed(texts, kind)

    def close(self) -> None:
        """Others go on using it."""
