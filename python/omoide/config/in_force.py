"""Loads the settings in force. Precedence: the file `omoide.yaml` in the data folder < environment < command line.

A blank variable counts as absent. An unknown key is refused, never ignored.
"""

from __future__ import annotations

import difflib
import errno
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from omoide.config.settings import PREFIX, SETTINGS, Settings, flag_of, variables_of
from omoide.config.values import Unusable, from_yaml, secret
from omoide.config.zone import machine_zone
from omoide.errors import InvalidArgument, filled, joined, no_file, shown, system_refused

FILE_NAME = "omoide.yaml"
#: Variables with this prefix belong to the benches.
BENCH_PREFIX = "OMOIDE_BENCH_"
#: A settings file larger than this is not one of ours.
MAX_FILE_BYTES = 100_000
_UNKNOWN = {"ja": "{word} という設定はありません。{meant}", "zh": "没有“{word}”这一设置。{meant}"}
_UNKNOWN_IN_FILE = {
    "ja": "{path}: {word} という設定はありません。{meant}",
    "zh": "“{path}”：没有“{word}”这一设置。{meant}",
}
_CLOSE = {"en": "Did you mean {close}?", "ja": "{close} ではありませんか。", "zh": "您要的是否是 {close}？"}
_KNOWN = {"en": "Known: {names}.", "ja": "使えるもの：{names}。", "zh": "可用的有：{names}。"}
_WORDS_OF_YAML = {"None": "null", "True": "true", "False": "false"}
_WHERE_SETTINGS_ARE_READ = "It is where settings are read from; move it away."
_NOT_REGULAR = {
    "ja": "{path} は通常のファイルではありません。設定を読む場所なので、ほかへ移してください。",
    "zh": "“{path}”不是普通文件。此处用于读取设置，请将它移走。",
}
_TOO_LARGE = {
    "ja": "{path} は {most} バイトを超えています。設定を読む場所なので、ほかへ移してください。",
    "zh": "“{path}”超过了 {most} 字节。此处用于读取设置，请将它移走。",
}

#: What to do about a folder that cannot be looked into.
_LET_READ = {
    "en": "Let this user enter the folder and read what is in it, or name another one with --data.",
    "ja": "このユーザーが読めるようにするか、--data で別のフォルダーを指定してください。",
    "zh": "请允许此用户读取，或用 --data 指定其他文件夹。",
}
_MEND_LINK = {
    "en": "A link leads back to itself: mend it, or name another folder with --data.",
    "ja": "リンクを直すか、--data で別のフォルダーを指定してください。",
    "zh": "请更改链接，或用 --data 指定其他文件夹。",
}


def load(flags: Mapping[str, object] | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings in force. `flags`: what the command line gave, by setting name; None values count as absent.

    Raises InvalidArgument: an unknown key, a value that cannot be used, a file that cannot be read.
    """
    values = _from_environment(os.environ if environ is None else environ)
    values |= {name: _parsed(name, value, flag_of(name)) for name, value in (flags or {}).items() if value is not None}
    if "data" not in values:
        values["data"] = _default_data()
    values = _from_file(values["data"] / FILE_NAME) | values
    values.setdefault("zone", machine_zone())
    return Settings(**values)


def _default_data() -> Path:
    try:
        return Path("~/.omoide").expanduser()
    except RuntimeError:  # in some containers, and for some services
        raise InvalidArgument(
            "data",
            "This user has no home to keep memories in.",
            hint="Name a folder with --data or OMOIDE_DATA.",
            also={
                "ja": "このユーザーにはホームがありません。--data か OMOIDE_DATA でフォルダーを指定してください。",
                "zh": "此用户没有主目录。请用 --data 或 OMOIDE_DATA 指定文件夹。",
            },
        ) from None


def nearest(word: str, known: Iterable[str], prefix: str = "") -> Mapping[str, str]:
    """A hint, by language, that names the closest of the known words, or all of them if none is close. A common `prefix` does not
    count in the comparison."""
    words = sorted(known)
    close = _closest(word, words, prefix)
    return filled(_CLOSE if close else _KNOWN, close=close, names=", ".join(words))


def _closest(word: str, words: Sequence[str], prefix: str) -> str | None:
    completions = [each for each in words if word != prefix and each.startswith(word)]
    suffixes = [each.removeprefix(prefix) for each in words]
    close = completions or [
        prefix + each for each in difflib.get_close_matches(word.removeprefix(prefix), suffixes, n=1)
    ]
    return close[0] if close else None


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    known = {variables_of(name)[0] for name in SETTINGS}
    for variable in environ:
        if variable.startswith(PREFIX) and variable not in known and not variable.startswith(BENCH_PREFIX):
            meant = nearest(variable, known, PREFIX)
            also = filled(_UNKNOWN, word=variable, meant=meant)
            raise _unknown(f"The variable {variable}", variable, meant, also)
    parsed = {}
    for name in SETTINGS:
        present = [variable for variable in variables_of(name) if environ.get(variable, "").strip()]
        if present:
            parsed[name] = _parsed(name, environ[present[0]], present[0])
    return parsed


def _from_file(path: Path) -> dict[str, Any]:
    content = _read(path)
    known = {name for name, about in SETTINGS.items() if about.file}
    for key in content:
        if key in SETTINGS.keys() - known:
            raise _not_of_the_file(path, key)
        if key not in known:
            word = key if isinstance(key, str) else _shown(key)
            meant = nearest(word, known)
            also = filled(_UNKNOWN_IN_FILE, path=path, word=word, meant=meant)
            raise _unknown(f"{path}: the key {word!r}", word, meant, also)
    return {name: _parsed(name, value, f"{path}: {name}") for name, value in content.items()}


def _not_of_the_file(path: Path, key: str) -> InvalidArgument:
    variable, flag = variables_of(key)[0], flag_of(key)
    also = filled(
        {
            "ja": "{key} は {path} に書けません。{variable} か {flag} を使ってください。",
            "zh": "{key} 不能写在“{path}”中。请使用 {variable} 或 {flag}。",
        },
        key=key,
        path=path,
        variable=variable,
        flag=flag,
    )
    return InvalidArgument(
        key,
        f"{path}: {key} is the folder that this file lies in.",
        hint=f"Use the variable {variable} or {flag}.",
        code="bad_setting",
        also=also,
    )


def _read(path: Path) -> dict[Any, Any]:
    try:
        size = _size(path)
        if size is None:
            return {}
        if size > MAX_FILE_BYTES:
            message = f"{path} is larger than {MAX_FILE_BYTES:,} bytes."
            also = filled(_TOO_LARGE, path=path, most=f"{MAX_FILE_BYTES:,}")
            raise InvalidArgument(str(path), message, hint=_WHERE_SETTINGS_ARE_READ, also=also)
        content = from_yaml(path.read_text(encoding="utf-8-sig"))
    except OSError as error:  # the file need not exist: perhaps the folder cannot be entered
        to_do = _MEND_LINK if error.errno == errno.ELOOP else _LET_READ
        also = joined(system_refused(error, path), to_do)
        message = f"{path} cannot be looked at: {error.strerror}."
        raise InvalidArgument(str(path), message, hint=to_do["en"], also=also) from error
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(
            str(path),
            f"{path} cannot be read: {error}",
            hint="It is a YAML file in UTF-8 that says each thing once.",
            also=_not_settings(path),
        ) from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise InvalidArgument(
            str(path),
            f"{path} does not hold settings.",
            hint="Write one `name: value` a line.",
            also=_not_settings(path),
        )
    return content


def _not_settings(path: Path) -> Mapping[str, str]:
    return filled(
        {
            "ja": "{path} は設定として読めません。UTF-8 の YAML で、一行に一つずつ、同じものは一度だけ書いてください。",
            "zh": "“{path}”无法作为设置读取。请使用 UTF-8 的 YAML，每行一项，同一项只写一次。",
        },
        path=path,
    )


def _size(path: Path) -> int | None:
    """The size of the file in bytes; None if it does not exist. Raises OSError, InvalidArgument (a broken link, no ordinary
    file)."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        if not path.is_symlink():
            return None
        raise InvalidArgument(
            str(path),
            f"{path} is a link to a file that is not there.",
            hint="Put the file there, or remove the link.",
            also=no_file(os.path.realpath(path)),
        ) from None
    if not stat.S_ISREG(status.st_mode):
        message = f"{path} is not a regular file."
        raise InvalidArgument(str(path), message, hint=_WHERE_SETTINGS_ARE_READ, also=filled(_NOT_REGULAR, path=path))
    return status.st_size


def _parsed(name: str, value: object, source: str) -> Any:
    try:
        return SETTINGS[name].parse(value)
    except Unusable as error:
        written = "***" if SETTINGS[name].parse is secret else _shown(value)
        words = {"ja": "{source} に {shown} は使えません。{expected}", "zh": "“{source}”不能是 {shown}。{expected}"}
        also = filled(words, source=source, shown=written, expected=error.also)
        raise InvalidArgument(name, f"{source} is {written}: {error}.", code="bad_setting", also=also) from None


def _shown(value: object) -> str:
    """A value as a message shows it; of those that Python has other words for, in those of YAML."""
    python = shown(value)
    return _WORDS_OF_YAML.get(python, python)


def _unknown(what: str, word: str, meant: Mapping[str, str], also: Mapping[str, str]) -> InvalidArgument:
    return InvalidArgument(word, f"{what} is not a setting.", hint=meant["en"], code="unknown_setting", also=also)
