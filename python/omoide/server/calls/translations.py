"""Errors in the language of the call's arguments, where that is Japanese or Chinese.

The tools refuse in their published English wording, which clients and programs know; the translation is sent beside it.

Useful for: refusals by a schema, and errors of tools. Not useful for: errors that are in that language already.
`usual` tells what a text of Han characters alone is, where the operator has set a language or most memories are in one; and what
is spoken where a text has no such characters, if that is known (of a person at a terminal, never of a client).
Invariant: the English refusal is always sent too; the arguments of clients without Japanese or Chinese get no translation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from omoide.errors import PHRASES, OmoideError
from omoide.families.tool import Misfit
from omoide.traditional import message_language, told_in

#: Tells the language of a text whose characters do not: ja or zh, or None if nothing tells it.
UsualLanguage = Callable[[str], "str | None"]

#: Characters of the arguments that are read to detect their language.
READ_CHARS = 1_000
#: How many names and values are listed, and how many characters of a name.
SHOWN = 20

#: Rule of a schema -> sentence in each language. `where` is the path of the value, `bound` what the schema asks for, `length`
#: the value's length, `names` the unknown members.
_WORDS: Mapping[str, Mapping[str, str]] = {
    **PHRASES,
    "type": {"ja": "{where} には{bound}を渡してください。", "zh": "{where} 应为{bound}。"},
    "enum": {"ja": "{where} は次のどれかにしてください：{bound}。", "zh": "{where} 只能是以下之一：{bound}。"},
    "minimum": {"ja": "{where} は {bound} 以上にしてください。", "zh": "{where} 不能小于 {bound}。"},
    "maximum": {"ja": "{where} は {bound} 以下にしてください。", "zh": "{where} 不能大于 {bound}。"},
    "minLength": {"ja": "{where} は {bound} 文字以上にしてください。", "zh": "{where} 至少要有 {bound} 个字符。"},
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
#: For a tool without arguments.
_NONE_ACCEPTED = {"ja": "{names} は使えません。引数はありません。", "zh": "不能使用 {names}：不需要参数。"}
_TYPES: Mapping[str, Mapping[str, str]] = {
    "string": {"ja": "文字列", "zh": "字符串"},
    "number": {"ja": "数値", "zh": "数字"},
    "integer": {"ja": "整数", "zh": "整数"},
    "boolean": {"ja": " true か false ", "zh": " true 或 false"},
    "array": {"ja": "配列", "zh": "数组"},
    "object": {"ja": "オブジェクト", "zh": "对象"},
}
_OR = {"ja": "か", "zh": "或"}
#: Code of an error -> sentence, where the error brings no translation of its own.
OF_CODES: Mapping[str, Mapping[str, str]] = {
    "not_found": {
        "ja": "見つかりません。検索して、ID や名前を確かめてください。",
        "zh": "没有找到。请先搜索，确认 ID 或名称。",
    },
    "conflict": {
        "ja": "保存されている内容と食い違うため、何も書き込んでいません。",
        "zh": "与已保存的内容冲突，没有写入任何内容。",
    },
    "store_error": {"ja": "記憶の保存先を読み書きできませんでした。", "zh": "无法读写记忆的存储。"},
    "store_read_only": {
        "ja": "記憶の保存先に書き込めません。検索はできます。保存先のファイルとフォルダーに書き込めるようにしてください。",
        "zh": "记忆的存储不可写入，仍可搜索。请允许写入该文件及其文件夹。",
    },
    "store_full": {
        "ja": "ディスクに空きがないため、何も書き込んでいません。空きを作ってからやり直してください。",
        "zh": "磁盘已满，没有写入任何内容。请清理空间后重试。",
    },
    "store_too_new": {
        "ja": "記憶の保存先は、より新しい版の omoide が書いたものです。その版以降の omoide を使ってください。",
        "zh": "记忆的存储由更新版本的 omoide 写入。请使用该版本或更新版本的 omoide。",
    },
    "store_busy": {
        "ja": "ほかのプロセスが記憶の保存先を使っています。しばらくしてからやり直してください。",
        "zh": "其他进程正在使用记忆的存储，请稍后重试。",
    },
    "unavailable": {"ja": "この機能は今は使えません。", "zh": "此功能目前不可用。"},
    "internal_error": {
        "ja": "サーバー側の不具合です。詳しくはサーバーのログにあります。",
        "zh": "这是服务器的故障，详情见服务器日志。",
    },
}
_UNUSED = {
    "ja": "次の引数は使われませんでした：{names}。{known}",
    "zh": "以下参数未被使用：{names}。{known}",
}
_UNDONE = {"ja": "何も行っていません。", "zh": "没有执行任何操作。"}
_KNOWN = {"ja": "{place} で使えるもの：{names}。", "zh": "{place} 可用的有：{names}。"}
_NONE_KNOWN = {"ja": "{place} に引数はありません。", "zh": "{place} 不需要参数。"}


def unknown_language(_text: str) -> None:
    """The usual language where nothing tells it."""


def refusal(misfit: Misfit, arguments: Mapping[str, Any], usual: UsualLanguage = unknown_language) -> str:
    """A sentence on what does not fit; "" where the arguments are in neither language, or the rule has no translation."""
    nothing_known = misfit.rule == "additionalProperties" and not misfit.bound
    words = _NONE_ACCEPTED if nothing_known else _WORDS.get(misfit.rule)
    language = _language_of(arguments, usual) if words is not None else None
    if words is None or language is None:
        return ""
    where = _path(misfit.where, misfit.missing)
    bound = _bound(misfit, language)
    sentence = told_in(words, language) or ""
    return sentence.format(where=where, bound=bound, length=_length(misfit.value), names=_unknown(misfit))


def explained(error: OmoideError, arguments: Mapping[str, Any], usual: UsualLanguage = unknown_language) -> str:
    """A sentence on what was refused or failed; "" as above, or where the error itself is in that language (it then brings
    translations into the others alone)."""
    known = error.also or OF_CODES.get(error.code, {})
    language = _language_of(arguments, usual) if known else None
    return told_in(known, language) or ""


def unused(
    names: Sequence[str],
    known: Mapping[str, Sequence[str]],
    arguments: Mapping[str, Any],
    usual: UsualLanguage = unknown_language,
) -> str:
    """A sentence on arguments that were not used, with those that each place accepts; "" as above."""
    language = _language_of(arguments, usual)
    if language is None:
        return ""
    places = (
        (told_in(_KNOWN if those else _NONE_KNOWN, language) or "").format(place=place, names=", ".join(those))
        for place, those in known.items()
    )
    return (told_in(_UNUSED, language) or "").format(names=", ".join(names), known="".join(places))


def undone(arguments: Mapping[str, Any], usual: UsualLanguage = unknown_language) -> str:
    """A sentence that the call was not carried out; "" as above."""
    return told_in(_UNDONE, _language_of(arguments, usual)) or ""


def _bound(misfit: Misfit, language: str) -> str:
    if misfit.rule == "type":
        types = misfit.bound if isinstance(misfit.bound, list) else [misfit.bound]
        return (told_in(_OR, language) or "").join(
            told_in(_TYPES[each], language) or "" for each in types if each in _TYPES
        )
    if isinstance(misfit.bound, list):
        return ", ".join(map(str, misfit.bound[:SHOWN]))
    return f"{misfit.bound:,}" if isinstance(misfit.bound, int) else str(misfit.bound)


def _length(value: Any) -> str:
    return f"{len(value):,}" if isinstance(value, (str, list)) else ""


def _unknown(misfit: Misfit) -> str:
    if misfit.rule != "additionalProperties":
        return ""
    names = [name for name in misfit.value if name not in misfit.bound]
    return ", ".join(_path(misfit.where, name[:SHOWN]) for name in names[:SHOWN])


def _path(where: str, name: str) -> str:
    return ".".join(part for part in (where, name) if part)


def _language_of(arguments: Mapping[str, Any], usual: UsualLanguage) -> str | None:
    """`ja`, `zh`, `zh-Hant`, or another language or None for arguments without kana and Han characters."""
    from omoide.text.detect import language_of  # imported late: refusals are rare

    text = " ".join(_texts(arguments))[:READ_CHARS]
    near = usual(text)
    return message_language(language_of(text, near) or near, text, near)


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, names of members included, at any depth."""
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            yield each[:READ_CHARS]
        elif isinstance(each, dict):
            left += [*reversed(each.values()), *reversed(each)]
        elif isinstance(each, list):
            left += reversed(each)
