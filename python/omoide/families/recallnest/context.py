"""What every command of this family works with, and how a command becomes a tool.

Useful for: the commands. Not useful for: what one of them does (commands/).
Invariant: every OmoideError is answered with the published error block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from omoide.errors import OmoideError
from omoide.families.recallnest import keys, scope, wire
from omoide.families.recallnest.options import Options
from omoide.families.tool import Arguments, Caller, Result, Tool
from omoide.memory import Memories, Remembered
from omoide.text import Analyzer

FAMILY = "recallnest"

Answer = Callable[["Context", Arguments], Result]


@dataclass(frozen=True, slots=True)
class Context:
    """The memories, the operator's options, a text analyser, and whether the caller may write."""

    memories: Memories
    options: Options
    analyzer: Analyzer
    may_write: bool = True

    def terms(self, text: str) -> frozenset[str]:
        """The index terms of a text."""
        return frozenset(self.analyzer.document(text).terms)

    def read_scope(self, tool: str, arguments: Arguments) -> str | None:
        """The scope to read; None is every scope. Raises InvalidArgument."""
        return scope.of_read(tool, arguments, self.options, self.memories.scope)

    def write_scope(self, tool: str, arguments: Arguments) -> str:
        """The scope to write to. Raises InvalidArgument."""
        return scope.of_write(tool, arguments, self.options, self.memories.scope)

    def opposite(self, remembered: Remembered) -> str | None:
        """The id of the memory that states the opposite preference in the scope, if there is one."""
        memory = remembered.memory
        key = keys.opposite(memory.canonical_key or "")
        return key and self.memories.holding(memory.scope, key)


def command(context: Context, name: str, answer: Answer, **shape: Any) -> Tool:
    """A tool that calls `answer`; `shape` is the other fields of the Tool."""
    return Tool(name=name, run=partial(_guarded, context, name, answer), family=FAMILY, **shape)


def _guarded(context: Context, name: str, answer: Answer, caller: Caller, arguments: Arguments) -> Result:
    try:
        return answer(context if caller.may_write else replace(context, may_write=False), arguments)
    except OmoideError as error:
        return wire.refusal(name, error)
