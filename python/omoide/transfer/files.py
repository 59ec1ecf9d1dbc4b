"""Reads the items from a list of files and folders.

A folder stands for the Markdown and plain text in it; links to folders are not followed. A file of JSON lines brings the
`triples.jsonl` beside it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import BinaryIO

from omoide.errors import InvalidArgument, filled, no_file, system_refused
from omoide.store.layout import may_be_file
from omoide.transfer import notes
from omoide.transfer.items import Item, parse
from omoide.transfer.lines import PlacedRow, rows
from omoide.transfer.reasons import OF_A_LIST, BadRow, refused

JSON_LINES = frozenset({".jsonl", ".ndjson"})
#: JSON lines from standard input.
STDIN = Path("-")
#: Hints for files of some other kinds.
_OF_OTHERS: Mapping[str, Mapping[str, str]] = {
    ".json": {
        "en": f"{OF_A_LIST} JSON lines are taken by any name: `omoide import - < FILE`.",
        "ja": "配列の中身は `jq -c '.[]' FILE | omoide import -` で、JSON Lines は名前によらず `omoide import - < FILE` で取り込めます。",
        "zh": "数组中的对象请用 `jq -c '.[]' FILE | omoide import -` 导入；JSON Lines 用任何文件名都可以：`omoide import - < FILE`。",
    },
    ".gz": {
        "en": "Unpack it: `zcat FILE | omoide import -` takes JSON lines.",
        "ja": "`zcat FILE | omoide import -` のように展開すれば、JSON Lines を取り込めます。",
        "zh": "请解压：`zcat FILE | omoide import -` 可以导入 JSON Lines。",
    },
    ".zip": {
        "en": "What `omoide backup` wrote is brought back by `omoide restore`.",
        "ja": "`omoide backup` が書いたものは `omoide restore` で元に戻せます。",
        "zh": "`omoide backup` 写出的文件请用 `omoide restore` 恢复。",
    },
}
_OF_ANY_OTHER = {
    "en": "Kinds: {known}; JSON lines of any name: `omoide import - < FILE`.",
    "ja": "取り込めるもの：{known}。JSON Lines は名前によらず `omoide import - < FILE` で取り込めます。",
    "zh": "可以导入：{known}；JSON Lines 用任何文件名都可以：`omoide import - < FILE`。",
}
#: The file beside a corpus with the triples that were extracted from it.
TRIPLES_FILE = "triples.jsonl"


@dataclass(frozen=True, slots=True)
class PlacedItem:
    """An item and its place, file:line."""

    place: str
    item: Item


def files_of(paths: Sequence[Path]) -> list[Path]:
    """The files to read, each once, by the first of its names; in order, but triples after all memories that they may be about.

    Raises InvalidArgument: a path that does not exist or is of an unknown kind, a folder without notes.
    """
    found: dict[str, Path] = {}
    for path in paths:
        for file in _files_at(path):
            found.setdefault(os.path.realpath(file), file)
    return sorted(found.values(), key=lambda file: file.name == TRIPLES_FILE)


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
        raise _of_another_kind(path)
    beside = path.with_name(TRIPLES_FILE)
    return [path, beside] if path.suffix.lower() in JSON_LINES and beside.is_file() else [path]


def _of_another_kind(path: Path) -> InvalidArgument:
    hint = _OF_OTHERS.get(path.suffix.lower()) or filled(
        _OF_ANY_OTHER, known=", ".join(sorted(JSON_LINES | notes.SUFFIXES))
    )
    words = {
        "ja": "{path} は取り込めない種類のファイルです。{hint}",
        "zh": "无法导入“{path}”这类文件。{hint}",
    }
    also = filled(words, path=path, hint=hint)
    return InvalidArgument("file", f"{path} is of a kind that cannot be imported.", hint=hint["en"], also=also)


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
    # Links last: a link to one of them is no name to call it by.
    return sorted(found, key=lambda file: (os.path.islink(file), file))


def _is_hidden(name: str) -> bool:
    """Whether the name is that of a hidden file, such as editors' settings and trash."""
    return name.startswith(".")


def _is_note(path: Path) -> bool:
    return not _is_hidden(path.name) and path.suffix.lower() in notes.SUFFIXES and may_be_file(path)
