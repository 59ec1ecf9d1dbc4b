"""Which session a call belongs to."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from omoide.server.calls.sessions import Register, Sessions


def seconds_of(clock: Any) -> Callable[[], float]:
    return lambda: clock().timestamp()


def test_a_connection_is_its_own_session(clock: Any) -> None:
    sessions = Sessions(clock)
    assert sessions.of("abc") == sessions.of("abc") != sessions.of("abd")


def test_a_session_is_a_uuid_that_does_not_tell_the_connection(clock: Any) -> None:
    named = Sessions(clock).of("5f0cd58c32dc35b147b8bb7ea7b31f36")
    assert str(UUID(named)) == named
    assert "5f0c" not in named


def test_callers_without_a_connection_share_one_until_an_idle_gap(clock: Any) -> None:
    sessions = Sessions(clock, idle=timedelta(minutes=30), seconds=seconds_of(clock))
    first = sessions.of(None)
    clock.advance(minutes=30)
    assert sessions.of(None) == first
    clock.advance(minutes=31)
    assert sessions.of(None) != first


def test_without_an_idle_gap_the_shared_session_lasts(clock: Any) -> None:
    sessions = Sessions(clock, seconds=seconds_of(clock))
    first = sessions.of(None)
    clock.advance(days=400)
    assert sessions.of(None) == first
    assert Sessions(clock).of(None) != first, "after a restart another begins"


def test_a_session_ends_though_the_clock_was_set_back(clock: Any) -> None:
    sessions = Sessions(clock, idle=timedelta(minutes=30), seconds=seconds_of(clock))
    first = sessions.of(None)
    clock.advance(days=-1)
    assert sessions.of(None) == first
    clock.advance(minutes=31)
    assert sessions.of(None) != first


def test_of_many_calls_within_a_second_one_alone_asks_for_the_present_session(clock: Any) -> None:
    asked, began = list[Any](), clock()

    def noted() -> Any:
        asked.append(clock())
        return clock()

    sessions = Sessions(noted, idle=timedelta(minutes=30), seconds=seconds_of(clock))
    for _ in range(6):
        sessions.of(None)
        clock.advance(seconds=0.4)
    assert asked == [began, began + timedelta(seconds=1.2)]


def test_processes_that_share_a_register_know_one_session_of_each_name(clock: Any) -> None:
    register = Register(2)
    tokyo, too, shanghai = (
        Sessions(clock, timedelta(minutes=30), register, name, seconds_of(clock)) for name in ("東京", "東京", "上海")
    )
    first = tokyo.of(None)
    assert too.of(None) == first != shanghai.of(None)
    clock.advance(minutes=20)
    assert too.of(None) == first
    clock.advance(minutes=20)
    assert tokyo.of(None) == first, "it was asked for twenty minutes ago"
    clock.advance(minutes=31)
    assert first != tokyo.of(None) == too.of(None)
