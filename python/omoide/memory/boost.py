"""What raises a hit besides the query's words: being recent, where a profile asks for it, and being of a date that the
query names.

Useful for: raising. Not useful for: filtering; a date in a query never hides a memory.
Invariant: relevance falls down the new order as it fell down the old.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from operator import attrgetter
from typing import NamedTuple

from omoide.dates import Interval, Mention, Moment
from omoide.memory.candidate import Candidate, candidate_of
from omoide.model.memory import Memory
from omoide.model.query import Query

#: A memory of a date that the query names counts this much more. On long chats, with questions like "what did she paint
#: in July 2023?", half or twice this is as good; on sets without such questions nothing changes (six labelled sets).
DATE_SHARE = 0.5
#: What a profile's recency of 1 adds: scores of neighbouring hits lie some 4 % apart.
RECENCY_SHARE = 4.0
DAY = timedelta(days=1)
_BY_SCORE = attrgetter("score")


class Boost(NamedTuple):
    """`recency` is the share that a memory of this very moment counts more, halved every `half_life_days`; `date_share`
    the share that one of the `dates` does."""

    now: datetime
    recency: float
    half_life_days: float
    dates: tuple[Mention, ...]
    date_share: float

    @staticmethod
    def of(query: Query, moment: Moment) -> Boost | None:
        """What a query asks for; None when nothing is to be raised."""
        if not query.text.strip():
            return None
        weights = query.weights
        dates = tuple(moment.sure_mentions(query.text)) if weights.dates > 0.0 else ()
        if weights.recency <= 0.0 and not dates:
            return None
        recency, date_share = RECENCY_SHARE * weights.recency, DATE_SHARE * weights.dates
        return Boost(moment.now, recency, weights.recency_half_life_days, dates, date_share)

    def applied(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """The candidates with their scores raised, best first."""
        raised = self._raised(candidates)
        if not raised:
            return candidates
        ordered = sorted([raised.get(each.place, each) for each in candidates], key=_BY_SCORE, reverse=True)
        shares = sorted([each.relevance for each in ordered], reverse=True)
        return [
            candidate_of((place, memory, share, score, dates, alike))
            for (place, memory, _, score, dates, alike), share in zip(ordered, shares, strict=True)
        ]

    def _raised(self, candidates: Sequence[Candidate]) -> dict[int, Candidate]:
        """Those of them whose score is raised, by their place."""
        raised = {}
        dates = [(mention.text, _as_stored(mention.interval)) for mention in self.dates]
        for place, memory, relevance, score, _, alike in candidates:
            met = tuple([text for text, date in dates if _is_of(memory, date)])
            if met or self.recency:
                fresh = self._fresh(memory) if self.recency else 0.0
                factor = 1.0 + fresh + self.date_share * bool(met)
                raised[place] = candidate_of((place, memory, relevance, score * factor, met, alike))
        return raised

    def _fresh(self, memory: Memory) -> float:
        age_days = max(0.0, (self.now - memory.stored_at) / DAY)
        return self.recency * float(0.5 ** (age_days / self.half_life_days))


def _as_stored(date: Interval) -> Interval:
    """The interval in the zone that memories tell their times in: to compare times of two zones takes several times as long."""
    try:
        return Interval(*(at and at.astimezone(timezone.utc) for at in (date.start, date.end)))
    except OverflowError:  # the calendar's first and last hours
        return date


def _is_of(memory: Memory, date: Interval) -> bool:
    """Whether what a memory speaks of, or when it was stored, lies in the interval."""
    event = memory.event_time
    if event is not None and (event.start is not None or event.end is not None):
        return _meets(Interval(event.start, event.end), date)
    return _meets(Interval(memory.stored_at, memory.stored_at), date)


def _meets(one: Interval, other: Interval) -> bool:
    """Whether they have an instant in common; one may be a single instant."""
    if other.end is not None and one.start is not None and one.start >= other.end:
        return False
    if other.start is None or one.end is None or one.end > other.start:
        return True
    return one.start is not None and one.start >= other.start
