"""A query, and its answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Literal, NamedTuple, Protocol

from omoide.model.condition import All, Condition
from omoide.model.entity import Entity
from omoide.model.memory import Memory

ArmName = Literal["words", "vectors", "graph"]
EVERY_ARM: frozenset[ArmName] = frozenset({"words", "vectors", "graph"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RankWalk:
    """Personalised PageRank from the entities named in the query and the best hits; its ranking joins the fusion.

    `damping`: the share of the rank that walks on at each step, from 0 to below 1; `hit_seeds`: from how many of the best hits
    it starts.
    """

    damping: float = 0.85
    hit_seeds: int = 2
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourWalk:
    """Breadth-first from the hits; the nodes it reaches are returned as neighbours.

    `relations` None = every type, empty = none. At most `limit` neighbours are returned, nearest level first; within a level in
    the order of the hits that they were reached from, then of the edges' creation.
    """

    depth: int = 1
    relations: frozenset[str] | None = None
    limit: int = 200


Walk = RankWalk | NeighbourWalk


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each ranking counts in the fusion (a weighted sum, each ranking's best score being 1), from 0 to 1,000. 1 gave the
    best results.

    `vectors` is relative to what suits the embedder: little for the built-in one, which knows spelling, not meaning.
    `dates` raises memories of a date that the query names; with 0 also the words that only say when count as any others.
    `recency` raises a brand-new memory by four times this share of its fused score (0.1: above one that matches 40 % better),
    halved every `recency_half_life_days` of age; 0 ignores age.
    """

    words: float = 1.0
    vectors: float = 1.0
    dates: float = 1.0
    recency: float = 0.0
    recency_half_life_days: float = 30.0


#: The condition that holds for every memory.
EVERYTHING = All()
#: The default weights.
USUAL = Weights()


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What to recall. An empty `text` lists by `order` instead of ranking.

    `lang`: the language of the text, if known (ja, zh, en); otherwise a text of Han characters only is read both as Japanese
    and as Chinese.
    `arms`: the rankings that are fused ({"vectors"} is a pure vector search); `weights` balance them. The arm "graph" walks
    from the entities named in the query and the best hits; without edges it ranks nothing.
    `diverse`: memories that state the same fact are folded into the first of them (`Hit.alike`), which makes room for others;
    False gives each a place of its own. Listings are never folded.
    `token_budget`: estimated number of tokens that the texts of the answer may cost (see `Hit.part`); `limit` still applies.
    """

    text: str = ""
    where: Condition = EVERYTHING
    limit: int = 10
    arms: frozenset[ArmName] = EVERY_ARM
    weights: Weights = USUAL
    walk: Walk | None = None
    order: Literal["newest", "oldest"] = "newest"
    lang: str | None = None
    min_relevance: float = 0.0
    diverse: bool = True
    token_budget: int | None = None


class ArmScore(NamedTuple):
    """One arm's rank of a hit, from 1, and its `score` in the arm's own units."""

    arm: ArmName
    rank: int
    score: float


class Evidence(NamedTuple):
    """What the relevance of a hit is computed from. `coverage`: the share of the query's word weight that it matches, 0..1;
    `usual_coverage`: the coverage of similar texts by chance (mean, standard deviation); `cosine` to the query; `usual_cosine`:
    that of the texts searched (mean, standard deviation, how many; None if vectors know spelling, not meaning); `graph`:
    whether the walk reached it; `rarity`: the most that the words can tell, in nats: how unlikely it is by chance that a text has
    all that it matches."""

    coverage: float
    usual_coverage: tuple[float, float] = (0.0, 0.0)
    cosine: float = 0.0
    usual_cosine: tuple[float, float, int] | None = None
    graph: bool = False
    rarity: float = math.inf


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a path through the graph. `forward` is False if the stored edge points against the walk."""

    relation: str
    to: Memory | Entity
    forward: bool = True


@dataclass(frozen=True, slots=True)
class MissingArm:
    """An arm that was asked for and could not take part; `reason` is a sentence, `also` its translations (keys ja, zh)."""

    arm: ArmName
    reason: str
    also: Mapping[str, str] = field(default_factory=dict)


class Measured(Protocol):
    """The measurements of a hit as plain tuples: the fields of `ArmScore` for each arm that ranked it, and of `Evidence`."""

    @property
    def arms(self) -> tuple[tuple[ArmName, int, float], ...]:
        """See Why."""
        ...

    @property
    def evidence(
        self,
    ) -> tuple[float, tuple[float, float], float, tuple[float, float, int] | None, bool]:
        """See Why."""
        ...


class Why(NamedTuple):
    """Why a memory was found. `ranked_by`: the arms that ranked it; `terms`: the index terms that matched, folded; `words`: the
    same as the caller wrote them, rarest first; `path`: to it in the graph; `dates`: the query's dates that it is of;
    `passage`: [start, end) of the passage nearest to the query, in texts so long that passages are embedded one by one. `arms`
    and `evidence` come from `measured`."""

    ranked_by: tuple[ArmName, ...] = ()
    terms: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    path: tuple[Step, ...] = ()
    dates: tuple[str, ...] = ()
    passage: tuple[int, int] | None = None
    measured: Measured | None = None

    @property
    def arms(self) -> tuple[ArmScore, ...]:
        """Where each arm ranked it. Made on demand, as few answers show it."""
        return () if self.measured is None else tuple([ArmScore(*each) for each in self.measured.arms])

    @property
    def evidence(self) -> Evidence | None:
        """What its relevance was computed from; None in a listing. Made on demand."""
        return None if self.measured is None else Evidence(*self.measured.evidence)


class Hit(NamedTuple):
    """A found memory. `relevance` is 0..1 and never rises down the list; `score` is the fused score; `alike`: ids of found
    memories that say the same, best first; `part`: the [start, end) of its text to show within a token budget; None: all."""

    memory: Memory
    relevance: float
    score: float
    why: Why
    alike: tuple[str, ...] = ()
    part: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A node reached on a walk: `origin` --path--> `node`. `similarity` is the cosine to the query, 0 without a text."""

    node: Memory | Entity
    origin: Memory | Entity
    depth: int
    path: tuple[Step, ...]
    similarity: float
    weight: float
    created_at: datetime


def _english() -> str:
    return "en"


class Recalled(NamedTuple):
    """The answer. `hits`: best first; `neighbours`: those of a walk; `considered`: how many memories met the conditions;
    `as_of`: the number of the newest change that the answer includes."""

    hits: tuple[Hit, ...]
    neighbours: tuple[Neighbour, ...] = ()
    considered: int = 0
    as_of: int = 0
    missing: tuple[MissingArm, ...] = ()  #: arms that could not take part
    entities: tuple[Entity, ...] = ()  #: entities named in the query
    tokens: int | None = None  #: what the hits cost, if there is a budget
    omitted: int = 0  #: hits that did not fit into the budget
    stage_ends: Sequence[tuple[str, float]] = ()  #: when the search began, then when each stage ended; see `stages`
    detect_language: Callable[[], str] = _english  #: see `language`

    def __repr__(self) -> str:
        *values, _, _ = self
        fields = zip((*self._fields[:-2], "stages"), (*values, self.stages), strict=True)
        return f"Recalled({', '.join(f'{name}={value!r}' for name, value in fields)})"

    @property
    def language(self) -> str:
        """The language to answer in: that of the question if it is ja, zh or zh-Hant, else en. Detected on demand, as few
        answers contain sentences of ours."""
        return self.detect_language()

    @property
    def stages(self) -> Sequence[tuple[str, float]]:
        """(stage, seconds) in the order they began: follow, embed, analyse, search, read, explain. The times of a stage that
        ran several times are added up."""
        spent: dict[str, float] = {}
        for (_, since), (stage, end) in pairwise(self.stage_ends):
            spent[stage] = spent.get(stage, 0.0) + end - since
        return tuple(spent.items())
