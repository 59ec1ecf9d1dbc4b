"""Phrases that only ask for an answer weigh as little as function words."""

import pytest

from omoide.memory import Memories
from omoide.text import Analyzer

ANALYZER = Analyzer()


def telling(question: str) -> set[str]:
    """The words with a weight, folded, without those that are only a part of another."""
    asked = ANALYZER.query(question)
    places = {(word.start, word.end) for word in asked.words if word.weight > 0.0}
    whole = [
        one for one in places if not any(one != other and other[0] <= one[0] <= one[1] <= other[1] for other in places)
    ]
    return {asked.folded[start:end] for start, end in whole}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("抹茶について教えてください。", {"抹茶"}),
        ("京都の旅行のことを覚えていますか？", {"京都", "旅行"}),
        ("抹茶を教えてもらえますか", {"抹茶"}),
        ("会議、調べてほしいです。お願いします", {"会议"}),
        ("「教えて」という曲", {"教エ", "曲"}),
        ("请告诉我上次会议的结论", {"上次", "会议", "结论"}),
        ("上次的會議你還記得嗎？", {"上次", "会议"}),
        ("请问什么时候开会", {"开会"}),
        ("帮我找一下绿茶的笔记", {"绿茶", "笔记"}),
        ("Can you please tell me about the picnic?", {"picnic"}),
        ("The picnic: do you remember when it is", {"picnic"}),
        ("I'd like to know which book Tom wrote, please.", {"book", "tom", "wrote"}),
        ("Search your memory for the wifi password", {"wifi", "password"}),
        ("What did I say about the budget?", {"budget"}),
        ("have I ever mentioned my allergy", {"allergy"}),
        ("is there anything on the budget", {"budget"}),
        ("list all my allergies", {"allergies"}),
        ("summarize what we discussed about Rust", {"rust"}),
        ("what happened with the leak", {"leak"}),
        ("予算について何て言ったっけ", {"豫算"}),
        ("予算のこと、何か言ってた？", {"豫算"}),
        ("妹の話をしたっけ", {"妹", "话"}),
        ("Rustについて話し合ったこと", {"rust"}),
        ("关于预算我说过什么", {"预算"}),
        ("有提到过敏吗", {"过敏"}),
        ("列出所有过敏", {"过敏"}),
        ("密码是多少来着", {"密码"}),
        ("密碼多少來著", {"密码"}),
        ("面談何時だったっけ", {"面谈"}),
        ("送料は何円", {"送料"}),
        ("姑姑几点到", {"姑姑"}),
        ("水管修好花了多少钱", {"水管", "修好"}),
        ("他为啥迟到", {"迟到"}),
        ("電費為什麼這麼高", {"电费", "高"}),
    ],
)
def test_a_request_says_nothing_of_its_subject(question: str, words: set[str]) -> None:
    assert telling(question) == words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("英語を教えてくれた先生", {"英语", "教エ", "クレ", "先生"}),
        ("教えて", {"教エ"}),
        ("老师告诉我们的事", {"老师", "告诉", "事"}),
        ("告诉我", {"告诉"}),
        ("What did Anna tell me about her job?", {"anna", "tell", "job"}),
        ('"Please Remember" by LeAnn', {"please", "remember", "leann"}),
        ("tell me", {"tell"}),
        ("list comprehension", {"list", "comprehension"}),
        ("Mia mentioned a film", {"mia", "mentioned", "film"}),
        ("相关系数", {"相关系数"}),
        ("英語で言った", {"英语", "言ッ"}),
    ],
)
def test_the_same_words_count_elsewhere_and_alone(question: str, words: set[str]) -> None:
    assert telling(question) == words


@pytest.mark.parametrize(
    ("question", "light"),
    [
        ("any notes on the budget?", {"notes"}),
        ("details of the contract", {"details"}),
        ("the reason for the delay", {"reason"}),
        ("予算の件", {"件"}),
        ("会議についてのメモ", {"メモ"}),
        ("アレルギーの一覧", {"一览"}),
        ("預算的事情", {"事情"}),
        ("延迟的原因", {"原因"}),
        # No such phrases.
        ("guitar notes", set()),
        ("話題の店のメモリ", set()),
        ("的事务所", set()),
        ("メモ", set()),
    ],
)
def test_what_kind_of_text_is_looked_for_weighs_less_than_what_it_is_about(question: str, light: set[str]) -> None:
    asked = ANALYZER.query(question)
    assert {asked.folded[word.start : word.end] for word in asked.words if 0.0 < word.weight < 1.0} == light


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("お父さんの薬の名前", {"父", "药", "名前"}),
        ("ご予約は", {"豫约"}),
        ("御社の住所", {"社", "住所"}),
        ("お茶", {"茶"}),
    ],
)
def test_what_is_said_before_a_word_out_of_politeness_is_not_asked_for(question: str, words: set[str]) -> None:
    assert telling(question) == words


@pytest.mark.parametrize("request_", ["请告诉我茶。", "茶について教えて。", "Please tell me about 茶. "])
def test_a_message_of_a_hundred_thousand_requests_is_read_like_one(request_: str) -> None:
    words = ANALYZER.query(request_ * 100_000).words
    assert {word.term for word in words if word.weight > 0.0} == {"tea"}


@pytest.mark.parametrize(
    ("question", "about", "asking"),
    [
        ("昨日の散歩について教えてください", "昨日は川の方へ散歩した。", "駅への道を教えてください。"),
        ("请告诉我散步的事", "昨天去河边散步了。", "他告诉我去车站的路。"),
        (
            "Please tell me about the walk",
            "Yesterday we walked along the river.",
            "Please tell me the way to the station.",
        ),
    ],
)
def test_what_is_asked_about_comes_before_what_asks(memories: Memories, question: str, about: str, asking: str) -> None:
    for text in (about, asking, "抹茶", "绿茶", "tea"):
        memories.remember(text)
    hits = memories.recall(question).hits
    assert hits[0].memory.text == about
    assert all(hit.relevance < 0.4 for hit in hits[1:])
