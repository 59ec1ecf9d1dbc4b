"""What the processes of one server share: `omoide serve --http --workers N` as a process, and each asking the others."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx2
import pytest

from omoide.server.access.limits import Limits
from omoide.server.access.refusal import Refusal
from omoide.server.http.health import NO_ANSWER, missing_of_all
from omoide.server.processes import shared_state
from omoide.server.processes.shared_state import Intercom, SharedState
from omoide.store.layout import STORE_FILE
from tests.server.conftest import begun

Start = Callable[..., str]
JSON = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}
TEXTS = ("お茶は抹茶がいい", "周三下午开会", "The key is under the mat")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="several processes are forked")


def called(name: str, **arguments: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


@contextmanager
def clients(count: int) -> Iterator[list[httpx2.Client]]:
    """So many, each with a connection of its own: a worker has half of them."""
    with ExitStack() as open_now:
        yield [open_now.enter_context(httpx2.Client(headers=JSON)) for _ in range(count)]


def test_a_token_may_ask_so_much_of_all_workers_together(http: Start) -> None:
    url = http("--workers", "2", "--rate-limit", "5")
    with clients(4) as asking:
        statuses = [
            asking[number % 4].post(url, json=called("search_memory", query=TEXTS[1])).status_code
            for number in range(40)
        ]
    allowed = statuses.count(200)
    assert 10 <= allowed < 20, "two seconds' worth at once, and what came free in the meantime"
    assert Counter(statuses)[429] == 40 - allowed


def test_clients_without_a_connection_have_one_session_whichever_worker_answers(http: Start, tmp_path: Path) -> None:
    url = http("--workers", "2")
    with clients(4) as asking:
        for number, text in enumerate(TEXTS * 2):
            fact = called("remember_fact", entityName=f"茶 {number}", entityType="concept", observation=text)
            assert not asking[number % 4].post(url, json=fact).json()["result"].get("isError")
    with closing(sqlite3.connect(tmp_path / "http" / STORE_FILE)) as store:
        sessions = store.execute("SELECT session_id, count(*) FROM memories GROUP BY session_id").fetchall()
    assert [count for _, count in sessions] == [len(TEXTS) * 2]


def test_whichever_worker_is_asked_tells_what_all_have_counted(http: Start) -> None:
    url = http("--workers", "2")
    with clients(12) as asking:
        for calls, each in enumerate(asking, 1):
            each.post(url, json=called("search_memory", query=TEXTS[0]))
            told = each.get(url.replace("/mcp", "/metrics")).text
            counted = re.findall(r'^omoide_calls_total\{.*tool="search_memory",worker="(\d)"\} (\S+)$', told, re.M)
            assert sum(float(count) for _, count in counted) == calls
    assert [worker for worker, _ in counted] == ["0", "1"], "half of the clients have come to either"
    assert re.findall(r'^omoide_worker_up\{worker="\d"\} (\S+)$', told, re.M) == ["1.0", "1.0"]


def test_newcomers_and_limits_do_not_wait_for_a_worker_that_has_ended() -> None:
    both = SharedState(2)
    here, gone = both.part(0), both.part(1)
    for each in (here, gone):
        assert each.share is not None
        each.share.open()
    left = Limits(at_once=1, request_counts=gone.request_counts, process=1).request("山田", "POST")
    left.__enter__()
    asked = Limits(at_once=1, request_counts=here.request_counts, process=0)
    assert here.share is not None
    here.share.change(1)
    assert not here.share.is_least
    with pytest.raises(Refusal), asked.request("山田", "POST"):
        pass
    assert both.serves(1)
    both.lost(1)
    assert (both.serves(0), both.serves(1)) == (True, False)
    assert here.share.is_least
    with asked.request("山田", "POST"):
        pass


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="a worker is found by the system's list of processes")
def test_a_server_is_ready_when_all_its_workers_are_whichever_is_asked(tmp_path: Path) -> None:
    process, url = begun(tmp_path, "--workers", "2")
    try:
        assert until(200, url)["status"] == "ready"
        worker = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
        os.kill(worker, signal.SIGSTOP)
        told = until(503, url)
        os.kill(worker, signal.SIGCONT)
        assert (told["status"], told["reason"]) == ("not ready", f"worker 0: {NO_ANSWER}")
        until(200, url)
    finally:
        process.terminate()
        assert process.wait(20) == 0


def until(status: int, url: str) -> dict[str, str]:
    """What a server says of itself, once it has that status."""
    tick = threading.Event()
    for _ in range(1_000):
        tick.wait(0.01)
        said = httpx2.get(url.replace("/mcp", "/health/ready"))
        if said.status_code == status:
            told: dict[str, str] = said.json()
            return told
    raise AssertionError(f"{said.status_code} {said.text}")


def test_what_any_worker_is_missing_is_told_by_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_state, "ANSWER_SECONDS", 0.2)
    intercom, indexed, names = Intercom(3), ["", "", ""], {1: "王"}

    def of_the_last() -> str:
        return indexed[2] and names[len(indexed[2])]

    first = missing_of_all(lambda: indexed[0], 0, intercom)
    second = missing_of_all(lambda: indexed[1], 1, intercom)
    assert (first(), second()) == (f"worker 2: {NO_ANSWER}",) * 2
    third = missing_of_all(of_the_last, 2, intercom)
    assert (first(), second(), third()) == ("", "", "")
    indexed[0] = "索引中: 3 of 10 changes"
    assert first() == second() == third() == "worker 0: 索引中: 3 of 10 changes"
    indexed[2] = "an error of its own"
    assert second() == "worker 0: 索引中: 3 of 10 changes; worker 2: KeyError"


def test_each_is_told_what_the_others_say_and_what_says_nothing_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = "記憶 记忆 memory".encode() * 100_000
    intercom = Intercom(4)

    def fails() -> bytes:
        raise ZeroDivisionError

    intercom.answer(1, "metrics", lambda: whole)
    intercom.answer(2, "metrics", fails)
    assert intercom.ask_others(0, "metrics") == {1: whole, 2: None, 3: None}
    monkeypatch.setattr(shared_state, "ANSWER_SECONDS", 0.02)
    for _ in range(30):  # more than a socket keeps for number 3, who does not answer
        assert intercom.ask_others(0, "metrics")[3] is None
    monkeypatch.setattr(shared_state, "ANSWER_SECONDS", 10.0)
    intercom.answer(0, "metrics", lambda: b"here")
    intercom.answer(3, "metrics", lambda: b"back")
    assert intercom.ask_others(1, "metrics")[3] == b"back"


def test_one_that_stands_still_keeps_nobody_from_being_told_however_often_it_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared_state, "ANSWER_SECONDS", 0.0)
    monkeypatch.setattr(shared_state, "_LEAST_SECONDS", 1e-4)
    between = Intercom(2)
    assert [between.ask_others(0, "metrics") for _ in range(1_000)] == [{1: None}] * 1_000
