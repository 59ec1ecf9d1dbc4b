"""Rules for timestamps: instants are compared strictly, days and other calendar units as a whole."""

from __future__ import annotations

from omoide.dates import End
from omoide.errors import InvalidArgument, shortened
from omoide.families.fegis.filters.filter import Filter, ends, reversed_range, rules
from omoide.families.fegis.filters.iso import Span, iso_span
from omoide.model.condition import Condition, Within


def _span(filter: Filter, end: End | None = None) -> Span:
    if not isinstance(filter.value, str):
        also = {
            "ja": "日時は 2024-01-01 や昨日のような文字列にしてください。",
            "zh": "时间应为字符串，例如 2024-01-01 或昨天。",
        }
        message = "Timestamp filter values must be strings in ISO format"
        raise filter.error(message, "for example '2024-01-01' or 昨日.", also)
    written = iso_span(filter.value, filter.moment.zone)
    if written is not None:
        return written
    try:
        interval = filter.moment.argument(filter.value, "timestamp", about="past", end=end)
    except InvalidArgument as error:
        raise filter.error(_no_timestamp(filter), str(error), error.also) from None
    return Span(interval.start, interval.end, instant=False)


def _no_timestamp(filter: Filter) -> str:
    """The message that clients know; the hint has the other forms."""
    shown = shortened(filter.value)
    if filter.operator == "between":
        return f"Invalid isoformat string: '{shown}'"
    return f"Invalid timestamp format '{shown}'. Use ISO format (e.g., '2024-01-01T00:00:00Z')"


def _same(filter: Filter) -> Condition:
    span = _span(filter)
    return Within(filter.column, start=span.start, end=span.end)


def _before(filter: Filter) -> Condition:
    span = _span(filter, "end")
    return Within(filter.column, end=span.start if span.instant else span.end)


def _after(filter: Filter) -> Condition:
    span = _span(filter, "start")
    return Within(filter.column, start=span.start, start_inclusive=not span.instant)


def _between(filter: Filter) -> Condition:
    low, high = ends(filter)
    first, last = _span(low, "start"), _span(high, "end")
    if first.start and last.end and first.start >= last.end:
        raise reversed_range(filter)
    return Within(filter.column, start=first.start, end=last.end)


#: A timestamp contains "2025-07" if it is in that month.
TIME = rules(_same, before=_before, after=_after, between=_between, contains=_same)
