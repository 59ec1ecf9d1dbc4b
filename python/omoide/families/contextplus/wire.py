"""Exactly what contextplus' clients see: schemas, and texts line for line.

Useful for: the format of answers. Not useful for: deciding what is in them (translate.py).
Invariant: a text is made from the structured value; stored text never adds a line to the layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from omoide.errors import shortened
from omoide.model.entity import NODE_TYPES
from omoide.text.graphemes import beginning

Json = dict[str, Any]

RELATIONS = ("relates_to", "depends_on", "implements", "references", "similar_to", "contains")
PREVIEW_CHARS = 120
#: Most nodes in one call: each is compared with those before it.
MOST_ITEMS = 200

# --- what goes in -----------------------------------------------------------------------------------------------------

_METADATA: Json = {"type": "object", "additionalProperties": {"type": "string"}}
_RELATION: Json = {"type": "string", "enum": list(RELATIONS)}

SEARCH_DESCRIPTION = (
    "Search the memory graph by meaning, in any language, with graph traversal. First finds direct matches, then "
    "traverses 1st/2nd-degree neighbors to discover linked context. Returns both with relevance scores (0-100): of a "
    "neighbor, its own relevance plus its link's weight, age and distance."
)
SEARCH_INPUT: Json = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Natural language query to search the memory graph."},
        "max_depth": {
            "type": "number",
            "description": "How many hops to traverse from direct matches. Default: 1.",
        },
        "top_k": {"type": "number", "description": "Number of direct matches to return. Default: 5."},
        "edge_filter": {
            "type": "array",
            "items": _RELATION,
            "description": "Only traverse edges of these types. Omit for all types.",
        },
    },
    "required": ["query"],
}

UPSERT_DESCRIPTION = (
    "Create or update a memory node. A node is known by its type and label: the same pair again replaces its content "
    "and merges its metadata. Returns the node's ID for create_relation."
)
UPSERT_INPUT: Json = {
    "type": "object",
    "properties": {
        "type": {"type": "string", "enum": list(NODE_TYPES), "description": "Kind of node."},
        "label": {"type": "string", "description": "Short name, unique within its type."},
        "content": {"type": "string", "description": "What to remember, any language."},
        "metadata": {**_METADATA, "description": "Extra key-value pairs (strings)."},
    },
    "required": ["type", "label", "content"],
}

RELATE_DESCRIPTION = (
    "Create a typed edge between two memory nodes, by ID (any ID a search shows will do). Stating the same edge again "
    "updates its weight and metadata; its age goes on."
)
RELATE_INPUT: Json = {
    "type": "object",
    "properties": {
        "source_id": {"type": "string", "description": "ID the edge starts from."},
        "target_id": {"type": "string", "description": "ID the edge points to."},
        "relation": {**_RELATION, "description": "Type of the edge."},
        "weight": {"type": "number", "description": "Strength 0-1, higher is stronger. Default: 1."},
        "metadata": {**_METADATA, "description": "Extra key-value pairs (strings)."},
    },
    "required": ["source_id", "target_id", "relation"],
}

INTERLINK_DESCRIPTION = (
    "Add several memory nodes at once; each is linked (similar_to) to nodes and memories whose text resembles it "
    "(cosine 0.72 or more)."
)
INTERLINK_INPUT: Json = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"type": "string", "enum": list(NODE_TYPES)},
                    "label": {"type": "string"},
                    "content": {"type": "string"},
                    "metadata": _METADATA,
                },
                "required": ["type", "label", "content"],
            },
            "maxItems": MOST_ITEMS,
            "description": f"Nodes to add or rewrite, at most {MOST_ITEMS}.",
        },
        "auto_link": {"type": "boolean", "description": "Link what is alike. Default: true."},
    },
    "required": ["items"],
}

TRAVERSE_DESCRIPTION = (
    "Walk the memory graph from one node, by ID, nearest nodes first. Scores (0-100) fall with distance and with the "
    "weight and age of the last link."
)
TRAVERSE_INPUT: Json = {
    "type": "object",
    "properties": {
        "start_node_id": {"type": "string", "description": "ID to start from."},
        "max_depth": {"type": "number", "description": "How many hops to walk. Default: 2."},
        "edge_filter": {
            "type": "array",
            "items": _RELATION,
            "description": "Only traverse edges of these types. Omit for all types.",
        },
    },
    "required": ["start_node_id"],
}

PRUNE_DESCRIPTION = (
    "Remove edges whose decayed weight (weight * e^(-0.05 * days)) is below the threshold, then nodes without edges "
    "and facts that nobody came back to for 7 days. Other memories, and relations of other types (works_at), are kept."
)
PRUNE_INPUT: Json = {
    "type": "object",
    "properties": {"threshold": {"type": "number", "description": "Decayed weight to keep an edge. Default: 0.15."}},
}

DELETE_DESCRIPTION = "Delete a node, memory or entity by ID, with its edges and the memories of it alone, for good."
DELETE_INPUT: Json = {
    "type": "object",
    "properties": {"node_id": {"type": "string", "description": "ID to delete."}},
    "required": ["node_id"],
}

# --- what comes out ---------------------------------------------------------------------------------------------------


def _shape(required: Sequence[str], /, **properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(required)}


_STRING: Json = {"type": "string"}
_NUMBER: Json = {"type": "number"}
_COUNT: Json = {"type": "integer"}
_FLAG: Json = {"type": "boolean"}
_TOTALS = _shape(["nodes", "edges"], nodes=_COUNT, edges=_COUNT)
_PLACE: Json = {
    "id": _STRING,
    "type": _STRING,
    "label": _STRING,
    "content": _STRING,
    "depth": _COUNT,
    "score": _NUMBER,
    "access_count": _COUNT,
}
_STEP = _shape(["relation", "forward", "id", "label"], relation=_STRING, forward=_FLAG, id=_STRING, label=_STRING)
_LINKED: Json = {
    **_PLACE,
    "from": _shape(["id", "label"], id=_STRING, label=_STRING),
    "path": {"type": "array", "items": _STEP},
    "weight": _NUMBER,
}

SEARCH_OUTPUT = _shape(
    ["query", "totals", "direct", "neighbors"],
    query=_STRING,
    totals=_TOTALS,
    direct={"type": "array", "items": _shape(list(_PLACE), **_PLACE)},
    neighbors={"type": "array", "items": _shape(list(_LINKED), **_LINKED)},
    notes={"type": "array", "items": _STRING},
)
UPSERT_OUTPUT = _shape(
    ["id", "type", "label", "access_count", "totals"],
    id=_STRING,
    type=_STRING,
    label=_STRING,
    access_count=_COUNT,
    totals=_TOTALS,
)
RELATE_OUTPUT = _shape(
    ["created", "source_id", "target_id", "relation"],
    created=_FLAG,
    source_id=_STRING,
    target_id=_STRING,
    relation=_STRING,
    id=_STRING,
    weight=_NUMBER,
    totals=_TOTALS,
    unknown_ids={"type": "array", "items": _STRING},
)

INTERLINK_OUTPUT = _shape(
    ["nodes", "edges", "edges_total", "totals"],
    nodes={"type": "array", "items": _shape(["id", "type", "label"], id=_STRING, type=_STRING, label=_STRING)},
    edges={
        "type": "array",
        "items": _shape(
            ["id", "source_id", "target_id", "weight"],
            id=_STRING,
            source_id=_STRING,
            target_id=_STRING,
            weight=_NUMBER,
        ),
    },
    edges_total={**_COUNT, "description": "How many were made; not all are listed"},
    totals=_TOTALS,
    notes={"type": "array", "items": _STRING},
)
TRAVERSE_OUTPUT = _shape(
    ["found", "start_node_id"],
    found=_FLAG,
    start_node_id=_STRING,
    depth_limit=_COUNT,
    nodes={"type": "array", "items": _shape(list(_PLACE), **_LINKED)},
)
PRUNE_OUTPUT = _shape(
    ["removed", "removed_edges", "removed_nodes", "remaining_edges"],
    removed=_COUNT,
    removed_edges=_COUNT,
    removed_nodes=_COUNT,
    remaining_edges=_COUNT,
)
DELETE_OUTPUT = _shape(
    ["deleted", "id"],
    deleted=_FLAG,
    id=_STRING,
    label=_STRING,
    type=_STRING,
    edges_removed=_COUNT,
    memories_removed=_COUNT,
    totals=_TOTALS,
)

# --- texts ------------------------------------------------------------------------------------------------------------


def searched(answer: Mapping[str, Any]) -> str:
    """The text of a search."""
    return "\n\n".join([_found(answer), *answer.get("notes", ())])


def _found(answer: Mapping[str, Any]) -> str:
    query, nodes, edges = answer["query"], answer["totals"]["nodes"], answer["totals"]["edges"]
    if not answer["direct"]:
        return f'No memory nodes found for: "{query}"\nGraph has {nodes} nodes, {edges} edges.'
    lines = [f'Memory Graph Search: "{query}"', f"Graph: {nodes} nodes, {edges} edges", "", "Direct Matches:"]
    lines += [_entry(place) for place in answer["direct"]]
    if answer["neighbors"]:
        lines += ["", "Linked Neighbors:", *(_entry(place) for place in answer["neighbors"])]
    return "\n".join(lines)


def _entry(place: Mapping[str, Any]) -> str:
    lines = [
        f"  [{on_one_line(place['type'])}] {on_one_line(place['label'])} (depth: {place['depth']}, score: {js_number(place['score'])})",
        f"    Content: {preview(on_one_line(place['content']), PREVIEW_CHARS)}",
        *([f"    Path: {_path(place)}"] if "path" in place else []),
        f"    ID: {on_one_line(place['id'])} | Accessed: {place['access_count']}x",
    ]
    return "\n".join(lines)


def _path(place: Mapping[str, Any]) -> str:
    steps = [f" --[{on_one_line(step['relation'])}]--> {on_one_line(step['label'])}" for step in place["path"]]
    return on_one_line(place["from"]["label"]) + "".join(steps)


def upserted(answer: Mapping[str, Any]) -> str:
    """The text for a node that was created or rewritten."""
    return (
        f"✅ Memory node upserted: {on_one_line(answer['label'])}\n"
        f"  ID: {answer['id']}\n"
        f"  Type: {answer['type']}\n"
        f"  Access count: {answer['access_count']}\n\n{_graph(answer)}"
    )


def related(answer: Mapping[str, Any]) -> str:
    """The text for an edge that was created, was updated or could not be created."""
    source, target = on_one_line(answer["source_id"]), on_one_line(answer["target_id"])
    if not answer["created"]:
        return f"❌ Failed: one or both node IDs not found (source: {shortened(source)}, target: {shortened(target)})"
    return (
        f"✅ Relation created: {source} --[{answer['relation']}]--> {target}\n"
        f"  Edge ID: {answer['id']}\n"
        f"  Weight: {js_number(answer['weight'])}\n\n{_graph(answer)}"
    )


def interlinked(answer: Mapping[str, Any]) -> str:
    """The text for several nodes."""
    nodes, edges, made, totals = answer["nodes"], answer["edges"], answer["edges_total"], answer["totals"]
    linked = f"Auto-linked: {made} similarity edges (threshold ≥ 0.72)" if edges else "No auto-links above threshold"
    lines = [f"✅ Added {len(nodes)} interlinked nodes", f"  {linked}", "", "Nodes:"]
    lines += [f"  [{node['type']}] {on_one_line(node['label'])} → {node['id']}" for node in nodes]
    if edges:
        lines += ["", "Edges:"]
    lines += [
        f"  {on_one_line(each['source_id'])} --[similar_to w:{js_number(each['weight'])}]--> "
        f"{on_one_line(each['target_id'])}"
        for each in edges
    ]
    if made > len(edges):
        lines += [f"  … and {made - len(edges)} more"]
    lines += ["", f"Graph total: {totals['nodes']} nodes, {totals['edges']} edges"]
    return "\n\n".join(["\n".join(lines), *answer.get("notes", ())])


def traversed(answer: Mapping[str, Any]) -> str:
    """The text of a traversal."""
    if not answer["found"]:
        return f"❌ Node not found: {shortened(on_one_line(answer['start_node_id']))}"
    start = on_one_line(answer["nodes"][0]["label"])
    lines = [f"Traversal from: {start} (depth limit: {answer['depth_limit']})", ""]
    return "\n".join([*lines, *(_entry(place) for place in answer["nodes"])])


def pruned(answer: Mapping[str, Any]) -> str:
    """The text of a pruning."""
    return (
        "🧹 Pruning complete\n"
        f"  Removed: {answer['removed']} stale links/orphan nodes\n"
        f"  Remaining edges: {answer['remaining_edges']}"
    )


def deleted(answer: Mapping[str, Any]) -> str:
    """The text of a deletion."""
    if not answer["deleted"]:
        return f"Not found: '{shortened(on_one_line(answer['id']))}' — nothing deleted."
    return (
        f"Deleted: '{on_one_line(answer['label'])}' "
        f"(type: {on_one_line(answer['type'])}, id: {on_one_line(answer['id'])})\n"
        f"  Edges removed: {answer['edges_removed']}\n\n{_graph(answer)}"
    )


def _graph(answer: Mapping[str, Any]) -> str:
    return f"Graph: {answer['totals']['nodes']} nodes, {answer['totals']['edges']} edges"


def preview(text: str, limit: int) -> str:
    """At most `limit` code points, without splitting a character, and "..." if some are left out."""
    return text if len(text) <= limit else beginning(text, limit) + "..."


def on_one_line(text: str) -> str:
    """The text with line breaks, and the white space around them, replaced by one space; a text of one line stays as it is."""
    lines = text.splitlines()
    if lines == [text]:
        return text
    return " ".join(line for each in lines if (line := each.strip()))


def js_number(value: float) -> str:
    """A number from 0 to 100 as JavaScript prints it: `90`, `66.2`, `0.00001`, `1e-7`."""
    if value == int(value):
        return str(int(value))
    if value >= 1e-6:
        return format(Decimal(repr(value)), "f")
    return repr(value).replace("e-0", "e-")
