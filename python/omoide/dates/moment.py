"""The present moment, with the caller's zone and first day of the week: what date expressions are relative to.

Useful for: passing all of it at once. Not useful for: clocks; a moment does not move.
Invariant: the grammar is imported when a text may hold a date, not by modules that only pass a moment on.
"""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple

from omoide.dates.lexer import may_hold_date
from omoide.dates.model import About, End, Interval, Mention

#: A longer argument is refused without parsing it.
MAX_ARGUMENT_CHARS = 500
#: What recurs after less, such as Friday or the 15th, is not a date of the year.
ALMOST_A_YEAR = timedelta(days=300)
_DIRECTIONS: tuple[About, About] = ("past", "future")


class Moment(NamedTuple):
    """`now` is aware; calendar days are those of `zone`; weeks start on day `week_starts`, 0 = Monday .. 6 = Sunday."""

    now: datetime
    zone: tzinfo
    week_starts: int = 0

    def argument(self, text: str, name: str, *, about: About | None = None, end: End | None = None) -> Interval:
        """The interval that the argument called `name` means. `about`: the past, where "within 3 days" and Friday are the
        last ones, or the future, where they are the next. `end`: the end that the caller needs, which is then not None.

        Raises InvalidArgument if nothing or only a part was understood, or that end is open. The message names the argument and
        what was understood, the hint three accepted forms, both in the language of `text`.
        """
        from omoide.dates.errors import no_end, not_a_date
        from omoide.dates.mentions import parse_or_find

        if len(text) > MAX_ARGUMENT_CHARS:
            raise not_a_date(text, name, (), about)
        mention, dates = parse_or_find(
            text, now=self.now, zone=self.zone, week_starts=self.week_starts, about=about, end=end
        )
        if mention is None:
            raise not_a_date(text, name, dates, about)
        if end is not None and getattr(mention.interval, end) is None:
            raise no_end(text, name, end)
        return mention.interval

    def parse(self, text: str, *, about: About | None = None) -> Mention | None:
        """The date or range that the whole text is, or None if it is not just one. `about`: see `argument`."""
        from omoide.dates.mentions import parse

        return parse(text, now=self.now, zone=self.zone, week_starts=self.week_starts, about=about)

    def of_event(self, text: str, understood: Interval) -> Interval:
        """When an event is on a date that `text` says and that alone is `understood` so. Of a date that comes every year (10月16日,
        国庆节, Dec 20) the nearer one is meant, as an event may be to come or over; never of a weekday or a day of the month."""
        past, coming = (self.parse(text, about=about) for about in _DIRECTIONS)
        if past is None or coming is None or past.interval.start is None or coming.interval.start is None:
            return understood
        last, following = past.interval.start, coming.interval.start
        if following - last < ALMOST_A_YEAR:
            return understood
        return coming.interval if following - self.now < self.now - last else past.interval

    def sure_mentions(self, text: str) -> list[Mention]:
        """The dates in a text that certainly are dates: not port 8080, v2.3.1, "may" or 三月兎."""
        if not may_hold_date(text, surely=True):  # most queries; this takes a tenth of the time of parsing
            return []
        from omoide.dates.mentions import find_sure

        return find_sure(text, now=self.now, zone=self.zone, week_starts=self.week_starts)
