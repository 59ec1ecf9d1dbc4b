"""Reminders are said once, in their own scope."""

from typing import Any

import pytest

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
