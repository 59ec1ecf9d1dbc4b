"""What is wrong with arguments, in the language that they are in: Japanese or Chinese.

The doors refuse in the words that are published, which clients and programs know; this stands beside them.

Useful for: refusals by a schema. Not useful for: what a tool itself refuses.
Invariant: the same refusal is told by the published words, too; where no language but English is met, nothing is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from omoide.families.tool import Misfit

#: Of the arguments, what their language is told by.
READ_CHARS = 1_000
#: Names and values that are listed, and characters of a name.
SHOWN = 20

#: Rule of a schema -> what is said in each language. `where` is the value, `bound` what the schema says, `length` how long
#: the value is, `names` what is not known there.
_WORDS: Mapping[str, Mapping[str, str]] = {
    "required": {"ja": "{where} が必要です。", "zh": "缺少 {where}。"},
    "type": {"ja": "{where} には{bound}を渡してください。", "zh": "{where} 应为{bound}。"},
    "enum": {"ja": "{where} は次のどれかにしてください：{bound}。", "zh": "{where} 只能是以下之一：{bound}。"},
    "minimum": {"ja": "{where} は {bound} 以上にしてください。", "zh": "{where} 不能小于 {bound}。"},
    "maximum": {"ja": "{where} は {bound} 以下にしてください。", "zh": "{where} 不能大于 {bound}。"},
    "minLength": {"ja": "{where} は {bound} 文字以上にしてください。", "zh": "{where} 至少要有 {bound} 个字符。"},
    "maxLength": {
        "ja": "{where} は {bound} 文字までです（{length} 文字ありました）。",
        "zh": "{where} 最多 {bound} 个字符（现有 {length} 个）。",
    },
    "minItems": {"ja": "{where} は {bound} 件以上にしてください。", "zh": "{where} 至少要有 {bound} 项。"},
    "maxItems": {
        "ja": "{where} は {bound} 件までです（{length} 件ありました）。",
        "zh": "{where} 最多 {bound} 项（现有 {length} 项）。",
    },
    "additionalProperties": {
        "ja": "{names} は使えません。使えるもの：{bound}。",
        "zh": "不能使用 {names}。可用的有：{bound}。",
    },
}
_TYPES: Mapping[str, Mapping[str, str]] = {
    "string": {"ja": "文字列", "zh": "字符串"},
    "number": {"ja": "数値", "zh": "数字"},
    "integer": {"ja": "整数", "zh": "整数"},
    "boolean": {"ja": " true か false ", "zh": " true 或 false "},
    "array": {"ja": "配列", "zh": "数组"},
    "object": {"ja": "オブジェクト", "zh": "对象"},
}
_OR = {"ja": "か", "zh": "或"}


def refusal(misfit: Misfit, arguments: Mapping[str, Any]) -> str:
    """A sentence on what does not fit; "" where the arguments are in neither language, or nothing is to be added."""
    words = _WORDS.get(misfit.rule)
    language = _language_of(arguments) if words is not None else None
    if words is None or language is None:
        return ""
    where = _joined(misfit.where, misfit.missing)
    bound = _bound(misfit, language)
    return words[language].format(where=where, bound=bound, length=_length(misfit.value), names=_unknown(misfit))


def _bound(misfit: Misfit, language: str) -> str:
    if misfit.rule == "type":
        types = misfit.bound if isinstance(misfit.bound, list) else [misfit.bound]
        return _OR[language].join(_TYPES[each][language] for each in types if each in _TYPES)
    if isinstance(misfit.bound, list):
        return ", ".join(map(str, misfit.bound[:SHOWN]))
    return f"{misfit.bound:,}" if isinstance(misfit.bound, int) else str(misfit.bound)


def _length(value: Any) -> str:
    return f"{len(value):,}" if isinstance(value, (str, list)) else ""


def _unknown(misfit: Misfit) -> str:
    if misfit.rule != "additionalProperties":
        return ""
    names = [name for name in misfit.value if name not in misfit.bound]
    return ", ".join(_joined(misfit.where, name[:SHOWN]) for name in names[:SHOWN])


def _joined(where: str, name: str) -> str:
    return ".".join(part for part in (where, name) if part)


def _language_of(arguments: Mapping[str, Any]) -> str | None:
    """`ja`, `zh`, or None for arguments without kana and Han characters."""
    from omoide.text.detect import language_of  # what is refused is rare

    return language_of(" ".join(_texts(arguments))[:READ_CHARS], None)


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, names included."""
    if isinstance(value, str):
        yield value[:READ_CHARS]
    elif isinstance(value, dict):
        yield from chain(value, chain.from_iterable(map(_texts, value.values())))
    elif isinstance(value, list):
        yield from chain.from_iterable(map(_texts, value))
