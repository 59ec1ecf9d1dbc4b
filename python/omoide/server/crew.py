"""Several processes that serve one address over one store: started, watched, replaced when they die, and ended together.

Useful for: `omoide serve --http --workers N`. Not useful for: Windows, which cannot fork.
Invariant: none outlives the one that started them, however that ends.
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

from omoide.errors import OmoideError, Unavailable

logger = logging.getLogger(__name__)

#: One that dies sooner would die again.
START_SECONDS = 5.0

Work = Callable[[int], None]


def run(workers: int, work: Work, ending: Callable[[], None]) -> None:
    """Run `work(number)`, of numbers from 0, in so many processes until SIGTERM or SIGINT; `ending` is called in this one when
    they are told to end, perhaps more than once.

    To be called before there are threads, or files that must not be shared. Raises Unavailable.
    """
    if not hasattr(os, "fork"):
        raise Unavailable("This system cannot run several workers.", hint="Leave out --workers.")
    _Crew(work, ending).run(workers)


class _Crew:
    def __init__(self, work: Work, ending: Callable[[], None]) -> None:
        self._work = work
        self._on_ending = ending
        self._present: dict[int, tuple[int, float]] = {}  # process id -> (number, when it was started)
        self._ending = False
        self._alive = os.pipe()  # held open by this process alone: its end is the end of all

    def run(self, workers: int) -> None:
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, lambda *_: self._end())
        for number in range(workers):
            self._start(number)
        while self._present:
            process, status = os.wait()
            number, since = self._present.pop(process)
            if not self._ending:
                self._replace(number, since, status)

    def _start(self, number: int) -> None:
        process = os.fork()
        if process == 0:
            os._exit(self._serve(number))
        self._present[process] = (number, monotonic())
        if self._ending:  # the signal came before this process could be told of it
            os.kill(process, signal.SIGTERM)

    def _replace(self, number: int, since: float, status: int) -> None:
        if monotonic() - since < START_SECONDS:
            self._end()
            raise Unavailable(
                f"Worker {number} ended at its start ({_how(status)}).",
                hint="What it said of it stands above, if anything.",
            )
        logger.warning("worker %d ended (%s); another takes its place", number, _how(status))
        self._start(number)

    def _end(self) -> None:
        self._ending = True
        self._on_ending()
        for process in self._present:
            with suppress(ProcessLookupError):  # it has ended, and was not crossed out yet
                os.kill(process, signal.SIGTERM)

    def _serve(self, number: int) -> int:
        """In the new process. The exit code."""
        os.close(self._alive[1])
        threading.Thread(target=self._follow, daemon=True).start()
        try:
            for each in (signal.SIGTERM, signal.SIGINT):
                signal.signal(each, signal.SIG_DFL)
            if not self._ending:  # else the signal came while this process still took it for another
                self._work(number)
        except OmoideError as error:
            print(f"omoide: {error}", file=sys.stderr)
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
        os.read(self._alive[0], 1)  # gives nothing, when the one who started us is gone
        os.kill(os.getpid(), signal.SIGTERM)


def _how(status: int) -> str:
    """The way a process ended, from what `wait` gives."""
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code}" if code >= 0 else f"signal {-code}"
