"""The tools of the recallnest door, thin: arguments in, one or two calls of the memories, a laid-out answer.

Useful for: what happens in which order in a call. Not useful for: what arguments mean (translate.py) or how answers
look (layouts.py, row.py).
Invariant: reminders fire only after the search has succeeded, so that none is used up by an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import Any

from omoide.errors import OmoideError
from omoide.families.recallnest import layouts, notes, scope, translate, wire
from omoide.families.recallnest.highlight import Terms, highlighted
from omoide.families.recallnest.options import Options
from omoide.families.recallnest.row import STORE_TOOL, Row, iso, short_id
from omoide.families.recallnest.translate import Question
from omoide.families.tool import Arguments, Caller, Result, Run, Tool
from omoide.memory import Memories, Remembered
from omoide.text import Analyzer

SEARCH_TOOL = "search_memory"


def tools(memories: Memories, options: Options) -> list[Tool]:
    """`search_memory` and `store_memory` over these memories."""
    analyzer = Analyzer()
    return [_search_tool(memories, options, lambda text: _terms(analyzer, text)), _store_tool(memories, options)]


def _search_tool(memories: Memories, options: Options, terms: Terms) -> Tool:
    def run(caller: Caller, arguments: Arguments) -> Result:
        resolved = scope.of_search(arguments, options, memories.scope)
        return _search(memories, arguments, resolved, terms)

    return Tool(
        name=SEARCH_TOOL,
        title="Search memories",
        description=wire.SEARCH_DESCRIPTION,
        input_schema=wire.SEARCH_INPUT,
        output_schema=wire.SEARCH_OUTPUT,
        run=_refusing(SEARCH_TOOL, run),
        read_only=True,
        family="recallnest",
    )


def _store_tool(memories: Memories, options: Options) -> Tool:
    def run(caller: Caller, arguments: Arguments) -> Result:
        resolved = scope.of_store(arguments, options, memories.scope)
        return _store(memories, arguments, resolved)

    return Tool(
        name=STORE_TOOL,
        title="Store a memory",
        description=wire.STORE_DESCRIPTION,
        input_schema=wire.STORE_INPUT,
        output_schema=wire.STORE_OUTPUT,
        run=_refusing(STORE_TOOL, run),
        idempotent=True,
        family="recallnest",
    )


def _refusing(tool: str, run: Run) -> Run:
    @wraps(run)
    def guarded(caller: Caller, arguments: Arguments) -> Result:
        try:
            return run(caller, arguments)
        except OmoideError as error:
            return wire.refusal(tool, error)

    return guarded


# --- search -----------------------------------------------------------------------------------------------------------


def _search(memories: Memories, arguments: Arguments, resolved: str | None, terms: Terms) -> Result:
    at = memories.moment
    asked = translate.question(arguments, resolved, at)
    standing = memories.recall(asked.standing).hits
    expired = memories.recall(asked.expired).hits if asked.expired else ()
    hits = translate.merged(standing, expired, asked.standing.limit)
    if asked.highlight:
        hits = highlighted(hits, asked.standing.text, terms)
    gone = {hit.memory.id for hit in expired}
    rows = [Row(hit, at.now, at.zone, hit.memory.id in gone, resolved) for hit in hits]
    remarks = _remarks(memories, asked, resolved, rows)
    reminders = [each.action for each in memories.due_reminders(asked.standing.text, scope=resolved)]
    return _answer(asked, resolved, rows, remarks, reminders)


def _remarks(memories: Memories, asked: Question, resolved: str | None, rows: Sequence[Row]) -> list[str]:
    lang = notes.language(asked.standing.text)
    remarks = []
    if not rows:
        remarks.append(notes.nothing_found(resolved, _visible_scopes(memories), lang))
    if _weak(rows):
        remarks.append(notes.low_confidence(_best(rows), lang))
    if asked.reconstruct:
        remarks.append(notes.reconstruct(lang))
    return remarks


def _best(rows: Sequence[Row]) -> float:
    return max(row.score for row in rows)


def _weak(rows: Sequence[Row]) -> bool:
    return bool(rows) and _best(rows) < notes.CONFIDENT


def _visible_scopes(memories: Memories) -> dict[str, int]:
    """Memories by scope, of the scopes that this process may see."""
    by_scope = memories.counts().by_scope
    return {name: count for name, count in by_scope.items() if scope.visible(name, memories.scope)}


def _answer(
    asked: Question, resolved: str | None, rows: Sequence[Row], remarks: Sequence[str], reminders: Sequence[str]
) -> Result:
    query = asked.standing.text
    structured = {
        "query": query,
        "profile": asked.profile,
        **({} if resolved is None else {"scope": resolved}),
        "allScopes": resolved is None,
        "results": [row.structured(asked.detail) for row in rows],
        "lowConfidence": _weak(rows),
        "notes": list(remarks),
        "reminders": list(reminders),
    }
    return Result(layouts.document(query, asked.profile, rows, asked.detail, remarks, reminders), structured)


def _terms(analyzer: Analyzer, text: str) -> frozenset[str]:
    return frozenset(analyzer.document(text).terms)


# --- store ------------------------------------------------------------------------------------------------------------


def _store(memories: Memories, arguments: Arguments, resolved: str) -> Result:
    draft = translate.draft(arguments, resolved, memories.moment)
    remembered = memories.remember(draft)
    return Result(_stored_text(remembered), _stored_value(remembered))


def _stored_value(remembered: Remembered) -> dict[str, Any]:
    memory, previous = remembered.memory, remembered.previous
    key_of_other = "conflict" if remembered.disposition == "conflict" else "previous"
    return {
        "id": memory.id,
        "disposition": wire.DISPOSITIONS[remembered.disposition],
        "category": memory.category,
        "scope": memory.scope,
        "canonicalKey": memory.canonical_key or "",
        "storedAt": iso(memory.stored_at),
        **({} if previous is None else {key_of_other: previous.id}),
    }


def _stored_text(remembered: Remembered) -> str:
    memory, previous = remembered.memory, remembered.previous
    conflict = remembered.disposition == "conflict"
    lines = [
        ("Disposition", wire.DISPOSITIONS[remembered.disposition]),
        ("Category", memory.category),
        ("Scope", memory.scope),
        ("Canonical key", memory.canonical_key or ""),
        ("Stored at", iso(memory.stored_at) or ""),
    ]
    if conflict:
        lines.insert(-1, ("Conflict", layouts.conflict(memory)))
    elif previous is not None:
        lines.insert(-1, ("Superseded", short_id(previous.id)))
    return layouts.stored(None if conflict else short_id(memory.id), lines)
