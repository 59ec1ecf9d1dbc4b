"""Everything that clients of the chronica family see: schemas, the JSON of entries, errors.

Useful for: the format of the `chronica_*` tools. Not useful for: deciding what is found or stored.
Invariant: the keys of an entry are always in the same order; an optional key is present only if it has a value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any

from omoide.errors import InvalidArgument, OmoideError, ResultTooLarge, needed
from omoide.families.chronica import saved_time
from omoide.families.tool import Misfit, Result, indented
from omoide.memory import written_times
from omoide.model.local_time import local
from omoide.model.memory import Memory
from omoide.model.thread import Thread

SAVE_TOOL = "chronica_save_entry"
THREAD_TYPES = ("normal", "project")
DEFAULT_THREAD_TYPE = "normal"
DEFAULT_KIND = "note"
DEFAULT_VERSION = "0.1"
DEFAULT_LIMIT = 100
MAX_LIMIT = 1_000
#: How many characters of an unknown value an error repeats.
GOT_CHARS = 100
#: Keys of `Memory.extra` for what the model has no field for.
SAVED_TIME, VERSION = "saved_time", "version"

SEARCH_DESCRIPTION = """\
保存されたエントリを検索し、本文・タグ・種別を含む一覧を返します。
- 「記憶を見せて」「最近の記録」: 引数なし {} または limit のみ。全スレッド横断で新しい順、最大100件。
- 内容を探す: query(どの言語でも可)。関連度の高い順。
- 特定スレッドだけなら thread_id。本文が要るときは、スレッド一覧ではなく本ツールを使う。
- 発言に過去の記憶と関わりそうな話題が出たら、会話を止めずに検索し、「Chronicaによると」等と言わず自然に織り込む。
Searches saved entries by content, tags or type; {} lists everything, newest first."""

SAVE_DESCRIPTION = """\
エントリを1件保存します。kind と text は必須。後から単独で読んで分かる文で、話された言語のまま保存する。
- kind: note, event, decision, action, question など。
- 日時は推測せず、言われたまま event_time.raw に入れる(「昨日」「来週」など)。サーバーが解決する。
- entry_id に既存のIDを渡すと全体を置き換える。
Saves one entry."""

CREATE_THREAD_DESCRIPTION = "スレッドを作成し、ID を返します。Creates a thread."

TIMELINE_DESCRIPTION = """\
保存日時の範囲でエントリを古い順に返します。start_time / end_time は ISO 8601 でも「先週」「2026年3月」でもよく、両端を含む。
Entries of a span of time, oldest first."""

LAST_SEEN_DESCRIPTION = "その種類のスレッドで最後に保存した日時を返します。When something was last saved."

OPENING_DESCRIPTION = """\
会話の最初に一度だけ呼び、返された状況と指示に従って話し始めます。project があれば必ず渡す。
Call once at the start of a conversation: where things stand, and how to begin."""

TICK_DESCRIPTION = """\
返答の前に呼ぶと、現在時刻、季節、時間帯、最後の記憶からの経過を返します。
The time, the season, and how long ago the last memory is."""

SUMMARIZE_DESCRIPTION = """\
期間内の全エントリを、決定・行動・未解決の質問などに分けて返します。要約文はこれをもとに書く。
Everything of a span of time, sorted for a summary."""

LIST_THREADS_DESCRIPTION = """\
スレッドの名前、件数、ID を新しい順に返します。本文は chronica_search で。Threads, newest first."""

THREAD_INFO_DESCRIPTION = "スレッド1件の情報を返します。One thread."

_THREAD_TYPE: Mapping[str, Any] = {
    "type": "string",
    "enum": list(THREAD_TYPES),
    "description": "スレッドタイプ: normal(日常)、project(仕事)",
}
SEARCH_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "thread_id": {"type": "string", "description": "スレッドID(指定時はthread_typeより優先)"},
        "thread_type": _THREAD_TYPE,
        "kind": {"type": "string", "description": "エントリ種別"},
        "tags": {"type": "array", "items": {"type": "string"}, "description": "タグリスト(いずれか一致)"},
        "project": {"type": "string", "description": "プロジェクト名"},
        "limit": {"type": "integer", "description": "最大件数(省略時100)。一覧表示時も指定可。"},
        "query": {"type": "string", "description": "本文・題名を探す言葉", "maxLength": 1000},
    },
}
SAVE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "entry": {
            "type": "object",
            "description": "必須: kind, text。任意: tags, title, project, thread {type, id, name}, event_time {raw}, "
            "saved_time (ISO 8601), links {source, refs}, entry_id",
        }
    },
    "required": ["entry"],
}
CREATE_THREAD_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "thread_name": {"type": "string", "description": "スレッド名"},
        "thread_type": {**_THREAD_TYPE, "default": DEFAULT_THREAD_TYPE},
    },
    "required": ["thread_name"],
}

_THREAD_ID: Mapping[str, Any] = {"type": "string", "description": "スレッドID"}
TIMELINE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "start_time": {"type": "string", "description": "始まり。ISO 8601、または「先週」など"},
        "end_time": {"type": "string", "description": "終わり(含む)"},
        "thread_id": _THREAD_ID,
        "thread_type": _THREAD_TYPE,
        "kind": {"type": "string", "description": "エントリ種別"},
        "limit": {"type": "integer", "description": "最大件数(省略時100)"},
    },
}
LAST_SEEN_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"thread_type": _THREAD_TYPE},
    "required": ["thread_type"],
}
OPENING_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "thread_id": {"type": "string", "description": "使われません(互換のため)"},
        "project": {"type": "string", "description": "プロジェクト名。分かるときは必ず渡す"},
    },
}
TICK_SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {"thread_id": _THREAD_ID}}
MODES = ("daily", "weekly", "decision")
SUMMARIZE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "mode": {"type": "string", "enum": list(MODES), "description": "要約の種類"},
        "range_start": {"type": "string", "description": "始まり。ISO 8601、または「今日」など"},
        "range_end": {"type": "string", "description": "終わり(含む)"},
        "thread_type": _THREAD_TYPE,
    },
    "required": ["mode", "range_start", "range_end", "thread_type"],
}
LIST_THREADS_SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {"thread_type": _THREAD_TYPE}}
THREAD_INFO_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"thread_id": _THREAD_ID},
    "required": ["thread_id"],
}

_TEXT: Mapping[str, Any] = {"type": "string"}
_MAYBE_TEXT: Mapping[str, Any] = {"type": ["string", "null"]}
_TEXTS: Mapping[str, Any] = {"type": "array", "items": _TEXT}
_ENTRY_OUTPUT: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "version": _TEXT,
        "entry_id": _TEXT,
        "saved_time": _TEXT,
        "thread": {"type": "object", "properties": {"type": _TEXT, "id": _TEXT, "name": _TEXT}},
        "kind": _TEXT,
        "text": _TEXT,
        "tags": _TEXTS,
        "title": _TEXT,
        "project": _TEXT,
        "event_time": {
            "type": "object",
            "properties": {"raw": _TEXT, "resolved": _TEXT, "confidence": {"type": "number"}},
        },
        "links": {"type": "object", "properties": {"source": _TEXT, "refs": {"type": "array"}}},
    },
    "required": ["version", "entry_id", "saved_time", "thread", "kind", "text", "tags", "links"],
}
SEARCH_OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"entries": {"type": "array", "items": _ENTRY_OUTPUT}, "warnings": _TEXTS},
    "required": ["entries"],
}
SAVE_OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"entry_id": _TEXT, "warnings": _TEXTS},
    "required": ["entry_id"],
}
CREATE_THREAD_OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"thread_id": _TEXT, "thread_name": _TEXT, "thread_type": _TEXT},
    "required": ["thread_id", "thread_name", "thread_type"],
}
_OBJECTS: Mapping[str, Any] = {"type": "array", "items": {"type": "object"}}
LAST_SEEN_OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"last_seen_time": _MAYBE_TEXT},
    "required": ["last_seen_time"],
}
OPENING_OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"now": _TEXT, "part_of_day": _TEXT, "recent": _OBJECTS, "open": _OBJECTS, "text": _TEXT},
    "required": ["now", "part_of_day", "recent", "open", "text"],
}
TICK_OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "now_local": _TEXT,
        "season": _TEXT,
        "time_of_day": _TEXT,
        "since_last_memory": _TEXT,
        "last_topic_preview": _MAYBE_TEXT,
    },
    "required": ["now_local", "season", "time_of_day", "since_last_memory", "last_topic_preview"],
}
SUMMARIZE_OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "meta": {"type": "object"},
        "timeline_items": _OBJECTS,
        "decisions": _OBJECTS,
        "actions": _OBJECTS,
        "open_questions": _OBJECTS,
        "digest_candidates": {"type": "object"},
    },
    "required": ["meta", "timeline_items", "decisions", "actions", "open_questions", "digest_candidates"],
}
THREAD_INFO_OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "thread_id": _TEXT,
        "thread_name": _TEXT,
        "thread_type": _TEXT,
        "created_at": _TEXT,
        "updated_at": _TEXT,
        "entry_count": {"type": "integer"},
    },
    "required": ["thread_id", "thread_name", "thread_type", "created_at", "updated_at", "entry_count"],
}
LIST_THREADS_OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"threads": {"type": "array", "items": THREAD_INFO_OUTPUT_SCHEMA}},
    "required": ["threads"],
}


def entry(memory: Memory, zone: tzinfo) -> dict[str, Any]:
    """One entry. Times have the offset that the entry was saved with; without one, they are shown in `zone`."""
    saved = when_saved(memory, zone)
    return {
        "version": str(memory.extra.get(VERSION, DEFAULT_VERSION)),
        "entry_id": memory.id,
        "saved_time": saved,
        "thread": _present(
            {"type": memory.thread_type or DEFAULT_THREAD_TYPE, "id": memory.thread, "name": memory.thread_name}
        ),
        "kind": memory.kind or DEFAULT_KIND,
        "text": memory.text,
        "tags": list(memory.tags),
        **_present({"title": memory.title, "project": memory.project}),
        **event_time(memory, saved, zone),
        "links": {**_present({"source": memory.links_source}), "refs": list(memory.links_refs)},
    }


def _present(values: Mapping[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in values.items() if value}


def when_saved(memory: Memory, zone: tzinfo) -> str:
    """When it was saved: the text given then, if it still means the stored instant, else the time in `zone`."""
    given = memory.extra.get(SAVED_TIME)
    if isinstance(given, str) and saved_time.names(given, memory.stored_at):
        return given
    return local(memory.stored_at, zone).isoformat()


def event_time(memory: Memory, saved: str, zone: tzinfo) -> dict[str, Any]:
    """The time of the event, if there is one, in the zone that `saved` is in."""
    event = memory.event_time
    if event is None or not event.raw:
        return {}
    resolved = {} if event.start is None else {"resolved": _resolved(event.start, saved, zone)}
    return {"event_time": {"raw": event.raw, **resolved, "confidence": event.confidence}}


def _resolved(start: datetime, saved: str, zone: tzinfo) -> str:
    return local(start, saved_time.zone_of(written_times.read(saved), zone)).isoformat()


def found(entries: list[dict[str, Any]], warnings: list[str]) -> Result:
    """The answer to a search, as indented JSON."""
    body = {"entries": entries, **({"warnings": warnings} if warnings else {})}
    return pages(body)


def pages(body: dict[str, Any]) -> Result:
    """Any answer, as indented JSON."""
    return Result(text=indented(body), structured=body)


def thread(thread: Thread, zone: tzinfo) -> dict[str, Any]:
    """One thread as it is listed."""
    return {
        "thread_id": thread.id,
        "thread_name": thread.name,
        "thread_type": thread.type,
        "created_at": local(thread.created_at, zone).isoformat(),
        "updated_at": local(thread.updated_at, zone).isoformat(),
        "entry_count": thread.entry_count,
    }


def saved(entry_id: str, warnings: list[str]) -> Result:
    """The answer to a saved entry, on one line."""
    return line({"entry_id": entry_id, **({"warnings": warnings} if warnings else {})})


def created(thread: Thread) -> Result:
    """The answer to a new thread, on one line."""
    return line({"thread_id": thread.id, "thread_name": thread.name, "thread_type": thread.type})


def line(body: dict[str, Any]) -> Result:
    """Any answer on one line."""
    return Result(text=json.dumps(body, ensure_ascii=False), structured=body)


#: Codes that this family has other names for; the dates it reads are ends of ranges.
_CODES = {InvalidArgument.code: "validation_error", "invalid_date": "invalid_range"}


def refused(error: OmoideError, otherwise: str = "internal_error") -> Result:
    """An error on one line. `otherwise` is the code for errors that are not due to the arguments."""
    code = _CODES.get(error.code, error.code) if isinstance(error, InvalidArgument) else otherwise
    return error_of(code, _sentences(error))._replace(error=error)


def _sentences(error: OmoideError) -> str:
    """Message and hint; published messages end without a full stop, so one is added before a hint."""
    ended = error.message.endswith((".", "。")) or not error.hint
    return str(error) if ended else f"{error.message}. {error.hint}"


def unfit(misfit: Misfit) -> Result:
    """The answer to arguments that do not fit the schema."""
    if misfit.argument == "thread_type" and misfit.rule == "enum":
        return error_of("invalid_thread", f"thread_type must be 'normal' or 'project', got: {_got(misfit)}")
    if misfit.missing:
        code = "invalid_thread" if misfit.missing == "thread_type" else "validation_error"
        return error_of(code, f"{misfit.missing} is required")
    return error_of("validation_error", misfit.message)


def unfit_summary(misfit: Misfit) -> Result:
    """The answer to arguments of a summary that do not fit the schema."""
    if misfit.argument == "mode" and misfit.rule == "enum":
        return error_of("invalid_range", f"mode must be 'daily', 'weekly', or 'decision', got: {_got(misfit)}")
    return unfinished_summary() if misfit.missing else unfit(misfit)


def _got(misfit: Misfit) -> str:
    return str(misfit.value)[:GOT_CHARS]


def unfinished_summary() -> Result:
    """The answer to a summary that lacks an argument."""
    names = "mode, range_start, range_end, and thread_type"
    error = InvalidArgument(
        "mode", f"{names} are required", code="invalid_range", also=needed(names.replace("and ", ""))
    )
    return refused(error)


def too_many_for_a_summary(entries: int, most: int) -> InvalidArgument:
    """The error for a range with more entries than a summary may have."""
    return InvalidArgument(
        "range_start",
        f"The range holds {entries:,} entries; a summary takes at most {most:,}.",
        hint="Ask for a shorter range.",
        code=ResultTooLarge.code,
        also={
            "ja": f"範囲には {entries:,} 件あります。要約できるのは {most:,} 件までです。範囲を短くしてください。",
            "zh": f"该范围内有 {entries:,} 条记录，摘要最多 {most:,} 条，请缩短范围。",
        },
    )


def error_of(code: str, message: str) -> Result:
    """An error in the family's format, on one line."""
    return Result(text=json.dumps({"error": code, "message": message}, ensure_ascii=False), is_error=True)
