"""Worker threads, which do not hold up the end of the process.

Visitors with work waiting take turns (`fair_queue.py`). Only a few threads run at once: more would compete for the interpreter at
every statement of SQLite. A thread that waits (`turns.waiting`), or whose work takes long while more is waiting, lets another run
beside it. Work that takes too long is answered with an error and given up: its thread cannot be stopped, so another takes its
place, and the first ends when its work does.

Useful for: calls of tools, over HTTP and stdio. Not useful for: what must not be given up half way.
Invariant: each piece of work is answered exactly once, with its result or with the error that it took too long.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from time import monotonic, sleep
from typing import Any, Protocol

from omoide.errors import Unavailable
from omoide.server.scheduling.fair_queue import FairQueue
from omoide.turns import Turn, Turns

#: Work that has run this long lets others run beside it; also how often the watcher looks for work that takes (too) long.
LONG_SECONDS = 0.05
#: The watcher ends after this many looks with nothing to watch: a short pause between two calls should not end it.
IDLE_LOOKS = 20
#: Work that has run this long is expected to run on: a batch that waits for others to be written has ended before.
VERY_LONG_SECONDS = 0.2
#: How long a thread keeps the interpreter that others want while some work takes very long: a quick call beside that lets go of the
#: interpreter several times. Were it always so short (Python's own is 5 ms), writes would take a tenth more of the processor.
KEPT_BESIDE_LONG_SECONDS = 0.0005

Do = Callable[[], Any]
Tell = Callable[[Any], None]


class Watched(Protocol):
    """Work that is watched for taking too long. `since`: when it began."""

    since: float

    def tell(self, told: Any, /) -> object:
        """Give the result to whoever waits for it; from any thread."""
        ...

    def late(self) -> Any:
        """The result to give when it takes too long."""
        ...


class Job:
    """A piece of work that was given to `Workers.take`."""

    __slots__ = ("do", "late", "since", "tell", "turn", "whose")

    def __init__(self, do: Do, tell: Tell, late: Do, whose: str) -> None:
        self.do = do
        self.tell = tell
        self.late = late
        self.whose = whose
        self.since: float
        self.turn: Turn


class Workers:
    """At most `threads` pieces of work are under way at once, of which `at_work` run, not counting those that wait or take long.
    `seconds`: how long one may take, None for ever, by `clock`."""

    def __init__(
        self, threads: int, at_work: int, seconds: float | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._threads = threads
        self._turns = Turns(at_work)
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._line: FairQueue[Job] = FairQueue()
        self._calls: SimpleQueue[None] = SimpleQueue()  # an item or more for each job in the line, to wake a thread
        self._running: dict[Job, None] = {}
        self._watched_calls: dict[Watched, None] = {}  # work that other threads do, watched here
        self._present = 0  # jobs taken and not answered yet
        self._thread_count = 0  # threads, but those whose jobs were given up
        self._watched = False  # whether the watcher runs
        self._kept: float | None = None  # the interpreter's switch interval before some work took very long

    def take(self, do: Do, tell: Tell, late: Do, whose: str = "") -> Job:
        """Call `do` in a worker thread, then `tell` with its result, or with that of `late` if it takes too long.

        None of the three may raise. Raises Unavailable where there is no thread and the system gives none; then nothing is
        called.
        """
        with self._lock:
            self._ensure_thread(self._present + 1)
            if not self._thread_count:
                raise Unavailable(
                    "The system gives the server no thread for this call; nothing was done.",
                    hint="Try again in a while; whoever runs the server can allow it more threads or memory.",
                )
            job = Job(do, tell, late, whose)
            self._line.add(whose, job)
            self._present += 1
            self._have_watched()
        self._calls.put(None)
        return job

    def take_back(self, job: Job) -> bool:
        """Take a job out of the line, so that none of its functions is called; False if it has begun."""
        with self._lock:
            waited = self._line.remove(job.whose, job)
            self._present -= waited
        return waited

    def watch(self, watched: Watched) -> None:
        """Watch work that is not done by a worker: if it takes too long, its `tell` gets the result of its `late`."""
        watched.since = self._clock()
        self._watched_calls[watched] = None  # needs no lock: adding to a dict and removing from it are atomic
        if not self._watched:
            with self._lock:
                self._have_watched()

    def restart_clock(self, watched: Watched) -> bool:
        """Restart the time of watched work that begins after having waited; False if it has been told that it is late."""
        watched.since = self._clock()
        return watched in self._watched_calls  # if it is told so just now, the work is merely done in vain

    def finish(self, watched: Watched) -> bool:
        """Stop watching work that has ended; False if it has been told that it is late."""
        return self._watched_calls.pop(watched, watched) is None

    def check(self) -> None:
        """Let others run beside work that takes long, and have the interpreter sooner beside work that takes very long; answer work
        that takes too long."""
        now = self._clock()
        late: list[Watched] = []
        beside_long = False
        with self._lock:
            if self._seconds is not None:
                taken_long = [each for each in list(self._watched_calls) if now - each.since > self._seconds]
                late += filter(self.finish, taken_long)
            self._ensure_thread(self._present)  # in case the system had no thread to give when the work came
            for job in list(self._running):
                taken = now - job.since
                if self._seconds is not None and taken > self._seconds:
                    late.append(job)
                    self._give_up(job)
                elif taken > LONG_SECONDS:
                    beside_long = beside_long or taken > VERY_LONG_SECONDS
                    if self._line:
                        job.turn.end()
        if beside_long and self._kept is None:
            self._kept = sys.getswitchinterval()
            sys.setswitchinterval(KEPT_BESIDE_LONG_SECONDS)
        elif not beside_long and self._kept is not None:
            sys.setswitchinterval(self._kept)
            self._kept = None
        for each in late:
            each.tell(each.late())

    def _give_up(self, job: Job) -> None:
        job.turn.end()
        self._end(job)
        self._thread_count -= 1
        self._ensure_thread(self._present)

    def _ensure_thread(self, present: int) -> None:
        if self._thread_count < min(present, self._threads) and _begun(self._work):
            self._thread_count += 1

    def _end(self, job: Job) -> bool:
        """Whether the job has not been answered yet, so that the caller is to answer it."""
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
                if not self._line:
                    continue  # the job was taken back
                job = self._line.take()
                job.since, job.turn = self._clock(), turn
                self._running[job] = None
            told = job.do()
            with self._lock:
                if not self._end(job):
                    return  # the job was given up: another thread has taken this one's place
            job.tell(told)
            turn.renew()

    def _watch(self) -> None:
        idle = 0
        while True:  # outlives the work that it was started for, or quick calls would each start a watcher
            sleep(LONG_SECONDS)
            self.check()
            idle = 0 if self._present or self._watched_calls else idle + 1
            if idle >= IDLE_LOOKS and not self._is_busy():
                return

    def _have_watched(self) -> None:
        self._watched = self._watched or _begun(self._watch)

    def _is_busy(self) -> bool:
        """Whether there is anything to watch. If not, the watcher is to end, and the next work starts another."""
        with self._lock:
            self._watched = (
                False  # before looking: work that `watch` adds from now on starts a watcher, or is seen below
            )
            self._watched = self._present > 0 or bool(self._watched_calls)
            return self._watched


def _begun(work: Callable[[], None]) -> bool:
    """Start a thread; False where the system gives none."""
    try:
        threading.Thread(target=work, name="omoide-call", daemon=True).start()
    except RuntimeError:
        return False
    return True
