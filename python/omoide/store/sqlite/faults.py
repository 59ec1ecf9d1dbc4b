"""Maps the errors of SQLite to those that callers get; nothing else does.

They are told apart by SQLite's fixed messages, because Python 3.10 does not have its result codes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from omoide.errors import (
    DAMAGED_ALSO,
    DAMAGED_HINT,
    WHOLE_CHARACTER,
    WHOLE_CHARACTER_ALSO,
    Conflict,
    InvalidArgument,
    OmoideError,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnreachable,
    damaged,
    half_of_a_character,
)
from omoide.store import interrupted

T = TypeVar("T")
Row = tuple[Any, ...]

#: What sqlite3 raises; UnicodeDecodeError if its message quotes a damaged file.
RAISED = (sqlite3.Error, UnicodeDecodeError)

#: What converting a row to a model object raises if a value is damaged.
UNREADABLE = (ValueError, KeyError, TypeError, OverflowError, RecursionError)

_REFUSED_VALUES = (sqlite3.InterfaceError, sqlite3.ProgrammingError, sqlite3.DataError, OverflowError)

#: Part of the message of sqlite3 when a function that SQL calls has raised; it does not say what.
IN_A_FUNCTION = "user-defined function raised"


class _Fault(NamedTuple):
    """Part of SQLite's message, the error, what happened, and what to do; {where} is the store's path. `also`: both in other
    languages, if the code does not say it (server/calls/translations.py)."""

    part: str
    kind: type[StoreError]
    message: str
    hint: str
    also: Mapping[str, str] = MappingProxyType({})


_FAULTS = (
    _Fault(
        "readonly database",
        StoreReadOnly,
        "The store {where} cannot be written.",
        "Make the file and its folder writable for this user, or name another place for the store.",
    ),
    _Fault(
        "disk is full",
        StoreFull,
        "There is no room left for the store {where}; nothing of this write was kept.",
        "Free some space on its disk (or raise the store's size limit) and write again.",
    ),
    _Fault(
        "is locked",
        StoreBusy,
        "Another process is writing to the store {where} and did not finish in time; nothing was written.",
        "Try again; if it goes on, look for a process that hangs with the store open.",
    ),
    _Fault(
        "locking protocol",
        StoreBusy,
        "The store {where} could not be locked; nothing was written.",
        "Try again; on a network drive, move the store to a local disk.",
    ),
    _Fault(
        "not a database",
        StoreError,
        "{where} is not an omoide store.",
        "Name another place. If it was a store, its beginning is damaged: keep a copy of its folder, then run "
        "`omoide doctor --repair`, or restore the last backup. The file was left as it is.",
        {
            "ja": "omoide の保存先ではないファイルです。保存先だったなら、先頭が壊れています。フォルダーをコピーしてから "
            "`omoide doctor --repair` を実行するか、最後のバックアップを復元してください。",
            "zh": "该文件不是 omoide 的存储。如果它曾经是，则开头已损坏：请先备份其文件夹，再执行 `omoide doctor --repair`，或恢复最近的备份。",
        },
    ),
    _Fault(
        "malformed",
        StoreError,
        "The store {where} is damaged.",
        DAMAGED_HINT,
        DAMAGED_ALSO,
    ),
    *(
        _Fault(
            part,
            StoreError,
            "The store {where} is damaged: a text in it is none.",
            DAMAGED_HINT,
            DAMAGED_ALSO,
        )
        # The first message quotes the text. The second is about a function that SQL calls: ours fail only if a text is damaged.
        for part in ("not decode", IN_A_FUNCTION)
    ),
    _Fault(
        "disk I/O error",
        StoreUnreachable,
        "The store {where} could not be read or written: disk I/O error.",
        "Check the disk it is on: it may be full, or failing.",
        {
            "ja": "記憶の保存先を読み書きできませんでした。ディスクに空きがないか、ディスクが故障しているかもしれません。",
            "zh": "无法读写记忆的存储：所在的磁盘可能已满，或者出了故障。",
        },
    ),
    _Fault(
        "unable to open",
        StoreUnreachable,
        "The store {where} cannot be opened.",
        "Check that the path is a file in a folder this user may enter, and that files can still be opened.",
        {
            "ja": "記憶の保存先を開けません。このユーザーが入れるフォルダーにあるファイルか、ファイルをまだ開けるかを確かめてください。",
            "zh": "无法打开记忆的存储。请确认它是该用户能进入的文件夹中的文件，而且还能打开更多文件。",
        },
    ),
)


#: Turns a StoreError, whose message contains the path, into one for callers who must not see it.
Redact = Callable[[StoreError], StoreError]


class Redacted:
    """A block that passes StoreErrors through `redact`; None: leaves them as they are."""

    __slots__ = ("_redact",)

    def __init__(self, redact: Redact | None) -> None:
        self._redact = redact

    def __enter__(self) -> None:
        """Has no state, so that blocks may be nested and in any thread."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._redact is not None and isinstance(error, StoreError):
            raise self._redact(error) from error


def fault(error: Exception, where: str) -> OmoideError:
    """The error for callers of the store at `where`, for one of sqlite3. Raises KeyboardInterrupt if Ctrl-C caused it."""
    if isinstance(error, UnicodeEncodeError):
        return _half_character("text", error)
    if isinstance(error, UnicodeDecodeError):
        error = sqlite3.DatabaseError("malformed")
    if isinstance(error, _REFUSED_VALUES):
        return InvalidArgument("value", f"A value cannot be stored: {error}.")
    if isinstance(error, sqlite3.IntegrityError):
        return _contradiction(error)
    if IN_A_FUNCTION in str(error) and interrupted.was_swallowed():
        raise KeyboardInterrupt from error
    for each in _FAULTS:
        if each.part in str(error):
            return each.kind(each.message.format(where=where), hint=each.hint, also=each.also)
    return StoreError(f"The store {where} could not be read or written: {error}.", hint="Check the disk it is on.")


def decoded(noun: str) -> Callable[[Callable[[Row], T]], Callable[[Row], T]]:
    """Decorates a function that converts a row, whose first value identifies it: damaged values raise StoreError."""

    def wrapped(converter: Callable[[Row], T]) -> Callable[[Row], T]:
        def convert(row: Row) -> T:
            try:
                return converter(row)
            except UNREADABLE as error:
                raise damaged(f"{noun} {row[0]!r}", error) from error

        return convert

    return wrapped


def value_fault(error: Exception, where: str, values: Iterable[tuple[str, Any]]) -> OmoideError:
    """Like `fault`, for a write of these (column, value): names the column whose value was refused, if it is known."""
    if isinstance(error, UnicodeEncodeError):
        return _half_character(next(name for name, value in values if value == error.object), error)
    if isinstance(error, OverflowError):
        wide = (each for each in values if isinstance(each[1], int) and not -(2**63) <= each[1] < 2**63)
        name, value = next(wide)
        return InvalidArgument(name, f"{name}: {value} does not fit 64 bits.")
    return fault(error, where)


def _half_character(argument: str, error: UnicodeEncodeError) -> InvalidArgument:
    around = error.object[max(0, error.start - 10) : error.start + 10]
    return InvalidArgument(
        argument,
        f"{argument}: position {error.start} holds {half_of_a_character(error)} in {around!r}.",
        hint=f"{WHOLE_CHARACTER} Nothing was written.",
        also=WHOLE_CHARACTER_ALSO,
    )


def _contradiction(error: sqlite3.IntegrityError) -> OmoideError:
    constraint, _, columns = str(error).partition(" constraint failed: ")
    if constraint == "NOT NULL":
        name = columns.partition(".")[2]
        return InvalidArgument(name, f"{name} needs a value (and a number must not be NaN).")
    return Conflict(f"The write contradicts what is stored ({error}); nothing of it was kept.")
