"""kill -9 at random instants while four processes write: what was acknowledged is there, once, and the index is right.

The processes are forks of one that has imported everything, so that a kill meets writing and not the start.
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from omoide import app
from omoide.app import Opened
from omoide.config import load
from omoide.engine import Index
from omoide.model.query import Query
from omoide.text import Analyzer

WRITERS = 4
ROUNDS_A_STORE = 5
#: From the first acknowledgement of a round to a kill.
SECONDS = 0.4

FORK = """
import os, sys
from omoide import app
from omoide.config import load
from omoide.model.memory import Draft
import omoide.text

def write(data, name):
    with app.opened(load({"data": data}, {})) as found:
        for count in range(1_000_000):
            ids = [f"{name}-{count}-{half}" for half in "前後"]
            found.memories.remember_many([Draft(id=id, text=f"思い出 记忆 memory {id}") for id in ids])
            os.write(1, f"{name}-{count}\\n".encode())
            if count % 7 == 3:
                found.memories.recall(f"memory {name}")
            if count % 11 == 5:
                found.index.save()

children = []
for name in sys.argv[2:]:
    child = os.fork()
    if not child:
        write(sys.argv[1], name)
    children.append(child)
os.write(1, " ".join(map(str, children)).encode() + b"\\n")
for child in children:
    os.waitpid(child, 0)
"""


def test_what_was_acknowledged_is_there_once_and_the_index_is_right(
    tmp_path: Path, dice: random.Random, attacks: Callable[[int, int], int]
) -> None:
    kills = attacks(8, 500)
    for number in range(0, kills, WRITERS * ROUNDS_A_STORE):
        acknowledged: set[str] = set()
        data = tmp_path / str(number)
        for part in range(min(ROUNDS_A_STORE, (kills - number) // WRITERS)):
            acknowledged |= killed(data, [f"r{part}w{writer}" for writer in range(WRITERS)], dice)
            with app.opened(load({"data": str(data)}, {})) as found:
                check(found, acknowledged)


def killed(data: Path, names: list[str], dice: random.Random) -> set[str]:
    """Have them write, kill each at an instant of its own, and return what they had acknowledged."""
    process = subprocess.Popen([sys.executable, "-c", FORK, str(data), *names], stdout=subprocess.PIPE)
    assert process.stdout is not None
    told, instants = b"", None
    children: list[int] = []
    while chunk := _read(process.stdout.fileno(), instants):
        told += chunk if chunk is not _TIME else b""
        if not children and (line := _children(told)):
            children = line
        if children and instants is None and _acknowledged(told):
            instants = sorted(monotonic() + dice.uniform(0, SECONDS) for _ in children)
        while instants and monotonic() >= instants[0]:
            os.kill(children.pop(), signal.SIGKILL)
            del instants[0]
    assert process.wait(60) == 0
    process.stdout.close()
    return _acknowledged(told)


_TIME = b"time"


def _read(pipe: int, instants: list[float] | None) -> bytes:
    """What comes by the next instant; `_TIME` when nothing does, b"" at the end."""
    wait = max(0.0, instants[0] - monotonic()) if instants else 60.0
    readable, _, _ = select.select([pipe], [], [], wait)
    return os.read(pipe, 65_536) if readable else _TIME


def _children(told: bytes) -> list[int]:
    whole = told[: told.rfind(b"\n") + 1].decode().splitlines()
    return next(([int(word) for word in line.split()] for line in whole if line[:1].isdigit()), [])


def _acknowledged(told: bytes) -> set[str]:
    whole = told[: told.rfind(b"\n") + 1].decode().splitlines()
    return {line for line in whole if line.startswith("r")}


def check(found: Opened, acknowledged: set[str]) -> None:
    """The store against what was acknowledged, the index against one made anew."""
    assert found.store.problems() == []
    assert app.verify(found) == []
    ids = [hit.memory.id for hit in found.memories.recall("", limit=100_000).hits]
    assert len(ids) == len(set(ids)), "none twice"
    assert {f"{each}-{half}" for each in acknowledged for half in "前後"} <= set(ids), "every acknowledged one is there"
    pairs = {id.rpartition("-")[0] for id in ids}
    assert len(ids) == 2 * len(pairs), "transactions are whole"
    anew = Index(found.store, Analyzer())
    anew.catch_up()
    for text in ("思い出", "记忆 r1w2", f"memory {ids[0]}", ids[-1]):
        assert answers(found.index, found, text) == answers(anew, found, text)


def answers(index: Index, found: Opened, text: str) -> list[Any]:
    with found.store.read() as reader:
        hits = index.search(index.prepare(Query(text=text, limit=50), reader, limit=50)).hits
    return sorted((round(hit.score, 6), hit.key) for hit in hits)
