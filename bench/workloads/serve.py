"""What does a served call cost, beside an empty tool of the protocol's SDK?

A row a server, era and transport: calls a second, the server's CPU time a call, and how long answers took. The load comes
from another process on this machine (HTTP: several connections; stdio: several requests under way), so calls a second
depend on what else runs here; CPU time a call hardly does. The last column compares with the SDK's empty tool of the
same era and transport, measured in the same run: above 1, more calls a second for the same CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

import omoide
from bench.dataset import DATA_VARIABLE, find, read_lines
from bench.load import call, hello

SETS = ("jsquad_ja_valid", "drcd_zh_dev", "locomo_en")
MEMORY_CHARS = 200
QUERY = "昨日の会議について"
#: Requests under way at a time.
AT_ONCE = 8
ERAS = ("stateless", "session")

NOOP: Mapping[str, Any] = {"name": "noop", "arguments": {"query": QUERY, "limit": 10}}
SEARCH: Mapping[str, Any] = {"name": "search_memory", "arguments": {"query": QUERY, "limit": 10}}
STORE: Mapping[str, Any] = {"name": "store_memory", "arguments": {"text": QUERY, "category": "events"}}


@dataclass(frozen=True, slots=True)
class Server:
    """One to be measured. `command` ends without the transport; `asked`: the call."""

    name: str
    http: Sequence[str]
    stdio: Sequence[str]
    asked: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement; seconds of each answer."""

    server: str
    transport: str
    era: str
    seconds: float
    cpu: float
    taken: Sequence[float]

    @property
    def rate(self) -> float:
        """Calls a second."""
        return len(self.taken) / self.seconds

    @property
    def cost(self) -> float:
        """CPU seconds of the server a call."""
        return self.cpu / len(self.taken)

    def quantile(self, share: float) -> float:
        """Seconds within which that share was answered."""
        return sorted(self.taken)[min(len(self.taken) - 1, int(len(self.taken) * share))]


def main(argv: Sequence[str]) -> int:
    """Print the table; exit code 2 when a set is not there."""
    parser = argparse.ArgumentParser(prog="python -m bench serve", description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000, help="in the store (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=5.0, help="of load a row (default: %(default)s)")
    parser.add_argument("--store", type=Path, help="folder of the store: made if absent, and kept")
    parser.epilog = f"The texts are those of {SETS}, under ${DATA_VARIABLE}."
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder)
        try:
            fill(store, options.memories)
        except FileNotFoundError as error:
            print(error, file=sys.stderr)
            return 2
        rows = [row for server in servers(store) for row in measure(server, options.seconds)]
    Console(width=max(120, Console().width)).print(table(rows))
    return 0


def servers(store: Path) -> Iterator[Server]:
    """Those that are installed."""
    serve = [sys.executable, "-m", "omoide.cli", "serve", "--data", str(store)]
    http = [*serve, "--http", "--port", "0"]
    for by in ("sdk", "fastmcp", "omoide"):
        command = [sys.executable, "-m", "bench.systems.noop", by]
        if by != "fastmcp" or _is_installed("fastmcp"):
            yield Server(f"{by}, empty tool", [*command, "http"], [*command, "stdio"], NOOP)
    yield Server("omoide, search, 10 hits", http, serve, SEARCH)
    yield Server("omoide, search, 2 workers", [*http, "--workers", "2"], [], SEARCH)
    yield Server("omoide, search, SDK's lane", [*http, "--no-fast-lane"], [*serve, "--no-fast-lane"], SEARCH)
    yield Server("omoide, durable write", http, serve, STORE)


def fill(store: Path, memories: int) -> None:
    """Memories of three languages, all different, and their index."""
    texts = [text for name in SETS for text in _texts(name)]
    with omoide.open(store) as opened:
        held = opened.counts().memories
        numbered = enumerate(islice(cycle(texts), memories))
        missing = [omoide.Draft(text=f"{text} ({number})") for number, text in numbered if number >= held]
        for start in range(0, len(missing), 1_000):
            opened.remember_many(missing[start : start + 1_000])
        opened.recall(QUERY)


def measure(server: Server, seconds: float) -> Iterator[Row]:
    """Every transport and era it has."""
    if server.http:
        for era in ERAS:
            with _http(server.http) as (process, port):
                yield _row(server, "http", era, process, lambda port=port, era=era: _load(port, era, server, seconds))
    if server.stdio:
        for era in ERAS:
            with _process(server.stdio, subprocess.PIPE) as process:
                pipe = Pipe(process, era, server.asked)
                yield _row(server, "stdio", era, process, lambda pipe=pipe: pipe.load(seconds))


def table(rows: Sequence[Row]) -> Table:
    """As the module says."""
    columns = ("server", "transport", "era", "calls/s", "CPU µs a call", "p50 ms", "p99 ms", "for SDK's empty tool")
    made = Table(*columns, title=f"served calls, {AT_ONCE} at once")
    empty = {(row.transport, row.era): row for row in rows if row.server.startswith("sdk")}
    for row in rows:
        times = empty[row.transport, row.era].cost / row.cost if row.cost else 0.0
        p50, p99 = row.quantile(0.5) * 1e3, row.quantile(0.99) * 1e3
        figures = (f"{row.rate:,.0f}", f"{row.cost * 1e6:,.0f}", f"{p50:.2f}", f"{p99:.2f}", f"{times:.2f}")
        made.add_row(row.server, row.transport, row.era, *figures)
    return made


class Pipe:
    """A server over stdio, with AT_ONCE requests under way."""

    def __init__(self, process: subprocess.Popen[bytes], era: str, asked: Mapping[str, Any]) -> None:
        self._process = process
        self._era = era
        self._asked = asked
        if era == "session":
            self._say(hello())
            self._hear()
            self._say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def load(self, seconds: float) -> list[float]:
        """Seconds of each answer."""
        began: dict[int, float] = {}
        taken: list[float] = []
        until = perf_counter() + seconds
        for number in range(AT_ONCE):
            self._ask(number, began)
        while began:
            id = self._hear()["id"]
            taken.append(perf_counter() - began.pop(id))
            if perf_counter() < until:
                self._ask(id + AT_ONCE, began)
        return taken

    def _ask(self, id: int, began: dict[int, float]) -> None:
        began[id] = perf_counter()
        self._say(call(self._era, id, self._asked["name"], dict(self._asked["arguments"])))

    def _say(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        heard = json.loads(self._process.stdout.readline())
        if "error" in heard or heard["result"].get("isError"):
            raise RuntimeError(str(heard)[:300])
        return heard


def _row(server: Server, transport: str, era: str, process: subprocess.Popen[bytes], load: Any) -> Row:
    load()  # the first round meets a server that has not yet answered
    cpu, began = _cpu(process.pid), perf_counter()
    taken = load()
    return Row(server.name, transport, era, perf_counter() - began, _cpu(process.pid) - cpu, taken)


def _load(port: int, era: str, server: Server, seconds: float) -> list[float]:
    command = [sys.executable, "-m", "bench.load", str(port), era, str(AT_ONCE), str(seconds)]
    done = subprocess.run(command, input=json.dumps(server.asked), capture_output=True, text=True)
    if done.returncode or "Error" in done.stderr:
        raise RuntimeError(f"{server.name}, {era}: {done.stderr[-500:]}")
    taken: list[float] = json.loads(done.stdout)
    return taken


@contextmanager
def _http(command: Sequence[str]) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    with _process(command, None) as process:
        assert process.stdout is not None
        said = process.stdout.readline().decode().strip()
        yield process, int(said.removesuffix("/mcp").rpartition(":")[2])


@contextmanager
def _process(command: Sequence[str], stdin: int | None) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def _cpu(pid: int) -> float:
    """CPU seconds of a process and of those it has started, as /proc tells; 0 elsewhere."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_cpu(int(child)) for child in children)


def _texts(name: str) -> list[str]:
    return [line["text"][:MEMORY_CHARS] for line in read_lines(find(name) / "corpus.jsonl")]


def _is_installed(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(name) is not None
