"""What the tools of this door share: the memories, how answers are said, how refusals are worded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from omoide.errors import OmoideError
from omoide.families.textrawl import refusals, wire
from omoide.families.textrawl.options import Options
from omoide.families.tool import Arguments, Caller, Misfit, Result, Run
from omoide.memory.memories import Memories

FAMILY = "textrawl"


@dataclass(frozen=True, slots=True)
class Door:
    """The memories behind the door and what its operator chose."""

    memories: Memories
    options: Options

    def say(self, structured: wire.Json, short: wire.Json, long: wire.Json | None = None) -> Result:
        """The answer: `structured` for programs, `short` or `long` (else `structured`) as its text."""
        compact = self.options.compact_responses
        return Result(wire.to_text(short if compact else long or structured, compact=compact), structured)


def worded(tool: str, door: Door, run: Run) -> Run:
    """`run`, with refusals of the use cases in this door's words."""

    def answer(caller: Caller, arguments: Arguments) -> Result:
        try:
            return run(caller, arguments)
        except OmoideError as error:
            return refusals.explained(tool, door.options, error, arguments.get("mode", tool))

    return answer


def refuse(tool: str, door: Door) -> Callable[[Misfit], Result]:
    """How arguments that do not fit the schema are answered."""
    return lambda misfit: refusals.unfit(tool, door.options, misfit)
