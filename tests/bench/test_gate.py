"""A change that costs answers is stopped, one that costs none is not."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.dataset import BadSet
from bench.gate import by_chance, compare, stored


def run(found: str, name: str = "会話") -> list[dict[str, Any]]:
    questions = [
        {"id": f"q{at}", "relevant": ["茶"], "ranking": ["茶"] if here == "+" else ["咖啡"]}
        for at, here in enumerate(found)
    ]
    return [{"set": name, "questions": questions}]


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("++--", "++--", 0),
        ("++--", "+++-", 0),
        ("+" * 200, "+" * 199 + "-", 0),
        ("+" * 200, "+" * 195 + "-" * 5, 1),
        ("+" * 50, "+" * 48 + "--", 1),
        ("+-" * 50, "-+" * 50, 0),
    ],
)
def test_losses_beyond_chance_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, verdict: int
) -> None:
    kept = tmp_path / "run.json"
    kept.write_text(json.dumps(run(before)), encoding="utf-8")
    assert compare(run(after), kept) == verdict
    assert ("FAILED" in capsys.readouterr().out) == bool(verdict)


def test_a_run_of_other_sets_cannot_be_compared(tmp_path: Path) -> None:
    kept = tmp_path / "run.json"
    kept.write_text(json.dumps(run("+", "对话")), encoding="utf-8")
    assert compare(run("+"), kept) == 2


def test_questions_that_the_earlier_run_does_not_have_count_for_nothing(tmp_path: Path) -> None:
    kept = tmp_path / "run.json"
    kept.write_text(json.dumps(run("+" * 10)), encoding="utf-8")
    assert compare(run("-" + "+" * 9), kept) == 1
    assert compare(run("-" + "+" * 999), kept) == 1


def test_a_set_whose_questions_are_all_others_cannot_be_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, questions = tmp_path / "run.json", [{"id": "問い", "ranking": ["茶"]}]
    kept.write_text(json.dumps([{"set": "会話", "questions": questions}, *run("+", "对话")]), encoding="utf-8")
    assert compare([*run("++"), *run("+", "对话")], kept) == 2
    assert "会話: the earlier run has none of its questions" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("茶", "not as published"),
        ("3", "not as published"),
        ('{"set": "会話"}', "not as published"),
        ('[{"questions": []}]', "'set' is missing"),
        ('[{"set": "会話"}]', "'questions' is missing"),
        ('[{"set": "会話", "questions": [{"id": "q1"}]}]', "会話, question 1: 'ranking' is missing"),
    ],
)
def test_a_file_that_is_no_run_is_named(tmp_path: Path, written: str, said: str) -> None:
    kept = tmp_path / "run.json"
    kept.write_text(written, encoding="utf-8")
    with pytest.raises(BadSet, match=f"run.json: {said}"):
        stored(kept)


@pytest.mark.parametrize(("lost", "won", "chance"), [(0, 0, 1.0), (1, 0, 0.5), (5, 0, 1 / 32), (1, 1, 0.75)])
def test_the_chance_is_that_of_coins(lost: int, won: int, chance: float) -> None:
    assert by_chance(lost, won) == chance
