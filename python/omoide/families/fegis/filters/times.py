"""Rules for timestamps: instants are compared strictly, days and other calendar units as a whole."""

from __future__ import annotations

from omoide.dates import End
from omoide.errors import InvalidArgument, shortened
from omoide.families.fegis.filters.asked import Asked, ends, ends_too_soon, rules
from omoide.families.fegis.filters.iso import Span, iso_span
from omoide.model.condition import Condition, Within


def _span(asked: Asked, end: End | None = None) -> Span:
    if not isinstance(asked.value, str):
        also = {
            "ja": "日時は 2024-01-01 や昨日のような文字列にしてください。",
            "zh": "时间应为字符串，例如 2024-01-01 或昨天。",
        }
        message = "Timestamp filter values must be strings in ISO format"
        raise asked.wrong(message, "for example '2024-01-01' or 昨日.", also)
    written = iso_span(asked.value, asked.moment.zone)
    if written is not None:
        return written
    try:
        interval = asked.moment.argument(asked.value, "timestamp", about="past", end=end)
    except InvalidArgument as error:
        raise asked.wrong(_no_timestamp(asked), str(error), error.also) from None
    return Span(interval.start, interval.end, instant=False)


def _no_timestamp(asked: Asked) -> str:
    """The message that clients know; the hint has the other forms."""
    shown = shortened(asked.value)
    if asked.operator == "between":
        return f"Invalid isoformat string: '{shown}'"
    return f"Invalid timestamp format '{shown}'. Use ISO format (e.g., '2024-01-01T00:00:00Z')"


def _same(asked: Asked) -> Condition:
    span = _span(asked)
    return Within(asked.column, start=span.start, end=span.end)


def _before(asked: Asked) -> Condition:
    span = _span(asked, "end")
    return Within(asked.column, end=span.start if span.instant else span.end)


def _after(asked: Asked) -> Condition:
    span = _span(asked, "start")
    return Within(asked.column, start=span.start, start_inclusive=not span.instant)


def _between(asked: Asked) -> Condition:
    low, high = ends(asked)
    first, last = _span(low, "start"), _span(high, "end")
    if first.start and last.end and first.start >= last.end:
        raise ends_too_soon(asked)
    return Within(asked.column, start=first.start, end=last.end)


#: A timestamp contains "2025-07" if it is in that month.
TIME = rules(_same, before=_before, after=_after, between=_between, contains=_same)
