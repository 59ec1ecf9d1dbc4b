"""How do many tenants share one server: what does a first hit cost, and does memory stay bounded?

Every tenant has a store of its own. Writing so many stores would take long, so only the first GROUPS are written, with
memories that name their group, and the others are copies of these. Then each tenant, in random order, makes its first call
since its store was closed: one search (the first hit), and another (the store is open). Every answer is
checked to be from the tenant's group. The resident memory of the process is recorded on the way.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time

from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.options import at_least
from bench.statistics import percentile
from omoide.app import open_memories, tenant_settings
from omoide.cli.serving import stores_of_tenants
from omoide.config import Settings, load
from omoide.model.memory import Draft
from omoide.server.access.visitor import Visitor
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.toolcall import ToolCall
from omoide.server.garbage_collection import settle
from omoide.server.monitoring.metrics import Metrics

SENTENCES = (
    "{who}は{number}回目に京都で抹茶を飲んだ。",
    "{who}第{number}次在北京喝了龙井茶。",
    "{who} drank Earl Grey in London, the {number}th time.",
)
QUERIES = ("抹茶を飲んだ", "北京 龙井茶", "Earl Grey London")
SAMPLES = 10
GROUPS = 25


@dataclass(slots=True)
class Visits:
    """Milliseconds of each tenant's first and second hit, and CPU milliseconds of the first; resident MiB in the course of
    the visits."""

    first: list[float] = field(default_factory=list)
    second: list[float] = field(default_factory=list)
    first_cpu: list[float] = field(default_factory=list)
    resident: list[float] = field(default_factory=list)


def main(argv: Sequence[str]) -> int:
    """Print the table; exit code 1 if an answer is not its tenant's."""
    parser = argparse.ArgumentParser(prog="python -m bench tenants", description=__doc__)
    parser.add_argument("--tenants", type=at_least(2), default=300, help="how many (default: %(default)s)")
    parser.add_argument("--memories", type=at_least(1), default=100, help="of each (default: %(default)s)")
    parser.add_argument("--open", type=at_least(1), default=100, help="stores kept open (default: %(default)s)")
    parser.add_argument("--data", type=Path, help="folder to keep them in; tenants that are there are not made again")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="omoide-bench-") as scratch:
        settings = load({"data": str(options.data or scratch), "tenants_open": str(options.open)}, {})
        numbers = range(options.tenants)
        for number in track(numbers, "filling", console=Console(stderr=True), transient=True):
            fill(settings, number, options.memories)
        os.sync()  # or the first visits wait for the disk to take all these files
        settle()  # as a server does
        visits = visit(settings, numbers)
    report(visits, options)
    return 0


def fill(settings: Settings, number: int, count: int) -> None:
    """Make a store with its memories, and search it once, so that its index is built and saved."""
    folder, first = (tenant_settings(settings, _name(each)).data for each in (number, number % GROUPS))
    if folder.exists():
        return
    if folder != first:
        shutil.copytree(first, folder)
        return
    with open_memories(folder) as memories:
        memories.remember_many(Draft(text=text) for text in _texts(_name(number), count))
        memories.recall(QUERIES[0])


def visit(settings: Settings, numbers: Sequence[int]) -> Visits:
    """Visit every tenant once, in random order. Raises AssertionError if an answer is another tenant's."""
    visits, order = Visits(), random.Random(1).sample(numbers, len(numbers))
    with stores_of_tenants(settings, Metrics()) as served:
        for count, number in enumerate(order):
            query, first = QUERIES[count % len(QUERIES)], _name(number % GROUPS)
            cpu = process_time()
            for times in (visits.first, visits.second):
                began = perf_counter()
                answer = _search(served.dispatcher, _name(number), query)
                times.append(1000 * (perf_counter() - began))
                if times is visits.first:
                    visits.first_cpu.append(1000 * (process_time() - cpu))
                assert f"{first}は" in answer or f"{first}第" in answer or f"{first} drank" in answer, (first, answer)
            if count % max(1, len(order) // SAMPLES) == 0:
                visits.resident.append(_resident_mib())
    return visits


def report(visits: Visits, options: argparse.Namespace) -> None:
    """Print the table, and the memory in the course of the visits."""
    console = Console(width=120)
    title = f"{options.tenants:,} tenants of {options.memories} memories, {options.open} open"
    table = Table("ms", "p50", "p95", "p99", "most", title=title)
    for name, times in (("first hit", visits.first), ("  its CPU", visits.first_cpu), ("second hit", visits.second)):
        shares = (*(percentile(times, share) for share in (0.5, 0.95, 0.99)), max(times))
        table.add_row(name, *(f"{value:.1f}" for value in shares))
    console.print(table)
    console.print("resident MiB as the visits went on:", " ".join(f"{each:.0f}" for each in visits.resident))


def _name(number: int) -> str:
    return f"tenant-{number}"


def _search(dispatcher: Dispatcher, tenant: str, query: str) -> str:
    visitor = Visitor(tenant, tenant, "read")
    result = dispatcher.answer(ToolCall(visitor, "search_memory", {"query": query}, client="bench"))
    assert not result.is_error, result.text
    return result.text


def _texts(tenant: str, count: int) -> Iterator[str]:
    for number in range(count):
        yield SENTENCES[number % len(SENTENCES)].format(who=tenant, number=number)


def _resident_mib() -> float:
    if sys.platform != "linux":
        return float("nan")
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1024**2
