"""What a memory mentions by name is linked to it, whichever of the two came first."""

import dis
import shutil
import sys
import threading
from collections.abc import Callable
from itertools import cycle
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide.app import open_memories
from omoide.engine.generation import READ_AGAIN, Generation
from omoide.memory import Memories
from omoide.model.condition import Under
from omoide.model.query import Query, Recalled

LANGUAGES = pytest.mark.parametrize(
    ("title", "text", "question"),
    [
        ("無名塾", "昨日の稽古場は無名塾だった。", "昨日の稽古"),
        ("清原果耶", "打ち上げで清原果耶に会った。", "打ち上げ"),
        ("小明", "昨天在食堂遇见了小明。", "食堂"),
        ("國立故宮博物院", "下午参观了国立故宫博物院。", "下午参观"),
        ("Hello Love (song)", "The band played Hello Love's chorus twice.", "chorus twice"),
    ],
)


def walked(found: Recalled) -> list[tuple[str, list[str]]]:
    """What the graph led to, and by which relations."""
    return [(hit.memory.id, [step.relation for step in hit.why.path]) for hit in found.hits if hit.why.path]


@LANGUAGES
@pytest.mark.parametrize("first", ["title", "text"])
def test_a_title_that_is_mentioned_leads_to_its_memory(
    memories: Memories, title: str, text: str, question: str, first: str
) -> None:
    steps: dict[str, Callable[[], object]] = {
        "title": lambda: memories.remember("…", id="named", title=title),
        "text": lambda: memories.remember(text, id="mention"),
    }
    for step in sorted(steps, key=lambda step: step != first):
        steps[step]()
        memories.recall(question)
    assert ("named", ["mentions"]) in walked(memories.recall(question))
    assert memories.stats()["index"]["mentions"] == 1


THREADS = pytest.mark.parametrize(
    ("name", "text", "question"),
    [
        ("京都旅行", "予算は京都旅行のために取ってある。", "予算"),
        ("装修计划", "周末讨论了装修计划。", "周末讨论"),
        ("Kitchen renovation", "The loan pays for the kitchen renovation.", "loan"),
    ],
)


@THREADS
def test_what_mentions_the_name_of_a_thread_leads_to_what_is_in_it(
    memories: Memories, name: str, text: str, question: str
) -> None:
    memories.remember(text, id="mention")
    thread = memories.create_thread(name)
    memories.remember("…", id="by the name of its thread", thread=thread.id)
    memories.remember("…!", id="by a name of its own", thread="elsewhere", thread_name=name)
    memories.remember("…?", id="in another thread", thread="elsewhere")
    found = {id for id, path in walked(memories.recall(question)) if path == ["mentions"]}
    assert found == {"by the name of its thread", "by a name of its own"}


@THREADS
def test_another_name_of_a_thread_is_mentioned_by_other_texts(
    memories: Memories, name: str, text: str, question: str
) -> None:
    memories.remember(text, id="mention")
    memories.create_thread("—", id="t")
    memories.remember("…", id="inside", thread="t")
    for renamed, expected in [("—", []), (name, [("inside", ["mentions"])]), ("——", [])]:
        memories.create_thread(renamed, id="t")
        memories.recall(question)
        assert walked(memories.recall(question)) == expected, renamed


def test_a_question_that_names_a_thread_finds_what_is_in_it(memories: Memories) -> None:
    memories.remember("三日目は雨だった。", id="inside", thread="t", thread_name="京都旅行")
    memories.remember("昼は蕎麦。", id="outside")
    assert [hit.memory.id for hit in memories.recall("京都旅行").hits] == ["inside"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("京都", "東京都庁へ行った。"),
        ("あや", "あやしい話だった。"),
        ("明天", "他说明天气变化的原因。"),
        ("Bob", "The thingumbob is broken."),
        ("수지", "공원의 분수지만 작다."),
        ("art", "We start early."),
    ],
)
def test_a_name_inside_another_word_is_no_mention(memories: Memories, name: str, text: str) -> None:
    memories.remember("…", title=name)
    memories.remember(text)
    assert memories.stats()["index"]["mentions"] == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("小明", "小明の友達に会った。"),
        ("王芳", "昨日、王芳と会った。"),
        ("小红", "小红と老王が来た。"),
        ("田中", "昨天田中来了。"),
        ("美咲", "Dinner with 美咲 in Kobe."),
    ],
)
def test_a_name_of_another_language_is_mentioned_where_it_is_taken_apart(
    memories: Memories, name: str, text: str
) -> None:
    memories.remember("…", title=name)
    memories.remember(text)
    assert memories.stats()["index"]["mentions"] == 1


def test_entities_are_mentioned_by_name(memories: Memories) -> None:
    memories.observe("サクラ", "person", "柴犬だ。")
    memories.observe("小红", "person", "喜欢抹茶。")
    memories.remember("今天见到了小红。", id="met")
    memories.remember("さくらと散歩した。", id="mention")
    assert memories.stats()["index"]["mentions"] == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("O'Brien", "Tea with O’Brien at nine."),
        ("O’Brien", "Tea with O'Brien at nine."),
        ("Jean-Luc", "Jean‐Luc rang."),
        ("José Núñez", "Jose Nunez rang."),
        ("José Núñez", "José Núñezと話した。"),
        ("L'Été", "昨天在L’Été吃饭。"),
        ("山田 太郎", "山田太郎さんに会った。"),
        ("山田 太郎", "山田　太郎 様"),
        ("王 小明", "昨天遇见了王小明。"),
        ("台北 101", "昨天去了台北101。"),
        ("ﾀﾞﾅ", "ダナと散歩した。"),
        ("台北", "昨天去了臺北。"),
        ("春", "春は元気だった。"),
        ("春", "昨天遇见了春。"),
        ("空", "空と公園で遊んだ。"),
        ("蓮", "蓮の誕生日だった。"),
        ("先生", "先生に手紙を書いた。"),
        ("会社", "会社について話した。"),
        ("豆豆", "豆豆は散歩が好きだ。"),
        ("豆豆", "豆豆今天很高兴。"),
        ("森", "Dinner with 森 in Kobe."),
        ("서울", "어제 서울에서 만났다."),
        ("김민수", "김민수는 점심에 왔다."),
        ("홍길동전", "홍길동전을 읽었다."),
        ("삼성 TV", "삼성 TV를 샀다."),
        ("민지", "민지さんに会った。"),
        ("민지", "昨天遇见了민지。"),
        ("กรุงเทพ", "ไปกรุงเทพมา"),
        ("สมชาย", "เมื่อวานเจอสมชายที่ตลาด"),
        ("ນາງແກ້ວ", "ມື້ວານພົບນາງແກ້ວຢູ່ຕະຫຼາດ"),
        ("ရန်ကုန်", "ကျွန်တော်ရန်ကုန်သွားတယ်"),
        ("ភ្នំពេញ", "ខ្ញុំទៅភ្នំពេញ"),
    ],
)
@pytest.mark.parametrize("first", ["name", "text"])
def test_a_name_is_mentioned_however_it_is_typed(memories: Memories, name: str, text: str, first: str) -> None:
    steps: dict[str, Callable[[], object]] = {
        "name": lambda: memories.observe(name, "person", "…"),
        "text": lambda: memories.remember(text),
    }
    for step in sorted(steps, key=lambda step: step != first):
        steps[step]()
        memories.recall(text)
    assert memories.stats()["index"]["mentions"] == 1


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("空", "空について教えてください"),
        ("春", "春は元気？"),
        ("春", "春怎么样"),
        ("手紙", "手紙はどこ？"),
        ("図書館", "図書館について教えてください"),
        ("自転車", "自転車はどこ？"),
        ("誕生日", "誕生日はいつ？"),
        ("图书馆", "请告诉我图书馆的事"),
        ("Rose", "What does Rose like?"),
    ],
)
def test_a_question_names_an_entity_in_either_language(memories: Memories, name: str, question: str) -> None:
    memories.observe(name, "person", "…")
    assert [entity.name for entity in memories.recall(question).entities] == [name]


def test_a_title_without_its_accents_is_another_word(memories: Memories) -> None:
    memories.remember("…", title="Résumé")
    memories.remember("We resume at nine.")
    assert memories.stats()["index"]["mentions"] == 0


def test_a_mention_does_not_reach_out_of_a_scope(memories: Memories) -> None:
    memories.remember("…", id="named", title="無名塾", scope="稽古")
    memories.remember("昨日は無名塾だった。", id="mention", scope="日記")
    memories.remember("無名塾の話をした。", id="other", scope="日記")
    within = memories.recall(Query(text="昨日", where=Under("日記")))
    assert walked(within) == []
    assert {hit.memory.id for hit in within.hits} == {"mention"}
    assert "named" in dict(walked(memories.recall("昨日")))


names = st.sampled_from(["京都", "抹茶", "茶"])
texts = st.sampled_from(
    ["京都で抹茶を飲んだ。", "東京都のお茶", "抹茶と京都駅", "我在京都喝了抹茶。", "matcha in Kyoto"]
)
ids = st.sampled_from(["a", "b", "c", "d", "e"])
steps = st.one_of(
    st.tuples(st.just("remember"), ids, texts, st.one_of(st.none(), names)),
    st.tuples(st.just("forget"), ids, st.none(), st.none()),
    st.tuples(st.just("recall"), ids, st.none(), st.none()),
    st.tuples(st.just("restart"), ids, st.none(), st.none()),
)


@settings(max_examples=25)
@given(st.lists(steps, max_size=14))
def test_after_any_history_the_mentions_are_those_of_a_rebuild(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, str, str | None, str | None]]
) -> None:
    data = tmp_path_factory.mktemp("history")
    memories = open_memories(data)
    there: set[str] = set()
    for step, id, text, title in history:
        if step == "remember" and text is not None:
            memories.remember(text, id=id, title=title)
            there.add(id)
        elif step == "forget" and id in there:
            memories.forget(id)
            there.remove(id)
        elif step == "recall":
            memories.recall("抹茶")
        elif step == "restart":
            memories.close()
            memories = open_memories(data)
    grown = linked(memories)
    memories.close()
    shutil.rmtree(data / "index", ignore_errors=True)
    with open_memories(data) as rebuilt:
        assert linked(rebuilt) == grown


def linked(memories: Memories) -> tuple[int, list[tuple[str, float]]]:
    hits = memories.recall("京都の抹茶").hits
    return memories.stats()["index"]["mentions"], [(hit.memory.id, round(hit.score, 5)) for hit in hits]


def test_a_name_that_comes_while_another_thread_looks_for_texts_to_link_is_linked(memories: Memories) -> None:
    """The change comes once before each instruction of the other thread."""
    index, serving = memories._index, memories._index._serving
    memories.remember("昨日の抹茶はおいしい。昨天喝了茶。tea")
    memories.recall("抹茶")
    looking = Generation.read_again.__code__
    instructions = [each.offset for each in dis.get_instructions(looking)]

    def name_comes(name: str) -> None:
        memories.upsert_node("concept", name, "…")
        serving.follow(memories.store, memories.store.last_seq())

    def look_interrupted(at: int, name: str) -> None:
        def each_instruction(frame: FrameType, event: str, arg: object) -> object:
            frame.f_trace_opcodes = True
            if event == "opcode" and frame.f_lasti == at:
                sys.settrace(None)
                frame.f_trace = None
                other = threading.Thread(target=name_comes, args=(name,))
                other.start()
                other.join()
                return None
            return each_instruction

        sys.settrace(lambda frame, event, arg: each_instruction if frame.f_code is looking else None)  # type: ignore[arg-type,return-value]
        try:
            serving.read_again(memories.store, READ_AGAIN)
        finally:
            sys.settrace(None)

    for at, name in zip(instructions, cycle(["抹茶", "茶", "tea"])):
        memories.remember(f"{at}")  # or there is nothing to look for
        index.follow_in_time()
        look_interrupted(at, name)
        memories.recall("抹茶")
        assert index.state().stats.waiting == 0, at
        for node in memories.entities_named(name, entity_class="node"):
            memories.forget_entity(node.id)
