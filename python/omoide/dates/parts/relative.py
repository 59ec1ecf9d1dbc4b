"""Reads days, weeks, months and years that are counted from the reference.

Useful for: yesterday, 先週, next Friday, 上个月底, the week. Not useful for: three days ago, which is `terms`'.
Invariant: every part read here is marked as relative.
"""

from __future__ import annotations

from collections.abc import Callable

from omoide.dates.frame import Frame, is_fiscal
from omoide.dates.lexer import Tokens
from omoide.dates.model import About
from omoide.dates.parts.chunk import LIKELY, SURE, WEAK, Chunk, Reading
from omoide.dates.parts.days import is_last_day, month_follows, read_day_number
from omoide.dates.parts.digits import read_literal
from omoide.dates.parts.lunar import is_old_day_or_grade
from omoide.dates.parts.periods import HAS_BEEN_IN_ENGLISH, day_follows
from omoide.dates.patterns import pattern

#: What makes a date a day, or one of the week.
NAMED_DAYS = frozenset({"day", "holiday", "weekday"})
#: How many days from the day said in front: クリスマスの翌日, 圣诞节第二天. Alone they are counted from now.
BESIDE = {"前日": -1, "当日": 0, "当天": 0, "翌日": 1, "次日": 1, "第二天": 1, "隔天": 1, "翌々日": 2, "前々日": -2}
#: Before a unit, which is then the previous or next one: クリスマスの次の日, 圣诞节前一天, 春节后一个月.
ONE_BESIDE = {"前の": -1, "前一": -1, "前一个": -1, "次の": 1, "后一个": 1}
#: The same of days alone: クリスマスの次の次の日.
TWO_BESIDE = {"前の前の": -2, "次の次の": 2}
_BESIDE_A_UNIT = ONE_BESIDE.keys() | TWO_BESIDE.keys()
#: The seven days before or after: クリスマスの翌週; 圣诞节下一周 is not counted from now either.
WEEK_BESIDE = {"前週": -1, "前周": -1, "翌週": 1, "翌周": 1}
OF_WEEK_BESIDE = {"上一": -1, "上一个": -1, "下": 1, "下个": 1, "下一": 1, "下一个": 1}


def read_day_word(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Today, 一昨日, 昨晚, tonight."""
    word = tokens.get(at, "day")
    if word is None or (said.said & NAMED_DAYS and tokens.all[at].text in BESIDE):
        return None
    if reading.japanese and tokens.all[at].text == "后日":
        return None  # 後日ご連絡します: some later day
    if said.month is not None and said.said.isdisjoint(_WITHIN_A_MONTH):
        return None  # I met April yesterday
    # 明朝 is the Ming in Chinese.
    sure = WEAK if tokens.all[at].text == "明朝" and not reading.japanese else SURE
    return Chunk(Frame(shift=("day", word[0]), part=word[1]), at + 1, sure, relative=True)


#: Parts that make a day of a month.
_WITHIN_A_MONTH = {"day", "weekday", "nth", "third", "lunar"}


def read_this_time(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """This time last year, 去年の今頃, 去年同期: this day of that year; "this time tomorrow" and 明日の今頃 are tomorrow."""
    if not tokens.has(at, "this_time"):
        return None
    if said.said == {"shift"} and said.shift is not None and said.shift[0] == "day":
        return Chunk(Frame(), at + 1, WEAK)
    if (day := tokens.get(at + 1, "day")) is not None and not said.said:
        return Chunk(Frame(shift=("day", day[0])), at + 2, relative=True)
    behind = tokens.get(at + 1, "shift") is not None and tokens.get(at + 2, "unit") in {"year", "month"}
    if not (said.said & {"year_shift", "month_shift"} or (behind and not said.said)):
        return None
    return Chunk(Frame(shift=("day", 0)), at + 1, relative=True)


def read_day_weeks_away(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """先週の今日, 上周今天, "this time last week", "today last week": the day so many weeks away."""
    today = past_today(tokens, at)
    weeks = _weeks(tokens, at if today is None else today)
    if weeks is None or said.said:
        return None
    count, stop = weeks
    if today is None:
        today = past_today(tokens, stop + tokens.has(stop, "link"))
        if today is None or tokens.all[at].text.isascii():
            return None
        stop = today
    return Chunk(Frame(shift=("day", 7 * count)), stop, relative=True)


def past_today(tokens: Tokens, at: int) -> int | None:
    """The place after 今日, "this time" or "same day"."""
    if tokens.has(at, "this_time") or tokens.get(at, "day") == (0, None):
        return at + 1
    return at + 2 if tokens.get(at, "shift") == 0 and tokens.get(at + 1, "unit") == "day" else None


def _weeks(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """How many weeks from the present one, and the place after it: 先週, 上个星期, "next week"."""
    unit, count = tokens.get(at, "period") or (None, 0)
    if unit is not None:
        return (count, at + 1) if unit == "week" else None
    count = tokens.get(at, "shift")
    return (count, at + 2) if count is not None and tokens.get(at + 1, "unit") == "week" else None


def read_period_word(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """先週, 去年, "the week after next"."""
    period = tokens.get(at, "period")
    if period is None or (said.said & NAMED_DAYS and tokens.all[at].text[0] in "翌次前"):
        return None  # クリスマスの翌週 is not the next one from now
    if tokens.all[at].text.endswith(" before last") and tokens.has(at + 1, "holiday", "month", "season", "weekday"):
        return None  # the week before last Christmas
    unit, count = period
    token = tokens.at(at)
    if token is not None and reading.japanese:
        unit, count = _IN_JAPANESE.get(token.text, period)
    return Chunk(counted(unit, count), at + 1, relative=True)


#: Words that mean something else in Chinese.
_IN_JAPANESE = {
    "前年": ("year", -1),
    "去年度": ("fiscal", -1),
    "本年度": ("fiscal", 0),
    "上年度": ("fiscal", -1),
    "当年度": ("fiscal", 0),
    "次年度": ("fiscal", 1),
}


def counted(unit: str, count: int) -> Frame:
    """The unit of the calendar so many from the present one."""
    if unit == "year":
        return Frame(year_shift=count)
    return Frame(month_shift=count) if unit == "month" else Frame(shift=(unit, count))


def read_shifted(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Last week, this Friday, next June, 上个月, 次の金曜日, "the previous easter", 前の年."""
    count = tokens.get(at, "shift")
    beside = said.said & NAMED_DAYS and tokens.all[at].text in _BESIDE_A_UNIT
    if count is None or (beside and tokens.has(at + 1, "unit", "weekday")):
        return None
    if said.holiday and tokens.all[at].text in OF_WEEK_BESIDE and tokens.get(at + 1, "unit") in {"week", "weekday"}:
        return None
    stop, narrow = at + 1, tokens.get(at, "narrow")
    if tokens.has(stop, "narrow") and tokens.get(stop, "shift") is not None:  # this coming, this past
        narrow, count, stop = tokens.get(stop, "narrow"), tokens.get(stop, "shift"), stop + 1
    token = tokens.at(stop)
    if token is not None and token.text.isascii() and tokens.all[at].text.isascii():
        dated = read_literal(tokens, stop, said, reading) or read_day_number(tokens, stop, said, reading)
        if dated and (dated.frame.month is not None or month_follows(tokens, dated.stop)):
            year = Frame(nearest=1) if narrow == 1 else Frame(year_shift=count)
            joined = dated.frame.join(year)
            return Chunk(joined, dated.stop, relative=True) if joined else None
    if token is None or not _is_shifted(tokens.all[at].text, token.text, reading):
        return None
    if said.part is not None and said.part == tokens.get(stop, "part"):
        return Chunk(Frame(shift=("day", count)), stop + 1, relative=True)  # first thing this morning
    season = tokens.get(stop, "season")
    if tokens.all[at].text == "昨" and season in _WITHIN_A_YEAR:
        # 昨夏; "last summer" may be this year's.
        return Chunk(Frame(season=season, year_shift=-1), stop + 1, relative=True)
    return _shifted_what(tokens, stop, count, narrow)


def read_steps(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """2つ前の週, 3つ先の月; for 2つ前の日曜 see terms.py."""
    number = tokens.get(at, "num")
    sign, unit = tokens.get(at + 1, "steps"), tokens.get(at + 2, "unit")
    if sign is None or said.said or not 1 <= number <= _MOST_STEPS or unit not in {"week", "weekend", "month", "year"}:
        return None
    return Chunk(counted(unit, sign * number), at + 3, relative=True)


_MOST_STEPS = 100


def read_nearest(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """来る and 去る of 来る6月20日, 去る日曜日."""
    nearest = tokens.get(at, "nearest")
    if nearest is None or said.said or not tokens.has(at + 1, "num", "weekday") or _is_verb(tokens, at):
        return None
    return Chunk(Frame(nearest=nearest), at + 1, WEAK, relative=True)


def _is_verb(tokens: Tokens, at: int) -> bool:
    """Whether something comes or leaves, as in 持って来る6月の資料."""
    return "ぁ" <= tokens.text[: tokens.all[at].start][-1:] <= "ゖ"


def _is_shifted(shift: str, what: str, reading: Reading) -> bool:
    """Whether the two belong together, as in その日: not in 来日, 日本天皇, 应该早点 and 日本秋田."""
    if what == "日":
        return shift != "来" if reading.japanese else shift in {"同", "当", "该"}
    if what in {"学期", "学年"}:
        return shift != "同"  # 同学期待, 同学年
    if what == "季":
        return not reading.japanese  # 昨季 is a season of games
    if what == "天":
        return shift not in {"上", "下", "本", "今"}
    if (what in _SIGNS_OF_HOURS and shift in {"上", "下"}) or (what == "朝" and shift in {"当", "次"}):
        return False  # 上朝, 皇上早定, 当朝大臣
    return what not in _ONE_SIGN_PARTS or shift not in {"本", "该", "来"} or (shift == "来" and what in "春夏秋冬")


_SIGNS_OF_HOURS = frozenset("早晨朝昼晚晩夜夕")
_ONE_SIGN_PARTS = _SIGNS_OF_HOURS | frozenset("春夏秋冬")


#: Spring, summer and autumn.
_WITHIN_A_YEAR = {0, 1, 2}


def _shifted_what(tokens: Tokens, at: int, count: int, narrow: int | None) -> Chunk | None:
    for kind, build in _SHIFTED.items():
        value = tokens.get(at, kind)
        if value is not None:
            frame = build(value, count, narrow)
            return Chunk(frame, at + 1, relative=True) if frame else None
    half = tokens.get(at, "half") is not None and tokens.get(at + 1, "unit") == "year"
    return Chunk(Frame(shift=("halfyear", count)), at + 2, relative=True) if half else None


def _shifted_weekday(value: int, count: int, narrow: int | None) -> Frame:
    if narrow == -1:
        return Frame(weekday=value)
    if narrow == 1:
        return Frame(weekday=value, nearest=1)
    return Frame(weekday=value, shift=("week", count))


def _shifted_unit(value: str, count: int, narrow: int | None) -> Frame | None:
    if value == "weekend" and narrow == 1:
        return Frame(shift=("weekend", 0))  # the one to come is that of this week
    if value in {"second", "minute", "hour"} or (value == "weekday" and not count):
        return None
    if value == "workweek":
        return Frame(shift=("workweek", count))
    return counted(value, count)


_SHIFTED: dict[str, Callable[..., Frame | None]] = {
    "weekday": _shifted_weekday,
    "month": lambda value, count, narrow: Frame(month=value, nearest=narrow) if narrow else Frame(month=value, year_shift=count),
    "unit": _shifted_unit,
    "season": lambda value, count, _: Frame(season=value, nearest=-1) if count == -1 else Frame(season=value, year_shift=count),
    "edge_of": lambda value, count, _: counted(value[0], count).join(Frame(edge=value[1])),
    "part": lambda value, count, _: Frame(part=value, shift=("day", count)),
    "holiday": lambda value, count, _: Frame(holiday=value, nearest=count) if count else Frame(holiday=value, year_shift=0),
}  # fmt: skip


def read_the_unit(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """The week, my day, 週末, その週: the present one; not certainly a date."""
    skip = at + tokens.has(at, "here")
    unit = tokens.get(skip, "unit")
    if tokens.word(skip + 1) == "of" and day_follows(tokens, skip + 2):
        return None
    if unit == "weekend" and not said.said:
        is_ours = skip == at or tokens.word(at) == "the"  # that weekend may be any
        tense = _tense(tokens, at, skip, reading) if is_ours and not reading.whole else None
        which = "weekend begun" if "past" in {reading.about, tense} else "weekend"
        sure = skip == at if reading.whole or tense == "future" else tense == "past"
        return Chunk(Frame(shift=(which, 0)), skip + 1, SURE if sure else LIKELY, relative=True)
    if unit == "weekend" and "weekend" not in (said.shift or ()):
        return Chunk(Frame(week_of="weekend"), skip + 1)
    working = unit == "workweek" or tokens.word(skip) == "工作日"
    if working and said.said == {"shift"} and said.shift is not None and said.shift[0] == "week":
        return Chunk(Frame(week_of="workweek"), skip + 1)  # 先週の平日, 上周工作日
    edge = said.edge is not None and said.said == {"edge"}
    if edge and unit == "day" and tokens.has(skip + 1 + tokens.has(skip + 1, "link"), *_OWNERS["day"]):
        return Chunk(Frame(), skip + 1, WEAK)  # early in the day on Wednesday
    behind = skip + 1 + tokens.has(skip + 1, "link")
    if edge and unit is not None and tokens.has(behind, "shift") and tokens.get(behind + 1, "unit") == unit:
        return Chunk(Frame(), skip + 1, WEAK)  # mid-week last week
    if (skip == at and not edge) or unit not in {"day", "week", "month", "year", "quarter", "fortnight", "workweek"}:
        return None
    if said.said - {"edge", "nth", "quarter", "half", "day", "weekday"} or _number_follows(tokens, skip + 1):
        return None
    return Chunk(counted(unit, 0), skip + 1, LIKELY if edge else WEAK, relative=True)


def _tense(tokens: Tokens, start: int, weekend: int, reading: Reading) -> About | None:
    """Which weekend, or other date that ends there, its sentence is about, if that tells: 週末どこに行った and 周末去了哪里 the last one,
    週末の予定 the next."""
    text, first, last = tokens.text, tokens.all[start].start, tokens.all[weekend].end
    sentence = pattern(r"[.。!?;\n]")
    before = sentence.split(text[max(first - _SENTENCE_CHARS, 0) : first])[-1]
    around = f"{before}_{sentence.split(text[last : last + _SENTENCE_CHARS])[0]}"
    if tokens.all[weekend].text.isascii():
        has_been = HAS_BEEN_IN_ENGLISH
    else:
        has_been = _HAS_BEEN_IN_JAPANESE if reading.japanese else _HAS_BEEN_IN_CHINESE
    happened = pattern(has_been).search(around) is not None
    planned = pattern(_PLANNED).search(around) is not None
    if happened == planned:  # 週末に行くことになった, 周末决定了去哪
        return None
    return "past" if happened else "future"


def is_planned(tokens: Tokens, start: int, stop: int, reading: Reading) -> bool:
    """Whether the sentence asks or tells what is planned for the date in tokens[start:stop]: 12月の予定, 周五的安排, plans for Friday; not
    金曜の予定は何だった."""
    text, first, last = tokens.text, tokens.all[start].start, tokens.all[stop - 1].end
    if text.isascii():
        named = pattern(_PLANS_BEFORE).search(text, max(first - _SENTENCE_CHARS, 0), first) is not None
    else:
        before = text[max(first - _SENTENCE_CHARS, 0) : first].rstrip(" :はが是为")
        is_over = "期限切" in text[last : last + 4]
        named = not is_over and (text.startswith(_PLANS_BEHIND, last) or before.endswith(_DEADLINES_BEFORE))
    return named and _tense(tokens, start, stop - 1, reading) == "future"


#: What is pending, as plans are: 金曜締切, 周五截止, 締め切りは金曜.
_DEADLINES = ("締切", "締め切", "〆切", "期限", "納期", "截止", "截稿", "到期")
_PLANS_BEHIND = (
    "の予定",
    *(joint + plan for joint in ("", "的", "有", "有什么", "有哪些") for plan in ("计划", "计劃", "安排", "打算")),
    *(joint + deadline for joint in ("", "が", "の") for deadline in _DEADLINES),
    "要交",
)
_PLANS_BEFORE = (
    r"\b(?:(?:plan(?:s|ned)?|scheduled?)(?:\s+(?:for|on))?|(?:deadline|due date|expires|expiry date)(?:\s+(?:is|on|in))?:?)"
    r"\s+(?:the\s+)?$"
)
_DEADLINES_BEFORE = (
    *_DEADLINES,
    *(f"{deadline}{end}" for deadline in _DEADLINES for end in ("り", "日", "日期", "时间")),
)
_SENTENCE_CHARS = 40
#: Words of what has been. Not 行きたい, 終わったら, 人たち, 行くんだ.
_HAS_BEEN_IN_JAPANESE = "(?:[いえきぎけげしじせちっつてねびべみめりれ来着出見寝]た|(?<![うくぐすつなぬぶむる])んだ)(?![いがくずちぶめらりる])"
#: Not 除了, 了解, 快到了, 要下雨了.
_HAS_BEEN_IN_CHINESE = "^(?!.*[快要]).*(?:(?<![为為极極算除])了(?!解)|[买買做吃去看聊见見说說玩][过過])"
#: Words of what is to come, which also tell what was decided about it; `_` is the weekend.
_PLANNED = (
    f"{'|'.join(_DEADLINES)}|要交|予定|[予预預][报報]|计[划画劃]|ことに|つもり|打算|安排|天[气気]|[决決]|[约約]|[订訂]"
    r"|\b(?:plan|schedul|forecast|decide|book|agree|upcoming|deadline|due|expir)|\b(?:for|by|until|before) _"
)


def read_within_unit(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """年内, 月内に, 週内 as a whole argument: the present year, month or week; 3年内 is a length."""
    unit = tokens.get(at, "unit") if tokens.word(at) in _WITH_MIDDLE else None
    alone = reading.whole and at == 0 and unit is not None and tokens.word(at + 1) in {"内", "内に"}
    return Chunk(counted(unit, 0), at + 2, relative=True) if alone and unit else None


def _number_follows(tokens: Tokens, at: int) -> bool:
    return tokens.has(at, "num") or (tokens.has(at, "link") and tokens.has(at + 1, "num"))


def read_whole(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """All of the period that was named: 去年全年, 昨天一天, 先月1ヶ月間, 周末两天."""
    unit, stop = tokens.get(at, "whole"), at + 1
    if unit is None and tokens.get(at, "num") == 1 and not tokens.word(at + 1).startswith("月"):  # 去年1月
        unit, stop = tokens.get(at + 1, "unit"), at + 2
    if said.said == {"shift"} and said.shift and said.shift[0].startswith("weekend") and tokens.get(at, "num") == 2:
        is_over = tokens.get(at + 1, "unit") == "day" and not tokens.has(at + 2, *_OF_A_LENGTH)
        return Chunk(Frame(), at + 2, WEAK) if is_over else None
    named = unit is not None and said.said and said.said <= _WHOLES.get(unit, frozenset())
    if not named or (unit in {"week", "day"} and (said.shift or ("",))[0] != unit) or tokens.has(stop, *_OF_A_LENGTH):
        return None
    return Chunk(Frame(), stop, WEAK) if tokens.word(stop) not in _BEHIND_ONE else None


#: Parts that name a period of the unit.
_WHOLES = {
    "year": frozenset({"year", "year_shift", "fiscal"}),
    "month": frozenset({"year", "year_shift", "month", "month_shift"}),
    "week": frozenset({"shift"}),
    "day": frozenset({"shift"}),
}
#: Kinds of words after a length that is counted from somewhere, and words that make something else of one unit: 去年一年级, 先月1ヶ月ぶり, 昨天一天到晚.
_OF_A_LENGTH = ("ago", "hence", "within", "tail", "nth_unit")
_BEHIND_ONE = {"级", "生", "ぶ", "未", "到"}


def read_edge_of(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """月末, 年初, eoy; after a year or month, its end and beginning."""
    word = tokens.get(at, "edge_of")
    if (unit := tokens.get(at, "eo")) is not None:
        if unit == "day" and (said.said & NAMED_DAYS or "day" in (said.shift or ())):
            return Chunk(Frame(edge="end"), at + 1)  # Friday EOD
        if tokens.has(at + 1 + tokens.has(at + 1, "link"), *_OWNERS.get(unit, ())):
            return Chunk(Frame(edge="end"), at + 1)  # EOD yesterday, end of day on Friday
        word = unit, "end"
    if word is None:
        return None
    unit, edge = word
    if (unit, edge) == ("month", "closing") and is_last_day(tokens, at + 1):
        last = Frame(nth=(-1, 1, "day"), month_shift=None if said.said & {"month", "month_shift"} else 0)
        return Chunk(last, at + 2, relative=not said.said)
    owned = {"year": {"year", "year_shift"}, "month": {"month", "month_shift"}, "week": {"shift"}}.get(unit, set())
    if said.said & owned:
        return Chunk(Frame(edge=edge), at + 1)
    if unit == "week" and tokens.has(at + 1 + tokens.has(at + 1, "link"), "weekday"):
        return Chunk(counted(unit, 0), at + 1, relative=True)  # 週明けの月曜 is all of that day
    if edge == "closing" and not said.said and _has_begun(tokens, at, reading):
        return Chunk(Frame(shift=(f"{unit} begun", 0), edge=edge), at + 1, relative=True)
    frame = counted(unit, 0).join(Frame(edge=edge))
    return Chunk(frame, at + 1, relative=True) if frame else None


def _has_begun(tokens: Tokens, at: int, reading: Reading) -> bool:
    """Whether 年末 or 月底 is one that has begun, as the past is asked for or told of: 年末に買った, 年底买了什么; not the last Friday of
    it, nor the end of a range (去年10月から年末)."""
    if tokens.has(at - 1, "to") or tokens.has(at + 1 + tokens.has(at + 1, "link"), "weekday"):
        return False
    return reading.about == "past" or (not reading.whole and _tense(tokens, at, at, reading) == "past")


#: Kinds of words after "end of the day" or "of the month" that name the day or month.
_OWNERS: dict[str, tuple[str, ...]] = {"day": ("day", "weekday", "month"), "month": ("month",)}


def read_edge_of_unit(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """年度末, 季度末, 四半期末, 年度初め, 月中 as a whole argument: of the present one, if none is named; 去年年中."""
    if said.said & _NAMED_BEFORE.get(tokens.word(at), set()) and tokens.all[at].glued:
        return Chunk(Frame(edge="mid"), at + 2) if tokens.word(at + 1) == "中" else None
    if reading.whole and not said.said and tokens.word(at + 1) == "中":
        middle = _WITH_MIDDLE.get(tokens.all[at].text)
        return Chunk(counted(middle, 0).join(Frame(edge="mid")) or Frame(), at + 2, relative=True) if middle else None
    unit = "fiscal" if tokens.word(at) == "年度" else tokens.get(at, "unit")
    edge = tokens.get(at + 1, "edge")
    if said.said or unit not in {"fiscal", "quarter"} or not tokens.glued(at + 1) or edge not in _OUTERMOST:
        return None
    if tokens.text[tokens.all[at].start].isascii():
        return None
    return Chunk(Frame(shift=(unit, 0), edge=_OUTERMOST[edge]), at + 2, relative=True)


#: Whose middle 年中 and 月中 are, where that was said before.
_NAMED_BEFORE = {"年": {"year", "year_shift"}, "月": {"month", "month_shift"}}
_WITH_MIDDLE = {"月": "month", "年": "year", "周": "week"}
#: 年度初め is its first month, as 年度末 is its last.
_OUTERMOST = {"start": "opening", "opening": "opening", "end": "closing", "closing": "closing"}


def read_edge(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Early, "the end of", 初め: only beside a period; 下旬 alone is that of this month."""
    third = tokens.get(at, "third")
    if third is not None and (not said.said or said.said & {"month", "month_shift"}):
        return Chunk(Frame(third=third), at + 1, SURE if said.said else WEAK, relative=not said.said)
    edge = tokens.get(at, "edge")
    token = tokens.at(at)
    if edge is None or token is None or (token.text in _TERMS and not said.said & {"decade", "century"}):
        return None
    if edge == "closing" and said.said & {"month", "month_shift"} and is_last_day(tokens, at + 1):
        return Chunk(Frame(nth=(-1, 1, "day")), at + 2)
    if said.said & {"year", "year_shift", "lunar", "holiday"} and is_old_day_or_grade(tokens, at):
        return None
    behind = bool(said.said - {"edge"})
    if not behind and not token.text.isascii():
        return None
    if behind and token.text.endswith(" in"):
        return None
    if not behind and not _period_follows(tokens, at + 1):
        return None
    if behind and token.text.isascii() and not (tokens.has(at + 1, "part") or said.said <= {"weekday", "shift"}):
        return None
    stop = at + 1
    dash = tokens.at(stop)
    if not token.text.isascii() and is_fiscal(said):
        edge = _OUTERMOST.get(edge, edge)
    return Chunk(
        Frame(edge=_clipped(token.text, edge)), stop + (dash is not None and dash.text == "-" and dash.glued), WEAK
    )


#: Of a year they are terms, which everybody divides otherwise; 90年代后期 is its end.
_TERMS = {"前期", "后期"}


def _clipped(word: str, edge: str) -> str:
    if word.startswith(("later", "この后", "あと")):
        return "later"
    return "earlier" if word.startswith(("earlier", "ちょっと")) else edge


def _period_follows(tokens: Tokens, at: int) -> bool:
    for step in range(4):
        if tokens.has(
            at + step,
            "month",
            "weekday",
            "part",
            "period",
            "day",
            "holiday",
            "season",
            "shift",
            "unit",
            "num",
            "cardinal",
            "decade",
            "ordinal",
            "quarter_sign",
        ):
            return True
        if not tokens.has(at + step, "link", "here", "one") and tokens.word(at + step) != "-":
            return False
    return False
