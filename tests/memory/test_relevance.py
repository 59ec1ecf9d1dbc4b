"""Relevance is one number in 0..1 that never rises down the list."""

from itertools import pairwise
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.memory import Memories
from omoide.memory.relevance import relevance
from omoide.model.condition import Under
from omoide.model.memory import Draft
from omoide.model.query import Evidence, Query

share = st.floats(0, 1)
usual = st.tuples(share, share)
usual_of_some = st.tuples(share, share, st.integers(0, 200))
evidence = st.builds(
    Evidence,
    coverage=share,
    usual_coverage=usual,
    cosine=st.floats(-1, 1),
    usual_cosine=st.none() | usual_of_some,
    graph=st.booleans(),
    rarity=st.floats(0, 20),
)


@given(st.lists(evidence), st.integers(0, 10**7))
def test_relevance_lies_in_bounds_and_never_rises(ranked: list[Evidence], searched: int) -> None:
    values = relevance(ranked, searched)
    assert len(values) == len(ranked)
    assert all(0.0 <= value <= 1.0 for value in values)
    assert all(above >= below - 1e-12 for above, below in pairwise(values))


@given(evidence, share)
def test_more_of_the_query_is_never_less_relevant(known: Evidence, more: float) -> None:
    fuller = known._replace(coverage=max(known.coverage, more))
    assert relevance([fuller])[0] >= relevance([known])[0] - 1e-12


def test_a_memory_with_every_word_of_the_query_is_surely_relevant() -> None:
    assert relevance([Evidence(coverage=1.0, cosine=0.5)])[0] > 0.9


def test_a_memory_that_shares_nothing_is_not_relevant() -> None:
    assert relevance([Evidence(coverage=0.0, cosine=0.0)]) == [0.0]


#: What texts usually cover of a question of few words, and of a long message.
FEW_WORDS, LONG = (0.02, 0.06), (0.02, 0.025)


@pytest.mark.parametrize("usually", [(0.0, 0.0), FEW_WORDS, (0.4, 0.2)])
def test_most_of_the_words_are_enough_in_any_store(usually: tuple[float, float]) -> None:
    assert relevance([Evidence(0.7, usually)], 1_000_000)[0] > 0.7


@pytest.mark.parametrize(("coverage", "few", "many"), [(0.05, 0.0, 0.0), (0.1, 0.0, 0.25), (0.3, 0.65, 1.0)])
def test_of_a_longer_query_a_smaller_share_is_as_sure(coverage: float, few: float, many: float) -> None:
    assert relevance([Evidence(coverage, FEW_WORDS)])[0] == pytest.approx(few, abs=0.1)
    assert relevance([Evidence(coverage, LONG)])[0] == pytest.approx(many, abs=0.15)


def test_what_texts_of_the_store_match_by_chance_is_not_enough() -> None:
    (rare,), (common,) = relevance([Evidence(0.2, LONG)]), relevance([Evidence(0.2, (0.15, 0.05))])
    assert (rare > 0.9, common < 0.1) == (True, True)


def test_the_best_of_many_memories_must_say_more_than_the_best_of_few() -> None:
    known = [Evidence(0.15, LONG)]
    few, more, many = (relevance(known, searched)[0] for searched in (50, 1_000, 100_000))
    assert few > 0.9 > more > 0.01 > many


def test_what_says_a_small_part_of_what_the_best_says_is_what_any_memory_would_be() -> None:
    best, near, far = relevance([Evidence(share, LONG) for share in (0.4, 0.25, 0.1)])
    assert best > near > 0.7
    assert far < 0.1 < relevance([Evidence(0.1, LONG)])[0]


@pytest.mark.parametrize("cosines", [(0.05, 0.1, 128), (0.4, 0.04, 128), (0.4, 0.04, 30)])
def test_meaning_is_told_by_how_far_it_is_beyond_what_is_usual(cosines: tuple[float, float, int]) -> None:
    mean, spread, _ = cosines
    near, usual = (Evidence(0.0, cosine=mean + far * spread, usual_cosine=cosines) for far in (4.0, 0.0))
    assert relevance([near])[0] > 0.7
    assert relevance([usual])[0] < 0.05


@pytest.mark.parametrize(
    ("others", "least", "most"), [((), 0.0, 0.0), ((0.1,), 0.0, 0.0), ((0.1, 0.13, 0.08, 0.12), 0.9, 1.0)]
)
def test_of_a_few_texts_one_stands_out_if_the_others_are_alike(
    others: tuple[float, ...], least: float, most: float
) -> None:
    cosines = [0.6, *others]
    known = Evidence(0.0, cosine=0.6, usual_cosine=(fmean(cosines), pstdev(cosines), len(cosines)))
    assert least <= relevance([known])[0] <= most


def test_words_and_meaning_together_are_surer_than_either() -> None:
    words = Evidence(0.25, FEW_WORDS, usual_cosine=(0.0, 0.1, 128))
    both, meaning = words._replace(cosine=0.25), words._replace(coverage=0.0, cosine=0.25)
    assert relevance([both])[0] > max(relevance([words])[0], relevance([meaning])[0]) + 0.1


@pytest.mark.parametrize(
    ("texts", "question", "right"),
    [
        (("昨日、京都で抹茶を飲んだ。", "駅前で傘を買った。"), "京都で何を飲んだ？", 0),
        (("我们决定用SQLite保存记忆。", "明天去爬山。"), "记忆保存在哪里", 0),
        (("The tea house opens at nine.", "We parked on level two."), "where did we park", 1),
    ],
)
def test_a_hit_tells_what_its_relevance_is_made_of(
    memories: Memories, texts: tuple[str, ...], question: str, right: int
) -> None:
    for text in texts:
        memories.remember(text)
    (first, *rest) = memories.recall(question).hits
    assert first.memory.text == texts[right]
    known = first.why.evidence
    assert known is not None
    assert known.coverage > known.usual_coverage[0]
    assert all(hit.relevance < 0.4 for hit in rest)


@pytest.mark.parametrize(
    ("liked", "question", "answer"),
    [
        ("{}番の客は{}番の席が好きだ。", "山田さんは何が好き", "山田さんは羊羹が好きだ。"),
        ("{}号客人喜欢{}号座位。", "小明最喜欢什么", "小明最喜欢羊羹。"),
        ("Guest {} likes seat {}.", "what does Yamada like", "Yamada likes red bean jelly."),
    ],
)
def test_a_word_that_one_text_in_fifty_has_makes_none_of_them_relevant(
    memories: Memories, liked: str, question: str, answer: str
) -> None:
    texts = [f"第{n}回の会議は延期。 第{n}次会议延期。 Meeting {n} was put off." for n in range(300)]
    texts += [liked.format(n, n) for n in range(6)]
    memories.remember_many([Draft(text=text) for text in texts])
    assert memories.recall(question).hits[0].relevance < 0.4
    memories.remember(answer)
    first = memories.recall(question).hits[0]
    assert first.memory.text == answer
    assert first.relevance > 0.4


@pytest.mark.parametrize(
    ("asked", "inside", "itself"),
    [
        ("茶", "緑茶を飲んだ。", "お茶を飲む。"),
        ("猫", "野猫在睡觉。", "我家的猫很可爱。"),
        ("雨", "大雨が降った。", "雨の日に"),
    ],
)
@pytest.mark.parametrize("others", [0, 60], ids=["alone", "among others"])
def test_a_character_inside_of_a_longer_word_is_half_of_what_is_asked(
    memories: Memories, asked: str, inside: str, itself: str, others: int
) -> None:
    for number in range(others):
        memories.remember(f"第{number}回の会議 the meeting 会议")
    memories.remember(inside)
    assert [round(hit.relevance, 2) for hit in memories.recall(asked).hits] == [0.5]
    memories.remember(itself)
    told = {hit.memory.text: round(hit.relevance, 2) for hit in memories.recall(asked).hits}
    assert told == {itself: 1.0, inside: 0.5}


@pytest.mark.parametrize(
    ("turns", "question", "about"),
    [
        (
            ("Melanie: See you then!", "Melanie: So tired today.", "Melanie: We have two cats and a dog."),
            "Which cats does Melanie have?",
            2,
        ),
        (("田中：またね！", "田中：今日は疲れた。", "田中：猫を二匹飼っている。"), "田中さんは猫を飼っている？", 2),
        (("小明：回头见！", "小明：今天好累。", "小明：我养了两只猫。"), "小明养了猫吗？", 2),
    ],
)
def test_who_speaks_in_every_turn_of_a_conversation_tells_nothing_in_it(
    memories: Memories, turns: tuple[str, ...], question: str, about: int
) -> None:
    for number in range(60):
        memories.remember(f"{turns[number % 2][:-1]} {number}", scope="chat")
    memories.remember(turns[about], scope="chat")
    for number in range(400):
        memories.remember(f"Report {number}: 報告 报告", scope="work")
    query = Query(text=question, where=Under("chat"), limit=10)
    first, *rest = memories.recall(query).hits
    assert (first.memory.text, first.relevance > 0.7) == (turns[about], True)
    assert all(hit.relevance < 0.3 for hit in rest)


@pytest.mark.parametrize(
    ("texts", "answered", "unanswered"),
    [
        (
            ("We chose PostgreSQL for billing.", "The cat is called Mochi."),
            "what is the cat called",
            "how do I bake bread",
        ),
        (("請求にはPostgreSQLを選んだ。", "猫の名前はもち。"), "もちって何？", "パンの焼き方"),
        (("我们决定用PostgreSQL保存账单。", "猫叫麻薯。"), "猫叫什么名字", "怎么烤面包"),
    ],
)
def test_the_first_few_memories_answer_and_say_where_they_do_not(
    memories: Memories, texts: tuple[str, ...], answered: str, unanswered: str
) -> None:
    for text in texts:
        memories.remember(text)
    assert memories.recall(answered).hits[0].relevance >= 0.4
    assert all(hit.relevance < 0.4 for hit in memories.recall(unanswered).hits)


def test_a_list_has_no_evidence(memories: Memories) -> None:
    memories.remember("京都で抹茶を飲んだ。")
    assert memories.recall("").hits[0].why.evidence is None


def test_how_relevant_a_hit_is_does_not_hang_on_how_many_are_shown(memories: Memories) -> None:
    for text in (
        "Login function",
        "Handles user login and session management",
        "Session store",
        "Login page was broken after the deploy",
        "how to log in to the staging server",
        "ログイン画面の不具合を直した",
        "登录流程需要两步验证",
        "昨日、京都で抹茶を飲んだ。",
    ):
        memories.remember(text)
    told = [memories.recall("how does login work", limit=limit).hits[0].relevance for limit in (1, 2, 3, 10)]
    assert told == [told[0]] * 4


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("Wi-Fi", "The wifi password is taped under the router."),
        ("check-in", "Hotel checkin from three o'clock."),
        ("Wi-Fiのパスワード", "wifiのパスワードはルーターの裏。"),
        ("Wi-Fi 密码", "wifi密码贴在路由器背面。"),
    ],
)
def test_a_text_that_writes_the_words_of_a_query_as_one_has_them_all(
    memories: Memories, asked: str, written: str
) -> None:
    memories.remember_many([Draft(text=text) for text in (written, "花を買った。", "明天开会。", "The dog barks.")])
    best = memories.recall(asked).hits[0]
    assert best.memory.text == written
    assert best.relevance > 0.9


def test_a_name_is_found_surely_that_no_dictionary_has_where_no_space_is_before_it(memories: Memories) -> None:
    for text in ("今天见小明", "今天去爬山", "咖啡太苦了", "明天下小雨"):
        memories.remember(text)
    best, *others = memories.recall("小明").hits
    assert best.memory.text == "今天见小明"
    assert best.relevance > 0.9
    assert all(hit.relevance < 0.4 for hit in others)
