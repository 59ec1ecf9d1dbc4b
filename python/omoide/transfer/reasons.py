"""Why a row or a file cannot be imported, in English, Japanese and Chinese.

Useful for: what an import leaves out. Not useful for: errors that end it (`files_of`, the store).
Invariant: each reason says the same in every language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from omoide.errors import PHRASES, InvalidArgument, OmoideError, filled

#: A hint for files that hold a JSON list.
OF_A_LIST = "`jq -c '.[]' FILE | omoide import -` takes the objects of a list."

#: Names of nouns by language.
NOUNS: Mapping[str, Mapping[str, str]] = {
    "memory": {"en": "a memory", "ja": "記憶", "zh": "记忆"},
    "entity": {"en": "an entity", "ja": "エンティティ", "zh": "实体"},
    "thread": {"en": "a thread", "ja": "スレッド", "zh": "线程"},
    "reminder": {"en": "a reminder", "ja": "リマインダー", "zh": "提醒"},
}

#: Sentences by language. `why` is one of those in `codec`.
_REASONS: Mapping[str, Mapping[str, str]] = {
    "long_line": {
        "en": "The line is longer than {bytes:,} bytes.",
        "ja": "行が {bytes:,} バイトを超えています。",
        "zh": "此行超过 {bytes:,} 字节。",
    },
    "long_file": {
        "en": "The file is larger than {bytes:,} bytes. Split it and import the parts.",
        "ja": "ファイルが {bytes:,} バイトを超えています。分けて取り込んでください。",
        "zh": "文件超过 {bytes:,} 字节。请分成几个文件导入。",
    },
    "encoding": {
        "en": "It is {encoding}. Convert it, as `iconv -f {encoding} -t UTF-8` does, and import it again.",
        "ja": "{encoding} です。`iconv -f {encoding} -t UTF-8` などで変換してから取り込んでください。",
        "zh": "这是 {encoding}。请转换后再导入，例如 `iconv -f {encoding} -t UTF-8`。",
    },
    "compressed": {
        "en": "It is compressed. Unpack it, as in `zcat FILE | omoide import -`.",
        "ja": "圧縮されています。`zcat FILE | omoide import -` のように展開してください。",
        "zh": "这是压缩文件。请解压，例如 `zcat FILE | omoide import -`。",
    },
    "not_utf_8": {
        "en": "It is not UTF-8 (byte {byte}). Convert the file and import it again.",
        "ja": "UTF-8 ではありません（{byte} バイト目）。ファイルを変換してから取り込んでください。",
        "zh": "不是 UTF-8（第 {byte} 字节）。请转换文件后再导入。",
    },
    "looks_like": {
        "en": "It is not UTF-8: it looks like {encoding}. Convert the file and import it again.",
        "ja": "UTF-8 ではなく、{encoding} のようです。ファイルを変換してから取り込んでください。",
        "zh": "不是 UTF-8，可能是 {encoding}。请转换文件后再导入。",
    },
    "binary": {
        "en": "It is no text: there are zero bytes in it.",
        "ja": "テキストではありません（値が 0 のバイトがあります）。",
        "zh": "不是文本（其中有值为 0 的字节）。",
    },
    "export": {
        "en": "It is what `omoide export` wrote, and no note. Name it .jsonl, or `omoide import - < FILE`.",
        "ja": "ノートではなく、`omoide export` が書いたものです。名前を .jsonl にするか、"
        "`omoide import - < FILE` で取り込んでください。",
        "zh": "这不是笔记，而是 `omoide export` 写入的文件。请将名称改为 .jsonl，或用 `omoide import - < FILE` 导入。",
    },
    "nested": {"en": "It is nested too deeply.", "ja": "入れ子が深すぎます。", "zh": "嵌套过深。"},
    "not_json": {
        "en": "It is not JSON: {problem}: character {position}.",
        "ja": "JSON ではありません（{position} 文字目）。",
        "zh": "不是 JSON（第 {position} 个字符）。",
    },
    "number": {
        "en": "It is not JSON: {problem}.",
        "ja": "JSON の数ではないか、大きすぎる数があります。",
        "zh": "有的数字不是 JSON 的数字，或过大。",
    },
    "repeated": {
        "en": "It has {name} more than once, and one of them would be lost.",
        "ja": "{name} が二度以上あります。どれかが失われるので、一つにしてください。",
        "zh": "“{name}”出现了不止一次，其中有的会丢失。请只保留一个。",
    },
    "not_object": {
        "en": "It is not a JSON object.",
        "ja": "JSON のオブジェクトではありません。",
        "zh": "不是 JSON 对象。",
    },
    "list": {
        "en": f"It is not a JSON object. {OF_A_LIST}",
        "ja": "JSON のオブジェクトではなく配列です。`jq -c '.[]' FILE | omoide import -` で中身を取り込めます。",
        "zh": "这是 JSON 数组，不是对象。其中的对象请用 `jq -c '.[]' FILE | omoide import -` 导入。",
    },
    "neither": {
        "en": "It has neither `text` (a memory) nor `doc` (triples of a memory).",
        "ja": "`text`（記憶）も `doc`（記憶の三つ組）もありません。",
        "zh": "缺少 `text`（记忆）或 `doc`（记忆的三元组）。",
    },
    "text_elsewhere": {
        "en": "It has neither `text` (a memory) nor `doc` (triples of a memory). If `{name}` is its text, "
        "`jq -c '.text = .{name} | del(.{name})' FILE | omoide import -` names it so.",
        "ja": "`text`（記憶）も `doc`（記憶の三つ組）もありません。`{name}` が本文なら、"
        "`jq -c '.text = .{name} | del(.{name})' FILE | omoide import -` で取り込めます。",
        "zh": "缺少 `text`（记忆）或 `doc`（记忆的三元组）。如果 `{name}` 是文本，请用 "
        "`jq -c '.text = .{name} | del(.{name})' FILE | omoide import -` 导入。",
    },
    "noun": {
        "en": "{value} is not a noun of an export that this version knows.",
        "ja": "この版の omoide は {value} という種類を知りません。",
        "zh": "此版本的 omoide 没有“{value}”这一类型。",
    },
    "format": {
        "en": "The export has format {found}; this version reads {known}. Upgrade omoide.",
        "ja": "エクスポートの形式は {found} ですが、この版で読めるのは {known} です。omoide を更新してください。",
        "zh": "导出文件的格式是“{found}”，此版本只能读取 {known}。请更新 omoide。",
    },
    "lacking": {"en": "It has no {where}.", **PHRASES["required"]},
    "value": {
        "en": "{name} is {value}: {why}.",
        "ja": "{name} に {value} は使えません：{why}。",
        "zh": "{name} 不能是“{value}”：{why}。",
    },
    "not_list": {"en": "{name} is not a list.", "ja": "{name} は配列にしてください。", "zh": "{name} 应为数组。"},
    "no_name": {
        "en": "entities: {value} is not a name of 1 to {most} characters.",
        "ja": "entities：{value} は 1〜{most} 文字の名前ではありません。",
        "zh": "entities：“{value}”不是 1～{most} 个字符的名称。",
    },
    "no_triple": {
        "en": "triples: {value} is not three strings, each a name of 1 to {most} characters.",
        "ja": "triples：{value} は、それぞれ 1〜{most} 文字の名前である三つの文字列ではありません。",
        "zh": "triples：“{value}”不是三个字符串（每个是 1～{most} 个字符的名称）。",
    },
    "unknown_field": {
        "en": "{noun}: there is no field {name}; it was left out. The fields are {known}.",
        "ja": "{noun} に {name} というフィールドはないので、そこだけ取り込みませんでした。使えるもの：{known}。",
        "zh": "{noun} 没有字段“{name}”，该字段未导入。可用的有：{known}。",
    },
    "no_doc": {
        "en": "There is no memory {id!r}. Import its corpus first.",
        "ja": "記憶 {id} がありません。先にその記憶を取り込んでください。",
        "zh": "没有记忆“{id}”。请先导入它。",
    },
    "no_memory": {
        "en": "memory_id: there is no memory {id!r}.",
        "ja": "memory_id：記憶 {id} がありません。",
        "zh": "memory_id：没有记忆“{id}”。",
    },
    "of_others": {
        "en": "There is {noun} {id!r} outside of the scope {scope!r}; it was left as it is. Give the row another id, or import without "
        "a scope.",
        "ja": "ID が {id} の{noun}はスコープ {scope!r} の外にあるので、そのままにしました。ID を変えるか、スコープの制限なしで取り込んでください。",
        "zh": "ID 为“{id}”的{noun}在作用域“{scope}”之外，没有改动。请更改 ID，或不限定作用域再导入。",
    },
    "without_memory": {
        "en": "memory_id: there is no memory {id!r}; the entity is stored without it.",
        "ja": "memory_id：記憶 {id} がないので、エンティティだけを保存しました。",
        "zh": "memory_id：没有记忆“{id}”，只保存了实体。",
    },
}


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row or file that cannot be used: `place` is file:line, `reason` a sentence, `also` its translations (keys ja, zh).
    `partly`: the rest of the row is stored."""

    place: str
    reason: str
    also: Mapping[str, str] = field(default_factory=dict)
    partly: bool = False


def bad_row(place: str, reason: str, *, partly: bool = False, **values: object) -> BadRow:
    """The row or file at `place`, with one of _REASONS."""
    return refused(place, row_error("row", reason, **values), partly=partly)


def refused(place: str, error: OmoideError, *, partly: bool = False) -> BadRow:
    """The row at `place`, which raised the error."""
    return BadRow(place, str(error), error.also, partly)


def row_error(argument: str, reason: str, **values: object) -> InvalidArgument:
    """The error for a field that cannot be used, with one of _REASONS."""
    said = filled(_REASONS[reason], **values)
    return InvalidArgument(argument, said.pop("en"), also=said)
