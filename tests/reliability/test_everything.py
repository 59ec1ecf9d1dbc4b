"""Everything on one store at the same time: servers over stdio and HTTP that are killed, backups, exports, `doctor`, words of
the user's own. What each of the other attacks leaves whole by itself is whole beside all others, too.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection, HTTPException
from itertools import count, cycle
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest

from omoide import app
from omoide.config import load
from omoide.transfer.backup import restore
from tests.server.conftest import OMOIDE, begun, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9, and one worker among several, are POSIX's")

#: From one kill to the next.
SECONDS = (0.3, 1.5)
#: A server that was killed answers again by then.
BACK_SECONDS = 60.0
BATCH = 5
WORDS = ["京都", "会議", "記憶", "サーバー", "上海", "天气", "项目", "数据库", "meeting", "deadline", "server"]
OWN_WORDS = ["会議室A", "云原生", "思い出帳", "大语言模型", "rolling release"]
ERA = "2026-07-28"
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": ERA,
    "Mcp-Method": "tools/call",
}
META = {
    "io.modelcontextprotocol/protocolVersion": ERA,
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(name: str, arguments: dict[str, Any]) -> bytes:
    params = {"name": name, "arguments": arguments, "_meta": META}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


class Server(Protocol):
    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The JSON-RPC response. Raises OSError, HTTPException (the server was killed)."""

    def recover(self) -> None:
        """For a client whose call was lost: the next one may be answered."""

    def kill(self, dice: random.Random) -> None:
        """Without a warning."""

    def end(self) -> int:
        """In good order: its exit code."""


class OverStdio:
    """A process of its client's own."""

    def __init__(self, data: Path) -> None:
        self._command = [*OMOIDE, "serve", "--data", str(data), "--tools", "all"]
        self._process = self._begun()

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(request(name, arguments) + b"\n")
        process.stdin.flush()
        if not (line := process.stdout.readline()).endswith(b"\n"):
            raise ConnectionResetError
        answer: dict[str, Any] = json.loads(line)
        return answer

    def recover(self) -> None:
        self._process.wait(BACK_SECONDS)
        self._process = self._begun()

    def kill(self, dice: random.Random) -> None:
        self._process.kill()

    def end(self) -> int:
        self._process.communicate(timeout=BACK_SECONDS)
        return self._process.returncode

    def _begun(self) -> subprocess.Popen[bytes]:
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        return subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=null, env=environment())


class OverHttp:
    """Two workers for several clients; half of the kills meet one worker alone."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._process, self._url = self._begun()

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        address = urlsplit(self._url)
        connection = HTTPConnection(address.hostname or "", address.port, timeout=BACK_SECONDS)
        try:
            connection.request("POST", address.path, request(name, arguments), {**HEADERS, "Mcp-Name": name})
            answer: dict[str, Any] = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        return answer

    def recover(self) -> None:
        sleep(0.1)  # whoever kills it begins it anew

    def kill(self, dice: random.Random) -> None:
        workers = self._workers()
        if workers and dice.random() < 0.5:
            os.kill(dice.choice(workers), signal.SIGKILL)
        else:
            self._process.kill()
            self._process.communicate(timeout=BACK_SECONDS)  # until the workers, too, have ended

    def stand_up(self) -> None:
        """Begin anew, if it has ended: it does so of itself, too, when no worker gets through its start."""
        if self._process.poll() is not None:
            self._process, self._url = self._begun()

    def end(self) -> int:
        self._process.terminate()
        self._process.communicate(timeout=BACK_SECONDS)
        return self._process.returncode

    def _begun(self) -> tuple[subprocess.Popen[str], str]:
        return begun(self._data, "--workers", "2", "--tools", "all", stderr=subprocess.DEVNULL)

    def _workers(self) -> list[int]:
        """Their numbers; none where the system does not tell them."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        return [int(each) for each in children.read_text().split()] if children.exists() else []


@dataclass
class Client:
    """One that writes, forgets and searches, and keeps a record of what it was told."""

    server: Server
    name: str
    dice: random.Random
    #: Texts by id, of writes and of deletions that were acknowledged.
    kept: dict[str, str] = field(default_factory=dict)
    forgotten: dict[str, str] = field(default_factory=dict)
    #: What had no answer: the texts of each write, and what was to be forgotten.
    unsure: list[list[str]] = field(default_factory=list)
    unsure_of: dict[str, str] = field(default_factory=dict)
    heard: float = field(default_factory=monotonic)

    def work(self, stop: Event) -> None:
        """One call after the other."""
        for number in count():
            if stop.is_set():
                return
            step = self.dice.choice([self.store, self.store, self.store_several, self.search, self.search, self.forget])
            step(f"{self.name}-{number}")

    def store(self, mark: str) -> None:
        text = f"{self.words()} {mark}"
        if (told := self.call("store_memory", {"text": text})) is None:
            self.unsure.append([text])
        else:
            self.kept[told["id"]] = text

    def store_several(self, mark: str) -> None:
        texts = [f"{self.words()} {mark}/{each}" for each in range(BATCH)]
        if (told := self.call("batch_store", {"memories": [{"text": text} for text in texts]})) is None:
            self.unsure.append(texts)
        else:
            self.kept.update(zip([each["id"] for each in told["memories"]], texts, strict=True))

    def forget(self, mark: str) -> None:
        alone = [id for id, text in self.kept.items() if "/" not in text]
        if not alone:
            return
        id = self.dice.choice(alone)
        text = self.kept.pop(id)
        told = self.call("forget_memory", {"memoryId": id, "confirm": True})
        (self.unsure_of if told is None else self.forgotten)[id] = text

    def search(self, mark: str) -> None:
        self.call("search_memory", {"query": self.words()})

    def words(self) -> str:
        return " ".join(self.dice.sample(WORDS, 4))

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """The structured answer; None: the server was killed, and whether the call was carried out is not known."""
        try:
            answer = self.server.call(name, arguments)
        except (OSError, HTTPException):
            assert monotonic() - self.heard < BACK_SECONDS, "the server does not come back"
            self.server.recover()
            return None
        assert not answer["result"]["isError"], answer
        self.heard = monotonic()
        told: dict[str, Any] = answer["result"]["structuredContent"]
        return told


class Copies:
    """Backups and exports, and what had been acknowledged when each began."""

    def __init__(self, data: Path, folder: Path, clients: Sequence[Client]) -> None:
        self._data = data
        self._folder = folder
        self._clients = clients
        self._begun: dict[Path, dict[str, str]] = {}

    def back_up(self) -> None:
        self._made("backup", ".zip")

    def export(self) -> None:
        self._made("export", ".jsonl")

    def _made(self, by: str, ending: str) -> None:
        file = self._folder / f"{len(self._begun)}{ending}"
        # `copy` is one step; a list of the items is interrupted when a garbage collection runs in it.
        self._begun[file] = {id: text for client in self._clients for id, text in client.kept.copy().items()}
        command(by, self._data, str(file))

    def check(self) -> None:
        """Each is one state: all that was there when it began and that nobody forgot, and of no batch a part alone."""
        gone = {id for client in self._clients for id in (*client.forgotten, *client.unsure_of)}
        for file, before in self._begun.items():
            held = exported(file) if file.suffix == ".jsonl" else restored(file, file.with_suffix(""))
            assert {id: text for id, text in before.items() if id not in gone}.items() <= held.items()
            assert_whole(held.values())


def test_everything_at_once_leaves_what_was_acknowledged(
    tmp_path: Path, dice: random.Random, attacks: Callable[[int, int], int]
) -> None:
    data = tmp_path / "store"
    http = OverHttp(data)
    servers: list[Server] = [http, OverStdio(data), OverStdio(data)]
    asked = enumerate([*servers, http])
    clients = [Client(server, f"c{number}", random.Random(dice.random())) for number, server in asked]
    copies = Copies(data, tmp_path, clients)
    errands: Iterator[Callable[[], None]] = cycle(
        [copies.back_up, copies.export, partial(command, "doctor", data), partial(learn, data, dice)]
    )
    stop = Event()
    try:
        with ThreadPoolExecutor(len(clients)) as threads:
            working = [threads.submit(client.work, stop) for client in clients]
            try:
                for _, errand in zip(range(attacks(4, 40)), errands, strict=False):
                    sleep(dice.uniform(*SECONDS))
                    dice.choice(servers).kill(dice)
                    errand()
                    http.stand_up()
            finally:
                stop.set()
    finally:
        ended = [server.end() for server in servers]
    for each in working:
        each.result()
    assert ended == [0, 0, 0]
    check(data, clients)
    copies.check()


def check(data: Path, clients: Sequence[Client]) -> None:
    """The store against what the clients were told, the index against the store."""
    held = memories_in(data)
    kept = {id: text for client in clients for id, text in client.kept.items()}
    perhaps = {id: text for client in clients for id, text in client.unsure_of.items()}
    unsure = {text for client in clients for texts in client.unsure for text in texts}
    assert kept, "something was acknowledged"
    assert kept.items() <= held.items()
    assert not held.keys() & {id for client in clients for id in client.forgotten}
    assert len(set(held.values())) == len(held), "none twice"
    assert {text for id, text in held.items() if id not in {*kept, *perhaps}} <= unsure
    assert_whole(held.values())


def memories_in(data: Path) -> dict[str, str]:
    """Texts by id, of a store that is sound and whose index says the same."""
    with app.opened(load({"data": str(data)}, {})) as found:
        assert found.store.problems() == []
        assert app.verify(found) == []
        return {hit.memory.id: hit.memory.text for hit in found.memories.recall("", limit=1_000_000).hits}


def restored(file: Path, folder: Path) -> dict[str, str]:
    restore(file, folder)
    command("export", folder, str(folder / "all.jsonl"))
    return exported(folder / "all.jsonl")


def exported(file: Path) -> dict[str, str]:
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {row["id"]: row["text"] for row in rows if "text" in row}


def assert_whole(texts: Iterable[str]) -> None:
    """Of each batch all or none."""
    marks = [text.split()[-1] for text in texts]
    batches = Counter(mark.partition("/")[0] for mark in marks if "/" in mark)
    assert set(batches.values()) <= {BATCH}


def command(name: str, data: Path, *more: str) -> None:
    """A subcommand of omoide beside the servers."""
    done = subprocess.run(
        [*OMOIDE, name, "--data", str(data), *more], capture_output=True, text=True, env=environment()
    )
    assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"


def learn(data: Path, dice: random.Random) -> None:
    """Words of the user's own, with which the index is built anew; as an editor writes them."""
    written = data / "words.txt.new"
    written.write_text("\n".join(dice.sample(OWN_WORDS, 3)), encoding="utf-8")
    written.replace(data / "words.txt")
