"""What does a store of a million memories cost: to load, write, search, save, open and keep in memory?

The same index is measured as it grew, and opened from its snapshot, by 16-bit floats and by bytes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.engine import data
from bench.engine.measure import Ask, Row, Spent, Timing, folder_bytes, in_turn, recall, resident_bytes, seconds, tell
from bench.engine.texts import Written, zipfian
from bench.systems.native import Native, document
from omoide._engine import Document

COUNT = 10
SCOPES = 20
MEMORIES_A_SESSION = 20
#: Documents prepared at a time.
READY = 10_000
OPENINGS = 5
#: Bytes of a posting that is not packed: a document's number and the count of the term.
POSTING_BYTES = 8


def large(held: data.Floats, queries: data.Floats) -> Iterator[Row]:
    """All rows of one index over `held`, each with a text and the attributes of a memory."""
    wanted = data.nearest(held, queries, COUNT)
    raw = [query.tobytes() for query in queries]
    row = partial(Row, "large", system=Native.name, n=len(held))
    engine, spent = Native(held.shape[1]), Spent()
    _load(engine, held, zipfian(len(held), 1).texts, spent)
    yield row("load", per_second=len(held) / spent.cores, note=f"{spent.clock:.0f} s by the clock")
    yield row("in memory as it grew", note=_by_part(engine))
    yield row("one write, searchable at once", timing=_one_by_one(engine, held, len(queries)))
    yield _asked(row("ten nearest"), engine, raw, wanted)
    with TemporaryDirectory(prefix="omoide-bench-") as name:
        floats, codes = Path(name) / "f16", Path(name) / "i8"
        yield row("ten nearest while a snapshot is written", timing=_while_saving(engine, floats, raw))
        postings = engine.engine.stats().postings
        del engine
        least = held.size * 2 + postings * POSTING_BYTES
        yield from _opened(row, "f16", floats, least, raw, wanted)
        Native.open(floats, codes=True).save(codes)
        yield from _opened(row, "i8", codes, least + held.size, raw, wanted)


def _opened(
    row: partial[Row], storage: str, folder: Path, least: int, raw: list[bytes], wanted: list[list[int]]
) -> Iterator[Row]:
    """The rows of the snapshot in `folder`, from opening it on."""
    tell(f"large: opening {storage}")
    opening = partial(_first_answer, folder, storage, raw[0])
    warm = Timing([[seconds(opening)] for _ in range(OPENINGS)])
    size = folder_bytes(folder)
    floats = "vectors as f16" if storage == "f16" else "vectors as f16 and as i8"
    file = f"{size / least:.2f} x ({floats} + {POSTING_BYTES} bytes a posting)"
    yield row(f"{storage}: open to first answer", timing=warm, disk=size, note=file)
    _forget_pages(folder)
    yield row(f"{storage}: the same, nothing in the page cache", timing=Timing([[seconds(opening)]]))
    before = resident_bytes()
    engine = Native.open(folder, codes=storage == "i8")
    asked = _asked(row(f"{storage}: ten nearest"), engine, raw, wanted)
    asked.resident = resident_bytes() - before
    asked.note = f"not mapped: {_by_part(engine)}"
    yield asked


def _load(engine: Native, held: data.Floats, texts: Written, spent: Spent) -> None:
    for start in range(0, len(held), READY):
        made = [_memory(key, held, texts[key]) for key in range(start, min(start + READY, len(held)))]
        spent.on(partial(engine.load, made))
        if start % (READY * 10) == 0:
            tell(f"large: {start:,} of {len(held):,} loaded")


def _memory(key: int, held: data.Floats, words: list[str]) -> Document:
    """A document with as many attributes as a memory has."""
    attributes = [
        ("id", f"memory-{key}"),
        ("scope", f"scope{key % SCOPES}"),
        ("category", "fact"),
        ("status", "active"),
        ("session_id", f"session-{key // MEMORIES_A_SESSION}"),
    ]
    return document(key, held[key % len(held)].tobytes(), words, attributes)


def _one_by_one(engine: Native, held: data.Floats, questions: int) -> Timing:
    """Apply new memories one at a time, and remove them again."""
    keys = count(len(held))
    write: Ask = lambda _: engine.engine.apply(  # noqa: E731
        engine.engine.applied + 1, documents=[_memory(next(keys), held, ["京都", "memory", "记忆"])]
    )
    timing = in_turn({Native.name: write}, questions)[Native.name]
    engine.engine.apply(engine.engine.applied + 1, removed=list(range(len(held), next(keys))))
    return timing


def _asked(row: Row, engine: Native, raw: list[bytes], wanted: list[list[int]]) -> Row:
    row.recall = recall([engine.nearest(query, COUNT) for query in raw], wanted)
    row.timing = in_turn({Native.name: lambda at: engine.nearest(raw[at], COUNT)}, len(raw))[Native.name]
    return row


def _while_saving(engine: Native, folder: Path, raw: list[bytes]) -> Timing:
    """Ask questions for as long as another thread saves."""
    tell("large: saving")
    timing = Timing()
    saving = threading.Thread(target=engine.save, args=(folder,))
    saving.start()
    while saving.is_alive():
        timing.rounds.append([seconds(partial(engine.nearest, query, COUNT)) for query in raw])
    saving.join()
    return timing


def _first_answer(folder: Path, storage: str, query: bytes) -> None:
    Native.open(folder, codes=storage == "i8").nearest(query, COUNT)


def _forget_pages(folder: Path) -> None:
    """Drop the files from the page cache (Linux; does nothing elsewhere)."""
    if hasattr(os, "posix_fadvise"):
        for path in (path for path in folder.rglob("*") if path.is_file()):
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _by_part(engine: Native) -> str:
    return ", ".join(f"{part} {size / 1e6:.0f} MB" for part, size in engine.engine.stats().bytes)
