"""A workspace is what a tenant's calls run against: its tools, bound to its memories, and its sessions.

Useful for: the dispatcher, which enters one for every call. Not useful for: deciding who may enter; see guards.py.
Invariant: a workspace stays open as long as a call is inside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple, Protocol

from omoide.families.tool import Tool
from omoide.server.calls.call import Call
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.translations import UsualLanguage, unknown_language


class Workspace(NamedTuple):
    """One tenant's tools by name, its sessions, and what tells what a text of Han characters alone is."""

    calls: Mapping[str, Call]
    sessions: Sessions
    language: UsualLanguage


def workspace_of(tools: Sequence[Tool], sessions: Sessions, language: UsualLanguage = unknown_language) -> Workspace:
    """A workspace with exactly these tools; `language` tells what a text of Han characters alone is."""
    return Workspace({tool.name: Call(tool, language) for tool in tools}, sessions, language)


class Workspaces(Protocol):
    """The workspaces of a server."""

    def enter(self, tenant: str) -> AbstractContextManager[Workspace]:
        """The tenant's workspace, open while the block runs. From any thread. Raises OmoideError."""
        ...

    def language(self, tenant: str) -> UsualLanguage | None:
        """The `language` of the tenant's workspace; None if that is not open, as nothing is opened to say it. From any thread."""
        ...


class OneWorkspace:
    """The same workspace for everybody: a server of one store."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._entered = nullcontext(workspace)

    def enter(self, tenant: str) -> AbstractContextManager[Workspace]:
        """See Workspaces."""
        return self._entered

    def language(self, tenant: str) -> UsualLanguage:
        """See Workspaces."""
        return self._workspace.language
