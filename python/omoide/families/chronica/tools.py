"""The tools of the chronica family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from omoide.errors import InvalidArgument, NotFound, needed, nothing_has, shortened
from omoide.families.chronica import entry, speech, translate, views, wire
from omoide.families.chronica.options import Options
from omoide.families.tool import Arguments, Caller, Result, Run, Tool, answering_errors
from omoide.memory.memories import Memories
from omoide.memory.notes import on_folded_duplicates, on_missing_arms
from omoide.model.memory import Memory

#: How many entries an opening looks at.
OPENING_ENTRIES = 5


def tools(memories: Memories, options: Options) -> list[Tool]:
    """Ten tools, in the order in which they are listed. All but saving and searching are offered on request."""
    return [
        _save_tool(memories, options),
        _search_tool(memories, options),
        _timeline_tool(memories, options),
        _last_seen_tool(memories, options),
        _opening_tool(memories, options),
        _tick_tool(memories, options),
        _summarize_tool(memories, options),
        _create_thread_tool(memories),
        _list_threads_tool(memories),
        _thread_info_tool(memories),
    ]


def _reader(
    name: str, title: str, description: str, schemas: tuple[Mapping[str, Any], Mapping[str, Any]], run: Run, **more: Any
) -> Tool:
    """A read-only tool that is offered on request."""
    return Tool(
        name=name,
        title=title,
        description=description,
        input_schema=schemas[0],
        output_schema=schemas[1],
        run=answering_errors(run, wire.refused),
        read_only=True,
        idempotent=True,
        on_request=True,
        family="chronica",
        **{"refuse": wire.unfit, **more},
    )


def _timeline_tool(memories: Memories, options: Options) -> Tool:
    def timeline(_: Caller, arguments: Arguments) -> Result:
        translated = translate.timeline(arguments, memories.moment, options, memories.language_of)
        recalled = memories.recall(translated.query)
        warnings = [*translated.warnings, *on_missing_arms(recalled.missing, recalled.language)]
        return wire.found([wire.entry(hit.memory, memories.zone) for hit in recalled.hits], warnings)

    schemas = wire.TIMELINE_SCHEMA, wire.SEARCH_OUTPUT_SCHEMA
    title = "タイムライン / Timeline"
    return _reader("chronica_timeline", title, wire.TIMELINE_DESCRIPTION, schemas, timeline, reports_unknown=True)


def _last_seen_tool(memories: Memories, options: Options) -> Tool:
    def last_seen(_: Caller, arguments: Arguments) -> Result:
        last = _newest(memories, options, 1, thread_type=arguments["thread_type"])
        times = [wire.entry(memory, memories.zone)["saved_time"] for memory in last]
        return wire.line({"last_seen_time": times[0] if times else None})

    schemas = wire.LAST_SEEN_SCHEMA, wire.LAST_SEEN_OUTPUT_SCHEMA
    return _reader("chronica_get_last_seen", "最終保存日時 / Last seen", wire.LAST_SEEN_DESCRIPTION, schemas, last_seen)


def _opening_tool(memories: Memories, options: Options) -> Tool:
    def compose_opening(_: Caller, arguments: Arguments) -> Result:
        project = arguments.get("project")
        entries = _newest(memories, options, OPENING_ENTRIES, thread_type="project", project=project)
        opening = views.opening(entries, _now(memories), speech.speaking(options.language))
        return Result(text=opening["text"], structured=opening)

    schemas = wire.OPENING_SCHEMA, wire.OPENING_OUTPUT_SCHEMA
    title = "会話の始まり / Compose an opening"
    return _reader("chronica_compose_opening", title, wire.OPENING_DESCRIPTION, schemas, compose_opening)


def _tick_tool(memories: Memories, options: Options) -> Tool:
    def session_tick(_: Caller, arguments: Arguments) -> Result:
        last = _newest(memories, options, 1, thread_id=arguments.get("thread_id"))
        words = speech.speaking(options.language)
        return wire.line(views.tick(last[0] if last else None, _now(memories), words))

    schemas = wire.TICK_SCHEMA, wire.TICK_OUTPUT_SCHEMA
    return _reader("chronica_session_tick", "現在の状況 / Session tick", wire.TICK_DESCRIPTION, schemas, session_tick)


def _summarize_tool(memories: Memories, options: Options) -> Tool:
    def summarize(_: Caller, arguments: Arguments) -> Result:
        if not (arguments["range_start"].strip() and arguments["range_end"].strip()):
            return wire.unfinished_summary()
        translated = translate.timeline(arguments, memories.moment, options, memories.language_of, for_summary=True)
        count = memories.recall(replace(translated.query, limit=0)).considered
        if count > translate.MOST_IN_A_SUMMARY:
            raise wire.too_many_for_a_summary(count, translate.MOST_IN_A_SUMMARY)
        entries = [hit.memory for hit in memories.recall(translated.query).hits]
        return wire.pages(views.summary(entries, arguments, memories.zone))

    schemas = wire.SUMMARIZE_SCHEMA, wire.SUMMARIZE_OUTPUT_SCHEMA
    described = ("chronica_summarize", "要約の材料 / Summary pack", wire.SUMMARIZE_DESCRIPTION)
    return _reader(*described, schemas, summarize, refuse=wire.unfit_summary)


def _list_threads_tool(memories: Memories) -> Tool:
    def list_threads(_: Caller, arguments: Arguments) -> Result:
        threads = memories.threads(arguments.get("thread_type") or None)
        return wire.pages({"threads": [wire.thread(each, memories.zone) for each in threads]})

    schemas = wire.LIST_THREADS_SCHEMA, wire.LIST_THREADS_OUTPUT_SCHEMA
    title = "スレッド一覧 / List threads"
    return _reader("chronica_list_threads", title, wire.LIST_THREADS_DESCRIPTION, schemas, list_threads)


def _thread_info_tool(memories: Memories) -> Tool:
    def thread_info(_: Caller, arguments: Arguments) -> Result:
        id = arguments["thread_id"].strip()
        if not id:
            raise InvalidArgument("thread_id", "thread_id is required", also=needed("thread_id"))
        thread = memories.thread(id)
        if thread is None:
            missing = NotFound(f"Thread {shortened(id)} not found", also=nothing_has(id))
            return wire.refused(missing, missing.code)
        return wire.pages(wire.thread(thread, memories.zone))

    schemas = wire.THREAD_INFO_SCHEMA, wire.THREAD_INFO_OUTPUT_SCHEMA
    title = "スレッド情報 / Thread info"
    return _reader("chronica_get_thread_info", title, wire.THREAD_INFO_DESCRIPTION, schemas, thread_info)


def _newest(memories: Memories, options: Options, limit: int, **fields: Any) -> list[Memory]:
    return [hit.memory for hit in memories.recall(translate.newest(options, limit, **fields)).hits]


def _now(memories: Memories) -> datetime:
    return memories.clock().astimezone(memories.zone)


def _save_tool(memories: Memories, options: Options) -> Tool:
    def type_of_thread(id: str) -> str | None:
        thread = memories.thread(id)
        return None if thread is None else thread.type

    def save(caller: Caller, arguments: Arguments) -> Result:
        translated = entry.translate(
            arguments["entry"], caller, memories.moment, options, memories.language_of, type_of_thread
        )
        warnings = [*translate.unknown_arguments(arguments, wire.SAVE_SCHEMA), *translated.warnings]
        remembered = memories.remember(translated.draft, over=entry.replacing)
        return wire.saved(remembered.memory.id, warnings)

    return Tool(
        name=wire.SAVE_TOOL,
        title="エントリを保存 / Save an entry",
        description=wire.SAVE_DESCRIPTION,
        input_schema=wire.SAVE_SCHEMA,
        output_schema=wire.SAVE_OUTPUT_SCHEMA,
        run=answering_errors(save, partial(wire.refused, otherwise="save_error")),
        # The entry with a given entry_id is replaced.
        destructive=True,
        refuse=wire.unfit,
        reports_unknown=True,
        family="chronica",
    )


def _search_tool(memories: Memories, options: Options) -> Tool:
    def search(_: Caller, arguments: Arguments) -> Result:
        translated = translate.search(arguments, options, memories.language_of)
        recalled = memories.recall(translated.query)
        repeated = on_folded_duplicates(recalled.hits, recalled.language)
        warnings = [*translated.warnings, *on_missing_arms(recalled.missing, recalled.language), *repeated]
        return wire.found([wire.entry(hit.memory, memories.zone) for hit in recalled.hits], warnings)

    return Tool(
        name="chronica_search",
        title="エントリを検索 / Search entries",
        description=wire.SEARCH_DESCRIPTION,
        input_schema=wire.SEARCH_SCHEMA,
        output_schema=wire.SEARCH_OUTPUT_SCHEMA,
        run=answering_errors(search, wire.refused),
        read_only=True,
        idempotent=True,
        refuse=wire.unfit,
        reports_unknown=True,
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
        run=answering_errors(create_thread, wire.refused),
        refuse=wire.unfit,
        family="chronica",
    )
