"""No tool reads an argument, or a member of one, that its schema does not name: callers are told that it was not used, and nobody
has checked its type."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from omoide import app
from omoide.config import load
from omoide.errors import NotFound
from omoide.memory import Memories
from tests.families.calling import CALLER

#: For arguments of which the first example would not do.
GIVEN: dict[str, dict[str, Any]] = {
    "build_knowledge": {
        "facts": [{"entityName": "健太", "entityType": "person", "observation": "お茶が好き"}],
        "relations": [{"fromEntity": "健太", "relation": "住む", "toEntity": "京都"}],
    },
    "chronica_save_entry": {"entry": {"kind": "note", "text": "买了茶"}},
    "chronica_summarize": {"mode": "daily", "range_start": "今日", "range_end": "今天", "thread_type": "normal"},
    "query_memory": {"mode": "search", "query": "tea"},
    "relate_entities": {"fromEntity": "Jeff", "relation": "knows", "toEntity": "小红"},
    "upsert_memory_node": {"type": "concept", "label": "認証", "content": "ログイン", "metadata": {"版": "2"}},
}


class Watched(dict[str, Any]):
    """Arguments that note which names they are asked for beside those of their schema."""

    def __init__(self, values: dict[str, Any], schema: dict[str, Any], asked: set[str]) -> None:
        self._named = schema.get("properties")
        self._asked = asked
        members = self._named or {}
        super().__init__({name: watched(value, members.get(name, {}), asked) for name, value in values.items()})

    def _note(self, name: str) -> None:
        if self._named is not None and name not in self._named:
            self._asked.add(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._note(name)
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        self._note(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> Any:
        self._note(name)
        return super().__getitem__(name)


def watched(value: Any, schema: dict[str, Any], asked: set[str]) -> Any:
    if isinstance(value, list):
        return [watched(each, schema.get("items", {}), asked) for each in value]
    return Watched(value, schema, asked) if isinstance(value, dict) else value


def example(schema: dict[str, Any]) -> Any:
    """A value that fits the schema."""
    if "enum" in schema:
        return schema["enum"][0]
    type = schema.get("type")
    if type == "object":
        return {name: example(schema["properties"][name]) for name in schema.get("required", ())}
    return [example(schema["items"])] if type == "array" else "日記" if type == "string" else 1


def test_no_tool_reads_what_its_schema_does_not_name(memories: Memories, tmp_path: Path) -> None:
    read: dict[str, set[str]] = {}
    for tool in app.tools(memories, load({"data": str(tmp_path), "tools": "all"}, {})):
        schema = dict(tool.input_schema)
        if schema.get("additionalProperties") is not False:  # others are refused before the tool runs
            asked = read.setdefault(tool.name, set())
            with suppress(NotFound):
                tool.run(CALLER, Watched(GIVEN.get(tool.name) or example(schema), schema, asked))
    assert {name: asked for name, asked in read.items() if asked} == {}
    assert {"build_knowledge", "chronica_timeline", "create_relation"} <= read.keys()
