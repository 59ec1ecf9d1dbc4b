"""Transformers as ONNX graphs: pooling, prefixes, padding and truncation, on a graph whose answers can be worked out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

from omoide.embed import EmbedderUnavailable, TextRefused
from omoide.embed.onnx import BATCH_TOKENS, Onnx, _batches
from omoide.embed.pull import copy
from omoide.embed.transformer_config import read_config
from omoide.errors import InvalidArgument
from tests.embed import toys

TEXTS = ["京都 抹茶", "会议", "we drink matcha at the meeting"]
Pool = Callable[[Any], Any]


def rows(folder: Path, text: str) -> Any:
    """The rows of a text's tokens."""
    table = np.array(toys.numbers(toys.size(toys.wordpiece()) * toys.DIMENSIONS), dtype=np.float32)
    ids = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text).ids
    return table.reshape(-1, toys.DIMENSIONS)[ids]


def numbers(vectors: Sequence[bytes]) -> list[Any]:
    return [np.frombuffer(vector, dtype="<f4") for vector in vectors]


@pytest.mark.parametrize(
    ("pooling", "pool"),
    [
        ("mean_tokens", lambda tokens: tokens.mean(axis=0)),
        ("cls_token", lambda tokens: tokens[0]),
        ("lasttoken", lambda tokens: tokens[-1]),
        ("max_tokens", lambda tokens: tokens.max(axis=0)),
    ],
)
def test_tokens_are_pooled_as_the_folder_says_and_padding_does_not_count(
    tmp_path: Path, pooling: str, pool: Pool
) -> None:
    folder = toys.onnx(tmp_path, pooling=pooling)
    for found, text in zip(numbers(Onnx("toy", folder).embed(TEXTS, "passage")), TEXTS, strict=True):
        assert found == pytest.approx(pool(rows(folder, text)), abs=1e-5)


USED = """
import sys
from pathlib import Path
from omoide.embed.onnx import Onnx
assert "onnxruntime" not in sys.modules
Onnx("toy", Path(sys.argv[1])).embed(["抹茶"], "passage")
"""


def test_the_runtime_keeps_no_record_of_what_is_run(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    kept = {"ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}
    variables = {name: value for name, value in os.environ.items() if name not in kept} | {"HOME": str(home)}
    subprocess.run([sys.executable, "-c", USED, toys.onnx(tmp_path)], env=variables, check=True)
    assert list(home.iterdir()) == []


def test_a_graph_that_gives_sentence_vectors_is_taken_at_its_word(tmp_path: Path) -> None:
    folder = toys.onnx(tmp_path, output="sentence_embedding")
    (found,) = numbers(Onnx("toy", folder).embed(TEXTS[:1], "passage"))
    assert found == pytest.approx(rows(folder, TEXTS[0]).sum(axis=0), abs=1e-4)


@pytest.mark.parametrize(
    ("name", "prompts", "given", "query", "passage"),
    [
        ("toy", None, {}, "", ""),
        ("multilingual-e5-small", None, {}, "query: ", "passage: "),
        ("toy", {"query": "検索: ", "document": "文書: "}, {}, "検索: ", "文書: "),
        ("multilingual-e5-small", {"query": "q "}, {}, "q ", ""),
        ("multilingual-e5-small", None, {"query": "問い: ", "passage": ""}, "問い: ", "passage: "),
    ],
)
def test_prefixes_come_from_the_folder_or_are_given(
    tmp_path: Path, name: str, prompts: dict[str, str] | None, given: Any, query: str, passage: str
) -> None:
    folder = toys.onnx(tmp_path / name)
    if prompts is not None:
        (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}), encoding="utf-8")
    plain = Onnx("plain", toys.onnx(tmp_path / "plain"))
    prefixed = Onnx(name, folder, prefixes=given)
    assert prefixed.embed(["抹茶"], "query") == plain.embed([query + "抹茶"], "query")
    assert prefixed.embed(["抹茶"], "passage") == plain.embed([passage + "抹茶"], "passage")


@pytest.mark.parametrize("name", ["model.onnx.data", "重み", "embeddings.weight"])
def test_numbers_in_a_file_beside_the_graph_are_copied_and_make_another_version(tmp_path: Path, name: str) -> None:
    source = toys.onnx(tmp_path / "source", numbers_in=name)
    (source / "notes").write_text("not of the model", encoding="utf-8")
    other = toys.onnx(tmp_path / "other", numbers_in=name, seed=2)
    copied = copy("copied", source, tmp_path / "models", lambda *_: None)
    assert name in copied.checksums
    assert "notes" not in copied.checksums
    texts = ["京都で抹茶", "会议", "matcha"]
    one, same, another = (Onnx("model", folder) for folder in (source, copied.folder, other))
    assert one.embed(texts, "query") == same.embed(texts, "query") != another.embed(texts, "query")
    assert one.version != another.version


def test_a_text_that_the_graph_fails_on_is_refused_and_the_others_are_embedded(tmp_path: Path) -> None:
    folder = toys.onnx(tmp_path / "toy")
    tokenizer = toys.wordpiece()
    tokenizer["model"]["vocab"]["呪"] = toys.size(tokenizer)  # for which the table has no row
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    made = Onnx("toy", folder)
    for texts in (["京都 抹茶", "呪"], ["呪"]):
        with pytest.raises(TextRefused, match="onnx:toy cannot embed a text of") as raised:
            made.embed(texts, "query")
        assert "埋め込めません" in raised.value.also["ja"]
        assert "无法嵌入" in raised.value.also["zh"]
    assert numbers(made.embed(TEXTS, "query"))[0] == pytest.approx(rows(folder, TEXTS[0]).mean(axis=0))


def test_a_graph_that_fails_on_every_text_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Onnx("toy", toys.onnx(tmp_path / "toy"))

    def fail(texts: Sequence[str]) -> list[Any]:
        raise RuntimeError("no memory is left")

    monkeypatch.setattr(made, "_run", fail)
    with pytest.raises(EmbedderUnavailable, match="onnx:toy does not work now") as raised:
        made.embed(TEXTS, "passage")
    assert "今使えません" in raised.value.also["ja"]
    assert "目前无法使用" in raised.value.also["zh"]


def test_long_texts_stop_where_the_model_stops(tmp_path: Path) -> None:
    folder = toys.onnx(tmp_path)
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 3}')
    embedder = Onnx("toy", folder)
    assert embedder.max_tokens == 3
    assert embedder.embed(["抹茶 " * 100], "passage") == embedder.embed(["抹 茶 抹"], "passage")


def test_texts_of_a_length_go_together_and_no_batch_is_too_large() -> None:
    lengths = [512, 3, 500, 4, 511, 3, 100] * 20
    batches = list(_batches(lengths))
    assert sorted(at for batch in batches for at in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[at] for at in batch) <= BATCH_TOKENS for batch in batches)
    padding = sum(max(lengths[at] for at in batch) * len(batch) for batch in batches) / sum(lengths)
    assert padding < 1.1


def regraph(change: Callable[[Any], object]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        model = onnx.load(folder / "model.onnx")
        change(model.graph)
        onnx.save(model, folder / "model.onnx")

    return spoil


def asks_for_pictures(graph: Any) -> None:
    graph.input.append(helper.make_tensor_value_info("pixels", TensorProto.FLOAT, [1]))
    graph.node.append(helper.make_node("Identity", ["pixels"], ["seen"]))
    graph.output.append(helper.make_tensor_value_info("seen", TensorProto.FLOAT, [1]))


def gives_one_number(graph: Any) -> None:
    graph.node.append(helper.make_node("ReduceSum", ["last_hidden_state"], ["sum"], keepdims=0))
    graph.output[0].CopyFrom(helper.make_tensor_value_info("sum", TensorProto.FLOAT, []))


def gives_no_numbers(graph: Any) -> None:
    table = numpy_helper.to_array(graph.initializer[0])
    graph.initializer[0].CopyFrom(numpy_helper.from_array(np.full_like(table, np.nan), "table"))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "tokenizer.json").unlink(), "lacks tokenizer.json"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "cannot be read"),
        (lambda folder: (folder / "model.onnx").write_bytes(b"x"), "cannot be run"),
        (regraph(asks_for_pictures), "makes no vectors of texts"),
        (regraph(gives_one_number), "makes no vectors of texts"),
        (regraph(gives_no_numbers), "makes no vectors of texts"),
        (lambda folder: (folder / "config.json").write_text("{"), "config.json cannot be read"),
        (lambda folder: (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "odd"}'), "pooling"),
        (lambda folder: (folder / "modules.json").write_text('[{"type": "a.b.Dense"}]'), "'Dense'"),
        (lambda folder: (folder / "modules.json").write_text("["), "configuration in"),
        (lambda folder: (folder / "modules.json").write_text('["層", "层"]'), "configuration in"),
        (lambda folder: (folder / "config.json").write_text('{"max_position_embeddings": "many"}'), "configuration in"),
        (lambda folder: (folder / "config.json").write_text("[" * 100_000), "configuration in"),
    ],
)
def test_a_folder_that_cannot_be_used_says_why(tmp_path: Path, spoil: Any, said: str) -> None:
    folder = toys.onnx(tmp_path)
    spoil(folder)
    with pytest.raises(InvalidArgument) as raised:
        Onnx("toy", folder)
    assert said in raised.value.message


def test_models_without_a_word_about_it_are_pooled_by_the_mean(tmp_path: Path) -> None:
    assert read_config(tmp_path).pooling.value == "mean"
