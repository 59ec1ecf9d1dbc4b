"""Tokenizes a text: where are words of the tables and numbers?

Useful for: the grammar, which works with meanings and hardly with spellings. Not useful for: index terms of a text.
Invariant: tokens are in order and do not overlap; the work per character is bounded by the longest word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cache, cached_property, partial
from heapq import merge
from typing import Any, NamedTuple

from omoide._engine import DateWords
from omoide.dates import numbers
from omoide.dates.fold import FOLDED, WRITTEN, fold
from omoide.dates.patterns import pattern
from omoide.dates.words import Senses, en, ja, zh

#: Every date has a word of one of these kinds, or a digit.
TELLING = (
    "unit quarter_hour month weekday day neighbours period vague now part season holiday edge_of eo todate decade era calendar_month month_by_name old_month "
    "new_year_day old_day halfyear third cardinal ordinal hour_name"
).split()


#: A text of up to SHORT_CHARS characters is read whole, a longer one only within REACH_CHARS of a telling word or digit.
SHORT_CHARS, REACH_CHARS = 2_000, 200
#: A longer text is read in pieces of about this length, so that reading can end early.
PIECE_CHARS = 2_000
_DIGITS = r"\d+"
#: Digits that may be a date even without a telling word: a year, two numbers with a separator, 20240131, '98, the 18th, 90s,
#: Q3, 8pm, 12号.
_DATE_DIGITS = (
    r"(?<!\d)(?:1[5-9]|2[01])\d\d(?!\d)|\d\s?[-/.:~]\s?\d|(?<!\d)\d{6}(?:\d\d)?(?!\d)|'\d\d"
    r"|\dm(?![a-z])|\d\s?(?:st|nd|rd|th|'?s|[ap]\.?\s?m|[号號日月年时時点點分])(?![a-z])"
    r"|(?<![a-z])(?:the|on|for|at|by|from|since|until|till|before|after|during|between|[qh]|[cf]y)\s?\d"
)
#: Kinds of words that occur between the parts of a date or after it, never in front: no rule begins with them.
_NEVER_FIRST = frozenset(
    "link to and closing by_then ago hence relate clock_mark oclock quarter_hour scale narrow ordinal_sign nth_unit "
    "decade_sign before_christ prep ended days_off whole".split()
)
#: Units that no date begins with: 日 of 日本.
_COUNTED = frozenset("second minute hour day weekday workweek decade century".split())
#: The one preposition that a date may begin with: for three days.
_FOR = "for"
#: Kinds of words that are dates by themselves: certain ones, and such as are never certain by themselves.
_ALONE = frozenset(
    "todate day neighbours period month weekday holiday calendar_month old_month old_day new_year_day edge_of eo decade halfyear half_of".split()
)
_PERHAPS = frozenset("now vague season third".split())
#: Kinds of words that say nothing: if only these follow a word, it is no more a date than without them.
_FILLING = frozenset("here one link prep lead skip to and between closing compared whole".split())
#: Texts without a meaning in the tables that occur inside dates: 二十多年, 一个半月, 2.5 years, 昭和元年, two or three, 3p, 3・4月.
INSIDE = frozenset(". : ・ / % + 号 多 余 个 刻 元 期 旬 中 or but thousands p".split())
#: Those of them that say no more than the number in front: 一个.
_COUNTING_INSIDE = frozenset({"个"})
#: Kinds of words that say how many, or a time of day; units shorter than a day.
_COUNTING = _FILLING | frozenset("few cardinal clock_mark".split())
_SHORT = frozenset("second minute hour".split())
#: Joins numbers to a date as "/" does: 22-3 '21.
_HYPHEN = "-"
#: 至 that means 到 ("to"), as in 去年10月至今年3月, and is not part of 至今 (until now), as in 去年至今 and 至今日本.
_UP_TO_TODAY = "至(?=今(?:天(?![气氣])|日(?!本)|年(?![轻輕])|[早晚]))"
#: About, as in "yesterday ~4pm"; in "3pm ~5pm" it leads to the end.
_ABOUT = r"(?i:(?<=[a-z]\s)(?<![ap]m\s)~(?=\d))"
#: The year after that of the date in front: 10月到第二年3月. Elsewhere it is the second of something (项目第二年).
_NEXT_YEAR = (
    "(?<=[年月日号號初底末旬春夏秋冬季][到至])(?:第二|隔)年(?=[的の]?\\s?[0-9０-９一二三四五六七八九十]{1,2}\\s?月)"
)
#: The morning of the first of a month (正月初一早上, 初一一早, 初一大早), where 一早 would be read as one word; not 最初一早.
_FIRST_MORNING = "(?<![最当當起原])初一(一?大?)早([上晨间間]?)"
#: Two months, as in ふた月前; not 鍋のふた月末に買う. The tables have ひと, but ふた is the beginning of too many words.
_TWO_MONTHS = "ふた月(?![曜末初頭])"
#: The night of 三天前晚上, of which 前晚 would be read as one word.
_NIGHT_OF_A_DAY = "(?<=[天日周週月年拜期]前)晚上"
#: Days as they are spoken, before or after now: みっか前. いつか, なのか and ようか are other words, too.
_SPOKEN_DAYS = {
    "ふつか": "2日間",
    "みっか": "3日間",
    "よっか": "4日間",
    "むいか": "6日間",
    "とおか": "10日",
    "はつか": "20日",
}
_SOME_DAYS = f"(?:{'|'.join(_SPOKEN_DAYS)})(?=[前後]|まえ)"
#: What tells of a date in a text that is not yet `as_read`.
_SPOKEN = frozenset(
    map(
        fold, "ふた月前 ふた月後 ふた月まえ ふた月あと ふた月ほど ふた月くらい ふた月以上 ここふた月 このふた月".split()
    )
) | {fold(days + side) for days in _SPOKEN_DAYS for side in ("前", "後", "まえ")}
#: Just behind a character that follows a date, where 前 and 后 may begin a word; behind a length (三天前) they do not.
_DATED = "(?:{})".format(
    "|".join(
        f"(?<={date}.)"
        for date in (
            "[0-9０-９〇零一二三四五六七八九]{4}年",
            "[0-9０-９一二三四五六七八九十][月号號]",
            "[昨今明前后後当當]天",
            "[昨今明曜]日",
            "[去昨今明前后後]年",
            "[上下本这這先今来來][周週月]",
            "[上下][个個]月",
            "[上下个個]星期",
            "[周週期拜][一二三四五六日天]",
        )
    )
)
#: Texts that would read as dates, although their last character belongs to the next word: any of these first characters, and
#: what follows it.
_OF_ANOTHER = (
    # 下周日本出差, 上周日記; 这周三个会, 一星期五天; 下周一直, 本周一起吃饭, 一周二手车
    (
        "上下这這本每一两兩几幾",
        "(?:[周週]|[个個]?(?:星期|[礼禮]拜))(?:日(?=本(?![来來地])|[记記](?![得住]))|[一二三四五六](?=[个個次](?!日))|[三五](?=天(?![气氣]))"
        "|一(?=直(?!播)|[般样樣些边邊共]|起[吃去看玩做来來聚讨討开開学學聊])|二(?=手[车車房货貨书書市]))",
    ),
    # 和星期一样忙, 本日志
    ("周週", "一(?=[样樣])"),
    ("星", "期一(?=[样樣])"),
    ("礼禮", "拜一(?=[样樣])"),
    ("本", "日(?=[志誌])"),
    # 上学期间, 上学年龄
    ("学學", "(?:期(?=[间間望])|年(?=[龄齡限级級轻輕薪]))"),
    # 上个工作日程, 前の営業日誌
    ("工", "作日(?=[程志誌]|[记記](?![得住]))"),
    ("営营營", "[業业]日(?=[程誌志])"),
    # 周日程, 周日语课, 決賽周參賽, 本周刊
    ("本", "[周週](?=刊(?![登载載出发發]))"),
    ("周週", "(?:日(?=程|[语語](?!音))|[参參](?=[赛賽加与與]))"),
    # 国庆节后天气, 雨后天空
    ("前后後", "(?<=[㐀-鿿][前后後])天(?=[气氣](?![温溫象]))"),
    ("后後", "(?<=[雨雪饭飯会會课課餐班][后後])天(?=[空晴黑亮色])"),
    # 如今天气, 如今年轻人, 现今日本, 今年轻人; 登上月球, 史上年龄
    ("如现現", "今(?=天[气氣](?![温溫])|年[轻輕]|日本)"),
    ("今前", "年(?=[轻輕])"),
    ("上下", "月(?=[球亮])"),
    ("上", "年(?=[龄齡纪紀])"),
    # 不过年轻人, 超过年薪
    ("不超经經通透难難越", "[过過]年"),
    ("过過", "年(?=[轻輕薪度级級龄齡糕货貨])"),
    # 昨日の夕食, 大前天的晚饭: a meal of that day, not a time of it; but 昨日の夜食べた, 昨晚饭后
    ("朝昼夕夜晩晚早午", "(?<=[のの的天日].)(?=食(?![べうわっい])|[饭飯餐刊]|ご(?:はん|飯))"),
    ("早晚", "(?<=天.)(?=[点點](?![半钟鐘整]))"),  # 今天早点睡
    # 翌月曜: the next Monday, not the next month
    ("翌", "月(?=曜)"),
    # 三年前儿子出生: not 前儿, the day before yesterday
    ("儿兒", "(?<=[前昨今明].)(?=[子女童媳孙孫歌科])"),
    # 國慶日報, 国庆日程, 今年度假, 第一季度假, 月底薪
    ("庆慶", "日(?=[报報程本记記语語历曆])"),
    ("度", "(?<=[年季].)(?=假(?!期))"),
    ("底", "(?<=[年月].)(?=薪)"),
    # 上一次周会, 首次日本之行, 第3次年会: not the next week, day or year
    ("次", "(?<=[一二三四五六七八九十两兩几幾多每上下这這首本此再初今0-9０-９].)(?=[日周週月年])"),
    # 本周日均访问量 is of all its days; but 周日均可参观
    ("周週", "日(?=均(?![可为為有不无無未能会會须須要已]))"),
    # 前日本国首相, 現在の日本, 当日本开始; 一本日记, 日本日益
    ("前", "日(?=本[大国國政军軍首天])"),
    ("日", "(?<=[の当當同该該此].)(?=本(?![日月周週年]|時間|標準時))"),
    ("本", "(?<=[一二三四五六七八九十两兩几幾这這那].)日(?=[记記])|(?<=日.)日(?=[渐漸益])"),
    # 在日本周刊, 日本月光: but 今日本周, 生日本月
    (
        "本",
        "(?:(?<=[^0-9０-９一二三四五六七八九十今昨明前后後当當同翌生假周期拜曜末の]日.)|(?<=^日.))(?=[周週月年季](?![末初])|新年|\\s[周週])",
    ),
    # 以下时间; 听日语
    ("下", "(?<=以.)"),
    ("听聽", "日(?=[语語剧劇文])"),
    # 去年底层重构, 本月初步方案, 上月末端节点, 去年末っ子が
    ("底", "(?<=[年月].)(?=[层層座])"),
    ("初", "(?<=[年月].)(?=[级級步稿版审審])"),
    ("末", "(?<=[年月周週].)(?=[端班尾広]|っ子)"),
    # 本周日常维护, 上周日志分析; 周日常去公园 and 周日志愿活动 are of the Sunday
    ("周週", "日(?=常(?![常去来來在])|[志誌](?![愿願]))"),
    # 粘土・日本画, 国土・日程, 土・日曜: not the weekend
    ("土", "(?=[・、]日[本曜])|(?<=[粘国國領郷赤黄浄本].)(?=[・、]日)"),
    # 去年秋田に, 去年夏目さんと, 去年春日部で
    ("春夏秋冬", "(?<=[年の].)(?=田[にのでへとをは市県駅]|葉原|目(?:さん|漱石)|日[部井])"),
    # 先月初めて会った, 先週始めた, 今年初の雪: not the beginning; 3月止血, 昨天止损
    ("初", "(?=めて)|(?<=[今去昨]年.)(?=の(?!頃|ころ))"),
    ("始", "(?=め[たてるま]|ま[っりる])"),
    ("じ", "(?<=[年月週日]は.)(?=め[たてる]|ま[っりる])"),
    ("止", "(?=[损損血步痛])"),
    # その周辺, 同周边, 当周围
    ("周週", "(?<=[の当當同该該这這此本].)(?=[辺边邊囲围圍])"),
    # 及后天文台, 相当晚
    ("后後", "天(?=文[台臺学學望馆館])"),
    ("当當", "(?<=相.)晚"),
    # 孝明天皇
    ("明", "天(?=皇)"),
    # 今天7点起床, 3月起诉: not since then
    (
        "起",
        "(?:(?<=[年月日号號天周週旬底初末春夏秋冬早晚晨午点點时時分半].)|(?<=[周週期拜][一二三四五六].))(?=[床义義诉訴飞飛身步源伏草初])",
    ),
    # 加上3月份, 只剩下15年: not the last or next ones
    ("上", "(?<=[加算].)(?=[0-9０-９一二三四五六七八九十]{1,3}[月日号號年])"),
    ("下", "(?<=[剩余餘留拿写寫打境况況件].)(?=[约約的]?\\s?[0-9０-９一二三四五六七八九十两兩])"),
    # 1937年前往, 3月前来, 昨天前端上线, 先週後藤さんと, 昨天后端报错: not before or after then; but 三年前往返, 2008年后来到
    (
        "前",
        f"{_DATED}(?=往(?!返)|[来來](?!说|說|讲|講|看)|台(?![湾灣])|[端景线線沿锋鋒途妻夫田川橋]|任(?![职職命教])|[女男]友|同事|老[板闆]|[后後][端台])",
    ),
    (
        "后後",
        f"{_DATED}(?=[来來](?!到)|台(?![湾灣])|[端悔果勤续續輩辈藤卫衛盾院])|(?<=[天日周週月年]前.)(?=[端台](?![湾灣]))",
    ),
)
_BEFORE_ANOTHER = f"[{''.join(first for first, _ in _OF_ANOTHER)}]"
_HIDDEN = "\ufffc"
#: Kinds of words that say how many and need a unit or more after them: 何年 is not a date, 数年前 is.
_FEW, _NUMBERS = frozenset({"few"}), frozenset("cardinal here one skip link compared".split())
#: Names of months and days, ordinals and units that often mean something else.
_OFTEN_OTHERWISE = frozenset("may march mar second fall spring sun sat mon wed fri thu tue s d w y mo".split())
#: Recognised by the digits in front of it (30m ago), as "I'm" is in many queries.
_BEHIND_DIGITS = frozenset({"m"})


class Token(NamedTuple):
    """A word or number at [start, end) with its possible meanings (kind: value); `glued` = no space before it."""

    text: str
    start: int
    end: int
    senses: Senses
    glued: bool


class Tokens:
    """The tokens of a folded text; methods return None beyond either end. Dates begin only at the indexes in `beginnings`, with
    `surely` those that are certain. Unless `always`, a text in which no date begins has no tokens."""

    def __init__(self, text: str, *, surely: bool = False, always: bool = True) -> None:
        #: As it is written; `text` is folded.
        self.written = text
        self.text, rows, self.beginnings = _words().native.tokens(as_read(text), surely, always)
        # A text has many tokens: `Token(*row)` would take three times as long, a loop twice as long.
        self.all = list(map(_token, rows))
        if not _NUMERALS.isdisjoint(self.text):
            self.all = [_of_numerals(token) if token.senses is None else token for token in self.all]
        self._count = len(self.all)
        #: Results by rule and place: a range and a plain date begin with the same term.
        self.memo: dict[tuple[Hashable, int], Any] = {}

    def __len__(self) -> int:
        return len(self.all)

    def at(self, at: int) -> Token | None:
        """The token at this index, or None."""
        return self.all[at] if 0 <= at < self._count else None

    def word(self, at: int) -> str:
        """The text of the token, "" if there is none."""
        return self.all[at].text if 0 <= at < self._count else ""

    def get(self, at: int, kind: str) -> Any:
        """The value of the token in that meaning, or None."""
        return self.all[at].senses.get(kind) if 0 <= at < self._count else None

    def has(self, at: int, *kinds: str) -> bool:
        """Whether the token has any of the meanings."""
        if not 0 <= at < self._count:
            return False
        senses = self.all[at].senses
        for kind in kinds:  # noqa: SIM110  (the hottest line: a generator would double its cost)
            if kind in senses:
                return True
        return False

    def says_something(self, at: int) -> bool:
        """Whether the token has a meaning in the tables."""
        return 0 <= at < self._count and bool(self.all[at].senses)

    def is_other_word(self, at: int) -> bool:
        """Whether the token is a word without a meaning in the tables."""
        return self.word(at).isalpha() and not self.says_something(at)

    def glued(self, at: int) -> bool:
        """Whether the token directly follows the one before."""
        return 0 < at < len(self.all) and self.all[at].glued

    def index_at(self, offset: int, start: int) -> int:
        """The index of the first token, from `start` on, that begins at or after the offset."""
        if offset >= len(self.text):  # the whole of a short text is read
            return self._count
        at = start
        while at < len(self.all) and self.all[at].start < offset:
            at += 1
        return at


def as_read(text: str) -> str:
    """The text with other words where those of the tables would be cut wrongly, and without characters that would be read as part of a
    date but belong to the next word; its length stays."""
    if text.isascii():
        return pattern(_ABOUT).sub(" ", text) if "~" in text else text
    read = pattern(_UP_TO_TODAY).sub("到", text) if "至今" in text else text
    if "到第二年" in read or "至第二年" in read or "隔年" in read:
        read = pattern(_NEXT_YEAR).sub(lambda year: "次年".rjust(len(year[0])), read)
    if "前晚上" in read:
        read = pattern(_NIGHT_OF_A_DAY).sub("夜里", read)
    if "初一" in read:
        read = pattern(_FIRST_MORNING).sub(_on_the_first, read)
    if "ふた月" in read:
        read = pattern(_TWO_MONTHS).sub("2ヶ月", read)
    if "か前" in read or "か後" in read or "かまえ" in read:
        read = pattern(_SOME_DAYS).sub(lambda days: _SPOKEN_DAYS[days[0]], read)
    pieces: list[str] = []
    after = 0
    for first in pattern(_BEFORE_ANOTHER).finditer(read):
        if first.start() >= after and (found := _of_another(first[0]).match(read, first.start())) is not None:
            pieces += read[after : found.end() - 1], _HIDDEN
            after = found.end()
    return "".join((*pieces, read[after:]))


def _on_the_first(found: re.Match[str]) -> str:
    """The same morning in words that do not join the number in front."""
    return f"初一{' ' * len(found[1])}{'上午' if found[2] else '晨'}"


@cache
def _of_another(first: str) -> re.Pattern[str]:
    """Matches a text of _OF_ANOTHER that begins with the character."""
    return re.compile(f"{first}(?:{'|'.join(rest for characters, rest in _OF_ANOTHER if first in characters)})")


def may_hold_date(text: str, *, surely: bool = False) -> bool:
    """False if the text cannot hold a date, as it has no telling word and no digits like those of dates; with `surely`, if it
    cannot hold a date that is certain."""
    words = _words()
    signs = words.native.signs(text, surely)
    if signs == 0 or signs & _WORD:
        return signs != 0
    folded = fold(text)
    if signs & _OFTEN and words.weak.search(folded) is not None:
        return True
    return bool(signs & _DIGIT) and pattern(_DATE_DIGITS).search(folded) is not None


def stretches(text: str) -> Iterator[tuple[int, int]]:
    """[start, end) of the parts of a text in which dates may be: all of a short text; in a long one, what is near telling words
    and digits."""
    if len(text) <= SHORT_CHARS:
        return iter([(0, len(text))])
    digits = (found.start() for found in pattern(_DIGITS).finditer(fold(text)))
    return _joined(merge(digits, _words().native.places(text)), len(text))


def _joined(places: Iterator[int], length: int) -> Iterator[tuple[int, int]]:
    """[start, end) within reach of the places (ascending), merged if they touch, up to about a piece's length."""
    start = end = 0
    for place in places:
        if place - REACH_CHARS > end or end - start >= PIECE_CHARS:
            if end > start:
                yield start, end
            start = max(place - REACH_CHARS, end)
        end = min(place + REACH_CHARS, length)
    if end > start:
        yield start, end


@cache
def lexicon() -> dict[str, Senses]:
    """What each word of the tables means, folded."""
    words: dict[str, Senses] = defaultdict(dict)
    for table in (en.WORDS, zh.WORDS, ja.WORDS):
        for kind, values in table.items():
            for value, spelled in values.items():
                for word in spelled.split():
                    words[fold(word).replace("_", " ")].setdefault(kind, value)
    return dict(words)


_LATIN = re.compile(r"[a-z]+")
#: Whether a word shows that a date may be here: no, only beside a word that completes it (日 not in 日本, 春 not in 春子, "may" not
#: in "may I"), or by itself.
_NOTHING, _BESIDE, _BY_ITSELF = 0, 1, 2
#: What must follow a word for a date to begin with it.
_NEVER, _WITH_OTHERS, _WITH_LENGTH, _WITH_MORE, _DOUBTFULLY, _SURELY = 0, 1, 2, 3, 4, 5
#: How much of a date a word says: nothing, how many, how long, or more.
_FILLS, _COUNTS, _LENGTH, _MORE = 0, 1, 2, 3
#: What a word needs next: a number with more behind it, another word of a length ("in a", "for half"), what joins a unit to
#: the rest (年の前半, 年度末), or "before" or "after" (day after Easter).
_NUMBER, _AMOUNT, _JOINT, _SIDE = 1, 2, 4, 8
_SIDES = frozenset({"before", "after"})
#: The one counted unit that a date may begin with.
_DAY = "day"
_IN = frozenset({"lead", "link", "prep"})
_AMOUNTS = frozenset({"cardinal", "few", "half", "one", "here", "unit"})
_JOINTS = frozenset({"link", "edge", "ago"})
#: Signs of a date: a word, a Latin word that counts only beside another, a digit.
_WORD, _OFTEN, _DIGIT = 1, 2, 4


class _Words:
    """The tables in the form the engine searches with."""

    def __init__(self, words: Mapping[str, Senses]) -> None:
        telling = {
            word: senses
            for word, senses in words.items()
            if word not in _BEHIND_DIGITS and any(kind in senses for kind in TELLING)
        }
        tells = {word: _of_han(word, senses) for word, senses in telling.items() if not word.isascii()}
        latin = {word for word in telling if _LATIN.fullmatch(word)}
        # A phrase without a telling word ("at the moment") is recognised by its last word.
        latin |= {parts[-1] for word in telling if (parts := _LATIN.findall(word)) and latin.isdisjoint(parts)}
        tells |= {word: _BESIDE if word in _OFTEN_OTHERWISE else _BY_ITSELF for word in latin}
        tells |= dict.fromkeys(_SPOKEN, _BY_ITSELF)
        every = [*words.items(), *((word, {}) for word in tells.keys() - words.keys())]
        given = [
            (
                word,
                senses,
                tells.get(word, _NOTHING),
                _completes(word, senses),
                _begins(word, senses),
                _says(word, senses),
                _needs(word, senses),
                _offers(word, senses),
            )
            for word, senses in every
        ]
        inside = [(word, _COUNTS if word in _COUNTING_INSIDE else _LENGTH) for word in sorted(INSIDE)]
        self.native = DateWords(WRITTEN, FOLDED, given, numbers.CHARACTERS, inside)

    @cached_property
    def weak(self) -> re.Pattern[str]:
        """Matches a word that often means something else, beside a word that makes it a date."""
        joins = {"here", "skip", "link", "and", "one"}
        beside = {word for word, senses in lexicon().items() if word.isascii() and not senses.keys() <= joins}
        return _weak_pattern(beside)


@cache
def _words() -> _Words:
    return _Words(lexicon())


def _of_han(word: str, senses: Senses) -> int:
    """How telling a word of Han characters or kana is: a unit, season or part of a day of one character only beside another."""
    return _BESIDE if len(word) == 1 and senses.keys() <= {"unit", "season", "part"} else _BY_ITSELF


def _completes(word: str, senses: Senses) -> bool:
    """Whether the word makes a date of a unit in front of it: 年の前半, 月初め."""
    return not word.isascii() and not senses.keys().isdisjoint({"edge", "edge_of", "bound", "halved"})


def _begins(word: str, senses: Senses) -> int:
    """What must follow a word of these meanings for a date to begin with it."""
    kinds = senses.keys()
    if word in _SPOKEN or not kinds.isdisjoint(_ALONE) or senses.get("unit") == "weekend":
        return _SURELY
    if not kinds.isdisjoint(_PERHAPS):
        return _DOUBTFULLY
    if kinds <= _NEVER_FIRST and word != _FOR:
        return _NEVER
    if kinds == {"unit"} and senses["unit"] in _COUNTED and word != _DAY:
        return _NEVER
    return _WITH_MORE if kinds <= _FEW else _WITH_LENGTH if kinds <= _NUMBERS else _WITH_OTHERS


def _says(word: str, senses: Senses) -> int:
    """How much of a date a word of these meanings says."""
    if word == _HYPHEN:
        return _LENGTH
    kinds = senses.keys()
    if kinds <= _FILLING:
        return _FILLS
    if not kinds - {"unit"} <= _COUNTING:
        return _MORE
    return _COUNTS if "unit" not in kinds or senses["unit"] in _SHORT else _LENGTH


def _needs(word: str, senses: Senses) -> int:
    """Of which kinds the next word must be for a date to begin with a word of these meanings, 0 if it may be any."""
    kinds = senses.keys()
    if word == _DAY:
        return _SIDE
    if (kinds and kinds <= _IN) or word == _FOR or kinds == {"nth_mark"}:
        return _NUMBER | _AMOUNT
    if kinds == {"unit"} and senses["unit"] != "weekend" and not word.isascii():
        return _JOINT
    return 0


def _offers(word: str, senses: Senses) -> int:
    """The kinds of a word of these meanings for the one in front of it."""
    kinds = senses.keys()
    joins = _JOINT * (not kinds.isdisjoint(_JOINTS)) | _SIDE * (word in _SIDES)
    return _AMOUNT * (not kinds.isdisjoint(_AMOUNTS)) | joins


def _weak_pattern(beside: Iterable[str]) -> re.Pattern[str]:
    """Matches a word that often means something else, beside a number or a word of `beside`: 8 May, last fall, Sat morning."""
    weak = f"(?:{'|'.join(sorted(_OFTEN_OTHERWISE))})"
    other = "|".join(sorted((re.escape(word) for word in beside if _LATIN.fullmatch(word)), key=len, reverse=True))
    return re.compile(
        rf"(?<![a-z])(?:{other})[\s,.-]+(?:the\s+)?{weak}(?![a-z])|\d(?:st|nd|rd|th)?[\s,./-]*(?:of\s+)?{weak}(?![a-z])"
        rf"|(?<![a-z]){weak}(?:[\s,./'-]*\d|[\s,./'-]+(?:the\s+)?(?:{other})(?![a-z]))"
    )


def _of_numerals(token: Token) -> Token:
    """The token of Han numerals, whose meaning the engine does not know."""
    return token._replace(senses=numbers.senses(token.text))


_token = partial(tuple.__new__, Token)
_NUMERALS = frozenset(numbers.CHARACTERS)
