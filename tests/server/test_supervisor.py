"""Several processes on one socket: replaced when they die, ended together."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import sleep

import pytest

from tests.server.conftest import environment

#: Says who it is, then waits. A worker that began long ago is one that may be replaced; where it says `open`, the first serves;
#: where it says `slow`, a worker goes on when it is told to end, until it is hurried.
PROGRAM = """
import os, signal, sys, time
from omoide.server.processes import supervisor
supervisor.START_SECONDS, supervisor.REST_SECONDS = float(sys.argv[2]), 0.001
supervisor.END_SECONDS = 60.0 if sys.argv[3] == "slow" else 1.0
class Shared:
    def serves(self, number):
        return sys.argv[3] == "open" and number == 0
    def lost(self, number):
        os.write(1, f"lost {number}\\n".encode())
def work(number):
    if sys.argv[3] == "slow":
        signal.signal(signal.SIGTERM, lambda *_: os.write(1, f"told {number}\\n".encode()))
        signal.signal(signal.SIGINT, lambda *_: os.write(1, f"hurried {number}\\n".encode()) and sys.exit(0))
    os.write(1, f"{number} {os.getpid()}\\n".encode())
    if sys.argv[3] == "fail":
        raise RuntimeError("だめ")
    while True:
        signal.pause()
try:
    supervisor.run(int(sys.argv[1]), work, lambda: os.write(1, b"ending\\n"), Shared())
except Exception as error:
    print(type(error).__name__, error, flush=True)
print("over", flush=True)
"""


def start(
    workers: int, start_seconds: float, how: str, before: str = "", log: str = os.devnull
) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", before + PROGRAM, str(workers), str(start_seconds), how]
    with open(log, "wb") as stderr:
        # As it is for those who run a server: what cannot be written stays in a buffer.
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment(PYTHONUNBUFFERED="")
        )


@pytest.fixture
def supervisor() -> Iterator["subprocess.Popen[str]"]:
    process = start(2, 0.0, "work")
    yield process
    process.kill()
    process.wait(20)


def line(process: "subprocess.Popen[str]") -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().split()


def stop(process: int) -> None:
    """Have it stand still; until it does, it might be ended by a signal that comes second."""
    os.kill(process, signal.SIGSTOP)
    state = Path(f"/proc/{process}/stat")
    while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "T":
        sleep(0.001)


#: As it is where processes cannot be forked.
WITHOUT_FORK = """
import os, socket, sys
del os.fork, socket.AF_UNIX
from omoide.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_system_that_cannot_fork_says_so(tmp_path: Path) -> None:
    command = ["serve", "--http", "--workers", "2", "--port", "0", "--data", str(tmp_path)]
    done = subprocess.run([sys.executable, "-c", WITHOUT_FORK, *command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert "This system cannot run several workers." in done.stderr


def test_one_that_dies_is_replaced_and_all_end_together(supervisor: "subprocess.Popen[str]") -> None:
    present = dict([line(supervisor), line(supervisor)])
    assert present.keys() == {"0", "1"}
    os.kill(int(present["1"]), signal.SIGKILL)
    assert line(supervisor) == ["lost", "1"]
    number, process = line(supervisor)
    assert number == "1"
    assert process != present["1"]
    supervisor.terminate()
    assert line(supervisor) == ["ending"]
    assert sorted([line(supervisor), line(supervisor)]) == [["lost", "0"], ["lost", "1"]]
    assert line(supervisor) == ["over"]
    assert line(supervisor) == [], "every process has let go of stdout"


def test_one_that_stands_still_does_not_keep_the_others_from_ending(supervisor: "subprocess.Popen[str]") -> None:
    present = dict([line(supervisor), line(supervisor)])
    stop(int(present["1"]))
    supervisor.terminate()
    assert [line(supervisor) for _ in range(5)] == [["ending"], ["lost", "0"], ["lost", "1"], ["over"], []]
    assert supervisor.wait(20) == 0


def test_one_that_stands_still_is_not_waited_for_longer_when_all_are_told_again(
    supervisor: "subprocess.Popen[str]",
) -> None:
    present = dict([line(supervisor), line(supervisor)])
    stop(int(present["1"]))
    for _ in range(100):  # as in `while kill $process; do sleep 0.2; done`
        supervisor.terminate()
        with suppress(subprocess.TimeoutExpired):
            supervisor.wait(0.2)
            break
    assert supervisor.returncode is not None


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
def test_who_is_impatient_hurries_all_of_them(asked: signal.Signals) -> None:
    process = start(2, 0.0, "slow")
    try:
        assert {line(process)[0], line(process)[0]} == {"0", "1"}
        for each in (asked, signal.SIGTERM):
            process.send_signal(each)
            assert line(process) == ["ending"]
            assert sorted([line(process), line(process)]) == [["told", "0"], ["told", "1"]]
        process.send_signal(signal.SIGINT)
        told = sorted(line(process) for _ in range(4))
        assert told == [["hurried", "0"], ["hurried", "1"], ["lost", "0"], ["lost", "1"]]
        assert line(process) == ["over"]
    finally:
        process.kill()
        process.wait(20)


def test_none_outlives_the_one_that_started_them(supervisor: "subprocess.Popen[str]") -> None:
    assert {line(supervisor)[0], line(supervisor)[0]} == {"0", "1"}
    supervisor.kill()
    assert line(supervisor) == [], "every process has let go of stdout"


def test_one_that_cannot_start_ends_all_and_is_told_of_with_how_it_ended() -> None:
    process = start(2, 60.0, "fail")
    said = [" ".join(each.split()) for each in process.stdout or ()]
    assert [each for each in said if re.match(r"Unavailable Worker \d ended at its start \(exit code 1\)\. ", each)]
    assert process.wait(20) == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no disk that is always full")
def test_one_that_cannot_log_ends_and_leaves_the_rest_to_the_one_that_started_it() -> None:
    process = start(2, 60.0, "fail", log="/dev/full")
    said = [" ".join(each.split()) for each in process.stdout or ()]
    assert [each for each in said if re.match(r"Unavailable Worker \d ended at its start \(exit code 1\)\. ", each)]
    assert [each for each in said if each.endswith("over")] == ["over"], "the workers have not gone on in its place"
    process.wait(20)


def test_one_that_is_killed_at_its_start_is_told_of_with_the_signal() -> None:
    process = start(2, 60.0, "work")
    present = dict([line(process), line(process)])
    os.kill(int(present["1"]), signal.SIGKILL)
    said = [" ".join(each.split()) for each in process.stdout or ()]
    assert [each for each in said if "Worker 1 ended at its start (signal 9)." in each]
    assert process.wait(20) == 0


def test_one_that_cannot_start_again_ends_nobody_who_serves() -> None:
    process = start(2, 60.0, "open")
    present = dict([line(process), line(process)])
    for _ in range(3):
        os.kill(int(present["1"]), signal.SIGKILL)
        assert line(process) == ["lost", "1"]
        number, present["1"] = line(process)
        assert number == "1"
    os.kill(int(present["0"]), signal.SIGKILL)
    said = [" ".join(each.split()) for each in process.stdout or ()]
    assert said[:2] == ["lost 0", "ending"], "none is left that serves"
    assert [each for each in said if "Worker 0 ended at its start (signal 9)." in each]
    assert process.wait(20) == 0


def another_takes_the_place_of(killed: str, process: subprocess.Popen[str]) -> None:
    os.kill(int(killed), signal.SIGKILL)
    assert line(process) == ["lost", "1"]
    assert line(process)[0] == "1"


#: As where the system allows no third process, for a moment.
FULL = """
import os
fork, allowed = os.fork, iter((True, True, False))
def fork_if_allowed():
    if next(allowed, True):
        return fork()
    raise BlockingIOError(11, "Resource temporarily unavailable")
os.fork = fork_if_allowed
"""


def test_one_that_the_system_gives_no_process_for_is_tried_again_while_another_serves() -> None:
    process = start(2, 0.0, "open", FULL)
    try:
        present = dict([line(process), line(process)])
        another_takes_the_place_of(present["1"], process)
    finally:
        process.kill()
        process.wait(20)


def test_where_none_serves_one_without_a_process_ends_all() -> None:
    process = start(3, 0.0, "work", FULL)
    said = [" ".join(each.split()) for each in process.stdout or ()]
    assert [each for each in said if "Worker 2 ended at its start (Resource temporarily unavailable)." in each]
    assert process.wait(20) == 0


#: As the first process of a container, which is given whoever others leave behind; and a program that leaves such.
FIRST = """
import ctypes, subprocess
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
subprocess.run(["sh", "-c", "(sleep 0.3; echo left behind) &"])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only process 1 is given others' children")
def test_a_child_that_another_process_leaves_behind_ends_nobody() -> None:
    process = start(2, 0.0, "work", FIRST)
    try:
        said = sorted(line(process) for _ in range(3))  # on a busy machine a worker may begin later
        assert said[2] == ["left", "behind"]
        present = dict(said[:2])
        another_takes_the_place_of(present["1"], process)
    finally:
        process.kill()
        process.wait(20)


#: Time is what a file says, and says when the timer would ring. A worker goes on when it is told to end.
TIMED = """
import os, signal, sys
from omoide.server.processes import supervisor
supervisor.monotonic = lambda: float(open(sys.argv[1]).read())
supervisor.REST_SECONDS, supervisor.END_SECONDS = 10.0, 60.0
signal.setitimer = lambda _, seconds: os.write(1, f"timer {seconds:g}\\n".encode())
class Shared:
    def serves(self, number):
        return True
    def lost(self, number):
        os.write(1, f"lost {number}\\n".encode())
def work(number):
    signal.signal(signal.SIGTERM, lambda *_: None)
    os.write(1, f"{number} {os.getpid()}\\n".encode())
    while True:
        signal.pause()
supervisor.run(3, work, lambda: os.write(1, b"ending\\n"), Shared())
"""


def test_each_that_ended_at_its_start_is_started_again_in_its_own_time(tmp_path: Path) -> None:
    clock = tmp_path / "now"

    def at(seconds: str) -> None:
        (tmp_path / "next").write_text(seconds)
        (tmp_path / "next").replace(clock)

    at("100")
    command = [sys.executable, "-c", TIMED, str(clock)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        present = dict([line(process), line(process), line(process)])
        os.kill(int(present["1"]), signal.SIGKILL)
        assert [line(process), line(process)] == [["lost", "1"], ["timer", "10"]]
        at("104")
        os.kill(int(present["2"]), signal.SIGKILL)
        assert [line(process), line(process)] == [["lost", "2"], ["timer", "6"]], "the first is due as it was"
        at("110")
        process.send_signal(signal.SIGALRM)
        (number, _), timer = sorted([line(process), line(process)])
        assert (number, timer) == ("1", ["timer", "4"])
        at("111")
        process.terminate()
        assert [line(process), line(process)] == [["ending"], ["timer", "60"]]
        process.send_signal(signal.SIGALRM)  # as if it had been sent for the second, just before
        assert line(process) == ["timer", "60"], "nobody is killed before the time"
        at("171")
        process.send_signal(signal.SIGALRM)
        assert sorted([line(process), line(process)]) == [["lost", "0"], ["lost", "1"]]
    finally:
        process.kill()
        process.wait(20)


#: Crews that are told to end at every moment of their start; says which of them do not.
TOLD_AT_ONCE = """
import os, signal, sys, time
from omoide.server.processes import supervisor
class Shared:
    def lost(self, number):
        pass
def work(number):
    while True:
        signal.pause()
def until_all_have_ended():
    try:
        supervisor.run(2, work, ending=lambda: None, shared=Shared())
    finally:
        os._exit(0)
for number in range(200):
    process = os.fork()
    if not process:
        until_all_have_ended()
    began = time.perf_counter()
    while time.perf_counter() - began < number * 2e-5:
        pass
    os.kill(process, signal.SIGTERM)
    while not os.waitpid(process, os.WNOHANG)[0]:
        if time.perf_counter() - began > 20:
            os.kill(process, signal.SIGKILL)
            sys.exit(f"never ended: {number}")
        time.sleep(0.001)
"""


def test_all_end_at_whatever_moment_of_their_start_they_are_told_to() -> None:
    done = subprocess.run([sys.executable, "-c", TOLD_AT_ONCE], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
