"""From a question to a page of hits: recalls, merges, orders and cuts.

Useful for: every command that searches. Not useful for: what arguments mean (translate.py) and layout (layouts.py).
Invariant: nothing is written; a search changes no ranking.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from omoide.dates import Moment
from omoide.families.recallnest.context import Context
from omoide.families.recallnest.highlight import highlighted
from omoide.families.recallnest.page import SNIPPET_CHARS, Page, View
from omoide.families.recallnest.translate import Question, merged
from omoide.model.query import Recalled


class Found(NamedTuple):
    """The hits of an answer, best first; what was recalled for those that stand; how many memories all searches considered."""

    page: Page
    recalled: Recalled
    considered: int


def search(context: Context, question: Question, at: Moment, scope: str | None) -> Found:
    """Run the search. `scope` is the one to search, None for every scope."""
    recalled = context.memories.recall_checked(question.standing, at)
    others = [query and context.memories.recall_checked(query, at) for query in (question.archived, question.expired)]
    archived, expired = (each.hits if each else () for each in others)
    hits = merged(recalled.hits, archived, expired, question.standing.limit) if archived or expired else recalled.hits
    if question.highlight:
        hits = highlighted(hits, question.standing.text, context.terms)
    highlight = partial(context.memories.excerpt, width=SNIPPET_CHARS) if question.highlight else None
    view = View(at.now, at.zone, scope, highlight, {hit.memory.id for hit in expired}, question.of_now)
    considered = recalled.considered + sum(each.considered for each in others if each)
    return Found(Page(hits, view), recalled, considered)
