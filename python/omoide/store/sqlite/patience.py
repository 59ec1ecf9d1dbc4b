"""Waiting for a lock that somebody else has.

Useful for: whatever touches a database that several processes share. Not useful for: the order of this process' own
writers, see group.py. Invariant: no caller is told of a lock before its time is over.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from omoide.errors import StoreBusy
from omoide.store.sqlite.faults import RAISED, fault
from omoide.turns import waiting

T = TypeVar("T")


def patiently(action: Callable[[], T], seconds: float, where: str) -> T:
    """Run `action` until it no longer meets a lock, for `seconds`; other errors of SQLite are mapped at once.

    SQLite waits by itself for most locks, but not for all (a change to WAL, a log under recovery), and without
    regard to others who wait: a pause of random length lets everyone have a turn.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            return action()
        except RAISED as error:
            meaning = fault(error, where)
            if not isinstance(meaning, StoreBusy) or time.monotonic() >= deadline:
                raise meaning from error
        with waiting():
            time.sleep(random.uniform(0.0005, 0.005))
