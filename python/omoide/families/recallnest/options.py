"""The options of this family, which an operator chooses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omoide.memory.reconstruct import Ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Values only; settings are read from the environment elsewhere.

    `default_scope` (RECALLNEST_DEFAULT_SCOPE, RECALLNEST_SCOPE, RECALLNEST_PROJECT_SCOPE; the first that is set): the
    scope of calls that name none.
    `session` (RECALLNEST_SESSION_ID): without a default scope, such calls use `session:<this>`.
    `require_scope` (OMOIDE_REQUIRE_SCOPE, `--require-scope`): with neither of the two, refuse such calls with
    `scope_required` instead of using the scope `global`.
    `related_scopes`: scope -> the scopes that `includeRelatedScopes` also looks into.
    `reconstruct` (RECALLNEST_CONSTRUCTIVE_RETRIEVAL): whether `reconstruct: true` may `ask` a chat model; `ask` is None if no
    endpoint is set.
    """

    default_scope: str | None = None
    session: str | None = None
    require_scope: bool = False
    related_scopes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reconstruct: bool = False
    ask: Ask | None = None
