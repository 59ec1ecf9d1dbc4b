"""How much work something takes, counted: unlike time, it is the same on every machine."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Callable


def calls(work: Callable[[], object]) -> int:
    """How many calls of functions, and returns from them, the work takes."""
    made = 0

    def count(*_: object) -> None:
        nonlocal made
        made += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return made


def plan(connection: sqlite3.Connection, sql: str) -> list[str]:
    """The steps in which SQLite goes about a statement, in the words of its newer versions (before 3.36: SEARCH TABLE memories AS m)."""
    steps = (row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}"))
    return [re.sub(r"^(SEARCH|SCAN) TABLE (?:\w+ AS )?", r"\1 ", step) for step in steps]
