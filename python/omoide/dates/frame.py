"""The syntax tree of a date expression: parts of a date, and the ways dates combine.

Useful for: passing what `grammar` understood to `resolve`. Not useful for: callers, who get a `Mention`.
Invariant: nodes are values and know no reference instant; the same words always give the same node.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

Clock = tuple[int, int, int]
#: Days of the week as `Frame.weekday` counts them.
MONDAY, SATURDAY, SUNDAY = 0, 5, 6


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The parts of one date, each given at most once; None: not given.

    `shift`, `month_shift` and `year_shift` count units from the reference: last week is week -1.
    """

    #: The 20th century is 20.
    century: int | None = None
    #: Its first year: 1990, or 90 if that is all that is said.
    decade: int | None = None
    #: The first year of the last of several decades.
    decade_end: int | None = None
    year: int | None = None
    #: The year in which a Japanese fiscal year begins.
    fiscal: int | None = None
    #: The year in which a school year begins.
    school_year: int | None = None
    #: 1 (from August) or 2 (from February).
    semester: int | None = None
    year_shift: int | None = None
    #: (1 or 2, the unit that is halved).
    half: tuple[int, str] | None = None
    #: 1 to 4.
    quarter: int | None = None
    #: 0 to 3, from spring.
    season: int | None = None
    #: (unit, how many of them). A "weekend begun" is the present one or, until that begins, the one before; a "month begun" and a
    #: "year begun" are those whose end is.
    shift: tuple[str, int] | None = None
    #: Year, month and day are of the old calendar, that of "china" or "japan", or of one of them by the caller's zone: "here",
    #: or "perhaps", which is only if the zone is not Japan's.
    lunar: str | None = None
    #: The month is a leap month of the old calendar.
    leap: bool | None = None
    month: int | None = None
    #: Through that month.
    month_end: int | None = None
    month_shift: int | None = None
    #: The number of a week in its year or month.
    week: int | None = None
    #: (which, how many, unit). `which` counts from 1, or from the end if negative. The unit may be a day of the week,
    #: "weekday0" to "weekday6"; "weekday" is a working day.
    nth: tuple[int, int, str] | None = None
    day: int | None = None
    #: Through that day.
    day_end: int | None = None
    #: 0 to 6, from Monday.
    weekday: int | None = None
    holiday: str | None = None
    #: -1: the latest that is over, -2: the one before it; +1: the next to come.
    nearest: int | None = None
    #: "start", "mid" or "end"; "opening" or "closing" if a shorter one is meant (月初, 月末); "earlier" or "later", which end
    #: or begin at the reference if that lies within; "rest", from the reference on.
    edge: str | None = None
    #: The first and the last third of a month (上旬 is 1, 1), 1 to 3.
    third: tuple[int, int] | None = None
    #: The unit that contains the day ("the week of the 18th"); "ending": the seven days up to it; "days off": the day with the
    #: weekend beside it.
    week_of: str | None = None
    #: A part of the day, as in `hours.PARTS`.
    part: str | None = None
    #: Minute and second are -1 if not given.
    clock: Clock | None = None
    clock_end: Clock | None = None
    #: "am" or "pm".
    meridiem: str | None = None
    #: The time zone, in minutes ahead of UTC.
    offset_minutes: int | None = None
    #: The names of the parts that are given.
    said: frozenset[str] = field(init=False, repr=False, compare=False)

    if not TYPE_CHECKING:

        def __init__(self, **parts):
            """Set only the parts that are given, which are few: the others are attributes of the class."""
            given = {name: value for name, value in parts.items() if value is not None}
            self.__dict__.update(given, said=frozenset(given))

    def join(self, other: Frame) -> Frame | None:
        """The parts of both; None if they have one in common."""
        if self.said & other.said:
            return None
        if not self.said:
            return other
        joined = object.__new__(Frame)
        joined.__dict__.update(self.__dict__)
        joined.__dict__.update(other.__dict__, said=self.said | other.said)
        return joined


#: Parts of a date that name one hour.
HOUR = {"clock", "meridiem", "part"}


def names_day(frame: Frame) -> bool:
    """Whether the frame names a day, which can have a clock time, and has none yet."""
    day = frame.said & {"day", "weekday", "holiday"} or (
        frame.shift is not None and frame.shift[0] in {"day", "weekday"}
    )
    nth = frame.nth is not None and (frame.nth[2].startswith("weekday") or frame.nth[2] == "day")
    return bool(day or nth) and frame.clock is None


def without_hours(frame: Frame) -> Frame:
    """The frame without what it says of hours."""
    return replace(frame, clock=None, clock_end=None, meridiem=None, part=None)


def is_fiscal(frame: Frame) -> bool:
    """Whether the frame names a fiscal year."""
    return frame.fiscal is not None or (frame.shift is not None and frame.shift[0] == "fiscal")


#: A frame without parts.
BLANK = Frame()

#: (unit, amount) pairs, in the order of the text; amounts may be halves ("two and a half days").
Length = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Offset:
    """A length before (sign -1) or after (+1) a date; `base` None is the reference.

    `weekday`: that day of the week reached; `onward`: the base is in the future ("3 days from Tuesday").
    """

    length: Length
    sign: int
    base: Node | None = None
    weekday: int | None = None
    onward: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """A length that ends (sign -1) or begins (+1) at the reference."""

    length: Length
    sign: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """A length that begins with a date: three days starting Monday."""

    length: Length
    base: Node


@dataclass(frozen=True, slots=True)
class Now:
    """The reference itself."""


@dataclass(frozen=True, slots=True)
class ToDate:
    """From the first day of the present unit until now."""

    unit: str


@dataclass(frozen=True, slots=True)
class Range:
    """From one date through another; `loose` = it includes all of both ("late May to early July"); `onward` = the last is
    counted from the first (2024年10月から翌年3月まで)."""

    first: Node
    last: Node
    loose: bool = False
    onward: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """One side of a date: "since" and "until" include the date, "after" and "before" do not."""

    kind: str
    node: Node


@dataclass(frozen=True, slots=True)
class Ahead:
    """A date that is to come, from now or from `base` on: Friday is the next one. Only dates of either time are changed."""

    node: Node
    base: Node | None = None


Node = Frame | Offset | Window | Stretch | Now | ToDate | Range | Bound | Ahead
