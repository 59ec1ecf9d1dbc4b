"""The errors that omoide raises on purpose.

Useful for: handling them by type or by their stable `code`. Not useful for: matching message text, which may change.

    OmoideError
    ├── InvalidArgument   the caller can fix it: says what was understood and what to do
    ├── NotFound          a name or id that is not there
    ├── Conflict          the write contradicts what is stored
    ├── StoreError        the database could not be read or written
    │   ├── StoreReadOnly, StoreFull, StoreTooNew, StoreBusy, StoreUnreachable
    ├── NotAllowed        the caller lacks the right
    ├── ResultTooLarge    the answer is longer than any model reads
    ├── TimedOut          the call took too long
    ├── IndexBehind       much of the store is not in the index yet
    └── Unavailable       a part that is switched off or not installed
"""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

#: Sentences on an argument in other languages: `where` is its name, `bound` and `length` are numbers of characters.
PHRASES: Mapping[str, Mapping[str, str]] = {
    "required": {"ja": "{where} が必要です。", "zh": "缺少 {where}。"},
    "maxLength": {
        "ja": "{where} は {bound} 文字までです（{length} 文字ありました）。",
        "zh": "{where} 最多 {bound} 个字符（现有 {length} 个）。",
    },
}

#: Characters of a value that a message about it shows, at most.
SHOWN_CHARS = 60


class OmoideError(Exception):
    """Base of every error raised on purpose: `code` is stable snake_case, `hint` says what to do next.

    `also` has message and hint in other languages, by `ja` and `zh`.
    """

    code = "internal_error"

    def __init__(
        self, message: str, *, hint: str = "", code: str | None = None, also: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.also = also
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        gap = "" if self.message.endswith("。") else " "
        return f"{self.message}{gap}{self.hint}".strip()


class InvalidArgument(OmoideError):
    """An argument that cannot be used; `argument` names it."""

    code = "invalid_argument"

    def __init__(
        self,
        argument: str,
        message: str,
        *,
        hint: str = "",
        code: str | None = None,
        also: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(message, hint=hint, code=code, also=also)
        self.argument = argument


class NotFound(OmoideError):
    """Nothing is stored under the given name or id."""

    code = "not_found"


class Conflict(OmoideError):
    """The write contradicts what is stored; nothing was written."""

    code = "conflict"


class StoreError(OmoideError):
    """The database could not be read or written; nothing of the failed transaction was kept."""

    code = "store_error"


class StoreReadOnly(StoreError):
    """The store's folder or file cannot be written."""

    code = "store_read_only"


class StoreFull(StoreError):
    """The disk has no room left."""

    code = "store_full"


class StoreTooNew(StoreError):
    """The store was written by a later version."""

    code = "store_too_new"


class StoreBusy(StoreError):
    """Another process held the store for longer than the busy timeout."""

    code = "store_busy"


class StoreUnreachable(StoreError):
    """The file could not be opened, or its disk failed; what is in it may be sound."""


class Unavailable(OmoideError):
    """A part that is switched off, not configured or not installed."""

    code = "unavailable"


class NotAllowed(OmoideError):
    """The caller's token does not allow this."""

    code = "not_allowed"


class ResultTooLarge(OmoideError):
    """The answer is longer than any model reads."""

    code = "result_too_large"


class TimedOut(OmoideError):
    """The call took longer than it may."""

    code = "timeout"


class IndexBehind(OmoideError):
    """The index has much of the store still to take in, and goes on doing so."""

    code = "indexing"


def filled(words: Mapping[str, str], **values: object) -> dict[str, str]:
    """The sentences of `words`, by language, with the values put in; a value that is a mapping has one for each language. Chinese
    sentences have values in “quotes”: quoted text is left as it is when the rest is converted to Traditional characters."""
    return {
        language: sentence.format(
            **{name: value[language] if isinstance(value, Mapping) else value for name, value in values.items()}
        )
        for language, sentence in words.items()
    }


def joined(said: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """The sentences of `said`, each with that of `more` in the same language behind it."""
    return {language: f"{sentence}{more[language]}" for language, sentence in said.items()}


def no_store(folder: object, hint: str) -> NotFound:
    """For a folder that holds no store, where one is looked into."""
    also = filled(
        {
            "ja": "{folder} に記憶の保存先がありません。--data でフォルダーを指定するか、`omoide import` で取り込んでください。",
            "zh": "“{folder}”中没有记忆的存储。请用 --data 指定文件夹，或用 `omoide import` 导入。",
        },
        folder=folder,
    )
    return NotFound(f"There is no store in {folder}.", hint=hint, also=also)


def no_file(file: object) -> Mapping[str, str]:
    """`also` for a file that does not exist."""
    return filled({"ja": "ファイル {file} がありません。", "zh": "没有文件“{file}”。"}, file=file)


#: Why the system refuses an operation on a file or an address, by errno.
_REASONS: Mapping[int, Mapping[str, str]] = {
    errno.ENOENT: {"ja": "ファイルかフォルダーがありません", "zh": "没有这个文件或文件夹"},
    errno.ENOTDIR: {"ja": "途中にフォルダーでないものがあります", "zh": "路径中有的部分不是文件夹"},
    errno.EISDIR: {"ja": "フォルダーです", "zh": "这是文件夹"},
    errno.EACCES: {"ja": "権限がありません", "zh": "没有权限"},
    errno.EPERM: {"ja": "許可されていません", "zh": "不允许这样做"},
    errno.EROFS: {"ja": "書き込めないディスクです", "zh": "磁盘不可写入"},
    errno.ENOSPC: {"ja": "ディスクに空きがありません", "zh": "磁盘已满"},
    errno.ELOOP: {"ja": "リンクをたどると元に戻ってしまいます", "zh": "链接绕回了自身"},
    errno.EADDRINUSE: {"ja": "ほかのプロセスが使っています", "zh": "已被其他进程占用"},
    errno.EADDRNOTAVAIL: {"ja": "このマシンのアドレスではありません", "zh": "这不是本机的地址"},
}


def system_refused(error: OSError, file: object = None) -> Mapping[str, str]:
    """`also` for what the system does not let us do, with which file. A rare reason is given as the system words it."""
    reason = _REASONS.get(error.errno or 0) or dict.fromkeys(("ja", "zh"), error.strerror or str(error))
    words = {"ja": "{file} を読み書きできません：{reason}。", "zh": "无法读写“{file}”：{reason}。"}
    return filled(words if file else {"ja": "{reason}。", "zh": "{reason}。"}, file=file, reason=reason)


def needed(argument: str) -> Mapping[str, str]:
    """`also` for an argument that is missing, empty or blank."""
    return filled(PHRASES["required"], where=argument)


def too_long(argument: str, length: int, most: int) -> Mapping[str, str]:
    """`also` for an argument with too many characters."""
    return filled(PHRASES["maxLength"], where=argument, bound=f"{most:,}", length=f"{length:,}")


#: `also` for a deletion that was not confirmed.
NOT_CONFIRMED_ALSO: Mapping[str, str] = {
    "ja": "削除するには confirm=true が必要です。",
    "zh": "要删除，需要 confirm=true。",
}

#: What to do about half of a surrogate pair.
WHOLE_CHARACTER = "Send the whole character, or leave it out."
WHOLE_CHARACTER_ALSO: Mapping[str, str] = {
    "ja": "文字が途中で切れています（サロゲートペアの片方だけです）。文字全体を送るか、取り除いてください。",
    "zh": "含有不完整的字符（只有代理对的一半），请发送完整的字符或将其去掉。",
}


def half_of_a_character(error: UnicodeEncodeError) -> str:
    """Names the character that cannot be encoded: a lone surrogate could be neither searched nor sent back."""
    return f"half of a character (the lone surrogate U+{ord(error.object[error.start]):04X})"


def not_whole(argument: str, what: str, error: UnicodeEncodeError) -> InvalidArgument:
    """The error for an argument that holds a lone surrogate; `what` names it in the sentence."""
    said = f"{what} holds {half_of_a_character(error)}."
    return InvalidArgument(argument, said, hint=WHOLE_CHARACTER, also=WHOLE_CHARACTER_ALSO)


def half_in(value: Any) -> UnicodeEncodeError | None:
    """The encoding error of a JSON value that holds a lone surrogate; else None."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return error
    return None


#: What an id may be of, as messages name it.
_KINDS: Mapping[str, Mapping[str, str]] = {
    "memory": {"ja": "記憶", "zh": "记忆"},
    "entity": {"ja": "エンティティ", "zh": "实体"},
}
_NOT_STORED = {
    "ja": "ID が {id} の{kind}はありません。検索して ID を確かめてください。",
    "zh": "没有 ID 为“{id}”的{kind}。请先搜索，确认 ID。",
}
_NO_ENTITY = {
    "ja": "エンティティ {id} がないので、記憶を結びつけられません。先にエンティティを保存してください。",
    "zh": "没有实体“{id}”，无法把记忆附加到它。请先保存该实体。",
}


def nothing_has(name: str) -> Mapping[str, str]:
    """`also` for an id or name that nothing has, or nothing that is visible."""
    words = {
        "ja": "{name} は見つかりません。検索して、ID や名前を確かめてください。",
        "zh": "没有找到“{name}”。请先搜索，确认 ID 或名称。",
    }
    return filled(words, name=shortened(name))


def not_stored(kind: Literal["memory", "entity"], id: str, hint: str = "") -> NotFound:
    """The error for an id that no memory or entity has, or none that is visible."""
    also = filled(_NOT_STORED, kind=_KINDS[kind], id=shortened(id))
    return NotFound(f"No {kind} with the id {shown(id)}.", hint=hint, also=also)


def no_entity(id: str) -> NotFound:
    """The error for attaching a memory to an entity that is not there, or not visible."""
    also = filled(_NO_ENTITY, id=shortened(id))
    return NotFound(
        f"There is no entity {shown(id)} to attach the memory to.", hint="Store the entity first.", also=also
    )


#: What to do about a damaged store.
DAMAGED_HINT = "Keep a copy of its folder, then run `omoide doctor --repair`, or restore the last backup."
DAMAGED_ALSO: Mapping[str, str] = {
    "ja": "記憶の保存先が壊れています。フォルダーをコピーしてから `omoide doctor --repair` を実行するか、最後のバックアップを復元してください。",
    "zh": "记忆的存储已损坏。请先备份其文件夹，再执行 `omoide doctor --repair`，或恢复最近的备份。",
}


def damaged(what: str, error: Exception) -> StoreError:
    """The error for a row with an unreadable value, as `error` shows; `what` names the row."""
    message = f"The store is damaged: {what} cannot be read ({type(error).__name__})."
    return StoreError(message, hint=DAMAGED_HINT, also=DAMAGED_ALSO)


def counted(number: int, one: str, more: str) -> str:
    """A number with its noun, and what else goes with that: `1 memory is`, `2,000 memories are`."""
    return f"{number:,} {one if number == 1 else more}"


def shown(value: object) -> str:
    """A value as a message shows it."""
    return shortened(repr(value))


def shortened(text: str) -> str:
    """A text as a message shows it: at most SHOWN_CHARS, the last an ellipsis if there are more."""
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"
