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
        raised, met = {}, self._met([each.memory for each in candidates])
        for at in range(len(candidates)) if self.recency else met:
            place, memory, relevance, score, _, alike = candidates[at]
            dates = tuple(met.get(at, ()))
            fresh = self._fresh(memory) if self.recency else 0.0
            factor = 1.0 + fresh + self.date_share * bool(dates)
            raised[place] = candidate_of((place, memory, relevance, score * factor, dates, alike))
        return raised

    def _met(self, memories: Sequence[Memory]) -> dict[int, list[str]]:
        """The dates that a memory is of, by its place, where there are any."""
        met: dict[int, list[str]] = {}
        spans = _spans(memories) if self.dates else ()
        for mention in self.dates:
            start, end = _as_stored(mention.interval)
            for at, (first, last) in enumerate(spans):
                if _meets(first, last, start, end):
                    met.setdefault(at, []).append(mention.text)
        return met

    def _fresh(self, memory: Memory) -> float:
        age_days = max(0.0, (self.now - memory.stored_at) / DAY)
        return self.recency * float(0.5 ** (age_days / self.half_life_days))


def _spans(memories: Sequence[Memory]) -> list[tuple[datetime | None, datetime | None]]:
    """Of when each memory speaks, or when it was stored."""
    return [
        (event.start, event.end)
        if (event := memory.event_time) is not None and (event.start is not None or event.end is not None)
        else (memory.stored_at, memory.stored_at)
        for memory in memories
    ]


def _as_stored(date: Interval) -> tuple[datetime | None, datetime | None]:
    """The interval in the zone that memories tell their times in: to compare times of two zones takes several times as long."""
    try:
        return date.start and date.start.astimezone(timezone.utc), date.end and date.end.astimezone(timezone.utc)
    except OverflowError:  # the calendar's first and last hours
        return date.start, date.end


def _meets(first: datetime | None, last: datetime | None, start: datetime | None, end: datetime | None) -> bool:
    """Whether what lasts from `first` to `last`, or a single instant, has an instant in common with a date."""
    if end is not None and first is not None and first >= end:
        return False
    if start is None or last is None or last > start:
        return True
    return first is not None and first >= start
