"""Exports a store as lines of JSON, one noun per line, each after those that it refers to. `load` reads them back.

Useful for: backups as text, moving to another machine, a look inside. Not useful for: following a store that changes;
this is one consistent state.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from omoide.errors import InvalidArgument, damaged
from omoide.memory import Memories, argument_types
from omoide.store.protocol import Reader
from omoide.transfer.atomic_file import written_atomically
from omoide.transfer.codec import encode
from omoide.transfer.items import FORMAT, MARK

#: Rows read at a time.
BATCH = 500

#: Made once: `json.dumps` would make one for every line.
_JSON = json.JSONEncoder(ensure_ascii=False).encode

ByNumber = Callable[[Iterable[int]], Mapping[int, Any]]


def export(memories: Memories, file: Path | str) -> None:
    """Write one consistent state of the whole store to a file, which is replaced once everything is written.

    Raises InvalidArgument (the memories are pinned to a scope, or the file cannot be replaced or its folder takes none),
    StoreError, OSError.
    """
    require_memories(memories)
    path = argument_types.path("file", file)
    if memories.scope is not None:
        raise InvalidArgument(
            "memories",
            f"These memories are those of the scope {memories.scope!r} alone; an export has the whole store.",
            hint="Open the folder without a scope.",
        )
    with memories.store.read() as reader:
        write(dump(reader), path)


def require_memories(memories: object) -> None:
    """Raises InvalidArgument for anything else, such as the path of a store."""
    if not isinstance(memories, Memories):
        raise argument_types.wrong("memories", memories, "memories, as `omoide.open` returns them")


def write(lines: Iterable[str], file: Path) -> None:
    """Write the lines of an export to a file, as `export` does."""
    with written_atomically(file) as partial, partial.open("w", encoding="utf-8", newline="\n") as written:
        written.writelines(f"{line}\n" for line in lines)


def dump(reader: Reader) -> Iterator[str]:
    """The lines of the export, without line ends: a header, entities, threads, memories, relations, reminders."""
    yield _line("export", {"format": FORMAT})
    yield from _stored("entity", reader.numbers("entity"), reader.entities_by_number)
    yield from (_line("thread", _thread(each)) for each in reversed(reader.threads()))
    yield from _stored("memory", reader.numbers("memory"), reader.memories_by_number)
    yield from _stored("relation", reader.numbers("relation"), reader.relations_by_number)
    yield from (_line("reminder", encode(each)) for each in reader.reminders())


def _stored(noun: str, numbers: list[int], read: ByNumber) -> Iterator[str]:
    for start in range(0, len(numbers), BATCH):
        rows = read(numbers[start : start + BATCH])
        yield from (_line(noun, encode(rows[number])) for number in sorted(rows))


def _thread(thread: Any) -> dict[str, Any]:
    return {name: value for name, value in encode(thread).items() if name != "entry_count"}


def _line(noun: str, row: Mapping[str, Any]) -> str:
    try:
        return _JSON({MARK: noun, **row})
    except TypeError as error:  # bytes in place of a text
        raise damaged(f"{noun} {row['id']!r}", error) from error
