"""`memory_drill_down`: shows one memory in full."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from omoide.errors import NotFound, shortened
from omoide.families.recallnest import wire
from omoide.families.recallnest.card import UPCOMING, iso, one_line
from omoide.families.recallnest.context import Context, command
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.remember import has_ended, is_upcoming
from omoide.model.memory import Memory, Status

NAME = "memory_drill_down"
LEVELS = ("overview", "full")
#: The keys of an importer's abstract and overview, in both spellings.
_ABSTRACT = ("l0_abstract", "l0")
_OVERVIEW = ("l1_overview", "l1")

INPUT = wire.arguments(
    {
        "id": {"type": "string", "description": "Full id of a memory, or a prefix of at least 8 characters"},
        "level": {"type": "string", "enum": list(LEVELS), "default": "full"},
    },
    "id",
)
OUTPUT = wire.answer(
    {
        "id": wire.STRING,
        "category": wire.STRING,
        "scope": wire.STRING,
        "importance": wire.SHARE,
        "createdAt": wire.STRING,
        "status": wire.STRING,
        "level": {"type": "string", "enum": list(LEVELS), "description": "overview only where the memory has one"},
        "abstract": wire.STRING,
        "text": wire.STRING,
    },
    "id",
    "category",
    "scope",
    "importance",
    "createdAt",
    "status",
    "level",
    "text",
)


def tool(context: Context) -> Tool:
    """The tool over the memories of a context."""
    return command(
        context,
        NAME,
        _show,
        title="Show one memory whole",
        description="The whole text of one memory, or its overview where an importer gave one.",
        input_schema=INPUT,
        output_schema=OUTPUT,
        on_request=True,
        read_only=True,
        sources_apart=True,
    )


def _show(context: Context, arguments: Arguments) -> Result:
    try:
        memory = context.memories.find(arguments["id"].strip())
    except NotFound as error:
        missing = f"No memory found with ID: {shortened(one_line(arguments['id']))}"
        return Result(f"{missing}\n{error.hint} [{error.code}]", is_error=True, error=error)
    overview = _first_text(memory, _OVERVIEW) if arguments.get("level") == "overview" else None
    abstract = _first_text(memory, _ABSTRACT)
    structured = {
        "id": memory.id,
        "category": memory.category,
        "scope": memory.scope,
        "importance": memory.importance,
        "createdAt": iso(memory.stored_at),
        "status": _status(memory, context.memories.clock()),
        "level": "full" if overview is None else "overview",
        **({} if abstract is None else {"abstract": abstract}),
        "text": memory.text if overview is None else overview,
    }
    return Result(_text(structured), structured, shown={memory.id: memory})


def _status(memory: Memory, now: datetime) -> str:
    """The stored status; for an active memory `expired` if it is no longer valid, `upcoming` if not yet, as in a search."""
    stored: str = memory.status.value
    if memory.status is not Status.ACTIVE:
        return stored
    if has_ended(memory, now):
        return "expired"
    return UPCOMING if is_upcoming(memory, now) else stored


def _first_text(memory: Memory, names: tuple[str, ...]) -> str | None:
    found = (memory.extra.get(name) for name in names)
    return next((each for each in found if isinstance(each, str) and each.strip()), None)


def _text(shown: dict[str, Any]) -> str:
    cells = (
        ("ID", shown["id"]),
        ("Category", shown["category"]),
        ("Scope", shown["scope"]),
        ("Importance", f"{shown['importance']:g}"),
        ("Created", shown["createdAt"]),
        *([("Status", shown["status"])] if shown["status"] != "active" else []),
        *([("Abstract", shown["abstract"])] if "abstract" in shown else []),
    )
    head = "\n".join(f"**{name}**: {one_line(value)}" for name, value in cells)
    title = {"full": "Full Content", "overview": "L1 Overview"}[shown["level"]]
    return f"{head}\n\n## {one_line(shown['category'])} ({title})\n\n{shown['text']}"
