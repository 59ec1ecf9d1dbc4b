"""What was embedded once is not embedded again, also by another process, and a damaged cache costs only time."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from omoide.embed import EmbedderUnavailable, Kind, Lexical, Vector
from omoide.embed.cached import KEPT_TOGETHER, Cached
from omoide.embed.protocol import NUMBER_BYTES
from omoide.embed.vector_files import MOST_FILES, VectorFiles

TEXTS = ["昨日、京都で抹茶を飲んだ。", "我昨天在京都喝了抹茶。", "Yesterday I drank matcha in Kyoto."]


class Counting(Lexical):
    """An embedder that remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(8)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        self.asked += texts
        return super().embed(texts, kind)


@pytest.mark.parametrize("kind", ["query", "passage"])
def test_a_text_is_embedded_once(tmp_path: Path, kind: Kind) -> None:
    inner = Counting()
    cached = Cached(inner, tmp_path)
    expected = Lexical(8).embed([*TEXTS, TEXTS[0]], kind)
    for _ in range(2):
        assert cached.embed([*TEXTS, TEXTS[0]], kind) == expected
    assert inner.asked == TEXTS


def test_a_failure_costs_none_of_the_vectors_that_were_made_before(tmp_path: Path) -> None:
    class Limited(Counting):
        """Refuses to embed more after so many calls, until it may again."""

        calls_left = 2

        def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
            if not self.calls_left:
                raise EmbedderUnavailable("Too many requests.")
            self.calls_left -= 1
            return super().embed(texts, kind)

    inner = Limited()
    cached = Cached(inner, tmp_path)
    texts = [f"{text} {at}" for at in range(KEPT_TOGETHER) for text in TEXTS]
    with pytest.raises(EmbedderUnavailable):
        cached.embed(texts, "passage")
    inner.calls_left = 1
    assert cached.embed(texts, "passage") == Lexical(8).embed(texts, "passage")
    assert inner.asked == texts


def test_another_process_finds_the_vectors_of_passages(tmp_path: Path) -> None:
    first = Cached(Counting(), tmp_path)
    first.embed(TEXTS[:2], "passage")
    inner = Counting()
    second = Cached(inner, tmp_path)  # the first is still open, as another process' may be
    assert second.embed(TEXTS, "passage") == Lexical(8).embed(TEXTS, "passage")
    assert inner.asked == TEXTS[2:]


def test_what_another_process_has_embedded_since_is_found(tmp_path: Path) -> None:
    inner = Counting()
    first, second = Cached(inner, tmp_path), Cached(inner, tmp_path)
    for cached in (first, second):
        cached.embed(TEXTS[:1], "passage")
    for cached in (first, second, first):
        assert cached.embed(TEXTS, "passage") == Lexical(8).embed(TEXTS, "passage")
    assert inner.asked == TEXTS


@pytest.mark.skipif(sys.platform == "win32", reason="there, no process can be given a limit of its files' size")
@pytest.mark.parametrize("dimensions", [1, 8], ids=["keys", "vectors"])
@pytest.mark.parametrize("room", range(40, 120, 8))
def test_a_full_disk_costs_what_it_refused_alone(tmp_path: Path, room: int, dimensions: int) -> None:
    """A file may grow to so many bytes: the write fails inside a vector, or inside a key where those are longer."""
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    files = VectorFiles(tmp_path, dimensions)
    vectors = {bytes([at]) * 16: bytes([at]) * NUMBER_BYTES * dimensions for at in range(8)}
    keys = list(vectors)
    files.put({key: vectors[key] for key in keys[:1]})
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        files.put({key: vectors[key] for key in keys[1:6]})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    files.put({key: vectors[key] for key in keys[6:]})
    files.close()
    assert len(list(tmp_path.glob("*.vectors"))) == 1
    found = VectorFiles(tmp_path, dimensions).get(keys)
    assert {*keys[:1], *keys[6:]} <= found.keys()
    assert all(vectors[key] == vector for key, vector in found.items())


class Held(Counting):
    """Holds whoever asks until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = threading.Event()
        self.let_go = threading.Event()

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        self.inside.set()
        assert self.let_go.wait(20)
        return super().embed(texts, kind)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such lock")
def test_what_several_processes_need_at_the_same_time_is_embedded_by_one(tmp_path: Path) -> None:
    Cached(Counting(), tmp_path).embed(["既知"], "passage")
    inner, other = Held(), Counting()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(Cached(inner, tmp_path).embed, TEXTS, "passage")
        assert inner.inside.wait(20)
        second = pool.submit(Cached(other, tmp_path).embed, TEXTS, "passage")
        alone = Cached(Counting(), tmp_path).embed(TEXTS[:1], "passage")
        assert not second.done()
        inner.let_go.set()
        assert first.result() == second.result() == Lexical(8).embed(TEXTS, "passage")
    assert (inner.asked, other.asked, alone) == (TEXTS, [], Lexical(8).embed(TEXTS[:1], "passage"))


def test_vectors_whose_file_another_process_has_put_together_are_kept_anew(tmp_path: Path) -> None:
    own = VectorFiles(tmp_path, 2)
    own.put({b"a" * 16: b"a" * 8})
    for path in tmp_path.iterdir():
        path.unlink()
    own.put({b"b" * 16: b"b" * 8})
    assert own.get([b"b" * 16]) == VectorFiles(tmp_path, 2).get([b"b" * 16]) == {b"b" * 16: b"b" * 8}


def test_a_query_and_a_passage_of_the_same_words_are_two_things(tmp_path: Path) -> None:
    inner = Counting()
    cached = Cached(inner, tmp_path)
    cached.embed(TEXTS[:1], "query")
    cached.embed(TEXTS[:1], "passage")
    assert inner.asked == [TEXTS[0], TEXTS[0]]


@pytest.mark.parametrize("suffix", ["keys", "vectors"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "gone"])
def test_a_damaged_cache_is_made_again(tmp_path: Path, suffix: str, damage: str) -> None:
    Cached(Counting(), tmp_path).embed(TEXTS, "passage")
    (path,) = tmp_path.glob(f"*/*.{suffix}")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(content[:-1] if damage == "cut" else content)
    inner = Counting()
    assert Cached(inner, tmp_path).embed(TEXTS, "passage") == Lexical(8).embed(TEXTS, "passage")
    assert inner.asked
    assert set(inner.asked) <= set(TEXTS)


def test_many_files_are_put_together_and_the_oldest_vectors_let_go(
    tmp_path: Path, held_open: Callable[[Path], list[Path]]
) -> None:
    for at in range(MOST_FILES + 1):
        files = VectorFiles(tmp_path, 2)
        files.put({bytes([at]) * 16: bytes([at]) * 8})
        files.close()
    together = VectorFiles(tmp_path, 2, most_bytes=8 * 5)
    assert len(list(tmp_path.iterdir())) == 2
    assert len(together) == 5
    assert [file for file in held_open(tmp_path) if not file.exists()] == [], "the disk keeps what is held open"
    together.close()
    again = VectorFiles(tmp_path, 2)
    newest = bytes([MOST_FILES]) * 16
    assert again.get([newest, b"unknown" * 2]) == {newest: bytes([MOST_FILES]) * 8}


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cached = Cached(Counting(), tmp_path / "file")
    assert cached.embed(TEXTS, "passage") == Lexical(8).embed(TEXTS, "passage")
