"""Which tools does an archetype file describe? YAML -> tools with their input schemas.

Useful for: files written for fegis, unchanged, byte-order mark and all. Not useful for: values of calls (translate.py).
Invariant: a file either loads or is refused by an error with its path, the place in it and what is wrong there; what
the format asks to be skipped is named in the log.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from omoide.errors import InvalidArgument
from omoide.families.fegis.wire import SCHEMA_VERSION, SEARCH_TOOL
from omoide.model.memory import Archetype

MAX_FILE_BYTES = 1_000_000
#: Values in a file once its aliases are written out; keeps a small file from describing a huge schema.
MAX_VALUES = 100_000
MAX_NAME_CHARS = 128
BUILT_IN = Path(__file__).parent / "default.yaml"

_STANDARD: Mapping[str, str] = {
    "Title": "A clear, descriptive title",
    "Content": "The main content",
    "Context": "Relevant context that informed this response",
}
_TYPES: Mapping[str, str] = {
    "list": "array",
    **{name: name for name in ("array", "string", "integer", "number", "boolean", "object")},
}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ArchetypeTool:
    """One storing tool: its face, and which arguments are parameters and which are frames."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    parameters: tuple[str, ...]
    frames: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArchetypeFile:
    """A loaded file: what its memories are marked with, and its tools in the order written."""

    archetype: Archetype
    tools: tuple[ArchetypeTool, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Somewhere in a file, for errors."""

    path: Path
    where: str = ""

    def inside(self, where: str) -> _Place:
        return _Place(self.path, f"{self.where}.{where}" if self.where else where)

    def wrong(self, message: str, hint: str = "") -> InvalidArgument:
        where = f", at {self.where}" if self.where else ""
        return InvalidArgument("archetype_path", f"Archetype file {self.path}{where}: {message}", hint=hint)

    def skipped(self, message: str) -> None:
        log.warning("Archetype file %s, at %s: %s", self.path, self.where, message)


def load_archetype(path: Path | None = None) -> ArchetypeFile:
    """Read an archetype file, or the built-in one. Raises InvalidArgument."""
    place = _Place(path or BUILT_IN)
    return read_archetype(_text(place), place.path)


def read_archetype(text: str, path: Path) -> ArchetypeFile:
    """The archetype written in `text`; `path` is for errors. Raises InvalidArgument."""
    place = _Place(path)
    content = _content(text, place)
    pool = _section(content, "parameters", place)
    tools = _section(content, "tools", place)
    return ArchetypeFile(
        Archetype(str(content.get("title", "unknown")), str(content.get("version", "unknown")), SCHEMA_VERSION),
        tuple(_tool(name, body, pool, place.inside("tools")) for name, body in tools.items()),
    )


def _text(place: _Place) -> str:
    try:
        with place.path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
        if len(raw) > MAX_FILE_BYTES:
            raise place.wrong(f"it is larger than {MAX_FILE_BYTES:,} bytes.", "Split it.")
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        hint = "Check ARCHETYPE_PATH, or leave it unset for the built-in tools."
        raise InvalidArgument("archetype_path", f"Archetype file not found: {place.path}", hint=hint) from None
    except OSError as error:
        raise place.wrong(f"it cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise place.wrong(f"it is not UTF-8 (byte {error.start}).", "Save it as UTF-8.") from error


def _content(text: str, place: _Place) -> Mapping[str, Any]:
    try:
        content = yaml.safe_load(text)
        many = _many(content)
    except yaml.YAMLError as error:
        raise place.wrong(f"Failed to parse YAML: {error}") from error
    except RecursionError:
        raise place.wrong("it is nested too deeply, or contains itself.") from None
    if many:
        raise place.wrong(f"its aliases stand for more than {MAX_VALUES:,} values.", "Use fewer aliases.")
    if content is None:
        raise place.wrong("it is empty.", "Give it at least `tools:` with one tool.")
    return _mapping(content, place)


def _many(content: object) -> bool:
    return any(at >= MAX_VALUES for at, _ in enumerate(_values(content)))


def _values(content: object) -> Iterator[object]:
    yield content
    parts = content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
    for part in parts:
        yield from _values(part)


def _section(content: Mapping[str, Any], name: str, place: _Place) -> Mapping[str, Any]:
    return _mapping(content.get(name), place.inside(name))


def _mapping(value: object, place: _Place) -> Mapping[str, Any]:
    """A mapping with text keys; nothing after the colon is an empty one."""
    if value is None:
        return {}
    if isinstance(value, dict):
        return {str(key): each for key, each in value.items()}
    raise place.wrong(f"expected `name: value` lines, found {type(value).__name__} {str(value)[:40]!r}.")


def _tool(name: str, body: object, pool: Mapping[str, Any], place: _Place) -> ArchetypeTool:
    here = place.inside(name)
    if not name.strip() or len(name) > MAX_NAME_CHARS or name == SEARCH_TOOL:
        raise here.wrong(f"a tool cannot be called {name[:40]!r}.", "Give it a short name of its own.")
    content = _mapping(body, here)
    parameters = dict(_parameters(_section(content, "parameters", here), pool, here.inside("parameters")))
    frames = dict(_frames(_section(content, "frames", here), here.inside("frames")))
    return ArchetypeTool(
        name=name,
        description=str(content.get("description") or ""),
        input_schema=_schema(parameters, frames),
        parameters=tuple(each for each in parameters if each not in frames),
        frames=tuple(frames),
    )


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
    used: Mapping[str, Any], pool: Mapping[str, Any], place: _Place
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, default in used.items():
        here = place.inside(_free(name, place))
        if name not in pool:
            here.skipped("skipped: the top-level `parameters` do not define it.")
        elif default == "" or isinstance(default, (list, dict)):
            here.skipped("skipped: a default is one value; leave it out for none.")
        else:
            yield name, _parameter(pool[name], default, _Place(place.path, f"parameters.{name}"))


def _parameter(defined: object, default: object, place: _Place) -> Mapping[str, Any]:
    definition = _mapping(defined, place)
    schema = {"type": _type(definition, place), "description": str(definition.get("description") or "")}
    examples = definition.get("examples", definition.get("example_values"))
    return {
        **schema,
        **({} if examples is None else {"examples": _json(examples)}),
        **({} if default is None else {"default": _json(default)}),
        "x-required": True,
    }


def _json(value: object) -> Any:
    """The value as JSON has it: YAML also knows dates, which become text."""
    return json.loads(json.dumps(value, ensure_ascii=False, default=str))


def _frames(frames: Mapping[str, Any], place: _Place) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, body in frames.items():
        here = place.inside(_free(name, place))
        definition = _mapping(body, here)
        yield name, {"type": _type(definition, here), **({"x-required": True} if _required(definition, here) else {})}


def _required(definition: Mapping[str, Any], place: _Place) -> bool:
    required = definition.get("required", False)
    if isinstance(required, bool):
        return required
    raise place.wrong(f"`required` is {required!r}.", "Write true or false.")


def _free(name: str, place: _Place) -> str:
    if name in _STANDARD:
        raise place.wrong(f"{name} is always there.", f"{', '.join(_STANDARD)} are given; choose another name.")
    return name


def _type(definition: Mapping[str, Any], place: _Place) -> str:
    asked = str(definition.get("type") or "string")
    if asked.lower() in _TYPES:
        return _TYPES[asked.lower()]
    raise place.wrong(f"{asked!r} is not a type.", f"Types: {', '.join(_TYPES)}.")
