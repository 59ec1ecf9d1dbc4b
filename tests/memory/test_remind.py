"""Reminders are said once, in their own scope."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from omoide.app import open_memories
from omoide.errors import InvalidArgument, NotFound
from omoide.memory import Memories


@pytest.mark.parametrize(
    ("trigger", "query", "fires"),
    [
        ("deployment", "We need to do a deployment today", True),
        ("deployment", "Let me review the code changes", False),
        ("deploy staging", "staging is where we deploy", True),
        ("deploy staging", "deploy to production", False),
        ("健康診断", "来週の健康診断の準備", True),
        ("体检", "明天去体检", True),
        ("体检", "明天去上班", False),
        ("ＤＥＰＬＯＹ", "deploy", True),
    ],
)
def test_every_word_of_the_trigger_must_come_up(memories: Memories, trigger: str, query: str, fires: bool) -> None:
    memories.remind(trigger, "check the dashboard", scope="global")
    assert bool(memories.due_reminders(query, scope="global")) is fires


def test_a_reminder_is_said_once(memories: Memories) -> None:
    memories.remind("体检", "带上报告", scope="global")
    assert [each.action for each in memories.due_reminders("体检", scope="global")] == ["带上报告"]
    assert memories.due_reminders("体检", scope="global") == []


def test_a_reminder_stays_in_its_scope(memories: Memories) -> None:
    memories.remind("体检", "带上报告", scope="family:me")
    assert memories.due_reminders("体检", scope="work") == []
    assert len(memories.due_reminders("体检", scope="family")) == 1


def test_an_expired_reminder_is_silent(memories: Memories, clock: Any) -> None:
    memories.remind("健診", "予約する", scope="global", expires_in_days=1)
    clock.advance(days=2)
    assert memories.due_reminders("健診", scope="global") == []
    assert memories.due_reminders("健診", scope="global") == []


def test_setting_the_same_reminder_again_keeps_one(memories: Memories) -> None:
    first = memories.remind("健診", "予約する", scope="global")
    assert memories.remind("健診", "予約する", scope="global").id == first.id


@pytest.mark.parametrize("rounds", range(3))
def test_of_many_searches_at_once_one_alone_says_it(memories: Memories, rounds: int) -> None:
    memories.remind("体检", f"带上报告 {rounds}", scope="global")
    start = threading.Barrier(8)

    def search(_: int) -> list[str]:
        start.wait()
        return [each.action for each in memories.due_reminders("明天体检", scope="global")]

    with ThreadPoolExecutor(8) as pool:
        said = [action for actions in pool.map(search, range(8)) for action in actions]
    assert said == [f"带上报告 {rounds}"]


def test_two_processes_on_one_store_say_it_once(tmp_path: Path, clock: Any) -> None:
    with open_memories(tmp_path, clock=clock) as one, open_memories(tmp_path, clock=clock) as other:
        one.remind("健診", "予約する", scope="global")
        said = [each.action for opened in (other, one, other) for each in opened.due_reminders("健診", scope="global")]
    assert said == ["予約する"]


@pytest.mark.parametrize(
    ("kept_in", "asked", "exactly", "fires"),
    [
        ("project:a", "project:a", True, True),
        ("project:a:b", "project:a", True, False),
        ("project:a:b", "project:a", False, True),
        ("project:ab", "project:a", False, False),
        ("anywhere", None, False, True),
    ],
)
def test_a_scope_is_meant_alone_or_with_what_is_under_it(
    memories: Memories, kept_in: str, asked: str | None, exactly: bool, fires: bool
) -> None:
    memories.remind("体检", "带上报告", scope=kept_in)
    assert bool(memories.due_reminders("体检", scope=asked, exactly=exactly)) is fires


def test_a_reminder_that_is_called_off_stays_silent(memories: Memories) -> None:
    kept = memories.remind("体检", "带上报告", scope="global")
    assert [each.id for each in memories.pending_reminders()] == [kept.id]
    assert memories.call_off(kept.id[:8]).status == "expired"
    assert memories.due_reminders("体检", scope="global") == []
    assert memories.pending_reminders() == []
    with pytest.raises(NotFound):
        memories.call_off(kept.id)


def test_a_reminder_whose_id_another_begins_with_is_named_by_it(memories: Memories) -> None:
    kept = memories.remind("体检", "带上报告", scope="global")
    with memories.store.write() as writer:
        writer.put_reminder(replace(kept, id="体检-2026年春"))
        writer.put_reminder(replace(kept, id="体检-2026年春-二"))
    assert memories.pending_reminder("体检-2026年春").id == "体检-2026年春"
    with pytest.raises(InvalidArgument, match="Several reminders"):
        memories.pending_reminder("体检-2026年")


@pytest.mark.parametrize("days", [10**9, 10**12, 3_000_000])
def test_a_reminder_cannot_outlast_the_calendar(memories: Memories, days: int) -> None:
    with pytest.raises(InvalidArgument, match="after the year 9999"):
        memories.remind("健康診断", "予約する", scope="global", expires_in_days=days)
    assert memories.pending_reminders() == []
