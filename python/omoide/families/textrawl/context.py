"""What the tools of this family share: the memories, and how answers and errors are written."""

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
class Context:
    """The memories and the operator's options."""

    memories: Memories
    options: Options

    def respond(self, structured: wire.Json, short: wire.Json, long: wire.Json | None = None) -> Result:
        """The answer: `structured`, with `short` as its text if compact responses are on, else `long` (None: `structured`)."""
        compact = self.options.compact_responses
        return Result(wire.to_text(short if compact else long or structured, compact=compact), structured)


def with_own_errors(tool: str, context: Context, run: Run) -> Run:
    """`run`, with errors in this family's format."""

    def answer(caller: Caller, arguments: Arguments) -> Result:
        try:
            return run(caller, arguments)
        except OmoideError as error:
            return refusals.explained(tool, context.options, error, arguments.get("mode", ""))

    return answer


def refuse(tool: str, context: Context) -> Callable[[Misfit], Result]:
    """The function that answers arguments which do not fit the schema."""
    return lambda misfit: refusals.unfit(tool, context.options, misfit)
