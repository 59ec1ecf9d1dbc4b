"""Reads the date that begins at a token: a date, a length from now, a range, or one side of any of them.

Useful for: `find` and `parse`. Not useful for: instants, which need a reference (resolve.py).
Invariant: a bounded number of tokens is looked at from each place, so a whole text takes linear time.

    mention := side | side side | [BETWEEN] term TO term | term
    side    := BOUND term | term TAIL
    term    := length AGO | length RELATE term | WINDOW length | term length AGO | parts
    parts   := part { [LINK] part }, in any order, each kind at most once
"""

from __future__ import annotations

from dataclasses import replace

from omoide.dates import numbers
from omoide.dates.comparisons import compared
from omoide.dates.fold import is_han
from omoide.dates.frame import (
    BLANK,
    HOUR,
    Ahead,
    Bound,
    Frame,
    Length,
    Node,
    Now,
    Offset,
    Range,
    Stretch,
    ToDate,
    Window,
    names_day,
    without_hours,
)
from omoide.dates.hours import begins, noon_as_hour, stretch_of
from omoide.dates.joining import JOINTS, Term, fits, frame_at
from omoide.dates.lengths import DATE_LIKE, length
from omoide.dates.lexer import Token, Tokens
from omoide.dates.parts.chunk import Reading
from omoide.dates.parts.days import DAYS_OF_WEEK, chinese_weekday, ends_with_weekday
from omoide.dates.parts.digits import is_fraction
from omoide.dates.parts.lunar import counts
from omoide.dates.parts.relative import counted
from omoide.dates.parts.years import PLURAL
from omoide.dates.patterns import pattern
from omoide.dates.terms import DEPENDENT, is_date, past_fillers, term_at


def read(tokens: Tokens, at: int, reading: Reading) -> Term | None:
    """The longest date that begins with the token at `at`, or None."""
    opens = not _OPENING.isdisjoint(tokens.all[at].senses)
    for rule in (_range, compared, _bound, _plain, _span) if opens else (_range, _plain):
        found = rule(tokens, at, reading)
        if found is not None:
            return _both_sides(tokens, found, reading) or found
    return None


#: Kinds of words that every rule but `_range` and `_plain` begins with.
_OPENING = frozenset({"compared", "bound", "tail", "between"})


def _both_sides(tokens: Tokens, first: Term, reading: Reading) -> Term | None:
    """2010年之后2018年之前, 3月以降6月以前, after March but before June: the time between the two.

    Only if the text has nothing else: in a longer one each side is a mention, and more may follow (… or before 2000).
    5月20日起至6月3日止 is one date in any text."""
    if not isinstance(first.node, Bound) or first.node.kind not in _BEGINS:
        return None
    through = tokens.word(first.stop) in _THROUGH
    start = first.stop + (through or tokens.word(first.stop) in {",", "、", "but"})
    start += tokens.has(start, "and") or tokens.word(start) == "but"
    last = _bound(tokens, start, reading) or _plain(tokens, start, reading) if through or reading.whole else None
    if last is None or not is_date(last.node):
        return None
    kind = last.node.kind if isinstance(last.node, Bound) else "until" if through else "since"
    if kind in _BEGINS or (kind == "before" and not reading.whole):
        return None
    node = _between_sides(first.node, last.node)
    return Term(node, last.stop, first.sure or last.sure, first.relative or last.relative) if node else None


def _between_sides(first: Bound, last: Node) -> Range | None:
    """From one side to the other. An hour on either without a day is of the other's: after 9 but before 11 on Thursday. None for
    after 9 yesterday but before 11, which is no day."""
    end = last.node if isinstance(last, Bound) else last
    end = end.node if isinstance(end, Ahead) else end
    begin = first.node
    if not (isinstance(begin, Frame) and isinstance(end, Frame) and begin.clock):
        return Range(first, last)
    if end.clock is None:
        return Range(first, last) if end.said != {"day"} else None
    begin_of_day = without_hours(end).join(replace(begin, nearest=None)) if begin.said <= DEPENDENT else begin
    end_of_day = without_hours(begin).join(replace(end, nearest=None)) if end.said <= DEPENDENT else end
    if begin_of_day is None or end_of_day is None:
        return Range(first, last)
    return Range(replace(first, node=begin_of_day), Bound("before", end_of_day))


#: Between 5月20日起 and 6月3日止.
_THROUGH = {"至", "到"}
#: Kinds of bounds that are open at the end.
_BEGINS = {"since", "after"}


def _plain(tokens: Tokens, at: int, reading: Reading) -> Term | None:
    term = term_at(tokens, at, reading) or (_either_unit(tokens, at) if reading.whole else None)
    if term is None or not is_date(term.node):
        return term and (_tailed_hour(tokens, term, reading) or _hours_alone(tokens, at, term, reading))
    if not tokens.says_something(term.stop) and tokens.word(term.stop) not in {"or", "・", "か"}:
        return term
    if _is_stretch(term.node):
        return term._replace(stop=_past_closings(tokens, term.stop))
    for rule in (_through_seasons, _hours_behind, _timed_bound, _around_day, *_WITH_A_NEIGHBOUR, _tailed, _from_on):
        longer = rule(tokens, term, reading)
        if longer is not None:
            return longer
    return term._replace(stop=_past_closings(tokens, term.stop)) if isinstance(term.node, Range) else term


def _is_stretch(node: Node) -> bool:
    """Whether a frame has both ends: 4日から22日まで, 3-8pm."""
    return isinstance(node, Frame) and (node.clock_end is not None or node.day_end is not None)


def _past_closings(tokens: Tokens, at: int) -> int:
    place = at
    while tokens.has(place, "closing") and place < at + 3:
        place += 1
    return place


def _bound(tokens: Tokens, at: int, reading: Reading) -> Term | None:
    """Since 2019, before:2025-06, no later than Friday, 截至去年."""
    kind = tokens.get(at, "bound")
    if kind is None and tokens.has(at, "tail") and tokens.all[at].text.isascii():
        kind = "before" if tokens.get(at, "tail") == "until" else "after"  # "or before 2018"
    if kind is None or (tokens.get(at, "tail") == "by" and not tokens.has(at, "bound")):
        return None  # "at the latest March meeting"
    token, colon = tokens.at(at), tokens.at(at + 1)
    begin = start = at + 1 + (colon is not None and colon.text == ":")
    while tokens.has(start, "skip", "here") and start < at + 4:
        start += 1
    start += tokens.word(start) == "'"  # since '98
    # The week before Christmas needs its "the".
    term = term_at(tokens, start, reading) or term_at(tokens, begin, reading)
    if term is None or not is_date(term.node):
        return _bound_of_today(tokens, start, kind, reading)
    if isinstance(term.node, Offset):
        stop = _past_begun(tokens, term.stop) if kind == "since" else term.stop  # 从两年前开始
        return term._replace(node=_one_side(kind, term.node, reading), stop=stop)
    if _is_stretch(term.node):
        return term._replace(stop=_past_closings(tokens, term.stop))
    stop = term.stop
    if token and token.text in _THROUGH:
        is_closed = tokens.get(stop, "tail") == "until"
        if not is_closed and not (reading.whole and at == 0):
            return None  # 到昨天为止, or 到年底 and no more, but not 到 of a range
        return term._replace(node=Bound("until", term.node), stop=stop + is_closed)
    if not token or not token.text.isascii():  # 从…开始, 自…以来
        stop = _past_begun(tokens, stop)
        if stop > term.stop and (lasting := _lasting_from(tokens, term, stop)) is not None:
            return lasting
    if kind in _THAT_DAY_AT_LAST:  # 遅くとも金曜までに
        closing = tokens.get(stop, "tail")
        stop += closing in {"before", "until", *_THAT_DAY_AT_LAST}
        kind = "before" if closing == "before" else kind  # 最迟周五前
    node = _one_side(kind, _begun(token, term.node), reading)
    return Term(node, stop, term.sure or _telling_bound(tokens, term), term.relative)


def _past_begun(tokens: Tokens, at: int) -> int:
    """The place past 开始 and what may follow it: 从上周开始到现在."""
    if tokens.get(at, "tail") != "since":
        return at
    return at + 1 + (tokens.word(at + 1) in _UP_TO_NOW)


#: Behind 从…开始, whose end it does not change.
_UP_TO_NOW = {"到现在", "到目前", "到目前为止", "到现在为止", "至今"}


def _one_side(kind: str, node: Node, reading: Reading) -> Node:
    """The side of the date that the bound means. By Friday, 金曜までに and 周五之前 mean one to come, unless the past is asked for."""
    if kind == "on":
        return Ahead(node)
    pending = kind == "by" or (kind in _OF_WEEKDAYS_TO_COME and isinstance(node, Frame) and node.said == {"weekday"})
    if pending and reading.about != "past":
        node = Ahead(node)
    return Bound("until" if kind in _THAT_DAY_AT_LAST else kind, node)


#: Before Friday and no later than Friday are about the next one; before March is not.
_OF_WEEKDAYS_TO_COME = {"before", "no later"}
_THAT_DAY_AT_LAST = {"by", "no later"}


def _lasting_from(tokens: Tokens, first: Term, at: int) -> Term | None:
    """从9月1日起一周, 从周一开始的三天: that long from the date on."""
    found = length(tokens, at + (tokens.word(at) == "的")) if tokens.glued(at) else None
    if found is None or tokens.has(found[1], "ago", "hence") or tokens.all[found[1] - 1].text in DATE_LIKE:
        return None
    if not {unit for unit, _ in found[0]} <= {"day", "week", "month", "year"}:
        return None
    return Term(Stretch(found[0], first.node), found[1] + tokens.has(found[1], "within"), True, True)


def _begun(token: Token | None, node: Node) -> Node:
    """Since the weekend, 自从周末, 週末以来: since one that has begun."""
    is_weekend = isinstance(node, Frame) and node == Frame(shift=("weekend", 0))
    return Frame(shift=("weekend begun", 0)) if is_weekend and token and token.text in _SO_FAR else node


_SO_FAR = {"since", "ever since", "自从", "以来"}


def _bound_of_today(tokens: Tokens, at: int, kind: str, reading: Reading) -> Term | None:
    """Since midnight, since 9am, of today or yesterday; as a whole argument also before noon."""
    found = _hour_at(tokens, at, None, reading) if kind == "since" or reading.whole else None
    if found is None:
        return None
    return Term(Bound(kind, _hour_meant(kind, found[0], reading)), found[1], True, True)


def _hour_meant(kind: str, hour: Frame, reading: Reading) -> Frame:
    """The hour that such a bound means: the next one if it is pending or about the future, else the latest."""
    pending = kind in _THAT_DAY_AT_LAST and reading.about != "past"
    return replace(_latest(hour), nearest=1 if pending or reading.about == "future" else -1)


def _latest(hour: Frame) -> Frame:
    """The hour of today or yesterday that began last; midnight is the beginning of a day."""
    first, minute, second = hour.clock or (0, -1, -1)
    return replace(hour, clock=(first % 24, minute, second), nearest=-1)


def _telling_bound(tokens: Tokens, term: Term) -> bool:
    """Whether a bound makes its date certain: a bare year or slashed date after "since" is one; 8080 is never a year, and 2000
    of "after 2000 users" counts them."""
    if not isinstance(term.node, Frame) or not term.node.said & {"year", "month"}:
        return False
    return term.node.said != {"year"} or not pattern(PLURAL).fullmatch(tokens.word(term.stop))


def _through_seasons(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    """2025年秋冬, 去年の夏と秋, 2025年春夏两季: seasons of a year that follow each other; as a whole argument also 春夏."""
    node = term.node
    if not isinstance(node, Frame) or node.season is None:
        return None
    years = node.said - {"season"}
    if not years <= {"year", "year_shift"} or not (years or reading.whole):
        return None
    last, stop = node.season, term.stop
    while (place := _season_behind(tokens, stop, last + 1)) is not None:
        last, stop = last + 1, place + 1
    if last == node.season:
        return None
    counted_up = tokens.has(stop, "num") and tokens.word(stop + 1) == "季"  # 两季
    return term._replace(node=Range(node, Frame(season=last)), stop=stop + 2 * counted_up)


def _season_behind(tokens: Tokens, at: int, season: int) -> int | None:
    """The place of the season that follows there, joined to the one before; a character of 夏美 is none."""
    joined = tokens.word(at) in JOINTS
    place = at + joined
    if tokens.get(place, "season") != season or not (joined or tokens.glued(place)):
        return None
    is_name = joined and len(tokens.word(place)) == 1 and is_han(tokens.word(place + 1)[:1])
    return None if is_name else place


def _hours_behind(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    """Yesterday from 3 to 5pm."""
    if not tokens.has(term.stop, "between") or not isinstance(term.node, Frame) or not names_day(term.node):
        return None
    hours = frame_at(tokens, term.stop + 1, reading, BLANK)
    if hours is None or not isinstance(hours.node, Frame) or hours.node.clock_end is None:
        return None
    joined = term.node.join(hours.node)
    return Term(joined, hours.stop, term.sure, term.relative) if joined else None


def _timed_bound(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    """Tomorrow before 5pm, next Wednesday later than 10 in the morning."""
    kind = tokens.get(term.stop, "bound")
    if kind is None or not isinstance(term.node, Frame) or not names_day(term.node):
        return None
    start = term.stop + 1 + tokens.has(term.stop + 1, "skip")
    found = _plain_hour(tokens, start) or _hour_at(tokens, start, term.node.part, reading)
    joined = replace(term.node, part=None).join(found[0]) if found else None
    if found is None or joined is None or joined.clock is None:
        return None
    return Term(
        Bound("before" if kind in {"until", *_THAT_DAY_AT_LAST} else kind, joined), found[1], True, term.relative
    )


def _plain_hour(tokens: Tokens, at: int) -> tuple[Frame, int] | None:
    """5 of "yesterday after 5", the hour of a waking day: one to six are in the afternoon."""
    number = numbers.cardinal(tokens, at)
    if number is None or not 1 <= number[0] <= 12 or _goes_on(tokens, number[1]):
        return None
    return Frame(clock=(number[0], -1, -1), meridiem="pm" if number[0] % 12 < 7 else "am"), number[1]


def _goes_on(tokens: Tokens, at: int) -> bool:
    """Whether the number that ends there counts something, or is a part of another: after 5 tries, after 5:30."""
    behind = tokens.word(at)[:1]
    return behind.isalnum() or (tokens.glued(at) and behind in {":", ".", "/", "-", "%"} and tokens.glued(at + 1))


def _hour_at(tokens: Tokens, at: int, part: str | None, reading: Reading) -> tuple[Frame, int] | None:
    """An hour (or noon) there and nothing else; `part`: the part of the day, if it was said before."""
    found = frame_at(tokens, at, reading, Frame(part=part))
    if found is None or not isinstance(found.node, Frame) or not found.node.said <= DEPENDENT:
        return None
    hour = Frame(clock=(12, 0, -1)) if found.node.said == {"part"} and found.node.part == "noon" else found.node
    return (replace(hour, edge=None), found.stop) if hour.clock is not None else None


def _tailed_hour(tokens: Tokens, hour: Term, reading: Reading) -> Term | None:
    """3pm or later on Monday; as a whole argument also 午前9時以降, of today."""
    kind = tokens.get(hour.stop, "tail")
    if kind is not None and hour.node == Frame(part="noon"):
        hour = hour._replace(node=Frame(clock=(12, -1, -1)))  # 正午まで
    if kind is None or not isinstance(hour.node, Frame) or hour.node.clock is None or hour.node.clock_end is not None:
        return None
    if reading.whole and hour.stop + 1 == len(tokens):
        return Term(Bound(kind, _hour_meant(kind, hour.node, reading)), hour.stop + 1, True, True)
    term = frame_at(tokens, hour.stop + 1 + tokens.has(hour.stop + 1, "link"), reading, hour.node)
    return term._replace(node=Bound(kind, term.node), sure=True) if term is not None and is_date(term.node) else None


def _hours_alone(tokens: Tokens, at: int, hours: Term, reading: Reading) -> Term | None:
    """3pm, 15時半, 3点到5点, 午前中, as a whole argument: the latest that have begun, or those to come; not a bare number."""
    if hours.stop == at + 1 and tokens.has(at, "num", "cardinal"):
        return None
    if not reading.whole or not isinstance(hours.node, Frame) or not hours.node.said & {"clock", "part"}:
        return None
    said, stop = _through_hour(tokens, hours.stop, hours.node, reading)
    node = _latest(said) if said.clock is not None else replace(said, nearest=-1)
    stop = _past_closings(tokens, stop) if node.clock_end is not None else stop
    return hours._replace(node=replace(node, nearest=1) if reading.about == "future" else node, stop=stop)


def _through_hour(tokens: Tokens, at: int, first: Frame, reading: Reading) -> tuple[Frame, int]:
    """午前9時から午後5時, 上午九点到下午五点: the hours, and where they end, if behind the first there is one with a part of its own."""
    joined = first.said <= _ZONED_HOUR and tokens.has(at, "to")
    last = frame_at(tokens, at + 1, reading, BLANK) if joined else None
    if last is None or not isinstance(last.node, Frame) or not last.node.said <= _ZONED_HOUR:
        return first, at
    zones = {each.offset_minutes for each in (first, last.node)} - {None}
    stretch = stretch_of(first, last.node)
    if stretch is None or len(zones) > 1:
        return first, at
    return replace(stretch, offset_minutes=zones.pop() if zones else None), last.stop


_ZONED_HOUR = HOUR | {"offset_minutes"}


def _tailed(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    """2019以来, 先月まで, 2018年之前, "2012 or later"."""
    kind = tokens.get(term.stop, "tail")
    token = tokens.at(term.stop)
    skip = 0
    joint = token is not None and token.text in {"の", "的", ")"}  # 2008年5月20日，前総理
    if kind is None and joint and tokens.get(term.stop + 1, "tail") in {"before", "after"}:
        kind, skip = tokens.get(term.stop + 1, "tail"), 1
    if token is not None and token.text in {"起", "开始"} and reading.japanese:
        return None  # 5分前に開始
    if token is not None and token.text == "とその前" and tokens.has(term.stop + 2, "unit"):
        return None  # 先週とその前の週
    if isinstance(term.node, Now) and not reading.whole:
        return None  # 今までの経緯, 今から行ける店
    if kind is None or token is None or isinstance(term.node, (Window, ToDate)):
        return None
    if isinstance(term.node, Offset) and kind in {"after", "before"} and token.text not in _OF_ANY_DAY:
        return None
    if token.text.isascii() and tokens.has(term.stop + 1, "num", "month", "weekday", "day"):
        return None
    if token.text in {"起", "开始"} and (lasting := _lasting_from(tokens, term, term.stop + 1)) is not None:
        return lasting
    node = _one_side(kind, _begun(token, term.node), reading)
    return Term(node, term.stop + 1 + skip, term.sure or not token.text.isascii(), term.relative)


#: 三天前之前, 3日前より前: words that may follow "ago", where 前 and 后 alone belong to other words.
_OF_ANY_DAY = {"之前", "以前", "より前", "之后", "以后", "より后"}


def _with_one_before(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    """先週とその前の週, last week and the week before, 上周和前一周: from the earlier one through the later."""
    if tokens.word(term.stop) not in _BEFORE_THE_ONE:
        return None
    node, words = term.node, tuple(tokens.word(term.stop + step) for step in range(4))
    found = next((joint for joint in _AND_BEFORE if joint == words[: len(joint)]), ())
    place = term.stop + len(found)
    unit = "day" if "the day before" in found else tokens.get(place, "unit") if found else None
    shift = _shift_of(node, unit) if unit else None
    behind = "the" in found
    if unit is None or shift is None or (behind and tokens.word(place + 1) != "before"):
        return None
    stop = place if "the day before" in found else place + 1 + behind
    return Term(Range(counted(unit, shift - 1), node), stop, True, True)


def _with_one_after(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    """来週とその翌週, tomorrow and the day after, 明天和后一天: from the earlier one through the later."""
    if tokens.word(term.stop) not in JOINTS:
        return None
    found = _one_after(tokens, term.stop + 1 + (tokens.word(term.stop + 1) in {"the", "その"}))
    shift = _shift_of(term.node, found[0]) if found else None
    if found is None or shift is None or _is_english(tokens.word(found[1])):
        return None  # the day after Christmas, the week after next
    return Term(Range(term.node, counted(found[0], shift + 1)), found[1], True, True)


def _is_english(word: str) -> bool:
    return word.isascii() and word.isalnum()


def _one_after(tokens: Tokens, at: int) -> tuple[str, int] | None:
    """The unit of the one after, and where its words end: 翌週, the day after, following week, week after, 后一天."""
    unit, stop = tokens.get(at, "unit"), at + 2
    if _is_following(tokens.word(at)):
        named = tokens.get(at, "period")
        unit = "day" if tokens.has(at, "day") else named[0] if named else tokens.get(at + 1, "unit")
        stop = at + 1 if named or tokens.has(at, "day") else at + 2
    elif tokens.word(at) == "次の" and tokens.word(at - 1) == "その":
        unit = tokens.get(at + 1, "unit")
    elif tokens.word(at) in {"后", "之后"} and tokens.word(at + 1) == "一":
        unit, stop = tokens.get(at + 2, "unit"), at + 3
    elif tokens.word(at + 1) != "after":
        return None
    return (unit, stop) if unit else None


def _with_other_unit(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    """This week or next, this month and last, as a whole argument: both."""
    place = term.stop + 1
    shift = tokens.get(place, "shift") if reading.whole and tokens.word(term.stop) in {"and", "or"} else None
    if shift is None or tokens.word(place + 1)[:1].isalnum():
        return None
    unit = next((unit for unit in _CALENDAR_UNITS if _shift_of(term.node, unit) is not None), None)
    return _both(unit, _shift_of(term.node, unit), shift, place + 1) if unit is not None else None


def _either_unit(tokens: Tokens, at: int) -> Term | None:
    """This or next week, last and this year, as a whole argument: both."""
    if tokens.word(at + 1) not in {"and", "or"} or not tokens.has(at, "shift"):
        return None
    unit = tokens.get(at + 3, "unit")
    return (
        _both(unit, tokens.get(at, "shift"), tokens.get(at + 2, "shift"), at + 4) if unit in _CALENDAR_UNITS else None
    )


_CALENDAR_UNITS = ("week", "month", "quarter", "year")


def _both(unit: str, one: int | None, other: int | None, stop: int) -> Term | None:
    """Two that follow each other, so many units from the present one."""
    if one is None or other is None or abs(one - other) != 1:
        return None
    return Term(Range(counted(unit, min(one, other)), counted(unit, max(one, other))), stop, True, True)


_WITH_A_NEIGHBOUR = (_with_one_before, _with_one_after, _with_other_unit)


def _shift_of(node: Node, unit: str) -> int | None:
    """How many units from the present one the date is, if it is just that."""
    if not isinstance(node, Frame) or len(node.said) > 1:
        return None
    if node.shift is not None:
        return node.shift[1] if node.shift[0] == unit else None
    return {"month": node.month_shift, "year": node.year_shift}.get(unit)


#: The words between the two.
_AND_BEFORE: tuple[tuple[str, ...], ...] = (
    ("とその前", "の"),
    (",", "その", "前の"),
    *((joint, the) for joint in ("and", "or") for the in ("the", "the day before")),
    *((joint, former) for joint in ("和", "及", "与", "或") for former in ("前一", "前一个", "上一", "上一个")),
)
_BEFORE_THE_ONE = {joint for joint, *_ in _AND_BEFORE}


def _around_day(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    """春节前后, 4月1日前後: some days to both sides of it."""
    node = term.node
    if tokens.word(term.stop) != "前后" or not isinstance(node, Frame) or not names_day(node) or node.part is not None:
        return None
    some: Length = (("day", _AROUND_HOLIDAY if node.holiday else _AROUND_DAY),)
    around = Range(Offset(some, -1, node), Offset(some, 1, node))
    return Term(around, term.stop + 1, True, term.relative)


_AROUND_HOLIDAY, _AROUND_DAY = 7.0, 3.0


def _from_on(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    """From 2018 on: only if no word follows that "on" could belong to."""
    after = tokens.at(term.stop + 1)
    ends = after is None or not after.text[0].isalnum()
    if tokens.word(term.stop) != "on" or not ends or not isinstance(term.node, Frame):
        return None
    return Term(Bound("since", term.node), term.stop + 1, term.sure, term.relative)


def _range(tokens: Tokens, at: int, reading: Reading) -> Term | None:
    """From X to Y, between X and Y, X-Y, XからYまで, 从X到Y, X和Y之间."""
    opened = tokens.has(at, "between")
    start = past_fillers(tokens, at + opened)
    first = term_at(tokens, start, reading)
    if first is None or not (tokens.says_something(first.stop) or _is_interval_slash(tokens, first)):
        return None
    if not opened and tokens.has(first.stop, "between") and isinstance(first.node, Frame) and first.node.clock is None:
        inner = _ranged_inside(tokens, first, reading)
        if inner is not None:
            return inner
    abutting = _abutting(tokens, first, reading)
    if abutting is not None:
        return abutting
    joined = tokens.has(first.stop, "to") or _is_interval_slash(tokens, first)
    anded = tokens.has(first.stop, "and")
    if not joined and not anded:
        return None
    last = _year_of_era(tokens, start, first, reading) or _last_end(tokens, first, reading)
    if last is None or not (is_date(first.node) or is_date(last.node)):
        return None
    if isinstance(first.node, Frame) and tokens.has(first.stop, "to") and _is_stretch(first.node):
        return None
    closed = tokens.has(last.stop, "closing") or tokens.all[last.stop - 1].text == "年间"
    if anded and not joined and not (closed or (opened and tokens.all[at].text in {"between", "in between"})):
        return None
    stop = _past_closings(tokens, last.stop)
    sure = first.sure or last.sure or _are_years(first.node, last.node) or (opened and not _is_short(first.node))
    sure = sure or (joined and _are_slashed_days(tokens, start, first, last))
    loose = any(tokens.all[past_fillers(tokens, place)].text in _LOOSE for place in (at + opened, first.stop + 1))
    loose = loose or not tokens.text[tokens.all[last.stop - 1].start].isascii()
    node = _range_node(first.node, last.node, loose=loose)
    if isinstance(node, Range):
        node = _counted_onward(tokens, first.stop + 1, last.stop, node)
        if _ends_its_period(tokens, past_fillers(tokens, first.stop + 1), last.stop, node):
            node = replace(node, onward=True)
    return Term(node, stop, sure, first.relative or last.relative)


def _counted_onward(tokens: Tokens, start: int, stop: int, node: Range) -> Range:
    """The range with its last end, the tokens [start, stop), counted from the first one if its words say so: 10月から翌年3月,
    昨晚十点到次日凌晨两点; "the following Friday" is the next one from there."""
    at = next((at for at in range(start, stop) if _is_following(tokens.word(at))), None)
    if at is None:
        return node
    if tokens.word(at) == "following" and tokens.has(at + 1, "weekday", "month") and isinstance(node.last, Frame):
        return replace(node, last=replace(node.last, shift=None, year_shift=None))
    return replace(node, onward=True)


def _ends_its_period(tokens: Tokens, start: int, stop: int, node: Range) -> bool:
    """Whether the last end, the tokens [start, stop), is a part of the month or year that the first one is in: 先月中旬から月末,
    去年十月到年底, 8月上旬から中旬, "mid June to the end of the month"; not in 先月から月末."""
    first, last = node.first, node.last
    if not (isinstance(first, Frame) and isinstance(last, Frame)) or last.edge in {"opening", "start"}:
        return False  # 去年12月末から年明け goes on in the next year
    if last.said == {"third"}:
        unit = "month"
    elif tokens.has(start, "edge_of"):
        unit = tokens.get(start, "edge_of")[0]
    elif last.edge is not None and tokens.word(stop - 2) == "the":
        unit = tokens.get(stop - 1, "unit")
    else:
        return False
    period, inside = _INSIDE.get(unit, (set(), set()))
    return bool(first.said & period and first.said & inside)


#: Parts that say which period of this unit a date is in, and those that are within one.
_INSIDE = {
    "month": ({"month", "month_shift", "day"}, {"day", "third", "edge", "nth", "half"}),
    "year": ({"year", "year_shift", "month"}, {"month", "quarter", "half", "season", "holiday"}),
}


def _is_following(word: str) -> bool:
    return word.startswith("翌") or word in _FOLLOWING


_FOLLOWING = {
    "次日",
    "次年",
    "次年度",
    "次周",
    "隔天",
    "第二天",
    "following",
    "the next day",
    "the following day",
    "the day after",
}

#: "Late May to early July" includes all of both, like 5月末から7月初め; "the end of May to the beginning of July" does not.
_LOOSE = {"early", "late"}


def _span(tokens: Tokens, at: int, reading: Reading) -> Term | None:
    """Between 3 and 5 days ago, from 2 to 4pm yesterday, 从三到五天前: both ends are one term."""
    term = term_at(tokens, past_fillers(tokens, at + 1), reading) if tokens.has(at, "between") else None
    if term is not None and _is_stretch(term.node) and not is_date(term.node):
        term = _hours_alone(tokens, at + 1, term, reading)
    elif term is not None and not (isinstance(term.node, Range) or _is_stretch(term.node)):
        term = None
    if term is None:
        return None
    return term._replace(stop=_past_closings(tokens, term.stop))


def _abutting(tokens: Tokens, first: Term, reading: Reading) -> Term | None:
    """2月底3月初, 去年底今年初, 2月末、3月頭: the end of one and the beginning of the next."""
    if not isinstance(first.node, Frame) or not _is_edge(first.node, "closing", (3, 3)):
        return None
    last = term_at(tokens, first.stop + (tokens.word(first.stop) == ","), reading)
    if last is None or not isinstance(last.node, Frame) or not _is_edge(last.node, "opening", (1, 1)):
        return None
    return Term(Range(first.node, last.node), last.stop, True, first.relative or last.relative)


def _is_edge(node: Frame, edge: str, third: tuple[int, int]) -> bool:
    """Whether the frame is that end of a month or year."""
    return bool(node.said & {"month", "year", "year_shift"}) and (node.edge == edge or node.third == third)


def _is_interval_slash(tokens: Tokens, first: Term) -> bool:
    """2023-01-01/2023-03-31, as ISO 8601 writes intervals."""
    token = tokens.at(first.stop)
    whole = isinstance(first.node, Frame) and {"year", "month", "day"} <= first.node.said
    return bool(whole and token and token.text == "/" and token.glued and len(tokens.word(first.stop + 1)) == 4)


def _ranged_inside(tokens: Tokens, period: Term, reading: Reading) -> Term | None:
    """Next week between Wednesday and Friday, November between 19 and 20: the ends lie in the period named before."""
    found = _range(tokens, period.stop, reading)
    if found is None or not isinstance(found.node, Range) or not isinstance(period.node, Frame):
        return None
    ends = found.node
    if isinstance(ends.first, Frame) and ends.first.holiday is not None and period.node.said == {"shift"}:
        return found  # the week between Christmas and New Year
    joined = period.node.join(ends.first) if isinstance(ends.first, Frame) else None
    hours = isinstance(ends.first, Frame) and ends.first.said == {"day"} and period.node.weekday is not None
    if joined is None or hours or not fits(joined):
        return None
    return Term(Range(joined, ends.last), found.stop, True, period.relative or found.relative)


def _are_years(first: Node, last: Node) -> bool:
    """2014 to 2018: two numbers in ascending order that are certainly years."""
    if not (isinstance(first, Frame) and isinstance(last, Frame)) or first.year is None or last.year is None:
        return False
    return 1900 <= first.year < last.year <= 2100


def _are_slashed_days(tokens: Tokens, at: int, first: Term, last: Term) -> bool:
    """9/1-9/5, 9/20〜9/25, 8/30から9/2まで; not the fractions in 1/2-3/4 inch."""
    said = tokens.text[tokens.all[at].start : tokens.all[last.stop - 1].end]
    ends = [term.node for term in (first, last) if isinstance(term.node, Frame) and term.node.said == {"month", "day"}]
    days = [(end.month, end.day) for end in ends if end.month is not None and end.day is not None]
    if len(days) < 2 or pattern(_SLASHED).fullmatch(said) is None:
        return False
    within_a_month = days[0][0] == days[1][0] and days[0] < days[1]
    return within_a_month or not all(is_fraction(month, day) for month, day in days)


_SLASHED = r"\d\d?/\d\d?\D+\d\d?/\d\d?"


def _is_short(node: Node) -> bool:
    return isinstance(node, Frame) and node.said <= {"day", "clock"}


def _last_end(tokens: Tokens, first: Term, reading: Reading) -> Term | None:
    start = past_fillers(tokens, first.stop + 1)
    said = first.node if isinstance(first.node, Frame) else BLANK
    last = term_at(tokens, start, reading)
    if last is not None and not isinstance(last.node, (Offset, Window)):
        return last
    if last is None and said.clock is not None and tokens.word(start) == "翌" and tokens.has(start + 1, "num"):
        return frame_at(tokens, start + 1, reading, Frame(shift=("day", 1)))  # 22時から翌5時
    if last is None and said.lunar is not None and said.day is not None:
        return old_day(tokens, start, said)
    if last is None and said.holiday in NEW_YEAR and tokens.has(start, "first_ten"):
        return old_day(tokens, start, Frame(lunar="china", month=1))
    if last is None and said.said & {"month", "day", "month_shift"}:
        return _bare_day(tokens, start)
    if last is None and chinese_weekday(tokens, first.stop - 1) is not None:
        return _day_of_week(tokens, start)
    if last is None and said.clock is not None:
        return frame_at(tokens, start, reading, Frame(weekday=said.weekday))
    return last


def _year_of_era(tokens: Tokens, at: int, first: Term, reading: Reading) -> Term | None:
    """令和6年から8年, 民國113年3月到114年2月: the era, said once, holds for both."""
    era = tokens.get(at, "era")
    number = numbers.cardinal(tokens, first.stop + 1) if era is not None else None
    if (
        era is None
        or number is None
        or tokens.word(number[1]) not in {"年", "年度"}
        or not isinstance(first.node, Frame)
    ):
        return None
    year = era + number[0]
    if year <= (first.node.year or first.node.fiscal or year):
        return None  # 令和6年から3年
    said = Frame(fiscal=year) if first.node.fiscal is not None else Frame(year=year)
    stop = number[1] + 1
    return frame_at(tokens, stop, reading, said) or Term(said, stop, True, False)


#: Festivals that days of the first month of the old year follow: 除夕到初五.
NEW_YEAR = {"spring festival", "spring festival eve"}


def old_day(tokens: Tokens, at: int, first: Frame) -> Term | None:
    """大年初一到初七, 正月初一到十五: a day of the first one's month."""
    start = at + tokens.has(at, "first_ten")
    day = tokens.get(start, "han")
    if day is None or not (first.day or 0) < day <= 30 or tokens.has(start + 1, "unit", "scale"):
        return None
    return Term(Frame(lunar=first.lunar, leap=first.leap, month=first.month, day=day), start + 1, True, False)


def _day_of_week(tokens: Tokens, at: int) -> Term | None:
    """周一至五: a weekday named by its numeral."""
    day = DAYS_OF_WEEK.get(tokens.word(at))
    if day is None or counts(tokens, at + 1) or not ends_with_weekday(tokens, at + 1):
        return None
    return Term(Frame(weekday=day), at + 1, True, True)


def _bare_day(tokens: Tokens, at: int) -> Term | None:
    """From april the ninth till the seventeenth: the last end is a plain number."""
    start = at + tokens.has(at, "here", "one")
    count = numbers.ordinal(tokens, start) or numbers.cardinal(tokens, start)
    if count is None or not 1 <= count[0] <= 31 or tokens.has(count[1], "unit", "scale", "meridiem"):
        return None
    if not tokens.all[at - 1].text.isascii():
        return None
    return Term(Frame(day=int(count[0])), count[1], False, False)


def _range_node(first: Node, last: Node, *, loose: bool = False) -> Node:
    """The range between two ends, each completed from the other.

    A clock time before a day's clock time is on that day, or today; 晚上到今天早上 begins the evening before.
    农历七月初一到八月十五: both are of the old calendar. 2023〜2025年度の: both are fiscal years. From ten until noon: noon is twelve o'clock, not the hours from eleven to two.
    """
    if isinstance(first, Frame) and isinstance(last, Frame) and first.lunar and last.month and not last.lunar:
        last = replace(last, lunar=first.lunar)
    if isinstance(first, Frame) and isinstance(last, Frame) and first.said == {"year"} and last.fiscal is not None:
        first = Frame(fiscal=first.year)
    if isinstance(first, Frame) and isinstance(last, Frame) and (first.clock or last.clock):
        first, last = noon_as_hour(first), noon_as_hour(last)
    if isinstance(first, Frame) and isinstance(last, Frame) and first.said <= DEPENDENT:
        if last.shift is not None and (last.clock or first.part):
            return Range(replace(first, shift=("day", _first_day(first, last, *last.shift))), last)
        hour = replace(first, meridiem=first.meridiem or last.meridiem, part=first.part or last.part)
        return Range(without_hours(last).join(hour) or first, last)
    return Range(first, last, loose)


def _first_day(first: Frame, last: Frame, unit: str, count: int) -> int:
    """The day, from the reference, of hours that go on until some of another day: 夜から翌朝 begins today."""
    if unit != "day" or count > 0:
        return 0
    return count - (begins(first) >= begins(last))
