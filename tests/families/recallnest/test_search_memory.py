"""search_memory over a real store, argument by argument. Noon of Friday 2025-11-21 in Tokyo."""

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from omoide.errors import StoreError
from omoide.families.recallnest.highlight import highlighted, overlap
from omoide.memory import Memories
from omoide.model.memory import Draft, EventTime, Status


def texts(answer: Any) -> list[str]:
    assert not answer.is_error, answer.text
    return [hit["text"] for hit in answer.structured["results"]]


def scores(answer: Any) -> list[float]:
    return [hit["score"] for hit in answer.structured["results"]]


# --- finding

KNOWN = [
    "昨日、京都で抹茶を飲んだ。",
    "サーバーの引っ越しは金曜日に終わった。",
    "小红喜欢在周末去爬山。",
    "用户决定用 Docker 部署记忆服务。",
    "The reranker times out after five seconds.",
    "docker compose config for recallnest lives in infra/.",
]


@pytest.mark.requirement("recallnest.search.languages")
@pytest.mark.requirement("recallnest.search.never_skipped")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("抹茶", KNOWN[0]),
        ("京都で飲んだお茶", KNOWN[0]),
        ("サーバ 引越し", KNOWN[1]),
        ("週末爬山", KNOWN[2]),
        ("爬山", KNOWN[2]),
        ("Docker部署", KNOWN[3]),
        ("reranker timeout seconds", KNOWN[4]),
        ("docker compose config for recallnest", KNOWN[5]),
        ("infra/", KNOWN[5]),
    ],
)
def test_the_memory_is_found_in_its_language(search: Any, store: Any, query: str, found: str) -> None:
    for text in KNOWN:
        store(text)
    answer = search(query)
    assert texts(answer)[0] == found
    assert scores(answer) == sorted(scores(answer), reverse=True)
    assert scores(answer)[0] >= 0.4


@pytest.mark.requirement("recallnest.search.empty_query")
@pytest.mark.parametrize("query", ["", " ", "\n", "　", "\u200b", "\x00"])
def test_an_empty_query_is_refused_with_the_next_step(search: Any, query: str) -> None:
    refused = search(query)
    assert refused.is_error
    assert refused.text.endswith("detail: The query is empty. Pass words or a question to search for.")


@pytest.mark.requirement("recallnest.search.limit")
@pytest.mark.parametrize(("arguments", "count"), [({}, 5), ({"limit": 1}, 1), ({"limit": 7.9}, 7), ({"limit": 20}, 20)])
@pytest.mark.parametrize("filters", [{}, {"topicTag": "TEA"}, {"after": "last 7 days"}, {"includeExpired": True}])
def test_the_limit_is_never_exceeded(search: Any, store: Any, arguments: Any, count: int, filters: Any) -> None:
    for number in range(12):
        store(f"抹茶の記録 {number}", topicTag="tea")
        store(f"期限切れの抹茶 {number}", topicTag="tea", validUntil="2020")
    assert len(texts(search("抹茶", **arguments, **filters))) == min(count, 24 if "includeExpired" in filters else 12)


@pytest.mark.requirement("recallnest.search.category")
def test_a_rare_category_is_found_among_many_better_matches(search: Any, store: Any) -> None:
    for number in range(40):
        store(f"デプロイ デプロイ {number}")
    store("デプロイ前に監視を見る", category="patterns")
    assert texts(search("デプロイ", category="patterns")) == ["デプロイ前に監視を見る"]
    assert texts(search("デプロイ", category="cases")) == []


@pytest.mark.requirement("recallnest.search.topic")
@pytest.mark.parametrize(
    ("topic", "found"),
    [
        ("auth", ["登录 token 过期", "ログインの token"]),
        ("AUTH", ["登录 token 过期", "ログインの token"]),
        (" ａｕｔｈ ", ["登录 token 过期", "ログインの token"]),
        ("認証", ["token の認証"]),
        ("认证", ["token の認証"]),
        *(
            (blank, ["a token of thanks", "token の認証", "ログインの token", "登录 token 过期"])
            for blank in "　\u200b"
        ),
        ("aut", []),
    ],
)
def test_a_topic_is_compared_whole_however_it_is_written(
    search: Any, store: Any, memories: Memories, topic: str, found: list[str]
) -> None:
    store("登录 token 过期", topicTag="Auth")
    store("token の認証", topicTag="認証")
    store("a token of thanks")
    memories.remember("ログインの token", tags=("auth",), tool="chronica_save_entry")
    assert sorted(texts(search("token", topicTag=topic))) == sorted(found)


# --- dates


@pytest.mark.requirement("recallnest.search.dates_blank")
@pytest.mark.parametrize("blank", ["", " ", "　", "\u200b"])
def test_a_blank_date_is_not_given(search: Any, store: Any, blank: str) -> None:
    store("抹茶は去年まで", validUntil="2020")
    store("抹茶は今も")
    assert texts(search("抹茶", after=blank, before=blank, validAt=blank)) == ["抹茶は今も"]
    assert store("抹茶", validUntil=blank).is_error


STORED = {
    "先月の茶": "2025-10-15T12:00+09:00",
    "一周前的茶": "2025-11-14T00:00+09:00",
    "tea of the last minute": "2025-11-20T23:59+09:00",
    "今日の茶": "2025-11-21T00:00+09:00",
}


@pytest.mark.requirement("recallnest.search.dates")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"after": "2025-11-21"}, [3]),
        ({"after": "2025-11-20"}, [2, 3]),
        ({"before": "2025-11-20"}, [0, 1, 2]),
        ({"before": "2025-10"}, [0]),
        ({"after": "2025-11-14", "before": "2025-11-14"}, [1]),
        ({"after": "2025-11-20T15:00:00Z"}, [3]),
        ({"before": "2025-11-20T14:00:00Z"}, [0, 1]),
        ({"after": "最近30天"}, [1, 2, 3]),
        ({"after": "最近90天"}, [0, 1, 2, 3]),
        ({"after": "last 7 days"}, [1, 2, 3]),
        ({"after": "7日以内"}, [1, 2, 3]),
        ({"after": "24小时内"}, [2, 3]),
        ({"after": "within 2 days"}, [2, 3]),
        ({"after": "過去3日間"}, [2, 3]),
        ({"after": "上个月", "before": "上个月"}, [0]),
        ({"after": "昨日", "before": "昨日"}, [2]),
        ({"before": "last month"}, [0]),
        ({"after": "2025年11月", "before": "昨天"}, [1, 2]),
    ],
)
def test_storage_dates_restrict_by_calendar_units(
    search: Any, memories: Memories, arguments: Any, expected: list[int]
) -> None:
    for text, moment in STORED.items():
        memories.remember(text, stored_at=datetime.fromisoformat(moment))
    found = texts(search("茶 tea", **arguments))
    assert sorted(found) == sorted(list(STORED)[number] for number in expected)


@pytest.mark.requirement("recallnest.search.date_refused")
@pytest.mark.parametrize("argument", ["after", "before", "validAt"])
@pytest.mark.parametrize(
    ("given", "example"),
    [("banana", "last 30 days"), ("バナナ", "過去"), ("香蕉什么的", "最近"), ("2025-13-45", "2024-01-15")],
)
def test_a_date_that_is_none_is_refused_with_examples(search: Any, argument: str, given: str, example: str) -> None:
    refused = search("茶", **{argument: given})
    assert refused.is_error
    assert "reason_code: invalid_input" in refused.text
    detail = refused.text.split("detail: ")[1]
    assert (argument in detail, given in detail, example in detail) == (True, True, True)


@pytest.mark.requirement("recallnest.search.dates_reversed")
@pytest.mark.parametrize(
    ("after", "before", "said"),
    [
        (
            "2025-03-01",
            "2025-01-01",
            "after (2025-03-01) comes after before (2025-01-01). Swap",
        ),
        (
            "3日前",
            "先月のはじめ",
            "after（3日前）が before（先月のはじめ）より後になっています。二つを入れ替える",
        ),
        ("昨天", "去年", "after（昨天）晚于 before（去年）。请交换两者"),
    ],
)
def test_dates_in_the_wrong_order_are_refused(search: Any, after: str, before: str, said: str) -> None:
    refused = search("茶", after=after, before=before)
    assert refused.is_error
    assert said in refused.text


@pytest.mark.requirement("recallnest.search.date_refused")
@pytest.mark.parametrize(
    ("argument", "given"),
    [("after", "until 2025-03"), ("after", "<= 2025-03-01"), ("before", "since 2025-03"), ("before", "3月10日〜")],
)
def test_a_date_that_is_open_at_the_end_asked_for_does_not_pass_for_no_date(
    search: Any, memories: Memories, argument: str, given: str
) -> None:
    memories.remember("茶")
    refused = search("茶", **{argument: given})
    assert refused.is_error
    assert given in refused.text


# --- order


@pytest.mark.requirement("recallnest.search.profiles")
@pytest.mark.parametrize(
    ("profile", "first"),
    [
        ("default", "リリース手順を直した。"),
        ("writing", "リリース手順を直した。"),
        ("debug", "リリース手順を書き直した後で調べた。"),
        ("fact-check", "リリース手順を書き直した後で調べた。"),
    ],
)
def test_age_counts_in_the_profiles_that_say_so(
    search: Any, memories: Memories, clock: Any, profile: str, first: str
) -> None:
    memories.remember("リリース手順を直した。", stored_at=clock.now - timedelta(days=300))
    memories.remember("リリース手順を書き直した後で調べた。", stored_at=clock.now)
    answer = search("リリース手順", profile=profile)
    assert (texts(answer)[0], answer.structured["profile"]) == (first, profile)


@pytest.mark.requirement("recallnest.search.highlight")
@pytest.mark.parametrize(
    ("query", "lines", "expected"),
    [
        (
            "LanceDB indexing bug fix",
            [
                (0.8, "I prefer TypeScript for all projects"),
                (0.75, "Docker deployment pipeline"),
                (0.9, "Fixed a LanceDB indexing bug yesterday"),
            ],
            [2, 0, 1],
        ),
        ("抹茶 京都", [(0.8, "渋谷 珈琲"), (0.7, "京都 抹茶")], [1, 0]),
        ("周末 爬山", [(0.8, "工作 会议"), (0.7, "周末 爬山")], [1, 0]),
        ("nothing shared", [(0.8, "甲"), (0.8, "乙"), (0.7, "丙")], [0, 1, 2]),
    ],
)
def test_highlight_puts_the_largest_overlap_in_front(
    memories: Memories, query: str, lines: list[tuple[float, str]], expected: list[int]
) -> None:
    hits = [hit_of(memories, text, relevance) for relevance, text in lines]
    ordered = highlighted(hits, query, lambda text: frozenset(text.lower().split()))
    assert ordered == [hits[place] for place in expected]


def hit_of(memories: Memories, text: str, relevance: float) -> Any:
    from omoide.model.query import Hit, Why

    memory = memories.remember(text).memory
    return Hit(memory=memory, relevance=relevance, score=relevance, why=Why())


@pytest.mark.requirement("recallnest.search.highlight")
@pytest.mark.parametrize(
    ("asked", "found", "share"), [("a b", "a b", 1.0), ("a b", "a c d e", 0.25), ("a", "", 0.0), ("", "a", 0.0)]
)
def test_overlap_is_the_share_of_the_larger_set(asked: str, found: str, share: float) -> None:
    assert overlap(frozenset(asked.split()), frozenset(found.split())) == share


@pytest.mark.requirement("recallnest.search.highlight")
@pytest.mark.parametrize(
    ("query", "long", "short"),
    [
        (
            "抹茶の好み",
            "抹茶の好みと、珈琲の淹れ方と、京都の寺と、渋谷の夜と、仕事の会議の長い記録。抹茶の好み。",
            "抹茶の好み",
        ),
        ("周末爬山", "周末爬山之后，我们开会讨论部署、数据库、日志、预算和许多别的事情。周末爬山。", "周末爬山"),
    ],
)
def test_highlight_changes_the_order_and_nothing_else(
    search: Any, store: Any, query: str, long: str, short: str
) -> None:
    store(long)
    store(short)
    plain, marked = search(query), search(query, render="highlight")
    assert texts(marked) == [short, long]
    by_score = {hit["id"]: hit["score"] for hit in plain.structured["results"]}
    assert {hit["id"]: hit["score"] for hit in marked.structured["results"]} == by_score


# --- the graph


@pytest.mark.requirement("recallnest.search.graph")
@pytest.mark.parametrize("query", ["Bob的朋友", "Bobの友達は？", "who is Bob friends with"])
def test_the_graph_leads_to_what_words_do_not(search: Any, memories: Memories, query: str) -> None:
    memories.observe("健太", "person", "新しいカメラを買った。")
    memories.relate(("Bob", "person"), ("健太", "person"), "friend_of")
    assert "新しいカメラを買った。" not in texts(search(query))
    answer = search(query, graph=True)
    assert texts(answer)[0] == "新しいカメラを買った。"
    why = answer.structured["results"][0]["why"]
    assert (why.startswith("graph"), "-friend_of-> 健太" in why) == (True, True)
    (line,) = [line for line in answer.text.split("\n") if line.startswith("1  ")]
    assert " graph " in line


# --- states and validity


@pytest.mark.requirement("recallnest.search.archived")
@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.ARCHIVED, Status.CONSOLIDATED])
def test_what_is_no_longer_live_is_found_when_asked_for(
    search: Any, memories: Memories, clock: Any, status: Status
) -> None:
    memories.remember("昔の住所は京都", status=status, valid_until=clock.now - timedelta(days=9))
    memories.remember("今の住所は東京")
    assert texts(search("住所")) == ["今の住所は東京"]
    answer = search("住所", includeArchived=True)
    assert sorted(texts(answer)) == ["今の住所は東京", "昔の住所は京都"]
    assert {hit["status"] for hit in answer.structured["results"]} == {"active", status.value}
    assert f"   state: {status.value} | valid until 2025-11-12" in answer.text


@pytest.mark.requirement("recallnest.search.archived")
@pytest.mark.parametrize(
    ("detail", "shown"),
    [
        ("brief", " [superseded]"),
        ("normal", "   state: superseded"),
        ("full", "   state: superseded"),
        ("adaptive", "  [superseded]\n"),
    ],
)
def test_every_level_tells_what_is_no_longer_live(search: Any, memories: Memories, detail: str, shown: str) -> None:
    old = memories.remember("昔の住所は京都", status=Status.SUPERSEDED).memory
    new = memories.remember("今の住所は東京").memory
    answer = search("住所", includeArchived=True, detail_level=detail)
    assert answer.text.count(shown) == 1
    said = {hit["id"]: hit.get("status", "active") for hit in answer.structured["results"]}
    assert said == {old.id: "superseded", new.id: "active"}


@pytest.mark.requirement("recallnest.search.archived")
@pytest.mark.parametrize("limit", [1, 3, 20])
def test_what_holds_comes_before_what_it_has_replaced(search: Any, store: Any, clock: Any, limit: int) -> None:
    for place in ("京都", "東京", "大阪", "奈良", "神戸"):
        store(f"{place}に住む", category="profile", canonicalKey="home")
        clock.advance(days=1)
    answer = search("住む", includeArchived=True, limit=limit)
    assert [hit["status"] for hit in answer.structured["results"]] == ["active", *["superseded"] * min(limit - 1, 4)]
    assert texts(answer)[0] == "神戸に住む"
    assert texts(search("京都", includeArchived=True, limit=1)) == ["京都に住む"]


WINDOWS = [
    Draft(text="茶 a", valid_from=datetime.fromisoformat("2025-01-01T00:00+09:00")),
    Draft(
        text="茶 b",
        stored_at=datetime.fromisoformat("2025-05-20T00:00+09:00"),
        valid_until=datetime.fromisoformat("2025-06-01T00:00+09:00"),
    ),
    Draft(
        text="茶 c",
        valid_from=datetime.fromisoformat("2025-03-01T00:00+09:00"),
        valid_until=datetime.fromisoformat("2025-06-16T00:00+09:00"),
    ),
    Draft(text="茶 d"),
]


@pytest.mark.requirement("recallnest.search.validity")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "ad"),
        ({"includeExpired": True}, "abcd"),
        ({"validAt": "2025-05-20"}, "abc"),
        ({"validAt": "2025-05-19"}, "ac"),
        ({"validAt": "2025-06-15"}, "ac"),
        ({"validAt": "2025年6月15日"}, "ac"),
        ({"validAt": "2025-06-16"}, "a"),
        ({"validAt": "2024-12-31"}, ""),
        ({"validAt": "2025-06-16", "includeExpired": True}, "abc"),
        ({"validAt": "今日"}, "ad"),
        ({"validAt": "2025-11-21", "includeExpired": True}, "abcd"),
        ({"validAt": "2025-10-01"}, "a"),
    ],
)
def test_only_what_holds_then_is_found(search: Any, memories: Memories, arguments: Any, expected: str) -> None:
    """`b` and `d` have no `valid_from`: they hold from when they were stored, 2025-05-20 and today."""
    for draft in WINDOWS:
        memories.remember(draft)
    assert sorted(text[-1] for text in texts(search("茶", **arguments))) == list(expected)


@pytest.mark.requirement("recallnest.search.upcoming")
def test_what_does_not_hold_yet_is_found_and_says_so(search: Any, store: Any, clock: Any) -> None:
    store("年会費は来年から一万円", validFrom="2026-01-01")

    def status(**arguments: Any) -> str:
        (hit,) = search("年会費", **arguments).structured["results"]
        return str(hit["status"])

    answer = search("年会費")
    assert "   state: upcoming | valid from 2026-01-01" in answer.text.split("\n")
    assert search("年会費", detail_level="brief").text.endswith(" — 年会費は来年から一万円 [upcoming]")
    assert (status(), status(includeExpired=True), status(validAt="2026-01-01")) == ("upcoming", "upcoming", "active")
    clock.advance(days=41)
    assert (status(), "state:" in search("年会費").text) == ("active", False)


@pytest.mark.requirement("recallnest.search.event_validity")
def test_a_memory_without_a_window_holds_from_its_event(search: Any, store: Any) -> None:
    store("去京都旅行了", eventTime="2025-06-01")
    assert texts(search("京都", validAt="2025-06-15")) == ["去京都旅行了"]
    assert texts(search("京都", validAt="2025-05-31")) == []


@pytest.mark.requirement("recallnest.search.expired")
@pytest.mark.parametrize("limit", [1, 2, 5])
def test_the_expired_are_lowered_by_80_percent_before_the_best_are_taken(search: Any, store: Any, limit: int) -> None:
    for number in range(6):
        store(f"デプロイ {number}", validUntil="2025-11-20")
    store("デプロイの前には、いつも監視の画面と予算の表とを見比べることにしている。")
    answer = search("デプロイ", includeExpired=True, limit=limit)
    assert texts(answer)[0].startswith("デプロイの前")
    assert [hit["status"] for hit in answer.structured["results"]] == ["active", *["expired"] * (limit - 1)]
    assert scores(answer)[1:] == [0.2] * (limit - 1)
    assert texts(search("デプロイ")) == [texts(answer)[0]]


# --- remarks


@pytest.mark.requirement("recallnest.search.low_confidence")
@pytest.mark.parametrize(
    ("query", "weak"),
    [
        ("抹茶", False),
        ("宇宙船の燃料と抹茶色の塗装を比べた論文", True),
        ("quantum rocket propulsion treatise 茶", True),
    ],
)
def test_a_weak_best_match_is_called_so(search: Any, store: Any, query: str, weak: bool) -> None:
    store("昨日、京都で抹茶を飲んだ。")
    answer = search(query)
    assert (answer.structured["lowConfidence"], "ℹ️ low confidence: " in answer.text) == (weak, weak)
    assert (scores(answer)[0] < 0.4) is weak


@pytest.mark.requirement("recallnest.search.reminders")
@pytest.mark.parametrize(
    ("trigger", "query"),
    [
        ("deployment", "We need to do a Deployment today"),
        ("デプロイ", "明日のデプロイの準備"),
        ("上线", "今天上线之前做什么"),
    ],
)
def test_a_reminder_fires_once_in_its_scope(search: Any, memories: Memories, trigger: str, query: str) -> None:
    memories.remind(trigger, "監視を\n確認する", scope="project:a")
    assert search(query).structured["reminders"] == []
    assert search("Let me review the code changes", scope="project:a").structured["reminders"] == []
    assert search(query, scope="project:a", after="banana").is_error
    answer = search(query, scope="project:a")
    assert answer.text.endswith("\n\n--- Triggered Reminders ---\n- 監視を 確認する")
    assert answer.structured["reminders"] == ["監視を\n確認する"]
    assert "Triggered Reminders" not in search(query, scope="project:a").text


@pytest.mark.requirement("recallnest.search.reminders")
@pytest.mark.parametrize("query", ["会議の前に", "开会之前", "before the meeting"])
def test_a_search_that_ends_in_an_error_uses_no_reminder_up(
    search: Any, memories: Memories, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    def fails() -> dict[str, int]:
        raise StoreError("だめ")

    memories.remind(query, "お湯を沸かす", scope="global")
    with monkeypatch.context() as broken:
        broken.setattr(memories, "count_by_scope", fails)
        assert search(query).is_error, "nothing is found, and where else something is cannot be told"
    assert search(query).structured["reminders"] == ["お湯を沸かす"]


@pytest.mark.requirement("recallnest.search.reminders")
def test_an_expired_reminder_stays_silent(search: Any, memories: Memories, clock: Any) -> None:
    memories.remind("茶", "お湯を沸かす", scope="global", expires_in_days=1)
    clock.advance(days=2)
    assert search("茶").structured["reminders"] == []


# --- other doors


@pytest.mark.requirement("recallnest.search.other_doors")
def test_memories_of_other_doors_are_shown_with_defaults(search: Any, memories: Memories) -> None:
    memories.remember(
        Draft(text="次回は抹茶を頼む。", id="locomo-26:D1:3", title="茶会", kind="note", tool="chronica_save_entry")
    )
    memories.observe("健太", "person", Draft(text="抹茶アイスが好き", tool="remember_fact"))
    memories.upsert_node("concept", "Matcha", "抹茶 is powdered tea", tool="upsert_memory_node")
    answer = search("抹茶", detail_level="full")
    by_tool = {hit["tool"]: hit for hit in answer.structured["results"]}
    assert by_tool.keys() == {"chronica_save_entry", "remember_fact", "upsert_memory_node"}
    entry = by_tool["chronica_save_entry"]
    assert (entry["id"], entry["category"], entry["tier"]) == ("locomo-26:D1:3", "events", "peripheral")
    assert entry["provenance"] == "- | tool:chronica_save_entry"
    (line,) = [line for line in answer.text.split("\n") if "locomo-26:D1:3" in line]
    assert line.endswith("茶会 | 次回は抹茶を頼む。")


@pytest.mark.requirement("recallnest.search.other_doors")
@pytest.mark.parametrize(
    ("event_time", "shown"),
    [
        (EventTime("昨日", start=datetime(2025, 11, 20, tzinfo=timezone.utc)), "2025-11-20T00:00:00.000Z"),
        (EventTime("18日頃かな"), "18日頃かな"),
        (EventTime("改天"), "改天"),
        (EventTime("some day"), "some day"),
        (None, None),
    ],
)
def test_an_event_is_shown_by_its_start_or_as_it_was_said(
    search: Any, memories: Memories, event_time: EventTime | None, shown: str | None
) -> None:
    memories.remember(Draft(text="抹茶を飲む", event_time=event_time))
    (hit,) = search("抹茶", detail_level="full").structured["results"]
    assert hit.get("eventTime") == shown


# --- said again

AGAIN = [
    ("利用者は抹茶が好き", ["利用者は抹茶が好き。", "利用者は、抹茶が好きです"], "利用者は珈琲が好き。"),
    ("用户喜欢喝茶", ["用户喜欢喝茶。", "用戶喜歡喝茶"], "用户不喜欢喝茶。"),
    (
        "user prefers dark mode",
        ["User prefers dark mode.", "The user prefers dark mode"],
        "User prefers dark chocolate.",
    ),
]


@pytest.mark.requirement("recallnest.search.alike")
@pytest.mark.parametrize(("query", "again", "other"), AGAIN)
@pytest.mark.parametrize(
    ("detail", "shown"),
    [("brief", " (+1 alike)"), ("normal", "   alike: "), ("full", "   alike: "), ("adaptive", "(+1 alike)")],
)
def test_what_was_said_again_stands_under_the_first(
    search: Any, memories: Memories, query: str, again: list[str], other: str, detail: str, shown: str
) -> None:
    ids = {memories.remember(text).memory.id for text in again}
    memories.remember(other)
    answer = search(query, detail_level=detail)
    first, second = answer.structured["results"]
    assert {first["id"], *first["alike"]} == ids
    assert "alike" not in second
    assert answer.text.count(shown) == 1


@pytest.mark.requirement("recallnest.search.none_passes")
@pytest.mark.parametrize(
    ("query", "arguments", "note"),
    [
        ("which tea", {"category": "cases"}, "filters: none of the memories there passes category=cases."),
        (
            "お茶はどれ",
            {"after": "来年", "topicTag": " "},
            "filters: その中に、条件（after=来年 (2026-01-01)）に合う記憶はありません。",
        ),
        (
            "哪一种茶好喝",
            {"before": "去年", "validAt": "2024年3月", "topicTag": "auth", "allScopes": True},
            "filters: 其中没有符合条件（topicTag=auth, before=去年 (2024-12-31), validAt=2024年3月 (2024-03-01..2024-03-31)）的记忆。",
        ),
        (
            "which tea",
            {"scope": "old"},
            "filters: all memories there are archived, superseded or no longer valid. includeArchived=true and "
            "includeExpired=true show them.",
        ),
        *(
            (query, {"scope": "old", "category": "cases", "includeExpired": True}, note)
            for query, note in (
                ("which tea", "filters: none of the memories there passes category=cases."),
                ("お茶はどれ", "filters: その中に、条件（category=cases）に合う記憶はありません。"),
                ("哪一种茶好喝", "filters: 其中没有符合条件（category=cases）的记忆。"),
            )
        ),
        ("which tea", {"scope": "old", "includeExpired": True}, None),
        ("which tea", {"category": "events"}, None),  # some pass, but none is about it
        ("which tea", {"scope": "empty", "category": "cases"}, None),
    ],
)
def test_an_empty_answer_names_the_filters_that_no_memory_passes(
    search: Any, store: Any, query: str, arguments: Any, note: str | None
) -> None:
    store("会議は三階")
    store("会議は二階", scope="old", validUntil="2024-01-01")
    answer = search(query, **arguments)
    assert answer.structured["results"] == []
    assert [each for each in answer.structured["notes"] if each.startswith("filters:")] == [note] * bool(note)
