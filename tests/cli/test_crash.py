"""A process that is killed loses nothing it has committed; one that is interrupted says so."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from omoide.app import open_memories
from omoide.transfer.load import BATCH

IMPORTER = """
import sys
from pathlib import Path
from omoide import app
from omoide.config import load as settings
from omoide.transfer.files import files_of
from omoide.transfer.load import load
from omoide.transfer.tally import Tally

with app.opened(settings({"data": sys.argv[1]}, {})) as found:
    said = lambda tally: print(tally.rows, flush=True)
    load(found.memories, files_of([Path(sys.argv[2])]), Tally(), committed=said)
"""


def test_an_import_that_is_killed_keeps_what_it_committed_and_can_be_run_again(tmp_path: Path) -> None:
    rows = 8_000
    file = tmp_path / "corpus.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for number in range(rows):
            lines.write(json.dumps({"id": str(number), "text": f"{number}番目の思い出"}, ensure_ascii=False) + "\n")
    store = tmp_path / "store"
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORTER, str(store), str(file)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    committed = [int(process.stdout.readline()) for _ in range(2)][-1]
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    committed = max([committed, *map(int, process.stdout.read().split())])
    with open_memories(store) as memories:
        kept = memories.counts().memories
        assert committed <= kept < rows
        assert kept % BATCH == 0, "a transaction is there or it is not"
        assert len(memories.get(str(number) for number in range(kept))) == kept
        assert memories.recall(f"{kept - 1}番目の思い出", limit=1).hits[0].memory.id == str(kept - 1)
    done = subprocess.run(
        [sys.executable, "-m", "omoide.cli", "import", str(file), "--data", str(store)], capture_output=True, text=True
    )
    assert done.stdout == f"memory    added {rows - kept:,}  updated 0  unchanged {kept:,}\n"


INTERRUPTED = """
import signal, sys
from omoide.__main__ import main

class Hurry:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Hurry())
module, sys.argv = sys.argv[1], ["omoide", "stats"]
sys.exit(main())
"""


@pytest.mark.parametrize(
    "module", ["omoide.cli", "omoide.config", "omoide.cli.stats", "orjson.orjson", "uuid", "platform", "omoide._engine"]
)
def test_a_command_that_is_interrupted_while_it_is_being_loaded_says_no_more_than_that(module: str) -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, module], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "omoide: interrupted\n")


GONE = """
import os, sys, tempfile
from omoide.cli import main

folder = tempfile.mkdtemp()
os.chdir(folder)
os.rmdir(folder)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a folder that is in use cannot be removed")
@pytest.mark.parametrize(
    "words", [("stats", "--data", "記憶"), ("search", "会议", "--data", "记忆"), ("export", "--data", "x")]
)
def test_a_command_in_a_folder_that_is_gone_says_so(words: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, "-c", GONE, *words], capture_output=True, text=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("omoide: The present folder is gone. Change to another one.\n")
