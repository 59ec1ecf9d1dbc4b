"""Every operator on every field, over memories that differ in each: what is found, or that it is refused."""

import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from omoide.families.fegis.schemas import FILTER_FIELDS, OPERATORS
from omoide.memory import Memories
from omoide.model.memory import Archetype, Draft
from tests.families.fegis.conftest import Call, search

#: Not an answer: the call is an error that names the operators which fit.
REFUSED = None


@pytest.fixture
def shelf(memories: Memories) -> None:
    """Four memories that differ in every field that can be filtered."""
    noon = datetime(2025, 11, 20, 3, 0, tzinfo=timezone.utc)
    memories.remember_many(
        [
            Draft(
                text="一つ目",
                id="a",
                title="東京の天気について",
                context="昨日の会議",
                tool="StoreMemory",
                session_id="s1",
                sequence_order=1,
                agent_id="甲",
                archetype=Archetype("日誌", "0.01"),
                stored_at=noon,
            ),
            Draft(
                text="二つ目",
                id="b",
                title="上海的天气",
                context="API discussion on naming",
                tool="StoreMemory",
                session_id="s1",
                sequence_order=2,
                preceding_id="a",
                agent_id="乙",
                archetype=Archetype("omoide", "1.10"),
                stored_at=noon + timedelta(days=1),
            ),
            Draft(
                text="three",
                id="c",
                title="Weather in Tokyo",
                context="昨天的会议",
                tool="chronica_save_entry",
                session_id="s2",
                stored_at=noon + timedelta(days=1, microseconds=1),
            ),
            Draft(text="nothing but text", id="d", stored_at=noon - timedelta(days=140)),
        ]
    )


CELLS: list[tuple[str, str, Any, str | None]] = [
    # names: exact and case-sensitive, or by a part
    ("session_id", "is", "s1", "ab"),
    ("session_id", "is", "S1", ""),
    ("session_id", "is_not", "s1", "cd"),
    ("session_id", "before", "s2", REFUSED),
    ("session_id", "after", 1, REFUSED),
    ("session_id", "between", ["s1", "s2"], REFUSED),
    ("session_id", "contains", "S", "abc"),
    ("session_id", "any_of", ["s2", "s3"], "c"),
    ("tool", "is", "StoreMemory", "ab"),
    ("tool", "is", "storememory", ""),
    ("tool", "is_not", "StoreMemory", "cd"),
    ("tool", "before", "T", REFUSED),
    ("tool", "after", "T", REFUSED),
    ("tool", "between", {"from": "A", "to": "Z"}, REFUSED),
    ("tool", "contains", "chronica", "c"),
    ("tool", "contains", "memory", "ab"),
    ("tool", "any_of", ["StoreMemory", "chronica_save_entry"], "abc"),
    ("tool", "any_of", [], ""),
    ("agent_id", "is", "甲", "a"),
    ("agent_id", "is_not", "甲", "bcd"),
    ("agent_id", "before", "乙", REFUSED),
    ("agent_id", "after", "乙", REFUSED),
    ("agent_id", "between", ["甲", "乙"], REFUSED),
    ("agent_id", "contains", "乙", "b"),
    ("archetype_title", "contains", "日志", "a"),
    ("agent_id", "any_of", ["甲", "乙", 3], "ab"),
    ("memory_id", "is", "d", "d"),
    ("memory_id", "is_not", "d", "abc"),
    ("memory_id", "before", "b", REFUSED),
    ("memory_id", "after", "b", REFUSED),
    ("memory_id", "between", ["a", "b"], REFUSED),
    ("memory_id", "contains", "C", "c"),
    ("memory_id", "any_of", ["a", "d"], "ad"),
    ("preceding_memory_id", "is", "a", "b"),
    ("preceding_memory_id", "is_not", "a", "acd"),
    ("preceding_memory_id", "before", "b", REFUSED),
    ("preceding_memory_id", "after", "b", REFUSED),
    ("preceding_memory_id", "between", ["a", "b"], REFUSED),
    ("preceding_memory_id", "contains", "a", "b"),
    ("preceding_memory_id", "any_of", ["a", "b"], "b"),
    ("archetype_title", "is", "日誌", "a"),
    ("archetype_title", "is_not", "日誌", "bcd"),
    ("archetype_title", "before", "日誌", REFUSED),
    ("archetype_title", "after", "日誌", REFUSED),
    ("archetype_title", "between", ["a", "z"], REFUSED),
    ("archetype_title", "contains", "MOI", "b"),
    ("archetype_title", "any_of", ["日誌", "omoide"], "ab"),
    # versions: texts that compare as numbers with numbers
    ("archetype_version", "is", 0.01, "a"),
    ("archetype_version", "is", 1.1, "b"),
    ("archetype_version", "is", "1.10", "b"),
    ("archetype_version", "is", "1.1", ""),
    ("archetype_version", "is_not", 0.01, "bcd"),
    ("archetype_version", "before", 1, "a"),
    ("archetype_version", "before", 1.1, "a"),
    ("archetype_version", "after", 0.01, "b"),
    ("archetype_version", "after", "0.005", "ab"),
    ("archetype_version", "between", [0.01, 1.1], "ab"),
    ("archetype_version", "between", {"from": 0.02, "to": 2}, "b"),
    ("archetype_version", "contains", "0.0", "a"),
    ("archetype_version", "any_of", ["0.01", 1.1], "ab"),
    ("schema_version", "is", "1.0", "ab"),
    ("schema_version", "is", 1, "ab"),
    ("schema_version", "is_not", "1.0", "cd"),
    ("schema_version", "before", 2, "ab"),
    ("schema_version", "after", 1, ""),
    ("schema_version", "between", [1, 2], "ab"),
    ("schema_version", "contains", "1", "ab"),
    ("schema_version", "any_of", ["1.0", "2.0"], "ab"),
    # texts: the whole, or every word of it
    ("title", "is", "東京の天気について", "a"),
    ("title", "is", "weather in tokyo", ""),
    ("title", "is_not", "上海的天气", "acd"),
    ("title", "before", "m", REFUSED),
    ("title", "after", "m", REFUSED),
    ("title", "between", ["a", "z"], REFUSED),
    ("title", "contains", "東京", "a"),
    ("title", "contains", "天气", "ab"),
    ("title", "contains", "tokyo, weather!", "c"),
    ("title", "contains", "ＴＯＫＹＯ", "c"),
    ("title", "contains", "%", ""),
    ("title", "any_of", ["上海的天气", "Weather in Tokyo"], "bc"),
    ("context", "is", "昨日の会議", "a"),
    ("context", "is_not", "昨日の会議", "bcd"),
    ("context", "before", "m", REFUSED),
    ("context", "after", "m", REFUSED),
    ("context", "between", ["a", "z"], REFUSED),
    ("context", "contains", "会议", "ac"),
    ("context", "contains", "會議", "ac"),
    ("context", "contains", "ノ会議", "a"),
    ("context", "contains", "ＡＰＩ\u200b", "b"),
    ("context", "contains", "naming api", "b"),
    ("context", "any_of", ["昨日の会議", "昨天的会议"], "ac"),
    # places in a session
    ("sequence_order", "is", 1, "a"),
    ("sequence_order", "is", 1.0, "a"),
    ("sequence_order", "is", "2", "b"),
    ("sequence_order", "is", 1.5, ""),
    ("sequence_order", "is_not", 1, "bcd"),
    ("sequence_order", "before", 2, "a"),
    ("sequence_order", "before", 1.5, "a"),
    ("sequence_order", "after", 1, "b"),
    ("sequence_order", "after", "1", "b"),
    ("sequence_order", "between", [1, 2], "ab"),
    ("sequence_order", "between", {"from": 2, "to": 9}, "b"),
    ("sequence_order", "contains", "1", REFUSED),
    ("sequence_order", "any_of", [2, 3], "b"),
    # instants and calendar units
    ("timestamp", "is", "2025-11-21T03:00:00+00:00", "bc"),
    ("timestamp", "is", "2025-11-21T12:00:00.000001+09:00", "c"),
    ("timestamp", "is", "今日", "bc"),
    ("timestamp", "is_not", "today", "ad"),
    ("timestamp", "before", "昨日", "ad"),
    ("timestamp", "before", "2025-11-20T12:00:00", "d"),
    ("timestamp", "before", "2025-11-20T03:00Z", "d"),
    ("timestamp", "after", "2025-11-20T03:00:00Z", "bc"),
    ("timestamp", "after", "2025-11-20T02Z", "abc"),
    ("timestamp", "after", "昨天", "abc"),
    ("timestamp", "between", ["2025-07-01", "2025-07-31"], "d"),
    ("timestamp", "between", ["2025-11-20T03:00:00Z", "9999-12-31T23:59:59Z"], "abc"),
    ("timestamp", "between", {"from": "昨日", "to": "今日"}, "abc"),
    ("timestamp", "contains", "2025-07", "d"),
    ("timestamp", "contains", "2025-11-20", "a"),
    ("timestamp", "contains", "2025-11-20T12", "a"),
    ("timestamp", "contains", "2025-11-20T03Z", "a"),
    ("timestamp", "any_of", ["2025-07-03", "昨日"], "ad"),
]


@pytest.mark.usefixtures("shelf")
@pytest.mark.requirement(
    "fegis.filter.keyword",
    "fegis.filter.text",
    "fegis.filter.number",
    "fegis.filter.time",
    "fegis.filter.version",
    "fegis.filter.is-not",
    "fegis.filter.any-of",
    "fegis.filter.between",
    "fegis.filter.contains",
)
@pytest.mark.parametrize(("field", "operator", "value", "found"), CELLS)
def test_a_filter_finds_what_its_operator_says(
    call: Call, field: str, operator: str, value: Any, found: str | None
) -> None:
    asked = [{"field": field, "operator": operator, "value": value}]
    answer = call("SearchMemory", query="", search_type="filtered", filters=asked, limit=100, detail="compact")
    if found is REFUSED:
        assert answer.is_error
        assert f"'{operator}' does not apply to '{field}'." in answer.text
        return
    assert answer.structured is not None, answer.text
    assert sorted(each["memory_id"] for each in answer.structured["search_results"]) == list(found)


@pytest.mark.requirement("fegis.filter.errors")
def test_every_cell_of_the_table_is_shown() -> None:
    assert {cell[:2] for cell in CELLS} == {(field, operator) for field in FILTER_FIELDS for operator in OPERATORS}


@pytest.mark.usefixtures("shelf")
@pytest.mark.requirement("fegis.filter.all")
def test_every_filter_must_hold(call: Call) -> None:
    asked = [
        {"field": "tool", "operator": "is", "value": "StoreMemory"},
        {"field": "timestamp", "operator": "after", "value": "今日"},
    ]
    assert [each["memory_id"] for each in search(call, search_type="filtered", filters=asked)] == ["b"]


@pytest.mark.requirement("fegis.filter.errors")
def test_a_bad_filter_is_an_error_that_names_it(call: Call) -> None:
    bad = [{"field": "tool", "operator": "is", "value": "a"}, {"field": "timestamp", "operator": "after", "value": 1}]
    result = call("SearchMemory", query="x", filters=bad)
    assert result.is_error
    assert json.loads(result.text) == {
        "error": "Timestamp filter values must be strings in ISO format",
        "type": "ValueError",
        "code": "invalid_argument",
        "hint": "filters[1] (timestamp after): for example '2024-01-01' or 昨日.",
    }


@pytest.mark.requirement("fegis.filter.errors")
def test_more_filters_than_anyone_means_are_refused(call: Call) -> None:
    many = [{"field": "title", "operator": "contains", "value": f"題{number}"} for number in range(101)]
    result = call("SearchMemory", query="", search_type="filtered", filters=many)
    assert result.is_error
    assert json.loads(result.text)["error"] == "101 filters are more than the 100 that are looked at."
    assert not call("SearchMemory", query="", search_type="filtered", filters=many[:100]).is_error
