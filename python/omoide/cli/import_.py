"""`omoide import`: brings files and folders into the store."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from omoide.cli.common import (
    COMMON,
    Commands,
    add_command,
    bring_index_up,
    legible,
    name,
    path,
    print_json,
    settings_of,
    watched,
)
from omoide.cli.translation import language_for
from omoide.errors import filled
from omoide.model.memory import DEFAULT_SCOPE

if TYPE_CHECKING:
    from omoide.app import Opened
    from omoide.transfer.tally import Tally

#: Bad rows that are shown one by one.
SHOWN = 50
#: How often the progress of vectors that are being made is shown.
LOOK_SECONDS = 0.2
#: What ends the report.
_ENDS: Mapping[str, Mapping[str, str]] = {
    "more": {"en": "… and {count:,} more", "ja": "ほかに {count:,} 件", "zh": "另有 {count:,} 项"},
    "bad": {
        "en": "omoide: {count:,} could not be imported",
        "ja": "{count:,} 件を取り込めませんでした。",
        "zh": "有 {count:,} 项无法导入。",
    },
    "partly": {
        "en": "omoide: {count:,} imported without what is named above",
        "ja": "{count:,} 件は、上に示した部分を除いて取り込みました。",
        "zh": "有 {count:,} 项已导入，但不含上面指出的部分。",
    },
    "waiting": {
        "en": "omoide: {count:,} have no vectors yet, and are found by their words until a server has had them made: {reason}",
        "ja": "{count:,} 件にはまだベクトルがありません。サーバーが後で作るまで、言葉だけで見つかります。",
        "zh": "有 {count:,} 项还没有向量。在服务器生成之前，只能按词找到。",
    },
    "empty": {
        "en": "omoide: there is nothing in it to import",
        "ja": "取り込むものがありません。",
        "zh": "没有可以导入的内容。",
    },
}

_EXAMPLES = """\
  omoide import corpus.jsonl           a memory a line: {"text": "..."}, also
                                       "id", "title", "timestamp", "lang",
                                       "scope", "session"; and a triples.jsonl
                                       beside it
  omoide import ~/日記 ~/笔记 todo.md  every .md and .txt of a folder;
                                       a memory for each heading
  omoide import backup.jsonl           what `omoide export` wrote
  zcat backup.gz | omoide import -     the same from a pipe

Importing again adds nothing twice: the same id with the same content is
unchanged. A line that cannot be used is named and left out; the exit code is
then 1.
"""


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    made = add_command(
        commands, "import", run, help="import notes, JSON lines or an export", examples=_EXAMPLES, settings=COMMON
    )
    made.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        type=path,
        help="a .jsonl, .md or .txt file, a folder of notes, or - (JSON lines from stdin)",
    )
    made.add_argument(
        "--into",
        metavar="SCOPE",
        type=name,
        help=f"scope of memories that name none (default: {DEFAULT_SCOPE}, or the one they are stored in)",
    )
    made.add_argument(
        "--json",
        action="store_true",
        help="print how many rows were added, and those that were not, as one JSON object",
    )


def run(arguments: argparse.Namespace) -> int:
    """Import; 1 if a line could not be used."""
    from omoide.app import opened
    from omoide.transfer.files import files_of
    from omoide.transfer.tally import Tally

    settings = settings_of(arguments)
    files = files_of(arguments.files)
    tally = Tally()
    language = language_for(" ".join(map(str, arguments.files)), settings.language, os.environ)
    with opened(settings) as found:
        scope = None if arguments.into is None else found.memories.own_scope(arguments.into)
        try:
            _bring_in(found, files, tally, scope)
        finally:
            if arguments.json:
                _report_as_json(tally)
            else:
                _report(tally, language)
        bring_index_up(found)
        _have_vectors_made(found, language)
    if not tally.rows:
        _end("empty", language)
    return 1 if tally.bad else 0


def _bring_in(opened: Opened, files: list[Path], tally: Tally, scope: str | None) -> None:
    from omoide.transfer.load import load

    with watched("importing") as progress:
        load(opened.memories, files, tally, scope=scope, committed=lambda tally: progress(tally.rows, None))


def _have_vectors_made(opened: Opened, language: str | None) -> None:
    """Wait for the vectors of an embedder that takes its time: they are made in the background of a process, and this one is about
    to end. One that is down is not waited for."""
    waiting = opened.index.state().filling.waiting
    with watched("embedding") as progress:
        while not opened.index.wait_for_vectors(LOOK_SECONDS) and opened.index.state().filling.error is None:
            progress(waiting - opened.index.state().filling.waiting, waiting)
    if (left := opened.index.state().filling).waiting:
        _end("waiting", language, left.waiting, left.error)


def _report_as_json(tally: Tally) -> None:
    bad = [
        {"place": each.place, "reason": each.reason, **({"partly": True} if each.partly else {})} for each in tally.bad
    ]
    print_json({"counts": tally.counts, "bad": bad})


def _report(tally: Tally, language: str | None) -> None:
    for noun, counts in sorted(tally.counts.items()):
        print(f"{noun:<9}", "  ".join(f"{outcome} {count:,}" for outcome, count in counts.items()))
    for bad in tally.bad[:SHOWN]:
        _say(f"{bad.place}: {bad.reason}", bad.also, language)
    if len(tally.bad) > SHOWN:
        _end("more", language, len(tally.bad) - SHOWN)
    if tally.unused:
        _end("bad", language, tally.unused)
    if tally.partly_used:
        _end("partly", language, tally.partly_used)


def _end(end: str, language: str | None, count: int = 0, reason: str | None = None) -> None:
    said = filled(_ENDS[end], count=count, reason=reason)
    _say(said.pop("en"), said, language)


def _say(english: str, also: Mapping[str, str], language: str | None) -> None:
    """Print a message, and its translation in the line after it."""
    from omoide.traditional import told_in

    lines = (english, told_in(also, language))
    print(legible("\n  ".join(line for line in lines if line)), file=sys.stderr)
