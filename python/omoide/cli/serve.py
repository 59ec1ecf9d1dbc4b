"""`omoide serve`: the tools, over stdio for one client or over HTTP for many."""

from __future__ import annotations

import argparse
import logging
import sys
import threading
from datetime import timedelta
from typing import TYPE_CHECKING

import omoide
from omoide.cli.common import Commands, add_command, settings_of
from omoide.config import SETTINGS, Settings
from omoide.errors import OmoideError

if TYPE_CHECKING:
    from omoide.app import Opened

logger = logging.getLogger(__name__)

_EXAMPLES = """\
  omoide serve                                       one client, on stdin and stdout
  omoide serve --http                                many clients, http://127.0.0.1:8765/mcp
  omoide serve --data ~/記憶 --tools recallnest      one family, its own store
  omoide serve --scope project:思い出                everything stays in one scope
  OMOIDE_TOKEN=… omoide serve --http --host 0.0.0.0 --insecure
"""


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    names = [name for name, about in SETTINGS.items() if about.flag]
    made = add_command(commands, "serve", run, help="serve the tools over MCP", examples=_EXAMPLES, settings=names)
    made.add_argument("--http", action="store_true", help="serve over HTTP instead of stdin and stdout")
    made.add_argument("--insecure", action="store_true", help="allow a --host that other machines can reach")
    made.add_argument("--fixtures", action="store_true", help=argparse.SUPPRESS)
    made.add_argument("-v", "--verbose", action="store_true", help="log more")


def run(arguments: argparse.Namespace) -> int:
    """Serve until there is nobody left, or a signal."""
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.INFO if arguments.verbose else logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    settings = settings_of(arguments)
    from omoide.app import opened

    with opened(settings) as found:
        threading.Thread(target=_index, args=(found,), daemon=True).start()
        if arguments.http:
            _over_http(found, settings, insecure=arguments.insecure, with_fixtures=arguments.fixtures)
        else:
            _over_stdio(found, settings)
    return 0


def _index(opened: Opened) -> None:
    """Ahead of the first search, which would wait for it."""
    try:
        opened.index.catch_up()
    except OmoideError as error:
        logger.warning("the index could not be prepared: %s", error)


def _over_http(opened: Opened, settings: Settings, *, insecure: bool, with_fixtures: bool) -> None:
    from omoide.app import tools, utc_now
    from omoide.server import greeting, http, protocol
    from omoide.server.sessions import Sessions

    offered = tools(opened.memories, settings)
    listening = http.listen(settings.host, settings.port, insecure=insecure)
    sessions = Sessions(utc_now, idle=timedelta(minutes=settings.session_idle_minutes))
    server = protocol.build(offered, sessions, version=omoide.__version__)
    if with_fixtures:
        from omoide.server import fixtures

        fixtures.add(server)
    url = http.url_of(listening)
    entry = greeting.http_entry(url, token=settings.token is not None)
    print(f"omoide: serving {url}")
    print(greeting.greeting(settings, offered, opened.memories.counts().memories, *entry), flush=True)
    http.serve(server, listening, host=settings.host, token=settings.token)


def _over_stdio(opened: Opened, settings: Settings) -> None:
    from omoide.app import tools, utc_now
    from omoide.server import greeting, protocol, stdio
    from omoide.server.sessions import Sessions

    offered = tools(opened.memories, settings)
    server = protocol.build(offered, Sessions(utc_now), version=omoide.__version__)
    entry = greeting.stdio_entry(settings.data)
    print(greeting.greeting(settings, offered, opened.memories.counts().memories, *entry), file=sys.stderr, flush=True)
    stdio.serve(server)
