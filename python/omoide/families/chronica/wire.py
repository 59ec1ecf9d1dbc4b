"""What does the chronica door look like from outside? Schemas, the entry JSON, errors.

Useful for: anything a client of the `chronica_*` tools sees. Not useful for: deciding what is found or stored.
Invariant: the keys of an entry stand in one order; an optional key is there only when it says something.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import tzinfo
from typing import Any

from omoide.errors import InvalidArgument, OmoideError
from omoide.families.chronica import saved_time
from omoide.families.tool import Result
from omoide.model.memory import EventTime, Memory
from omoide.model.thread import Thread

SAVE_TOOL = "chronica_save_entry"
THREAD_TYPES = ("normal", "project")
DEFAULT_THREAD_TYPE = "normal"
DEFAULT_KIND = "note"
DEFAULT_VERSION = "0.1"
DEFAULT_LIMIT = 100
MAX_LIMIT = 1_000
#: Keys of `Memory.extra` under which an entry keeps what has no noun of its own.
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

_TEXT: Mapping[str, Any] = {"type": "string"}
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


def entry(memory: Memory, zone: tzinfo) -> dict[str, Any]:
    """One entry. Times carry the offset the entry was saved with; entries that say none are shown in `zone`."""
    saved = _saved_time(memory, zone)
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
        **_event_time(memory.event_time, saved_time.read(saved, zone).tzinfo or zone),
        "links": {**_present({"source": memory.links_source}), "refs": list(memory.links_refs)},
    }


def _present(values: Mapping[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in values.items() if value}


def _saved_time(memory: Memory, zone: tzinfo) -> str:
    """When it was saved, in the offset given then, as long as that still is the stored instant."""
    given = memory.extra.get(SAVED_TIME)
    if isinstance(given, str) and saved_time.names(given, memory.stored_at):
        return given
    return memory.stored_at.astimezone(zone).isoformat()


def _event_time(event_time: EventTime | None, zone: tzinfo) -> dict[str, Any]:
    if event_time is None or not event_time.raw:
        return {}
    resolved = {} if event_time.start is None else {"resolved": event_time.start.astimezone(zone).isoformat()}
    return {"event_time": {"raw": event_time.raw, **resolved, "confidence": event_time.confidence}}


def found(entries: list[dict[str, Any]], warnings: list[str]) -> Result:
    """The answer of a search, over several lines."""
    body = {"entries": entries, **({"warnings": warnings} if warnings else {})}
    return Result(text=json.dumps(body, ensure_ascii=False, indent=2), structured=body)


def saved(entry_id: str, warnings: list[str]) -> Result:
    """The answer to a saved entry, on one line."""
    return _line({"entry_id": entry_id, **({"warnings": warnings} if warnings else {})})


def created(thread: Thread) -> Result:
    """The answer to a new thread, on one line."""
    return _line({"thread_id": thread.id, "thread_name": thread.name, "thread_type": thread.type})


def _line(body: dict[str, Any]) -> Result:
    return Result(text=json.dumps(body, ensure_ascii=False), structured=body)


def refused(error: OmoideError, otherwise: str = "internal_error") -> Result:
    """An error on one line. `otherwise` is the code of what the arguments are not to blame for."""
    if isinstance(error, InvalidArgument):
        code = "validation_error" if error.code == InvalidArgument.code else error.code
    else:
        code = otherwise
    return _error(code, str(error))


def unfit(argument: str, message: str) -> Result:
    """The answer to arguments that do not fit the schema."""
    if argument == "thread_type" and " is not one of " in message:
        got = message.split(" is not one of ")[0].strip("'\"")
        return _error("invalid_thread", f"thread_type must be 'normal' or 'project', got: {got}")
    if message.endswith(" is a required property"):
        missing = message.split("'")[1]
        return _error("validation_error", f"{missing} is required")
    return _error("validation_error", f"{argument}: {message}" if argument else message)


def _error(code: str, message: str) -> Result:
    return Result(text=json.dumps({"error": code, "message": message}, ensure_ascii=False), is_error=True)
