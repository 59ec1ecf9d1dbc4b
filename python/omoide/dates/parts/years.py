"""Reads a year, decade or century.

Useful for: 2023年, 令和8年, the nineties, a bare 2019. Not useful for: last year.
Invariant: a bare number is certain only after a word like "in", and if it does not count the next word.
"""

from __future__ import annotations

from omoide.dates import numbers
from omoide.dates.calendar import year_of_republic
from omoide.dates.fold import is_han
from omoide.dates.frame import Frame
from omoide.dates.lexer import Tokens
from omoide.dates.parts.chunk import DOUBTFUL, LIKELY, SURE, WEAK, Chunk, Reading
from omoide.dates.parts.days import fraction_follows, month_follows
from omoide.dates.patterns import pattern


def read_era_year(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """令和8年, 民國112年, 民國112年底, R8.10.1, 昭和元年."""
    base = tokens.get(at, "era")
    if base is None:
        return None
    token, number = tokens.at(at + 1), numbers.cardinal(tokens, at + 1)
    if token and token.text == "元":
        number = 1, at + 2
    if number is None or not 1 <= number[0] <= 130:
        return None
    in_japan = tokens.all[at].text != "民国"
    if tokens.get(number[1], "unit") == "year":
        if in_japan and (term := _business_year(tokens, number[1] + 1, base + number[0])):
            return term
        return Chunk(_year_or_fiscal(tokens, number[1], base + number[0], april=in_japan), number[1] + 1)
    if (unit := unit_of_years(tokens, number)) is not None:
        return Chunk(_year_or_fiscal(tokens, unit, base + number[0], april=in_japan), number[1])
    if _edge_follows(tokens, number[1]):
        return Chunk(Frame(year=base + number[0]), number[1])
    if tokens.get(number[1], "unit") == "decade" and number[0] % 10 == 0:
        return Chunk(Frame(decade=base + number[0]), number[1] + 1)
    return _era_points(tokens, number, base) if tokens.glued(at + 1) else None


def unit_of_years(tokens: Tokens, first: tuple[int, int]) -> int | None:
    """The place of the 年 of 令和4、5年 and 令和4〜5年, where years of an era follow the first one."""
    last = first
    while tokens.word(last[1]) in _BETWEEN_YEARS or (last == first and tokens.has(last[1], "to")):
        number = numbers.cardinal(tokens, last[1] + 1)
        if number is None or number[0] <= last[0]:
            return None
        last = number
    return last[1] if last != first and tokens.get(last[1], "unit") == "year" else None


_BETWEEN_YEARS = frozenset(", ・ と か 和 与 及 或".split())


def _era_points(tokens: Tokens, number: tuple[int, int], base: int) -> Chunk | None:
    dot, month, day = (tokens.at(number[1] + step) for step in (0, 1, 3))
    if not (dot and dot.text in {".", "/", "-"} and month and day and "num" in month.senses and "num" in day.senses):
        return None
    return Chunk(Frame(year=base + number[0], month=month.senses["num"], day=day.senses["num"]), number[1] + 4)


def read_han_year(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """2023年, 二〇一八年, 08年, 18年10月, 25年底, 25年春, 24年国庆, 113年底; 3年 alone is a length."""
    number, token = numbers.cardinal(tokens, at), tokens.at(at)
    if number is None or token is None:
        return None
    if not said.said and "num" in token.senses and _edge_follows(tokens, number[1]):
        republic = not reading.japanese and tokens.glued(number[1]) and not _of_the_common_era(tokens, at)
        year = _before_edge(number[0], token.text, republic=republic)
        if year is not None:
            return Chunk(Frame(year=year), number[1])
    return _marked_year(tokens, at, number, reading) if _is_marked(tokens, at, number[1]) else None


def _is_marked(tokens: Tokens, at: int, stop: int) -> bool:
    """Whether 年, or another mark of a year, belongs to the number in tokens[at:stop]."""
    if tokens.get(stop, "unit") != "year" or tokens.has(at - 1, "before_christ"):
        return False
    written = tokens.all[at].text
    if numbers.is_round(written) and _is_length(tokens, at, stop):
        return False
    return tokens.all[stop].text in _MARKS and (tokens.glued(stop) or written[0].isdigit())


def _is_length(tokens: Tokens, at: int, stop: int) -> bool:
    """Whether 一千年 and 三百年, the years of tokens[at:stop + 1], are a length, as neither 公元 nor a month makes them one year."""
    behind = stop + 1 + (tokens.word(stop + 1) in {"の", "的"})
    return not _of_the_common_era(tokens, at) and not _month_follows(tokens, behind)


def _month_follows(tokens: Tokens, at: int) -> bool:
    return tokens.has(at, "num") and tokens.word(at + 1) in {"月", "月份"}


def _marked_year(tokens: Tokens, at: int, number: tuple[int, int], reading: Reading) -> Chunk | None:
    """The year of a number with such a mark behind it."""
    year, place = number
    written, mark, stop = tokens.all[at].text, tokens.all[place].text, place + 1
    if reading.japanese and mark == "年":
        full = _in_full(year) if _is_short(written) else year
        if (term := _business_year(tokens, stop, full)) is not None:
            return term
    if not reading.japanese and _is_of_the_republic(tokens, at, stop, year):
        return Chunk(Frame(year=year_of_republic(year)), stop)
    if year >= 1000 or (len(written) == 3 and year >= 100):
        sure = SURE if mark in {"年", "年度", "年间"} else DOUBTFUL
        return Chunk(_year_or_fiscal(tokens, place, year, april=reading.april), stop, sure)
    if _is_short(written) and _is_no_length(tokens, at, stop, reading):
        return Chunk(_year_or_fiscal(tokens, place, _in_full(year), april=reading.april), stop)
    return None


def _is_no_length(tokens: Tokens, at: int, stop: int, reading: Reading) -> bool:
    """Whether two digits with 年 are a year, by what is around them: 08年, 18年10月, 25年春, 23年的夏天."""
    dated = (
        (reading.whole and not is_over(tokens, at, reading))
        or tokens.all[at].text[0] in "0〇"
        or _is_spelled_out(tokens.all[at].text)
        or (tokens.has(stop, "num") and tokens.has(stop + 1, "unit"))
        or tokens.has(stop, "halfyear")
        or _quarter_follows(tokens, stop)
        or tokens.has(stop, "holiday")
        or _season_follows(tokens, stop)
        or (tokens.word(stop) in {"の", "的"} and _season_follows(tokens, stop + 1))
    )
    return dated and tokens.get(at - 1, "window") is None


def is_over(tokens: Tokens, at: int, reading: Reading) -> bool:
    """Whether two digits with 年, in an argument about the future, would be a year that is over: 10年 and 30年 are lengths, as 5年
    and 十年 are; 28年 is the year to come, and 25年まで names a year."""
    number = tokens.get(at, "num")
    alone = reading.about == "future" and tokens.word(at + 1) == "年" and at + 2 == len(tokens)
    return alone and number is not None and _is_short(tokens.all[at].text) and _in_full(number) < reading.this_year


def _is_spelled_out(written: str) -> bool:
    """Whether it is a year as it is spoken, 九七 or 八六: lengths are not counted so. 五六, 八九 may be five or six, eight or nine."""
    first, last = (_SPOKEN.find(digit) for digit in written)
    return first > _THIRTIES and last >= 0 and last != first + 1


_SPOKEN, _THIRTIES = "〇一二三四五六七八九", 3
_MARKS = {"年", "年度", "年间", "财年", "财政年度", "会计年度"}


def _edge_follows(tokens: Tokens, at: int) -> bool:
    """Whether 年底, 年末 or 年初 follows the number, so that its 年 belongs to both; digits may have a space behind them."""
    edge = tokens.get(at, "edge_of")
    beside = tokens.glued(at) or tokens.all[at - 1].text[0].isdigit()
    return edge is not None and edge[0] == "year" and beside and tokens.all[at].text[0] == "年"


def _before_edge(number: int, written: str, *, republic: bool) -> int | None:
    """The year of a number in front of 年底: 25, 二〇二五; 114 is counted from the Republic of China."""
    if _is_short(written):
        return _in_full(number)
    if len(written) == 4 and number >= 1000:
        return number
    return year_of_republic(number) if republic else None


def _is_short(written: str) -> bool:
    """Whether the number has two digits: 25, 二五; not 十五."""
    return len(written) == 2 and "十" not in written and "百" not in written


def _in_full(year: int) -> int:
    return year + (2000 if year < 30 else 1900)


def _is_of_the_republic(tokens: Tokens, at: int, stop: int, year: int) -> bool:
    """Whether a year is counted as in Taiwan: 114年3月10日 and 114年度 are of 2025, 公元114年3月 is not."""
    if year_of_republic(year) is None or _of_the_common_era(tokens, at):
        return False
    return (
        _month_follows(tokens, stop)
        or tokens.all[stop - 1].text == "年度"
        or tokens.has(stop, "halfyear")
        or _quarter_follows(tokens, stop)
    )


def _of_the_common_era(tokens: Tokens, at: int) -> bool:
    return tokens.word(at - 1) in {"公元", "西元", "西历"}


def _business_year(tokens: Tokens, at: int, year: int) -> Chunk | None:
    """3月期 or 12月期 after 2025年: a firm's financial year, the twelve months that end with that month."""
    month = tokens.get(at, "num")
    if month is None or year < 1000 or [tokens.word(at + step) for step in (1, 2)] != ["月", "期"]:
        return None
    if month == _LAST_OF_FISCAL:
        return Chunk(Frame(fiscal=year - 1), at + 3)
    return Chunk(Frame(year=year), at + 3) if month == _LAST_OF_YEAR else None


_LAST_OF_FISCAL, _LAST_OF_YEAR = 3, 12


def _quarter_follows(tokens: Tokens, at: int) -> bool:
    rank = numbers.ordinal(tokens, at)
    return rank is not None and tokens.get(rank[1], "unit") == "quarter"


def _season_follows(tokens: Tokens, at: int) -> bool:
    """Whether a season in two characters follows, or in one that begins no other word: 20年夏天, 25年春."""
    return tokens.has(at, "season") and (len(tokens.word(at)) > 1 or not is_han(tokens.word(at + 1)[:1]))


def _year_or_fiscal(tokens: Tokens, at: int, year: int, *, april: bool) -> Frame:
    """年度 is a fiscal year in Japanese, a calendar year in Chinese."""
    return Frame(fiscal=year) if april and tokens.all[at].text == "年度" else Frame(year=year)


def read_fiscal_year(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """FY2025, FY25, fiscal year 2025: a calendar year but in Japan, and never certain, as most firms have one of their own."""
    if not tokens.has(at, "fiscal_sign"):
        return None
    token = tokens.at(at + 1)
    year = token.senses.get("num") if token is not None else None
    if token is None or year is None or len(token.text) not in {2, 4} or _runs_on(tokens, at + 2):
        return None
    if tokens.word(at + 2) in {"/", "-"} and tokens.glued(at + 2):
        return None  # FY2024/25, which may begin in any month
    year = year if len(token.text) > 2 else _in_full(year)
    return Chunk(Frame(fiscal=year) if reading.april else Frame(year=year), at + 2, DOUBTFUL)


def read_school_year(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """2024学年, 2024-2025学年, 113学年度, the 2024-25 school year, academic year 2024/25."""
    behind = tokens.get(at, "unit") == "schoolyear"
    found = _of_two_years(tokens, at + behind)
    if found is None or not (behind or tokens.get(found[1], "unit") == "schoolyear"):
        return None
    year, stop = found[0], found[1] + (not behind)
    republic = year_of_republic(year)
    year = republic or year
    # No Japanese school year is counted from 1911 or has a 下学期.
    chinese = republic is not None or (
        tokens.get(stop, "shift") in {-1, 1} and tokens.get(stop + 1, "unit") == "semester"
    )
    frame = Frame(fiscal=year) if reading.april and not chinese else Frame(school_year=year)
    return Chunk(frame, stop, WEAK) if 1900 <= year <= 2100 else None


def _of_two_years(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """The first of two consecutive years, or the one that stands there, and the place after it: 2024, 2024-25, 24/25, 2024/2025."""
    year = tokens.get(at, "num")
    if year is None:
        return None
    if _next_year_follows(tokens, at, year):
        return (_in_full(year) if len(tokens.word(at)) == 2 else year), at + 3
    return year, at + 1


def read_year_word(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """Year 247, "cy18", "the year 2008"."""
    if not tokens.has(at, "year_sign"):
        return None
    skip = at + 1 + tokens.has(at + 1, "link")
    number = numbers.year(tokens, skip) or numbers.cardinal(tokens, skip)
    if number is None or not 1 <= number[0] <= 9998:
        return None
    year = number[0] + (2000 if tokens.glued(skip) and number[0] < 100 else 0)
    return Chunk(Frame(year=year), number[1])


def read_decade(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """The 1970s, 70's, the nineties, 90年代, the nineteen seventies, the twenty-tens."""
    if tokens.word(at - 1) in _OWN:
        return None  # in my twenties
    number = numbers.cardinal(tokens, at)
    if number and (several := _decades(tokens, number)) is not None:
        return several
    if number and number[0] % 10 == 0 and number[0] <= 2990:
        sign = tokens.at(number[1])
        token = tokens.at(at)
        digits = token is not None and token.text.isascii() and token.text.isdigit() and len(token.text) in {2, 4}
        if sign and tokens.has(number[1], "decade_sign") and digits:
            if number[0] % 100 == 0 and 1000 < number[0] < 2000:
                return Chunk(Frame(century=number[0] // 100 + 1), number[1] + 1)  # but the 2000s are a decade
            return Chunk(Frame(decade=number[0]), number[1] + 1)
        if sign and sign.text == "年代":
            first = _first_of_two(tokens.all[at].text)
            return Chunk(Frame(decade=first or number[0], decade_end=first and number[0]), number[1] + 1)
    return _decade_words(tokens, at)


_OWN = {"my", "your", "our", "his", "her", "their"}
_TENS = "一二三四五六七八九"


def _first_of_two(written: str) -> int | None:
    """80 of 八九十, the eighties and nineties."""
    two = len(written) == 3 and written[2] == "十" and written[:2] in _TENS
    return (_TENS.index(written[0]) + 1) * 10 if two else None


def _decades(tokens: Tokens, first: tuple[int, int]) -> Chunk | None:
    """80、90年代, 80〜90年代, 八、九十年代, 1980-90年代: through the second decade."""
    joint = tokens.word(first[1])
    last = (
        numbers.cardinal(tokens, first[1] + 1)
        if joint in {",", "・", "和", "と"} or tokens.has(first[1], "to")
        else None
    )
    if last is None or last[0] % 10 or tokens.word(last[1]) != "年代" or not tokens.glued(first[1] + 1):
        return None
    begin = first[0] * (10 if first[0] < 10 else 1)
    end = last[0] if last[0] >= 100 else begin // 100 * 100 + last[0]
    in_order = begin % 10 == 0 and begin < end
    return Chunk(Frame(decade=begin, decade_end=end), last[1] + 1) if in_order else None


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


def read_century(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """19th century, 20世紀."""
    number = numbers.ordinal(tokens, at) or (numbers.cardinal(tokens, at) if not tokens.has(at, "cardinal") else None)
    if number and tokens.get(number[1], "unit") == "century" and 1 <= number[0] <= 30:
        if tokens.all[number[1]].text.startswith("个") and not tokens.has(at, "nth_mark"):
            return None  # 两个世纪 are two hundred years
        return Chunk(Frame(century=number[0]), number[1] + 1)
    return None


def read_bare_year(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """2019, in digits or words; after a month and day also '87."""
    token, words = tokens.at(at), numbers.year(tokens, at)
    if tokens.word(at + 1) in _LISTING and not said.said and (mark := _mark_of_list(tokens, at)) is not None:
        return Chunk(_year_or_fiscal(tokens, mark, tokens.get(at, "num"), april=reading.april), at + 1, SURE)
    if words and 1000 <= words[0] <= 2999 and not _counts(tokens, at, words[1], said):
        return Chunk(Frame(year=words[0]), words[1], LIKELY)
    if token is None or "num" not in token.senses or not token.text[0].isdigit() or _runs_on(tokens, at + 1):
        return None
    value, written = token.senses["num"], len(token.text)
    if written == 4 and said.season == _WINTER and _next_year_follows(tokens, at, value):
        return Chunk(Frame(year=value), at + 3)
    if written == 4 and 1000 <= value <= 2999 and _stands_alone(tokens, at, said):
        return Chunk(Frame(year=value), at + 1, _year_certainty(tokens, at, value, said))
    dated = (
        _has_quote(tokens, at, said)
        or _is_of_a_season(tokens, at, said, reading)
        or (
            said.month is not None
            and (said.day is not None or tokens.has(at - 1, "link"))
            and not _in_brackets(tokens, at)
            and pattern(_SLASHED).search(tokens.text, max(token.start - 6, 0), token.start) is None
        )
    )
    counted = tokens.has(at + 1, "unit", "meridiem", "ordinal_sign", "part") or fraction_follows(tokens, at + 1)
    counted |= month_follows(tokens, at + 1)  # 5 Jan-10 Feb
    counted |= tokens.has(at + 1, "to") and tokens.get(at + 3, "unit") in {"month", "day"}  # 4〜6月、10〜12月
    alone = not dated and _is_quoted_alone(tokens, at, said)
    if written == 2 and (dated or alone) and not counted:
        return Chunk(Frame(year=_in_full(value)), at + 1, WEAK if alone else SURE)
    return None


#: What a day follows, not a year: 8/15-16.
_SLASHED = r"\d/\d{1,2}-$"


def _mark_of_list(tokens: Tokens, at: int) -> int | None:
    """Where the 年 of 2023、2024、2025年, 2024和2025年 or 2024、2025两年 is, if the year at `at` is in such a list."""
    place = at
    while place < at + 2 * _MOST_LISTED and _is_full_year(tokens, place) and tokens.word(place + 1) in _LISTING:
        place += 2
    return _mark_behind(tokens, place) if place > at and _is_full_year(tokens, place) else None


def _mark_behind(tokens: Tokens, at: int) -> int | None:
    """Where the 年 behind the last year of such a list is, which may be counted: 2025年, 2025两年."""
    number = tokens.get(at + 1, "num")
    counted = number is not None and _FEWEST_LISTED <= number <= _MOST_LISTED
    mark = at + 1 + counted
    return mark if tokens.word(mark) in {"年", "年度"} else None


_LISTING = {",", "・", "和", "与", "及", "跟", "と", "や"}
_FEWEST_LISTED, _MOST_LISTED = 2, 10


def _is_full_year(tokens: Tokens, at: int) -> bool:
    return len(tokens.word(at)) == 4 and tokens.word(at).isdigit() and 1000 <= (tokens.get(at, "num") or 0) <= 2999


def _counts(tokens: Tokens, at: int, stop: int, said: Frame) -> bool:
    """Whether hundreds or thousands in words count what follows, or are ways to say so: in one thousand ways."""
    if said.said or not any(tokens.has(place, "scale") for place in range(at, stop)):
        return False
    return tokens.is_other_word(stop) or (tokens.has(stop, "unit") and tokens.word(stop).isalpha())


_WINTER = 3


def _next_year_follows(tokens: Tokens, at: int, year: int) -> bool:
    """Whether it is a winter of two years: 2024/25, 2024-2025."""
    return tokens.word(at + 1) in {"/", "-"} and tokens.word(at + 2) in {str(year + 1), f"{(year + 1) % 100:02}"}


def _in_brackets(tokens: Tokens, at: int) -> bool:
    """Whether the number is in brackets: 8月（50歳）."""
    return tokens.word(at - 1) == "("


def _has_quote(tokens: Tokens, at: int, said: Frame) -> bool:
    """Whether an apostrophe makes it a year: the summer of '69, Q3 '25."""
    return bool(said.said & {"season", "quarter", "half"}) and tokens.word(at - 1) == "'"


def _is_quoted_alone(tokens: Tokens, at: int, said: Frame) -> bool:
    """Whether it is a year after a preposition: in '24, since '98; not in '12 Angry Men'."""
    if said.said or tokens.word(at - 1) != "'" or not tokens.glued(at) or not tokens.has(at - 2, "prep"):
        return False
    closed = any(tokens.word(place) == "'" for place in range(at + 1, at + _TITLE))
    return not closed and not pattern(PLURAL).fullmatch(tokens.word(at + 1))


#: A title in quotes has fewer words.
_TITLE = 8


def _is_of_a_season(tokens: Tokens, at: int, said: Frame, reading: Reading) -> bool:
    """Whether two digits are the year of a season: the summer of 23, as an argument also "summer 23". What else falls or springs,
    as in "a fall of 23 points", does so by a number of something."""
    if said.said != {"season"} or not (reading.whole or tokens.word(at - 1) == "of"):
        return False
    often_otherwise = any(tokens.word(at - back) in {"fall", "spring"} for back in (1, 2))
    counts = often_otherwise or pattern(PLURAL).fullmatch(tokens.word(at + 1)) is not None
    return not (counts and tokens.is_other_word(at + 1))


#: What a number in front of it counts.
PLURAL = "(?!was|has|does|this)[a-z]{2,}s"


def _runs_on(tokens: Tokens, at: int) -> bool:
    """Whether the number is part of something else: 2019x, 2019%; not in 2019Q1 and 2019Sep."""
    token = tokens.at(at)
    if token is None or not token.glued or tokens.has(at, "month", "quarter_sign") or _is_half(tokens, at):
        return False
    return token.text in {"%", "'"} or (token.text.isascii() and token.text[0].isalpha())


def _stands_alone(tokens: Tokens, at: int, said: Frame) -> bool:
    """Whether the number stands alone: it is not part of 1,024, v2.2019, 10.2019.3.1, ABC-2019-x or 2019/5000."""
    token = tokens.all[at]
    before, after = tokens.text[max(token.start - 2, 0) : token.start], tokens.text[token.end : token.end + 2]
    period = _is_half(tokens, at + 1) or week_number(tokens, at + 1) is not None
    if tokens.get(at + 1, "unit") not in {None, "weekend", "quarter"} and not period:
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


def _is_half(tokens: Tokens, at: int) -> bool:
    """Whether it is H2 of "2025 H2"."""
    return tokens.word(at) == "h" and tokens.glued(at + 1) and tokens.get(at + 1, "num") in {1, 2}


def week_number(tokens: Tokens, at: int) -> int | None:
    """31 of "week 31" and W31; a letter is a week only directly before its number."""
    number = tokens.get(at + 1, "num") if tokens.has(at, "week_sign") else None
    if (
        number is None
        or not 1 <= number <= _MOST_WEEKS
        or not (tokens.glued(at + 1) or tokens.word(at) in {"week", "wk"})
    ):
        return None
    return None if tokens.has(at + 2, "unit") or _runs_on(tokens, at + 2) else int(number)  # w3c


_MOST_WEEKS = 53


def _year_certainty(tokens: Tokens, at: int, value: int, said: Frame) -> int:
    listed = tokens.word(at - 1) in _LISTING and _is_full_year(tokens, at - 2)
    if said.said or (listed and _mark_behind(tokens, at) is not None):
        return SURE
    follows = tokens.at(at + 1)
    free = follows is None or not (follows.text[0].isalpha() and follows.text.isascii()) or bool(follows.senses)
    free = (
        free or tokens.word(at + 1) in _NOT_COUNTED or (tokens.word(at + 1) == "or" and _is_full_year(tokens, at + 2))
    )
    return SURE if 1900 <= value <= 2100 and free and tokens.has(_of_list(tokens, at) - 1, "prep") else WEAK


def _of_list(tokens: Tokens, at: int) -> int:
    """Where the list of years begins that the one at `at` is in: in 2021, 2022 and 2023; in 2022 or 2023."""
    place = at
    while place > at - 2 * _MOST_LISTED and tokens.word(place - 1) in _IN_LIST and _is_full_year(tokens, place - 2):
        place -= 2
    return place


_IN_LIST = {"and", "or", ",", "&"}


#: What stands behind a year, as no number counts it: in 2022 we moved, in 2019 with my mother, since 2019 there has been.
_NOT_COUNTED = frozenset(
    "i we you he she they it there this my our your his her their its who whom when where what which why how that because if though although "
    "while but as with without is are was were am be been has have had do does did can could will would shall should must might not too also again already together alone".split()
)
