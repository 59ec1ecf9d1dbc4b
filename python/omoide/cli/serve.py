"""`omoide serve`: serves the tools, over stdio to one client or over HTTP to many."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import omoide
from omoide.cli.common import Commands, add_command, exit_code, settings_of
from omoide.config import SETTINGS, Settings, flag_of
from omoide.errors import InvalidArgument, OmoideError, filled

if TYPE_CHECKING:
    from socket import socket

    from omoide.cli.serving import Entrance
    from omoide.server.processes.shared_state import WorkerState

_EXAMPLES = """\
  omoide serve                                  one client, on stdin and stdout
  omoide serve --http                           many, http://127.0.0.1:8765/mcp
  omoide serve --http --workers 2               the same from two processes
  omoide serve --data 記憶 --tools recallnest   one family, its own store
  omoide serve --scope project:思い出           everything stays in one scope
  OMOIDE_TOKEN=$(cat token.txt) omoide serve --http --host 0.0.0.0
"""


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    names = [name for name, about in SETTINGS.items() if about.flag]
    made = add_command(commands, "serve", run, help="serve the tools over MCP", examples=_EXAMPLES, settings=names)
    made.add_argument("--http", action="store_true", help="serve over HTTP instead of stdin and stdout")
    made.add_argument("--insecure", action="store_true", help="allow other machines to connect without a token")
    made.add_argument("--fixtures", action="store_true", help=argparse.SUPPRESS)
    made.add_argument("-v", "--verbose", action="store_true", help="log every call")


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client is gone or a signal comes."""
    settings = settings_of(arguments)
    from omoide.server import garbage_collection
    from omoide.server.monitoring import logs

    for_machines = settings.log_format == "json"
    logs.configure(sys.stderr, level=logging.INFO if arguments.verbose else logging.WARNING, as_json=for_machines)
    try:
        with garbage_collection.paused():
            _serve(arguments, settings)
    except (OmoideError, OSError) as error:
        if not for_machines:
            raise
        logs.report(error)
        return exit_code(error)
    return 0


def _serve(arguments: argparse.Namespace, settings: Settings) -> None:
    if not arguments.http:
        _refuse_flags_of_http(arguments)
    _refuse_flags_of_other_embedders(arguments, settings.embedder)
    _end_with_the_terminal()
    if arguments.http:
        _over_http(settings, insecure=arguments.insecure, with_fixtures=arguments.fixtures)
    else:
        _over_stdio(settings, _given(arguments, settings))


def _given(arguments: argparse.Namespace, settings: Settings) -> list[str]:
    """The flags of this command line, without the data folder, with paths made absolute: for the lines to paste into a client."""
    flags: list[str] = []
    for name in SETTINGS.keys() - {"data"}:
        if (given := getattr(arguments, name, None)) is None:
            continue
        flag, value = flag_of(name), getattr(settings, name)
        if SETTINGS[name].is_switch:
            flags.append(flag if given else flag.replace("--", "--no-", 1))
        else:
            # As one word: a value may begin with a dash.
            flags.append(f"{flag}={value.absolute() if isinstance(value, Path) else given}")
    return sorted(flags)


def _refuse_flags_of_http(arguments: argparse.Namespace) -> None:
    """Raise InvalidArgument if flags of HTTP are given without --http, which was probably forgotten. Variables are not checked:
    they may be set for other commands."""
    of_http = [name for name, about in SETTINGS.items() if about.http and about.flag]
    given = [flag_of(name) for name in of_http if getattr(arguments, name) is not None]
    if arguments.insecure:
        given.append("--insecure")
    if given:
        flags = ", ".join(given)
        also = filled(
            {
                "ja": "{flags} は HTTP で提供するときだけ使えます。--http を付けてください。",
                "zh": "{flags} 只能用于 HTTP 服务器。请加上 --http。",
            },
            flags=flags,
        )
        raise InvalidArgument("http", f"Only a server over HTTP takes {flags}.", hint="Add --http.", also=also)


def _refuse_flags_of_other_embedders(arguments: argparse.Namespace, embedder: str) -> None:
    """Raise InvalidArgument if a flag is given that this embedder has no use for, as --embedder was probably forgotten. Variables
    are not checked, as above."""
    given = [name for name in SETTINGS if name.startswith("embedder_") and getattr(arguments, name, None) is not None]
    if embedder == "lexical":
        unused = given
    elif embedder == "auto":
        unused = []
    else:
        unused = [name for name in given if name == "embedder_url"]
    if unused:
        flags = ", ".join(map(flag_of, unused))
        also = filled(
            {
                "ja": "{flags} は {embedder} では使われません。--embedder で http:URL などを指定するか、--embedder auto を付けてください。",
                "zh": "“{embedder}”不使用 {flags}。请用 --embedder 指定 http:URL 等，或加上 --embedder auto。",
            },
            flags=flags,
            embedder=embedder,
        )
        hint = "Name the embedder with --embedder, such as http:URL; `auto` takes the one of --embedder-url."
        raise InvalidArgument("embedder", f"The embedder {embedder} does not use {flags}.", hint=hint, also=also)


def _end_with_the_terminal() -> None:
    """End as on SIGTERM when the terminal is closed, except under `nohup`."""
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def _over_http(settings: Settings, *, insecure: bool, with_fixtures: bool) -> None:
    from omoide.cli import serving
    from omoide.server import garbage_collection
    from omoide.server.http import listening as address
    from omoide.server.processes import supervisor

    if settings.workers > 1:
        supervisor.require_fork()
    entrance = serving.entrance(settings)
    if entrance.keys is None and not insecure:
        address.refuse_strangers(settings.host, settings.public_url)
    if settings.token is not None:
        address.warn_of_guesses(settings.token, settings.host, settings.public_url)
    listening = address.listen(settings.host, settings.port)
    # Imported here, as what is wrong with the settings is told by now: all that follows takes most of a second to import.
    from omoide.server.processes.shared_state import SharedState

    shared_state = SharedState(settings.workers)

    def work(number: int, entrance: Entrance) -> None:
        _work(settings, entrance, listening, shared_state.part(number), with_fixtures=with_fixtures)

    def work_with_others(number: int) -> None:
        # Read anew in each worker: one that replaces another may start long after tokens were withdrawn.
        work(number, serving.entrance(settings))

    if settings.workers == 1:
        work(0, entrance)
    else:
        # Once for the supervisor and all workers.
        import_module("omoide.server.http.serving")
        garbage_collection.settle()
        # Closed at the end, so that new connections are refused once the workers have closed it too.
        supervisor.run(settings.workers, work_with_others, ending=listening.close, shared=shared_state)


def _work(settings: Settings, entrance: Entrance, listening: socket, part: WorkerState, *, with_fixtures: bool) -> None:
    """Serve the socket from this process."""
    from omoide.app import with_chosen_embedder
    from omoide.cli import serving
    from omoide.server import garbage_collection, greeting
    from omoide.server.http import listening as address
    from omoide.server.http import serving as http
    from omoide.server.protocol import server as protocol
    from omoide.server.protocol.elicitation import Elicitations

    metrics = serving.metrics(part)
    behind = serving.stores_of_tenants if entrance.tenants else serving.one_store
    with behind(settings, metrics, part.register) as served:
        elicitations = Elicitations()
        server = protocol.build(served.dispatcher, version=omoide.__version__, elicitations=elicitations)
        if with_fixtures:
            from omoide.server import conformance_tools

            conformance_tools.add(server)
        application = http.application(
            server,
            serving.guards(settings, entrance, metrics, part, listening.getsockname()[0]),
            metrics,
            serving.missing(served, part),
            dispatcher=served.dispatcher,
            fast_lane=settings.fast_lane,
            published=entrance.published,
            keeps_sessions=settings.workers == 1,
            elicitations=elicitations,
        )

        def greet() -> None:
            if part.number != 0:  # the others would print the same
                return
            others = "" if settings.public_url else address.said_to_others(listening)
            url = settings.public_url or address.url_of(listening)
            # Clients that sign in at an issuer find it by themselves; a header in their configuration would prevent that.
            has_tokens = settings.token is not None or settings.tokens is not None
            entry = greeting.http_entry(url, token=has_tokens)
            told = with_chosen_embedder(settings)
            greeted = greeting.greeting(told, served.dispatcher.tools, served.memories, *entry)
            _greet(f"omoide: serving {address.url_of(listening)}{others}\n{greeted}", sys.stdout)

        garbage_collection.settle()
        http.serve(application, listening, part.share, greet)


def _over_stdio(settings: Settings, flags: Sequence[str]) -> None:
    from omoide.server.stdio import serving as stdio

    with stdio.Conversation(omoide.__version__, *stdio.pipes(), fast_lane=settings.fast_lane) as conversation:
        stdio.end_by_signals(conversation)
        # From here on a client's handshake is answered, while everything else is loaded.
        from omoide.app import with_chosen_embedder
        from omoide.cli import serving
        from omoide.server import garbage_collection, greeting

        with serving.one_store(settings, first_waiting=conversation.first_waiting) as served:
            if settings.log_format == "text":  # a JSON log is for programs, which need no lines to paste
                entry = greeting.stdio_entry(settings.data, flags)
                told = with_chosen_embedder(settings)
                greeted = greeting.greeting(told, served.dispatcher.tools, served.memories, *entry)
                _greet(greeted, sys.stderr)
            if sys.stdin.isatty():  # a person has started it, and would wait for something to happen
                _greet("omoide: now a client is to speak on stdin; for many, over HTTP: --http", sys.stderr)
            garbage_collection.settle()
            conversation.serve(served.dispatcher)


def _greet(text: str, stream: TextIO) -> None:
    """Print for people. A closed stream, or a full disk under a log, must not end the server."""
    try:
        print(text, file=stream, flush=True)
    except OSError:
        with open(os.devnull, "wb") as nowhere:  # drops what is left in the buffer; later lines may be written again
            file, kept = stream.fileno(), os.dup(stream.fileno())
            os.dup2(nowhere.fileno(), file)
            stream.flush()
            os.dup2(kept, file)
            os.close(kept)
