"""Reminders: an action to show once, when a search in its scope has every word of its trigger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

ReminderStatus = Literal["pending", "fired", "expired"]


class PendingTrigger(NamedTuple):
    """The part of a pending reminder that decides whether it fires; cheap to read for all of them."""

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
