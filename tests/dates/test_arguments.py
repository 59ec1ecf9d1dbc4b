"""What is a date as a whole argument, where inside a text it may be anything."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from omoide import dates
from omoide.errors import InvalidArgument
from tests.dates.test_languages import ZONE

NOW = datetime(2024, 2, 29, 9, 30, tzinfo=ZONE)


def _instant(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=ZONE)


ARGUMENTS = [
    ("月末", (2024, 2, 21), (2024, 3, 1)),
    ("年底", (2024, 12, 1), (2025, 1, 1)),
    ("令和5〜7年", (2023, 1, 1), (2026, 1, 1)),
    ("民國110到112年", (2021, 1, 1), (2024, 1, 1)),
    ("5 Jan–10 Feb 2025", (2025, 1, 5), (2025, 2, 11)),
    ("2024/5-2024/8", (2024, 5, 1), (2024, 9, 1)),
    ("2024.5-2024.8", (2024, 5, 1), (2024, 9, 1)),
    ("三天前晚上8点", (2024, 2, 26, 20), (2024, 2, 26, 21)),
    ("兩天前晚上8點半", (2024, 2, 27, 20, 30), (2024, 2, 27, 20, 31)),
    ("除夕和初一", (2024, 2, 9), (2024, 2, 11)),
    ("除夕、初一", (2024, 2, 9), (2024, 2, 11)),
    ("除夕、初一和初二", (2024, 2, 9), (2024, 2, 12)),
    ("正月十四、十五", (2024, 2, 23), (2024, 2, 25)),
    ("10〜15日", (2024, 2, 10), (2024, 2, 16)),
    ("10到15号", (2024, 2, 10), (2024, 2, 16)),
    ("10-15號", (2024, 2, 10), (2024, 2, 16)),
    ("大年初一、初二、初三", (2024, 2, 10), (2024, 2, 13)),
    ("3月10到15号", (2023, 3, 10), (2023, 3, 16)),
    ("the quarter before last", (2023, 7, 1), (2023, 10, 1)),
    ("the quarter after next", (2024, 7, 1), (2024, 10, 1)),
    ("the semester before last", (2023, 1, 1), (2023, 7, 1)),
    ("the decade before last", (2000, 1, 1), (2010, 1, 1)),
    ("930am yesterday", (2024, 2, 28, 9, 30), (2024, 2, 28, 9, 31)),
    ("last night at 1130 pm", (2024, 2, 28, 23, 30), (2024, 2, 28, 23, 31)),
    ("9am or 10am yesterday", (2024, 2, 28, 9), (2024, 2, 28, 11)),
    ("9 or 10am yesterday", (2024, 2, 28, 9), (2024, 2, 28, 11)),
    ("yesterday 2 or 3 pm", (2024, 2, 28, 14), (2024, 2, 28, 16)),
    ("yesterday ~4pm", (2024, 2, 28, 16), (2024, 2, 28, 17)),
    ("3pm ~5pm yesterday", (2024, 2, 28, 15), (2024, 2, 28, 17)),
    ("winter 2011/12", (2011, 12, 1), (2012, 3, 1)),
    ("last_week", (2024, 2, 19), (2024, 2, 26)),
    ("3-days-ago", (2024, 2, 26), (2024, 2, 27)),
    ("2023_q1", (2023, 1, 1), (2023, 4, 1)),
    ("3.10-3.15", (2023, 3, 10), (2023, 3, 16)),
    ("2023.3.10-3.15", (2023, 3, 10), (2023, 3, 16)),
    ("睦月", (2024, 1, 1), (2024, 2, 1)),
    ("昨年の神無月", (2023, 10, 1), (2023, 11, 1)),
    ("2023年弥生3日", (2023, 3, 3), (2023, 3, 4)),
    ("元禄15年", (1702, 1, 1), (1703, 1, 1)),
    ("in about two weeks", (2024, 3, 14), (2024, 3, 15)),
    ("in around a month", (2024, 3, 29), (2024, 3, 30)),
    ("Friday night at 1am", (2024, 2, 24, 1), (2024, 2, 24, 2)),
    ("tonight at 1am", (2024, 2, 29, 1), (2024, 2, 29, 2)),
    ("昨天中午一点", (2024, 2, 28, 13), (2024, 2, 28, 14)),
    ("昨天中午12点到1点", (2024, 2, 28, 12), (2024, 2, 28, 13)),
    ("昨日のお昼の2時", (2024, 2, 28, 14), (2024, 2, 28, 15)),
    ("昨日の昼11時", (2024, 2, 28, 11), (2024, 2, 28, 12)),
    ("3 months ago to the day", (2023, 11, 29), (2023, 11, 30)),
    ("3 months ago to the day before yesterday", (2023, 11, 29), (2024, 2, 28)),
    ("the second to last week of May 2023", (2023, 5, 15), (2023, 5, 22)),
    ("the second-to-last Friday of last month", (2024, 1, 19), (2024, 1, 20)),
    ("second to last Friday of March", (2023, 3, 24), (2023, 3, 25)),
    ("三月倒数第二个周五", (2023, 3, 24), (2023, 3, 25)),
    ("penultimate day of January", (2024, 1, 30), (2024, 1, 31)),
    ("the penultimate quarter of 2023", (2023, 7, 1), (2023, 10, 1)),
    ("一月倒數第二個週五", (2024, 1, 19), (2024, 1, 20)),
    ("一月倒数第二天", (2024, 1, 30), (2024, 1, 31)),
    ("9.00 yesterday", (2024, 2, 28, 9), (2024, 2, 28, 9, 1)),
    ("9.30 this morning", (2024, 2, 29, 9, 30), (2024, 2, 29, 9, 31)),
    ("Mon or Tue", (2024, 2, 26), (2024, 2, 28)),
    ("Sat & Sun", (2024, 2, 24), (2024, 2, 26)),
    ("Fri and Sat", (2024, 2, 23), (2024, 2, 25)),
    ("March or Apr", (2023, 3, 1), (2023, 5, 1)),
    ("first and second half of 2023", (2023, 1, 1), (2024, 1, 1)),
    ("the first and second halves of last year", (2023, 1, 1), (2024, 1, 1)),
    ("2022、2023两年", (2022, 1, 1), (2024, 1, 1)),
    ("2021、2022、2023三年", (2021, 1, 1), (2024, 1, 1)),
    ("民國112、113年", (2023, 1, 1), (2025, 1, 1)),
    ("1月31日后一个月", (2024, 2, 1), (2024, 3, 1)),
    ("春節後一個月", (2024, 2, 11), (2024, 3, 11)),
    ("圣诞节后一个周末", (2023, 12, 30), (2024, 1, 1)),
    ("圣诞节后一个周一", (2024, 1, 1), (2024, 1, 2)),
    ("圣诞节前一个周一", (2023, 12, 18), (2023, 12, 19)),
    ("昨天后一个星期", (2024, 2, 29), (2024, 3, 7)),
    ("昨晚12点", (2024, 2, 29, 0), (2024, 2, 29, 1)),
    ("昨天晚上十二点到两点", (2024, 2, 29, 0), (2024, 2, 29, 2)),
    ("昨天凌晨12点", (2024, 2, 28, 0), (2024, 2, 28, 1)),
    ("昨天中午12点", (2024, 2, 28, 12), (2024, 2, 28, 13)),
    ("昨夜12時", (2024, 2, 29, 0), (2024, 2, 29, 1)),
    ("昨日の夜10時から12時", (2024, 2, 28, 22), (2024, 2, 29, 0)),
    ("深夜12時", (2024, 2, 29, 0), (2024, 2, 29, 1)),
    ("last night at 12", (2024, 2, 29, 0), (2024, 2, 29, 1)),
    ("tonight at 12", (2024, 3, 1, 0), (2024, 3, 1, 1)),
    ("上旬", (2024, 2, 1), (2024, 2, 11)),
    ("中旬", (2024, 2, 11), (2024, 2, 21)),
    ("下旬", (2024, 2, 21), (2024, 3, 1)),
    ("上中旬", (2024, 2, 1), (2024, 2, 21)),
    ("both Saturday and Sunday", (2024, 2, 24), (2024, 2, 26)),
    ("令和4年と5年", (2022, 1, 1), (2024, 1, 1)),
    ("去年上下半年", (2023, 1, 1), (2024, 1, 1)),
    ("昨日と今日の2日間", (2024, 2, 28), (2024, 3, 1)),
    ("周六周日两天", (2024, 2, 24), (2024, 2, 26)),
    ("三月和四月两个月", (2023, 3, 1), (2023, 5, 1)),
    ("昨天今天这两天", (2024, 2, 28), (2024, 3, 1)),
    ("上周末两天", (2024, 2, 24), (2024, 2, 26)),
    ("先週末の2日間", (2024, 2, 24), (2024, 2, 26)),
    ("十月中下旬", (2023, 10, 11), (2023, 11, 1)),
    ("3年前の今頃", (2021, 2, 28), (2021, 3, 1)),
    ("两年前的这个时候", (2022, 2, 28), (2022, 3, 1)),
    ("three years ago this time", (2021, 2, 28), (2021, 3, 1)),
    ("the first of the month", (2024, 2, 1), (2024, 2, 2)),
    ("去年の3月とか4月", (2023, 3, 1), (2023, 5, 1)),
    ("上上周四还是周五", (2024, 2, 15), (2024, 2, 17)),
    ("1月31日時点", (2024, 1, 31), (2024, 2, 1)),
    ("1月31日現在", (2024, 1, 31), (2024, 2, 1)),
    ("1月31日付け", (2024, 1, 31), (2024, 2, 1)),
    ("2022、2023年", (2022, 1, 1), (2024, 1, 1)),
    ("2022、2023年度の", (2022, 4, 1), (2024, 4, 1)),
    ("2022及2023年", (2022, 1, 1), (2024, 1, 1)),
    ("towards the end of January", (2024, 1, 16), (2024, 2, 1)),
    ("all day yesterday", (2024, 2, 28), (2024, 2, 29)),
    ("any time last week", (2024, 2, 19), (2024, 2, 26)),
    ("now-7d", (2024, 2, 22), (2024, 2, 23)),
    ("today - 7 days", (2024, 2, 22), (2024, 2, 23)),
    ("今天-7天", (2024, 2, 22), (2024, 2, 23)),
    ("昨日-1週間", (2024, 2, 21), (2024, 2, 22)),
    ("today + 2 weeks", (2024, 3, 14), (2024, 3, 15)),
    ("2024-01-31 - 1 week", (2024, 1, 24), (2024, 1, 25)),
    ("2024-015", (2024, 1, 15), (2024, 1, 16)),
    ("今日-3日", (2024, 2, 29), (2024, 3, 4)),
    ("2月1日-今日", (2024, 2, 1), (2024, 3, 1)),
    ("昨天-3月2号", (2024, 2, 28), (2024, 3, 3)),
    ("2月1号-昨天", (2024, 2, 1), (2024, 2, 29)),
    ("today-March 2", (2024, 2, 29), (2024, 3, 3)),
    ("February 1-yesterday", (2024, 2, 1), (2024, 2, 29)),
    ("in '98", (1998, 1, 1), (1999, 1, 1)),
    ("月中", (2024, 2, 10), (2024, 2, 21)),
    ("年中", (2024, 5, 2), (2024, 9, 1)),
    ("周中", (2024, 2, 27), (2024, 3, 2)),
    ("先月の10日過ぎ", (2024, 1, 10), (2024, 1, 11)),
    ("去年至今日", (2023, 1, 1), (2024, 3, 1)),
    ("公元2023年底", (2023, 12, 1), (2024, 1, 1)),
    ("本年度の", (2023, 4, 1), (2024, 4, 1)),
    ("本年度", (2024, 1, 1), (2025, 1, 1)),
    ("去年度の", (2022, 4, 1), (2023, 4, 1)),
    ("去年度", (2023, 1, 1), (2024, 1, 1)),
    ("次年度の", (2024, 4, 1), (2025, 4, 1)),
    ("2020〜2022年度の", (2020, 4, 1), (2023, 4, 1)),
    ("先週あたり", (2024, 2, 19), (2024, 2, 26)),
    ("去年の春あたり", (2023, 3, 1), (2023, 6, 1)),
    ("公元114年3月10日", (114, 3, 10), (114, 3, 11)),
    ("四五号", (2024, 2, 4), (2024, 2, 6)),
    ("两三号", (2024, 2, 2), (2024, 2, 4)),
    ("all of last week", (2024, 2, 19), (2024, 2, 26)),
    ("the whole of last week", (2024, 2, 19), (2024, 2, 26)),
    ("the entire last week", (2024, 2, 19), (2024, 2, 26)),
    ("整个上周", (2024, 2, 19), (2024, 2, 26)),
    ("fall of 19", (2019, 9, 1), (2019, 12, 1)),
    ("summer 23", (2023, 6, 1), (2023, 9, 1)),
    ("summer and autumn 2023", (2023, 6, 1), (2023, 12, 1)),
    ("平成", (1989, 1, 8), (2019, 5, 1)),
    ("昭和時代", (1926, 12, 25), (1989, 1, 8)),
    ("民國時期", (1912, 1, 1), (1949, 10, 1)),
    ("昭和から平成", (1926, 12, 25), (2019, 5, 1)),
    ("2015年のシルバーウィーク", (2015, 9, 19), (2015, 9, 24)),
    ("2023年秋冬", (2023, 9, 1), (2024, 3, 1)),
    ("去年の夏・秋", (2023, 6, 1), (2023, 12, 1)),
    ("2023年春夏秋冬", (2023, 3, 1), (2024, 3, 1)),
    ("2023年春季和夏季", (2023, 3, 1), (2023, 9, 1)),
    ("昨日の今頃", (2024, 2, 28), (2024, 2, 29)),
    ("昨天的这个时候", (2024, 2, 28), (2024, 2, 29)),
    ("yesterday around this time", (2024, 2, 28), (2024, 2, 29)),
    ("mid-week last week", (2024, 2, 20), (2024, 2, 24)),
    ("end of the month last month", (2024, 1, 16), (2024, 2, 1)),
    ("early in the week last week", (2024, 2, 19), (2024, 2, 22)),
    ("last week's weekend", (2024, 2, 24), (2024, 2, 26)),
    ("the second half of 2022 and the first half of 2023", (2022, 7, 1), (2023, 7, 1)),
    ("2023年1〜3月、4〜6月、7〜9月", (2023, 1, 1), (2023, 10, 1)),
    ("Jan-Mar and Apr-Jun 2022", (2022, 1, 1), (2022, 7, 1)),
    ("去年3月1日到3日和4日到7日", (2023, 3, 1), (2023, 3, 8)),
    ("2023年一二季度", (2023, 1, 1), (2023, 7, 1)),
    ("去年第三四季度", (2023, 7, 1), (2024, 1, 1)),
    ("2023年二三四季度", (2023, 4, 1), (2024, 1, 1)),
    ("春夏", (2023, 3, 1), (2023, 9, 1)),
    ("2023年第一、二、三季度", (2023, 1, 1), (2023, 10, 1)),
    ("'24/3/15", (2024, 3, 15), (2024, 3, 16)),
    ("’24-03-15", (2024, 3, 15), (2024, 3, 16)),
    ("前年同期", (2023, 2, 28), (2023, 3, 1)),
    ("前年同期的", (2022, 2, 28), (2022, 3, 1)),
    ("4、5日", (2024, 2, 4), (2024, 2, 6)),
    ("公元一千年", (1000, 1, 1), (1001, 1, 1)),
    ("西暦二千年", (2000, 1, 1), (2001, 1, 1)),
    ("2010年之后2018年之前", (2011, 1, 1), (2018, 1, 1)),
    ("去年三月以后、六月以前", (2023, 4, 1), (2023, 6, 1)),
    ("自2010年起到2018年止", (2010, 1, 1), (2019, 1, 1)),
    ("2010年以降2018年以前", (2010, 1, 1), (2018, 1, 1)),
    ("3月以降2021年6月以前", (2021, 3, 1), (2021, 6, 1)),
    ("先月以降、昨日まで", (2024, 1, 1), (2024, 2, 29)),
    ("after 2010 and before 2018", (2011, 1, 1), (2018, 1, 1)),
    ("after March, but before June 2021", (2021, 4, 1), (2021, 6, 1)),
    ("since May until July", (2023, 5, 1), (2023, 8, 1)),
    ("4〜6月期", (2023, 4, 1), (2023, 7, 1)),
    ("昨年の10〜12月期", (2023, 10, 1), (2024, 1, 1)),
    ("「先週」", (2024, 2, 19), (2024, 2, 26)),
    ("『上周』", (2024, 2, 19), (2024, 2, 26)),
    ("‘last week’", (2024, 2, 19), (2024, 2, 26)),
    ("最終営業日", (2024, 2, 29), (2024, 3, 1)),
    ("最后一个工作日", (2024, 2, 29), (2024, 3, 1)),
    ("last business day", (2024, 2, 28), (2024, 2, 29)),
    ("月末の最終営業日", (2024, 2, 29), (2024, 3, 1)),
    ("先月末の最終営業日", (2024, 1, 31), (2024, 2, 1)),
    ("年末の最終営業日", (2024, 12, 31), (2025, 1, 1)),
    ("去年年底最后一个工作日", (2023, 12, 29), (2023, 12, 30)),
    ("月初の最初の営業日", (2024, 2, 1), (2024, 2, 2)),
    ("月末の最後の金曜日", (2024, 2, 23), (2024, 2, 24)),
    ("先月の最初の3営業日", (2024, 1, 1), (2024, 1, 4)),
    ("上个月最后三个工作日", (2024, 1, 29), (2024, 2, 1)),
    ("the first three business days of May 2023", (2023, 5, 1), (2023, 5, 4)),
    ("the last two Fridays of May 2023", (2023, 5, 19), (2023, 5, 27)),
    ("last decade", (2010, 1, 1), (2020, 1, 1)),
    ("今年初三", (2024, 2, 12), (2024, 2, 13)),
    ("去年初二", (2023, 1, 23), (2023, 1, 24)),
    ("今年年初三", (2024, 2, 12), (2024, 2, 13)),
    ("今年年初", (2024, 1, 1), (2024, 2, 1)),
    ("昨日2月28日", (2024, 2, 28), (2024, 2, 29)),
    ("明天三月一号", (2024, 3, 1), (2024, 3, 2)),
    ("明日（1日）", (2024, 3, 1), (2024, 3, 2)),
    ("今天29号", (2024, 2, 29), (2024, 3, 1)),
    ("昨日の2日前", (2024, 2, 26), (2024, 2, 27)),
    ("2023年10月から翌年3月まで", (2023, 10, 1), (2024, 4, 1)),
    ("2022年10月至次年3月", (2022, 10, 1), (2023, 4, 1)),
    ("12月28日から翌年1月3日まで", (2023, 12, 28), (2024, 1, 4)),
    ("25日から翌月10日まで", (2024, 2, 25), (2024, 3, 11)),
    ("2023年3月5日から翌日まで", (2023, 3, 5), (2023, 3, 7)),
    ("2022年度から翌年度の", (2022, 4, 1), (2024, 4, 1)),
    ("from October 2022 to the following March", (2022, 10, 1), (2023, 4, 1)),
    ("October 2022 to March of the following year", (2022, 10, 1), (2023, 4, 1)),
    ("先週の金曜から翌週の火曜まで", (2024, 2, 23), (2024, 2, 28)),
    ("from Monday to the following Friday", (2024, 2, 26), (2024, 3, 2)),
    ("from March 7, 2023 to the following Sunday", (2023, 3, 7), (2023, 3, 13)),
    ("㋿6年", (2024, 1, 1), (2025, 1, 1)),
    ("㍻30年3月", (2018, 3, 1), (2018, 4, 1)),
    ("㍼63年", (1988, 1, 1), (1989, 1, 1)),
    ("冬月初一", (2023, 12, 13), (2023, 12, 14)),
    ("去年冬月初八", (2023, 12, 20), (2023, 12, 21)),
    ("農曆冬月十五", (2023, 12, 27), (2023, 12, 28)),
    ("冬月廿三", (2024, 1, 4), (2024, 1, 5)),
    ("正月十五元宵节", (2024, 2, 24), (2024, 2, 25)),
    ("正月初一春节", (2024, 2, 10), (2024, 2, 11)),
    ("八月十五中秋節", (2023, 9, 29), (2023, 9, 30)),
    ("农历五月初五端午节", (2023, 6, 22), (2023, 6, 23)),
    ("腊月三十除夕", (2024, 2, 9), (2024, 2, 10)),
    ("9月17日中秋节", (2023, 9, 17), (2023, 9, 18)),
    ("10月1日国庆节", (2023, 10, 1), (2023, 10, 2)),
]


@pytest.mark.parametrize(("text", "start", "end"), ARGUMENTS)
def test_an_argument_is_read_as_a_date(text: str, start: tuple[int, int, int], end: tuple[int, int, int]) -> None:
    mention = dates.parse(text, now=NOW, zone=ZONE)
    assert mention is not None
    assert mention.interval == dates.Interval(datetime(*start, tzinfo=ZONE), datetime(*end, tzinfo=ZONE))


@pytest.mark.parametrize(
    ("written", "spoken"),
    [("last_30_days", "last 30 days"), ("past-7-days", "past 7 days"), ("土・日", "土日"), ("先週の土、日", "先週の土日"), ("July 4th weekend", "weekend of July 4")],
)  # fmt: skip
def test_an_argument_may_be_written_as_names_and_tables_are(written: str, spoken: str) -> None:
    now = dates.Moment(NOW, ZONE)
    assert now.argument(written, "after") == now.argument(spoken, "after")
    mention = dates.parse(f" {written}", now=NOW, zone=ZONE)
    assert mention is not None
    assert (mention.text, mention.start) == (written, 1), "what an answer says was understood is what was written"


def test_an_era_that_goes_on_has_no_end() -> None:
    mention = dates.parse("令和時代", now=NOW, zone=ZONE)
    assert mention is not None
    assert mention.interval == dates.Interval(datetime(2019, 5, 1, tzinfo=ZONE), None)


HOURS_OF_TODAY = [
    ("午前9時以降", (2024, 2, 29, 9)),
    ("午後9時から", (2024, 2, 28, 21)),
    ("早上9点以后", (2024, 2, 29, 9)),
    ("晚上9点起", (2024, 2, 28, 21)),
    ("after 9am", (2024, 2, 29, 9)),
    ("after 17:00", (2024, 2, 28, 17)),
]


@pytest.mark.parametrize(("text", "start"), HOURS_OF_TODAY)
def test_an_hour_without_a_day_is_the_latest_that_has_begun(text: str, start: tuple[int, int, int, int]) -> None:
    mention = dates.parse(text, now=NOW, zone=ZONE)
    assert mention is not None
    assert mention.interval == dates.Interval(datetime(*start, tzinfo=ZONE), None)


#: Said on Thursday, 29 February 2024, at half past nine.
STRETCHES_OF_HOURS = [
    ("夜の12時", (2024, 2, 29, 0), (2024, 2, 29, 1)),
    ("晚上12点", (2024, 2, 29, 0), (2024, 2, 29, 1)),
    ("12 at night", (2024, 2, 29, 0), (2024, 2, 29, 1)),
    ("昨天上午9点到晚上12点", (2024, 2, 28, 9), (2024, 2, 29, 0)),
    ("8 last night", (2024, 2, 28, 20), (2024, 2, 28, 21)),
    ("5 yesterday afternoon", (2024, 2, 28, 17), (2024, 2, 28, 18)),
    ("9 tomorrow", (2024, 3, 1, 9), (2024, 3, 1, 10)),
    ("from 9 to 12 noon", (2024, 2, 29, 9), (2024, 2, 29, 12)),
    ("nine tonight", (2024, 2, 29, 21), (2024, 2, 29, 22)),
    ("ten thirty", (2024, 2, 28, 10, 30), (2024, 2, 28, 10, 31)),
    ("nine fifty-nine a m", (2024, 2, 28, 9, 59), (2024, 2, 28, 10)),
    ("later than 9:30 but before 11:00 on Tuesday", (2024, 2, 27, 9, 30), (2024, 2, 27, 11)),
    ("昨日の9時以降11時前", (2024, 2, 28, 9), (2024, 2, 28, 11)),
    ("昨天9点以后11点以前", (2024, 2, 28, 9), (2024, 2, 28, 11)),
    ("9 to 5 on Monday", (2024, 2, 26, 9), (2024, 2, 26, 17)),
    ("nine to five last Friday", (2024, 2, 23, 9), (2024, 2, 23, 17)),
    ("9-5 on Monday", (2024, 2, 26, 9), (2024, 2, 26, 17)),
    ("9 to 5 Monday", (2024, 2, 26, 9), (2024, 2, 26, 17)),
    ("Monday 9 to 5", (2024, 2, 26, 9), (2024, 2, 26, 17)),
    ("Monday, 9-5", (2024, 2, 26, 9), (2024, 2, 26, 17)),
    ("2 to 4 yesterday", (2024, 2, 28, 14), (2024, 2, 28, 16)),
    ("月曜の9時から5時", (2024, 2, 26, 9), (2024, 2, 26, 17)),
    ("周一九点到五点", (2024, 2, 26, 9), (2024, 2, 26, 17)),
    ("午前9時から午後5時まで", (2024, 2, 29, 9), (2024, 2, 29, 17)),
    ("午後1時〜夜8時", (2024, 2, 28, 13), (2024, 2, 28, 20)),
    ("上午九点到下午五点", (2024, 2, 29, 9), (2024, 2, 29, 17)),
    ("晚上10点到凌晨2点", (2024, 2, 28, 22), (2024, 2, 29, 2)),
    ("15時半", (2024, 2, 28, 15, 30), (2024, 2, 28, 15, 31)),
    ("午前9時から午後5時", (2024, 2, 29, 9), (2024, 2, 29, 17)),
    ("3点到5点", (2024, 2, 29, 3), (2024, 2, 29, 5)),
    ("noon to 3pm", (2024, 2, 28, 12), (2024, 2, 28, 15)),
    ("9am +09:00", (2024, 2, 29, 9), (2024, 2, 29, 10)),
    ("9am -05:00", (2024, 2, 28, 23), (2024, 2, 29, 0)),
    ("9am UTC+9", (2024, 2, 29, 9), (2024, 2, 29, 10)),
    ("9時 UTC+9", (2024, 2, 29, 9), (2024, 2, 29, 10)),
    ("上午8点 UTC+8", (2024, 2, 29, 9), (2024, 2, 29, 10)),
    ("UTC+8 上午8点", (2024, 2, 29, 9), (2024, 2, 29, 10)),
    ("昨天UTC+8上午8点", (2024, 2, 28, 9), (2024, 2, 28, 10)),
    ("UTC+8の昨日午前8時", (2024, 2, 28, 9), (2024, 2, 28, 10)),
    ("GMT+8 8am", (2024, 2, 29, 9), (2024, 2, 29, 10)),
    ("UTC+5:30 yesterday 9am", (2024, 2, 28, 12, 30), (2024, 2, 28, 13, 30)),
    ("日本時間で昨日の午前9時", (2024, 2, 28, 9), (2024, 2, 28, 10)),
    ("北京时间昨天", (2024, 2, 28, 1), (2024, 2, 29, 1)),
    ("昨天晚上（北京时间）", (2024, 2, 28, 19), (2024, 2, 29, 7)),
    ("yesterday UTC-5", (2024, 2, 27, 14), (2024, 2, 28, 14)),
    ("3pm GMT to 5pm GMT", (2024, 2, 29, 0), (2024, 2, 29, 2)),
    ("日本時間9時から11時", (2024, 2, 29, 9), (2024, 2, 29, 11)),
    ("9am-10:30", (2024, 2, 29, 9), (2024, 2, 29, 10, 30)),
    ("yesterday at 8.30", (2024, 2, 28, 8, 30), (2024, 2, 28, 8, 31)),
    ("within this week", (2024, 2, 26), (2024, 3, 4)),
    ("今週以内", (2024, 2, 26), (2024, 3, 4)),
    ("本周之内", (2024, 2, 26), (2024, 3, 4)),
    ("今年以内", (2024, 1, 1), (2025, 1, 1)),
    ("9 to 5pm", (2024, 2, 29, 9), (2024, 2, 29, 17)),
    ("11-2pm yesterday", (2024, 2, 28, 11), (2024, 2, 28, 14)),
    ("10 to 2am yesterday", (2024, 2, 28, 22), (2024, 2, 29, 2)),
    ("from 3pm until 1pm yesterday", (2024, 2, 28, 15), (2024, 2, 29, 13)),
    ("昨日の午後3時から午後1時", (2024, 2, 28, 15), (2024, 2, 29, 13)),
    ("昨天下午3点到下午1点", (2024, 2, 28, 15), (2024, 2, 29, 13)),
    ("昨天下午3点到1点", (2024, 2, 28, 15), (2024, 2, 29, 1)),
    ("3pm to 4am yesterday", (2024, 2, 28, 15), (2024, 2, 29, 4)),
    ("8pm to 12pm yesterday", (2024, 2, 28, 20), (2024, 2, 29, 0)),
    ("正午から午後3時まで", (2024, 2, 28, 12), (2024, 2, 28, 15)),
    ("中午到下午3点", (2024, 2, 28, 12), (2024, 2, 28, 15)),
    ("昨日の昼から15時", (2024, 2, 28, 12), (2024, 2, 28, 15)),
    ("昨天中午到下午五点", (2024, 2, 28, 12), (2024, 2, 28, 17)),
    ("昨晚10点到次日凌晨2点", (2024, 2, 28, 22), (2024, 2, 29, 2)),
    ("2月5日22時から翌日5時まで", (2024, 2, 5, 22), (2024, 2, 6, 5)),
    ("2月5日の22時から翌朝6時まで", (2024, 2, 5, 22), (2024, 2, 6, 6)),
    ("2月5日晚上10点到第二天早上6点", (2024, 2, 5, 22), (2024, 2, 6, 6)),
]


@pytest.mark.parametrize(("text", "start", "end"), STRETCHES_OF_HOURS)
def test_two_hours_are_the_time_between_them(text: str, start: tuple[int, ...], end: tuple[int, ...]) -> None:
    asked = dates.Moment(NOW, ZONE).argument(text, "after", about="past")
    assert asked == dates.Interval(datetime(*start, tzinfo=ZONE), datetime(*end, tzinfo=ZONE))


@pytest.mark.parametrize("text", ["9 to 5", "9 to 5 last month", "9 to 5 last week", "Monday 9 to 15", "9 to 5 users"])
def test_two_numbers_without_a_day_are_no_hours(text: str) -> None:
    with pytest.raises(InvalidArgument):
        dates.Moment(NOW, ZONE).argument(text, "after", about="past")


@pytest.mark.parametrize(
    ("text", "year"),
    [("ten sixty six", 1066), ("nineteen thirty", 1930), ("twenty ten", 2010), ("nineteen oh nine", 1909)],
)
def test_what_is_no_time_of_a_clock_with_twelve_hours_is_a_year(text: str, year: int) -> None:
    mention = dates.parse(text, now=NOW, zone=ZONE)
    assert mention is not None
    assert mention.interval == dates.Interval(_instant(year, 1, 1), _instant(year + 1, 1, 1))


def test_an_eleven_that_may_be_a_day_or_an_hour_ends_nothing() -> None:
    with pytest.raises(InvalidArgument, match="I understand only 'after 9 yesterday'"):
        dates.Moment(NOW, ZONE).argument("after 9 yesterday but before 11", "after")


@pytest.mark.parametrize("text", ["in my twenties", "in her late thirties", "my 20s"])
def test_the_years_of_somebodys_age_are_no_decade(text: str) -> None:
    assert dates.parse(text, now=NOW, zone=ZONE) is None


def test_past_nine_is_of_that_hour() -> None:
    mention = dates.parse("先週の水曜日の夜9時過ぎ", now=NOW, zone=ZONE)
    assert mention is not None
    assert mention.interval.start == datetime(2024, 2, 21, 21, tzinfo=ZONE)


def test_until_now_is_not_this_year_or_today_in_other_words() -> None:
    said = [one.text for one in dates.find("去年至今日本经济怎么样", now=NOW, zone=ZONE)]
    assert said == ["去年至今"]


SO_FAR = [
    ("so far this year", (2024, 1, 1)),
    ("this month so far", (2024, 2, 1)),
    ("quarter to date", (2024, 1, 1)),
    ("earlier today", (2024, 2, 29)),
    ("the past decade", (2014, 2, 28)),
    ("over the last decade", (2014, 2, 28)),
]


@pytest.mark.parametrize(("text", "start"), SO_FAR)
def test_so_far_is_up_to_now(text: str, start: tuple[int, int, int]) -> None:
    mention = dates.parse(text, now=NOW, zone=ZONE)
    assert mention is not None
    assert mention.interval == dates.Interval(datetime(*start, tzinfo=ZONE), NOW + timedelta(microseconds=1))


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("今月これまで", (2024, 2, 1)),
        ("今年ここまで", (2024, 1, 1)),
        ("今年到目前为止", (2024, 1, 1)),
        ("本周到現在為止", (2024, 2, 26)),
        ("今年迄今", (2024, 1, 1)),
        ("从两年前开始到现在", (2022, 2, 28)),
        ("從上週開始到現在", (2024, 2, 19)),
    ],
)
def test_up_to_now_in_other_words_is_all_since(text: str, start: tuple[int, int, int]) -> None:
    assert dates.Moment(NOW, ZONE).argument(text, "after") == dates.Interval(datetime(*start, tzinfo=ZONE), None)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("到昨天", (2024, 2, 29)),
        ("到2023年底", (2024, 1, 1)),
        ("至2024年1月31日", (2024, 2, 1)),
        ("到下周五", (2024, 3, 9)),
        ("昨日まで", (2024, 2, 29)),
        ("until yesterday", (2024, 2, 29)),
    ],
)
def test_up_to_a_day_alone_has_no_start(text: str, end: tuple[int, int, int]) -> None:
    assert dates.Moment(NOW, ZONE).argument(text, "before") == dates.Interval(None, datetime(*end, tzinfo=ZONE))


@pytest.mark.parametrize(
    ("text", "zone", "day"),
    [
        ("2025年冬至", "Asia/Shanghai", (2025, 12, 21)),
        ("2025年冬至", "UTC", (2025, 12, 21)),
        ("2025年冬至", "Asia/Tokyo", (2025, 12, 22)),
        ("winter solstice 2025", "America/New_York", (2025, 12, 21)),
        ("vernal equinox 2024", "America/New_York", (2024, 3, 19)),
        ("2024年春分", "America/New_York", (2024, 3, 20)),
        ("1980年立秋", "Asia/Shanghai", (1980, 8, 7)),
        ("2050年大寒", "Asia/Shanghai", (2050, 1, 20)),
    ],
)
def test_a_solar_term_is_on_the_day_of_the_almanac(text: str, zone: str, day: tuple[int, int, int]) -> None:
    asked = dates.Moment(NOW, ZoneInfo(zone)).argument(text, "after")
    assert asked.start == datetime(*day, tzinfo=ZoneInfo(zone))


@pytest.mark.parametrize("text", ["1979年冬至", "2051年冬至", "去年の大雪", "去年小雪"])
def test_a_term_of_other_years_or_of_the_weather_is_no_date(text: str) -> None:
    with pytest.raises(InvalidArgument):
        dates.Moment(NOW, ZONE).argument(text, "after")


ONE_SIDED = [
    (">= 2024-01-15", (2024, 1, 15), None),
    ("＞＝2024-01-15", (2024, 1, 15), None),
    ("≧ 先週の金曜日", (2024, 2, 23), None),
    ("> 2024-01-15", (2024, 1, 16), None),
    ("≤ 2024-01-15", None, (2024, 1, 16)),
    ("< 昨天", None, (2024, 2, 28)),
    ("2024-01-15..", (2024, 1, 15), None),
    ("2024-01-15/..", (2024, 1, 15), None),
    ("../2024-01-15", None, (2024, 1, 16)),
    ("1月15日〜", (2024, 1, 15), None),
    ("〜昨日", None, (2024, 2, 29)),
]


@pytest.mark.parametrize(("text", "start", "end"), ONE_SIDED)
def test_one_side_is_said_by_a_sign_too(
    text: str, start: tuple[int, int, int] | None, end: tuple[int, int, int] | None
) -> None:
    first, last = (day and datetime(*day, tzinfo=ZONE) for day in (start, end))
    assert dates.Moment(NOW, ZONE).argument(text, "after") == dates.Interval(first, last)


@pytest.mark.parametrize(
    "text", ["> 3 days ago", ">= last 30 days", "~2024", ">", "〜", "..", "昨天...", "yesterday ..."]
)
def test_a_sign_that_may_mean_either_side_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument):
        dates.Moment(NOW, ZONE).argument(text, "after", about="past")


LOOKING_BACK = [
    ("3日以内", (2024, 2, 26)),
    ("2週間以内に", (2024, 2, 15)),
    ("三个月之内", (2023, 11, 29)),
    ("一周内", (2024, 2, 22)),
    ("within 3 days", (2024, 2, 26)),
    ("24小时内", (2024, 2, 28, 9, 30)),
    ("1時間以内", (2024, 2, 29, 8, 30)),
    ("in less than an hour", (2024, 2, 29, 8, 30)),
]


@pytest.mark.parametrize(("text", "start"), LOOKING_BACK)
def test_where_what_has_been_is_asked_for_within_so_long_is_the_time_before(text: str, start: tuple[int, ...]) -> None:
    """Said of a plan it is the time from now on: 3日以内に提出."""
    moment = dates.Moment(NOW, ZONE)
    asked = moment.argument(text, "after", about="past")
    assert asked.start == datetime(*start, tzinfo=ZONE)  # type: ignore[arg-type,misc]
    assert asked.end == NOW + timedelta(microseconds=1), "this very instant included"
    assert moment.argument(text, "validUntil").start == NOW


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("7 days", (2024, 2, 22)),
        ("24h", (2024, 2, 28, 9, 30)),
        ("2 weeks", (2024, 2, 15)),
        ("7日間", (2024, 2, 22)),
        ("2週間", (2024, 2, 15)),
        ("三天", (2024, 2, 26)),
        ("两个月", (2023, 12, 29)),
    ],
)
def test_a_length_alone_is_the_last_one_where_what_has_been_is_asked_for(text: str, start: tuple[int, ...]) -> None:
    moment = dates.Moment(NOW, ZONE)
    asked = moment.argument(text, "after", about="past")
    assert asked.start == datetime(*start, tzinfo=ZONE)  # type: ignore[arg-type,misc]
    assert asked.end == NOW + timedelta(microseconds=1), "this very instant included"
    with pytest.raises(InvalidArgument):
        moment.argument(text, "validUntil")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("older than 30 days", None, (2024, 1, 30)),
        ("more than 2 weeks old", None, (2024, 2, 15)),
        ("newer than 3 days", (2024, 2, 26), NOW + timedelta(microseconds=1)),
        ("超过30天", None, (2024, 1, 30)),
        ("30日間より前", None, (2024, 1, 30)),
    ],
)
def test_an_age_is_said_by_a_length_as_an_argument_alone(
    text: str, start: tuple[int, int, int] | None, end: tuple[int, int, int] | datetime | None
) -> None:
    asked = dates.Moment(NOW, ZONE).argument(text, "after", about="past")
    assert asked.start == (start and datetime(*start, tzinfo=ZONE))
    assert asked.end == (datetime(*end, tzinfo=ZONE) if isinstance(end, tuple) else end)


@pytest.mark.parametrize(("text", "day"), [("7日", 7), ("15日", 15), ("15号", 15)])
def test_a_day_of_the_month_is_no_length(text: str, day: int) -> None:
    assert dates.Moment(NOW, ZONE).argument(text, "after", about="past").start == datetime(2024, 2, day, tzinfo=ZONE)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("年末", (2023, 12, 1), (2024, 1, 1)),
        ("年底", (2023, 12, 1), (2024, 1, 1)),
        ("月末", (2024, 1, 21), (2024, 2, 1)),
        ("月底", (2024, 1, 21), (2024, 2, 1)),
    ],
)
def test_the_end_of_a_month_or_year_has_begun_where_what_has_been_is_asked_for(
    text: str, start: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    early = dates.Moment(_instant(2024, 2, 20, 12), ZONE)
    assert early.argument(text, "after", about="past") == dates.Interval(_instant(*start), _instant(*end))
    late = dates.Moment(_instant(2024, 12, 21, 12), ZONE)
    assert late.argument(text, "after", about="past") == late.argument(text, "after")


@pytest.mark.parametrize("text", ["週末", "周末", "the weekend", "over the weekend"])
def test_a_weekend_that_has_not_begun_is_the_last_one_where_what_has_been_is_asked_for(text: str) -> None:
    moment = dates.Moment(NOW, ZONE)  # a Thursday
    assert moment.argument(text, "after", about="past").start == datetime(2024, 2, 24, tzinfo=ZONE)
    assert moment.argument(text, "validUntil").start == datetime(2024, 3, 2, tzinfo=ZONE)
    on_sunday = dates.Moment(datetime(2024, 3, 3, 12, tzinfo=ZONE), ZONE)
    assert on_sunday.argument(text, "after", about="past").start == datetime(2024, 3, 2, tzinfo=ZONE)


def test_a_number_of_seconds_since_1970_is_an_instant_as_an_argument_alone() -> None:
    second = datetime(2024, 2, 29, 9, 30, 45, tzinfo=ZONE)
    assert dates.Moment(NOW, ZONE).argument("1709166645", "after") == dates.Interval(
        second, second + timedelta(seconds=1)
    )
    assert dates.find("order 1709166645", now=NOW, zone=ZONE) == []


@pytest.mark.parametrize(
    ("text", "microseconds", "lasting"),
    [
        ("2024-01-15T09:30:00.250+09:00", 250_000, 1_000),
        ("2024-01-15T00:30:00.5Z", 500_000, 100_000),
        ("2024-01-15 09:30:00,123456789", 123_456, 1),
        ("2024年1月15日 09:30:00.250", 250_000, 1_000),
        ("1705278600250", 250_000, 1_000),
        ("2024-01-15T09:30:00+09:00", 0, 1_000_000),
    ],
)
def test_an_instant_as_an_argument_keeps_its_fraction_of_a_second(text: str, microseconds: int, lasting: int) -> None:
    start = datetime(2024, 1, 15, 9, 30, 0, microseconds, tzinfo=ZONE)
    found = dates.Moment(NOW, ZONE).argument(text, "after", about="past")
    assert found == dates.Interval(start, start + timedelta(microseconds=lasting))


@pytest.mark.parametrize("text", ["in 3 days", "in 2 or 3 days"])
def test_days_to_come_are_no_length_alone(text: str) -> None:
    asked = dates.Moment(NOW, ZONE).argument(text, "after", about="past")
    assert asked == dates.Moment(NOW, ZONE).argument(text, "validUntil")
    assert asked.start is not None
    assert asked.start > NOW


@pytest.mark.parametrize("text", ["within the next 3 days", "next 3 days", "今后3天内"])
def test_what_is_said_to_come_is_not_taken_for_what_has_been(text: str) -> None:
    assert dates.Moment(NOW, ZONE).argument(text, "after", about="past").start == NOW


@pytest.mark.parametrize("text", ["年中无休", "三月中旬", "2024年中秋节", "the so far best month", "本期下旬刊"])
def test_nothing_of_it_is_taken_for_a_date_that_is_another_word(text: str) -> None:
    parts = ("年中", "月中", "so far", "下旬")
    assert not [found.text for found in dates.find(text, now=NOW, zone=ZONE) if found.text in parts and found.explicit]


#: Said on Thursday, 29 February 2024: (the argument, its last day of the past, of the future, or of either).
PENDING = [
    ("by Friday", (2024, 2, 23), (2024, 3, 1), (2024, 3, 1)),
    ("by March 10", (2023, 3, 10), (2024, 3, 10), (2024, 3, 10)),
    ("due by Thursday", (2024, 2, 22), (2024, 3, 7), (2024, 3, 7)),
    ("before Friday", (2024, 2, 22), (2024, 2, 29), (2024, 2, 29)),
    ("no later than Friday", (2024, 2, 23), (2024, 3, 1), (2024, 3, 1)),
    ("not later than Friday", (2024, 2, 23), (2024, 3, 1), (2024, 3, 1)),
    ("no later than March 10", (2023, 3, 10), (2024, 3, 10), (2023, 3, 10)),
    ("Friday", (2024, 2, 23), (2024, 3, 1), (2024, 2, 23)),
    ("by Q1", (2024, 3, 31), (2024, 3, 31), (2024, 3, 31)),
    ("Q1", (2024, 3, 31), (2024, 3, 31), (2024, 3, 31)),
    ("第4四半期", (2023, 12, 31), (2024, 12, 31), (2023, 12, 31)),
    ("第一季度末", (2024, 3, 31), (2024, 3, 31), (2024, 3, 31)),
    ("until June", (2023, 6, 30), (2024, 6, 30), (2023, 6, 30)),
    ("by 2025", (2025, 12, 31), (2025, 12, 31), (2025, 12, 31)),
    ("金曜までに", (2024, 2, 23), (2024, 3, 1), (2024, 3, 1)),
    ("3月10日までに", (2023, 3, 10), (2024, 3, 10), (2024, 3, 10)),
    ("遅くとも金曜", (2024, 2, 23), (2024, 3, 1), (2024, 3, 1)),
    ("遅くとも金曜までに", (2024, 2, 23), (2024, 3, 1), (2024, 3, 1)),
    ("最迟到周五", (2024, 2, 23), (2024, 3, 1), (2024, 3, 1)),
    ("最迟周五前", (2024, 2, 22), (2024, 2, 29), (2024, 2, 29)),
    ("最遲週五之前", (2024, 2, 22), (2024, 2, 29), (2024, 2, 29)),
    ("遅くとも金曜前", (2024, 2, 22), (2024, 2, 29), (2024, 2, 29)),
    ("by Friday at the latest", (2024, 2, 23), (2024, 3, 1), (2024, 3, 1)),
    ("金曜前", (2024, 2, 22), (2024, 2, 29), (2024, 2, 29)),
    ("金曜まで", (2024, 2, 23), (2024, 3, 1), (2024, 2, 23)),
    ("来月までに", (2024, 3, 31), (2024, 3, 31), (2024, 3, 31)),
    ("周五之前", (2024, 2, 22), (2024, 2, 29), (2024, 2, 29)),
    ("最迟周五", (2024, 2, 23), (2024, 3, 1), (2024, 3, 1)),
    ("最晚3月10號", (2023, 3, 10), (2024, 3, 10), (2024, 3, 10)),
    ("不迟于周五", (2024, 2, 23), (2024, 3, 1), (2024, 3, 1)),
    ("不遲於週五", (2024, 2, 23), (2024, 3, 1), (2024, 3, 1)),
    ("不晚于3月10日", (2023, 3, 10), (2024, 3, 10), (2023, 3, 10)),
    ("周五", (2024, 2, 23), (2024, 3, 1), (2024, 2, 23)),
    ("禮拜五以前", (2024, 2, 22), (2024, 2, 29), (2024, 2, 29)),
    ("月底之前", (2024, 2, 29), (2024, 2, 29), (2024, 2, 29)),
]


@pytest.mark.parametrize(("text", "past", "future", "either"), PENDING)
def test_what_is_pending_is_due_on_a_date_to_come(
    text: str, past: tuple[int, int, int], future: tuple[int, int, int], either: tuple[int, int, int]
) -> None:
    moment = dates.Moment(NOW, ZONE)
    for about, last in (("past", past), ("future", future), (None, either)):
        assert moment.argument(text, "validUntil", about=about).end == datetime(*last, tzinfo=ZONE) + timedelta(days=1)


@pytest.mark.parametrize("text", ["since the weekend", "週末以来", "自从周末", "自從週末"])
def test_since_the_weekend_is_since_one_that_has_begun(text: str) -> None:
    asked = dates.Moment(NOW, ZONE).argument(text, "after")
    assert asked == dates.Interval(datetime(2024, 2, 24, tzinfo=ZONE), None)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("until 5pm", 17),
        ("before 9am", 33),
        ("18時まで", 18),
        ("9時までに", 33),
        ("正午まで", 12),
        ("晚上八点前", 20),
        ("中午之前", 12),
    ],
)
def test_an_hour_that_ends_what_is_to_come_is_the_next_one(text: str, hours: int) -> None:
    asked = dates.Moment(NOW, ZONE).argument(text, "validUntil", about="future")
    assert asked.end == NOW.replace(hour=0, minute=0) + timedelta(hours=hours)


@pytest.mark.parametrize("text", ["30 days", "30日間", "三十天"])
def test_a_length_alone_is_the_next_one_about_the_future(text: str) -> None:
    asked = dates.Moment(NOW, ZONE).argument(text, "validUntil", about="future")
    assert asked == dates.Interval(NOW, datetime(2024, 3, 31, tzinfo=ZONE))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("土曜と日曜", (2024, 3, 2), (2024, 3, 4)),
        ("周六或周日", (2024, 3, 2), (2024, 3, 4)),
        ("Saturday or Sunday", (2024, 3, 2), (2024, 3, 4)),
        ("3月と4月", (2024, 3, 1), (2024, 5, 1)),
        ("三月或四月", (2024, 3, 1), (2024, 5, 1)),
        ("March and April", (2024, 3, 1), (2024, 5, 1)),
        ("3月1日と2日", (2024, 3, 1), (2024, 3, 3)),
        ("3月1日和2日", (2024, 3, 1), (2024, 3, 3)),
        ("昨日と今日", (2024, 2, 28), (2024, 3, 1)),
    ],
)
def test_several_dates_are_the_next_ones_about_the_future(
    text: str, start: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    asked = dates.Moment(NOW, ZONE).argument(text, "validUntil", about="future")
    assert asked == dates.Interval(datetime(*start, tzinfo=ZONE), datetime(*end, tzinfo=ZONE))


@pytest.mark.parametrize("text", ["now-7d", "today - 7 days", "今天-7天"])
def test_a_length_behind_a_minus_is_no_range_of_a_search(text: str) -> None:
    asked = dates.Moment(NOW, ZONE).argument(text, "after", about="past")
    assert asked.start == datetime(2024, 2, 22, tzinfo=ZONE)


@pytest.mark.parametrize(("text", "months"), [("半年", 6), ("1年", 12), ("一年", 12), ("三年", 36), ("兩年", 24)])
def test_a_length_in_years_is_one_too(text: str, months: int) -> None:
    moment = dates.Moment(NOW.replace(day=1), ZONE)
    years, month = divmod(1 + months, 12)
    end = datetime(2024 + years, month + 1, 2, tzinfo=ZONE)
    assert moment.argument(text, "validUntil", about="future") == dates.Interval(moment.now, end)
    years, month = divmod(1 - months, 12)
    assert moment.argument(text, "after", about="past").start == datetime(2024 + years, month + 1, 1, tzinfo=ZONE)


def test_what_is_due_is_to_come_in_a_text_too() -> None:
    (due,) = dates.find("the report due Friday", now=NOW, zone=ZONE)
    assert (due.text, due.interval.start, due.explicit) == ("due Friday", datetime(2024, 3, 1, tzinfo=ZONE), True)


#: Said on 29 February 2024.
SEVERAL = [
    ("yesterday and today", (2024, 2, 28), (2024, 3, 1)),
    ("January and February", (2024, 1, 1), (2024, 3, 1)),
    ("this week or last week", (2024, 2, 19), (2024, 3, 4)),
    ("昨日か一昨日", (2024, 2, 27), (2024, 2, 29)),
    ("先週と今週", (2024, 2, 19), (2024, 3, 4)),
    ("2月29日と1日", None, None),
    ("2月28日、29日", (2024, 2, 28), (2024, 3, 1)),
    ("昨天和今天", (2024, 2, 28), (2024, 3, 1)),
    ("上周六日", (2024, 2, 24), (2024, 2, 26)),
    ("上週一、二", (2024, 2, 19), (2024, 2, 21)),
    ("上周五六日", (2024, 2, 23), (2024, 2, 26)),
    ("這週二三", (2024, 2, 27), (2024, 2, 29)),
    ("先週の土日月", (2024, 2, 24), (2024, 2, 27)),
    ("先週の月〜水", (2024, 2, 19), (2024, 2, 22)),
    ("Mon, Tue and Wed last week", (2024, 2, 19), (2024, 2, 22)),
    ("昨日の朝と昼", (2024, 2, 28, 5), (2024, 2, 28, 14)),
    ("昨日の夕方か夜", (2024, 2, 28, 16), (2024, 2, 29, 6)),
    ("昨日の午前9時か10時", (2024, 2, 28, 9), (2024, 2, 28, 11)),
    ("1月上旬と中旬", (2024, 1, 1), (2024, 1, 21)),
    ("1月の前半と後半", (2024, 1, 1), (2024, 2, 1)),
    ("2023年の前半と後半", (2023, 1, 1), (2024, 1, 1)),
    ("去年の夏か秋", (2023, 6, 1), (2023, 12, 1)),
    ("昨天上午或下午", (2024, 2, 28, 5), (2024, 2, 28, 18)),
    ("昨天下午和晚上", (2024, 2, 28, 12), (2024, 2, 29, 6)),
    ("昨天上午九点或十点", (2024, 2, 28, 9), (2024, 2, 28, 11)),
    ("一月上旬或中旬", (2024, 1, 1), (2024, 1, 21)),
    ("一月上半月和下半月", (2024, 1, 1), (2024, 2, 1)),
    ("yesterday morning and afternoon", (2024, 2, 28, 5), (2024, 2, 28, 18)),
    ("yesterday afternoon or evening", (2024, 2, 28, 12), (2024, 2, 28, 21)),
    ("Monday at 9 or 10am", (2024, 2, 26, 9), (2024, 2, 26, 11)),
    ("second half of 2022 and first half of 2023", (2022, 7, 1), (2023, 7, 1)),
    ("来週とその翌週", (2024, 3, 4), (2024, 3, 18)),
    ("明日とその次の日", (2024, 3, 1), (2024, 3, 3)),
    ("下周和之后一周", (2024, 3, 4), (2024, 3, 18)),
    ("明天和后一天", (2024, 3, 1), (2024, 3, 3)),
    ("next week or the week after", (2024, 3, 4), (2024, 3, 18)),
    ("tomorrow and the day after", (2024, 3, 1), (2024, 3, 3)),
    ("tomorrow and the following day", (2024, 3, 1), (2024, 3, 3)),
    ("this or next week", (2024, 2, 26), (2024, 3, 11)),
    ("last and this month", (2024, 1, 1), (2024, 3, 1)),
    ("this week or next", (2024, 2, 26), (2024, 3, 11)),
    ("this year and last", (2023, 1, 1), (2025, 1, 1)),
    ("tomorrow and the day after Christmas", None, None),
    ("令和4、5年度", (2022, 4, 1), (2024, 4, 1)),
    ("令和3・4・5年", (2021, 1, 1), (2024, 1, 1)),
    ("令和4年12月と5年1月", (2022, 12, 1), (2023, 2, 1)),
    ("民國112年和113年", (2023, 1, 1), (2025, 1, 1)),
    ("民國112或113年", (2023, 1, 1), (2025, 1, 1)),
    ("令和4年と5年前", None, None),
    ("令和4年と3年", None, None),
    ("2023年上下半年", (2023, 1, 1), (2024, 1, 1)),
    ("去年上、下半年", (2023, 1, 1), (2024, 1, 1)),
    ("2023年の上下半期", (2023, 1, 1), (2024, 1, 1)),
    ("2023年通年", (2023, 1, 1), (2024, 1, 1)),
    ("令和5年度通年", (2023, 4, 1), (2024, 4, 1)),
    ("昨日と今日の3日間", None, None),
    # With a gap between them, or more than dates.
    ("昨日の9時と15時", None, None),
    ("昨天上午九点和下午三点", None, None),
    ("yesterday morning and night", None, None),
    ("last Monday and Wednesday", None, None),
    ("先週の月曜と水曜", None, None),
    ("上周一、三", None, None),
    ("yesterday and today at home", None, None),
    ("since yesterday and today", None, None),
    ("> yesterday and today", None, None),
]


@pytest.mark.parametrize(("text", "start", "end"), SEVERAL)
def test_dates_that_follow_each_other_are_one_span_as_an_argument(
    text: str, start: tuple[int, ...] | None, end: tuple[int, ...] | None
) -> None:
    mention = dates.parse(text, now=NOW, zone=ZONE)
    if start is None or end is None:
        assert mention is None
    else:
        assert mention is not None
        assert (mention.start, mention.end, mention.text) == (0, len(text), text)
        assert mention.interval == dates.Interval(_instant(*start), _instant(*end))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("土曜か日曜", (2024, 3, 2), (2024, 3, 4)),
        ("周六或周日", (2024, 3, 2), (2024, 3, 4)),
        ("周六周日", (2024, 3, 2), (2024, 3, 4)),
        ("Saturday or Sunday", (2024, 3, 2), (2024, 3, 4)),
        ("金曜の夜と土曜の朝", (2024, 3, 1, 18), (2024, 3, 2, 12)),
        ("日曜と月曜", (2024, 2, 25), (2024, 2, 27)),
        ("Mon, Tue and Wed last week", (2024, 2, 19), (2024, 2, 22)),
    ],
)
def test_the_second_of_two_days_in_a_row_may_be_today(text: str, start: tuple[int, ...], end: tuple[int, ...]) -> None:
    sunday = dates.parse(text, now=NOW.replace(month=3, day=3), zone=ZONE)
    assert sunday is not None
    assert sunday.interval == dates.Interval(_instant(*start), _instant(*end))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("昨日の朝と夜に何を食べたか", ["昨日の朝", "夜"]),
        ("昨日の朝と夜食", ["昨日の朝"]),
        ("昨日の朝、昼ごはんを作った", ["昨日の朝"]),
        ("昨日の9時と10人で", ["昨日の9時"]),
        ("昨天早上和晚上吃了什么", ["昨天早上", "晚上"]),
        ("昨天早上和晚饭", ["昨天早上"]),
        ("what I did yesterday morning and night", ["yesterday morning", "night"]),
    ],
)
def test_parts_of_one_day_are_dates_each(text: str, parts: list[str]) -> None:
    assert [one.text for one in dates.find(text, now=NOW, zone=ZONE)] == parts


#: Said on 28 February 2024: 29 February is tomorrow, not four years ago.
@pytest.mark.parametrize(
    "text",
    [
        "2月27日、28日と29日",
        "二月二十七號、二十八號和二十九號",
        "February 27, the 28th and the 29th",
        "二月二十七日、28日、29日",
        "2月27日和28日、29日",
    ],
)
def test_a_day_named_after_others_of_its_month_may_be_to_come(text: str) -> None:
    starts = [one.interval.start for one in dates.find(text, now=NOW.replace(day=28), zone=ZONE)]
    assert starts == [datetime(2024, 2, day, tzinfo=ZONE) for day in (27, 28, 29)]


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("1 hour ago", timedelta(hours=-1)),
        ("until 1 hour ago", timedelta(hours=-1)),
        ("1時間前", timedelta(hours=-1)),
        ("2時間前まで", timedelta(hours=-2)),
        ("两小时前", timedelta(hours=-2)),
        ("30分钟前", timedelta(minutes=-30)),
        ("in 2 hours", timedelta(hours=2)),
        ("3時間後", timedelta(hours=3)),
        ("半小时后", timedelta(minutes=30)),
    ],
)
def test_hours_from_now_end_at_that_instant_where_an_end_is_needed(text: str, passed: timedelta) -> None:
    about: dates.About = "future" if passed > timedelta(0) else "past"
    assert dates.Moment(NOW, ZONE).argument(text, "before", about=about, end="end").end == NOW + passed


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("10年", (2034, 3, 1)),
        ("１０年", (2034, 3, 1)),
        ("20年", (2044, 3, 1)),
        ("30年", (2054, 3, 1)),
        ("十年", (2034, 3, 1)),
        ("10 years", (2034, 3, 1)),
        ("28年", (2029, 1, 1)),
        ("令和10年", (2029, 1, 1)),
        ("2010年", (2011, 1, 1)),
        ("23年まで", (2024, 1, 1)),
    ],
)
def test_two_digits_of_years_that_are_over_are_a_length_where_the_future_is_meant(
    text: str, end: tuple[int, int, int]
) -> None:
    found = dates.Moment(NOW, ZONE).argument(text, "validUntil", about="future", end="end")
    assert found.end == datetime(*end, tzinfo=ZONE)


#: Words for a part of the day -> hours as they are said with them, and in hours from the midnight before.
HOURS_OF_PARTS = {
    "昨日の早朝 昨日の明け方 昨天凌晨 昨天清晨": {12: 0, 4: 4, 5: 5},
    "昨日の朝 昨日の午前 昨天早上 昨天上午 yesterday_morning_at": {6: 6, 9: 9, 11: 11},
    "昨日の昼 昨日のお昼 昨天中午": {10: 10, 11: 11, 12: 12, 1: 13, 2: 14},
    "昨日の午後 昨日の昼過ぎ 昨天下午 昨天午后 yesterday_afternoon_at": {12: 12, 1: 13, 3: 15, 5: 17},
    "昨日の夕方 昨天傍晚 yesterday_evening_at": {4: 16, 5: 17, 7: 19},
    "昨日の夜 昨夜 昨日の晩 昨晚 昨天晚上 昨天夜里 last_night_at": {7: 19, 9: 21, 11: 23, 12: 24, 1: 25, 2: 26},
    "昨日の深夜 昨日の夜中 昨天半夜 昨天深夜": {11: 23, 12: 24, 1: 25, 2: 26},
}


@pytest.mark.parametrize(
    ("part", "said", "meant"),
    [(part, *hour) for parts, hours in HOURS_OF_PARTS.items() for part in parts.split() for hour in hours.items()],
)
def test_an_hour_is_in_the_part_of_the_day_that_is_said_with_it(part: str, said: int, meant: int) -> None:
    hour = f" {said}" if part.isascii() else f"{said}点" if part.startswith(("昨天", "昨晚")) else f"{said}時"
    text = part.replace("_", " ") + hour
    start = _instant(2024, 2, 28) + timedelta(hours=meant)
    assert dates.Moment(NOW, ZONE).argument(text, "after") == dates.Interval(start, start + timedelta(hours=1))
