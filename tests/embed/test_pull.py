"""Models are pulled whole or not at all, go on where they stopped, and are held to their checksums."""

from __future__ import annotations

import hashlib
import json
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import gaierror

import httpx2
import pytest

from omoide.cli import main
from omoide.embed.catalogue import Known
from omoide.embed.models import on_disk
from omoide.embed.pull import CHUNK_BYTES, Pulled, copy, damaged, pull
from omoide.embed.static import Static
from omoide.errors import Conflict, InvalidArgument, NotFound, OmoideError, Unavailable
from tests.embed import toys

FILES = ("config.json", "tokenizer.json", "model.safetensors")
KNOWN = Known("toy", "static", "who/toy", FILES, "a toy", source="https://hub.example")


class Cut(httpx2.SyncByteStream):
    """A connection that sends two parts, and drops after so many bytes."""

    def __init__(self, content: bytes, after: int) -> None:
        self._content, self._after = content, after

    def __iter__(self) -> Iterator[bytes]:
        sent = self._content[: self._after]
        yield from (sent[: len(sent) // 2], sent[len(sent) // 2 :])
        if self._after < len(self._content):
            raise httpx2.ReadError("dropped")


class Hub:
    """Serves a folder; `cut` drops each answer after so many bytes, once. `spoil` changes what is sent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cut: int | None = None
        self.tag: Callable[[bytes], str] = lambda content: hashlib.sha256(content).hexdigest()
        self.ranges: list[str] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        path = self.folder / request.url.path.partition("/resolve/main/")[2]
        if not path.is_file():
            return httpx2.Response(404)
        content = path.read_bytes()
        asked = request.headers.get("range", "")
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        if asked:
            self.ranges.append(asked)
        if start >= len(content) and asked:
            return httpx2.Response(416, headers={"etag": f'"{self.tag(content)}"'})
        after, self.cut = (len(content) if self.cut is None else self.cut), None
        headers = {"content-length": str(len(content) - start), "x-linked-etag": f'"{self.tag(content)}"'}
        return httpx2.Response(206 if asked else 200, headers=headers, stream=Cut(content[start:], after))


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    return Hub(toys.static(tmp_path / "hub"))


def pulled(hub: Hub, models: Path, seen: list[tuple[str, int, int | None]] | None = None) -> Pulled:
    told = [] if seen is None else seen
    return pull(KNOWN, models, lambda *each: told.append(each), transport=httpx2.MockTransport(hub))


def git_sha1(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@pytest.mark.parametrize(
    "tag", [lambda content: hashlib.sha256(content).hexdigest(), git_sha1, lambda _: "no checksum"]
)
def test_a_model_that_was_pulled_can_be_used(hub: Hub, tmp_path: Path, tag: Callable[[bytes], str]) -> None:
    hub.tag = tag
    seen: list[tuple[str, int, int | None]] = []
    found = pulled(hub, tmp_path / "models", seen)
    assert found.checksums.keys() == set(FILES)
    assert {name for name, done, of in seen if done == of} == set(FILES)
    (model,) = on_disk(tmp_path / "models")
    assert (model.kind, model.name, model.folder) == ("static", "toy", found.folder)
    assert Static("toy", model.folder).embed(["抹茶"], "query") == Static("toy", hub.folder).embed(["抹茶"], "query")
    assert damaged(found.folder) == []


PULL_AND_DIE = """
import os, signal, sys
from pathlib import Path
from omoide.embed.pull import copy

def told(file, done, total):
    if done < total:
        os.kill(os.getpid(), signal.SIGKILL)

copy("toy", Path(sys.argv[1]), Path(sys.argv[2]), told)
"""


def test_a_copy_that_is_killed_goes_on_where_it_stopped(tmp_path: Path) -> None:
    source, models = toys.static(tmp_path / "source"), tmp_path / "models"
    (source / "onnx").mkdir()
    (source / "onnx" / "model.onnx_data").write_bytes(bytes(range(256)) * (3 * CHUNK_BYTES // 256))
    died = [subprocess.run([sys.executable, "-c", PULL_AND_DIE, source, models]).returncode for _ in range(2)]
    assert died == [-signal.SIGKILL] * 2
    assert on_disk(models) == []
    seen: list[tuple[str, int, int | None]] = []
    found = copy("toy", source, models, lambda *each: seen.append(each))
    assert [done for name, done, _ in seen if name == "onnx/model.onnx_data"] == [3 * CHUNK_BYTES]
    assert (found.folder / "onnx" / "model.onnx_data").read_bytes() == (
        source / "onnx" / "model.onnx_data"
    ).read_bytes()
    assert damaged(found.folder) == []


def test_what_was_begun_from_another_folder_is_not_mixed_in(tmp_path: Path) -> None:
    source, models = toys.static(tmp_path / "source"), tmp_path / "models"
    partial = toys.static(models / ".toy.partial", config={"normalize": False})
    (partial / "tokenizer.json").unlink()
    (partial / "tokenizer.json.part").write_text("the beginning of another one")
    toys.onnx(partial / "onnx")
    with pytest.raises(Unavailable, match="Pull again"):
        copy("toy", source, models, lambda *_: None)
    found = copy("toy", source, models, lambda *_: None)
    assert found.checksums.keys() == set(FILES)
    assert [(each.kind, each.name) for each in on_disk(models)] == [("static", "toy")]
    for name in FILES:
        assert (found.folder / name).read_bytes() == (source / name).read_bytes()


def test_what_was_begun_is_gone_on_with(hub: Hub, tmp_path: Path) -> None:
    models = tmp_path / "models"
    hub.cut = 10
    with pytest.raises(Unavailable, match="Pull again"):
        pulled(hub, models)
    assert on_disk(models) == []
    pulled(hub, models)
    assert hub.ranges == ["bytes=10-"]
    assert (models / "toy" / "config.json").read_bytes() == (hub.folder / "config.json").read_bytes()
    assert not list(models.glob(".*"))


def test_progress_counts_up_to_the_whole_of_each_file_whether_it_was_there_begun_or_new(
    hub: Hub, tmp_path: Path
) -> None:
    partial = tmp_path / "models" / ".toy.partial"
    partial.mkdir(parents=True)
    there, begun, _ = FILES
    (partial / there).write_bytes((hub.folder / there).read_bytes())
    (partial / f"{begun}.part").write_bytes((hub.folder / begun).read_bytes()[:10])
    seen: list[tuple[str, int, int | None]] = []
    pulled(hub, tmp_path / "models", seen)
    sizes = {name: (hub.folder / name).stat().st_size for name in FILES}
    assert all(of == sizes[name] and done <= of for name, done, of in seen)
    assert {name: done for name, done, _ in seen} == sizes


def test_a_machine_without_a_network_is_told_so_in_the_words_of_the_system(tmp_path: Path) -> None:
    def fails(_: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("[Errno -2] Name or service not known") from gaierror(-2, "Name or service not known")

    with pytest.raises(Unavailable) as raised:
        pull(KNOWN, tmp_path / "models", lambda *_: None, transport=httpx2.MockTransport(fails))
    assert raised.value.message.endswith(" cannot be read: Name or service not known.")
    assert "--from DIR" in raised.value.hint


@pytest.mark.parametrize("tag", ["0" * 64, "0" * 40])
def test_what_comes_damaged_is_thrown_away(hub: Hub, tmp_path: Path, tag: str) -> None:
    hub.tag = lambda _: tag
    with pytest.raises(Unavailable, match="came damaged"):
        pulled(hub, tmp_path / "models")
    assert on_disk(tmp_path / "models") == []
    assert not list((tmp_path / "models").rglob("*.part"))


def test_a_file_that_is_not_there_and_a_model_that_is_are_said(hub: Hub, tmp_path: Path) -> None:
    (hub.folder / "tokenizer.json").rename(hub.folder / "elsewhere.json")
    with pytest.raises(NotFound, match=r"tokenizer\.json is not there"):
        pulled(hub, tmp_path / "models")
    (hub.folder / "elsewhere.json").rename(hub.folder / "tokenizer.json")
    pulled(hub, tmp_path / "models")
    with pytest.raises(Conflict, match="is there already"):
        pulled(hub, tmp_path / "models")


def test_a_folder_of_this_machine_is_copied_and_held_to_its_checksums(hub: Hub, tmp_path: Path) -> None:
    first = pulled(hub, tmp_path / "models")
    second = copy("模型", first.folder, tmp_path / "others", lambda *_: None)
    assert second.checksums == first.checksums
    table = first.folder / "model.safetensors"
    table.write_bytes(table.read_bytes()[:-1] + b"!")
    assert damaged(first.folder) == ["model.safetensors"]
    with pytest.raises(InvalidArgument, match="damaged") as refusal:
        copy("again", first.folder, tmp_path / "others", lambda *_: None)
    assert refusal.value.also == {"ja": f"{table} は壊れています。", "zh": f"“{table}”已损坏。"}


@pytest.mark.parametrize(
    ("name", "source", "error", "said", "ja", "zh"),
    [
        ("x", "missing", NotFound, "There is no folder {}.", "{} にモデルがありません。", "“{}”中没有模型。"),
        ("x", ".", InvalidArgument, "{} holds neither ", "{} にモデルがありません。", "“{}”中没有模型。"),
        *(
            (
                name,
                "hub",
                InvalidArgument,
                f"{name!r} cannot be the name of a folder.",
                f"{name} はフォルダーの名前にできません。",
                f"“{name}”不能作为文件夹的名称。",
            )
            for name in ("../x", ".x", "", "　")
        ),
    ],
)
def test_what_cannot_be_copied_says_why(
    hub: Hub, tmp_path: Path, name: str, source: str, error: type[OmoideError], said: str, ja: str, zh: str
) -> None:
    with pytest.raises(error) as refusal:
        copy(name, tmp_path / source, tmp_path / "models", lambda *_: None)
    told = {"en": refusal.value.message, **refusal.value.also}
    for language, expected in {"en": said, "ja": ja, "zh": zh}.items():
        assert told[language].startswith(expected.format(tmp_path / source))


@contextmanager
def room_for(bytes_of_a_file: int) -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_of_a_file, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_file_for_which_there_is_no_room_is_named(hub: Hub, tmp_path: Path) -> None:
    config = hub.folder / "config.json"
    config.write_text(config.read_text() + " " * CHUNK_BYTES)
    part = tmp_path / "models" / ".toy.partial" / "config.json.part"
    with room_for(100_000), pytest.raises(OSError, match="File too large") as raised:
        pulled(hub, tmp_path / "models")
    assert raised.value.filename == str(part)
    part.unlink()
    with room_for(100_000), pytest.raises(OSError, match="File too large") as raised:
        copy("toy", hub.folder, tmp_path / "models", lambda *_: None)
    assert raised.value.filename == str(part)


def test_the_command_pulls_from_a_folder_and_lists(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(tmp_path / "data")]
    assert main(["models", "pull", "小さい模型", "--from", str(hub.folder), *data]) == 0
    assert "Use it with --embedder static:小さい模型" in capsys.readouterr().out
    assert main(["models", "list", "--check", *data]) == 0
    listed = capsys.readouterr().out
    assert "static:小さい模型" in listed
    assert "whole" in listed
    assert "onnx:multilingual-e5-small" in listed
    assert main(["models", "list", "--check", "--json", *data]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(model["name"], model["damaged"]) for model in told["here"]] == [("static:小さい模型", [])]
    assert "onnx:bge-m3" in {model["name"] for model in told["known"]}
    assert main(["models", "pull", "multilingual-e5-smal", *data]) == 2
    assert "Did you mean multilingual-e5-small?" in capsys.readouterr().err


def test_a_model_that_was_not_pulled_is_not_called_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toys.static(tmp_path / "models" / "小模型")
    arguments = ["models", "list", "--check", "--data", str(tmp_path)]
    assert main(arguments) == 0
    (line,) = [each for each in capsys.readouterr().out.splitlines() if "小模型" in each]
    assert line.endswith("not pulled: there are no checksums to compare it with")
    assert main([*arguments, "--json"]) == 0
    assert [model["damaged"] for model in json.loads(capsys.readouterr().out)["here"]] == [None]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list", "小さい模型"], "`omoide models list` takes no NAME."),
        (["list", "--from", "there"], "takes no --from."),
        (["pull", "bge-m3", "--check"], "`omoide models pull` takes no --check."),
        (["pull", "bge-m3", "--json"], "takes no --json."),
    ],
)
def test_what_an_action_has_no_use_for_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["models", *arguments, "--data", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err
