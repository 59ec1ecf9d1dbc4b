"""How many requests one visitor may make at a time and per second, so that nobody keeps the others waiting, or out.

Useful for: HTTP, where many share a server. Not useful for: how long a tool runs. Invariant: memory does not grow with time;
processes that share a request counts enforce the limits together; whatever one visitor asks, there is room for another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from time import monotonic
from typing import NamedTuple

from omoide.errors import counted, filled
from omoide.server.access.refusal import Refusal
from omoide.server.shared_table import Row, SharedTable, shared_counts

#: A visitor may use the rate of this many seconds at once.
BURST_SECONDS = 2.0
#: Accounts that are kept; beyond that, the least recently used ones start from zero.
KEPT = 65_536
#: Requests of all visitors to one process, waiting or under way; beyond that it is too busy. Listening costs little.
MOST_AT_ONCE = {"ask": 4_000, "listen": 10_000}
#: Enough for a memory of the greatest length with every character escaped; each visitor may have so much, however full it is.
MAX_BODY_BYTES = 16 * 1024 * 1024
#: The bodies of all requests to one process that have come and are not answered yet: a few thousand of the greatest would fill any
#: memory.
MAX_BYTES_OF_BODIES = 512 * 1024 * 1024
#: Nor more than these shares of the connections, so that some are left on which a newcomer can ask.
CONNECTION_SHARES = {"ask": 1 / 2, "listen": 1 / 3}


class Account(NamedTuple):
    """At the time `at` a visitor was `ahead` of the rate by this many requests. Under way are `present` in the process that
    looks, and `others` in the other processes."""

    ahead: float = 0.0
    at: float = 0.0
    present: int = 0
    others: int = 0


class RequestCounts:
    """The accounts of all visitors. Made before the `processes` that share it are forked."""

    def __init__(self, processes: int = 1) -> None:
        # For each process: in which of its lives it wrote, and how many requests were present.
        self._table = SharedTable("dd" + "II" * processes, rows=KEPT, processes=processes)
        self._lives = shared_counts(processes)

    def empty(self, process: int) -> None:
        """Count no requests as present in a process that begins or has ended, whatever the last one with its number wrote."""
        self._lives[process] += 1

    def change(self, name: str, process: int, change: Callable[[Account], Account]) -> None:
        """Replace an account, as the process sees it, by what `change` returns; if that raises, the account stays."""

        def changed(row: Row) -> Row:
            ahead, at, *marks = row
            present = [
                count if life == now else 0
                for life, count, now in zip(marks[::2], marks[1::2], self._lives, strict=True)
            ]
            own = present[process]
            account = change(Account(ahead, at, own, sum(present) - own))
            marks[2 * process : 2 * process + 2] = self._lives[process], account.present
            return (account.ahead, account.at, *marks)

        self._table.change(name, changed)


class _Capacity:
    """Room for `most` requests of one kind to this process, or bytes of them, of all visitors. Nobody may have more than is left: one
    alone gets half of it, two that go on asking a third each, so a newcomer finds some. (Choudhury and Hahne, Dynamic queue length
    thresholds for shared-memory packet switches, 1998.) Where nothing is left, as twelve who come one after the other and stay
    would take all, each may still have `least`."""

    def __init__(self, most: int, least: int = 1, unit: str = "requests") -> None:
        self._free = most
        self._least = least
        self._unit = unit
        self._present: dict[str, int] = {}

    def check(self, name: str) -> None:
        """Raise Refusal if there is no room for more."""
        present = self._present.get(name, 0)
        if present >= max(self._least, self._free):
            message = f"The server is too busy: of the {self._unit} present, {present:,} are yours."
            also = filled(_BUSY_ALSO, unit=_UNITS_ALSO[self._unit], present=f"{present:,}")
            raise _refused(503, "busy", message, 1.0, also)

    def take(self, name: str, amount: int = 1) -> None:
        """Take room for one more request, or so many bytes."""
        self._present[name] = self._present.get(name, 0) + amount
        self._free -= amount

    def give_back(self, name: str, amount: int = 1) -> None:
        """Give back that room."""
        self._free += amount
        if self._present[name] > amount:
            self._present[name] -= amount
        else:
            del self._present[name]


class Limits:
    """Allows `rate` requests a second and `at_once` requests under way for each name; None: any number. `clock` counts seconds,
    the same in every process that shares the request counts; this one is number `process`, and can hold so many `connections` and
    `body_bytes`.

    To be used in the event loop's thread only.
    """

    def __init__(
        self,
        rate: float | None = None,
        at_once: int | None = None,
        clock: Callable[[], float] = monotonic,
        request_counts: RequestCounts | None = None,
        process: int = 0,
        connections: float = math.inf,
        body_bytes: int = MAX_BYTES_OF_BODIES,
    ) -> None:
        self._rate = rate
        self._at_once = at_once
        self._clock = clock
        self._request_counts = request_counts or RequestCounts()
        self._process = process
        self._request_counts.empty(process)
        self._capacities = {
            kind: _Capacity(int(min(most, CONNECTION_SHARES[kind] * connections)))
            for kind, most in MOST_AT_ONCE.items()
        }
        self._bodies = _Capacity(body_bytes, MAX_BODY_BYTES, "bytes")

    def request(self, name: str, method: str) -> _Request:
        """A context manager around one request; entering it raises Refusal. Streams that a client listens to (GET) count
        apart."""
        return _Request(self, name, "listen" if method == "GET" else "ask")

    def body(self, name: str) -> BodyRoom:
        """A context manager around a request while its body is kept."""
        return BodyRoom(self._bodies, name)

    def enter(self, name: str, kind: str) -> None:
        """See `request`."""
        capacity = self._capacities[kind]
        capacity.check(name)
        if self._rate is not None or self._at_once is not None:
            self._request_counts.change(f"{kind}\n{name}", self._process, self._entered)
        capacity.take(name)

    def leave(self, name: str, kind: str) -> None:
        """See `request`."""
        self._capacities[kind].give_back(name)
        if self._at_once is not None:
            self._request_counts.change(f"{kind}\n{name}", self._process, _left)

    def undo(self, name: str, kind: str) -> None:
        """Undo `enter`, for a request that will enter once more."""
        self._capacities[kind].give_back(name)
        if self._rate is not None or self._at_once is not None:
            self._request_counts.change(f"{kind}\n{name}", self._process, _undone)

    def _entered(self, account: Account) -> Account:
        if self._at_once is None:
            return self._spent(account)  # `leave` counts nobody out then, so nobody is counted in
        if account.present + account.others >= self._at_once:
            message = f"At most {counted(self._at_once, 'request', 'requests')} at a time."
            raise _refused(429, "too_many_requests", message, 1.0, filled(_AT_ONCE_ALSO, most=f"{self._at_once:,}"))
        return self._spent(account)._replace(present=account.present + 1)

    def _spent(self, account: Account) -> Account:
        if self._rate is None:
            return account
        now, burst = self._clock(), max(1.0, BURST_SECONDS * self._rate)
        # If the clock has gone back, the time passed is unknown: the account starts from zero.
        ahead = max(0.0, account.ahead - (now - account.at) * self._rate if now >= account.at else 0.0) + 1
        if ahead > burst:
            most = f"{self._rate:g} {'request' if self._rate == 1 else 'requests'}"
            also = filled(_A_SECOND_ALSO, most=f"{self._rate:g}")
            raise _refused(429, "too_many_requests", f"At most {most} a second.", (ahead - burst) / self._rate, also)
        return account._replace(ahead=ahead, at=now)


class _Request:
    __slots__ = ("_is_under_way", "_kind", "_limits", "_name")

    def __init__(self, limits: Limits, name: str, kind: str) -> None:
        self._limits = limits
        self._name = name
        self._kind = kind
        self._is_under_way = False

    def leave(self) -> None:
        """Count the request as under way no longer, if it still is."""
        if self._is_under_way:
            self._is_under_way = False
            self._limits.leave(self._name, self._kind)

    def __enter__(self) -> _Request:
        self._limits.enter(self._name, self._kind)
        self._is_under_way = True
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()


class BodyRoom:
    """Room for the body of one request, taken as its parts come."""

    __slots__ = ("_capacity", "_name", "_taken")

    def __init__(self, capacity: _Capacity, name: str) -> None:
        self._capacity = capacity
        self._name = name
        self._taken = 0

    def take(self, size: int) -> None:
        """Take room for so many bytes more. Raises Refusal."""
        if size:
            self._capacity.check(self._name)
            self._capacity.take(self._name, size)
            self._taken += size

    def __enter__(self) -> BodyRoom:
        return self

    def __exit__(self, *_: object) -> None:
        if self._taken:
            self._capacity.give_back(self._name, self._taken)


def _undone(account: Account) -> Account:
    return _left(account)._replace(ahead=max(0.0, account.ahead - 1))


def _left(account: Account) -> Account:
    return account._replace(present=max(0, account.present - 1))


_BUSY_ALSO = {
    "ja": "サーバーが混み合っています。処理中の{unit}のうち {present} があなたのものです。",
    "zh": "服务器过于繁忙，正在处理的{unit}中有 {present} 属于您。",
}
_UNITS_ALSO = {"requests": {"ja": "リクエスト", "zh": "请求"}, "bytes": {"ja": "バイト", "zh": "字节"}}
_AT_ONCE_ALSO = {"ja": "リクエストは同時に {most} 件までです。", "zh": "同时最多只能有 {most} 个请求。"}
_A_SECOND_ALSO = {"ja": "リクエストは毎秒 {most} 件までです。", "zh": "每秒最多只能有 {most} 个请求。"}
_WAIT_ALSO = {"ja": "{why}{seconds} 秒後にやり直してください。", "zh": "{why}请在 {seconds} 秒后重试。"}


def _refused(status: int, code: str, message: str, wait_seconds: float, why: Mapping[str, str]) -> Refusal:
    """A refusal until some seconds have passed; `why` is the message in other languages."""
    seconds = str(max(1, round(wait_seconds + 0.5)))
    also = filled(_WAIT_ALSO, why=why, seconds=seconds)
    return Refusal(status, code, f"{message} Try again in {seconds} s.", {"Retry-After": seconds}, also=also)
