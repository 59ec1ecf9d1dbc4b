"""Completes dates that share a part said once: last Monday and Tuesday, 去年の3月と4月, 昨日の朝と昼, 上周一或周二, 上周一三五, 先週の月水金, 除夕和初一, March and April of last year.

Useful for: `mentions`, where one date follows another. Not useful for: ranges; see grammar.py.
Invariant: a date with a week, month or year of its own keeps it; two that are not in order (去年の12月と1月) stay unchanged.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from omoide.dates.fold import is_han
from omoide.dates.frame import MONDAY, SATURDAY, SUNDAY, Ahead, Frame, Node, Range, names_day
from omoide.dates.grammar import NEW_YEAR, old_day
from omoide.dates.holidays import holiday
from omoide.dates.hours import NOON
from omoide.dates.joining import JOINTS, TIMES, Term, fits, frame_at
from omoide.dates.lexer import Tokens
from omoide.dates.numbers import cardinal
from omoide.dates.parts.chunk import Reading
from omoide.dates.parts.days import DAYS_OF_WEEK, chinese_weekday, ends_with_weekday
from omoide.dates.parts.lunar import counts
from omoide.dates.parts.years import unit_of_years

#: (the index of its first token, the date); (the index of its token, the day of the week).
Placed = tuple[int, Term]
DayAt = tuple[int, int]

#: Words that may follow JOINTS; and those of them across which the second date may complete the first.
_BEHIND_JOINTS = frozenset("者 , and or on in the".split())
#: The same in several tokens.
_LONG_JOINTS = frozenset("とか または もしくは あるいは それとも か,それとも それか 还是 以及 还有".split())
_BACK = frozenset("and or & /".split())
_YEARS = frozenset({"year", "year_shift", "fiscal"})
#: Parts of a date, the longest first, and the parts that the date beside it may have given for both.
_OWNERS = {
    "quarter": _YEARS | {"shift"},
    "half": _YEARS | {"shift"},
    "season": _YEARS,
    "holiday": _YEARS,
    "month": _YEARS,
    "day": _YEARS | {"month", "month_shift"},
    "weekday": frozenset({"shift", "nearest"}),
}
#: A date with one of these parts needs no other date to complete it.
_OWN = _YEARS | {"shift", "month_shift", "nearest", "lunar", "decade", "century"}


def completed(tokens: Tokens, dates: list[Placed], *, whole: bool = False) -> list[Placed]:
    """The dates of a text in order, each completed by the parts that it shares with its neighbour. `whole`: they are all that an
    argument says, so that two days of the week follow each other."""
    found = dates[:1]
    joints = [False]  # of each date, whether it is joined to the one before
    first = 0  # of the list that goes on with the next date
    for place, term in dates[1:]:
        before = found[-1][1]
        of_a_term = tokens.word(before.stop) == "期" and tokens.word(before.stop - 1) == "月"  # 4〜6月期と7〜9月期
        joint = [token.text for token in tokens.all[before.stop + of_a_term : place]]
        joined = bool(joint) and joint[0] in JOINTS and _BEHIND_JOINTS.issuperset(joint[1:])
        joined = joined or "".join(joint).strip(",") in _LONG_JOINTS
        if not joint and tokens.has(place, "weekday"):
            joined = tokens.glued(place)  # 下周三周四, 来週の水曜木曜
        if not joined:
            first = len(found)
        elif not _BACK.isdisjoint(joint) and not tokens.has(place, "shift", "period"):
            _complete_back(found, first, term)
            before = found[-1][1]
        found.append((place, _with_more(term, before, term, before) if joined else term))
        joints.append(joined)
    return _in_turn(found, joints) if whole else found


def _in_turn(dates: list[Placed], joints: list[bool]) -> list[Placed]:
    """The dates of a list; of two days of the week, the second is the day after the first, even if that is today: 土曜と日曜, 周六或周日,
    Friday night and Saturday morning."""
    for at in range(1, len(dates)):
        (_, before), (place, term) = dates[at - 1], dates[at]
        first, last = _weekday_alone(before), _weekday_alone(term)
        if joints[at] and first is not None and last == (MONDAY if first == SUNDAY else first + 1):
            dates[at] = place, term._replace(node=Ahead(term.node, before.node))
    return dates


def _weekday_alone(term: Term) -> int | None:
    """The day of the week of a date that says no more than that and hours."""
    node = _of_its_own(term).node
    return node.weekday if isinstance(node, Frame) and node.said - TIMES == {"weekday"} else None


def _complete_back(found: list[Placed], first: int, last: Term) -> None:
    """Mon, Tue and Wed last week: complete each date from `first` on by the one behind it."""
    for at in reversed(range(first, len(found))):
        place, term = found[at]
        last = _with_more(term, term, last, last)
        if last is term:
            break
        found[at] = place, last


def parts_behind(tokens: Tokens, term: Term, reading: Reading) -> list[Placed]:
    """The other parts of the same day, month or year that follow one of it: 昨日の朝と昼, 昨天九点或十点, 1月の上旬か中旬,
    yesterday morning and afternoon."""
    node = term.node
    parts = next((each for each in _PARTS if isinstance(node, Frame) and each & node.said), None)
    if parts is None or not isinstance(node, Frame):
        return []
    others = node.said - parts
    whole = Frame(**{name: getattr(node, name) for name in others})
    if not others or (parts is TIMES and not names_day(whole)):
        return []
    found: list[Placed] = []
    stop = term.stop
    while (place := _past_joint(tokens, stop)) is not None:
        more = frame_at(tokens, place, reading, whole)
        if more is None or not isinstance(more.node, Frame) or more.node.said - parts != others:
            break
        if tokens.word(more.stop) == "of" or (more.stop == place + 1 and _is_part_of_a_word(tokens, place)):
            break  # first half of another year, 夜 of 夜食
        stop = more.stop
        found.append((place, Term(_in_that_part(more.node, node), stop, term.sure, term.relative)))
    return found


_PARTS = (TIMES, frozenset({"third"}), frozenset({"half"}))


def years_behind(tokens: Tokens, place: int, term: Term, reading: Reading) -> list[Placed]:
    """The other years of an era that follow one of it: 令和4年と5年, 民國112、113年."""
    era, before = tokens.get(place, "era"), term.node
    found: list[Placed] = []
    stop = term.stop
    while era is not None and isinstance(before, Frame) and (at := _past_joint(tokens, stop)) is not None:
        number = cardinal(tokens, at)
        if number is None or not _ends_year(tokens, number):
            break
        year = era + number[0]
        if year <= (before.year or before.fiscal or year):
            break
        said = Frame(year=year) if before.fiscal is None else Frame(fiscal=year)
        stop = number[1] + (tokens.word(number[1]) in _YEAR_SIGNS)
        more = frame_at(tokens, stop, reading, said) or Term(said, stop, True, False)
        found.append((at, more))
        before, stop = more.node, more.stop
    return found


def old_days_behind(tokens: Tokens, term: Term) -> list[Placed]:
    """The other days of a month of the old calendar that follow one of it: 除夕和初一, 大年初一、初二, 正月十四、十五."""
    node = term.node
    if not isinstance(node, Frame) or node.said & _YEARS:
        return []
    first = Frame(lunar="china", month=1) if node.holiday in NEW_YEAR else node
    found: list[Placed] = []
    stop = term.stop
    while first.lunar and (at := _past_joint(tokens, stop)) is not None:
        more = old_day(tokens, at, first)
        if (
            more is None
            or not (tokens.has(at, "first_ten") or _ends_days(tokens, more.stop))
            or not isinstance(more.node, Frame)
        ):
            break
        found.append((at, more))
        first, stop = more.node, more.stop
    return found


def _ends_year(tokens: Tokens, number: tuple[int, int]) -> bool:
    """Whether the number is one of a year, not of years: 5年 of 令和4年と5年, not of 令和4年と5年前."""
    after = number[1] + 1
    if tokens.word(number[1]) not in _YEAR_SIGNS:
        return unit_of_years(tokens, number) is not None
    return not (tokens.has(after, "ago", "hence", "within", "nth_unit", "tail") or tokens.word(after)[:1] in _OF_YEARS)


_YEAR_SIGNS, _OF_YEARS = {"年", "年度"}, set("ぶ生未級级目")


def _is_part_of_a_word(tokens: Tokens, at: int) -> bool:
    return len(tokens.word(at)) == 1 and not _ends_days(tokens, at + 1)


def _in_that_part(hour: Frame, before: Frame) -> Frame:
    """The hour, in the part of the day that was said of the one before it: 10時 of 午前9時か10時."""
    if hour.clock is None or before.clock is None or not before.clock < hour.clock or hour.clock[0] > NOON:
        return hour
    if hour.part is not None or hour.meridiem is not None:
        return hour
    return replace(hour, part=before.part, meridiem=before.meridiem)


def _past_joint(tokens: Tokens, at: int) -> int | None:
    """The place after a word that joins two dates."""
    if tokens.word(at) in JOINTS:
        place = at + 1
        while tokens.word(place) in _BEHIND_JOINTS and place < at + 3:
            place += 1
        return place
    words = [tokens.word(at), tokens.word(at + 1), tokens.word(at + 2)]
    return next((at + many for many in (3, 2) if "".join(words[:many]) in _LONG_JOINTS), None)


def weekdays_behind(tokens: Tokens, place: int, term: Term) -> list[Placed]:
    """The days that follow a Chinese weekday without a word for the week: 上周一三五, 这周三四, 上周一、三、五, 周五六日.

    Those of every week (每周一三五) are not dates."""
    node = term.node
    if not isinstance(node, Frame) or not node.said <= _OF_A_WEEK or tokens.word(place - 1) in _EVERY:
        return []
    first = chinese_weekday(tokens, term.stop - 1)
    if first is None:
        return []
    days = [(term.stop - 1, first)]
    while listed := _listed_days(tokens, *days[-1]):
        days += listed
    surely = len(days) > 2 or [day for _, day in days] == _WEEKEND
    if not surely and not ends_with_weekday(tokens, days[-1][0] + 1):
        return []
    return [(at, term._replace(node=_of_that_week(node, day), stop=at + 1)) for at, day in days[1:]]


def _of_that_week(first: Frame, day: int) -> Node:
    """Another day of the week that the first one is of: without a word for it, the next such day."""
    node = replace(first, weekday=day)
    return node if node.said != {"weekday"} else Ahead(node, first)


#: What may be said of a day in such a list.
_OF_A_WEEK = {"weekday", "shift", "nearest"}
_EVERY = {"每", "逢", "隔"}
_WEEKEND = [SATURDAY, SUNDAY]


def _listed_days(tokens: Tokens, before: int, last: int) -> list[DayAt]:
    """The days of 三五, 五六日 or ",三" behind the word at `before`, which is the day `last`."""
    joined = tokens.word(before + 1) in JOINTS
    at = before + 1 + joined
    if not tokens.glued(at) or counts(tokens, at + 1):
        return []
    if last == SATURDAY and not joined and _is_sunday(tokens, at):
        return [(at, SUNDAY)]
    if not (joined or tokens.has(at, "han")):
        return []  # 天 of 周五天气
    days = [DAYS_OF_WEEK.get(one, -1) for one in tokens.word(at)]
    if not last < days[0] or days != sorted(set(days)) or (joined and len(days) > 1):
        return []
    return [(at, day) for day in days]


def _is_sunday(tokens: Tokens, at: int) -> bool:
    """Whether 日 after 周六 is Sunday; not in 周六日程."""
    return tokens.word(at) == "日" and tokens.word(at + 1)[:1] not in set("程本记記语語元期常报報历曆均")


def days_of_week(tokens: Tokens, place: int, term: Term) -> list[Placed]:
    """The days that follow a Japanese week, each by one character: 先週の月水金, 今週の火・木, 今週の水木金曜, 先週の土日月, 先週の月〜水.

    Not 今週の土木工事, 来週の水道, 先週の水木しげる展."""
    node = term.node
    if not isinstance(node, Frame) or node.shift is None or node.shift[0] != "week":
        return []
    if node.said == {"shift", "week_of"} and tokens.word(term.stop - 1) == "土日":
        monday = term._replace(node=_monday_after(node), stop=term.stop + 1)
        return [(place, term), (term.stop, monday)] if _is_monday(tokens, term.stop) else []
    if node.said != {"shift"}:
        return []
    at = term.stop + (tokens.word(term.stop) == "の")
    if tokens.word(at + 1) in _THROUGH:
        return _span_of_days(tokens, place, at, node)
    days = _listed_japanese(tokens, at)
    if not days or not _ends_days(tokens, days[-1][0] + 1):
        return []
    found = [(at, term._replace(node=replace(node, weekday=day), stop=at + 1)) for at, day in days]
    found[0] = place, found[0][1]
    in_order = [day for _, day in days]
    if in_order[-2:] == [SUNDAY, MONDAY] and len(days) > 2:
        (_, sunday), (at, monday) = found[-2:]
        found[-1] = at, monday._replace(node=_monday_after(sunday.node))
        in_order.pop()
    if len(in_order) == 1:
        return found if tokens.text[tokens.all[days[-1][0]].end :].startswith(_BEHIND_A_DAY) else []
    is_list = in_order == sorted(set(in_order)) and in_order != _MONTHS_AND_DAYS
    return found if is_list else []


def _span_of_days(tokens: Tokens, place: int, at: int, week: Frame) -> list[Placed]:
    """月〜水 of the week."""
    ends = [*_days_at(tokens, at), *_days_at(tokens, at + 2)]
    first, last = (day for _, day in ends) if len(ends) == 2 else (0, 0)
    if first >= last or not _ends_days(tokens, at + 3):
        return []
    return [(place, Term(Range(replace(week, weekday=first), replace(week, weekday=last)), at + 3, True, True))]


def _listed_japanese(tokens: Tokens, at: int) -> list[DayAt]:
    """The days of 月水金, 火・木, 水木金曜."""
    days: list[DayAt] = []
    while more := _days_at(tokens, at):
        days += more
        at += 1 + (tokens.word(at + 1) in _BETWEEN_DAYS)
    return days


def _days_at(tokens: Tokens, at: int) -> list[DayAt]:
    """The days that the word there names, each by one character or one in full."""
    word = tokens.word(at)
    if not tokens.glued(at) or word[0] not in _JAPANESE_DAYS:
        return []
    if (day := tokens.get(at, "weekday")) is not None:
        return [(at, day)]
    return [(at, _JAPANESE_DAYS[day]) for day in word] if set(word) <= _JAPANESE_DAYS.keys() else []


def _ends_days(tokens: Tokens, at: int) -> bool:
    """Whether no other word goes on there, in kanji or in hiragana that is no particle."""
    behind = tokens.word(at)[:1]
    return not is_han(behind) and (not "ぁ" <= behind <= "ゖ" or behind in "はがにのでともをやかへだなまよ")


def _is_monday(tokens: Tokens, at: int) -> bool:
    """Whether 月 after 土日 is Monday."""
    alone = tokens.word(at) == "月" and tokens.glued(at) and _ends_days(tokens, at + 1)
    return alone or (tokens.get(at, "weekday") == MONDAY and tokens.glued(at))


def _monday_after(weekend: Node) -> Node:
    return Ahead(Frame(weekday=MONDAY), weekend)


_JAPANESE_DAYS = {written: day for day, written in enumerate("月火水木金土日")}
#: 月日, which also means time.
_MONTHS_AND_DAYS = [MONDAY, SUNDAY]
#: What makes a day of the one character in front of it, as in 先週の木に and 来週の火までに; 先週の木の手入れ is of a tree.
_BEHIND_A_DAY = ("に", "まで", "から", "の朝", "の昼", "の午", "の夕", "の夜", "の晩")
_BETWEEN_DAYS, _THROUGH = {"・", ","}, {"~", "-"}


def _with_more(term: Term, first: Term, last: Term, other: Term) -> Term:
    """`term`, one of `first` and `last`, with the parts that `other` gives for both."""
    back = term is first
    first, other = _of_its_own(first), _of_its_own(other)
    frames, others = _frames(term.node), _frames(other.node)
    if not (frames and others) or any(frame.said & _OWN for frame in frames):
        return term
    part = next((part for part in _OWNERS if part in frames[0].said), None)
    if part is None or not _are_in_order(part, _frames(first.node)[-1], _frames(last.node)[0]):
        return term
    said = {owner: getattr(frame, owner) for frame in others for owner in _OWNERS[part] & frame.said}
    joined = [frame.join(Frame(**said)) for frame in frames] if said else []
    fitting = [frame for frame in joined if frame is not None and fits(frame)]
    if not fitting or len(fitting) < len(frames):
        return term
    node: Node = fitting[0]
    if isinstance(term.node, Range):
        node = replace(term.node, first=fitting[0], last=fitting[1])
    if "month" in said and not (back or fitting[0].said & _YEARS):
        node = Ahead(node, first.node)  # 21日 of 5月20日と21日 is of the same year, even if it is tomorrow
    return Term(node, term.stop, term.sure or other.sure, term.relative or other.relative)


def _frames(node: Node) -> list[Frame]:
    """The date, or both ends of a range; none of anything else."""
    if isinstance(node, Frame):
        return [node]
    if isinstance(node, Range) and isinstance(node.first, Frame) and isinstance(node.last, Frame):
        return [node.first, node.last]
    return []


def _of_its_own(term: Term) -> Term:
    """The date as if nothing preceded it."""
    return term._replace(node=term.node.node) if isinstance(term.node, Ahead) else term


def _are_in_order(part: str, first: Frame, last: Frame) -> bool:
    ends = [getattr(frame, part) for frame in (first, last) if part in frame.said]
    if part != "holiday" or len(ends) < 2:
        return len(ends) > 1 and ends[0] < ends[1]
    days = [holiday(name, _ANY_YEAR) for name in ends]
    return ends[0] != ends[1] and days[0] is not None and days[1] is not None and days[0] - days[1] < _A_MONTH


#: The old calendar's festivals are on other days each year: 国庆 is before or after 中秋.
_ANY_YEAR, _A_MONTH = 2024, timedelta(days=30)
