"""The parts of `omoide serve`: the memories behind a dispatcher, and the guards in front of it."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import fields
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from omoide.app import (
    Opened,
    interleaver,
    one_embedder,
    opened,
    tenant_settings,
    toolbox,
    tools,
    tools_offered,
    utc_now,
)
from omoide.cli import dictionaries
from omoide.cli.following import Following
from omoide.config import Settings
from omoide.errors import InvalidArgument, OmoideError, StoreError, filled
from omoide.families.tool import Tool
from omoide.model.query import Recalled
from omoide.server import file_limits
from omoide.server.calls import provenance
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import Register, Sessions
from omoide.server.calls.workspaces import OneWorkspace, Workspace, Workspaces, workspace_of
from omoide.server.http.public_errors import redactor
from omoide.text.detect import has_han

if TYPE_CHECKING:  # what only HTTP needs is imported in functions that only HTTP calls
    from omoide.server.http.guards import Authentication, Guards, Paths
    from omoide.server.monitoring.metrics import Metrics
    from omoide.server.processes.shared_state import WorkerState

logger = logging.getLogger(__name__)


class Served(NamedTuple):
    """A dispatcher, how many memories are behind it (None: each tenant has its own), and what is missing before it can serve (a
    sentence, or "")."""

    dispatcher: Dispatcher
    memories: int | None
    missing: Callable[[], str]


@contextmanager
def one_store(
    settings: Settings,
    metrics: Metrics | None = None,
    register: Register | None = None,
    first_waiting: Callable[[], str] = str,
) -> Iterator[Served]:
    """The store of the data folder; its index is brought up to date in the background. `first_waiting` returns what the client
    has asked so far, or ""."""
    with opened(settings, watch=_watch(metrics), redact=redactor("the store") if metrics else None) as found:
        needed = dictionaries.needed_by_all() if metrics else dictionaries.needed_by_one(settings, found.store)
        dictionaries.read_ahead(settings, needed, first_waiting())
        offered = tools(found.memories, settings)
        # Over stdio, where nothing is measured, the session is the process.
        sessions = _sessions(settings, register) if metrics else Sessions(utc_now)
        if metrics:
            file_limits.allow_all()
            metrics.show(lambda: _sizes([found]))
        workspace = OneWorkspace(workspace_of(offered, sessions, found.memories.usual_language))
        dispatcher = _dispatcher(settings, offered, workspace, metrics)
        with found.store.read() as reader:
            count = reader.count_memories()
        # Started last: it would compete for the interpreter with every import and read above.
        with closing(Following(found)) as following:
            try:
                yield Served(dispatcher, count, following.missing)
            finally:
                found.index.close_embedder()  # ahead of the rest, so that the end does not wait for one that hangs


@contextmanager
def stores_of_tenants(settings: Settings, metrics: Metrics, register: Register | None = None) -> Iterator[Served]:
    """A store for each tenant, opened when one of its calls comes; one embedder for all of them."""
    from omoide.server.calls.tenants import Tenants

    # Made once, so that every store has the same tools, even if the files that define them change.
    build = toolbox(settings)
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    file_limits.allow_all()
    dictionaries.read_ahead(settings, dictionaries.needed_by_all())
    open_now: dict[int, Opened] = {}
    # A store that is measured is not closed meanwhile: that would be logged as a fault of it.
    measuring = threading.Lock()
    known = register or Register()

    @contextmanager
    def workspace(tenant: str) -> Iterator[Workspace]:
        own, redact = tenant_settings(settings, tenant), redactor(f"the store of tenant {tenant!r}")
        with _redacted(redact), opened(own, watch=_watch(metrics), embedder=embedder, redact=redact) as found:
            workspace = workspace_of(
                build(found.memories), _sessions(settings, known, tenant), found.memories.usual_language
            )
            open_now[id(found)] = found
            try:
                yield workspace
            finally:
                with measuring:
                    del open_now[id(found)]

    def sizes() -> Iterable[tuple[str, str, float]]:
        with measuring:
            return [("stores_open", "Stores open at present.", len(tenants)), *_sizes([*open_now.values()])]

    # The embedder is closed before the stores, each of which would wait for one that hangs.
    with closing(Tenants(workspace, most=_most_open(settings))) as tenants, one_embedder(settings) as embedder:
        metrics.show(sizes)
        dispatcher = _dispatcher(settings, tools_offered(settings, build), tenants, metrics)
        yield Served(dispatcher, None, lambda: _missing_folder(settings))


@contextmanager
def _redacted(redact: Callable[[OmoideError], StoreError]) -> Iterator[None]:
    """Replace an error from opening a tenant's store by one without its path, which clients may see."""
    try:
        yield
    except OmoideError as error:
        raise redact(error) from error


def entrance(settings: Settings) -> Entrance:
    """Who may come in. Raises InvalidArgument (settings that do not go together, a file that cannot be used)."""
    given = _OAuth.of(settings)
    from omoide.server.access.tokens import Authenticator, OneToken, TokenFile, Verifier

    verifiers: list[Verifier] = [] if settings.token is None else [OneToken(settings.token)]
    if settings.tokens is not None:
        verifiers.append(TokenFile(settings.tokens))
    if given is None:
        return Entrance(
            Authenticator(verifiers) if verifiers else None, tenants=settings.tokens is not None, published={}
        )
    from omoide.server.access import oauth
    from omoide.server.access.jwks_source import source
    from omoide.server.http.places import most_connections

    jwks = oauth.Jwks(source(given.jwks), connections=most_connections)
    advertised = oauth.advertised(given.resource)
    verifier = oauth.JwtVerifier(
        jwks,
        issuer=given.issuer,
        audience=given.audience,
        aliases=[advertised] if given.audience == given.resource else [],
    )
    url, published = oauth.metadata(given.resource, given.issuer)
    return Entrance(
        Authenticator([*verifiers, oauth.OAuth(verifier, settings.oauth_tenant, url)], url), True, published
    )


def guards(settings: Settings, entrance: Entrance, metrics: Metrics, part: WorkerState, address: str) -> Guards:
    """The guards in front of every request to one of the processes of a server, which listens on that address."""
    from omoide.server.access.limits import Limits
    from omoide.server.http.guards import Guards, NoAuthentication
    from omoide.server.http.places import most_connections
    from omoide.server.http.serving import hosts

    limits = Limits(
        settings.rate_limit,
        settings.concurrent_limit,
        request_counts=part.request_counts,
        process=part.number,
        connections=most_connections(),
    )
    names = hosts((settings.host, address), settings.public_url, needs_token=entrance.keys is not None)
    return Guards(names, entrance.keys or NoAuthentication(), limits, metrics.refused)


def metrics(part: WorkerState) -> Metrics:
    """The metrics of one of the processes of a server; where there are several, it can show those of all."""
    from omoide.server.monitoring.metrics import Metrics

    intercom, number = part.intercom, part.number
    if intercom is None:
        return Metrics()
    made = Metrics(number, lambda: intercom.ask_others(number, "metrics"))
    intercom.answer(number, "metrics", made.dump)
    return made


def missing(served: Served, part: WorkerState) -> Callable[[], str]:
    """What is missing before a process of the server can serve; where there are several, before all can."""
    from omoide.server.http.health import missing_of_all

    return served.missing if part.intercom is None else missing_of_all(served.missing, part.number, part.intercom)


def _refuse_half_of_oauth(settings: Settings) -> None:
    """Raise InvalidArgument if settings of OAuth are set without the issuer: the server would then ask for no token at all."""
    for setting in fields(settings):
        if setting.name.startswith("oauth_") and getattr(settings, setting.name) != setting.default:
            raise _needs_too(setting.name, "oauth_issuer")


def _needs_too(setting: str, missing: str) -> InvalidArgument:
    also = filled(
        {
            "ja": "{setting} には {missing} も必要です。`omoide serve --help` に説明があります。",
            "zh": "{setting} 还需要 {missing}。说明见 `omoide serve --help`。",
        },
        setting=setting,
        missing=missing,
    )
    hint = "`omoide serve --help` says what it is."
    return InvalidArgument(setting, f"{setting} needs {missing} too.", hint=hint, also=also)


class Entrance(NamedTuple):
    """Who may come in. `keys` None: no token is needed. `tenants`: tokens belong to tenants. `published`: paths that are open to
    anyone."""

    keys: Authentication | None
    tenants: bool
    published: Paths


class _OAuth(NamedTuple):
    issuer: str
    jwks: str
    resource: str
    audience: str

    @classmethod
    def of(cls, settings: Settings) -> _OAuth | None:
        """None: OAuth is not used. Raises InvalidArgument (one of them is missing)."""
        if settings.oauth_issuer is None:
            _refuse_half_of_oauth(settings)
            return None
        for name in ("oauth_jwks", "public_url"):
            if getattr(settings, name) is None:
                raise _needs_too("oauth_issuer", name)
        issuer, jwks, resource = settings.oauth_issuer, settings.oauth_jwks or "", settings.public_url or ""
        return cls(issuer, jwks, resource, settings.oauth_audience or resource)


def _dispatcher(
    settings: Settings,
    offered: Sequence[Tool],
    workspaces: Workspaces,
    metrics: Metrics | None,
) -> Dispatcher:
    own = partial(interleaver, _cores() // settings.workers)
    seconds = settings.call_timeout_seconds
    return Dispatcher(
        offered,
        workspaces,
        metrics,
        seconds=seconds,
        interleaver=own,
        language=lambda text: settings.language if has_han(text) else None,
    )


def _cores() -> int:
    """How many cores this process may use, together with the other workers."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows
        return os.cpu_count() or 1


def _sessions(settings: Settings, register: Register | None, tenant: str = "") -> Sessions:
    """The sessions of one store. The register keeps the present one while the store is closed, and shares it with other
    processes."""
    return Sessions(utc_now, timedelta(minutes=settings.session_idle_minutes), register, tenant)


def _watch(metrics: Metrics | None) -> Callable[[Recalled], None]:
    """A function to call with every answered search: it notes where the hits come from and how long the stages took."""

    def watch(recalled: Recalled) -> None:
        provenance.note(recalled)
        if metrics is not None:
            metrics.record_stages(recalled.stages)

    return watch


def _most_open(settings: Settings) -> int:
    """How many tenants' stores stay open: `tenants_open`, or fewer where the process may not open enough files."""
    most = file_limits.for_stores(file_limits.allowed())
    if most < settings.tenants_open:
        told = "tenants_open is %d, but of the %d files that this process may open (ulimit -n) there are enough for %d stores"
        logger.warning(told, settings.tenants_open, file_limits.allowed(), most)
    return min(most, settings.tenants_open)


def _missing_folder(settings: Settings) -> str:
    return "" if os.access(settings.data, os.R_OK | os.X_OK) else "the data folder cannot be read"


def _sizes(open_now: Sequence[Opened]) -> Iterable[tuple[str, str, float]]:
    """(name, meaning, value) for all open stores together."""
    states, stores = [], 0
    for each in open_now:
        with suppress(StoreError):  # its files are gone, say, which has been logged
            states.append(each.index.state())
            stores += each.store.size()
    yield "index_lag_changes", "Committed changes not followed yet.", sum(each.newest - each.applied for each in states)
    yield "memories", "Memories indexed.", sum(each.stats.documents for each in states)
    yield "index_bytes", "Indexes in memory.", sum(size for each in states for _, size in each.stats.bytes)
    yield "store_bytes", "Files of the stores.", stores
