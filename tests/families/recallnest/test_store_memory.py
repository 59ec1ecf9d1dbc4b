"""store_memory: what is kept, under which key, and what the answer says."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from omoide.families.recallnest.keys import canonical_key
from omoide.families.recallnest.redact import redacted
from omoide.families.recallnest.slots import slot_of
from omoide.memory import Memories
from omoide.model.condition import live


@pytest.mark.requirement("recallnest.store.output")
def test_the_answer_names_what_became_of_the_memory(store: Any) -> None:
    answer = store("ユーザーは簡潔な返信を好む。", category="preferences", canonicalKey="user:reply-style", scope="cc")
    id = answer.structured["id"]
    assert answer.text.split("\n") == [
        f"Stored memory {id[:8]}",
        "Disposition: stored",
        "Category: preferences",
        "Scope: cc",
        "Canonical key: user-reply-style",
        "Stored at: 2025-11-21T03:00:00.000Z",
    ]
    assert answer.structured == {
        "id": id,
        "disposition": "stored",
        "category": "preferences",
        "scope": "cc",
        "canonicalKey": "user-reply-style",
        "storedAt": "2025-11-21T03:00:00.000Z",
    }


@pytest.mark.requirement("recallnest.store.fields")
@pytest.mark.parametrize("tag", ["仕事", "工作", "work"])
def test_a_tag_is_kept_once_and_without_blanks_around_it(store: Any, memories: Memories, tag: str) -> None:
    stored = store("京都で抹茶を飲んだ。", tags=[f" {tag}", tag, "\u3000", "\u200b", "茶", tag]).structured
    (kept,) = memories.get([stored["id"]])
    assert (kept.tags, stored["tags"]) == ((tag, "茶"), [tag, "茶"])


@pytest.mark.requirement("recallnest.store.topic_detected")
@pytest.mark.parametrize("blank", [" ", "\u3000", "\u200b"])
@pytest.mark.parametrize("text", ["ログインに失敗する", "登录失败了", "The login fails"])
def test_a_blank_topic_is_read_from_the_text(store: Any, text: str, blank: str) -> None:
    assert store(text, topicTag=blank).structured["topicTag"] == "auth"


@pytest.mark.requirement("recallnest.store.fields")
def test_every_argument_is_kept(store: Any, memories: Memories) -> None:
    answer = store(
        "Alice は Bun を使う。",
        category="entities",
        importance=0.9,
        source="agent",
        tags=["道具", "runtime"],
        topicTag="deploy",
        privacyTier="private",
        confidence={"score": 0.6, "reliability": "hearsay"},
        eventTime="昨日",
        validFrom=1735689600000,
        validUntil="2026-01-31",
    )
    (kept,) = memories.get([answer.structured["id"]])
    assert kept.text == "Alice は Bun を使う。"
    assert (kept.category, kept.scope, kept.source, kept.tool) == ("entities", "global", "agent", "store_memory")
    assert (kept.importance, kept.confidence) == (0.9, 0.6)
    assert (kept.tags, kept.topic) == (("道具", "runtime"), "deploy")
    assert kept.extra["privacyTier"] == "private"
    assert kept.extra["reliability"] == "hearsay"
    assert kept.event_time is not None
    assert (kept.event_time.raw, str(kept.event_time.start)) == ("昨日", "2025-11-19 15:00:00+00:00")
    assert str(kept.valid_from) == "2025-01-01 00:00:00+00:00"
    assert str(kept.valid_until) == "2026-01-31 15:00:00+00:00"  # through the last day, in Tokyo


@pytest.mark.requirement("recallnest.store.fields")
@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("12月20日", "2025-12-20"),
        ("12月20号下午三点", "2025-12-20"),
        ("December 20 at 3pm", "2025-12-20"),
        ("10月16日", "2025-10-16"),
        ("Oct 16", "2025-10-16"),
        ("金曜日", "2025-11-14"),
        ("last December", "2024-12-01"),
    ],
)
def test_an_event_on_a_date_of_no_year_is_on_the_nearest_such_day(
    store: Any, memories: Memories, said: str, day: str
) -> None:
    (kept,) = memories.get([store("ピアノの発表会", eventTime=said).structured["id"]])
    assert kept.event_time is not None
    assert kept.event_time.start is not None
    assert kept.event_time.start.astimezone(ZoneInfo("Asia/Tokyo")).date().isoformat() == day


@pytest.mark.requirement("recallnest.store.fields")
@pytest.mark.parametrize("sure", [0, 0.25, 1])
def test_how_sure_it_is_may_be_a_number_alone(store: Any, memories: Memories, sure: float) -> None:
    (kept,) = memories.get([store("抹茶が好き", confidence=sure).structured["id"]])
    assert kept.confidence == sure
    assert "reliability" not in kept.extra


@pytest.mark.requirement("recallnest.store.text_kept")
@pytest.mark.parametrize(
    "text",
    [
        "茶",
        "我喜欢喝咖啡",
        "抹茶が好き",
        "x",
        "一行目\n\n  二行目\t",
        "커피",
        "Hello World app is blue",
        "🍵",
        "чай " * 2000,
    ],
)
def test_text_of_any_language_and_length_is_kept_as_it_is(store: Any, memories: Memories, text: str) -> None:
    answer = store(text)
    assert [memory.text for memory in memories.get([answer.structured["id"]])] == [text]


@pytest.mark.requirement("recallnest.store.refused")
@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ({"text": " \n　"}, "The text is empty. Pass the text to remember."),
        (
            {"text": "茶", "canonicalKey": "!?。"},
            "canonicalKey '!?。' has no letter or digit. Name the fact, such as user:reply-style, "
            "or leave canonicalKey out.",
        ),
        (
            {"text": "茶", "validFrom": "until 2026-01-02"},
            "validFrom: 'until 2026-01-02' does not say when it begins. Write the date alone, "
            "or pass it in the argument for the other end.",
        ),
        (
            {"text": "茶", "validUntil": "来年から"},
            "validUntil：「来年から」には終わりがありません。日付だけを書くか、もう一方の端を表す引数に渡してください。",
        ),
        (
            {"text": "茶", "validFrom": "2026-01-02", "validUntil": "2026-01-01"},
            "validFrom (2026-01-02) comes after validUntil (2026-01-01). Swap the two, or leave one out.",
        ),
        (
            {"text": "茶", "validFrom": "来週", "validUntil": "先週"},
            "validFrom（来週）が validUntil（先週）より後になっています。二つを入れ替えるか、どちらかを省いてください。",
        ),
        (
            {"text": "茶", "validFrom": "下周", "validUntil": "上周"},
            "validFrom（下周）晚于 validUntil（上周）。请交换两者，或省略其中一个。",
        ),
        (
            {"text": "茶", "eventTime": 1e300},
            "eventTime is 1e+300, which is not a time. Pass milliseconds since 1970 or a date such as 2026-03-15.",
        ),
        *(
            (
                {"text": text, "validUntil": 253402300799999},
                "validUntil is 253402300799999, which is not a time. Pass milliseconds since 1970 or a date such as 2026-03-15.",
            )
            for text in ("ずっと有効", "一直有效", "for ever")  # the last millisecond of the calendar ends beyond it
        ),
    ],
)
def test_what_cannot_be_stored_is_refused_with_the_next_step(
    store: Any, memories: Memories, arguments: Any, detail: str
) -> None:
    refused = store(**arguments)
    assert refused.is_error
    assert refused.text.split("\n")[1:] == [
        "reason_code: invalid_input",
        "retryable: false",
        "responsibility: peer",
        f"detail: {detail}",
    ]
    assert memories.counts().memories == 0


@pytest.mark.requirement("recallnest.store.date_refused")
@pytest.mark.parametrize("argument", ["validFrom", "validUntil", "eventTime"])
def test_a_date_that_is_none_is_refused_by_name(store: Any, memories: Memories, argument: str) -> None:
    refused = store("茶", **{argument: "バナナ"})
    assert refused.is_error
    assert f"detail: {argument}：" in refused.text
    assert memories.counts().memories == 0


@pytest.mark.requirement("recallnest.store.keys")
@pytest.mark.parametrize(
    ("given", "key"),
    [
        ("user:reply-style", "user-reply-style"),
        ("Ｕｓｅｒ : Reply  Style!", "user-reply-style"),
        ("ユーザー：返信", "ユーザー-返信"),
        ("用户/回复", "用户-回复"),
        ("사용자:답장", "사용자-답장"),
        ("ответы", "ответы"),
        ("ตอบสั้น", "ตอบสั้น"),
        ("नमस्ते", "नमस्ते"),
        ("C2", "c2"),
    ],
)
def test_a_given_key_keeps_letters_and_digits_of_every_script(given: str, key: str) -> None:
    assert canonical_key(given, "profile", "any text") == key


@pytest.mark.requirement("recallnest.store.made_keys")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("커피를 좋아한다", "차를 좋아한다", False),
        ("чай", "кофе", False),
        ("おはよう", "こんにちは", False),
        ("我喜欢 C++", "我喜欢 C", False),
        ("a" * 200 + "b", "a" * 200 + "c", False),
        ("Dark Mode", "dark  mode", True),
        ("ｶﾌｪ", "カフェ", True),
        ("臺灣的茶", "台湾的茶", True),
        ("I don’t eat “natto”", 'I don\'t eat "natto"', True),
        ("他说“不好”", '他说"不好"', True),
        ("「納豆」は食べない", "“納豆”は食べない", False),
    ],
)
def test_a_made_key_is_of_the_whole_text_in_any_script(store: Any, one: str, other: str, same: bool) -> None:
    first, second = (store(text, category="profile").structured for text in (one, other))
    assert (first["canonicalKey"] == second["canonicalKey"]) is same
    assert second["disposition"] == ("deduped" if same else "stored")
    assert (first["id"] == second["id"]) is same


@pytest.mark.requirement("recallnest.store.dispositions")
@pytest.mark.parametrize(
    ("category", "again", "disposition"),
    [
        ("profile", "東京に住む", "updated"),
        ("preferences", "住在东京", "updated"),
        ("entities", "lives in Tokyo", "updated"),
        ("patterns", "東京に住む", "updated"),
        ("events", "東京に引っ越した", "stored"),
        ("cases", "moved to Tokyo", "stored"),
        ("profile", "京都に住む", "deduped"),
        ("events", "京都に住む", "deduped"),
    ],
)
def test_the_same_key_again(store: Any, category: str, again: str, disposition: str) -> None:
    first = store("京都に住む", category=category, canonicalKey="home").structured
    second = store(again, category=category, canonicalKey="Home").structured
    assert second["disposition"] == disposition
    assert (second["id"] == first["id"]) is (disposition != "stored")


@pytest.mark.requirement("recallnest.store.superseded")
def test_the_replaced_text_stays_as_history(store: Any, memories: Memories, clock: Any) -> None:
    first = store("京都に住む", category="profile", canonicalKey="home").structured
    clock.advance(days=1)
    answer = store("住在东京", category="profile", canonicalKey="home")
    live, history = memories.get([first["id"], answer.structured["previous"]])
    assert f"Superseded: {history.id[:8]}" in answer.text
    assert (live.text, live.status.value) == ("住在东京", "active")
    assert (history.text, history.status.value, history.superseded_by) == ("京都に住む", "superseded", live.id)
    assert history.valid_until == clock.now


@pytest.mark.requirement("recallnest.store.from_then")
def test_what_holds_from_a_day_in_the_future_leaves_what_holds_until_then(store: Any, search: Any, clock: Any) -> None:
    def told(text: str, **dates: str) -> Any:
        return store(text, category="profile", canonicalKey="home", **dates)

    def held(day: str) -> set[str]:
        return {hit["text"] for hit in search("住む", validAt=day).structured["results"]}

    kyoto = told("京都に住む").structured["id"]
    answer = told("東京に住む", validFrom="2026-04-01")
    tokyo = answer.structured
    assert (tokyo["disposition"], tokyo["previous"]) == ("updated", kyoto)
    assert f"Holds until then: {kyoto[:8]}" in answer.text.split("\n")
    assert (held("今日"), held("2026-03-31"), held("2026-04-01")) == ({"京都に住む"}, {"京都に住む"}, {"東京に住む"})
    # Another plan replaces the plan alone; what holds from now on replaces both.
    osaka = told("大阪に住む", validFrom="2026-04-01").structured
    assert osaka["id"] == tokyo["id"]
    assert (held("2026-03-31"), held("2026-04-01")) == ({"京都に住む"}, {"大阪に住む"})
    clock.advance(days=1)
    told("奈良に住む")
    assert (held("今日"), held("2026-04-01")) == ({"奈良に住む"}, {"奈良に住む"})


@pytest.mark.requirement("recallnest.store.until_then")
@pytest.mark.parametrize(
    ("old", "new"), [("京都に住む", "大阪に住む"), ("住在京都", "住在大阪"), ("Lives in Kyoto", "Lives in Osaka")]
)
def test_what_holds_since_a_day_in_the_past_replaced_what_held_on_that_day(
    store: Any, search: Any, old: str, new: str
) -> None:
    def told(text: str, **dates: str) -> Any:
        return store(text, category="profile", canonicalKey="home", **dates)

    def held(day: str) -> set[str]:
        found = search(new, validAt=day, includeArchived=True).structured["results"]
        return {hit["text"] for hit in found}

    told(old, validFrom="2020-01-01")
    told(new, validFrom="2023-04-01")
    assert (held("2023-03-31"), held("2023-04-01"), held("今日")) == ({old}, {new}, {new})


@pytest.mark.requirement("recallnest.store.until_then")
@pytest.mark.parametrize(
    ("old", "new"), [("京都に住む", "大阪に住む"), ("住在京都", "住在大阪"), ("Lives in Kyoto", "Lives in Osaka")]
)
def test_a_text_that_was_to_hold_for_longer_ends_when_it_is_replaced(
    store: Any, memories: Memories, clock: Any, old: str, new: str
) -> None:
    told = {"category": "profile", "canonicalKey": "home"}
    store(old, validUntil="2030-12-31", **told)
    clock.advance(days=1)
    # It cannot have begun before what it corrects, so that counts until now.
    corrected = store(new, validFrom="2020-01-01", **told).structured
    (history,) = memories.get([corrected["previous"]])
    assert (history.text, history.valid_until) == (old, clock.now)


@pytest.mark.requirement("recallnest.store.conflict")
def test_a_key_of_another_category_is_a_conflict_and_nothing_is_written(store: Any, memories: Memories) -> None:
    known = store("京都に住む", category="profile", canonicalKey="home").structured
    answer = store("lives in Tokyo", category="entities", canonicalKey="home")
    assert answer.text.split("\n") == [
        "Memory not stored",
        "Disposition: conflict",
        "Category: profile",
        "Scope: global",
        "Canonical key: home",
        f"Conflict: {known['id'][:8]} (it has this key in the category profile: "
        "pass another canonicalKey, or category profile to meet it)",
        "Stored at: 2025-11-21T03:00:00.000Z",
    ]
    assert (answer.structured["disposition"], answer.structured["conflict"]) == ("conflict", known["id"])
    assert memories.counts().memories == 1


@pytest.mark.requirement("recallnest.store.conflict")
def test_a_tool_without_a_category_does_not_advise_to_choose_one(store: Any, call: Any) -> None:
    known = store("京都に住む", category="profile", canonicalKey="home").structured
    answer = call(
        "store_case", title="引っ越し", problem="鍵をなくした", solutionSteps=["大家に聞く"], canonicalKey="home"
    )
    assert (
        f"Conflict: {known['id'][:8]} (it has this key in the category profile: pass another canonicalKey)"
        in answer.text.split("\n")
    )


@pytest.mark.requirement("recallnest.store.per_scope")
def test_the_same_text_or_key_in_another_scope_is_another_memory(store: Any, search: Any) -> None:
    for scope in ("project:a", "project:b"):
        store("紅茶が好き", category="preferences", canonicalKey="drink", scope=scope)
        assert [hit["scope"] for hit in search("紅茶", scope=scope).structured["results"]] == [scope]


@pytest.mark.requirement("recallnest.store.slots")
@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("User prefers Bun over npm.", "tool-choice:bun:over:npm"),
        ("uses ripgrep instead of grep", "tool-choice:ripgrep:over:grep"),
        ("比起 npm，更喜欢用 Bun。", "tool-choice:bun:over:npm"),
        ("用Bun而不是npm。", "tool-choice:bun:over:npm"),
        ("ユーザーはＮＰＭよりもBunのほうが好き。", "tool-choice:bun:over:npm"),
        ("紅茶ではなく珈琲を選ぶ", "tool-choice:珈琲:over:紅茶"),
        ("User prefers concise, direct replies.", "reply-style:concise:direct"),
        ("回复要简洁直接", "reply-style:concise:direct"),
        ("返信は短く率直に", "reply-style:concise:direct"),
        ("不要详细的回复", None),
        ("Prefers coffee to go", None),
        ("今日は昨日より寒い", None),
        ("紅茶が好き", None),
        ("Prefers Bun over npm at work. Prefers npm over Bun at home.", None),
        ("Prefers Bun over npm, and pnpm over yarn", None),
        ("Prefers Bun over npm at work", None),
        ("仕事ではnpmよりBunが好きだが家では逆", None),
        ("The user usually prefers to use Bun rather than npm", "tool-choice:bun:over:npm"),
        ("我更喜欢用Bun而不是npm", "tool-choice:bun:over:npm"),
        ("Keep your replies short and formal, please.", "reply-style:concise:formal"),
        ("ユーザーは箇条書きの回答を希望している", "reply-style:bulleted"),
        ("回覆時請保持簡潔", "reply-style:concise"),
        ("Keep replies short. Answers must be formal.", None),
        ("返信は短く。回答は丁寧に。", None),
        ("回复要简洁。回答要正式。", None),
        # Whose preference it is, and when it holds, is part of it.
        ("Alice prefers Bun over npm", None),
        ("At work I prefer Bun over npm", None),
        ("父は珈琲より紅茶が好き", None),
        ("仕事ではコーヒーより紅茶が好き", None),
        ("小明喜欢用Vim而不是Emacs", None),
        ("妈妈比起咖啡更喜欢茶", None),
        ("Replies to customers must be formal", None),
        ("Replies to long emails within a day", None),
        ("User prefers short answers over long answers", None),
        ("上司への返信は丁寧に", None),
        ("返信はすぐに、短く", None),
        ("回复客户要正式", None),
        ("返信は箇条書きなしで", None),
        ("返信は敬語ではなくカジュアルに", None),
        ("回答は詳しくなく、短く", None),
        ("回复要随意而不是正式", None),
        ("Replies should be casual, not formal", None),
        # The verb may deny it; what only compares (ではなく, 而不是) denies nothing.
        ("npmではなくBunを使わない", None),
        ("npmよりBunが好きでない", None),
        ("npmよりBunを使いません", None),
        ("npmではなくBunを使います", "tool-choice:bun:over:npm"),
        ("我不喜欢用Bun而不是npm", None),
        ("I do not use Bun instead of npm", None),
    ],
)
def test_a_preference_has_a_slot_whatever_its_language(text: str, slot: str | None) -> None:
    assert slot_of(text) == slot


@pytest.mark.requirement("recallnest.store.slots")
def test_a_preference_said_otherwise_replaces_the_one_before(store: Any, search: Any) -> None:
    first = store("User prefers Bun over npm.", category="preferences").structured
    second = store("npmよりBunが好き", category="preferences").structured
    other = store("User prefers Bun over npm.", category="events").structured
    assert (second["disposition"], second["id"]) == ("updated", first["id"])
    assert other["id"] != first["id"]
    answer = search("Bun", category="preferences")
    assert [hit["text"] for hit in answer.structured["results"]] == ["npmよりBunが好き"]
    key = "preferences:tool-choice:bun:over:npm"
    assert f"   prov : durable/structured-memory | key:{key} | slot:tool-choice:bun:over:npm" in answer.text.split("\n")


@pytest.mark.requirement("recallnest.store.slots")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice prefers Bun over npm", "Bob prefers Bun over npm"),
        ("Replies to customers must be formal", "Replies to the board must be formal"),
        ("顧客への返信は丁寧に", "上司への返信は丁寧に"),
        ("小明喜欢用Vim而不是Emacs", "小红喜欢用Vim而不是Emacs"),
    ],
)
def test_a_preference_of_somebody_else_replaces_none(store: Any, search: Any, one: str, other: str) -> None:
    for text in (one, other):
        assert store(text, category="preferences").structured["disposition"] == "stored"
    assert {hit["text"] for hit in search(one, category="preferences").structured["results"]} == {one, other}


@pytest.mark.requirement("recallnest.store.slots")
def test_a_preference_that_is_denied_does_not_replace_the_one_that_is_affirmed(store: Any, search: Any) -> None:
    texts = {"紅茶より珈琲が好き", "紅茶より珈琲が好きでない"}
    for text in sorted(texts):
        assert store(text, category="preferences").structured["disposition"] == "stored"
    assert {hit["text"] for hit in search("珈琲", category="preferences").structured["results"]} == texts


@pytest.mark.requirement("recallnest.store.opposite")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("User prefers Bun over npm.", "User prefers npm over Bun."),
        ("猫より犬が好き", "犬より猫が好き"),
        ("比起咖啡更喜欢茶", "比起茶更喜欢咖啡"),
    ],
)
def test_a_preference_the_other_way_round_is_named_by_the_answer_and_replaces_nothing(
    store: Any, call: Any, memories: Memories, first: str, second: str
) -> None:
    before = store(first, category="preferences")
    store(first, category="preferences", scope="elsewhere")
    after = store(second, category="preferences")
    assert "opposite" not in before.structured
    assert (after.structured["disposition"], after.structured["opposite"]) == ("stored", before.structured["id"])
    told = f"{before.structured['id'][:8]} is stored, too; forget it if it no longer holds"
    assert f"Opposite: {told}" in after.text.split("\n")
    (again,) = call("batch_store", memories=[{"text": second, "category": "preferences"}]).structured["memories"]
    assert again["opposite"] == before.structured["id"]
    memories.forget(before.structured["id"])
    assert "opposite" not in store(second, category="preferences").structured


@pytest.mark.requirement("recallnest.store.opposite")
def test_a_preference_that_has_ended_or_is_about_replies_has_no_opposite(store: Any) -> None:
    store("紅茶より珈琲が好き", category="preferences", validUntil="2025-01-31")
    assert "opposite" not in store("珈琲より紅茶が好き", category="preferences").structured
    store("返信は簡潔に", category="preferences")
    assert "opposite" not in store("返信は詳しく", category="preferences").structured


@pytest.mark.requirement("recallnest.store.merged")
def test_a_text_told_again_adds_what_is_new(store: Any, search: Any) -> None:
    first = store("紅茶が好き。", tags=["飲む"]).structured
    again = store("紅茶が好き", tags=["朝"], importance=0.9, validUntil="2026-01-31").structured
    assert (again["disposition"], again["id"], again["tags"]) == ("deduped", first["id"], ["飲む", "朝"])
    (hit,) = search("紅茶", detail_level="full").structured["results"]
    assert (hit["text"], hit["importance"], hit["validUntil"]) == ("紅茶が好き。", 0.9, "2026-01-31T15:00:00.000Z")


@pytest.mark.requirement("recallnest.store.merged")
@pytest.mark.parametrize("text", ["エディタはNeovimを使う。", "编辑器用的是Neovim。", "The editor is Neovim."])
def test_a_text_that_is_told_again_with_a_key_has_that_key(store: Any, memories: Memories, text: str) -> None:
    first = store(text, category="entities").structured
    again = store(text, category="entities", canonicalKey="user:editor").structured
    assert (again["disposition"], again["id"], again["canonicalKey"]) == ("deduped", first["id"], "user-editor")
    assert store("Zed", category="entities", canonicalKey="user:editor").structured["disposition"] == "updated"
    assert [hit.memory.text for hit in memories.recall("", where=live()).hits] == ["Zed"]


@pytest.mark.requirement("recallnest.store.merged")
@pytest.mark.parametrize("text", ["エディタはNeovimを使う。", "编辑器用的是Neovim。", "The editor is Neovim."])
def test_a_text_that_is_told_again_without_its_key_is_replaced_too(store: Any, memories: Memories, text: str) -> None:
    store(text, category="entities", canonicalKey="user:editor")
    store(text, category="entities")
    assert store("Zed", category="entities", canonicalKey="user:editor").structured["disposition"] == "updated"
    assert [hit.memory.text for hit in memories.recall("", where=live()).hits] == ["Zed"]


@pytest.mark.requirement("recallnest.store.merged")
def test_a_text_that_is_told_again_as_the_new_one_of_a_key_is_kept_once(store: Any, memories: Memories) -> None:
    store("コーヒーはデカフェだけ。", category="profile")
    store("コーヒーはブラック。", category="profile", canonicalKey="user:coffee")
    again = store("コーヒーはデカフェだけ。", category="profile", canonicalKey="user:coffee").structured
    assert again["disposition"] == "updated"
    assert [hit.memory.text for hit in memories.recall("", where=live()).hits] == ["コーヒーはデカフェだけ。"]


@pytest.mark.requirement("recallnest.store.another_day")
def test_what_happened_again_on_another_day_is_another_event(store: Any, memories: Memories) -> None:
    def told(**when: str) -> tuple[str, str]:
        answer = store("歯医者に行った", **when).structured
        return answer["disposition"], answer["id"]

    _, monday = told(eventTime="2025-11-10")
    assert told(eventTime="2025年11月10日") == ("deduped", monday)
    disposition, friday = told(eventTime="2025-11-14")
    assert (disposition, friday == monday) == ("stored", False)
    assert told(eventTime="2025-11-14T09:00") == ("deduped", friday)
    assert told() == ("deduped", friday)
    starts = [str(each.event_time and each.event_time.start) for each in memories.get([monday, friday])]
    assert starts == ["2025-11-09 15:00:00+00:00", "2025-11-14 00:00:00+00:00"]


@pytest.mark.requirement("recallnest.store.another_day")
@pytest.mark.parametrize(
    ("text", "day", "month", "friday"),
    [
        ("歯医者に行った", "2025年11月10日", "2025年11月", "先週の金曜日"),
        ("去看了牙医", "11月10号", "这个月", "上周五"),
        ("Saw the dentist", "Nov 10", "this month", "last Friday"),
    ],
)
def test_a_day_that_is_known_stays_when_the_month_alone_is_told(
    store: Any, memories: Memories, text: str, day: str, month: str, friday: str
) -> None:
    ids = [store(text, eventTime=when).structured["id"] for when in (day, month, friday, month, day)]
    assert [ids.index(id) for id in ids] == [0, 0, 2, 2, 0]
    starts = [str(each.event_time and each.event_time.start) for each in memories.get([ids[0], ids[2]])]
    assert starts == ["2025-11-09 15:00:00+00:00", "2025-11-13 15:00:00+00:00"]


@pytest.mark.requirement("recallnest.store.another_day")
def test_a_preference_told_with_another_time_is_the_same_preference(store: Any) -> None:
    first = store("紅茶が好き", category="preferences", eventTime="2025-11-10").structured["id"]
    again = store("紅茶が好き", category="preferences", eventTime="2025-11-14").structured
    assert (again["disposition"], again["id"]) == ("deduped", first)


@pytest.mark.requirement("recallnest.store.merged")
def test_a_text_told_again_takes_the_tier_and_the_confidence_that_are_told_with_it(
    store: Any, memories: Memories
) -> None:
    id = store("暗証番号は手帳にある").structured["id"]
    hearsay = {"score": 0.3, "reliability": "hearsay"}
    assert store("暗証番号は手帳にある。", privacyTier="private", confidence=hearsay).structured["id"] == id
    for _ in range(2):  # what is told without them leaves them as they are
        (kept,) = memories.get([id])
        assert (kept.extra["privacyTier"], kept.extra["reliability"], kept.confidence) == ("private", "hearsay", 0.3)
        assert store("暗証番号は手帳にある").structured["disposition"] == "deduped"
    before = memories.store.last_seq()
    store("暗証番号は手帳にある", confidence=0.9, tags=["暗証番号"])
    (kept,) = memories.get([id])
    assert (kept.extra["privacyTier"], kept.confidence, kept.tags) == ("private", 0.9, ("暗証番号",))
    assert memories.store.last_seq() == before + 1, "in one transaction: nothing that others write comes between"


@pytest.mark.requirement("recallnest.store.merged")
@pytest.mark.parametrize("text", ["納期は六月らしい", "听说六月交付", "Delivery is said to be in June"])
def test_how_something_is_known_may_be_told_later_without_how_sure_it_is(
    store: Any, memories: Memories, text: str
) -> None:
    id = store(text, confidence=0.3).structured["id"]
    for reliability in ({"reliability": "hearsay"}, {}):
        assert store(text, confidence=reliability).structured["id"] == id
        (kept,) = memories.get([id])
        assert (kept.confidence, kept.extra["reliability"]) == (0.3, "hearsay")


@pytest.mark.requirement("recallnest.store.fields")
@pytest.mark.parametrize(
    ("until", "ends"),
    [
        ("2026-01-31", "2026-01-31T15:00:00.000Z"),
        ("2026年1月", "2026-01-31T15:00:00.000Z"),
        ("2026年1月31日15時", "2026-01-31T06:00:00.000Z"),
        ("2026-01-31T15:00", "2026-01-31T06:00:00.000Z"),
        # The clock says Friday, 21 November 2025: what is to hold until a date holds until the next one.
        ("Friday", "2025-11-28T15:00:00.000Z"),
        ("今度の水曜", "2025-11-26T15:00:00.000Z"),
        ("3月末まで", "2026-03-31T15:00:00.000Z"),
        ("周五之前", "2025-11-27T15:00:00.000Z"),
        ("三十天", "2025-12-21T15:00:00.000Z"),
    ],
)
def test_until_a_day_is_through_its_end_and_until_a_moment_is_that_moment(
    store: Any, search: Any, until: str, ends: str
) -> None:
    store("会議室は三階", validUntil=until)
    (hit,) = search("会議室", detail_level="full").structured["results"]
    assert hit["validUntil"] == ends


@pytest.mark.requirement("recallnest.store.merged")
def test_what_has_ended_can_be_told_again(store: Any, search: Any, clock: Any) -> None:
    store("休暇中", validUntil="今日")
    clock.advance(days=2)
    assert search("休暇").structured["results"] == []
    assert store("休暇中").structured["disposition"] == "stored"
    assert len(search("休暇").structured["results"]) == 1


KEY = "sk-" + "a1B2" * 6
JWT = "eyJ" + "hbGciOiJI" * 2 + ".eyJ" + "zdWIiOiIx" * 2 + "." + "c2lnbmF0" * 3
#: A random value, as in no list of known keys.
VALUE = "Zx81kQw92LmNp47TrB3y"
PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow\n" * 5 + "-----END RSA PRIVATE KEY-----"


@pytest.mark.requirement("recallnest.store.secrets")
@pytest.mark.parametrize(
    ("text", "kept", "kinds"),
    [
        (f"API の鍵は {KEY} です。", "API の鍵は [REDACTED:api_key] です。", ("api_key",)),
        ("用 ghp_" + "x1" * 18 + " 登录", "用 [REDACTED:api_key] 登录", ("api_key",)),
        (f"token {JWT}", "token [REDACTED:jwt]", ("jwt",)),
        (f"鍵:\n{PEM}", f"鍵:\n{PEM[:31]}[REDACTED:private_key]{PEM[-29:]}", ("private_key",)),
        ("Authorization: Bearer " + "q9" * 15, "Authorization: Bearer [REDACTED:token]", ("token",)),
        ("The password is hunter22!", "The password is [REDACTED:password]", ("password",)),
        ("The password is: hunter22!", "The password is: [REDACTED:password]", ("password",)),
        ("密码是：abc12345。", "密码是：[REDACTED:password]。", ("password",)),
        ("パスワードは： abc12345", "パスワードは： [REDACTED:password]", ("password",)),
        ("The password is isolated from user1234", "The password is isolated from user1234", ()),
        ("パスワードは「tanuki-2024」だ", "パスワードは「[REDACTED:password]」だ", ("password",)),
        ("密码：abc12345", "密码：[REDACTED:password]", ("password",)),
        ("無線網路的密碼為abc12345。", "無線網路的密碼為[REDACTED:password]。", ("password",)),
        ("密码为abc12345", "密码为[REDACTED:password]", ("password",)),
        ("密码：　abc12345", "密码：　[REDACTED:password]", ("password",)),
        ("私のpassword：abc12345", "私のpassword：[REDACTED:password]", ("password",)),
        # Words of Japanese and Chinese stand beside a secret without blanks.
        (f"鍵は{KEY}です。", "鍵は[REDACTED:api_key]です。", ("api_key",)),
        (f"密钥是{KEY}用于测试", "密钥是[REDACTED:api_key]用于测试", ("api_key",)),
        ("金鑰為AKIA" + "A1" * 8 + "僅供測試", "金鑰為[REDACTED:api_key]僅供測試", ("api_key",)),
        ("hf_" + "x1" * 17 + "を本番で使う", "[REDACTED:api_key]を本番で使う", ("api_key",)),
        (f"トークンは{JWT}です", "トークンは[REDACTED:jwt]です", ("jwt",)),
        ("ヘッダはBearer " + "q9" * 15 + "です", "ヘッダはBearer [REDACTED:token]です", ("token",)),
        # In settings and JSON, where what follows is kept.
        ("DB_PASSWORD=abc12345 を設定した", "DB_PASSWORD=[REDACTED:password] を設定した", ("password",)),
        (
            '设置是{"password":"abc12345","port":5432}。',
            '设置是{"password":"[REDACTED:password]","port":5432}。',
            ("password",),
        ),
        ("{'admin_password' : 'abc12345'}", "{'admin_password' : '[REDACTED:password]'}", ("password",)),
        ("password => 'abc12345', x := 1", "password => '[REDACTED:password]', x := 1", ("password",)),
        ('パスワード="abc12345".', 'パスワード="[REDACTED:password]".', ("password",)),
        (
            "curl -H 'authorization: bearer " + "q9" * 15 + "'",
            "curl -H 'authorization: bearer [REDACTED:token]'",
            ("token",),
        ),
        (
            f"{PEM[:31]}\nDEK-Info: AES-128-CBC,A1\n{PEM[31:]}",
            f"{PEM[:31]}[REDACTED:private_key]{PEM[-29:]}",
            ("private_key",),
        ),
        (
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOY\n-----END PGP PRIVATE KEY BLOCK-----",
            "-----BEGIN PGP PRIVATE KEY BLOCK-----[REDACTED:private_key]-----END PGP PRIVATE KEY BLOCK-----",
            ("private_key",),
        ),
        # A private key that is cut off, its lines made one.
        (
            f"鍵は{PEM[:31]} {'MIIEabcd12' * 6} {'x1Yz' * 16} {'Qa9z' * 6} 以上です",
            f"鍵は{PEM[:31]} [REDACTED:private_key] 以上です",
            ("private_key",),
        ),
        # In URLs.
        ("postgres://app:p4ssw0rd@db/x に接続", "postgres://app:[REDACTED:password]@db/x に接続", ("password",)),
        ("仓库在 https://u:p@h。", "仓库在 https://u:[REDACTED:password]@h。", ("password",)),
        ("Cache: redis://:s3cr3t@cache:6379/0", "Cache: redis://:[REDACTED:password]@cache:6379/0", ("password",)),
        # Under other names.
        ('dbPassword: "abc12345" を使う', 'dbPassword: "[REDACTED:password]" を使う', ("password",)),
        ("设置DB_PASS=abc12345", "设置DB_PASS=[REDACTED:password]", ("password",)),
        ("Password for the wifi is abc12345", "Password for the wifi is [REDACTED:password]", ("password",)),
        (f"api_key={VALUE} を設定", "api_key=[REDACTED:api_key] を設定", ("api_key",)),
        (f'{{"openaiApiKey": "{VALUE}", "x": 1}}', '{"openaiApiKey": "[REDACTED:api_key]", "x": 1}', ("api_key",)),
        (f"Its secret_key: {VALUE}.", "Its secret_key: [REDACTED:api_key].", ("api_key",)),
        (f"AWS_SECRET_ACCESS_KEY={VALUE}/{VALUE[1:]}", "AWS_SECRET_ACCESS_KEY=[REDACTED:api_key]", ("api_key",)),
        (f"APIキーは{VALUE}です", "APIキーは[REDACTED:api_key]です", ("api_key",)),
        (f"API密钥是{VALUE}。", "API密钥是[REDACTED:api_key]。", ("api_key",)),
        (f"access token: {VALUE}", "access token: [REDACTED:api_key]", ("api_key",)),
        # By what their services begin them with.
        ("Stripe は sk_live_" + "a1" * 12 + " を使う", "Stripe は [REDACTED:api_key] を使う", ("api_key",)),
        ("密钥 SG." + "a1" * 11 + "." + "b2" * 21, "密钥 [REDACTED:api_key]", ("api_key",)),
        ("pypi-AgE" + "a1" * 30 + " で公開", "[REDACTED:api_key] で公開", ("api_key",)),
        ("bot 123456789:AA" + "a1b" * 11 + "。", "bot [REDACTED:api_key]。", ("api_key",)),
        (
            "発送は https://hooks.slack.com/services/T0AB12CD3/B0AB12CD3/" + "a1B2" * 6,
            "発送は https://hooks.slack.com/services/[REDACTED:api_key]",
            ("api_key",),
        ),
        ("AccountKey=" + "a1B2" * 21 + "==;End", "AccountKey=[REDACTED:api_key];End", ("api_key",)),
        # Headers of requests.
        (
            'curl -H "Authorization: Basic dXNlcjpwYXNzd29yZDE=" 试一下',
            'curl -H "Authorization: Basic [REDACTED:password]" 试一下',
            ("password",),
        ),
        (
            "Cookie: theme=dark; session=" + "a1b2" * 6 + "\nを送る",
            "Cookie: [REDACTED:cookie]\nを送る",
            ("cookie",),
        ),
        ("Set-Cookie: sid=" + "a1b2" * 6 + "; HttpOnly", "Set-Cookie: [REDACTED:cookie]; HttpOnly", ("cookie",)),
        # Numbers with the right check digit.
        ("カードは4242 4242 4242 4242、期限12/27", "カードは[REDACTED:card_number]、期限12/27", ("card_number",)),
        ("卡号3782-822463-10005。", "卡号[REDACTED:card_number]。", ("card_number",)),
        ("卡號是５５５５５５５５５５５５４４４４", "卡號是[REDACTED:card_number]", ("card_number",)),
        ("我的身份证号是11010519491231002X", "我的身份证号是[REDACTED:id_number]", ("id_number",)),
        ("身分證 110105 19491231 002x 影本", "身分證 [REDACTED:id_number] 影本", ("id_number",)),
        # In full-width letters.
        ("ｐａｓｓｗｏｒｄ：ａｂｃ１２３４５！", "ｐａｓｓｗｏｒｄ：[REDACTED:password]！", ("password",)),
        ("密码是ａｂｃ１２３４５，请保密", "密码是[REDACTED:password]，请保密", ("password",)),
        ("パスワードは8文字以上にする", "パスワードは8文字以上にする", ()),
        ("The password policy is strict", "The password policy is strict", ()),
        ("密码是什么？", "密码是什么？", ()),
        ("task sk-8 and the sketch-book", "task sk-8 and the sketch-book", ()),
        *(
            (text, text, ())
            for text in (
                # How passwords are kept is no password.
                "パスワードは1Passwordで管理している。",
                "密码是1Password管理的。",
                "Password: 1Password, vault Team",
                "パスワードは「SHA-256」でハッシュ化する",
                "密码为AES-256加密后存储",
                "The password is base64-encoded before it is sent.",
                "パスワードはbcrypt(cost=12)でハッシュ化する",
                "密码为HMAC-SHA256签名后存储",
                "密码是OAuth2-based的",
                # Nor is where it comes from.
                "password: getPassword(user1) で得る",
                "The secret_key = load_key_from_s3(bucket1)",
                "secret_key: secrets/k8s2/prod-key1.pem に置く",
                "apiKey = config_v2_production_key",
                "The password for the new account is user1234's birthday",
                "パスワードはtaro2024's birthdayの略",
                "密码是zhang2024's birthday的缩写",
                "api_key_id = 2aB3cD4eF5gH6iJ7kL8m",
                "compass=abc12345",
                # Nor are the words of an example, a port or the tag of an image.
                "postgres://user:password@localhost/db の形で書く",
                "地址写 https://USER:PASS@host 即可",
                "http://localhost:8080@taro",
                "docker://alpine:3.19@sha256:aa11bb",
                "ssh://git@example.com:22/a/b, http://example.com:8080/@user1",
                "A file begins with -----BEGIN PRIVATE KEY----- and then base64 lines.",
                "DB_PASSWORD=${DB_PASSWORD_V2} に替えた",
                "密码：<your-password-1>",
                "password: process.env.DB_PASSWORD2 を読む",
                '{"password":"changeme","port":5432}',
                # Numbers with another check digit or day of birth, and parts of longer ones.
                "注文番号は4242 4242 4242 4241です",
                "身份证号110105194912310021不对",
                "order 110105194913310027",
                "圆周率3.4242424242424242",
                "uuid 4242-4242-4242-4242-4242",
                "会議IDは424242424242424242です",
                # What is said of headers.
                "Authorization: Basic authentication で十分",
                "Cookie: 设置 SameSite=Strict 即可",
                "Cookie: chocolate=delicious, oatmeal=soft",
                # Words and identifiers that begin like a key have no digit.
                "Bearer authentication/authorization は中間層で行う",
                "请求头写 Bearer YOUR_ACCESS_TOKEN_HERE 即可",
                "The class sk-toggleable__label-arrow is too wide.",
                "hf_hub_download_with_retries_and_cache が失敗する",
            )
        ),
    ],
)
def test_a_secret_is_replaced_and_ordinary_text_is_not(text: str, kept: str, kinds: tuple[str, ...]) -> None:
    assert redacted(text) == (kept, kinds)


@pytest.mark.requirement("recallnest.store.secrets")
@pytest.mark.parametrize(
    "text",
    [
        *("password:" * 50_000, 'password"' * 50_000, "-----BEGIN PRIVATE KEY-----" * 20_000, "eyJ" * 100_000),
        *("Cookie: a=" * 20_000, "4111 " * 40_000, "1" * 200_000, "authorization: basic " * 10_000),
        *("password for " + "a " * 100_000, "://" + "a" * 200_000, "://a:" * 50_000, "api_key=a1_" * 20_000),
    ],
)
def test_texts_made_to_be_slow_are_read_once(text: str) -> None:
    assert redacted(text) == (text, ())


@pytest.mark.requirement("recallnest.store.secrets")
def test_the_answer_says_what_was_replaced(store: Any, call: Any, memories: Memories) -> None:
    answer = store(f"鍵は {KEY}")
    assert "\nRedacted: api_key\n" in answer.text
    case = call("store_case", title=f"{KEY} が漏れた", problem="漏洩", solutionSteps=["密码：abc12345 を替える"])
    assert case.structured["redacted"] == ["api_key", "password"]
    batch = call("batch_store", memories=[{"text": f"予備の鍵は {KEY}"}, {"text": "抹茶"}])
    assert [line.partition(" (")[2] for line in batch.text.split("\n")[1:]] == ["events, redacted: api_key)", "events)"]
    ids = [each["id"] for each in batch.structured["memories"]]
    for id in (answer.structured["id"], case.structured["id"], *ids):
        (kept,) = memories.get([id])
        assert not any(secret in repr(kept) for secret in (KEY, "abc12345"))


@pytest.mark.requirement("recallnest.store.secrets")
@pytest.mark.parametrize(
    ("trigger", "action"),
    [("デプロイ", "パスワードは abc12345"), ("部署", "密码：abc12345"), ("deploy", "DB_PASSWORD=abc12345")],
)
def test_a_reminder_keeps_no_secret_either(call: Any, search: Any, trigger: str, action: str) -> None:
    assert "redacted" not in call("set_reminder", trigger=trigger, action="お茶").structured
    answer = call("set_reminder", trigger=trigger, action=action)
    assert answer.structured["redacted"] == ["password"]
    assert answer.text.endswith("\nRedacted: password")
    assert call("set_reminder", trigger=trigger, action=action).structured["id"] == answer.structured["id"]
    fired = search(trigger)
    assert action.replace("abc12345", "[REDACTED:password]") in fired.text
    assert "abc12345" not in repr((answer, fired))
