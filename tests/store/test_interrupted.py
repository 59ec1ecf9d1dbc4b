"""Ctrl-C is Ctrl-C wherever it is pressed, also where sqlite3 swallows it."""

import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import omoide
from omoide.errors import StoreError
from omoide.store import interrupted
from omoide.store.sqlite import wide_rows
from omoide.store.sqlite.lock_wait import patiently


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """What is started in the background of a shell ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def connection(usual: None) -> Iterator[sqlite3.Connection]:
    interrupted.listen()
    made = sqlite3.connect(":memory:")
    yield made
    made.close()


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def stumble() -> None:
    raise ValueError("会议")


def call(connection: sqlite3.Connection) -> None:
    patiently(lambda: connection.execute("SELECT called()").fetchone(), 1, "思い出.sqlite3")


def test_in_a_function_that_sql_calls_it_is_no_damage(connection: sqlite3.Connection) -> None:
    connection.create_function("called", 0, press)
    with pytest.raises(KeyboardInterrupt):
        call(connection)


def test_damage_stays_damage(connection: sqlite3.Connection) -> None:
    connection.create_function("called", 0, stumble)
    with pytest.raises(StoreError, match="a text in it is none"):
        call(connection)


def test_it_interrupts_once(connection: sqlite3.Connection) -> None:
    connection.create_function("called", 0, press)
    with pytest.raises(KeyboardInterrupt):
        call(connection)
    connection.create_function("called", 0, stumble)
    with pytest.raises(StoreError):
        call(connection)


class Pressing:
    """Stands for rows that are being taken while Ctrl-C is pressed."""

    rows = property(lambda self: self, lambda self, rows: None)

    def append(self, row: object) -> None:
        press()


def test_while_memories_are_read_it_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with omoide.open(tmp_path) as memories:
        id = memories.remember("京都で抹茶を飲んだ").memory.id
        with monkeypatch.context() as patch:
            patch.setattr(wide_rows, "_own", Pressing())
            with pytest.raises(KeyboardInterrupt):
                memories.get([id])
        (read,) = memories.get([id])
    assert read.text == "京都で抹茶を飲んだ"


def test_elsewhere_it_means_what_it_always_means(connection: sqlite3.Connection) -> None:
    with pytest.raises(KeyboardInterrupt):
        press()
    assert interrupted.was_swallowed()
