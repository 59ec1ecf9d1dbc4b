"""So many threads go on at a time; one that waits for something else lets another go on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue

import pytest

from omoide.turns import (
    GLANCES,
    Turn,
    Turns,
    WouldWait,
    about_to_wait,
    give_way,
    giving_way,
    held,
    hurried,
    never_waiting,
    waiting,
)

PATIENCE = 20.0


def begun(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def holder(turns: Turns, said: SimpleQueue[str], name: str) -> tuple[Turn, threading.Event]:
    """A thread that begins a turn, says its name, and goes on when it is told to."""
    turn, go_on = Turn(turns), threading.Event()

    def work() -> None:
        turn.begin()
        said.put(name)
        go_on.wait(PATIENCE)
        turn.end()

    begun(work)
    return turn, go_on


def until_they_wait(turns: Turns, how_many: int) -> None:
    tick = threading.Event()
    for _ in range(2_000):
        if turns.waiting == how_many:
            return
        tick.wait(0.01)
    raise AssertionError(f"{turns.waiting} wait, not {how_many}")


def test_turns_come_in_the_order_of_asking() -> None:
    turns, said = Turns(1), SimpleQueue[str]()
    assert turns.take()
    names = ["一番", "第二", "third"]
    for place, name in enumerate(names, 1):
        begun(lambda name=name: (turns.take(), said.put(name), turns.leave()))  # type: ignore[misc]
        until_they_wait(turns, place)
    turns.leave()
    assert [said.get(timeout=PATIENCE) for _ in names] == names


def test_who_is_interrupted_while_waiting_leaves_no_gap() -> None:
    turns, said = Turns(1), SimpleQueue[str]()
    assert turns.take()
    main = threading.get_ident()
    begun(lambda: (until_they_wait(turns, 1), signal.pthread_kill(main, signal.SIGINT)))
    with pytest.raises(KeyboardInterrupt):
        turns.take()
    assert turns.waiting == 0
    begun(lambda: (turns.take(), said.put("次の人"), turns.leave()))
    until_they_wait(turns, 1)
    turns.leave()
    assert said.get(timeout=PATIENCE) == "次の人"


def test_a_turn_that_comes_as_its_thread_is_interrupted_goes_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = Turns(1)
    assert turns.take()

    def interrupted(event: threading.Event, timeout: float | None = None) -> bool:
        turns.leave()
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Event, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        turns.take()
    monkeypatch.undo()
    assert turns.take(0)


def test_who_waits_too_long_goes_without_and_leaves_no_gap() -> None:
    turns = Turns(1)
    assert turns.take()
    assert not turns.take(0.01)
    assert turns.waiting == 0
    turns.leave()
    assert turns.take(0.01)


def test_while_one_waits_for_something_else_another_goes_on_and_it_comes_back_beside_it() -> None:
    turns, said = Turns(1), SimpleQueue[str]()
    mine = Turn(turns)
    mine.begin()
    _, go_on = holder(turns, said, "その間に")
    until_they_wait(turns, 1)
    with waiting():
        assert said.get(timeout=PATIENCE) == "その間に"
    assert turns.crowded, "who comes back does not wait: others may be waiting for its locks"
    go_on.set()
    mine.renew()  # lets the other go first, and then is alone
    assert not turns.crowded
    mine.end()
    assert turns.take(PATIENCE)


def test_a_wait_inside_another_is_part_of_it() -> None:
    turns, said = Turns(1), SimpleQueue[str]()
    mine = Turn(turns)
    mine.begin()
    with waiting():
        with waiting():
            pass
        _, go_on = holder(turns, said, "还在等")
        assert said.get(timeout=PATIENCE) == "还在等"
        assert not turns.crowded
    assert turns.crowded
    go_on.set()
    mine.end()


def test_a_turn_that_was_ended_from_outside_is_not_had_again_after_a_wait() -> None:
    turns, said = Turns(1), SimpleQueue[str]()
    mine = Turn(turns)
    mine.begin()
    with waiting():
        mine.end()
    assert turns.take(PATIENCE), "it is free"
    turns.leave()
    _, go_on = holder(turns, said, "下一个")
    assert said.get(timeout=PATIENCE) == "下一个"
    go_on.set()
    mine.renew()
    took = SimpleQueue[bool]()
    begun(lambda: took.put(turns.take(0.01)))
    assert not took.get(timeout=PATIENCE)
    mine.end()


def test_a_thread_without_a_turn_waits_as_ever() -> None:
    done = threading.Event()

    def work() -> None:
        with waiting():
            done.set()

    begun(work)
    assert done.wait(PATIENCE)


def test_who_waits_for_a_lock_lets_another_go_on() -> None:
    turns, said, lock = Turns(1), SimpleQueue[str](), threading.Lock()
    heard: list[str] = []
    mine = Turn(turns)
    mine.begin()
    lock.acquire()
    _, go_on = holder(turns, said, "別の人")
    until_they_wait(turns, 1)

    def hear() -> None:
        try:
            heard.append(said.get(timeout=PATIENCE))
        finally:
            lock.release()

    begun(hear)
    with held(lock):
        assert heard == ["別の人"]
    assert not lock.locked()
    go_on.set()
    mine.end()


def test_where_nobody_may_wait_a_wait_is_given_up() -> None:
    lock = threading.Lock()
    with never_waiting(), held(lock):
        pass  # nobody else has it
    with lock, pytest.raises(WouldWait), never_waiting(), held(lock):
        raise AssertionError("another has it")
    with pytest.raises(WouldWait), never_waiting():
        about_to_wait()
    turns = Turns(1)
    with never_waiting():
        assert turns.take()
    with pytest.raises(WouldWait), never_waiting():
        turns.take()
    assert turns.waiting == 0, "it stands in no line"
    with pytest.raises(WouldWait), never_waiting(), suppress(Exception):
        waiting()
    waiting()
    about_to_wait()


def test_only_the_thread_that_said_so_never_waits() -> None:
    waited = SimpleQueue[str]()

    def wait() -> None:
        about_to_wait()
        with waiting():
            waited.put("待った")

    with never_waiting():
        begun(wait)
        assert waited.get(timeout=PATIENCE) == "待った"


def test_a_turn_outlasts_a_while_without_waiting() -> None:
    turns, said = Turns(1), SimpleQueue[str]()
    mine = Turn(turns)
    mine.begin()
    with suppress(WouldWait), never_waiting():
        waiting()
    _, go_on = holder(turns, said, "接着")
    until_they_wait(turns, 1)
    with waiting():
        assert said.get(timeout=PATIENCE) == "接着"
    go_on.set()
    mine.end()


def test_only_who_gives_way_rests_and_only_while_others_hurry() -> None:
    rests: list[float] = []
    with hurried():
        give_way()
        with giving_way(rests.append):
            give_way()
        give_way()
    with giving_way(rests.append):
        give_way()
    assert len(rests) == GLANCES


def test_nobody_rests_longer_than_others_hurry() -> None:
    rests: list[float] = []
    others = hurried()

    def over(seconds: float) -> None:
        rests.append(seconds)
        others.__exit__(None, None, None)

    others.__enter__()
    with giving_way(over):
        give_way()
    assert len(rests) == 1
