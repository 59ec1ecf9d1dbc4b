"""What the processes of one server share. It is made before they are forked; each gets its part by its number.

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

from omoide.server.access.limits import RequestCounts
from omoide.server.calls.sessions import Register
from omoide.server.processes.load_balancing import ConnectionCounts, Share

logger = logging.getLogger(__name__)

#: A process that does not answer within this time is busy, or gone.
ANSWER_SECONDS = 1.0
_LEAST_SECONDS = 0.01
_CHUNK_BYTES = 1 << 16
_TOPIC_BYTES = 64

#: What a process can be asked for.
Topic = Literal["metrics", "missing"]
Answer = Callable[[], bytes]


class SharedState:
    """What `processes` share."""

    def __init__(self, processes: int) -> None:
        several = processes > 1
        self._connection_counts = ConnectionCounts(processes) if several else None
        self._intercom = Intercom(processes) if several else None
        self._request_counts = RequestCounts(processes)
        self._register = Register(processes)

    def part(self, number: int) -> WorkerState:
        """The part of the process with that number."""
        share = None if self._connection_counts is None else self._connection_counts.of(number)
        return WorkerState(number, self._request_counts, self._register, share, self._intercom)

    def serves(self, number: int) -> bool:
        """Whether the process with that number takes clients."""
        return self._connection_counts is not None and self._connection_counts.of(number).is_open

    def lost(self, number: int) -> None:
        """Note that the process with that number has ended: no connection is left to it, and its requests count no more."""
        self._request_counts.empty(number)
        if self._connection_counts is not None:
            self._connection_counts.of(number).close()


class WorkerState(NamedTuple):
    """The part of one process. Where it is not alone, that includes a `share` of the connections and an `intercom` to the
    others."""

    number: int
    request_counts: RequestCounts
    register: Register
    share: Share | None = None
    intercom: Intercom | None = None


class Intercom:
    """Lets each process ask all others: it sends them the name of a topic and one end of a pipe for the answer."""

    def __init__(self, processes: int) -> None:
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(processes)]
        self._outboxes = [pair[0] for pair in pairs]
        self._inboxes = [pair[1] for pair in pairs]
        for each in self._outboxes:
            each.setblocking(False)
        self._answers: list[dict[bytes, Answer]] = [{} for _ in pairs]

    def answer(self, number: int, topic: Topic, answer: Answer) -> None:
        """Have the process with that number answer questions on a topic with what `answer` gives, in a thread."""
        answers = self._answers[number]
        is_first = not answers
        answers[topic.encode()] = answer
        if is_first:
            serve = partial(_answer_questions, self._inboxes[number], answers)
            threading.Thread(target=serve, name="omoide-asked", daemon=True).start()

    def ask_others(self, number: int, topic: Topic) -> Mapping[int, bytes | None]:
        """What each of the others answers the process with that number; None where one does not. Waits for them."""
        pipes = {each: self._ask(each, topic) for each in range(len(self._outboxes)) if each != number}
        deadline = monotonic() + ANSWER_SECONDS
        return {each: _receive(pipe, deadline) for each, pipe in pipes.items()}

    def _ask(self, number: int, topic: Topic) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs, suppress(OSError):  # its queue of questions is full
            socket.send_fds(self._outboxes[number], [topic.encode()], [theirs.fileno()])
        return ours


def _receive(pipe: socket.socket, deadline: float) -> bytes | None:
    """All that comes through a pipe until it ends; None if that takes longer than `deadline`, or nothing came."""
    parts: list[bytes] = []
    with pipe, suppress(OSError):
        while True:
            # Never 0: what has arrived already is read, even late.
            pipe.settimeout(max(_LEAST_SECONDS, deadline - monotonic()))
            if not (part := pipe.recv(_CHUNK_BYTES)):
                return b"".join(parts) or None
            parts.append(part)
    return None


def _answer_questions(inbox: socket.socket, answers: Mapping[bytes, Answer]) -> None:
    while True:
        topic, pipes, _, _ = socket.recv_fds(inbox, _TOPIC_BYTES, 1)
        for each in pipes:
            with socket.socket(fileno=each) as pipe, suppress(OSError):  # whoever asked no longer waits
                pipe.settimeout(ANSWER_SECONDS)
                pipe.sendall(_answer_or_nothing(answers.get(topic, bytes)))


def _answer_or_nothing(answer: Answer) -> bytes:
    try:
        return answer()
    except Exception:
        logger.exception("a question of another worker could not be answered")
        return b""
