"""Threads that take work in turn, and do not hold up the end of the process.

Those whose work waits have turns (`line.py`). Few threads are at work at once: more would only take the interpreter from each
other, at every statement of SQLite. One that waits (`turns.waiting`), or whose work takes long while there is more to do,
lets another go on beside it.
A piece of work that takes too long is answered for and given up: its thread cannot be stopped, so another takes its place,
and it goes when its work has ended after all.

Useful for: calls of tools, over HTTP and stdio. Not useful for: what must not be given up half way.
Invariant: of a piece of work exactly one thing is told: how it ended, or that it took too long.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from time import monotonic, sleep
from typing import Any, Protocol

from omoide.errors import Unavailable
from omoide.server.scheduling.line import Line
from omoide.turns import Turn, Turns

#: After so long a piece of work keeps no other waiting; so often is looked for what takes long, or too long.
LONG_SECONDS = 0.05
#: And for so many times nothing has to be there to watch before the watching ends: between two calls there is none.
IDLE_LOOKS = 20
#: How long a thread keeps the interpreter that others want: usually, and while a piece of work takes long. A quick call beside
#: that lets go of the interpreter several times; were it always so short, writes would take a tenth more of the processor.
KEPT_SECONDS, KEPT_BESIDE_LONG_SECONDS = 0.005, 0.0005

Do = Callable[[], Any]
Tell = Callable[[Any], None]


class Watched(Protocol):
    """Work that may take too long. `since`: when it began."""

    since: float

    def tell(self, told: Any, /) -> object:
        """Whoever waits for it; from any thread."""
        ...

    def late(self) -> Any:
        """What to tell when it takes too long."""
        ...


class Job:
    """A piece of work, for whoever has it taken."""

    __slots__ = ("do", "late", "since", "tell", "turn")

    def __init__(self, do: Do, tell: Tell, late: Do) -> None:
        self.do = do
        self.tell = tell
        self.late = late
        self.since: float
        self.turn: Turn


class Workers:
    """At most `threads` pieces of work are begun at once, of which `at_work` go on unless others wait or take long.
    `seconds` is how long one may take, None for ever; `clock` counts them."""

    def __init__(
        self, threads: int, at_work: int, seconds: float | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._threads = threads
        self._turns = Turns(at_work)
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._line: Line[Job] = Line()
        self._calls: SimpleQueue[None] = SimpleQueue()  # one for each job in the line: a thread is to take the first
        self._running: dict[Job, None] = {}
        self._elsewhere: dict[Watched, None] = {}
        self._present = 0  # taken, and nothing told of it yet
        self._staff = 0  # threads at work on what is present, or idle
        self._watched = False
        self._beside_long = False

    def take(self, do: Do, tell: Tell, late: Do, whose: str = "") -> Job:
        """Have `do` done in a thread and `tell` what it gave, or what `late` gives when it takes too long.

        None of the three may raise. Raises Unavailable (the system gives no thread, and there is none): nothing is taken.
        """
        with self._lock:
            self._hire(self._present + 1)
            if not self._staff:
                raise Unavailable(
                    "The system gives the server no thread for this call; nothing was done.",
                    hint="Try again in a while; whoever runs the server can allow it more threads or memory.",
                )
            job = Job(do, tell, late)
            self._line.add(whose, job)
            self._present += 1
            self._have_watched()
        self._calls.put(None)
        return job

    def replace(self, job: Job, do: Do) -> None:
        """Have `do` done in the place of what has not begun."""
        with self._lock:
            if job not in self._running:
                job.do = do

    def watch(self, watched: Watched) -> None:
        """Answer for work that a thread of its own does, when it takes too long, by telling what `late` gives."""
        watched.since = self._clock()
        self._elsewhere[watched] = None  # of a dict, too, one can be added or taken without a lock
        if not self._watched:
            with self._lock:
                self._have_watched()

    def renew(self, watched: Watched) -> bool:
        """What had to wait begins: whether nobody has answered for it. It may take as long as if it had not waited."""
        watched.since = self._clock()
        return watched in self._elsewhere  # if it is answered for in this very instant, it is done for nothing

    def over(self, watched: Watched) -> bool:
        """It has ended: whether nobody has answered for it."""
        return self._elsewhere.pop(watched, watched) is None

    def look(self) -> None:
        """Let others go on beside what has been taking long, and have the interpreter from it sooner; answer for what has been
        taking too long."""
        now = self._clock()
        late: list[Watched] = []
        long = False
        with self._lock:
            if self._seconds is not None:
                taken_long = [each for each in list(self._elsewhere) if now - each.since > self._seconds]
                late += filter(self.over, taken_long)
            self._hire(self._present)  # of those that could not be had when they were wanted
            for job in list(self._running):
                taken = now - job.since
                if self._seconds is not None and taken > self._seconds:
                    late.append(job)
                    self._give_up(job)
                elif taken > LONG_SECONDS:
                    long = True
                    if self._line:
                        job.turn.end()
        if long is not self._beside_long:
            self._beside_long = long
            sys.setswitchinterval(KEPT_BESIDE_LONG_SECONDS if long else KEPT_SECONDS)
        for each in late:
            each.tell(each.late())

    def _give_up(self, job: Job) -> None:
        job.turn.end()
        self._end(job)
        self._staff -= 1
        self._hire(self._present)

    def _hire(self, present: int) -> None:
        if self._staff < min(present, self._threads) and _begun(self._work):
            self._staff += 1

    def _end(self, job: Job) -> bool:
        """Whether it is for the caller to tell of it."""
        if self._running.pop(job, job) is job:
            return False
        self._present -= 1
        return True

    def _work(self) -> None:
        turn = Turn(self._turns)
        turn.begin()
        while True:
            self._calls.get()
            with self._lock:
                job = self._line.take()
                job.since, job.turn = self._clock(), turn
                self._running[job] = None
            told = job.do()
            with self._lock:
                if not self._end(job):
                    return  # given up: another thread has this one's place
            job.tell(told)
            turn.renew()

    def _watch(self) -> None:
        idle = 0
        while True:  # it looks after a while: quick calls would have it begun for each, if it ended with the one it was begun for
            sleep(LONG_SECONDS)
            self.look()
            idle = 0 if self._present or self._elsewhere else idle + 1
            if idle >= IDLE_LOOKS and not self._is_busy():
                return

    def _have_watched(self) -> None:
        self._watched = self._watched or _begun(self._watch)

    def _is_busy(self) -> bool:
        """Whether there is anything to watch; the next that is taken will be watched again."""
        with self._lock:
            self._watched = False  # first: what comes from now on sees to it, or is seen here
            self._watched = self._present > 0 or bool(self._elsewhere)
            return self._watched


def _begun(work: Callable[[], None]) -> bool:
    """Whether the system gave a thread for it."""
    try:
        threading.Thread(target=work, name="omoide-call", daemon=True).start()
    except RuntimeError:
        return False
    return True
