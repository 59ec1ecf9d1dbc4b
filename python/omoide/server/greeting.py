"""What an operator is told at the start: where the store is, which tools there are, and the lines to paste into a client."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from omoide.config import Settings
from omoide.families.tool import Tool

#: A reminder of what the built-in embedder cannot do.
LEXICAL = ", which compares spelling, not meaning; --embedder chooses another"


def greeting(
    settings: Settings, tools: Sequence[Tool], memories: int | None, transport: dict[str, Any], claude: str
) -> str:
    """Lines for people. `memories`: how many are stored; None: each tenant has its own store. `transport` is the entry for a
    client's mcpServers, `claude` the same as a command."""
    contents = "stores of tenants" if memories is None else f"{memories:,} {'memory' if memories == 1 else 'memories'}"
    configuration = json.dumps({"mcpServers": {"omoide": transport}}, ensure_ascii=False)
    return "\n".join(
        [
            f"omoide: {contents} in {settings.data.absolute()}",
            f"omoide: tools {', '.join(tool.name for tool in tools if not tool.on_request)}",
            f"omoide: vectors by {settings.embedder}" + (LEXICAL if settings.embedder == "lexical" else ""),
            f"omoide: for Claude Code: {claude}",
            f"omoide: for other clients: {configuration}",
        ]
    )


def http_entry(url: str, *, token: bool) -> tuple[dict[str, Any], str]:
    """The client's entry and command for a server at `url`."""
    header = "Authorization: Bearer <token>"
    entry: dict[str, Any] = {"type": "http", "url": url}
    if token:
        entry["headers"] = {"Authorization": "Bearer <token>"}
    return entry, f"claude mcp add --transport http omoide {url}" + (f" --header '{header}'" if token else "")


def stdio_entry(data: Path, flags: Sequence[str] = ()) -> tuple[dict[str, Any], str]:
    """The client's entry and command that start this program, with the same flags."""
    command, before = _program()
    arguments = [*before, "serve", "--data", str(data.absolute()), *flags]
    return {"command": command, "args": arguments}, f"claude mcp add omoide -- {shlex.join([command, *arguments])}"


def _program() -> tuple[str, list[str]]:
    """How this process was started, from anywhere: (command, its first arguments)."""
    started = Path(sys.argv[0]).absolute()
    return (sys.executable, ["-m", "omoide"]) if started.name == "__main__.py" else (str(started), [])
