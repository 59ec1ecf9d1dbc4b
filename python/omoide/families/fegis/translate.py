"""Translates fegis' arguments to our model. Pure functions: arguments -> Query, arguments -> Draft.

Useful for: `SearchMemory` and the archetype tools. Not useful for: the format of answers (wire.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from omoide.dates import Moment
from omoide.errors import InvalidArgument, needed
from omoide.families.fegis.archetype import ArchetypeTool
from omoide.families.fegis.filters import condition
from omoide.families.fegis.options import Options
from omoide.families.fegis.schemas import DEFAULTS
from omoide.families.tool import Caller
from omoide.model.condition import All, Equals, Not, OneOf, live
from omoide.model.memory import Archetype, Draft
from omoide.model.query import Hit, Query
from omoide.text import is_blank

#: Most filters in a call: each may read every memory.
MAX_FILTERS = 100


def query(arguments: Mapping[str, Any], moment: Moment) -> Query:
    """The query of a `SearchMemory` call. Raises InvalidArgument.

    A query without text (an id, or filters only) lists what passes the condition, newest first.
    """
    values = {**DEFAULTS, **arguments}
    text = "" if is_blank(values["query"]) else values["query"].strip()
    if values["search_type"] == "by_memory_id":
        return Query(where=Equals("id", _required(text)), limit=1)
    filters = tuple(condition(each, moment, index=at) for at, each in enumerate(_checked_count(values["filters"])))
    return Query(
        text=text if values["search_type"] == "filtered" else _required(text),
        where=All((live(), *filters)),
        limit=int(values["limit"]),
        min_relevance=float(values["score_threshold"]) if text else 0.0,
    )


def _checked_count(filters: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    if len(filters) > MAX_FILTERS:
        message = f"{len(filters)} filters are more than the {MAX_FILTERS} that are looked at."
        also = {
            "ja": f"filters は {MAX_FILTERS} 件までです（{len(filters)} 件ありました）。同じ項目の値は any_of でまとめてください。",
            "zh": f"filters 最多 {MAX_FILTERS} 项（现有 {len(filters)} 项）。同一字段的多个值可用 any_of 合并。",
        }
        raise InvalidArgument("filters", message, hint="Join values of one field with any_of.", also=also)
    return filters


def named(query: Query) -> Query:
    """The memory whose id is the text, if it passes the conditions."""
    return Query(where=All((query.where, Equals("id", query.text))), limit=1)


def unlike(query: Query, found: Sequence[Hit]) -> Query:
    """For a threshold of 0: the memories that pass the conditions but were not found by the text, newest first."""
    known = OneOf("id", tuple(id for hit in found for id in (hit.memory.id, *hit.alike)))
    return Query(where=All((query.where, Not(known))), limit=query.limit - len(found))


def _required(text: str) -> str:
    if text:
        return text
    raise InvalidArgument(
        "query",
        "Query cannot be empty for semantic and by_memory_id searches",
        hint='Say what to look for, or list by criteria with search_type "filtered".',
        also=needed("query"),
    )


def draft(
    tool: ArchetypeTool, archetype: Archetype, arguments: Mapping[str, Any], caller: Caller, options: Options
) -> Draft:
    """The memory that a call of an archetype tool stores; its place in the session is assigned when it is stored."""
    frames = {name: arguments[name] for name in tool.frames if name in arguments}
    return Draft(
        text=_without_content(tool.name, frames) if is_blank(arguments["Content"]) else arguments["Content"],
        title=None if is_blank(arguments["Title"]) else arguments["Title"],
        context=arguments["Context"],
        tool=tool.name,
        archetype=archetype,
        session_id=caller.session_id,
        agent_id=options.agent_id,
        parameters={name: arguments[name] for name in tool.parameters if name in arguments},
        frames=frames,
    )


def _without_content(tool: str, frames: Mapping[str, Any]) -> str:
    return f"Tool: {tool}\n{json.dumps(frames, ensure_ascii=False, indent=2)}"
