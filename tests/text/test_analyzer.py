"""Words of every language find each other however they were written."""

import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from omoide import _engine
from omoide.errors import InvalidArgument
from omoide.text import Analyzer, LexiconFiles, fold, fold_name, normalise
from omoide.text.detect import language_of
from tests.counting import calls

ANALYZER = Analyzer()


def terms(text: str, lang: str | None = None) -> set[str]:
    """What a document is found by: words and grams."""
    analysis = ANALYZER.document(text, lang)
    return {*analysis.terms, *analysis.readings, *_engine.grams(analysis.folded)}


def asked(text: str, lang: str | None = None) -> set[str]:
    analysis = ANALYZER.query(text, lang)
    words = (*analysis.words, *analysis.alternatives, *analysis.readings)
    return {word.term for word in words if word.weight > 0} | set(_engine.grams(analysis.folded))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ｶﾋﾟﾊﾞﾗ", "カピバラ"),
        ("ｉＰｈｏｎｅ", "iPhone"),
        ("か\u3099く", "がく"),
        ("cafe\u0301", "café"),
        ("STRASSE", "straße"),
        ("臺灣", "台湾"),
        ("台灣", "台湾"),
        ("記憶", "记忆"),
        ("國", "国"),
        ("廣島", "広島"),
        ("ひらがな", "ヒラガナ"),
        ("市ヶ谷", "市ケ谷"),
        ("３日", "3日"),
        ("学問のすゝめ", "学問のすすめ"),
        ("いすゞ", "いすず"),
        ("バナヽ", "ばなな"),
        ("佐々木", "佐佐木"),
        ("Кошка", "кошка"),
        ("서울", "서울"),
        ("zero\u200bwidth", "zerowidth"),
    ],
)
def test_variants_fold_to_one_spelling(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("サーバーの設定", "サーバ"),
        ("引っ越しの準備", "引越し"),
        ("我们的Docker设定", "docker"),
        ("iPhone15を買った", "iphone15"),
        ("iPhone15を買った", "iphone"),
        ("东京都政府", "東京"),
        ("台灣旅行的計畫", "计划"),
        ("She was running", "run"),
        ("Caroline's painting", "caroline"),
        ("서울에서 만나요", "서울"),
        ("ไปเที่ยวเชียงใหม่", "ไปเที่ยวเชียงใหม่"),
        ("كتاب جديد", "كتاب"),
        ("Новая книга", "книга"),
        ("Déjà vu à Zürich", "zürich"),
        ("Déjà vu à Zürich", "Zurich"),
        ("Nous passons l'été ici", "été"),
        ("C’est l’île de Ré", "ile"),
        ("C'est l'hiver", "hiver"),
        ("Łódź leży w Polsce", "Lodz"),
        ("Nguyễn Văn Đức", "duc"),
        ("Flug nach München", "Muenchen"),
        ("Flug nach Muenchen", "München"),
        ("Aarhus og Tromsø", "Århus"),
        ("Aarhus og Tromsø", "Tromsoe"),
        ("İstanbul'da buluştuk", "istanbul"),
        ("İstanbul güzel", "İstanbul'da"),
        ("Ankara’nın havası", "Ankara"),
        ("Ankara güzel", "Ankara'ya"),
        ("Ёлка стоит у окна", "елка"),
        ("Η Αθήνα το βράδυ", "ΑΘΗΝΑ"),
        ("الكِتَابُ على الطاولة", "الكتاب"),
        ("हिन्दी में लिखो", "हिन्दी"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
        ("ฉันกินไก่", "ไก่"),
        ("It costs 5,000 yen", "5000"),
        ("価格は5,000円です", "5000円"),
        ("升级到2.3.1版本", "2.3.1"),
        ("目的地は和食店", "和食"),
        ("猫を飼う", "猫"),
        ("新しいコンピューターを買った", "computer"),
        ("コンピュータを買った", "computers"),
        ("The server was deployed", "サーバ"),
        ("富士通の株", "Fujitsu"),
        ("getUserProfile はキャッシュを使わない", "profile"),
        ("parseConfigFile 不支持 YAML", "configs"),
        ("HTTPServerError was raised", "server"),
        ("parseRequestBody limits its input", "request_body"),
        ("GitHubのcancelOrderが遅い", "cancel"),
        ("GitHub上的cancelOrder很慢", "cancel"),
    ],
)
def test_a_word_finds_the_text_that_has_it(document: str, query: str) -> None:
    assert terms(document) & asked(query)


@pytest.mark.parametrize(
    "text", ["to be or not to be", "the", "は", "の", "的", "我们", "what", "何を", "どこ", "する", "哪里"]
)
def test_function_words_alone_are_asked_for(text: str) -> None:
    assert asked(text) & terms(text)


@pytest.mark.parametrize(
    ("query", "weightless"),
    [
        ("京都の抹茶", {"ノ"}),
        ("我们的记忆", {"我们", "的"}),
        # Read both ways: the Japanese reading has these words, too.
        ("Bob的朋友", {"的"}),
        ("會議的結論", {"的"}),
        ("誰去日本出差", {"谁", "去"}),
        ("the matcha of kyoto", {"the", "of"}),
        ("where are the keys", {"where", "are", "the"}),
        ("鑰匙在哪裡", {"在", "哪里"}),
        ("鍵はどこ", {"ハ", "ドコ"}),
        ("鍵のこと", {"ノ", "コト"}),
        ("なぜ延期した", {"ナゼ", "何故", "シ", "为ル", "タ"}),
    ],
)
def test_function_words_beside_others_weigh_nothing(query: str, weightless: set[str]) -> None:
    words = ANALYZER.query(query).words
    assert {word.term for word in words if word.weight == 0} == weightless
    assert any(word.weight > 0 for word in words)


@pytest.mark.parametrize(
    ("text", "function", "telling"),
    [
        ("the cat and the dog and the cat", "the", "cat"),
        ("猫の庭の猫", "ノ", "cat"),
        ("我们的猫和你的猫", "的", "cat"),
    ],
)
def test_a_function_word_makes_a_text_no_longer(text: str, function: str, telling: str) -> None:
    found = ANALYZER.document(text).terms
    assert (found.count(function), found.count(telling)) == (1, 2)


@given(st.text(alphabet="東京都庁記憶記忆臺灣かなカナー々한글날씨あいう我们的"))
def test_any_two_neighbouring_characters_find_their_text(text: str) -> None:
    """Cut off from its character, 々 repeats nothing."""
    found = terms(text)
    assert all(asked(pair) & found for pair in map("".join, pairwise(text)) if pair[0] != "々")


@given(st.text())
def test_offsets_slice_the_folded_text(text: str) -> None:
    question = ANALYZER.query(text)
    for word in (*question.words, *question.alternatives, *question.readings):
        assert 0 <= word.start < word.end <= len(question.folded)
        assert word.term


#: Words that are also called otherwise, whole and in parts, numbers, words between spaces, signs.
BITS = (
    "東京",
    "東々",
    "京",
    "都庁",
    "记忆",
    "體",
    "臺灣",
    "三十二",
    "自",
    "転車",
    "克",
    "馬",
    "德里",
    "谷",
    "歌",
    "かな",
    "タイ",
    "語",
    "々",
    "한글",
    " ",
)
BITS += ("word's", "2.5", "\n", "あ", "い", "う", "我们", "的", "，", "。")


@given(st.lists(st.sampled_from(BITS)).map("".join), st.sampled_from(["ja", "zh"]))
@example("東々京", "ja")
@example("記憶體", "zh")
def test_a_text_is_asked_for_by_the_terms_it_is_found_by_but_for_parts_of_what_is_called_otherwise(
    text: str, lang: str
) -> None:
    document, question = ANALYZER.document(text, lang), ANALYZER.query(text, lang)
    cut = ANALYZER._cut(text, lang)
    analysed = ANALYZER._analyse_in_python(cut)
    called_otherwise = {(word.start, word.end) for word in question.synonyms}

    def is_part(place: tuple[int, int]) -> bool:
        return any(start <= place[0] and place[1] <= end and place != (start, end) for start, end in called_otherwise)

    whole = {term for term in document.terms if not all(map(is_part, cut.places(*analysed, [term])))}
    assert {word.term for word in (*question.words, *question.synonyms)} == whole


@given(st.text(alphabet="aZ 東京、。ｱﾊＡ９㍿①³﹐︰㎡豈ﾞ…‘é·ßςか\u3099\u200d\ufe0f👩😀가ℌﬁ\u0301\u0345ΣΆ"))
def test_quick_folding_is_folding_by_the_tables(text: str) -> None:
    quick = _engine.plain(text)
    assert quick is None or quick == normalise._by_tables(text)


def test_quick_folding_knows_what_it_says_of_every_character() -> None:
    for point in (*range(0xD800), *range(0xE000, 0x20000)):
        for text in (chr(point), f"か{chr(point)}x"):
            quick = _engine.plain(text)
            assert quick is None or quick == normalise._by_tables(text), hex(point)


@given(st.text(st.characters(max_codepoint=0x2E80)))
def test_quick_folding_of_any_script_is_folding_by_the_tables(text: str) -> None:
    quick = _engine.plain(text)
    assert quick is None or quick == normalise._by_tables(text)


def test_quick_folding_leaves_characters_that_join_the_one_before_them_to_the_tables() -> None:
    pairs = (unicodedata.normalize("NFD", chr(point)) for point in range(0xA0, 0x20000))
    joining = {part for pair in pairs if len(unicodedata.normalize("NFC", pair)) == 1 for part in pair[1:]}
    assert [hex(ord(part)) for part in joining if _engine.plain(part) is not None] == []


@pytest.mark.parametrize(
    "text",
    [
        *("", " \n", "\x00", "\ud800", "😀🎌", "🇯🇵", "\u202eabc", "a" * 10_000, "あ" * 100_000, "的" * 100_000),
        *("1," * 500_000, "123,456," * 100_000, "aB" * 500_000, "A1" * 500_000, "🇯🇵" * 100_000),
    ],
    ids=lambda text: f"{len(text)} {text[:3]!a}",
)
def test_no_text_is_too_strange(text: str) -> None:
    folded = ANALYZER.document(text).folded
    assert not any("\ud800" <= char <= "\udfff" for char in folded)
    _engine.grams(folded)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("？? ?", ["?"]),
        ("…！", [".", "!"]),
        ("￥", ["¥"]),
        ("。、。", ["。", "、"]),
        ("++ → ++", ["→"]),
        ("的？", ["的"]),
        ("です。", ["デス"]),
        ("\x00 \u200b\n", []),
    ],
)
def test_signs_are_terms_only_of_a_text_without_a_word(text: str, terms: list[str]) -> None:
    assert list(ANALYZER.document(text).terms) == terms
    assert list(dict.fromkeys(word.term for word in ANALYZER.query(text).words if word.weight)) == terms


@pytest.mark.parametrize(("text", "name"), [("C++で書く", "c++"), ("学C＃", "c#"), ("F# and .NET", "f#")])
def test_the_signs_of_a_name_belong_to_it(text: str, name: str) -> None:
    assert {name, name[0]} <= set(ANALYZER.document(text).terms)
    assert [word.term for word in ANALYZER.query(text).words if word.term[:1] == name[0] and word.weight] == [name]


@pytest.mark.parametrize(
    ("text", "near", "language"),
    [
        ("東京へ行く", None, "ja"),
        ("东京都政府", None, "zh"),
        ("我們去臺北玩", None, "zh"),
        ("日本电影の名場面", None, "ja"),
        ("这部电影在日本叫做「の」，我们非常喜欢", None, "zh"),
        ("東京都庁", None, "ja"),
        ("会議", None, "ja"),
        ("会议", None, "zh"),
        ("會議", None, "zh"),
        ("検索", "en", "ja"),
        ("検索", "zh", "zh"),
        ("佐々木", None, "ja"),
        ("国際連合平和維持活動", None, "ja"),
        ("東京市場", None, "zh"),
        ("東京市場", "ja-JP", "ja"),
        ("在荷蘭，當局用技術含量較低的方法來追踪無人機。", None, "zh"),
        ("機場快綫", None, "zh"),
        ("北京大学", "zh-Hans", "zh"),
        ("Docker 24", "ja", None),
        ("서울 날씨", None, None),
    ],
)
def test_a_line_has_the_language_of_its_characters(text: str, near: str | None, language: str | None) -> None:
    assert language_of(text, near) == language


def test_a_line_of_han_characters_follows_the_text_around_it() -> None:
    for first in ("昨日の会議で決まったこと", "会議議事録"):
        words = set(ANALYZER.document(f"{first}\n予算承認").terms)
        assert words >= set(ANALYZER.document("予算承認", "ja").terms)


@pytest.mark.parametrize("lines", [["我们都去迪拜。", "日本語を勉強する。"], ["日本語を勉強する。", "我们都去迪拜。"]])
def test_a_question_has_the_words_of_each_of_its_lines_in_the_language_of_the_line(lines: list[str]) -> None:
    words = {word.term for word in ANALYZER.query("\n".join(lines)).words}
    assert words >= {"dubai", "japanes", "studi"}


def test_a_word_keeps_its_marks_and_is_also_found_without_those_that_may_be_left_out() -> None:
    assert ANALYZER.document("हिन्दी كِتَاب שָׁלוֹם").terms == ["हिन्दी", "كِتَاب", "كتاب", "שָׁלוֹם", "שלום"]


def test_a_hint_tells_japanese_from_chinese() -> None:
    assert asked("東京市場", "ja") != asked("東京市場", "zh")
    assert asked("東京市場") == asked("東京市場", "ja") | asked("東京市場", "zh")


def test_both_japanese_analysers_find_the_same_words() -> None:
    other = Analyzer(japanese="fugashi")
    for text in ("京都で抹茶を飲んだ", "引越しの準備"):
        assert set(other.document(text).terms) & set(ANALYZER.document(text).terms)
    assert other.version != ANALYZER.version


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("李明の誕生日", {"李明", "birthday"}),
        ("王伟と会った", {"王伟", "会ウ"}),  # a character that the dictionary does not have
        ("昨日、森翔さんが来た", {"昨日", "森翔", "来", "来ル"}),
        ("李さんの誕生日", {"李", "birthday"}),
        ("苗一つ", {"苗", "一", "ツ"}),
        ("何章からですか", {"chapter"}),
        ("北神圭朗は", {"north", "god", "圭", "朗"}),
        ("内存", {"ram"}),  # may be Chinese
    ],
)
def test_a_name_of_two_characters_is_one_word_in_japanese_as_it_is_in_chinese(text: str, words: set[str]) -> None:
    assert {word.term for word in ANALYZER.query(text).words if word.weight > 0} == words


def test_a_name_of_two_characters_is_found_by_either_of_them() -> None:
    assert {"李明", "李", "明"} <= {*ANALYZER.document("李明さんと昼食を食べた。").terms}


def test_the_version_names_the_libraries_of_the_japanese_analyser_in_use_alone() -> None:
    assert "sudachipy" in ANALYZER.version
    assert "fugashi" not in ANALYZER.version
    version = Analyzer(japanese="fugashi").version
    assert "fugashi 1" in version
    assert "unidic-lite" in version
    assert "sudachi" not in version
    assert "pystemmer" in ANALYZER.version
    assert "pystemmer" in version


def test_an_unknown_analyser_is_refused_by_name() -> None:
    with pytest.raises(InvalidArgument, match="mecab"):
        Analyzer(japanese="mecab")


def test_threads_share_an_analyser() -> None:
    texts = ["昨日、京都で抹茶を飲んだ。", "我昨天在京都喝了抹茶。", "I drank matcha."] * 20
    alone = [ANALYZER.document(text) for text in texts]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ANALYZER.document, texts)) == alone


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("Yesterday I drank matcha in Kyoto.", set()),
        ("我昨天喝了抹茶。", set()),
        ("昨日、抹茶を飲んだ。", {"sudachipy"}),
    ],
)
def test_dictionaries_are_loaded_when_a_text_needs_them(text: str, loaded: set[str]) -> None:
    program = (
        "import sys; from omoide.text import Analyzer; Analyzer().document(sys.argv[1]);"
        "print(*{'sudachipy', 'opencc', 'fugashi'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program, text], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == loaded


@pytest.mark.parametrize(("name", "same"), [(" アリス ", "ありす"), ("BOB  Dylan", "bob dylan"), ("小明", "小明")])
def test_names_are_compared_folded(name: str, same: str) -> None:
    assert fold_name(name) == fold_name(same)


@pytest.mark.parametrize(
    ("text", "part"),
    [("it is getUserProfile", "Profile"), ("原因は getUserProfile", "User"), ("HTTPServerError2", "HTTP")],
)
def test_a_part_of_a_camel_case_name_is_marked_where_it_stands(text: str, part: str) -> None:
    words = [word.term for word in ANALYZER.query(part).words]
    assert [text[start:end] for start, end in ANALYZER.marks(text, words)] == [part]


@pytest.mark.parametrize(
    ("text", "asked", "marked"),
    [
        ("昨日自転車がパンクした。", "bicycle", "自転車"),
        ("去年フェイスブックをやめた。", "Facebook", "フェイスブック"),
        ("坐捷運上班。", "subway", "捷運"),
    ],
)
def test_what_is_called_otherwise_is_marked_where_it_stands(text: str, asked: str, marked: str) -> None:
    words = [word.term for word in ANALYZER.query(asked).words]
    assert [text[start:end] for start, end in ANALYZER.marks(text, words)] == [marked]


def test_neighbours_may_be_one_word_in_a_question_but_not_in_a_long_message() -> None:
    def joined(text: str) -> set[str]:
        return {word.term for word in ANALYZER.query(text).alternatives}

    assert joined("back up the wi-fi logs") == {"backup", "wifi", "filog"}
    assert joined("a way, the red, favor it") == set()
    assert joined("back up the wi-fi logs " + "over and over we went through all of them " * 10) == {"wifi"}


@pytest.mark.parametrize("words", ["", "抹茶ラテ\n", "奶盖乌龙\n", "Earl Grey\n"])
def test_the_analyser_of_another_store_costs_next_to_nothing(words: str, tmp_path: Path) -> None:
    """Each tenant has one, which its first search waits for."""
    ANALYZER.query("会議 会议 meeting")
    (tmp_path / "words.txt").write_text(words, encoding="utf-8")
    assert calls(lambda: Analyzer(files=LexiconFiles(tmp_path)).query("会議 会议 meeting")) < 2_000
