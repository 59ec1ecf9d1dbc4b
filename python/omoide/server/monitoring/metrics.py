"""What Prometheus is told at /metrics: durations by tool and stage, calls waiting, the index's lag, sizes.

Useful for: `omoide serve --http`. Not useful for: stdio, where nobody can ask. Invariant: no label is taken from a
request: series are as many as tools and stages, however many tenants there are. Of several workers each counts for itself,
and whichever is asked tells of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cache

import orjson
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from omoide.server.monitoring.meter import Stages

#: What a scrape reads anew: (name, meaning, value).
Sizes = Callable[[], Iterable[tuple[str, str, float]]]
#: Asks the other workers: what each of them tells, by its number; None of one that does not answer.
Others = Callable[[], Mapping[int, bytes | None]]

#: Seconds: from an index look-up to a call that a person would wait for no longer.
BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)

#: Of the call that runs: the stages of its searches, which count once it is over.
_of_call: ContextVar[list[tuple[str, float]] | None] = ContextVar("stages", default=None)


class Metrics:
    """A Meter that can be read. `worker` is the number of this process, where there are several; `others` asks the others
    for what they `tell`."""

    def __init__(self, worker: int | None = None, others: Others = dict) -> None:
        made = self._registry = CollectorRegistry()
        self._worker = worker
        self._others = others
        calls = Counter("omoide_calls", "Calls answered.", ("tool", "outcome"), registry=made)
        seconds = Histogram("omoide_call_seconds", "A call's work.", ("tool",), registry=made, buckets=BUCKETS)
        stages = Histogram(
            "omoide_stage_seconds", "One stage of a search.", ("tool", "stage"), registry=made, buckets=BUCKETS
        )
        # Looked up once: finding the child of some labels takes longer than counting.
        self._calls, self._seconds, self._stages = cache(calls.labels), cache(seconds.labels), cache(stages.labels)
        self._waiting = Gauge("omoide_calls_present", "Calls that wait or run.", registry=made)
        self._running = Gauge("omoide_calls_running", "Calls that run.", registry=made)
        self._refused = Counter("omoide_requests_refused", "Requests not let in.", ("status",), registry=made)

    def show(self, sizes: Sizes) -> None:
        """From now on `sizes` is asked at every reading."""
        self._registry.register(_Sizes(sizes))

    def waiting(self) -> AbstractContextManager[object]:
        """See Meter."""
        return self._waiting.track_inprogress()

    @contextmanager
    def running(self, tool: str) -> Iterator[None]:
        """See Meter."""
        stages: list[tuple[str, float]] = []
        before = _of_call.set(stages)
        try:
            with self._running.track_inprogress():
                yield
        finally:
            _of_call.reset(before)
        self._observe(tool, stages)  # of a call that is begun anew elsewhere nothing comes here

    def called(self, tool: str, *, ok: bool, seconds: float) -> None:
        """See Meter."""
        self._calls(tool, "ok" if ok else "error").inc()
        self._seconds(tool).observe(seconds)

    def stages(self, stages: Stages) -> None:
        """See Meter."""
        of_call = _of_call.get()
        if of_call is None:
            self._observe("none", stages)
        else:
            of_call += stages

    def _observe(self, tool: str, stages: Stages) -> None:
        for stage, seconds in stages:
            self._stages(tool, stage).observe(seconds)

    def refused(self, status: int) -> None:
        """A request was not let in."""
        self._refused.labels(str(status)).inc()

    def read(self) -> bytes:
        """Everything, of all workers, in Prometheus' text format."""
        if self._worker is None:
            return generate_latest(self._registry)
        told = {self._worker: self.tell(), **self._others()}
        return generate_latest(_OfAll(told))

    def tell(self) -> bytes:
        """What this process has counted, for another's `read`."""
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


class _OfAll(Collector):
    """What the workers tell, each with its number as a label."""

    def __init__(self, told: Mapping[int, bytes | None]) -> None:
        self._told = dict(sorted(told.items()))

    def collect(self) -> Iterator[Metric]:
        up = Metric("omoide_worker_up", "Whether a worker has told what it counted.", "gauge")
        families = {up.name: up}
        for worker, told in self._told.items():
            label = {"worker": str(worker)}
            up.add_sample(up.name, label, told is not None)
            for name, meaning, kind, samples in orjson.loads(told or b"[]"):
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
