"""Which settings are in force: the file `omoide.yaml` in the data folder < environment < command line.

Useful for: reading everything a process may be told, once, at its start. Not useful for: values that change while it
runs. Invariant: below app.py nothing reads a file or a variable of its own; settings arrive as arguments.

A setting `default_scope` is `default_scope:` in the file, OMOIDE_DEFAULT_SCOPE in the environment and --default-scope
on the command line. A blank variable counts as absent. An unknown key is refused, never ignored.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone, tzinfo
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from omoide.errors import InvalidArgument

FILE_NAME = "omoide.yaml"
PREFIX = "OMOIDE_"
#: Variables with our prefix that belong to the measuring programs.
BENCH_PREFIX = "OMOIDE_BENCH_"
#: A settings file larger than this is not one of ours.
MAX_FILE_BYTES = 100_000

_WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


class Secret(str):
    """A string that does not show itself in `repr`, logs and error messages."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def machine_zone() -> tzinfo:
    """The zone this machine is set to: TZ (a name, or a file), else /etc/localtime, else the present offset from UTC."""
    given = os.environ.get("TZ", "").removeprefix(":") or "/etc/localtime"
    try:
        return _zone_in(given) if os.path.isabs(given) else ZoneInfo(given)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return _present_offset()


def _zone_in(file: str) -> tzinfo:
    """By its name where the file is a link to it; in a container it is often a copy."""
    name = os.path.realpath(file).partition("zoneinfo/")[2]
    if name:
        return ZoneInfo(name)
    with open(file, "rb") as rules:
        return ZoneInfo.from_file(rules, key=file)


def _present_offset() -> tzinfo:
    try:
        return datetime.now(timezone.utc).astimezone().tzinfo or timezone.utc
    except ValueError:  # TZ says a day or more
        return timezone.utc


def _name(value: object) -> str:
    name = _word(value)
    if not is_text(name):
        raise ValueError("a name is expected, in UTF-8")
    return name


def _host(value: object) -> str:
    """An IPv6 address may stand in brackets, as in a URL."""
    name = _name(value)
    return name[1:-1] if name.startswith("[") and name.endswith("]") else name


def is_text(given: str) -> bool:
    """Whether it is made of whole characters: bytes that are no UTF-8 come from a command line as halves of some."""
    return not any("\ud800" <= each <= "\udfff" for each in given)


def _word(value: object) -> str:
    if not isinstance(value, (str, int)) or isinstance(value, bool) or not str(value).strip():
        raise ValueError("a name is expected")
    return str(value).strip()


def _names(value: object) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not parts:
        raise ValueError("names are expected, separated by commas")
    return tuple(_name(part) for part in parts)


def _switch(value: object) -> bool:
    known = _WORDS.get(str(value).strip().lower())
    if known is None:
        raise ValueError("true or false is expected")
    return known


def _path(value: object) -> Path:
    try:
        return Path(_word(value)).expanduser()  # of whatever bytes
    except RuntimeError:
        raise ValueError("it is not known where that home is; a whole path is expected") from None


def _port(value: object) -> int:
    try:
        port = int(_name(value))
    except ValueError:
        raise ValueError("a port number is expected") from None
    if not 0 <= port <= 65_535:
        raise ValueError("a port lies between 0 and 65535 (0: any free one)")
    return port


def _duration(unit: str, most: int) -> Callable[[object], float]:
    def parse(value: object) -> float:
        try:
            length = float(str(value))
        except ValueError:
            raise ValueError(f"a number of {unit} is expected") from None
        if not 0 < length <= most:
            raise ValueError(f"more than 0 and at most {most} {unit} are expected")
        return length

    return parse


def _count(most: int) -> Callable[[object], int]:
    def parse(value: object) -> int:
        number = str(value).strip()
        if not number.isdecimal() or not 1 <= int(number[:10]) <= most:
            raise ValueError(f"a number between 1 and {most} is expected")
        return int(number)

    return parse


def _one_of(*words: str) -> Callable[[object], str]:
    def parse(value: object) -> str:
        if value not in words:
            raise ValueError(f"{', '.join(words[:-1])} or {words[-1]} is expected")
        return str(value)

    return parse


#: Bounds against slips of the pen.
_MOST, _MOST_PROCESSES, _MOST_SECONDS, _MOST_MINUTES = 1_000_000, 64, 600, 100_000


def _url(value: object) -> str:
    url = urlsplit(_name(value))
    if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment:
        raise ValueError("a URL is expected, such as https://memory.example.org/mcp")
    return url.geturl()


def _zone(value: object) -> tzinfo:
    try:
        return ZoneInfo(_name(value))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("an IANA zone is expected, such as Asia/Tokyo, Asia/Shanghai or UTC") from None


def _weekday(value: object) -> int:
    known = {"monday": 0, "saturday": 5, "sunday": 6}
    if str(value).strip().lower() not in known:
        raise ValueError("monday, sunday or saturday is expected")
    return known[str(value).strip().lower()]


def _scopes(value: object) -> Mapping[str, tuple[str, ...]]:
    """scope -> scopes; a variable holds it as JSON or YAML text."""
    try:
        given = _yaml(value) if isinstance(value, str) else value
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise ValueError('scopes by scope are expected, such as {"project:a": ["project:b"]}')
    return {_name(scope): _names(others) for scope, others in given.items()}


def _endpoint(value: object) -> str:
    url = _name(value)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("an address is expected, such as http://127.0.0.1:11434/v1")
    return url


def _secret(value: object) -> Secret:
    return Secret(_name(value))


class About(NamedTuple):
    """How a setting is read. `variables`: names in the environment that count, in order, when OMOIDE_<NAME> is absent;
    `flag`, `file`: whether it may stand there; `http`: whether it means something over HTTP alone."""

    parse: Callable[[object], Any]
    help: str
    variables: tuple[str, ...] = ()
    flag: bool = True
    file: bool = True
    http: bool = False

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off."""
        return self.parse is _switch


def _about(
    parse: Callable[[object], Any],
    help: str,
    *variables: str,
    flag: bool = True,
    file: bool = True,
    http: bool = False,
) -> dict[str, About]:
    return {"about": About(parse, help, variables, flag, file, http)}


_about_http = partial(_about, http=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything a process is told at its start; docs/configuration.md says more of each."""

    data: Path = field(metadata=_about(_path, "folder of the store and its index (default: ~/.omoide)"))
    zone: tzinfo = field(metadata=_about(_zone, "IANA time zone of calendar days (default: the machine's)"))
    japanese: str = field(
        default="sudachi", metadata=_about(_one_of("sudachi", "fugashi"), "Japanese analyser: sudachi or fugashi")
    )
    week_starts: int = field(
        default=0, metadata=_about(_weekday, "first day of a week: monday (default), sunday or saturday")
    )
    language: str | None = field(
        default=None,
        metadata=_about(
            _one_of("ja", "zh"), "what text of Han characters alone is: ja or zh (default: both are tried)"
        ),
    )
    embedder: str = field(
        default="lexical",
        metadata=_about(_name, "what makes vectors: lexical (default), static:NAME, onnx:NAME, http:URL or auto"),
    )
    embedder_url: str | None = field(
        default=None, metadata=_about(_endpoint, "with `auto`: an OpenAI-compatible embeddings endpoint")
    )
    embedder_model: str = field(default="", metadata=_about(_name, "model the embeddings endpoint is asked for"))
    embedder_key: Secret | None = field(
        default=None, metadata=_about(_secret, "key of the embeddings endpoint", flag=False, file=False)
    )
    embedder_query_prefix: str = field(
        default="", metadata=_about(str, "what the model wants before a question, such as 'query: '")
    )
    embedder_passage_prefix: str = field(
        default="", metadata=_about(str, "what the model wants before a text to be found, such as 'passage: '")
    )
    embedder_dimensions: int | None = field(
        default=None,
        metadata=_about(_count(_MOST), "keep the first so many numbers of each vector (Matryoshka models)"),
    )
    embedder_threads: int | None = field(
        default=None, metadata=_about(_count(_MOST), "cores an ONNX model may use (default: half of them)")
    )
    embedder_timeout_seconds: float = field(
        default=30.0,
        metadata=_about(_duration("seconds", _MOST_SECONDS), "how long a batch may take the embeddings endpoint"),
    )
    vector_storage: Literal["f16", "i8"] = field(
        default="f16",
        metadata=_about(
            _one_of("f16", "i8"), "what vectors are searched by: f16, or i8 where memory is dear (half as much)"
        ),
    )
    models: Path | None = field(
        default=None, metadata=_about(_path, "folder of embedding models (default: models in the data folder)")
    )
    tools: tuple[str, ...] = field(
        default=(),
        metadata=_about(_names, "families or tools to offer, or `all` (default: searching and saving by every family)"),
    )
    scope: str | None = field(
        default=None, metadata=_about(_name, "pin every search and write of this process to one scope")
    )
    default_scope: str | None = field(
        default=None,
        metadata=_about(
            _name,
            "scope of search_memory, and of what is stored, when a call names none (default: global)",
            "RECALLNEST_DEFAULT_SCOPE",
            "RECALLNEST_SCOPE",
            "RECALLNEST_PROJECT_SCOPE",
        ),
    )
    session: str | None = field(
        default=None,
        metadata=_about(_name, "without a default scope, session:<this> is the default scope", "RECALLNEST_SESSION_ID"),
    )
    require_scope: bool = field(default=False, metadata=_about(_switch, "refuse a search_memory that names no scope"))
    related_scopes: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict,
        metadata=_about(_scopes, "scopes that search_memory also looks into with includeRelatedScopes", flag=False),
    )
    constructive_retrieval: bool = field(
        default=False,
        metadata=_about(
            _switch, "search_memory may ask a chat model with reconstruct", "RECALLNEST_CONSTRUCTIVE_RETRIEVAL"
        ),
    )
    llm_url: str | None = field(
        default=None, metadata=_about(_endpoint, "OpenAI-compatible chat endpoint, such as http://127.0.0.1:11434/v1")
    )
    llm_model: str | None = field(default=None, metadata=_about(_name, "model to ask at that endpoint"))
    llm_timeout_seconds: float = field(
        default=20.0,
        metadata=_about(_duration("seconds", _MOST_SECONDS), "how long an answer of that endpoint may take"),
    )
    llm_key: Secret | None = field(default=None, metadata=_about(_secret, "key of that endpoint", flag=False))
    enable_memory: bool = field(
        default=True, metadata=_about(_switch, "query_memory and its writers answer", "ENABLE_MEMORY")
    )
    compact_responses: bool = field(
        default=True,
        metadata=_about(_switch, "short text blocks from query_memory and its writers", "COMPACT_RESPONSES"),
    )
    archetype: Path | None = field(
        default=None, metadata=_about(_path, "archetype file (YAML) that defines fegis tools", "ARCHETYPE_PATH")
    )
    chronica_language: str = field(
        default="ja",
        metadata=_about(_one_of("ja", "en", "zh"), "language of chronica's opening and tick: ja, en or zh"),
    )
    agent_id: str | None = field(
        default=None, metadata=_about(_name, "agent that memories of the fegis tools are signed with", "AGENT_ID")
    )
    session_idle_minutes: float = field(
        default=30.0,
        metadata=_about_http(
            _duration("minutes", _MOST_MINUTES),
            "idle gap after which a client without a connection begins a new session",
        ),
    )
    host: str = field(default="127.0.0.1", metadata=_about_http(_host, "address to listen on over HTTP"))
    port: int = field(default=8765, metadata=_about_http(_port, "port to listen on over HTTP"))
    workers: int = field(
        default=1,
        metadata=_about_http(
            _count(_MOST_PROCESSES), "processes that serve over HTTP, all from one store (default: 1)"
        ),
    )
    fast_lane: bool = field(
        default=True, metadata=_about(_switch, "answer ordinary tool calls without going through the protocol SDK")
    )
    token: Secret | None = field(
        default=None,
        metadata=_about_http(_secret, "clients must send `Authorization: Bearer <token>` over HTTP", flag=False),
    )
    tokens: Path | None = field(
        default=None,
        metadata=_about_http(_path, "file of tokens, each of a tenant with a store of its own (omoide token)"),
    )
    tenants_open: int = field(
        default=100, metadata=_about_http(_count(_MOST), "tenants whose stores stay open over HTTP (default: 100)")
    )
    public_url: str | None = field(
        default=None, metadata=_about_http(_url, "URL of /mcp that clients know the server by, where it is another")
    )
    oauth_issuer: str | None = field(
        default=None, metadata=_about_http(_url, "authorization server whose tokens (JWT) are accepted over HTTP")
    )
    oauth_jwks: str | None = field(
        default=None, metadata=_about_http(_name, "its keys (JWKS): an https:// address or a file")
    )
    oauth_audience: str | None = field(
        default=None, metadata=_about_http(_name, "audience its tokens must name (default: public_url)")
    )
    oauth_tenant: str = field(default="sub", metadata=_about_http(_name, "claim that names the tenant (default: sub)"))
    rate_limit: int | None = field(
        default=None,
        metadata=_about_http(_count(_MOST), "requests a second that one token may make over HTTP (default: any)"),
    )
    concurrent_limit: int | None = field(
        default=None,
        metadata=_about_http(_count(_MOST), "requests under way that one token may have over HTTP (default: any)"),
    )
    call_timeout_seconds: float = field(
        default=120.0,
        metadata=_about(_duration("seconds", _MOST_SECONDS), "how long the call of a tool may take (default: 120)"),
    )
    log_format: str = field(
        default="text", metadata=_about(_one_of("text", "json"), "how the log is written: text or json")
    )


#: Every setting by name.
SETTINGS: Mapping[str, About] = {each.name: each.metadata["about"] for each in fields(Settings)}


def variables_of(name: str) -> tuple[str, ...]:
    """The environment variables of a setting, the one that counts first in front."""
    return (PREFIX + name.upper(), *SETTINGS[name].variables)


def load(flags: Mapping[str, object] | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings in force. `flags`: what the command line gave, by setting name; None values count as absent.

    Raises InvalidArgument: an unknown key, a value that cannot be used, a file that cannot be read.
    """
    values = _from_environment(os.environ if environ is None else environ)
    values |= {name: _parsed(name, value, flag_of(name)) for name, value in (flags or {}).items() if value is not None}
    if "data" not in values:
        values["data"] = _default_data()
    values = _from_file(values["data"] / FILE_NAME) | values
    values.setdefault("zone", machine_zone())
    return Settings(**values)


def _default_data() -> Path:
    try:
        return Path("~/.omoide").expanduser()
    except RuntimeError:  # in some containers, and for some services
        raise InvalidArgument(
            "data", "This user has no home to keep memories in.", hint="Name a folder with --data or OMOIDE_DATA."
        ) from None


def flag_of(name: str) -> str:
    """How the setting is written on the command line."""
    return "--" + name.replace("_", "-")


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint that names the closest of the known words, or all of them when none is close."""
    words = sorted(known)
    close = difflib.get_close_matches(word, words, n=1)
    return f"Did you mean {close[0]}?" if close else f"Known: {', '.join(words)}."


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    known = {variables_of(name)[0] for name in SETTINGS}
    for variable in environ:
        if variable.startswith(PREFIX) and variable not in known and not variable.startswith(BENCH_PREFIX):
            raise _unknown(f"The variable {variable}", variable, known)
    found = {}
    for name in SETTINGS:
        given = [variable for variable in variables_of(name) if environ.get(variable, "").strip()]
        if given:
            found[name] = _parsed(name, environ[given[0]], given[0])
    return found


def _from_file(path: Path) -> dict[str, Any]:
    content = _read(path)
    known = SETTINGS.keys() - {"data"}  # the file lies in the data folder: it cannot say where that is
    for key in content:
        if key in SETTINGS and not SETTINGS[key].file:
            raise _only_in_the_environment(path, key)
        if key not in known:
            raise _unknown(f"{path}: the key {key!r}", str(key), known)
    return {name: _parsed(name, value, f"{path}: {name}") for name, value in content.items()}


def _only_in_the_environment(path: Path, key: str) -> InvalidArgument:
    return InvalidArgument(
        key,
        f"{path}: {key} is a secret that does not belong in a file.",
        hint=f"Set the variable {variables_of(key)[0]}.",
        code="bad_setting",
    )


def _read(path: Path) -> dict[Any, Any]:
    try:
        if not path.is_file():
            return {}
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InvalidArgument(str(path), f"{path} is larger than {MAX_FILE_BYTES:,} bytes.")
        content = _yaml(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidArgument(
            str(path), f"{path} cannot be read: {error}", hint="It is a YAML file in UTF-8."
        ) from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise InvalidArgument(str(path), f"{path} does not hold settings.", hint="Write one `name: value` a line.")
    return content


def _yaml(text: str) -> Any:
    """Raises ValueError."""
    import yaml  # few have a file of settings, and no handshake waits for its reader

    try:
        return yaml.safe_load(text)
    # PyYAML stumbles over tags such as `!!timestamp` before what is none.
    except (yaml.YAMLError, TypeError, AttributeError, LookupError) as error:
        raise ValueError(str(error)) from error


def _parsed(name: str, value: object, source: str) -> Any:
    try:
        return SETTINGS[name].parse(value)
    except ValueError as error:
        shown = "***" if SETTINGS[name].parse is _secret else repr(value)
        raise InvalidArgument(name, f"{source} is {shown}: {error}.", code="bad_setting") from None


def _unknown(what: str, word: str, known: Iterable[str]) -> InvalidArgument:
    return InvalidArgument(word, f"{what} is not a setting.", hint=nearest(word, known), code="unknown_setting")
