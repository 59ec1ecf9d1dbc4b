"""`store_workflow_pattern`: stores a process worth repeating, and when to use it."""

from __future__ import annotations

from functools import partial

from omoide.families.recallnest import procedure, wire, write_answers
from omoide.families.recallnest.context import Context, command
from omoide.families.tool import Tool

NAME = "store_workflow_pattern"
_KIND = procedure.Kind(
    tool=NAME,
    noun="workflow pattern",
    category="patterns",
    importance=0.82,
    steps="steps",
    parts=(
        ("Workflow", "title"),
        ("Trigger", "trigger"),
        ("Steps", "steps"),
        ("Outcome", "outcome"),
        ("Tools", "tools"),
    ),
)
INPUT = wire.arguments(
    {
        "title": wire.text(120, "Short pattern title"),
        "trigger": wire.text(240, "When this workflow should be used"),
        "steps": wire.texts(procedure.MOST_STEPS, 220, "Ordered workflow steps", least=1),
        "importance": {**wire.SHARE, "default": _KIND.importance},
        **procedure.SHARED,
    },
    "title",
    "trigger",
    "steps",
)


def tool(context: Context) -> Tool:
    """The tool over the memories of a context."""
    return command(
        context,
        NAME,
        partial(procedure.store, _KIND),
        title="Store a workflow pattern",
        description="Store a repeatable process and when to use it, in any language. With a canonicalKey a later one "
        "replaces it and the old text is kept as history.",
        input_schema=INPUT,
        output_schema=write_answers.OUTPUT,
        on_request=True,
        idempotent=True,
    )
