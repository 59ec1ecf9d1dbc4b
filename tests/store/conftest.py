"""Processes that open a store of their own: what the tests of durability start, watch and kill."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Worker = Callable[..., "subprocess.Popen[str]"]

_PRELUDE = """
import os, sys
from datetime import datetime, timezone
from omoide.model.memory import Draft
from omoide.store.migrations import shipped
from omoide.store.sqlite import SqliteStore
NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)
def say(word): print(word, flush=True)
def put(writer, id): return writer.put_memory(Draft(id=id, text="思い出 记忆 memory " + id), now=NOW)
"""
# Root may write anywhere: as root, the process becomes another user once it has imported what it needs.
_BECOME_NOBODY = """
shipped()
import urllib.parse  # as pathlib does from Python 3.13 on, when it is asked for a URI
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
"""
_OPEN = "store = SqliteStore(sys.argv[1])\n"


@pytest.fixture
def worker() -> Iterator[Worker]:
    """Start a Python process with a `store` at a path; it is killed when the test ends."""
    started: list[subprocess.Popen[str]] = []

    def start(script: str, path: Path, *arguments: str, without_rights: bool = False) -> subprocess.Popen[str]:
        source = _PRELUDE + (_BECOME_NOBODY if without_rights else "") + _OPEN + script
        process = subprocess.Popen(
            [sys.executable, "-c", source, str(path), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
