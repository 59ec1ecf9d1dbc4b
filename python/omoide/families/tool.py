"""What a family offers: a tool described by plain values, free of the protocol that carries it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from omoide.errors import OmoideError
from omoide.model.memory import Memory
from omoide.model.reminder import Reminder


class Caller(NamedTuple):
    """Who calls: `session_id` is the connection where the protocol has one, else the tenant's present session.

    `confirmed` is what the person behind the client said to the tool's question (see `Tool.asks`); None where nobody
    could be asked. `may_write`: whether a tool that reads may also change something on the side.
    """

    session_id: str
    client: str | None = None
    confirmed: bool | None = None
    may_write: bool = True


class Result(NamedTuple):
    """A tool's answer: `text` for people and models, `structured` complete on its own, the two saying the same.

    `shown` is what of the store the answer shows besides what its searches found, or under another id, by the id that it
    is shown under. `error` is what the answer words, where it is one, or tells of. `meta`, `sources` and `note` are for the server, which
    says there where all of it comes from, what was not used, and what is wrong in the language of the question.
    """

    text: str
    structured: Mapping[str, Any] | None = None
    is_error: bool = False
    meta: Mapping[str, Any] | None = None
    sources: str = ""
    note: str = ""
    shown: Mapping[str, Memory | Reminder] = MappingProxyType({})
    error: OmoideError | None = None


Arguments = Mapping[str, Any]
Run = Callable[[Caller, Arguments], Result]


class Misfit(NamedTuple):
    """What is wrong with arguments that do not fit a tool's schema; `said` is in words that people know from other servers.

    `path` leads to the value that does not fit, () to the arguments as a whole; `rule` is the keyword of the schema that it
    breaks ("" where none is), and `bound` what the schema says there (of a member that is not known: those that are).
    """

    said: str
    path: tuple[str | int, ...] = ()
    rule: str = ""
    bound: Any = None
    value: Any = None

    @property
    def where(self) -> str:
        """The path as it is told: `facts.0.entityName`."""
        return ".".join(map(str, self.path))

    @property
    def message(self) -> str:
        """Where, and what is wrong there."""
        return f"{self.where}: {self.said}" if self.path else self.said

    @property
    def missing(self) -> str:
        """The member that is required and not there; "" where none is missing."""
        return next((name for name in self.bound if name not in self.value), "") if self.rule == "required" else ""

    @property
    def argument(self) -> str:
        """The argument it is about, also one that is missing; "" where none can be named."""
        return str(self.path[0]) if self.path else self.missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool. `input_schema` and `output_schema` are flat JSON Schemas (no $ref).

    `run` gets arguments that fit the schema, without defaults filled in. `refuse`, when given, words the answer to
    arguments that do not fit; otherwise the answer is "Input validation error: <message>". `asks`, when given, words what
    a person should say yes to before `run` (None: nothing); where the client can, the server asks, and `run` gets the
    answer in `Caller.confirmed`. `run` may raise OmoideError: the server words it as `code`, message, hint. The text of one
    with `sources_apart` has no place for where its hits come from: a second text block tells it. One that `tells_unknown`
    says itself which arguments it knows nothing of. A tool `on_request` answers whoever knows its name, and is listed only
    when its family, its name or `all` was asked for.
    """

    name: str
    title: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] | None
    run: Run
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    on_request: bool = False
    sources_apart: bool = False
    tells_unknown: bool = False
    refuse: Callable[[Misfit], Result] | None = None
    asks: Callable[[Arguments], str | None] | None = None
    family: str = field(default="")


def number(value: float) -> float | int:
    """A number as JavaScript has it in JSON: 1, not 1.0, and no negative zero."""
    return int(value) if value == int(value) else value


def indented(body: Mapping[str, Any]) -> str:
    """An answer as JSON that people can read: indented by two, characters of every script as they are.

    The standard library, which indents in Python, takes twenty times as long; it writes what orjson takes for no JSON: keys
    that are numbers, long integers, half a character.
    """
    try:
        return orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()
    except orjson.JSONEncodeError:
        return json.dumps(body, ensure_ascii=False, indent=2)
