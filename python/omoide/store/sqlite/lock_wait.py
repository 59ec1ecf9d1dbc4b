"""Waits for a lock that another connection holds.

Useful for: everything that touches a database which several processes share. Not useful for: the order of this process' own
writers (group_commit.py). Invariant: no caller gets StoreBusy before its time is over.
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
    """Repeat `action` until it no longer meets a lock, for up to `seconds`, then raise StoreBusy; other errors of SQLite are
    mapped and raised at once.

    SQLite waits by itself for most locks, but not for all (a change to WAL, a log under recovery), and not fairly: pauses of
    random length give every waiter a chance.
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
