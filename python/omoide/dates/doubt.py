"""Is what reads like a date surely one? Names, versions and idioms are written with the words of dates.

Useful for: `explicit` of a mention, on which a boost of a search hangs. Not useful for: arguments, which are dates anyway.
Invariant: what is in doubt is still found; it is only not called certain.
"""

from __future__ import annotations

import re

from omoide.dates.frame import Frame, Node

#: Behind a month they make it somebody's name: 三月さん.
_TITLE = re.compile("さん|ちゃん(?!と)|くん|君|様(?!子)")
_HAN_NUMBER = re.compile("[〇零一二三四五六七八九十廿卅]+(?:日|月份?)")
#: Behind a bare 3日 they make it a length or a rank.
_LENGTH_FOLLOWS = re.compile("ぶり|振り|連続|連休|おき|ごと|毎|分の|目|未満|以上|程度|がかり|かけ|も[かた経]|游|遊")
_HAN = re.compile("[々㐀-鿿]")
#: What may follow a bare 三日 or 三月 of the calendar: times of day, and words that go on with the date.
_FOLLOWERS = "前後后以末初中間间頃時时夜朝昼晩晚夕午早上下凌到至从從和与與及、在"
_VERSION = re.compile(r"(?:\bversion|\bver\.?|\bv|\brelease|バージョン|版本|版)\s*:?\s*$", re.I)
_DOTTED = re.compile(r"[\d.]+")
_CAPITALISED = re.compile(r"\s+[A-Z]['’]?[A-Za-z]")
#: Day words that open names and titles: 今日子, 今日头条, 昨日重现, 明日香.
_NAMES = re.compile(
    "明日方舟|今日(?:子|头条|頭條|頭条|から俺は)|昨日重[现現]|明日香|明天集团|前天(?:赋|津)|千年(?:の恋|女優)|正月太り|一日三|一日千秋"
    "|[月火水木金土日]曜(?:会|大工|ワイド|ロードショー|劇場)|三月のライオン|[后後]天(?:性|免疫|培[养養]|[获獲]得)"
)


def is_doubtful(text: str, start: int, end: int, node: Node) -> bool:
    """Whether text[start:end], read as `node`, may well be no date."""
    said = text[start:end]
    if _NAMES.match(text, start):
        return True
    if _DOTTED.fullmatch(said):
        return _VERSION.search(text, max(start - 20, 0), start) is not None
    if not isinstance(node, Frame):
        return False
    if node.said == {"day"} and _LENGTH_FOLLOWS.match(text, end):
        return True
    if node.said == {"month"} and _TITLE.match(text, end):
        return True
    if _HAN_NUMBER.fullmatch(said):
        behind = text[end : end + 1]
        return _HAN.match(behind) is not None and behind not in _FOLLOWERS
    # April O'Neil, June Carter; "in April Tokyo ..." is not lost, it only boosts nothing.
    return said.isascii() and said.isalpha() and node.said == {"month"} and _CAPITALISED.match(text, end) is not None
