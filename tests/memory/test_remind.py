"""Reminders are said once, in their own scope."""

import random
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from omoide.app import open_memories
from omoide.errors import InvalidArgument, NotFound
from omoide.memory import Memories
from omoide.memory.remind import Triggers
from omoide.model.reminder import PendingTrigger
from omoide.text import fold_name


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
        ("tea", "Who is in the team?", False),
        ("PR", "The project starts in April", False),
        ("AI", "メールをemailで送る", False),
        ("AI", "把AI的报告发给他", True),
        ("AI 報告", "ＡＩの報告書", True),
        ("10号", "去110号", False),
        ("10号", "下周去10号会议室", True),
        ("GPT-4", "how good is gpt-4o", True),
        ("Bob's visit", "when does Bob visit", True),
        ("Bob", "how is Bob’s cat", True),
        ("Bob", "Where is Bobby?", False),
        # Keyboards and phones write other apostrophes and hyphens.
        ("O’Brien", "o'brien called", True),
        ("O'Brien 会議", "O’Brienと会議", True),
        ("e-mail", "send an e\u2011mail", True),
        ("x–y 报告", "x-y的报告", True),
        # A letter with an accent is part of its word.
        ("Jos", "José is here", False),
        ("café", "two cafés in 京都", True),
        ("Docker設定", "Dockerの設定", False),
        ("Docker設定", "docker設定を見直す", True),
        ("deploy", "Are we deploying on Friday?", True),
        ("write tests", "I wrote a test for it", True),
        ("meetings", "明日のmeetingは何時", True),
        ("サーバー", "サーバが落ちた", True),
        ("サーバ", "サーバーが落ちた", True),
        ("エラー", "サーバーエラーが出た", True),
        ("コピー", "コピペした", False),
        ("サーバー", "サービスが終わった", False),
        # The punctuation of a trigger need not come up.
        ("リリース、本番", "本番へのリリース手順", True),
        ("リリース、本番", "リリースノート", False),
        ("「部署」，上线。", "上线以后的部署记录", True),
        ("deploy, staging!", "deploying to staging", True),
        ("10,000円", "10,000円の請求書", True),
        ("10,000円", "10円と000円", False),
        ("Node.js", "how to update node.js", True),
    ],
)
def test_every_word_of_the_trigger_must_come_up(memories: Memories, trigger: str, query: str, fires: bool) -> None:
    memories.remind(trigger, "check the dashboard", scope="global")
    assert bool(memories.due_reminders(query, scope="global")) is fires


@pytest.mark.parametrize("trigger", ["", " ", "　", "\u200b", "\x00", "。", "!?", "「」"])
def test_a_trigger_without_a_word_is_refused(memories: Memories, trigger: str) -> None:
    with pytest.raises(InvalidArgument, match="needs a trigger"):
        memories.remind(trigger, "带上报告", scope="global")
    assert memories.count_pending_reminders() == 0


@pytest.mark.parametrize("action", ["", " ", "　", "\u200b"])
def test_a_trigger_without_an_action_is_refused(memories: Memories, action: str) -> None:
    for trigger in ("健康診断", "体检", "check-up"):
        with pytest.raises(InvalidArgument, match="needs a trigger and an action"):
            memories.remind(trigger, action, scope="global")


def test_a_reminder_is_said_once(memories: Memories, clock: Any) -> None:
    kept = memories.remind("体检", "带上报告", scope="global")
    assert [each.action for each in memories.due_reminders("体检", scope="global")] == ["带上报告"]
    assert memories.due_reminders("体检", scope="global") == []
    with memories.store.read() as reader:
        assert reader.reminders() == [replace(kept, status="fired", fired_at=clock())]


def test_a_reminder_stays_in_its_scope(memories: Memories) -> None:
    memories.remind("体检", "带上报告", scope="family:me")
    assert memories.due_reminders("体检", scope="work") == []
    assert len(memories.due_reminders("体检", scope="family")) == 1


@pytest.mark.parametrize(
    ("trigger", "action"), [("健康診断", "資料を持っていく"), ("体检", "带上报告"), ("check-up", "bring the report")]
)
def test_a_process_pinned_to_a_scope_neither_keeps_nor_says_a_reminder_of_another(
    tmp_path: Path, clock: Any, trigger: str, action: str
) -> None:
    with open_memories(tmp_path / "store", clock=clock) as everywhere:
        everywhere.remind(trigger, action, scope="team:b")
        with open_memories(tmp_path / "store", clock=clock, scope="team:a") as ours:
            for elsewhere in ("team:b", "team"):
                with pytest.raises(InvalidArgument, match="outside of 'team:a'"):
                    ours.due_reminders(trigger, scope=elsewhere)
                with pytest.raises(InvalidArgument, match="outside of 'team:a'"):
                    ours.remind(trigger, action, scope=elsewhere)
            for here in ("team:a", "team:a:1", "global"):
                kept = ours.remind(trigger, action, scope=here)
                assert ours.due_reminders(trigger, scope=here) == [kept]
        assert [each.scope for each in everywhere.pending_reminders()] == ["team:b"]


@pytest.mark.parametrize("trigger", ["健康診断", "体检", "check-up"])
def test_a_process_pinned_to_a_scope_neither_sees_nor_calls_off_a_reminder_of_another(
    tmp_path: Path, clock: Any, trigger: str
) -> None:
    with open_memories(tmp_path / "store", clock=clock) as everywhere:
        kept = {scope: everywhere.remind(trigger, "資料", scope=scope) for scope in ("team", "team:a:1", "team:b")}
        with open_memories(tmp_path / "store", clock=clock, scope="team:a") as ours:
            for elsewhere in (kept["team"], kept["team:b"]):
                with pytest.raises(NotFound):
                    ours.pending_reminder(elsewhere.id)
                with pytest.raises(NotFound):
                    ours.call_off(elsewhere.id[:8])
            assert ours.call_off(kept["team:a:1"].id[:8]).status == "expired"
        assert everywhere.pending_reminders() == [kept["team"], kept["team:b"]]


@pytest.mark.parametrize("days", [1, 2])
def test_an_expired_reminder_is_silent(memories: Memories, clock: Any, days: int) -> None:
    memories.remind("健診", "予約する", scope="global", expires_in_days=1)
    clock.advance(days=days)
    assert memories.due_reminders("健診", scope="global") == []
    assert memories.due_reminders("健診", scope="global") == []
    with memories.store.read() as reader:
        assert reader.pending_triggers() == []


@pytest.mark.parametrize("trigger", ["健診", "体检", "check-up"])
def test_setting_the_same_reminder_again_keeps_one_that_lasts_as_long_as_was_said_last(
    memories: Memories, clock: Any, trigger: str
) -> None:
    first = memories.remind(trigger, "予約する", scope="global", expires_in_days=1)
    assert memories.remind(trigger, "予約する", scope="global", expires_in_days=3).id == first.id
    clock.advance(days=2)
    assert memories.remind(trigger, "予約する", scope="global").expires_at is None
    clock.advance(days=2)
    assert [each.id for each in memories.due_reminders(trigger, scope="global")] == [first.id]


@pytest.mark.parametrize(("trigger", "action"), [("健診", "予約する"), ("体检", "预约"), ("check-up", "book it")])
def test_blanks_around_a_trigger_or_an_action_make_no_other_reminder(
    memories: Memories, trigger: str, action: str
) -> None:
    first = memories.remind(f" {trigger}\u3000", action, scope="global")
    assert (first.trigger, first.action) == (trigger, action)
    assert memories.remind(trigger, f"{action}\n", scope="global").id == first.id
    assert [each.action for each in memories.due_reminders(trigger, scope="global")] == [action]


@pytest.mark.parametrize(
    ("first", "then"),
    [("旅行：京都", "旅行:京都"), ("项目:北京", "项目：北京"), ("ﾃﾞｰﾀ", "データ"), ("ｎｏｔｅｓ", "notes")],
)
def test_it_is_the_same_reminder_however_its_scope_is_written(memories: Memories, first: str, then: str) -> None:
    kept = memories.remind("会議", "資料を持つ", scope=first)
    assert memories.remind("会議", "資料を持つ", scope=then).id == kept.id
    below = memories.remind("会議", "資料を持つ", scope=f"{then}:三月")
    assert [each.id for each in memories.pending_reminders()] == [kept.id, below.id]


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
        ("旅行：京都", "旅行:京都", True, True),
        ("项目:北京", "项目：北京", True, True),
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


def test_a_reminder_that_cannot_be_read_keeps_no_other_from_being_said_set_or_named(
    tmp_path: Path, memories: Memories
) -> None:
    for day in range(5):
        memories.remind(f"体检{day}", f"带上报告 {day}", scope="family")
    with sqlite3.connect(tmp_path / "store" / "omoide.sqlite3") as spoiling:
        spoiling.execute("UPDATE reminders SET created_at = 'gestern' WHERE trigger != '体检3'")
    spoiling.close()
    kept = memories.remind("体检3", "带上报告 3", scope="family", expires_in_days=2)
    assert memories.pending_reminder(kept.id[:13]) == kept
    assert [each.action for each in memories.due_reminders("明天体检3", scope="family")] == ["带上报告 3"]


def test_reminders_that_nobody_has_marked_as_changed_are_said(tmp_path: Path, clock: Any) -> None:
    with open_memories(tmp_path, clock=clock) as memories:
        for trigger in ("健康診断", "体检", "check-up"):
            memories.remind(trigger, "带上报告", scope="global")
    with sqlite3.connect(tmp_path / "omoide.sqlite3") as raw:  # as an earlier omoide left it, or a repair
        raw.execute("DELETE FROM meta WHERE key = 'reminders'")
    raw.close()
    with open_memories(tmp_path, clock=clock) as memories:
        for question in ("来週の健康診断", "明天去体检", "a check-up"):
            assert len(memories.due_reminders(question, scope="global")) == 1
            assert memories.due_reminders(question, scope="global") == []


@pytest.mark.parametrize("seed", range(6))
def test_whatever_went_before_each_pending_reminder_that_a_question_has_is_said(memories: Memories, seed: int) -> None:
    dice = random.Random(seed)
    words = ("deploy", "staging", "健診", "体检", "ＡＢ", "ab c", "c")
    scopes = ("a", "a:b", "ab", "a:b:c")
    waiting: list[tuple[str, str]] = []
    for step in range(60):
        said = " ".join(dice.choices(words, k=dice.randint(1, 3)))
        scope = dice.choice(scopes)
        if step % 3 == 0:
            memories.remember(f"{said} {step}")
        elif step % 3 == 1:
            memories.remind(said, "気をつける", scope=scope)
            waiting += [(said, scope)] if (said, scope) not in waiting else []
        else:
            exactly, seen = dice.random() < 0.5, dice.choice((scope, None))
            due = [
                (trigger, home)
                for trigger, home in waiting
                if seen is None or home == seen or (not exactly and home.startswith(f"{seen}:"))
                if all(word in fold_name(said) for word in fold_name(trigger).split())
            ]
            found = memories.due_reminders(said, scope=seen, exactly=exactly)
            assert [(each.trigger, each.scope) for each in found] == due
            waiting = [each for each in waiting if each not in due]


def test_a_trigger_without_a_word_that_an_earlier_omoide_stored_never_fires() -> None:
    pending = [PendingTrigger("1", "global", "。"), PendingTrigger("2", "global", "茶")]
    assert Triggers(pending).triggered("お茶。", "global", False) == ["2"]
