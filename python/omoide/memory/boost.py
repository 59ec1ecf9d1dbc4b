"""Raises hits that are recent, where the weights ask for it, and hits of a date that the query names.

Useful for: ranking. Not useful for: filtering; a date in a query never hides a memory.
Invariant: relevance never rises down the list: its values are sorted again for the new order.
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

#: The share of its score that a memory of a date in the query gains. On long chats, with questions like "what did she paint
#: in July 2023?", half or twice this is as good; on sets without such questions nothing changes (six labelled sets).
DATE_SHARE = 0.5
#: The share that a brand-new memory gains at a recency of 1; scores of neighbouring hits are about 4 % apart.
RECENCY_SHARE = 4.0
DAY = timedelta(days=1)
_BY_SCORE = attrgetter("score")


class Boost(NamedTuple):
    """What a query asks to be raised. `recency`: the share of its score that a brand-new memory gains, halved every
    `half_life_days` of age; `date_share`: the share that a memory of one of the `dates` gains."""

    now: datetime
    recency: float
    half_life_days: float
    dates: tuple[Mention, ...]
    date_share: float

    @staticmethod
    def of(query: Query, moment: Moment) -> Boost | None:
        """The boost that a query asks for; None if nothing is to be raised."""
        if not query.text:
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
        """The candidates whose score is raised, by their place."""
        raised, met = {}, self._dates_met([each.memory for each in candidates])
        for at in range(len(candidates)) if self.recency else met:
            place, memory, relevance, score, _, alike = candidates[at]
            dates = tuple(met.get(at, ()))
            recency_gain = self._recency_gain(memory) if self.recency else 0.0
            factor = 1.0 + recency_gain + self.date_share * bool(dates)
            raised[place] = candidate_of((place, memory, relevance, score * factor, dates, alike))
        return raised

    def _dates_met(self, memories: Sequence[Memory]) -> dict[int, list[str]]:
        """The query's dates that each memory is of, by its index; memories of none are left out."""
        met: dict[int, list[str]] = {}
        spans = _spans(memories) if self.dates else ()
        for mention in self.dates:
            start, end = _as_stored(mention.interval)
            for at, (first, last) in enumerate(spans):
                if meets(first, last, start, end):
                    met.setdefault(at, []).append(mention.text)
        return met

    def _recency_gain(self, memory: Memory) -> float:
        age_days = max(0.0, (self.now - memory.stored_at) / DAY)
        return self.recency * float(0.5 ** (age_days / self.half_life_days))


def _spans(memories: Sequence[Memory]) -> list[tuple[datetime | None, datetime | None]]:
    """(start, end) of each memory's event, or twice the time it was stored."""
    return [
        (event.start, event.end)
        if (event := memory.event_time) is not None and (event.start is not None or event.end is not None)
        else (memory.stored_at, memory.stored_at)
        for memory in memories
    ]


def _as_stored(date: Interval) -> tuple[datetime | None, datetime | None]:
    """The interval in UTC, as stored times are: comparing times of two zones takes several times as long."""
    try:
        return date.start and date.start.astimezone(timezone.utc), date.end and date.end.astimezone(timezone.utc)
    except OverflowError:  # the calendar's first and last hours
        return date.start, date.end


def meets(first: datetime | None, last: datetime | None, start: datetime | None, end: datetime | None) -> bool:
    """Whether an event from `first` to `last` (equal: one instant) overlaps the date's [start, end); None is open."""
    if end is not None and first is not None and first >= end:
        return False
    if start is None or last is None or last > start:
        return True
    return first is not None and first >= start
