"""Now, in the caller's zone and with the caller's weeks: what every expression is read against.

Useful for: passing all of it at once. Not useful for: clocks; a moment stands still.
Invariant: the grammar is loaded by the first text that may hold a date, not by those who merely pass a moment on.
"""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import NamedTuple

from omoide.dates.lexer import may_hold_date
from omoide.dates.model import End, Interval, Mention

#: No date expression is longer; a longer argument is refused unread.
MAX_ARGUMENT_CHARS = 500


class Moment(NamedTuple):
    """`now` is aware; calendar days are those of `zone`; weeks start on day `week_starts`, 0 = Monday .. 6 = Sunday."""

    now: datetime
    zone: tzinfo
    week_starts: int = 0

    def argument(self, text: str, name: str, *, looks_back: bool = False, end: End | None = None) -> Interval:
        """The interval an argument called `name` means. `looks_back`: it is of what has been, so that "within 3 days" are the
        last ones, not the next. `end`: the one that is wanted of the interval; it is there.

        Raises InvalidArgument: nothing or only a part was understood, or that end is open; the message names the argument and
        what was understood, the hint three accepted forms, both in the language of `text`.
        """
        from omoide.dates.refuse import no_end, not_a_date

        if len(text) > MAX_ARGUMENT_CHARS:
            raise not_a_date(text, name, ())
        mention = self.parse(text, looks_back=looks_back)
        if mention is None:
            raise not_a_date(text, name, self._mentions(text))
        if end is not None and getattr(mention.interval, end) is None:
            raise no_end(text, name, end)
        return mention.interval

    def parse(self, text: str, *, looks_back: bool = False) -> Mention | None:
        """The date or range that the whole text says; None when it says none, or anything beside it. `looks_back`: see
        `argument`."""
        from omoide.dates.mentions import parse

        return parse(text, now=self.now, zone=self.zone, week_starts=self.week_starts, looks_back=looks_back)

    def sure_mentions(self, text: str) -> list[Mention]:
        """The dates in a text that surely are dates: not port 8080, v2.3.1, "may" or 三月兎."""
        if not may_hold_date(text, surely=True):  # most questions; looking takes a tenth of reading
            return []
        from omoide.dates.mentions import find_sure

        return find_sure(text, now=self.now, zone=self.zone, week_starts=self.week_starts)

    def _mentions(self, text: str) -> list[Mention]:
        from omoide.dates.mentions import find

        return find(text, now=self.now, zone=self.zone, week_starts=self.week_starts)
