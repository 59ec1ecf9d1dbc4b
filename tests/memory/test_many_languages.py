"""One store, several languages: what one of them finds is what it would find alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.app import open_memories
from omoide.model.memory import Draft

JAPANESE = [f"{place}で{food}を食べたのは{day}日のことだったと思う。" for day, (place, food) in enumerate(
    [("京都", "湯豆腐"), ("札幌", "ラーメン"), ("大阪", "たこ焼き"), ("京都", "抹茶パフェ"), ("那覇", "沖縄そば"), ("京都の駅", "駅弁")], 3
)]  # fmt: skip
CHINESE = [f"我们在{place}吃了{food}，那是{day}号的事情。" for day, (place, food) in enumerate(
    [("北京", "烤鸭"), ("成都", "火锅"), ("广州", "早茶"), ("北京的胡同", "豆汁"), ("西安", "泡馍")], 3
)]  # fmt: skip
ENGLISH = [f"We ate {food} in {place} on the {day}th." for day, (place, food) in enumerate(
    [("London", "fish and chips"), ("Naples", "pizza"), ("London", "curry"), ("Vienna", "cake")], 4
)]  # fmt: skip
CROWD = [f"Meeting notes {n}: the build is green and the release goes out on Monday." for n in range(300)]
CROWD += [f"会议记录{n}：构建成功，周一发布新版本。" for n in range(200)]


def order(folder: Path, texts: list[str], query: str, among: list[str]) -> list[str]:
    with open_memories(folder) as memories:
        memories.remember_many([Draft(text=text, id=f"m{n:04}") for n, text in enumerate(texts)])
        found = [hit.memory.text for hit in memories.recall(query, limit=len(texts)).hits]
    return [text for text in found if text in among]


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("京都で何を食べたのか", JAPANESE),
        ("駅で食べたのはいつのこと", JAPANESE),
        ("在北京吃了什么东西", CHINESE),
        ("what did we eat in London", ENGLISH),
    ],
)
def test_a_crowd_in_other_languages_changes_no_order(tmp_path: Path, query: str, texts: list[str]) -> None:
    alone = order(tmp_path / "alone", texts, query, texts)
    crowd = [text for text in CROWD if text.isascii() != texts[0].isascii()] if texts is not JAPANESE else CROWD
    assert order(tmp_path / "crowd", [*texts, *crowd], query, texts)[:3] == alone[:3]


#: Of a thousand texts of a language every tenth has the word, and every tenth of a thousand in another writing quotes it.
QUOTED = {
    "議事録": ("第{n}回の定例会の{word}です。", "第{n}回の定例会は延期です。", "Ticket AB{n} is closed."),
    "会议纪要": ("第{n}次例会的{word}。", "第{n}次例会延期了。", "Ticket AB{n} is closed."),
    "changelog": ("Release {n} has a {word}.", "Release {n} was late.", "チケットAB{n}は完了しました。"),
}


@pytest.mark.parametrize("word", QUOTED)
def test_a_text_with_all_that_is_asked_for_is_first_although_others_in_its_language_quote_one_of_the_words(
    tmp_path: Path, word: str
) -> None:
    having, lacking, quoting = QUOTED[word]
    own = [(lacking if n % 10 else having).format(n=n, word=word) for n in range(1_000)]
    others = [quoting.format(n=n) + ("" if n % 10 else f" ({word})") for n in range(1_000)]
    asked_for = others[50]
    assert order(tmp_path, own + others, f"AB50 {word}", own + others)[0] == asked_for


#: A question with a word in letters or digits -> the text with all its words, and others that only repeat the other one.
ALL_WORDS = {
    "ハノーファー 804": (
        "ハノーファーは、ライネ川沿いにある北ドイツの主要都市のひとつで、ニーダーザクセン州の州都である。人口は53万人。番号 804",
        "ハノーファー条約で、ハノーファー選帝侯領はハノーファー王国になる。番号 {n}",
    ),
    "中央委員会 discovered": (
        "地方的な性質の問題は、その地方の実情に応じて、中央委員会の方針の下で自治的に処理する。 Deborah: I discovered a new trail.",
        "中央委員会の中央委員には中央委員会から称号が贈られる。 Calvin: week {n}.",
    ),
    "向量数据库 Qdrant": (
        "上周我们把向量数据库从旧版本换成了 Qdrant，性能好了很多。",
        "向量数据库的向量保存在数据库里，数据库的向量越多越慢，第 {n} 次测试。",
    ),
}


@pytest.mark.parametrize("question", ALL_WORDS)
def test_a_text_with_all_words_of_a_question_in_two_writings_comes_before_those_that_repeat_one(
    tmp_path: Path, question: str
) -> None:
    whole, repeating = ALL_WORDS[question]
    texts = [repeating.format(n=n) for n in range(900, 930)] + [whole] + CROWD
    assert order(tmp_path, texts, question, texts)[0] == whole


#: Questions of Han characters that Japanese and Chinese share -> a text with all that is asked for, and one of the other language
#: that only repeats a part, which its dictionary also cuts into smaller words.
SHARED = {
    "北海道 地震": (
        "先月の地震は、北海道でも少し揺れたそうです。",
        "北海道狼，又称虾夷狼，曾分布在北海道，后来在北海道灭绝。",
    ),
    "抹茶 菓子": ("この店の抹茶はお菓子によく合う。", "抹茶粉，抹茶味，抹茶色，都叫抹茶。"),
    "台风 東京": ("台风明天登陆，去東京的航班取消了。", "東京は東京、大阪は大阪。東京に住みたい。"),
    "颱風 東京": ("颱風明天登陸，去東京的班機取消了。", "東京は東京、大阪は大阪。東京に住みたい。"),
    "春節 休暇": ("春節の休暇はいつからですか。", "春节，春节，大家都在说春节。"),
}


@pytest.mark.parametrize("query", SHARED)
@pytest.mark.parametrize("crowd", [0, 400])
def test_a_text_with_all_of_a_question_that_two_languages_may_ask_is_first_and_certain(
    tmp_path: Path, query: str, crowd: int
) -> None:
    having, repeating = SHARED[query]
    others = [f"第{n}回の定例会は延期です。" for n in range(crowd)] + [f"第{n}次例会延期了。" for n in range(crowd)]
    with open_memories(tmp_path) as memories:
        memories.remember_many([Draft(text=text) for text in (repeating, having, *others)])
        first = memories.recall(query).hits[0]
    assert first.memory.text == having
    assert first.why.evidence is not None
    assert first.why.evidence.coverage > 0.99


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("??", "？？"),
        ("……", "..."),
        ("￥", "¥"),
        ("。。。", "。"),
        ("〜〜", "〜"),
        ("！？", "?!"),
        ("「」", "「」"),
        ("++", "+"),
    ],
)
def test_a_text_of_signs_alone_is_found_by_its_signs_and_by_no_words(tmp_path: Path, text: str, query: str) -> None:
    others = ["本当ですか？？「はい」。。。〜", "真的吗？！……￥500++", "Really?! ... C++ for ¥500"]
    assert order(tmp_path / "signs", [text, *others], query, [text, *others]) == [text]
    assert order(tmp_path / "words", [text, *others], "本当 真的 C++", [text, *others])[3:] == []


#: Beside them stand, for each word of a question, texts in the question's own language that have this word alone.
IN_ANOTHER_LANGUAGE = {
    "ピーターの誕生日": "Peter's birthday is on May 3",
    "彼得的生日": "Peter's birthday is on May 3",
    "where does Peter live": "彼得住在柏林",
    "议会批准了预算": "The budget was approved by parliament",
    "議会は予算を承認したか": "The budget was approved by parliament",
    "which day is the meeting about the hospital": "病院の会議は金曜日です",
    "記念日に京都のホテル": "We booked a hotel in Kyoto for the anniversary",
    "京都酒店 纪念日": "We booked a hotel in Kyoto for the anniversary",
}
WITH_ONE_WORD = [
    *(
        "ピーターは寿司が好き",
        "誕生日には花を贈る",
        "予算の話は来月",
        "議会を見学した",
        "京都の旅館を予約した",
        "記念日を忘れた",
    ),
    *("彼得喜欢寿司", "生日那天去了公园", "预算的问题很多", "参观了议会", "在京都吃了豆腐", "忘了纪念日"),
    *("Peter likes sushi", "We live in Berlin", "The meeting was short", "The hospital is far"),
]


@pytest.mark.parametrize("query", IN_ANOTHER_LANGUAGE)
def test_a_text_in_another_language_with_all_that_is_asked_for_comes_before_those_in_its_own_with_one_word(
    tmp_path: Path, query: str
) -> None:
    texts = [*WITH_ONE_WORD, *dict.fromkeys(IN_ANOTHER_LANGUAGE.values())]
    assert order(tmp_path / "store", texts, query, texts)[0] == IN_ANOTHER_LANGUAGE[query]


#: What is said in each of three languages; a short question in one of them is first answered in it.
SAID_THRICE = [
    (
        "来週の病院の検査は火曜日に予約した。",
        "医院的检查预约在星期二。",
        "The hospital examination is booked for Tuesday.",
    ),
    (
        "地下鉄の駅から会社まで歩いて十分。",
        "从地铁站走到公司要十分钟。",
        "It is a ten minute walk from the subway station to work.",
    ),
    ("冷蔵庫に牛乳と卵が残っている。", "冰箱里还有牛奶和鸡蛋。", "There are milk and eggs left in the fridge."),
    ("誕生日の贈り物に時計を買った。", "买了手表当生日礼物。", "Bought a watch as a birthday present."),
    ("飛行機の切符は高かった。", "飞机票很贵。", "The plane ticket was expensive."),
]
JAPANESE_OF_IT, CHINESE_OF_IT, ENGLISH_OF_IT = zip(*SAID_THRICE, strict=True)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("病院", JAPANESE_OF_IT[0]),
        ("地下鉄", JAPANESE_OF_IT[1]),
        ("冷蔵庫", JAPANESE_OF_IT[2]),
        ("誕生日の贈り物", JAPANESE_OF_IT[3]),
        ("飛行機の切符", JAPANESE_OF_IT[4]),
        ("医院", CHINESE_OF_IT[0]),
        ("地铁", CHINESE_OF_IT[1]),
        ("鸡蛋", CHINESE_OF_IT[2]),
        ("生日禮物", CHINESE_OF_IT[3]),
        ("飞机", CHINESE_OF_IT[4]),
        ("hospital", ENGLISH_OF_IT[0]),
        ("subway station", ENGLISH_OF_IT[1]),
        ("milk", ENGLISH_OF_IT[2]),
        ("eggs", ENGLISH_OF_IT[2]),
        ("birthday present", ENGLISH_OF_IT[3]),
    ],
)
def test_of_texts_that_have_all_of_a_short_question_those_in_its_words_come_first(
    tmp_path: Path, query: str, expected: str
) -> None:
    texts = [text for row in SAID_THRICE for text in row]
    found = order(tmp_path / "store", texts, query, texts)
    assert found[0] == expected
    assert {*next(row for row in SAID_THRICE if expected in row)} <= {*found}


#: Texts that say it in other words than their language's question below does, and each with one word of it.
IN_OTHER_WORDS = [
    *("パスポートの期限が切れるので、来月更新に行く。", "駐車場の契約を更新した。", "父の誕生日は六月。"),
    *("车险明天更新。", "爸爸的生日是五月三日。", "妈妈的生日在冬天。", "护照快过期了，下个月去换新的。"),
    *("Passport photos must be 35 x 45 mm.", "Dad's birthday is in May.", "Updated the contract of the garage."),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("旅券の更新", IN_OTHER_WORDS[0]),
        ("旅券の期限", IN_OTHER_WORDS[0]),
        ("父親の誕生日", IN_OTHER_WORDS[2]),
        ("更新した契約", IN_OTHER_WORDS[1]),
        ("父亲的生日", IN_OTHER_WORDS[4]),
        ("my father's birthday", IN_OTHER_WORDS[8]),
    ],
)
def test_a_text_in_other_words_of_the_question_s_language_comes_before_those_in_other_languages(
    tmp_path: Path, query: str, expected: str
) -> None:
    assert order(tmp_path / "store", IN_OTHER_WORDS, query, IN_OTHER_WORDS)[0] == expected


@pytest.mark.parametrize("name", ["GitHub", "Tokyo"])
def test_a_name_is_found_as_well_in_a_text_in_another_language(tmp_path: Path, name: str) -> None:
    texts = [f"昨日から{name}が話題だ。", f"{name} came up again in yesterday's long meeting.", f"昨天又谈到{name}。"]
    assert order(tmp_path / "store", texts, name, texts)[-1] == texts[1]


#: What a question asks for in full, beside a text in another language that has one short word of it.
WITH_A_SHORT_WORD = [
    *("うちの猫の餌は室内用を毎月注文している。", "犬の散歩は朝六時。", "魚の缶詰を買い足す。"),
    *("小猫的饲料每月一号订。", "医生说要少吃盐。"),
    *("The cat's vet appointment is on Friday.", "Our dog hates thunderstorms.", "We had fish on Monday."),
    *("这个月电费412元，因为空调开了一整天，下个月晚上再开。", "コレステロールが高いと言われた。"),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("猫の餌", WITH_A_SHORT_WORD[0]),
        ("ねこのエサ", WITH_A_SHORT_WORD[0]),
        ("いぬのさんぽ", WITH_A_SHORT_WORD[1]),
        ("魚の缶詰", WITH_A_SHORT_WORD[2]),
        ("猫的饲料", WITH_A_SHORT_WORD[3]),
        ("cat vet appointment", WITH_A_SHORT_WORD[5]),
        ("电费为什么这么高", WITH_A_SHORT_WORD[8]),
    ],
)
def test_a_text_with_all_that_is_asked_for_comes_before_one_in_another_language_with_one_short_word(
    tmp_path: Path, query: str, expected: str
) -> None:
    # Among so many texts the word is as rare as it is in a store of some weeks.
    texts = [*WITH_A_SHORT_WORD, *CROWD[:20], *CROWD[300:320]]
    assert order(tmp_path / "store", texts, query, texts)[0] == expected
