"""What a family offers: a tool described by plain values, free of the protocol that carries it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


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
    """A tool's answer: `text` for people and models, `structured` complete on its own, the two saying the same. `meta`,
    `sources` and `note` are for the server, which says there where what was found comes from and what was not used."""

    text: str
    structured: Mapping[str, Any] | None = None
    is_error: bool = False
    meta: Mapping[str, Any] | None = None
    sources: str = ""
    note: str = ""


Arguments = Mapping[str, Any]
Run = Callable[[Caller, Arguments], Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool. `input_schema` and `output_schema` are flat JSON Schemas (no $ref).

    `run` gets arguments that fit the schema, without defaults filled in. `refuse`, when given, words the answer to
    arguments that do not fit, from (argument name or "", the validator's message); otherwise the answer is
    "Input validation error: <message>". `asks`, when given, words what a person should say yes to before `run` (None:
    nothing); where the client can, the server asks, and `run` gets the answer in `Caller.confirmed`. `run` may raise
    OmoideError: the server words it as `code`, message, hint. The text of one with `sources_apart` has no place for where
    its hits come from: a second text block tells it. One that `tells_unknown` says itself which arguments it knows
    nothing of. A tool `on_request` answers whoever knows its name, and is
    listed only when its family, its name or `all` was asked for.
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
    refuse: Callable[[str, str], Result] | None = None
    asks: Callable[[Arguments], str | None] | None = None
    family: str = field(default="")
