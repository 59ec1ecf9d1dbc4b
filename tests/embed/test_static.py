"""Static models, held against the model2vec package to the bit."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model2vec import StaticModel

from omoide._engine import EngineError, StaticEmbedder
from omoide.embed.static import Static
from omoide.errors import InvalidArgument
from tests.embed import toys

TEXTS = [
    "昨日、京都で抹茶を飲んだ。",
    "我昨天在京都喝了抹茶。会议",
    "Yesterday I drank matcha in Kyoto; MEETINGS drinking",
    "一语不识 §§ unknown",
    "",
    " ",
    "matcha " * 700,
    "茶" * 3000,
    "茶" * 500 + "昨日我天在了" * 4,
    "e\u0301\0👍🏽",
    "xy meeting",
]
TOKENIZERS = {"wordpiece": toys.wordpiece, "unigram": toys.unigram, "multilingual": toys.multilingual}
#: What safetensors calls numpy's types.
NUMBERS = {"float16": "F16", "float32": "F32", "float64": "F64", "int8": "I8", "int32": "I32", "int64": "I64"}
#: So many tokens the first of the toys knows.
TOKENS = toys.size(toys.wordpiece())
#: So many tokens have more characters than 64 bits count: two more, if the median token has three.
BEYOND_64_BITS = {"max_length": (2**64 + 2) // 3}
#: Pieces of texts: letters of the toys' vocabularies, and what normalisers treat in some way of their own.
PIECES = st.sampled_from(
    [*toys.WORDS, *toys.CHARACTERS, *"  \n\t\r\u3000\xa0.,!?'«Ａ㈱がｶﾞ½ﬁßİΣ▁\x01\u200b\xad각👍", "か\u3099", "e\u0301"]
)


def both(folder: Path) -> tuple[list[bytes], list[bytes]]:
    """(the reference's vectors, ours)."""
    reference = StaticModel.from_pretrained(folder, force_download=False).encode(TEXTS, use_multiprocessing=False)
    return [row.astype(np.float32).tobytes() for row in reference], StaticEmbedder(folder).embed(TEXTS)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("config", [{}, {"normalize": False}, {"max_length": 3}, {"max_length": None}, BEYOND_64_BITS])
def test_vectors_are_those_of_the_reference(tmp_path: Path, tokenizer: str, config: dict[str, Any]) -> None:
    expected, found = both(toys.static(tmp_path, tokenizer=TOKENIZERS[tokenizer](), config=config))
    assert found == expected


def test_a_tokenizer_that_pads_and_truncates_agrees(tmp_path: Path) -> None:
    pad = {"direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"}
    truncation = {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0}
    tokenizer = {**toys.unigram(), "padding": {"strategy": {"Fixed": 8}, **pad}, "truncation": truncation}
    expected, found = both(toys.static(tmp_path, tokenizer=tokenizer))
    assert found == expected


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("normalized", [True, False])
def test_tokens_added_to_a_vocabulary_agree(tmp_path: Path, tokenizer: str, normalized: bool) -> None:
    described = TOKENIZERS[tokenizer]()
    size, flags = toys.size(described), {"single_word": False, "lstrip": False, "rstrip": True, "special": False}
    described["added_tokens"] = [
        {"id": size + at, "content": content, "normalized": normalized, **flags}
        for at, content in enumerate(["茶の", "京都の抹茶", "a m", "茶" * 4])
    ]
    folder = toys.static(tmp_path, tokenizer=described, config={"max_length": 40})
    table = array("f", toys.numbers((size + 4) * toys.DIMENSIONS)).tobytes()
    toys.safetensors(folder / "model.safetensors", {"embeddings": ("F32", (size + 4, toys.DIMENSIONS), table)})
    expected, found = both(folder)
    assert found == expected


def test_a_model_that_does_not_ask_for_length_one_is_taken_as_it_is(tmp_path: Path) -> None:
    folder = toys.static(tmp_path)
    (folder / "config.json").write_text("{}")
    expected, found = both(folder)
    assert found == expected


@pytest.mark.parametrize("max_length", [3, 512])
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_any_text_has_the_vector_of_the_reference(tmp_path: Path, tokenizer: str, max_length: int) -> None:
    folder = toys.static(tmp_path, tokenizer=TOKENIZERS[tokenizer](), config={"max_length": max_length})
    reference = StaticModel.from_pretrained(folder, force_download=False)
    ours = StaticEmbedder(folder)

    @settings(max_examples=100)
    @given(st.lists(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=30)), max_size=8))
    def holds(texts: list[str]) -> None:
        expected = reference.encode(texts, use_multiprocessing=False) if texts else []
        assert ours.embed(texts) == [row.astype(np.float32).tobytes() for row in expected]

    holds()


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("dimensions", [2, 7, 8, 100, 129, 256, 300])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int8"])
def test_vectors_agree_in_every_precision_and_width(
    tmp_path: Path, dtype: str, dimensions: int, normalize: bool
) -> None:
    folder = toys.static(tmp_path, config={"normalize": normalize})
    table = np.array(toys.numbers(toys.size(toys.wordpiece()) * dimensions)).reshape(-1, dimensions)
    table = (table * 30).astype(dtype)
    toys.safetensors(folder / "model.safetensors", {"embeddings": (NUMBERS[dtype], table.shape, table.tobytes())})
    expected, found = both(folder)
    assert found == expected


SHARED = [
    *(
        (dtype, weights, "int64")
        for dtype in ("float16", "float32", "float64", "int8")
        for weights in ("float16", "float32", "float64", None)
    ),
    ("float32", "float32", "int32"),
]


@pytest.mark.parametrize(("dtype", "weights", "places"), SHARED)
def test_a_vocabulary_that_shares_rows_agrees(tmp_path: Path, dtype: str, weights: str | None, places: str) -> None:
    folder = toys.static(tmp_path)
    tokens, rows = toys.size(toys.wordpiece()), 20
    table = (np.array(toys.numbers(rows * 24)).reshape(rows, 24) * 30).astype(dtype)
    tensors = {
        "embeddings": (NUMBERS[dtype], table.shape, table.tobytes()),
        "mapping": (NUMBERS[places], (tokens,), (np.arange(tokens) * 7 % rows).astype(places).tobytes()),
    }
    if weights is not None:
        values = np.abs(np.array(toys.numbers(tokens, seed=2))).astype(weights)
        tensors["weights"] = (NUMBERS[weights], (tokens,), values.tobytes())
    toys.safetensors(folder / "model.safetensors", tensors)
    expected, found = both(folder)
    assert found == expected


def test_the_layouts_of_sentence_transformers_are_read(tmp_path: Path) -> None:
    expected = StaticEmbedder(toys.static(tmp_path / "plain")).embed(TEXTS)
    folder = toys.static(tmp_path / "nested" / "0_StaticEmbedding")
    (folder / "config.json").rename(folder.parent / "config_sentence_transformers.json")
    tokens = toys.size(toys.wordpiece())
    table = array("f", toys.numbers(tokens * toys.DIMENSIONS)).tobytes()
    toys.safetensors(folder / "model.safetensors", {"embedding.weight": ("F32", (tokens, toys.DIMENSIONS), table)})
    assert StaticEmbedder(folder.parent).embed(TEXTS) == expected


def _with_a_table_of(rows: int, dimensions: int, **others: tuple[str, tuple[int], bytes]) -> Callable[[Path], None]:
    table = array("f", toys.numbers(rows * dimensions)).tobytes()
    tensors = {"embeddings": ("F32", (rows, dimensions), table), **others}
    return lambda folder: toys.safetensors(folder / "model.safetensors", tensors)


def _with_one_tensor(dtype: str, shape: tuple[int, ...], bytes_each: int = 2) -> Callable[[Path], None]:
    content = bytes(bytes_each * math.prod(shape))
    return lambda folder: toys.safetensors(folder / "model.safetensors", {"embeddings": (dtype, shape, content)})


def _with_a_wild_mapping(folder: Path) -> None:
    mapping = array("q", [0] * (TOKENS - 1) + [4]).tobytes()
    _with_a_table_of(4, 4, mapping=("I64", (TOKENS,), mapping))(folder)


def _with_a_token_numbered_past_the_last(folder: Path) -> None:
    tokenizer = toys.wordpiece()
    tokenizer["model"]["vocab"]["matcha"] = TOKENS
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "tokenizer.json").unlink(), "holds no static model"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "tokenizer.json"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"x" * 100), "model.safetensors"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b""), "model.safetensors"),
        (lambda folder: (folder / "config.json").write_text("[1"), "config.json"),
        (_with_a_table_of(4, 4), "not of one model: the table has 4 tokens"),
        (_with_a_table_of(TOKENS + 1, 4), f"the table has {TOKENS + 1} tokens"),
        (_with_a_table_of(TOKENS, 0), "the table has 0 tokens"),
        (_with_a_table_of(TOKENS, 4, weights=("F32", (3,), bytes(12))), "3 weights"),
        (
            _with_a_table_of(TOKENS, 4, weights=("I8", (TOKENS,), bytes(TOKENS))),
            "the weights are I8, not f64, f32 or f16",
        ),
        (_with_a_table_of(TOKENS, 4, mapping=("F32", (TOKENS,), bytes(4 * TOKENS))), "the mapping of tokens is F32"),
        (_with_one_tensor("U8", (TOKENS, 4), 1), f"embeddings is U8 [{TOKENS}, 4], not rows of"),
        (_with_one_tensor("BF16", (TOKENS, 4)), f"embeddings is BF16 [{TOKENS}, 4], not rows of f64, f32, f16 or i8"),
        (_with_one_tensor("F16", (2 * TOKENS,)), f"embeddings is F16 [{2 * TOKENS}], not rows of"),
        (_with_a_wild_mapping, "(4 rows"),
        (_with_a_token_numbered_past_the_last, f"one with the number {TOKENS}"),
    ],
)
def test_a_model_that_is_not_whole_is_refused(tmp_path: Path, spoil: Any, said: str) -> None:
    folder = toys.static(tmp_path)
    spoil(folder)
    with pytest.raises(InvalidArgument) as raised:
        Static("toy", folder)
    assert said in raised.value.message
    with pytest.raises(EngineError):
        StaticEmbedder(folder)


def test_another_table_is_another_version(tmp_path: Path) -> None:
    before = Static("toy", toys.static(tmp_path)).version
    path = tmp_path / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert Static("toy", tmp_path).version != before
    assert Static("toy", toys.static(tmp_path)).version == before
    (tmp_path / "config.json").write_text(json.dumps({"normalize": False}))
    assert Static("toy", tmp_path).version != before
