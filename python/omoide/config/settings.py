"""All settings, a field each: what it means, how its value is parsed, where it may be given.

A setting `default_scope` is `default_scope:` in the file, OMOIDE_DEFAULT_SCOPE in the environment and --default-scope
on the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from omoide.config import values
from omoide.config.values import Secret

PREFIX = "OMOIDE_"
#: Bounds against typing errors.
_MOST, _MOST_PROCESSES, _MOST_SECONDS, _MOST_MINUTES = 1_000_000, 64, 600, 100_000


class About(NamedTuple):
    """How a setting is read. `variables`: environment variables that are looked up, in this order, if OMOIDE_<NAME> is absent;
    `flag`, `file`: whether it may be given there; `http`: whether only a server over HTTP uses it."""

    parse: Callable[[object], Any]
    help: str
    variables: tuple[str, ...] = ()
    flag: bool = True
    file: bool = True
    http: bool = False

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off."""
        return self.parse is values.switch


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
    """The settings of a process; docs/configuration.md describes each."""

    data: Path = field(
        metadata=_about(values.folder, "folder of the store and its index (default: ~/.omoide)", file=False)
    )
    zone: tzinfo = field(metadata=_about(values.zone, "IANA time zone of calendar days (default: the machine's)"))
    japanese: str = field(
        default="sudachi", metadata=_about(values.one_of("sudachi", "fugashi"), "Japanese analyser: sudachi or fugashi")
    )
    week_starts: int = field(
        default=0, metadata=_about(values.weekday, "first day of a week: monday (default), sunday or saturday")
    )
    language: str | None = field(
        default=None,
        metadata=_about(
            values.one_of("ja", "zh"), "what text of Han characters alone is: ja or zh (default: both are tried)"
        ),
    )
    embedder: str = field(
        default="lexical",
        metadata=_about(values.name, "what makes vectors: lexical (default), static:NAME, onnx:NAME, http:URL or auto"),
    )
    embedder_url: str | None = field(
        default=None, metadata=_about(values.endpoint, "with `auto`: an OpenAI-compatible embeddings endpoint")
    )
    embedder_model: str = field(default="", metadata=_about(values.name, "model the embeddings endpoint is asked for"))
    embedder_key: Secret | None = field(
        default=None, metadata=_about(values.secret, "key of the embeddings endpoint", flag=False)
    )
    embedder_query_prefix: str = field(
        default="", metadata=_about(str, "what the model wants before a question, such as 'query: '")
    )
    embedder_passage_prefix: str = field(
        default="", metadata=_about(str, "what the model wants before a text to be found, such as 'passage: '")
    )
    embedder_dimensions: int | None = field(
        default=None,
        metadata=_about(values.count(_MOST), "keep the first so many numbers of each vector (Matryoshka models)"),
    )
    embedder_threads: int | None = field(
        default=None, metadata=_about(values.count(_MOST), "cores an ONNX model may use (default: half of them)")
    )
    embedder_timeout_seconds: float = field(
        default=30.0,
        metadata=_about(values.duration("seconds", _MOST_SECONDS), "how long a batch may take the embeddings endpoint"),
    )
    vector_storage: Literal["f16", "i8"] = field(
        default="f16",
        metadata=_about(
            values.one_of("f16", "i8"), "what vectors are searched by: f16, or i8 where memory is dear (half as much)"
        ),
    )
    models: Path | None = field(
        default=None, metadata=_about(values.path, "folder of embedding models (default: models in the data folder)")
    )
    tools: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            values.names, "families or tools to offer, or `all` (default: searching and saving by every family)"
        ),
    )
    scope: str | None = field(
        default=None, metadata=_about(values.name, "pin every search and write of this process to one scope")
    )
    default_scope: str | None = field(
        default=None,
        metadata=_about(
            values.name,
            "scope of search_memory, and of what is stored, when a call names none (default: global)",
            "RECALLNEST_DEFAULT_SCOPE",
            "RECALLNEST_SCOPE",
            "RECALLNEST_PROJECT_SCOPE",
        ),
    )
    session: str | None = field(
        default=None,
        metadata=_about(
            values.name, "without a default scope, session:<this> is the default scope", "RECALLNEST_SESSION_ID"
        ),
    )
    require_scope: bool = field(
        default=False, metadata=_about(values.switch, "refuse a search_memory that names no scope")
    )
    related_scopes: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict,
        metadata=_about(
            values.scopes, "scopes that search_memory also looks into with includeRelatedScopes", flag=False
        ),
    )
    constructive_retrieval: bool = field(
        default=False,
        metadata=_about(
            values.switch, "search_memory may ask a chat model with reconstruct", "RECALLNEST_CONSTRUCTIVE_RETRIEVAL"
        ),
    )
    llm_url: str | None = field(
        default=None,
        metadata=_about(values.endpoint, "OpenAI-compatible chat endpoint, such as http://127.0.0.1:11434/v1"),
    )
    llm_model: str | None = field(default=None, metadata=_about(values.name, "model to ask at that endpoint"))
    llm_timeout_seconds: float = field(
        default=20.0,
        metadata=_about(values.duration("seconds", _MOST_SECONDS), "how long an answer of that endpoint may take"),
    )
    llm_key: Secret | None = field(default=None, metadata=_about(values.secret, "key of that endpoint", flag=False))
    enable_memory: bool = field(
        default=True, metadata=_about(values.switch, "query_memory and its writers answer", "ENABLE_MEMORY")
    )
    compact_responses: bool = field(
        default=True,
        metadata=_about(values.switch, "short text blocks from query_memory and its writers", "COMPACT_RESPONSES"),
    )
    archetype: Path | None = field(
        default=None, metadata=_about(values.path, "archetype file (YAML) that defines fegis tools", "ARCHETYPE_PATH")
    )
    chronica_language: str = field(
        default="ja",
        metadata=_about(
            values.one_of("ja", "en", "zh", "zh-Hant"), "language of chronica's opening and tick: ja, en, zh or zh-Hant"
        ),
    )
    agent_id: str | None = field(
        default=None, metadata=_about(values.name, "agent that memories of the fegis tools are signed with", "AGENT_ID")
    )
    session_idle_minutes: float = field(
        default=30.0,
        metadata=_about_http(
            values.duration("minutes", _MOST_MINUTES),
            "idle gap after which a client without a connection begins a new session",
        ),
    )
    host: str = field(default="127.0.0.1", metadata=_about_http(values.host, "address to listen on over HTTP"))
    port: int = field(default=8765, metadata=_about_http(values.port, "port to listen on over HTTP"))
    workers: int = field(
        default=1,
        metadata=_about_http(
            values.count(_MOST_PROCESSES), "processes that serve over HTTP, all from one store (default: 1)"
        ),
    )
    fast_lane: bool = field(
        default=True,
        metadata=_about(values.switch, "answer ordinary tool calls without going through the protocol SDK"),
    )
    token: Secret | None = field(
        default=None,
        metadata=_about_http(values.secret, "clients must send `Authorization: Bearer <token>` over HTTP", flag=False),
    )
    tokens: Path | None = field(
        default=None,
        metadata=_about_http(values.path, "file of tokens, each of a tenant with a store of its own (omoide token)"),
    )
    tenants_open: int = field(
        default=100,
        metadata=_about_http(values.count(_MOST), "tenants whose stores stay open over HTTP (default: 100)"),
    )
    public_url: str | None = field(
        default=None,
        metadata=_about_http(values.url, "URL of /mcp that clients know the server by, where it is another"),
    )
    oauth_issuer: str | None = field(
        default=None, metadata=_about_http(values.url, "authorization server whose tokens (JWT) are accepted over HTTP")
    )
    oauth_jwks: str | None = field(
        default=None, metadata=_about_http(values.name, "its keys (JWKS): an https:// address or a file")
    )
    oauth_audience: str | None = field(
        default=None, metadata=_about_http(values.name, "audience its tokens must name (default: public_url)")
    )
    oauth_tenant: str = field(
        default="sub", metadata=_about_http(values.name, "claim that names the tenant (default: sub)")
    )
    rate_limit: int | None = field(
        default=None,
        metadata=_about_http(values.count(_MOST), "requests a second that one token may make over HTTP (default: any)"),
    )
    concurrent_limit: int | None = field(
        default=None,
        metadata=_about_http(
            values.count(_MOST), "requests under way that one token may have over HTTP (default: any)"
        ),
    )
    call_timeout_seconds: float = field(
        default=120.0,
        metadata=_about(
            values.duration("seconds", _MOST_SECONDS), "how long the call of a tool may take (default: 120)"
        ),
    )
    log_format: str = field(
        default="text", metadata=_about(values.one_of("text", "json"), "how the log is written: text or json")
    )


#: Every setting by name.
SETTINGS: Mapping[str, About] = {each.name: each.metadata["about"] for each in fields(Settings)}


def variables_of(name: str) -> tuple[str, ...]:
    """The environment variables of a setting, the one with precedence first."""
    return (PREFIX + name.upper(), *SETTINGS[name].variables)


def flag_of(name: str) -> str:
    """The setting's flag on the command line."""
    return "--" + name.replace("_", "-")
