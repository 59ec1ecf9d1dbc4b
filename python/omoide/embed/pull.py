"""Downloads a model: only when somebody asks for it by name, never inside a tool call or at a start.

Files are downloaded to a hidden folder beside the model's, which is renamed when all are complete; an interrupted download is
resumed. If the source gives a file's checksum, it is checked; all checksums are kept in the model's folder.
Invariant: a folder with the model's name is a complete model.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial as bound
from pathlib import Path

import httpx2

from omoide.embed.catalogue import Known
from omoide.embed.models import files_of, kind_of
from omoide.errors import Conflict, InvalidArgument, NotFound, Unavailable, filled
from omoide.exchange import cause_of

#: The file in a pulled folder with the checksums of the others.
MANIFEST = "omoide.json"
CHUNK_BYTES = 1 << 20
SECONDS = 30.0
_SHA256 = re.compile("[0-9a-f]{64}")
_GIT_SHA1 = re.compile("[0-9a-f]{40}")

#: Called with (file, bytes so far, bytes in all or None).
Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class Pulled:
    """A model that was pulled: its folder, and the sha256 of each file."""

    folder: Path
    checksums: Mapping[str, str]


def pull(known: Known, models: Path, progress: Progress, *, transport: httpx2.BaseTransport | None = None) -> Pulled:
    """Download a model of the catalogue. Raises Conflict (it exists), Unavailable (the source), NotFound (a file there),
    OSError, which names the file."""
    folder = _unused_folder(models, known.name)
    partial = _partial(folder)
    with (
        httpx2.Client(transport=transport, timeout=SECONDS, follow_redirects=True) as client,
        _readable_errors(known.url),
    ):
        for name in known.files:
            _fetch(client, f"{known.url}/{name}", partial / name, bound(progress, name))
    return _finished(partial, folder, known.files)


def copy(name: str, source: Path, models: Path, progress: Progress) -> Pulled:
    """Copy a model from a folder of this machine. Raises NotFound, Conflict, InvalidArgument (no model, or a damaged one),
    OSError, which names the file."""
    if not source.is_dir():
        raise NotFound(f"There is no folder {source}.", also=_no_model(source))
    if kind_of(source) is None:
        raise InvalidArgument("from", f"{source} holds neither a static nor an ONNX model.", also=_no_model(source))
    told = checksums_of(source)
    folder = _unused_folder(models, name)
    partial = _partial(folder)
    paths = sorted(each for each in {*files_of(source), *source.rglob("*.md")} if each.name != MANIFEST)
    names = [path.relative_to(source).as_posix() for path in paths]
    for name in names:
        _copy(source / name, partial / name, told.get(name), bound(progress, name))
    return _finished(partial, folder, names)


def checksums_of(folder: Path) -> Mapping[str, str]:
    """The sha256 of each file when the model was pulled; empty for a folder that was not pulled."""
    try:
        content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    found = content.get("sha256") if isinstance(content, dict) else None
    return found if isinstance(found, dict) else {}


def damaged(folder: Path) -> list[str] | None:
    """The files that have changed since the model was pulled; reads all of them. None for a folder that was not pulled."""
    told_by_name = checksums_of(folder)
    if not told_by_name:
        return None
    return [
        name for name, told in told_by_name.items() if not (folder / name).is_file() or sha256(folder / name) != told
    ]


def sha256(path: Path) -> str:
    """The sha256 of a file's content."""
    return _digest(path, hashlib.sha256())


def _digest(path: Path, found: hashlib._Hash) -> str:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            found.update(chunk)
    return found.hexdigest()


def _unused_folder(models: Path, name: str) -> Path:
    if not name.strip() or Path(name).name != name or name.startswith("."):
        also = filled(
            {"ja": "{name} はフォルダーの名前にできません。", "zh": "“{name}”不能作为文件夹的名称。"}, name=name
        )
        raise InvalidArgument("name", f"{name!r} cannot be the name of a folder.", also=also)
    folder = models / name
    if folder.exists():
        also = filled(
            {
                "ja": "{folder} はすでにあります。取り直すには、そのフォルダーを削除してください。",
                "zh": "已有“{folder}”。要重新下载，请先删除该文件夹。",
            },
            folder=folder,
        )
        raise Conflict(f"{folder} is there already.", hint="Remove the folder to pull it anew.", also=also)
    return folder


def _no_model(folder: Path) -> Mapping[str, str]:
    return filled(
        {
            "ja": "{folder} にモデルがありません。モデルのフォルダーを --from で指定してください。",
            "zh": "“{folder}”中没有模型。请用 --from 指定模型所在的文件夹。",
        },
        folder=folder,
    )


def _partial(folder: Path) -> Path:
    partial = folder.with_name(f".{folder.name}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    return partial


def _finished(partial: Path, folder: Path, names: Iterable[str]) -> Pulled:
    """Complete the model: remove all but the files with these names, write their checksums, rename the folder."""
    sums = {name: sha256(partial / name) for name in sorted(names)}
    for path in [each for each in partial.rglob("*") if each.is_file()]:
        if path.relative_to(partial).as_posix() not in sums:
            path.unlink()
    (partial / MANIFEST).write_text(json.dumps({"sha256": sums}, indent=1), encoding="utf-8")
    partial.rename(folder)
    return Pulled(folder, sums)


def _fetch(client: httpx2.Client, url: str, path: Path, progress: Callable[[int, int | None], None]) -> None:
    """Download to `path`, resuming from a file with `.part` added to its name."""
    if path.is_file():
        progress(path.stat().st_size, path.stat().st_size)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _part(path)
    done = part.stat().st_size if part.is_file() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={done}-"} if done else {})
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code == 404:
            raise NotFound(f"{url} is not there.")
        if response.status_code != 416:  # else the .part file may be complete
            response.raise_for_status()
            _write(response, part, done if response.status_code == 206 else 0, progress)
        expected = _checksum_in_headers(response)
    _check(part, expected, url)
    os.replace(part, path)


def _copy(source: Path, path: Path, expected: str | None, progress: Callable[[int, int | None], None]) -> None:
    """Like `_fetch`, from a file of this machine; `expected`: its checksum in the manifest of its folder, if any."""
    total, actual = source.stat().st_size, sha256(source)
    if expected not in {None, actual}:
        message = f"{source} is not what its folder's {MANIFEST} says: it is damaged."
        raise InvalidArgument("from", message, also=_damaged(source))
    if path.is_file() and sha256(path) == actual:
        progress(total, total)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _part(path)
    with _named(part), source.open("rb") as file, part.open("ab") as copied:
        file.seek(copied.tell())
        while chunk := file.read(CHUNK_BYTES):
            copied.write(chunk)
            copied.flush()
            progress(copied.tell(), total)
    _check(part, actual, str(source))
    os.replace(part, path)


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """The error of a write, such as that the disk is full, names the file, which Python leaves out."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(file)
        raise


def _part(path: Path) -> Path:
    """The path of a file that is not complete yet."""
    return path.with_name(path.name + ".part")


def _write(response: httpx2.Response, part: Path, done: int, progress: Callable[[int, int | None], None]) -> None:
    length = response.headers.get("content-length", "")
    total = done + int(length) if length.isdecimal() else None
    with _named(part), part.open("ab" if done else "wb") as file:
        for chunk in response.iter_raw():
            file.write(chunk)
            done += len(chunk)
            progress(done, total)
    if total is not None and done != total:
        message = f"{part.name} ended after {done:,} of {total:,} bytes."
        raise Unavailable(message, hint="Pull again: it goes on there.", also=_not_read(part.name))


def _checksum_in_headers(response: httpx2.Response) -> str:
    """The checksum that the source gives, "" if none: sha256 of large files, git's sha1 of small ones, in the ETag of the
    response or of a redirect to it."""
    answers = [*response.history, response]
    tags = (each.headers.get(name, "") for each in answers for name in ("x-linked-etag", "etag"))
    found = (tag.removeprefix("W/").strip('"') for tag in tags)
    return next((tag for tag in found if _SHA256.fullmatch(tag) or _GIT_SHA1.fullmatch(tag)), "")


def _check(part: Path, expected: str, url: str) -> None:
    if not expected:
        return
    if _SHA256.fullmatch(expected):
        found = sha256(part)
    else:
        found = _digest(part, hashlib.sha1(f"blob {part.stat().st_size}\0".encode(), usedforsecurity=False))
    if found != expected:
        part.unlink()
        message = f"{url} came damaged: its checksum is {found}, not {expected}."
        raise Unavailable(message, hint="Pull again.", also=_damaged(url))


def _damaged(place: object) -> Mapping[str, str]:
    return filled({"ja": "{place} は壊れています。", "zh": "“{place}”已损坏。"}, place=place)


def _not_read(place: str) -> Mapping[str, str]:
    return filled(
        {
            "ja": "{place} を読めません。もう一度 pull すると続きから始まります。ネットワークがなければ --from DIR を使ってください。",
            "zh": "无法读取“{place}”。再次 pull 会从中断处继续；没有网络时，请使用 --from DIR。",
        },
        place=place,
    )


@contextmanager
def _readable_errors(url: str) -> Iterator[None]:
    try:
        yield
    except httpx2.HTTPError as error:
        raise Unavailable(
            f"{url} cannot be read: {cause_of(error) or type(error).__name__}.",
            hint="Pull again: it goes on where it stopped. On a machine without a network: --from DIR.",
            also=_not_read(url),
        ) from None
