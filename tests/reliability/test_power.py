"""A power cut and a failing disk: torn logs, torn snapshots, no room, a clock that jumps back."""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from omoide import app
from omoide.app import STORE_FILE, open_memories
from omoide.config import load

PAIRS = 60


def written(data: Path, script: str, *arguments: str, **options: object) -> str:
    """Run a process that ends without closing anything, and give what it printed."""
    source = f"import os, sys\nfrom omoide.app import open_memories, opened\n{script}\nos._exit(0)\n"
    done = subprocess.run(
        [sys.executable, "-c", source, str(data), *arguments], capture_output=True, text=True, check=True, **options
    )
    return done.stdout


PAIRWISE = f"""
from omoide.model.memory import Draft
memories = open_memories(sys.argv[1])
for count in range({PAIRS}):
    memories.remember_many([Draft(id=f"{{count}}-{{half}}", text=f"{{count}}番目の思い出 记忆 {{half}}") for half in "前後"])
    if count == {PAIRS} // 2:
        memories.recall("思い出")
        memories._index.save()
"""


def check_is_a_prefix(data: Path) -> int:
    """Whole transactions, without a gap; the index agrees, whatever snapshot it began with. Returns how many."""
    with app.opened(load({"data": str(data)}, {})) as found:
        ids = {hit.memory.id for hit in found.memories.recall("", limit=10_000).hits}
        assert found.store.problems() == []
        assert app.verify(found) == []
    whole = len(ids) // 2
    assert ids == {f"{count}-{half}" for count in range(whole) for half in "前後"}
    return whole


def test_a_torn_log_is_followed_up_to_the_last_whole_transaction(
    tmp_path: Path, dice: random.Random, attacks: Callable[[int, int], int]
) -> None:
    data = tmp_path / "data"
    written(data, PAIRWISE)
    log = (data / f"{STORE_FILE}-wal").read_bytes()
    assert len(log) > 100_000, "what was written is still in the log"
    counts = []
    for number in range(attacks(8, 120)):
        torn = tmp_path / str(number)
        shutil.copytree(data, torn)
        (torn / f"{STORE_FILE}-shm").unlink(missing_ok=True)
        at = dice.randrange(len(log))
        damage = [log[:at], log[:at] + bytes(len(log) - at), log[:at] + dice.randbytes(4096) + log[at + 4096 :]]
        (torn / f"{STORE_FILE}-wal").write_bytes(dice.choice(damage))
        counts.append(check_is_a_prefix(torn))
        shutil.rmtree(torn)
    assert max(counts) <= PAIRS
    assert min(counts) < PAIRS // 2, "the snapshot was ahead of some of them"


def test_a_torn_snapshot_is_not_believed(
    tmp_path: Path, dice: random.Random, attacks: Callable[[int, int], int]
) -> None:
    data = tmp_path / "data"
    written(data, PAIRWISE)
    files = sorted(path for path in data.glob("index/**/*") if path.is_file())
    assert len(files) > 2
    for number in range(attacks(6, 100)):
        torn = tmp_path / str(number)
        shutil.copytree(data, torn)
        file = torn / dice.choice(files).relative_to(data)
        content = file.read_bytes()
        at = dice.randrange(max(1, len(content)))
        changed = [content[:at], content[:at] + bytes(len(content) - at), b"", content + b"\0"]
        file.write_bytes(dice.choice(changed))
        assert check_is_a_prefix(torn) == PAIRS
        shutil.rmtree(torn)


LIMITED = """
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from omoide.errors import StoreError
memories = open_memories(sys.argv[1])
for count in range(100_000):
    try:
        memories.remember(f"{count}番目 " + "満杯 满了 full " * 100, id=str(count))
    except StoreError as error:
        print(count, error.code, flush=True)
        assert memories.recall("満杯").hits
        break
"""


@pytest.mark.parametrize("megabytes", [1, 3])
def test_a_disk_that_takes_no_more_loses_nothing_and_searches_go_on(tmp_path: Path, megabytes: int) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (megabytes * 1024**2,) * 2)

    count, code = written(tmp_path / "data", LIMITED, preexec_fn=limit).split()
    assert code in ("store_full", "store_error")
    with app.opened(load({"data": str(tmp_path / "data")}, {})) as found:
        ids = {hit.memory.id for hit in found.memories.recall("", limit=100_000).hits}
        assert ids == {str(number) for number in range(int(count))}
        assert found.store.problems() == []
        found.memories.remember("空きができた", id="after")
        assert found.memories.recall("空きができた").hits[0].memory.id == "after"


def test_a_snapshot_that_the_disk_does_not_take_is_logged_with_its_folder(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    memories = open_memories(tmp_path)
    forgotten = memories.remember("忘れる 忘记 forgotten").memory.id
    memories.remember("満杯 满了 full")
    assert memories.recall("満杯").hits
    memories.forget(forgotten)
    assert memories.recall("满了").hits
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        memories.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    told = next(each for each in caplog.messages if "snapshot not written" in each)
    assert f"into {tmp_path / app.INDEX_FOLDER}" in told
    assert os.strerror(errno.EFBIG) in told


def test_a_clock_that_jumps_back_loses_and_doubles_nothing(tmp_path: Path, dice: random.Random) -> None:
    now = datetime(2026, 11, 21, tzinfo=timezone.utc)
    jumps = [timedelta(days=dice.choice([-4000, -400, -1, 1, 30])) for _ in range(30)]
    texts = []
    with open_memories(tmp_path, clock=lambda: now, zone=ZoneInfo("Asia/Tokyo")) as memories:
        for number, jump in enumerate(jumps):
            now += jump
            texts.append(f"{number}番目の思い出 记忆 memory")
            memories.remember(texts[-1], session_id="s", chain=True)
            assert memories.recall(texts[-1]).hits[0].memory.text == texts[-1]
        found = memories.recall("", limit=100).hits
        assert sorted(hit.memory.text for hit in found) == sorted(texts)
        told = sorted(found, key=lambda hit: hit.memory.sequence_order or 0)
        assert [hit.memory.text for hit in told] == texts, "a session keeps the order in which it was told"
        assert [hit.memory.stored_at for hit in found] == sorted((hit.memory.stored_at for hit in found), reverse=True)
