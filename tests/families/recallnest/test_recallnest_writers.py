"""The other writers: batches, cases, patterns, reminders, forgetting."""

from pathlib import Path
from typing import Any

import pytest

from omoide.engine import Index
from omoide.families.recallnest import Options, tools
from omoide.families.recallnest.topics import topic_of
from omoide.memory import Memories
from omoide.model.memory import Draft, Status
from omoide.store.layout import STORE_FILE
from omoide.store.sqlite import SqliteStore
from omoide.text import Analyzer
from tests.families.calling import as_served

# --- batch_store


@pytest.mark.requirement("recallnest.batch.output")
def test_a_batch_says_what_became_of_each_memory(call: Any, store: Any) -> None:
    old = store("京都に住む", category="profile", canonicalKey="home").structured
    store("紅茶が好き", category="preferences")
    given = [
        {"text": "昨日、抹茶を飲んだ。", "tags": ["旅行"], "importance": 0.5},
        {"text": "紅茶が好き", "category": "preferences"},
        {"text": "现在住在东京", "category": "profile", "canonicalKey": "home"},
        {"text": "Alice lives in Tokyo", "category": "entities", "canonicalKey": "home"},
    ]
    answer = call("batch_store", memories=given, scope="global")
    new, tea, moved, refused = answer.structured["memories"]
    assert answer.text.split("\n") == [
        "Stored 3 memories (1 new, 1 deduped, 1 updated)",
        f"1. stored: {new['id'][:8]} (events)",
        f"2. deduped: {tea['id'][:8]} (preferences)",
        f"3. updated: {moved['id'][:8]} (profile)",
        f"4. conflict: not stored, {old['id'][:8]} has this key in the category profile",
    ]
    assert (moved["id"], refused["conflict"]) == (old["id"], old["id"])
    counts = {name: answer.structured[name] for name in ("stored", "new", "deduped", "updated", "conflicts")}
    assert counts == {"stored": 3, "new": 1, "deduped": 1, "updated": 1, "conflicts": 1}


@pytest.mark.requirement("recallnest.batch.whole")
@pytest.mark.parametrize(
    ("bad", "detail"),
    [
        ({"text": " "}, "Memory 2 of the batch: The text is empty. Nothing was stored."),
        ({"text": "茶", "canonicalKey": "!?"}, "Memory 2 of the batch: canonicalKey '!?' has no letter or digit."),
    ],
)
def test_a_batch_is_kept_whole_or_not_at_all(call: Any, memories: Memories, bad: Any, detail: str) -> None:
    refused = call("batch_store", memories=[{"text": "抹茶"}, bad, {"text": "红茶"}])
    assert (refused.is_error, detail in refused.text) == (True, True), refused.text
    assert memories.counts().memories == 0


@pytest.mark.requirement("recallnest.batch.whole")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("お茶を飲む", "2 件目の記憶：canonicalKey '!?' には文字も数字もありません。"),
        ("这种红茶很好喝", "第 2 条记忆：canonicalKey '!?' 中没有字母或数字。"),
        ("drink tea", ""),
    ],
)
def test_which_memory_of_a_batch_is_wrong_is_told_in_the_language_of_the_batch(
    memories: Memories, text: str, said: str
) -> None:
    call = as_served(tools(memories, Options()))
    refused = call("batch_store", memories=[{"text": text}, {"text": text, "canonicalKey": "!?"}])
    assert (refused.note.startswith(said), bool(refused.note)) == (True, bool(said))


@pytest.mark.requirement("recallnest.batch.whole")
def test_as_many_as_are_said_to_fit_are_a_batch_and_one_more_is_none(memories: Memories) -> None:
    call = as_served(tools(memories, Options()))
    given = [{"text": f"{number}月の会議"} for number in range(1, 22)]
    refused = call("batch_store", memories=given)
    assert (refused.is_error, memories.counts().memories) == (True, 0)
    assert call("batch_store", memories=given[:20]).structured["stored"] == 20


# --- cases and patterns

CASE = {
    "title": "検索が遅い",
    "problem": "五秒かかる",
    "context": "本番だけ",
    "solutionSteps": ["索引を作り直す", "restart the server"],
    "outcome": "0.1 秒",
    "tools": ["sqlite3", "htop"],
}
PATTERN = {"title": "发布流程", "trigger": "要上线之前", "steps": ["跑测试", "看监控", "tag the release"]}


@pytest.mark.requirement("recallnest.case.blank")
@pytest.mark.parametrize(
    ("tool", "blank", "where", "told"),
    [
        ("store_case", {"problem": " "}, "problem is blank.", "problem が必要です。"),
        (
            "store_case",
            {"solutionSteps": ["索引を作り直す", "\u3000"]},
            "solutionSteps[1] is",
            "solutionSteps[1] が必要です。",
        ),
        ("store_case", {"outcome": "\n"}, "outcome is blank.", "outcome が必要です。"),
        ("store_workflow_pattern", {"steps": [" "]}, "steps[0] is blank.", "缺少 steps[0]。"),
    ],
)
def test_a_case_or_pattern_with_a_blank_part_is_refused(
    memories: Memories, tool: str, blank: dict[str, Any], where: str, told: str
) -> None:
    call = as_served(tools(memories, Options()))
    refused = call(tool, **{**(CASE if tool == "store_case" else PATTERN), **blank})
    assert (refused.is_error, refused.note) == (True, told)
    assert where in refused.text
    assert memories.recall("").hits == ()


@pytest.mark.requirement("recallnest.case.text")
def test_a_case_is_kept_as_one_text_in_numbered_steps(call: Any, memories: Memories) -> None:
    answer = call("store_case", **CASE, tags=["速度"], scope="project:a")
    (kept,) = memories.get([answer.structured["id"]])
    assert kept.text.split("\n") == [
        "Case: 検索が遅い",
        "Problem: 五秒かかる",
        "Context: 本番だけ",
        "Solution:",
        "1. 索引を作り直す",
        "2. restart the server",
        "Outcome: 0.1 秒",
        "Tools: sqlite3, htop",
    ]
    assert (kept.category, kept.title, kept.importance, kept.source) == ("cases", "検索が遅い", 0.84, "agent")
    assert kept.parameters["solutionSteps"] == CASE["solutionSteps"]
    assert answer.text.split("\n") == [
        f"Stored case {kept.id[:8]}",
        "Disposition: stored",
        "Title: 検索が遅い",
        "Scope: project:a",
        f"Canonical key: {kept.canonical_key}",
        "Tags: 速度",
        "Stored at: 2025-11-21T03:00:00.000Z",
    ]


@pytest.mark.requirement("recallnest.pattern.text")
def test_a_pattern_with_a_key_replaces_its_predecessor(call: Any, memories: Memories, search: Any) -> None:
    first = call("store_workflow_pattern", **PATTERN, canonicalKey="release").structured
    again = call("store_workflow_pattern", **{**PATTERN, "steps": ["跑全部测试"]}, canonicalKey="release")
    assert again.text.startswith(f"Stored workflow pattern {first['id'][:8]}\nDisposition: updated\nTitle: 发布流程\n")
    (kept,) = memories.get([first["id"]])
    assert kept.text == "Workflow: 发布流程\nTrigger: 要上线之前\nSteps:\n1. 跑全部测试"
    assert (kept.category, kept.importance) == ("patterns", 0.82)
    (hit,) = search("上线之前的流程", category="patterns").structured["results"]
    assert hit["id"] == first["id"]


@pytest.mark.requirement("recallnest.case.again")
@pytest.mark.parametrize(("tool", "given"), [("store_case", CASE), ("store_workflow_pattern", PATTERN)])
def test_the_same_procedure_is_kept_once(call: Any, tool: str, given: Any) -> None:
    assert call(tool, **given).structured["id"] == call(tool, **given).structured["id"]
    assert call(tool, **given).structured["disposition"] == "deduped"


# --- topics


@pytest.mark.requirement("recallnest.store.topic_detected")
@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("JWT tokens are refreshed with OAuth2 every hour", "auth"),
        ("配置 Docker 容器编排和 Kubernetes 集群", "infra"),
        ("ログインの認証が切れた", "auth"),
        ("明天上线，然后回滚旧版本", "deploy"),
        ("The slow query made latency worse than the benchmark", "perf"),
        # In Traditional characters, and in letters and kana of another width.
        ("登入時認證失敗", "auth"),
        ("優化延遲", "perf"),
        ("頁面的按鈕太小", "ui"),
        ("ＡＰＩの仕様", "api"),
        ("ﾃﾞﾌﾟﾛｲは金曜", "deploy"),
        ("Ｄｏｃｋｅｒ を使う", "infra"),
        ("得到了客户的认可", None),
        # Chinese words that mean something else in Japanese, and a word inside another, as in latest contest.
        ("别的部署已经完成", "deploy"),
        ("営業の部署に異動した", None),
        ("ガラスの容器を買った", None),
        ("家具の配置を変えた", None),
        ("新会社に資金を注入した", None),
        ("写真コンテストに応募した", None),
        ("ユニットテストを書いた", "testing"),
        ("別の部署で単体テストをした", "testing"),
        ("Had a great day today", None),
        ("昨日、京都で抹茶を飲んだ。", None),
        ("我喜欢爬山", None),
        ("latest contest", None),
        # Words with a hyphen, whole or from their beginning.
        ("tool-calls が失敗した", "mcp"),
        ("超过了 token-limits", "llm"),
        ("blue-green", "deploy"),
        ("a blue-greenish wall", None),
    ],
)
def test_a_topic_is_read_from_the_text(text: str, topic: str | None) -> None:
    assert topic_of(text) == topic


@pytest.mark.requirement("recallnest.store.topic_detected")
def test_a_topic_that_is_given_stands(store: Any, search: Any) -> None:
    assert store("JWT を更新した").structured["topicTag"] == "auth"
    assert store("JWT を取り消した", topicTag="Ops").structured["topicTag"] == "Ops"
    assert [hit["text"] for hit in search("JWT", topicTag="AUTH").structured["results"]] == ["JWT を更新した"]


@pytest.mark.requirement("recallnest.store.topic_detected")
@pytest.mark.parametrize("text", ["JWT を更新した", "更新了 JWT 令牌", "The JWT was renewed"])
def test_a_topic_that_was_given_is_kept_when_the_text_is_told_again_without_one(store: Any, text: str) -> None:
    assert store(text).structured["topicTag"] == "auth"
    assert store(text, topicTag="Ops").structured["topicTag"] == "Ops"
    again = store(text, tags=["鍵"]).structured
    assert (again["disposition"], again["topicTag"], again["tags"]) == ("deduped", "Ops", ["鍵"])


# --- reminders


@pytest.mark.requirement("recallnest.reminder.output")
@pytest.mark.parametrize(
    ("given", "expiry"),
    [
        ({"trigger": "デプロイ", "action": "監視を見る"}, []),
        ({"trigger": "体检", "action": "带上报告", "expiresInDays": 7}, ["Expires in: 7 days"]),
    ],
)
def test_setting_a_reminder_says_when_and_what(call: Any, given: Any, expiry: list[str]) -> None:
    answer = call("set_reminder", **given, scope="project:a")
    assert answer.text.split("\n") == [
        f"Reminder set: {answer.structured['id'][:8]}",
        f'Trigger: "{given["trigger"]}"',
        f"Action: {given['action']}",
        "Scope: project:a",
        *expiry,
    ]
    assert ("expiresAt" in answer.structured) is bool(expiry)


@pytest.mark.requirement("recallnest.reminder.scope")
@pytest.mark.parametrize(
    ("kept_in", "asked", "fires"),
    [
        ("project:a", {"scope": "project:a"}, True),
        ("project:a", {"scope": "project"}, True),
        ("project:a:b", {"scope": "project:a"}, False),
        ("project:a", {"scope": "project:b"}, False),
        ("project:a", {}, False),
        ("session:s1", {"sessionId": "s1"}, True),
        ("session:s1", {"sessionId": "s2"}, False),
        ("project:a", {"allScopes": True}, True),
    ],
)
def test_a_reminder_fires_where_its_scope_is_searched(call: Any, kept_in: str, asked: Any, fires: bool) -> None:
    call("set_reminder", trigger="デプロイ", action="監視を見る", scope=kept_in)
    assert call("search_memory", query="デプロイの準備", **asked).structured["reminders"] == ["監視を見る"] * fires


@pytest.mark.requirement("recallnest.reminder.again")
def test_a_fired_reminder_can_be_set_again(call: Any) -> None:
    for _ in range(2):
        call("set_reminder", trigger="tea", action="お湯を沸かす")
        assert call("search_memory", query="tea time").structured["reminders"] == ["お湯を沸かす"]
        assert call("search_memory", query="tea time").structured["reminders"] == []


@pytest.mark.requirement("recallnest.reminder.found")
def test_a_reminder_is_found_among_any_number_of_memories(call: Any, memories: Memories) -> None:
    memories.remember_many(Draft(text=f"デプロイ {number}: デプロイのデプロイ") for number in range(200))
    call("set_reminder", trigger="デプロイ 金曜", action="やめておく")
    assert call("search_memory", query="金曜のデプロイ", limit=1).structured["reminders"] == ["やめておく"]


@pytest.mark.requirement("recallnest.reminder.kept")
@pytest.mark.parametrize(
    ("trigger", "query", "remark"),
    [
        ("tea", "tea in Kyoto", "stays for a later search"),
        ("お茶", "京都のお茶", "次の検索まで残します"),
        ("喝茶", "在北京喝茶吗", "留待以后的搜索"),
    ],
)
def test_where_nothing_can_be_written_a_search_that_brings_up_a_reminder_is_answered_and_the_reminder_stays(
    call: Any, caller_of: Any, memories: Memories, tmp_path: Path, trigger: str, query: str, remark: str
) -> None:
    call("store_memory", text=query)
    call("set_reminder", trigger=trigger, action="お湯を沸かす")
    with SqliteStore(tmp_path / "store" / STORE_FILE, read_only=True) as store:
        unwritten = Memories(store, Index(store, Analyzer()), clock=memories.clock, zone=memories.zone)
        answer = caller_of(unwritten, Options())("search_memory", query=query)
    assert [hit["text"] for hit in answer.structured["results"]] == [query]
    assert (answer.structured["reminders"], answer.is_error) == ([], False)
    [note] = answer.structured["notes"]
    assert note.startswith("reminders: ")
    assert remark in note
    assert note in answer.text
    assert call("search_memory", query=query).structured["reminders"] == ["お湯を沸かす"]


# --- forget_memory


@pytest.mark.requirement("recallnest.forget.output")
def test_forgetting_takes_the_older_texts_along(call: Any, store: Any, memories: Memories) -> None:
    for text in ("京都に住む", "住在东京", "lives in Osaka"):
        live = store(text, category="profile", canonicalKey="home", scope="cc:1").structured
    store("住所録は引き出しにある", scope="cc:1")
    answer = call("forget_memory", memoryId=live["id"][:8], confirm=True, reason="本人の希望", scope="cc")
    assert answer.text.split("\n") == [
        f"✅ Memory {live['id'][:8]} forgotten.",
        "Category: profile",
        "Scope: cc:1",
        "Older versions removed: 2",
        "Reason: 本人の希望",
    ]
    assert (answer.structured["id"], len(answer.structured["versions"])) == (live["id"], 2)
    assert memories.counts().memories == 1
    assert (
        call("search_memory", query="京都 东京 Osaka", allScopes=True, includeArchived=True).structured["results"] == []
    )


@pytest.mark.requirement("recallnest.forget.confirm")
@pytest.mark.parametrize(
    ("tier", "confirm", "forgotten"),
    [({}, {}, False), ({}, {"confirm": True}, True), ({"privacyTier": "private"}, {}, True)],
)
def test_what_is_durable_goes_only_when_confirmed(
    call: Any, store: Any, memories: Memories, tier: Any, confirm: Any, forgotten: bool
) -> None:
    id = store("紅茶が好き", **tier).structured["id"]
    answer = call("forget_memory", memoryId=id, **confirm)
    assert (answer.is_error, memories.counts().memories) == (not forgotten, 0 if forgotten else 1)
    if not forgotten:
        assert f'detail: Memory {id} has privacy tier "durable" — set confirm=true to proceed' in answer.text


@pytest.mark.requirement("recallnest.forget.refused")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"memoryId": "00000000-0000-4000-8000-000000000000"}, "No memory and no pending reminder"),
        ({"memoryId": "3f9a1c2"}, "No memory and no pending reminder"),
        ({"memoryId": "3f9a1c20"}, "Several memories begin with '3f9a1c20'. Give more of the id."),
        ({"memoryId": "3f9a1c20-0000-4000-8000-000000000001", "scope": "cc:2"}, "outside accessible scope 'cc:2'"),
    ],
)
def test_forgetting_the_wrong_memory_is_refused(call: Any, memories: Memories, arguments: Any, said: str) -> None:
    for number in (1, 2):
        memories.remember(f"茶 {number}", id=f"3f9a1c20-0000-4000-8000-00000000000{number}", scope="cc:1")
    refused = call("forget_memory", **arguments, confirm=True)
    assert (refused.is_error, said in refused.text) == (True, True), refused.text
    assert "reason_code: invalid_memory_ref" in refused.text
    assert memories.counts().memories == 2


@pytest.mark.requirement("recallnest.forget.reminder")
def test_a_reminder_can_be_called_off(call: Any) -> None:
    id = call("set_reminder", trigger="体检", action="带上报告").structured["id"]
    answer = call("forget_memory", memoryId=id[:8])
    assert answer.text.split("\n") == [f"✅ Reminder {id[:8]} called off.", 'Trigger: "体检"', "Scope: global"]
    assert call("search_memory", query="明天体检").structured["reminders"] == []


@pytest.mark.requirement("recallnest.forget.output")
@pytest.mark.parametrize("blank", [" ", "\n", "\u3000"])
@pytest.mark.parametrize("text", ["抹茶が好き", "喜欢抹茶", "likes matcha"])
def test_an_id_copied_with_blanks_around_it_names_the_memory(call: Any, store: Any, text: str, blank: str) -> None:
    id = store(text).structured["id"]
    assert call("memory_drill_down", id=f"{blank}{id[:8]}{blank}").structured["text"] == text
    assert call("forget_memory", memoryId=f"{blank}{id}{blank}", confirm=True).structured["id"] == id


# --- reading one by one


@pytest.mark.requirement("recallnest.drill_down")
def test_one_memory_is_shown_whole(call: Any, memories: Memories) -> None:
    text = "一行目\n\n二行目 " + "長い話。" * 200
    memories.remember(
        Draft(
            text=text,
            id="3f9a1c20-0000-4000-8000-000000000001",
            scope="cc:1",
            extra={"l0_abstract": "短く", "l1_overview": "## 概要"},
        )
    )
    head = [
        "**ID**: 3f9a1c20-0000-4000-8000-000000000001",
        "**Category**: events",
        "**Scope**: cc:1",
        "**Importance**: 0.7",
        "**Created**: 2025-11-21T03:00:00.000Z",
        "**Abstract**: 短く",
        "",
    ]
    whole = call("memory_drill_down", id="3f9a1c20")
    assert whole.text == "\n".join([*head, "## events (Full Content)", "", text])
    assert (whole.structured["text"], whole.structured["level"]) == (text, "full")
    overview = call("memory_drill_down", id="3f9a1c20", level="overview")
    assert overview.text == "\n".join([*head, "## events (L1 Overview)", "", "## 概要"])


@pytest.mark.requirement("recallnest.drill_down")
@pytest.mark.parametrize(
    ("extra", "abstract", "text"),
    [
        ({"l0": "短い", "l1": "長めの要約"}, "短い", "長めの要約"),
        ({"l0_abstract": " ", "l0": "简短", "l1_overview": None, "l1": "较长的概要"}, "简短", "较长的概要"),
        ({"l0_abstract": 1, "l1_overview": ["a", "b"]}, None, "tea"),
    ],
)
def test_of_several_summaries_the_first_with_words_is_shown(
    call: Any, memories: Memories, extra: Any, abstract: str | None, text: str
) -> None:
    id = memories.remember(Draft(text="tea", extra=extra)).memory.id
    shown = call("memory_drill_down", id=id, level="overview").structured
    assert (shown.get("abstract"), shown["text"]) == (abstract, text)


@pytest.mark.requirement("recallnest.drill_down")
def test_a_memory_that_is_no_longer_valid_is_said_to_be_expired(call: Any, clock: Any) -> None:
    id = call("store_memory", text="会議室は三階", validUntil="明日").structured["id"]
    assert call("memory_drill_down", id=id).structured["status"] == "active"
    clock.advance(days=2)
    answer = call("memory_drill_down", id=id)
    assert answer.structured["status"] == "expired"
    assert "**Status**: expired" in answer.text.split("\n")


@pytest.mark.requirement("recallnest.drill_down")
def test_a_memory_that_is_not_valid_yet_is_said_to_be_upcoming(call: Any, clock: Any) -> None:
    stored = call("store_memory", text="年会費は来年から一万円", validFrom="2026-01-01").structured
    assert call("memory_drill_down", id=stored["id"]).structured["status"] == "upcoming"
    clock.advance(days=41)
    assert call("memory_drill_down", id=stored["id"]).structured["status"] == "active"


@pytest.mark.requirement("recallnest.drill_down")
@pytest.mark.parametrize("id", ["ffffffff", "3f9", "思い出"])
def test_an_unknown_id_is_said_to_be_unknown(call: Any, id: str) -> None:
    answer = call("memory_drill_down", id=id)
    assert answer.is_error
    assert answer.text.split("\n")[0] == f"No memory found with ID: {id}"
    assert answer.text.endswith("Search for it; hits carry their full id. [not_found]")


@pytest.mark.requirement("recallnest.explain")
def test_an_explanation_names_rankings_words_and_dates(call: Any, memories: Memories, clock: Any) -> None:
    memories.remember(
        Draft(text="昨日、京都で抹茶を飲んだ。", id="3f9a1c20-0000-4000-8000-000000000001", extra={"heading": "旅"})
    )
    clock.advance(days=3)
    answer = call("explain_memory", query="抹茶 2025-11-21", profile="fact-check")
    assert answer.text.split("\n")[:8] == [
        "Query   : 抹茶 2025-11-21",
        "Profile : fact-check",
        "Hits    : 1",
        "",
        "# Explain",
        "1. 3f9a1c20 | " + answer.text.split(" | ")[1] + " | manual | 2025-11-21 (3d)",
        "   category: events",
        "   tier    : peripheral",
    ]
    assert (
        "   why     : semantic+keyword | terms:抹茶 | fresh:3d | important | heading:旅 | dates:2025-11-21"
        in answer.text
    )
    (result,) = answer.structured["results"]
    assert {each["arm"] for each in result["arms"]} == {"words", "vectors"}
    assert (result["terms"], result["dates"]) == (["抹茶"], ["2025-11-21"])
    assert (result["source"], result["file"], "session" in result) == ("manual", "旅", False)
    assert call("explain_memory", query="抹茶", scope="elsewhere").text == "No results found."


@pytest.mark.requirement("recallnest.explain")
@pytest.mark.parametrize(
    ("importance", "days", "said"),
    [
        (0.69, 14, "keyword | terms:抹茶 | fresh:14d"),
        (0.7, 15, "keyword | terms:抹茶 | important"),
        (0.1, 15, "keyword | terms:抹茶"),
    ],
)
def test_an_explanation_names_only_the_reasons_there_are(
    call: Any, memories: Memories, clock: Any, importance: float, days: int, said: str
) -> None:
    memories.remember("京都で抹茶を飲んだ。", importance=importance)
    clock.advance(days=days)
    (line,) = (
        line for line in call("explain_memory", query="抹茶").text.split("\n") if line.startswith("   why     : ")
    )
    assert line.endswith(said)


@pytest.mark.requirement("recallnest.explain")
def test_an_explanation_names_the_session_in_both_forms(call: Any, memories: Memories) -> None:
    memories.remember(Draft(text="昨日、京都で抹茶を飲んだ。", session_id="茶会"))
    answer = call("explain_memory", query="抹茶")
    (result,) = answer.structured["results"]
    assert (result["session"], "file" in result) == ("茶会", False)
    assert "   session : 茶会\n   file    : -\n" in answer.text


@pytest.mark.requirement("recallnest.explain")
@pytest.mark.parametrize(
    ("who", "what", "query", "linked"),
    [
        ("健太", "プロジェクト灯", "健太の仕事", "保存先は SQLite に決まった"),
        ("小红", "灯塔计划", "小红的工作", "数据保存在 SQLite"),
        ("Alice", "Lumina", "what does Alice do", "Decided to keep data in SQLite"),
    ],
)
def test_an_explanation_with_the_graph_names_the_way_through_it(
    call: Any, memories: Memories, who: str, what: str, query: str, linked: str
) -> None:
    memories.observe(what, "project", linked)
    memories.relate((who, "person"), (what, "project"), "works_at")
    answer = call("explain_memory", query=query, graph=True)
    (result,) = answer.structured["results"]
    assert [each["arm"] for each in result["arms"]] == ["graph"]
    assert f"via:-works_at-> {what} <-about- " in result["why"]
    assert f"   why     : {result['why']}" in answer.text


@pytest.mark.requirement("recallnest.explain")
def test_an_explanation_fires_no_reminder(call: Any, store: Any) -> None:
    store("抹茶")
    call("set_reminder", trigger="抹茶", action="お湯")
    call("explain_memory", query="抹茶")
    assert call("search_memory", query="抹茶").structured["reminders"] == ["お湯"]


@pytest.mark.requirement("recallnest.stats")
def test_a_source_is_counted_once_in_whatever_width_it_is_written(call: Any, store: Any) -> None:
    for scope, text in {
        "日記：旅": "京都に行った",
        "日記:茶": "抹茶を飲んだ",
        "ｃｃ：1": "我喜欢红茶",
        "cc:2": "It rained",
    }.items():
        store(text, scope=scope)
    assert call("memory_stats").structured["bySource"] == {"cc": 2, "日記": 2}


@pytest.mark.requirement("recallnest.stats")
def test_what_there_is_is_counted(call: Any, store: Any, memories: Memories) -> None:
    store("京都に住む", category="profile", scope="cc:1")
    store("我喜欢红茶", category="preferences", scope="cc:2")
    store("Rained all day")
    memories.remember("昔の話", status=Status.ARCHIVED)
    id = call("set_reminder", trigger="茶", action="お湯", scope="cc:1").structured["id"]
    answer = call("memory_stats")
    assert answer.text.split("\n") == [
        "Total entries: 4",
        "",
        "By source:",
        "  cc: 2",
        "  global: 2",
        "",
        "By scope:",
        "  global: 2",
        "  cc:1: 1",
        "  cc:2: 1",
        "",
        "By category:",
        "  events: 2",
        "  preferences: 1",
        "  profile: 1",
        "",
        "By status:",
        "  active: 3",
        "  archived: 1",
        "",
        "Pending reminders: 1",
        f'  {id[:8]} "茶" (cc:1)',
    ]
    assert answer.structured["byScope"] == {"global": 2, "cc:1": 1, "cc:2": 1}


@pytest.mark.requirement("recallnest.stats")
def test_of_many_scopes_the_text_counts_those_with_most(call: Any, store: Any) -> None:
    for number in range(1, 24):
        store(f"{number} 回目の旅", scope=f"日記:{number:02}")
    store("第二次旅行", scope="日記:07")
    text = call("memory_stats").text
    assert "By scope:\n  日記:07: 2\n  日記:01: 1\n" in text
    assert "  日記:20: 1\n  … and 3 more\n\nBy category:" in text


@pytest.mark.requirement("recallnest.list_tools")
def test_every_tool_is_listed_with_how_to_have_it_offered(call: Any) -> None:
    answer = call("list_tools")
    assert [each["name"] for each in answer.structured["tools"]] == [
        "search_memory",
        "store_memory",
        "set_reminder",
        "batch_store",
        "store_case",
        "store_workflow_pattern",
        "memory_drill_down",
        "explain_memory",
        "forget_memory",
        "memory_stats",
    ]
    assert {each["name"] for each in answer.structured["tools"] if each["offered"] == "always"} == {
        "search_memory",
        "store_memory",
    }
    assert "- forget_memory (on request): Forget a memory" in answer.text
    assert "--tools recallnest" in answer.text
