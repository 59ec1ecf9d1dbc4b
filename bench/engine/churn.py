"""How much space do removed memories still take: on the disk, in memory, in the graph over vectors?"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

from bench.engine import data
from bench.engine.measure import Row, folder_bytes, recall, tell
from bench.engine.texts import Written, zipfian
from bench.systems.native import Native, document

COUNT = 10
#: How many times everything is replaced.
TURNS = 10
#: Snapshots in the course of one replacement.
SAVES_A_TURN = 4
LOOKS_A_SECOND = 500


def churn(held: data.Floats, queries: data.Floats) -> Iterator[Row]:
    """An index over `held`, fresh, and after everything in it was replaced ten times."""
    texts, engine = zipfian(len(held), 1).texts, Native(held.shape[1])
    wanted = data.nearest(held, queries, COUNT)
    raw = [query.tobytes() for query in queries]
    with TemporaryDirectory(prefix="omoide-bench-") as name:
        folder = Path(name)
        _put(engine, held, texts, range(len(held)))
        engine.save(folder)
        fresh = Variant("fresh", engine, folder, raw, wanted)
        yield fresh.row
        with Watch(folder) as watch:
            for turn in range(TURNS):
                tell(f"churn: turn {turn + 1} of {TURNS}")
                for part in range(SAVES_A_TURN):
                    _put(engine, held, texts, range(part, len(held), SAVES_A_TURN))
                    engine.save(folder)
        after = Variant(f"replaced {TURNS} times", engine, folder, raw, wanted)
        disk, most, memory = after.disk / fresh.disk, watch.most / fresh.disk, after.resident / fresh.resident
        after.row.note = f"disk {disk:.2f} x, at most {most:.2f} x while saving; memory {memory:.2f} x"
        yield after.row


def _put(engine: Native, held: data.Floats, texts: Written, keys: range) -> None:
    engine.load(document(key, held[key].tobytes(), texts[key]) for key in keys)


class Variant:
    """The space an index takes now, and the recall it has."""

    def __init__(self, case: str, engine: Native, folder: Path, raw: list[bytes], wanted: list[list[int]]) -> None:
        found = recall([engine.nearest(query, COUNT) for query in raw], wanted)
        self.disk, self.resident = folder_bytes(folder), sum(size for _, size in engine.engine.stats().bytes)
        self.row = Row("churn", case, Native.name, len(engine), found, disk=self.disk, resident=self.resident)


class Watch:
    """Polls a folder for the most bytes it ever held."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.most = folder, 0

    def __enter__(self) -> Watch:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stop.wait(1 / LOOKS_A_SECOND):
            with suppress(FileNotFoundError):  # removed between being listed and being looked at
                self.most = max(self.most, folder_bytes(self._folder))
