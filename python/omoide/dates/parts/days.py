"""Reads a month, a day of a month or a weekday.

Useful for: March, 15日, the 27th, 4 to 22 January. Not useful for: tomorrow.
Invariant: a bare number is a day only beside a month, a weekday or a word like "on".
"""

from __future__ import annotations

from omoide.dates import numbers
from omoide.dates.fold import is_han
from omoide.dates.frame import Frame
from omoide.dates.lengths import HOW_MANY
from omoide.dates.lexer import Tokens
from omoide.dates.parts.chunk import LIKELY, SURE, WEAK, Chunk, Reading
from omoide.dates.parts.digits import NUMBERED
from omoide.dates.parts.lunar import counts, first_month, read_first_ten, whose
from omoide.dates.patterns import pattern


def read_month_name(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """March, Sept.; "may" only beside something that makes it a month."""
    month = tokens.get(at, "month")
    if month is None:
        return None
    token, after = tokens.at(at), tokens.at(at + 1)
    stop = at + 1 + (after is not None and after.text == "." and after.glued)
    slash = tokens.word(stop) == "/" or tokens.has(at - 1, "to")
    slash = slash or (tokens.has(stop, "to") and tokens.has(stop + 1, "month"))
    slash = slash or _month_or_year_beside(tokens, at, stop)
    beside = slash or numbers.cardinal(tokens, stop) or numbers.ordinal(tokens, stop)
    beside = beside or tokens.has(at - 1, "prep", "shift", "bound") or tokens.get(at - 1, "edge") == "mid"
    weak = token is not None and token.text in {"may", "march", "mar", "dec", "jan", "sep", "apr", "oct", "jun"}
    if weak and token is not None and token.text == "may" and not (beside or said.said or reading.whole):
        return None
    if _is_month_of_a_day(tokens, stop, said):
        return None
    return Chunk(Frame(month=month), stop, LIKELY if weak and not beside else SURE)


def _is_month_of_a_day(tokens: Tokens, stop: int, said: Frame) -> bool:
    """Whether a month, which ends there, would be that of "yesterday", though no day of it follows: yesterday April called,
    今日3月の予算を; but "yesterday, March 17" and 昨日（3月17日） are one date."""
    if said.shift is None or said.shift[0] != "day" or said.day is not None:
        return False
    place = stop + tokens.has(stop, "first_ten", "here", "link")
    return numbers.cardinal(tokens, place) is None and numbers.ordinal(tokens, place) is None


def _month_or_year_beside(tokens: Tokens, at: int, stop: int) -> bool:
    """Whether another month or a year makes it one: May of 2025, May '25, in April or May, May and June."""
    if tokens.word(stop) in {"of", "'"} and len(tokens.word(stop + 1)) in {2, 4} and tokens.has(stop + 1, "num"):
        return True
    joints = {"and", "or", "&", ",", "/"}
    return (tokens.word(stop) in joints and tokens.has(stop + 1, "month")) or (
        tokens.word(at - 1) in joints and tokens.has(at - 2, "month")
    )


def read_han_month(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """三月, 12月, 正月, 腊月."""
    found = _han_month(tokens, at, said, reading)
    if found is None or said.shift is None or said.shift[0] != "day":
        return found
    if found.frame.lunar is not None or (found.frame.day is None and _is_month_of_a_day(tokens, found.stop, said)):
        return None  # 今天正月初一, 今日3月の予算
    return found


def _han_month(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    if (month := tokens.get(at, "calendar_month")) is not None:
        is_first = tokens.all[at].text.endswith("正月") and not said.lunar
        lunar = first_month(tokens, at + 1, reading) if is_first else None
        return Chunk(Frame(month=month, lunar=lunar), at + 1)
    if (month := tokens.get(at, "month_by_name")) is not None:
        # 弥生 and 葉月 are also people and places.
        dated = reading.whole or said.said & {"year", "year_shift"} or _is_day(tokens, at + 1)
        named = pattern(_TITLES).match(tokens.text, tokens.all[at].end) is not None
        return Chunk(Frame(month=month), at + 1) if dated and not named else None
    if (month := tokens.get(at, "old_month")) is not None:
        if month == _NOVEMBER and (reading.japanese or not (said.said or tokens.has(at + 1, "first_ten", "han"))):
            return None  # 冬月 alone may be a name
        return Chunk(Frame(month=month, lunar=None if said.lunar else "china"), at + 1)
    number = numbers.cardinal(tokens, at)
    mark = tokens.at(number[1]) if number else None
    if number is None or mark is None or not 1 <= number[0] <= 12 or tokens.all[at].text in HOW_MANY:
        return None
    first_ten = tokens.get(number[1] + 1, "han") if mark.text == "月初" else None
    if first_ten and first_ten <= 10 and not counts(tokens, number[1] + 2):
        lunar = said.lunar or whose(tokens, at, reading)
        return Chunk(Frame(month=number[0], day=first_ten, lunar=None if said.lunar else lunar), number[1] + 2)
    if mark.text == "月初" and tokens.word(number[1] + 1) == "旬":
        return Chunk(Frame(month=number[0], third=(1, 1)), number[1] + 2)
    edge = tokens.get(number[1], "edge_of")
    if edge is not None and edge[0] == "month":
        if edge[1] == "closing" and is_last_day(tokens, number[1] + 1):
            return Chunk(Frame(month=number[0], nth=(-1, 1, "day")), number[1] + 2)
        return Chunk(Frame(month=number[0], edge=edge[1]), number[1] + 1)
    return Chunk(Frame(month=number[0]), number[1] + 1) if mark.text in _MONTH_MARKS else None


_TITLES = "さん|ちゃん|くん|君|様|先生"


def _is_day(tokens: Tokens, at: int) -> bool:
    """Whether 3日 is there."""
    return tokens.has(at, "num") and tokens.word(at + 1) == "日"


def is_last_day(tokens: Tokens, at: int) -> bool:
    """Whether 日 follows 末: 3月末日, 月末日; not in 月末日本."""
    return tokens.word(at) == "日" and tokens.glued(at) and tokens.word(at + 1) != "本"


_MONTH_MARKS = {"月", "月份"}
#: The eleventh of the old calendar, 冬月.
_NOVEMBER = 11


#: The months of 三四月; 十一二月 is seldom written.
_NEIGHBOURS = "一二三四五六七八九"


def read_han_months(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """1-3月, 一至三月, 三四月, 3、4月, 11〜2月: through the second month."""
    either = tokens.all[at].text
    if len(either) == 2 and either in _NEIGHBOURS and tokens.word(at + 1) in _MONTH_MARKS:
        month = _NEIGHBOURS.index(either) + 1
        return Chunk(Frame(month=month, month_end=month + 1), at + 2) if not tokens.has(at + 2, "num", "ago") else None
    first = numbers.cardinal(tokens, at)
    listed = first is not None and tokens.word(first[1]) in {",", "・"}
    last = numbers.cardinal(tokens, first[1] + 1) if first and (listed or tokens.has(first[1], "to")) else None
    mark = tokens.word(last[1]) if last else ""
    if first is None or last is None or mark not in _MONTH_MARKS or not _are_months(first[0], last[0]):
        return None
    if listed and not (first[0] + 1 == last[0] and tokens.glued(first[1]) and tokens.glued(first[1] + 1)):
        return None  # of 表1,3月の売上 the 1 may be no month
    if tokens.has(last[1] + 1, "num", "ago") or tokens.has(at, "cardinal"):
        return None
    return Chunk(Frame(month=first[0], month_end=last[0]), last[1] + 1)


def _are_months(first: int, last: int) -> bool:
    """Whether two numbers may be the first and the last month of half a year or so, or of one year."""
    in_one_year = first < last
    return {first, last} <= _MONTHS and (in_one_year or 0 < (last - first) % 12 <= _HALF_A_YEAR)


_MONTHS, _HALF_A_YEAR = frozenset(range(1, 13)), 6


def read_han_days(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """3月4、5日, 三月四五号, 上个月十三四号, 五月二十几号: days that follow each other; 四五号 alone may be the number of something, and
    10〜15日 and 10到15号 a length or numbers."""
    if not tokens.has(at, "num") or not (reading.whole or said.said & {"month", "month_shift"}):
        return None
    days = numbers.neighbours(tokens.word(at)) if tokens.has(at, "han") and tokens.word(at) != "一两" else None
    found = (*days, at + 1) if days else _some_days(tokens, at, said) or _listed_days(tokens, at)
    found = found or (_days_through(tokens, at) if not said.said else None)
    if found is None or not 1 <= found[0] < found[1] <= 31 or tokens.word(found[2]) not in {"日", "号"}:
        return None
    if _is_of_a_thing(tokens, found[2]):
        return None
    return Chunk(Frame(day=found[0], day_end=found[1]), found[2] + 1)


def _some_days(tokens: Tokens, at: int, said: Frame) -> tuple[int, int, int] | None:
    """The first and last of 二十几 and 十几, and where they end."""
    tens = tokens.get(at, "num")
    if tens not in {10, 20} or tokens.word(at + 1) != "几":
        return None
    return tens + 1, 28 if tens == 20 and said.month == _FEBRUARY else tens + 9, at + 2


_FEBRUARY = 2


def _days_through(tokens: Tokens, at: int) -> tuple[int, int, int] | None:
    """The first and last of 10〜15, and where the numbers end."""
    first, last = tokens.get(at, "num"), tokens.get(at + 2, "num")
    return (first, last, at + 3) if last is not None and tokens.has(at + 1, "to") else None


def _is_of_a_thing(tokens: Tokens, mark: int) -> bool:
    """Whether 号 there is the number of something: 五号线开通, but not 五号线上会议."""
    return tokens.word(mark) == "号" and tokens.word(mark + 1) in NUMBERED and tokens.word(mark + 2) != "上"


def _listed_days(tokens: Tokens, at: int) -> tuple[int, int, int] | None:
    """The first and last of 4、5 or 4・5・6, and where the numbers end; they follow each other and have no space between."""
    first, stop = tokens.get(at, "num"), at + 1
    last = first
    while tokens.word(stop) in {",", "・"} and tokens.glued(stop) and tokens.glued(stop + 1):
        if tokens.get(stop + 1, "num") != last + 1:
            return None
        last, stop = last + 1, stop + 2
    return (first, last, stop) if last != first else None


def read_han_day(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """15日, 十五号, 22日目; after a month also 初一 and 八月十五."""
    if tokens.has(at, "first_ten"):
        return read_first_ten(tokens, at, said, reading)
    number = numbers.cardinal(tokens, at)
    if number is None or not 1 <= number[0] <= 31 or tokens.has(at, "cardinal"):
        return None
    if not HOW_MANY.isdisjoint(tokens.word(at)):
        return None  # 两日, 一両日
    mark = tokens.at(number[1])
    if said.shift is not None and said.shift[0] == "day" and not _is_that_day(tokens, number[1], said):
        return None
    if said.said & {"holiday", "weekday"} and tokens.has(number[1] + 1, "ago", "hence"):
        return None  # クリスマスの2日前
    if tokens.word(at) == "六" and tokens.word(at + 1) == "日" and chinese_weekday(tokens, at - 1) is not None:
        return None  # 周五六日 are Friday through Sunday
    if mark is not None and mark.text in {"日", "号"}:
        if _is_of_a_thing(tokens, number[1]):
            return None
        stop = number[1] + 1
        span = _han_day_end(tokens, stop, number[0])
        return span or Chunk(
            Frame(day=number[0]),
            stop + tokens.has(stop, "nth_unit"),
            SURE
            if said.said or mark.text == "日" or tokens.word(at - 1) == "在" or _is_part_of_day(tokens, stop)
            else LIKELY,
        )
    bare = said.month is not None and (tokens.has(at, "han") or said.lunar is not None)
    old = tokens.word(at).startswith("廿") and not reading.japanese and said.lunar is None  # 五月廿二, but 五月廿二日
    lunar = whose(tokens, at, reading) if old else None
    return Chunk(Frame(day=number[0], lunar=lunar), number[1]) if bare and not counts(tokens, number[1]) else None


def _is_that_day(tokens: Tokens, mark: int, said: Frame) -> bool:
    """Whether the number in front of 日 or 号 is that of the day said before: 昨日3月17日, 明日（19日）, 明日19日に, 今天18号; not in
    昨日の2日前, 今日10日ぶりに."""
    if tokens.has(mark + 1, "ago", "hence"):
        return False
    end = tokens.all[mark].end if tokens.at(mark) is not None else len(tokens.text)
    return said.month is not None or tokens.word(mark) == "号" or tokens.text[end : end + 1] in _AFTER_THAT_DAY


#: Characters that may follow the day; "" is the end of the text.
_AFTER_THAT_DAY = {"", *" \n()に,。.のは午朝昼夕夜晩"}


def _is_part_of_day(tokens: Tokens, at: int) -> bool:
    """Whether the word makes a day of 12号 in front of it: 12号下午."""
    return tokens.has(at, "part") and len(tokens.word(at)) > 1


def _han_day_end(tokens: Tokens, at: int, first: int) -> Chunk | None:
    """4日～23日 and 4-23号 of one month."""
    if not tokens.has(at, "to") or tokens.has(at, "tail"):
        return None
    number = numbers.cardinal(tokens, at + 1)
    mark = tokens.at(number[1]) if number else None
    if number is None or mark is None or mark.text not in {"日", "号"} or not first < number[0] <= 31:
        return None
    return Chunk(Frame(day=first, day_end=number[0]), number[1] + 1)


def read_day_span(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """4 to 22 (of) January, between 3 and 12 of Sept, November 19-20."""
    found = read_day_number(tokens, at, said, reading)
    return found if found is not None and found.frame.day_end is not None else None


def read_day_number(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """The 15th; a plain 15 beside a month, after a weekday, or in a span like 4 to 22."""
    if tokens.word(at) in {"a", "an"}:
        return None  # in the sun for a second
    start = at + tokens.has(at, "one", "here")
    rank = numbers.ordinal(tokens, start)
    number = rank or numbers.cardinal(tokens, start)
    if number is None or not 1 <= number[0] <= 31 or tokens.has(start, "han") or _is_amount(tokens, start):
        return None
    day, stop = number
    if tokens.word(at - 1) == "," and _begins_months(tokens, stop):
        return None
    if rank and [tokens.word(stop + step) for step in range(3)] == _OF_THE_MONTH:
        return Chunk(Frame(day=day), stop + 3, SURE)
    month = said.month is not None or said.month_shift is not None
    if (through := _days_in_order(tokens, stop, day, month=month)) is not None:
        return Chunk(Frame(day=day, day_end=through[0]), through[1], SURE)
    if rank and tokens.get(stop, "unit") == "day" and tokens.has(stop + 1, "link"):
        stop += 1  # the fifteenth day of
    elif _counts_something(tokens, stop, said):
        return None
    last = _day_end(tokens, stop, day, month=month)
    if last:
        marked = tokens.word(last[1]) == "号" and not _is_of_a_thing(tokens, last[1])  # 3月10到15号
        return Chunk(Frame(day=day, day_end=last[0]), last[1] + marked, SURE)
    if month or (month_follows(tokens, stop) and not _is_of_a_score(tokens, at, stop)):
        return Chunk(Frame(day=day), stop, LIKELY)
    return _day_alone(tokens, at, Chunk(Frame(day=day), stop, WEAK), said, ranked=rank is not None)


def _begins_months(tokens: Tokens, stop: int) -> bool:
    """Whether the number that ends there is a month: the 4 of 1〜3月、4〜6月."""
    last = numbers.cardinal(tokens, stop + 1) if tokens.has(stop, "to") else None
    return last is not None and tokens.word(last[1]) == "月"


#: "The first of the month" is the latest one, of any month.
_OF_THE_MONTH = ["of", "the", "month"]


def _counts_something(tokens: Tokens, stop: int, said: Frame) -> bool:
    """Whether the number is not a day but counts something: 3 weeks, 8 o'clock, 5pm, 12.5, the first half."""
    if tokens.has(stop, "meridiem") and said.month is None:
        return True
    if tokens.word(stop).startswith("月"):
        return True  # the 3 of 2月底3月初
    counted = tokens.has(stop, "unit", "ordinal_sign", "scale", "oclock", "season", "clock_mark", "half")
    return counted or fraction_follows(tokens, stop) or _is_counter(tokens, stop, said)


def _is_counter(tokens: Tokens, at: int, said: Frame) -> bool:
    """Whether the number in front counts what stands there: 先月の3件, 上个月3次, last month's 3 incidents."""
    token = tokens.at(at)
    if token is None or (token.senses and not (tokens.has(at, "days_off") or token.text in {"次", "本"})):
        return False
    if token.text.isascii():
        return said.month_shift is not None and token.text.isalpha()
    return token.glued and (is_han(token.text[0]) or "ァ" <= token.text[0] <= "ヺ")


def _day_alone(tokens: Tokens, at: int, found: Chunk, said: Frame, *, ranked: bool) -> Chunk | None:
    """A day without a month: "the 27", "on 15", "21st", "Monday 21"; not "Monday 8 to 9"."""
    start = at + tokens.has(at, "one", "here")
    digits = tokens.text[tokens.all[start].start].isdigit()
    if said.weekday is not None:
        return found._replace(sure=LIKELY) if ranked or not tokens.has(found.stop, "to") else None
    if ranked and (digits or start > at):
        of = tokens.word(at - 1) == "on" or (tokens.word(at - 1) == "of" and said.said & {"week_of", "part"})
        dated = digits and start > at and of and tokens.word(found.stop) in _ENDS_OF_SENTENCE
        return found._replace(sure=SURE) if dated else found
    behind = not said.said and tokens.has(at - 1, "prep") and not _ends_span(tokens, at)
    if start > at:
        return found if behind or (not said.said and tokens.has(at - 1, "link")) else None
    return found if behind and digits and _ends(tokens, found.stop) else None


#: After the day of "What did we decide on the 5th?" or "in the week of the 22nd", where no word follows that it may rank.
_ENDS_OF_SENTENCE = {"", ".", "?", "!"}


def _ends_span(tokens: Tokens, at: int) -> bool:
    """Whether the number is the 5 of "9 to 5"."""
    return tokens.has(at - 1, "to") and tokens.has(at - 2, "num", "cardinal")


def _is_of_a_score(tokens: Tokens, at: int, stop: int) -> bool:
    """Whether it is the 5 of "9 to 5 last month", where "5 to 9 last month" are days."""
    return _ends_span(tokens, at) and tokens.has(stop + tokens.has(stop, "link"), "shift")


def _is_amount(tokens: Tokens, at: int) -> bool:
    """Whether the number is an amount, the minutes of a clock, or the end of a version: $12, 8:30, v2.3."""
    start = tokens.all[at].start
    before = tokens.text[max(start - 3, 0) : start].rstrip()[-1:]
    return before in set("$€£¥") or (before in {":", "."} and tokens.glued(at) and tokens.has(at - 2, "num"))


def _ends(tokens: Tokens, at: int) -> bool:
    token = tokens.at(at)
    return token is None or not token.text[0].isalnum() or tokens.has(at, "link", "to", "part")


def fraction_follows(tokens: Tokens, at: int) -> bool:
    """Whether the number before is only a part of one: 12.5, 8:30, 50%."""
    token = tokens.at(at)
    follows = tokens.at(at + 1)
    return (
        token is not None
        and token.glued
        and (token.text in {":", "%"} or (token.text in {".", "/"} and follows is not None and "num" in follows.senses))
    )


def month_follows(tokens: Tokens, at: int) -> bool:
    """Whether a month follows: 15 of March, 15-Mar, "the 20th of next month", 12. Nov."""
    for skipped in range(3):
        token = tokens.at(at + skipped)
        if tokens.has(at + skipped, "month"):
            return True
        if tokens.has(at + skipped, "shift"):
            return bool(tokens.get(at + skipped + 1, "unit") == "month")
        if token is None or not (tokens.has(at + skipped, "link") or token.text in {"-", "/", "."}):
            return False
    return False


def _day_end(tokens: Tokens, at: int, first: int, *, month: bool) -> tuple[int, int] | None:
    """The second number of "4 to 22 (of) January", "between 3 and 12 of Sept", "November 19-20"."""
    if not tokens.has(at, "to", "and"):
        return None
    start = at + 1 + tokens.has(at + 1, "one", "here")
    number = numbers.ordinal(tokens, start) or numbers.cardinal(tokens, start)
    if (
        number is None
        or not first < number[0] <= 31
        or tokens.has(number[1], "unit", "meridiem")
        or fraction_follows(tokens, number[1])
    ):
        return None
    if tokens.has(at, "and") and not tokens.has(at, "to") and not _between_before(tokens, at):
        return None
    return number if month or month_follows(tokens, number[1]) else None


def _days_in_order(tokens: Tokens, at: int, first: int, *, month: bool) -> tuple[int, int] | None:
    """The last of "March 4 and 5", "4 or 5 March" and "March 4, 5 and 6", and where it ends; each day follows the one before."""
    last, stop, found = first, at, None
    while tokens.word(stop) in {",", *_LAST_JOINTS}:
        joint = stop + (tokens.word(stop) == "," and tokens.word(stop + 1) in _LAST_JOINTS)
        number = numbers.ordinal(tokens, joint + 1) or numbers.cardinal(tokens, joint + 1)
        if number is None or number[0] != last + 1 or number[0] > 31:
            break
        last, stop = number
        if tokens.word(joint) != ",":
            found = last, stop
    if found is None or not (month or month_follows(tokens, found[1])):
        return None
    return None if _counts_what_follows(tokens, found[1]) else found


#: Before the last day of a list.
_LAST_JOINTS = {"and", "or", "&", "/"}


def _counts_what_follows(tokens: Tokens, at: int) -> bool:
    """Whether the number that ends there may count the next word: March 4 and 5 users; 5pm, 5.3."""
    counted = tokens.has(at, "unit", "meridiem", "oclock", "scale", "ordinal_sign") or fraction_follows(tokens, at)
    return counted or tokens.is_other_word(at)


def _between_before(tokens: Tokens, at: int) -> bool:
    return any(tokens.has(at - back, "between") for back in range(1, 6))


def read_weekday(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Monday, 金曜日, 周五, "the Friday before last", "Tuesday after next"."""
    weekday = tokens.get(at, "weekday")
    if weekday is None or _are_days_of_a_month(tokens, at):
        return None
    behind = " ".join(tokens.word(at + step) for step in (1, 2))
    if behind in _WEEKS_AWAY and not said.said and not tokens.has(at + 3, *_SHIFTED):
        return Chunk(Frame(weekday=weekday, shift=("week", _WEEKS_AWAY[behind])), at + 3, SURE, relative=True)
    token = tokens.at(at)
    weak = token is not None and token.text in {"sun", "sat", "mon", "wed", "fri", "thu", "tue"} and not said.said
    if weak and tokens.word(at + 1) == "in" and tokens.has(at + 2, "month"):
        return None  # they sat in the sun in June, and wed in July
    return Chunk(Frame(weekday=weekday), at + 1, LIKELY if weak else SURE, relative=True)


def _are_days_of_a_month(tokens: Tokens, at: int) -> bool:
    """Whether several are meant, as in "Mondays in May"."""
    return tokens.word(at).endswith("days") and tokens.word(at + 1) in {"in", "of"} and tokens.has(at + 2, "month")


def chinese_weekday(tokens: Tokens, at: int) -> int | None:
    """The number of a weekday like 周一 or 礼拜天, after which another day may be named by its numeral alone."""
    token = tokens.at(at)
    written = token is not None and token.text.startswith(_CHINESE_WEEKS)
    return tokens.get(at, "weekday") if written else None


_CHINESE_WEEKS = ("周", "星期", "礼拜", "个周", "个星期", "个礼拜")
DAYS_OF_WEEK = {written: day for day, written in enumerate("一二三四五六日")} | {"天": 6}


def ends_with_weekday(tokens: Tokens, at: int) -> bool:
    """Whether a numeral that ends there may be a weekday: not the three of 周一至三楼."""
    return (
        not is_han(tokens.word(at)[:1])
        or tokens.word(at)[0] in "的都均每早晚上下中凌休营开放要会和与及或有没我你他她在去来是请"
    )


_WEEKS_AWAY = {"before last": -2, "after next": 2}
#: Kinds of words that "last" and "next" may belong to: the Friday before last Christmas.
_SHIFTED = ("month", "unit", "holiday", "season", "weekday", "part")
