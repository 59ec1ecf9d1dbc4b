"""`python -m bench text` on texts short enough to see."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.workloads.text import SETS, main, measure

TEXTS = {"ja": "昨日、京都で抹茶を飲んだ。", "zh": "我昨天在京都喝了抹茶。", "en": "Yesterday I drank matcha."}


def test_every_language_is_measured_beside_its_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for language, sets in SETS.items():
        for name in sets:
            (tmp_path / name).mkdir()
            line = json.dumps({"id": "1", "text": TEXTS[language]}, ensure_ascii=False)
            (tmp_path / name / "corpus.jsonl").write_text(f"{line}\n", encoding="utf-8")
    monkeypatch.setenv("OMOIDE_BENCH_DATA", str(tmp_path))
    assert main([]) == 0
    shown = capsys.readouterr().out
    for library in ("sudachipy", "fugashi", "rjieba", "pystemmer"):
        assert library in shown


def test_missing_texts_are_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OMOIDE_BENCH_DATA", "/nowhere")
    assert main([]) == 2
    assert "jsquad_ja_valid" in capsys.readouterr().err


def test_the_first_round_is_kept_apart() -> None:
    row = measure("en", "none", str.split, ["The dogs barked."])
    assert row.chars == 16
    assert len(row.bare) == len(row.ours) > 2
    assert row.overhead > 0
