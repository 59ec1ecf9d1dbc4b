"""The results, for people (Markdown) and for later analysis (every timing, one line of JSON each)."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.engine.measure import ROUNDS, Row
from bench.systems.native import Native

PACKAGES = "omoide usearch hnswlib faiss-cpu tantivy bm25s igraph networkx lancedb chromadb qdrant-client sqlite-vec numpy".split()
HEADINGS = (
    "case",
    "system",
    "n",
    "right",
    "p50 µs",
    "p95 µs",
    "p99 µs",
    "spread",
    "ratio",
    "per CPU s",
    "disk MB",
    "resident MB",
    "note",
)

METHOD = f"""\
Each system is built from the same seeded data on one thread and its answers are checked (`right`: the share of the exact
answer found; for words the share of the found that score as high as the exact answer). Then all systems are asked the same
question one after the other, question by question, in changing order, {ROUNDS} rounds (3 where a library takes seconds),
after one that warms up. `per CPU s` is what was loaded in a second of one core. `ratio` is omoide's p50 over that system's: below 1 omoide is faster. `spread` is how far the
medians of the rounds lie apart. Our answers come explained, through the Python face, as the server asks for them.
"""

CAVEATS = """\
Absolute times are those of this machine and hour: trust the ratios. Resident bytes are what the process grew by while a
system was built, which shares pages that earlier systems gave back; the engine's own count by part stands under `large`,
where resident bytes include pages of the mapped file that the system keeps in its cache anyhow.
Under `hybrid`, right is measured against both exact rankings, fused by each system's own rule: reciprocal ranks of the 50
best of each for the others, for omoide scores of everything in the scope; Chroma ranks by vectors alone and is held against the same. hnswlib and faiss keep 32-bit vectors,
so they read twice what usearch and we do.
"""


@dataclass(frozen=True, slots=True)
class Run:
    """Everything of one run."""

    size: str
    rows: Sequence[Row]

    def markdown(self) -> str:
        """The report."""
        works = sorted({row.work for row in self.rows if row.work}, key=[row.work for row in self.rows].index)
        tables = "\n".join(f"## {work}\n\n{self._table(work)}" for work in works)
        return f"# Engine, size {self.size}\n\n{_machine()}\n{METHOD}\n{CAVEATS}\n{tables}"

    def _table(self, work: str) -> str:
        rows = [row for row in self.rows if row.work == work]
        lines = ["| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
        lines += ["| " + " | ".join(cells(row, rows)) + " |" for row in rows]
        return "\n".join(lines) + "\n"

    def raw(self) -> str:
        """One line of JSON a row, with all seconds."""
        return "\n".join(json.dumps(_plain(row), ensure_ascii=False) for row in self.rows) + "\n"

    def write(self, root: Path) -> Path:
        """Write both into a folder named after the day, the machine and the commit."""
        day = datetime.now(timezone.utc).date().isoformat()
        folder = root / f"{day}-{platform.machine()}-{_commit()}-{self.size}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "engine.md").write_text(self.markdown(), encoding="utf-8")
        (folder / "engine.jsonl").write_text(self.raw(), encoding="utf-8")
        return folder


def cells(row: Row, rows: Sequence[Row]) -> list[str]:
    """One row as text; `rows` are those of the same workload, for the ratio."""
    timing = row.timing
    times = ["", "", "", ""]
    if timing is not None:
        times = [*(f"{timing.quantile(share):,.0f}" for share in (0.5, 0.95, 0.99)), f"{timing.spread:.0%}"]
    return [
        row.case,
        row.system,
        f"{row.n:,}",
        "" if row.recall is None else f"{row.recall:.3f}",
        *times,
        _ratio(row, rows),
        "" if row.per_second is None else f"{row.per_second:,.0f}",
        "" if row.disk is None else f"{row.disk / 1e6:,.1f}",
        "" if row.resident is None else f"{row.resident / 1e6:,.0f}",
        row.note,
    ]


def _ratio(row: Row, rows: Sequence[Row]) -> str:
    """Our p50 divided by this system's in the same case; for our own rows, theirs divided by the first row's."""
    same = [each for each in rows if each.case == row.case and each.system == Native.name]
    if row.timing is None or not same or same[0].timing is None:
        return ""
    if row is same[0]:
        first = rows[0].timing
        if row is rows[0] or first is None or rows[0].system != Native.name:
            return ""
        return f"{row.timing.quantile(0.5) / first.quantile(0.5):.2f} x the first row"
    return f"{same[0].timing.quantile(0.5) / row.timing.quantile(0.5):.2f}"


def _plain(row: Row) -> dict[str, object]:
    rounds = None if row.timing is None else row.timing.rounds
    named = {name: getattr(row, name) for name in Row.__slots__ if name != "timing"}
    return {**named, "rounds": rounds}


def _machine() -> str:
    memory = next((line.split()[1] for line in _lines("/proc/meminfo") if line.startswith("MemTotal")), "0")
    model = next((line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), "")
    cores = sum(line.startswith("processor") for line in _lines("/proc/cpuinfo"))
    load = next(iter(_lines("/proc/loadavg")), "").split(" ")[0]
    versions = ", ".join(f"{name} {found}" for name in PACKAGES if (found := _version(name)))
    return (
        f"Machine: {model or platform.processor()}, {cores} cores, {int(memory) // 1_000_000} GB, {platform.platform()}, "
        f"Python {platform.python_version()}, load {load} at the end of the run. {versions}.\n"
    )


def _lines(path: str) -> list[str]:
    file = Path(path)
    return file.read_text().splitlines() if file.exists() else []


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _commit() -> str:
    asked = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return asked.stdout.strip() or "unversioned"
