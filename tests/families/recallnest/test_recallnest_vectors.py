"""The fourteen checks that any compatible build should pass, under their published numbers.

Where ours answers otherwise on purpose, the expectation here is ours and the requirement's divergence says so.
"""

import re
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from omoide.dates import Moment
from omoide.families.recallnest import Options, profiles
from omoide.families.recallnest.highlight import highlighted
from omoide.families.recallnest.topics import topic_of
from omoide.memory import Memories
from omoide.memory.boost import RECENCY_SHARE
from omoide.model.query import Hit, RankWalk, Why

README = Path(profiles.__file__).parent / "README.md"
LEVELS = ("brief", "normal", "full", "adaptive")


def texts(answer: Any) -> list[str]:
    assert not answer.is_error, answer.text
    return [hit["text"] for hit in answer.structured["results"]]


@pytest.mark.requirement("recallnest.vector.01")
def test_01_without_a_scope_there_is_an_error_where_one_is_required(memories: Memories, caller_of: Any) -> None:
    refused = caller_of(memories, Options(require_scope=True))("search_memory", query="x y z topic", limit=5)
    assert (refused.is_error, "\nreason_code: scope_required\n" in refused.text) == (True, True)


@pytest.mark.requirement("recallnest.vector.02")
@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"sessionId": "s1"}, ["session:s1"]),
        ({"scope": "project:a", "sessionId": "s1"}, ["project:a"]),
        ({"allScopes": True, "scope": "project:a"}, ["env", "project:a", "session:s1"]),
        ({}, ["env"]),
    ],
)
def test_02_the_scope_is_the_first_that_is_named(
    memories: Memories, caller_of: Any, arguments: Any, found: list[str]
) -> None:
    for scope in ("session:s1", "project:a", "env"):
        memories.remember("抹茶", scope=scope)
    answer = caller_of(memories, Options(default_scope="env"))("search_memory", query="抹茶", **arguments)
    assert sorted(hit["scope"] for hit in answer.structured["results"]) == found


@pytest.mark.requirement("recallnest.vector.03")
@pytest.mark.parametrize(
    ("asked", "held", "covered"),
    [
        ("project:recallnest", "project:recallnest2", False),
        ("cc", "cc:session-123", True),
        ("project:recallnest", "project:other", False),
        ("cc", "ccx", False),
    ],
)
def test_03_a_scope_covers_itself_and_without_a_colon_what_is_under_it(
    memories: Memories, search: Any, asked: str, held: str, covered: bool
) -> None:
    memories.remember("抹茶", scope=held)
    assert bool(texts(search("抹茶", scope=asked))) is covered


@pytest.mark.requirement("recallnest.vector.04")
@pytest.mark.parametrize("level", LEVELS)
def test_04_an_empty_store_has_no_results_in_any_level(search: Any, level: str) -> None:
    assert search("抹茶", detail_level=level).text.split("\n\n")[0] == "No results found."


#: (expression, first and last day), at noon of Sunday 2026-03-15, UTC. None: to this very moment.
EXPRESSIONS = [
    ("2023年三月", "2023-03-01", "2023-03-31"),
    ("2023年3月", "2023-03-01", "2023-03-31"),
    ("2023年12月", "2023-12-01", "2023-12-31"),
    ("2023年十二月", "2023-12-01", "2023-12-31"),
    ("March 2023", "2023-03-01", "2023-03-31"),
    ("Mar 2023", "2023-03-01", "2023-03-31"),
    ("2023年", "2023-01-01", "2023-12-31"),
    ("in 2022", "2022-01-01", "2022-12-31"),
    ("from 2022", "2022-01-01", "2022-12-31"),
    ("during 2022", "2022-01-01", "2022-12-31"),
    ("去年3月", "2025-03-01", "2025-03-31"),
    ("上个月", "2026-02-01", "2026-02-28"),
    ("last month", "2026-02-01", "2026-02-28"),
    ("去年", "2025-01-01", "2025-12-31"),
    ("last year", "2025-01-01", "2025-12-31"),
    ("前年", "2024-01-01", "2024-12-31"),
    ("大前年", "2023-01-01", "2023-12-31"),
    ("最近7天", "2026-03-08", None),
    ("最近2周", "2026-03-01", None),
    ("last 30 days", "2026-02-13", None),
    ("last 2 weeks", "2026-03-01", None),
    # Months of the calendar instead of thirty days, and last week from Monday to Sunday.
    ("最近3个月", "2025-12-15", None),
    ("last 2 months", "2026-01-15", None),
    ("上周", "2026-03-02", "2026-03-08"),
    ("last week", "2026-03-02", "2026-03-08"),
]


@pytest.mark.requirement("recallnest.vector.05")
@pytest.mark.parametrize(("expression", "first", "last"), EXPRESSIONS)
def test_05_expressions_mean_these_days(expression: str, first: str, last: str | None) -> None:
    now = datetime(2026, 3, 15, 12, tzinfo=timezone.utc)
    interval = Moment(now, timezone.utc).argument(expression, "after")
    assert interval.start == datetime.fromisoformat(f"{first}T00:00+00:00")
    ends = now if last is None else datetime.fromisoformat(f"{last}T00:00+00:00") + timedelta(days=1)
    assert interval.end is not None
    assert timedelta(0) <= interval.end - ends <= timedelta(microseconds=1)


@pytest.mark.requirement("recallnest.vector.05")
@pytest.mark.parametrize(
    ("query", "dates"),
    [
        ("2023年我们讨论了 Docker 配置", ["2023年"]),
        ("How to configure TypeScript", []),
        ("in 1024 dimensions", []),
        ("from 8080", []),
    ],
)
def test_05_a_date_in_a_query_is_told_from_its_words(
    memories: Memories, search: Any, query: str, dates: list[str]
) -> None:
    memories.remember(f"{query} 的结果", stored_at=datetime(2023, 5, 1, tzinfo=timezone.utc))
    memories.remember(f"{query} 的结论", stored_at=datetime(2020, 5, 1, tzinfo=timezone.utc))
    hits = memories.recall(query).hits
    assert [list(hit.why.dates) for hit in hits] == [dates, []]
    assert len(texts(search(query))) == 2, "such a date raises what is of it and hides nothing"


INSTANT = datetime(2026, 3, 15, 12, tzinfo=timezone.utc)


@pytest.mark.requirement("recallnest.vector.06")
@pytest.mark.parametrize(
    ("arguments", "offset", "kept"),
    [
        ({"after": "2026-03-15T12:00:00Z"}, timedelta(0), True),
        ({"after": "2026-03-15T12:00:00Z"}, -timedelta(milliseconds=1), False),
        ({"before": "2026-03-15T12:00:00Z"}, timedelta(0), True),
        ({"before": "2026-03-15T12:00:00Z"}, timedelta(seconds=1), False),
        ({"before": "2026-03-15"}, timedelta(hours=3) - timedelta(milliseconds=1), True),
        ({"before": "2026-03-15"}, timedelta(hours=3), False),
        ({"after": "2026-03", "before": "2026-03"}, timedelta(days=16, hours=3) - timedelta(milliseconds=1), True),
        ({"after": "2026-03", "before": "2026-03"}, timedelta(days=16, hours=3), False),
    ],
)
def test_06_both_ends_of_a_range_belong_to_it(
    memories: Memories, search: Any, arguments: Any, offset: timedelta, kept: bool
) -> None:
    """The zone is Tokyo's: the 15th ends three hours after noon UTC."""
    memories.remember("抹茶", stored_at=INSTANT + offset)
    assert bool(texts(search("抹茶", **arguments))) is kept


@pytest.mark.requirement("recallnest.vector.07")
def test_07_highlight_puts_the_shared_words_in_front_and_verbatim_keeps_the_order(memories: Memories) -> None:
    lines = {
        "I prefer TypeScript for all projects": 0.80,
        "Docker deployment pipeline for RecallNest": 0.75,
        "Fixed a LanceDB indexing bug yesterday": 0.90,
    }
    hits = [
        Hit(memory=memories.remember(text).memory, relevance=relevance, score=relevance, why=Why())
        for text, relevance in lines.items()
    ]
    marked = highlighted(hits, "LanceDB indexing bug fix", lambda text: frozenset(re.findall(r"\w+", text.lower())))
    assert marked[0] == hits[2]
    assert set(map(id, marked)) == set(map(id, hits))


@pytest.mark.requirement("recallnest.vector.08")
def test_08_the_documented_weights_are_those_in_force() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| ([\d.]+) \| ([\d.]+) \| (.+?) \|", README.read_text("utf-8"), re.MULTILINE)
    told = {name: (float(words), float(vectors), age) for name, words, vectors, age in rows}
    assert told == {
        name: (each.words, each.vectors, _age(each.recency, each.recency_half_life_days))
        for name, each in profiles.PROFILES.items()
    }


def _age(recency: float, half_life_days: float) -> str:
    return f"{recency:g}, halved every {half_life_days:g} days" if recency else "none"


@pytest.mark.requirement("recallnest.vector.08")
@pytest.mark.parametrize(
    ("profile", "days", "share"),
    [("debug", 0, 0.15), ("debug", 7, 0.075), ("debug", 14, 0.0375), ("fact-check", 21, 0.04), ("default", 0, 0.0)],
)
def test_08_age_decays_by_its_half_life(memories: Memories, clock: Any, profile: str, days: int, share: float) -> None:
    memories.remember("抹茶", stored_at=clock.now - timedelta(days=days))
    weights = profiles.PROFILES[profile]
    (hit,) = memories.recall("抹茶", weights=weights).hits
    (plain,) = memories.recall("抹茶", weights=replace(weights, recency=0.0)).hits
    assert hit.score / plain.score - 1.0 == pytest.approx(RECENCY_SHARE * share, abs=1e-3)


@pytest.mark.requirement("recallnest.vector.08")
def test_08_the_graph_ranks_by_nearness(memories: Memories, search: Any) -> None:
    for name in ("Alice", "Python", "LanceDB"):
        memories.observe(name, "concept", f"記録その{name[0]}。")
    memories.relate(("Bob", "person"), ("Alice", None), "friend_of")
    memories.relate(("Alice", None), ("Python", None), "uses", weight=0.9)
    memories.relate(("Bob", "person"), ("LanceDB", None), "uses", weight=0.9)
    found = texts(search("Bob", graph=True))
    assert {"記録そのA。", "記録そのL。"} == set(found[:2])
    assert found[2] == "記録そのP。"


@pytest.mark.requirement("recallnest.vector.09")
def test_09_a_reminder_fires_once_when_its_trigger_comes_up(call: Any, clock: Any) -> None:
    call("set_reminder", trigger="deployment", action="Check the dashboard")
    call("set_reminder", trigger="体检", action="带上报告", expiresInDays=1)
    assert call("search_memory", query="Let me review the code changes").structured["reminders"] == []
    said = [call("search_memory", query="We need to do a deployment today").structured["reminders"] for _ in range(2)]
    assert said == [["Check the dashboard"], []]
    clock.advance(days=2)
    assert call("search_memory", query="明天体检").structured["reminders"] == []
    assert call("memory_stats").structured["pendingReminders"] == 0


@pytest.mark.requirement("recallnest.vector.10")
@pytest.mark.parametrize(
    ("arguments", "score"),
    [({}, None), ({"includeExpired": True}, 0.2), ({"validAt": "2025-11-01"}, None), ({"validAt": "2025-11-19"}, 1.0)],
)
def test_10_what_has_ended_is_hidden_or_lowered(
    memories: Memories, search: Any, clock: Any, arguments: Any, score: float | None
) -> None:
    window = {"valid_from": clock.now - timedelta(days=9), "valid_until": clock.now - timedelta(days=1)}
    memories.remember("抹茶", **window)
    scores = [hit["score"] for hit in search("抹茶", **arguments).structured["results"]]
    assert scores == ([] if score is None else [score])


@pytest.mark.requirement("recallnest.vector.11")
@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("JWT refresh with OAuth2 scopes", "auth"),
        ("配置 Docker 容器编排和 Kubernetes 集群", "infra"),
        ("金曜の夜に blue-green で切り替え", "deploy"),
        ("Two tool-calls in one turn", "mcp"),
        ("Had a great, well-earned day today", None),
    ],
)
def test_11_a_topic_is_found_in_the_text_and_asked_for_in_any_case(
    store: Any, search: Any, text: str, topic: str | None
) -> None:
    store(text)
    assert topic_of(text) == topic
    assert texts(search(text, topicTag=(topic or "auth").upper())) == ([text] if topic else [])


@pytest.mark.requirement("recallnest.vector.12")
def test_12_related_scopes_stand_apart_and_change_nothing(memories: Memories, caller_of: Any) -> None:
    call = caller_of(memories, Options(related_scopes={"project:a": ("project:b",)}))
    for scope in ("project:a", "project:b"):
        memories.remember("抹茶", scope=scope)
    off = call("search_memory", query="抹茶", scope="project:a")
    on = call("search_memory", query="抹茶", scope="project:a", includeRelatedScopes=True)
    assert ("Related scope results" in off.text, "project:b" in off.text) == (False, False)
    assert (on.structured["results"], on.text.startswith(off.text)) == (off.structured["results"], True)
    assert [each["scope"] for each in on.structured["related"]] == ["project:b"]
    assert "\n\n## Related scope results\n\n### project:b\n" in on.text


@pytest.mark.requirement("recallnest.vector.13")
@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("What does Alice use?", ["Alice"]),
        ("what does alice use", ["Alice"]),
        ("Alice的朋友有谁？", ["Alice"]),
        ("小明の友達", ["小明"]),
        ("what happened yesterday?", []),
        ("what does Carol use?", []),
    ],
)
def test_13_known_names_are_seen_in_a_query_in_any_script(memories: Memories, query: str, named: list[str]) -> None:
    for name in ("Alice", "小明"):
        memories.observe(name, "person", f"{name} is known")
    assert [entity.name for entity in memories.recall(query, walk=RankWalk()).entities] == named


@pytest.mark.requirement("recallnest.vector.14")
def test_14_normal_output_has_its_columns_a_provenance_line_a_hit_and_slots_where_they_are(
    store: Any, search: Any
) -> None:
    store("User prefers Bun over npm.", category="preferences")
    store("Bun が好き", category="preferences")
    lines = search("Bun").text.split("\n")
    assert "Date       Age   Retrieval Path" in lines[4]
    provenance = [line for line in lines if line.startswith("   prov :")]
    assert len(provenance) == 2
    assert sorted("slot:" in line for line in provenance) == [False, True]
