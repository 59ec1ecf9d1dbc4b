"""What can go wrong, as a caller may handle it.

Useful for: deciding by type or by stable `code`; showing what is wrong inside a message. Not useful for: matching message
text, which may change.

    OmoideError
    ├── InvalidArgument   the caller can fix it: says what was understood and what to do
    ├── NotFound          a name or id that is not there
    ├── Conflict          the write contradicts what is stored
    ├── StoreError        the database could not be read or written
    │   ├── StoreReadOnly, StoreFull, StoreTooNew, StoreBusy, StoreUnreachable
    ├── NotAllowed        whoever asks may not
    ├── ResultTooLarge    the answer is longer than any model reads
    ├── TimedOut          it took too long
    └── Unavailable       a part that is switched off or not installed
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

#: What is said of an argument in other languages: `where` is its name, `bound` and `length` are numbers of characters.
PHRASES: Mapping[str, Mapping[str, str]] = {
    "required": {"ja": "{where} が必要です。", "zh": "缺少 {where}。"},
    "maxLength": {
        "ja": "{where} は {bound} 文字までです（{length} 文字ありました）。",
        "zh": "{where} 最多 {bound} 个字符（现有 {length} 个）。",
    },
}

#: No more is shown of a value inside a message about it.
SHOWN_CHARS = 60


class OmoideError(Exception):
    """Base of every error raised on purpose: `code` is stable snake_case, `hint` says the next step.

    `also` has both in one sentence for those who ask in another language, by `ja` and `zh`.
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
        return f"{self.message} {self.hint}".strip()


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
    """Whoever asks may not do this."""

    code = "not_allowed"


class ResultTooLarge(OmoideError):
    """The answer is longer than any model reads."""

    code = "result_too_large"


class TimedOut(OmoideError):
    """It took longer than a call may."""

    code = "timeout"


def filled(words: Mapping[str, str], **values: object) -> Mapping[str, str]:
    """An `also` with values in its sentences. A Chinese one has them in “quotes”: what is quoted stays as it is when the rest is
    told in Traditional characters."""
    return {language: said.format(**values) for language, said in words.items()}


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
    """The `also` of a file that is not there."""
    return filled({"ja": "ファイル {file} がありません。", "zh": "没有文件“{file}”。"}, file=file)


def needed(argument: str) -> Mapping[str, str]:
    """The `also` of an argument that is missing, empty or blank."""
    return filled(PHRASES["required"], where=argument)


def too_long(argument: str, length: int, most: int) -> Mapping[str, str]:
    """The `also` of an argument with more characters than are accepted."""
    return filled(PHRASES["maxLength"], where=argument, bound=f"{most:,}", length=f"{length:,}")


#: The `also` of a deletion that nobody has said yes to.
NOT_CONFIRMED_ALSO: Mapping[str, str] = {
    "ja": "削除するには confirm=true が必要です。",
    "zh": "要删除，需要 confirm=true。",
}

#: What to do about half of a character.
WHOLE_CHARACTER = "Send the whole character, or leave it out."
WHOLE_CHARACTER_ALSO: Mapping[str, str] = {
    "ja": "文字が途中で切れています（サロゲートペアの片方だけです）。文字全体を送るか、取り除いてください。",
    "zh": "含有不完整的字符（只有代理对的一半），请发送完整的字符或将其去掉。",
}


def half_of_a_character(error: UnicodeEncodeError) -> str:
    """What stands where a text cannot be encoded: a lone surrogate is no text, could not be searched, nor sent back."""
    return f"half of a character (the lone surrogate U+{ord(error.object[error.start]):04X})"


def not_whole(argument: str, what: str, error: UnicodeEncodeError) -> InvalidArgument:
    """For an argument that holds half of a character; `what` names it in the sentence."""
    said = f"{what} holds {half_of_a_character(error)}."
    return InvalidArgument(argument, said, hint=WHOLE_CHARACTER, also=WHOLE_CHARACTER_ALSO)


def half_in(value: Any) -> UnicodeEncodeError | None:
    """Where there is half of a character in a JSON value, as it was read."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return error
    return None


def no_entity(id: str) -> NotFound:
    """For a memory that is to be of an entity which is not there, or not seen."""
    return NotFound(f"There is no entity {id!r} to attach the memory to.", hint="Store the entity first.")


def damaged(what: str, error: Exception) -> StoreError:
    """For a row of a store with a value that is none, as `error` shows; `what` names the row."""
    return StoreError(
        f"The store is damaged: {what} cannot be read ({type(error).__name__}).",
        hint="Keep a copy of its folder, then run `omoide doctor --repair`, or restore the last backup.",
    )


def counted(number: int, one: str, more: str) -> str:
    """A number with its noun, and what else goes with that: `1 memory is`, `2,000 memories are`."""
    return f"{number:,} {one if number == 1 else more}"


def shown(value: object) -> str:
    """How a value stands inside a message."""
    return shortened(repr(value))


def shortened(text: str) -> str:
    """How a text stands inside a message: at most SHOWN_CHARS, the last an ellipsis where there are more."""
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"
