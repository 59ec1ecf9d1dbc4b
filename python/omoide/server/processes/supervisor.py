"""Several processes that serve one address over one store: started, watched, replaced when they die, and ended together.

Useful for: `omoide serve --http --workers N`. Not useful for: Windows, which cannot fork.
Invariant: none outlives the process that started them, however that ends; a worker that serves is not ended because another
cannot start.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Protocol

from omoide.errors import OmoideError, Unavailable
from omoide.server.monitoring import logs

logger = logging.getLogger(__name__)

#: A worker that ends sooner than this would end again: it is started again after REST_SECONDS, as long as another serves.
START_SECONDS = 5.0
REST_SECONDS = 10.0
#: A worker that has not ended this long after it was told to is killed: it hangs, or was stopped.
END_SECONDS = 60.0
#: The timer takes 0 for never.
_LEAST_SECONDS = 1e-3
#: The signals that the starting process waits for. (Windows, which lacks most of them, cannot fork anyway.)
_OWN = {signal.SIGTERM, signal.SIGINT, *(getattr(signal, name, signal.SIGTERM) for name in ("SIGCHLD", "SIGALRM"))}

Work = Callable[[int], None]


def require_fork() -> None:
    """Raises Unavailable where the system cannot fork."""
    if not hasattr(os, "fork"):
        raise Unavailable("This system cannot run several workers.", hint="Leave out --workers.")


class Shared(Protocol):
    """What the processes share, as the process that started them sees it."""

    def serves(self, number: int) -> bool:
        """Whether the worker with that number takes clients yet."""
        ...

    def lost(self, number: int) -> None:
        """Note that the worker with that number has ended."""
        ...


def run(workers: int, work: Work, ending: Callable[[], None], shared: Shared) -> None:
    """Run `work(number)`, with numbers from 0, in `workers` processes until SIGTERM, SIGINT or SIGHUP. `ending` is called in this
    process when they are told to end, perhaps more than once. A SIGINT after that is passed on to them: somebody is impatient.

    To be called after `require_fork`, before there are threads or files that must not be shared. Raises Unavailable (a worker
    ended at its start, and no other serves).
    """
    _Supervisor(work, ending, shared).run(workers)


class _Supervisor:
    def __init__(self, work: Work, ending: Callable[[], None], shared: Shared) -> None:
        self._work = work
        self._on_ending = ending
        self._shared = shared
        self._present: dict[int, tuple[int, float]] = {}  # process id -> (number, when it was started)
        self._resting: dict[int, float] = {}  # number -> when it is started again
        self._killed_at: float | None = None  # when those that have not ended are killed, if all are to end
        # `nohup` has SIGHUP ignored, and so it stays.
        self._awaited = _OWN if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else {*_OWN, signal.SIGHUP}
        self._alive = os.pipe()  # only this process holds the writing end, so workers see when it is gone

    def run(self, workers: int) -> None:
        # Signals are blocked and waited for, not handled: one that arrives during a fork, or just before a wait, would be lost.
        signal.pthread_sigmask(signal.SIG_BLOCK, self._awaited)
        try:
            for each in _OWN:  # the system may discard a blocked signal that has no handler
                signal.signal(each, lambda *_: None)
            for number in range(workers):
                self._start(number)
            while self._present:
                received = signal.sigwait(self._awaited)
                if received == signal.SIGCHLD:
                    self._reap()
                elif received == signal.SIGALRM:
                    self._time_is_up()
                elif received == signal.SIGINT and self._killed_at is not None:
                    self._signal(signal.SIGINT)
                else:
                    self._end()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, self._awaited)

    def _start(self, number: int) -> None:
        try:
            process = os.fork()
        except OSError as error:  # the system allows no more processes
            self._rest(number, error.strerror or str(error))
            return
        if process == 0:
            code = 1
            try:
                code = self._serve(number)
            finally:  # whatever went wrong: all that follows is for the process that started this one
                os._exit(code)
        self._present[process] = (number, monotonic())

    def _reap(self) -> None:
        """Take note of the workers that have ended: one SIGCHLD may stand for several."""
        while self._present:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                return
            if process not in self._present:
                continue  # not a worker: the first process of a container inherits orphans
            number, since = self._present.pop(process)
            self._shared.lost(number)
            if self._killed_at is None:
                self._replace(number, since, status)

    def _replace(self, number: int, since: float, status: int) -> None:
        if monotonic() - since >= START_SECONDS:
            logger.warning("worker %d ended (%s); another takes its place", number, _exit_of(status))
            self._start(number)
        else:
            self._rest(number, _exit_of(status))

    def _rest(self, number: int, why: str) -> None:
        """Start a worker again later that ended at its start, as long as another serves. Raises Unavailable where none does."""
        if any(self._shared.serves(other) for other, _ in self._present.values()):
            message = "worker %d ended at its start (%s); the others go on, and it is tried again in %g seconds"
            logger.error(message, number, why, REST_SECONDS)
            self._resting[number] = monotonic() + REST_SECONDS
            self._set_timer()
        else:
            self._end()
            raise Unavailable(
                f"Worker {number} ended at its start ({why}).",
                hint="What it said of it stands above, if anything.",
            )

    def _end(self) -> None:
        self._resting.clear()
        if self._killed_at is None:  # who is told again has no more time
            self._killed_at = monotonic() + END_SECONDS
        self._on_ending()
        self._signal(signal.SIGTERM)
        self._set_timer()

    def _set_timer(self) -> None:
        """Have SIGALRM sent when the next thing is due."""
        due = self._killed_at or min(self._resting.values(), default=None)
        if due is not None:
            signal.setitimer(signal.ITIMER_REAL, max(due - monotonic(), _LEAST_SECONDS))

    def _time_is_up(self) -> None:
        """Do what is due, which may be nothing: the signal may have been for something that is not to be done any more."""
        now = monotonic()
        if self._killed_at is not None and self._killed_at <= now:
            self._kill()
            return
        for number in [each for each, due in self._resting.items() if due <= now]:
            del self._resting[number]
            self._start(number)
        self._set_timer()

    def _kill(self) -> None:
        for number, _ in self._present.values():
            logger.warning("worker %d did not end within %g seconds and was killed", number, END_SECONDS)
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        for process in self._present:
            with suppress(ProcessLookupError):  # it has ended, which was not noted yet
                os.kill(process, number)

    def _serve(self, number: int) -> int:
        """Work in the new process; returns its exit code."""
        os.close(self._alive[1])
        for each in _OWN:
            signal.signal(each, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self._awaited)
        threading.Thread(target=self._follow, daemon=True).start()
        try:
            self._work(number)
        except (OmoideError, OSError) as error:
            logs.report(error)
            return 1
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 0
        except BaseException:
            logger.exception("worker %d failed", number)
            return 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
        return 0

    def _follow(self) -> None:
        os.read(self._alive[0], 1)  # returns when the process that started this one is gone
        os.kill(os.getpid(), signal.SIGTERM)


def _exit_of(status: int) -> str:
    """How a process ended, from its status as `waitpid` gives it."""
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code}" if code >= 0 else f"signal {-code}"
