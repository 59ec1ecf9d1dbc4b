"""The errors of this family as JSON: the published phrases, what was wrong, and the next step.

Useful for: the wording of each error. Not useful for: deciding what is an error (the tools, the use cases).
"""

from __future__ import annotations

from collections.abc import Sequence

from omoide.errors import (
    NOT_CONFIRMED_ALSO,
    Conflict,
    InvalidArgument,
    NotFound,
    OmoideError,
    StoreError,
    Unavailable,
    filled,
    needed,
    nothing_has,
    shortened,
)
from omoide.families.textrawl.options import Options
from omoide.families.textrawl.wire import (
    MAX_FOUND,
    MAX_ITEMS,
    MAX_LISTED,
    MAX_NAME_CHARS,
    MAX_OBSERVATION_CHARS,
    MAX_QUERY_CHARS,
    MAX_RELATION_CHARS,
    Json,
    to_text,
)
from omoide.families.tool import Misfit, Result
from omoide.model.entity import ENTITY_TYPES
from omoide.model.query import MissingArm

#: Only the operator can change this: a model that tries again gets the same answer.
DO_NOT_RETRY = "This is a server configuration issue — do not retry."

_TYPES = f"Use valid types: {', '.join(ENTITY_TYPES)}."
_NAME = f"Pass a name of 1-{MAX_NAME_CHARS} characters."
_NEXT_STEP = {
    "mode": "Pass mode: search, entity or list.",
    "query": f"Provide a query of 1-{MAX_QUERY_CHARS} characters.",
    "entityTypes": _TYPES,
    "entityType": _TYPES,
    "fromEntityType": f"{_TYPES} Or omit it.",
    "toEntityType": f"{_TYPES} Or omit it.",
    "entityName": _NAME,
    "fromEntity": _NAME,
    "toEntity": _NAME,
    "searchMode": "Use hybrid or semantic.",
    "maxObs": f"Pass a whole number from 1 to {MAX_LISTED}.",
    "limit": f"Pass a whole number from 1 to {MAX_LISTED} (a search returns at most {MAX_FOUND}).",
    "offset": "Pass a whole number, 0 or more.",
    "observation": f"Pass one fact of 1-{MAX_OBSERVATION_CHARS:,} characters; store longer texts as several facts.",
    "relation": f"Name the relation in 1-{MAX_RELATION_CHARS} characters, for example works_at.",
    "source": "Use conversation, note, document or manual.",
    "facts": f"Pass at most {MAX_ITEMS} facts with entityName, entityType ({', '.join(ENTITY_TYPES)}) and observation.",
    "relations": f"Pass at most {MAX_ITEMS} relations with fromEntity, relation and toEntity.",
}
_ENTITY_TYPE_ARGUMENTS = frozenset({"entityTypes", "entityType", "fromEntityType", "toEntityType"})
SELF_REFERENTIAL = "self_referential"
_CONFLICTS = {SELF_REFERENTIAL: "Cannot create self-referential relation"}
_STORE_FAILURES = {
    "search": "Memory search failed",
    "entity": "Failed to get entity context",
    "list": "Failed to list entities",
    "remember_fact": "Failed to remember the fact",
    "relate_entities": "Failed to create the relation",
    "build_knowledge": "Failed to build knowledge",
    "forget_entity": "Failed to forget the entity",
}


def refusal(
    tool: str, options: Options, error: str, message: str, code: str, hint: str = "", *, of: OmoideError | None = None
) -> Result:
    """An error: the published phrase in `error`, what was wrong in `message`, the next step in `hint`; `of` is the error that
    it is made from."""
    payload: Json = {"error": error, "tool": tool, "message": message, "code": code}
    if hint:
        payload["hint"] = hint
    return Result(to_text(payload, compact=options.compact_responses), is_error=True, error=of)


def missing(tool: str, options: Options, argument: str, mode: str) -> Result:
    """The error for a missing argument that the mode requires."""
    message = f'{argument} is required for mode="{mode}"'
    hint, of = f"Provide {argument} parameter.", InvalidArgument(argument, message, also=needed(argument))
    return refusal(tool, options, f"Missing {argument}", message, "RUNTIME_ERROR", hint, of=of)


def no_vectors(tool: str, options: Options, missing: MissingArm) -> Result:
    """The error for a search by vectors only when there are no vectors."""
    hint = "Use searchMode=hybrid, which goes by words meanwhile. An operator chooses the embedder: OMOIDE_EMBEDDER."
    of = Unavailable(missing.reason, also=missing.also)
    return refusal(tool, options, "Embedding service not configured", missing.reason, "CONFIG_ERROR", hint, of=of)


def switched_off(tool: str, options: Options) -> Result:
    """The error when ENABLE_MEMORY is off."""
    message = f"Set ENABLE_MEMORY=true. {DO_NOT_RETRY}"
    also = {
        "ja": "この機能はサーバーの設定で無効になっています（ENABLE_MEMORY=true で使えます）。やり直しても結果は同じです。",
        "zh": "此功能在服务器的设置中未启用（需要设置 ENABLE_MEMORY=true），重试没有用。",
    }
    of = Unavailable(message, also=also)
    return refusal(tool, options, "Memory not enabled", message, "CONFIG_ERROR", of=of)


def nothing_given(tool: str, options: Options) -> Result:
    """The error for an empty batch."""
    message = "Provide at least one fact or relation"
    hint = f"Pass facts, relations or both, 1-{MAX_ITEMS} of each."
    of = InvalidArgument("facts", message, also=needed("facts, relations"))
    return refusal(tool, options, message, message, "RUNTIME_ERROR", hint, of=of)


def no_such_entity(tool: str, options: Options, name: str) -> Result:
    """The error for a name that nothing has."""
    message = f'Entity "{name}" not found. Use query_memory with mode="list" to see available entities.'
    missing = NotFound(message, also=nothing_has(name))
    return refusal(tool, options, "Entity not found", message, "NOT_FOUND", of=missing)


def ambiguous(tool: str, options: Options, name: str, types: Sequence[str]) -> Result:
    """The error for a name that several things have; none was changed."""
    message = f'{len(types)} entities are named "{name}": {", ".join(types)}. Nothing was deleted.'
    words = {
        "ja": "{name} という名前のものが {count} 件あります（{types}）。entityType を指定してください。何も削除していません。",
        "zh": "有 {count} 个名为“{name}”的实体（{types}），请指定 entityType。没有删除任何内容。",
    }
    also = filled(words, name=shortened(name), count=len(types), types=", ".join(types))
    of = InvalidArgument("entityType", message, also=also)
    return refusal(tool, options, "Ambiguous entity", message, "VALIDATION_ERROR", "Pass entityType.", of=of)


def not_confirmed(tool: str, options: Options) -> Result:
    """The error when nobody confirmed."""
    message = "Deletion not confirmed. Set confirm=true (or accept the confirmation prompt) to delete."
    of = InvalidArgument("confirm", message, also=NOT_CONFIRMED_ALSO)
    return refusal(tool, options, "Deletion not confirmed", message, "RUNTIME_ERROR", of=of)


def unfit(tool: str, options: Options, misfit: Misfit) -> Result:
    """The error for arguments that do not fit the schema."""
    argument = misfit.argument
    if argument in _ENTITY_TYPE_ARGUMENTS:
        phrase = "Invalid entity type"
    else:
        phrase = f"Invalid {argument}" if argument else "Invalid arguments"
    return refusal(tool, options, phrase, misfit.message, "VALIDATION_ERROR", _NEXT_STEP.get(argument, ""))


def explained(tool: str, options: Options, error: OmoideError, mode: str) -> Result:
    """The error for an OmoideError; `mode` counts for a tool that has modes."""
    if isinstance(error, InvalidArgument):
        phrase, code = f"Invalid {error.argument}", "VALIDATION_ERROR"
    elif isinstance(error, NotFound):
        phrase, code = "Not found", "NOT_FOUND"
    elif isinstance(error, Conflict):
        phrase, code = _CONFLICTS.get(error.code, "Conflict"), "DATABASE_ERROR"
    elif isinstance(error, StoreError):
        phrase, code = _STORE_FAILURES.get(tool) or _STORE_FAILURES[mode], "DATABASE_ERROR"
    else:
        phrase, code = "Memory is not available", "RUNTIME_ERROR"
    # Clients of the original server look for the phrase in `message`.
    message = f"{phrase}: {error.message}" if code == "DATABASE_ERROR" else error.message
    step = _NEXT_STEP.get(error.argument, "") if isinstance(error, InvalidArgument) else ""
    return refusal(tool, options, phrase, message, code, error.hint or step, of=error)
