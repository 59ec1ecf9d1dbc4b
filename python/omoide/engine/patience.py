"""How long one call waits for an index that has much of its store still to take in: at a first start, after an import or a restore.

Useful for: the calls of a server, whose clients give up after a minute without being told anything. Not useful for: whoever
can show a progress bar, and waits. Invariant: what was applied while a call waited stays applied.
"""

from __future__ import annotations

from time import monotonic
from typing import NamedTuple

from omoide.errors import IndexBehind, filled

#: Seconds that are told as minutes.
_MINUTES_FROM = 90
_UNITS = {
    "second": {"ja": "{n} 秒", "zh": "{n} 秒"},
    "minute": {"ja": "{n} 分", "zh": "{n} 分钟"},
}


class OutOfPatience(TimeoutError):
    """The thread that applied the changes has waited long enough itself."""


class Patience(NamedTuple):
    """One call's: `seconds` since `began`, when the change `applied` was the last in the index."""

    seconds: float
    began: float
    applied: int

    def check(self, _applied: int, _missing: int) -> None:
        """To be called after each step of the index. Raises OutOfPatience."""
        if monotonic() - self.began >= self.seconds:
            raise OutOfPatience

    def behind(self, applied: int, newest: int) -> IndexBehind:
        """The error for a call that has waited long enough, when changes up to `applied` of `newest` are in the index."""
        return index_behind(applied, newest, self._seconds_left(applied, newest))

    def _seconds_left(self, applied: int, newest: int) -> float | None:
        """At the pace of this wait; None if nothing was applied meanwhile."""
        # An index that was begun anew, because its store was put back, counts from zero.
        done = applied - self.applied if applied >= self.applied else applied
        return (newest - applied) * (monotonic() - self.began) / done if done else None


def patience(seconds: float, applied: int) -> Patience:
    """The patience of a call that begins to wait now."""
    return Patience(seconds, monotonic(), applied)


def index_behind(applied: int, newest: int, seconds_left: float | None) -> IndexBehind:
    """The error for an index that has taken in the changes up to `applied` of `newest`."""
    number, unit = _rounded(seconds_left)
    words = {
        "ja": "索引を作成しています（{newest} 件中 {applied} 件）。保存された内容はなくなりません。約 {wait}後にもう一度お試しください。",
        "zh": "正在建立索引（{newest} 条中已完成 {applied} 条）。已保存的内容不会丢失，请在约 {wait}后重试。",
    }
    counts = {"applied": f"{applied:,}", "newest": f"{newest:,}"}
    return IndexBehind(
        f"The index is still being made: {applied:,} of {newest:,} changes are in it. Nothing that was stored is lost.",
        hint=f"Ask again in about {number} {unit}s.",
        also=filled(words, **counts, wait=filled(_UNITS[unit], n=number)),
    )


def _rounded(seconds: float | None) -> tuple[int, str]:
    """A time to come in the unit that people would use, rounded up; ten seconds if it is not known."""
    if seconds is None or seconds <= _MINUTES_FROM:
        return 10 * max(1, -(-int(seconds or 0) // 10)), "second"
    return -(-int(seconds) // 60), "minute"
