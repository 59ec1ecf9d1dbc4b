"""Who the bearer of a token is."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from omoide.config import Secret
from omoide.errors import InvalidArgument
from omoide.server.access.refusal import Refusal
from omoide.server.access.tokens import WITHDRAWN_SECONDS, Authenticator, OneToken, TokenFile, digest, issue
from omoide.server.access.visitor import Visitor
from tests.server.conftest import environment

ALICE = Visitor("phone", "alice", "read")
VISITORS = [ALICE, Visitor("山田 太郎", "山田 太郎", "write"), Visitor("小明", "../小明", "all")]


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("visitor", VISITORS, ids=lambda visitor: visitor.name)
async def test_a_token_is_told_once_and_opens_its_tenant(tmp_path: Path, visitor: Visitor) -> None:
    file = tmp_path / "tokens.jsonl"
    token = issue(file, visitor)
    assert len(token) >= 32
    assert token not in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o077 == 0
    tokens = TokenFile(file)
    assert await tokens.visitor(token) == visitor
    for other in (digest(token), token[:-1], token.swapcase(), "", "x" * 10_000, "\udcff"):
        assert await tokens.visitor(other) is None


async def test_a_token_can_be_withdrawn_and_added_while_the_server_runs(tmp_path: Path) -> None:
    file = tmp_path / "tokens.jsonl"
    first = issue(file, ALICE)
    tokens = TokenFile(file)
    second = issue(file, VISITORS[1])
    assert await tokens.visitor(second) == VISITORS[1]
    file.write_text(file.read_text(encoding="utf-8").splitlines()[1] + "\n", encoding="utf-8")
    left_alone(file)
    assert await tokens.visitor(first) is None
    assert await tokens.visitor(second) == VISITORS[1]


def left_alone(file: Path) -> None:
    """As if the file had been written an hour ago."""
    os.utime(file, (file.stat().st_mtime - 3600,) * 2)


class After:
    """A clock that stands so many seconds after a file was written."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.seconds = 0.0

    def __call__(self) -> float:
        return self._file.stat().st_mtime_ns / 1e9 + self.seconds  # `st_mtime` may be rounded otherwise


async def test_while_a_file_is_written_anew_everybody_comes_in_and_then_those_it_names(tmp_path: Path) -> None:
    file = tmp_path / "鍵 密钥.jsonl"
    withdrawn, kept = (issue(file, each) for each in VISITORS[:2])
    clock = After(file)
    tokens = TokenFile(file, clock)
    line = file.read_text(encoding="utf-8").splitlines()[1]
    file.write_text("", encoding="utf-8")
    assert [tokens.at_once(withdrawn), tokens.at_once(kept)] == VISITORS[:2]
    file.write_text(line[:40], encoding="utf-8")
    clock.seconds = 3600.0
    assert [tokens.at_once(withdrawn), tokens.at_once(kept)] == VISITORS[:2], "half a line withdraws nothing"
    clock.seconds = 0.0
    file.write_text(line.replace('"write"', '"read"'), encoding="utf-8")
    added = issue(file, VISITORS[2])
    reduced = VISITORS[1]._replace(rights="read")
    assert tokens.at_once(added) == VISITORS[2]
    assert [tokens.at_once(withdrawn), tokens.at_once(kept)] == [ALICE, reduced], "what a line says counts at once"
    clock.seconds = WITHDRAWN_SECONDS
    assert [tokens.at_once(each) for each in (withdrawn, kept, added)] == [None, reduced, VISITORS[2]]
    file.write_text("", encoding="utf-8")
    assert [tokens.at_once(each) for each in (kept, added)] == [None, None], "all are withdrawn in the end"


async def test_a_token_is_withdrawn_at_once_where_the_clock_of_the_files_is_ahead(tmp_path: Path) -> None:
    file = tmp_path / "tokens.jsonl"
    token, clock = issue(file, ALICE), After(file)
    tokens = TokenFile(file, clock)
    file.write_text("", encoding="utf-8")
    clock.seconds = -0.1
    assert tokens.at_once(token) is None


@pytest.mark.parametrize("broken", ["", "{", "[]"])
async def test_a_file_that_breaks_while_the_server_runs_changes_nothing(
    tmp_path: Path, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "tokens.jsonl"
    token = issue(file, ALICE)
    tokens = TokenFile(file)
    if broken:
        file.write_text(broken, encoding="utf-8")
    else:
        os.unlink(file)
    assert await tokens.visitor(token) == ALICE
    assert "tokens stay as they were" in caplog.text
    assert token not in caplog.text


def test_a_file_without_tokens_is_said_to_let_nobody_in(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "tokens.jsonl"
    file.write_text("\n", encoding="utf-8")
    TokenFile(file)
    assert caplog.messages == [
        f"{file} has no token, so no tenant can come in until `omoide token {file} TENANT` adds one"
    ]
    caplog.clear()
    issue(file, ALICE)
    TokenFile(file)
    assert not caplog.messages


async def test_a_file_that_breaks_again_is_told_of_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "tokens.jsonl"
    token = issue(file, ALICE)
    tokens, good = TokenFile(file), file.read_text(encoding="utf-8")
    for content in ("{", good, "{"):
        file.write_text(content, encoding="utf-8")
        assert await tokens.visitor(token) == ALICE
    assert len(caplog.records) == 2


GOOD = {"sha256": "0" * 64, "tenant": "alice"}
BAD: list[tuple[Any, str]] = [
    ("{", "Expecting property name"),
    ("[" * 100_000, "while decoding a JSON array"),
    ([], "an object of name, rights, sha256, tenant is expected"),
    ({**GOOD, "right": "read"}, "an object of"),
    ({**GOOD, "sha256": "secret"}, "sha256 has 64 hexadecimal digits"),
    ({**GOOD, "sha256": 3}, "sha256 is a text"),
    ({**GOOD, "rights": "admin"}, "rights is one of all, write, read, metrics"),
    ({**GOOD, "tenant": " "}, "tenant is a text of at most 200 characters, and not blank"),
    ({**GOOD, "tenant": "字" * 201}, "tenant is a text of at most 200 characters"),
    ({"sha256": "0" * 64}, "tenant is a text"),
]


async def test_a_hash_may_be_in_capitals_and_a_name_as_long_as_any(tmp_path: Path) -> None:
    file = written(tmp_path / "tokens.jsonl", {"sha256": digest("开门").upper(), "tenant": "字" * 200})
    visitor = await TokenFile(file).visitor("开门")
    assert visitor is not None
    assert visitor.tenant == "字" * 200


async def test_two_lines_that_say_different_things_of_one_token_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "tokens.jsonl", GOOD, {**GOOD, "sha256": "0" * 64})
    assert TokenFile(file), "twice the same is no matter"
    for other in ({"tenant": "山田"}, {"rights": "read"}):
        with pytest.raises(InvalidArgument, match=r"jsonl:2: a line before it says something else"):
            TokenFile(written(file, GOOD, {**GOOD, **other}))


async def test_a_line_without_its_end_keeps_its_token_when_another_is_added(tmp_path: Path) -> None:
    file = tmp_path / "tokens.jsonl"
    first = issue(file, ALICE)
    file.write_text(file.read_text(encoding="utf-8").rstrip("\n"), encoding="utf-8")
    second = issue(file, VISITORS[1])
    tokens = TokenFile(file)
    assert [await tokens.visitor(first), await tokens.visitor(second)] == [ALICE, VISITORS[1]]


async def test_a_change_is_noticed_that_keeps_the_time_and_the_size_of_the_file(tmp_path: Path) -> None:
    file = written(tmp_path / "tokens.jsonl", {"sha256": digest("開けごま"), "tenant": "alice"})
    tokens, before = TokenFile(file), file.stat()
    written(file, {"sha256": digest("開けごま"), "tenant": "carol"})
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (await tokens.visitor("開けごま") or ALICE).tenant == "carol"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("nowhere/tokens.jsonl", "cannot be written"),
        (".", "is not a regular file"),
        ("管", "is not a regular file"),
        (os.devnull, "is not a regular file"),
    ],
)
def test_a_token_is_made_only_where_it_can_be_kept(tmp_path: Path, place: str, said: str) -> None:
    os.mkfifo(tmp_path / "管")
    with pytest.raises(InvalidArgument, match=said):
        issue(tmp_path / place, ALICE)


async def test_tokens_are_read_from_what_can_be_read_again_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "tokens.jsonl"
    token = issue(file, ALICE)
    tokens = TokenFile(file)
    file.unlink()
    os.mkfifo(file)
    assert await tokens.visitor(token) == ALICE, "nobody waits for who writes into the pipe"
    assert "is not a regular file" in caplog.text
    with pytest.raises(InvalidArgument, match="is not a regular file"):
        TokenFile(file)


async def test_a_change_that_could_not_be_read_at_once_counts_when_it_can(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "tokens.jsonl"
    token = issue(file, ALICE)
    tokens = TokenFile(file, lambda: file.stat().st_mtime + 2 * WITHDRAWN_SECONDS)
    file.write_text("", encoding="utf-8")
    with no_file_left_to_open():
        for _ in range(3):
            assert await tokens.visitor(token) == ALICE
    assert len(caplog.records) == 1
    assert "Too many open files" in caplog.text
    assert await tokens.visitor(token) is None


@contextmanager
def no_file_left_to_open() -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)  # the first number that is free
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.fixture
def closed_file(tmp_path: Path) -> Iterator[Path]:
    """One that this process may not read, even where it is root's."""
    file, user = written(tmp_path / "合言葉.jsonl", GOOD), os.geteuid()
    file.chmod(0)
    if user == 0:
        os.seteuid(65534)
    yield file
    os.seteuid(user)


def test_who_may_not_read_the_tokens_is_told_that_and_not_what_they_look_like(closed_file: Path) -> None:
    with pytest.raises(InvalidArgument) as raised:
        TokenFile(closed_file)
    assert raised.value.message == f"{closed_file} cannot be read: Permission denied."
    assert raised.value.hint == "Let this user read it, or name another file."


@pytest.mark.parametrize(("row", "said"), BAD, ids=[row[1] for row in BAD])
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, row: Any, said: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        TokenFile(written(tmp_path / "tokens.jsonl", GOOD, "", row))
    assert "tokens.jsonl:3: " in raised.value.message
    assert said in raised.value.message


@pytest.mark.parametrize("name", ["行\u2028区切り", "a\x85b", "换\n行", "a\x1cb"])
async def test_line_ends_of_any_kind_may_stand_in_a_name(tmp_path: Path, name: str) -> None:
    visitor = Visitor(name, "山田", "write")
    token = issue(tmp_path / "tokens.jsonl", visitor)
    issue(tmp_path / "tokens.jsonl", ALICE)
    assert await TokenFile(tmp_path / "tokens.jsonl").visitor(token) == visitor


async def test_a_file_that_an_editor_of_windows_has_saved_is_read_and_added_to(tmp_path: Path) -> None:
    file = tmp_path / "合言葉.jsonl"
    first = issue(file, VISITORS[1])
    file.write_bytes("\ufeff".encode() + file.read_bytes().replace(b"\n", b"\r\n"))
    second = issue(file, VISITORS[2])
    tokens = TokenFile(file)
    assert [await tokens.visitor(first), await tokens.visitor(second)] == VISITORS[1:]


@pytest.mark.parametrize("content", ["日記\n".encode(), b"PK\x03\x04\xff", "备份".encode("gbk")])
def test_a_file_of_something_else_is_not_added_to(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "diary.txt"
    file.write_bytes(content)
    with pytest.raises(InvalidArgument, match=r"diary\.txt"):
        issue(file, ALICE)
    assert file.read_bytes() == content


def test_a_token_for_which_the_disk_has_no_room_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "tokens.jsonl"
    issue(file, ALICE)
    before = file.read_bytes()
    limit = (len(before) + 50,) * 2  # less than a line
    making = f"""
import resource, sys
from omoide.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, {limit})
sys.exit(main(["token", sys.argv[1], "山田"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", making, file], capture_output=True, text=True, env=environment(), check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be written" in done.stderr
    assert file.read_bytes() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("line_end", ["\n", ""])
def test_a_token_that_cannot_be_shown_leaves_the_file_as_it_was(tmp_path: Path, line_end: str) -> None:
    file = tmp_path / "tokens.jsonl"
    issue(file, ALICE)
    before = file.read_text(encoding="utf-8").rstrip() + line_end
    file.write_text(before, encoding="utf-8")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "omoide", "token", file, "小明"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, file.read_text(encoding="utf-8")) == (1, before)


async def test_a_token_that_cannot_be_shown_takes_none_back_that_was_added_meanwhile(tmp_path: Path) -> None:
    file, others = tmp_path / "tokens.jsonl", list[str]()

    def show(token: str) -> None:
        others.append(issue(file, VISITORS[1]))
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        issue(file, ALICE, show)
    assert await TokenFile(file).visitor(others[0]) == VISITORS[1]


def test_a_token_that_could_not_be_read_again_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="tenant is a text"):
        issue(tmp_path / "tokens.jsonl", Visitor("x", "", "write"))
    assert not (tmp_path / "tokens.jsonl").exists()


async def test_every_kind_of_token_is_tried_and_a_client_is_told_where_to_get_one(tmp_path: Path) -> None:
    token = issue(tmp_path / "tokens.jsonl", ALICE)
    authenticator = Authenticator(
        [OneToken(Secret("開けごま")), TokenFile(tmp_path / "tokens.jsonl")], "https://x/.well-known/y"
    )
    assert (await authenticator.visitor("開けごま")).tenant == ""
    assert await authenticator.visitor(token) == ALICE
    for given in (None, "", "芝麻开门"):
        with pytest.raises(Refusal) as raised:
            await authenticator.visitor(given)
        assert raised.value.status == 401
        assert 'resource_metadata="https://x/.well-known/y"' in raised.value.headers["WWW-Authenticate"]


#: A server of two workers, of whom one that has served for half a second is replaced at once.
TWO_WORKERS = """
import sys
from omoide import cli
from omoide.server.processes import supervisor
supervisor.START_SECONDS = 0.5
cli.main(["serve", "--http", "--port", "0", "--workers", "2", "-v", "--data", sys.argv[1], "--tokens", sys.argv[2]])
"""


def test_a_token_that_was_withdrawn_stays_so_when_a_worker_is_replaced_while_the_file_is_broken(tmp_path: Path) -> None:
    file = tmp_path / "鍵.jsonl"
    issue(file, Visitor("小明", "小明"))
    program = [sys.executable, "-c", TWO_WORKERS, str(tmp_path / "記憶"), str(file)]
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            log = (re.search(r"process \[(\d+)\]|startup complete|ended at its start", line) for line in process.stderr)
            begun = [next(filter(None, log)) for _ in range(4)]
            url = process.stdout.readline().split()[-1].removesuffix("/mcp")
            while httpx2.get(f"{url}/health/ready").status_code != 200:  # both serve
                os.sched_yield()
            written(file, "{半分")  # of the token there is nothing left
            os.kill(int(next(each[1] for each in begun if each[1])), signal.SIGKILL)
            assert next(filter(None, log))[0] == "ended at its start"
            process.terminate()
            process.stderr.read()
        finally:
            process.terminate()
    assert process.returncode == 0
