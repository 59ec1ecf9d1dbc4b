"""Which scope a call is about, and what that covers."""

from pathlib import Path
from typing import Any

import pytest

from omoide.app import open_memories
from omoide.families.recallnest import Options, notes
from omoide.families.recallnest.scope import COMPARED, covers, of_read, similar
from omoide.memory import Memories


@pytest.mark.requirement("recallnest.scope.resolution")
@pytest.mark.parametrize(
    ("arguments", "options", "scope"),
    [
        ({}, {}, "global"),
        ({"scope": "project:a"}, {}, "project:a"),
        ({"scope": "  案件:京都\n 旅行 "}, {}, "案件:京都 旅行"),
        ({"scope": " "}, {}, "global"),
        ({"sessionId": "s1"}, {}, "session:s1"),
        ({"sessionId": "会话 1"}, {}, "session:会话 1"),
        ({"scope": "project:a", "sessionId": "s1"}, {}, "project:a"),
        ({"scope": " ", "sessionId": "s1"}, {}, "session:s1"),
        ({"allScopes": True, "scope": "project:a"}, {}, None),
        ({"allScopes": False, "scope": "project:a"}, {}, "project:a"),
        ({}, {"default_scope": "project:b"}, "project:b"),
        ({}, {"session": "s9"}, "session:s9"),
        ({}, {"default_scope": "project:b", "session": "s9"}, "project:b"),
        ({"sessionId": "s1"}, {"default_scope": "project:b"}, "session:s1"),
        ({}, {"default_scope": "project:b", "require_scope": True}, "project:b"),
        ({"allScopes": True}, {"require_scope": True}, None),
    ],
)
def test_a_search_is_about(arguments: Any, options: Any, scope: str | None) -> None:
    assert of_read("search_memory", arguments, Options(**options), None) == scope


@pytest.mark.requirement("recallnest.scope.prefix")
@pytest.mark.parametrize(
    ("scope", "other", "covered"),
    [
        ("cc", "cc", True),
        ("cc", "cc:session-123", True),
        ("cc", "ccx", False),
        ("cc", "CC", False),
        ("記憶", "記憶:京都", True),
        ("記憶", "記憶術", False),
        ("日記", "日記：旅", True),
        ("ﾆｯｷ", "ニッキ:旅", True),
        ("日記：旅", "日記:旅", True),
        ("日記：旅", "日記:旅:京都", False),
        ("project:recallnest", "project:recallnest", True),
        ("project:recallnest", "project:recallnest2", False),
        ("session:a", "session:a:b", False),
        ("100%", "100x", False),
        ("a_b", "axb", False),
    ],
)
def test_a_scope_covers(search: Any, store: Any, scope: str, other: str, covered: bool) -> None:
    store("抹茶 tea 茶", scope=other)
    found = search("抹茶", scope=scope).structured["results"]
    assert ([hit["scope"] for hit in found] == [other], covers(scope, other)) == (covered, covered)


@pytest.mark.requirement("recallnest.scope.required")
@pytest.mark.parametrize(
    ("tool", "arguments", "remedy"),
    [
        ("search_memory", {"query": "茶"}, "Pass scope explicitly, provide sessionId, or set "),
        ("store_memory", {"text": "茶"}, "Pass scope explicitly, such as session:<id>, or set "),
    ],
)
def test_a_scope_can_be_required(memories: Memories, caller_of: Any, tool: str, arguments: Any, remedy: str) -> None:
    refused = caller_of(memories, Options(require_scope=True))(tool, **arguments)
    assert refused.is_error
    lines = refused.text.split("\n")
    assert lines[:4] == [
        f'❌ Tool "{tool}" failed',
        "reason_code: scope_required",
        "retryable: false",
        "responsibility: peer",
    ]
    assert lines[4].startswith(f"detail: {tool} requires a scope. {remedy}")


@pytest.mark.requirement("recallnest.scope.empty_answer")
@pytest.mark.parametrize(
    ("query", "arguments", "note", "filters"),
    [
        (
            "zebra",
            {},
            "scope: searched 'global' (memories there: 1). Memories in other scopes: 3 (project:a: 2, cc:1: 1). "
            "Pass one as scope, or allScopes=true, to search them.",
            "filters: none of the memories there passes topicTag=animals.",
        ),
        (
            "シマウマ",
            {"scope": "cc"},
            "scope: 'cc' を検索しました（記憶 1 件）。ほかのスコープに 3 件あります（project:a: 2, global: 1）。"
            "scope に指定するか allScopes=true で検索できます。",
            "filters: その中に、条件（topicTag=animals）に合う記憶はありません。",
        ),
        (
            "斑马",
            {"allScopes": True},
            "scope: 已搜索所有作用域（共 4 条记忆）。",
            "filters: 其中没有符合条件（topicTag=animals）的记忆。",
        ),
    ],
)
def test_an_empty_answer_says_where_it_looked(
    search: Any, store: Any, query: str, arguments: Any, note: str, filters: str
) -> None:
    store("green tea")
    store("お茶", scope="cc:1")
    for text in ("绿茶", "红茶"):
        store(text, scope="project:a")
    answer = search(query, **arguments, topicTag="animals")
    assert answer.text == f"No results found.\n\nℹ️ {note}\n\nℹ️ {filters}"
    assert (answer.structured["results"], answer.structured["notes"]) == ([], [note, filters])


@pytest.mark.requirement("recallnest.scope.empty_answer")
@pytest.mark.parametrize(("others", "named"), [(3, "一: 3, 丁: 2, 七: 1)"), (4, "一: 3, 丁: 2, 七: 1, …)")])
def test_three_other_scopes_are_named_and_dots_stand_for_more(others: int, named: str) -> None:
    by_scope = dict([("一", 3), ("丁", 2), ("七", 1), ("万", 1)][:others])
    assert named in notes.nothing_found("茶", by_scope, "en")


@pytest.mark.requirement("recallnest.scope.near")
@pytest.mark.parametrize(
    ("query", "scope", "meant"),
    [
        ("zebra", "project:Recall-Nest", " Did you mean project:recallnest?"),
        ("シマウマ", "project:recalnest", "もしかして: project:recallnest"),
        ("斑马", "project:recallnest2", "是否指 project:recallnest？"),
        ("斑马", "项目:茶", "是否指 项目:茶室记录？"),
        ("シマウマ", "project:recallnest:画面:2026", "もしかして: project:recallnest"),
        ("zebra", "PROJECT:RECALLNEST", " Did you mean project:recallnest?"),
        ("斑马", "ＰＲＯＪＥＣＴ：ｒｅｃａｌｌｎｅｓｔ", "是否指 project:recallnest？"),
        ("zebra", "cc", ""),
    ],
)
def test_a_scope_that_is_written_otherwise_is_suggested(
    search: Any, memories: Memories, query: str, scope: str, meant: str
) -> None:
    for name in ("project:recallnest", "项目:茶室记录", "cd", "global"):
        memories.remember("茶", scope=name)
    (note,) = search(query, scope=scope).structured["notes"]
    tail = {"en": "to search them.", "ja": "検索できます。", "zh": "搜索。"}
    assert note.endswith(tuple(f"{end}{meant}" for end in tail.values()))


@pytest.mark.requirement("recallnest.scope.near")
def test_of_thousands_of_scopes_the_largest_are_suggested() -> None:
    sessions = {f"session:{number}": 2 for number in range(3 * COMPARED)}
    assert similar("项目:茶", {**sessions, "项目:茶室": 3}) == ["项目:茶室"]
    assert similar("项目:茶", {**sessions, "项目:茶室": 1}) == []


@pytest.mark.requirement("recallnest.scope.near")
def test_a_name_without_a_letter_is_like_no_other() -> None:
    assert similar("--", {"京都": 1}) == []
    assert similar("京都", {"-": 1}) == []


@pytest.mark.requirement("recallnest.scope.never_widened")
@pytest.mark.parametrize("arguments", [{"scope": "project:b"}, {"sessionId": "b"}, {}])
def test_a_search_without_hits_does_not_look_elsewhere(search: Any, store: Any, arguments: Any) -> None:
    store("昨日、京都で抹茶を飲んだ。", scope="project:a")
    assert search("抹茶", **arguments).structured["results"] == []


@pytest.mark.requirement("recallnest.scope.pinned")
def test_a_pinned_process_knows_only_its_scope(tmp_path: Path, clock: Any, caller_of: Any) -> None:
    with open_memories(tmp_path, clock=clock) as everything:
        everything.remember("龙井茶", scope="team:b")
        everything.remind("茶", "烧水", scope="team:b")
    with open_memories(tmp_path, clock=clock, scope="team:a") as pinned:
        call = caller_of(pinned, Options())
        assert call("store_memory", text="乌龙茶").structured["scope"] == "team:a"
        seen = call("search_memory", query="茶", allScopes=True)
        assert [hit["text"] for hit in seen.structured["results"]] == ["乌龙茶"]
        assert seen.structured["reminders"] == []
        assert "team:b" not in call("search_memory", query="zebra", allScopes=True).text
        outside = call("search_memory", query="茶", scope="team:b")
        assert outside.is_error
        assert "outside of 'team:a'" in outside.text


@pytest.mark.requirement("recallnest.scope.pinned")
def test_no_tool_of_a_pinned_process_reaches_outside(tmp_path: Path, clock: Any, caller_of: Any) -> None:
    with open_memories(tmp_path, clock=clock) as everything:
        secret = everything.remember("龙井茶的秘密", scope="team:b", category="cases").memory.id
        reminder = everything.remind("茶", "烧水", scope="team:b").id
    with open_memories(tmp_path, clock=clock, scope="team:a") as pinned:
        call = caller_of(pinned, Options(related_scopes={"team:a": ("team:b",)}))
        batch = call("batch_store", memories=[{"text": "乌龙茶"}])
        assert batch.structured["memories"][0]["scope"] == "team:a"
        stats = call("memory_stats").structured
        assert (stats["total"], stats["byScope"], stats["byCategory"]) == (1, {"team:a": 1}, {"events": 1})
        assert (stats["byStatus"], stats["pendingReminders"]) == ({"active": 1}, 0)
        assert "related" not in call("search_memory", query="茶", includeRelatedScopes=True).structured
        assert len(call("explain_memory", query="茶", allScopes=True).structured["results"]) == 1
        for refused in (
            call("memory_drill_down", id=secret),
            call("forget_memory", memoryId=secret, confirm=True),
            call("forget_memory", memoryId=reminder),
            call("set_reminder", trigger="茶", action="x", scope="team:b"),
            call("store_case", title="x", problem="y", solutionSteps=["z"], scope="team:b"),
            call("search_memory", query="お茶", scope="team:b"),
            call("explain_memory", query="茶", scope="team"),
        ):
            assert refused.is_error
            assert "秘密" not in refused.text
    with open_memories(tmp_path, clock=clock) as everything:
        assert [each.id for each in everything.get([secret])] == [secret]
        assert [each.id for each in everything.pending_reminders()] == [reminder]


@pytest.mark.requirement("recallnest.scope.near")
@pytest.mark.parametrize(
    ("pinned", "asked", "others"),
    [
        ("team", "team:tea", "teams:tea"),
        ("案件", "案件:京都旅行", "案件簿:京都旅行"),
        ("项目", "项目:喝茶计划", "项目组:喝茶计划"),
    ],
)
def test_no_scope_outside_the_pinned_one_is_suggested_or_counted(
    tmp_path: Path, clock: Any, caller_of: Any, pinned: str, asked: str, others: str
) -> None:
    with open_memories(tmp_path, clock=clock) as everything:
        everything.remember("龙井茶", scope=others)
    for opened_for, is_told in ((None, True), (pinned, False)):
        with open_memories(tmp_path, clock=clock, scope=opened_for) as memories:
            told = caller_of(memories, Options())("search_memory", query="茶", scope=asked)
            assert (others in f"{told.text} {told.structured}") is is_told


RELATED = {"project:a": (" project:b ", "project:a", "project:b", "cc", "project:d")}


@pytest.mark.requirement("recallnest.scope.near")
def test_no_other_scope_is_suggested_for_one_that_has_memories(search: Any, memories: Memories) -> None:
    for name in ("project:recallnest", "project:recallnest2"):
        memories.remember("茶", scope=name)
    (note,) = search("zebra", scope="project:recallnest").structured["notes"]
    assert "(memories there: 1)" in note
    assert "Did you mean" not in note


@pytest.mark.requirement("recallnest.scope.related")
@pytest.mark.parametrize(
    ("query", "said"),
    [("tea", "no other scope is named"), ("お茶", "設定されていません"), ("绿茶", "没有为 'project:z' 设置相关作用域")],
)
def test_who_asks_for_related_scopes_is_told_where_none_is_set(
    memories: Memories, caller_of: Any, query: str, said: str
) -> None:
    call = caller_of(memories, Options(related_scopes=RELATED))
    memories.remember("绿茶 お茶 tea", scope="project:z")
    found = call("search_memory", query=query, scope="project:z", includeRelatedScopes=True)
    (note,) = found.structured["notes"]
    assert said in note
    assert f"\n\nℹ️ {note}" in found.text


@pytest.mark.requirement("recallnest.scope.related")
@pytest.mark.parametrize(
    ("arguments", "scopes"),
    [
        ({}, []),
        ({"includeRelatedScopes": True}, ["project:b", "cc"]),
        ({"includeRelatedScopes": True, "scope": "project：a"}, ["project:b", "cc"]),
        ({"includeRelatedScopes": True, "scope": "project:b"}, []),
        ({"includeRelatedScopes": True, "allScopes": True}, []),
    ],
)
def test_related_scopes_are_shown_apart(memories: Memories, caller_of: Any, arguments: Any, scopes: list[str]) -> None:
    call = caller_of(memories, Options(related_scopes=RELATED))
    for scope in ("project:a", "project:b", "cc:1", "project:d"):
        for number in range(5):
            memories.remember(f"抹茶 {number}", scope=scope)
    asked = {"query": "抹茶", "scope": "project:a", **arguments}
    answer, alone = call("search_memory", **asked), call("search_memory", **{**asked, "includeRelatedScopes": False})
    assert answer.structured["results"] == alone.structured["results"]
    assert [each["scope"] for each in answer.structured.get("related", [])] == scopes
    assert all(len(each["results"]) == 3 for each in answer.structured.get("related", []))
    assert answer.text.startswith(alone.text)
    assert ("\n\n## Related scope results\n\n### project:b\nQuery   : 抹茶\n" in answer.text) is bool(scopes)


@pytest.mark.requirement("recallnest.scope.empty_answer")
@pytest.mark.parametrize(
    ("language", "query", "said"),
    [
        (None, "来週 会議", "検索しました"),
        (None, "富士山", "已搜索"),
        ("zh", "来週 会議", "已搜索"),
        ("ja", "来週 会議", "検索しました"),
        ("ja", "会议安排", "已搜索"),
        ("ja", "next week", "searched"),
        (None, "来週の会議", "検索しました"),
    ],
)
def test_what_was_searched_is_said_in_the_language_of_the_question(
    tmp_path: Path, caller_of: Any, language: str | None, query: str, said: str
) -> None:
    with open_memories(tmp_path, language=language) as memories:
        answer = caller_of(memories, Options())("search_memory", query=query)
    assert said in answer.structured["notes"][0]
