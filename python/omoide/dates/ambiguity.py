"""Decides whether a text that reads like a date certainly is one: names, versions and idioms contain words of dates, too.

Useful for: `explicit` of a mention, which decides whether a search is boosted. Not useful for: arguments, which are dates
anyway.
Invariant: a doubtful date is still found, only not as certain.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from omoide.dates.frame import Frame, Node, Offset, Window

#: How many characters before and after a date are looked at.
_AROUND_CHARS = 20
_DIGITS, _HAN = "0-9０-９一二三四五六七八九十", "[々㐀-鿿]"


class _Spot(NamedTuple):
    """Where a text that reads as a date is not one: what precedes it, the text itself, what follows; None: anything."""

    before: re.Pattern[str] | None
    said: re.Pattern[str] | None
    behind: re.Pattern[str] | None


def _spot(*, before: str = "", said: str = "", behind: str = "") -> _Spot:
    return _Spot(
        re.compile(f"(?:{before})$") if before else None,
        re.compile(said) if said else None,
        re.compile(behind) if behind else None,
    )


#: Names, titles and idioms that begin with a word of dates: 今日子, 今日头条, 昨日重现, 明日香, 月复一月.
_NAMES = re.compile(
    "こんばん[はわ]|周天子|(?<=年[复復])一年|(?<=月[复復])一月|(?<=日[复復])一日"
    "|明日方舟|今日(?:子|头条|頭條|頭条|から俺は)|昨日重[现現]|明日香|明天集团|前天(?:赋|津|然气)|千年(?:の恋|女優)|お?正月(?:太り|[飾遊]|料理)|一日三|一日千秋"
    "|[月火水木金土日]曜(?:会|大工|画家|作家|農園|菜園|討論|美術館|洋画|島|どうでしょう|サプライズ|プレミアム|日のたわわ|日の初耳学|ワイド|ロードショー|劇場|ドラマ|サスペンス)|月曜から夜ふかし|三月(?:のライオン|的[狮獅]子)|四月は君|二月の勝者|[腊臘]八[粥蒜豆面麵]|[后後]天(?:性|免疫|培[养養]|[获獲]得|努力|形成|因素)|[这這]年[头頭]"
    "|明日[葉花]|明日のジョー|明天[会會]更好|明日は我が身|昨日の敵は|今日の友|一昨日来や|来年のことを言|今日[資资]本|千年古|[当當]年明月|明朝[体體皇时時末初年代人历歷史政的那]"
    "|[0-9一二十]+世[紀纪](?:福克斯|不[動动][産产]|少年|枠|[経經经][済濟济][報报])|[0-9]{4}年問題"
    "|[周週]末(?:效[应應]|婚|起業|[画畫][报報])|年末ジャンボ|星期五餐[厅廳]|七月[与與]安生|去年今日此[门門]中|年末[調调]整|年底[双雙]薪|月末締|前[日週月年]比(?!べ)|前年同|翌[日月](?:配|払)|[当當同]日(?:[券達达]|配送)|次日[達达]|周五[郎常]|周三多|周一[围圍]|千年之[恋戀]|[同当當]年[級级齢齡龄]"
    "|(?i:today show|tonight show|tomorrow never dies|last week tonight|this week in tech|28 days later|june bug)"
    "|(?i:monday|friday)\\.com|(?i:monday (?:blues|night football)|wednesday addams|friday night lights|saturday night (?:live|fever)|20th century (?:fox|studios))"
    "|(?i:sunday (?:school|times|telegraph)|(?<=ruby )tuesday|(?<=freaky )friday|(?<=taco )tuesday|(?<=vampire )weekend)|(?<=Man )Friday|(?<=TGI )Fridays?"
    "|(?i:(?:next|same)[- ]day (?:delivery|shipping|service))"
)
#: Texts that are not certain in any context: in 3D; the third day of something (3日目のカレー), or a part of a series (第三季, as a
#: quarter has its year or 度); 从1.4版; 昨今, 昨シーズン; amounts "in a day"; the last minute; 当年 (in those days); a day that follows or
#: precedes another (the next day, 旅行的第二天).
_NEVER = re.compile(
    rf"in \dD|[{_DIGITS}]+日目|第[1-4一二三四]季|[从從自]\d{{1,2}}\.\d{{1,2}}|昨|(?i:in an? [a-z]+|the last (?:minute|second))"
    "|[当當]年|第二天(?:[起后後]|开始|之[后前後]|以[后前後])?|(?i:the (?:next|following|previous|same) day|(?:the )?following [a-z]+|the day (?:before|after))"
)
#: Contexts in which nothing is certain, whatever it is read as.
_SPOTS = (
    _spot(said="(?s:.*/.*)", behind=r"\s?(?:[赛賽]季|シーズン|season)"),
    _spot(before=f"[{_DIGITS}][时時點点]", said=f"[{_DIGITS}]+分.*"),  # 7時15分前 without a day
    # One day, not the first: 一日も早く.
    _spot(said="一日", behind=f"(?!に(?![{_DIGITS}何数])|は|から|まで|付|[、,，以前])"),
    # Made that year: 2024年式のプリウス, 2024年款的车.
    _spot(said="[0-9０-９]{4}年", behind="式|モデル|型|製(?![作造品])|款|版(?![画畫权權])"),
    # Titles and names: 師走という店, 《昨天》.
    _spot(behind="という(?:名|題|曲|歌|詩|本|店|小説|絵本|映画|番組|ドラマ|アルバム)"),
    _spot(before="[《『]", behind="[》』]"),
    # Exceptions: 月曜以外, 金曜は除く, 除了周一, except Monday, not in March; school and business years: 2024-2025学年.
    _spot(behind="以外|之外|[をは]?除[くいき]|[をは]?抜き|(?:じゃ|では|で)な(?:い(?!か)|く)|[学學]年|[财財]年"),
    _spot(
        before="除[了去开開]|(?<![删刪清移解扣拆消免排废廢])除|不(?:是|包括|含|算)|[而并並]非"
        r"|(?i:\b(?:except|except for|excluding|other than|apart from|not (?:on|in|during)|all (?:days|weeks|months|years) but)(?:\s+(?:on|in|during|the))?\s)"
    ),
    # Counted from what was mentioned before: その前の週, その翌日, 誕生日の前日.
    _spot(before="の", said="前の[日週月年]|前々?日|翌々?[日週月年]|当日"),
    # Capitalised after another capital, the end of a title: USA Today, Edge of Tomorrow.
    _spot(before=r"(?:\b[A-Z][A-Za-z]+|\bof) ", said="Today|Yesterday|Tomorrow|Tonight"),
)
#: Digits and points alone are a version or a school class after a word for one, else certainly a date.
_DOTTED = re.compile(r"[\d.]+")
_VERSION = _spot(before=r"(?i:\bclass of|\bversion|\bver\.?|\bv|\brelease|バージョン|版本|版)\s*:?\s*")

#: Years before this may be counted otherwise: 前325年, year 2 of school.
_OUR_ERA = 1000
#: What makes a bare 3日 in front of it a length or a rank.
_OF_A_LENGTH = (
    "ぶり|振り|分(?!か)|券|連続|連休|おき|ごと|毎|分の|目|未満|以上|程度|がかり|かけ|も[かた経]|坊主|游|遊|あたり|当たり|につき|天下"
    "|に?[0-9０-９一二三四五六七八九十百千万数何]+(?:[回度杯錠粒食歩個枚円分件人通問冊]|時間|キロ|ページ|[km]?[gml]\\b)"
)


#: The names of the parts of a date.
_Said = frozenset[str]


def _says(*parts: set[str]) -> Callable[[_Said], bool]:
    """A test whether exactly these parts of a date are given."""
    return lambda said: said in parts


def _any(said: _Said) -> bool:
    return True


def _is_not_nth(said: _Said) -> bool:
    return "nth" not in said


def _is_decade(said: _Said) -> bool:
    return "decade" in said and "century" not in said


def _has_year(said: _Said) -> bool:
    return "year" in said


_PLURALS = "days|weekends|mornings|afternoons|evenings|nights|weeks|months|years"
#: (a test of a frame's parts, a context in which such a frame is not certain).
_FRAMES: tuple[tuple[Callable[[_Said], bool], _Spot], ...] = (
    # Recurring days: every Monday, 毎週月曜日, 每周一, on weekends, in her early years.
    (_any, _spot(before=r"(?i:\b(?:every|each)(?:\s+(?:other|single|second|first|third|last))?\s+)")),
    (_any, _spot(before="毎[日週月年回]?の?|[每隔](?:[个個逢年月周週天]|星期)?|逢")),
    (_is_not_nth, _spot(said=rf"(?i:(?:\S+\s+)*(?:{_PLURALS}))")),
    (_says({"meridiem", "year"}), _spot()),  # radio stations
    (_says({"half"}, {"quarter"}), _spot(behind=r"(?i:\s+of\b)")),  # the first half of the book
    # Ages and degrees: in his 30s, upper 40s; tens of thousands.
    (
        _is_decade,
        _spot(
            before=r"(?i:\b(?:his|her|their|my|your|our|one's|upper|lower|high|low)[\s-]+(?:(?:early|late|mid)[\s-]+)?)"
        ),
    ),
    (_is_decade, _spot(said="(?i:tens)", behind=" of ")),
    # A weekday and a number that may be a year: SAT 1400.
    (_says({"weekday", "year"}), _spot()),
    # Fiscal and academic years, which begin on different days.
    (_has_year, _spot(before=r"(?i:\b(?:fiscal|financial|tax|academic|school|model|fy)\s*(?:year\s+)?)")),
    # The first semester of some school year, not the last one: 五年级上学期, 大一上學期.
    (_says({"shift"}), _spot(before="[级級]|[大初高][一二三四]", said=".*[学學]期")),
    # A length or a rank.
    (_says({"day"}), _spot(behind=_OF_A_LENGTH)),
    # Somebody's name: 三月さん.
    (_says({"month"}, {"month", "day"}), _spot(behind="さん|ちゃん(?!と)|くん|君|様(?!子)")),
    # After a bare 三日 or 三月 that is a date come times of day, or words that continue the date.
    (
        _any,
        _spot(
            said="[〇零一二三四五六七八九十廿卅]+[日月]",
            behind=f"(?![前後后以末初中間间頃時时夜朝昼晩晚夕午早上下凌到至从從和与與及、在的左那]){_HAN}",
        ),
    ),
    (_any, _spot(said=".*月份", behind="[額额]")),
    # An issue, an illness, the end of a business year: 3月号, 5月病, 12月決算.
    (_says({"month"}), _spot(said=".*月", behind="号|病|期(?![間间限])|決算|決済|締め")),
    # Days a week: 週3日勤務, 週休2日.
    (_says({"day"}), _spot(before="週休?|期限")),
    # A person is asked or told: "what did June say?"
    (
        _says({"month"}),
        _spot(
            before=r"(?i:\b(?:does|did|ask|asked|tell|told|met|call|called|e-?mail|e-?mailed)\s+)",
            said="(?i:april|may|june|august)",
        ),
    ),
    # April O'Neil, June Carter; "in April Tokyo ..." is still found, only not certain.
    (_says({"month"}), _spot(said="[A-Za-z]+", behind=r"\s+[A-Z]['’]?[A-Za-z]")),
)

#: Contexts in which a year before `_OUR_ERA` is not one: 前325年 (BC; but not 以前325年), year 2 of school, 創業100年.
_EARLY = (
    _spot(before="(?<![以之])前"),
    _spot(said=r"(?i:year \d\d?)"),
    _spot(before="(?<!公元|西暦|西元)", said=f"[{_DIGITS}百]+年"),
)
#: A timeout of 30s, and what makes years of it: in the 30s, the 20s and 30s, the early '30s.
_SECONDS = _spot(said=r"\d\ds")
_OF_YEARS = _spot(before=r"(?i:\bthe\s+(?:early|late|mid)?[\s-]*(?:\d\ds\s*(?:,|and|or|to|&|-)\s*)?|['’])")
#: Days in hiragana, which also occur inside other words: とうきょう, きょうだい, べんきょう, かきのうえ, そんなことしか, あすか.
_SPELLED = re.compile(
    "きょう|きのう|あす|あした|あさって|おととい|おととし|けさ|ゆうべ|ことし|(?:きょ|さく|らい)ねん|(?:せん|こん|らい)しゅう|(?:せん|こん|らい)げつ"
)
_BEFORE_SPELLED = re.compile("[ぁ-ゖ](?<![はがをにのでともへら])$")
_BEHIND_SPELLED = re.compile(
    "[^ぁ-ゖ]|$|[はがをにのもへで]|から|まで|より|こそ|じゅう|だ[けっよねが]|って|や[ら、]|と(?:きのう|あす|あした|[、昨明]|か)|な[らのん]|か[もな、？?]|あ[たさ]|ごろ|ずっ|たべ|いった|きた|した"
)
#: A Han character in front of a length that names an event it is counted from; after others (我三天后, 約3年前) it counts from now.
_EVENT = re.compile(f"(?![我你您他她它們们俺僕私彼誰谁母父兄姉弟妹約约凡体略今昨在于於将將会會要]){_HAN}")
_KANA, _IDIOM = re.compile("[ぁ-ゖ]|[0-9０-９一二三四五六七八九十]分前|[時週日]間前"), re.compile("前[几幾两兩数數]")
_SINCE_IT, _OF_IT = re.compile("(?:[後后起]|から)$"), re.compile(r"\s+of\b", re.I)


def is_doubtful(text: str, start: int, end: int, node: Node) -> bool:
    """Whether text[start:end], read as `node`, may well not be a date."""
    if (spelled := _SPELLED.match(text, start, end)) is not None and _is_inside(text, start, spelled.end()):
        return True
    if _NAMES.match(text, start):
        return True
    if _DOTTED.fullmatch(text, start, end):
        return _is_at(text, start, end, _VERSION)
    if _NEVER.fullmatch(text, start, end) or _is_at(text, start, end, *_SPOTS):
        return True
    if isinstance(node, (Offset, Window)):
        return _is_from_an_event(text, start, end, node)
    if not isinstance(node, Frame):
        return False
    if _is_decade(node.said) and _is_at(text, start, end, _SECONDS) and not _is_at(text, start, end, _OF_YEARS):
        return True
    early = node.year is not None and node.year < _OUR_ERA and _is_at(text, start, end, *_EARLY)
    return early or _is_at(text, start, end, *_spots_of(node.said))


@cache
def _spots_of(said: _Said) -> list[_Spot]:
    return [spot for of, spot in _FRAMES if of(said)]


def _is_at(text: str, start: int, end: int, *spots: _Spot) -> bool:
    """Whether text[start:end] is in one of these contexts."""
    first = max(start - _AROUND_CHARS, 0)
    for before, said, behind in spots:
        if (
            (said is None or said.fullmatch(text, start, end))
            and (behind is None or behind.match(text, end))
            and (before is None or before.search(text, first, start))
        ):
            return True
    return False


def _is_from_an_event(text: str, start: int, end: int, node: Offset | Window) -> bool:
    """締切の3日前, 入社3年後, 考试前三天, 购买后30天内, within 30 days of purchase: not counted from now."""
    said, front = text[start:end], text[start - 1 : start]
    of_an_event = _EVENT.match(front) is not None
    if isinstance(node, Window):
        if said[0] in "前后後":
            return of_an_event and not _IDIOM.match(said)
        within = said.endswith(("内", "內", "内に")) and _SINCE_IT.search(text, max(start - 2, 0), start) is not None
        return within or (said[:6].lower() == "within" and _OF_IT.match(text, end) is not None)
    if node.base is not None or said.isascii():
        return False
    if front == "の" or front == "的":
        return not said.endswith(front) and text[end : end + 1] != front
    return of_an_event and (
        node.sign > 0 or _KANA.search(text, max(start - _AROUND_CHARS, 0), end + _AROUND_CHARS) is not None
    )


def _is_inside(text: str, start: int, end: int) -> bool:
    """Whether the hiragana around make it part of another word."""
    return _BEFORE_SPELLED.search(text, max(start - 1, 0), start) is not None or not _BEHIND_SPELLED.match(text, end)
