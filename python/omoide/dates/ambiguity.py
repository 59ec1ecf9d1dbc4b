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

from omoide.dates.fold import is_han
from omoide.dates.frame import Frame, Node, Offset, Window
from omoide.dates.patterns import pattern

#: How many characters before and after a date are looked at.
_AROUND_CHARS = 20
_DIGITS, _HAN = "0-9０-９一二三四五六七八九十", "[々㐀-鿿]"


class _Spot(NamedTuple):
    """Where a text that reads as a date is not one: patterns of what precedes it, of the text itself, of what follows; "" is
    anything."""

    before: str
    said: str
    behind: str
    #: Whether it needs a Latin letter, as patterns in ASCII do; the others need a character of another script.
    is_latin: bool


def _spot(*, before: str = "", said: str = "", behind: str = "") -> _Spot:
    return _Spot(f"(?:{before})$" if before else "", said, behind, f"{before}{said}{behind}".isascii())


#: Names, titles and idioms that begin with a word of dates, by their first character: 今日子, 今日头条, 昨日重现, 明日香, 月复一月.
_NAMES = (
    ("こ", "んばん[はわ]"),
    ("お", "正月(?:太り|[飾遊]|料理)"),
    ("正", "月(?:太り|[飾遊]|料理)"),
    ("一", "(?<=年[复復]一)年|(?<=月[复復]一)月|(?<=日[复復]一)日|日三|日千秋|昨日来や"),
    ("二", "月の勝者"),
    ("3３三", "月(?:のライオン(?!ズ)|的[狮獅]子|[ウう]サギ|うさぎ|[兎兔])"),
    ("1257１２５７", "[0０]?月革命"),
    ("8８八", "月の鯨"),
    ("2２", "(?:001|００１)年宇宙の旅"),
    ("四", "月は君"),
    ("七", "月[与與]安生"),
    ("0123456789一二十", "[0-9一二十]*世[紀纪](?:福克斯|不[動动][産产]|少年|枠|[経經经][済濟济][報报])"),
    ("0123456789", "[0-9]{3}年問題"),
    ("月火水木金土日", "曜(?:会|版|大工|画家|作家|農園|菜園|討論|美術館|洋画|島|どうでしょう|サプライズ|プレミアム|日のたわわ|日の初耳学|ワイド|ロードショー|劇場|ドラマ|サスペンス)"),
    ("月", "曜(?:から夜ふかし|病)|末締"),
    ("周週", "末(?:效[应應]|婚|起業|[画畫][报報])"),
    ("周", "天子|五[郎常]|三多|一[围圍鸣鳴]|六福"),
    ("星", "期五餐[厅廳]"),
    ("今", "日(?:子|头条|頭條|頭条|から俺は|の友|[资資]本|的[なにで]|[说說]法)"),
    ("昨", "日(?:重[现現]|の敵は)"),
    ("明", "日(?:方舟|香|[葉花]|のジョー|は我が身)|天(?:集团|[会會]更好)|朝[体體皇时時末初年代人历歷史政的那]"),
    ("后後", "天(?:性|免疫|培[养養]|[获獲]得|努力|形成|因素|失[调調]|八卦)|日[談譚](?!話)"),
    ("前", "天(?:赋|津|然气)|日[談譚](?!話)|(?:[日週月年]|年度)比(?!べ)|年同"),
    ("翌", "(?:[日月]|営業日)(?:配|払)|営業日(?:出荷|発送|着)"),
    ("下", "一?[个個]?工作日(?:送[达達]|配送|[发發][货貨]|到[账賬])"),
    ("去", "年今日此[门門]中"),
    ("来", "年のことを言"),
    ("这這", "年[头頭]"),
    ("当當", "年明月"),
    ("同当當", "日(?:[券達达]|配送)|年[級级齢齡龄]"),
    ("次", "日[達达]"),
    ("年", "末(?:ジャンボ|[調调]整)|底[双雙]薪"),
    ("千", "年(?:の恋|女優|古|之[恋戀])|日前(?:の(?:店|街|劇場)|駅|通り|商店街|道具屋筋)"),
    ("腊臘", "八[粥蒜豆面麵]"),
    ("2", "(?i:0th century (?:fox|studios)|8 days later)"),
    ("fF", r"(?<=TGI F)ridays?|(?<=Man F)riday|(?i:(?<=freaky f)riday|riday(?:\.com| night lights))"),
    ("jJ", "(?i:une bug)"),
    ("lL", "(?i:ast week tonight)"),
    ("mM", r"(?i:onday(?:\.com| blues| night football))"),
    ("nN", "(?i:ext[- ](?:(?:business|working) )?day (?:delivery|shipping|service))"),
    ("sS", "(?i:ame[- ]day (?:delivery|shipping|service)|aturday night (?:live|fever)|unday (?:school|times|telegraph))"),
    ("tT", "(?i:oday show|onight show|omorrow never dies|his week in tech|(?<=ruby t)uesday|(?<=taco t)uesday)"),
    ("wW", "(?i:ednesday addams|(?<=vampire w)eekend)"),
)  # fmt: skip
#: Contexts in which nothing is certain, whatever it is read as.
_SPOTS = (
    # In 3D; amounts "in a day"; the last minute; a day that follows or precedes another: the next day.
    _spot(said="in \\dD|(?i:in an? [a-z]+|the last (?:minute|second))"),
    _spot(
        said="(?i:the (?:next|following|previous|same) (?:(?:business|working) )?day|(?:the )?following [a-z]+|the day (?:before|after))"
    ),
    # Of a year told before: later that year, the same month. The light, and a verb: the morning sun, all afternoon sat.
    # Numbers after words that compare: more than 5.7 million, since 2.1, 3.5 or later.
    _spot(
        said=r"(?i:(?:earlier|early|later?) (?:in )?that (?:day|week|month|year)|(?:.+ )?(?:the |that )?same (?:week|month|year)"
        r"|(?:the |a )?(?:morning|noon|midday|afternoon|evening|night|spring|summer|autumn|fall|winter) (?:sun|sat|wed)"
        r"|(?:[a-z]+ )*\d\d?\.\d\d?(?: (?:or|and) [a-z]+| onwards?)?)"
    ),
    # Of what was told before, seldom today or this week: その日, その週, その夏; 該日 and "that day" are in no text certain.
    _spot(said="その[日週月年春夏秋冬朝昼夕夜晩].*"),
    # Counted from what was told before, その後3年間, 此后三年; three or four days ahead, as the region has it: やのあさって.
    _spot(before="[そこや]の|[其此]", said="[前后後].*|あさって.*"),
    _spot(before=r"(?i:\bto )", said="(?i:this day)"),
    # Before our era: 公元前5世纪, the 5th century BC.
    _spot(before=f"(?:公元|西元|紀元|纪元)前(?:[{_DIGITS}]+[-~〜～–至到])?"),
    _spot(behind=r"\s?(?:BCE?\b|B\.C\.)"),
    # Another number's 年: 公元245年初, 结婚多年始终, 86下半年.
    _spot(before=f"[{_DIGITS}多数數几幾]", said="(?:年[初末底始明]|[上下]半年).*"),
    # What is left of something: 年假还剩几天, 还剩下三天.
    _spot(said="[还還]剩.*"),
    _spot(before="[还還]?剩", said="下.*"),
    # A size: 1920 by 1080.
    _spot(before=r"\d\s", said=r"(?i:by) \d+.*"),
    # Of every week: 土日祝日の営業時間.
    _spot(said="土日", behind="祝"),
    # At last: at the end of the day it works.
    _spot(before=r"(?i:\bat )", said="(?i:the end of the day)"),
    # The third day of something (3日目のカレー), or a part of a series (第三季, as a quarter has its year or 度); 从1.4版; 昨今,
    # 昨シーズン; 当年 (in those days), 同年3月; 旅行的第二天; points of a game: 拿下 11 分.
    _spot(
        said=rf"[{_DIGITS}]+日目|第[1-4一二三四]季|[从從自]\d{{1,2}}\.\d{{1,2}}|昨|第二天(?:[起后後]|开始|之[后前後]|以[后前後])?"
        rf"|(?:同じ[年月日週]|[同该該][年月日天周週季]|[当當]年(?:的?[{_DIGITS}]+月|$)).*|[上下前后後近]\s?[{_DIGITS}]+\s?分"
    ),
    # Played from one year to the next: 2024/25シーズン.
    _spot(said="(?s:.*/.*)", behind=r"\s?(?:[赛賽]季|シーズン)"),
    _spot(said="(?s:.*/.*)", behind=r"\s?season"),
    _spot(before=f"[{_DIGITS}][时時點点]", said=f"[{_DIGITS}]+分.*"),  # 7時15分前 without a day
    # One day, not the first: 一日も早く.
    _spot(said="一日", behind=f"(?!に(?![{_DIGITS}何数])|は|から|まで|付|[、,，以前])"),
    # Made that year: 2024年式のプリウス, 2024年款的车.
    _spot(said="[0-9０-９]{4}年", behind="式|モデル|型|製(?![作造品])|款|版(?![画畫权權])"),
    # So long, not in that year: 2000年の歴史.
    _spot(
        said="[1-9１-９][0-9０-９]?[0０]{2}年",
        behind="(?:以上|[余多])?[の的](?:歴史|历史|歷史|伝統|传统|傳統|文明)(?![数數デ])",
    ),
    # Titles and names: 師走という店, 《昨天》.
    _spot(behind="という(?:名|題|曲|歌|詩|本|店|小説|絵本|映画|番組|ドラマ|アルバム)"),
    _spot(before="[《『]", behind="[》』]"),
    # Exceptions: 月曜以外, 金曜は除く, 除了周一, except Monday, not in March; school and business years: 2024-2025学年.
    _spot(behind="以外|之外|[をは]?除[くいき]|[をは]?抜き|(?:じゃ|では|で)な(?:い(?!か)|く)|[学學]年|[财財]年"),
    _spot(before="除[了去开開]|(?<![删刪清移解扣拆消免排废廢])除|不(?:是|包括|含|算)|[而并並]非"),
    _spot(
        before=r"(?i:\b(?:except|except for|excluding|other than|apart from|not (?:on|in|during)|all (?:days|weeks|months|years) but)(?:\s+(?:on|in|during|the))?\s)"
    ),
    # Counted from what was mentioned before: その前の週, その翌日, 誕生日の前日.
    _spot(before="の", said="[前次]の(?:[日週月年]|営業日)|前々?(?:営業)?日|翌々?(?:営業日|[日週月年])|当日"),
    # Lines of a chart: 20日均线, 站上5日线; not 20日线上会议.
    _spot(said=rf".*[{_DIGITS}]日", behind="均?[线線](?![上下索路])"),
    # Capitalised after another capital, the end of a title: USA Today, Edge of Tomorrow.
    _spot(before=r"(?:\b[A-Z][A-Za-z]+|\bof) ", said="Today|Yesterday|Tomorrow|Tonight"),
)
#: Digits and points alone are a version, a school class or a number of something after a word for one, else certainly a date.
_DOTTED = r"[\d.]+"
_VERSION = (
    _spot(before=r"(?i:\bclass of|\bversion|\bver\.?|\bv|\brelease)\s*:?\s*"),
    _spot(before=r"(?:バージョン|版本|版)\s*:?\s*"),
    # A number of something: order #20240115, 注文番号20240115, 订单号20240115.
    _spot(before=r"(?:#|(?i:\b(?:order|ticket|invoice|no\.|id)))\s*[#:]?\s*"),
    _spot(before=r"(?:番号|[編编単單单序][号號])\s*[はが是为為:：]?\s*"),
)

#: Years before this may be counted otherwise: 前325年, year 2 of school.
_OUR_ERA = 1000
#: What makes a bare 3日 in front of it a length, a rank or a day of every month (15日締め).
_OF_A_LENGTH = (
    "ぶり|振り|分(?!か)|券|連続|連休|おき|ごと|毎|分の|目|未満|以上|程度|(?:ほど|[くぐ]らい|ばかり|余り|あまり)(?!に|から|まで)|がかり|かか|かけ|も[かた経]|坊主|無料|返金|返品|保証|お試し|游|遊|あたり|当たり|につき|天下"
    "|締め(?!切)|払い"
    "|に?[0-9０-９一二三四五六七八九十百千万数何]+(?:[回度杯錠粒食歩個枚円分件人通問冊]|時間|キロ|ページ|[km]?[gml]\\b)"
    "|平均|均[价價量值]"
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


def _has_no_year(said: _Said) -> bool:
    return said.isdisjoint({"year", "year_shift", "month_shift", "shift", "fiscal", "decade"})


#: Months that are names of persons, too.
_GIVEN_NAMES = "(?i:april|may|june|august)"
#: Parts that hardly make a date: radio stations (AM 1400), tests (SAT 1400).
_UNLIKELY = ({"meridiem", "year"}, {"weekday", "year"})
_PLURALS = (
    "days|weekends|mornings|afternoons|evenings|nights|weeks|months|years|(?:mon|tues|wednes|thurs|fri|satur|sun)days"
)
#: Words that a day of a month follows, as in "on 3 may we met".
_BEFORE_DAYS = "[Oo]n|[Bb]y|[Ss]ince|[Uu]ntil|[Tt]ill|[Bb]efore|[Aa]fter|[Ff]rom|[Bb]etween|to|of|the|due|and|or|at|for|this|last|next|dated"
#: (a test of a frame's parts, a context in which such a frame is not certain).
_FRAMES: tuple[tuple[Callable[[_Said], bool], _Spot], ...] = (
    # Recurring days: every Monday, 毎週月曜日, 每周一, on weekends, in her early years.
    (_any, _spot(before=r"(?i:\b(?:every|each)(?:\s+(?:other|single|second|first|third|last))?\s+)")),
    (_any, _spot(before="毎[日週月年回]?の?|[每隔](?:[个個逢年月周週天]|星期)?|逢")),
    (_is_not_nth, _spot(said=rf"(?i:(?:\S+\s+)*(?:{_PLURALS}))")),
    (_says({"half"}, {"quarter"}), _spot(behind=r"(?i:\s+of\b)")),  # the first half of the book
    # Ages and degrees: in his 30s, upper 40s; tens of thousands.
    (
        _is_decade,
        _spot(
            before=r"(?i:\b(?:his|her|their|my|your|our|one's|upper|lower|high|low)[\s-]+(?:(?:early|late|mid)[\s-]+)?)"
        ),
    ),
    (_is_decade, _spot(said="(?i:tens)", behind=" of ")),
    # Fiscal and academic years, which begin on different days.
    (_has_year, _spot(before=r"(?i:\b(?:fiscal|financial|tax|academic|school|model|fy)\s*(?:year\s+)?)")),
    # The first semester of some school year, not the last one: 五年级上学期, 大一上學期.
    (_says({"shift"}), _spot(before="[级級]|[大初高][一二三四]", said=".*[学學]期")),
    # A length or a rank.
    (_says({"day"}), _spot(behind=_OF_A_LENGTH)),
    # A day's, not the first's: 1日の摂取カロリー, 一日の平均歩数.
    (
        _says({"day"}),
        _spot(
            said="[1１一]日",
            behind="の(?:摂取|消費|平均|合計|総|目標|必要|推奨|上限|最大|水分|睡眠|運動|歩数|食事|カロリー|流れ|過ごし方|始まり|疲れ|ルーティン)",
        ),
    ),
    # 5-7日で届く, which may be so long; 12.3日, a length; T+1日, counted from something.
    (_says({"day"}), _spot(before=f"[{_DIGITS}][-~〜～–—.．]|[+＋]")),
    # Of a year counted from something else: 项目第二年3月, 顺治二年四月, August of that year.
    (
        _has_no_year,
        _spot(before=f"(?:第?[{_DIGITS}百]+|元|[甲乙丙丁戊己庚辛壬癸][子丑寅卯辰巳午未申酉戌亥])年[的の]?[春夏秋冬]?"),
    ),
    (
        _has_no_year,
        _spot(behind=r"(?i:,?\s+(?:of\s+)?(?:that|the (?:same|following|previous|next))\s+year\b)"),
    ),
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
    (_says({"month"}), _spot(said=".*月", behind="号|病|生まれ|刊(?![登載载出发發])|期(?![間间限])|決算|決済|締め")),
    # Days a week, and of a journey: 週3日勤務, 週休2日, 2泊3日.
    (_says({"day"}), _spot(before="週休?|期限|泊")),
    # Of a period that is not said: 最終金曜日, 最后一个周五.
    (_says({"weekday"}), _spot(before="最[初後終终]の?|最[后後]一?[个個]?")),
    # What may happen: version 3 may break.
    (
        _says({"month", "day"}, {"month", "day", "day_end"}),
        _spot(
            before=rf"\b(?!(?:{_BEFORE_DAYS})\s)[A-Za-z]+\s+",
            said=r"(?:\d\d? (?:and|or|to) )?\d\d? may",
            behind=r"\s+[a-z]",
        ),
    ),
    (
        _says({"month", "day"}, {"month", "day", "day_end"}),
        _spot(said=r"(?:\d\d? (?:and|or|to) )?\d\d? may", behind=r"\s+(?:be|have|not|also|need|well)\b"),
    ),
    # You may first need to log in, it may second-guess us: a verb; not "due may first at noon".
    (
        _says({"month", "day"}),
        _spot(
            before=rf"\b(?!(?:{_BEFORE_DAYS})\s)[A-Za-z]+\s+",
            said="may (?:first|second|third)",
            behind=r"(?:-|\s+(?!(?:and|at|in|of|or|through|to|until)\b))[a-z]",
        ),
    ),
    # May I bring them?
    (
        _says({"month", "day"}),
        _spot(before="(?<![Oo]n )", said=r"(?i:may) \d\d?", behind=r"\s+(?:people|guests|of (?:us|them|you))\b"),
    ),
    # A person among others, asked or told, or with something of their own: with April, aunt June, "what did June say?", May's birthday.
    (
        _says({"month"}),
        _spot(
            before=r"(?i:\b(?:with|(?:talk(?:ed|ing)?|spoke|speak|wrote|e-?mail(?:ed)?) to|aunt|uncle|cousin|sister|brother|daughter|son|friend|mrs?\.?|ms\.?|dr\.?|does|did|ask|asked|tell|told|met|call|called|e-?mail|e-?mailed)\s+)",
            said=_GIVEN_NAMES,
        ),
    ),
    (_says({"month"}), _spot(said=_GIVEN_NAMES, behind=r"\s+and (?:I|me)\b")),
    (
        _says({"month"}),
        _spot(
            said=_GIVEN_NAMES,
            behind=r"(?i:['\u2019]s\s+(?:birthday|wedding|phone|e-?mail|address|husband|wife|mother|mom|father|dad|parents|sister|brother)\b)",
        ),
    ),
    # A person speaks, thinks or is related: April said no, June is my sister.
    (
        _says({"month"}),
        _spot(
            said=_GIVEN_NAMES,
            behind=r"(?i:\s+(?:said|says|told|tells|asked|asks|replied|suggested|mentioned|thinks|thought|wants|wanted|likes|liked|loves|hates|prefers|texted|e-?mailed|(?:is|was) (?:my|his|her|our|their))\b)",
        ),
    ),
    # April O'Neil, June Carter; "in April Tokyo ..." is still found, only not certain.
    (_says({"month"}), _spot(said="[A-Za-z]+", behind=r"\s+[A-Z]['\u2019]?[A-Za-z]")),
)

#: Contexts in which a year before `_OUR_ERA` is not one: 前325年 (BC; but not 以前325年), year 2 of school, 創業100年.
_EARLY = (
    _spot(before="(?<![以之])前"),
    _spot(said=r"(?i:year (?:\d\d?|[a-z-]+))"),
    _spot(before="(?<!公元|西暦|西元)", said=f"[{_DIGITS}百]+年"),
)
#: A timeout of 30s, and what makes years of it: in the 30s, the 20s and 30s, the early '30s.
_SECONDS = _spot(said=r"\d\d[sS]")
_OF_YEARS = _spot(before=r"(?i:\bthe\s+(?:early|late|mid)?[\s-]*(?:\d\ds\s*(?:,|and|or|to|&|-)\s*)?|['\u2019])")
#: Days in hiragana, which also occur inside other words: とうきょう, きょうだい, べんきょう, かきのうえ, そんなことしか, あすか.
_SPELLED = "きょう|きのう|あす|あした|あさって|おととい|おととし|けさ|ゆうべ|ことし|(?:きょ|さく|らい)ねん|(?:せん|こん|らい)しゅう|(?:せん|こん|らい)げつ"
_BEFORE_SPELLED = "[ぁ-ゖ](?<![はがをにのでともへら])$"
_BEHIND_SPELLED = "[^ぁ-ゖ]|$|[はがをにのもへで]|から|まで|より|こそ|じゅう|だ[けっよねが]|って|や[ら、]|と(?:きのう|あす|あした|[、昨明]|か)|な[らのん]|か[もな、？?]|あ[たさ]|ごろ|ずっ|たべ|いった|きた|した"
#: Han characters in front of a length that counts from now, where others name an event it is counted from: 我三天后, 約3年前.
_NO_EVENT = "我你您他她它們们俺僕私彼誰谁母父兄姉弟妹約约凡体略今昨在于於将將会會要"
_KANA, _IDIOM = "[ぁ-ゖ]|[0-9０-９一二三四五六七八九十]分前|[時週日]間前", "前[几幾两兩数數]"
_SINCE_IT, _OF_IT = "(?:[後后起]|から)$", r"(?i:\s+of\b)"


def is_doubtful(text: str, start: int, end: int, node: Node) -> bool:
    """Whether text[start:end], read as `node`, may well not be a date."""
    if _is_part_of_word(text, start, end) or _is_name(text, start):
        return True
    if pattern(_DOTTED).fullmatch(text, start, end):
        return _is_at(text, start, end, *_VERSION)
    if _is_at(text, start, end, *_SPOTS):
        return True
    if isinstance(node, (Offset, Window)):
        return _is_from_an_event(text, start, end, node)
    if not isinstance(node, Frame):
        return False
    if node.said in _UNLIKELY:
        return True
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
    around = text[first : end + _AROUND_CHARS]
    latin, other = pattern("[A-Za-z]").search(around) is not None, not around.isascii()
    for before, said, behind, is_latin in spots:
        if (
            (latin if is_latin else other)
            and (not said or pattern(said).fullmatch(text, start, end))
            and (not behind or pattern(behind).match(text, end))
            and (not before or pattern(before).search(text, first, start))
        ):
            return True
    return False


def _is_from_an_event(text: str, start: int, end: int, node: Offset | Window) -> bool:
    """締切の3日前, 入社3年後, 考试前三天, 购买后30天内, within 30 days of purchase: not counted from now."""
    said, front = text[start:end], text[start - 1 : start]
    of_an_event = (is_han(front) or front == "々") and front not in _NO_EVENT
    if isinstance(node, Window):
        if said[0] in "前后後":
            return of_an_event and not pattern(_IDIOM).match(said)
        if said.startswith("最後"):
            return of_an_event or front == "の"  # 旅行の最後の3日
        within = (
            said.endswith(("内", "內", "内に"))
            and pattern(_SINCE_IT).search(text, max(start - 2, 0), start) is not None
        )
        return within or (said[:6].lower() == "within" and pattern(_OF_IT).match(text, end) is not None)
    if node.base is not None or said.isascii():
        return False
    if front == "の" or front == "的":
        return not said.endswith(front) and text[end : end + 1] != front
    return of_an_event and (
        node.sign > 0 or pattern(_KANA).search(text, max(start - _AROUND_CHARS, 0), end + _AROUND_CHARS) is not None
    )


def _is_name(text: str, start: int) -> bool:
    names = _names_with(text[start])
    return names is not None and names.match(text, start + 1) is not None


@cache
def _names_with(first: str) -> re.Pattern[str] | None:
    """Matches what follows the character in names."""
    rest = [rest for characters, rest in _NAMES if first in characters]
    return re.compile("|".join(rest)) if rest else None


def _is_part_of_word(text: str, start: int, end: int) -> bool:
    """Whether it begins in hiragana and those around make it part of another word."""
    spelled = pattern(_SPELLED).match(text, start, end) if "ぁ" <= text[start] <= "ゖ" else None
    if spelled is None:
        return False
    before = pattern(_BEFORE_SPELLED).search(text, max(start - 1, 0), start)
    return before is not None or not pattern(_BEHIND_SPELLED).match(text, spelled.end())
