"""Is what reads like a date surely one? Names, versions and idioms are written with the words of dates.

Useful for: `explicit` of a mention, on which a boost of a search hangs. Not useful for: arguments, which are dates anyway.
Invariant: what is in doubt is still found; it is only not called certain.
"""

from __future__ import annotations

import re

from omoide.dates.frame import Frame, Node, Offset, Window

#: Behind a month they make it somebody's name: 三月さん.
_TITLE = re.compile("さん|ちゃん(?!と)|くん|君|様(?!子)")
_HAN_NUMBER = re.compile("[〇零一二三四五六七八九十廿卅]+(?:日|月份?)")
#: Behind a bare 3日 they make it a length or a rank.
_LENGTH_FOLLOWS = re.compile(
    "ぶり|振り|連続|連休|おき|ごと|毎|分の|目|未満|以上|程度|がかり|かけ|も[かた経]|游|遊"
    "|あたり|当たり|につき|天下"
    "|に?[0-9０-９一二三四五六七八九十百千万数何]+(?:[回度杯錠粒食歩個枚円分件人通問冊]|時間|キロ|ページ|[km]?[gml]\\b)"
)
_HAN = re.compile("[々㐀-鿿]")
#: What may follow a bare 三日 or 三月 of the calendar: times of day, and words that go on with the date.
_FOLLOWERS = "前後后以末初中間间頃時时夜朝昼晩晚夕午早上下凌到至从從和与與及、在"
_VERSION = re.compile(r"(?:\bversion|\bver\.?|\bv|\brelease|バージョン|版本|版)\s*:?\s*$", re.I)
_DOTTED, _SHORT_DOTTED = re.compile(r"[\d.]+"), re.compile(r"[从從自]\d{1,2}\.\d{1,2}")
#: Fiscal and academic years begin when somebody says.
_FISCAL = re.compile(r"\b(?:fiscal|financial|tax|academic|school|fy)\s*(?:year\s+)?$", re.I)
#: 前325年 is before our era; 以前325年 would not be.
_OUR_ERA, _BEFORE_IT = 1000, re.compile("(?<![以之])前$")
_OF_ITS_OWN = re.compile(r"year \d\d?", re.I)  # year 2 of school
_SEASON = re.compile("\\s?(?:[赛賽]季|シーズン|season)")
#: 一日 is also any day, or a whole one: 一日も早く, 日复一日.
_YESTERDAY, _AGAIN = "昨", re.compile("([年月日])[复復]一\\1")  # 昨今, 昨シーズン, 月复一月
_FIRST, _ON_THE_FIRST = "一日", re.compile("に(?![0-9０-９一二三四五六七八九十何数])|は|から|まで|付|[、,，以前]")
_CAPITALISED = re.compile(r"\s+[A-Z]['’]?[A-Za-z]")
#: Day words that open names and titles: 今日子, 今日头条, 昨日重现, 明日香.
_NAMES = re.compile(
    "こんばん[はわ]|周天子|明日方舟|今日(?:子|头条|頭條|頭条|から俺は)|昨日重[现現]|明日香|明天集团|前天(?:赋|津|然气)|千年(?:の恋|女優)|お?正月(?:太り|[飾遊]|料理)|一日三|一日千秋"
    "|[月火水木金土日]曜(?:会|大工|ワイド|ロードショー|劇場|ドラマ|サスペンス)|月曜から夜ふかし|三月のライオン|四月は君|二月の勝者|[腊臘]八[粥蒜豆面麵]|[后後]天(?:性|免疫|培[养養]|[获獲]得)"
    "|明日[葉花]|明日は我が身|昨日の敵は|今日の友|一昨日来や|来年のことを言|今日[資资]本|千年古|[当當]年明月|明朝[体體皇时時末初年代人历歷史政的那]"
    "|[0-9一二十]+世[紀纪](?:福克斯|不[動动][産产]|少年|枠|[経經经][済濟济][報报])|[0-9]{4}年問題"
    "|[周週]末(?:效[应應]|婚)|年末[調调]整|年底[双雙]薪|前[日週月年]比(?!べ)|前年同|翌[日月](?:配|払)|[当當]日[券達达]|次日[達达]|周五郎|千年之[恋戀]|[同当當]年[級级齢齡龄]"
    "|Today Show|Tonight Show|Tomorrow Never"
)
#: Who is asked or told is somebody: "what did June say?"
_SOMEBODY = re.compile(r"\b(?:does|did|ask|asked|tell|told|met|call|called|e-?mail|e-?mailed)\s+$", re.I)
_GIVEN_NAMES = {"april", "may", "june", "august"}
#: In capitals behind another capital they end a title: USA Today, Edge of Tomorrow.
_TITLED, _TITLE_BEFORE = re.compile(r"Today|Yesterday|Tomorrow|Tonight"), re.compile(r"(?:\b[A-Z][A-Za-z]+|\bof) $")
#: What comes again is none of its days: every Monday, 毎週月曜日, 每周一, on weekends, in her early years.
_EVERY = re.compile(
    r"(?:\b(?:every|each)(?:\s+(?:other|single|second|first|third|last))?\s+|毎[日週月年回]?の?|[每隔](?:[个個逢年月周週天]|星期)?|逢)$",
    re.I,
)
_PLURAL = re.compile(r"(?:days|weekends|mornings|afternoons|evenings|nights|weeks|months|years)$", re.I)
#: How much in a day; radio stations; ages, degrees and seconds: in his 30s, upper 40s, a timeout of 30s, tens of thousands.
_RATE, _STATION = re.compile(r"in an? [a-z]+$", re.I), {"meridiem", "year"}
_SOMEBODYS = re.compile(
    r"\b(?:his|her|their|my|your|our|one's|upper|lower|high|low)[\s-]+(?:(?:early|late|mid)[\s-]+)?$", re.I
)
_SECONDS, _OF_YEARS = re.compile(r"\d\ds$"), re.compile(r"(?:\bthe\s+(?:early|late|mid)?[\s-]*|['’])$", re.I)
#: Days in hiragana stand inside other words: とうきょう, きょうだい, べんきょう, かきのうえ, そんなことしか, あすか.
_SPELLED = re.compile(
    "きょう|きのう|あす|あした|あさって|おととい|おととし|けさ|ゆうべ|ことし|(?:きょ|さく|らい)ねん|(?:せん|こん|らい)しゅう|(?:せん|こん|らい)げつ"
)
_BEFORE_SPELLED = re.compile("[ぁ-ゖ](?<![はがをにのでともへら])$")
_BEHIND_SPELLED = re.compile(
    "[^ぁ-ゖ]|$|[はがをにのもへで]|から|まで|より|こそ|じゅう|だ[けっよねが]|って|や[ら、]|と(?:きのう|あす|あした|[、昨明]|か)|な[らのん]|か[もな、？?]|あ[たさ]|ごろ|ずっ|たべ|いった|きた|した"
)
#: Who or what may stand in front of a length that is counted from now: 我三天后, 約3年前; other words are what it is counted from.
_NO_EVENT = frozenset("我你您他她它們们俺僕私彼誰谁母父兄姉弟妹約约凡体略今昨在于於将將会會要")
_KANA, _IDIOM = re.compile("[ぁ-ゖ]"), re.compile("[前][几幾两兩数數]")
_SINCE_IT, _OF_IT = re.compile("(?:[後后起]|から)$"), re.compile(r"\s+of\b", re.I)
#: In 3D, the third day of whatever it is (3日目のカレー), and of a series (第三季): the quarter has its year said, or 度.
_NO_DAY = re.compile(r"in \dD|[0-9０-９一二三四五六七八九十]+日目|第[1-4一二三四]季")


def is_doubtful(text: str, start: int, end: int, node: Node) -> bool:
    """Whether text[start:end], read as `node`, may well be no date."""
    said = text[start:end]
    if (spelled := _SPELLED.match(said)) is not None and _is_inside(text, start, start + spelled.end()):
        return True
    if _NAMES.match(text, start):
        return True
    if _DOTTED.fullmatch(said):
        return _VERSION.search(text, max(start - 20, 0), start) is not None
    if _NO_DAY.fullmatch(said) or _SHORT_DOTTED.fullmatch(said) or ("/" in said and _SEASON.match(text, end)):
        return True
    if said == _YESTERDAY or _AGAIN.match(text, start - 2 if start > 1 else start):
        return True
    if said == _FIRST and not _ON_THE_FIRST.match(text, end):
        return True
    if _TITLED.fullmatch(said) and _TITLE_BEFORE.search(text, max(start - 20, 0), start):
        return True
    if _RATE.match(said):
        return True
    if isinstance(node, (Offset, Window)):
        return _is_from_an_event(text, start, end, node)
    if not isinstance(node, Frame):
        return False
    before = text[max(start - 20, 0) : start]
    if _EVERY.search(before) or (node.nth is None and _PLURAL.search(said)) or node.said == _STATION:
        return True
    if node.decade is not None and node.century is None and _is_no_decade(text, before, said, end):
        return True
    if node.year is not None and _FISCAL.search(before):
        return True
    if (node.year or _OUR_ERA) < _OUR_ERA and (_BEFORE_IT.search(before) or _OF_ITS_OWN.fullmatch(said)):
        return True
    if node.said == {"day"} and _LENGTH_FOLLOWS.match(text, end):
        return True
    if node.said in ({"month"}, {"month", "day"}) and _TITLE.match(text, end):
        return True
    if _HAN_NUMBER.fullmatch(said):
        behind = text[end : end + 1]
        return _HAN.match(behind) is not None and behind not in _FOLLOWERS
    # April O'Neil, June Carter; "in April Tokyo ..." is not lost, it only boosts nothing.
    if not (said.isascii() and said.isalpha() and node.said == {"month"}):
        return False
    asked = said.lower() in _GIVEN_NAMES and _SOMEBODY.search(text, max(start - 20, 0), start)
    return bool(asked) or _CAPITALISED.match(text, end) is not None


def _is_from_an_event(text: str, start: int, end: int, node: Offset | Window) -> bool:
    """締切の3日前, 入社3年後, 考试前三天, 购买后30天内, within 30 days of purchase: not counted from now."""
    said, front = text[start:end], text[start - 1 : start]
    of_a_noun = _HAN.match(front) is not None and front not in _NO_EVENT
    if isinstance(node, Window):
        if said[0] in "前后後":
            return of_a_noun and not _IDIOM.match(said)
        within = said.endswith(("内", "內", "内に")) and _SINCE_IT.search(text, max(start - 2, 0), start) is not None
        return within or (said[:6].lower() == "within" and _OF_IT.match(text, end) is not None)
    if node.base is not None or said.isascii():
        return False
    if front == "の" or front == "的":
        return not said.endswith(front) and text[end : end + 1] != front
    return of_a_noun and (node.sign > 0 or _KANA.search(text, max(start - 20, 0), end + 20) is not None)


def _is_inside(text: str, start: int, end: int) -> bool:
    """Whether the hiragana around make another word of it."""
    return _BEFORE_SPELLED.search(text, max(start - 1, 0), start) is not None or not _BEHIND_SPELLED.match(text, end)


def _is_no_decade(text: str, before: str, said: str, end: int) -> bool:
    seconds = _SECONDS.match(said) is not None and _OF_YEARS.search(before) is None
    tens = said.lower() == "tens" and text.startswith(" of ", end)
    return seconds or tens or _SOMEBODYS.search(before) is not None
