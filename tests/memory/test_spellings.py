"""However a word is written, its memories are found: whole recalls, in every language, one table a native can review."""

from __future__ import annotations

from itertools import pairwise

import pytest

from omoide.memory import Memories
from omoide.model.memory import Draft

OTHERS = [
    "今日は天気がいいので洗濯をした。",
    "今天的会议改到下午，请提前准备。",
    "The invoice for the new keyboard is overdue.",
    "오늘은 날씨가 좋다.",
]

SPELLINGS = [
    # width and case
    ("動物園でカピバラを見た。", "ｶﾋﾟﾊﾞﾗ"),
    ("新しいiPhone15を買った。", "ｉＰｈｏｎｅ１５"),
    ("我们改了Docker设定。", "DOCKER"),
    ("我们改了Docker设定。", "设定"),
    # Unicode forms
    ("学校でプールに入った。", "フ\u309aール"),
    ("We met at the café.", "cafe\u0301"),
    ("We met at the café.", "cafe"),
    ("We met at the cafe\u0301.", "café"),
    # kana of either kind
    ("動物園でカピバラを見た。", "かぴばら"),
    ("とんかつを食べた。", "トンカツ"),
    # long vowels
    ("サーバーを再起動した。", "サーバ"),
    ("サーバを再起動した。", "サーバー"),
    ("プリンタが壊れた。", "プリンター"),
    ("ネコアプリのスキャナーがない。", "スキャナ"),
    ("ゾンブラーという店。", "ゾンブラ"),
    # okurigana
    ("引越しの荷物をまとめた。", "引っ越し"),
    ("引っ越しの荷物をまとめた。", "引越"),
    ("打合せは三時から。", "打ち合わせ"),
    ("申込書を出した。", "申し込み"),
    # Traditional and Simplified, old and new
    ("去年夏天去了臺灣旅行。", "台湾"),
    ("去年夏天去了台湾旅行。", "臺灣"),
    ("去年夏天去了台灣旅行。", "台湾"),
    ("他的记忆力很好。", "記憶"),
    ("他的記憶力很好。", "记忆"),
    ("國語の教科書をなくした。", "国語"),
    ("広島で乗り換えた。", "廣島"),
    ("澤田さんに会った。", "沢田"),
    # digits
    ("締切は3日です。", "三日"),
    ("締切は三日です。", "３日"),
    ("我等了三天。", "3天"),
    ("我等了3天。", "三天"),
    ("会員は二十三人いる。", "23人"),
    ("这本书出版于二〇二四年。", "2024年"),
    ("这本书出版于2024年。", "二〇二四年"),
    ("The flight costs 5,000 yen.", "5000"),
    ("価格は５，０００円。", "5000円"),
    ("引っ越しの見積もりは19万8千円。", "198,000円"),
    ("引っ越しの見積もりは198,000円。", "19.8万円"),
    ("家賃は８万５千円です。", "八万五千円"),
    ("押金交了3万块。", "30000元"),
    ("押金交了30,000元。", "三万块"),
    ("手机花了八千六。", "8600"),
    ("第三针下周打。", "第3针"),
    ("第2ターミナルから出発する。", "第二ターミナル"),
    ("股票亏了百分之五。", "5%"),
    ("买了1.5公斤排骨。", "1.5kg"),
    ("Pinned Poetry to 3.12.4.", "3.12"),
    ("The rent is $1,500 a month.", "1.5k"),
    ("The laptop cost about $2k.", "2000"),
    ("The babysitter charges twenty dollars.", "$20"),
    ("Rehab takes 6 weeks.", "six weeks"),
    # phone numbers
    ("保育園は090-1234-5678です。", "09012345678"),
    ("保育園は０９０（１２３４）５６７８です。", "+81 90 1234 5678"),
    ("房东的电话是138 0013 8000。", "13800138000"),
    ("房东的电话是13800138000。", "+86 138-0013-8000"),
    ("Mom's number is (415) 555-0132.", "+14155550132"),
    ("Mom's number is +1 415.555.0132.", "4155550132"),
    # one word or several
    ("Wi-Fiのパスワードは冷蔵庫に貼った。", "wifi"),
    ("家里的WiFi密码贴在冰箱上。", "wi-fi"),
    ("The kindergarten pickup is at six.", "pick-up"),
    ("The kindergarten pick-up is at six.", "pickup"),
    ("The backup runs at night.", "back up"),
    ("サーバーはNode.jsで書いた。", "nodejs"),
    ("后端用NodeJS写的。", "node.js"),
    ("CI/CDが三回失敗した。", "cicd"),
    ("The kids swim at the Y.M.C.A. on Sundays.", "ymca"),
    ("決済エラーE-4012が出た。", "e4012"),
    ("支付报错E4012。", "E-4012"),
    ("電話は03-1234-5678です。", "0312345678"),
    ("新しいiPhone 15を買った。", "iphone15"),
    ("取り消しはcancelOrderで行う。", "cancel order"),
    ("取消订单用cancelOrder。", "cancel_order"),
    ("cancel_orderが遅い。", "cancelOrder"),
    ("Raise maxRetryCount to five.", "max retry count"),
    ("Raise max_retry_count to five.", "maxRetryCount"),
    ("HTTPServerErrorが続く。", "server error"),
    ("JavaScriptで書き直した。", "java script"),
    # readings
    ("東京に住んでいる。", "とうきょう"),
    ("東京に住んでいる。", "トウキョウ"),
    ("とうきょうに住んでいる。", "東京"),
    ("日本語を勉強した。", "にほんご"),
    ("抹茶を飲んだ。", "まっちゃ"),
    ("予算会議", "よさんかいぎ"),
    ("検索機能改善", "けんさく"),
    # inflection
    ("京都で抹茶を飲んだ。", "飲む"),
    ("She was running along the river.", "run"),
    ("Caroline's painting hangs here.", "caroline"),
    # one character
    ("庭に猫がいる。", "猫"),
    ("我家有一只狗。", "狗"),
    ("ぬか漬けを仕込んだ。", "ぬ"),
    ("빵을 샀다.", "빵"),
    ("寿司🍣が好き。", "🍣"),
    ("The vitamin C tablets are in the drawer.", "c"),
    # other scripts
    ("Новая книга лежит на столе.", "книга"),
    ("كتاب جديد على الطاولة", "كتاب"),
    ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
    ("서울에서 친구를 만났다.", "서울"),
    ("Über die Brücke nach Zürich.", "zurich"),
    ("हिन्दी में लिखो", "हिन्दी"),
    # nothing but stop words
    ("To be or not to be.", "to be or not to be"),
    ("的的的。", "的"),
]


@pytest.mark.parametrize(("written", "asked"), SPELLINGS)
def test_a_memory_is_found_however_its_word_is_written(memories: Memories, written: str, asked: str) -> None:
    memories.remember_many([Draft(text=text) for text in (*OTHERS, written)])
    assert memories.recall(asked).hits[0].memory.text == written


@pytest.mark.parametrize("apostrophe", "'’ʼ")
@pytest.mark.parametrize(
    ("written", "asked"),
    [("We had tea with O'Brien.", "brien"), ("Bateau d'Ivoireという店。", "ivoire"), ("他喜欢L'Avion乐队。", "avion")],
)
def test_what_an_apostrophe_ties_to_a_word_is_a_word_whatever_typed_it(
    memories: Memories, written: str, asked: str, apostrophe: str
) -> None:
    memories.remember_many([Draft(text=text) for text in (*OTHERS, written.replace("'", apostrophe))])
    assert memories.recall(asked).hits[0].why.words == (asked,)


@pytest.mark.parametrize(
    ("written", "asked"), [("We had tea with O'Brien.", "OBrien"), ("We had tea with OBrien.", "O’Brien")]
)
def test_a_name_is_the_same_with_its_apostrophe_or_without(memories: Memories, written: str, asked: str) -> None:
    memories.remember_many([Draft(text=text) for text in (*OTHERS, written)])
    best = memories.recall(asked).hits[0]
    assert best.memory.text == written
    assert best.relevance > 0.9


@pytest.mark.parametrize(
    ("asked", "meant", "other"),
    [
        ("java", "Javaのバージョンを上げた。", "JavaScriptのバージョンを上げた。"),
        ("git", "我们用git管理代码。", "我们用GitHub管理任务。"),
        ("a way", "We found a way.", "He is away."),
        ("8万5千", "家賃は85,000円。", "5人で8時に集まる。"),
        ("2.5万", "奖金25000元。", "版本从2升到5。"),
        ("1.5kg", "行李は1.5キログラム。", "5回目で1位。"),
        ("30,000", "報酬は30000円。", "請求書30の写しを000の棚に置いた。"),
        ("U.S.", "他从U.S.回来了。", "She told us at dinner."),
    ],
)
def test_a_word_is_not_sought_inside_a_name_that_is_one(memories: Memories, asked: str, meant: str, other: str) -> None:
    memories.remember_many([Draft(text=text) for text in (*OTHERS, other, meant)])
    hits = memories.recall(asked).hits
    assert [hit.memory.text for hit in hits if hit.why is not None and hit.why.words] == [meant]


#: (what is to be found, what is asked with a slip of the finger, what fills the page with the words spelled right)
SLIPS = [
    ("月曜に動物園でカピバラを見た。", "月曜のカピパラ", "月曜に会議がある。"),
    ("周一我们去颐和园划船。", "周一去颐合园", "周一开会。"),
    ("월요일에 냉장고를 샀다.", "월요일 넹장고", "월요일에 회의가 있다."),
    ("We deployed Kubernetes on Monday.", "monday kuberntes", "The standup is on Monday."),
    ("Мы купили холодильник в понедельник.", "понедельник холодилник", "Собрание в понедельник."),
]


@pytest.mark.parametrize(("written", "asked", "crowd"), SLIPS)
def test_a_misspelled_word_is_found_among_many_that_hold_the_others(
    memories: Memories, written: str, asked: str, crowd: str
) -> None:
    texts = (written, *(f"{crowd} ({n})" for n in range(60)))
    memories.remember_many([Draft(text=text) for text in texts])
    assert memories.recall(asked).hits[0].memory.text == written


#: A few memories as people keep them; each kana in them is in hardly any other.
NOTES = [
    "昨日、京都で抹茶を飲んだ。",
    "東京タワーの近くで打ち合わせをした。",
    "我们决定用SQLite保存记忆。",
    "We parked on level two.",
    "新しいcomputerを買った。",
    "渡辺さんに電話をかける約束をした。",
    "来週の水曜日に歯医者に行く。",
    "The meeting was moved to Friday.",
    "妹の誕生日は五月三日です。",
    "鈴木さんは犬を飼っている。",
    "会議は三階で行う。",
    "我每天早上喝咖啡。",
]


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        # readings
        ("とうきょう", NOTES[1]),
        ("トウキョウタワー", NOTES[1]),
        ("きょうと", NOTES[0]),
        ("まっちゃ", NOTES[0]),
        ("わたなべさん", NOTES[5]),
        ("でんわ", NOTES[5]),
        ("はいしゃ", NOTES[6]),
        ("たんじょうび", NOTES[8]),
        ("すずきさん いぬ", NOTES[9]),
        ("かいぎ どこ", NOTES[10]),
        # loanwords
        ("コンピューター", NOTES[4]),
    ],
)
def test_a_word_in_another_writing_is_found_among_a_few_memories(memories: Memories, asked: str, written: str) -> None:
    memories.remember_many([Draft(text=text) for text in NOTES])
    best = memories.recall(asked).hits[0]
    assert best.memory.text == written
    assert best.relevance > 0.3


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("引越", "引っ越しは来月に決まった。"),
        ("受付", "受け付けは九時に始まる。"),
        ("富士通", "We sold our Fujitsu shares."),
        ("富士通", "我们卖了Fujitsu的股票。"),
        ("富士通", "Fujitsuの株を売った。"),
    ],
)
def test_a_word_that_may_be_japanese_or_chinese_is_found_in_its_other_forms(
    memories: Memories, asked: str, written: str
) -> None:
    memories.remember_many([Draft(text=text) for text in (*NOTES, written)])
    best = memories.recall(asked).hits[0]
    assert best.memory.text == written
    assert best.relevance > 0.3


DAYS = [
    "眼鏡は駅前の店で新しくした。",
    "母の日にカーネーションを贈った。",
    "新幹線の切符は窓口で受け取った。",
    "車検は来月の二十日に予約してある。",
    "確定申告の書類は棚の上の箱にある。",
    "介護の相談は市役所の三階でした。",
    "会社の同僚とご飯を食べた。",
    "メガホンを運動場に忘れた。",
    "橋の向こうの公民館に集まる。",
    "箸は引き出しの一番上にある。",
    "その日の母は元気だった。",
    "新しい石鹸を買った。",
    "我上周在眼镜店配了新眼镜。",
    "She renewed her glasses in June.",
]


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("めがねはどこで作った？", DAYS[0]),
        ("ははのひに何を贈った？", DAYS[1]),
        ("しんかんせん", DAYS[2]),
        ("しゃけんはいつ", DAYS[3]),
        ("かくていしんこくの書類", DAYS[4]),
        ("かいごの相談", DAYS[5]),
        ("はしの向こう", DAYS[8]),
        ("はしは引き出し", DAYS[9]),
        ("眼镜在哪里配的", DAYS[12]),
        ("Where did she renew her glasses?", DAYS[13]),
    ],
)
def test_a_question_in_kana_finds_first_what_is_written_in_other_characters(
    memories: Memories, asked: str, written: str
) -> None:
    memories.remember_many([Draft(text=text) for text in DAYS])
    assert memories.recall(asked).hits[0].memory.text == written


@pytest.mark.parametrize(
    ("asked", "half"),
    [("サーバー 設定", "サーバーを買い替えた。"), ("とうきょう さんぽ", "東京（とうきょう）の地図をもらった。")],
)
def test_a_text_with_both_writings_of_one_word_does_not_match_the_other_word(
    memories: Memories, asked: str, half: str
) -> None:
    memories.remember_many([Draft(text=text) for text in (*NOTES, half)])
    evidence = memories.recall(asked).hits[0].why.evidence
    assert evidence is not None
    assert 0.3 < evidence.coverage < 0.8


@pytest.mark.parametrize(
    ("asked", "written", "read"),
    [("とうきょう", "とうきょうへ行く。", "東京へ行く。"), ("マッチャ", "マッチャを買う。", "抹茶を買う。")],
)
def test_the_written_form_comes_before_one_that_is_only_read_so(
    memories: Memories, asked: str, written: str, read: str
) -> None:
    memories.remember_many([Draft(text=text) for text in (*OTHERS, written, read)])
    assert [hit.memory.text for hit in memories.recall(asked).hits][:2] == [written, read]


@pytest.mark.parametrize(
    "text",
    ["彼は引っ越し先の近所でたこ焼き屋を営む。", "我们昨天在颐和园划船看夕阳。", "어제 남산에서 케이블카를 탔다"],
)
def test_no_two_neighbouring_characters_are_lost(memories: Memories, text: str) -> None:
    memories.remember_many([Draft(text=each) for each in (*OTHERS, text)])
    for pair in map("".join, pairwise(text)):
        if pair.isalpha():
            assert text in [hit.memory.text for hit in memories.recall(pair, limit=50).hits], pair
