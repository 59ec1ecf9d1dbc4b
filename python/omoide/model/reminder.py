"""Reminders: an action to say once, when every word of its trigger comes up in a search of its scope."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

ReminderStatus = Literal["pending", "fired", "expired"]


class Awaited(NamedTuple):
    """What a pending reminder waits for: of all there are, this much is known without reading them whole."""

    id: str
    scope: str
    trigger: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """A pending reminder fires exactly once, in its scope."""

    id: str
    trigger: str
    action: str
    scope: str
    status: ReminderStatus = "pending"
    created_at: datetime
    expires_at: datetime | None = None
    fired_at: datetime | None = None
