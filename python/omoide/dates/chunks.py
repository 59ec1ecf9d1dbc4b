"""The parts of a date as they stand in a text: which part of a `Frame` do the next few tokens say?

Useful for: `grammar`, which joins parts in any order. Not useful for: lengths, ranges and bounds.
Invariant: a rule looks at a bounded number of tokens and is given what was said before ("15" is a day behind "March").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from omoide.dates import literals, numbers
from omoide.dates.frame import Frame
from omoide.dates.lexer import Tokens
from omoide.dates.model import Order

#: Certainty of a part: 2 = surely a date, 1 = one beside another part, 0 = a bare number or an everyday word.
SURE, LIKELY, WEAK = 2, 1, 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """What was said, where the next token is, how sure, and whether it depends on the reference."""

    frame: Frame
    stop: int
    sure: int = SURE
    relative: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What holds for a whole text: how digits are ordered, and whether its Han words are Japanese."""

    order: Order = "month_first"
    japanese: bool = False
    whole: bool = False


def chunk(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """The next part, by the first rule that fits and does not repeat a part already said."""
    token = tokens.at(at)
    if token is None or not token.senses:
        return None
    for rule in _RULES:
        found = rule(tokens, at, said, reading)
        if found is not None and not said.said & found.frame.said:
            return found
    return None


# --- digits -------------------------------------------------------------------------------------------------------


def _literal(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    token = tokens.at(at)
    if token is None or not token.text[0].isdigit() or "num" not in token.senses:
        return None
    found = literals.read(tokens.text, token.start, reading.order)
    if found is None:
        return None
    frame, end, certain = found
    stop = tokens.index_at(end, at)
    if not certain and _is_other(tokens, at, stop, said, tokens.text[token.start : end]):
        return None
    if stop == at or (tokens.has(stop, "unit", "scale") and not tokens.has(stop, "part")):
        return None
    padded = _YEAR_MONTH.fullmatch(tokens.text, token.start, end) is not None
    return Chunk(frame, stop, SURE if certain or padded else WEAK)


_YEAR_MONTH = re.compile(r"(?:19|20)\d\d[-/]\d\d")


def _is_other(tokens: Tokens, at: int, stop: int, said: Frame, written: str) -> bool:
    """Two numbers that are days of a month ("4-22 January") or hours ("Monday 12-4", "at 2.30")."""
    if tokens.has(stop, "month") or tokens.has(at - 1, "month") or said.year is not None:
        return True
    if "/" in written or len(written) > 5:
        return False
    before = getattr(tokens.at(at - 1), "text", "")
    hours = said.weekday is not None or before in {"at", "from", "between"}
    return hours or ("-" in written and tokens.has(stop, "shift", "weekday", "day"))


def _clock_digits(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """8:30, 8pm, "3 to 8pm", 8-9am; two of them are a stretch of the same day."""
    if said.month is not None and said.day is None and "clock_mark" not in getattr(tokens.at(at + 1), "senses", {}):
        return None  # "Feb 5 am"
    loose = getattr(tokens.at(at - 1), "text", "") in _BEFORE_HOURS or said.part is not None
    first = _clock_at(tokens, at, loose=loose)
    if first is None:
        return None
    frame, stop = first
    joint = tokens.has(stop, "to") or (tokens.has(stop, "and") and tokens.has(at - 1, "between"))
    second = _clock_at(tokens, stop + 1, loose=True) if joint else None
    if second is None:
        return Chunk(frame, stop, WEAK)
    meridiem = second[0].meridiem or frame.meridiem
    return Chunk(Frame(clock=frame.clock, clock_end=second[0].clock, meridiem=meridiem), second[1], WEAK)


_BEFORE_HOURS = {"at", "@", "around", "about", "from", "between"}


def _clock_at(tokens: Tokens, at: int, *, loose: bool) -> tuple[Frame, int] | None:
    token = tokens.at(at)
    if token is None:
        return None
    if token.text[0].isdigit():
        found = literals.clock(tokens.text, token.start, loose=loose)
        if found and not (found[0].meridiem and tokens.has(tokens.index_at(found[1], at), "unit")):
            return found[0], tokens.index_at(found[1], at)
    return _clock_words(tokens, at, loose=loose)


def _clock_words(tokens: Tokens, at: int, *, loose: bool) -> tuple[Frame, int] | None:
    """Seven, "nine thirty", "5 o'clock", 8点半, 7時30分, 8点十五分."""
    hour = numbers.cardinal(tokens, at)
    if hour is None or hour[0] > 30:
        return None
    token = tokens.at(hour[1])
    if token and "clock_mark" in token.senses:
        return _han_minutes(tokens, hour)
    if tokens.has(hour[1], "oclock"):
        return Frame(clock=(hour[0], 0, -1)), hour[1] + 1
    if tokens.has(hour[1], "meridiem"):
        return Frame(clock=(hour[0], -1, -1), meridiem=tokens.get(hour[1], "meridiem")), hour[1] + 1
    if not loose or hour[0] > 24 or tokens.has(hour[1], "unit", "month", "ordinal_sign", "scale", "weekday"):
        return None
    if _month_follows(tokens, hour[1]) or tokens.has(at, "han") or _digits_follow(tokens, hour[1]):
        return None
    minute = numbers.cardinal(tokens, hour[1]) if tokens.has(at, "cardinal") else None
    if minute and 10 <= minute[0] < 60:
        return _with_meridiem(tokens, Frame(clock=(hour[0], minute[0], -1)), minute[1])
    return Frame(clock=(hour[0], -1, -1)), hour[1]


def _digits_follow(tokens: Tokens, at: int) -> bool:
    """Whether -05-2019, /12 or .5 goes on, or "to January 22"."""
    token = tokens.at(at)
    if token is None:
        return False
    if tokens.has(at, "to") and tokens.has(at + 1, "month"):
        return True
    return _GOES_ON.match(tokens.text, token.start) is not None and token.glued


_GOES_ON = re.compile(r"[/.:]\d|-\d+[-/.]\d")


def _with_meridiem(tokens: Tokens, frame: Frame, at: int) -> tuple[Frame, int]:
    meridiem = tokens.get(at, "meridiem")
    joined = frame.join(Frame(meridiem=meridiem)) if meridiem else None
    return (joined, at + 1) if joined else (frame, at)


def _han_minutes(tokens: Tokens, hour: tuple[int, int]) -> tuple[Frame, int]:
    at = hour[1] + 1
    if tokens.has(at, "half"):
        return Frame(clock=(hour[0], 30, -1)), at + 1
    minute = numbers.cardinal(tokens, at)
    if minute is None or minute[0] > 59:
        return Frame(clock=(hour[0], -1, -1)), at
    unit = tokens.get(minute[1], "unit")
    if unit == "second":
        return Frame(clock=(hour[0], 0, minute[0])), minute[1] + 1
    second = numbers.cardinal(tokens, minute[1] + 1) if unit == "minute" else None
    if second and tokens.get(second[1], "unit") == "second":
        return Frame(clock=(hour[0], minute[0], min(second[0], 59))), second[1] + 1
    return Frame(clock=(hour[0], minute[0], -1)), minute[1] + (unit == "minute")


# --- years --------------------------------------------------------------------------------------------------------


def _era_year(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """令和8年, 民國112年, R8.10.1, 昭和元年."""
    base = tokens.get(at, "era")
    if base is None:
        return None
    token, number = tokens.at(at + 1), numbers.cardinal(tokens, at + 1)
    if token and token.text == "元":
        number = 1, at + 2
    if number is None or number[0] > 130:
        return None
    if tokens.get(number[1], "unit") == "year":
        return Chunk(Frame(year=base + number[0]), number[1] + 1)
    return _era_points(tokens, number, base) if tokens.glued(at + 1) else None


def _era_points(tokens: Tokens, number: tuple[int, int], base: int) -> Chunk | None:
    dot, month, day = (tokens.at(number[1] + step) for step in (0, 1, 3))
    if not (dot and dot.text == "." and month and day and "num" in month.senses and "num" in day.senses):
        return None
    return Chunk(Frame(year=base + number[0], month=month.senses["num"], day=day.senses["num"]), number[1] + 4)


def _han_year(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """2023年, 二〇一八年, 08年, 18年10月; 3年 alone is a length."""
    number, token = numbers.cardinal(tokens, at), tokens.at(at)
    if number is None or token is None or tokens.get(number[1], "unit") != "year":
        return None
    mark = tokens.at(number[1])
    if (
        mark is None
        or mark.text not in {"年", "年度", "年间"}
        or not (tokens.glued(number[1]) or token.text[0].isdigit())
    ):
        return None
    written, stop = len(token.text), number[1] + 1
    if number[0] >= 1000 or (written == 3 and number[0] >= 100):
        return Chunk(Frame(year=number[0]), stop)
    short = written == 2 and "十" not in token.text and "百" not in token.text
    dated = token.text[0] in "0〇" or (tokens.has(stop, "num") and tokens.has(stop + 1, "unit"))
    if short and dated and tokens.get(at - 1, "window") is None:
        return Chunk(Frame(year=number[0] + (2000 if number[0] < 30 else 1900)), stop)
    return None


def _year_word(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Year 247, "cy18", "the year 2008"."""
    if not tokens.has(at, "year_sign"):
        return None
    skip = at + 1 + tokens.has(at + 1, "link")
    number = numbers.year(tokens, skip) or numbers.cardinal(tokens, skip)
    if number is None or not 1 <= number[0] <= 9998:
        return None
    year = number[0] + (2000 if tokens.glued(skip) and number[0] < 100 else 0)
    return Chunk(Frame(year=year), number[1])


def _decade(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """The 1970s, 70's, the nineties, 90年代, the nineteen seventies, the twenty-tens."""
    number = numbers.cardinal(tokens, at)
    if number and number[0] % 10 == 0 and number[0] <= 2990:
        sign = tokens.at(number[1])
        token = tokens.at(at)
        digits = token is not None and token.text.isascii() and token.text.isdigit() and len(token.text) in {2, 4}
        if sign and tokens.has(number[1], "decade_sign") and digits:
            return Chunk(Frame(decade=number[0]), number[1] + 1)
        if sign and sign.text == "年代":
            return Chunk(Frame(decade=number[0]), number[1] + 1)
    return _decade_words(tokens, at)


def _decade_words(tokens: Tokens, at: int) -> Chunk | None:
    plural = tokens.get(at, "decade")
    if plural is not None:
        return Chunk(Frame(decade=plural or 2000), at + 1)
    head = numbers.cardinal(tokens, at)
    if head is None or head[0] not in {18, 19, 20, 2000}:
        token = tokens.at(at + 1)
        thousands = tokens.get(at, "cardinal") == 2 and token is not None and token.text == "thousands"
        return None if not thousands else Chunk(Frame(decade=2000), at + 2)
    dash = tokens.at(head[1])
    stop = head[1] + (dash is not None and (dash.text == "-" or "and" in dash.senses))
    plural = tokens.get(stop, "decade")
    base = head[0] if head[0] >= 100 else head[0] * 100
    return None if plural is None else Chunk(Frame(decade=base + plural), stop + 1)


def _century(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    number = numbers.ordinal(tokens, at) or (numbers.cardinal(tokens, at) if not tokens.has(at, "cardinal") else None)
    if number and tokens.get(number[1], "unit") == "century" and 1 <= number[0] <= 30:
        return Chunk(Frame(century=number[0]), number[1] + 1)
    return None


# --- months, days, weekdays ---------------------------------------------------------------------------------------


def _month_name(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    month = tokens.get(at, "month")
    if month is None:
        return None
    token, after = tokens.at(at), tokens.at(at + 1)
    stop = at + 1 + (after is not None and after.text == "." and after.glued)
    slash = getattr(tokens.at(stop), "text", "") == "/" or tokens.has(at - 1, "to")
    slash = slash or (tokens.has(stop, "to") and tokens.has(stop + 1, "month"))
    beside = (
        slash or numbers.cardinal(tokens, stop) or numbers.ordinal(tokens, stop) or tokens.has(at - 1, "prep", "shift")
    )
    weak = token is not None and token.text in {"may", "march", "mar", "dec", "jan", "sep", "apr", "oct", "jun"}
    if weak and token is not None and token.text == "may" and not (beside or said.said or reading.whole):
        return None
    return Chunk(Frame(month=month), stop, LIKELY if weak and not beside else SURE)


def _han_month(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """三月, 12月, 正月."""
    if (month := tokens.get(at, "calendar_month")) is not None:
        return Chunk(Frame(month=month), at + 1)
    number = numbers.cardinal(tokens, at)
    mark = tokens.at(number[1]) if number else None
    if number is None or mark is None or not 1 <= number[0] <= 12:
        return None
    first_ten = numbers.cardinal(tokens, number[1] + 1) if mark.text == "月初" else None
    if first_ten and first_ten[0] <= 10:
        return Chunk(Frame(month=number[0], day=first_ten[0]), first_ten[1])
    if mark.text == "月初" and getattr(tokens.at(number[1] + 1), "text", "") == "旬":
        return Chunk(Frame(month=number[0], third=1), number[1] + 2)
    if mark.text != "月":
        return None
    return Chunk(Frame(month=number[0]), number[1] + 1)


def _han_day(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """15日, 十五号, 初一, 22日目; behind a month also 八月十五."""
    first_ten = at + tokens.has(at, "first_ten")
    number = numbers.cardinal(tokens, first_ten)
    if number is None or not 1 <= number[0] <= 31 or tokens.has(at, "cardinal"):
        return None
    if said.shift is not None and said.shift[0] == "day":
        return None  # 昨日の2日前
    mark = tokens.at(number[1])
    if mark is not None and mark.text in {"日", "号"}:
        stop = number[1] + 1
        span = _han_day_end(tokens, stop, number[0])
        return span or Chunk(
            Frame(day=number[0]),
            stop + tokens.has(stop, "nth_unit"),
            SURE if said.said or mark.text == "日" else LIKELY,
        )
    token = tokens.at(first_ten)
    bare = said.month is not None and token is not None and "han" in token.senses and not tokens.has(number[1], "unit")
    return Chunk(Frame(day=number[0]), number[1]) if bare or (first_ten > at and said.said) else None


def _han_day_end(tokens: Tokens, at: int, first: int) -> Chunk | None:
    """4日～23日 and 4-23号 of one month."""
    if not tokens.has(at, "to") or tokens.has(at, "tail"):
        return None
    number = numbers.cardinal(tokens, at + 1)
    mark = tokens.at(number[1]) if number else None
    if number is None or mark is None or mark.text not in {"日", "号"} or not first < number[0] <= 31:
        return None
    return Chunk(Frame(day=first, day_end=number[0]), number[1] + 1)


def _lunar_day(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    if (day := tokens.get(at, "calendar_day")) is not None:
        return Chunk(Frame(month=None if said.month else 1, day=day), at + 1)
    if tokens.has(at, "new_year_day"):
        stop = at + 1 + tokens.has(at + 1, "num")
        return Chunk(Frame(month=1, day=1), stop)
    return None


def _day_span(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """4 to 22 (of) January, between 3 and 12 of Sept, November 19-20."""
    found = _day_number(tokens, at, said, reading)
    return found if found is not None and found.frame.day_end is not None else None


def _day_number(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """The 15th; behind or before a month, behind a weekday and as 4 to 22 also a plain 15."""
    start = at + tokens.has(at, "one", "here")
    rank = numbers.ordinal(tokens, start)
    number = rank or numbers.cardinal(tokens, start)
    if number is None or not 1 <= number[0] <= 31 or tokens.has(start, "han") or _is_amount(tokens, start):
        return None
    day, stop = number
    if rank and tokens.get(stop, "unit") == "day" and tokens.has(stop + 1, "link"):
        stop += 1  # the fifteenth day of
    elif _counts_something(tokens, stop, said):
        return None
    month = said.month is not None or said.month_shift is not None
    last = _day_end(tokens, stop, day, month=month)
    if last:
        return Chunk(Frame(day=day, day_end=last[0]), last[1], SURE)
    if month or _month_follows(tokens, stop):
        return Chunk(Frame(day=day), stop, LIKELY)
    return _day_alone(tokens, at, Chunk(Frame(day=day), stop, WEAK), said, ranked=rank is not None)


def _counts_something(tokens: Tokens, stop: int, said: Frame) -> bool:
    """3 weeks, 8 o'clock, 5pm, 12.5: a number that is no day."""
    if tokens.has(stop, "meridiem") and said.month is None:
        return True
    return tokens.has(stop, "unit", "ordinal_sign", "scale", "oclock", "season", "clock_mark") or _colon(tokens, stop)


def _day_alone(tokens: Tokens, at: int, found: Chunk, said: Frame, *, ranked: bool) -> Chunk | None:
    """A day without a month: "the 27", "on 15", "21st", "Monday 21"; not "Monday 8 to 9"."""
    start = at + tokens.has(at, "one", "here")
    digits = tokens.text[tokens.all[start].start].isdigit()
    if said.weekday is not None:
        return replace(found, sure=LIKELY) if ranked or not tokens.has(found.stop, "to") else None
    if ranked and (digits or start > at):
        return found
    behind = not said.said and tokens.has(at - 1, "prep")
    if start > at:
        return found if behind or (not said.said and tokens.has(at - 1, "link")) else None
    return found if behind and digits and _ends(tokens, found.stop) else None


def _is_amount(tokens: Tokens, at: int) -> bool:
    """$12, 8:30 (from its minutes on)."""
    start = tokens.all[at].start
    before = tokens.text[max(start - 3, 0) : start].rstrip()[-1:]
    return before in set("$€£¥") or (before == ":" and tokens.glued(at) and tokens.has(at - 2, "num"))


def _ends(tokens: Tokens, at: int) -> bool:
    token = tokens.at(at)
    return token is None or not token.text[0].isalnum() or tokens.has(at, "link", "to", "part")


def _colon(tokens: Tokens, at: int) -> bool:
    token = tokens.at(at)
    follows = tokens.at(at + 1)
    return (
        token is not None
        and token.glued
        and (token.text in {":", "%"} or (token.text in {".", "/"} and follows is not None and "num" in follows.senses))
    )


def _month_follows(tokens: Tokens, at: int) -> bool:
    """15 of March, 15-Mar, "the 20th of next month", 12. Nov."""
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
        or _colon(tokens, number[1])
    ):
        return None
    if tokens.has(at, "and") and not tokens.has(at, "to") and not _between_before(tokens, at):
        return None
    return number if month or _month_follows(tokens, number[1]) else None


def _between_before(tokens: Tokens, at: int) -> bool:
    return any(tokens.has(at - back, "between") for back in range(1, 6))


def _bare_year(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """2019; in words; behind a month and day also '87."""
    token, words = tokens.at(at), numbers.year(tokens, at)
    if words and 1000 <= words[0] <= 2999:
        return Chunk(Frame(year=words[0]), words[1], LIKELY)
    if token is None or "num" not in token.senses or not token.text[0].isdigit() or _runs_on(tokens, at + 1):
        return None
    value, written = token.senses["num"], len(token.text)
    if written == 4 and 1000 <= value <= 2999 and _stands_alone(tokens, at, said):
        return Chunk(Frame(year=value), at + 1, _year_certainty(tokens, at, value, said))
    dated = said.month is not None and (said.day is not None or tokens.has(at - 1, "link"))
    counted = tokens.has(at + 1, "unit", "meridiem", "ordinal_sign", "part") or _colon(tokens, at + 1)
    if written == 2 and dated and not counted:
        return Chunk(Frame(year=value + (2000 if value < 30 else 1900)), at + 1, SURE)
    return None


def _runs_on(tokens: Tokens, at: int) -> bool:
    """2019x, 2019%: the number goes on as something else; 2019Q1 and 2019Sep do not."""
    token = tokens.at(at)
    if token is None or not token.glued or tokens.has(at, "month", "quarter_sign"):
        return False
    return token.text in {"%", "'"} or (token.text.isascii() and token.text[0].isalpha())


def _stands_alone(tokens: Tokens, at: int, said: Frame) -> bool:
    """Not part of 1,024, v2.2019, 10.2019.3.1, ABC-2019-x or 2019/5000."""
    token = tokens.all[at]
    before, after = tokens.text[max(token.start - 2, 0) : token.start], tokens.text[token.end : token.end + 2]
    if tokens.get(at + 1, "unit") not in {None, "weekend", "quarter"}:
        return False
    if said.said:
        return not after[:1].isdigit()
    if (
        tokens.has(at + 2, "month")
        or tokens.text[max(tokens.all[at].start - 5, 0) : tokens.all[at].start - 1].isdigit()
    ):
        return True  # 2019/Sep/1, 2014-2018
    joined = (
        before[-1:] in set(".:/\\$#_@")
        or (before[-1:] == "-" and before[:1].strip() != "")
        or (before[-1:].isascii() and before[-1:].isalpha())
    )
    return not joined and not (after[:1] in set(".:/,_") and after[1:2].isalnum() and after[1:2].isascii())


def _year_certainty(tokens: Tokens, at: int, value: int, said: Frame) -> int:
    if said.said:
        return SURE
    follows = tokens.at(at + 1)
    free = follows is None or not (follows.text[0].isalpha() and follows.text.isascii()) or bool(follows.senses)
    return SURE if 1900 <= value <= 2100 and free and tokens.has(at - 1, "prep") else WEAK


def _weekday(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    weekday = tokens.get(at, "weekday")
    if weekday is None:
        return None
    token = tokens.at(at)
    weak = token is not None and token.text in {"sun", "sat", "mon", "wed", "fri", "thu", "tue"} and not said.said
    return Chunk(Frame(weekday=weekday), at + 1, LIKELY if weak else SURE, relative=True)


# --- counted from the reference -----------------------------------------------------------------------------------


def _day_word(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    word = tokens.get(at, "day")
    if word is None:
        return None
    return Chunk(Frame(shift=("day", word[0]), part=word[1]), at + 1, relative=True)


def _period_word(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    period = tokens.get(at, "period")
    if period is None:
        return None
    unit, count = period
    token = tokens.at(at)
    if token is not None and token.text == "前年" and reading.japanese:
        count = -1
    return Chunk(_counted(unit, count), at + 1, relative=True)


def _counted(unit: str, count: int) -> Frame:
    if unit == "year":
        return Frame(year_shift=count)
    return Frame(month_shift=count) if unit == "month" else Frame(shift=(unit, count))


def _shifted(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Last week, this Friday, next June, 上个月, 次の金曜日, "the previous easter", 前の年."""
    count = tokens.get(at, "shift")
    if count is None:
        return None
    stop, narrow = at + 1, tokens.get(at, "narrow")
    if tokens.has(stop, "narrow") and tokens.get(stop, "shift") is not None:  # this coming, this past
        narrow, count, stop = tokens.get(stop, "narrow"), tokens.get(stop, "shift"), stop + 1
    token = tokens.at(stop)
    if token is not None and token.text.isascii() and tokens.all[at].text.isascii():
        dated = _literal(tokens, stop, said, reading) or _day_number(tokens, stop, said, reading)
        if dated and (dated.frame.month is not None or _month_follows(tokens, dated.stop)):
            return Chunk(replace(dated.frame, year_shift=count), dated.stop, relative=True)
    if token is None or (token.text == "日" and not reading.japanese and tokens.all[at].text not in {"同", "当", "该"}):
        return None
    return _shifted_what(tokens, stop, count, narrow)


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


def _shifted_unit(value: str, count: int, _: int | None) -> Frame | None:
    if value in {"second", "minute", "hour", "weekday"}:
        return None
    if value == "workweek":
        return Frame(shift=("workweek", count))
    return _counted(value, count)


_SHIFTED: dict[str, Callable[..., Frame | None]] = {
    "weekday": _shifted_weekday,
    "month": lambda value, count, _: Frame(month=value, year_shift=count),
    "unit": _shifted_unit,
    "season": lambda value, count, _: Frame(season=value, nearest=-1) if count == -1 else Frame(season=value, year_shift=count),
    "edge_of": lambda value, count, _: _counted(value[0], count).join(Frame(edge=value[1])),
    "part": lambda value, count, _: Frame(part=value, shift=("day", count)),
    "holiday": lambda value, count, _: Frame(holiday=value, nearest=count) if count else Frame(holiday=value, year_shift=0),
}  # fmt: skip


def _the_unit(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """The week, my day, 週末, その週: the present one, not certain to mean a date."""
    skip = at + tokens.has(at, "here")
    unit = tokens.get(skip, "unit")
    if getattr(tokens.at(skip + 1), "text", "") == "of" and _day_follows(tokens, skip + 2):
        return None
    if unit == "weekend" and not said.said:
        return Chunk(Frame(shift=("weekend", 0)), skip + 1, SURE if skip == at else LIKELY, relative=True)
    if unit == "weekend" and "weekend" not in (said.shift or ()):
        return Chunk(Frame(week_of="weekend"), skip + 1)
    edge = said.edge is not None and said.said == {"edge"}
    if (skip == at and not edge) or unit not in {"day", "week", "month", "year", "quarter", "fortnight", "workweek"}:
        return None
    if said.said - {"edge", "nth", "quarter", "half", "day", "weekday"} or _number_follows(tokens, skip + 1):
        return None
    return Chunk(_counted(unit, 0), skip + 1, LIKELY if edge else WEAK, relative=True)


def _number_follows(tokens: Tokens, at: int) -> bool:
    return tokens.has(at, "num") or (tokens.has(at, "link") and tokens.has(at + 1, "num"))


def _edge_of(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """月末, 年初, eoy; behind a year or month they are its end and beginning."""
    word = tokens.get(at, "edge_of")
    if (unit := tokens.get(at, "eo")) is not None:
        word = unit, "end"
    if word is None:
        return None
    unit, edge = word
    owned = {"year": {"year", "year_shift"}, "month": {"month", "month_shift"}, "week": {"shift"}}.get(unit, set())
    if said.said & owned:
        return Chunk(Frame(edge=edge), at + 1)
    frame = _counted(unit, 0).join(Frame(edge=edge))
    return Chunk(frame, at + 1, relative=True) if frame else None


def _edge(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Early, "the end of", 初め, 下旬: only beside a period."""
    if (third := tokens.get(at, "third")) is not None and said.said & {"month", "month_shift"}:
        return Chunk(Frame(third=third), at + 1)
    edge = tokens.get(at, "edge")
    token = tokens.at(at)
    if edge is None or token is None:
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
    return Chunk(
        Frame(edge=_clipped(token.text, edge)), stop + (dash is not None and dash.text == "-" and dash.glued), WEAK
    )


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
        ):
            return True
        if not tokens.has(at + step, "link", "here", "one") and getattr(tokens.at(at + step), "text", "") != "-":
            return False
    return False


# --- parts of years and months ------------------------------------------------------------------------------------


def _quarter(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Q1, first quarter, 第3四半期, 一季度, H2."""
    token, digit = tokens.at(at), tokens.at(at + 1)
    if token and digit and digit.glued and "num" in digit.senses and token.text in {"q", "h"}:
        value = digit.senses["num"]
        if token.text == "q" and 1 <= value <= 4:
            return Chunk(Frame(quarter=value), at + 2)
        return Chunk(Frame(half=(value, "year")), at + 2, SURE if said.said else LIKELY) if value in {1, 2} else None
    rank = numbers.ordinal(tokens, at) or (numbers.cardinal(tokens, at) if tokens.has(at, "num") else None)
    if rank and 1 <= rank[0] <= 4 and tokens.get(rank[1], "unit") == "quarter":
        return Chunk(Frame(quarter=rank[0]), rank[1] + 1)
    return _halves(tokens, at, rank)


def _halves(tokens: Tokens, at: int, rank: tuple[int, int] | None) -> Chunk | None:
    if (half := tokens.get(at, "halfyear")) is not None:
        return Chunk(Frame(half=(half, "year")), at + 1)
    if rank and rank[0] in {1, 2} and tokens.has(rank[1], "half"):
        return Chunk(Frame(half=(rank[0], "year")), rank[1] + 1)
    return None


def _halved(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
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
    return Chunk(Frame(half=(half, unit if skip > at else _shortest(said))), skip + 1)


def _shortest(said: Frame) -> str:
    if said.decade is not None:
        return "decade"
    if said.shift is not None and said.shift[0] == "week":
        return "week"
    return "month" if said.month is not None or said.month_shift is not None else "year"


def _nth(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """First Monday, the third week of, 第2月曜日, 最後の金曜日, last 3 weeks of, 前10天."""
    skip = at + tokens.has(at, "here", "one")
    last = tokens.get(skip, "nth")
    rank = (last, skip + 1) if last is not None else numbers.ordinal(tokens, skip)
    if rank is None and tokens.has(skip, "head") and said.said:
        rank = 1, skip + 1
    if rank is None:
        return None
    stop = rank[1] + tokens.has(rank[1], "link")
    count = numbers.cardinal(tokens, stop) if rank[0] in {1, -1} else None
    if count and not tokens.has(skip, "nth_mark"):
        stop = count[1]
    weekday, unit = tokens.get(stop, "weekday"), tokens.get(stop, "unit")
    unit = f"weekday{weekday}" if weekday is not None else unit
    if unit is None or unit in {"hour", "minute", "second", "year", "weekend", "century"}:
        return None
    period = said.said & {"month", "month_shift", "year", "year_shift", "quarter", "decade", "shift"}
    if not period and not _belongs(tokens, stop + 1) and (last is not None or count):
        return None
    if unit in {"day", "month", "decade", "quarter"} and not said.said and not _belongs(tokens, stop + 1):
        return None
    return Chunk(Frame(nth=(rank[0], count[0] if count else 1, unit)), stop + 1, LIKELY)


def _belongs(tokens: Tokens, at: int) -> bool:
    """Whether "of July", "in 2019", "next year" or "July" follows."""
    after = at + tokens.has(at, "link")
    after += tokens.has(after, "here", "one")
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


def _week_number(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Week 31, 第31週."""
    if tokens.has(at, "week_sign") and tokens.has(at + 1, "num") and tokens.get(at + 1, "num") <= 53:
        return Chunk(Frame(week=tokens.get(at + 1, "num")), at + 2, LIKELY) if not tokens.has(at + 2, "unit") else None
    rank = numbers.ordinal(tokens, at) if tokens.has(at, "nth_mark") else None
    if rank and tokens.get(rank[1], "unit") == "week" and (rank[0] > 5 or not said.said & {"month", "month_shift"}):
        return Chunk(Frame(week=rank[0]), rank[1] + 1)
    return None


def _week_of(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """The week of the 18th, w/c Feb 4, 9月16日の週, weekend of Halloween."""
    if tokens.has(at, "week_of"):
        return Chunk(Frame(week_of="week"), at + 1, WEAK)
    unit, joint = tokens.get(at, "unit"), tokens.at(at + 1)
    if (
        unit in {"week", "month"}
        and said.day is not None
        and tokens.has(at - 1, "link")
        and not tokens.all[at].text.isascii()
    ):
        return Chunk(Frame(week_of=unit), at + 1, WEAK)
    if (
        unit in {"week", "month"}
        and joint is not None
        and joint.text == "of"
        and not said.said
        and _day_follows(tokens, at + 2)
    ):
        return Chunk(Frame(week_of=unit), at + 2, WEAK)
    if tokens.get(at, "unit") == "weekend" and tokens.has(at + 1, "link"):
        return Chunk(Frame(week_of="weekend"), at + 2, WEAK) if tokens.has(at + 2, "holiday") else None
    return None


def _day_follows(tokens: Tokens, at: int) -> bool:
    """The 18th, April 10th, september.16th."""
    start = at + tokens.has(at, "here", "one")
    if tokens.has(start, "month"):
        dot = getattr(tokens.at(start + 1), "text", "") == "."
        return tokens.has(start + 1 + dot, "num", "ordinal", "cardinal")
    return numbers.ordinal(tokens, start) is not None or (
        tokens.has(start, "num") and _month_follows(tokens, start + 1)
    )


def _named(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Seasons, holidays and parts of the day."""
    if (season := tokens.get(at, "season")) is not None:
        token = tokens.at(at)
        alone = said.said or reading.whole or tokens.has(at - 1, "prep", "link")
        weak = token is None or len(token.text) == 1 or token.text in {"fall", "spring"}
        return (
            Chunk(Frame(season=season), at + 1, LIKELY if not weak or said.said else WEAK)
            if alone or not weak
            else None
        )
    if (name := tokens.get(at, "holiday")) is not None:
        return Chunk(Frame(holiday=name), at + 1, LIKELY)
    return None


def _part(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Morning, 午後, pm: beside a day."""
    part, meridiem = tokens.get(at, "part"), tokens.get(at, "meridiem")
    skip = at
    if part is None and tokens.has(at, "here"):
        part, skip = tokens.get(at + 1, "part"), at + 1
    if part is not None and said.part is None:
        return Chunk(Frame(part=part), skip + 1, WEAK)
    if part is not None and said.clock is None and part != said.part:
        return None
    if meridiem is not None and tokens.all[at].text != "a":
        return Chunk(Frame(meridiem=meridiem), at + 1, WEAK)
    return None


_Rule = Callable[[Tokens, int, Frame, Reading], "Chunk | None"]
#: In this order: the longer reading of the same tokens first.
_RULES: tuple[_Rule, ...] = (
    _literal,
    _day_span,
    _era_year,
    _decade,
    _century,
    _quarter,
    _han_year,
    _han_month,
    _han_day,
    _lunar_day,
    _year_word,
    _week_number,
    _week_of,
    _halved,
    _nth,
    _shifted,
    _period_word,
    _day_word,
    _edge_of,
    _edge,
    _month_name,
    _weekday,
    _clock_digits,
    _bare_year,
    _day_number,
    _named,
    _part,
    _the_unit,
)  # fmt: skip
