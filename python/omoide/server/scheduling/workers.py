"""Worker threads, which do not hold up the end of the process.

The lines in which work waits take turns (`fair_queue.py`). Only a few threads run at once: more would compete for the interpreter
at every statement of SQLite. A thread that waits (`turns.waiting`), or whose work takes long while more is waiting, lets another
run beside it. Work that takes too long is answered with an error and given up: its thread cannot be stopped, so another takes its
place, and the first ends when its work does.

Useful for: calls of tools, over HTTP and stdio. Not useful for: what must not be given up half way.
Invariant: each piece of work is answered exactly once, with its result or with the error that it took too long.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Hashable
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
SWITCH_SECONDS_BESIDE_LONG = 0.0005

_NO_THREAD_ALSO = {
    "ja": "この呼び出しのためのスレッドを作れず、何も行っていません。しばらくしてからやり直してください。"
    "サーバーの管理者は、使えるスレッドかメモリーを増やせます。",
    "zh": "服务器目前无法开始此调用，没有进行任何操作。请稍后重试；服务器的管理员可以允许它使用更多内存。",
}

Work = Callable[[], Any]
Reply = Callable[[Any], None]


class Watched(Protocol):
    """Work that is watched for taking too long. `since`: when it began."""

    since: float

    def reply(self, result: Any, /) -> object:
        """Give the result to whoever waits for it; from any thread."""
        ...

    def timeout_result(self) -> Any:
        """The result to give when it takes too long."""
        ...


class Job:
    """A piece of work that was given to `Workers.submit`."""

    __slots__ = ("line", "reply", "since", "timeout_result", "turn", "work")

    def __init__(self, work: Work, reply: Reply, timeout_result: Work, line: Hashable) -> None:
        self.work = work
        self.reply = reply
        self.timeout_result = timeout_result
        self.line = line
        self.since: float
        self.turn: Turn


class Workers:
    """At most `threads` pieces of work are under way at once, of which `most_running` run, not counting those that wait or take long.
    `seconds`: how long one may take, None for ever, by `clock`."""

    def __init__(
        self, threads: int, most_running: int, seconds: float | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._threads = threads
        self._turns = Turns(most_running)
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._queue: FairQueue[Job] = FairQueue()
        self._wakeups: SimpleQueue[None] = SimpleQueue()  # one or more for each job in the queue, to wake a thread
        self._running: dict[Job, None] = {}
        self._watched_calls: dict[Watched, None] = {}  # work that other threads do, watched here
        self._unanswered = 0  # jobs submitted and not answered yet
        self._thread_count = 0  # threads, but those whose jobs were given up
        self._watcher_runs = False  # whether the watcher runs
        # The interpreter's switch interval before some work took very long.
        self._usual_switch_interval: float | None = None

    def submit(self, work: Work, reply: Reply, timeout_result: Work, line: Hashable = "") -> Job:
        """Call `work` in a worker thread, then `reply` with its result, or with that of `timeout_result` if it takes too long.

        None of the three may raise. Raises Unavailable where there is no thread and the system gives none; then nothing is
        called.
        """
        with self._lock:
            self._ensure_thread(self._unanswered + 1)
            if not self._thread_count:
                raise Unavailable(
                    "The system gives the server no thread for this call; nothing was done.",
                    hint="Try again in a while; whoever runs the server can allow it more threads or memory.",
                    also=_NO_THREAD_ALSO,
                )
            job = Job(work, reply, timeout_result, line)
            self._queue.add(line, job)
            self._unanswered += 1
            self._ensure_watcher()
        self._wakeups.put(None)
        return job

    def cancel(self, job: Job) -> bool:
        """Take a job out of the queue, so that none of its functions is called; False if it has begun."""
        with self._lock:
            waited = self._queue.remove(job.line, job)
            self._unanswered -= waited
        return waited

    def watch(self, watched: Watched) -> None:
        """Watch work that is not done by a worker: if it takes too long, its `reply` gets its `timeout_result`."""
        watched.since = self._clock()
        self._watched_calls[watched] = None  # needs no lock: adding to a dict and removing from it are atomic
        if not self._watcher_runs:
            with self._lock:
                self._ensure_watcher()

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
                overdue = [each for each in list(self._watched_calls) if now - each.since > self._seconds]
                late += filter(self.finish, overdue)
            self._ensure_thread(self._unanswered)  # in case the system had no thread to give when the work came
            for job in list(self._running):
                elapsed = now - job.since
                if self._seconds is not None and elapsed > self._seconds:
                    late.append(job)
                    self._give_up(job)
                elif elapsed > LONG_SECONDS:
                    beside_long = beside_long or elapsed > VERY_LONG_SECONDS
                    if self._queue:
                        job.turn.end()
        if beside_long and self._usual_switch_interval is None:
            self._usual_switch_interval = sys.getswitchinterval()
            sys.setswitchinterval(SWITCH_SECONDS_BESIDE_LONG)
        elif not beside_long and self._usual_switch_interval is not None:
            sys.setswitchinterval(self._usual_switch_interval)
            self._usual_switch_interval = None
        for each in late:
            each.reply(each.timeout_result())

    def _give_up(self, job: Job) -> None:
        job.turn.end()
        self._end(job)
        self._thread_count -= 1
        self._ensure_thread(self._unanswered)

    def _ensure_thread(self, unanswered: int) -> None:
        if self._thread_count < min(unanswered, self._threads) and _start_thread(self._work):
            self._thread_count += 1

    def _end(self, job: Job) -> bool:
        """Whether the job has not been answered yet, so that the caller is to answer it."""
        if self._running.pop(job, job) is job:
            return False
        self._unanswered -= 1
        return True

    def _work(self) -> None:
        turn = Turn(self._turns)
        turn.begin()
        while True:
            self._wakeups.get()
            with self._lock:
                if not self._queue:
                    continue  # the job was taken back
                job = self._queue.take()
                job.since, job.turn = self._clock(), turn
                self._running[job] = None
            result = job.work()
            with self._lock:
                if not self._end(job):
                    return  # the job was given up: another thread has taken this one's place
            job.reply(result)
            turn.renew()

    def _watch(self) -> None:
        idle = 0
        while True:  # outlives the work that it was started for, or quick calls would each start a watcher
            sleep(LONG_SECONDS)
            self.check()
            idle = 0 if self._unanswered or self._watched_calls else idle + 1
            if idle >= IDLE_LOOKS and not self._keep_watching():
                return

    def _ensure_watcher(self) -> None:
        self._watcher_runs = self._watcher_runs or _start_thread(self._watch)

    def _keep_watching(self) -> bool:
        """Whether there is anything left to watch. If not, the watcher is to end, and the next work starts another."""
        with self._lock:
            # Before looking: work that `watch` adds from now on starts a watcher, or is seen below.
            self._watcher_runs = False
            self._watcher_runs = self._unanswered > 0 or bool(self._watched_calls)
            return self._watcher_runs


def _start_thread(work: Callable[[], None]) -> bool:
    """Start a thread; False where the system gives none."""
    try:
        threading.Thread(target=work, name="omoide-call", daemon=True).start()
    except RuntimeError:
        return False
    return True
