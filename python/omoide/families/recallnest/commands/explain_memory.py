"""`explain_memory`: says why each memory matched a query, line by line."""

from __future__ import annotations

from datetime import tzinfo
from typing import Any

from omoide.families.recallnest import layouts, searching, translate, wire
from omoide.families.recallnest.card import age, day, one_line
from omoide.families.recallnest.context import Context, command
from omoide.families.recallnest.page import Row
from omoide.families.tool import Arguments, Result, Tool
from omoide.model.query import ArmScore

NAME = "explain_memory"
#: A memory is called fresh up to this age, and important from this importance on.
FRESH_DAYS = 14
IMPORTANT = 0.7

INPUT = wire.arguments({**wire.ASKED, "category": wire.CATEGORY, "profile": wire.PROFILE, "graph": wire.GRAPH}, "query")
_ARM = wire.answer({"arm": wire.STRING, "rank": wire.COUNT, "score": {"type": "number"}}, "arm", "rank", "score")
_RESULT = wire.answer(
    {
        "id": wire.STRING,
        "score": {**wire.SHARE, "description": "Relevance"},
        "fusedScore": {"type": "number", "description": "What the order goes by, before it became relevance"},
        "why": wire.STRING,
        "path": wire.STRING,
        "arms": {"type": "array", "items": _ARM, "description": "Rank and score in each ranking that found it"},
        "terms": {**wire.STRINGS, "description": "Words of the query that were found, rarest first"},
        "dates": {**wire.STRINGS, "description": "Dates of the query that the memory is of"},
        "snippet": wire.STRING,
        "category": wire.STRING,
        "scope": wire.STRING,
        "tier": wire.STRING,
        "provenance": wire.STRING,
        "storedAt": wire.STRING,
        "source": wire.STRING,
        "session": wire.STRING,
        "file": {**wire.STRING, "description": "File, heading or title it is from"},
    },
    "id",
    "score",
    "fusedScore",
    "why",
    "path",
    "arms",
    "terms",
    "dates",
    "snippet",
    "category",
    "scope",
    "tier",
    "provenance",
    "storedAt",
    "source",
)
OUTPUT = wire.answer(
    {"query": wire.STRING, "profile": wire.STRING, "results": {"type": "array", "items": _RESULT}},
    "query",
    "profile",
    "results",
)


def tool(context: Context) -> Tool:
    """The tool over the memories of a context."""
    return command(
        context,
        NAME,
        _explain,
        title="Explain a search",
        description="Why memories match a query: the rankings that found each, matched words, dates, with graph the way "
        "through it. Fires no reminder.",
        input_schema=INPUT,
        output_schema=OUTPUT,
        on_request=True,
        read_only=True,
    )


def _explain(context: Context, arguments: Arguments) -> Result:
    scope, at = context.read_scope(NAME, arguments), context.memories.moment
    question = translate.question(arguments, scope, at)
    page = searching.search(context, question, at, scope).page
    shown = list(zip(page.rows, page.snippets(), strict=True))
    results = [_structured(row, snippet) for row, snippet in shown]
    structured = {"query": question.text, "profile": question.profile, "results": results}
    head = f"Query   : {one_line(question.text)}\nProfile : {question.profile}\nHits    : {len(shown)}\n\n# Explain"
    blocks = (_block(place, row, snippet, at.zone) for place, (row, snippet) in enumerate(shown, 1))
    return Result("\n".join((head, *blocks)) if shown else layouts.NO_RESULTS, structured)


def _structured(row: Row, snippet: str) -> dict[str, Any]:
    origin = {"session": row.memory.session_id, "file": row.card.file if row.card.file != "-" else None}
    return {
        "id": row.card.id,
        "score": row.score,
        "category": row.card.category,
        "scope": row.card.scope,
        "storedAt": row.card.stored_at,
        "fusedScore": row.hit.score,
        "why": _why(row),
        "path": row.retrieval_path.path,
        "arms": [_arm(each) for each in row.hit.why.arms],
        "terms": list(row.hit.why.words),
        "dates": list(row.hit.why.dates),
        "snippet": snippet,
        "tier": row.card.tier,
        "provenance": row.provenance,
        "source": row.memory.source,
        **{name: value for name, value in origin.items() if value is not None},
    }


def _arm(each: ArmScore) -> dict[str, Any]:
    return {"arm": each.arm, "rank": each.rank, "score": each.score}


def _block(place: int, row: Row, snippet: str, zone: tzinfo) -> str:
    memory = row.memory
    stored = f"{day(memory.stored_at, zone)} ({age(row.days)})"
    head = f"{row.card.short_id} | {layouts.percent(row.score)} | {one_line(memory.source)} | {stored}"
    cells = (
        ("category", memory.category),
        ("tier", row.card.tier),
        ("path", row.retrieval_path.path),
        ("ranks", " ".join(f"{each.arm}:{each.rank}" for each in row.hit.why.arms) or "-"),
        ("session", memory.session_id or "-"),
        ("file", row.card.file),
        ("prov", row.provenance),
        ("why", _why(row)),
        ("snippet", snippet),
    )
    return "\n".join((f"{place}. {head}", *(f"   {name:<8}: {one_line(value)}" for name, value in cells)))


def _why(row: Row) -> str:
    heading = row.memory.extra.get("heading")
    parts = (
        row.why,
        *([f"fresh:{age(row.days)}"] if row.days <= FRESH_DAYS else []),
        *(["important"] if row.memory.importance >= IMPORTANT else []),
        *([f"heading:{one_line(heading)}"] if heading else []),
        *([f"dates:{','.join(map(one_line, row.hit.why.dates))}"] if row.hit.why.dates else []),
    )
    return " | ".join(parts)
