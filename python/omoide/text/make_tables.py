"""Writes the shipped tables: `python -m omoide.text.make_tables`.

`han_variants.txt`  two lines of equal length: characters, and below each the one it folds to. From OpenCC's tables:
                    Japanese new forms -> Traditional -> Simplified; and OTHER_FORMS, which OpenCC lacks.
`loanwords.txt`     a Japanese word and the words in Latin letters it is written with, a line each. From the core edition
                    of SudachiDict (Apache License 2.0): entries in Latin letters and their normalised forms.
`names.txt`         places and languages: an English name, and those in Japanese and Chinese that mean the same, a group a line. From
                    CLDR (Unicode License v3), as Babel has it; without those that are in another table.
`chinese_words.txt` a Chinese word, folded, and its frequency, a line each in the order of code points, for the engine. From the
                    dictionary of the crate jieba-rs (MIT License), and those of `spellings.txt`, `names.txt` and `everyday_words.txt` that it lacks
                    or would cut apart.

Useful for: renewing the tables (needs a checkout, `cargo`, `opencc`, `babel` and `sudachidict-core`). Not useful for: a running server.
Invariant: the same libraries write the same files.
"""

from __future__ import annotations

import json
import re
import subprocess
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from omoide.text import english, meanings
from omoide.text.normalise import fold
from omoide.text.tables import (
    LOANWORDS_FILE,
    NAMES_FILE,
    VARIANTS_FILE,
    everyday_words,
    handwritten_spellings,
    latin_of,
    spellings,
)

_HAN = "".join(map(chr, (*range(0x3400, 0xA000), *range(0xF900, 0xFB00))))
#: Pairs of forms of one character that OpenCC does not know: Japanese new forms (選挙, 価値, 頬), printed forms (淸), those of names
#: (髙橋, 山﨑, 渡邉, 嶋), and rare Traditional ones.
OTHER_FORMS = (
    "挙举 擧举 値值 鉱矿 鑛矿 渋涩 澁涩 舗铺 隷隶 隣邻 呪咒 姫姬 戸户 呉吴 姉姊 兎兔 莵兔 娯娱 闘斗 倶俱 煕熙 疎疏 頬颊 塡填 屛屏 "
    "蝿蝇 壷壶 焔焰 鯵鲹 賎贱 潅灌 蘂蕊 諌谏 頚颈 鴬莺 竃灶 篭笼 渕渊 廐厩 姸妍 昻昂 翆翠 鴈雁 畧略 淸清 靑青 衞卫 竝并 倂并 緖绪 "
    "餠饼 頴颖 髙高 﨑崎 嵜崎 邉边 濵滨 冨富 栁柳 桒桑 槗桥 嶋岛 嶌岛 圡土 曻升 靏鹤 靍鹤 穐秋 埜野 杦杉 寳宝 舩船 杤栃 珎珍 𠮷吉 𠮟叱 讃赞 "
    "騨驒 逹达 薗园 圀国"
).split()
#: High enough for a word of most characters to be one word.
_ADDED_FREQUENCY = 20
_CHINESE_WORD = re.compile("[a-z]*[\u3400-\u9fff]+")
_LATIN_WORD = re.compile("[a-z]{2,}")
_ENGLISH_NAME = re.compile("[a-z]{3,}")
#: As a word of one of the languages is written; without points and blanks, which divide words.
_NAME = re.compile("[ァ-ヺー]{2,}語?|[\u3400-\u9fff]{2,}")
_KATAKANA = re.compile("[ァ-ヺー]+")
#: Names of places and languages that often mean something else: 万象 (Vientiane) is everything, 雪梨 a pear, マリ a girl, 圣地牙哥 also San Diego.
AMBIGUOUS_NAMES = frozenset(
    "americas bahia canaries cree ewe jersey nome oral polish resolute reunion world マリ ノーム "
    "万象 东加 也门 叶门 世界文 国际文 国际语 圣地亚哥 圣地牙哥 开云 自由城 自由市 雪梨".split()
)
#: Loanwords whose origin stands for another Japanese word (電車, 自転車), which they do not mean.
FALSE_FRIENDS = frozenset({("トレーニング", "training"), ("バイク", "bike")})
_HERE = Path(__file__).parent
_CHECKOUT = _HERE.parents[2]
#: Compiled into the engine; its path in a checkout.
CHINESE_WORDS_PATH = Path("rust") / "omoide-text" / "src" / "chinese_words.txt"
#: Two characters or more, as single ones are too many words.
_JAPANESE_WORD = re.compile("[々ぁ-ゖァ-ヺー・\u3400-\u9fff]{2,}")


def build_han_variants() -> dict[str, str]:
    """The content of the table of variants, from the installed OpenCC."""
    from opencc import OpenCC

    to_traditional, to_simplified = OpenCC("jp2t"), OpenCC("t2s")
    # One character a line, so that no phrase rule applies.
    column = "\n".join(_HAN)
    by_japanese = to_simplified.convert(to_traditional.convert(column)).split("\n")
    direct = to_simplified.convert(column).split("\n")
    # 衛 has a Simplified form, but by way of Japanese it becomes 衞, which has none.
    chosen = (
        two_steps if one_step == char else one_step
        for char, one_step, two_steps in zip(_HAN, direct, by_japanese, strict=True)
    )
    folded_once = {char: to for char, to in zip(_HAN, chosen, strict=True) if len(to) == 1}
    folded_once |= {pair[0]: folded_once.get(pair[1], pair[1]) for pair in OTHER_FORMS}
    # 滬 becomes 沪, which is also the Japanese form of 濾: both must become the same.
    folded_twice = {char: folded_once.get(to, to) for char, to in folded_once.items()}
    return {char: to for char, to in folded_twice.items() if to != char}


def build_loanwords(dictionary: str = "core") -> dict[str, str]:
    """The content of the table of loanwords, from an installed SudachiDict edition or the path of a dictionary."""
    from sudachipy import Dictionary

    latin_words: dict[str, set[str]] = defaultdict(set)
    for entry in Dictionary(dict=dictionary).entries():
        latin, japanese = entry.surface().lower(), entry.normalized_form()
        is_word = _LATIN_WORD.fullmatch(latin) and _JAPANESE_WORD.fullmatch(japanese)
        if is_word and (japanese, latin) not in FALSE_FRIENDS:
            latin_words[japanese].add(latin)
    return {japanese: " ".join(sorted(latin_words[japanese])) for japanese in sorted(latin_words)}


def build_names() -> list[list[str]]:
    """The groups of the table of names, from the installed Babel. A name that several have (突尼斯: Tunisia and Tunis) belongs to
    the first: countries and continents, then languages, then cities."""
    everyday = (map(meanings.key, words) for group in everyday_words() for words in group)
    taken = AMBIGUOUS_NAMES.union(*handwritten_spellings(), *everyday)
    groups: dict[str, list[str]] = {}
    for name, others in _names():
        head = "".join(each for each in unicodedata.normalize("NFD", name.lower()) if not unicodedata.combining(each))
        if not _ENGLISH_NAME.fullmatch(head) or head in taken:
            continue
        term, group = english.term(head)[0], groups.setdefault(head, [head])
        for other in (each if _KATAKANA.fullmatch(each) else fold(each) for each in others if _NAME.fullmatch(each)):
            is_known = other in taken or any(english.term(latin)[0] == term for latin in latin_of(other))
            if not is_known:
                taken |= {other}
                group.append(other)
    return [groups[head] for head in sorted(groups) if len(groups[head]) > 1]


def _names() -> Iterator[tuple[str, list[str]]]:
    """(English name, Japanese and Chinese ones)."""
    from babel import Locale

    locales = [Locale.parse(each) for each in ("en", "ja", "zh_Hans", "zh_Hant", "zh_Hant_HK")]
    yield from _in_each([each.territories for each in locales], r"[A-Z]{2}|\d{3}")
    yield from _in_each([each.languages for each in locales], "[a-z]{2}")
    cities = [{zone: names.get("city") for zone, names in each.time_zones.items()} for each in locales]
    zones = {zone for names in cities for zone in names if not zone.startswith("Etc/")}
    # In English a time zone is named after its city, except where `cities` has another name.
    cities[0] = {zone: cities[0].get(zone) or zone.rpartition("/")[2].replace("_", " ") for zone in zones}
    yield from _in_each(cities, ".+")


def _in_each(names: list[Any], code: str) -> Iterator[tuple[str, list[str]]]:
    for key in sorted(names[0]):
        if re.fullmatch(code, key):
            yield names[0][key], [each[key] for each in names[1:] if each.get(key)]


def build_chinese_words(checkout: Path = _CHECKOUT) -> dict[str, int]:
    """The content of the table of Chinese words, from the version of jieba-rs that the engine is built with in `checkout`."""
    metadata = subprocess.run(
        ["cargo", "metadata", "--format-version=1", "--locked"], cwd=checkout, stdout=subprocess.PIPE, check=True
    )
    packages = json.loads(metadata.stdout)["packages"]
    jieba = next(Path(package["manifest_path"]).parent for package in packages if package["name"] == "jieba-rs")
    lines = (jieba / "src" / "data" / "dict.txt").read_text(encoding="utf-8").splitlines()
    frequencies: Counter[str] = Counter()
    for word, frequency, *_ in (line.split(" ") for line in lines):
        frequencies[fold(word)] += int(frequency)  # the engine looks up words of folded texts, where 研究 is 硏究
    added = chain.from_iterable(group.chinese for group in meanings.meanings())
    words, total = frozenset(filter(_CHINESE_WORD.fullmatch, added)), sum(frequencies.values())
    needed = {word: _frequency_of_parts(word, frequencies, total) + 1 for word in words}
    for word in words:
        frequencies[word] = max(frequencies.get(word, _ADDED_FREQUENCY), needed[word])
    return dict(sorted(frequencies.items()))


def _frequency_of_parts(word: str, frequencies: Counter[str], total: int) -> int:
    """How frequent would a word be if its parts stood together by chance? A rarer one is cut into them (年 and 假 of 年假)."""
    most = [1.0] + len(word) * [0.0]
    for end in range(1, len(word) + 1):
        parts = ((start, word[start:end]) for start in range(end) if end - start < len(word))
        most[end] = max((most[start] * frequencies[part] / total for start, part in parts), default=0.0)
    return int(most[-1] * total)


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    variants = build_han_variants()
    _write(_HERE / VARIANTS_FILE, ["".join(variants), "".join(variants.values())])
    _write(_HERE / LOANWORDS_FILE, [f"{word}\t{latin}" for word, latin in build_loanwords().items()])
    _write(_HERE / NAMES_FILE, [" ".join(group) for group in build_names()])
    spellings.cache_clear()
    meanings.meanings.cache_clear()
    _write(_CHECKOUT / CHINESE_WORDS_PATH, [f"{word} {frequency}" for word, frequency in build_chinese_words().items()])
