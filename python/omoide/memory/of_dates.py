"""Which memories are of the dates that a question names: what happened then, what was stored then, what names them.

Useful for: questions about a date alone. Not useful for: raising what was found otherwise; see boost.py.
Invariant: as in boost.py, the time that a memory speaks of counts before the time it was stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from omoide.dates import Interval, Mention, Moment
from omoide.memory.boost import meets
from omoide.model.condition import All, Condition, Either, Missing, Not, Within
from omoide.model.memory import Memory

_WITHOUT_EVENT = All((Missing("event_start"), Missing("event_end")))


class Dates(NamedTuple):
    """`said`: the dates as the question says them; `intervals`: what they mean."""

    said: tuple[str, ...]
    intervals: tuple[Interval, ...]
    moment: Moment

    @staticmethod
    def of(mentions: Sequence[Mention], moment: Moment) -> Dates:
        """Of a date that comes every year, the one that is meant and the one that is nearer."""
        meant = (date for each in mentions for date in (each.interval, moment.of_event(each.text, each.interval)))
        return Dates(tuple(each.text for each in mentions), tuple(dict.fromkeys(meant)), moment)

    def happened(self) -> Condition:
        """Memories of events that began and ended on these dates."""
        return Either(tuple(map(_of_event_within, self.intervals)))

    def was_under_way(self) -> Condition:
        """Memories of events on these dates, some of which took longer."""
        return All((Not(_WITHOUT_EVENT), Either(tuple(map(_met_by_event, self.intervals)))))

    def stored(self) -> Condition:
        """Memories of no event, stored on these dates."""
        then = tuple(Within("stored_at", start, end) for start, end in self.intervals)
        return All((_WITHOUT_EVENT, Either(then)))

    def are_named_in(self, memory: Memory) -> bool:
        """Whether the text of a memory of no event names one of these dates, as it was when that was stored."""
        if memory.event_time is not None:
            return False
        then = self.moment._replace(now=memory.stored_at)
        named = [then.of_event(each.text, each.interval) for each in then.sure_mentions(memory.text)]
        return any(meets(*one, *date) for one in named if None not in one for date in self.intervals)


def _of_event_within(date: Interval) -> Condition:
    return All((Within("event_start", date.start, date.end), Within("event_end", date.start, date.end, False, True)))


def _met_by_event(date: Interval) -> Condition:
    """That an event overlaps the date. Of one without a start or an end (金曜まで, since March) only the end that it has counts: it
    would be of every date on the other side."""
    begins, ends = Within("event_start", date.start, date.end), Within("event_end", date.start, date.end, False, True)
    goes_on = All((Within("event_start", end=date.end), Within("event_end", start=date.start, start_inclusive=False)))
    return Either((begins, goes_on, All((ends, Missing("event_start")))))
