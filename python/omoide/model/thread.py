"""Threads: named strands of conversation that memories can belong to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A strand of conversation; `entry_count` is counted when the thread is read. `home`: the pinned scope of the process that
    made it, else ""."""

    id: str
    name: str
    type: str = "normal"
    home: str = ""
    created_at: datetime
    updated_at: datetime
    entry_count: int = 0
