"""`omoide stats`: counts what is stored and indexed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from omoide.cli.common import Commands, add_command, bring_index_up, legible, print_json, print_table, settings_of

_EXAMPLES = """\
  omoide stats
  omoide stats --data ~/記憶 --json
"""


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    made = add_command(commands, "stats", run, help="count what is stored and indexed", examples=_EXAMPLES)
    made.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Count and show."""
    from omoide.app import opened, require_store

    settings = settings_of(arguments)
    require_store(settings)
    with opened(settings) as found:
        bring_index_up(found)
        counted = {"store": str(settings.data.absolute()), **found.memories.stats()}
    if arguments.json:
        print_json(counted)
    else:
        _print_table(counted)
    return 0


def _print_table(counted: Mapping[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in _flat(counted):
        if value is not None:  # JSON shows missing values as null
            table.add_row(Text(legible(name)), Text(legible(_shown(value))))
    print_table(table)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _flat(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name} ")
        else:
            yield above + name, value
