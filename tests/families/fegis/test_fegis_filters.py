"""Every operator on every kind of field becomes the condition its name promises, or an error that says what to do."""

from datetime import datetime, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from omoide.dates import Moment
from omoide.errors import InvalidArgument
from omoide.families.fegis.filters import condition
from omoide.families.fegis.filters.texts import words_of
from omoide.families.fegis.schemas import FILTER_FIELDS, OPERATORS
from omoide.model.condition import All, Condition, Contains, Either, Equals, Not, OneOf, Within

TOKYO = ZoneInfo("Asia/Tokyo")
NOON = Moment(datetime(2025, 11, 21, 3, 0, tzinfo=timezone.utc), TOKYO)
INSTANT = datetime(2025, 7, 2, 4, 15, 11, 123456, tzinfo=timezone.utc)


def read(field: str, operator: str, value: Any) -> Condition:
    return condition({"field": field, "operator": operator, "value": value}, NOON)


def tokyo(*civil: int) -> datetime:
    return datetime(*civil, tzinfo=TOKYO)  # type: ignore[arg-type, misc]


@pytest.mark.requirement("fegis.filter.keyword", "fegis.filter.version", "fegis.filter.is-not", "fegis.filter.any-of")
@pytest.mark.parametrize(
    ("field", "operator", "value", "expected"),
    [
        ("tool", "is", "StoreMemory", Equals("tool", "StoreMemory")),
        ("agent_id", "is_not", "助手", Not(Equals("agent_id", "助手"))),
        ("memory_id", "contains", "3f2b", Contains("id", "3f2b")),
        ("preceding_memory_id", "is_not", "a", Not(Equals("preceding_id", "a"))),
        ("session_id", "any_of", ["甲", "乙"], OneOf("session_id", ("甲", "乙"))),
        ("session_id", "any_of", [], OneOf("session_id", ())),
        ("archetype_title", "is", "記録", Equals("archetype_title", "記録")),
        ("archetype_version", "is", 1, Within("archetype_version", start=1, end=1, end_inclusive=True)),
        ("archetype_version", "is", "1.0", Equals("archetype_version", "1.0")),
        ("archetype_version", "after", "0.01", Within("archetype_version", start=0.01, start_inclusive=False)),
        ("archetype_version", "contains", 0.01, Contains("archetype_version", "0.01")),
        ("tool", "is", 42, Equals("tool", "42")),
        ("schema_version", "is_not", "1.0", Not(Equals("schema_version", "1.0"))),
    ],
)
def test_names_compare_whole_or_by_a_part(field: str, operator: str, value: Any, expected: Condition) -> None:
    assert read(field, operator, value) == expected


@pytest.mark.requirement("fegis.filter.text", "fegis.filter.contains")
@pytest.mark.parametrize(
    ("field", "operator", "value", "expected"),
    [
        ("title", "is", "東京の天気", Equals("title", "東京の天気")),
        ("title", "is_not", "Tokyo weather", Not(Equals("title", "Tokyo weather"))),
        ("title", "contains", "東京", All((Contains("title", "東京"),))),
        (
            "context",
            "contains",
            " API  discussion ",
            All((Contains("context", "API"), Contains("context", "discussion"))),
        ),
        ("context", "contains", "昨天　会议", All((Contains("context", "昨天"), Contains("context", "会议")))),
        ("title", "contains", 42, All((Contains("title", "42"),))),
        (
            "title",
            "contains",
            " ".join(f"語{number}" for number in range(50)),
            All(tuple(Contains("title", f"語{number}") for number in range(50))),
        ),
        ("title", "any_of", ["早餐", "晩ご飯"], OneOf("title", ("早餐", "晩ご飯"))),
    ],
)
def test_texts_compare_whole_or_word_by_word(field: str, operator: str, value: Any, expected: Condition) -> None:
    assert read(field, operator, value) == expected


@pytest.mark.requirement("fegis.filter.number", "fegis.filter.between")
@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("is", 3, Equals("sequence_order", 3)),
        ("is", 3.0, Equals("sequence_order", 3)),
        ("is", "3", Equals("sequence_order", 3)),
        ("is_not", "３", Not(Equals("sequence_order", 3))),
        ("before", 3, Within("sequence_order", end=3)),
        ("after", 2.5, Within("sequence_order", start=2.5, start_inclusive=False)),
        ("between", [2, 4], Within("sequence_order", start=2, end=4, end_inclusive=True)),
        ("between", {"from": 2, "to": 4}, Within("sequence_order", start=2, end=4, end_inclusive=True)),
        ("before", 10**400, Within("sequence_order", end=2**53)),
        ("after", -1e300, Within("sequence_order", start=-(2**53), start_inclusive=False)),
        ("any_of", [1, "2"], Either((Equals("sequence_order", 1), Equals("sequence_order", 2)))),
    ],
)
def test_the_order_in_a_session_compares_as_a_number(operator: str, value: Any, expected: Condition) -> None:
    assert read("sequence_order", operator, value) == expected


@pytest.mark.requirement(
    "fegis.filter.time", "fegis.filter.time-natural", "fegis.filter.between", "fegis.filter.is-not"
)
@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("after", "2025-07-02T04:15:11.123456Z", Within("stored_at", start=INSTANT, start_inclusive=False)),
        ("after", "2025-07-02 13:15:11.123456+09:00", Within("stored_at", start=INSTANT, start_inclusive=False)),
        ("before", "2025-07-02T04:15:11.123456+00:00", Within("stored_at", end=INSTANT)),
        ("before", "2025-07-02T13:15:11.123456", Within("stored_at", end=INSTANT)),
        (
            "is",
            "2025-07-02T13:15:11",
            Within("stored_at", tokyo(2025, 7, 2, 13, 15, 11), tokyo(2025, 7, 2, 13, 15, 12)),
        ),
        ("after", "2025-07-01", Within("stored_at", start=tokyo(2025, 7, 1))),
        ("before", "2025-07-01", Within("stored_at", end=tokyo(2025, 7, 2))),
        ("is", "昨日", Within("stored_at", tokyo(2025, 11, 20), tokyo(2025, 11, 21))),
        ("is", "昨天", Within("stored_at", tokyo(2025, 11, 20), tokyo(2025, 11, 21))),
        ("is_not", "yesterday", Not(Within("stored_at", tokyo(2025, 11, 20), tokyo(2025, 11, 21)))),
        ("is", "<= 昨日", Within("stored_at", end=tokyo(2025, 11, 21))),
        ("contains", "2025-07", Within("stored_at", tokyo(2025, 7, 1), tokyo(2025, 8, 1))),
        ("between", ["2025-07-01", "2025-07-31"], Within("stored_at", tokyo(2025, 7, 1), tokyo(2025, 8, 1))),
        ("between", {"from": "先月", "to": "今月"}, Within("stored_at", tokyo(2025, 10, 1), tokyo(2025, 12, 1))),
        (
            "any_of",
            ["2025-07-01", "昨日"],
            Either(
                (
                    Within("stored_at", tokyo(2025, 7, 1), tokyo(2025, 7, 2)),
                    Within("stored_at", tokyo(2025, 11, 20), tokyo(2025, 11, 21)),
                )
            ),
        ),
    ],
)
def test_timestamps_compare_as_instants_and_days_as_whole_days(operator: str, value: Any, expected: Condition) -> None:
    assert read("timestamp", operator, value) == expected


@pytest.mark.requirement("fegis.filter.errors")
@pytest.mark.parametrize(
    ("filter", "message", "hint"),
    [
        ({"operator": "is", "value": "a"}, "Filter missing required 'field' parameter", "filters[0] must be like"),
        ({"field": "tool", "value": "a"}, "Filter missing required 'operator' parameter", "filters[0] must be like"),
        ({"field": "tool", "operator": "is"}, "Filter missing required 'value' parameter", "filters[0] must be like"),
        (
            {"field": "本文", "operator": "is", "value": "a"},
            f"Invalid field '本文'. Valid fields: {sorted(FILTER_FIELDS)}",
            "name one of these",
        ),
        (
            {"field": "tool", "operator": "like", "value": "a"},
            "Invalid operator 'like'. Valid operators: "
            "['after', 'any_of', 'before', 'between', 'contains', 'is', 'is_not']",
            "use one of these",
        ),
        (
            {"field": "tool", "operator": "before", "value": "a"},
            "'before' does not apply to 'tool'.",
            "use one of is, is_not, contains, any_of with tool.",
        ),
        (
            {"field": "sequence_order", "operator": "contains", "value": "1"},
            "'contains' does not apply to 'sequence_order'.",
            "use one of is, is_not, before, after, between, any_of",
        ),
        (
            {"field": "archetype_version", "operator": "after", "value": "最新"},
            "'最新' is not a number.",
            "after compares archetype_version with numbers.",
        ),
        (
            {"field": "sequence_order", "operator": "between", "value": [1]},
            "'between' operator requires array [min, max]",
            'filters[0] (sequence_order between): give [min, max] or {"from": min, "to": max}.',
        ),
        (
            {"field": "sequence_order", "operator": "between", "value": [5, 2]},
            "The range from 5 to 2 ends before it begins.",
            "give the smaller value first",
        ),
        (
            {"field": "timestamp", "operator": "between", "value": ["今日", "昨日"]},
            "The range from '今日' to '昨日' ends before it begins.",
            "give the smaller value first",
        ),
        ({"field": "sequence_order", "operator": "is", "value": "三つ"}, "'三つ' is not a number.", "with numbers."),
        ({"field": "sequence_order", "operator": "is", "value": "nan"}, "'nan' is not a number.", "with numbers."),
        ({"field": "title", "operator": "any_of", "value": "a"}, "'any_of' operator requires array", "give a list"),
        (
            {"field": "context", "operator": "contains", "value": " ".join(f"語{number}" for number in range(51))},
            "51 words are more than 'contains' looks for.",
            "give at most 50.",
        ),
        ({"field": "title", "operator": "contains", "value": "　"}, "'contains' needs some text to look for.", "one"),
        (
            {"field": "title", "operator": "is", "value": ["a"]},
            "'is' compares with one text, not with ['a'].",
            "give a single value",
        ),
        (
            {"field": "tool", "operator": "between", "value": "a"},
            "'between' operator requires array [min, max]",
            "give [min, max]",
        ),
        (
            {"field": "timestamp", "operator": "after", "value": "いつか"},
            "Invalid timestamp format 'いつか'. Use ISO format (e.g., '2024-01-01T00:00:00Z')",
            "filters[0] (timestamp after): timestamp：「いつか」",
        ),
        (
            {"field": "timestamp", "operator": "between", "value": ["昨天", "某一天吧"]},
            "Invalid isoformat string: '某一天吧'",
            "某一天吧",
        ),
        (
            {"field": "timestamp", "operator": "before", "value": "sometime nice" * 100},
            f"Invalid timestamp format '{('sometime nice' * 100)[:59]}…'. Use ISO format (e.g., '2024-01-01T00:00:00Z')",
            "filters[0] (timestamp before): timestamp:",
        ),
        (
            {"field": "timestamp", "operator": "after", "value": 2024},
            "Timestamp filter values must be strings in ISO format",
            "昨日",
        ),
    ],
)
def test_a_filter_that_cannot_be_meant_is_refused_with_the_next_step(
    filter: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        condition(filter, NOON)
    assert refusal.value.message == message
    assert hint in refusal.value.hint


@pytest.mark.requirement("fegis.filter.errors")
@pytest.mark.parametrize(
    ("field", "operator", "value", "ja", "zh"),
    [
        (
            "本文",
            "is",
            "a",
            "本文 は使えません。使えるもの：session_id, tool, ",
            "不能使用 本文。可用的有：session_id, tool, ",
        ),
        ("tool", "like", "a", "like は使えません。使えるもの：is, ", "不能使用 like。可用的有：is, "),
        ("tool", "before", "a", "before は使えません。使えるもの：is, ", "不能使用 before。可用的有：is, "),
        ("sequence_order", "is", "三つ", "'三つ' は数値ではありません。", "'三つ' 不是数字。"),
        ("sequence_order", "between", [1], "値は [最小, 最大] か ", "值应为 [最小值, 最大值] 或 "),
        ("sequence_order", "between", [5, 2], "範囲の終わりが始まりより前です。", "范围的终点在起点之前，"),
        ("title", "any_of", "a", '値は ["a", "b"] のような配列に', '值应为 ["a", "b"] 这样的数组。'),
        ("title", "contains", "　", "探す文字を 1 文字以上", "请至少写出一个要查找的字符。"),
        ("title", "is", ["a"], "値は一つの文字列にしてください。", "值应为单个字符串。"),
        (
            "context",
            "contains",
            " ".join(f"語{number}" for number in range(51)),
            "contains で探せる語は 50 個までです（51 個ありました）。",
            "contains 最多查找 50 个词（现有 51 个）。",
        ),
        ("timestamp", "after", 2024, "日時は 2024-01-01 や昨日のような", "时间应为字符串，例如 2024-01-01"),
    ],
)
def test_what_is_wrong_with_which_filter_is_told_in_three_languages(
    field: str, operator: str, value: Any, ja: str, zh: str
) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        read(field, operator, value)
    for language, said in {"ja": ja, "zh": zh}.items():
        assert refusal.value.also[language].startswith(f"filters[0] ({field} {operator}): {said}")


@pytest.mark.requirement("fegis.filter.errors", "fegis.filter.time-natural")
@pytest.mark.parametrize(
    "value", ["sometime nice", "いつか", "某一天吧", "2025-13-45", "2025-02-30T00:00:00", "2025-W54-1", ""]
)
def test_a_timestamp_that_names_no_date_is_refused(value: str) -> None:
    with pytest.raises(InvalidArgument, match=r".+"):
        read("timestamp", "after", value)


REFUSED = {("sequence_order", "contains")} | {
    (field, operator)
    for field in FILTER_FIELDS
    if field not in ("sequence_order", "timestamp", "archetype_version", "schema_version")
    for operator in ("before", "after", "between")
}


def is_refused(field: str, operator: str) -> bool:
    value: Any = "2024" if field == "timestamp" else "1"
    try:
        read(field, operator, [value, value] if operator in ("between", "any_of") else value)
    except InvalidArgument:
        return True
    return False


@pytest.mark.requirement("fegis.filter.errors")
def test_every_pair_of_field_and_operator_means_something_or_is_refused() -> None:
    pairs = {(field, operator) for field in FILTER_FIELDS for operator in OPERATORS}
    assert {pair for pair in pairs if is_refused(*pair)} == REFUSED


@pytest.mark.requirement("fegis.filter.contains")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("naming-debate, API", ["naming", "debate", "API"]),
        ("ジョン・スミスの予定", ["ジョン", "スミスの予定"]),
        ("天气，心情", ["天气", "心情"]),
        ("100%", ["100"]),
        ("v1.2", ["v1", "2"]),
        ("C++ C# 1.2", ["C++", "C#", "1.2"]),
        ("？！", ["?!"]),
        ("cafe\u0301 か\u3099くせい", ["caf\u00e9", "がくせい"]),
    ],
)
def test_signs_part_words_unless_nothing_else_tells_them(text: str, words: list[str]) -> None:
    assert words_of(text) == words
