"""Threads that take work in turn, and do not hold up the end of the process.

A piece of work that takes too long is answered for and given up: its thread cannot be stopped, so another takes its place,
and it goes when its work has ended after all.

Useful for: calls of tools, over HTTP and stdio. Not useful for: what must not be given up half way.
Invariant: of a piece of work exactly one thing is told: how it ended, or that it took too long.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from time import monotonic, sleep
from typing import Any

#: How often is looked for what takes too long: so many times in what it may take, and at least this often.
LOOKS = 10
LOOK_SECONDS = 5.0

Do = Callable[[], Any]
Tell = Callable[[Any], None]


class _Job:
    __slots__ = ("do", "late", "since", "tell")

    def __init__(self, do: Do, tell: Tell, late: Do) -> None:
        self.do = do
        self.tell = tell
        self.late = late
        self.since = 0.0


class Workers:
    """At most `threads` pieces of work at once. `seconds` is how long one may take, None for ever; `clock` counts them."""

    def __init__(self, threads: int, seconds: float | None = None, clock: Callable[[], float] = monotonic) -> None:
        self._threads = threads
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._running: dict[_Job, None] = {}
        self._present = 0  # taken, and nothing told of it yet
        self._staff = 0  # threads at work on what is present, or idle
        self._watched = False

    def take(self, do: Do, tell: Tell, late: Do) -> None:
        """Have `do` done in a thread and `tell` what it gave, or what `late` gives when it takes too long.

        None of the three may raise.
        """
        with self._lock:
            self._present += 1
            self._hire()
            if not self._watched and self._seconds is not None:
                self._watched = True
                _begin(self._watch)
        self._jobs.put(_Job(do, tell, late))

    def give_up_late(self) -> None:
        """Answer for what has been taking too long."""
        with self._lock:
            since = self._clock() - (self._seconds or 0.0)
            late = [job for job in self._running if job.since < since]
            for job in late:
                self._end(job)
                self._staff -= 1
                self._hire()
        for job in late:
            job.tell(job.late())

    def _hire(self) -> None:
        if self._staff < min(self._present, self._threads):
            self._staff += 1
            _begin(self._work)

    def _end(self, job: _Job) -> bool:
        """Whether it is for the caller to tell of it."""
        if self._running.pop(job, job) is job:
            return False
        self._present -= 1
        return True

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            with self._lock:
                job.since = self._clock()
                self._running[job] = None
            told = job.do()
            with self._lock:
                if not self._end(job):
                    return  # given up: another thread has this one's place
            job.tell(told)

    def _watch(self) -> None:
        while self._is_busy():
            sleep(min((self._seconds or 0.0) / LOOKS, LOOK_SECONDS))
            self.give_up_late()

    def _is_busy(self) -> bool:
        """Whether there is anything to watch; the next that is taken will be watched again."""
        with self._lock:
            self._watched = self._present > 0
            return self._watched


def _begin(work: Callable[[], None]) -> None:
    threading.Thread(target=work, name="omoide-call", daemon=True).start()
