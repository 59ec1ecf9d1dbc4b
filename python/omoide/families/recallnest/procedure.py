"""Cases and workflow patterns: knowledge in numbered steps, stored as one text and as the parts that were given.

Useful for: `store_case` and `store_workflow_pattern`. Not useful for: plain memories (translate.py).
Invariant: the text has everything, so that a search finds each part; `parameters` has the parts as they were given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from omoide.errors import InvalidArgument, needed
from omoide.families.recallnest import topics, wire, write_answers
from omoide.families.recallnest.context import Context
from omoide.families.recallnest.keys import canonical_key
from omoide.families.recallnest.redact import REDACTED, redacted
from omoide.families.tool import Arguments, Result
from omoide.model.memory import Draft, DraftWithGuessedTopic
from omoide.text import is_blank, tags_in

MOST_STEPS = 8
MOST_TOOLS = 6

#: Arguments that both tools share.
SHARED: wire.Json = {
    "outcome": wire.text(240, "Optional expected or actual result"),
    "tools": wire.texts(MOST_TOOLS, 60, "Optional tools, commands or interfaces involved"),
    "scope": wire.WRITE_SCOPE,
    "source": {"type": "string", "enum": list(wire.SOURCES), "default": "agent"},
    "tags": wire.texts(8, 40, "Optional tags"),
    "canonicalKey": wire.text(120, "Optional name of the fact, as in store_memory"),
}


class Kind(NamedTuple):
    """How a kind of procedure is written. `parts`: (label, argument) in order; the argument named by `steps` is numbered."""

    tool: str
    noun: str
    category: str
    importance: float
    steps: str
    parts: tuple[tuple[str, str], ...]


def store(kind: Kind, context: Context, arguments: Arguments) -> Result:
    """Store a procedure; returns the answer of either tool."""
    scope = context.write_scope(kind.tool, arguments)
    remembered = context.memories.remember(draft(kind, arguments, scope))
    return Result(write_answers.text(kind.noun, remembered), write_answers.value(remembered))


def draft(kind: Kind, arguments: Mapping[str, Any], scope: str) -> Draft:
    """The memory to store for the arguments. Raises InvalidArgument: a key without a letter or digit, a blank part."""
    _refuse_blank(kind, arguments)
    given, secret = _without_secrets({name: arguments[name] for _, name in kind.parts if arguments.get(name)})
    text = "\n".join(_lines(kind, given))
    return DraftWithGuessedTopic(
        text=text,
        title=given["title"],
        kind=kind.noun,
        category=kind.category,
        tags=tags_in(arguments.get("tags", ())),
        topic=topics.topic_of(text),
        scope=scope,
        tool=kind.tool,
        source=arguments.get("source", "agent"),
        importance=float(arguments.get("importance", kind.importance)),
        canonical_key=canonical_key(arguments.get("canonicalKey"), kind.category, text),
        parameters=given,
        extra={"boundary": wire.DURABLE, "privacyTier": "durable", **({REDACTED: secret} if secret else {})},
    )


def _refuse_blank(kind: Kind, arguments: Mapping[str, Any]) -> None:
    for _, name in kind.parts:
        value = arguments.get(name, ())
        texts = {name: value} if isinstance(value, str) else {f"{name}[{at}]": each for at, each in enumerate(value)}
        for where, text in texts.items():
            if is_blank(text):
                raise InvalidArgument(name, f"{where} is blank.", hint="Say it in words.", also=needed(where))


def _without_secrets(given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """(the parts with secrets replaced, the kinds of secrets found)."""
    found: dict[str, None] = {}

    def clean(value: Any) -> Any:
        if not isinstance(value, str):
            return [clean(each) for each in value]
        text, kinds = redacted(value)
        found.update(dict.fromkeys(kinds))
        return text

    return {name: clean(value) for name, value in given.items()}, list(found)


def _lines(kind: Kind, given: Mapping[str, Any]) -> Iterator[str]:
    for label, name in kind.parts:
        if name == kind.steps:
            yield f"{label}:"
            yield from (f"{number}. {step}" for number, step in enumerate(given[name], 1))
        elif name in given:
            value = given[name]
            yield f"{label}: {value if isinstance(value, str) else ', '.join(value)}"
