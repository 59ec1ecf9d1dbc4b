"""Error messages for date arguments, in the caller's language: not a date, no span between two, no end where one is needed.

Useful for: `Moment.argument`, and ends of a span. Not useful for: finding dates.
Invariant: every message names the argument and what to do next; that of a date also what was understood, and
three accepted forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from omoide.dates.fold import has_han
from omoide.dates.model import About, End, Mention
from omoide.errors import InvalidArgument, shortened
from omoide.traditional import HANT, message_language, traditional


@dataclass(frozen=True, slots=True)
class _Wording:
    nothing: str
    only: str
    hint: str
    hint_of_future: str
    behind: str
    swap: str
    no_start: str
    no_end: str
    other_end: str


_Say = Callable[[_Wording], str]

_WORDINGS = {
    "en": _Wording(
        "{argument}: {text!r} is not a date I understand.",
        "{argument}: of {text!r} I understand only {found!r}.",
        "Write for example 2024-01-15, last 30 days, or March 2023.",
        "Write for example 2034-01-15, next Friday, or in 30 days.",
        "{start} ({first}) comes after {end} ({last}).",
        "Swap the two, or leave one out.",
        "{argument}: {text!r} does not say when it begins.",
        "{argument}: {text!r} does not say when it ends.",
        "Write the date alone, or pass it in the argument for the other end.",
    ),
    "ja": _Wording(
        "{argument}：「{text}」は日付として理解できません。",
        "{argument}：「{text}」のうち理解できたのは「{found}」だけです。",
        "例：2024-01-15、過去30日間、先週の金曜日。",
        "例：2034-01-15、来週の金曜日、30日後。",
        "{start}（{first}）が {end}（{last}）より後になっています。",
        "二つを入れ替えるか、どちらかを省いてください。",
        "{argument}：「{text}」には始まりがありません。",
        "{argument}：「{text}」には終わりがありません。",
        "日付だけを書くか、もう一方の端を表す引数に渡してください。",
    ),
    "zh": _Wording(
        "{argument}：无法将“{text}”理解为日期。",
        "{argument}：“{text}”中只理解了“{found}”。",
        "示例：2024-01-15、最近30天、上周五。",
        "示例：2034-01-15、下周五、30天后。",
        "{start}（{first}）晚于 {end}（{last}）。",
        "请交换两者，或省略其中一个。",
        "{argument}：“{text}”没有说明从何时开始。",
        "{argument}：“{text}”没有说明到何时结束。",
        "请只写日期，或将其传给表示另一端的参数。",
    ),
}


#: Kana, and words that are rare in a Chinese date.
_JAPANESE = re.compile(r"[ぁ-ゖァ-ヺ々曜毎]|先[週月]|来週|一昨|四半期|令和|平成|昭和|大正|明治")
#: Language of a date -> others that it may be in: 期末 and 2月30日 are also Japanese, and the same in Traditional Chinese.
_OTHERS = {"en": ("ja", "zh"), "zh": ("ja", HANT), HANT: ("ja",), "ja": ()}


def not_a_date(text: str, argument: str, found: Sequence[Mention], about: About | None = None) -> InvalidArgument:
    """The error for `text`, of which only `found` was understood. The examples suit an argument `about` the past or the future."""
    first = found[0].text if found else ""

    def said(wording: _Wording) -> str:
        message = wording.only if found else wording.nothing
        return message.format(argument=argument, text=shortened(text), found=first)

    def hint(wording: _Wording) -> str:
        return wording.hint_of_future if about == "future" else wording.hint

    return _refused(argument, _language(text), said, hint, "invalid_date")


def no_span(start: tuple[str, str], end: tuple[str, str], code: str | None = None) -> InvalidArgument:
    """The error for a span whose end is before its start, each given as (argument, text); it is of the start's argument."""

    def said(wording: _Wording) -> str:
        return wording.behind.format(start=start[0], first=shortened(start[1]), end=end[0], last=shortened(end[1]))

    return _refused(start[0], _language(start[1] + end[1]), said, lambda wording: wording.swap, code)


def no_end(text: str, argument: str, end: End) -> InvalidArgument:
    """The error for a date that is open at the end the caller needs: "until March" as the beginning of a span."""

    def said(wording: _Wording) -> str:
        message = wording.no_start if end == "start" else wording.no_end
        return message.format(argument=argument, text=shortened(text))

    return _refused(argument, _language(text), said, lambda wording: wording.other_end, "invalid_date")


def _refused(argument: str, language: str, said: _Say, hint: _Say, code: str | None) -> InvalidArgument:
    """The error in the language of the date, and in others that the caller may use."""
    also = {other: f"{said(_wording(other))}{hint(_wording(other))}" for other in _OTHERS[language]}
    wording = _wording(language)
    return InvalidArgument(argument, said(wording), hint=hint(wording), code=code, also=also)


def _wording(language: str) -> _Wording:
    if language != HANT:
        return _WORDINGS[language]
    return _Wording(*(traditional(getattr(_WORDINGS["zh"], name)) for name in _Wording.__slots__))


def _language(text: str) -> str:
    if _JAPANESE.search(text):
        return "ja"
    return message_language("zh", text) or "zh" if has_han(text) else "en"
