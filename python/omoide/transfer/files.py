"""Reads the items from a list of files and folders.

A folder stands for the Markdown and plain text in it; links to folders are not followed. A file of JSON lines brings the
`triples.jsonl` beside it.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import BinaryIO

from omoide.errors import InvalidArgument, filled, no_file, system_refused
from omoide.transfer import notes
from omoide.transfer.items import Item, parse
from omoide.transfer.lines import PlacedRow, rows
from omoide.transfer.reasons import OF_A_LIST, BadRow, refused

JSON_LINES = frozenset({".jsonl", ".ndjson"})
#: JSON lines from standard input.
STDIN = Path("-")
#: Hints for files of some other kinds.
_OF_OTHERS = {
    ".json": f"{OF_A_LIST} JSON lines are taken by any name: `omoide import - < FILE`.",
    ".gz": "Unpack it: `zcat FILE | omoide import -` takes JSON lines.",
    ".zip": "What `omoide backup` wrote is brought back by `omoide restore`.",
}
#: The file beside a corpus with the triples that were extracted from it.
TRIPLES_FILE = "triples.jsonl"


@dataclass(frozen=True, slots=True)
class PlacedItem:
    """An item and its place, file:line."""

    place: str
    item: Item


def files_of(paths: Sequence[Path]) -> list[Path]:
    """The files to read, in order, each once.

    Raises InvalidArgument: a path that does not exist or is of an unknown kind, a folder without notes.
    """
    return list(dict.fromkeys(file for path in paths for file in _files_at(path)))


def items_of(file: Path, *, zone: tzinfo, scope: str) -> Iterator[PlacedItem | BadRow]:
    """The items in the file; a BadRow for each row that cannot be read."""
    try:
        yield from _items_of(file, zone, scope)
    except OSError as error:
        yield BadRow(str(file), f"It cannot be read: {error.strerror}.", system_refused(error))


def _items_of(file: Path, zone: tzinfo, scope: str) -> Iterator[PlacedItem | BadRow]:
    if file == STDIN:
        yield from _in_lines(sys.stdin.buffer, "stdin", zone, scope)
    elif file.suffix.lower() in JSON_LINES:
        with file.open("rb") as lines:
            yield from _in_lines(lines, str(file), zone, scope)
    else:
        for each in notes.notes(file, scope=scope):
            yield each if isinstance(each, BadRow) else PlacedItem(*each)


def _in_lines(lines: BinaryIO, name: str, zone: tzinfo, scope: str) -> Iterator[PlacedItem | BadRow]:
    for row in rows(lines, name):
        found = row if isinstance(row, BadRow) else _item(row, zone, scope)
        if found is not None:
            yield found


def _item(row: PlacedRow, zone: tzinfo, scope: str) -> PlacedItem | BadRow | None:
    try:
        item = parse(row.row, zone=zone, scope=scope)
    except InvalidArgument as error:
        return refused(row.place, error)
    return None if item is None else PlacedItem(row.place, item)


def _files_at(path: Path) -> list[Path]:
    if path == STDIN:
        return [path]
    if path.is_dir():
        return _notes_in(path)
    if not path.is_file():
        if path.exists():
            hint = "JSON lines from a pipe come in by stdin: `… | omoide import -`."
            also = filled(
                {
                    "ja": "{path} は通常のファイルではありません。パイプは `… | omoide import -` で取り込めます。",
                    "zh": "“{path}”不是普通文件。管道请用 `… | omoide import -` 导入。",
                },
                path=path,
            )
            raise InvalidArgument("file", f"{path} is not a regular file.", hint=hint, also=also)
        raise InvalidArgument("file", f"There is no file {path}.", also=no_file(path))
    if path.suffix.lower() not in JSON_LINES | notes.SUFFIXES:
        known = ", ".join(sorted(JSON_LINES | notes.SUFFIXES))
        hint = _OF_OTHERS.get(path.suffix.lower(), f"Kinds: {known}; JSON lines of any name: `omoide import - < FILE`.")
        also = filled(
            {
                "ja": "{path} は取り込めない種類のファイルです。取り込めるもの：{known}。",
                "zh": "无法导入“{path}”这类文件。可以导入：{known}。",
            },
            path=path,
            known=known,
        )
        raise InvalidArgument("file", f"{path} is of a kind that cannot be imported.", hint=hint, also=also)
    beside = path.with_name(TRIPLES_FILE)
    return [path, beside] if path.suffix.lower() in JSON_LINES and beside.is_file() else [path]


def _notes_in(folder: Path) -> list[Path]:
    """The notes in a folder; unreadable folders are among them, so that reading them reports why."""
    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=lambda error: found.append(Path(error.filename))):
        folders[:] = [name for name in folders if not _is_hidden(name)]
        found.extend(Path(place, name) for name in names if _is_note(Path(place, name)))
    if not found:
        raise InvalidArgument(
            "file",
            f"The folder {folder} holds no notes (.md, .markdown, .txt).",
            hint="Name files of JSON lines one by one.",
            also=filled(
                {
                    "ja": "フォルダー {folder} にノート（.md、.markdown、.txt）がありません。JSON Lines のファイルは一つずつ指定してください。",
                    "zh": "文件夹“{folder}”中没有笔记（.md、.markdown、.txt）。JSON Lines 文件请逐个指定。",
                },
                folder=folder,
            ),
        )
    return sorted(found)


def _is_hidden(name: str) -> bool:
    """Whether the name is that of a hidden file, such as editors' settings and trash."""
    return name.startswith(".")


def _is_note(path: Path) -> bool:
    return not _is_hidden(path.name) and path.suffix.lower() in notes.SUFFIXES and _is_a_file(path)


def _is_a_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:  # a dangling link
        return False
    except OSError:
        return True  # reading it will report why not
