"""Nobody reaches what is not theirs: every tool, with every argument it has, against another scope and another tenant.

The marks stand in whatever the others have stored, and in nothing that is asked: an answer that holds one has leaked.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from omoide import app
from omoide.app import Opened
from omoide.config import Settings
from omoide.model.memory import Draft
from omoide.model.relation import Ref
from omoide.server.access.visitor import Visitor
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.tenants import Tenants
from omoide.server.calls.toolcall import ToolCall
from omoide.server.calls.workspaces import OneWorkspace, Workspace, workspace_of
from tests.reliability.nasty import arguments

MARKS = ("壱弐参", "暗号零零七", "QZXJKVBW")
OURS, THEIRS = "cc", "ccx"


def fill(found: Opened, scope: str, mark: str) -> list[str]:
    """Everything a door can store, under one scope; the ids of it."""
    memories = found.memories
    rows = [
        memories.remember(f"抹茶 龙井茶 tea {mark}", scope=scope, title=f"茶 {mark}", tags=("茶",), context=mark),
        memories.remember(f"会議は三時 {mark}", scope=scope, thread="thread-1", kind="note", category="events"),
        memories.remember(f"我们的决定 {mark}", scope=f"{scope}:deep", session_id="session-1", topic="決定"),
    ]
    entity, _ = memories.observe("Jeff", "person", Draft(text=f"Jeff drinks {mark}", scope=scope))
    node = memories.upsert_node("concept", f"tea of {scope}", f"the ceremony {mark}")
    memories.relate(Ref("memory", rows[0].memory.id), Ref("entity", entity.id), "about")
    thread = memories.create_thread(f"thread {mark}")
    memories.remind(f"tea {mark}", f"buy tea {mark}", scope=scope)
    return [*(row.memory.id for row in rows), entity.id, node.id, thread.id]


def words(ids: list[str]) -> list[str]:
    known = ["抹茶", "龙井茶", "tea", "会議", "Jeff", "concept", "person", "thread-1", "session-1", "茶", "決定"]
    scopes = [OURS, THEIRS, "global", f"{OURS}:deep", f"{THEIRS}:deep", "c", "*", "", "all"]
    return [*known, *scopes, *ids, *(id[:8] for id in ids)]


def leaks(
    dispatcher: Dispatcher, visitor: Visitor, dice: random.Random, vocabulary: list[str], rounds: int
) -> list[str]:
    """The tools whose answers hold a mark, and what was asked."""
    found = []
    for _ in range(rounds):
        for tool in dispatcher.tools:
            asked = arguments(dice, tool.input_schema, vocabulary)
            told = dispatcher.answer(ToolCall(visitor, tool.name, asked))
            if any(mark in told.text or mark in repr(told.structured) for mark in MARKS):
                found.append(f"{tool.name} {asked}")
    return found


def stored(settings: Settings, mark: str) -> list[tuple[str, str]]:
    with app.opened(settings) as found:
        hits = found.memories.recall("", limit=10_000).hits
        return sorted((hit.memory.id, hit.memory.text) for hit in hits if mark in hit.memory.text)


@pytest.mark.parametrize("mark", MARKS)
def test_a_server_pinned_to_a_scope_never_shows_nor_changes_another(
    settings: Settings, dice: random.Random, attacks: Callable[[int, int], int], mark: str
) -> None:
    with app.opened(settings) as found:
        fill_scoped = app.opened(replace(settings, scope=THEIRS))
        with fill_scoped as theirs:
            ids = fill(theirs, THEIRS, mark)
        with app.opened(replace(settings, scope=OURS)) as ours:
            fill(ours, OURS, "ours")
        found.memories.recall("茶")
    before = stored(settings, mark)
    pinned = replace(settings, scope=OURS)
    with app.opened(pinned) as found:
        offered = app.tools(found.memories, pinned)
        dispatcher = Dispatcher(offered, OneWorkspace(workspace_of(offered, Sessions(app.utc_now))))
        assert leaks(dispatcher, Visitor(), dice, words(ids), attacks(12, 200)) == []
        for id in ids:  # an entry is described by no schema
            entry = {"kind": "note", "text": "上書き", "entry_id": id}
            told = dispatcher.answer(ToolCall(Visitor(), "chronica_save_entry", {"entry": entry}))
            assert not any(mark in told.text for mark in MARKS)
    assert stored(settings, mark) == before


#: What a scope can ask without ranking by words, whose rarity is that of the whole store.
UNRANKED: list[tuple[str, dict[str, Any]]] = [
    ("memory_stats", {}),
    ("search_memory", {"query": "没有 ない nothing", "scope": f"{OURS}:empty"}),
    ("SearchMemory", {"query": "", "search_type": "filtered", "score_threshold": 0, "limit": 100, "detail": "full"}),
    ("query_memory", {"mode": "list", "entityTypes": ["concept"]}),  # the time of Jeff's last change is not only ours
    ("query_memory", {"mode": "entity", "entityName": "Jeff"}),
    ("chronica_search", {}),
    ("chronica_timeline", {"start_time": "今年"}),
    ("chronica_get_last_seen", {"thread_type": "normal"}),
    ("chronica_compose_opening", {}),
    ("chronica_session_tick", {}),
    ("chronica_summarize", {"mode": "daily", "range_start": "今天", "range_end": "today", "thread_type": "normal"}),
    ("chronica_list_threads", {}),
    ("search_memory_graph", {"query": "", "top_k": 100}),
    ("forget_entity", {"entityName": "Jeff", "dryRun": True}),
    ("prune_stale_links", {"threshold": 0}),
]


@pytest.mark.parametrize("mark", MARKS)
def test_no_count_or_sentence_changes_when_only_another_scope_does(settings: Settings, mark: str) -> None:
    now = app.utc_now()
    pinned = replace(settings, scope=OURS)
    with app.opened(pinned, clock=lambda: now) as ours, app.opened(replace(settings, scope=THEIRS)) as theirs:
        with app.opened(settings) as everyone:
            fill(everyone, f"{OURS}:both", "ours")
            everyone.memories.observe("Jeff", "person", Draft(text=f"Jeff hides {mark}", scope=THEIRS))
        fill(ours, OURS, "ours")
        offered = app.tools(ours.memories, pinned)
        dispatcher = Dispatcher(offered, OneWorkspace(workspace_of(offered, Sessions(lambda: now))))

        def told() -> list[tuple[str, str, Any]]:
            answers = [(name, dispatcher.answer(ToolCall(Visitor(), name, asked))) for name, asked in UNRANKED]
            assert [(name, answer.text) for name, answer in answers if answer.is_error] == []
            return [(name, answer.text, answer.structured) for name, answer in answers]

        before = told()
        for number in range(9):
            fill(theirs, THEIRS, f"{mark} {number}")
        assert told() == before


@pytest.mark.parametrize("mark", MARKS)
def test_a_tenant_never_sees_nor_changes_another(
    settings: Settings, dice: random.Random, attacks: Callable[[int, int], int], mark: str
) -> None:
    other, own = app.tenant_settings(settings, "other"), app.tenant_settings(settings, "own")
    with app.opened(other) as found:
        ids = fill(found, "global", mark)
    before = stored(other, mark)

    @contextmanager
    def place(tenant: str) -> Iterator[Workspace]:
        mine = app.tenant_settings(settings, tenant)
        with app.opened(mine) as found:
            yield workspace_of(app.tools(found.memories, mine), Sessions(app.utc_now))

    tenants = Tenants(place, most=1)
    dispatcher = Dispatcher(app.tools_offered(settings), tenants)
    dice_words = words(ids)
    try:
        for tenant in ("own", "../other", "other/", "Other", "own"):
            assert leaks(dispatcher, Visitor("x", tenant), dice, dice_words, attacks(3, 40)) == []
            dispatcher.answer(ToolCall(Visitor("y", "other"), "search_memory", {"query": "茶"}))
    finally:
        tenants.close()
    assert stored(other, mark) == before
    assert stored(own, mark) == []
