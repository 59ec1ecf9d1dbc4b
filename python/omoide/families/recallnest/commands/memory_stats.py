"""`memory_stats`: counts memories by source, scope, category and state, and lists the pending reminders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from omoide.families.recallnest import scope, wire
from omoide.families.recallnest.card import one_line, short_id
from omoide.families.recallnest.context import Context, command
from omoide.families.tool import Arguments, Result, Tool
from omoide.model.condition import Equals
from omoide.model.memory import Status
from omoide.model.query import Query
from omoide.model.reminder import Reminder
from omoide.model.scope import plain

NAME = "memory_stats"
#: Most pending reminders that are listed.
NAMED_REMINDERS = 20
#: Most values that the text counts of each kind: a scope for each session makes thousands.
COUNTED_VALUES = 20

INPUT = wire.arguments({})
_COUNTS: wire.Json = {"type": "object", "additionalProperties": wire.COUNT}
_REMINDER = wire.answer(
    {"id": wire.STRING, "trigger": wire.STRING, "action": wire.STRING, "scope": wire.STRING},
    "id",
    "trigger",
    "action",
    "scope",
)
OUTPUT = wire.answer(
    {
        "total": wire.COUNT,
        "bySource": {**_COUNTS, "description": "By the first part of the scope"},
        "byScope": _COUNTS,
        "byCategory": _COUNTS,
        "byStatus": _COUNTS,
        "pendingReminders": wire.COUNT,
        "reminders": {"type": "array", "items": _REMINDER, "description": f"The oldest {NAMED_REMINDERS}"},
    },
    "total",
    "bySource",
    "byScope",
    "byCategory",
    "byStatus",
    "pendingReminders",
    "reminders",
)


def tool(context: Context) -> Tool:
    """The tool over the memories of a context."""
    return command(
        context,
        NAME,
        _stats,
        title="Count memories",
        description="How many memories there are by source, scope, category and state, and which reminders are pending.",
        input_schema=INPUT,
        output_schema=OUTPUT,
        on_request=True,
        read_only=True,
    )


def _stats(context: Context, _: Arguments) -> Result:
    counts = context.memories.counts()
    by_scope = {name: n for name, n in counts.by_scope.items() if scope.visible(name, context.memories.scope)}
    by_source: Counter[str] = Counter()
    for name, n in by_scope.items():
        by_source[plain(name).partition(":")[0]] += n
    structured = {
        "total": sum(by_scope.values()),
        "bySource": _largest_first(by_source),
        "byScope": _largest_first(by_scope),
        "byCategory": _count_by(context, "category", counts.by_category),
        "byStatus": _count_by(context, "status", [status.value for status in Status]),
        "pendingReminders": context.memories.count_pending_reminders(),
        "reminders": [_reminder(each) for each in context.memories.pending_reminders(limit=NAMED_REMINDERS)],
    }
    return Result(_text(structured), structured)


def _count_by(context: Context, field: str, values: Any) -> dict[str, int]:
    """Numbers of memories by value, counted by searches, which respect the pinned scope."""
    counted = {each: context.memories.recall(Query(where=Equals(field, each), limit=0)).considered for each in values}
    return _largest_first({name: n for name, n in counted.items() if n})


def _largest_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _reminder(each: Reminder) -> dict[str, str]:
    return {"id": each.id, "trigger": each.trigger, "action": each.action, "scope": each.scope}


def _text(shown: Mapping[str, Any]) -> str:
    sections = [f"Total entries: {shown['total']}"]
    for kind in ("source", "scope", "category", "status"):
        lines = [f"  {one_line(value)}: {n}" for value, n in shown[f"by{kind.capitalize()}"].items()]
        if len(lines) > COUNTED_VALUES:
            lines[COUNTED_VALUES:] = [f"  … and {len(lines) - COUNTED_VALUES:,} more"]
        sections.append("\n".join((f"By {kind}:", *lines)))
    reminders = (
        f'  {short_id(each["id"])} "{one_line(each["trigger"])}" ({one_line(each["scope"])})'
        for each in shown["reminders"]
    )
    sections.append("\n".join((f"Pending reminders: {shown['pendingReminders']}", *reminders)))
    return "\n\n".join(sections)
