"""Who the bearer of a token is.

Invariant: a token is compared by its hash, so neither time nor a dump of memory tells what it is.
"""

from __future__ import annotations

import hashlib

from omoide.config import Secret
from omoide.server.refusal import Refusal
from omoide.server.visitor import Visitor


class OneToken:
    """The one token of a server of one store (OMOIDE_TOKEN)."""

    def __init__(self, token: Secret) -> None:
        self._expected = digest(token)

    async def visitor(self, token: str | None) -> Visitor:
        """See guards.Keys."""
        if token is None or digest(token) != self._expected:
            raise unknown(token)
        return Visitor("token")


def digest(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def unknown(token: str | None) -> Refusal:
    """The answer to a request without a token, or with one that nobody has."""
    if token is None:
        return Refusal(401, "invalid_request", "A bearer token is required.", {"WWW-Authenticate": "Bearer"})
    challenge = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
    return Refusal(401, "invalid_token", "The bearer token is not known.", challenge)
