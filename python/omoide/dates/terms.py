"""Reads one term: a date of joined parts, or a length before, after or around one.

Useful for: `grammar`, which adds ranges and bounds. Not useful for: dates without a length; see joining.py.
Invariant: the term at a place of a text is read once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from omoide.dates import numbers
from omoide.dates.fold import fold
from omoide.dates.frame import BLANK, Bound, Frame, Length, Node, Now, Offset, Range, Stretch, ToDate, Window, names_day
from omoide.dates.hours import PARTS
from omoide.dates.joining import Term, frame_at
from omoide.dates.lengths import DATE_LIKE, EITHER, OR_MORE, amount, half_behind, joins_ends, length, lesser, part_of
from omoide.dates.lexer import Tokens
from omoide.dates.parts import RULES
from omoide.dates.parts.chunk import Reading
from omoide.dates.parts.periods import season_or_holiday
from omoide.dates.parts.relative import BESIDE, OF_WEEK_BESIDE, ONE_BESIDE, TWO_BESIDE, WEEK_BESIDE, counted, past_today
from omoide.dates.parts.years import is_over
from omoide.dates.rules import AMOUNT, COUNT, Behind, Rules

#: Parts that are not a date without another part.
DEPENDENT = {"clock", "clock_end", "meridiem", "part", "edge", "week_of", "nearest", "offset_minutes", "lunar", "leap"}


def is_date(node: Node) -> bool:
    """Whether a node names a day or longer; a clock time or "the end" alone does not."""
    return not isinstance(node, Frame) or not node.said <= DEPENDENT


def past_fillers(tokens: Tokens, at: int) -> int:
    """The place after "the", "about" and the like."""
    place = at
    while (
        place < at + 2 and tokens.has(place, "here", "skip") and not tokens.has(place, "few", "day", "period", "window")
    ):
        if tokens.has(place + 1, "unit"):
            break
        place += 1
    return place


def term_at(tokens: Tokens, at: int, reading: Reading, depth: int = 0) -> Term | None:
    """The term that begins there, cached, since a range and a plain date begin with the same one."""
    key = min(depth, 2), at
    if key not in tokens.memo:
        tokens.memo[key] = _read_term(tokens, at, reading, depth)
    found: Term | None = tokens.memo[key]
    return found


def _read_term(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    for rule in TERMS.beginning(tokens, at):
        found = rule(tokens, at, reading, depth)
        if found is not None:
            said = _with_length_behind(tokens, found, reading)
            return said._replace(stop=_past_about(tokens, said.stop))
    return None


def _past_about(tokens: Tokens, at: int) -> int:
    """The place after the あたり of 先週あたりから and the 左右 of 三点左右到五点, if a side or a range goes on there."""
    return at + (tokens.word(at) in _ABOUT and tokens.has(at + 1, "tail", "to"))


_ABOUT = frozenset(fold("頃 ごろ ころ 過ぎ すぎ あたり 辺り ぐらい くらい 左右").split())


def _window(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """Last 30 days, 过去7天, ここ1週間, past few weeks, 5 upcoming years."""
    skip = at + (tokens.has(at, "here") or (tokens.word(at) == "this" and _is_past_unit(tokens, at + 1)))
    sign = _window_sign(tokens, skip)
    if sign is None:
        return _window_inside(tokens, skip)
    beside = tokens.all[skip].text in {"前", "后"}  # 太后在9月19日, 開戰後，10月18日
    start = skip + 1 + (not beside and tokens.has(skip + 1, "link", "skip"))
    found = _how_long(tokens, skip, start, plain_month=not (beside or tokens.all[skip].text in _JUST_OVER))
    if found and tokens.get(skip, "shift") and found[0] == (("year", 0.5),):
        return None  # 上个半年 is a half-year of the calendar, この半年 the last six months
    if found is None or (tokens.has(found[1], "ago") and tokens.all[skip].text == "在"):
        return None
    if tokens.word(found[1]) == "of" and tokens.get(skip, "shift") == -1 and _names_period(tokens, found[1] + 1):
        return None  # the last three weeks of the year
    lengthy, stop = _shorter_if_ago(tokens, start, found)
    if lengthy[0][0].startswith("weekday") and lengthy[0][0] != "weekday":
        return _last_weekdays(lengthy, stop) if sign < 0 else None
    if tokens.all[skip].text in _HARDLY_LONG and lengthy[0][0] == "year" and lengthy[0][1] > _LONG:
        return None
    return Term(Window(lengthy, sign), _past_insides(tokens, stop), True, True)


#: 刚过去的五月 is May, where 过去五月 may be five months.
_JUST_OVER = {"刚过去的", "刚刚过去的"}


def _last_weekdays(lengthy: Length, stop: int) -> Term | None:
    """The last three Mondays: from the first of them through the last."""
    (unit, count), *more = lengthy
    if more or count < 2 or count % 1:
        return None
    return Term(Range(Offset(lengthy, -1), Offset(((unit, 1.0),), -1)), stop, True, True)


def _names_period(tokens: Tokens, at: int) -> bool:
    """Whether "of" is followed by a period, such as the year, Q1, summer; not by logs."""
    start = at + tokens.has(at, "here", "one")
    return start > at or tokens.has(start, *_PERIODS)


_PERIODS = (
    "month",
    "period",
    "unit",
    "shift",
    "season",
    "holiday",
    "year_sign",
    "quarter_sign",
    "num",
    "ordinal",
    "decade",
)


#: Nobody means the last or next years by these in front of more years: 前325年 is before our era, 上下五千年 the whole past.
_HARDLY_LONG, _LONG = {"前", "上", "下"}, 30


def _how_long(tokens: Tokens, skip: int, start: int, *, plain_month: bool) -> tuple[Length, int] | None:
    """The length at `start`, after the word at `skip`, or a unit alone: past month."""
    if (found := length(tokens, start, plain_month=plain_month)) is not None:
        return None if tokens.word(start) == "何" and not _some(tokens, found[1]) else found
    unit = tokens.get(start, "unit")
    one: tuple[Length, int] = ((unit, 1.0),), start + 1
    if tokens.has(skip, "shift"):
        if (found := _one_and_a_half(tokens, start)) is not None:
            return found
        if unit in _OF_A_CLOCK and tokens.word(start) not in _SIGNS:
            return one
    return one if unit in _UP_TO_NOW and _is_up_to_now(tokens, skip) else None


#: Not units by themselves: この分野 and 课堂上分享 have no minutes.
_SIGNS = {"分", "秒"}
_OF_A_CLOCK = {"hour", "minute", "second"}
#: Units that "past" counts back from now; the past quarter and weekend are those of the calendar.
_UP_TO_NOW = {"day", "week", "month", "year", "decade"}


def _is_past_unit(tokens: Tokens, at: int) -> bool:
    """Whether it is like "this past week", the last seven days; not this past Monday, nor this past weekend."""
    return tokens.word(at) == "past" and tokens.get(at + 1, "unit") in _UP_TO_NOW


def _is_up_to_now(tokens: Tokens, at: int) -> bool:
    """Whether the word there makes a week the last seven days: "the past week", "over the last month"; "last week" does not."""
    word, before = tokens.word(at), tokens.word(at - 1)
    if word == "last" and before == "the":
        return tokens.word(at - 2) in {"over", "within", "throughout"}
    return word == "past" or (word == "last" and before == "in the")


def _one_and_a_half(tokens: Tokens, at: int) -> tuple[Length, int] | None:
    """Past year and a half, 这一年半."""
    if (unit := tokens.get(at, "unit")) and (half := half_behind(tokens, at)):
        return ((unit, 1.5),), at + 1 + half
    return None


def _past_insides(tokens: Tokens, at: int) -> int:
    """过去三天里, 近十年来, ここ一週間ほど."""
    return at + (tokens.has(at, "within") or tokens.word(at) in _INSIDES | SO_LONG)


_INSIDES = {"来", "以来", "里", "间", "期间"}
#: Behind a length, about so long; behind 3日 they make it a length.
SO_LONG = {"ほど", "ばかり", "余り", "あまり"}


def _window_sign(tokens: Tokens, at: int) -> int | None:
    sign: int | None = tokens.get(at, "window")
    token = tokens.at(at)
    if sign is None and token is not None and tokens.get(at, "shift") in {1, -1} and token.text.isascii():
        sign = tokens.get(at, "shift")
    return sign


def _shorter_if_ago(tokens: Tokens, at: int, found: tuple[Length, int]) -> tuple[Length, int]:
    """In "the last 3 months and 2 days ago" the two days belong to "ago"."""
    if len(found[0]) > 1 and tokens.has(found[1], "ago"):
        count = amount(tokens, at)
        return found[0][:1], (count[1] + 1 if count else found[1])
    return found


def _window_inside(tokens: Tokens, at: int) -> Term | None:
    """The 5 past years, 3 next weeks."""
    count = amount(tokens, at)
    if count is None or tokens.get(count[1], "shift") not in {1, -1} or not tokens.has(count[1] + 1, "unit"):
        return None
    if not tokens.all[count[1]].text.isascii() or not tokens.all[count[1] + 1].text.endswith("s"):
        return None
    unit = tokens.get(count[1] + 1, "unit")
    return Term(Window(((unit, count[0]),), tokens.get(count[1], "shift")), count[1] + 2, True, True)


def _within(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """Within the next two weeks, in less than an hour; for 9か月以内 see `_counted`."""
    if not tokens.has(at, "within"):
        return None
    start = at + 1
    while start < at + 4 and tokens.has(start, "here", "shift") and not tokens.has(start, "few"):
        start += 1
    if any(tokens.get(place, "shift") == -1 for place in range(at + 1, start)):
        return _window(tokens, start - 1, reading, depth)
    if tokens.word(start - 1) in _PRESENT and (unit := tokens.get(start, "unit")) in _CALENDAR:
        return Term(counted(unit, 0), start + 1, True, True)  # within this week
    found = length(tokens, start)
    if found is None and tokens.has(start, "unit") and tokens.all[at].text.isascii():
        found = _unit_alone(tokens, start)
    if found is None or tokens.word(found[1]) == "old":
        return None
    stop, base = found[1], None
    if tokens.get(stop, "relate") == 1:
        base = term_at(tokens, stop + 1, reading, depth + 1) if depth < 2 else None
    elif tokens.has(stop, "hence"):
        stop += 1
    elif tokens.has(stop, "ago"):
        return Term(Window(found[0], -1), stop + 1, True, True)
    if base is not None:
        return Term(Stretch(found[0], base.node), base.stop, True, True)
    is_bare = start == at + 1 and stop == found[1]
    return Term(Window(found[0], reading.window_sign if is_bare else 1), stop, True, True)


_PRESENT, _CALENDAR = {"this", "current"}, {"week", "month", "quarter", "year"}


def _unit_alone(tokens: Tokens, at: int) -> tuple[Length, int] | None:
    """The next day and 5 hours."""
    rest = length(tokens, at + 2) if tokens.has(at + 1, "and") else None
    first: Length = ((tokens.get(at, "unit"), 1.0),)
    return (first + rest[0], rest[1]) if rest else (first, at + 1)


class _Spoken(NamedTuple):
    """A length, where the next token is, and whether "for" precedes it."""

    length: Length
    stop: int
    for_: bool = False


def _counted(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """Three weeks ago, in 5 minutes, 3天前, 2年後, two days before Christmas, a week starting tomorrow."""
    lead = tokens.has(at, "lead")
    for_ = tokens.word(at) == "for"
    start = at + (lead or for_)
    start += _is_skip(tokens, start)
    found = length(tokens, start) or _the_week(tokens, start) or _a_fortnight(tokens, start)
    if found is None:
        return None
    if (spanned := _length_to_length(tokens, start)) is not None:
        return spanned
    said, stop = found
    if tokens.all[start].text == "何" and not _some(tokens, stop):
        return None
    for rule in (_stretched, _ago, _lasting, _related, _week_on):
        term = rule(tokens, _Spoken(said, stop, for_), reading, depth)
        if term is not None:
            return _or_more(tokens, start, _or_less(term, lesser(tokens, start)))
    if reading.whole and reading.about and not lead and _is_length_alone(tokens, found, reading):
        return Term(Window(said, reading.window_sign), stop, True, True)
    if lead and not tokens.has(stop, "and", "unit", "nth") and not tokens.has(start, "month"):
        return _or_less(Term(Offset(said, 1), _past_time(tokens, stop), True, True), lesser(tokens, start))
    return None


def _past_time(tokens: Tokens, stop: int) -> int:
    """The place after the "time" of "in two weeks' time"."""
    place = stop + (tokens.word(stop) in {"'", "'s"})
    return place + 1 if tokens.word(place) == "time" else stop


def _some(tokens: Tokens, stop: int) -> bool:
    """Whether 何 in front of a unit means "some": 何日か前, 何年も前; 何年前 asks how many."""
    behind, next_one = tokens.word(stop), tokens.word(stop + 1)
    return behind.startswith(("か", "も")) and next_one != "か"  # 後何年かかる


def _length_to_length(tokens: Tokens, at: int) -> Term | None:
    """三天到五天前, 3日から5日前, 2日か3日前, "a week to ten days ago": the range between the two."""
    near = part_of(tokens, at)
    if near is None:
        return None
    far = _or_two(tokens, near) or _farther_part(tokens, near[1], at)
    sign = _ago_or_hence(tokens, far[1]) if far else 0
    if far is None or not sign:
        return None
    if tokens.all[near[1] - 1].text in DATE_LIKE and (near[0][0] != far[0][0] or near[0][1] >= far[0][1]):
        return None  # 15日から3日前 is counted from the 15th
    nearer, farther = Offset((near[0],), sign), Offset((far[0],), sign)
    return Term(Range(farther, nearer) if sign < 0 else Range(nearer, farther), far[1] + 1, True, True)


def _farther_part(tokens: Tokens, joint: int, at: int) -> tuple[tuple[str, float], int] | None:
    if not (joins_ends(tokens, joint, at) or tokens.word(joint) in EITHER):
        return None
    return part_of(tokens, joint + 1 + (tokens.word(joint + 1) == "者"))


def _or_two(tokens: Tokens, one: tuple[tuple[str, float], int]) -> tuple[tuple[str, float], int] | None:
    """A day or two."""
    (unit, count), stop = one
    two = count == 1 and tokens.word(stop) == "or" and tokens.get(stop + 1, "cardinal") == 2
    return ((unit, 2.0), stop + 2) if two else None


def _the_week(tokens: Tokens, at: int) -> tuple[Length, int] | None:
    """The week starting Monday: a length, if such a word follows."""
    behind = tokens.word(at + 2)
    if tokens.has(at, "here") and tokens.has(at + 1, "unit") and behind.startswith(_STARTING):
        return ((tokens.get(at + 1, "unit"), 1.0),), at + 2
    return None


_STARTING = ("starting", "beginning", "commencing")


def _is_length_alone(tokens: Tokens, found: tuple[Length, int], reading: Reading) -> bool:
    """7 days, 24h, 两周, 半年, 3年: about the past the last ones, about the future the next; 7日 and 97年 may be dates."""
    said, stop = found
    years = tokens.word(stop - 1) == "年" and stop > 1
    years = years and (len(tokens.word(stop - 2)) == 1 or is_over(tokens, stop - 2, reading))
    is_all = stop == len(tokens) and (years or tokens.all[stop - 1].text not in DATE_LIKE)
    return is_all and all(unit in _LENGTHS_ALONE for unit, _ in said)


#: Units of a length alone; 二季度, 20世紀 and 90年代 are dates.
_LENGTHS_ALONE = {"minute", "hour", "day", "week", "fortnight", "month", "year"}


def _a_fortnight(tokens: Tokens, at: int) -> tuple[Length, int] | None:
    """Fortnight ago, as Britons write it."""
    if tokens.get(at, "unit") != "fortnight" or not tokens.has(at + 1, "ago"):
        return None
    return (("fortnight", 1.0),), at + 1


def _or_less(term: Term, count: int | None) -> Term:
    """Two or three days ago: the range of both; `count` is the smaller number."""
    node = term.node
    if count is None or not isinstance(node, Offset) or len(node.length) > 1:
        return term
    nearer = replace(node, length=((node.length[0][0], float(count)),))
    return term._replace(node=Range(node, nearer) if node.sign < 0 else Range(nearer, node))


def _is_skip(tokens: Tokens, at: int) -> bool:
    return tokens.has(at, "skip") and not tokens.has(at, "few", "half", "num", "cardinal")


def _ago(tokens: Tokens, spoken: _Spoken, reading: Reading, depth: int) -> Term | None:
    said, stop, _ = spoken
    unit = tokens.at(stop - 1)
    if unit is None or tokens.at(stop) is None:
        return None
    if tokens.has(stop, "within"):
        return Term(Window(said, reading.window_sign), stop + 1, True, True)
    if tokens.has(stop, "by_then") and reading.japanese and unit.text not in DATE_LIKE - {"日", "年"}:
        if tokens.word(stop + 1) in _NO_PARTICLE:
            return None  # 3日です
        return Term(Offset(said, 1), stop + 1, False, True)  # 30分で作れるレシピ
    if tokens.get(stop, "tail") == "since" and tokens.all[stop].text in {"以来", "之来", "来"}:
        return Term(Window(said, -1), stop + 1, True, True)  # 半年以来
    if tokens.all[stop].text.startswith("より前") and unit.text not in DATE_LIKE:  # 30日より前 is before the 30th
        return Term(Bound("before", Offset(said, -1)), stop + 1, True, True)
    sign = _ago_or_hence(tokens, stop)
    return Term(Offset(said, sign), stop + 1, True, True) if sign else None


def _ago_or_hence(tokens: Tokens, at: int) -> int:
    """-1 for ago, 1 for hence, 0 for neither, as in "30 minutes later this week"."""
    if tokens.word(at) == "later" and tokens.get(at + 1, "shift") == 0:
        return 0
    return -1 if tokens.has(at, "ago") else 1 if tokens.has(at, "hence") else 0


#: After one of these で is not a particle: です, でした, では, でも, であれば, でなければ.
_NO_PARTICLE = set("すしはもあなき")


def _or_more(tokens: Tokens, start: int, term: Term) -> Term:
    """3日以上前, 三天以上之前, 3 or more days ago, 30+ days ago, 3 days ago or more."""
    if not isinstance(term.node, Offset):
        return term
    if term.node.sign < 0 and tokens.word(term.stop) in _LONGER_AGO:
        return term._replace(node=at_least(term.node), stop=term.stop + 1)
    more = any(tokens.all[at].text.startswith(_MORE) for at in range(start, term.stop))
    return term._replace(node=at_least(term.node)) if more else term


_MORE = ("以上", *OR_MORE)
_LONGER_AGO = {"or more", "or longer", "or older"}


def at_least(node: Offset) -> Bound:
    """So long ago or longer: includes the whole of that day; ends at the beginning of that hour."""
    if any(unit in _OF_A_CLOCK for unit, _ in node.length):
        return Bound("before" if node.sign < 0 else "since", node)
    return Bound("until" if node.sign < 0 else "since", node)


def _lasting(tokens: Tokens, spoken: _Spoken, reading: Reading, depth: int) -> Term | None:
    """二十年来, 三个月来; not certain: 三天来一次."""
    said, stop, _ = spoken
    if tokens.word(stop) != "来" or not tokens.glued(stop):
        return None
    return Term(Window(said, -1), stop + 1, False, True)


def _related(tokens: Tokens, spoken: _Spoken, reading: Reading, depth: int) -> Term | None:
    """Two days before yesterday, 3 weeks from Tuesday, two weeks since the year 2011."""
    said, stop, _ = spoken
    sign = tokens.get(stop, "relate")
    if sign is None or depth >= 2:
        return None
    base = term_at(tokens, past_fillers(tokens, stop + 1), reading, depth + 1)
    if base is None or not is_date(base.node) or not tokens.all[stop].text.isascii():
        return None
    if isinstance(base.node, Frame) and base.node.said == {"shift"} and all(unit in _OF_A_CLOCK for unit, _ in said):
        return None  # "3 minutes from today" says nothing exact
    onward = tokens.all[stop].text == "from"
    return Term(Offset(said, sign, base.node, onward=onward), base.stop, True, True)


def _beside(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """The day after Christmas; the week before Easter, which is seven days long. For クリスマスの翌日 see `_beside_day`."""
    if not tokens.all[at].text.isascii():
        return None
    word = tokens.get(at, "day")
    if word is not None and tokens.all[at].text in {"the day before", "the day after"}:
        base = _base(tokens, at + 1, reading, depth)
        return Term(Offset((("day", 1.0),), word[0], base.node), base.stop, True, True) if base else None
    place = at + tokens.has(at, "here")
    if (found := _beside_day_of_year(tokens, place, reading, depth)) is not None:
        return found
    return _length_beside_day(tokens, at, reading, depth)


def _length_beside_day(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """The week before Easter, the 3 days after Christmas."""
    found = _said_with_the(tokens, at)
    sign = tokens.get(found[1], "relate") if found else None
    if found is None or not sign or not tokens.has(found[1], "bound") or not tokens.all[found[1]].text.isascii():
        return None
    base = _base(tokens, found[1] + 1, reading, depth)
    if base is None or not isinstance(base.node, Frame) or not names_day(base.node):
        return None
    return Term(_around(base.node, found[0], sign), base.stop, True, True)


def _beside_day_of_year(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """The Friday before Christmas, the first weekend after Easter, the night before Christmas, the morning after New Year's Eve; day
    after Easter, without "the"."""
    named = _ranked(tokens, at, tokens.get(at, "nth") or 0)[1]
    sign = tokens.get(named + 1, "relate") if tokens.word(named + 1) in {"before", "after"} else 0
    if not sign or named != _ranked(tokens, at, sign)[1] or tokens.word(at - 1) in _EACH:
        return None
    is_part = named == at and tokens.has(at, "part")
    is_week = named > at and tokens.word(named) == "week" and _ranked(tokens, at, sign)[0] == 1
    if not (is_part or is_week or tokens.has(named, "weekday") or tokens.get(named, "unit") in _DAYS_BESIDE):
        return None
    base = _base(tokens, named + 2, reading, depth)
    if base is None or not isinstance(base.node, Frame):
        return None
    if not (base.node.holiday or {"month", "day"} <= base.node.said):
        return None
    return Term(_named_from(tokens, at, base.node, sign), base.stop, True, True)


def _named_from(tokens: Tokens, at: int, day: Frame, sign: int) -> Node:
    """The weekday, weekend, part of a day or day that is named at `at`, counted from the day."""
    if (found := _day_of_week_from(tokens, at, day, sign)) is not None:
        return found[0]
    if (part := tokens.get(at, "part")) is not None:
        first, last = PARTS[part]
        return Stretch((("hour", float(last - first)),), Offset((("hour", float(abs(24 * sign + first))),), sign, day))
    return Offset((("day", float(_ranked(tokens, at, sign)[0])),), sign, day)


_EACH = {"every", "each", "any"}
#: Units that may be counted from a day of the year.
_DAYS_BESIDE = {"day", "weekend", "weekday"}


def _said_with_the(tokens: Tokens, at: int) -> tuple[Length, int] | None:
    """The week, the month, the 3 days, of "before Christmas"."""
    if tokens.all[at].text not in {"the", "in the"}:
        return None
    if (unit := tokens.word(at + 1)) in {"week", "month"}:
        return ((unit, 1.0),), at + 2
    found = length(tokens, at + 1)
    return found if found and {unit for unit, _ in found[0]} <= _WHOLE_DAYS else None


def _base(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    base = term_at(tokens, past_fillers(tokens, at), reading, depth + 1) if depth < 2 else None
    return base if base is not None and is_date(base.node) else None


def _stretched(tokens: Tokens, spoken: _Spoken, reading: Reading, depth: int) -> Term | None:
    """3 days starting from next Monday, for one week from 20th Dec."""
    said, stop, for_ = spoken
    place = stop + (for_ and tokens.has(stop, "link"))
    token = tokens.at(place)
    starts = token is not None and token.text.startswith(_STARTING)
    if depth >= 2 or not (starts or (for_ and tokens.get(place, "relate") == 1 and tokens.all[place].text == "from")):
        return None
    start = place + 1
    while start < place + 3 and tokens.word(start) in {"on", "from"}:
        start += 1
    base = term_at(tokens, start, reading, depth + 1)
    return Term(Stretch(said, base.node), base.stop, True, True) if base and is_date(base.node) else None


def _with_length_behind(tokens: Tokens, term: Term, reading: Reading) -> Term:
    """昨日の2日前, 今日から2日後, Monday two weeks from now, 2週後の月曜日."""
    if isinstance(term.node, Offset):
        counted = _weeks_from_weekday(tokens, term) or _with_parts_behind(tokens, term, reading)
        return counted or _with_weekday_behind(tokens, _past_same_day(tokens, term))
    if isinstance(term.node, (Window, Stretch, Bound)):
        return term
    dated = _calculated(tokens, term, reading) or _beside_day(tokens, term) or _of_years_ago(tokens, term, reading)
    if dated is not None:
        return dated
    joint = tokens.at(term.stop)
    weekday = term.node.weekday if isinstance(term.node, Frame) and term.node.said == {"weekday"} else None
    if weekday is not None:
        start = term.stop + (joint is not None and joint.text == ",")
        found = _counted(tokens, start, reading, 1)
        if found and isinstance(found.node, Offset):
            return found._replace(node=replace(found.node, weekday=weekday))
        return term
    if joint is None or joint.text not in {"の", "从", "から", "的"}:
        return term
    return _han_offset(tokens, term, reading) or term


def _calculated(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    """Now-7d, today - 7 days, 今天-7天, today + 1 week: as a whole argument that long before or after the date."""
    sign = _SIGNS_OF_LENGTHS.get(tokens.word(term.stop)) if reading.whole else None
    if sign is None or not (isinstance(term.node, Now) or is_date(term.node)):
        return None
    found = length(tokens, term.stop + 1)
    if found is None or found[1] < len(tokens) or tokens.all[found[1] - 1].text in DATE_LIKE:
        return None
    return term._replace(node=Offset(found[0], sign, term.node), stop=found[1], relative=True)


_SIGNS_OF_LENGTHS = {"-": -1, "+": 1}


def _beside_day(tokens: Tokens, term: Term) -> Term | None:
    """クリスマスの翌日, 圣诞节前一天, 国庆节后两周, 圣诞节三天前: counted from the day said in front."""
    node = term.node
    if not isinstance(node, Frame) or not names_day(node) or node.part is not None:
        return None
    at = term.stop + (tokens.word(term.stop) in {"の", "的"})
    if (found := _named_beside(tokens, at, node)) is not None:
        return term._replace(node=found[0], stop=found[1], sure=True)
    return _length_beside(tokens, term, at, node)


def _named_beside(tokens: Tokens, at: int, day: Frame) -> tuple[Node, int] | None:
    """The day, week, month or year next to `day` that the word there names, and where that ends."""
    word, unit = tokens.word(at), tokens.get(at + 1, "unit")
    if (days := BESIDE.get(word)) is not None:
        return _days_from(day, days), at + 1
    if (days := TWO_BESIDE.get(word)) is not None and unit == "day":
        return _days_from(day, days), at + 2
    sign, place = _BEFORE_OR_BEHIND.get(word), at + 1 + (tokens.word(at + 1) in _JOINING_DAYS)
    joined = word.endswith("の") or place > at + 1 or _ranked(tokens, place, sign or 0)[1] > place
    if sign and joined and (found := _day_of_week_from(tokens, place, day, sign)) is not None:
        return found
    if day.holiday and tokens.has(at, "ended"):
        return _around(day, _A_WEEK, 1), at + 1  # GW明け
    if (sign := WEEK_BESIDE.get(word)) is not None:
        return _around(day, _A_WEEK, sign), at + 1
    if (sign := OF_WEEK_BESIDE.get(word)) is not None and day.holiday and unit == "week":
        return _around(day, _A_WEEK, sign), at + 2
    if (sign := ONE_BESIDE.get(word)) is not None and (
        found := _day_of_week_from(tokens, at + 1, day, sign)
    ) is not None:
        return found
    if (sign := OF_WEEK_BESIDE.get(word)) is not None and unit == "weekday":
        return _day_of_week_from(tokens, at + 1, day, sign)
    if (period := tokens.get(at, "period")) is not None and period[0] == "weekday":
        return Offset((("weekday", float(abs(period[1]))),), 1 if period[1] > 0 else -1, day), at + 1  # 連休の翌営業日
    if (sign := ONE_BESIDE.get(word)) is not None and unit in _WHOLE_DAYS:
        return _around(day, ((unit, 1.0),), sign), at + 2
    return None


#: Between 前 or 后 and a day of the week: クリスマス前の金曜, 圣诞节前的周五, 圣诞节前那个周末.
_JOINING_DAYS = {"の", "的", "那"}


def _day_of_week_from(tokens: Tokens, at: int, day: Frame, sign: int) -> tuple[Node, int] | None:
    """The weekday, working day, weekend or first week named at `at`, before or after the day, and where that ends; the first one, or
    as many on as is said."""
    count, place = _ranked(tokens, at, sign)
    weekday, unit = tokens.get(place, "weekday"), tokens.get(place, "unit")
    if unit == "week" and place > at and count == 1:
        return _around(day, _A_WEEK, sign), place + 1  # 春节后第一周
    if weekday is None and unit not in {"weekend", "weekday"}:
        return None
    named = unit if weekday is None else f"weekday{weekday}"
    return Offset(((named, float(count)),), sign, day), place + 1


def _ranked(tokens: Tokens, at: int, sign: int) -> tuple[int, int]:
    """The rank at `at`, 1 if there is none, and the place after it: first Monday, 第一个周末; the last one before a day is the next to
    it, as the first one after it is."""
    if tokens.get(at, "nth") == sign:
        return 1, at + 1
    return numbers.ordinal(tokens, at) or (1, at)


def _days_from(day: Frame, days: int) -> Node:
    return Offset((("day", float(abs(days))),), 1 if days > 0 else -1, day) if days else day


def _length_beside(tokens: Tokens, term: Term, at: int, day: Frame) -> Term | None:
    """So long before or after the day, or ago, counted from it."""
    word = tokens.word(at)
    sign = _BEFORE_OR_BEHIND.get(word)
    start = at + (sign is not None)
    of = word.endswith("の") or tokens.word(start) in {"の", "的"}
    start += of and sign is not None and not word.endswith("の")
    found = length(tokens, start) if tokens.glued(at) else None
    if found is None or not {unit for unit, _ in found[0]} <= _WHOLE_DAYS:
        return None
    if of and tokens.all[found[1] - 1].text in DATE_LIKE:
        return None  # クリスマス前の3日 may be the third
    if sign == 0 and not of:
        return None  # 去年10月から3月まで6か月
    if sign == 0:
        through = Offset((("day", 1.0),), 1, day)
        return term._replace(node=Stretch(found[0], Offset(found[0], -1, through)), stop=found[1])
    if sign is not None:
        return term._replace(node=_around(day, found[0], sign), stop=found[1])
    ago = _ago_or_hence(tokens, found[1])
    if not ago or at != term.stop:
        return None
    return _or_less(term._replace(node=Offset(found[0], ago, day), stop=found[1] + 1), lesser(tokens, at))


_WHOLE_DAYS = {"day", "week", "month", "year"}
_A_WEEK: Length = (("week", 1.0),)
#: クリスマス前3日間, 昨天之前的三天; 昨日までの3日間 ends with that day.
_BEFORE_OR_BEHIND = {"前": -1, "前の": -1, "之前": -1, "以前": -1, "より前": -1, "より前の": -1}
_BEFORE_OR_BEHIND |= {"后": 1, "后の": 1, "之后": 1, "以后": 1, "明けの": 1, "まで": 0}


def _around(day: Frame, said: Length, sign: int) -> Stretch:
    """The length up to the day, or from the next day on."""
    return Stretch(said, Offset(said, -1, day) if sign < 0 else Offset((("day", 1.0),), 1, day))


def _han_offset(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    if isinstance(term.node, Now) and (away := _weekdays_away(tokens, term.stop + 1, reading, 0)) is not None:
        return away
    of = tokens.word(term.stop) == "から" and tokens.word(term.stop + 1) == "の"  # 昨日からの3日間
    found = length(tokens, term.stop + 1 + of)
    if (
        found is None
        or not is_date(term.node)
        or (all(unit in _OF_A_CLOCK for unit, _ in found[0]) and not isinstance(term.node, Now))
    ):
        return None
    said, stop = found
    unit = tokens.at(stop - 1)
    if tokens.has(stop, "within"):
        return Term(Stretch(said, term.node), stop + 1, True, True)
    ago = _ago(tokens, _Spoken(said, stop), reading, 0)
    if ago is None:
        lasting = unit is not None and unit.text not in DATE_LIKE and tokens.all[term.stop].text == "から"
        return Term(Stretch(said, term.node), stop, True, True) if lasting else None
    if isinstance(ago.node, Bound) and isinstance(ago.node.node, Offset):
        return ago._replace(node=Bound(ago.node.kind, replace(ago.node.node, base=term.node)))
    if not isinstance(ago.node, Offset):
        return ago
    counted = ago._replace(node=replace(ago.node, base=term.node), sure=True)
    return _or_more(tokens, term.stop + 1, _or_less(counted, lesser(tokens, term.stop + 1)))


def _past_same_day(tokens: Tokens, term: Term) -> Term:
    """A year ago today, 一年前的今天, 两年前的这一天, 3年前の今頃, "a week ago yesterday": counted from the day that follows."""
    place = _past_joint(tokens, term.stop)
    if not isinstance(term.node, Offset) or term.node.base is not None:
        return term
    if [tokens.word(term.stop + step) for step in range(3)] == _EXACTLY:
        return term._replace(stop=term.stop + 3)
    if (stop := past_today(tokens, place)) is not None:
        return term._replace(stop=stop)
    spoken = tokens.word(place) == "yesterday"
    return term._replace(node=replace(term.node, base=Frame(shift=("day", -1))), stop=place + 1) if spoken else term


#: Three months ago to the day: no range.
_EXACTLY = ["to", "the", "day"]


def _past_joint(tokens: Tokens, at: int) -> int:
    """The place after the "in" of "5 years ago in March", but not after "to" and "until", which the end of a range follows."""
    return at + (tokens.has(at, "link", "prep") and not tokens.has(at, "to", "bound"))


def _weeks_from_weekday(tokens: Tokens, term: Term) -> Term | None:
    """A week ago Friday is seven days before Friday; "a week ago on Friday" is Friday of that week."""
    node, weekday = term.node, tokens.get(term.stop, "weekday")
    if not isinstance(node, Offset) or weekday is None or node.base is not None or node.length[0][0] not in _WEEKS:
        return None
    if not tokens.all[term.stop].text.isascii() or len(node.length) > 1 or node.sign > 0:
        return None
    return term._replace(node=replace(node, base=Frame(weekday=weekday)), stop=term.stop + 1)


_WEEKS = {"week", "fortnight"}


def _week_on(tokens: Tokens, spoken: _Spoken, reading: Reading, depth: int) -> Term | None:
    """A week on Tuesday: seven days after the next one."""
    said, stop, _ = spoken
    weekday = tokens.get(stop + 1, "weekday")
    if weekday is None or said[0][0] not in _WEEKS or tokens.word(stop) != "on":
        return None
    return Term(Offset(said, 1, Frame(weekday=weekday), onward=True), stop + 2, reading.whole, True)


def _weekdays_away(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """2つ前の日曜, 今から3個先の金曜: two Sundays ago, three Fridays from now."""
    number, sign, weekday = tokens.get(at, "num"), tokens.get(at + 1, "steps"), tokens.get(at + 2, "weekday")
    if sign is None or weekday is None:
        return None
    return Term(Offset(((f"weekday{weekday}", float(number)),), sign), at + 3, True, True)


def _nights_ago(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """Two nights ago, three mornings ago."""
    count = amount(tokens, at)
    if count is None or not 1 <= count[0] <= _MOST_NIGHTS or not tokens.has(count[1] + 1, "ago"):
        return None
    part = tokens.get(count[1], "part")
    if part is None or not tokens.all[count[1]].text.isascii():
        return None
    return Term(Frame(shift=("day", -int(count[0])), part=part), count[1] + 2, True, True)


_MOST_NIGHTS = 1001


def _named_ago(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """Two summers ago, three Christmases ago, 2つ前の夏, 两个春节前: of those that are over, that many back."""
    number = numbers.cardinal(tokens, at)
    if number is None or not 1 <= number[0] <= _MOST_AGO:
        return None
    if tokens.get(number[1], "steps") == -1:
        stop = place = number[1] + 1
    else:
        place = number[1] + (tokens.word(number[1]) == "个")
        stop = place + 1 if tokens.has(place + 1, "ago") and _is_plural(tokens, place) else 0
    named = season_or_holiday(tokens, place, -number[0]) if stop else None
    return Term(named, stop + 1, True, True) if named else None


def _is_plural(tokens: Tokens, at: int) -> bool:
    """Whether the word can follow a number: summers, 夏天."""
    return tokens.all[at].text.endswith("s") or not tokens.all[at].text.isascii()


#: As many years are looked at for a season or holiday.
_MOST_AGO = 8


def _weekday_week(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """Tuesday week, "on Friday fortnight", as Britons say them."""
    weekday, unit = tokens.get(at, "weekday"), tokens.word(at + 1)
    after = tokens.at(at + 2)
    if weekday is None or unit not in _WEEKS or (after is not None and after.text[0].isalnum()):
        return None
    sure = reading.whole or tokens.word(at - 1) in {"on", "until", "by"}
    return Term(Offset(((unit, 1.0),), 1, Frame(weekday=weekday), onward=True), at + 2, sure, True)


#: Parts that may narrow a day, month or year that is counted back: three years ago in March, 3日前の夜.
_FINER = {
    "year": {"month", "month_end", "season", "quarter", "half", "holiday", "day", "day_end", "edge", "third", "nth"},
    "month": {"day", "day_end", "edge", "third", "nth", "half"},
    "day": {"part", "clock", "clock_end", "meridiem"},
}


def _counted_back(node: Offset) -> tuple[str, Frame] | None:
    """The unit, and the frame of that year, month or day; None for other lengths."""
    unit, count = node.length[0]
    if len(node.length) > 1 or count % 1 or node.base is not None or unit not in _FINER:
        return None
    shift = int(count) * node.sign
    frames = {"year": Frame(year_shift=shift), "month": Frame(month_shift=shift), "day": Frame(shift=("day", shift))}
    return unit, frames[unit]


def _with_parts_behind(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    """两年前的三月, 3日前の夜, 5 years ago in March, two years ago this month, 1年前の今週."""
    counted = _counted_back(term.node) if isinstance(term.node, Offset) else None
    place = _past_joint(tokens, term.stop)
    if counted is None:
        return None
    unit, frame = counted
    finer = frame_at(tokens, place, reading, frame)
    if finer is None or not isinstance(finer.node, Frame):
        return None
    if tokens.word(place) == "last" and tokens.word(finer.stop) != "of" and tokens.has(place + 1, "unit", "weekday"):
        return None  # a year ago last month is no December
    more = finer.node.said - frame.said
    of_now = unit == "year" and (finer.node.month_shift == 0 or finer.node.shift == ("week", 0))
    narrows = more <= _FINER[unit] or (of_now and len(more) == 1)
    return finer._replace(sure=term.sure, relative=True) if narrows else None


def _of_years_ago(tokens: Tokens, term: Term, reading: Reading) -> Term | None:
    """The 21st of March two years ago, this month two years ago; "March 3 years ago" counts from now."""
    if not isinstance(term.node, Frame) or not {"month", "month_shift", "season", "holiday"} & term.node.said:
        return None
    if (
        term.node.said & {"year", "year_shift", "shift", "clock"}
        or term.node.month_shift
        or not tokens.has(term.stop, *_COUNTS)
    ):
        return None
    found = _counted(tokens, term.stop, reading, 2)
    counted = _counted_back(found.node) if found and isinstance(found.node, Offset) else None
    if found is None or counted is None or counted[0] != "year":
        return None
    joined = term.node.join(counted[1])
    return Term(joined, found.stop, True, True) if joined else None


_COUNTS = ("num", "cardinal", "one", "few")


def _with_weekday_behind(tokens: Tokens, term: Term) -> Term:
    place = term.stop
    while place < term.stop + 2 and tokens.has(place, "link"):
        place += 1
    weekday = tokens.get(place, "weekday")
    joined = place > term.stop or tokens.all[term.stop - 1].text.endswith("の")  # 2週間前の金曜
    if weekday is None or not joined or not isinstance(term.node, Offset):
        return term
    return term._replace(node=replace(term.node, weekday=weekday), stop=place + 1)


def _present(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    if (unit := tokens.get(at, "todate")) is not None:
        return Term(ToDate(unit), at + 1, True, True)
    if tokens.has(at, "now"):
        return Term(Now(), at + 1, False, True)
    return None


def _neighbours(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """今明两天, 昨今两天, 今明两年."""
    said = tokens.get(at, "neighbours")
    if said is None:
        return None
    unit, first, last = said
    return Term(Range(counted(unit, first), counted(unit, last)), at + 1, True, True)


def _vague(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """Recently, 最近, 先日: the last month or so; never certain."""
    said = tokens.get(at, "vague")
    return None if said is None else Term(Window((said,), -1), at + 1, False, True)


def _whole_era(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    """平成, 昭和時代, 民国时期, as a whole argument: its first day through its last one."""
    days = _ERAS.get(tokens.word(at))
    if days is None or not reading.whole:
        return None
    named = tokens.word(at + 1) == "时" and tokens.word(at + 2) in {"代", "期"}  # 時代, 时期
    first, last = days
    node = Range(first, last) if last else Bound("since", first)
    return Term(node, at + 1 + 2 * named, True, False)


def _day(year: int, month: int, day: int) -> Frame:
    return Frame(year=year, month=month, day=day)


_ERAS: dict[str, tuple[Frame, Frame | None]] = {
    "明治": (_day(1868, 1, 25), _day(1912, 7, 29)),
    "大正": (_day(1912, 7, 30), _day(1926, 12, 24)),
    "昭和": (_day(1926, 12, 25), _day(1989, 1, 7)),
    "平成": (_day(1989, 1, 8), _day(2019, 4, 30)),
    "令和": (_day(2019, 5, 1), None),
    "民国": (_day(1912, 1, 1), _day(1949, 9, 30)),
}


def _parts(tokens: Tokens, at: int, reading: Reading, depth: int) -> Term | None:
    return frame_at(tokens, at, reading, BLANK)


_Rule = Callable[[Tokens, int, Reading, int], "Term | None"]

#: Kinds of words that may stand between a number and its unit, or "past".
_ROUGH = "few and to link shift compared inside"
#: In this order. A length may follow "for", which is a preposition ("prep").
TERMS: Rules[_Rule] = Rules(
    (_within, "within"),
    (_window, f"{AMOUNT} window shift here", Behind(_ROUGH)),
    (_beside, "day here weekday part unit ordinal nth"),
    (_counted, f"{AMOUNT} lead skip prep one here unit", Behind(f"counted weekday quarter_hour {_ROUGH}")),
    (_nights_ago, AMOUNT, Behind(f"part {_ROUGH}")),
    (_named_ago, COUNT, Behind("season holiday steps inside")),
    (_weekday_week, "weekday"),
    (_weekdays_away, "num", Behind("steps")),
    (_parts, RULES.kinds),
    (_whole_era, "era"),
    (_neighbours, "neighbours"),
    (_present, "todate now"),
    (_vague, "vague"),
)
