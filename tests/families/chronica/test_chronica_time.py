"""Timeline, last seen, opening, tick, summary and threads, over real memories."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from omoide.app import open_memories
from omoide.families.chronica import Options, tools
from omoide.families.chronica.translate import MOST_IN_A_SUMMARY
from omoide.families.tool import Result
from omoide.memory import Memories
from omoide.model.memory import Draft
from tests.families.calling import as_served

Call = Callable[..., Result]
TOKYO = ZoneInfo("Asia/Tokyo")


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=TOKYO)


@pytest.fixture
def diary(memories: Memories) -> None:
    """Six memories from March to noon of 2025-11-21, two of them in thread t1."""
    rows: list[dict[str, Any]] = [
        {"id": "march", "text": "三月的记录", "stored_at": day("2025-03-31T23:59:59.500")},
        {"id": "april", "text": "四月のはじめ", "stored_at": day("2025-04-01T00:00")},
        {"id": "week", "text": "last week", "stored_at": day("2025-11-12T09:00"), "kind": "event"},
        {"id": "work", "text": "保存先は？", "kind": "question", "thread_type": "project", "project": "Lumina"},
        {"id": "home", "text": "買い物\n" + "あ" * 200, "thread": "t1", "stored_at": day("2025-11-20T12:00")},
        {"id": "plan", "text": "计划", "thread": "t1", "thread_type": "project", "kind": "action"},
    ]
    times = {"work": day("2025-11-19T12:00"), "plan": day("2025-11-21T10:30")}
    memories.remember_many(Draft(**{"stored_at": times.get(row["id"]), **row}) for row in rows)


def ids(result: Result) -> list[str]:
    assert not result.is_error, result.text
    return [each["entry_id"] for each in (result.structured or {})["entries"]]


@pytest.mark.usefixtures("diary")
@pytest.mark.requirement("chronica.timeline")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ["march", "april", "week", "work", "home", "plan"]),
        ({"start_time": "2025-03-01", "end_time": "2025-03-31"}, ["march"]),
        ({"start_time": "2025-04"}, ["april", "week", "work", "home", "plan"]),
        ({"end_time": "2025年4月1日"}, ["march", "april"]),
        ({"end_time": "2025-03-31T14:59:59Z"}, ["march"]),
        ({"end_time": "2025-03-31T23:59:59"}, ["march"]),
        ({"start_time": "先週", "end_time": "昨日"}, ["week", "work", "home"]),
        ({"start_time": "上周", "end_time": "昨天"}, ["week", "work", "home"]),
        ({"start_time": "last week", "end_time": "yesterday"}, ["week", "work", "home"]),
        ({"thread_id": "t1"}, ["home", "plan"]),
        ({"thread_id": "t1", "thread_type": "project"}, ["home", "plan"]),
        ({"thread_type": "project"}, ["work", "plan"]),
        ({"kind": "event"}, ["week"]),
        ({"limit": 2}, ["march", "april"]),
    ],
)
def test_a_timeline_lists_a_span_of_time_oldest_first(
    call: Call, arguments: dict[str, Any], expected: list[str]
) -> None:
    assert ids(call("chronica_timeline", **arguments)) == expected


@pytest.mark.requirement("chronica.timeline")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"start_time": "2025-11-21T09:00:00.500000+09:00"}, ["五", "nine"]),
        ({"end_time": "2025-11-21T00:00:00.5Z"}, ["一", "五"]),
        ({"start_time": "2025-11-21 09:00:00,2", "end_time": "20251121T090000.500+0900"}, ["五"]),
        ({"start_time": "2025-11-21T09:00:00+09:00"}, ["一", "五", "nine"]),
        ({"start_time": "2025.11.21", "end_time": "2025.11.21"}, ["一", "五", "nine"]),
    ],
)
def test_entries_of_one_second_are_told_apart(
    memories: Memories, call: Call, arguments: dict[str, Any], expected: list[str]
) -> None:
    tenths = {"一": 1, "五": 5, "nine": 9}
    times = {text: day(f"2025-11-21T09:00:00.{tenth}00") for text, tenth in tenths.items()}
    memories.remember_many(Draft(id=text, text=text, stored_at=time) for text, time in times.items())
    assert ids(call("chronica_timeline", **arguments)) == expected


@pytest.mark.requirement("chronica.timeline")
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (
            {"start_time": "2025-04-02", "end_time": "2025-04-01"},
            "invalid_range",
            "start_time (2025-04-02) comes after end_time (2025-04-01). Swap",
        ),
        (
            {"start_time": "2025-04-01T09:00:00.5Z", "end_time": "2025-04-01T09:00:00.4Z"},
            "invalid_range",
            "start_time (2025-04-01T09:00:00.5Z) comes after end_time",
        ),
        ({"start_time": "明日", "end_time": "昨日の朝"}, "invalid_range", "入れ替えるか"),
        ({"start_time": "昨日まで"}, "invalid_range", "始まりがありません"),
        ({"end_time": "自从昨天"}, "invalid_range", "没有说明到何时结束"),
        ({"start_time": "いつか"}, "invalid_range", "いつか"),
        ({"end_time": "某天"}, "invalid_range", "某天"),
        ({"end_time": "someday"}, "invalid_range", "someday"),
        ({"limit": -1}, "validation_error", "limit must be 0 or more"),
    ],
)
def test_a_timeline_that_cannot_be_is_refused(call: Call, arguments: dict[str, Any], code: str, said: str) -> None:
    result = call("chronica_timeline", **arguments)
    assert result.is_error
    answer = json.loads(result.text)
    assert (answer["error"], said in answer["message"]) == (code, True), answer


@pytest.mark.usefixtures("diary")
@pytest.mark.requirement("chronica.timeline", "chronica.search.unknown")
def test_a_timeline_names_arguments_it_does_not_know(call: Call) -> None:
    answer = call("chronica_timeline", since="先週", limit=1).structured or {}
    assert answer["warnings"] == [
        "unknown argument 'since' was not used; known: start_time, end_time, thread_id, thread_type, kind, limit"
    ]


@pytest.mark.usefixtures("diary")
@pytest.mark.requirement("chronica.last-seen")
def test_the_last_saved_time_of_a_type_is_told(call: Call) -> None:
    said = call("chronica_get_last_seen", thread_type="project")
    assert said.text == '{"last_seen_time": "2025-11-21T10:30:00+09:00"}'
    assert call("chronica_get_last_seen", thread_type="normal").structured == {
        "last_seen_time": "2025-11-20T12:00:00+09:00"
    }


@pytest.mark.requirement("chronica.last-seen")
def test_nothing_was_last_seen_in_an_empty_store(call: Call) -> None:
    assert call("chronica_get_last_seen", thread_type="normal").text == '{"last_seen_time": null}'


@pytest.mark.usefixtures("diary")
@pytest.mark.requirement("chronica.opening.entries")
def test_an_opening_shows_the_newest_project_entries(call: Call) -> None:
    said = call("chronica_compose_opening").structured or {}
    assert [each["entry_id"] for each in said["recent"]] == ["plan", "work"]
    assert [each["entry_id"] for each in said["open"]] == ["plan", "work"]
    mine = call("chronica_compose_opening", project="Lumina", thread_id="t1").structured or {}
    assert [each["entry_id"] for each in mine["recent"]] == ["work"]
    assert "- 2日前 [question] 保存先は？\n" in mine["text"]


@pytest.mark.usefixtures("diary")
@pytest.mark.requirement("chronica.tick")
@pytest.mark.parametrize(
    ("language", "arguments", "expected"),
    [
        ("ja", {}, ("秋", "昼", "1時間ほど前", "计划")),
        ("en", {}, ("autumn", "day", "about an hour ago", "计划")),
        ("zh", {"thread_id": "t1"}, ("秋天", "白天", "约1小时前", "计划")),
        ("ja", {"thread_id": "none"}, ("秋", "昼", "初回", None)),
    ],
)
def test_a_tick_tells_the_moment_and_the_last_topic(
    door: Callable[..., Call], language: str, arguments: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    said = door(language=language)("chronica_session_tick", **arguments).structured
    keys = ("now_local", "season", "time_of_day", "since_last_memory", "last_topic_preview")
    assert said == dict(zip(keys, ("2025-11-21 12:00:00", *expected), strict=True))


@pytest.mark.requirement("chronica.tick")
def test_a_tick_previews_120_characters_with_their_line_breaks(memories: Memories, call: Call) -> None:
    memories.remember("買い物\n" + "あ" * 200)
    preview = (call("chronica_session_tick").structured or {})["last_topic_preview"]
    assert preview == "買い物\n" + "あ" * 116


@pytest.mark.requirement("chronica.summarize.range")
def test_a_summary_takes_in_the_whole_range(memories: Memories, call: Call) -> None:
    saved = day("2025-11-20T08:00")
    memories.remember_many(Draft(text=f"記録 {number}", id=f"m{number}", stored_at=saved) for number in range(130))
    memories.remember("today's entry")
    asked = {"mode": "daily", "range_start": "昨日", "range_end": "2025-11-20", "thread_type": "normal"}
    made = call("chronica_summarize", **asked).structured or {}
    assert made["meta"]["stats"] == {"total_entries": 130, "by_kind": {"note": 130}}
    assert made["meta"]["range"] == {"start": "昨日", "end": "2025-11-20"}
    assert [item["entry_id"] for item in made["timeline_items"][:2]] == ["m0", "m1"]


@pytest.mark.requirement("chronica.summarize.errors")
@pytest.mark.parametrize(
    ("changed", "code", "said"),
    [
        ({"mode": "monthly"}, "invalid_range", "mode must be 'daily', 'weekly', or 'decision', got: monthly"),
        ({"range_end": None}, "invalid_range", "mode, range_start, range_end, and thread_type are required"),
        ({"thread_type": "作業"}, "invalid_thread", "thread_type must be 'normal' or 'project', got: 作業"),
        ({"range_start": 3}, "validation_error", "range_start: 3 is not of type 'string'"),
    ],
)
def test_a_summary_that_was_not_asked_for_in_full_is_refused(
    memories: Memories, changed: dict[str, Any], code: str, said: str
) -> None:
    whole = {"mode": "daily", "range_start": "今日", "range_end": "今日", "thread_type": "normal"}
    asked = {name: value for name, value in {**whole, **changed}.items() if value is not None}
    result = as_served(tools(memories, Options()))("chronica_summarize", **asked)
    assert json.loads(result.text) == {"error": code, "message": said}


@pytest.mark.usefixtures("diary")
@pytest.mark.requirement("chronica.timeline", "chronica.summarize.pack")
@pytest.mark.parametrize(
    "more",
    [
        {"project": "Lumina"},
        {"project": ["旅"]},
        {"tags": ["買い物"]},
        {"tags": 5},
        {"tags": ["工作", 5]},
        {"entry_id": "plan"},
    ],
)
def test_an_argument_of_another_tool_is_told_as_unused_and_is_not_used(call: Call, more: dict[str, Any]) -> None:
    listed = call("chronica_timeline", **more)
    assert ids(listed) == ids(call("chronica_timeline"))
    (warning,) = (listed.structured or {})["warnings"]
    assert warning.startswith(f"unknown argument '{next(iter(more))}' was not used")
    asked = {"mode": "weekly", "range_start": "2025", "range_end": "2025", "thread_type": "project"}
    assert call("chronica_summarize", **asked, **more).structured == call("chronica_summarize", **asked).structured
    for name, value in {"kind": "event", "thread_id": 5, "limit": "多い"}.items():
        assert (
            call("chronica_summarize", **asked, **{name: value}).structured
            == call("chronica_summarize", **asked).structured
        )


@pytest.mark.requirement("chronica.summarize.errors")
@pytest.mark.parametrize(("start", "end"), [("", "今日"), ("今日", " "), ("明日", "昨日")])
def test_a_summary_needs_a_range_that_can_be(call: Call, start: str, end: str) -> None:
    result = call("chronica_summarize", mode="weekly", range_start=start, range_end=end, thread_type="normal")
    assert json.loads(result.text)["error"] == "invalid_range"


@pytest.mark.requirement("chronica.summarize.range")
def test_a_range_with_more_than_anybody_reads_is_refused_and_says_how_many(memories: Memories) -> None:
    saved = day("2025-11-20T08:00")
    memories.remember_many(Draft(text=f"記録 {number}", stored_at=saved) for number in range(MOST_IN_A_SUMMARY + 1))
    served = as_served(tools(memories, Options()))

    def asked(start: str, end: str) -> Result:
        return served("chronica_summarize", mode="daily", range_start=start, range_end=end, thread_type="normal")

    said = "The range holds 10,001 entries; a summary takes at most 10,000. Ask for a shorter range."
    for words, note in (("yesterday", ""), ("きのう", "10,001 件"), ("昨天", "10,001 条")):
        refused = asked(words, words)
        assert (refused.is_error, json.loads(refused.text)) == (True, {"error": "result_too_large", "message": said})
        assert note in refused.note
    memories.forget(memories.recall("記録 0", limit=1).hits[0].memory.id)
    assert (asked("昨日", "昨日").structured or {})["meta"]["stats"]["total_entries"] == MOST_IN_A_SUMMARY


@pytest.mark.requirement("chronica.threads")
def test_threads_are_listed_newest_first_and_shown_alone(memories: Memories, call: Call, clock: Any) -> None:
    assert call("chronica_list_threads").structured == {"threads": []}
    old = memories.create_thread("設計", "project", id="t1")
    clock.advance(minutes=1)
    memories.create_thread("购物", id="t2")
    memories.remember("一件目", thread="t1", thread_type="project")
    shown = {
        "thread_id": "t1",
        "thread_name": "設計",
        "thread_type": "project",
        "created_at": "2025-11-21T12:00:00+09:00",
        "updated_at": "2025-11-21T12:00:00+09:00",
        "entry_count": 1,
    }
    listed = (call("chronica_list_threads").structured or {})["threads"]
    assert [each["thread_id"] for each in listed] == ["t2", old.id]
    assert call("chronica_list_threads", thread_type="project").structured == {"threads": [shown]}
    assert call("chronica_get_thread_info", thread_id="t1").structured == shown


@pytest.mark.requirement("chronica.threads")
@pytest.mark.parametrize(
    ("thread_id", "said"),
    [
        ("5f0c", {"error": "not_found", "message": "Thread 5f0c not found"}),
        ("", {"error": "validation_error", "message": "thread_id is required"}),
    ],
)
def test_a_thread_that_is_not_there_is_named(call: Call, thread_id: str, said: dict[str, str]) -> None:
    result = call("chronica_get_thread_info", thread_id=thread_id)
    assert (result.is_error, json.loads(result.text)) == (True, said)


@pytest.mark.usefixtures("diary")
@pytest.mark.requirement("chronica.scope")
def test_a_pinned_door_tells_nothing_of_other_scopes(door: Callable[..., Call]) -> None:
    pinned = door(scope="elsewhere")
    assert ids(pinned("chronica_timeline")) == []
    assert (pinned("chronica_get_last_seen", thread_type="project").structured or {})["last_seen_time"] is None
    assert (pinned("chronica_compose_opening").structured or {})["recent"] == []
    assert (pinned("chronica_session_tick").structured or {})["last_topic_preview"] is None
    asked = {"mode": "daily", "range_start": "2025", "range_end": "2025", "thread_type": "project"}
    assert (pinned("chronica_summarize", **asked).structured or {})["timeline_items"] == []


@pytest.mark.requirement("chronica.event.anchor")
@pytest.mark.parametrize(
    ("zone", "saved", "raw", "resolved"),
    [
        ("America/New_York", None, "来週", "2026-03-09T00:00:00-04:00"),
        ("America/New_York", "2026-03-07T22:30:00-05:00", "下个月", "2026-04-01T00:00:00-04:00"),
        ("America/New_York", "2026-03-07", "next Monday", "2026-03-09T00:00:00-04:00"),
        ("America/New_York", "2026-11-03T10:00:00", "last month", "2026-10-01T00:00:00-04:00"),
        ("America/New_York", "2026-03-07T22:30:00+09:00", "来週", "2026-03-09T00:00:00+09:00"),
        ("Pacific/Auckland", "2026-04-05T09:00:00+12:00", "yesterday", "2026-04-04T00:00:00+13:00"),
        ("Asia/Shanghai", "2026-03-07T22:30:00+08:00", "下周", "2026-03-09T00:00:00+08:00"),
    ],
)
def test_the_day_of_an_event_is_shown_as_it_is_where_the_clock_changes_in_between(
    tmp_path: Path, clock: Any, zone: str, saved: str | None, raw: str, resolved: str
) -> None:
    clock.now = datetime.fromisoformat("2026-03-08T06:30:00+00:00")
    with open_memories(tmp_path / "store", clock=clock, zone=ZoneInfo(zone)) as memories:
        call = as_served(tools(memories, Options()))
        given = {} if saved is None else {"saved_time": saved}
        call("chronica_save_entry", entry={"kind": "event", "text": raw, "event_time": {"raw": raw}, **given})
        (entry,) = (call("chronica_search").structured or {})["entries"]
    assert entry["event_time"]["resolved"] == resolved
