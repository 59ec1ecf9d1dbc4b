"""/metrics for Prometheus: durations by tool and stage, calls waiting, the index's lag, sizes.

Useful for: `omoide serve --http`. Not useful for: stdio, where nobody can ask. Invariant: no label is taken from a request, so
the number of series depends on tools and stages, not on tenants. Each of several workers counts for itself, and whichever is
asked shows all.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import cache, partial
from itertools import accumulate
from time import time

import orjson
from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from omoide.server.monitoring.meter import Stages

#: Gauges that are read at each scrape: (name, meaning, value).
Sizes = Callable[[], Iterable[tuple[str, str, float]]]
#: Asks the other workers for their `dump`, by number; None for one that does not answer.
Others = Callable[[], Mapping[int, bytes | None]]

#: Upper bounds in seconds, from an index look-up to a call that nobody would wait for.
BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)

#: Calls are counted in batches of this many. By the end of the next call the counting code has left the processor's caches, and
#: loading it again would take as long as all other measuring of a call.
COUNTED_TOGETHER = 64

#: The stages of the running call's searches, which count once the call has ended.
_of_call: ContextVar[list[tuple[str, float]] | None] = ContextVar("stages", default=None)


class Metrics:
    """A Meter that can be read. `worker` is the number of this process, where there are several; `others` asks the others."""

    def __init__(self, worker: int | None = None, others: Others = dict) -> None:
        made = self._registry = CollectorRegistry()
        self._worker = worker
        self._others = others
        calls = Counter("omoide_calls", "Calls answered.", ("tool", "outcome"), registry=made)
        # Looked up once: finding the child of some labels takes longer than counting.
        self._calls = cache(calls.labels)
        self._lock = threading.Lock()
        self._seconds = _Durations("omoide_call_seconds", "A call's work.", ("tool",), self._lock)
        self._stages = _Durations("omoide_stage_seconds", "One stage of a search.", ("tool", "stage"), self._lock)
        made.register(self._seconds)
        made.register(self._stages)
        #: Reported and not counted yet: calls, and the stages of their searches.
        self._called: deque[tuple[str, bool, float]] = deque()
        self._staged: deque[tuple[str, Stages]] = deque()
        # A deque serves as a counter that needs no lock: appending and popping are atomic.
        present, self._at_work = deque[None](), deque[None]()
        self.call_arrived, self.call_answered = partial(present.append, None), present.pop
        Gauge("omoide_calls_present", "Calls that wait or run.", registry=made).set_function(partial(len, present))
        Gauge("omoide_calls_running", "Calls that run.", registry=made).set_function(partial(len, self._at_work))
        self._refused = Counter("omoide_requests_refused", "Requests not let in.", ("status",), registry=made)

    def show(self, sizes: Sizes) -> None:
        """Show `sizes`, too, from now on."""
        self._registry.register(_Sizes(sizes))

    def running(self, tool: str) -> AbstractContextManager[object]:
        """See Meter."""
        return _Running(tool, self._at_work, self._staged)

    def record_call(self, tool: str, *, ok: bool, seconds: float) -> None:
        """See Meter."""
        self._called.append((tool, ok, seconds))
        if len(self._called) >= COUNTED_TOGETHER:
            self._count()

    def record_stages(self, stages: Stages) -> None:
        """See Meter."""
        of_call = _of_call.get()
        if of_call is None:
            self._staged.append(("none", stages))
        else:
            of_call += stages

    def _count(self) -> None:
        with self._lock:
            while self._called:
                tool, ok, seconds = self._called.popleft()
                self._calls(tool, "ok" if ok else "error").inc()
                self._seconds.add((tool,), seconds)
            while self._staged:
                tool, stages = self._staged.popleft()
                for stage, seconds in stages:
                    self._stages.add((tool, stage), seconds)

    def refused(self, status: int) -> None:
        """Count a request that was not let in."""
        self._refused.labels(str(int(status))).inc()  # in Python 3.10 an HTTPStatus says its name

    def read(self) -> bytes:
        """Everything, of all workers, in Prometheus' text format."""
        self._count()
        if self._worker is None:
            return generate_latest(self._registry)
        told = {self._worker: self.dump(), **self._others()}
        return generate_latest(_OfAll(told))

    def dump(self) -> bytes:
        """What this process has counted, for another's `read`."""
        self._count()
        families = [
            (
                family.name,
                family.documentation,
                family.type,
                [(each.name, each.labels, each.value) for each in family.samples],
            )
            for family in self._registry.collect()
        ]
        return orjson.dumps(families)


class _Running:
    """See Meter.running. Calls `at_work` there are, and the stages of those that have ended go to `staged`."""

    __slots__ = ("_at_work", "_before", "_staged", "_stages", "_tool")

    def __init__(self, tool: str, at_work: deque[None], staged: deque[tuple[str, Stages]]) -> None:
        self._tool = tool
        self._at_work = at_work
        self._staged = staged
        self._stages: list[tuple[str, float]] = []

    def __enter__(self) -> None:
        self._before = _of_call.set(self._stages)
        self._at_work.append(None)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._at_work.pop()
        _of_call.reset(self._before)
        if kind is None and self._stages:  # a call that WouldWait ends is begun anew, and counted then
            self._staged.append((self._tool, self._stages))


class _Durations(Collector):
    """Shows what a Histogram of Prometheus' client would, but adding takes neither a lock nor six calls: the caller holds `lock`."""

    def __init__(self, name: str, meaning: str, labels: tuple[str, ...], lock: threading.Lock) -> None:
        self._name = name
        self._meaning = meaning
        self._labels = labels
        self._lock = lock
        self._series: dict[tuple[str, ...], _Series] = {}

    def add(self, labels: tuple[str, ...], seconds: float) -> None:
        """Add a duration to the series with these label values."""
        if (series := self._series.get(labels)) is None:
            series = self._series[labels] = _Series()
        series.counts[bisect_left(BUCKETS, seconds)] += 1
        series.sum += seconds

    def collect(self) -> Iterator[Metric]:
        family = Metric(self._name, self._meaning, "histogram")
        with self._lock:
            for values, series in self._series.items():
                labels = dict(zip(self._labels, values, strict=True))
                so_far = list(accumulate(series.counts))
                for bound, count in zip((*map(str, BUCKETS), "+Inf"), so_far, strict=True):
                    family.add_sample(f"{self._name}_bucket", {**labels, "le": bound}, count)
                family.add_sample(f"{self._name}_count", labels, so_far[-1])
                family.add_sample(f"{self._name}_sum", labels, series.sum)
                family.add_sample(f"{self._name}_created", labels, series.created)
        yield family


class _Series:
    """The durations of one set of labels: how many fall into each of BUCKETS and beyond, and their sum."""

    __slots__ = ("counts", "created", "sum")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.sum = 0.0
        self.created = time()


class _OfAll(Collector):
    """The metrics of all workers, each with its number as a label."""

    def __init__(self, dumps: Mapping[int, bytes | None]) -> None:
        self._dumps = dict(sorted(dumps.items()))

    def collect(self) -> Iterator[Metric]:
        up = Metric("omoide_worker_up", "Whether a worker has told what it counted.", "gauge")
        families = {up.name: up}
        for worker, dumps in self._dumps.items():
            label = {"worker": str(worker)}
            up.add_sample(up.name, label, dumps is not None)
            for name, meaning, kind, samples in orjson.loads(dumps or b"[]"):
                family = families.setdefault(name, Metric(name, meaning, kind))
                for sample, labels, value in samples:
                    family.add_sample(sample, {**labels, **label}, value)
        yield from families.values()


class _Sizes(Collector):
    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for name, meaning, value in self._sizes():
            yield GaugeMetricFamily(f"omoide_{name}", meaning, value=value)
