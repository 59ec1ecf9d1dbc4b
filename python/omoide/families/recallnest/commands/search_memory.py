"""`search_memory`: the schema, and the steps of a search.

Useful for: the one tool everybody uses. Not useful for: what its arguments mean (translate.py) or how its answer looks
(layouts.py, adaptive.py, page.py).
Invariant: reminders fire only after the search has succeeded, so that an error does not use one up.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence, Set
from typing import Any

from omoide.dates import Moment
from omoide.errors import StoreError
from omoide.families.recallnest import layouts, notes, reconstruction, related, scope, searching, translate, wire
from omoide.families.recallnest.context import Context, command
from omoide.families.recallnest.rendering import shown
from omoide.families.recallnest.searching import Found
from omoide.families.recallnest.translate import Question
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.notes import on_missing_arms
from omoide.memory.recall import WORTH_READING
from omoide.model.reminder import Reminder

logger = logging.getLogger(__name__)

NAME = "search_memory"

DESCRIPTION = (
    "Search indexed memories by similarity and words, in any language, and return ranked results with optional temporal "
    "filtering. Read-only, but may fire stored reminders as a side effect. Use proactively at the start of tasks, when "
    "debugging, writing, or when the user references past work. Scores are relevance, 0-100%: below 40% is weak."
)

INPUT = wire.arguments(
    {
        **wire.ASKED,
        "includeRelatedScopes": {
            "type": "boolean",
            "description": "Also search the scopes configured as related, in a section of their own",
        },
        "category": {
            "type": "string",
            "enum": wire.CATEGORY["enum"],
            "description": "Only profile (identity/background), preferences (habits/style), entities (projects/tools/"
            "people), events (past happenings), cases (problem-solution pairs) or patterns (reusable workflows)",
        },
        "profile": {
            "type": "string",
            "enum": wire.PROFILE["enum"],
            "description": "Retrieval profile: writing (loose associations), debug (exact words, recent first), "
            "fact-check (exact words)",
        },
        "render": {
            "type": "string",
            "enum": list(wire.RENDERS),
            "default": "verbatim",
            "description": "verbatim (ranked order) or highlight (reorder by overlap with the query)",
        },
        "after": {
            "type": "string",
            "description": "Stored on or after this date: YYYY-MM-DD, or relative like '最近30天', 'last 7 days', '過去7日間'",
        },
        "before": {"type": "string", "description": "Stored on or before this date: ISO or relative"},
        "graph": wire.GRAPH,
        "includeArchived": {
            "type": "boolean",
            "description": "Also return archived/superseded/consolidated memories (default: only active)",
        },
        "detail_level": {
            "type": "string",
            "enum": list(wire.DETAIL_LEVELS),
            "default": "normal",
            "description": "brief (ID+score+one-liner), normal, full (metadata and whole text)",
        },
        "topicTag": {
            "type": "string",
            "minLength": 1,
            "maxLength": 60,
            "description": "Only memories tagged with this topic (e.g. 'auth', 'deploy'), any case",
        },
        "reconstruct": {
            "type": "boolean",
            "description": "LLM synthesis beside raw results, citing memory ids, every sentence checked; needs "
            "RECALLNEST_CONSTRUCTIVE_RETRIEVAL=true",
        },
        "validAt": {
            "type": "string",
            "description": "Only memories whose validity window covers this date (ISO date, e.g. '2025-06-15')",
        },
        "includeExpired": {
            "type": "boolean",
            "description": "Include expired memories, demoted 80% (default: only non-expired)",
        },
    },
    "query",
)

RESULT = wire.answer(
    {
        "id": wire.STRING,
        "score": {**wire.SHARE, "description": "Relevance"},
        "text": {**wire.STRING, "description": "The whole text (brief: a one-line excerpt)"},
        "category": wire.STRING,
        "scope": wire.STRING,
        "storedAt": wire.STRING,
        "why": {**wire.STRING, "description": "Retrieval path and matched terms"},
        "status": {
            **wire.STRING,
            "description": "active, superseded, archived, consolidated, pending_review, expired or upcoming",
        },
        "alike": {**wire.STRINGS, "description": "Ids of memories that say the same and take no place of their own"},
        "title": wire.STRING,
        "tier": wire.STRING,
        "source": wire.STRING,
        "tool": wire.STRING,
        "importance": wire.SHARE,
        "confidence": wire.SHARE,
        "tags": wire.STRINGS,
        "topicTag": wire.STRING,
        "canonicalKey": wire.STRING,
        "provenance": wire.STRING,
        "accessCount": {"type": "integer"},
        "eventTime": wire.STRING,
        "validFrom": wire.STRING,
        "validUntil": wire.STRING,
        "supersededBy": wire.STRING,
        "snippet": {**wire.STRING, "description": "highlight: the best sentence, a slice of text"},
        "marks": {
            "type": "array",
            "items": {"type": "array", "items": {"type": "integer"}},
            "description": "highlight: [start, end) of what was found, in code points of text",
        },
        "form": {"type": "string", "enum": ["full", "snippet"], "description": "adaptive: how much text this is"},
    },
    "id",
    "score",
    "text",
)

OUTPUT = wire.answer(
    {
        "query": wire.STRING,
        "profile": wire.STRING,
        "scope": {**wire.STRING, "description": "The scope searched; absent when all were"},
        "allScopes": {"type": "boolean"},
        "results": {"type": "array", "items": RESULT},
        "lowConfidence": {"type": "boolean"},
        "notes": wire.STRINGS,
        "reminders": {**wire.STRINGS, "description": "Actions of reminders that this search fired"},
        "omitted": {**wire.COUNT, "description": "adaptive: results beyond the token budget"},
        "reconstruction": reconstruction.OUTPUT,
        "related": {
            "type": "array",
            "items": wire.answer(
                {"scope": wire.STRING, "results": {"type": "array", "items": RESULT}}, "scope", "results"
            ),
        },
    },
    "query",
    "profile",
    "allScopes",
    "results",
    "lowConfidence",
    "notes",
    "reminders",
)


def tool(context: Context) -> Tool:
    """The tool over the memories of a context."""
    return command(
        context,
        NAME,
        _search,
        title="Search memories",
        description=DESCRIPTION,
        input_schema=INPUT,
        output_schema=OUTPUT,
        read_only=True,
    )


def _search(context: Context, arguments: Arguments) -> Result:
    with context.memories.glance():
        return _answer(context, arguments)


def _answer(context: Context, arguments: Arguments) -> Result:
    search_scope, at = context.read_scope(NAME, arguments), context.memories.moment
    question = translate.question(arguments, search_scope, at)
    found = searching.search(context, question, at, search_scope)
    page = found.page
    text, results = shown(question, page)
    synthesis = reconstruction.extras(context, question, page)
    related_scopes = related.extras(context, arguments, search_scope, at)
    best_score = max(page.scores, default=None)
    is_weak = best_score is not None and best_score < WORTH_READING
    if best_score is None:
        of_hits = _on_nothing(context, arguments, search_scope, found, at)
    else:
        of_hits = _on_hits(found, best_score)
    remarks = [*of_hits, *related_scopes.notes, *synthesis.notes]
    reminders, reminder_remarks = _reminders(context, question, search_scope)
    remarks += reminder_remarks
    structured = {
        **_question(question, search_scope),
        "results": results,
        "lowConfidence": is_weak,
        "notes": remarks,
        "reminders": [each.action for each in reminders],
        **({"omitted": omitted} if (omitted := len(page.hits) - len(results)) else {}),
        **synthesis.structured,
        **related_scopes.structured,
    }
    document = layouts.document([*synthesis.sections, text, *related_scopes.sections], remarks, structured["reminders"])
    only = _only(question, results, synthesis.ids | related_scopes.ids)
    return Result(document, structured, shown={each.id: each for each in reminders}, only=only)


def _only(question: Question, results: Sequence[Mapping[str, Any]], elsewhere: Set[str]) -> Set[str] | None:
    """The ids of the results, and of what is shown `elsewhere`, where more may have been found: beyond the budget, or by the
    searches for the archived and the expired."""
    if question.detail != "adaptive" and not question.others:
        return None
    return {*elsewhere, *(result["id"] for result in results)}


def _question(question: Question, search_scope: str | None) -> dict[str, Any]:
    scope_values = {"allScopes": True} if search_scope is None else {"scope": search_scope, "allScopes": False}
    return {"query": question.text, "profile": question.profile, **scope_values}


def _reminders(context: Context, question: Question, search_scope: str | None) -> tuple[list[Reminder], list[str]]:
    """(fired reminders, remarks). Firing is a write: for a caller that may not write, reminders stay pending."""
    if not context.may_write:
        return [], []
    in_one_scope = search_scope is not None and scope.is_one_alone(search_scope)
    try:
        return context.memories.due_reminders(question.text, scope=search_scope, exactly=in_one_scope), []
    except StoreError as error:  # the results are returned all the same
        logger.warning("reminders wait: %s", error)
        return [], [notes.reminders_wait(context.memories.language_of(question.text))]


def _on_hits(found: Found, best_score: float) -> list[str]:
    """The remarks on an answer with hits."""
    recalled = found.recalled
    if best_score >= WORTH_READING and not recalled.missing:
        return []
    lang = recalled.language
    remarks = [] if best_score >= WORTH_READING else [notes.low_confidence(best_score, lang)]
    return [*remarks, *_on_missing_arms(found, lang)]


def _on_nothing(
    context: Context, arguments: Arguments, search_scope: str | None, found: Found, at: Moment
) -> list[str]:
    """The remarks on an empty answer. The last is on the filters, if the scope has memories but none passes them."""
    lang, scopes = found.recalled.language, _visible_scopes(context)
    remarks = [notes.nothing_found(search_scope, scopes, lang), *_on_missing_arms(found, lang)]
    searched = found.page.view.scope
    has_memories = any(searched is None or scope.covers(searched, name) for name in scopes)
    if has_memories and not found.considered:
        remarks.append(notes.none_passes(translate.restrictions(arguments, at), lang))
    return remarks


def _on_missing_arms(found: Found, lang: str) -> list[str]:
    return list(map(notes.missing, on_missing_arms(found.recalled.missing, lang)))


def _visible_scopes(context: Context) -> dict[str, int]:
    """Numbers of memories by scope, for the scopes that this process may see."""
    by_scope = context.memories.count_by_scope()
    return {name: count for name, count in by_scope.items() if scope.visible(name, context.memories.scope)}
