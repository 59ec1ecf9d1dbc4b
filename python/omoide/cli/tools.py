"""`omoide tools`: lists the tools a client is offered, and the tokens they take in each of its conversations."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from omoide.cli.common import COMMON, Commands, add_command, legible, print_json, print_table, settings_of
from omoide.errors import counted
from omoide.families.tool import Tool

_EXAMPLES = """\
  omoide tools
  omoide tools --tools recallnest,chronica_search --json
"""


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    names = (*COMMON, "tools", "archetype")
    made = add_command(
        commands, "tools", run, help="list the tools a client is offered", examples=_EXAMPLES, settings=names
    )
    made.add_argument("--json", action="store_true", help="print the tools with their descriptions and schemas as JSON")


def run(arguments: argparse.Namespace) -> int:
    """List the tools."""
    from omoide.app import tools_offered
    from omoide.cli.token_cost import tokens_to_list

    offered = [tool for tool in tools_offered(settings_of(arguments)) if not tool.on_request]
    costs = [tokens_to_list(tool) for tool in offered]
    if arguments.json:
        print_json([*map(_described, offered, costs)])
    else:
        _print_table(offered, costs)
    return 0


def _print_table(offered: Sequence[Tool], costs: Sequence[int]) -> None:
    from rich.table import Column, Table
    from rich.text import Text

    table = Table("", "", Column(no_wrap=True, justify="right"), "", box=None, show_header=False, pad_edge=False)
    for tool, cost in zip(offered, costs, strict=True):
        table.add_row(*map(Text, (tool.name, tool.family, f"{cost:,} tokens", legible(tool.title))))
    print_table(table)
    print(f"{counted(len(offered), 'tool', 'tools')}, {sum(costs):,} tokens in every conversation (at most, by cl100k)")


def _described(tool: Tool, tokens: int) -> dict[str, object]:
    answer = tool.listed_output_schema
    return {
        "name": tool.name,
        "family": tool.family,
        "title": tool.title,
        "tokens": tokens,
        "description": tool.description,
        "inputSchema": dict(tool.input_schema),
        "outputSchema": None if answer is None else dict(answer),
    }
