"""What the processes of one server share: made before they are forked, handed to each with its number.

Useful for: `omoide serve --workers`; a server of one process has a part that it shares with nobody.
Invariant: a process that dies takes nothing with it that the others wait for.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Literal, NamedTuple

from omoide.server.access.limits import Ledger
from omoide.server.calls.sessions import Register
from omoide.server.processes.dealing import Share, Tally

logger = logging.getLogger(__name__)

#: Who has not said in this time what it was asked, is busy or gone.
ASKED_SECONDS = 1.0
_LEAST_SECONDS = 0.01
_CHUNK_BYTES = 1 << 16
_TOPIC_BYTES = 64

#: What a process can be asked of.
Topic = Literal["metrics", "missing"]
Tell = Callable[[], bytes]


class Together:
    """Of so many processes."""

    def __init__(self, processes: int) -> None:
        several = processes > 1
        self._tally = Tally(processes) if several else None
        self._intercom = Intercom(processes) if several else None
        self._ledger = Ledger(processes)
        self._register = Register(processes)

    def part(self, number: int) -> Part:
        """What the process of that number has of it."""
        share = None if self._tally is None else self._tally.of(number)
        return Part(number, self._ledger, self._register, share, self._intercom)

    def serves(self, number: int) -> bool:
        """Whether the process of that number takes clients."""
        return self._tally is not None and self._tally.of(number).is_open

    def lost(self, number: int) -> None:
        """The process of that number has ended: nobody is left to it, and what it had under way counts for nobody."""
        self._ledger.empty(number)
        if self._tally is not None:
            self._tally.of(number).close()


class Part(NamedTuple):
    """Where a process is not alone, it has a `share` of the connections, and can ask the others by `intercom`."""

    number: int
    ledger: Ledger
    register: Register
    share: Share | None = None
    intercom: Intercom | None = None


class Intercom:
    """Each process can ask all others for what they have to tell: it hands them one end of a pipe, and the name of a topic."""

    def __init__(self, processes: int) -> None:
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(processes)]
        self._towards = [pair[0] for pair in pairs]
        self._asked = [pair[1] for pair in pairs]
        for each in self._towards:
            each.setblocking(False)
        self._tells: list[dict[bytes, Tell]] = [{} for _ in pairs]

    def answer(self, number: int, topic: Topic, tell: Tell) -> None:
        """From now on the process of that number tells of a topic, in a thread, what `tell` gives."""
        tells = self._tells[number]
        begins = not tells
        tells[topic.encode()] = tell
        if begins:
            answer = partial(_answer, self._asked[number], tells)
            threading.Thread(target=answer, name="omoide-asked", daemon=True).start()

    def told_by_others(self, number: int, topic: Topic) -> Mapping[int, bytes | None]:
        """What each of the others tells the process of that number; None where one does not answer. Waits for them."""
        pipes = {each: self._ask(each, topic) for each in range(len(self._towards)) if each != number}
        until = monotonic() + ASKED_SECONDS
        return {each: _heard(pipe, until) for each, pipe in pipes.items()}

    def _ask(self, number: int, topic: Topic) -> socket.socket:
        mine, theirs = socket.socketpair()
        with theirs, suppress(OSError):  # so many questions are unanswered there that it takes no more
            socket.send_fds(self._towards[number], [topic.encode()], [theirs.fileno()])
        return mine


def _heard(pipe: socket.socket, until: float) -> bytes | None:
    """What comes through a pipe to its end; None if it takes longer, or ends with nothing said."""
    parts: list[bytes] = []
    with pipe, suppress(OSError):
        while True:
            pipe.settimeout(max(_LEAST_SECONDS, until - monotonic()))  # what is there already is heard, even late
            if not (part := pipe.recv(_CHUNK_BYTES)):
                return b"".join(parts) or None
            parts.append(part)
    return None


def _answer(asked: socket.socket, tells: Mapping[bytes, Tell]) -> None:
    while True:
        topic, pipes, _, _ = socket.recv_fds(asked, _TOPIC_BYTES, 1)
        for each in pipes:
            with socket.socket(fileno=each) as pipe, suppress(OSError):  # who asked waits no longer
                pipe.settimeout(ASKED_SECONDS)
                pipe.sendall(_said(tells.get(topic, bytes)))


def _said(tell: Tell) -> bytes:
    try:
        return tell()
    except Exception:
        logger.exception("another worker could not be told what it asked for")
        return b""
