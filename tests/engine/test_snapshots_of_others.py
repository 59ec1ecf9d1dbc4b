"""Several processes keep an index of one store, each for itself, and share its snapshot: what one has written, no other writes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from datetime import timezone
from pathlib import Path

import pytest

from omoide.app import INDEX_FOLDER, STORE_FILE, open_memories, utc_now
from omoide.embed import EmbedderUnavailable, Kind, Lexical, Vector
from omoide.embed.truncated import Truncated
from omoide.engine import Index
from omoide.engine.generation import CURRENT_FILE, UNSAVED_SHARE
from omoide.memory import Memories
from omoide.model.memory import Draft
from omoide.store.sqlite import SqliteStore
from omoide.text import Analyzer

TEXTS = ("京都で抹茶を飲んだ。", "我们在北京喝了茶。", "We drank tea in London.")
SECRETS = ("秘密の抹茶", "秘密的抹茶", "secret matcha")
#: A process that ends leaves one change to the next.
COUNT = UNSAVED_SHARE


class Slow(Truncated):
    """An embedder over a network, which is `down` or not."""

    def __init__(self) -> None:
        super().__init__(Lexical(), 512)
        self.instant = False
        self.down = False

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        if self.down:
            raise EmbedderUnavailable("away", retry_after=0.01)
        return super().embed(texts, kind)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A store without a snapshot."""
    with open_memories(tmp_path) as memories:
        memories.remember_many([Draft(id=f"m{n}", text=f"{TEXTS[n % 3]} {n}") for n in range(COUNT)])
    assert not list(tmp_path.rglob(CURRENT_FILE))
    return tmp_path


def opened(data: Path, embedder: Slow | None = None) -> Memories:
    store = SqliteStore(data / STORE_FILE, clock=utc_now)
    index = Index(store, Analyzer(), data / INDEX_FOLDER, embedder=embedder)
    memories = Memories(store, index, clock=utc_now, zone=timezone.utc)
    memories.recall("抹茶")
    assert index.wait_for_vectors(20)
    return memories


def pointer(data: Path) -> str:
    """Another for each snapshot that is written."""
    [current] = data.rglob(CURRENT_FILE)
    return current.read_text()


def is_on_disk(data: Path, text: str) -> bool:
    return any(text.encode() in path.read_bytes() for path in (data / INDEX_FOLDER).rglob("data"))


PROCESS = f"""
import sys
from pathlib import Path
from omoide.app import open_memories
with open_memories(Path(sys.argv[1])) as memories:
    memories.recall("抹茶")
    print("has applied all", flush=True)
    sys.stdin.readline()
[current] = Path(sys.argv[1]).rglob("{CURRENT_FILE}")
print(current.read_text(), end="", flush=True)
"""


@pytest.mark.parametrize("together", [False, True])
def test_of_processes_that_end_with_the_same_changes_one_writes(data: Path, together: bool) -> None:
    command = [sys.executable, "-c", PROCESS, str(data)]
    pipe = subprocess.PIPE
    processes = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(3)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "has applied all\n"
    if together:
        for process in processes:
            assert process.stdin is not None
            process.stdin.close()
            process.stdin = None
    seen = {process.communicate(timeout=60)[0] for process in processes}
    assert seen == {pointer(data)}


def test_a_process_that_serves_takes_a_snapshot_by_another_for_its_own(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("omoide.engine.generation.SNAPSHOT_AFTER", COUNT + 100)
    one, other = opened(data), opened(data)
    seen = []
    for memories in (one, other):
        memories.remember_many([f"{TEXTS[n % 3]} once more {n}" for n in range(50)])
    for memories in (one, other):
        memories.recall("抹茶")
        for thread in threading.enumerate():
            if thread.name == "omoide-snapshot":
                thread.join(20)
        seen.append((pointer(data), memories._index.state().snapshot))
        one.remember(TEXTS[0] + "!")  # they need not be at the very same change
    assert seen[0] == seen[1]
    other.close()
    one.close()
    assert pointer(data) == seen[0][0], "a change may be left to the next"


CHANGES: dict[str, Callable[[Memories, str], object]] = {
    "forgotten": lambda memories, id: memories.forget(id),
    "written anew": lambda memories, id: memories.remember(TEXTS[1], id=id),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("secret", SECRETS)
def test_what_one_has_removed_no_other_that_is_behind_brings_back_to_the_disk(
    data: Path, secret: str, change: Callable[[Memories, str], object]
) -> None:
    word = "秘密" if "秘密" in secret else "secret"
    behind = opened(data)
    behind.remember(secret, id="told")
    behind.recall(secret)
    with open_memories(data) as memories:
        change(memories, "told")
        memories.recall(secret)
    ahead = pointer(data)
    assert not is_on_disk(data, word)
    behind.close()
    assert (pointer(data), is_on_disk(data, word)) == (ahead, False)


@pytest.mark.parametrize("secret", SECRETS)
def test_a_snapshot_from_before_a_removal_is_written_over_whoever_wrote_it(data: Path, secret: str) -> None:
    word = "秘密" if "秘密" in secret else "secret"
    one = opened(data)
    one.remember(secret, id="told")
    one.recall(secret)
    with open_memories(data) as memories:
        memories.recall(secret)
    assert is_on_disk(data, word)
    one.forget("told")
    one.recall(secret)
    one.close()
    assert not is_on_disk(data, word)


@pytest.mark.parametrize("harm", ["flip", "cut", "remove"])
def test_a_damaged_snapshot_by_another_is_not_leant_on(data: Path, harm: str) -> None:
    one, other = opened(data), opened(data)
    one.close()
    [saved] = (data / INDEX_FOLDER).rglob("data")
    content = saved.read_bytes()
    middle = len(content) // 2
    if harm == "remove":
        shutil.rmtree(data / INDEX_FOLDER)
    else:
        rest = b"" if harm == "cut" else bytes([content[middle] ^ 1]) + content[middle + 1 :]
        saved.unlink()  # it is mapped
        saved.write_bytes(content[:middle] + rest)
    other.close()
    assert is_read(data)


def is_read(data: Path, embedder: Slow | None = None) -> bool:
    """Whether a process that opens the store finds all changes and vectors in the snapshot."""
    with SqliteStore(data / STORE_FILE, clock=utc_now) as store:
        serving = Index(store, Analyzer(), data / INDEX_FOLDER, embedder=embedder)._serving
        return serving.stands_at(store.standing()) and not serving.backlog


def test_after_a_store_was_put_back_what_was_lost_is_written_over(data: Path) -> None:
    copy = data / "copy"
    writer = opened(data)
    writer.remember(TEXTS[0], id="kept")
    with writer.store.read():
        shutil.copyfile(data / STORE_FILE, copy)
    writer.remember("捨てられる思い出", id="lost")
    writer.recall("抹茶")
    writer.close()
    for name in ("-wal", "-shm"):
        (data / (STORE_FILE + name)).unlink(missing_ok=True)
    copy.replace(data / STORE_FILE)
    assert not is_read(data)
    opened(data).close()
    assert is_read(data)


@pytest.mark.parametrize("down", [0, 1])
def test_of_two_that_have_the_same_changes_the_snapshot_with_more_vectors_stays(data: Path, down: int) -> None:
    embedders = Slow(), Slow()
    both = [opened(data, embedder) for embedder in embedders]
    embedders[down].down = True
    both[1 - down].remember(TEXTS[2])
    both[1 - down].recall("tea")
    assert both[1 - down]._index.wait_for_vectors(20)
    both[down].recall("tea")
    seen = []
    for memories in both:
        memories.close()
        seen.append((pointer(data), is_read(data, Slow())))
    assert [has_all for _, has_all in seen] == [down == 1, True]
    assert (seen[0] == seen[1]) == (down == 1)
