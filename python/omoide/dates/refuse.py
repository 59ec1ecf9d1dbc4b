"""An argument that is no date: what to tell the caller, in the caller's language.

Useful for: `Moment.argument`. Not useful for: finding dates.
Invariant: every refusal names the argument, what was understood, and three forms that are accepted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from omoide.dates.model import Mention
from omoide.errors import InvalidArgument

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class _Wording:
    nothing: str
    only: str
    hint: str


_WORDINGS = {
    "en": _Wording(
        "{argument}: {text!r} is not a date I understand.",
        "{argument}: of {text!r} I understand only {found!r}.",
        "Write for example 2024-01-15, last 30 days, or March 2023.",
    ),
    "ja": _Wording(
        "{argument}:「{text}」は日付として理解できません。",
        "{argument}:「{text}」のうち理解できたのは「{found}」だけです。",
        "例: 2024-01-15、過去30日間、先週の金曜日。",
    ),
    "zh": _Wording(
        "{argument}:无法将“{text}”理解为日期。",
        "{argument}:“{text}”中只理解了“{found}”。",
        "示例:2024-01-15、最近30天、上周五。",
    ),
}


def not_a_date(text: str, argument: str, found: Sequence[Mention]) -> InvalidArgument:
    """The refusal of `text`, of which `found` could be understood."""
    wording = _WORDINGS[_language(text)]
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    message = wording.only if found else wording.nothing
    first = found[0].text if found else ""
    return InvalidArgument(
        argument, message.format(argument=argument, text=shown, found=first), hint=wording.hint, code="invalid_date"
    )


def _language(text: str) -> str:
    if re.search(r"[ぁ-ゖァ-ヺ]", text):
        return "ja"
    return "zh" if re.search(r"[㐀-鿿]", text) else "en"
