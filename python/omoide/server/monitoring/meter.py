"""What is measured of the calls: how many, how long, stage by stage, how many wait.

Useful for: the desk, which tells; metrics.py, which shows. Invariant: nothing of a call but its tool's name and its
durations gets here.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

Stages = Iterable[tuple[str, float]]


class Meter(Protocol):
    """Told by the desk, from any thread."""

    def came(self) -> None:
        """A call is there, to be answered."""
        ...

    def went(self) -> None:
        """It has its answer, or nobody waits for it any longer."""
        ...

    def running(self, tool: str) -> AbstractContextManager[object]:
        """Around the work itself, in its thread; `stages` told meanwhile are this tool's, unless it ends in an exception."""
        ...

    def called(self, tool: str, *, ok: bool, seconds: float) -> None:
        """A call is over."""
        ...

    def stages(self, stages: Stages) -> None:
        """(stage, seconds) of one search."""
        ...


_NOTHING = nullcontext()


class Unmeasured:
    """For a server that nobody asks."""

    def came(self) -> None:
        """See Meter."""

    def went(self) -> None:
        """See Meter."""

    def running(self, tool: str) -> AbstractContextManager[object]:
        """See Meter."""
        return _NOTHING

    def called(self, tool: str, *, ok: bool, seconds: float) -> None:
        """See Meter."""

    def stages(self, stages: Stages) -> None:
        """See Meter."""
