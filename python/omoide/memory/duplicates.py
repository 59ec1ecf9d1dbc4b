"""Which found memories write the same fact down again? They stand under the first of them, so that a page holds as many
facts as it has places.

Useful for: an answer's page. Not useful for: deciding what is stored; nothing is lost, an answer names every one.
Invariant: memories of one fact agree in scope, thread, project, entities, kind, category, status, speaker, window and
event, and in what was filled in beside the text; what happened on two days happened twice, unless its category is of
what lasts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter

from omoide.dates import Interval, Moment
from omoide.memory.candidate import Candidate
from omoide.memory.same import Statement, same
from omoide.model.local_time import local
from omoide.model.memory import Memory
from omoide.text import Wording, essences_of, wording_of

#: Categories of what happens; the others are of what holds until it is changed.
OF_A_DAY = frozenset({"events"})
#: Texts that say the same are about as long.
LENGTH_SHARE = 0.7
_ESSENCE = attrgetter("essence")


class Fact:
    """The first memory of a fact, and those that say it again. `said`: what a memory says."""

    def __init__(self, first: Candidate, said: str, moment: Moment) -> None:
        self.first = first
        self.again: list[Candidate] = []
        self._said = said
        self._moment = moment

    @property
    def candidate(self) -> Candidate:
        """The first, naming the others."""
        return self.first._replace(alike=tuple(each.memory.id for each in self.again)) if self.again else self.first

    def is_of(self, other: Fact) -> bool:
        """Whether both, in words near each other, are of one fact; the quick questions come first."""
        return (
            _about_as_long(self._said, other._said)
            and self.frame == other.frame
            and same(self.statement, other.statement)
            and self.dates == other.dates
        )

    @cached_property
    def frame(self) -> tuple[object, ...]:
        """The same for all of one fact: what it holds for, and when."""
        memory = self.first.memory
        return *_holds_for(memory), *_times(memory, self._moment)

    @cached_property
    def wording(self) -> Wording:
        """The words of what is said; most are never looked at."""
        return wording_of(self._said)

    @cached_property
    def statement(self) -> Statement:
        """What is said, ready to be compared; most never are."""
        return Statement.of(self._said)

    @cached_property
    def dates(self) -> list[Interval]:
        """What dates in the text mean, told by the day it was stored."""
        memory = self.first.memory
        return [mention.interval for mention in self._moment._replace(now=memory.stored_at).sure_mentions(memory.text)]


#: A candidate, and the essence of what its memory says.
Saying = tuple[Candidate, int]


def are_apart(memories: Sequence[Memory | None], limit: int) -> bool:
    """Whether the first `limit` of those that there are can be no two of one fact, nor the one after them of the fact of any:
    they are the page then, with nothing under them."""
    first = list(filter(None, memories))[: limit + 1]
    return len(first) == len(set(_essences(first)))


def facts(candidates: Sequence[Candidate], limit: int, moment: Moment) -> Sequence[Candidate]:
    """The first candidates of `limit` facts, in their order, naming those before the last of them that say one again."""
    if are_apart([each.memory for each in candidates[: limit + 1]], limit):
        return candidates[:limit]
    return _gathered(chain.from_iterable(_pages(candidates, limit)), limit, moment)


def _pages(candidates: Sequence[Candidate], limit: int) -> Iterator[Iterable[Saying]]:
    """So many are looked into at a time, since the first page is mostly enough."""
    at_once = max(limit, 1)
    for start in range(0, len(candidates), at_once):
        page = candidates[start : start + at_once]
        yield zip(page, _essences([each.memory for each in page]), strict=True)


def _essences(memories: Sequence[Memory]) -> list[int]:
    """Of what each says: worked out once and kept with the memory, whose words never change."""
    try:
        return list(map(_ESSENCE, memories))
    except AttributeError:  # of some it is not known yet
        pass
    essences = essences_of([_said(memory) for memory in memories])
    for memory, essence in zip(memories, essences, strict=True):
        object.__setattr__(memory, "essence", essence)
    return essences


def _gathered(sayings: Iterable[Saying], limit: int, moment: Moment) -> list[Candidate]:
    told: list[Fact] = []
    alike: dict[int, list[Fact]] = {}
    for candidate, essence in sayings:
        fact = Fact(candidate, _said(candidate.memory), moment)
        near = alike.setdefault(essence, [])
        known = _same_of(near, fact) if near else None
        if known is not None:
            known.again.append(fact.first)
        elif len(told) < limit:
            told.append(fact)
            near.append(fact)
        else:
            break
    return [fact.candidate for fact in told]


def _same_of(near: Iterable[Fact], fact: Fact) -> Fact | None:
    """The one of them that the fact is."""
    wording = fact.wording
    alike = [each for each in near if each.wording.is_near(wording)]
    return next((each for each in alike if each.is_of(fact)), None)


def _said(memory: Memory) -> str:
    title, context, text = memory.title, memory.context, memory.text
    return "\n".join(filter(None, (title, context, text))) if title or context else text


def _about_as_long(one: str, other: str) -> bool:
    return min(len(one), len(other)) >= LENGTH_SHARE * max(len(one), len(other))


def _holds_for(memory: Memory) -> tuple[object, ...]:
    who = memory.agent_id, str(memory.extra.get("speaker"))
    what = memory.kind, memory.category, memory.status, memory.parameters, memory.frames
    return memory.scope, memory.thread, memory.project, memory.entities, what, who


def _times(memory: Memory, moment: Moment) -> tuple[object, ...]:
    event = memory.event_time
    day = local(memory.stored_at, moment.zone).date() if memory.category in OF_A_DAY else None
    return memory.valid_from, memory.valid_until, event and (event.start, event.end), day
