"""Models small enough to be made inside a test."""

from __future__ import annotations

import base64
import json
import random
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DIMENSIONS = 12
WORDS = ["京都", "抹茶", "飲む", "会議", "喝茶", "会议", "matcha", "kyoto", "meeting", "drink", "##s", "##ing", "##都"]
CHARACTERS = list("京都抹茶飲会議喝议昨日我天在了。、abcdefghijklmnopqrstuvwxyz0123456789")
SPECIAL = ["[PAD]", "[UNK]"]


def wordpiece() -> dict[str, Any]:
    """Lower-cased words, Chinese characters apart, as BERT cuts them."""
    vocabulary = list(dict.fromkeys([*SPECIAL, *WORDS, *CHARACTERS, *(f"##{c}" for c in CHARACTERS)]))
    normalizer = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
    return _tokenizer(
        {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {token: at for at, token in enumerate(vocabulary)},
        },
        normalizer={"type": "BertNormalizer", **normalizer},
        pre_tokenizer={"type": "BertPreTokenizer"},
    )


def unigram() -> dict[str, Any]:
    """Pieces by likelihood, white space part of them, as SentencePiece cuts them."""
    pieces = list(dict.fromkeys(["<pad>", "<unk>", "▁", *(f"▁{word}" for word in WORDS), *WORDS, *CHARACTERS]))
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return _tokenizer(
        {"type": "Unigram", "unk_id": 1, "vocab": [[piece, -float(at)] for at, piece in enumerate(pieces)]},
        normalizer={"type": "NFKC"},
        pre_tokenizer=metaspace,
    )


def multilingual() -> dict[str, Any]:
    """As `unigram`, the way models distilled from multilingual transformers have it: SentencePiece's own table of
    characters, punctuation set apart, one space for many."""
    apart = [{"type": "Replace", "pattern": {"String": mark}, "content": f" {mark} "} for mark in ".,!?"]
    one_space = {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "}
    strip = {"type": "Strip", "strip_left": False, "strip_right": True}
    table = charsmap({"Ａ": "A", "㈱": "(株)", "が": "が", "\u0301": "", "\n": " ", "\t": " ", "\x01": "", "ｶﾞ": "ガ"})
    precompiled = {"type": "Precompiled", "precompiled_charsmap": table}
    made = unigram()
    made["normalizer"] = {"type": "Sequence", "normalizers": [precompiled, *apart, one_space, strip]}
    made["pre_tokenizer"]["split"] = False
    return made


def charsmap(pairs: Mapping[str, str]) -> str:
    """SentencePiece's table of replacements, in base64: a double array of the keys' bytes, whose values are places in the
    texts that follow it. Each node has a block of its own here."""
    texts, places = b"", {}
    for key, text in pairs.items():
        places[key.encode()] = len(texts)
        texts += text.encode() + b"\0"
    nodes = sorted({key[:length] for key in places for length in range(len(key) + 1)})
    units = [0] * 256 * (len(nodes) + 1)
    base = {node: 256 * at for at, node in enumerate(nodes, 1)}
    place = {node: base[node[:-1]] ^ node[-1] if node else 0 for node in nodes}
    for node in nodes:
        units[place[node]] = (place[node] ^ base[node]) << 10 | (node in places) << 8 | (node[-1] if node else 0)
        units[base[node]] = 1 << 31 | places.get(node, 0)
    array_ = array("I", units).tobytes()
    return base64.b64encode(len(array_).to_bytes(4, "little") + array_ + texts).decode()


def _tokenizer(model: Mapping[str, Any], **parts: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "post_processor": None,
        "decoder": None,
    }
    return {"version": "1.0", **empty, **parts, "model": model}


def size(tokenizer: Mapping[str, Any]) -> int:
    """How many tokens it knows."""
    return len(tokenizer["model"]["vocab"])


def numbers(count: int, seed: int = 1) -> list[float]:
    """As unlike each other as a table's are."""
    source = random.Random(seed)
    return [source.gauss(0.0, 1.0) for _ in range(count)]


def safetensors(path: Path, tensors: Mapping[str, tuple[str, Sequence[int], bytes]]) -> None:
    """A file of named (type, shape, little-endian content)."""
    header, at = {}, 0
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + len(content)]}
        at += len(content)
    head = json.dumps(header).encode()
    content = b"".join(content for _, _, content in tensors.values())
    path.write_bytes(len(head).to_bytes(8, "little") + head + content)


def static(
    folder: Path, *, tokenizer: Mapping[str, Any] | None = None, config: Mapping[str, Any] | None = None
) -> Path:
    """A model2vec model in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizer or wordpiece()
    table = array("f", numbers(size(tokenizer) * DIMENSIONS)).tobytes()
    safetensors(folder / "model.safetensors", {"embeddings": ("F32", (size(tokenizer), DIMENSIONS), table)})
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"normalize": True, **(config or {})}), encoding="utf-8")
    return folder


def onnx(
    folder: Path,
    *,
    pooling: str = "mean_tokens",
    output: str = "last_hidden_state",
    numbers_in: str | None = None,
    seed: int = 1,
) -> Path:
    """A transformer of one look-up: the vectors of its tokens are rows of a table, each shifted by its position. `numbers_in`: the
    name of a file beside the graph for the table."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save

    (folder / "1_Pooling").mkdir(parents=True, exist_ok=True)
    tokenizer = wordpiece()
    table = np.array(numbers(size(tokenizer) * DIMENSIONS, seed), dtype=np.float32).reshape(-1, DIMENSIONS)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows" if output != "last_hidden_state" else output])]
    axes = []
    if output != "last_hidden_state":
        axes.append(numpy_helper.from_array(np.array([1], dtype=np.int64), "axis"))
        nodes.append(helper.make_node("ReduceSum", ["rows", "axis"], [output], keepdims=0))
    shape: list[str | int | None] = (
        ["batch", "tokens", DIMENSIONS] if output == "last_hidden_state" else ["batch", DIMENSIONS]
    )
    graph = helper.make_graph(
        nodes,
        "toy",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(table, "table"), *axes],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    beside: dict[str, Any] = {"save_as_external_data": True, "location": numbers_in, "size_threshold": 0}
    save(model, folder / "model.onnx", **(beside if numbers_in else {}))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{pooling}": True}), encoding="utf-8")
    return folder
