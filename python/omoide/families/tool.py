"""What a family offers: tools described by plain values, independent of the protocol that carries them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from omoide.errors import OmoideError, shortened
from omoide.model.memory import Memory
from omoide.model.reminder import Reminder


class Caller(NamedTuple):
    """Who calls. `session_id` names the connection where the protocol has one, else the tenant's present session.

    `confirmed` is what the person behind the client answered to the tool's question (see `Tool.asks`), False also where there was
    none; None where nobody could be asked. `may_write`: whether a tool that reads may also write on the side, as firing reminders
    does.
    """

    session_id: str
    client: str | None = None
    confirmed: bool | None = None
    may_write: bool = True


class Result(NamedTuple):
    """A tool's answer: `text` for people and models, `structured` for programs; each is complete and they say the same.

    `shown`: things from the store, by the id they are shown under, that the answer shows though no search found them, or under
    another id than theirs. `only`: the ids of what is shown, where searches found more than that; None: they did not. `error`: the
    error that the answer states or mentions. `meta`, `sources` and `note` are filled in by the server: where everything comes from,
    which arguments were not used, and the error in the language of the arguments.
    """

    text: str
    structured: Mapping[str, Any] | None = None
    is_error: bool = False
    meta: Mapping[str, Any] | None = None
    sources: str = ""
    note: str = ""
    shown: Mapping[str, Memory | Reminder] = MappingProxyType({})
    error: OmoideError | None = None
    only: Set[str] | None = None


_NOTES = {"type": "array", "items": {"type": "string"}}

Arguments = Mapping[str, Any]
Run = Callable[[Caller, Arguments], Result]


class Misfit(NamedTuple):
    """How arguments do not fit a tool's schema; `reason` is the message of the `jsonschema` package.

    `path` leads to the value that does not fit, () being the arguments as a whole; `rule` is the schema keyword that it breaks
    ("" for none), and `bound` the keyword's value (for an unknown member: the known ones).
    """

    reason: str
    path: tuple[str | int, ...] = ()
    rule: str = ""
    bound: Any = None
    value: Any = None

    @property
    def where(self) -> str:
        """The path as it is shown: `facts.0.entityName`."""
        return ".".join(shortened(str(step)) for step in self.path)

    @property
    def message(self) -> str:
        """Where it is wrong, and how."""
        return f"{self.where}: {self.reason}" if self.path else self.reason

    @property
    def missing(self) -> str:
        """The required member that is missing; "" where none is."""
        return next((name for name in self.bound if name not in self.value), "") if self.rule == "required" else ""

    @property
    def argument(self) -> str:
        """The argument that is wrong or missing; "" where none can be named."""
        return str(self.path[0]) if self.path else self.missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool. `input_schema` and `output_schema` are flat JSON Schemas (no $ref).

    run: gets arguments that fit the schema, without defaults filled in. It may raise OmoideError, of which the server makes an
        answer with code, message and hint.
    refuse: makes the answer to arguments that do not fit; without it, that is "Input validation error: <message>".
    asks: gives a question that a person should confirm before `run` (None: no question, as nothing would be done). Where the
        client can, the server asks, and `run` gets the answer in `Caller.confirmed`.
    sources_apart: the text has no place for where its hits come from, so a second text block says it.
    reports_unknown: the tool itself reports arguments that it does not know.
    on_request: the tool can be called by name, but is listed only when its family, its name or `all` was asked for.
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
    reports_unknown: bool = False
    refuse: Callable[[Misfit], Result] | None = None
    asks: Callable[[Arguments], str | None] | None = None
    family: str = field(default="")

    @property
    def listed_output_schema(self) -> Mapping[str, Any] | None:
        """The output schema as clients are told it: with the `notes` that the server adds if arguments were not used, where the
        tool neither refuses nor reports them itself."""
        refuses = self.input_schema.get("additionalProperties") is False or self.destructive
        if self.output_schema is None or refuses or self.reports_unknown:
            return self.output_schema
        return {**self.output_schema, "properties": {**self.output_schema["properties"], "notes": _NOTES}}


def answering_errors(run: Run, answer: Callable[[OmoideError], Result]) -> Run:
    """The same `run`, with errors answered in the format of its family."""

    def run_or_answer(caller: Caller, arguments: Arguments) -> Result:
        try:
            return run(caller, arguments)
        except OmoideError as error:
            return answer(error)

    return run_or_answer


def number(value: float) -> float | int:
    """A number as JavaScript writes it in JSON: 1, not 1.0, and no negative zero."""
    return int(value) if value == int(value) else value


def indented(body: Mapping[str, Any]) -> str:
    """An answer as JSON that people can read: indented by two, with all scripts unescaped.

    orjson takes a twentieth of the time of the standard library, which writes what orjson refuses: keys that are numbers, long
    integers, half a surrogate pair.
    """
    try:
        return orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()
    except orjson.JSONEncodeError:
        return json.dumps(without_constants(body), ensure_ascii=False, indent=2)


def without_constants(body: Any) -> Any:
    """The same JSON value with null for NaN and infinity, which are no JSON: orjson writes them so, the standard library does
    not."""
    return json.loads(json.dumps(body, default=dict), parse_constant=lambda _: None)
