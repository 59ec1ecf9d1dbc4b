"""Wraps an embedder that several stores share, so that none of them closes it.

Useful for: a server of many tenants, which load a model once and learn of an endpoint's failure once; an embedder of the
caller's. Not useful for: a single store, which may close its embedder. Invariant: the owner closes the embedder when no
store needs more vectors.
"""

from __future__ import annotations

from omoide.embed.wrapper import Wrapper


class Borrowed(Wrapper):
    """`inner`, except that `close` does nothing."""

    def close(self) -> None:
        """Does nothing, as others go on using it."""
