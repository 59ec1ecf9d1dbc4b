"""Entries: what is stored of one, what is shown, what is refused. No store needed."""

from datetime import datetime, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from omoide.dates import Moment
from omoide.errors import InvalidArgument
from omoide.families.chronica import entry as entries
from omoide.families.chronica import saved_time, wire
from omoide.families.chronica.event import resolve
from omoide.families.chronica.options import Options
from omoide.families.tool import Caller
from omoide.model.memory import Draft, EventTime, Memory
from omoide.text.detect import language_of

TOKYO = ZoneInfo("Asia/Tokyo")
NOW = datetime(2025, 11, 21, 3, 0, tzinfo=timezone.utc)


def of(sent: dict[str, Any]) -> entries.Entry:
    moment, threads = Moment(NOW, TOKYO), {"仕事": "project", "日常": "normal", "ours": "diary"}
    return entries.translate(
        sent, Caller("s-1"), moment, Options(), lambda text: language_of(text, None) or "en", threads.get
    )


def translate(**sent: Any) -> entries.Entry:
    return of({"kind": "note", "text": "本文", **sent})


def draft(**sent: Any) -> Draft:
    return translate(**sent).draft


@pytest.mark.requirement("chronica.save.fields")
def test_an_entry_becomes_a_memory_field_by_field() -> None:
    sent = {
        "entry_id": "e-1",
        "version": "0.2",
        "saved_time": "2026-03-18T21:00:00.123456+09:00",
        "thread": {"type": "project", "id": "t-1", "name": "設計"},
        "kind": "decision",
        "text": "保存先はSQLiteに決めた",
        "tags": ["設計", "DB"],
        "title": "保存先の決定",
        "project": "Lumina",
        "links": {"source": "chat", "refs": ["a", {"url": "b"}]},
    }
    made = of(sent)
    assert made.warnings == []
    assert made.draft == Draft(
        id="e-1",
        text="保存先はSQLiteに決めた",
        title="保存先の決定",
        kind="decision",
        tags=("設計", "DB"),
        thread="t-1",
        thread_type="project",
        thread_name="設計",
        project="Lumina",
        session_id="s-1",
        tool="chronica_save_entry",
        stored_at=datetime(2026, 3, 18, 12, 0, 0, 123456, tzinfo=timezone.utc),
        links_source="chat",
        links_refs=("a", {"url": "b"}),
        extra={"version": "0.2", "saved_time": "2026-03-18T21:00:00.123456+09:00"},
    )


@pytest.mark.requirement("chronica.save.lenient")
@pytest.mark.parametrize(
    ("sent", "field", "value", "warning"),
    [
        ({"thread": "project"}, "thread_type", "project", None),
        ({"thread": None}, "thread_type", "normal", None),
        ({"thread": {"thread_id": "t"}}, "thread", "t", None),
        ({"thread": {"id": "仕事"}}, "thread_type", "project", None),
        ({"thread": {"id": " 仕事 ", "type": ""}}, "thread_type", "project", None),
        ({"thread": {"id": "仕事", "type": "normal"}}, "thread_type", "normal", None),
        ({"thread": {"thread_id": "日常"}}, "thread_type", "normal", None),
        ({"thread": {"id": "ours"}}, "thread_type", "normal", None),
        ({"thread": {"type": "作業"}}, "thread_type", "normal", "'作業' is neither 'normal' nor 'project'"),
        ({"tags": None}, "tags", (), None),
        ({"tags": "仕事"}, "tags", ("仕事",), None),
        ({"tags": "仕事,会議、 来週"}, "tags", ("仕事", "会議", "来週"), None),
        ({"tags": "工作，会议；，下周"}, "tags", ("工作", "会议", "下周"), None),
        ({"tags": "work; meeting､1・2"}, "tags", ("work", "meeting", "1・2"), None),
        ({"tags": "、　"}, "tags", (), None),
        ({"tags": ["工作", 2026, ""]}, "tags", ("工作", "2026"), None),
        ({"tags": [" 仕事", "仕事", "　", "工作 ", "work"]}, "tags", ("仕事", "工作", "work"), None),
        ({"tags": "仕事、仕事"}, "tags", ("仕事",), None),
        ({"tags": ["工作", "\u200b"]}, "tags", ("工作",), None),
        ({"tags": {"a": 1}}, "tags", (), "entry.tags is not a list of strings: it was not used."),
        ({"links": None}, "links_refs", (), None),
        ({"links": {"refs": "a"}}, "links_refs", ("a",), None),
        ({"links": {"refs": None}}, "links_refs", (), None),
        ({"links": {"refs": ""}}, "links_refs", (), None),
        ({"links": ["a"]}, "links_refs", (), "entry.links is not an object: it was not used."),
        ({"event_time": None}, "event_time", None, None),
        (
            {"event_time": "18日頃かな"},
            "event_time",
            EventTime("18日頃かな"),
            "entry.event_time.raw「18日頃かな」は日付として理解できません。言葉だけを残し、日付は付けていません。",
        ),
        (
            {"event_time": "2月30日"},
            "event_time",
            EventTime("2月30日"),
            "无法将 entry.event_time.raw“2月30日”理解为日期：只保留了原文，没有日期。",
        ),
        (
            {"event_time": "2月30日", "text": "結婚記念日のお祝い"},
            "event_time",
            EventTime("2月30日"),
            "entry.event_time.raw「2月30日」は日付として理解できません。",
        ),
        *(
            ({"event_time": raw}, "event_time", resolve(raw, Moment(NOW, TOKYO)), None)
            for raw in ("来年以降", "明年以前", "until 2027")
        ),
        ({"event_time": {"raw": ["昨日"]}}, "event_time", None, "entry.event_time.raw is not text: it was not used."),
        ({"saved_time": "auto"}, "stored_at", NOW, None),
        ({"saved_time": ""}, "stored_at", NOW, None),
        ({"text": 42}, "text", "42", None),
        ({"text": 0}, "text", "0", None),
        ({"entry_id": 0}, "id", "0", None),
        ({"title": 0.0}, "title", "0.0", None),
        ({"project": 0}, "project", "0", None),
        ({"thread": {"id": 0, "name": "設計"}}, "thread", "0", None),
        ({"thread": {"id": False, "thread_id": 0}}, "thread", "0", None),
        ({"entry_id": "　"}, "id", None, None),
        ({"title": " "}, "title", None, None),
        ({"thread": {"id": " ", "thread_id": "线程"}}, "thread", "线程", None),
        (
            {"thread": {"id": "t", "颜色": "红"}},
            "thread",
            "t",
            "entry.thread.颜色 was not used. entry.thread knows: type, id,",
        ),
        ({"links": {"refs": ["a"], "kind": "url"}}, "links_refs", ("a",), "entry.links.kind was not used."),
        (
            {"event_time": {"raw": "yesterday", "zone": "JST"}},
            "event_time",
            resolve("yesterday", Moment(NOW, TOKYO)),
            "entry.event_time.zone was not",
        ),
        (
            {"event_time": {"raw": "x", "resolved": "", "confidence": 1}},
            "event_time",
            EventTime("x"),
            "entry.event_time.raw 'x' is not a date I understand: its words are kept, without a day.",
        ),
        ({"気分": "上々"}, "extra", {"気分": "上々"}, "entry.気分 is not a field of an entry: it is kept"),
    ],
)
def test_what_is_left_open_or_sent_otherwise_is_understood_or_named(
    sent: dict[str, Any], field: str, value: Any, warning: str | None
) -> None:
    made = translate(**sent)
    assert getattr(made.draft, field) == value
    assert [each for each in made.warnings if warning is None or warning not in each] == []
    assert bool(made.warnings) is (warning is not None)


@pytest.mark.requirement("chronica.save.lenient")
@pytest.mark.parametrize(
    ("sent", "warning"),
    [
        (
            {"text": "会議のメモ", "気分": "上々"},
            "表示も検索もされません。使える項目：version, entry_id, saved_time, thread, kind, text, tags, title, project, "
            "event_time, links。",
        ),
        ({"text": "会議のメモ", "thread": {"type": "作業"}}, "normal として保存しました。"),
        ({"text": "会議のメモ", "tags": {"a": 1}}, "entry.tags は文字列の配列ではないため、使われませんでした。"),
        (
            {"title": "会議のメモ", "text": "A4", "links": "a"},
            "entry.links はオブジェクトではないため、使われませんでした。",
        ),
        ({"text": "会议记录", "links": ["a"]}, "entry.links 不是对象，未被使用。"),
        (
            {"text": "會議記錄", "links": {"refs": [], "kind": "url"}},
            "entry.links.kind 未被使用。entry.links 可用的有：source, refs。",
        ),
        ({"text": "会议记录", "event_time": {"raw": ["昨天"]}}, "entry.event_time.raw 不是文本，未被使用。"),
    ],
)
def test_what_was_not_used_is_told_in_the_language_of_the_entry_too(sent: dict[str, Any], warning: str) -> None:
    (said,) = translate(**sent).warnings
    (english,) = translate(**{**sent, "title": "", "text": "a note"}).warnings
    assert said.startswith(f"{english} ")
    assert said.endswith(warning)


@pytest.mark.requirement("chronica.save.errors")
@pytest.mark.parametrize(
    ("sent", "code", "message"),
    [
        ({}, "internal_error", "entry is required"),
        ({"text": "a"}, "validation_error", "entry.kind is required"),
        ({"kind": "", "text": "a"}, "validation_error", "entry.kind is required"),
        ({"kind": "note"}, "validation_error", "entry.text is required"),
        ({"kind": "note", "text": "　\n"}, "validation_error", "entry.text is required"),
        ({"kind": "note", "text": ["a"]}, "validation_error", "entry.text must be a string. Send plain text."),
        ({"kind": "note", "text": "a", "title": {"ja": "a"}}, "validation_error", "entry.title must be a string"),
        ({"kind": "note", "text": True}, "validation_error", "entry.text must be a string"),
        (
            {"kind": "note", "text": "会议", "links": {"source": ["a"]}},
            "validation_error",
            "entry.links.source must be",
        ),
        ({"kind": "note", "text": "会議", "thread": {"id": {"a": 1}}}, "validation_error", "entry.thread.id must be"),
        (
            {"kind": "note", "text": "会議は三時", "tags": ["仕事", ["会議"]]},
            "validation_error",
            "entry.tags[1] must be a string, not ['会議']. Send a flat list",
        ),
        ({"kind": "note", "text": "会议", "tags": [{"a": 1}]}, "validation_error", "entry.tags[0] must be a string"),
        (
            {"kind": "note", "text": "a", "saved_time": "昨日"},
            "validation_error",
            "entry.saved_time '昨日' is not a date",
        ),
        ({"kind": "note", "text": "a", "saved_time": "0001-01-01T00:00:00Z"}, "validation_error", "is not a date"),
    ],
)
def test_an_entry_that_cannot_be_saved_is_refused_with_its_code(sent: dict[str, Any], code: str, message: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        of(sent)
    result = wire.refused(refusal.value, "save_error")
    assert result.is_error
    assert f'{{"error": "{code}", "message": "' in result.text
    assert message in result.text


@pytest.mark.requirement("chronica.shown.saved-time")
@pytest.mark.parametrize(
    ("text", "kept", "instant"),
    [
        ("2026-03-18T21:00:00+09:00", "2026-03-18T21:00:00+09:00", "2026-03-18T12:00:00+00:00"),
        ("2026-03-18T12:00:00Z", "2026-03-18T12:00:00Z", "2026-03-18T12:00:00+00:00"),
        ("2026-03-18T12:00:00.5Z", "2026-03-18T12:00:00.5Z", "2026-03-18T12:00:00.500000+00:00"),
        ("2026-03-18T21:00:00", "2026-03-18T21:00:00+09:00", "2026-03-18T12:00:00+00:00"),
        ("2026-03-18", "2026-03-18T00:00:00+09:00", "2026-03-17T15:00:00+00:00"),
    ],
)
def test_a_saved_time_keeps_the_offset_it_was_given(text: str, kept: str, instant: str) -> None:
    made = draft(saved_time=text)
    assert made.stored_at is not None
    assert made.stored_at.astimezone(timezone.utc).isoformat() == instant
    assert made.extra == {"saved_time": kept}


@pytest.mark.requirement("chronica.shown.saved-time")
@pytest.mark.parametrize("text", ["", "auto", "2025-11-21", "2025-11-21T03:00:00", "2025-11-21T03:00:01Z", "9999-99"])
def test_a_text_that_does_not_name_the_stored_instant_is_not_shown_for_it(text: str) -> None:
    assert not saved_time.names(text, NOW)
    foreign = Memory(id="m", number=1, text="a", stored_at=NOW, updated_at=NOW, extra={"saved_time": text})
    assert wire.entry(foreign, TOKYO)["saved_time"] == "2025-11-21T12:00:00+09:00"


def stored(**fields: Any) -> Memory:
    return Memory(**{"id": "e-1", "number": 1, "text": "本文", "stored_at": NOW, "updated_at": NOW, **fields})


@pytest.mark.requirement("chronica.shown.entry", "chronica.shown.foreign")
@pytest.mark.parametrize(
    ("memory", "shown"),
    [
        (
            stored(),
            {
                "version": "0.1",
                "entry_id": "e-1",
                "saved_time": "2025-11-21T12:00:00+09:00",
                "thread": {"type": "normal"},
                "kind": "note",
                "text": "本文",
                "tags": [],
                "links": {"refs": []},
            },
        ),
        (
            stored(
                title="題",
                kind="decision",
                tags=("設計",),
                thread="t",
                thread_type="project",
                thread_name="名",
                project="Lumina",
                links_source="chat",
                links_refs=("a",),
                extra={"version": "0.3", "saved_time": "2025-11-21T03:00:00Z"},
                event_time=EventTime("今日", datetime(2025, 11, 21, tzinfo=timezone.utc), None, 1.0),
            ),
            {
                "version": "0.3",
                "entry_id": "e-1",
                "saved_time": "2025-11-21T03:00:00Z",
                "thread": {"type": "project", "id": "t", "name": "名"},
                "kind": "decision",
                "text": "本文",
                "tags": ["設計"],
                "title": "題",
                "project": "Lumina",
                "event_time": {"raw": "今日", "resolved": "2025-11-21T00:00:00+00:00", "confidence": 1.0},
                "links": {"source": "chat", "refs": ["a"]},
            },
        ),
    ],
)
def test_an_entry_is_shown_with_its_keys_in_order(memory: Memory, shown: dict[str, Any]) -> None:
    made = wire.entry(memory, TOKYO)
    assert made == shown
    assert list(made) == list(shown)


EVENING = datetime(2026, 3, 18, 21, 0, tzinfo=TOKYO)


@pytest.mark.requirement("chronica.event.day-of-month")
@pytest.mark.parametrize(
    ("raw", "anchor", "day"),
    [
        ("18日", EVENING, (2026, 4, 18)),
        ("25日", EVENING, (2026, 3, 25)),
        ("5日", EVENING, (2026, 4, 5)),
        ("２５日", EVENING, (2026, 3, 25)),
        ("18日", datetime(2026, 3, 18, 0, 0, tzinfo=TOKYO), (2026, 3, 18)),
        ("30日", datetime(2026, 1, 31, 1, 0, tzinfo=TOKYO), None),
        ("31日", datetime(2026, 4, 10, tzinfo=TOKYO), None),
        ("5日", datetime(2026, 12, 20, tzinfo=TOKYO), (2027, 1, 5)),
        ("0日", EVENING, None),
        ("99日", EVENING, None),
    ],
)
def test_a_day_of_the_month_is_the_coming_one(raw: str, anchor: datetime, day: tuple[int, int, int] | None) -> None:
    found = resolve(raw, Moment(anchor, TOKYO))
    assert found.start == (day and datetime(*day, tzinfo=TOKYO))
    assert found.confidence == (0.6 if day else 0.0)


@pytest.mark.requirement("chronica.event.words", "chronica.event.unknown")
@pytest.mark.parametrize(
    ("raw", "day", "confidence"),
    [
        ("今日", (2026, 3, 18), 1.0),
        ("きょう", (2026, 3, 18), 1.0),
        ("today", (2026, 3, 18), 1.0),
        ("Yesterday", (2026, 3, 17), 1.0),
        ("昨日", (2026, 3, 17), 1.0),
        ("きのう", (2026, 3, 17), 1.0),
        ("昨天", (2026, 3, 17), 1.0),
        ("明日", (2026, 3, 19), 1.0),
        ("あした", (2026, 3, 19), 1.0),
        ("あす", (2026, 3, 19), 1.0),
        ("明天", (2026, 3, 19), 1.0),
        ("3日前", (2026, 3, 15), 1.0),
        ("今週", (2026, 3, 16), 0.8),
        ("こんしゅう", (2026, 3, 16), 0.8),
        ("来週", (2026, 3, 23), 0.8),
        ("下周", (2026, 3, 23), 0.8),
        ("next week", (2026, 3, 23), 0.8),
        ("今月", (2026, 3, 1), 0.8),
        ("らいげつ", (2026, 4, 1), 0.8),
        ("next month", (2026, 4, 1), 0.8),
        ("月末", (2026, 3, 31), 0.7),
        ("今月末", (2026, 3, 31), 0.7),
        ("来月の末", (2026, 4, 30), 0.7),
        ("下个月底", (2026, 4, 30), 0.7),
        ("去年2月底", (2025, 2, 28), 0.7),
        ("the end of next month", (2026, 4, 30), 0.7),
        ("End of February 2028", (2028, 2, 29), 0.7),
        ("10月末", (2025, 10, 31), 0.6),
        ("end of October", (2025, 10, 31), 0.6),
        ("End of month", (2026, 3, 31), 0.7),
        ("月底", (2026, 3, 31), 0.7),
        ("the end of the month", (2026, 3, 31), 0.7),
        ("最近30天", (2026, 2, 16), 0.8),
        ("先週の金曜", (2026, 3, 13), 1.0),
        ("金曜日", (2026, 3, 13), 0.6),
        ("周五", (2026, 3, 13), 0.6),
        ("Friday", (2026, 3, 13), 0.6),
        ("2月14日", (2026, 2, 14), 0.6),
        ("Feb 14", (2026, 2, 14), 0.6),
        ("the 14th of February", (2026, 2, 14), 0.6),
        ("12月24", (2025, 12, 24), 0.6),
        ("December 24th", (2025, 12, 24), 0.6),
        ("December", (2025, 12, 1), 0.6),
        ("the 15th", (2026, 3, 15), 0.6),
        ("15号", (2026, 3, 15), 0.6),
        ("十五號", (2026, 3, 15), 0.6),
        ("クリスマス", (2025, 12, 25), 0.6),
        ("国庆节", (2025, 10, 1), 0.6),
        ("4月16日", (2026, 4, 16), 0.6),
        ("Apr 16", (2026, 4, 16), 0.6),
        ("四月十六号", (2026, 4, 16), 0.6),
        ("劳动节", (2026, 5, 1), 0.6),
        ("こどもの日", (2026, 5, 5), 0.6),
        ("May", (2026, 5, 1), 0.6),
        ("last May", (2025, 5, 1), 0.8),
        ("from Monday to Friday", (2026, 3, 16), 0.6),
        ("2026年2月14日", (2026, 2, 14), 1.0),
        ("February 14, 2026", (2026, 2, 14), 1.0),
        ("いつか", None, 0.0),
        ("那时候", None, 0.0),
        ("when we were young", None, 0.0),
    ],
)
def test_words_resolve_to_their_first_day_or_not_at_all(
    raw: str, day: tuple[int, int, int] | None, confidence: float
) -> None:
    found = resolve(raw, Moment(EVENING, TOKYO))
    assert found.raw == raw
    assert found.start == (day and datetime(*day, tzinfo=TOKYO))
    assert found.confidence == confidence


@pytest.mark.requirement("chronica.event.words", "chronica.event.day-of-month")
@pytest.mark.parametrize(
    ("raw", "start", "confidence"),
    [
        ("25日午後3時", (2026, 3, 25, 15), 0.6),
        ("30日の朝", (2026, 3, 30, 5), 0.6),
        ("5日10時", (2026, 4, 5, 10), 0.6),
        ("３０日から", (2026, 3, 30), 0.6),
        ("18日午後10時", (2026, 3, 18, 22), 1.0),
        ("3日前の夜", (2026, 3, 15, 18), 1.0),
        ("20日(金)", (2026, 3, 20), 1.0),
        ("金曜の午後3時", (2026, 3, 13, 15), 0.6),
        ("周五下午三点", (2026, 3, 13, 15), 0.6),
        ("Friday at 3pm", (2026, 3, 13, 15), 0.6),
        ("2月14日の夜", (2026, 2, 14, 18), 0.6),
        ("4月16日15時半", (2026, 4, 16, 15, 30), 0.6),
        ("先週の金曜の午後3時", (2026, 3, 13, 15), 1.0),
        ("下周五下午三点", (2026, 3, 27, 15), 1.0),
        ("tomorrow at 3pm", (2026, 3, 19, 15), 1.0),
    ],
)
def test_a_time_of_day_changes_neither_the_day_nor_how_sure_it_is(
    raw: str, start: tuple[int, ...], confidence: float
) -> None:
    found = resolve(raw, Moment(EVENING, TOKYO))
    assert (found.start, found.confidence) == (datetime(*start, tzinfo=TOKYO), confidence)  # type: ignore[arg-type]


@pytest.mark.requirement("chronica.event.anchor")
def test_an_event_is_seen_from_the_day_the_entry_was_saved_in_its_own_offset() -> None:
    made = draft(saved_time="2026-03-17T20:00:00-05:00", event_time={"raw": "25日", "resolved": "2020-01-01"})
    assert made.event_time is not None
    assert made.event_time.start is not None
    assert made.event_time.start.isoformat() == "2026-03-25T00:00:00-05:00"
