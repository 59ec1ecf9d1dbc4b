"""Which tools does the chronica door offer?"""

from __future__ import annotations

from collections.abc import Callable

from omoide.errors import OmoideError
from omoide.families.chronica import entry, translate, wire
from omoide.families.chronica.options import Options
from omoide.families.tool import Arguments, Caller, Result, Tool
from omoide.memory.memories import Memories


def tools(memories: Memories, options: Options) -> list[Tool]:
    """Save, search, create a thread: in the order the family registers them."""
    return [_save_tool(memories, options), _search_tool(memories, options), _create_thread_tool(memories)]


def _save_tool(memories: Memories, options: Options) -> Tool:
    def save(caller: Caller, arguments: Arguments) -> Result:
        asked = entry.translate(arguments["entry"], caller, memories.moment, options)
        return wire.saved(memories.remember(asked.draft).memory.id, asked.warnings)

    return Tool(
        name=wire.SAVE_TOOL,
        title="エントリを保存 / Save an entry",
        description=wire.SAVE_DESCRIPTION,
        input_schema=wire.SAVE_SCHEMA,
        output_schema=wire.SAVE_OUTPUT_SCHEMA,
        run=_told(save, otherwise="save_error"),
        # An entry_id that exists is replaced.
        destructive=True,
        refuse=wire.unfit,
        family="chronica",
    )


def _search_tool(memories: Memories, options: Options) -> Tool:
    def search(_: Caller, arguments: Arguments) -> Result:
        asked = translate.search(arguments, options)
        hits = memories.recall(asked.query).hits
        return wire.found([wire.entry(hit.memory, memories.zone) for hit in hits], asked.warnings)

    return Tool(
        name="chronica_search",
        title="エントリを検索 / Search entries",
        description=wire.SEARCH_DESCRIPTION,
        input_schema=wire.SEARCH_SCHEMA,
        output_schema=wire.SEARCH_OUTPUT_SCHEMA,
        run=_told(search),
        read_only=True,
        idempotent=True,
        refuse=wire.unfit,
        family="chronica",
    )


def _create_thread_tool(memories: Memories) -> Tool:
    def create_thread(_: Caller, arguments: Arguments) -> Result:
        name, type = translate.new_thread(arguments)
        return wire.created(memories.create_thread(name, type))

    return Tool(
        name="chronica_create_thread",
        title="スレッドを作成 / Create a thread",
        description=wire.CREATE_THREAD_DESCRIPTION,
        input_schema=wire.CREATE_THREAD_SCHEMA,
        output_schema=wire.CREATE_THREAD_OUTPUT_SCHEMA,
        run=_told(create_thread),
        refuse=wire.unfit,
        family="chronica",
    )


def _told(
    run: Callable[[Caller, Arguments], Result], otherwise: str = "internal_error"
) -> Callable[[Caller, Arguments], Result]:
    """The same tool, its errors in the door's own shape."""

    def told(caller: Caller, arguments: Arguments) -> Result:
        try:
            return run(caller, arguments)
        except OmoideError as error:
            return wire.refused(error, otherwise)

    return told
