"""Translates between contextplus and our model: arguments -> Query, what was found -> structured values. Pure functions.

Here every memory is a node of the graph. The content of a node is shown as that node; any other memory as a `note` under its
own id, with its title or first sentence as the label; an entity under its own type and name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from omoide.errors import InvalidArgument, needed, too_long
from omoide.families.contextplus.scoring import direct_score, neighbour_score, traversal_score
from omoide.families.contextplus.wire import Json
from omoide.families.tool import Arguments, number
from omoide.memory.notes import on_missing_arms
from omoide.model.condition import All, Condition, live, valid_at
from omoide.model.entity import MAX_NAME_CHARS, Entity
from omoide.model.memory import Memory
from omoide.model.query import Hit, MissingArm, Neighbour, NeighbourWalk, Query, Recalled, Step
from omoide.model.relation import Relation
from omoide.text import first_sentence, is_blank
from omoide.traditional import told_in

DEFAULT_DEPTH, MAX_DEPTH = 1, 5
DEFAULT_TOP_K, MAX_TOP_K = 5, 100
#: Most neighbours shown per direct match.
NEIGHBOURS_PER_MATCH = 2
#: Most nodes that a walk visits, before its neighbours are scored and cut.
MAX_VISITED = 200
#: The index stores weights in single precision.
WEIGHT_DECIMALS = 6
DAY = timedelta(days=1)
DEFAULT_TRAVERSAL_DEPTH = 2
#: Two texts are linked from this cosine on; and how many similar ones are considered.
LINK_THRESHOLD = 0.72
MAX_LINK_CANDIDATES = 200
#: Most edges that an answer lists: everything may resemble everything.
MOST_EDGES_LISTED = 200
#: Pruning: the decayed weight below which an edge is stale, and how long an orphan must be unchanged.
STALE_BELOW = 0.15
ORPHAN_AGE = timedelta(days=7)
_LINKS_MISSING = {
    "en": "Some links may be missing; the same items, added again later, get them. {reason}",
    "ja": "リンクが足りないかもしれません。あとで同じ項目をもう一度追加すると補われます。{reason}",
    "zh": "可能缺少部分关系；稍后再次添加相同的内容即可加上。{reason}",
}

# --- questions --------------------------------------------------------------------------------------------------------


def clamped(arguments: Arguments, name: str, default: int, top: int) -> int:
    """The whole part of a number, 0 to `top`."""
    return int(min(max(arguments.get(name, default), 0), top))


def shown(now: datetime) -> Condition:
    """The memories in the graph: live ones that are valid at `now`."""
    return All((live(), valid_at(now)))


def graph_query(arguments: Arguments, now: datetime) -> Query:
    """The query of a search. Without `edge_filter`, all edges are followed; with an empty one, none."""
    depth = clamped(arguments, "max_depth", DEFAULT_DEPTH, MAX_DEPTH)
    relations = edge_filter(arguments)
    return Query(
        text=arguments["query"],
        where=shown(now),
        limit=clamped(arguments, "top_k", DEFAULT_TOP_K, MAX_TOP_K),
        diverse=False,  # two nodes are shown as two, even if they say the same
        walk=NeighbourWalk(depth=depth, relations=relations, limit=MAX_VISITED) if depth else None,
    )


def edge_filter(arguments: Arguments) -> frozenset[str] | None:
    """The types of edges that a walk follows; None: all, empty: none."""
    chosen = arguments.get("edge_filter")
    return None if chosen is None else frozenset(chosen)


def traversal(arguments: Arguments) -> tuple[int, frozenset[str] | None]:
    """(depth, edges to follow) of a traversal."""
    return clamped(arguments, "max_depth", DEFAULT_TRAVERSAL_DEPTH, MAX_DEPTH), edge_filter(arguments)


# --- places -----------------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """A memory or an entity as a node of the graph."""

    id: str
    type: str
    label: str
    content: str
    access_count: int


Shown = Callable[["Memory | Entity"], Place]


def place_of(thing: Memory | Entity, nodes: Mapping[str, Entity]) -> Place:
    """The memory or entity as a node (see the module); `nodes` are by the id of the memory that they own."""
    if isinstance(thing, Entity):
        return Place(thing.id, thing.type, thing.name, thing.description or "", thing.access_count)
    node = nodes.get(thing.id)
    if node is not None:
        return Place(node.id, node.type, node.name, thing.text, node.access_count)
    label = thing.title or first_sentence(thing.text)
    return Place(thing.id, "note", label, thing.text, thing.access_count)


def sources(
    shown: Iterable[Mapping[str, Any]], things: Iterable[Memory | Entity], nodes: Mapping[str, Entity]
) -> dict[str, Memory]:
    """The memory behind each place that is shown, by the place's id; `things`: what was found; `nodes` as in `place_of`."""
    placed = (thing for thing in things if isinstance(thing, Memory))
    behind = {nodes[memory.id].id if memory.id in nodes else memory.id: memory for memory in placed}
    return {place["id"]: behind[place["id"]] for place in shown if place["id"] in behind}


def memory_ids(*things: Memory | Entity, walked: Sequence[Neighbour]) -> list[str]:
    """The ids of all memories among `things` and along the walks, each once."""
    mentioned = list(things)
    for each in walked:
        mentioned += [each.node, each.origin, *(step.to for step in each.path)]
    return list(dict.fromkeys(thing.id for thing in mentioned if isinstance(thing, Memory)))


# --- answers ----------------------------------------------------------------------------------------------------------


def totals(nodes: int, edges: int) -> Json:
    """The size of the whole graph."""
    return {"nodes": nodes, "edges": edges}


def searched(query: Query, recalled: Recalled, size: Json, show: Shown, now: datetime) -> Json:
    """The answer of a search: direct matches as ranked, and up to twice as many neighbours, highest score first.

    Neighbours with equal scores keep the order of the walk: nearest first.
    """
    listing = is_blank(query.text)
    linked = [_linked(each, show, now) for each in recalled.neighbours]
    linked.sort(key=lambda place: -place["score"])
    notes = on_missing_arms(recalled.missing, recalled.language)
    return {
        **({"notes": notes} if notes else {}),
        "query": query.text,
        "totals": size,
        # Without a query, the newest memories are listed, with score 0.
        "direct": [_direct(hit, show, 0.0 if listing else hit.relevance) for hit in recalled.hits],
        "neighbors": linked[: NEIGHBOURS_PER_MATCH * query.limit],
    }


def _direct(hit: Hit, show: Shown, relevance: float) -> Json:
    return _scored(show(hit.memory), 0, direct_score(relevance))


def _linked(neighbour: Neighbour, show: Shown, now: datetime) -> Json:
    score = neighbour_score(neighbour.similarity, neighbour.weight, _age_days(neighbour, now), neighbour.depth)
    return _walked(neighbour, score, show)


def _walked(neighbour: Neighbour, score: float, show: Shown) -> Json:
    origin = show(neighbour.origin)
    return {
        **_scored(show(neighbour.node), neighbour.depth, score),
        "from": {"id": origin.id, "label": origin.label},
        "path": [_step(step, show) for step in neighbour.path],
        "weight": number(round(neighbour.weight, WEIGHT_DECIMALS)),
    }


def _age_days(neighbour: Neighbour, now: datetime) -> float:
    return (now - neighbour.created_at) / DAY


def _scored(place: Place, depth: int, score: float) -> Json:
    return {
        "id": place.id,
        "type": place.type,
        "label": place.label,
        "content": place.content,
        "depth": depth,
        "score": number(score),
        "access_count": place.access_count,
    }


def _step(step: Step, show: Shown) -> Json:
    to = show(step.to)
    return {"relation": step.relation, "forward": step.forward, "id": to.id, "label": to.label}


def traversed(start: Place, neighbours: Sequence[Neighbour], depth: int, show: Shown, now: datetime) -> Json:
    """The answer of a traversal: the start, then the nodes reached, nearest first."""

    def scored(each: Neighbour) -> Json:
        return _walked(each, traversal_score(each.weight, _age_days(each, now), each.depth), show)

    return {
        "found": True,
        "start_node_id": start.id,
        "depth_limit": depth,
        "nodes": [_scored(start, 0, 100.0), *map(scored, neighbours)],
    }


def not_traversed(id: str) -> Json:
    """The answer when there is no such node."""
    return {"found": False, "start_node_id": id}


# --- writing ----------------------------------------------------------------------------------------------------------


def node_content(arguments: Arguments, place: str = "") -> tuple[str, str]:
    """(label, content) of a node; the label is used for blank content. `place`: where the node is in the arguments, for errors.
    Raises InvalidArgument for a label that is blank or too long."""
    label, content = arguments["label"], arguments["content"]
    said, path = (f"The label of {place}", f"{place}.label") if place else ("The label", "label")
    if is_blank(label):
        raise InvalidArgument(
            "label", f"{said} is blank.", hint="Name the node, for example Auth Flow.", also=needed(path)
        )
    if (length := len(label.strip())) > MAX_NAME_CHARS:
        message = f"{said} has {length:,} characters; at most {MAX_NAME_CHARS} are accepted."
        raise InvalidArgument(
            "label",
            message,
            hint="Keep it short, and put the rest into content.",
            also=too_long(path, length, MAX_NAME_CHARS),
        )
    return label.strip(), label.strip() if is_blank(content) else content


def upserted(node: Entity, size: Json) -> Json:
    """The answer for a node that was created or rewritten."""
    return {"id": node.id, "type": node.type, "label": node.name, "access_count": node.access_count, "totals": size}


def edge_weight(arguments: Arguments) -> float | None:
    """The weight, 0 to 1; None leaves an edge's weight as it is (1 for a new one)."""
    weight = arguments.get("weight")
    return None if weight is None else float(min(max(weight, 0), 1))


def related(arguments: Arguments, relation: Relation, size: Json) -> Json:
    """The answer for an edge that was created or updated."""
    return {
        "created": True,
        **_ends(arguments),
        "id": relation.id,
        "weight": number(relation.weight),
        "totals": size,
    }


def not_related(arguments: Arguments, unknown: Sequence[str]) -> Json:
    """The answer if an end does not exist; nothing was written."""
    return {"created": False, **_ends(arguments), "unknown_ids": list(unknown)}


def _ends(arguments: Arguments) -> Json:
    return {name: arguments[name] for name in ("source_id", "target_id", "relation")}


def on_missing_links(missing: MissingArm, language: str) -> str:
    """A note that not everything could be compared, in ja, zh, zh-Hant or en."""
    words = told_in(_LINKS_MISSING, language) or _LINKS_MISSING["en"]
    return words.format(reason=told_in(missing.also, language) or missing.reason)


def interlinked(nodes: Sequence[Entity], links: Sequence[Relation], size: Json, notes: Sequence[str]) -> Json:
    """The answer for several nodes; a node given twice is listed twice; only the first MOST_EDGES_LISTED edges are listed."""
    return {
        **({"notes": list(notes)} if notes else {}),
        "nodes": [{"id": node.id, "type": node.type, "label": node.name} for node in nodes],
        "edges": [
            {"id": each.id, "source_id": each.source.id, "target_id": each.target.id, "weight": _rounded(each.weight)}
            for each in links[:MOST_EDGES_LISTED]
        ],
        "edges_total": len(links),
        "totals": size,
    }


def _rounded(weight: float) -> float | int:
    """Rounded to two decimals, halves up."""
    return number(math.floor(weight * 100 + 0.5) / 100)


def pruned(edges: int, nodes: int, remaining: int) -> Json:
    """The answer of a pruning."""
    return {"removed": edges + nodes, "removed_edges": edges, "removed_nodes": nodes, "remaining_edges": remaining}


def deleted(place: Place, edges: int, memories: int, size: Json) -> Json:
    """The answer for a node that was deleted, with its edges and the memories of no other."""
    node = {"id": place.id, "label": place.label, "type": place.type}
    return {"deleted": True, **node, "edges_removed": edges, "memories_removed": memories, "totals": size}
