"""One call of a tool, from raw arguments to a result, free of the protocol that carries it.

Useful for: the server and its tests. Not useful for: transports. Invariant: whatever happens, the answer is a Result. An error
that the caller can correct says how; one that is our fault is logged, and its answer only says that much.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from omoide.errors import (
    WHOLE_CHARACTER,
    WHOLE_CHARACTER_ALSO,
    InvalidArgument,
    OmoideError,
    half_of_a_character,
    shortened,
    shown,
)
from omoide.families.tool import Caller, Misfit, Result, Tool
from omoide.server.calls import provenance, translations
from omoide.server.calls.members import Members
from omoide.server.calls.translations import UsualLanguage, unknown_language

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

logger = logging.getLogger(__name__)

#: Unknown arguments that an answer lists, at most.
SHOWN_NAMES = 10
#: Misfits of a call among which the most telling is looked for: a list may have a million, and finding all takes minutes.
MISFITS = 1_000
#: Schemas that stay compiled: several times as many as all tools and their arguments have.
COMPILED = 2_000


class Call:
    """A tool with its schemas, which the first call compiles. Callable from any thread."""

    def __init__(self, tool: Tool, language: UsualLanguage = unknown_language) -> None:
        """`language` tells what a text of Han characters alone is."""
        self.tool = tool
        self._language = language

    def __call__(self, caller: Caller, arguments: Mapping[str, Any]) -> Result:
        """Check the arguments and run the tool; whatever goes wrong becomes a result that says so."""
        if self._members.is_plain(arguments):
            given, unknown, also = arguments, "", ""
        else:
            given = self._members.without_nulls(arguments)
            if (name := _not_finite(given)) is not None:
                return explained(self.tool, _no_number(name), given, self._language)
            unknown, also = self._unknown(given)
        if unknown and self._guards:  # the argument may have been meant to prevent the deletion, as dry_run for dryRun
            refused = self._refused(Misfit(f"{unknown} Nothing was done."))
            told = f"{also}{translations.undone(given, self._language)}"
            return without_misfit(self.tool, refused._replace(note=told))
        try:
            misfit = None if self._input.is_valid(given) else _misfit(self.tool.input_schema, given)
            if misfit is None:
                result = self._run(caller, given)
            else:
                told = translations.refusal(misfit, given, self._language)
                if misfit.rule != "additionalProperties":  # a name like an argument's often explains what is missing
                    unknown, also = self._unknown(given, refused=True)
                elif not told:  # the refusal names the unknown one alone
                    told = _accepted(misfit.where or self.tool.name, misfit.bound)
                result = self._refused(misfit)._replace(note=told)
        except UnicodeEncodeError as error:
            # Half of a surrogate pair, wherever it is met first; nothing has been written.
            result = of_error(_half_character(error))
            misfit = None
        if result.error is not None:
            result = result._replace(note=translations.explained(result.error, given, self._language))
        if unknown:
            unused = "" if misfit is None and self.tool.reports_unknown else unknown
            result = result._replace(
                note="\n".join(filter(None, (result.note, unused, also))),
                structured=_with_notes(result, [unused, also] if unused else []),
            )
        if result.only is not None:
            provenance.keep(result.only)
        if result.shown:
            provenance.add(result.shown)
        return without_misfit(self.tool, result) if result.is_error else result

    def question(self, arguments: Mapping[str, Any]) -> str | None:
        """What a person should confirm before the call; None: nothing."""
        given = self._members.without_nulls(arguments)
        if self._guards and any(self._members.unknown(given)):
            return None
        try:
            return self.tool.asks(given) if self.tool.asks is not None and self._input.is_valid(given) else None
        except Exception:  # the call itself will fail the same way, and say so
            return None

    def _unknown(self, given: Mapping[str, Any], *, refused: bool = False) -> tuple[str, str]:
        """What to say of arguments, and members of them, that are not in the schema: in English, and in the arguments' language.
        Both are "" where there are none; those that the schema itself refuses count only with `refused`."""
        # Each is named once, though every object of a list may have it.
        unknown = list(dict.fromkeys(self._members.unknown(given, refused=refused)))
        if not unknown:
            return "", ""
        names = [f"{each.place}{shortened(each.name)}" for each in unknown]
        known = {each.place.rstrip(".") or self.tool.name: each.known for each in unknown}
        sentences = " ".join(_accepted(place, those) for place, those in known.items())
        also = translations.unused(names[:SHOWN_NAMES], known, given, self._language)
        return f"Unknown arguments were not used: {', '.join(names[:SHOWN_NAMES])}. {sentences}", also

    @property
    def _guards(self) -> bool:
        """Whether an unknown argument keeps the tool from running."""
        return self.tool.destructive and not self.tool.reports_unknown

    @cached_property
    def _input(self) -> Any:
        return _compiled(self.tool.input_schema)

    @cached_property
    def _members(self) -> Members:
        return Members.of(self.tool.input_schema, lambda schema: _compiled(schema).is_valid(None))

    def _run(self, caller: Caller, arguments: Mapping[str, Any]) -> Result:
        try:
            return self.tool.run(caller, arguments)
        except OmoideError as error:
            return of_error(error)
        except UnicodeEncodeError:
            raise
        except Exception:
            logger.exception("%s failed; it was called by %s", self.tool.name, caller.client or "an unnamed client")
            return of_error(
                OmoideError(
                    f"{self.tool.name} failed. Sorry: this is a fault of the server, not of the call.",
                    hint="What has been stored is safe; the server's log says more.",
                )
            )

    def _refused(self, misfit: Misfit) -> Result:
        if self.tool.refuse is not None:
            return self.tool.refuse(misfit)
        return failure("invalid_argument", f"Input validation error: {misfit.message}")


def _with_notes(result: Result, notes: Sequence[str]) -> Mapping[str, Any] | None:
    """The structured content with `notes` in it: of an answer that is no error, some hosts show a model nothing else."""
    if result.structured is None or result.is_error or not notes:
        return result.structured
    return {**result.structured, "notes": [*result.structured.get("notes", ()), *filter(None, notes)]}


def _accepted(place: str, names: Sequence[str]) -> str:
    return f"{place} knows: {', '.join(names)}." if names else f"{place} takes no arguments."


def _compiled(schema: Mapping[str, Any]) -> Any:
    """A compiled schema. The tools of all tenants share them, as their schemas are equal."""
    return _validator(orjson.dumps(schema, default=dict))


@lru_cache(COMPILED)
def _validator(schema: bytes) -> Any:
    from jsonschema_rs import Draft202012Validator  # takes a while to import: a handshake must not wait for it

    return Draft202012Validator(orjson.loads(schema))


def _misfit(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Misfit | None:
    """What does not fit the schema, in the words of the `jsonschema` package, which people know from other servers."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    errors = Draft202012Validator(dict(schema)).iter_errors(arguments)
    error: ValidationError | None = best_match(islice(errors, MISFITS))
    if error is None:
        return None
    alternatives = error.context or [] if error.validator == "oneOf" else []
    # Of several alternatives, people are told what is wrong by the one of the value's type, or which types there are.
    inside = next((each for each in alternatives if each.validator != "type"), None)
    if alternatives and inside is None:
        types = [each.validator_value for each in alternatives]
        reason = f"{shown(error.instance)} is not of type {', '.join(map(repr, types))}"
        return Misfit(reason, tuple(error.absolute_path), "type", types, error.instance)
    error = inside or error
    rule, bound = str(error.validator), error.validator_value
    if rule == "additionalProperties":
        bound = list(error.schema.get("properties", ())) if isinstance(error.schema, Mapping) else []
    return Misfit(_shortened_message(error), tuple(error.absolute_path), rule, bound, error.instance)


def _not_finite(arguments: Mapping[str, Any]) -> str | None:
    """The argument that holds infinity or NaN, at any depth. Neither is JSON, but some clients send them, and no bound in a schema
    catches NaN."""
    for name, value in arguments.items():
        if isinstance(value, (float, list, dict)) and not all(map(_is_finite, _leaves(value))):
            return name
    return None


def _is_finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _leaves(value: Any) -> Iterator[Any]:
    """Every value in a JSON value that is neither a list nor an object, at any depth."""
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            left += each.values()
        elif isinstance(each, list):
            left += each
        else:
            yield each


def _no_number(name: str) -> InvalidArgument:
    message = f"{name} holds a number that is none, or too large."
    also = {"ja": f"{name} には有限の数値を渡してください。", "zh": f"{name} 应为有限的数字。"}
    return InvalidArgument(name, message, hint="Pass a finite number.", also=also)


def _half_character(error: UnicodeEncodeError) -> OmoideError:
    message = f"An argument holds {half_of_a_character(error)}."
    return OmoideError(message, hint=WHOLE_CHARACTER, code="invalid_argument", also=WHOLE_CHARACTER_ALSO)


def explained(
    tool: Tool, error: OmoideError, arguments: Mapping[str, Any], usual: UsualLanguage = unknown_language
) -> Result:
    """The answer to a call that failed outside of its tool, with the translation of the error."""
    return without_misfit(tool, of_error(error)._replace(note=translations.explained(error, arguments, usual)))


def without_misfit(tool: Tool, result: Result) -> Result:
    """The result without structured content that does not fit the output schema: clients check that even in an error."""
    if result.structured is None or _compiled(tool.output_schema or {}).is_valid(dict(result.structured)):
        return result
    return result._replace(structured=None)


def of_error(error: OmoideError) -> Result:
    """The answer of a tool that has no error format of its own."""
    return failure(error.code, error.message, error.hint)._replace(error=error)


def failure(code: str, message: str, hint: str = "") -> Result:
    """An error that a model can read and act on."""
    structured = {"error": code, "message": message, "hint": hint}
    return Result(" ".join(part for part in (message, hint, f"[{code}]") if part), structured, is_error=True)


def _shortened_message(error: ValidationError) -> str:
    value: Any = error.instance
    most: Any = error.validator_value
    schema: Any = error.schema
    message = error.message.replace(repr(value), shown(value))
    if error.validator == "additionalProperties":
        return _unexpected([name for name in value if name not in schema.get("properties", ())])
    if error.validator == "maxLength":
        return f"{message}: {len(value):,} characters, at most {most:,} are accepted. Shorten it to what matters."
    if error.validator == "maxItems":
        return f"{message}: {len(value):,} items, at most {most:,} are accepted."
    return message


def _unexpected(names: Sequence[str]) -> str:
    """What the `jsonschema` package says of members that a schema does not let pass, but of no more than SHOWN_NAMES."""
    named = [shown(name) for name in sorted(names)[:SHOWN_NAMES]]
    listed = ", ".join(named if len(names) <= SHOWN_NAMES else [*named, "…"])
    return f"Additional properties are not allowed ({listed} {'was' if len(names) == 1 else 'were'} unexpected)"
