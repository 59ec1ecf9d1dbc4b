"""Reads an archetype: values -> tools with their input schemas.

Useful for: files written for fegis, unchanged, even with a byte-order mark. Not useful for: arguments of calls (translate.py).
Invariant: a file either loads or is refused with an error that names its path, the place in it and what is wrong there; what
the format says to skip is logged.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from omoide.errors import filled
from omoide.families.fegis.built_in import BUILT_IN
from omoide.families.fegis.location import Location
from omoide.families.fegis.schemas import SEARCH_TOOL
from omoide.families.fegis.values import Document, mapping
from omoide.families.fegis.wire import SCHEMA_VERSION
from omoide.model.memory import Archetype

#: Most characters in the listing of the storing tools: with much more, models lose track.
MAX_LISTING_CHARS = 200_000
MAX_NAME_CHARS = 128
UNKNOWN = "unknown"

_STANDARD: Mapping[str, str] = {
    "Title": "A clear, descriptive title",
    "Content": "The main content",
    "Context": "Relevant context that informed this response",
}
#: The keys known at each level; `archetype_context` is for the people who write the file.
_FILE = ("version", "title", "archetype_context", "parameters", "tools")
_TOOL = ("description", "parameters", "frames")
_PARAMETER = ("description", "examples", "example_values", "type")
_FRAME = ("type", "required")
#: The names of tools and arguments that even the strictest of the common hosts accepts.
_WIDELY_ACCEPTED = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TYPES: Mapping[str, str] = {
    "list": "array",
    **{name: name for name in ("array", "string", "integer", "number", "boolean", "object")},
}


class ArchetypeTool(NamedTuple):
    """One storing tool: what clients see, and which arguments are parameters and which are frames."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    parameters: tuple[str, ...]
    frames: tuple[str, ...]


class ArchetypeFile(NamedTuple):
    """A loaded file: the archetype that its memories get, and its tools in the file's order."""

    archetype: Archetype
    tools: tuple[ArchetypeTool, ...]


def load_archetype(path: Path) -> ArchetypeFile:
    """Read an archetype file. Raises InvalidArgument."""
    from omoide.families.fegis.document import text_of

    return read_archetype(text_of(Location(path)), path)


def read_archetype(text: str, path: Path) -> ArchetypeFile:
    """The archetype in `text`; `path` is for errors. Raises InvalidArgument."""
    from omoide.families.fegis.document import parse

    place = Location(path)
    return _archetype(parse(text, place), place)


@lru_cache(maxsize=1)
def built_in() -> ArchetypeFile:
    """The archetype that is used if no file is given."""
    return _archetype(Document(BUILT_IN), Location(Path("built_in.py")))


def _archetype(document: Document, place: Location) -> ArchetypeFile:
    _warn_of_others(document.values, _FILE, place)
    named = {name: _name(document, name, place) for name in ("title", "version")}
    return ArchetypeFile(Archetype(**named, schema_version=SCHEMA_VERSION), tuple(_tools(document.values, place)))


def _name(document: Document, name: str, place: Location) -> str:
    value = document.values.get(name)
    if isinstance(value, (dict, list)):
        also = {"ja": "値は一つにしてください。", "zh": "应为单个值。"}
        raise place.inside(name).error("expected a single value.", also=also)
    return document.written.get(name, UNKNOWN if value is None else str(value))


def _tools(content: Mapping[str, Any], place: Location) -> Iterator[ArchetypeTool]:
    pool = _section(content, "parameters", place)
    tools = _section(content, "tools", place)
    if not tools:
        place.warn(f"it describes no tool; {SEARCH_TOOL} alone is offered.")
    listed = 0
    for name, body in tools.items():
        made = _tool(name, body, pool, place.inside("tools"))
        listed += len(made.description) + len(json.dumps(made.input_schema, ensure_ascii=False))
        if listed > MAX_LISTING_CHARS:
            raise place.error(
                f"its tools take more than {MAX_LISTING_CHARS:,} characters to describe.",
                "Split it, and serve a file each.",
                also=_too_long(),
            )
        yield made


def _too_long() -> Mapping[str, str]:
    words = {
        "ja": "ツールの記述が {most} 文字を超えています。ファイルを分け、一つずつ使ってください。",
        "zh": "工具的描述超过 {most} 个字符。请拆分文件，每次使用一个。",
    }
    return filled(words, most=f"{MAX_LISTING_CHARS:,}")


def _warn_of_others(content: Mapping[str, Any], known: tuple[str, ...], place: Location) -> None:
    others = [name for name in content if name not in known]
    if others:
        place.warn(f"{', '.join(others)[:200]}: not read. Known here: {', '.join(known)}.")


def _section(content: Mapping[str, Any], name: str, place: Location) -> Mapping[str, Any]:
    return mapping(content.get(name), place.inside(name))


def _tool(name: str, body: object, pool: Mapping[str, Any], place: Location) -> ArchetypeTool:
    here = place.inside(name)
    if not name.strip() or len(name) > MAX_NAME_CHARS or name == SEARCH_TOOL:
        words = {
            "ja": "{name} はツールの名前に使えません。短い、ほかにない名前にしてください。",
            "zh": "{name} 不能作为工具的名称。请使用简短且不重复的名称。",
        }
        also = filled(words, name=repr(name[:40]))
        raise here.error(f"a tool cannot be called {name[:40]!r}.", "Give it a short name of its own.", also=also)
    content = mapping(body, here)
    _warn_of_name(name, here)
    _warn_of_others(content, _TOOL, here)
    parameters = dict(_parameters(_section(content, "parameters", here), pool, here.inside("parameters")))
    frames = dict(_frames(_section(content, "frames", here), here.inside("frames")))
    for both in (each for each in parameters if each in frames):
        here.inside("parameters").inside(both).warn("skipped: a frame of the same name takes its place.")
    return ArchetypeTool(
        name=name,
        description=str(content.get("description") or ""),
        input_schema=_schema(parameters, frames),
        parameters=tuple(each for each in parameters if each not in frames),
        frames=tuple(frames),
    )


def _warn_of_name(name: str, place: Location) -> None:
    if not _WIDELY_ACCEPTED.fullmatch(name):
        place.warn(f"some clients refuse tools with {name[:40]!r} as a name: keep to a-z, A-Z, 0-9, _ and -.")


def _schema(parameters: Mapping[str, Any], frames: Mapping[str, Any]) -> Mapping[str, Any]:
    standard = {
        name: {"type": "string", "description": description, "x-required": True}
        for name, description in _STANDARD.items()
    }
    properties = {**standard, **parameters, **frames}
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(name for name, each in properties.items() if each.get("x-required")),
        "additionalProperties": False,
    }


def _parameters(
    used: Mapping[str, Any], pool: Mapping[str, Any], place: Location
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, default in used.items():
        here = place.inside(_free(name, place))
        _warn_of_name(name, here)
        if name not in pool:
            here.warn("skipped: the top-level `parameters` do not define it.")
        elif default is not None and not (isinstance(default, str) and default):
            here.warn(f"skipped: {default!r} is no default. Quote it to make it a text, or write nothing for none.")
        else:
            yield name, _parameter(pool[name], default, Location(place.path, f"parameters.{name}"))


def _parameter(defined: object, default: str | None, place: Location) -> Mapping[str, Any]:
    definition = mapping(defined, place)
    _warn_of_others(definition, _PARAMETER, place)
    schema = {**_typed(definition, place), "description": str(definition.get("description") or "")}
    examples = definition.get("examples", definition.get("example_values"))
    return {
        **schema,
        **({} if examples is None else {"examples": _json(examples if isinstance(examples, list) else [examples])}),
        **({} if default is None else {"default": default}),
        "x-required": True,
    }


def _json(value: object) -> Any:
    """The value as JSON: what only YAML has (dates, NaN) becomes text."""
    if isinstance(value, dict):
        return {str(key): _json(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_json(each) for each in value]
    plain = value is None or isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value))
    return value if plain else str(value)


def _frames(frames: Mapping[str, Any], place: Location) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, body in frames.items():
        here = place.inside(_free(name, place))
        _warn_of_name(name, here)
        definition = mapping(body, here)
        _warn_of_others(definition, _FRAME, here)
        yield name, {**_typed(definition, here), **({"x-required": True} if _required(definition, here) else {})}


def _required(definition: Mapping[str, Any], place: Location) -> bool:
    required = definition.get("required")
    if required is None or isinstance(required, bool):
        return bool(required)
    words = {
        "ja": "`required` が {required} になっています。true か false にしてください。",
        "zh": "`required` 是 {required}，应为 true 或 false。",
    }
    also = filled(words, required=repr(required))
    raise place.error(f"`required` is {required!r}.", "Write true or false.", also=also)


def _free(name: str, place: Location) -> str:
    if name in _STANDARD:
        given = ", ".join(_STANDARD)
        words = {
            "ja": "{name} は使えません。{given} はどのツールにもあります。別の名前にしてください。",
            "zh": "不能使用 {name}：每个工具都有 {given}。请换一个名称。",
        }
        also = filled(words, name=name, given=given)
        raise place.error(f"{name} is always there.", f"{given} are given; choose another name.", also=also)
    return name


def _typed(definition: Mapping[str, Any], place: Location) -> Mapping[str, Any]:
    asked = str(definition.get("type") or "string")
    if asked.lower() in _TYPES:
        found = _TYPES[asked.lower()]
        # `items` is needed: VS Code and OpenAI refuse a tool with an array whose members are not described.
        return {"type": found, "items": {}} if found == "array" else {"type": found}
    types = ", ".join(_TYPES)
    words = {
        "ja": "{asked} という型はありません。使えるもの：{types}。",
        "zh": "没有 {asked} 这种类型。可用的有：{types}。",
    }
    raise place.error(
        f"{asked!r} is not a type.", f"Types: {types}.", also=filled(words, asked=repr(asked), types=types)
    )
