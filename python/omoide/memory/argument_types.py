"""Does an argument have the type that its annotation promises?

Python does not check. Without this, a string in place of a number would fail somewhere deep inside, or be stored and break
a later search.

Useful for: arguments from callers of the Python API; tools have schemas. Not useful for: bounds of a value, which are
checked where it is used.
Invariant: what does not fit raises an InvalidArgument that names the argument; nothing is converted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from difflib import get_close_matches
from functools import cache
from itertools import compress
from operator import attrgetter, is_not
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple, TypeVar, get_args

from omoide.errors import InvalidArgument, shown
from omoide.model.condition import KEYWORD_FIELDS, NUMBER_FIELDS, Condition
from omoide.model.entity import EntityClass, NodeDraft
from omoide.model.memory import Archetype, Draft, EventTime, Status
from omoide.model.query import EVERY_ARM, Hit, NeighbourWalk, Query, RankWalk, Weights
from omoide.model.relation import Ref

#: The largest count that the engine takes.
MOST = 2**31 - 1


class Kind(NamedTuple):
    """What a value may be: how messages describe it (`said`), its types, and what else has to hold."""

    said: str
    types: tuple[type, ...]
    holds: Callable[[Any], object] | None = None


def _is_no_flag(value: object) -> bool:
    return not isinstance(value, bool)


def _is_finite(value: float) -> bool:
    try:
        return _is_no_flag(value) and math.isfinite(value)
    except OverflowError:
        return False


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(each, str) for each in values)


def _is_sound(record: object) -> bool:
    check_fields(record)
    return True


def _is_end(ref: Ref) -> bool:
    return ref.kind in ("memory", "entity") and isinstance(ref.id, str)


TEXT = Kind("a text", (str,))
NAME = Kind("a name", (str,), str.strip)
NUMBER = Kind("a number", (float, int), _is_finite)
WHOLE = Kind("a whole number", (int,), _is_no_flag)
MAPPING = Kind("a mapping", (dict, Mapping))
HIT = Kind("a hit, as `recall` returns them", (Hit,))
REF = Kind('a Ref("memory", id) or Ref("entity", id)', (Ref,), _is_end)
TEXTS = Kind("a list of texts", (tuple, list), _are_texts)
MOMENT = Kind("a datetime with a time zone", (datetime,))
FUNCTION = Kind("a function", (object,), callable)
FLAG = Kind("True or False", (bool,))
COUNT = Kind(f"a whole number from 0 to {MOST:,}", (int,), lambda value: _is_no_flag(value) and 0 <= value <= MOST)
RELEVANCE = Kind("a number from 0 to 1", (float, int), lambda value: _is_no_flag(value) and 0 <= value <= 1)
DAMPING = Kind("a number from 0 to below 1", (float, int), lambda value: _is_no_flag(value) and 0 <= value < 1)
#: Far more than any balance of rankings needs; scores stay finite.
MOST_WEIGHT = 1_000
WEIGHT = Kind(
    f"a number from 0 to {MOST_WEIGHT:,}", (float, int), lambda value: _is_no_flag(value) and 0 <= value <= MOST_WEIGHT
)
HALF_LIFE = Kind("a number of days above 0", (float, int), lambda value: _is_finite(value) and value > 0)
DAYS = Kind("a whole number of days, 1 or more", (int,), lambda value: _is_no_flag(value) and value >= 1)
INSTANT = Kind("a datetime with a time zone", (datetime,), lambda value: value.tzinfo is not None)
ENTITY_CLASS = Kind("entity or node", (str,), get_args(EntityClass).__contains__)

_ARMS: frozenset[str] = EVERY_ARM
_ORDERS = ("newest", "oldest")
_STATUSES = frozenset(status.value for status in Status)

#: Names that other libraries have for a field, and what to write here instead.
_WITHIN = 'where=Within("stored_at", start=…, end=…)'
_MEANT: Mapping[type, Mapping[str, str]] = {
    Query: {name: f'where=Equals("{name}", …)' for name in sorted(KEYWORD_FIELDS | NUMBER_FIELDS)}
    | dict.fromkeys(("after", "before", "since", "until", "stored_at"), _WITHIN)
    | dict.fromkeys(("k", "n", "top_k"), "limit=…")
    | dict.fromkeys(("filter", "filters"), "where=…, a condition like Equals(field, value)")
    | {"scope": "where=Under(…)", "tags": 'where=Equals("tag", …)', "threshold": "min_relevance=…"},
    Draft: dict.fromkeys(("created_at", "date", "time", "timestamp"), "stored_at=…")
    | {"metadata": "extra=…", "tag": "tags=[…]"},
}

Record = TypeVar("Record", Draft, Query)
#: A field's name, types, what else has to hold, and how messages describe it.
FieldRule = tuple[str, tuple[type, ...], Callable[[Any], object] | None, str]

#: By the name of a field, else by its annotation without "| None".
_NAMED: Mapping[str, Kind] = {
    "limit": COUNT,
    "depth": COUNT,
    "hit_seeds": COUNT,
    "damping": DAMPING,
    **dict.fromkeys(("words", "vectors", "dates", "recency", "weight"), WEIGHT),
    "scope": NAME,
    "min_relevance": RELEVANCE,
    "recency_half_life_days": HALF_LIFE,
}
_KINDS: Mapping[str, Kind] = {
    "str": TEXT,
    "float": NUMBER,
    "int": WHOLE,
    "bool": FLAG,
    "datetime": MOMENT,
    "tuple[str, ...]": TEXTS,
    "tuple[Any, ...]": Kind("a list", (tuple, list)),
    "frozenset[str]": Kind("a set of texts", (frozenset, set), _are_texts),
    "Mapping[str, Any]": MAPPING,
    "Archetype": Kind("an Archetype", (Archetype,), _is_sound),
    "EventTime": Kind("an EventTime", (EventTime,), _is_sound),
    "Status": Kind(f"one of {', '.join(status.value for status in Status)}", (str,), _STATUSES.__contains__),
    "Condition": Kind("a condition, like Equals(field, value)", get_args(Condition)),
    "Weights": Kind("Weights", (Weights,), _is_sound),
    "Walk": Kind("a RankWalk or a NeighbourWalk", (RankWalk, NeighbourWalk), _is_sound),
    "frozenset[ArmName]": Kind("a set of arms (words, vectors, graph)", (frozenset, set), _ARMS.issuperset),
    "Literal['newest', 'oldest']": Kind("newest or oldest", (str,), _ORDERS.__contains__),
}


def check(argument: str, value: object, kind: Kind) -> None:
    """Check a value. Raises InvalidArgument unless it is of that kind."""
    if not isinstance(value, kind.types) or (kind.holds is not None and not kind.holds(value)):
        raise wrong(argument, value, kind.said)


def check_maybe(argument: str, value: object, kind: Kind) -> None:
    """Like `check`, but None fits, too."""
    if value is not None:
        check(argument, value, kind)


def check_fields(record: Any) -> None:
    """Check every field of a draft or a query, and of records in it. Raises InvalidArgument, which names the field."""
    values_of, defaults, rules = kinds_of(record.__class__)
    values = values_of(record)
    given = map(is_not, values, defaults)
    for value, (name, types, holds, said) in compress(zip(values, rules, strict=True), given):
        if not isinstance(value, types) or (holds is not None and value is not None and not holds(value)):
            raise wrong(name, value, said)


def draft_of(draft: object, changed: Mapping[str, Any]) -> Draft:
    """The draft, or one with that text, with the fields `changed`, all of them checked. Raises InvalidArgument."""
    if isinstance(draft, str):
        draft = Draft(text=draft)
    if not isinstance(draft, Draft):
        raise wrong("draft", draft, "a text or a Draft")
    made = with_fields(draft, changed)
    check_fields(made)
    return made


def with_fields(record: Record, changed: Mapping[str, Any]) -> Record:
    """The record with those fields changed; types are not checked. Raises InvalidArgument for an unknown field."""
    if not changed:
        return record
    known = [each.name for each in fields(record)]
    for name in changed:
        if name not in known:
            raise _no_field(Query if isinstance(record, Query) else Draft, name, known)
    return replace(record, **changed)


def check_named(name: object, type: object, *, as_: str = "name") -> None:
    """Raises InvalidArgument unless name and type are texts; `as_` is what messages call the name."""
    check(as_, name, TEXT)
    check("type", type, TEXT)


def check_end(argument: str, end: object) -> None:
    """Raises InvalidArgument unless `end` is a Ref or (name, type or None)."""
    if isinstance(end, Ref):
        check(argument, end, REF)
        return
    if not (isinstance(end, tuple) and len(end) == 2 and isinstance(end[0], str) and isinstance(end[1], str | None)):
        raise wrong(argument, end, "a Ref, or a name with a type or None")


def edge_of(edge: object) -> tuple[Ref, Ref, float]:
    """The edge as (source, target, weight), checked. Raises InvalidArgument."""
    if not (isinstance(edge, tuple) and len(edge) == 3):
        raise wrong("edges", edge, "a tuple of source, target and weight")
    source, target, weight = edge
    check("source", source, REF)
    check("target", target, REF)
    check("weight", weight, NUMBER)
    return source, target, weight


def node_of(node: object) -> NodeDraft:
    """The node, checked. Raises InvalidArgument."""
    if not isinstance(node, NodeDraft):
        raise wrong("nodes", node, "a NodeDraft")
    check_named(node.label, node.type, as_="label")
    check("content", node.content, TEXT)
    check_maybe("metadata", node.metadata, MAPPING)
    return node


def check_several(argument: str, values: object) -> None:
    """Raises InvalidArgument for what is not iterable, and for a string, which is one value."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise wrong(argument, values, "several, in a list")


def path(argument: str, value: object) -> Path:
    """The Path of a file or folder; "" is none, as it would be the present folder, nor is one with a NUL. Raises InvalidArgument."""
    if not isinstance(value, (str, PathLike)) or value == "" or "\0" in str(value):
        raise wrong(argument, value, "a path, as a text or a Path")
    return Path(value)


def wrong(argument: str, value: object, said: str) -> InvalidArgument:
    """The error for a value of the wrong kind; `said` describes the right one."""
    return InvalidArgument(argument, f"{argument} is {shown(value)}; it has to be {said}.")


def _no_field(record: type, name: str, known: list[str]) -> InvalidArgument:
    meant = _MEANT[record].get(name) or next((f"{each}=…" for each in get_close_matches(name, known, n=1)), None)
    hint = f"Write {meant}" if meant else f"Its fields are {', '.join(known)}"
    return InvalidArgument(name, f"A {record.__name__} has no field {name}.", hint=f"{hint}.")


class Kinds(NamedTuple):
    """For a class of records: a getter of all field values, their defaults, and the rule for each."""

    values_of: Callable[[Any], Sequence[Any]]
    defaults: Sequence[object]
    rules: Sequence[FieldRule]


@cache
def kinds_of(record: type) -> Kinds:
    """See Kinds."""
    known = fields(record)
    rules = [(each.name, *_rule_of(each.name, str(each.type))) for each in known]
    return Kinds(attrgetter(*(each.name for each in known)), [each.default for each in known], rules)


def _rule_of(name: str, annotation: str) -> tuple[tuple[type, ...], Callable[[Any], object] | None, str]:
    kind = _NAMED.get(name) or _KINDS[annotation.removesuffix(" | None")]
    types = (*kind.types, NoneType) if annotation.endswith(" | None") else kind.types
    return types, kind.holds, kind.said
