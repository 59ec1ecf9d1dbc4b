"""Conditions: which memories a search may return. They are applied inside every arm of the search, not to its results.

A condition names *fields* of a memory:

    keyword   id scope category kind tag topic thread thread_type project session_id agent_id tool status source lang
              archetype_title archetype_version schema_version preceding_id superseded_by entity entity_type
    number    sequence_order importance confidence
    time      stored_at updated_at event_start event_end valid_from valid_until     (aware datetimes)
    text      text title context                                                    (`Contains` only, or exact `Equals`)
    version   archetype_version schema_version                        (keywords; ranges see those written as numbers)

Keyword equality is exact after NFKC; for `topic` and `tag`, case and variants of characters are ignored, as in texts.
`entity` holds entity ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from omoide.model.memory import LIVE

KEYWORD_FIELDS = frozenset(
    "id scope category kind tag topic thread thread_type project session_id agent_id tool status source lang "
    "archetype_title archetype_version schema_version preceding_id superseded_by entity entity_type".split()
)
NUMBER_FIELDS = frozenset("sequence_order importance confidence".split())
TIME_FIELDS = frozenset("stored_at updated_at event_start event_end valid_from valid_until".split())
TEXT_FIELDS = frozenset("text title context".split())
VERSION_FIELDS = frozenset("archetype_version schema_version".split())

Bound = int | float | datetime


@dataclass(frozen=True, slots=True)
class Equals:
    """The field is exactly `value` (for `tag` and `entity`: one of its values is)."""

    field: str
    value: str | int | float | datetime


@dataclass(frozen=True, slots=True)
class OneOf:
    """The field is one of `values`; without values, nothing matches."""

    field: str
    values: tuple[str | int | float | datetime, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """A number, time or version field is between `start` and `end`; None is open. Memories without a value never match."""

    field: str
    start: Bound | None = None
    end: Bound | None = None
    start_inclusive: bool = True
    end_inclusive: bool = False


@dataclass(frozen=True, slots=True)
class Contains:
    """A value of a keyword or text field contains `text`; width, case, kana and variants of characters (会議, 會議, 会议) make
    no difference, and there are no wildcards."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Under:
    """The scope is `scope` or begins with `scope` + ":" (`cc` covers `cc:1`, never `ccx`)."""

    scope: str


@dataclass(frozen=True, slots=True)
class Missing:
    """The field has no value."""

    field: str


@dataclass(frozen=True, slots=True)
class Lasting:
    """The validity window has not ended by `at`; an absent end is open. A class of its own, as nearly every query has one."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold (a missing field counts as not equal)."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class All:
    """All of the conditions hold; without conditions, everything matches."""

    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of the conditions holds; without conditions, nothing matches."""

    conditions: tuple[Condition, ...] = ()


Condition = Equals | OneOf | Within | Contains | Under | Missing | Lasting | Not | All | Either


_IS_LIVE = OneOf("status", tuple(status.value for status in LIVE))


def live() -> OneOf:
    """Memories that are neither superseded, archived nor consolidated."""
    return _IS_LIVE


def valid_at(instant: datetime) -> Condition:
    """Memories whose validity window [valid_from, valid_until) covers `instant`; an absent end is open.

    A memory without `valid_from` always counts as begun: callers that ask about the past add a bound of their own.
    """
    return All(
        (
            Either((Missing("valid_from"), Within("valid_from", end=instant, end_inclusive=True))),
            Lasting(instant),
        )
    )
