"""How much does a served call cost, compared with an empty tool of the protocol's SDK?

One row per server, era (protocol revision) and transport: calls a second, the server's CPU time per call, and the time to an
answer. The load comes from another process on this machine (HTTP: several connections; stdio: several requests under way), so
calls a second depend on other load; CPU time per call hardly does. No question is repeated before a thousand others. The last
columns compare with the SDK's empty tool of the same era and transport, measured in the same run: above 1 means more calls a
second, and more calls for the same CPU time. That is the SDK at its cheapest: an `async` tool, answers in plain JSON. With its default,
streams of events, it has a row of its own, and one as its documentation writes a server: with events, and a plain function for a tool.

Writes are counted in memories, each with a text that is not yet in the store; a note says how often a second this disk
can sync. They go to a copy of the store, so that the next run finds the store unchanged. Searches
would index what was written: this is done between the rows, so no row of a writer includes it. Pairs of rows are of searches
beside writers, of the same process or another, which index what is written, and of the writers beside them.

Other machines on the same host make rows that are minutes apart differ. With `--rounds`, all servers are measured several times in
turn, each is compared with the SDK's of the same round, and the medians are shown, with the lowest and highest comparison.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any, TypeAlias

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import omoide
from bench.dataset import DATA_VARIABLE, find, read_lines
from bench.load import FRESH, call, freshened, hello
from bench.options import at_least, duration

SETS = ("jsquad_ja_valid", "drcd_zh_dev", "locomo_en")
MEMORY_CHARS = 200
#: Questions from each set, asked in turn.
QUESTIONS = 400
#: Requests under way at a time.
AT_ONCE = 8
#: Characters of a text that a peer is asked to find.
PEER_CHARS = 30
#: Memories in a call of batch_store.
BATCH = 20
ERAS = ("stateless", "session")
#: Puts load on a server for some seconds; returns the seconds of each answer, and of all together.
Load: TypeAlias = Callable[[], tuple[list[float], float]]
#: What the last column compares with.
REFERENCE = "sdk, empty tool"
PEER = "server-memory, search_nodes"


@dataclass(frozen=True, slots=True)
class Server:
    """A server to measure: the commands that serve it (none for a transport it lacks), the tool to call, and the arguments
    in turn. `at_once` calls are under way, each for so many `memories`, which are written to the store `written_to`. `beside`: what
    else is asked for at the same time, over HTTP: of the same server, unless that has a command of its own."""

    name: str
    http: Sequence[str]
    stdio: Sequence[str]
    tool: str
    asked: Sequence[Mapping[str, Any]]
    at_once: int = AT_ONCE
    memories: int = 1
    eras: Sequence[str] = ERAS
    written_to: Path | None = None
    beside: Server | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement; seconds of each answer."""

    server: str
    transport: str
    era: str
    seconds: float
    cpu: float
    taken: Sequence[float]
    memories: int = 1

    @property
    def rate(self) -> float:
        """Calls a second, or memories if a call has several."""
        return self.memories * len(self.taken) / self.seconds

    @property
    def cost(self) -> float:
        """The server's CPU seconds for each of them."""
        return self.cpu / self.memories / len(self.taken)

    def quantile(self, share: float) -> float:
        """The seconds within which that share was answered."""
        return sorted(self.taken)[min(len(self.taken) - 1, int(len(self.taken) * share))]


def main(argv: Sequence[str]) -> int:
    """Print the table; exit code 2 if a set is missing, or no server is meant."""
    parser = argparse.ArgumentParser(prog="python -m bench serve", description=__doc__)
    parser.add_argument("--memories", type=at_least(1), default=100_000, help="in the store (default: %(default)s)")
    parser.add_argument("--seconds", type=duration, default=5.0, help="of load a row (default: %(default)s)")
    parser.add_argument("--store", type=Path, help="folder of the store: made if absent, and kept")
    parser.add_argument(
        "--rounds", type=at_least(1), default=1, help="all servers in turn, so often (default: %(default)s)"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="WORDS", help="servers whose name has these words, such as write"
    )
    parser.add_argument(
        "--server-memory", type=Path, help="index.js of @modelcontextprotocol/server-memory, to compare"
    )
    parser.epilog = f"The texts are those of {', '.join(SETS)}, under ${DATA_VARIABLE}."
    options = parser.parse_args(argv)
    names = [each.name for each in servers(Path(), Path(), ())] + ([PEER] if options.server_memory else [])
    for words in options.only:
        if not any(words in name for name in names):
            listed = "\n  ".join(names)
            parser.error(f"argument --only: no server has {words!r} in its name; there are\n  {listed}")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as copies:
        store = options.store or Path(folder) / "store"
        try:
            fill(store, options.memories)
            asked = questions()
        except (FileNotFoundError, ValueError) as error:
            print(error, file=sys.stderr)
            return 2
        peers = [peer(options.server_memory, Path(folder), options.memories)] if options.server_memory else []
        written = copies.enter_context(tempfile.TemporaryDirectory(dir=store.parent, prefix=f"{store.name}-written-"))
        shutil.copytree(store, written, dirs_exist_ok=True)
        offered = (*servers(store, Path(written), asked), *peers)
        chosen = [each for each in offered if not options.only or any(words in each.name for words in options.only)]
        with Progress(console=Console(stderr=True), transient=True) as progress:
            rounds = [
                [
                    row
                    for server in progress.track(chosen, description=f"round {number} of {options.rounds}")
                    for row in measure(server, options.seconds)
                ]
                for number in range(1, options.rounds + 1)
            ]
        syncs = syncs_a_second(store, options.seconds)
    console = Console(width=max(120, Console().width))
    console.print(table(rounds))
    console.print(f"This disk syncs a page appended to a file {syncs:,.0f} times a second.")
    return 0


def servers(store: Path, written: Path, asked: Sequence[Mapping[str, Any]]) -> Iterator[Server]:
    """The servers that are installed. `written` is a store only for writers."""
    serve, http = _commands(store)
    empty = [sys.executable, "-m", "bench.systems.noop"]
    for by, name in (("sdk", REFERENCE), ("fastmcp", "fastmcp, empty tool"), ("omoide", "omoide, empty tool")):
        if by != "fastmcp" or _is_installed("fastmcp"):
            yield Server(name, [*empty, by, "http"], [*empty, by, "stdio"], "noop", asked)
    yield Server("sdk, empty tool, as events", [*empty, "sdk-events", "http"], [], "noop", asked)
    documented = [*empty, "sdk-documented"]
    yield Server("sdk, empty tool, as documented", [*documented, "http"], [*documented, "stdio"], "noop", asked)
    yield Server("omoide, search, 10 hits", http, serve, "search_memory", asked)
    yield Server("omoide, search, 2 workers", [*http, "--workers", "2"], [], "search_memory", asked)
    slow = "--no-fast-lane"
    yield Server("omoide, search, SDK's lane", [*http, slow], [*serve, slow], "search_memory", asked)
    told = [{"text": f"{each['query']} ({number} {FRESH})"} for number, each in enumerate(asked)]
    serve, http = _commands(written)
    yield Server("omoide, durable write, 1 at once", http, serve, "store_memory", told, at_once=1, written_to=written)
    yield Server("omoide, durable write", http, serve, "store_memory", told, written_to=written)
    batches = [{"memories": told[at : at + BATCH]} for at in range(0, len(told), BATCH)]
    every = ["--tools", "all"]
    http, serve = [*http, *every], [*serve, *every]
    name, two = f"omoide, durable write, batches of {BATCH}", [*http, "--workers", "2"]
    for each in (
        Server(name, http, serve, "batch_store", batches),
        Server(f"{name}, 2 workers", two, [], "batch_store", batches),
    ):
        yield replace(each, memories=BATCH, written_to=written)
    for writers, at_once, command, own in (
        ("one writer", 1, http, []),
        ("8 writers", AT_ONCE, http, []),
        ("8 writers, 2 workers", AT_ONCE, two, []),
        ("one writer of another process", 1, http, http),
        ("8 writers of another process", AT_ONCE, http, http),
    ):
        name = f"omoide, batches of {BATCH} beside 4 searches, {writers}"
        batch = Server(name, own, [], "batch_store", batches, at_once, BATCH)
        name = f"omoide, 4 searches beside batches, {writers}"
        yield Server(name, command, [], "search_memory", asked, at_once=4, written_to=written, beside=batch)


def _commands(store: Path) -> tuple[list[str], list[str]]:
    """The commands that serve a store over stdio and over HTTP."""
    serve = [sys.executable, "-m", "omoide.cli", "serve", "--data", str(store)]
    return serve, [*serve, "--http", "--port", "0"]


def peer(script: Path, folder: Path, memories: int) -> Server:
    """The protocol's example of a memory server over the same texts, asked for the beginnings of some, as it finds only
    texts that contain the query as a substring."""
    texts = [text for _, text in numbered(memories)]
    lines = ({"type": "entity", "name": text, "entityType": "memory", "observations": [text]} for text in texts)
    path = folder / "server-memory.jsonl"
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    asked = [{"query": text[:PEER_CHARS]} for text in texts[:: max(1, len(texts) // QUESTIONS)]]
    command = ["env", f"MEMORY_FILE_PATH={path}", "node", str(script)]
    return Server(PEER, [], command, "search_nodes", asked, eras=("session",))


def questions() -> list[Mapping[str, Any]]:
    """Arguments of searches, the languages in turn, without repetition."""
    every = [[each["text"] for each in islice(read_lines(find(name) / "queries.jsonl"), QUESTIONS)] for name in SETS]
    return [{"query": text, "limit": 10} for texts in zip(*every, strict=True) for text in texts]


def syncs_a_second(folder: Path, seconds: float) -> float:
    """How often a second a page can be appended to a file in the folder and synced."""
    path = folder / "syncs"
    page, count, began = os.urandom(4096), 0, perf_counter()
    with path.open("wb", buffering=0) as file:
        while perf_counter() - began < seconds:
            file.write(page)
            os.fdatasync(file.fileno())
            count += 1
    path.unlink()
    return count / (perf_counter() - began)


def fill(store: Path, memories: int) -> None:
    """Store different memories in three languages, and index them. Raises ValueError (the store has more)."""
    with omoide.open(store) as opened:
        held = opened.counts().memories
        if held > memories:
            raise ValueError(f"{store} has {held:,} memories, {memories:,} are to be searched. Name another folder.")
        missing = [omoide.Draft(text=text) for number, text in numbered(memories) if number >= held]
        for start in range(0, len(missing), 1_000):
            opened.remember_many(missing[start : start + 1_000])
    bring_up(store)


def bring_up(store: Path) -> None:
    """Have the store's index apply what was written; one by an earlier analyser is rebuilt first, which would take the CPU of rows."""
    with omoide.open(store) as opened:
        opened.recall("会議")
        while opened.stats()["index"]["reindexing"]:
            sleep(0.05)


def numbered(memories: int) -> Iterator[tuple[int, str]]:
    """So many texts, each made different by a number in it."""
    texts = [text for name in SETS for text in _texts(name)]
    return ((number, f"{text} ({number})") for number, text in enumerate(islice(cycle(texts), memories)))


def measure(server: Server, seconds: float) -> Iterator[Row]:
    """Measure every transport and era of the server."""
    if server.http:
        for era in server.eras:
            _begin(server)
            with _http(server.http) as (process, port):
                if server.beside is None:
                    yield _row(server, "http", era, process, partial(_load, port, era, server, seconds))
                    continue
                with _http(server.beside.http) if server.beside.http else nullcontext((process, port)) as (_, other):
                    yield from _rows_at_once([(server, port), (server.beside, other)], era, seconds)
    if server.stdio:
        for era in server.eras:
            _begin(server)
            with process_of(server.stdio, subprocess.PIPE) as process:
                pipe = Pipe(process, era, server)
                yield _row(server, "stdio", era, process, partial(pipe.load, seconds))


def _begin(server: Server) -> None:
    if server.written_to is not None:
        bring_up(server.written_to)


def table(rounds: Sequence[Sequence[Row]]) -> Table:
    """The table described in the module, of rounds that measured the same."""
    columns = ("server", "transport", "era", "per second", "CPU µs each", "p50 ms", "p99 ms", "of SDK's", "for its CPU")
    made = Table(*columns, title=f"served calls, {AT_ONCE} at once unless said otherwise")
    empty = [{(row.transport, row.era): row for row in rows if row.server == REFERENCE} for rows in rounds]
    for rows in zip(*rounds, strict=True):
        row = sorted(rows, key=lambda row: row.rate)[len(rows) // 2]
        p50, p99 = row.quantile(0.5) * 1e3, row.quantile(0.99) * 1e3
        cost = f"{row.cost * 1e6:,.0f}" if row.cost else ""
        figures = (f"{row.rate:,.0f}", cost, f"{p50:.2f}", f"{p99:.2f}")
        beside = [found.get((row.transport, row.era)) for found in empty]
        made.add_row(row.server, row.transport, row.era, *figures, *_beside(beside, rows))
    return made


def _beside(empty: Sequence[Row | None], rows: Sequence[Row]) -> tuple[str, str]:
    """Calls a second relative to the SDK's empty tool of the same round, and calls for the same CPU time."""
    pairs = [(other, row) for other, row in zip(empty, rows, strict=True) if other is not None and row.cost]
    rates = [row.rate / other.rate for other, row in pairs]
    return _median(rates), _median([other.cost / row.cost for other, row in pairs])


def _median(values: Sequence[float]) -> str:
    """The median; of several, with the lowest and the highest."""
    if len(values) < 2:
        return "".join(f"{value:.2f}" for value in values)
    return f"{median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


class Pipe:
    """A server over stdio."""

    def __init__(self, process: subprocess.Popen[bytes], era: str, server: Server) -> None:
        self._process = process
        self._era = era
        self._server = server
        if era == "session":
            self._say(hello())
            self._hear()
            self._say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def load(self, seconds: float) -> tuple[list[float], float]:
        """See Load."""
        began: dict[int, float] = {}
        taken: list[float] = []
        since = perf_counter()
        until = since + seconds
        for number in range(self._server.at_once):
            self._ask(number, began)
        while began:
            id = self._hear()["id"]
            taken.append(perf_counter() - began.pop(id))
            if perf_counter() < until:
                self._ask(id + self._server.at_once, began)
        return taken, perf_counter() - since

    def _ask(self, id: int, began: dict[int, float]) -> None:
        began[id] = perf_counter()
        arguments = self._server.asked[id % len(self._server.asked)]
        self._say(call(self._era, id, self._server.tool, dict(arguments)))

    def _say(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(freshened(json.dumps(message).encode()) + b"\n")
        self._process.stdin.flush()

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        heard = json.loads(self._process.stdout.readline())
        if "error" in heard or heard["result"].get("isError"):
            raise RuntimeError(str(heard)[:300])
        return heard


def _row(server: Server, transport: str, era: str, process: subprocess.Popen[bytes], load: Load) -> Row:
    load()  # the first round warms up the server
    cpu = _cpu(process.pid)
    taken, seconds = load()
    return Row(server.name, transport, era, seconds, _cpu(process.pid) - cpu, taken, server.memories)


def _rows_at_once(served: Sequence[tuple[Server, int]], era: str, seconds: float) -> Iterator[Row]:
    """Rows of servers, with their ports, that are asked at the same time. They may be one, so their CPU time is not known."""
    with ThreadPoolExecutor(len(served)) as threads:
        for _ in range(2):  # the first round warms up the server
            loads = list(threads.map(lambda each: _load(each[1], era, each[0], seconds), served))
    for (server, _), (taken, lasted) in zip(served, loads, strict=True):
        yield Row(server.name, "http", era, lasted, 0.0, taken, server.memories)


def _load(port: int, era: str, server: Server, seconds: float) -> tuple[list[float], float]:
    command = [sys.executable, "-m", "bench.load", str(port), era, str(server.at_once), str(seconds)]
    asked = json.dumps({"name": server.tool, "arguments": server.asked})
    done = subprocess.run(command, input=asked, capture_output=True, text=True)
    if done.returncode or "Error" in done.stderr:
        raise RuntimeError(f"{server.name}, {era}: {done.stderr[-500:]}")
    met = json.loads(done.stdout)
    return met["taken"], met["seconds"]


@contextmanager
def _http(command: Sequence[str]) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    with process_of(command, None) as process:
        assert process.stdout is not None
        said = process.stdout.readline().decode().strip()
        yield process, int(said.removesuffix("/mcp").rpartition(":")[2])


@contextmanager
def process_of(command: Sequence[str], stdin: int | None) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command and end it with the block."""
    process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def _cpu(pid: int) -> float:
    """CPU seconds of a process and its children, from /proc; 0 on systems without it."""
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
