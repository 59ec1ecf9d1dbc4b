"""Finds the dates in a text.

Useful for: the public `find` and `parse`. Not useful for: error messages; see errors.py.
Invariant: mentions do not overlap and stand in the order of the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import cache, cached_property
from itertools import groupby, pairwise
from operator import attrgetter

from omoide.dates import grammar, literals
from omoide.dates.ambiguity import is_doubtful
from omoide.dates.fold import fold, has_han
from omoide.dates.frame import Ahead, Bound, Frame, Node, Now, Offset, Range, Stretch, ToDate, Window
from omoide.dates.joining import Term
from omoide.dates.lexer import Tokens, may_hold_date, stretches
from omoide.dates.lists import (
    Placed,
    completed,
    days_of_week,
    old_days_behind,
    parts_behind,
    weekdays_behind,
    years_behind,
)
from omoide.dates.model import About, End, Granularity, Interval, Mention, Order
from omoide.dates.moment import Moment
from omoide.dates.parts.chunk import Reading
from omoide.dates.parts.relative import is_planned
from omoide.dates.patterns import pattern
from omoide.dates.reference import Reference
from omoide.dates.resolve import counts_hours, resolve
from omoide.dates.terms import SO_LONG
from omoide.model.local_time import local

#: Places of a text that are tried as the beginning of a date; so any text takes milliseconds.
MAX_PLACES = 150
#: How far a date may go on beyond the end of the stretch that it begins in.
MARGIN_CHARS = 200
#: Kana, or a word that only Japanese has.
_JAPANESE = "[ぁ-ゖァ-ヺ]|半期|上期|下期|年度末|前年同[月週日]|[0-9０-９] ?月期(?![间間刊])"
#: Signs that only Chinese has, or hardly ever Japanese without kana.
_CHINESE = "[的是了们們这這哪么麼什吗嗎呢谁誰吧给給没沒]"
#: Of Japanese the same time a year earlier, of Chinese two years earlier.
_YEAR_EARLIER = "前年同期"
#: What may stand around the one date of an argument without changing it.
_AROUND = frozenset(
    "a all whole entire 整 个 在 于 に の は を 的 事 back way 时 候 期间 假 期 那 里 中 内 之内 以内 间 で 間 时候 頃 ごろ 现在 . , 。 ! ? = ( ) “ ” 「 」 『 』 【 】 \" '".split()
)
#: Between two dates of one argument.
_BETWEEN = r"(?:,?\s*(?:and|or|&|,|/|・|と|や|とか|か|または|もしくは|あるいは|それとも|及び|和|跟|与|或|及|以及|还是|还有|)(?:者|\s*the)?)"
#: Signs in front of an argument -> the side of its date that is meant.
_SIGNS = {">=": "since", "≥": "since", "≧": "since", ">": "after"}
_SIGNS |= {"<=": "until", "≤": "until", "≦": "until", "<": "before"}
_SIGNED = rf"\s*({'|'.join(_SIGNS)})\s*"
#: A range without one end: 3月10日〜, 2026-03-10.., 〜3月10日. "~2024" means about 2024.
_OPEN_ENDS, _OPEN_START = ("/..", "..", "~"), r"\s*(?:[〜～]|\.\.(?!\.)/?)\s*"
#: Parts of a date that count from the reference, and those that are deictic beside one of them: the 土曜 of 先週の土曜.
_FROM_REFERENCE = frozenset({"shift", "month_shift", "year_shift", "nearest"})
_BESIDE_IT = frozenset({"weekday", "part", "edge", "half", "third", "week_of"})
_UNIT_GRANULARITY: dict[str, Granularity] = {
    "second": "second",
    "minute": "minute",
    "hour": "hour",
    "week": "week",
    "weekend": "day",
    "workweek": "week",
    "fortnight": "week",
    "month": "month",
    "year begun": "month",
    "quarter": "quarter",
    "semester": "month",
    "schoolyear": "year",
    "halfyear": "month",
    "fiscal": "year",
    "year": "year",
    "decade": "decade",
    "century": "century",
}
#: The shortest part decides, in this order.
_PART_GRANULARITY: tuple[tuple[frozenset[str], Granularity], ...] = (
    (frozenset({"part", "meridiem"}), "hour"),
    (frozenset({"day", "weekday", "holiday"}), "day"),
    (frozenset({"week", "week_of"}), "week"),
    (frozenset({"month", "month_shift"}), "month"),
    (frozenset({"season"}), "season"),
    (frozenset({"quarter"}), "quarter"),
    (frozenset({"half", "semester"}), "month"),
    (frozenset({"school_year", "year", "year_shift", "fiscal"}), "year"),
    (frozenset({"decade"}), "decade"),
    (frozenset({"century"}), "century"),
)


def find(text: str, *, now: datetime, zone: tzinfo, week_starts: int = 0, order: Order | None = None) -> list[Mention]:
    """The dates within a text, left to right, without overlap.

    `now` is aware; `week_starts` 0 = Monday .. 6 = Sunday. `order` says how to read 3/4/2024; None: as the 3rd of April in a
    text with Han characters or kana, else as the 4th of March. Only mentions with `explicit` set are certain.
    In a text with very many dates, only the first are found: at most `MAX_PLACES` places are read.
    """
    return _found(_Asked(text, Moment(now, zone, week_starts), order), surely=False) if may_hold_date(text) else []


def find_sure(text: str, *, now: datetime, zone: tzinfo, week_starts: int = 0) -> list[Mention]:
    """Only the dates that are certain. Call it if `may_hold_date(text, surely=True)`."""
    return [one for one in _found(_Asked(text, Moment(now, zone, week_starts)), surely=True) if one.explicit]


def _found(asked: _Asked, *, surely: bool) -> list[Mention]:
    """The dates in a text; `surely`: those that are not certain may be left out."""
    found: list[Mention] = []
    done, left = 0, MAX_PLACES
    for start, end in stretches(asked.text):
        some, done, left = _find(asked, max(start, done), end, left, surely=surely)
        found += some
        if left <= 0:
            break
    return found


def parse(
    text: str,
    *,
    now: datetime,
    zone: tzinfo,
    week_starts: int = 0,
    order: Order | None = None,
    about: About | None = None,
) -> Mention | None:
    """The date or range that the whole text is; None if it is none, or has anything beside it. `about`: the past, where
    Friday and "within 3 days" are the last ones, or the future, where they are the next."""
    return parse_or_find(text, now=now, zone=zone, week_starts=week_starts, order=order, about=about)[0]


def parse_or_find(
    text: str,
    *,
    now: datetime,
    zone: tzinfo,
    week_starts: int = 0,
    order: Order | None = None,
    about: About | None = None,
    end: End | None = None,
) -> tuple[Mention | None, list[Mention]]:
    """(what `parse` gives, the dates within the text if it is not one date as a whole): for an error that names them.
    `end`: the one that is needed; an hour ago as the "end" is that instant, and then nothing has a start."""
    side, unsigned = _sided(text)
    ref = _reference(now, zone, week_starts)
    if (mention := _whole(side, unsigned, ref, order, about, end)) is not None:
        return _to_the_fraction(unsigned, mention), []
    respelled = _respelled(unsigned)
    if respelled != unsigned and (mention := _whole(side, respelled, ref, order, about, end)) is not None:
        written = text.strip()
        start = text.index(written)
        return mention._replace(text=written, start=start, end=start + len(written)), []
    asked = _Asked(text, Moment(now, zone, week_starts), order, about, whole=True)
    dates = _found(asked, surely=False)
    # Mon or Tue: words that are no sign of a date in a text may be all that an argument says.
    listed = None if side else _all_listed(text, dates)
    return listed, dates if may_hold_date(text) else []


def _whole(
    side: str | None, text: str, ref: Reference, order: Order | None, about: About | None, end: End | None
) -> Mention | None:
    """The one date that the text, without its sign, is."""
    tokens = Tokens(text)
    reading = _reading(text, order, ref)._replace(whole=True, about=about, this_year=ref.today.year)
    instant = literals.unix_time(tokens.all[0].text) if len(tokens) == 1 else None
    if instant is not None:
        return _mention(tokens, text, 0, Term(_on_side(side, instant), 1, False, False), ref)
    at = 0
    while at < len(tokens) and at < 4:
        term = grammar.read(tokens, at, reading)
        if term and side and not isinstance(term.node, Frame):
            return None  # "> 3 days ago" is ambiguous: longer ago, or later
        within = "until" if term and side is None and end == "end" and counts_hours(term.node) else side
        term = term and term._replace(node=_on_side(within, Ahead(term.node) if about == "future" else term.node))
        around = term and _only_around(tokens, _past_quarter(tokens, term), len(tokens))
        mention = term and around and _mention(tokens, text, at, term, ref)
        if mention:
            return mention
        if not _only_around(tokens, at, at + 1):
            break
        at += 1
    return None


def _respelled(text: str) -> str:
    """The argument as a text would have it: last_30_days and last-week are written as names in programs are, 3.10-3.15 as in a
    table."""
    if pattern(_DOTTED_DAYS).fullmatch(fold(text)):
        return text.replace(".", "/")
    return pattern(_JOINING_WORDS).sub(" ", text) if text.isascii() else text


_DOTTED_DAYS = r"\s*\d{1,4}(?:\.\d\d?){1,2}\s?[-~]\s?\d{1,4}(?:\.\d\d?){1,2}\s*"
_JOINING_WORDS = r"(?<=[A-Za-z])[_-](?=[A-Za-z\d])|(?<=\d)[_-](?=[A-Za-z])"


def _to_the_fraction(text: str, mention: Mention) -> Mention:
    """The mention of an instant, of which the grammar knows the second, with the fraction of it: 2026-11-28T09:00:00.250Z."""
    start, end = mention.interval
    if start is None or end is None or end - start != timedelta(seconds=1):
        return mention
    said = literals.fraction(fold(text))
    if said is None:
        return mention
    passed, lasting = said
    return mention._replace(interval=Interval(start + passed, start + passed + lasting))


def _all_listed(text: str, dates: list[Mention]) -> Mention | None:
    """Yesterday and today, 先週と今週, 上周六日, 先週の月〜水: the time of all of them, if the text is nothing else and they leave
    no gap."""
    if len(dates) < 2:
        return dates[0] if dates and dates[0].text == text.strip() else None
    if len(dates) > 2 and dates[-1].end == len(text.rstrip()) and _counts(fold(dates[-1].text), len(dates) - 1):
        return _all_listed(text[: dates[-1].start], dates[:-1])  # 这两天 of 昨天今天这两天
    ends = [0, *(at for one in dates for at in (one.start, one.end)), len(text)]
    between = [fold(text[start:end]).strip() for start, end in zip(ends[::2], ends[1::2], strict=True)]
    behind = "" if _counts(between[-1], len(dates)) else between[-1]
    if not {between[0], behind} <= _AROUND | {"", "the", "both", "either"} or not all(
        map(pattern(_BETWEEN).fullmatch, between[1:-1])
    ):
        return None
    spans = sorted((one.interval.start, one.interval.end) for one in dates if one.interval.start and one.interval.end)
    gap = any(end < start for (_, end), (start, _) in pairwise(spans))
    if gap or len(spans) < len(dates):
        return None
    first, last = dates[0], dates[-1]
    whole = Interval(spans[0][0], max(end for _, end in spans))
    return last._replace(interval=whole, start=first.start, text=text[first.start : last.end])


def _counts(behind: str, many: int) -> bool:
    """Whether the words behind several dates say how many these are: 两天 of 周六周日两天, の2日間 of 昨日と今日の2日間."""
    counted = pattern(_COUNTED).fullmatch(behind)
    return counted is not None and len(_NUMERALS) > many and counted[1] in _NUMERALS[many]


_COUNTED = "(?:の|这|那)? ?([2-7]|[二两三四五六七])(?:个|か|ヶ)?(?:天|日|周|星期|礼拜|月|季度?|年)间?"
#: By the number that they mean.
_NUMERALS = ("", "", "2二两", "3三", "4四", "5五", "6六", "7七")


def _sided(text: str) -> tuple[str | None, str]:
    """(the side of its date that an argument means by a sign, if any; the text without the sign, in the same places)."""
    if signed := pattern(_SIGNED).match(fold(text)):
        return _SIGNS[signed[1]], " " * signed.end() + text[signed.end() :]
    if opened := pattern(_OPEN_START).match(text):
        return "until", " " * opened.end() + text[opened.end() :]
    ended = fold(text).rstrip()
    for sign in _OPEN_ENDS:
        if ended.endswith(sign) and not ended.endswith("..."):
            return "since", text[: len(ended) - len(sign)]
    return None, text


def _on_side(side: str | None, node: Node) -> Node:
    return Bound(side, node) if side else node


def _past_quarter(tokens: Tokens, term: Term) -> int:
    """The place after the term, and after the 期 of 4〜6月期."""
    node = term.node
    of_months = isinstance(node, Range) or (isinstance(node, Frame) and node.month_end is not None)
    return term.stop + (of_months and tokens.word(term.stop - 1) == "月" and tokens.word(term.stop) == "期")


def _only_around(tokens: Tokens, start: int, stop: int) -> bool:
    if start < stop and tokens.all[start].text == "期" and tokens.word(start - 1) in {"前", "后", "今", "月"}:
        return False  # 2025年度前期 is no time before that year, 今期 is not now, 2025年6月期 is no June
    return all(
        tokens.all[at].text in _AROUND or _changes_nothing(tokens, at) or _is_that_day(tokens, at)
        for at in range(start, stop)
    )


def _changes_nothing(tokens: Tokens, at: int) -> bool:
    """Whether it is a word like "in" or "about"; "since" and "before" mean a side of the date, even one that they do not join,
    and 3日ほど is a length."""
    joined = tokens.has(at, "bound") or tokens.word(at) in SO_LONG
    return tokens.has(at, "prep", "skip", "here", "link") and not joined


def _is_that_day(tokens: Tokens, at: int) -> bool:
    """Whether it is the 天 of 中秋节那天."""
    return tokens.word(at) == "天" and tokens.word(at - 1) == "那"


def _reference(now: datetime, zone: tzinfo, week_starts: int) -> Reference:
    return Reference(local(now, zone), zone, week_starts)


def _reading(text: str, order: Order | None, ref: Reference) -> Reading:
    if text.isascii():
        return Reading(order or "month_first", april=ref.in_japan)
    kana = pattern(_JAPANESE).search(text) is not None or (
        ref.in_japan and _YEAR_EARLIER in text and pattern(_CHINESE).search(text) is None
    )
    asian = kana or has_han(text)
    return Reading(
        order or ("day_first" if asian else "month_first"),
        kana,
        april=kana or (ref.in_japan and pattern(_CHINESE).search(text) is None),
    )


@dataclass
class _Asked:
    """A text that may hold dates, and how to read it; `whole`: it is one argument."""

    text: str
    moment: Moment
    order: Order | None = None
    about: About | None = None
    whole: bool = False

    @cached_property
    def how(self) -> tuple[Reference, Reading]:
        """The reference, and what holds for the whole text; computed only if a date may begin somewhere."""
        ref = _reference(*self.moment)
        return ref, _reading(self.text, self.order, ref)._replace(about=self.about)


def _find(asked: _Asked, start: int, end: int, left: int, *, surely: bool) -> tuple[list[Mention], int, int]:
    """(mentions that begin in text[start:end], where the last thing read ends, places left to read)."""
    stretch = asked.text[start : end + MARGIN_CHARS]
    is_last = end >= len(asked.text)
    tokens = Tokens(stretch, surely=surely, always=not is_last)
    if is_last and not tokens.beginnings:  # true of half of the queries that get this far
        return [], end, left
    read: list[Placed] = []
    ref, reading = asked.how
    at, stop = 0, tokens.index_at(end - start, 0)
    many = len(tokens) > MAX_PLACES
    for place in tokens.beginnings:
        if place < at:  # inside the last date
            continue
        if many:
            left -= _passed(tokens, at, min(place, stop))
        if place >= stop or left <= 0:
            break
        left -= 1
        term = grammar.read(tokens, place, reading)
        if term:
            read.append((place, term))
            if isinstance(term.node, Frame) and term.node.weekday is not None:
                read += weekdays_behind(tokens, place, term)
            elif days := days_of_week(tokens, place, term):
                read[-1:] = days
            read += parts_behind(tokens, read[-1][1], reading) or years_behind(tokens, *read[-1], reading)
            read += old_days_behind(tokens, read[-1][1])
        # A date that does not exist is skipped as a whole: 30 February is not "the 30th".
        at = read[-1][1].stop if term else place + 1
    else:
        left -= _passed(tokens, at, stop) if many else 0
    at = max(at, stop)
    placed = completed(tokens, read, whole=asked.whole)
    ahead = [True] * len(placed) if reading.about == "future" else _planned(tokens, placed, reading)
    mentions = (_mention(tokens, stretch, *one, ref, ahead=planned) for one, planned in zip(placed, ahead, strict=True))
    found = [one._replace(start=one.start + start, end=one.end + start) for one in mentions if one]
    return _apart(found) if len(found) > 1 else found, start + (tokens.all[at - 1].end if at else 0), left


def _planned(tokens: Tokens, placed: list[Placed], reading: Reading) -> list[bool]:
    """Of each date, whether something is planned for it: of 月曜と火曜の予定 for both."""
    planned = [is_planned(tokens, place, term.stop, reading) for place, term in placed]
    if any(planned) and len(placed) > 1:
        ends = [(tokens.all[place].start, tokens.all[term.stop - 1].end) for place, term in placed]
        between = [tokens.text[end:start].strip() for (_, end), (start, _) in pairwise(ends)]
        joined = [pattern(_BETWEEN).fullmatch(said) is not None for said in between]
        for at in range(len(joined)):
            planned[at + 1] |= joined[at] and planned[at]
        for at in reversed(range(len(joined))):
            planned[at] |= joined[at] and planned[at + 1]
    return planned


def _apart(mentions: Iterable[Mention]) -> list[Mention]:
    """The mentions; of several that share one word, as the last two of 上周一三五 do, each has a character of it."""
    apart: list[Mention] = []
    for start, group in groupby(mentions, key=attrgetter("start")):
        same = list(group)
        if len(same) > 1:
            same = [
                one._replace(start=start + at, end=start + at + 1, text=one.text[at]) for at, one in enumerate(same)
            ]
        apart += same
    return apart


def _passed(tokens: Tokens, start: int, stop: int) -> int:
    """How many words of dates are skipped as no date begins with them."""
    return sum(bool(token.senses) for token in tokens.all[start:stop])


def _mention(tokens: Tokens, text: str, at: int, term: Term, ref: Reference, *, ahead: bool = False) -> Mention | None:
    """The mention of the date that begins at `at`; `ahead`: of those that may be meant, the next one."""
    is_date = isinstance(term.node, (Frame, Range, Ahead))
    interval = resolve(Ahead(term.node) if ahead and is_date else term.node, ref)
    if interval is None:
        return None
    start, end = tokens.all[at].start, tokens.all[term.stop - 1].end
    sure = term.sure and not is_doubtful(text, start, end, term.node)
    return Mention(
        interval, start, end, granularity(term.node), sure, text[start:end], term.relative, _is_deictic(term.node)
    )


def granularity(node: Node) -> Granularity:
    """The unit that the words name."""
    if isinstance(node, Frame):
        return _frame_granularity(node)
    if isinstance(node, (Offset, Window, Stretch)):
        return _UNIT_GRANULARITY.get(node.length[-1][0], "day")
    if isinstance(node, Range):
        return granularity(node.last)
    if isinstance(node, (Bound, Ahead)):
        return granularity(node.node)
    return "second" if isinstance(node, Now) else _UNIT_GRANULARITY.get(node.unit, "day")


def _is_deictic(node: Node) -> bool:
    """Whether it says nothing but how far it is from the reference."""
    if isinstance(node, Frame):
        return not node.said.isdisjoint(_FROM_REFERENCE) and node.said <= _FROM_REFERENCE | _BESIDE_IT
    if isinstance(node, Range):
        return _is_deictic(node.first) and _is_deictic(node.last)
    if isinstance(node, Offset):
        return node.base is None or _is_deictic(node.base)
    if isinstance(node, Stretch):
        return _is_deictic(node.base)
    if isinstance(node, (Bound, Ahead)):
        return _is_deictic(node.node)
    return True


def _frame_granularity(node: Frame) -> Granularity:
    if node.clock is not None:
        return "second" if node.clock[2] >= 0 else "minute" if node.clock[1] >= 0 else "hour"
    if node.nth is not None and node.weekday is None:
        return "day" if node.nth[2].startswith("weekday") else _UNIT_GRANULARITY.get(node.nth[2], "day")
    if (unit := _finest(node.said)) is not None:
        return unit
    return _UNIT_GRANULARITY.get(node.shift[0], "day") if node.shift else "day"


@cache
def _finest(said: frozenset[str]) -> Granularity | None:
    return next((unit for parts, unit in _PART_GRANULARITY if said & parts), None)


__all__ = ["ToDate", "find", "granularity", "parse"]
