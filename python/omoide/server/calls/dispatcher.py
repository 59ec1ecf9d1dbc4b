"""Every call of a tool passes here, whichever lane it came by. Is it allowed, whose memories, in which thread, how long?

A call that is likely to be quick is answered by the thread that received it (inline.py): a second thread would only compete with
it for the interpreter. Any other runs in a worker thread (workers.py), and so does one that turns out to have to wait.

    take          awaits the answer (the SDK's lane)
    start         answers in the event loop's thread, or in a worker thread (the fast lane over HTTP)
    take_inline   answers in the thread that reads stdin, in turn with other calls
    begin         answers in a worker thread
    answer        answers here and now; blocks (`omoide call`)

Useful for: the lanes (the SDK's and our own), over HTTP and stdio. Not useful for: reading or writing messages.
Invariant: a call has the same meaning, limits and refusals on every lane; each is measured and logged once, without any text
of what was asked or found.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from omoide.coalescing import arrived_at
from omoide.errors import NotAllowed, OmoideError, ResultTooLarge, Unavailable
from omoide.families.tool import Caller, Result, Tool
from omoide.server.access.visitor import Visitor
from omoide.server.calls import provenance, refusals
from omoide.server.calls.call import explained, of_error, without_misfit
from omoide.server.calls.toolcall import ToolCall
from omoide.server.calls.translations import UsualLanguage, unknown_language
from omoide.server.calls.workspaces import Workspaces
from omoide.server.monitoring.meter import Meter, Unmeasured
from omoide.server.scheduling.inline import InlineLoop, Interleaver, Reply
from omoide.server.scheduling.recent_durations import RecentDurations
from omoide.server.scheduling.workers import Job, Workers
from omoide.turns import WouldWait, never_waiting

if TYPE_CHECKING:
    import asyncio

logger = logging.getLogger("omoide.calls")

#: Worker threads. Most of their calls wait for the network or the disk at any moment.
WORKERS = 16
#: Calls that run at once: while the engine searches for one, the interpreter is free for another.
MOST_RUNNING = 2
#: Longer answers are refused: no model reads them, and a few of them would fill a server's memory.
MAX_RESULT_CHARS = 4_000_000


class Completion(NamedTuple):
    """The answer to a call, and how long it took."""

    result: Result
    seconds: float


#: The answer to a call that was dropped before it began; nobody waits for it.
_DROPPED = Completion(Result("The client has gone away before the call was begun.", is_error=True), 0.0)


class CallHandle(Protocol):
    """A call that the dispatcher has taken."""

    def drop(self) -> None:
        """Note that nobody waits for the call any longer. If it has not begun, it is not run, and answered at once. To be
        called in the thread that brought the call."""
        ...


class InlineCall(CallHandle, Protocol):
    """A call that waits until the thread that brought it begins it."""

    def begin(self) -> None:
        """Begin to answer the call, unless it was dropped."""
        ...


class Dispatcher:
    """See the module. `tools` are the same for every visitor; `seconds` is how long a call may take, None for ever; `interleaver`
    returns what lets one thread answer several calls in turn, None if that would gain nothing; `language` tells what a text of Han
    characters alone is where no memories may tell it."""

    def __init__(
        self,
        tools: Sequence[Tool],
        workspaces: Workspaces,
        meter: Meter | None = None,
        *,
        seconds: float | None = None,
        interleaver: Callable[[], Interleaver | None] | None = None,
        language: UsualLanguage = unknown_language,
    ) -> None:
        self.tools = tuple(tools)
        self._workspaces = workspaces
        self._meter = meter or Unmeasured()
        self._by_name = {tool.name: tool for tool in tools}
        self._read_only = {tool.name: tool.read_only for tool in tools}
        self._sources_apart = frozenset(tool.name for tool in tools if tool.sources_apart)
        self._may_ask = frozenset(tool.name for tool in tools if tool.asks is not None)
        self._never_ask = self._read_only.keys() - self._may_ask
        self._seconds = seconds
        self._workers = Workers(WORKERS, MOST_RUNNING, seconds)
        self._durations = RecentDurations()
        self.interleaver = interleaver or (lambda: None)
        self._language = language
        self._loop: InlineLoop | None = None

    def knows(self, name: str) -> bool:
        """Whether there is such a tool."""
        return name in self._read_only

    def asks_nobody(self, name: str) -> bool:
        """Whether there is such a tool, and it never asks a person for confirmation."""
        return name in self._never_ask

    async def question(self, call: ToolCall) -> str | None:
        """What the person behind the client should confirm before the call; None: nothing."""
        if call.name not in self._may_ask:
            return None
        ask, line = partial(self._question, call), self._line_of(call)
        try:
            question: str | None = await _await_reply(
                lambda reply: self._workers.submit(ask, reply, lambda: None, line)
            )
        except Unavailable:  # the call itself will fail the same way, and say so
            return None
        return question

    async def take(self, call: ToolCall, on_start: Callable[[CallHandle], object] | None = None) -> Result:
        """`start`, awaited; `on_start` is called with what it returns. A call that has begun goes on when its client cancels, so no
        write is left half done."""
        import asyncio

        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Result] = loop.create_future()
        handle = self.start(call, partial(_set_result, answer), loop)
        if on_start is not None:
            on_start(handle)
        try:
            return await answer
        except BaseException:
            handle.drop()
            raise

    def start(self, call: ToolCall, reply: Reply, loop: asyncio.AbstractEventLoop) -> CallHandle:
        """Answer the call in the thread of `loop` if it is likely to be quick, else in a worker thread. To be called in the loop's
        thread, where `reply` is called too."""
        self._meter.call_arrived()
        inline_loop = self._inline_loop(loop) if self.is_quick(call) else None
        if inline_loop is None:
            return self.begin(call, partial(_call_in_loop, loop, partial(self._finish, reply)))
        handle = _LoopCall(self, call, reply, inline_loop)
        self._workers.watch(handle)
        inline_loop.rounds.take(call.visitor.account, handle.begin)
        return handle

    def _finish(self, reply: Reply, result: Result) -> None:
        """Count a call of `start` as answered, and pass on its answer."""
        self._meter.call_answered()
        reply(result)

    def is_quick(self, call: ToolCall) -> bool:
        """Whether the call is likely to be answered faster without a worker thread."""
        return self._read_only[call.name] and self._durations.is_quick(call.name)

    def take_inline(
        self, call: ToolCall, reply: Reply, interleaver: Interleaver, release: Callable[[], None]
    ) -> InlineCall:
        """Have the call answered in this thread, in turn with others, when its `begin` is called; if it would have to wait for more
        than the engine, in a worker thread. `release` is called when this thread is done with it. A caller with no further call
        to begin then calls `interleaver.search_now`."""
        inline_call = _InlineCall(self, call, reply, interleaver, release)
        self._workers.watch(inline_call)
        return inline_call

    def _inline_loop(self, loop: asyncio.AbstractEventLoop) -> InlineLoop | None:
        """What answers calls in the loop's thread. Only the first loop that asks has it; calls of others go to workers."""
        if self._loop is None and (interleaver := self.interleaver()) is not None:
            self._loop = InlineLoop(loop, interleaver)
        return self._loop if self._loop is not None and self._loop.loop is loop else None

    def _without_waiting(self, call: ToolCall, interleaver: Interleaver) -> Completion | None:
        """The answer, if it need not wait for anything but the engine; else None."""
        try:
            with never_waiting():
                completion = self._run_timed(call)
        except WouldWait:
            self._durations.would_wait(call.name)
            return None
        self._durations.took(call.name, interleaver.thread_seconds())
        return completion

    def begin(self, call: ToolCall, reply: Reply) -> CallHandle:
        """Answer the call in a worker thread when one is free; `reply` is called there. A call that takes too long, or for which
        the system has no thread, is answered with an error that says so."""
        record, timed_out = partial(self._record_and_reply, call, reply), partial(self._timed_out, call)
        try:
            return _WorkerCall(
                self._workers, self._workers.submit(partial(self._run, call), record, timed_out, self._line_of(call))
            )
        except Unavailable as error:
            logger.error("%s was refused: %s", call.name, error.message)
            record(Completion(self.refused(call, error), 0.0))
            return _WorkerCall(self._workers, None)

    def _line_of(self, call: ToolCall) -> Hashable:
        """Where the call waits for a thread. Reads wait apart from the writes of the same visitor: someone waits for an answer,
        while a program that stores much has many writes in line."""
        return call.visitor.account, self._read_only[call.name]

    def answer(self, call: ToolCall) -> Result:
        """Answer a call of a known tool; blocks."""
        return self._record(call, self._run(call))

    def _run(self, call: ToolCall) -> Completion:
        """Run a call, and remember how long its tool took: the next one may be quick enough for the thread that receives it."""
        completion = self._run_timed(call)
        self._durations.took(call.name, completion.seconds)
        return completion

    def _run_timed(self, call: ToolCall) -> Completion:
        began = perf_counter()
        with self._meter.running(call.name):
            result = self._execute_safely(call)
        return Completion(result, perf_counter() - began)

    def _record_and_reply(self, call: ToolCall, reply: Reply, completion: Completion) -> None:
        reply(completion.result if completion is _DROPPED else self._record(call, completion))

    def _record(self, call: ToolCall, completion: Completion) -> Result:
        """Measure and log a call; returns the answer to send. A late call is counted when its error is sent, and not again when
        it ends."""
        result, seconds = completion
        self._meter.record_call(call.name, ok=not result.is_error, seconds=seconds)
        if logger.isEnabledFor(logging.INFO):
            self._log(call, result, seconds)
        return result

    @staticmethod
    def _log(call: ToolCall, result: Result, seconds: float) -> None:
        visitor = call.visitor
        fields = {"tool": call.name, "ok": not result.is_error, "ms": round(seconds * 1000, 2), "by": visitor.name}
        logger.info("called", extra={"fields": {**fields, "tenant": visitor.tenant, "client": call.client}})

    def _question(self, call: ToolCall) -> str | None:
        try:
            if self.denied(call.visitor, call.name) is not None:
                return None
            with self._workspaces.enter(call.visitor.tenant) as workspace:
                return workspace.calls[call.name].question(call.arguments)
        except Exception:  # the call itself will fail the same way, and say so
            return None

    def _execute_safely(self, call: ToolCall) -> Result:
        """The answer to a call. There is one whatever happens, as somebody waits for it."""
        try:
            return self._execute(call)
        except Exception:
            logger.exception("%s could not be called", call.name)
        fault = OmoideError(f"{call.name} could not be called. Sorry: this is a fault of the server.")
        try:
            return self.refused(call, fault)
        except Exception:  # what failed may be reading the arguments, which `refused` does too
            return without_misfit(self._by_name[call.name], of_error(fault))

    def _execute(self, call: ToolCall) -> Result:
        try:
            if (denied := self.denied(call.visitor, call.name)) is not None:
                raise denied
            with arrived_at(call.arrived), self._workspaces.enter(call.visitor.tenant) as workspace:
                session, may_write = workspace.sessions.of(call.connection), call.visitor.may_write
                caller = Caller(session, call.client, call.confirmed, may_write)
                with provenance.Collected() as origins:
                    result = workspace.calls[call.name](caller, call.arguments)
                if len(result.text) > MAX_RESULT_CHARS:
                    raise self._too_large(call.name, result)
                return self._with_sources(call.name, result, origins)
        except OmoideError as error:
            return self.refused(call, error)

    def _too_large(self, name: str, result: Result) -> ResultTooLarge:
        carried_out = not (self._read_only[name] or result.is_error)
        return refusals.too_large(name, len(result.text), MAX_RESULT_CHARS, carried_out=carried_out)

    def _with_sources(self, name: str, result: Result, origins: provenance.Origins) -> Result:
        # What a writing tool has found on the way is not in its answer, unless the tool names it in `shown`.
        if not origins or not (self._read_only[name] or result.shown):
            return result
        sources = provenance.text_of(origins) if name in self._sources_apart else ""
        # `_replace` takes three times as long.
        text, structured, is_error, _, _, note, shown, error, _ = result
        return Result(text, structured, is_error, provenance.of(origins), sources, note, shown, error)

    def _timed_out(self, call: ToolCall) -> Completion:
        """The answer to a call that has taken too long."""
        name = call.name
        logger.warning("%s has taken longer than %g seconds and is waited for no longer", name, self._seconds)
        timeout = refusals.read_timeout if self._read_only[name] else refusals.write_timeout
        return Completion(self.refused(call, timeout(name, self._seconds)), self._seconds or 0.0)

    def refused(self, call: ToolCall, error: OmoideError) -> Result:
        """The answer to a call that the tool itself did not answer."""
        return explained(self._by_name[call.name], error, call.arguments, self._usual_language(call.visitor))

    def _usual_language(self, visitor: Visitor) -> UsualLanguage:
        """What tells the language of Han characters that Japanese and Chinese share: the memories, if the visitor may read them and
        another call has opened their store. A refusal opens none, as that would make what is not allowed expensive."""
        of_memories = self._workspaces.language(visitor.tenant) if visitor.may_read else None
        return of_memories or self._language

    def denied(self, visitor: Visitor, name: str) -> NotAllowed | None:
        """Why the token of a visitor does not allow calls of a tool; None if it does."""
        if visitor.may_write or (visitor.may_read and self._read_only[name]):
            return None
        return refusals.not_allowed(name, visitor)


class _WorkerCall(NamedTuple):
    """A call for a worker thread; `job` is None if there was no thread for it."""

    workers: Workers
    job: Job | None

    def drop(self) -> None:
        """See CallHandle."""
        if self.job is not None and self.workers.cancel(self.job):
            self.job.reply(_DROPPED)


class _InlineCall:
    """A call that is answered by the thread that received it, in turn with others. `release` is called when that thread is done with
    it; `reply` may be called in any thread. One object with slots, because making several for each call takes measurable time."""

    __slots__ = ("_interleaver", "_release", "_reply", "_worker_call", "call", "dispatcher", "since")

    since: float

    def __init__(
        self,
        dispatcher: Dispatcher,
        call: ToolCall,
        reply: Reply,
        interleaver: Interleaver,
        release: Callable[[], None],
    ) -> None:
        self.dispatcher = dispatcher
        self.call = call
        self._reply = reply
        self._interleaver = interleaver
        self._release = release
        self._worker_call: CallHandle | None = None

    def begin(self) -> None:
        """Begin to answer, as the call's turn has come."""
        if self.dispatcher._workers.restart_clock(self):
            self._interleaver.begin(self.answer)
        else:
            self._release()

    def answer(self) -> None:
        """Answer the call if it need not wait for anything but the engine; else begin it anew in a worker thread."""
        dispatcher = self.dispatcher
        try:
            completion = dispatcher._without_waiting(self.call, self._interleaver)
        finally:
            self._release()
        if not dispatcher._workers.finish(self):
            return
        if completion is None:
            self._worker_call = dispatcher.begin(self.call, self.reply)
        else:
            self._interleaver.defer(self.finish, dispatcher._record(self.call, completion))

    def drop(self) -> None:
        """See CallHandle."""
        if self.dispatcher._workers.finish(self):
            self.finish(_DROPPED.result)
        elif self._worker_call is not None:
            self._worker_call.drop()

    def finish(self, result: Result) -> None:
        """Send an answer from this thread."""
        self._reply(result)

    def reply(self, result: Result) -> None:
        """See Watched."""
        self._reply(result)

    def timeout_result(self) -> Result:
        """See Watched."""
        return self.dispatcher._record(self.call, self.dispatcher._timed_out(self.call))


class _LoopCall(_InlineCall):
    """A call that has come to an event loop and waits for its turn there; `reply` is called in the loop's thread."""

    __slots__ = ("_loop",)

    def __init__(self, dispatcher: Dispatcher, call: ToolCall, reply: Reply, inline_loop: InlineLoop) -> None:
        super().__init__(dispatcher, call, reply, inline_loop.interleaver, inline_loop.rounds.leave)
        self._loop = inline_loop.loop

    def finish(self, result: Result) -> None:
        """See _InlineCall."""
        self.dispatcher._finish(self._reply, result)

    def reply(self, result: Result) -> None:
        """See Watched."""
        _call_in_loop(self._loop, self.finish, result)


async def _await_reply(begin: Callable[[Callable[[Any], None]], object]) -> Any:
    """Await the value with which another thread will call the function that `begin` is given."""
    import asyncio  # imported late: over stdio nobody awaits, and the handshake must not wait for the import

    loop = asyncio.get_running_loop()
    answer = loop.create_future()
    begin(partial(_call_in_loop, loop, partial(_set_result, answer)))
    return await answer


def _call_in_loop(loop: asyncio.AbstractEventLoop, callback: Callable[[Any], None], value: Any) -> None:
    """Call `callback` in the loop's thread, from any other."""
    with suppress(RuntimeError):  # the loop has been closed meanwhile
        loop.call_soon_threadsafe(callback, value)


def _set_result(answer: asyncio.Future[Any], value: Any) -> None:
    if not answer.done():  # done already: the client has cancelled
        answer.set_result(value)
