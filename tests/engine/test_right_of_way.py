"""A writer waits for a search that applies the changes before it, in whichever process, but never for long."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from omoide.app import open_memories
from omoide.engine.index import FEW_CHANGES
from omoide.engine.right_of_way import RightOfWay

#: Seconds until a test gives up.
LONG = 20.0
#: With one more, so many that a search asks writers to wait while it applies them.
MORE = [f"買い物 {number}：牛奶" for number in range(FEW_CHANGES)]
#: A process whose search takes until it is told to go on.
SEARCHER = """
import sys
from omoide.app import open_memories
from omoide.text import Analyzer

document = Analyzer.document

def wait_first(*text):
    Analyzer.document = document
    print("applying", flush=True)
    sys.stdin.readline()
    return document(*text)

Analyzer.document = wait_first
with open_memories(sys.argv[1]) as memories:
    print(memories.recall(sys.argv[2]).hits[0].memory.text, flush=True)
"""


@contextmanager
def searching(data: Path, question: str) -> Iterator[subprocess.Popen[str]]:
    """A process that is applying the changes before its search."""
    words = [sys.executable, "-X", "utf8", "-c", SEARCHER, str(data), question]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "applying\n"
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("昨日、京都で抹茶を飲んだ。", "今日は奈良で煎茶を飲んだ。", "抹茶"),
        ("我昨天在京都喝了抹茶。", "今天在奈良喝了煎茶。", "京都"),
        ("Yesterday I drank matcha in Kyoto.", "Today I drank sencha in Nara.", "matcha"),
    ],
)
@pytest.mark.parametrize("end", ["answers", "is killed"])
def test_a_write_waits_for_a_search_of_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, second: str, question: str, end: str
) -> None:
    monkeypatch.setattr("omoide.engine.index.WRITER_PATIENCE_SECONDS", LONG)
    with open_memories(tmp_path) as memories, ThreadPoolExecutor(1) as threads:
        memories.remember_many([first, *MORE])
        with searching(tmp_path, question) as other:
            written = threads.submit(memories.remember, second)
            assert wait([written], 0.3).not_done == {written}
            if end == "is killed":
                other.kill()
            else:
                told, _ = other.communicate("\n", timeout=LONG)
                assert told == f"{first}\n"
            assert written.result(LONG).memory.text == second


def test_but_only_for_a_moment(tmp_path: Path) -> None:
    with open_memories(tmp_path) as memories:
        memories.remember_many(["茶", *MORE])
        with searching(tmp_path, "茶") as other:
            memories.remember("茶道")
            assert other.poll() is None
            assert memories.recall("茶道").hits[0].memory.text == "茶道"


@pytest.mark.parametrize(("seconds", "ends"), [(LONG, False), (0.0, True)])
def test_a_search_that_takes_long_loses_it(tmp_path: Path, seconds: float, ends: bool) -> None:
    with closing(RightOfWay(tmp_path / "index")) as here, closing(RightOfWay(tmp_path / "index")) as elsewhere:
        with here.taken():
            here.end_after(seconds)
            assert (here.is_free, elsewhere.is_free) == (ends, ends)
        with here.taken():
            assert (here.is_free, elsewhere.is_free) == (False, False)


def test_it_is_free_when_none_has_it_of_several_processes(tmp_path: Path) -> None:
    with ExitStack() as open_ways:
        asking, *searches = (open_ways.enter_context(closing(RightOfWay(tmp_path / "index"))) for _ in range(3))
        seen = [asking.is_free]
        with searches[0].taken():
            with searches[1].taken():
                seen.append(asking.is_free)
            seen.append(asking.is_free)
        seen.append(asking.is_free)
    assert seen == [True, False, False, True]


@pytest.mark.parametrize("folder", ["absent", "a file is there", "none", "closed"])
def test_where_no_folder_can_be_locked_only_threads_wait_for_each_other(tmp_path: Path, folder: str) -> None:
    place = tmp_path / "index"
    if folder == "a file is there":
        place.write_text("記")
    here, elsewhere = (RightOfWay(None if folder == "none" else place) for _ in range(2))
    if folder == "closed":
        here.close()
    with here.taken():
        assert not here.is_free
        assert elsewhere.is_free == (folder != "absent")
        waiting = threading.Thread(target=here.give_way, args=(LONG,))
        waiting.start()
        waiting.join(0.1)
        assert waiting.is_alive()
    waiting.join(LONG)
    assert not waiting.is_alive()
