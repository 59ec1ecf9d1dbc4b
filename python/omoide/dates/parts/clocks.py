"""Reads a time of day, or a stretch of hours.

Useful for: 8:30, 8pm, 8点半, "nine thirty". Not useful for: morning and evening; see periods.py.
Invariant: a bare number is an hour only where an hour is expected.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from omoide.dates import literals, numbers
from omoide.dates.frame import Clock, Frame, names_day
from omoide.dates.lexer import Tokens
from omoide.dates.parts.chunk import WEAK, Chunk, Reading
from omoide.dates.parts.days import month_follows
from omoide.dates.parts.digits import points_to_hour
from omoide.dates.patterns import pattern


def read_clock_digits(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """8:30, 8pm, "3 to 8pm", 8-9am; two hours are a stretch of the same day."""
    if said.month is not None and said.day is None and not tokens.has(at + 1, "clock_mark"):
        return None  # "Feb 5 am"
    of_day = tokens.word(at - 1) in _BEFORE_HOURS or _bounds_a_day(tokens, at)
    if reading.whole:
        of_day = of_day or _spans_hours_of_a_day(tokens, at, said) or _is_of_a_part_of_day(tokens, at)
    spoken = reading.whole and _spoken_time(tokens, at, _HOURS_OF_CLOCK) is not None
    # In a text 1.20 may be a version.
    pointed = points_to_hour(tokens, at) and (reading.whole or tokens.has(at + 4, "part"))
    loose = of_day or spoken or said.part is not None or pointed or _is_to_hour(tokens, at)
    first = _clock_at(tokens, at, loose=loose)
    if first is None:
        return None
    frame, stop = first if not reading.japanese else _before_the_hour(tokens, *first)
    if (named := _named_end(tokens, stop, at)) is not None:
        return Chunk(Frame(clock=_of_the_day(frame), clock_end=(named, -1, -1)), stop + 2, WEAK)
    second = _clock_at(tokens, stop + 1, loose=True) if _is_stretch(tokens, stop, at) else None
    if second is None:
        return Chunk(_of_a_waking_day(tokens, frame, stop, of_day=of_day) if said.part is None else frame, stop, WEAK)
    if frame.meridiem is None and second[0].meridiem and _hour_of_twelve(frame) >= _hour_of_twelve(second[0]):
        frame = replace(frame, meridiem="am" if second[0].meridiem == "pm" else "pm")  # 11 to 2pm, 10 to 2am
    if frame.meridiem and second[0].meridiem:
        return Chunk(_through(_of_the_day(frame), _of_the_day(second[0])), second[1], WEAK)
    waking = _of_a_waking_day(tokens, frame, second[1], of_day=of_day)
    meridiem = second[0].meridiem or waking.meridiem
    return Chunk(Frame(clock=frame.clock, clock_end=second[0].clock, meridiem=meridiem), second[1], WEAK)


def _hour_of_twelve(said: Frame) -> Clock:
    hour, minute, second = said.clock or (0, -1, -1)
    return (hour % _HOURS_OF_CLOCK if hour <= _HOURS_OF_CLOCK else -1), max(minute, 0), max(second, 0)


def _through(first: Clock, last: Clock) -> Frame:
    """The hours between two, which are both known to be before or after noon: from 3pm until 1pm ends on the next day. At the end of
    hours after noon 12pm is midnight."""
    if last[0] == _HOURS_OF_CLOCK <= first[0]:
        last = (_MIDNIGHT, *last[1:])
    return Frame(clock=first, clock_end=last if last > first else (last[0] + _HOURS_OF_DAY, *last[1:]))


def read_either_hour(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """两三点, 八九點, 2、3時, 9 or 10am, 9am or 10am: one hour or the next, so through the end of the second."""
    joint = at + 1 + (tokens.has(at + 1, "meridiem") and tokens.word(at + 1) == tokens.word(at + 4))
    if tokens.word(joint) == "or" and _is_next(tokens, at, joint):
        second = _clock_at(tokens, joint + 1, loose=False)
        return second and Chunk(_either(second[0]), second[1], WEAK)
    hour, mark = _TWO_HOURS.get(tokens.all[at].text), at + 1
    is_glued = tokens.glued(at + 1) and tokens.glued(at + 2)
    if hour is None and tokens.word(at + 1) == "," and is_glued and _is_next(tokens, at, at + 1):
        hour, mark = tokens.get(at, "num"), at + 3
    if hour is None or hour >= _HOURS_OF_DAY or not tokens.has(mark, "clock_mark"):
        return None
    return Chunk(Frame(clock=(hour, -1, -1), clock_end=(hour + 2, -1, -1)), mark + 1, WEAK)


def _either(second: Frame) -> Frame:
    """The hour before the second one through the end of that."""
    hour = _of_the_day(second)[0]
    return Frame(clock=(hour - 1, -1, -1), clock_end=(hour + 1, -1, -1))


def _is_next(tokens: Tokens, at: int, joint: int) -> bool:
    """Whether the number behind the joint is the next after the one at `at`."""
    first, last = tokens.get(at, "num"), tokens.get(joint + 1, "num")
    return first is not None and last == first + 1


_HOURS_OF_DAY = 24
#: Two neighbouring hours by their numerals.
_TWO_HOURS = {f"{first}{last}": hour for hour, (first, last) in enumerate(pairwise("一二三四五六七八九"), 1)} | {
    "两三": 2
}


def read_spoken_hour(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Half past 3, quarter to nine, ten past 9pm, five minutes to midnight; "ten to five" only after "at"."""
    minutes = _spoken_minutes(tokens, at)
    sign = _PAST_OR_TO.get(tokens.word(minutes[1])) if minutes else None
    hour = _spoken_hour(tokens, minutes[1] + 1) if minutes and sign else None
    if minutes is None or sign is None or hour is None:
        return None
    count, joint = minutes
    if sign < 0 and (count == _HALF or (tokens.has(joint - 1, "num", "cardinal") and not _is_at(tokens, at))):
        return None  # from ten to five
    frame, stop = hour
    first, minute = divmod((frame.clock or (0, -1, -1))[0] * 60 + sign * count, 60)
    meridiem = frame.meridiem or ("pm" if 1 <= first <= _LAST_OF_AFTERNOON else None)
    spoken = Frame(clock=(first or 12, minute, -1), meridiem=meridiem)
    last = _clock_at(tokens, stop + 1, loose=True) if _is_stretch(tokens, stop, at) else None
    if last is None:
        return Chunk(spoken, stop, WEAK)
    return Chunk(Frame(clock=_of_the_day(spoken), clock_end=_of_the_day(last[0])), last[1], WEAK)


def _spoken_minutes(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """How many minutes before or after the hour, and where the word for that is: half, a quarter, ten, five minutes."""
    if (named := _NAMED_MINUTES.get(tokens.all[at].text)) is not None:
        return named, at + 1
    number = numbers.cardinal(tokens, at) if tokens.has(at, "num", "cardinal") else None
    if number is None or number[0] >= _HALF:
        return None
    if tokens.get(number[1], "unit") == "minute" and tokens.all[number[1]].text.isascii():
        return number[0], number[1] + 1
    return number if number[0] in _SPOKEN else None


def _spoken_hour(tokens: Tokens, at: int) -> tuple[Frame, int] | None:
    """An hour of the clock's twelve, or noon or midnight."""
    if (named := tokens.get(at, "hour_name")) is not None:
        return Frame(clock=(named, -1, -1)), at + 1
    number = numbers.cardinal(tokens, at)
    if number is None or not 1 <= number[0] <= _HOURS_OF_CLOCK or _digits_follow(tokens, number[1]):
        return None
    hour, stop = number[0], number[1] + tokens.has(number[1], "oclock")
    if tokens.has(stop, "unit", "month", "ordinal_sign", "scale", "clock_mark"):
        return None
    return _with_meridiem(tokens, Frame(clock=(hour, -1, -1)), stop)


_PAST_OR_TO = {"past": 1, "after": 1, "to": -1, "till": -1}
_HALF, _HOURS_OF_CLOCK, _LAST_OF_AFTERNOON = 30, 12, 6
_NAMED_MINUTES = {"quarter": 15, "half": _HALF}
#: Minutes that are said without the word.
_SPOKEN = {5, 10, 15, 20, 25}


def _is_at(tokens: Tokens, at: int) -> bool:
    return tokens.word(at - 1) in {"at", "@", "around", "about"} or tokens.get(at - 1, "bound") == "until"


def read_zone(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """JST and PST after a clock time, UTC+9, 北京时间 and 日本時間で before or after it."""
    offset = tokens.get(at, "zone")
    beside = literals.offset(tokens.text, tokens.all[at].end) if offset == 0 else None
    if beside is not None:
        return Chunk(Frame(offset_minutes=beside[0]), tokens.index_at(beside[1], at), WEAK)
    if offset is None or (said.clock is None and tokens.all[at].text.isascii()):
        return None
    return Chunk(Frame(offset_minutes=offset), at + 1 + (tokens.word(at + 1) == "で"), WEAK)


def _before_the_hour(tokens: Tokens, frame: Frame, stop: int) -> tuple[Frame, int]:
    """7時15分前 becomes 6:45."""
    hour, minute, second = frame.clock or (0, -1, -1)
    if tokens.get(stop - 1, "unit") != "minute" or tokens.word(stop) not in _BEFORE or minute <= 0 or second >= 0:
        return frame, stop
    return Frame(clock=((hour - 1) % 24, 60 - minute, -1)), stop + 1


_BEFORE = {"前", "前に", "前の"}


def read_named_hour(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Midnight, the end of its day; or from noon or midnight (here the beginning of its day) to some hour."""
    hour = tokens.get(at, "hour_name")
    if hour is None:
        return None
    begins = (hour % 24, -1, -1)
    if (named := _named_end(tokens, at + 1, at)) is not None:
        return Chunk(Frame(clock=begins, clock_end=(named, -1, -1)), at + 3, WEAK)
    second = _clock_at(tokens, at + 2, loose=True) if _is_stretch(tokens, at + 1, at) else None
    if second is not None:
        return Chunk(Frame(clock=begins, clock_end=_of_the_day(second[0])), second[1], WEAK)
    return Chunk(Frame(clock=(hour, -1, -1)), at + 1, WEAK) if hour == _MIDNIGHT else None


_MIDNIGHT = 24


def _is_stretch(tokens: Tokens, joint: int, at: int) -> bool:
    """Whether the word at `joint` leads from the hour at `at` to another one."""
    return tokens.has(joint, "to") or (tokens.has(joint, "and") and tokens.has(at - 1, "between"))


def _named_end(tokens: Tokens, joint: int, at: int) -> int | None:
    """9am to noon, between nine and midnight: the named hour after the word at `joint`."""
    if not _is_stretch(tokens, joint, at) or _clock_at(tokens, joint + 2, loose=False):
        return None  # 到中午12点
    hour: int | None = tokens.get(joint + 1, "hour_name")
    return hour


def _is_to_hour(tokens: Tokens, at: int) -> bool:
    """2-4pm, 2 to 4pm, 10 to 11 at night, 2〜4時: the first number is an hour, too."""
    number = numbers.cardinal(tokens, at)
    second = _clock_at(tokens, at + 2, loose=False) if number and tokens.has(number[1], "to") else None
    if second is None:
        return False
    return second[0].meridiem is not None or tokens.has(at + 3, "clock_mark") or _part_follows(tokens, second[1])


def _bounds_a_day(tokens: Tokens, at: int) -> bool:
    """Since 9 this morning, until 5 yesterday."""
    number = numbers.cardinal(tokens, at) if tokens.has(at - 1, "bound") else None
    if number is None:
        return False
    return tokens.has(number[1], "day") or (tokens.has(number[1], "shift") and tokens.has(number[1] + 1, "part"))


def _spans_hours_of_a_day(tokens: Tokens, at: int, said: Frame) -> bool:
    """9 to 5 on Monday, Monday 9-5: two hours of the clock before or after the day. Inside a text they may be a score."""
    first = numbers.cardinal(tokens, at)
    last = numbers.cardinal(tokens, first[1] + 1) if first and tokens.has(first[1], "to") else None
    if first is None or last is None or not all(1 <= hour[0] <= _HOURS_OF_CLOCK for hour in (first, last)):
        return False
    day = last[1] + tokens.has(last[1], "link")
    return tokens.has(day, "weekday", "shift", "day") if not said.said else names_day(said) and day == len(tokens)


def _is_of_a_part_of_day(tokens: Tokens, at: int) -> bool:
    """8 tonight, 9 tomorrow morning, ten last night, 9 tomorrow. Inside a text the number may count something."""
    number = numbers.cardinal(tokens, at)
    if number is None or not 1 <= number[0] <= _HOURS_OF_CLOCK:
        return False
    return tokens.has(number[1], "day") or (tokens.has(number[1], "shift") and tokens.has(number[1] + 1, "part"))


def _spoken_time(tokens: Tokens, at: int, hours: int) -> tuple[Clock, int] | None:
    """Ten thirty, nine fifty-nine. `hours`: of the clock; where it has but twelve, nineteen thirty is a year."""
    hour = numbers.cardinal(tokens, at) if tokens.has(at, "cardinal") else None
    minute = numbers.cardinal(tokens, hour[1]) if hour and tokens.has(hour[1], "cardinal") else None
    if hour is None or minute is None or not (1 <= hour[0] <= hours and 10 <= minute[0] < 60):
        return None
    return (hour[0], minute[0], -1), minute[1]


def _of_the_day(said: Frame) -> Clock:
    """The clock in hours from midnight: each end of "9am to 5pm" has its own half of the day."""
    hour, minute, second = said.clock or (0, -1, -1)
    return (hour % 12 + (12 if said.meridiem == "pm" else 0) if said.meridiem else hour), minute, second


def _of_a_waking_day(tokens: Tokens, said: Frame, stop: int, *, of_day: bool) -> Frame:
    """Yesterday at 3, at five o'clock: without minutes and am or pm, one to six are in the afternoon. `of_day`: whether something
    makes it an hour of a day."""
    hour, minute, _ = said.clock or (0, -1, -1)
    is_hour = minute < 0 or tokens.has(stop - 1, "oclock")
    if not (is_hour and 1 <= hour <= 6 and said.said == {"clock"}):
        return said
    return Frame(clock=said.clock, meridiem="pm") if of_day and not tokens.has(stop, "zone") else said


_BEFORE_HOURS = {"at", "@", "around", "about", "from", "between"}


def _clock_at(tokens: Tokens, at: int, *, loose: bool) -> tuple[Frame, int] | None:
    token = tokens.at(at)
    if token is None:
        return None
    if token.text[0].isdigit():
        found = literals.clock(tokens.text, token.start, loose=loose)
        if found and not (found[0].meridiem and tokens.has(tokens.index_at(found[1], at), "unit")):
            stop = tokens.index_at(found[1], at)
            return found[0], stop + (tokens.word(stop) == "时" and tokens.glued(stop))  # 11:00时
    return _clock_words(tokens, at, loose=loose)


def _clock_words(tokens: Tokens, at: int, *, loose: bool) -> tuple[Frame, int] | None:
    """Seven, "nine thirty", "5 o'clock", 12 noon, 8点半, 7時30分, 8点十五分."""
    hour = numbers.cardinal(tokens, at)
    if hour is None or hour[0] > 30:
        return None
    token = tokens.at(hour[1])
    if token and hour[0] == _HOURS_OF_CLOCK and token.text in _TWELVE:
        return Frame(clock=(_TWELVE[token.text], -1, -1)), hour[1] + 1
    if token and "clock_mark" in token.senses:
        return _han_minutes(tokens, hour)
    if tokens.has(hour[1], "oclock"):
        return Frame(clock=(hour[0], 0, -1)), hour[1] + 1
    if tokens.has(hour[1], "meridiem"):
        return Frame(clock=(hour[0], -1, -1), meridiem=tokens.get(hour[1], "meridiem")), hour[1] + 1
    spoken = _spoken_time(tokens, at, _HOURS_OF_DAY if loose else _HOURS_OF_CLOCK)
    if spoken is not None and (loose or tokens.has(spoken[1], "meridiem")):
        return _with_meridiem(tokens, Frame(clock=spoken[0]), spoken[1])
    if (
        not (loose or _part_follows(tokens, hour[1]))
        or hour[0] > 24
        or tokens.has(hour[1], "unit", "month", "ordinal_sign", "scale")
        or (tokens.has(hour[1], "weekday") and not tokens.has(at - 1, "to"))
    ):
        return None
    if month_follows(tokens, hour[1]) or tokens.has(at, "han") or _digits_follow(tokens, hour[1]):
        return None
    return Frame(clock=(hour[0], -1, -1)), hour[1]


#: 12 noon, 12 midnight.
_TWELVE = {"noon": 12, "midnight": _HOURS_OF_DAY}


def _part_follows(tokens: Tokens, at: int) -> bool:
    """10 in the morning, 3 in the afternoon, ten at night."""
    if tokens.word(at) == "at":
        return tokens.word(at + 1) == "night"
    return tokens.word(at) in {"in", "in the"} and tokens.word(at + 1 + tokens.has(at + 1, "here")) in _OF_HOURS


_OF_HOURS = {"morning", "afternoon", "evening"}


def _digits_follow(tokens: Tokens, at: int) -> bool:
    """Whether -05-2019, /12 or .5 goes on, or "to January 22"."""
    token = tokens.at(at)
    if token is None:
        return False
    if tokens.has(at, "to") and tokens.has(at + 1, "month"):
        return True
    return pattern(_GOES_ON).match(tokens.text, token.start) is not None and token.glued


_GOES_ON = r"[/.:]\d|-\d+[-/.]\d"


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
        more = tokens.word(at) == "多"  # 5点多, 5点多钟
        return Frame(clock=(hour[0], -1, -1)), at + more + (more and tokens.word(at + 1) == "钟")
    if minute[0] <= 3 and tokens.word(minute[1]) == "刻":
        return Frame(clock=(hour[0], 15 * minute[0], -1)), minute[1] + 1
    unit = tokens.get(minute[1], "unit")
    if unit == "second":
        return Frame(clock=(hour[0], 0, minute[0])), minute[1] + 1
    second = numbers.cardinal(tokens, minute[1] + 1) if unit == "minute" else None
    if second and tokens.get(second[1], "unit") == "second":
        return Frame(clock=(hour[0], minute[0], min(second[0], 59))), second[1] + 1
    return Frame(clock=(hour[0], minute[0], -1)), minute[1] + (unit == "minute")
