"""One embedder for many stores: each is lent it, and none closes it.

Useful for: a server of many tenants, where a model is loaded once and an endpoint's failures are learnt once. Not useful
for: one store, which may close its own. Invariant: whoever lends it closes it, after all of them.
"""

from __future__ import annotations

from omoide.embed.around import Around


class Lent(Around):
    """`inner` as it is, but for `close`."""

    def close(self) -> None:
        """Others go on using it."""
