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
    """How a setting is read. `metavar`: its value in --help; `variables`: environment variables that are looked up, in this order,
    if OMOIDE_<NAME> is absent; `flag`, `file`: whether it may be given there; `http`: whether only a server over HTTP uses it."""

    parse: Callable[[object], Any]
    help: str
    metavar: str = ""
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
    metavar: str = "",
    flag: bool = True,
    file: bool = True,
    http: bool = False,
) -> dict[str, About]:
    return {"about": About(parse, help, metavar, variables, flag, file, http)}


_about_http = partial(_about, http=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a process; docs/configuration.md describes each."""

    data: Path = field(
        metadata=_about(
            values.folder, "folder of the store and its index (default: ~/.omoide)", file=False, metavar="DIR"
        )
    )
    zone: tzinfo = field(
        metadata=_about(
            values.zone,
            "IANA time zone, such as Asia/Tokyo, for dates and days (default: the machine's)",
            metavar="ZONE",
        )
    )
    japanese: str = field(
        default="sudachi",
        metadata=_about(
            values.one_of("sudachi", "fugashi"),
            "Japanese analyser: sudachi (default) or fugashi",
            metavar="sudachi|fugashi",
        ),
    )
    week_starts: int = field(
        default=0,
        metadata=_about(values.weekday, "first day of a week: monday (default), sunday or saturday", metavar="DAY"),
    )
    language: str | None = field(
        default=None,
        metadata=_about(
            values.one_of("ja", "zh"),
            "language of text that has only Han characters: ja or zh (default: it is read as both)",
            metavar="ja|zh",
        ),
    )
    embedder: str = field(
        default="lexical",
        metadata=_about(
            values.name,
            "what makes vectors of texts: lexical (default), static:NAME, onnx:NAME, http:URL or auto",
            metavar="NAME",
        ),
    )
    embedder_url: str | None = field(
        default=None,
        metadata=_about(
            values.endpoint, "OpenAI-compatible embeddings endpoint that --embedder auto uses", metavar="URL"
        ),
    )
    embedder_model: str = field(
        default="", metadata=_about(values.name, "model to request from the embeddings endpoint", metavar="NAME")
    )
    embedder_key: Secret | None = field(
        default=None, metadata=_about(values.secret, "key of the embeddings endpoint", flag=False)
    )
    embedder_query_prefix: str = field(
        default="",
        metadata=_about(values.text, "what the model expects before a question, such as 'query: '", metavar="TEXT"),
    )
    embedder_passage_prefix: str = field(
        default="",
        metadata=_about(
            values.text, "what the model expects before a stored text, such as 'passage: '", metavar="TEXT"
        ),
    )
    embedder_dimensions: int | None = field(
        default=None,
        metadata=_about(
            values.count(_MOST),
            "how many numbers of each vector to keep, from the first (for Matryoshka models; default: all)",
            metavar="N",
        ),
    )
    embedder_threads: int | None = field(
        default=None,
        metadata=_about(
            values.count(_MOST), "how many cores an ONNX model may use (default: half of all)", metavar="N"
        ),
    )
    embedder_timeout_seconds: float = field(
        default=30.0,
        metadata=_about(
            values.duration("seconds", _MOST_SECONDS),
            "seconds that the embeddings endpoint may take for a batch (default: 30)",
            metavar="SECONDS",
        ),
    )
    vector_storage: Literal["f16", "i8"] = field(
        default="f16",
        metadata=_about(
            values.one_of("f16", "i8"),
            "numbers of vectors in memory: f16 (default), or i8, which takes half the memory",
            metavar="f16|i8",
        ),
    )
    models: Path | None = field(
        default=None,
        metadata=_about(values.path, "folder of embedding models (default: models in the data folder)", metavar="DIR"),
    )
    tools: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            values.names,
            "families and tools to offer (`omoide tools` lists them), separated by commas, or `all` (default: each "
            "family's tools to search and save)",
            metavar="NAMES",
        ),
    )
    scope: str | None = field(
        default=None,
        metadata=_about(
            values.name,
            "limit everything this process reads and writes to this scope and those under it",
            metavar="NAME",
        ),
    )
    default_scope: str | None = field(
        default=None,
        metadata=_about(
            values.name,
            "scope of calls of search_memory, and of calls that store, if they name none (default: global)",
            "RECALLNEST_DEFAULT_SCOPE",
            "RECALLNEST_SCOPE",
            "RECALLNEST_PROJECT_SCOPE",
            metavar="NAME",
        ),
    )
    session: str | None = field(
        default=None,
        metadata=_about(
            values.name,
            "name of the session; session:NAME is the default scope if no other is set",
            "RECALLNEST_SESSION_ID",
            metavar="NAME",
        ),
    )
    require_scope: bool = field(
        default=False,
        metadata=_about(
            values.switch, "refuse calls of search_memory and the other tools of recallnest that name no scope"
        ),
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
            values.switch,
            "let search_memory send the texts it finds to the chat endpoint, if the call sets reconstruct",
            "RECALLNEST_CONSTRUCTIVE_RETRIEVAL",
        ),
    )
    llm_url: str | None = field(
        default=None,
        metadata=_about(
            values.endpoint, "OpenAI-compatible chat endpoint, such as http://127.0.0.1:11434/v1", metavar="URL"
        ),
    )
    llm_model: str | None = field(
        default=None, metadata=_about(values.name, "model to request from the chat endpoint", metavar="NAME")
    )
    llm_timeout_seconds: float = field(
        default=20.0,
        metadata=_about(
            values.duration("seconds", _MOST_SECONDS),
            "seconds that the chat endpoint may take for an answer (default: 20)",
            metavar="SECONDS",
        ),
    )
    llm_key: Secret | None = field(default=None, metadata=_about(values.secret, "key of the chat endpoint", flag=False))
    enable_memory: bool = field(
        default=True,
        metadata=_about(
            values.switch, "let query_memory and the other tools of textrawl work (default: on)", "ENABLE_MEMORY"
        ),
    )
    compact_responses: bool = field(
        default=True,
        metadata=_about(
            values.switch,
            "use short keys in the texts that query_memory and the other tools of textrawl answer with (default: on)",
            "COMPACT_RESPONSES",
        ),
    )
    archetype: Path | None = field(
        default=None,
        metadata=_about(
            values.path,
            "YAML file that defines the storing tools of fegis (default: a built-in one)",
            "ARCHETYPE_PATH",
            metavar="FILE",
        ),
    )
    chronica_language: str = field(
        default="ja",
        metadata=_about(
            values.one_of("ja", "en", "zh", "zh-Hant"),
            "language of chronica's opening and tick: ja (default), en, zh or zh-Hant",
            metavar="ja|en|zh|zh-Hant",
        ),
    )
    agent_id: str | None = field(
        default=None,
        metadata=_about(
            values.name,
            "name recorded as the author of what the fegis tools store (default: default-agent)",
            "AGENT_ID",
            metavar="NAME",
        ),
    )
    session_idle_minutes: float = field(
        default=30.0,
        metadata=_about_http(
            values.duration("minutes", _MOST_MINUTES),
            "minutes without calls after which a client without a connection begins a new session (default: 30)",
            metavar="MINUTES",
        ),
    )
    host: str = field(
        default="127.0.0.1",
        metadata=_about_http(values.host, "address to listen on over HTTP (default: 127.0.0.1)", metavar="ADDRESS"),
    )
    port: int = field(
        default=8765,
        metadata=_about_http(
            values.port, "port to listen on over HTTP; 0 takes any free one (default: 8765)", metavar="PORT"
        ),
    )
    workers: int = field(
        default=1,
        metadata=_about_http(
            values.count(_MOST_PROCESSES),
            "how many processes serve over HTTP, all from one store (default: 1)",
            metavar="N",
        ),
    )
    fast_lane: bool = field(
        default=True,
        metadata=_about(
            values.switch, "answer ordinary tool calls without going through the protocol SDK (default: on)"
        ),
    )
    token: Secret | None = field(
        default=None,
        metadata=_about_http(values.secret, "clients must send `Authorization: Bearer <token>` over HTTP", flag=False),
    )
    tokens: Path | None = field(
        default=None,
        metadata=_about_http(
            values.path,
            "file of tokens that `omoide token` makes, each for a tenant with a store of its own",
            metavar="FILE",
        ),
    )
    tenants_open: int = field(
        default=100,
        metadata=_about_http(
            values.count(_MOST), "how many tenants' stores stay open over HTTP (default: 100)", metavar="N"
        ),
    )
    public_url: str | None = field(
        default=None,
        metadata=_about_http(
            values.url, "URL under which clients reach /mcp, if a proxy gives it another", metavar="URL"
        ),
    )
    oauth_issuer: str | None = field(
        default=None,
        metadata=_about_http(
            values.url, "authorization server whose tokens (JWT) are accepted over HTTP", metavar="URL"
        ),
    )
    oauth_jwks: str | None = field(
        default=None,
        metadata=_about_http(
            values.name, "keys of the authorization server (JWKS): an https:// address or a file", metavar="URL|FILE"
        ),
    )
    oauth_audience: str | None = field(
        default=None,
        metadata=_about_http(
            values.name, "audience that its tokens must name (default: the public URL)", metavar="NAME"
        ),
    )
    oauth_tenant: str = field(
        default="sub",
        metadata=_about_http(values.name, "claim of its tokens that names the tenant (default: sub)", metavar="CLAIM"),
    )
    rate_limit: int | None = field(
        default=None,
        metadata=_about_http(
            values.count(_MOST), "requests a second that one token may make over HTTP (default: no limit)", metavar="N"
        ),
    )
    concurrent_limit: int | None = field(
        default=None,
        metadata=_about_http(
            values.count(_MOST), "requests that one token may have under way over HTTP (default: no limit)", metavar="N"
        ),
    )
    call_timeout_seconds: float = field(
        default=120.0,
        metadata=_about(
            values.duration("seconds", _MOST_SECONDS),
            "seconds that the call of a tool may take (default: 120)",
            metavar="SECONDS",
        ),
    )
    index_timeout_seconds: float = field(
        default=20.0,
        metadata=_about(
            values.duration("seconds", _MOST_SECONDS),
            "seconds that a call waits while much is being indexed (default: 20)",
            metavar="SECONDS",
        ),
    )
    log_format: str = field(
        default="text",
        metadata=_about(
            values.one_of("text", "json"), "format of the log: text (default) or json", metavar="text|json"
        ),
    )


#: Every setting by name.
SETTINGS: Mapping[str, About] = {each.name: each.metadata["about"] for each in fields(Settings)}


def variables_of(name: str) -> tuple[str, ...]:
    """The environment variables of a setting, the one with precedence first."""
    return (PREFIX + name.upper(), *SETTINGS[name].variables)


def flag_of(name: str) -> str:
    """The setting's flag on the command line."""
    return "--" + name.replace("_", "-")
