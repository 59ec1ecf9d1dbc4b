"""`omoide search`: finds memories from the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

from omoide.cli.common import (
    COMMON,
    Commands,
    add_command,
    bring_index_up,
    columns_of_terminal,
    legible,
    print_json,
    print_table,
    settings_of,
    text,
    whole_number,
    without_warnings_of,
)
from omoide.errors import InvalidArgument, counted, filled
from omoide.model.local_time import local

if TYPE_CHECKING:  # the analyser takes longer to load than the other commands
    from rich.text import Text

    from omoide.app import Opened
    from omoide.model.query import Hit, Recalled
    from omoide.text import Excerpt

    Shown = tuple[Hit, Excerpt]
    Cells = tuple[Text, ...]  # relevance, date, scope, memory, why

#: Characters of an excerpt, at most.
SNIPPET = 120
#: Default limits of hits, without and with a budget of tokens.
LIMIT = 10
BUDGET_LIMIT = 100
#: The largest number of memories or tokens accepted, more than any store holds.
MOST = 1_000_000_000
#: Terms shown as the reason for a hit.
TERMS = 6
#: A terminal of fewer columns has no room for a table: of 80, the text of a memory would have 25.
NARROW = 100

_EXAMPLES = """\
  omoide search 京都で飲んだお茶
  omoide search 上周的会议 --limit 3
  omoide search "where did we park" --scope project:trip --json
  omoide call search_memory query=会議 after=先週 category=events
                                               by date, category, topic ...
"""


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    made = add_command(commands, "search", run, help="find memories", examples=_EXAMPLES, settings=(*COMMON, "scope"))
    made.add_argument("query", nargs="+", type=text, metavar="QUERY", help="what to find, in any language")
    made.add_argument(
        "--limit",
        type=whole_number,
        metavar="N",
        help=f"at most N memories (default: {LIMIT}; {BUDGET_LIMIT} if --tokens is given)",
    )
    made.add_argument(
        "--tokens", type=whole_number, metavar="N", help="as many texts as fit into N tokens of a model's context"
    )
    made.add_argument(
        "--lang",
        choices=("ja", "zh", "en"),
        metavar="ja|zh|en",
        help="language of the query (default: detected)",
    )
    made.add_argument("--repeats", action="store_true", help="list every memory, even where several say the same")
    made.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Search and show."""
    from omoide.app import opened, require_store
    from omoide.model.condition import live

    limit = arguments.limit
    if limit is None:
        limit = LIMIT if arguments.tokens is None else BUDGET_LIMIT
    _require_count("--limit", limit)
    if arguments.tokens is not None:
        _require_count("--tokens", arguments.tokens)
    settings = settings_of(arguments)
    require_store(settings)
    # `answer.missing` says the same.
    with without_warnings_of("omoide.engine.embedders"), opened(settings) as found:
        bring_index_up(found)
        answer = found.memories.recall(
            " ".join(arguments.query),
            limit=limit,
            token_budget=arguments.tokens,
            where=live(),
            lang=arguments.lang,
            diverse=not arguments.repeats,
        )
        shown = [(hit, _read(hit, answer, found)) for hit in answer.hits]
    show = _print_json if arguments.json else _print_table
    show(answer, shown, settings.zone)
    for each in answer.missing:
        print(f"omoide: without the ranking by {each.arm}: {each.reason}", file=sys.stderr)
    return 0


def _require_count(flag: str, count: int) -> None:
    """Raises InvalidArgument unless the count lies between 1 and MOST."""
    if 1 <= count <= MOST:
        return
    also = filled(
        {
            "ja": "{flag} は 1 以上 {most} 以下にしてください（{count} でした）。",
            "zh": "{flag} 应在 1 到 {most} 之间（现为 {count}）。",
        },
        flag=flag,
        count=count,
        most=f"{MOST:,}",
    )
    message = f"{flag} is {count}; at least 1 is expected, and at most {MOST:,}."
    raise InvalidArgument(flag.removeprefix("--"), message, also=also)


def _read(hit: Hit, answer: Recalled, found: Opened) -> Excerpt:
    """The best sentence; with a budget of tokens, the part of the text that fits it."""
    from omoide.text import Excerpt

    if answer.tokens is None:
        return found.memories.excerpt(hit, width=SNIPPET)
    return Excerpt(*(hit.part or (0, len(hit.memory.text))), marks=())


def _print_json(answer: Recalled, shown: Sequence[Shown], _: tzinfo) -> None:
    from omoide.transfer.codec import encode

    hits = [
        {
            "relevance": hit.relevance,
            "words": list(hit.why.words),
            "dates": list(hit.why.dates),
            "alike": list(hit.alike),
            "excerpt": [excerpt.start, excerpt.end],
            "marks": [list(mark) for mark in excerpt.marks],
            **encode(hit.memory),
        }
        for hit, excerpt in shown
    ]
    missing = [{"arm": each.arm, "reason": each.reason} for each in answer.missing]
    cost = {} if answer.tokens is None else {"tokens": answer.tokens, "omitted": answer.omitted}
    print_json({"considered": answer.considered, "missing": missing, **cost, "hits": hits})


def _print_table(answer: Recalled, shown: Sequence[Shown], zone: tzinfo) -> None:
    if not answer.hits and not answer.omitted:
        print(f"Nothing found among {counted(answer.considered, 'memory', 'memories')}.")
        return
    rows = [_cells(hit, excerpt, zone) for hit, excerpt in shown]
    if rows:  # into a small budget, no text may fit
        show = _print_paragraphs if _is_narrow() else _print_rows
        show(rows)
    if answer.tokens is not None:
        print(f"{answer.tokens:,} tokens; {counted(answer.omitted, 'memory', 'memories')} did not fit.")


def _is_narrow() -> bool:
    columns = columns_of_terminal()
    return columns is not None and columns < NARROW


def _print_rows(rows: Sequence[Cells]) -> None:
    from rich.table import Column, Table

    short = (Column(name, no_wrap=True) for name in ("relevance", "date"))
    table = Table(*short, "scope", "memory", "why", box=None, pad_edge=False)
    for cells in rows:
        table.add_row(*cells)
    print_table(table)


def _print_paragraphs(rows: Sequence[Cells]) -> None:
    """Print each memory in the full width: relevance, date and scope above it, why it was found below."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console()
    for *head, said, why in rows:
        console.print(Text("  ").join(head))
        for each in (said, why):
            console.print(Padding(each, (0, 0, 0, 2)))


def _cells(hit: Hit, excerpt: Excerpt, zone: tzinfo) -> Cells:
    from rich.text import Text  # not strings: markup in a memory is only text

    memory: Any = hit.memory
    said = Text(legible(memory.text[excerpt.start : excerpt.end]))
    for start, end in excerpt.marks:
        said.stylize("bold", start - excerpt.start, end - excerpt.start)
    title = Text(legible(f"{memory.title}: ") if memory.title else "")
    again = Text(f" (+{len(hit.alike)} alike)" if hit.alike else "")
    return (
        Text(f"{hit.relevance:.2f}"),
        Text(local(memory.stored_at, zone).date().isoformat()),
        Text(legible(memory.scope)),
        title + said + again,
        Text(legible(" ".join(hit.why.words[:TERMS]))),
    )
