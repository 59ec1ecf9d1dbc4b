"""Vectors and rankings that were made elsewhere take part in a search as any embedder's."""

import json
from pathlib import Path

import numpy
import pytest

from bench.dataset import load
from bench.systems.precomputed import Precomputed, embedder_of
from bench.workloads import arms
from bench.workloads.retrieval import main
from omoide.embed import TextRefused
from omoide.embed.protocol import unpacked

CORPUS = [
    {"id": "ja", "text": "昨日、京都で抹茶を飲んだ。"},
    {"id": "zh", "title": "数据库", "text": "我们决定用它保存记忆。"},
    {"id": "en", "text": "We parked on level two."},
]
#: None shares a word with what it asks for.
QUERIES = [
    {"id": "q1", "text": "where is my car", "relevant": ["en"]},
    {"id": "q2", "text": "お茶のこと", "relevant": ["ja"]},
    {"id": "q3", "text": "SQLite", "relevant": ["zh"]},
]
NEAREST = {"q1": ["en", "ja"], "q2": ["ja", "en", "zh"], "q3": ["zh"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    runs = [{"model": "toy", "query": id, "top": top} for id, top in NEAREST.items()]
    for name, rows in (("corpus", CORPUS), ("queries", QUERIES), ("dense_runs", runs)):
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    places = {row["id"]: place for place, row in enumerate(CORPUS)}
    numpy.save(tmp_path / "toy_corpus.npy", numpy.eye(3, dtype="f2"))
    numpy.save(tmp_path / "toy_queries.npy", numpy.eye(3, dtype="f2")[[places[row["relevant"][0]] for row in QUERIES]])
    return tmp_path


@pytest.mark.parametrize("setting", ["precomputed:toy", "ranking:toy"])
def test_a_question_finds_what_the_model_holds_for_near(folder: Path, tmp_path: Path, setting: str) -> None:
    out = tmp_path / "out.json"
    assert main([str(folder), "--embedder", setting, "--json", str(out)]) == 0
    (found,) = json.loads(out.read_text(encoding="utf-8"))
    assert {each["id"]: each["ranking"][0] for each in found["questions"]} == {"q1": "en", "q2": "ja", "q3": "zh"}


def test_vectors_made_of_a_ranking_rank_as_it_does(folder: Path) -> None:
    embedder = embedder_of("ranking:toy", [load(folder)])
    assert isinstance(embedder, Precomputed)
    texts = {row["id"]: "\n".join(filter(None, [row.get("title"), row["text"]])) for row in CORPUS}
    passages = dict(
        zip(texts, numpy.array([*map(unpacked, embedder.embed(list(texts.values()), "passage"))]), strict=True)
    )
    for query in QUERIES:
        asked = numpy.array(unpacked(embedder.embed([query["text"]], "query")[0]))
        cosines = {id: float(passage @ asked) for id, passage in passages.items()}
        listed = NEAREST[query["id"]]
        assert sorted(cosines, key=cosines.__getitem__, reverse=True)[: len(listed)] == listed
        assert numpy.linalg.norm(asked) == pytest.approx(1.0)


def test_what_is_in_no_set_is_refused(folder: Path) -> None:
    embedder = embedder_of("precomputed:toy", [load(folder)])
    assert isinstance(embedder, Precomputed)
    with pytest.raises(TextRefused, match="知らない"):
        embedder.embed(["知らない文"], "query")


@pytest.mark.parametrize("setting", ["precomputed:nobody", "ranking:nobody"])
def test_a_model_without_vectors_is_named(folder: Path, setting: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder), "--embedder", setting]) == 2
    assert "nobody" in capsys.readouterr().err


def test_arms_are_compared_for_every_model_of_a_set(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(arms.models(load(folder))) == ["precomputed:toy", "ranking:toy"]
    assert arms.main([str(folder)]) == 0
    assert capsys.readouterr().out.count("1.000 1.000") >= 4


def test_sets_without_a_model_have_no_arms_to_compare(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file in (*folder.glob("*_corpus.npy"), folder / "dense_runs.jsonl"):
        file.unlink()
    assert arms.main([str(folder)]) == 2
    told = capsys.readouterr()
    assert "no set has vectors" in told.err
    assert told.out == ""


@pytest.mark.parametrize(
    ("words", "vectors", "fused", "below"),
    [([0.5, 0.6], [0.6, 0.5], [0.58, 0.6], 0.02), ([0.5, 0.6], [0.1, 0.1], [0.55, 0.6], 0.0)],
)
def test_a_fusion_is_held_against_the_better_arm_at_every_depth(
    words: list[float], vectors: list[float], fused: list[float], below: float
) -> None:
    assert arms.loss({"words": words, "vectors": vectors, "fused": fused}) == pytest.approx(below)
