"""What is measured of calls: how many, how long, stage by stage, and how many wait.

Useful for: the dispatcher, which reports to a meter; metrics.py, which shows it. Invariant: of a call, only the name of its tool
and its durations get here.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

Stages = Iterable[tuple[str, float]]


class Meter(Protocol):
    """The dispatcher reports to it, from any thread."""

    def call_arrived(self) -> None:
        """Note that a call has arrived."""
        ...

    def call_answered(self) -> None:
        """Note that a call has been answered, or that nobody waits for it any longer."""
        ...

    def running(self, tool: str) -> AbstractContextManager[object]:
        """Surrounds the run of a tool, in its thread. `stages` reported in the block are the tool's; an exception drops them."""
        ...

    def record_call(self, tool: str, *, ok: bool, seconds: float) -> None:
        """Note that a call has ended."""
        ...

    def record_stages(self, stages: Stages) -> None:
        """Note the (stage, seconds) of one search."""
        ...


_NOTHING = nullcontext()


class Unmeasured:
    """For a server whose metrics nobody can ask for."""

    def call_arrived(self) -> None:
        """See Meter."""

    def call_answered(self) -> None:
        """See Meter."""

    def running(self, tool: str) -> AbstractContextManager[object]:
        """See Meter."""
        return _NOTHING

    def record_call(self, tool: str, *, ok: bool, seconds: float) -> None:
        """See Meter."""

    def record_stages(self, stages: Stages) -> None:
        """See Meter."""
