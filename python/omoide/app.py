"""The composition root: from settings to memories and tools. Only entry points import it.

Useful for: the command line, the server, `omoide.open`, tests. Not useful for: the packages below it, which are handed what
they need as arguments.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timezone, tzinfo
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from omoide.config import Settings, can_be_folder, machine_zone, nearest
from omoide.config.values import Unusable
from omoide.embed import Embedder, Lexical
from omoide.embed.borrowed import Borrowed
from omoide.embed.choose import Choice, choose, earlier, resolved
from omoide.engine import Index, VectorStorage
from omoide.errors import Conflict, InvalidArgument, NotFound, StoreError, StoreUnreachable, filled, no_store, shown
from omoide.families.tool import Tool
from omoide.memory import Memories, argument_types
from omoide.model.memory import DEFAULT_SCOPE
from omoide.model.query import Recalled
from omoide.model.scope import covers
from omoide.store.folder_lock import locked_folder
from omoide.store.layout import STORE_FILE, folders_in, tenant_folder
from omoide.store.sqlite import SqliteStore
from omoide.store.sqlite.opening import log_of
from omoide.text import Analyzer, LexiconFiles

if TYPE_CHECKING:
    from omoide.engine.interleaving import Interleaver, Sequential

logger = logging.getLogger(__name__)

INDEX_FOLDER = "index"
MODELS_FOLDER = "models"
VECTORS_FOLDER = "vectors"
ALL_TOOLS = "all"

#: Makes the tools of one store.
Build = Callable[[Memories], list[Tool]]


def utc_now() -> datetime:
    """The machine's clock."""
    return datetime.now(timezone.utc)


class Calendar(NamedTuple):
    """A clock, the time zone of calendar days, and the first day of the week (0 = Monday .. 6 = Sunday)."""

    clock: Callable[[], datetime]
    zone: tzinfo
    week_starts: int


class Scopes(NamedTuple):
    """The scope that everything stays within, if any, and the scope that a call stores in when it names none."""

    pinned: str | None = None
    home: str = DEFAULT_SCOPE


class ServerOptions(NamedTuple):
    """What a server adds to a store: `watch`: see Memories; `redact`: see SqliteStore; `index_timeout_seconds`: see Index."""

    watch: Callable[[Recalled], None] | None = None
    redact: Callable[[StoreError], StoreError] | None = None
    index_timeout_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A store with its index, for commands that inspect them; all others use `memories`."""

    store: SqliteStore
    index: Index
    memories: Memories


def _is_embedder(value: object) -> bool:
    return isinstance(value, str) or (hasattr(value, "embed") and not isinstance(value, type))


#: How the arguments of `open_memories` are checked; settings have checks of their own (omoide.config).
_CHOICES = {
    "zone": argument_types.Kind("a tzinfo, like ZoneInfo('Asia/Tokyo')", (tzinfo,)),
    "language": argument_types.Kind("ja or zh", (str,), ("ja", "zh").__contains__),
    "week_starts": argument_types.Kind("a whole number from 0 (Monday) to 6", (int,), range(7).__contains__),
    "scope": argument_types.NAME,
    "japanese": argument_types.TEXT,
    "clock": argument_types.FUNCTION,
    "vector_storage": argument_types.Kind("f16 or i8", (str,), ("f16", "i8").__contains__),
    "embedder": argument_types.Kind("the name of an embedder, or an omoide.embed.Embedder", (object,), _is_embedder),
    "models": argument_types.Kind("the path of a folder, as a text or a Path", (str, PathLike)),
}


def open_memories(
    data: Path | str,
    *,
    clock: Callable[[], datetime] | None = None,
    zone: tzinfo | None = None,
    japanese: str = "sudachi",
    language: str | None = None,
    week_starts: int = 0,
    scope: str | None = None,
    embedder: str | Embedder = "lexical",
    models: Path | str | None = None,
    vector_storage: VectorStorage = "f16",
) -> Memories:
    """The memories kept in the folder `data`, made if absent. Call `close()` when done with them. No setting of the environment or
    of the folder's omoide.yaml counts.

    `clock` gives aware UTC datetimes (default: the machine's); `zone` is the zone of calendar days (default: the
    machine's); `language` (ja or zh) says what text of Han characters alone is; `week_starts`: 0 = Monday .. 6 = Sunday;
    `scope` pins everything to one scope; `embedder` is lexical, static:NAME, onnx:NAME, http:URL, auto or an object of your
    own (omoide.embed.Embedder), which `close` leaves open; `models` is the folder of models (default: models in `data`);
    `vector_storage` i8 takes half the memory of f16. Raises StoreError, InvalidArgument and NotFound (the embedder).
    """
    asked: dict[str, object] = {"zone": zone, "language": language, "week_starts": week_starts, "scope": scope}
    asked |= {"clock": clock, "japanese": japanese, "models": models, "vector_storage": vector_storage}
    for name, value in asked.items():
        argument_types.check_maybe(name, value, _CHOICES[name])
    argument_types.check("embedder", embedder, _CHOICES["embedder"])
    folder = _folder_of(data)
    calendar = Calendar(clock or utc_now, zone or machine_zone(), week_starts)
    chosen = embedder if isinstance(embedder, str) else _lent(embedder)
    choice = Choice(embedder=chosen, models=models_folder(folder, models), cache=folder / VECTORS_FOLDER)
    analyzer = _analyzer(folder, japanese, language)
    return _open(folder, calendar, analyzer, Scopes(scope), choice, vector_storage, ServerOptions()).memories


def _folder_of(data: object) -> Path:
    """`data` as a path. Raises InvalidArgument, also for a blank one: that would be whatever folder the program runs in."""
    if not isinstance(data, (str, PathLike)) or not str(data).strip():
        raise argument_types.wrong("data", data, "the path of a folder, as a text or a Path")
    try:
        return can_be_folder(Path(data))
    except Unusable as error:
        words = {"ja": "data に {shown} は使えません。{expected}", "zh": "data 不能是 {shown}。{expected}"}
        also = filled(words, shown=shown(data), expected=error.also)
        raise InvalidArgument("data", f"data is {shown(data)}: {error}.", also=also) from None


def require_store(settings: Settings) -> None:
    """Raise NotFound if the folder has no store of its own. For commands that only read one: a mistyped folder must not be
    made."""
    require_stores(settings)
    found = folders_in(settings.data)
    if (first := found[0]) != settings.data:
        raise NotFound(
            f"In {settings.data.absolute()} there are only the stores of tenants ({len(found):,}).",
            hint=f"Name one with --data, such as {first.absolute()}.",
            also=filled(
                {
                    "ja": "{data} にはテナントの保存先しかありません（{count} 件）。--data {first} のように指定してください。",
                    "zh": "“{data}”中只有租户的存储（{count} 个）。请用 --data 指定其中一个，例如“{first}”。",
                },
                data=settings.data.absolute(),
                count=f"{len(found):,}",
                first=first.absolute(),
            ),
        )


def require_stores(settings: Settings) -> None:
    """Raise NotFound if the folder has no store, neither its own nor a tenant's. For commands that read them all."""
    if not folders_in(settings.data):
        hint = "Name its folder with --data, or fill one with `omoide import`."
        raise no_store(settings.data.absolute(), hint)


def settings_of_stores(settings: Settings) -> list[Settings]:
    """The same settings for each store of the data folder: its own, and the tenants'."""
    return [_for_store_in(folder, settings) for folder in folders_in(settings.data)]


def tenant_settings(settings: Settings, tenant: str) -> Settings:
    """The same settings for the store of one tenant; "" is the data folder's own."""
    return _for_store_in(tenant_folder(settings.data, tenant), settings)


def _for_store_in(folder: Path, settings: Settings) -> Settings:
    """The same settings with another folder; all stores share the models of the data folder."""
    return replace(settings, data=folder, models=models_folder(settings.data, settings.models))


@contextmanager
def one_embedder(settings: Settings) -> Iterator[Embedder]:
    """The embedder that the settings choose, for many stores to share: closing one of them leaves it open."""
    with closing(_embedder_of(_choice(settings))) as embedder:
        yield _lent(embedder)


def with_chosen_embedder(settings: Settings) -> Settings:
    """The same settings with the embedder that `auto` stands for, to be told to people."""
    return replace(settings, embedder=resolved(settings.embedder, _choice(settings)))


def interleaver(cores: int) -> Interleaver | Sequential | None:
    """Lets one thread answer several calls in turn: while it runs Python for one, the searches of up to `cores` others go on.
    None if worker threads do better, or the system cannot give a thread or pipe."""
    from omoide.engine import interleaving  # imported late: a handshake must not wait for it

    if not interleaving.is_available:
        return interleaving.Sequential() if cores < 2 else None
    try:
        return interleaving.SingleThreadInterleaver() if cores < 2 else interleaving.ThreadedInterleaver(cores)
    except OSError:
        return None


def verify(found: Opened) -> list[str]:
    """Compare the index with the store; returns a sentence for each difference."""
    from omoide.memory.verify import verify as verified

    return verified(found.store, found.index)


def repair(settings: Settings, *, clock: Callable[[], datetime] = utc_now) -> list[str]:
    """Repair the store, keeping all that can be read, and drop its index, which is then rebuilt; a sentence for each step.

    Raises StoreBusy while another process repairs it, StoreError when nothing can be saved.
    """
    # Imported late: a server never repairs.
    from omoide.store.sqlite.repair import repair as repair_store

    _refuse_emptied(settings.data)
    store, index = settings.data / STORE_FILE, settings.data / INDEX_FOLDER
    with locked_folder(Path(os.path.realpath(store)).parent):  # links in two folders may lead to one store
        done = repair_store(store, now=clock())
        is_removed = _removed(index)
    if not is_removed:
        raise StoreUnreachable(
            " ".join([*done, f"The index {index} could not be removed."]),
            hint="Remove it as the user whom it belongs to; it is made anew.",
        )
    return [*done, "Removed the index; it is made anew."]


def _removed(index: Path) -> bool:
    """Remove the index; where it is a link, to another disk, say, the builds in the folder that it leads to. False: some of it is
    left."""
    parts = [each for each in index.glob("*") if each.is_dir()] if index.is_symlink() else [index]
    for part in parts:
        shutil.rmtree(part, ignore_errors=True)
    return not any(part.exists() for part in parts)


@contextmanager
def opened(
    settings: Settings,
    *,
    clock: Callable[[], datetime] = utc_now,
    watch: Callable[[Recalled], None] | None = None,
    embedder: Embedder | None = None,
    redact: Callable[[StoreError], StoreError] | None = None,
) -> Iterator[Opened]:
    """The store, index and memories that the settings point at, closed at the end of the block. `watch`: see Memories;
    `embedder` replaces the one of the settings; `redact`: see SqliteStore."""
    choice = _choice(settings)
    choice = choice if embedder is None else replace(choice, embedder=embedder)
    analyzer = _analyzer(settings.data, settings.japanese, settings.language)
    calendar = Calendar(clock, settings.zone, settings.week_starts)
    scopes = Scopes(settings.scope, _home(settings))
    server = ServerOptions(watch, redact, settings.index_timeout_seconds)
    found = _open(settings.data, calendar, analyzer, scopes, choice, settings.vector_storage, server)
    try:
        yield found
    finally:
        found.memories.close()


def tools(memories: Memories, settings: Settings) -> list[Tool]:
    """The tools of `toolbox`, for one store alone."""
    return toolbox(settings)(memories)


def toolbox(settings: Settings) -> Build:
    """A function that makes the tools of a store, for any number of stores. Files that the settings name are read once, now.

    The function returns the tools that `settings.tools` chooses (families, tool names, or `all`), each of them listed; without
    a choice every tool, those on request unlisted. The order is fixed. It raises InvalidArgument (an unknown name) and
    Conflict (two tools of one name); `toolbox` itself raises InvalidArgument (a file that cannot be used).
    """
    families = [family(settings) for family in _FAMILIES.values()]
    return lambda memories: _selected([tool for build in families for tool in build(memories)], settings)


def _selected(offered: list[Tool], settings: Settings) -> list[Tool]:
    _refuse_namesakes(offered)
    chosen = set(settings.tools)
    known = {tool.name for tool in offered} | _FAMILIES.keys() | {ALL_TOOLS}
    for name in settings.tools:
        if name not in known:
            meant = nearest(name, known)
            words = {
                "ja": "{name} というツールもファミリーもありません。{meant}",
                "zh": "没有名为“{name}”的工具或工具组。{meant}",
            }
            also = filled(words, name=name, meant=meant)
            raise InvalidArgument("tools", f"{name!r} is neither a family nor a tool.", hint=meant["en"], also=also)
    if not chosen:
        return offered
    return [replace(tool, on_request=False) for tool in offered if chosen & {tool.name, tool.family, ALL_TOOLS}]


def tools_offered(settings: Settings, build: Build | None = None) -> list[Tool]:
    """The same tools over an empty store, for commands that only list them. `build`: the settings' toolbox, if it has been made
    already."""
    store = SqliteStore(":memory:", clock=utc_now)
    analyzer = _analyzer(settings.data, settings.japanese, settings.language)
    memories = Memories(store, Index(store, analyzer), clock=utc_now, zone=settings.zone, scope=settings.scope)
    return (build or toolbox(settings))(memories)


def _analyzer(folder: Path, japanese: str, language: str | None) -> Analyzer:
    return Analyzer(japanese, language=language, files=LexiconFiles(folder))


def models_folder(data: Path, models: Path | str | None) -> Path:
    """The folder of embedding models."""
    return data / MODELS_FOLDER if models is None else Path(os.path.expanduser(models))


def _choice(settings: Settings) -> Choice:
    return Choice(
        embedder=settings.embedder,
        url=settings.embedder_url,
        model=settings.embedder_model,
        key=settings.embedder_key,
        prefixes={"query": settings.embedder_query_prefix, "passage": settings.embedder_passage_prefix},
        dimensions=settings.embedder_dimensions,
        threads=settings.embedder_threads,
        timeout_seconds=settings.embedder_timeout_seconds,
        models=models_folder(settings.data, settings.models),
        cache=settings.data / VECTORS_FOLDER,
    )


def _lent(embedder: Embedder) -> Embedder:
    """The same embedder, but its user cannot close it. The built-in one stays as it is: there is nothing to close, and the
    engine recognizes its type."""
    return embedder if isinstance(embedder, Lexical) else Borrowed(embedder)


def _open(
    folder: Path,
    calendar: Calendar,
    analyzer: Analyzer,
    scopes: Scopes,
    choice: Choice,
    storage: VectorStorage,
    server: ServerOptions,
) -> Opened:
    _refuse_emptied(folder)
    with ExitStack() as unfinished:  # closes what is open when the next part cannot be made
        embedder = unfinished.enter_context(closing(_embedder_of(choice)))
        store = unfinished.enter_context(SqliteStore(folder / STORE_FILE, clock=calendar.clock, redact=server.redact))
        index = Index(
            store,
            analyzer,
            folder=folder / INDEX_FOLDER,
            embedder=embedder,
            embedder_by_identity=lambda identity: earlier(identity, choice),
            storage=storage,
            timeout_seconds=server.index_timeout_seconds,
        )
        memories = Memories(
            store,
            index,
            clock=calendar.clock,
            zone=calendar.zone,
            week_starts=calendar.week_starts,
            scope=scopes.pinned,
            home=scopes.home,
            watch=server.watch,
        )
        unfinished.pop_all()  # closing the memories closes them from now on
    return Opened(store, index, memories)


def _refuse_emptied(folder: Path) -> None:
    """Raise StoreError if the store is empty or gone but its index is still there: a new store in its place would hide the
    loss."""
    store, index = folder / STORE_FILE, folder / INDEX_FOLDER
    if os.path.isdir(index) and not (store.exists() and store.stat().st_size) and not log_of(store).exists():
        raise StoreError(
            f"The store {store} is empty or gone, but the index of its memories is there: something else removed it.",
            hint=f"Put the last backup in its place; or remove {index} to begin anew.",
        )


def _embedder_of(choice: Choice) -> Embedder:
    embedder = choose(choice)
    if not embedder.semantic and isinstance(choice.embedder, str):
        logger.info("the embedder %s compares spelling, not meaning", embedder.name)
    return embedder


def _refuse_namesakes(offered: list[Tool]) -> None:
    families: dict[str, str] = {}
    for tool in offered:
        if tool.name in families:
            raise _two_tools_called(tool.name, families[tool.name], tool.family)
        families[tool.name] = tool.family


def _two_tools_called(name: str, one: str, other: str) -> Conflict:
    words = {
        "ja": "{one} と {other} のどちらにも {name} というツールがあります。archetype のファイルにあるほうの名前を変えてください。",
        "zh": "{one} 和 {other} 都有名为 {name} 的工具。请更改 archetype 文件中那一个的名称。",
    }
    return Conflict(
        f"Both {one} and {other} offer a tool {name!r}.",
        hint="Rename the one in the archetype file.",
        also=filled(words, one=one, other=other, name=repr(name)),
    )


def _home(settings: Settings) -> str:
    """The scope that a tool without a scope of its own stores in."""
    session = None if settings.session is None else f"session:{settings.session}"
    return _default_scope(settings) or session or DEFAULT_SCOPE


def _default_scope(settings: Settings) -> str | None:
    """The scope of calls that name none, if one is set. A `default_scope` outside of the pinned scope does not count: it may be set
    for other processes, too."""
    pinned, default = settings.scope, settings.default_scope
    return default if default and (pinned is None or covers(pinned, default)) else pinned


# Families are imported when their tools are built: `omoide.open` and half of the commands need none.


def _fegis(settings: Settings) -> Build:
    from omoide.families import fegis

    signed = {} if settings.agent_id is None else {"agent_id": settings.agent_id}
    archetype = None if settings.archetype is None else fegis.load_archetype(settings.archetype)
    return partial(fegis.tools, options=fegis.Options(archetype=archetype, **signed))


def _recallnest(settings: Settings) -> Build:
    from omoide.families import recallnest

    options = recallnest.Options(
        default_scope=_default_scope(settings),
        session=settings.session,
        require_scope=settings.require_scope,
        related_scopes=settings.related_scopes,
        reconstruct=settings.constructive_retrieval,
        ask=_ask(settings),
    )
    return partial(recallnest.tools, options=options)


def _ask(settings: Settings) -> Callable[[str, str], str] | None:
    """A function that asks the chat endpoint; None if none is set."""
    if settings.llm_url is None or settings.llm_model is None:
        return None
    from omoide.chat import ChatEndpoint

    chat = ChatEndpoint(
        settings.llm_url, settings.llm_model, settings.llm_key, timeout_seconds=settings.llm_timeout_seconds
    )
    return chat.ask


def _textrawl(settings: Settings) -> Build:
    from omoide.families import textrawl

    options = textrawl.Options(compact_responses=settings.compact_responses, enable_memory=settings.enable_memory)
    return partial(textrawl.tools, options=options)


def _chronica(settings: Settings) -> Build:
    from omoide.families import chronica

    def build(memories: Memories) -> list[Tool]:
        options = chronica.Options(scope=settings.scope, home=memories.home, language=settings.chronica_language)
        return chronica.tools(memories, options)

    return build


def _contextplus(_: Settings) -> Build:
    from omoide.families import contextplus

    return contextplus.tools


_FAMILIES: Mapping[str, Callable[[Settings], Build]] = {
    "fegis": _fegis,
    "recallnest": _recallnest,
    "textrawl": _textrawl,
    "chronica": _chronica,
    "contextplus": _contextplus,
}
