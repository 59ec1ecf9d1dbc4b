"""Which members may the objects in a tool's arguments have, at any depth?

Useful for: dropping nulls that mean "not given", and finding members that a tool would silently ignore. Not useful for:
whether a value fits its schema (call.py).
Invariant: a member that the schema does not mention is neither dropped nor changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

Schema = Mapping[str, Any]

#: Types of values that contain no others and are neither null nor infinite.
_PLAIN = frozenset({str, int, bool})
_OBJECT = frozenset({dict})


class Unknown(NamedTuple):
    """A member of an object that its schema does not name. `place` is the path before its name (`facts[].`, "" for the arguments
    themselves); `known` are the members that the schema names there."""

    place: str
    name: str
    known: tuple[str, ...]


class Members(NamedTuple):
    """What a schema says of one object, or of each object in a list: the members that it `names`, those of them where null means
    "not given" (`omittable`), those that hold objects themselves (`inside`), and whether it refuses all others (`closed`)."""

    names: tuple[str, ...]
    known: frozenset[str]
    omittable: frozenset[str]
    inside: Mapping[str, Members]
    closed: bool

    @staticmethod
    def of(schema: Schema, accepts_null: Callable[[Schema], bool]) -> Members:
        """From the schema of an object."""
        named: Mapping[str, Schema] = schema.get("properties", {})
        optional = named.keys() - set(schema.get("required", ()))
        return Members(
            tuple(named),
            frozenset(named),
            frozenset(name for name in optional if not accepts_null(named[name])),
            {name: Members.of(below, accepts_null) for name, each in named.items() if (below := _object_in(each))},
            schema.get("additionalProperties") is False,
        )

    def is_plain(self, value: Mapping[str, Any]) -> bool:
        """Whether all members are named, and are texts, integers, booleans, or lists of such or of objects that are plain
        themselves. Most calls are so, and need no closer look."""
        if not value.keys() <= self.known:
            return False
        if _PLAIN.issuperset(map(type, value.values())):  # the usual case
            return True
        return all(type(each) in _PLAIN or self._is_plain_list(name, each) for name, each in value.items())

    def _is_plain_list(self, name: str, value: Any) -> bool:
        if type(value) is not list:
            return False
        types = frozenset(map(type, value))
        return types <= _PLAIN or (
            types == _OBJECT and name in self.inside and all(map(self.inside[name].is_plain, value))
        )

    def without_nulls(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """The object without the nulls that many clients send for "not given"."""
        kept = {name: each for name, each in value.items() if each is not None or name not in self.omittable}
        for name, members in self.inside.items():
            if name in kept:
                kept[name] = members._without_nulls(kept[name])
        return kept

    def _without_nulls(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._without_nulls(each) for each in value]
        return self.without_nulls(value) if isinstance(value, dict) else value

    def unknown(self, value: Mapping[str, Any], place: str = "", *, refused: bool = False) -> Iterator[Unknown]:
        """Each member that would be silently ignored; with `refused` also those that the schema does not let pass."""
        if refused or not self.closed:
            names = (name for name, each in value.items() if name not in self.names and each is not None)
            yield from (Unknown(place, name, self.names) for name in names)
        for name, members in self.inside.items():
            if isinstance(value.get(name), list):
                objects = (each for each in value[name] if isinstance(each, dict))
                yield from chain.from_iterable(
                    members.unknown(each, f"{place}{name}[].", refused=refused) for each in objects
                )
            elif isinstance(value.get(name), dict):
                yield from members.unknown(value[name], f"{place}{name}.", refused=refused)


def _object_in(schema: Schema) -> Schema | None:
    """The schema of the value, or of each item of a list, if it is an object with named members; else None."""
    inside = schema.get("items", schema)
    return inside if inside.get("properties") else None
