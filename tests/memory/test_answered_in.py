"""In which language is something said beside an answer?"""

from __future__ import annotations

from pathlib import Path

import pytest

import omoide
from omoide.memory.notes import on_missing_arms
from omoide.model.query import MissingArm

QUESTIONS = [
    # question, without a setting, with `language` ja, with zh
    ("会議の予定", "ja", "ja", "ja"),
    ("来週 会議 予定", "ja", "ja", "zh"),
    ("東京 資料 確認", "ja", "ja", "zh-Hant"),
    ("会议安排", "zh", "zh", "zh"),
    ("我們的會議安排", "zh-Hant", "ja", "zh-Hant"),
    ("when do we meet", "en", "en", "en"),
    ("", "en", "en", "en"),
]


@pytest.mark.parametrize(("setting", "column"), [(None, 1), ("ja", 2), ("zh", 3)])
def test_shared_han_characters_are_answered_in_the_language_of_the_setting(
    tmp_path: Path, setting: str | None, column: int
) -> None:
    with omoide.open(tmp_path, language=setting) as memories:
        memories.remember("会議は来週です。")
        for row in QUESTIONS:
            assert memories.language_of(row[0]) == memories.recall(row[0]).language == row[column], row[0]


@pytest.mark.parametrize(
    ("stored", "language"),
    [
        ((), "zh"),
        (("会議は来週です。", "お茶を買う。", "我们去喝茶。"), "ja"),
        (("我们去喝茶。", "明天开会。", "会議は来週です。"), "zh"),
        (("会議は来週です。", "我们去喝茶。"), "zh"),
        (("a meeting", "会議は来週です。"), "ja"),
    ],
)
def test_han_characters_that_all_share_are_answered_in_the_language_of_most_memories(
    tmp_path: Path, stored: tuple[str, ...], language: str
) -> None:
    with omoide.open(tmp_path) as memories:
        for text in stored:
            memories.remember(text)
        assert memories.recall("富士山").language == memories.language_of("富士山") == language
        assert memories.recall("会議").language == "ja"
        assert memories.recall("开会").language == "zh"
    with omoide.open(tmp_path, scope="project:tea") as pinned:
        assert pinned.recall("富士山").language == pinned.language_of("富士山") == "zh", (
            "other scopes are not its business"
        )


def test_a_caller_that_names_the_language_is_answered_in_it(tmp_path: Path) -> None:
    with omoide.open(tmp_path) as memories:
        assert memories.recall("来週 会議 予定", lang="ja").language == "ja"
        assert memories.recall("来週 会議 予定", lang="zh-Hans").language == "zh"
        assert memories.recall("開會", lang="zh-Hans").language == "zh"
        assert memories.recall("喝茶", lang="zh-TW").language == "zh-Hant"


@pytest.mark.parametrize(
    ("language", "said", "why"),
    [
        ("ja", "結果", "埋め込みサービスが止まっています。"),
        ("zh", "此结果", "嵌入服务已停止。"),
        ("zh-Hant", "此結果", "嵌入服務已停止。"),
        ("en", "This answer", "The embedder is down."),
    ],
)
def test_a_missing_ranking_and_why_it_is_missing_are_told_in_each_language(language: str, said: str, why: str) -> None:
    also = {"ja": "埋め込みサービスが止まっています。", "zh": "嵌入服务已停止。"}
    (told,) = on_missing_arms([MissingArm("vectors", "The embedder is down.", also)], language)
    assert said in told
    assert told.endswith(why)
    (told,) = on_missing_arms([MissingArm("vectors", "The embedder is down.")], language)
    assert told.endswith("The embedder is down."), "of an embedder of one's own that speaks English alone"
