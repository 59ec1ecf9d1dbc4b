"""An embedder that is somebody else's: a store is lent it, and does not close it.

Useful for: a server of many tenants, where a model is loaded once and an endpoint's failures are learnt once; an embedder of
the caller's own. Not useful for: one store, which may close what it opened. Invariant: whoever lends it closes it, after
all of them.
"""

from __future__ import annotations

from omoide.embed.around import Around


class Lent(Around):
    """`inner` as it is, but for `close`."""

    def close(self) -> None:
        """Others go on using it."""
