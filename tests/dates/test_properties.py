"""What holds for any text: no error, spans that slice it, intervals that are not empty, linear work."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide import dates
from omoide.dates.fold import fold
from tests.counting import calls

ZONE = timezone(timedelta(hours=9))
NOW = datetime(2026, 3, 15, 12, tzinfo=ZONE)
#: Pieces of dates in an order no one would write.
PIECES = st.sampled_from(
    "1 20 2024 99 - / : . ~ , ( ) 月 日 年 前 後 の から まで 間 last next of the may three days ago twenty 上 下 周 半 第 "
    "between and from to T Z +09:00 昨日 今 q 時 点 分 week years 9999 数 几 end 以来 之前 民国 r8 ヶ月 century s".split()
)
DATE_LIKE = st.lists(st.tuples(PIECES, st.sampled_from(["", " "])), max_size=12).map(
    lambda pieces: "".join(piece + gap for piece, gap in pieces)
)


@given(st.one_of(st.text(max_size=60), DATE_LIKE))
def test_any_text_has_mentions_that_slice_it_in_order_and_are_not_empty(text: str) -> None:
    before = 0
    for one in dates.find(text, now=NOW, zone=ZONE):
        assert before <= one.start < one.end <= len(text)
        assert text[one.start : one.end] == one.text
        assert one.interval != dates.Interval(None, None)
        if one.interval.start is not None and one.interval.end is not None:
            assert one.interval.start < one.interval.end
        before = one.end


@given(DATE_LIKE)
def test_what_parses_whole_slices_the_text(text: str) -> None:
    mention = dates.parse(text, now=NOW, zone=ZONE)
    assert mention is None or text[mention.start : mention.end] == mention.text


@given(st.text(max_size=60))
def test_folding_keeps_every_offset(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.dates(min_value=datetime(1900, 1, 1).date(), max_value=datetime(2100, 1, 1).date()))  # noqa: DTZ001
def test_a_full_date_reads_the_same_in_three_languages(day: object) -> None:
    iso = str(day)
    year, month, number = (int(part) for part in iso.split("-"))
    for text in (iso, f"{year}年{month}月{number}日", f"{year}/{month}/{number}"):
        mention = dates.parse(text, now=NOW, zone=ZONE)
        assert mention is not None
        assert mention.interval.start == datetime(year, month, number, tzinfo=ZONE)


@pytest.mark.parametrize("minutes", [0, 10, 30, 59])
@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("last 24 hours", 86_400),
        ("過去24時間", 86_400),
        ("最近24小时", 86_400),
        ("past 90 minutes", 5_400),
        ("さっき", 10_800),
    ],
)
def test_in_the_hour_that_comes_twice_what_reaches_up_to_now_does(text: str, seconds: int, minutes: int) -> None:
    new_york = ZoneInfo("America/New_York")
    now = datetime(2026, 11, 1, 6, minutes, tzinfo=timezone.utc)  # the second 1 o'clock there
    mention = dates.parse(text, now=now, zone=new_york)
    assert mention is not None
    assert mention.interval.start is not None
    assert mention.interval.end is not None
    assert mention.interval.end.astimezone(timezone.utc) == now + timedelta(microseconds=1)
    assert mention.interval.start.astimezone(timezone.utc) == now - timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["10 minutes ago", "10分前", "10分钟前"])
def test_in_the_hour_that_comes_twice_a_minute_ends_after_it_has_begun(text: str) -> None:
    now = datetime(2026, 11, 1, 6, 30, tzinfo=timezone.utc)
    mention = dates.parse(text, now=now, zone=ZoneInfo("America/New_York"))
    assert mention is not None
    assert mention.interval.start is not None
    assert mention.interval.end is not None
    assert mention.interval.start.astimezone(timezone.utc) == now - timedelta(minutes=10)
    assert mention.interval.end.astimezone(timezone.utc) == now - timedelta(minutes=9)


@pytest.mark.parametrize(
    "unit",
    ["1 ", "last ", "3月", "2024-", "from ", "between 1 and ", "week of the ", "の前", "twenty ", "3 days before "],
)
def test_the_work_grows_with_the_length_of_the_text_and_no_faster(unit: str) -> None:
    dates.find(unit * 2, now=NOW, zone=ZONE)  # the word tables are built once
    find = partial(dates.find, now=NOW, zone=ZONE)
    short, long = (calls(partial(find, unit * count)) for count in (200, 800))
    assert long <= 4.5 * short + 1000
