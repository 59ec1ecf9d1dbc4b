"""What callers are told in Traditional Chinese: every Chinese sentence of ours, whole, with Taiwan's words."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import omoide
from omoide.config import load
from omoide.families.chronica import speech
from omoide.text.normalise import fold_variants
from omoide.traditional import _CHARACTERS, _WORDS, HANT, is_traditional, message_language, told_in, traditional

PACKAGE = Path(omoide.__file__).parent
_HAN = re.compile("[\u3400-\u9fff]")
#: Simplified forms of other characters that are Traditional ones, too, and are meant as such: 只 (only), 回 (back) ...
KEPT = set("回出只表向缺搜冬秋合制面同")


def sentences() -> Iterator[str]:
    """What the source says in Chinese: values of `zh`, and the speech of chronica."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.parent.name == "text":
            continue  # words to tell questions by
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Dict):
                named = zip(node.keys, node.values, strict=True)
                said = [value for key, value in named if isinstance(key, ast.Constant) and key.value == "zh"]
                yield from (text for value in said for text in texts(value))
    yield from (text for said in speech.CHINESE for text in ([said] if isinstance(said, str) else said))


def texts(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and _HAN.search(each.value):
            yield each.value


SENTENCES = sorted(set(sentences()))


def of_two() -> set[str]:
    """Characters that stand for more than one in Simplified Chinese: 后 is 後 as well."""
    forms: dict[str, set[str]] = defaultdict(set)
    for each in map(chr, range(0x4E00, 0x9FA6)):
        if fold_variants(each) != each and each.encode("big5", "ignore"):
            forms[fold_variants(each)].add(each)
    return forms.keys() - KEPT


MIXED = of_two()


def test_there_are_sentences_to_look_at() -> None:
    assert len(SENTENCES) > 100


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_chinese_sentence_has_a_traditional_form(sentence: str) -> None:
    """Who writes another sentence adds its characters to the table."""
    said = traditional(sentence)
    assert [each for each in _HAN.findall(said) if not each.encode("big5", "ignore") or each in MIXED] == []
    assert re.findall(r"\{[^{}]*\}", said) == re.findall(r"\{[^{}]*\}", sentence)


def test_nothing_in_the_tables_is_for_no_sentence() -> None:
    every = "".join(SENTENCES)
    assert [each for each in _WORDS if each not in every] == []
    assert [chr(each) for each in _CHARACTERS if chr(each) not in every] == []


@pytest.mark.parametrize(
    ("simplified", "said"),
    [
        ("无法将“{text}”理解为日期。", "無法將「{text}」理解為日期。"),
        ("没有找到。请先搜索，确认 ID 或名称。", "沒有找到。請先搜尋，確認 ID 或名稱。"),
        ("检索数据库后找到了5个条目。", "檢索資料庫後找到了5個條目。"),
        ("1周前", "1週前"),
        ("记忆的存储由更新版本的 omoide 写入。", "記憶的儲存區由更新版本的 omoide 寫入。"),
    ],
)
def test_a_sentence_is_said_as_in_taiwan(simplified: str, said: str) -> None:
    assert traditional(simplified) == said


def test_chronica_speaks_it_where_that_is_set() -> None:
    assert load({"data": "/nowhere", "chronica_language": HANT}, {}).chronica_language == HANT
    assert speech.speaking(HANT).minutes_ago == "幾分鐘前"
    assert speech.speaking(HANT).headings[:2] == ("目前情況", "專案近況")


def test_what_a_sentence_quotes_stays_as_it_is() -> None:
    said = {"ja": "", "zh": "无法将“皇后的文本”理解为日期：'作用域后' 在 \"范围\" 之外。"}
    assert told_in(said, HANT) == "無法將「皇后的文本」理解為日期：'作用域后' 在 \"范围\" 之外。"
    assert told_in(said, "zh") == said["zh"]
    assert told_in({"ja": "茶"}, HANT) is None
    assert told_in(said, None) is None


@pytest.mark.parametrize(
    ("text", "traditional"),
    [
        ("我們上次討論了什麼？", True),
        ("記憶", True),
        ("佢喺邊度", True),
        ("来週 会議", False),
        ("東京都庁", False),
        ("🍵🍵 茶", False),
        ("我们上次讨论了什么？", False),
        ("喝茶", False),
        ("where is it???", False),
        ("", False),
    ],
)
def test_a_text_tells_by_characters_that_only_one_script_has(text: str, traditional: bool) -> None:
    assert is_traditional(text) == traditional


@pytest.mark.parametrize(
    ("language", "text", "tag", "told"),
    [
        ("zh", "記憶", None, HANT),
        ("zh", "记忆", None, "zh"),
        ("zh", "喝茶", "zh-TW", HANT),
        ("zh", "記憶", "zh-Hans", "zh"),
        ("zh", "記憶", "zh", HANT),
        ("ja", "記憶", None, "ja"),
        (None, "x", None, None),
    ],
)
def test_a_caller_is_told_as_it_writes_or_as_it_names(language: str, text: str, tag: str | None, told: str) -> None:
    assert message_language(language, text, tag) == told
