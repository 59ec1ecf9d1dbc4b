"""The libraries that a user would call instead of our embedders, each used as its documentation shows.

All return an array with one row per text. Not useful for: the speed of a model; both sides run the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

#: Texts in a batch if the library does not choose: sentence-transformers' default.
BATCH = 32

Bare = Callable[[Sequence[str]], Any]


def model2vec(folder: Path) -> Bare:
    """The reference implementation of static models."""
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(folder, force_download=False)
    return lambda texts: model.encode(list(texts), use_multiprocessing=False)


def onnxruntime(folder: Path) -> Bare:
    """Batches in the order given, padded by the tokenizer; the mean of the tokens."""
    import onnxruntime
    import tokenizers

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    graph = next(path for path in (folder / "onnx" / "model.onnx", folder / "model.onnx") if path.is_file())
    session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding()
    tokenizer.enable_truncation(512)

    def batch(texts: Sequence[str]) -> Any:
        found = tokenizer.encode_batch(list(texts))
        given = {
            "input_ids": np.array([each.ids for each in found]),
            "attention_mask": np.array([each.attention_mask for each in found]),
            "token_type_ids": np.array([each.type_ids for each in found]),
        }
        (rows,) = session.run(None, {each.name: given[each.name] for each in session.get_inputs()})[:1]
        weights = given["attention_mask"][:, :, None].astype(rows.dtype)
        return (rows * weights).sum(axis=1) / weights.sum(axis=1).clip(min=1)

    return lambda texts: np.concatenate([batch(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)])


def httpx(url: str) -> Bare:
    """One request for each batch of 64, without retries."""
    client = httpx2.Client()

    def batch(texts: Sequence[str]) -> Any:
        answer = client.post(f"{url}/embeddings", json={"input": list(texts)}).json()
        return np.array([row["embedding"] for row in answer["data"]], dtype="<f4")

    return lambda texts: np.concatenate([batch(texts[at : at + 64]) for at in range(0, len(texts), 64)])
