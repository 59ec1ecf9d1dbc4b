"""One question to the memories, and its answer."""

from __future__ import annotations

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
    """Personalised PageRank from the entities named in the query and the best hits; joins the fusion."""

    damping: float = 0.85
    hit_seeds: int = 2
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourWalk:
    """Breadth-first from the hits; what it meets is listed as neighbours beside them.

    `relations` None = every type, empty = none. At most `limit` neighbours are returned, nearest level first, within a
    level in the order of the hit they came from, then of the edge's creation.
    """

    depth: int = 1
    relations: frozenset[str] | None = None
    limit: int = 200


Walk = RankWalk | NeighbourWalk


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each ranking counts in the fusion (weighted sum, each ranking's best score as 1); 1 is what measures best.

    `vectors` is in units of what suits the embedder: little for the built-in one, which knows spelling, not meaning.
    `dates` is how much a memory counts more that is of a date the query names.
    `recency` lifts a memory of this very moment by four times that share of its fused score (.1: above one that matches
    40 % better), halved every `recency_half_life_days` of its age: 0 leaves age out of the ranking.
    """

    words: float = 1.0
    vectors: float = 1.0
    dates: float = 1.0
    recency: float = 0.0
    recency_half_life_days: float = 30.0


#: What every memory meets.
EVERYTHING = All()
#: The balance of a query that asks for no other.
USUAL = Weights()


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What to recall. An empty `text` lists by `order` instead of ranking.

    `lang` is the language of the text where the caller knows it (ja, zh, en): text of Han characters alone is otherwise
    read both as Japanese and as Chinese.
    `arms` narrows which rankings are fused ({"vectors"} alone is a purely vector search); `weights` balance them. The
    graph's walks from the entities named in the query and the best hits; where no edges are, it says nothing.
    `diverse`: memories that write one fact down again stand under the first of them (`Hit.alike`), and others take their
    places; False gives each a place of its own. Lists are never gathered so.
    `token_budget` is how many tokens the answer's texts may cost a model (by estimate): see `Hit.part`. `limit` holds too.
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
    """Where one arm ranked a hit: `rank` from 1, `score` in the arm's own units."""

    arm: ArmName
    rank: int
    score: float


class Evidence(NamedTuple):
    """What the relevance of a hit is made of. `coverage`: the share of the query's word rarity that it matches, 0..1, and what
    texts like it match by chance (mean, standard deviation); `cosine`, and what it is for texts among which was searched
    (mean, standard deviation, of how many; None: it tells of spelling, not of meaning); `graph`: whether the walk has met it."""

    coverage: float
    usual_coverage: tuple[float, float] = (0.0, 0.0)
    cosine: float = 0.0
    usual_cosine: tuple[float, float, int] | None = None
    graph: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a path through the graph. `forward` is False where the stored edge points against the walk."""

    relation: str
    to: Memory | Entity
    forward: bool = True


@dataclass(frozen=True, slots=True)
class MissingArm:
    """An arm that was asked for and could not take part, and why, in a sentence; `also` has that by ja and zh."""

    arm: ArmName
    reason: str
    also: Mapping[str, str] = field(default_factory=dict)


class Measured(Protocol):
    """What a search has measured of a hit, as plain tuples: of an `ArmScore` for each arm that ranked it, and of `Evidence`."""

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
    """Why a memory was found: `ranked_by` which arms. `terms` are folded index terms; `words` the same as the caller wrote them,
    rarest first; `dates` the query's dates it is of; `passage` [start, end) of its text is what is nearest to the query in
    meaning, of a text so long that its passages are compared one by one; `measured` tells the `arms` and the `evidence`."""

    ranked_by: tuple[ArmName, ...] = ()
    terms: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    path: tuple[Step, ...] = ()
    dates: tuple[str, ...] = ()
    passage: tuple[int, int] | None = None
    measured: Measured | None = None

    @property
    def arms(self) -> tuple[ArmScore, ...]:
        """Where each arm ranked it. Made when it is asked for, as few answers tell it."""
        return () if self.measured is None else tuple([ArmScore(*each) for each in self.measured.arms])

    @property
    def evidence(self) -> Evidence | None:
        """What its relevance is made of, None in a list. Made when it is asked for."""
        return None if self.measured is None else Evidence(*self.measured.evidence)


class Hit(NamedTuple):
    """A found memory. `relevance` is 0..1 and never rises down the list; `score` is the fused score; `alike` are the ids of
    found memories that say the same, best first; `part` [start, end) is what of its text to read within the budget of tokens,
    None: all of it."""

    memory: Memory
    relevance: float
    score: float
    why: Why
    alike: tuple[str, ...] = ()
    part: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """Something met on a walk: `origin` --path--> `node`. `similarity` is the cosine to the query, 0 without a text."""

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
    """The answer: hits best first, neighbours of a walk, how many memories passed the conditions, as of which change."""

    hits: tuple[Hit, ...]
    neighbours: tuple[Neighbour, ...] = ()
    considered: int = 0
    as_of: int = 0
    missing: tuple[MissingArm, ...] = ()  #: rankings that could not take part
    entities: tuple[Entity, ...] = ()  #: entities named in the query
    tokens: int | None = None  #: what the hits cost, where there is a budget
    omitted: int = 0  #: hits that did not fit into it
    ends: Sequence[tuple[str, float]] = ()  #: when all began, and then when each stage ended: tells the `stages`
    speaking: Callable[[], str] = _english  #: tells the `language`

    def __repr__(self) -> str:
        *values, _, _ = self
        told = zip((*self._fields[:-2], "stages"), (*values, self.stages), strict=True)
        return f"Recalled({', '.join(f'{name}={value!r}' for name, value in told)})"

    @property
    def language(self) -> str:
        """What to answer in: that of the question if it is ja or zh, else en. Told when it is asked for: few answers need a
        word of ours."""
        return self.speaking()

    @property
    def stages(self) -> Sequence[tuple[str, float]]:
        """Seconds spent stage by stage, in the order they were begun: follow, embed, analyse, search, read, explain. Added up when
        they are asked for, as a stage may be come back to."""
        spent: dict[str, float] = {}
        for (_, since), (stage, end) in pairwise(self.ends):
            spent[stage] = spent.get(stage, 0.0) + end - since
        return tuple(spent.items())
