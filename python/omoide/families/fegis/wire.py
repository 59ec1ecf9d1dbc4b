"""The answers of the fegis family: the keys of each detail level, the answers, the errors.

Useful for: everything a client gets back. Not useful for: deciding what is found, or schemas (schemas.py).
Invariant: the keys of a detail level, and their order, never vary; a missing value is null.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import Any, NamedTuple

from omoide.errors import InvalidArgument, OmoideError
from omoide.families.fegis.previews import content_preview, relative_time, title_of
from omoide.families.tool import Misfit, Result, indented
from omoide.model.memory import Memory

FEGIS_VERSION = "2.0.0"
SCHEMA_VERSION = "1.0"


class Shown(NamedTuple):
    """A memory to be shown: its score (0..1), and the present instant, for its age."""

    memory: Memory
    score: float
    now: datetime


_VALUES: Mapping[str, Callable[[Shown], Any]] = {
    "memory_id": lambda shown: shown.memory.id,
    "title": lambda shown: title_of(shown.memory),
    "context": lambda shown: shown.memory.context,
    "tool": lambda shown: shown.memory.tool,
    "session_id": lambda shown: shown.memory.session_id,
    "score": lambda shown: shown.score,
    "content_preview": lambda shown: content_preview(shown.memory.text),
    "relative_time": lambda shown: relative_time(shown.memory.stored_at, shown.now),
    "content": lambda shown: shown.memory.text,
    "sequence_order": lambda shown: shown.memory.sequence_order,
    "timestamp": lambda shown: shown.memory.stored_at.astimezone(timezone.utc).isoformat(),
    "preceding_memory_id": lambda shown: shown.memory.preceding_id,
    "meta.agent_id": lambda shown: shown.memory.agent_id,
    "meta.archetype_title": lambda shown: _meta(shown.memory)["archetype_title"],
    "parameters": lambda shown: dict(shown.memory.parameters),
    "frames": lambda shown: dict(shown.memory.frames),
    "meta": lambda shown: _meta(shown.memory),
}

DETAILS: Mapping[str, tuple[str, ...]] = {
    "compact": ("memory_id", "title", "tool", "context", "session_id", "score"),
    "summary": (
        "memory_id",
        "title",
        "context",
        "tool",
        "score",
        "content_preview",
        "relative_time",
        "session_id",
    ),
    "graph": (
        "memory_id",
        "title",
        "preceding_memory_id",
        "session_id",
        "sequence_order",
        "tool",
        "relative_time",
        "timestamp",
        "score",
        "meta.agent_id",
        "meta.archetype_title",
    ),
    "full": (
        "memory_id",
        "score",
        "title",
        "content",
        "context",
        "tool",
        "session_id",
        "sequence_order",
        "timestamp",
        "preceding_memory_id",
        "parameters",
        "frames",
        "meta",
    ),
}


def view(shown: Shown, detail: str) -> dict[str, Any]:
    """One search result: exactly the keys of `detail`, in order."""
    return {key: _VALUES[key](shown) for key in DETAILS[detail]}


def _meta(memory: Memory) -> dict[str, Any]:
    archetype = memory.archetype
    return {
        "agent_id": memory.agent_id,
        "schema_version": archetype and archetype.schema_version,
        "fegis_version": FEGIS_VERSION,
        "archetype_title": archetype and archetype.title,
        "archetype_version": archetype and archetype.version,
    }


def score(relevance: float, threshold: float) -> float:
    """The score to four decimals, but not less than the threshold, which it has passed."""
    return max(round(relevance, 4), threshold)


def found(results: list[dict[str, Any]], notes: list[str]) -> Result:
    """The answer of a search; `notes` only if there are any."""
    return _answer({"search_results": results, **({"notes": notes} if notes else {})})


def stored(tool: str, memory_id: str) -> Result:
    """The answer of an archetype tool."""
    return _answer({"message": f"'{tool}' stored with memory_id: {memory_id}"})


def refused(error: OmoideError) -> Result:
    """An error as the answer: `type` is `ValueError` if an argument is wrong."""
    kind = "ValueError" if isinstance(error, InvalidArgument) else type(error).__name__
    hint = {"hint": error.hint} if error.hint else {}
    body = {"error": error.message, "type": kind, "code": error.code, **hint}
    return Result(text=indented(body), is_error=True, error=error)


def unfit(misfit: Misfit) -> Result:
    """The answer to arguments that do not fit the schema: first the validator's message, which clients know, then where and
    what to do."""
    where = misfit.where or misfit.argument or "arguments"
    step = f"{where}: compare with the tool's input schema, then call again. [invalid_argument]"
    return Result(text=f"Input validation error: {misfit.reason}\n{step}", is_error=True)


def _answer(body: dict[str, Any]) -> Result:
    return Result(text=indented(body), structured=body)
