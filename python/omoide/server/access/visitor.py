"""Who a request comes from: the tenant whose memories are used, and what the bearer of the token may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

#: "write": read and write memories; "read": read them; "metrics": read /metrics alone; "all": everything.
Rights = Literal["all", "write", "read", "metrics"]

#: Scopes that an authorization server is asked for: to use the tools, to call one that changes something, to read /metrics. Reading
#: is asked for beside writing, so that it can be granted alone.
TOOLS = "memories:read memories:write"
WRITING = "memories:write"
MEASURING = "metrics"


class Visitor(NamedTuple):
    """`name` appears in logs, and limits apply to it; `tenant` "" is the data folder's own store; `rights` None: nothing.
    `expires`: the token expires by itself, and calls begun before that may be answered later; any other token is valid until it
    is withdrawn. At `metadata_url` its client learns where to get a token of other scopes (RFC 9728); None: it has none."""

    name: str = "local"
    tenant: str = ""
    rights: Rights | None = "all"
    expires: bool = False
    metadata_url: str | None = None

    @property
    def account(self) -> str:
        """The name that limits count requests by."""
        return f"{self.tenant}\n{self.name}"

    @property
    def may_read(self) -> bool:
        """Whether tools answer at all."""
        return self.rights in ("all", "write", "read")

    @property
    def may_write(self) -> bool:
        """Whether tools that change something answer."""
        return self.rights in ("all", "write")

    @property
    def may_measure(self) -> bool:
        """Whether /metrics answers."""
        return self.rights in ("all", "metrics")


#: The key of the ASGI scope where the guards leave the visitor of a request.
VISITOR = "omoide.visitor"

#: Anyone who can connect, if the server asks for no token.
LOCAL = Visitor()


def visitor_of(scope: Mapping[str, Any]) -> Visitor:
    """The visitor whom the guards have let in with this request."""
    visitor: Visitor = scope.get(VISITOR, LOCAL)
    return visitor
