"""Rows that several processes share."""

import subprocess
import sys

import pytest

from omoide.server.shared_table import Row, SharedTable

NAMES = ("東京の支店", "上海的分店", "the branch in London", "")


def one_more(row: Row) -> Row:
    return (row[0] + 1,)


def test_each_name_has_its_own_row() -> None:
    table = SharedTable("q", rows=64)
    for times, name in enumerate(NAMES, 1):
        for _ in range(times):
            table.change(name, one_more)
    assert [table.change(name, lambda row: row) for name in NAMES] == [(1,), (2,), (3,), (4,)]


def test_a_change_that_raises_leaves_the_row_as_it_was() -> None:
    table = SharedTable("q", rows=64)
    table.change("名前", one_more)
    with pytest.raises(ZeroDivisionError):
        table.change("名前", lambda row: (row[0] // 0,))
    assert table.change("名前", one_more) == (2,)


def test_of_too_many_names_those_not_met_for_longest_begin_anew() -> None:
    table = SharedTable("q", rows=8)
    for name in map(str, range(8)):
        table.change(name, one_more)
    table.change("0", one_more)
    table.change("newcomer", one_more)
    assert table.change("0", one_more) == (3,)
    assert table.change("1", one_more) == (1,)


#: Forks so many processes that do something, and prints what a row comes to in the end.
PROGRAM = """
import os, signal, sys, time
from omoide.server.shared_table import SharedTable

table = SharedTable("qq", rows=64, processes=3)

def fork(work):
    process = os.fork()
    if process == 0:
        work()
        os._exit(0)
    return process

def one_more(row):
    return row[0] + 1, row[1]

{body}
print(*table.change("枚", lambda row: row))
"""

COUNTING = """
def work():
    for _ in range(2_000):
        table.change("枚", one_more)
for process in [fork(work) for _ in range(3)]:
    os.waitpid(process, 0)
"""
DYING_INSIDE = """
os.waitpid(fork(lambda: table.change("枚", lambda row: os._exit(1))), 0)
table.change("枚", one_more)
"""
STOPPED_INSIDE = """
def stop(row):
    os.kill(os.getpid(), signal.SIGSTOP)
    return row
stopped = fork(lambda: table.change("枚", stop))
os.waitpid(stopped, os.WUNTRACED)
table.change("枚", one_more)
os.kill(stopped, signal.SIGKILL)
os.waitpid(stopped, 0)
"""


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="several processes are forked")
@pytest.mark.parametrize(
    ("body", "said"),
    [(COUNTING, "6000 0"), (DYING_INSIDE, "1 0"), (STOPPED_INSIDE, "1 0")],
    ids=["all", "dies", "stops"],
)
def test_processes_change_a_row_one_at_a_time_and_wait_for_nobody_who_does_not_go_on(body: str, said: str) -> None:
    program = PROGRAM.replace("{body}", body)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.returncode) == (said, 0), done.stderr
