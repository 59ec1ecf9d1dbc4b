"""`list_tools`: lists the tools of this family, and how to offer those that are not listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from omoide.families.recallnest import wire
from omoide.families.recallnest.context import FAMILY, Context, command
from omoide.families.tool import Arguments, Result, Tool

NAME = "list_tools"
TITLE = "List the tools of this door"

INPUT = wire.arguments({})
_TOOL = wire.answer(
    {
        "name": wire.STRING,
        "title": wire.STRING,
        "description": wire.STRING,
        "offered": {"type": "string", "enum": ["always", "on request"]},
    },
    "name",
    "title",
    "description",
    "offered",
)
OUTPUT = wire.answer({"tools": {"type": "array", "items": _TOOL}, "howToOffer": wire.STRING}, "tools", "howToOffer")
_HOW = (
    "A tool on request answers whoever calls it by its name; `omoide serve "
    f"--tools {FAMILY}` lists all of them for clients, `--tools NAME,NAME` those that are named."
)


def tool(context: Context, others: Sequence[Tool]) -> Tool:
    """The tool; `others` are the ones that it lists."""
    shown = [_shown(each) for each in others]
    answer = Result(_text(shown), {"tools": shown, "howToOffer": _HOW})

    def listed(_: Context, __: Arguments) -> Result:
        return answer

    return command(
        context,
        NAME,
        listed,
        title=TITLE,
        description="A directory of the recallnest tools, also of those that are listed on request alone.",
        input_schema=INPUT,
        output_schema=OUTPUT,
        on_request=True,
        read_only=True,
    )


def _shown(each: Tool) -> dict[str, Any]:
    offered = "on request" if each.on_request else "always"
    return {"name": each.name, "title": each.title, "description": each.description, "offered": offered}


def _text(shown: Sequence[dict[str, Any]]) -> str:
    lines = (f"- {each['name']} ({each['offered']}): {each['title']}" for each in shown)
    return "\n".join((f"# {len(shown)} tools beside this one", "", *lines, "", _HOW))
