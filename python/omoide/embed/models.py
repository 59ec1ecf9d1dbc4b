"""Finds the models on the disk.

A model is a folder: static (a table of tokens) or onnx (a transformer). Not useful for: downloading one; see pull.py.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib.util import find_spec
from os.path import expanduser, isdir
from pathlib import Path
from typing import Literal, NamedTuple

from omoide.errors import InvalidArgument, NotFound, filled

ModelKind = Literal["onnx", "static"]

TOKENIZER = "tokenizer.json"
#: Where a transformer may be in its folder; the first that exists counts.
ONNX_FILES = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
_STATIC_TABLES = {
    "model.safetensors": {"embeddings", "embedding.weight"},
    "0_StaticEmbedding/model.safetensors": {"embedding.weight"},
}
#: Suffixes of files that are read to make vectors.
SUFFIXES = frozenset({".json", ".safetensors", ".onnx", ".onnx_data", ".txt", ".model"})
#: A graph that is longer holds its numbers itself.
MOST_GRAPH_BYTES = 64 << 20
#: A longer header is not read, as that of a table of tokens is short.
MOST_HEADER_BYTES = 100_000


class Model(NamedTuple):
    """A model on the disk."""

    kind: ModelKind
    name: str
    folder: Path

    @property
    def megabytes(self) -> float:
        """The size of all its files."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file()) / 1e6


def on_disk(models: Path) -> list[Model]:
    """The models in the folder, the best to search with first: transformers if their library is installed, else static ones."""
    has_onnxruntime = find_spec("onnxruntime") is not None
    found = [Model(kind, folder.name, folder) for folder in _folders(models) if (kind := kind_of(folder)) is not None]
    return sorted(found, key=lambda model: (has_onnxruntime != (model.kind == "onnx"), model.name))


def _hint_for(name: str) -> str:
    from omoide.embed.catalogue import MODELS  # imported late, as it imports this module

    if name in [known.name for known in MODELS]:
        return f"`omoide models pull {name}` gets it; `omoide models list` names what is here."
    return "`omoide models list` names what is here and what can be pulled; any other is pulled with --from DIR."


def folder_of(kind: ModelKind, name: str, models: Path) -> Path:
    """The folder of a model given by name or as a folder. Raises NotFound, InvalidArgument (of another kind)."""
    given = Path(expanduser(name))  # Path.expanduser raises for a user that there is not
    folder = given if isdir(given) else models / name
    if not isdir(folder):  # Path.is_dir raises for a name that no file can have
        also = filled(
            {
                "ja": "{models} に {name} というモデルはありません。`omoide models list` で一覧が出ます。",
                "zh": "“{models}”中没有名为“{name}”的模型。可用 `omoide models list` 列出。",
            },
            name=name,
            models=models,
        )
        raise NotFound(f"There is no model {name!r} in {models}.", hint=_hint_for(name), also=also)
    found = kind_of(folder)
    if found not in {kind, None}:
        also = filled(
            {
                "ja": "{folder} は {kind} のモデルです。{kind}:{name} と書いてください。",
                "zh": "“{folder}”是 {kind} 模型。请写成“{kind}:{name}”。",
            },
            folder=folder,
            kind=found,
            name=name,
        )
        message, hint = f"{folder} is a model of the kind {found}.", f"Write {found}:{name}."
        raise InvalidArgument("embedder", message, hint=hint, also=also)
    return folder


def unusable(place: object, message: str, hint: str = "") -> InvalidArgument:
    """The error for a model that cannot be used, because of the file or folder at `place`."""
    also = filled(
        {
            "ja": "{place} はモデルとして使えません。`omoide models list` で一覧が出ます。",
            "zh": "“{place}”不能作为模型使用。可用 `omoide models list` 列出。",
        },
        place=place,
    )
    return InvalidArgument("embedder", message, hint=hint, also=also)


def kind_of(folder: Path) -> ModelKind | None:
    """What kind of model a folder holds, if any."""
    if onnx_file(folder) is not None:
        return "onnx"
    return "static" if any(_has_tensor(folder / name, wanted) for name, wanted in _STATIC_TABLES.items()) else None


def onnx_file(folder: Path) -> Path | None:
    """The transformer in a folder, or None."""
    return next((folder / name for name in ONNX_FILES if (folder / name).is_file()), None)


def files_of(folder: Path) -> set[Path]:
    """The files of a model that are read to make vectors."""
    found = {each for each in folder.rglob("*") if each.suffix in SUFFIXES and each.is_file()}
    graph = onnx_file(folder)
    return found if graph is None else found | set(_named_in(graph))


def _named_in(graph: Path) -> Iterator[Path]:
    """The files beside a graph that hold its numbers, which may have any name (`model.onnx.data`)."""
    content = graph.read_bytes() if graph.stat().st_size <= MOST_GRAPH_BYTES else b""
    for each in graph.parent.iterdir():
        name = os.fsencode(each.name)
        # The entry `location` of a protocol buffer: the key and the value, each after its tag and length.
        if len(name) < 128 and b"\n\x08location\x12%c%b" % (len(name), name) in content and each.is_file():
            yield each


def _folders(models: Path) -> Iterator[Path]:
    if models.is_dir():
        yield from (each for each in models.iterdir() if each.is_dir() and not each.name.startswith("."))


def _has_tensor(path: Path, tensors: set[str]) -> bool:
    """Whether a safetensors file has one of these tensors, by its header."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            return length <= MOST_HEADER_BYTES and not tensors.isdisjoint(json.loads(file.read(length)))
    except (OSError, ValueError):
        return False
