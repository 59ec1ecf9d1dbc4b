"""`store_case`: stores a problem and how it was solved."""

from __future__ import annotations

from functools import partial

from omoide.families.recallnest import procedure, wire, write_answers
from omoide.families.recallnest.context import Context, command
from omoide.families.tool import Tool

NAME = "store_case"
_KIND = procedure.Kind(
    tool=NAME,
    noun="case",
    category="cases",
    importance=0.84,
    steps="solutionSteps",
    parts=(
        ("Case", "title"),
        ("Problem", "problem"),
        ("Context", "context"),
        ("Solution", "solutionSteps"),
        ("Outcome", "outcome"),
        ("Tools", "tools"),
    ),
)
INPUT = wire.arguments(
    {
        "title": wire.text(120, "Short case title"),
        "problem": wire.text(320, "What problem happened"),
        "context": wire.text(240, "Optional context or preconditions"),
        "solutionSteps": wire.texts(procedure.MOST_STEPS, 220, "Ordered solution steps", least=1),
        "importance": {**wire.SHARE, "default": _KIND.importance},
        **procedure.SHARED,
    },
    "title",
    "problem",
    "solutionSteps",
)


def tool(context: Context) -> Tool:
    """The tool over the memories of a context."""
    return command(
        context,
        NAME,
        partial(procedure.store, _KIND),
        title="Store a case",
        description="Store a concrete problem with its solution, in any language, for reuse when it comes up again.",
        input_schema=INPUT,
        output_schema=write_answers.OUTPUT,
        on_request=True,
        idempotent=True,
    )
