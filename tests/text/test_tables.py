"""The shipped tables say what the libraries they were made from say."""

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

import pytest
from Stemmer import Stemmer

from omoide.text import Analyzer, english, fold, is_blank, meanings
from omoide.text.make_tables import (
    CHINESE_WORDS_PATH,
    build_chinese_words,
    build_han_variants,
    build_loanwords,
    build_names,
)
from omoide.text.tables import (
    distinct_words,
    everyday_words,
    han_variants,
    handwritten_spellings,
    irregular_forms,
    latin_of,
    loanwords,
    spellings,
)

CHECKOUT = Path(__file__).parents[2]


def test_the_table_of_variants_is_what_opencc_says() -> None:
    built = build_han_variants()
    assert han_variants() == ("".join(built), "".join(built.values())), "run: python -m omoide.text.make_tables"


def test_a_folded_character_folds_no_further() -> None:
    characters, folded = han_variants()
    assert not set(characters) & set(folded)


FORMS = [
    *("滬沪", "濾滤", "敘叙", "戯戏", "氣気", "裡裏"),
    *("衛卫", "衞衛", "緒绪", "餅饼", "並并"),  # which become others by way of Japanese
    *("挙舉", "値值", "鉱礦", "姫姬", "戸戶", "呉吴", "闘鬥", "頬頰", "塡填"),  # which OpenCC does not know
    *("髙高", "﨑崎", "邉辺", "濵浜", "嶋島", "冨富", "栁柳", "靍鶴", "𠮷吉", "薗園", "圀國", "逹達"),  # of names
    *("𠮟叱", "讃讚", "騨驒"),
]


@pytest.mark.parametrize(("one", "other"), FORMS)
def test_forms_of_one_character_meet(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    "text", ["", " \n　", "\x00", "\u200b\u200d", "\ufeff", "\u00ad \u2060", "\ufe0f", "\x01\x9f\x00"]
)
def test_a_text_of_which_nothing_can_be_seen_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["茶", "\u200b茶", "a\x00", "。", "👍\ufe0f", "\ue000", "-"])
def test_a_text_with_anything_to_see_is_not_blank(text: str) -> None:
    assert not is_blank(text)


@pytest.mark.parametrize(
    "invisible", ["\U000e0101", "\u2067", "\u2069", "\u061c", "\u2063", "\u200b", "\u00ad", "\ufe00"]
)
def test_what_cannot_be_seen_keeps_no_characters_apart(invisible: str) -> None:
    assert fold(f"葛{invisible}城{invisible}") == fold("葛城")


@pytest.mark.parametrize(
    ("japanese", "latin"),
    [("コンピューター", "computer"), ("サーバー", "server"), ("富士通", "fujitsu"), ("ライト", "light")],
)
def test_a_loanword_knows_where_it_came_from(japanese: str, latin: str) -> None:
    assert latin in latin_of(japanese)


@pytest.mark.parametrize("japanese", ["", "記憶", "ン", "龥龥", "コンピュータ", "a", "\uffff"])
def test_a_word_that_was_not_borrowed_has_no_other(japanese: str) -> None:
    assert latin_of(japanese) == ()


def test_every_line_of_the_table_is_found() -> None:
    for line in loanwords():
        japanese, _, latin = line.partition("\t")
        assert latin_of(japanese) == latin.split()


def test_the_smaller_dictionary_has_no_loanword_the_table_lacks() -> None:
    known = {(word, latin) for word in (line.partition("\t")[0] for line in loanwords()) for latin in latin_of(word)}
    small = {(word, latin) for word, all_latin in build_loanwords("small").items() for latin in all_latin.split()}
    assert len(small) > 1_000
    assert small <= known, "run: python -m omoide.text.make_tables"


def test_the_names_of_places_and_languages_are_those_of_babel() -> None:
    assert spellings()[len(handwritten_spellings()) :] == build_names(), "run: python -m omoide.text.make_tables"


def test_the_chinese_words_are_those_of_the_dictionary_that_the_engine_is_built_with() -> None:
    lines = [f"{word} {frequency}" for word, frequency in build_chinese_words(CHECKOUT).items()]
    written = (CHECKOUT / CHINESE_WORDS_PATH).read_text(encoding="utf-8").splitlines()
    assert written == lines, "run: python -m omoide.text.make_tables"


def test_the_chinese_words_are_folded_like_the_texts_in_which_they_are_looked_up() -> None:
    assert [word for word in build_chinese_words(CHECKOUT) if fold(word) != word] == []


@pytest.mark.parametrize("word", ["研制", "推翻", "气概", "给予", "晃动", "A股"])
def test_a_chinese_word_that_folds_to_other_characters_is_found_as_a_word(word: str) -> None:
    assert fold(word) != word
    assert fold(word) in Analyzer().document(f"他们说的是{word}。").terms


def test_a_word_is_in_one_group_of_those_that_mean_the_same_in_its_language() -> None:
    for language in ("latin", "japanese", "chinese"):
        words = {(word, group.first) for group in meanings.meanings() for word in getattr(group, language)}
        assert [word for word, count in Counter(word for word, _ in words).items() if count > 1] == []


def test_what_counts_in_every_language_is_written_folded() -> None:
    assert all(fold(word) == word for group in spellings() for word in group)


#: A country and its language have one stem.
COUNTRIES = {"iceland", "lao"}


def test_two_groups_of_those_that_mean_the_same_have_not_the_same_term() -> None:
    of_languages = (group for group in meanings.meanings() if group.japanese or group.chinese)
    terms = Counter(english.term(first)[0] for first in {group.first for group in of_languages})
    assert {term for term, count in terms.items() if count > 1} <= COUNTRIES


def test_an_everyday_word_is_in_one_group_of_its_language() -> None:
    words = Counter(
        (language, meanings.key(word))
        for group in everyday_words()
        for language in range(3)
        for word in group[language]
    )
    assert {word: count for word, count in words.items() if count > 1} == {}


#: Words written the same in Japanese and Chinese that mean different things, or in each language rather another of two English
#: words.
OF_OTHER_MEANING = set(
    "人物 依赖 盆栽 冲突 刀 分数 动画 压力 友好 发送 名字 回复 圆 地方 审判 床 快乐 情绪 承认 文章 新闻 明白 柔软 水平 热 爆发 "
    "手纸 画像 电车 登录 监督 积极 组合 经历 经理 脚本 节目 裁判 讲座 输入 输出 部署 试着 酸 采用 锁 门 远足 阶段 需要 高度 高校".split()
)


def test_a_word_that_japanese_and_chinese_share_is_in_one_group() -> None:
    japanese, chinese = (
        {meanings.key(word): group for group in everyday_words() for word in group[language]} for language in (1, 2)
    )
    assert {word for word in japanese.keys() & chinese.keys() if japanese[word] != chinese[word]} == OF_OTHER_MEANING


#: Words that Sudachi cuts in two, so that their lines in the table of loanwords are of no use.
CUT_IN_TWO = {"スマートフォン"}


@pytest.mark.parametrize("group", spellings(), ids=" ".join)
def test_every_word_of_a_group_is_found_by_the_term_of_the_first(group: list[str]) -> None:
    found_by_the_first(group[0], dict.fromkeys(group[1:]))


@pytest.mark.parametrize("group", everyday_words(), ids=str)
def test_every_everyday_word_is_found_by_the_term_of_the_first(group: list[list[str]]) -> None:
    latin, japanese, chinese = group
    first = meanings.as_one_word(latin[0]) if latin else meanings.key(next(chain.from_iterable(group)))
    found_by_the_first(first, dict.fromkeys(word for word in latin if word != first))
    found_by_the_first(first, dict.fromkeys(japanese, "ja"))
    found_by_the_first(first, dict.fromkeys(chinese, "zh"))
    assert len({first, *latin, *map(meanings.key, (*japanese, *chinese))}) > 1


def found_by_the_first(first: str, others: Mapping[str, str | None]) -> None:
    """Whether each of the `others`, with its language, is in the group of `first` and needs to be."""
    term = english.term(first)[0]
    for word, language in others.items():
        assert english.stem(word) != term or word == first, "the stemmer knows it"
        assert term in Analyzer().document(word, language).terms
        known = language != "zh" and term in [english.term(latin)[0] for latin in latin_of(word)]
        assert not known or word in CUT_IN_TWO, "the loanwords know it"


def test_an_irregular_form_is_one_of_one_word_and_no_word_of_its_own() -> None:
    forms = [form for group in irregular_forms() for form in group[1:]]
    assert len(forms) == len(set(forms))
    assert set(forms).isdisjoint(group[0] for group in irregular_forms())
    assert set(forms).isdisjoint(english.STOP_WORDS)


def test_a_distinct_word_is_in_one_group_and_regular() -> None:
    forms = [form for group in distinct_words() for form in group]
    assert len(forms) == len(set(forms))
    assert set(forms).isdisjoint(form for group in irregular_forms() for form in group)
    assert set(forms).isdisjoint(english.STOP_WORDS)


@pytest.mark.parametrize("group", distinct_words(), ids=" ".join)
def test_every_form_of_a_distinct_word_has_its_term(group: list[str]) -> None:
    stemmer = Stemmer("english")
    assert any(stemmer.stemWord(form) != group[0] for form in group), "the stemmer knows it"
    for form in group:
        assert english.term(form) == english.term(f"{form}'s") == (group[0], False)


@pytest.mark.parametrize("group", irregular_forms(), ids=" ".join)
def test_every_irregular_form_has_the_term_of_its_word(group: list[str]) -> None:
    word, stemmer = english.term(group[0]), Stemmer("english")
    for form in group[1:]:
        assert stemmer.stemWord(form) != stemmer.stemWord(group[0]), "the stemmer knows it"
        assert english.term(form) == english.term(f"{form}'s") == word
