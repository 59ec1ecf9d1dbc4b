"""Who a request comes from: the tenant whose memories are asked, and what the bearer of the token may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

#: "write": read and write memories; "read": read them; "metrics": read /metrics alone; "all": everything.
Rights = Literal["all", "write", "read", "metrics"]


class Visitor(NamedTuple):
    """`name` stands in logs and counts against limits; `tenant` "" is the store of the data folder itself. `expires`: the token
    ends by itself, and what was asked before may be answered after it; any other is good until it is withdrawn."""

    name: str = "local"
    tenant: str = ""
    rights: Rights = "all"
    expires: bool = False

    @property
    def account(self) -> str:
        """What limits count by."""
        return f"{self.tenant}\n{self.name}"

    @property
    def may_read(self) -> bool:
        """Whether tools answer at all."""
        return self.rights != "metrics"

    @property
    def may_write(self) -> bool:
        """Whether tools that change something answer."""
        return self.rights in ("all", "write")

    @property
    def may_measure(self) -> bool:
        """Whether /metrics answers."""
        return self.rights in ("all", "metrics")


#: Where the guards leave the visitor of a request, in its ASGI scope.
VISITOR = "omoide.visitor"

#: Where no token is asked for: whoever can connect.
LOCAL = Visitor()


def visitor_of(scope: Mapping[str, Any]) -> Visitor:
    """Who the guards found a request to come from."""
    visitor: Visitor = scope.get(VISITOR, LOCAL)
    return visitor
