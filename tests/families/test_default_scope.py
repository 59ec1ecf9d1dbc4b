"""Where every door puts what names no scope: the default scope of the settings, and all doors alike."""

from pathlib import Path
from typing import Any

import pytest

from omoide import app
from omoide.config import load
from omoide.families.tool import Caller

WRITERS: dict[str, dict[str, Any]] = {
    "StoreMemory": {"Title": "朝食", "Content": "朝は味噌汁を飲む。", "Context": "習慣"},
    "store_memory": {"text": "早餐喝豆浆。"},
    "batch_store": {"memories": [{"text": "晚饭吃面条。"}]},
    "remember_fact": {"entityName": "Jeff", "entityType": "person", "observation": "Jeff likes tea."},
    "chronica_save_entry": {"entry": {"kind": "log", "text": "今日は雨だった。"}},
    "upsert_memory_node": {"type": "note", "label": "計画", "content": "来週から始める。"},
}


@pytest.mark.parametrize(("tool", "arguments"), WRITERS.items())
@pytest.mark.parametrize(
    ("settings", "home"),
    [
        ({}, "global"),
        ({"default_scope": "project:思い出"}, "project:思い出"),
        ({"session": "会话1"}, "session:会话1"),
        ({"default_scope": "a", "scope": "b"}, "b"),
        ({"default_scope": "日記：旅", "scope": "日記"}, "日記：旅"),
    ],
)
def test_what_names_no_scope_is_stored_in_the_default_one(
    tmp_path: Path, tool: str, arguments: dict[str, Any], settings: dict[str, str], home: str
) -> None:
    chosen = load({"data": str(tmp_path), **settings}, {})
    with app.opened(chosen) as found:
        run = {each.name: each.run for each in app.tools(found.memories, chosen)}[tool]
        answer = run(Caller(session_id="一"), arguments)
        assert not answer.is_error, answer.text
        assert found.memories.counts().by_scope == {home: 1}
