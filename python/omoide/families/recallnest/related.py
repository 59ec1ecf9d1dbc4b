"""`includeRelatedScopes`: hits from the scopes that an operator named as related, apart from the results.

Useful for: projects that depend on each other. Not useful for: widening a search; its results stay as they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from omoide.dates import Moment
from omoide.families.recallnest import layouts, notes, scope, searching, translate
from omoide.families.recallnest.context import Context
from omoide.families.recallnest.optional_sections import NOTHING, Extras
from omoide.families.recallnest.rendering import shown
from omoide.families.recallnest.translate import Question
from omoide.families.tool import Arguments

#: Most hits from each related scope.
LIMIT = 3


def extras(context: Context, arguments: Arguments, searched: str | None, at: Moment) -> Extras:
    """A section for each related scope, or a remark that there is none; nothing unless asked for, nor beside a search of all
    scopes."""
    if searched is None or not arguments.get("includeRelatedScopes", False):
        return NOTHING
    names = scope.related(searched, context.options, context.memories.scope)
    if not names:
        return Extras(notes=(notes.none_related(searched, context.memories.language_of(arguments["query"])),))
    answers = [_of(context, arguments, name, at) for name in names]
    sections = (layouts.RELATED, *(text for text, _ in answers))
    ids = frozenset(result["id"] for _, value in answers for result in value["results"])
    return Extras(sections, {"related": [value for _, value in answers]}, ids=ids)


def _of(context: Context, arguments: Arguments, name: str, at: Moment) -> tuple[str, dict[str, Any]]:
    question = _fewer(translate.question(arguments, name, at))
    text, values = shown(question, searching.search(context, question, at, name).page)
    return layouts.related(name, text), {"scope": name, "results": values}


def _fewer(question: Question) -> Question:
    limit = min(LIMIT, question.standing.limit)
    archived, expired = (query and replace(query, limit=limit) for query in (question.archived, question.expired))
    return question._replace(standing=replace(question.standing, limit=limit), archived=archived, expired=expired)
