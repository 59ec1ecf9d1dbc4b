"""Reads a quarter, half, season, holiday, nth week or part of the day.

Useful for: Q1, 上半年, the first Monday of, 第31週, morning. Not useful for: months and years themselves.
Invariant: an ordinal counts only beside a period to count in.
"""

from __future__ import annotations

from omoide.dates import numbers
from omoide.dates.calendar import TERMS
from omoide.dates.fold import fold, is_han
from omoide.dates.frame import Frame
from omoide.dates.holidays import days_long
from omoide.dates.hours import NIGHTS
from omoide.dates.lengths import HOW_MANY
from omoide.dates.lexer import Tokens
from omoide.dates.parts.chunk import LIKELY, SURE, WEAK, Chunk, Reading
from omoide.dates.parts.days import fraction_follows, month_follows
from omoide.dates.parts.years import PLURAL, read_century, read_decade, week_number
from omoide.dates.patterns import pattern


def read_quarter(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Q1, 3Q25, first quarter, 第3四半期, 一季度, H2."""
    token, digit = tokens.at(at), tokens.at(at + 1)
    behind = _sign_behind(tokens, at)
    if behind is not None:
        return behind
    if token and digit and digit.glued and "num" in digit.senses and token.text in {"q", "h"}:
        value = digit.senses["num"]
        if (year := _short_year_behind(tokens, at + 2)) is not None and 1 <= value <= (4 if token.text == "q" else 2):
            of_year = Frame(quarter=value, year=year) if token.text == "q" else Frame(half=(value, "year"), year=year)
            return Chunk(of_year, at + 4)
        if token.text == "q" and 1 <= value <= 4:
            return Chunk(Frame(quarter=value), at + 2)
        return Chunk(Frame(half=(value, "year")), at + 2, SURE if said.said else LIKELY) if value in {1, 2} else None
    rank = numbers.ordinal(tokens, at) or (numbers.cardinal(tokens, at) if tokens.has(at, "num") else None)
    if rank and 1 <= rank[0] <= 4 and tokens.get(rank[1], "unit") == "quarter" and not _are_seasons(tokens, at, said):
        return Chunk(Frame(quarter=rank[0]), rank[1] + 1)
    place = at + tokens.has(at, "nth_mark")
    if (several := _SEVERAL_QUARTERS.get(tokens.word(place))) is not None and tokens.get(
        place + 1, "unit"
    ) == "quarter":
        return Chunk(several, place + 2)
    rank = rank or (numbers.ordinal(tokens, at + 1) if tokens.has(at, "here") else None)
    if rank and 1 <= rank[0] < _QUARTERS and _later_quarter(tokens, rank[1], rank[0]):
        return Chunk(Frame(quarter=rank[0]), rank[1], SURE if tokens.has(rank[1], "to") else LIKELY)
    if rank and rank[0] == 1 and _second_half_follows(tokens, rank[1]):
        return Chunk(Frame(half=(1, "year")), rank[1], LIKELY)
    return _halves(tokens, at, numbers.ordinal(tokens, at))


#: 一二季度.
_SEVERAL_QUARTERS = {
    "一二": Frame(half=(1, "year")),
    "三四": Frame(half=(2, "year")),
    "一二三": Frame(nth=(1, 3, "quarter")),
    "二三四": Frame(nth=(-1, 3, "quarter")),
}


def _short_year_behind(tokens: Tokens, at: int) -> int | None:
    """2025 of Q4/25; not of Q4/25/3."""
    written = tokens.word(at + 1)
    if tokens.word(at) != "/" or written not in _SHORT_YEARS or not (tokens.glued(at) and tokens.glued(at + 1)):
        return None
    return None if fraction_follows(tokens, at + 2) else 2000 + int(written)


def read_semester(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """113學年度第一學期, 2024学年下学期, 秋季学期, 二学期 of a Japanese school, spring semester."""
    season = tokens.get(at, "season")
    if season is not None:
        return _semester_of_season(tokens, at + 1, season)
    shift = tokens.get(at, "shift")
    rank = numbers.ordinal(tokens, at) or numbers.cardinal(tokens, at)
    if shift is not None:
        rank = (1 if shift < 0 else 2, at + 1) if shift in {-1, 1} and said.school_year is not None else None
    if rank is None or tokens.get(rank[1], "unit") != "semester":
        return None
    if said.school_year is not None:
        return Chunk(Frame(semester=rank[0]), rank[1] + 1) if rank[0] in {1, 2} else None
    counted = tokens.has(rank[1] + 1, "ago", "hence", "within") or tokens.all[rank[1]].text != "学期"
    if not reading.april or counted or not 1 <= rank[0] <= len(TERMS) or tokens.has(at - 1, "few", "window"):
        return None
    first, last = TERMS[int(rank[0]) - 1]
    return Chunk(Frame(month=first, month_end=last), rank[1] + 1, SURE if said.said else LIKELY)


def _semester_of_season(tokens: Tokens, at: int, season: int) -> Chunk | None:
    """Spring semester, and spring 2025 semester, whose year stands in between."""
    year = tokens.get(at, "num") if _is_year(tokens, at) else None
    place = at + (year is not None)
    unit = tokens.get(place, "unit")
    which = {_SPRING: 2, _AUTUMN: 1}.get(season)
    if which is None or unit not in {"semester", "halfyear"}:
        return None
    # An American spring semester begins in January, a fall semester ends in December.
    if unit == "semester":
        return Chunk(Frame(semester=which, year=year), place + 1, LIKELY)
    return Chunk(Frame(half=(3 - which, "year"), year=year), place + 1, SURE if year else LIKELY)


_SPRING, _AUTUMN = 0, 2


def _are_seasons(tokens: Tokens, at: int, said: Frame) -> bool:
    """Whether 季 is not a quarter: 四季, 两季 and 春秋两季 are seasons, or years of a series; 2024年三季 is a quarter."""
    return tokens.word(at + 1) == "季" and (not said.said or tokens.all[at].text == "两")


def _later_quarter(tokens: Tokens, at: int, first: int) -> bool:
    """Whether a later quarter follows, as the end of a span or others of a list: first to third quarter, 第1〜3四半期, 第一、二季度,
    first, second and third quarters."""
    listed = tokens.word(at) in _BETWEEN_QUARTERS
    if not (listed or tokens.has(at, "to")):
        return False
    ordinal = numbers.ordinal(tokens, at + 1)
    rank = ordinal or numbers.cardinal(tokens, at + 1)
    if rank is None or not first < rank[0] <= _QUARTERS:
        return False
    if tokens.get(rank[1], "unit") != "quarter":
        return listed and _later_quarter(tokens, rank[1], rank[0])
    return tokens.all[rank[1]].text != "quarters" or (listed and ordinal is not None)


_QUARTERS = 4
_BETWEEN_QUARTERS = frozenset(", 、 ・ 和 与 及 と and & or 或".split())


def _sign_behind(tokens: Tokens, at: int) -> Chunk | None:
    """3Q, 3Q25, 1H 2025; 1h alone is an hour."""
    number, sign, year = tokens.word(at), tokens.at(at + 1), tokens.at(at + 2)
    if sign is None or not sign.glued or number not in {"1", "2", "3", "4"}:
        return None
    if sign.text == "h" and number in {"1", "2"} and 1900 <= (tokens.get(at + 2, "num") or 0) <= 2100:
        return Chunk(Frame(half=(int(number), "year")), at + 2)
    if sign.text != "q":
        return None
    if year is not None and year.glued and year.text in _SHORT_YEARS:
        return Chunk(Frame(quarter=int(number), year=2000 + int(year.text)), at + 3)
    return Chunk(Frame(quarter=int(number)), at + 2, LIKELY)


#: 1Q84 is a novel.
_SHORT_YEARS = {f"{year:02}" for year in range(50)}


def _halves(tokens: Tokens, at: int, rank: tuple[int, int] | None) -> Chunk | None:
    if (half := tokens.get(at, "halfyear")) is not None:
        return Chunk(Frame(half=(half, "year")), at + 1)
    if (half := tokens.get(at, "half_of")) is not None:
        return Chunk(Frame(half=(half, _halved_unit(tokens, at + 1))), at + 1)
    if rank and rank[0] in {1, 2} and tokens.word(rank[1]) in {"half", "halves", "半"}:  # not 第一大半导体
        of = tokens.word(rank[1]) == "半" or tokens.word(rank[1] + 1) == "of"
        return Chunk(Frame(half=(rank[0], _halved_unit(tokens, rank[1] + 1))), rank[1] + 1, SURE if of else LIKELY)
    return None


def _second_half_follows(tokens: Tokens, at: int) -> bool:
    """Whether the other half of a year follows, so that "half" belongs to both: first and second half of 2023."""
    other = numbers.ordinal(tokens, at + 1 + tokens.has(at + 1, "here"))
    if tokens.word(at) not in _BETWEEN_QUARTERS or other is None or other[0] != 2:
        return False
    return tokens.word(other[1]) in {"half", "halves"} and _halved_unit(tokens, other[1] + 1) == "year"


def _halved_unit(tokens: Tokens, at: int) -> str:
    """The unit after "of": the second half of March, of last week, of the nineties; else a year."""
    start = at + tokens.has(at, "link")
    start += tokens.has(start, "here", "one", "shift")
    if tokens.has(start, "month"):
        return "month"
    unit = tokens.get(start, "unit")
    if (rank := numbers.ordinal(tokens, start)) is not None and tokens.get(rank[1], "unit") == "century":
        return "century"
    return unit if unit in {"month", "week"} else "decade" if _names_decade(tokens, start) else "year"


def _names_decade(tokens: Tokens, at: int) -> bool:
    return tokens.has(at, "decade") or (tokens.has(at, "num") and tokens.has(at + 1, "decade_sign"))


def read_halved(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """上半月, 去年の前半, 今週の後半, 年の前半."""
    unit, skip = tokens.get(at, "unit"), at
    if unit in {"year", "month", "week"} and tokens.has(at + 1, "link") and tokens.has(at + 2, "halved"):
        skip = at + 2
    half = tokens.get(skip, "halved")
    if half is None:
        return None
    behind = tokens.get(skip + 1, "unit") if skip == at else None
    if behind in {"year", "month", "week"}:
        return Chunk(Frame(half=(half, behind)), skip + 2)
    if skip == at and not said.said:
        return None
    if said.holiday is not None:  # GW前半
        return Chunk(Frame(edge="start" if half == 1 else "end"), skip + 1) if days_long(said.holiday) > 1 else None
    return Chunk(Frame(half=(half, unit if skip > at else _shortest(said))), skip + 1)


def _shortest(said: Frame) -> str:
    if said.decade is not None or said.century is not None:
        return "century" if said.decade is None else "decade"
    if said.shift is not None and said.shift[0] == "week":
        return "week"
    return "month" if said.month is not None or said.month_shift is not None else "year"


def read_nth(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """First Monday, the third week of, 第2月曜日, 最後の金曜日, last 3 weeks of, 前10天."""
    if not said.said and (found := _first_quarters(tokens, at)) is not None:
        return found
    skip = at + tokens.has(at, "here", "one")
    ranked = _rank(tokens, skip, said)
    if ranked is None:
        return _week_in_order(tokens, skip) if said.said & {"month", "month_shift"} else None
    rank, stop = ranked
    stop += tokens.has(stop, "link")
    many = _how_many(tokens, stop) if rank in {1, -1} else None
    if many is not None and not tokens.has(skip, "nth_mark"):
        stop = many[1]
    weekday, unit = tokens.get(stop, "weekday"), tokens.get(stop, "unit")
    unit = f"weekday{weekday}" if weekday is not None else unit
    if unit is None or unit in _NOT_RANKED:
        return None
    if unit == "weekend" and tokens.has(at - 1, "month") and tokens.word(at)[0].isdigit():
        return Chunk(Frame(day=int(rank), week_of="weekend"), stop + 1)  # July 4th weekend
    if unit in _OF_MANY_YEARS and not _of_many_years(tokens, stop + 1, said, unit):
        return None
    if unit == "quarter" and many is not None and rank == 1 and not said.said and not _belongs(tokens, stop + 1):
        return Chunk(Frame(year_shift=0, nth=(rank, many[0], unit)), stop + 1, LIKELY, relative=True)
    if unit == "quarter" and many is None and 1 <= rank <= 4:
        return Chunk(Frame(quarter=int(rank)), stop + 1, LIKELY)  # the third quarter
    # 最終営業日 as a whole argument is that of this month; "last business day" is the latest one.
    alone = reading.whole and unit == "weekday" and not said.said
    of_this_month = alone and many is None and not tokens.has(skip, "shift")
    is_vague = tokens.has(skip, "nth") or many is not None
    if not of_this_month and not _is_in_a_period(tokens, stop + 1, unit, said, is_vague=is_vague):
        return None
    return Chunk(Frame(nth=(rank, 1 if many is None else many[0], unit)), stop + 1, LIKELY)


def _rank(tokens: Tokens, at: int, said: Frame) -> tuple[int, int] | None:
    """The rank at `at`, and where it ends: last, 最初の, third, 第2; 前10天 is the first of the period that was named."""
    named = tokens.get(at, "nth")
    rank = (named, at + 1) if named is not None else numbers.ordinal(tokens, at)
    if rank is None and tokens.has(at, "head") and said.said and said.holiday is None:
        return 1, at + 1
    return rank


def _first_quarters(tokens: Tokens, at: int) -> Chunk | None:
    """前三季度, the first three of the year; 前三个季度 and 前两季度 are the last ones."""
    count = tokens.get(at + 1, "num")
    if not tokens.has(at, "head") or tokens.word(at + 2) != "季度" or count not in {2, 3}:
        return None
    if tokens.word(at + 1) in HOW_MANY:
        return None
    return Chunk(Frame(year_shift=0, nth=(1, count, "quarter")), at + 3, relative=True)


def _how_many(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """How many units at `at` the first or last are, and where that ends: 3 weeks, a few days, 数日."""
    few = tokens.get(at, "few")
    return (few, at + 1) if few is not None else numbers.cardinal(tokens, at)


def _is_in_a_period(tokens: Tokens, at: int, unit: str, said: Frame, *, is_vague: bool) -> bool:
    """Whether a ranked unit, which ends at `at`, has the longer period that it needs, named before or behind it. `is_vague`: its
    words mean a recent one where no period is named, as "last Friday" and "the first 3 days" do."""
    if said.shift is not None and said.shift[0] == "day":
        return False  # "this time last month"
    period = said.said & {"month", "month_shift", "year", "year_shift", "quarter", "decade", "century", "shift"}
    if unit in _OF_MANY_YEARS or (unit == "day" and said.holiday is not None and days_long(said.holiday) > 1):
        return True  # 国庆假期最后一天
    if unit == "weekend" and not period and tokens.word(at) not in {"of", "in"}:
        return False  # last weekend, March 14
    lacks_one = (is_vague and not period) or (unit in {"day", "month", "decade", "quarter"} and not said.said)
    return not lacks_one or _belongs(tokens, at)


#: Units that a rank does not number within a longer one; the first semester may be any.
_NOT_RANKED = {"hour", "minute", "second", "century", "halfyear", "semester", "schoolyear"}


#: Units that are ranked within a decade or a century alone: 1990年代最後の年, "the last decade of the 20th century".
_OF_MANY_YEARS = {"year", "decade"}


def _of_many_years(tokens: Tokens, at: int, said: Frame, unit: str) -> bool:
    """Whether a longer period of years is named before, or behind the unit, which ends at `at`."""
    longer = {"century"} if unit == "decade" else {"century", "decade"}
    if not said.said.isdisjoint(longer):
        return True
    after = at + tokens.has(at, "link")
    after += tokens.has(after, "here", "one")
    found = (
        (read_decade(tokens, after, said, Reading()) or read_century(tokens, after, said, Reading()))
        if after > at
        else None
    )
    return found is not None and not found.frame.said.isdisjoint(longer)


def _week_in_order(tokens: Tokens, at: int) -> Chunk | None:
    """3月の2週目."""
    number = numbers.cardinal(tokens, at)
    if number is None or not 1 <= number[0] <= _WEEKS_OF_MONTH:
        return None
    in_order = tokens.get(number[1], "unit") == "week" and tokens.has(number[1] + 1, "nth_unit")
    return Chunk(Frame(nth=(number[0], 1, "week")), number[1] + 2, LIKELY) if in_order else None


def _belongs(tokens: Tokens, at: int) -> bool:
    """Whether "of July", "in 2019", "next year", "July" or a holiday of several days follows."""
    if tokens.word(at) == "'s":
        return False  # last week's weekend
    after = at + tokens.has(at, "link")
    after += tokens.has(after, "here", "one")
    if (name := tokens.get(after, "holiday")) is not None:
        return days_long(name) > 1  # the last day of Golden Week
    if tokens.has(after, "month", "period", "year_sign") or tokens.has(after, "unit"):
        return tokens.get(after, "unit") not in {"second", "minute", "hour"}
    if tokens.has(after, "shift"):
        return tokens.has(after + 1, "unit", "month")
    token = tokens.at(after)
    return (
        after > at
        and token is not None
        and ((len(token.text) == 4 and token.text.isdigit()) or numbers.year(tokens, after) is not None)
    )


def read_week_number(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Week 31, W31, 第31週."""
    if (number := week_number(tokens, at)) is not None:
        return Chunk(Frame(week=number), at + 2, LIKELY)
    rank = numbers.ordinal(tokens, at) if tokens.has(at, "nth_mark") else None
    if rank and rank[0] <= _WEEKS_OF_MONTH and not said.said and _weekday_of_week(tokens, rank[1], reading):
        return Chunk(Frame(month_shift=0, nth=(rank[0], 1, "week")), rank[1] + 1, relative=True)
    if rank and tokens.get(rank[1], "unit") == "week" and (rank[0] > 5 or not said.said & {"month", "month_shift"}):
        # 上映第一周 is a week of something else.
        return Chunk(Frame(week=rank[0]), rank[1] + 1, SURE if rank[0] > _WEEKS_OF_MONTH or said.said else LIKELY)
    return None


_WEEKS_OF_MONTH = 5


def _weekday_of_week(tokens: Tokens, at: int, reading: Reading) -> bool:
    """Whether it is a week of this month: 第2週の月曜 is, like 第2月曜; 第二周周一 may be one of a school term."""
    unit, joint = tokens.get(at, "unit"), tokens.word(at + 1)
    return reading.japanese and unit == "week" and joint == "の" and tokens.has(at + 2, "weekday")


def read_week_of(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """The week of the 18th, w/c Feb 4, 9月16日の週, 9月16号那周, weekend of Halloween, 中秋连假, 海の日の連休."""
    if (which := tokens.get(at, "week_of")) is not None:
        return Chunk(Frame(week_of=which), at + 1, WEAK)
    if tokens.has(at, "days_off"):
        return Chunk(Frame(week_of="days off"), at + 1, LIKELY) if said.holiday else None
    unit, joint = tokens.get(at, "unit"), tokens.at(at + 1)
    if unit in {"week", "month"} and said.day is not None and tokens.word(at - 1) in {"の", "的", "那"}:
        return Chunk(Frame(week_of=unit), at + 1, WEAK)
    if (
        unit == "week"
        and said.said
        and said.said <= {"holiday", "year", "year_shift"}
        and tokens.all[at].text == "week"
    ):
        return Chunk(Frame(week_of="week"), at + 1, LIKELY)  # Thanksgiving week
    if (
        unit in {"week", "month"}
        and joint is not None
        and joint.text == "of"
        and not said.said
        and day_follows(tokens, at + 2)
    ):
        return Chunk(Frame(week_of=unit), at + 2, WEAK)
    if tokens.get(at, "unit") == "weekend" and tokens.has(at + 1, "link"):
        dated = tokens.has(at + 2, "holiday") or (
            joint is not None and joint.text == "of" and day_follows(tokens, at + 2)
        )
        return Chunk(Frame(week_of="weekend"), at + 2, WEAK) if dated else None
    return None


def day_follows(tokens: Tokens, at: int) -> bool:
    """Whether a day follows: the 18th, April 10th, september.16th, Thanksgiving."""
    start = at + tokens.has(at, "here", "one")
    if tokens.has(start, "holiday"):
        return True
    if tokens.has(start, "month"):
        dot = tokens.word(start + 1) == "."
        return tokens.has(start + 1 + dot, "num", "ordinal", "cardinal")
    if tokens.has(start, "num") and tokens.word(start + 1) in {"/", "-"}:
        return tokens.has(start + 2, "num")
    return numbers.ordinal(tokens, start) is not None or (tokens.has(start, "num") and month_follows(tokens, start + 1))


def read_named(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Seasons, holidays, the summer before last."""
    if not said.said and _before_last(tokens, at + 1) and (named := season_or_holiday(tokens, at, -2)) is not None:
        return Chunk(named, at + 3, relative=True)
    if (season := tokens.get(at, "season")) is not None:
        token = tokens.at(at)
        dated = _is_year(tokens, at + 1) or _year_follows(tokens, at + 1)
        dated |= tokens.has(at + 2, "season") and tokens.word(at + 1) in {"and", "or", "/", "&"}
        alone = said.said or reading.whole or dated or tokens.has(at - 1, "prep", "link", "to")
        weak = token is None or len(token.text) == 1 or token.text in {"fall", "spring"}
        if _has_been(tokens, at):
            return Chunk(Frame(season=season), at + 1)
        return (
            Chunk(Frame(season=season), at + 1, LIKELY if not weak or said.said else WEAK)
            if alone or not weak
            else None
        )
    if tokens.word(at) in _OF_TAIWAN and not _TRADITIONAL.isdisjoint(_written(tokens, at)):
        return Chunk(_OF_TAIWAN[tokens.word(at)], at + 1, LIKELY)
    if (name := tokens.get(at, "holiday")) is not None:
        return Chunk(Frame(holiday=name), at + 1, SURE if _is_when(tokens, at, name) else LIKELY)
    return None


def _has_been(tokens: Tokens, at: int) -> bool:
    """Whether the season there is one that is told or asked about as past: what did I read over the summer; not what I wear in the
    winter."""
    over = tokens.word(at - 1) == "in the" or (
        tokens.word(at - 1) == "the" and tokens.word(at - 2) in {"over", "during"}
    )
    return over and pattern(HAS_BEEN_IN_ENGLISH).search(tokens.text) is not None


#: Words of what has been.
HAS_BEEN_IN_ENGLISH = r"\b(?:did|didn't|was|were|went)\b"


def _written(tokens: Tokens, at: int) -> str:
    """The word as the text has it, before it was folded."""
    return tokens.written[tokens.all[at].start : tokens.all[at].end]


#: Holidays that are others in Traditional characters than in Simplified ones: 國慶日 is the 10th of October.
_TRADITIONAL = frozenset("國節")
_OF_TAIWAN = {
    "青年节": Frame(holiday="youth of taiwan"),
    "儿童节": Frame(holiday="women and children"),
    "父亲节": Frame(holiday="eighth of august"),
    "教师节": Frame(holiday="teachers of taiwan"),
    "国庆日": Frame(holiday="double tenth"),
    "国庆连假": Frame(holiday="double tenth", week_of="days off"),
}


def read_october_first(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """去年十一, 2025年十一: the holiday that is named by its digits, after a year and with nothing behind it that they may count."""
    if reading.japanese or tokens.word(at) != "十一" or not said.said or not said.said <= {"year", "year_shift"}:
        return None
    behind = tokens.word(at + 1)[:1]
    return None if is_han(behind) and behind not in _BEHIND_A_HOLIDAY else Chunk(Frame(holiday="national"), at + 1)


_BEHIND_A_HOLIDAY = set("的那前后之以期去来我你您他她它们在放和跟与或是有没什怎吗呢吧")


def _year_follows(tokens: Tokens, at: int) -> bool:
    """Whether "last year", "of this year" or "of 2025" follows; a fall of 2025 points is of a number."""
    start = at + (tokens.word(at) == "of")
    if start > at and _is_year(tokens, start):
        return pattern(PLURAL).fullmatch(tokens.word(start + 1)) is None
    return tokens.has(start, "shift") and tokens.get(start + 1, "unit") == "year"


def _is_year(tokens: Tokens, at: int) -> bool:
    return 1900 <= (tokens.get(at, "num") or 0) <= 2100


def season_or_holiday(tokens: Tokens, at: int, nearest: int) -> Frame | None:
    """The season or holiday there, counted from now."""
    season, name = tokens.get(at, "season"), tokens.get(at, "holiday")
    return None if season is None and name is None else Frame(season=season, holiday=name, nearest=nearest)


def _before_last(tokens: Tokens, at: int) -> bool:
    """Whether "before last" follows, without a word that "last" belongs to."""
    words = tokens.word(at), tokens.word(at + 1)
    return words == ("before", "last") and not tokens.has(at + 2, "unit", "month", "weekday")


def _is_when(tokens: Tokens, at: int, name: str) -> bool:
    """Whether a holiday is meant as a time, unlike in "Christmas tree": one of several days is (except GW, also a gateway),
    and one with a word that makes it a time: on Labor Day, お盆に, 除夕那天."""
    token = tokens.all[at]
    if days_long(name) > 1 and not token.text.isascii() and token.text not in _OTHERWISE:
        return True
    return tokens.word(at - 1) in _HAPPENS_AT or pattern(_HAPPENS_THEN).match(tokens.text, token.end) is not None


#: A tray, too.
_OTHERWISE = {"お盆"}
_HAPPENS_AT = frozenset("at on over during around since until till before after by".split())
_HAPPENS_THEN = fold(
    "に(?!関|つい|ちな|向|[載乗置盛の])|の(?:日|時|とき|頃|ころ|夜|間)|中(?=[にのはも、]|$)|明け|[当那][天日晚夜]|的?时候|期间"
    "|は?(?:何|なに|どこ|誰|だれ)(?!の)|去[了哪]|回(?:了|老?家)|在家|[买收送吃玩做干看见聊]到?[了过]|[买收看见听]到的|放了?假|怎么过|干[嘛啥]|[和跟给]谁"
)


def read_part(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Morning, 午後, pm: only beside a day."""
    part, meridiem = tokens.get(at, "part"), tokens.get(at, "meridiem")
    skip = at
    if part is None and tokens.has(at, "here"):
        part, skip = tokens.get(at + 1, "part"), at + 1
    if tokens.word(skip) == _FIRST_THING and tokens.has(skip - 1, "here"):
        return None  # the first thing yesterday's meeting decided
    if part is not None and said.part is None:
        return Chunk(Frame(part=part), skip + 1, WEAK)
    if part == "morning" == said.part and any(tokens.word(at - step) == _FIRST_THING for step in range(1, 4)):
        return Chunk(Frame(), skip + 1, WEAK)  # first thing tomorrow morning
    if part in _IN_THE_NIGHT and said.part in NIGHTS and not tokens.all[skip].text.isascii():
        return Chunk(Frame(), skip + 1, WEAK)  # 昨晚凌晨两点, 昨夜未明: of the same night
    if part is not None and said.clock is None and part != said.part:
        return None
    if meridiem is not None and tokens.all[at].text != "a":
        return Chunk(Frame(meridiem=meridiem), at + 1, WEAK)
    return None


_FIRST_THING = "first thing"
_IN_THE_NIGHT = {"night", "late night", "dawn"}
