"""Parsers for the values of settings, one for each kind.

Useful for: the table of settings. Not useful for: which source of a setting takes precedence; see in_force.py. Invariant:
values from a file may be numbers, lists and mappings, those of the environment and the command line are text. A value that
cannot be used raises a ValueError that says what is expected.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from datetime import tzinfo
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


class Secret(str):
    """A string that does not show itself in `repr`, logs and error messages."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def name(value: object) -> str:
    """A name, stripped of spaces around it; may be given as a number."""
    text = _word(value)
    if not is_text(text):
        raise ValueError("a name is expected, in UTF-8")
    return text


def is_text(text: str) -> bool:
    """Whether a string has no surrogates: Python decodes invalid UTF-8 on a command line to such."""
    return not any("\ud800" <= each <= "\udfff" for each in text)


def _word(value: object) -> str:
    if not isinstance(value, (str, int)) or isinstance(value, bool) or not str(value).strip():
        raise ValueError("a name is expected")
    return str(value).strip()


def host(value: object) -> str:
    """A host name or an address; an IPv6 address may have brackets, as in a URL."""
    text = name(value)
    return text[1:-1] if text.startswith("[") and text.endswith("]") else text


def names(value: object) -> tuple[str, ...]:
    """A list, or names separated by commas."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not parts:
        raise ValueError("names are expected, separated by commas")
    return tuple(name(part) for part in parts)


def switch(value: object) -> bool:
    """True or false, yes or no, on or off, 1 or 0."""
    parsed = _WORDS.get(str(value).strip().lower())
    if parsed is None:
        raise ValueError("true or false is expected")
    return parsed


def path(value: object) -> Path:
    """A path; ~ is the home directory."""
    return _with_home(Path(_word(value)))  # may be any bytes


def _with_home(raw: Path) -> Path:
    try:
        return raw.expanduser()
    except RuntimeError:
        raise ValueError("it is not known where that home is; a whole path is expected") from None


def folder(value: object) -> Path:
    """The folder of a store, which may not exist yet."""
    return can_be_folder(Path(_word(value)))


def can_be_folder(raw: Path) -> Path:
    """The path with ~ expanded. Raises ValueError if it is a file, or not possible as a path."""
    expanded = _with_home(raw)
    try:
        mode = os.stat(expanded).st_mode
    except ValueError:  # a NUL, or a lone surrogate
        raise ValueError("no path can hold all of its characters") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise ValueError("no path can be so long") from None
        return expanded  # it will be made, or opening a file in it will fail
    if not stat.S_ISDIR(mode):
        raise ValueError("it is no folder; the one that holds the store is expected")
    return expanded


def port(value: object) -> int:
    """A TCP port; 0 is any free one."""
    try:
        port = int(name(value))
    except ValueError:
        raise ValueError("a port number is expected") from None
    if not 0 <= port <= 65_535:
        raise ValueError("a port lies between 0 and 65535 (0: any free one)")
    return port


def duration(unit: str, most: int) -> Callable[[object], float]:
    """A parser for durations above 0 and up to `most`."""

    def parse(value: object) -> float:
        try:
            length = float(str(value))
        except ValueError:
            raise ValueError(f"a number of {unit} is expected") from None
        if not 0 < length <= most:
            raise ValueError(f"more than 0 and at most {most} {unit} are expected")
        return length

    return parse


def count(most: int) -> Callable[[object], int]:
    """A parser for whole numbers from 1 to `most`."""

    def parse(value: object) -> int:
        number = str(value).strip()
        if not number.isdecimal() or not 1 <= int(number[:10]) <= most:
            raise ValueError(f"a number between 1 and {most} is expected")
        return int(number)

    return parse


def one_of(*words: str) -> Callable[[object], str]:
    """A parser for one of two or more words."""

    def parse(value: object) -> str:
        if value not in words:
            raise ValueError(f"{', '.join(words[:-1])} or {words[-1]} is expected")
        return str(value)

    return parse


def url(value: object) -> str:
    """A URL of http or https, with a host and neither query nor fragment."""
    url = urlsplit(name(value))
    if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment:
        raise ValueError("a URL is expected, such as https://memory.example.org/mcp")
    return url.geturl()


def zone(value: object) -> tzinfo:
    """A time zone, by its IANA name."""
    try:
        return ZoneInfo(name(value))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("an IANA zone is expected, such as Asia/Tokyo, Asia/Shanghai or UTC") from None


def weekday(value: object) -> int:
    """The first day of a week, counted from 0 (Monday)."""
    weekdays = {"monday": 0, "saturday": 5, "sunday": 6}
    if str(value).strip().lower() not in weekdays:
        raise ValueError("monday, sunday or saturday is expected")
    return weekdays[str(value).strip().lower()]


def scopes(value: object) -> Mapping[str, tuple[str, ...]]:
    """A mapping of scope -> scopes; a variable holds it as JSON or YAML text."""
    try:
        mapping = from_yaml(value) if isinstance(value, str) else value
    except ValueError:
        mapping = None
    if not isinstance(mapping, dict):
        raise ValueError('scopes by scope are expected, such as {"project:a": ["project:b"]}')
    return {name(scope): names(others) for scope, others in mapping.items()}


def endpoint(value: object) -> str:
    """The address of an endpoint, unchanged; of http or https, with a host."""
    url = name(value)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("an address is expected, such as http://127.0.0.1:11434/v1")
    return url


def secret(value: object) -> Secret:
    """A secret that fits into an HTTP header: no line ends or other control characters, but spaces and tabs."""
    if not isinstance(value, str):
        raise ValueError("a text is expected; put it in quotes, without which 0042 is the number 34")
    text = name(value)
    if any(each != "\t" and (each < " " or each == "\x7f") for each in text):
        raise ValueError("no request can bring a line break or another control character; one line of text is expected")
    return Secret(text)


def from_yaml(text: str) -> Any:
    """The value of a YAML text. Raises ValueError, also if a mapping has a key twice."""
    import yaml  # imported late: few users have a settings file, and a handshake must not wait for this

    from omoide.bounded_yaml import Loader, said

    try:
        _refuse_repeated_below(root := yaml.compose(text, Loader=Loader))
        return Loader("").construct_document(root) if root else None
    except yaml.YAMLError as error:
        raise ValueError(f"{said(error)}.") from error
    # PyYAML raises such errors for tags with a wrong value, such as `!!timestamp` before other text.
    except (TypeError, AttributeError, LookupError) as error:
        raise ValueError(str(error)) from error


def _refuse_repeated_below(root: Any) -> None:
    """Raise ValueError if any mapping below a YAML node has a key twice: PyYAML would silently use the last."""
    nodes, seen = [root] if root else [], set[int]()
    for node in nodes:  # the list grows meanwhile
        if id(node) in seen:  # an alias is the same node again, and may refer to a node around it
            continue
        seen.add(id(node))
        if node.id == "sequence":
            nodes += node.value
        if node.id == "mapping":
            nodes += [value for _, value in node.value]
            _refuse_repeated_keys(key for key, _ in node.value if key.id == "scalar")


def _refuse_repeated_keys(keys: Iterable[Any]) -> None:
    seen: set[str] = set()
    for key in keys:
        if key.value in seen:
            raise ValueError(f"line {key.start_mark.line + 1} says {key.value!r} once more.")
        seen.add(key.value)
