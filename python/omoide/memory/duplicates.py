"""Which found memories state the same fact? They are folded into the first of them, so that a page of `limit` hits holds
`limit` facts.

Useful for: a page of hits. Not useful for: deciding what is stored; nothing is lost, the hit lists the ids of the others.
Invariant: memories of one fact agree in scope, thread, project, entities, kind, category, status, agent, speaker, validity,
event time, parameters and frames; in categories of what happens, also in the day they were stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Any

from omoide.dates import Interval, Moment
from omoide.memory.candidate import Candidate
from omoide.memory.statements import Statement, holders, same
from omoide.model.local_time import local
from omoide.model.memory import Memory
from omoide.text import Wording, essences_of, wording_of

#: Categories of what happens; memories of the others hold until they are changed.
OF_A_DAY = frozenset({"events"})
#: Texts that say the same are about as long: the shorter has at least this share of the longer one's length.
LENGTH_SHARE = 0.7
#: On a page of more facts than this, each is compared only with those of its frame, and where more have near wordings, only with
#: those that may hold its words, as comparing all with all would take seconds. For fewer, this would take longer.
MOST_COMPARED = 100
#: So many facts of a frame are looked at, at least, to find out whether its wordings are near each other.
SAMPLES = 10
_ESSENCE = attrgetter("essence")


class Fact:
    """The first memory of a fact, and those that repeat it. `text`: title, context and text of the first."""

    def __init__(self, first: Candidate, text: str, moment: Moment) -> None:
        self.first = first
        self.repeats: list[Candidate] = []
        self._text = text
        self._moment = moment

    @property
    def candidate(self) -> Candidate:
        """The first, with the ids of the others as `alike`."""
        return self.first._replace(alike=tuple(each.memory.id for each in self.repeats)) if self.repeats else self.first

    def is_of(self, other: Fact) -> bool:
        """Whether both, whose wordings are near each other, state one fact; the cheap tests come first."""
        return (
            _about_as_long(self._text, other._text)
            and self.frame == other.frame
            and same(self.statement, other.statement)
            and self.dates == other.dates
        )

    @cached_property
    def frame(self) -> tuple[Hashable, ...]:
        """What all memories of one fact have in common besides the words: what it holds for, and when."""
        memory = self.first.memory
        return *_validity_frame(memory), *_times(memory, self._moment)

    @cached_property
    def wording(self) -> Wording:
        """The wording of `text`. Lazy, as most are never compared."""
        return wording_of(self._text)

    @cached_property
    def statement(self) -> Statement:
        """`text`, prepared for comparison. Lazy, as most are never compared."""
        return Statement.of(self._text)

    @cached_property
    def dates(self) -> list[Interval]:
        """The dates in the text, resolved against the day it was stored."""
        memory = self.first.memory
        return [mention.interval for mention in self._moment._replace(now=memory.stored_at).sure_mentions(memory.text)]


#: A fact, and its keys: any two that may be one share one.
WithKeys = tuple[Fact, Sequence[Hashable]]


def are_apart(memories: Sequence[Memory | None], limit: int) -> bool:
    """Whether the first `limit` + 1 memories that are not None all have different essences: then the first `limit` of them
    state different facts and are the page, with nothing folded into them."""
    first = list(filter(None, memories))[: limit + 1]
    return len(first) == len(set(_essences(first)))


def facts(candidates: Sequence[Candidate], limit: int, moment: Moment) -> Sequence[Candidate]:
    """The first candidates of `limit` facts, in their order, each with the ids of those that repeat it; the search for these
    ends at the first candidate of a further fact."""
    if are_apart([each.memory for each in candidates[: limit + 1]], limit):
        return candidates[:limit]
    if limit > MOST_COMPARED:
        return _gathered(_with_holders([_fact_of(each, moment) for each in candidates]), limit)
    return _gathered(_with_essences(candidates, limit, moment), limit)


def _fact_of(candidate: Candidate, moment: Moment) -> Fact:
    return Fact(candidate, _text_of(candidate.memory), moment)


def _with_essences(candidates: Sequence[Candidate], limit: int, moment: Moment) -> Iterator[WithKeys]:
    """The candidates with their essences, computed for `limit` at a time, since the first page is mostly enough."""
    at_once = max(limit, 1)
    for start in range(0, len(candidates), at_once):
        page = candidates[start : start + at_once]
        for candidate, essence in zip(page, _essences([each.memory for each in page]), strict=True):
            yield _fact_of(candidate, moment), [essence]


def _with_holders(all_facts: Sequence[Fact]) -> Iterator[WithKeys]:
    """The facts with their essences and frames and, where many share these, with what holds their words."""
    essences = _essences([fact.first.memory for fact in all_facts])
    framed = [((essence, fact.frame), fact) for essence, fact in zip(essences, all_facts, strict=True)]
    groups: defaultdict[Hashable, list[Fact]] = defaultdict(list)
    for frame, fact in framed:
        groups[frame].append(fact)
    crowded = {frame for frame, group in groups.items() if len(group) > MOST_COMPARED and _are_many_near(group)}
    holders_of = holders(fact.statement for frame in crowded for fact in groups[frame])
    for frame, fact in framed:
        yield fact, [(frame, holder) for holder in holders_of[fact.statement.parts]] if frame in crowded else [frame]


def _are_many_near(group: Sequence[Fact]) -> bool:
    """Whether the wordings leave many to be compared, as those of texts in kana do: a few of the facts show it."""
    samples = group[:: len(group) // SAMPLES]
    return any(sum(each.wording.is_near(sample.wording) for each in group) > MOST_COMPARED for sample in samples)


def _essences(memories: Sequence[Memory]) -> list[int]:
    """The essence of each memory: a hash that texts which say the same share. Computed once and cached on the memory, which is
    immutable."""
    try:
        return list(map(_ESSENCE, memories))
    except AttributeError:  # some are not computed yet
        pass
    essences = essences_of([_text_of(memory) for memory in memories])
    for memory, essence in zip(memories, essences, strict=True):
        object.__setattr__(memory, "essence", essence)
    return essences


def _gathered(with_keys: Iterable[WithKeys], limit: int) -> list[Candidate]:
    distinct: list[Fact] = []
    places: dict[Hashable, list[int]] = {}
    for fact, keys in with_keys:
        alike = [places.setdefault(key, []) for key in keys]
        possible = alike[0] if len(alike) == 1 else sorted(set(chain.from_iterable(alike)))
        known = _repeated_fact([distinct[place] for place in possible], fact) if possible else None
        if known is not None:
            known.repeats.append(fact.first)
        elif len(distinct) < limit:
            for each in alike:
                each.append(len(distinct))
            distinct.append(fact)
        else:
            break
    return [fact.candidate for fact in distinct]


def _repeated_fact(candidates: Iterable[Fact], fact: Fact) -> Fact | None:
    """The fact among `candidates` that this one repeats, if any."""
    wording = fact.wording
    alike = [each for each in candidates if each.wording.is_near(wording)]
    return next((each for each in alike if each.is_of(fact)), None)


def _text_of(memory: Memory) -> str:
    title, context, text = memory.title, memory.context, memory.text
    return "\n".join(filter(None, (title, context, text))) if title or context else text


def _about_as_long(one: str, other: str) -> bool:
    return min(len(one), len(other)) >= LENGTH_SHARE * max(len(one), len(other))


def _validity_frame(memory: Memory) -> tuple[Hashable, ...]:
    who = memory.agent_id, str(memory.extra.get("speaker"))
    what = memory.kind, memory.category, memory.status, _hashable(memory.parameters), _hashable(memory.frames)
    return memory.scope, memory.thread, memory.project, memory.entities, what, who


def _hashable(value: Any) -> Hashable:
    """The same for equal values of JSON."""
    if isinstance(value, Mapping):
        return frozenset([(name, _hashable(each)) for name, each in value.items()])
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else value


def _times(memory: Memory, moment: Moment) -> tuple[Hashable, ...]:
    event = memory.event_time
    day = local(memory.stored_at, moment.zone).date() if memory.category in OF_A_DAY else None
    return memory.valid_from, memory.valid_until, event and (event.start, event.end), day
