"""How much one visitor may ask at a time and in a time, so that none keeps the others waiting.

Useful for: HTTP, where many share a server. Not useful for: how long a tool runs. Invariant: what is kept of a visitor
who has been quiet is forgotten; the number of names seen does not grow with time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

from omoide.server.refusal import Refusal

#: A visitor may be ahead of the rate by so many seconds.
BURST_SECONDS = 2.0
#: Names kept before the quiet ones are forgotten.
KEPT = 1_000
#: Requests of everybody together, waiting or under way; beyond that the server is too busy. Listening costs little.
MOST_AT_ONCE = {"ask": 2_000, "listen": 10_000}


@dataclass(slots=True)
class _Account:
    """`credit` requests could be made at the instant `at`; `present` are under way."""

    credit: float
    at: float
    present: int = 0


class Limits:
    """`rate` requests a second and `at_once` requests under way for each name; None: any number.

    For the event loop's thread alone.
    """

    def __init__(
        self, rate: float | None = None, at_once: int | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._rate = rate
        self._at_once = at_once
        self._clock = clock
        self._present = dict.fromkeys(MOST_AT_ONCE, 0)
        self._accounts: dict[tuple[str, str], _Account] = {}

    def __len__(self) -> int:
        """How many names are remembered."""
        return len(self._accounts)

    @contextmanager
    def turn(self, name: str, method: str) -> Iterator[None]:
        """Around one request. What a client listens to (GET) counts apart from what it asks. Raises Refusal."""
        kind = "listen" if method == "GET" else "ask"
        if self._present[kind] >= MOST_AT_ONCE[kind]:
            raise _refused(503, "busy", "The server is too busy.", 1.0)
        account = self._account(name, kind)
        self._spend(account)
        account.present += 1
        self._present[kind] += 1
        try:
            yield
        finally:
            account.present -= 1
            self._present[kind] -= 1

    def _spend(self, account: _Account) -> None:
        if self._at_once is not None and account.present >= self._at_once:
            raise _refused(429, "too_many_requests", f"At most {self._at_once} requests at a time.", 1.0)
        if self._rate is None:
            return
        now = self._clock()
        account.credit = min(self._burst, account.credit + max(0.0, now - account.at) * self._rate)
        account.at = now
        if account.credit < 1:
            raise _refused(
                429,
                "too_many_requests",
                f"At most {self._rate:g} requests a second.",
                (1 - account.credit) / self._rate,
            )
        account.credit -= 1

    def _account(self, name: str, kind: str) -> _Account:
        key = (name, kind)
        if key not in self._accounts:
            if len(self._accounts) >= KEPT:
                self._forget_the_quiet()
            self._accounts[key] = _Account(self._burst, self._clock())
        return self._accounts[key]

    @property
    def _burst(self) -> float:
        return max(1.0, BURST_SECONDS * (self._rate or 0.0))

    def _forget_the_quiet(self) -> None:
        """An account that is full again and has nobody present is as good as a new one."""
        long_ago = self._clock() - BURST_SECONDS - 1 / (self._rate or 1.0)
        self._accounts = {
            key: account for key, account in self._accounts.items() if account.present or account.at > long_ago
        }


def _refused(status: int, code: str, message: str, wait_seconds: float) -> Refusal:
    retry_after = str(max(1, round(wait_seconds + 0.5)))
    return Refusal(status, code, f"{message} Try again in {retry_after} s.", {"Retry-After": retry_after})
