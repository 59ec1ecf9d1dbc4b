"""`python -m bench short` on a few sentences in three languages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.dataset import load
from bench.workloads.short import Parallel, main

SENTENCES = {
    "ja": {"a": "冷蔵庫に牛乳と卵が残っている。", "b": "地下鉄の駅まで歩く。"},
    "zh": {"a": "冰箱里还有牛奶和雞蛋。", "b": "走到地铁站。"},
    "en": {"a": "There are milk and eggs left in the fridge.", "b": "We walk to the subway station."},
}


def write(folder: Path, language: str, texts: Mapping[str, str]) -> Path:
    folder.mkdir()
    rows = [{"id": id, "text": text, "lang": language} for id, text in texts.items()]
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    question = {"id": "q", "text": rows[0]["text"], "relevant": [rows[0]["id"]]}
    (folder / "queries.jsonl").write_text(json.dumps(question), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("language", "words"),
    [("ja", ["冷蔵庫", "牛乳"]), ("zh", ["冰箱", "牛奶", "鸡蛋"]), ("en", ["milk", "fridge"])],
)
def test_everyday_words_of_a_text_are_asked_for_as_they_are_written(
    tmp_path: Path, language: str, words: list[str]
) -> None:
    read = Parallel.of(load(write(tmp_path / "set", language, SENTENCES[language])))
    assert [read.known[word] for word in read.words_of(read.texts["a"])] == words
    assert read.has("a", read.words_of(read.texts["a"]))
    assert not read.has("b", read.words_of(read.texts["a"]))


def test_each_number_of_words_is_asked_in_each_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(write(tmp_path / language, language, texts)) for language, texts in SENTENCES.items()]
    assert main(folders) == 0
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in capsys.readouterr().out.splitlines()]
    shown = [row for row in rows if row]
    assert [row[:2] for row in shown] == [[str(words), language] for words in (1, 2, 3) for language in SENTENCES]
    assert all(row[3] == "1.00" for row in shown if row[0] == "1")


def test_sets_without_a_text_in_common_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    japanese = str(write(tmp_path / "ja", "ja", {"a": "牛乳を買う。"}))
    chinese = str(write(tmp_path / "zh", "zh", {"b": "买牛奶。"}))
    french = str(write(tmp_path / "fr", "fr", {"a": "Acheter du lait."}))
    assert main([japanese, chinese]) == 2
    assert "no id in common" in capsys.readouterr().err
    assert main([japanese, japanese]) == 2
    assert "in one language" in capsys.readouterr().err
    assert main([japanese, french]) == 2
    assert "lang is 'fr'" in capsys.readouterr().err
