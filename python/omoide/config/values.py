"""Parsers for the values of settings, one for each kind.

Useful for: the table of settings. Not useful for: which source of a setting takes precedence; see in_force.py. Invariant:
values from a file may be numbers, lists and mappings, those of the environment and the command line are text. A value that
cannot be used raises Unusable, which says what is expected.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from datetime import tzinfo
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

#: Units of durations in Japanese and Chinese.
_UNITS = {"seconds": ("秒", "秒"), "minutes": ("分", "分钟")}
_WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


class Unusable(ValueError):
    """A value that cannot be used: says what is expected; `also` says it as a sentence, by `ja` and `zh`."""

    def __init__(self, expected: str, also: Mapping[str, str]) -> None:
        super().__init__(expected)
        self.also = also


class Repeated(ValueError):
    """A mapping of a YAML text has a key twice."""

    def __init__(self, key: str, line: int) -> None:
        super().__init__(f"line {line} says {key!r} once more.")
        self.key = key


class Secret(str):
    """A string that does not show itself in `repr`, logs and error messages."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def name(value: object) -> str:
    """A name, stripped of spaces around it; may be given as a number, and is then what is written (0042)."""
    text = _word(value)
    if not is_text(text):
        raise Unusable(
            "a name is expected, in UTF-8", {"ja": "UTF-8 の名前にしてください。", "zh": "应为 UTF-8 的名称。"}
        )
    return text


def is_text(text: str) -> bool:
    """Whether a string has no surrogates: Python decodes invalid UTF-8 on a command line to such."""
    return not any("\ud800" <= each <= "\udfff" for each in text)


def text(value: object) -> str:
    """A text as it is, spaces around it included; may be empty."""
    if not isinstance(value, str) or not is_text(value):
        also = {"ja": "UTF-8 の文字列にしてください。", "zh": "应为 UTF-8 的文本。"}
        raise Unusable("a text is expected, in UTF-8", also)
    return value


def _word(value: object) -> str:
    if isinstance(value, (bool, float)):  # of a file
        also = {
            "ja": "名前にしてください。引用符で囲まないと、no や on は真偽値、1.10 は数 1.1 になります。",
            "zh": "应为名称。请加上引号，否则 no、on 会成为真假值，1.10 会成为数字 1.1。",
        }
        raise Unusable("a name is expected; put it in quotes, without which no is false and 1.10 is 1.1", also)
    if not isinstance(value, (str, int)) or not str(value).strip():
        raise Unusable("a name is expected", {"ja": "名前にしてください。", "zh": "应为名称。"})
    return str(value).strip()


def host(value: object) -> str:
    """A host name or an address; an IPv6 address may have brackets, as in a URL."""
    text = name(value)
    return text[1:-1] if text.startswith("[") and text.endswith("]") else text


def names(value: object) -> tuple[str, ...]:
    """A list, or names separated by commas."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not parts:
        also = {"ja": "名前をコンマで区切って並べてください。", "zh": "应为用逗号分隔的名称。"}
        raise Unusable("names are expected, separated by commas", also)
    return tuple(name(part) for part in parts)


def switch(value: object) -> bool:
    """True or false, yes or no, on or off, 1 or 0."""
    parsed = _WORDS.get(str(value).strip().lower())
    if parsed is None:
        also = {"ja": "true か false にしてください。", "zh": "应为 true 或 false。"}
        raise Unusable("true or false is expected", also)
    return parsed


def path(value: object) -> Path:
    """A path; ~ is the home directory."""
    word = _word(value)  # may be any bytes but NUL
    if "\0" in word:
        raise _no_path()
    return _with_home(Path(word))


def _with_home(raw: Path) -> Path:
    try:
        return raw.expanduser()
    except ValueError:  # a NUL in the name of a user
        raise _no_path() from None
    except RuntimeError:
        raise Unusable(
            "it is not known where that home is; a whole path is expected",
            {
                "ja": "ホームがどこにあるか分かりません。パスを省略せずに書いてください。",
                "zh": "不知道该主目录在哪里。请写出完整路径。",
            },
        ) from None


def _no_path() -> Unusable:
    also = {"ja": "パスに使えない文字があります。", "zh": "含有路径中不能使用的字符。"}
    return Unusable("no path can hold all of its characters", also)


def folder(value: object) -> Path:
    """The folder of a store, which may not exist yet."""
    return can_be_folder(Path(_word(value)))


def can_be_folder(raw: Path) -> Path:
    """The path with ~ expanded. Raises Unusable if it is a file, or not possible as a path."""
    expanded = _with_home(raw)
    try:
        mode = os.stat(expanded).st_mode
    except ValueError:  # a NUL, or a lone surrogate
        raise _no_path() from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise Unusable("no path can be so long", {"ja": "パスが長すぎます。", "zh": "路径过长。"}) from None
        return expanded  # it will be made, or opening a file in it will fail
    if not stat.S_ISDIR(mode):
        raise Unusable(
            "it is no folder; the one that holds the store is expected",
            {
                "ja": "フォルダーではありません。記憶の保存先のフォルダーを指定してください。",
                "zh": "不是文件夹。请指定存放记忆的文件夹。",
            },
        )
    return expanded


def port(value: object) -> int:
    """A TCP port; 0 is any free one."""
    try:
        port = int(name(value))
    except ValueError:
        raise Unusable(
            "a port number is expected", {"ja": "ポート番号にしてください。", "zh": "应为端口号。"}
        ) from None
    if not 0 <= port <= 65_535:
        raise Unusable(
            "a port lies between 0 and 65535 (0: any free one)",
            {
                "ja": "ポートは 0 から 65535 までです（0 は空いているどれか）。",
                "zh": "端口为 0 到 65535（0 表示任意空闲端口）。",
            },
        )
    return port


def duration(unit: str, most: int) -> Callable[[object], float]:
    """A parser for durations above 0 and up to `most`."""
    in_ja, in_zh = _UNITS[unit]

    def parse(value: object) -> float:
        try:
            length = float(str(value))
        except ValueError:
            also = {"ja": f"数値にしてください（単位は{in_ja}）。", "zh": f"应为数字（单位：{in_zh}）。"}
            raise Unusable(f"a number of {unit} is expected", also) from None
        if not 0 < length <= most:
            raise Unusable(
                f"more than 0 and at most {most} {unit} are expected",
                {
                    "ja": f"0 より大きく {most} 以下の数値にしてください（単位は{in_ja}）。",
                    "zh": f"应大于 0 且不超过 {most}（单位：{in_zh}）。",
                },
            )
        return length

    return parse


def count(most: int) -> Callable[[object], int]:
    """A parser for whole numbers from 1 to `most`."""

    def parse(value: object) -> int:
        number = str(value).strip()
        if not number.isdecimal() or not 1 <= int(number[:10]) <= most:
            also = {"ja": f"1 から {most} までの整数にしてください。", "zh": f"应为 1 到 {most} 的整数。"}
            raise Unusable(f"a number between 1 and {most} is expected", also)
        return int(number)

    return parse


def one_of(*words: str) -> Callable[[object], str]:
    """A parser for one of two or more words, with or without spaces around it."""

    def parse(value: object) -> str:
        word = str(value).strip()
        if word not in words:
            raise _only(*words)
        return word

    return parse


def _only(*words: str) -> Unusable:
    first, last = ", ".join(words[:-1]), words[-1]
    return Unusable(
        f"{first} or {last} is expected",
        {"ja": f"{first} か {last} にしてください。", "zh": f"应为 {first} 或 {last}。"},
    )


def url(value: object) -> str:
    """A URL of http or https, with a host and neither query nor fragment."""
    found = _with_host(name(value))
    if found is None or found.query or found.fragment:
        raise _like("https://memory.example.org/mcp", "a URL", " URL ", " URL")
    return found.geturl()


def endpoint(value: object) -> str:
    """The address of an endpoint, unchanged; of http or https, with a host."""
    given = name(value)
    if _with_host(given) is None:
        raise _like("http://127.0.0.1:11434/v1", "an address", "アドレス", "地址")
    return given


def _with_host(text: str) -> SplitResult | None:
    """The parts of an address of http or https with a host, and a port that there can be if it has one; else None."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if usable else None


def _like(example: str, english: str, japanese: str, chinese: str) -> Unusable:
    """The error for a value that is not like the example; with what it should be, in each language."""
    also = {"ja": f"{example} のような{japanese}にしてください。", "zh": f"应为{chinese}，例如 {example}。"}
    return Unusable(f"{english} is expected, such as {example}", also)


def zone(value: object) -> tzinfo:
    """A time zone, by its IANA name."""
    try:
        return ZoneInfo(name(value))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Unusable(
            "an IANA zone is expected, such as Asia/Tokyo, Asia/Shanghai or UTC",
            {
                "ja": "Asia/Tokyo、Asia/Shanghai、UTC のような IANA の名前にしてください。",
                "zh": "应为 IANA 时区名，例如 Asia/Tokyo、Asia/Shanghai 或 UTC。",
            },
        ) from None


def weekday(value: object) -> int:
    """The first day of a week, counted from 0 (Monday)."""
    weekdays = {"monday": 0, "saturday": 5, "sunday": 6}
    if str(value).strip().lower() not in weekdays:
        raise _only("monday", "sunday", "saturday")
    return weekdays[str(value).strip().lower()]


def scopes(value: object) -> Mapping[str, tuple[str, ...]]:
    """A mapping of scope -> scopes; a variable holds it as JSON or YAML text."""
    try:
        mapping = from_yaml(value) if isinstance(value, str) else value
    except Repeated as error:
        raise _twice(error.key) from None
    except ValueError:
        mapping = None
    if not isinstance(mapping, dict):
        example = '{"project:a": ["project:b"]}'
        also = {
            "ja": f"{example} のように、scope ごとに scope を並べてください。",
            "zh": f"应为每个 scope 列出 scope，例如 {example}。",
        }
        raise Unusable(f"scopes by scope are expected, such as {example}", also)
    read: dict[str, tuple[str, ...]] = {}
    for key, others in mapping.items():
        scope = name(key)
        if scope in read:  # with blanks around it, or in quotes
            raise _twice(scope)
        read[scope] = names(others)
    return read


def _twice(scope: str) -> Unusable:
    also = {
        "ja": f"{scope!r} が二度あります。一つにまとめてください。",
        "zh": f"{scope!r} 出现了两次，请合并为一项。",
    }
    return Unusable(f"{scope!r} is there twice; put all of its scopes into one list", also)


def secret(value: object) -> Secret:
    """A secret that fits into an HTTP header: no line ends or other control characters, but spaces and tabs."""
    if not isinstance(value, str):
        raise Unusable(
            "a text is expected; put it in quotes, without which 0042 is the number 34",
            {
                "ja": "文字列にしてください。引用符で囲まないと、0042 は数 34 になります。",
                "zh": "应为字符串。请加上引号，否则 0042 会成为数字 34。",
            },
        )
    text = name(value)
    if any(each != "\t" and (each < " " or each == "\x7f") for each in text):
        raise Unusable(
            "no request can bring a line break or another control character; one line of text is expected",
            {
                "ja": "リクエストでは改行などの制御文字を送れません。一行の文字列にしてください。",
                "zh": "请求中不能含有换行等控制字符，应为一行文本。",
            },
        )
    return Secret(text)


def from_yaml(text: str) -> Any:
    """The value of a YAML text. Raises ValueError, also if a mapping has a key twice."""
    import yaml  # imported late: few users have a settings file, and a handshake must not wait for this

    from omoide.bounded_yaml import said
    from omoide.config.as_written import SettingsLoader

    try:
        _refuse_repeated_below(root := yaml.compose(text, Loader=SettingsLoader))
        return SettingsLoader("").construct_document(root) if root else None
    except yaml.YAMLError as error:
        raise ValueError(f"{said(error)}.") from error
    # PyYAML raises such errors for tags with a wrong value, such as `!!timestamp` before other text.
    except (TypeError, AttributeError, LookupError) as error:
        raise ValueError(str(error)) from error


def _refuse_repeated_below(root: Any) -> None:
    """Raise Repeated if any mapping below a YAML node has a key twice: PyYAML would silently use the last."""
    nodes, seen = [root] if root else [], set[int]()
    for node in nodes:  # the list grows meanwhile
        if id(node) in seen:  # an alias is the same node again, and may refer to a node around it
            continue
        seen.add(id(node))
        if node.id == "sequence":
            nodes += node.value
        if node.id == "mapping":
            nodes += [value for _, value in node.value]
            _refuse_repeated_keys(key for key, _ in node.value if key.id == "scalar")


def _refuse_repeated_keys(keys: Iterable[Any]) -> None:
    seen: set[str] = set()
    for key in keys:
        if key.value in seen:
            raise Repeated(key.value, key.start_mark.line + 1)
        seen.add(key.value)
