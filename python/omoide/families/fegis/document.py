"""Parses a YAML file: text -> plain values, with limits that are checked before anything in it is used.

Useful for: archetype files, which people share. Not useful for: what the values mean (archetype.py).
Invariant: size, depth, and the number of values after expanding aliases and merges are limited before values are constructed;
duplicate keys are logged.
"""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from omoide.bounded_yaml import Loader, said
from omoide.errors import InvalidArgument, filled, no_file, system_refused
from omoide.families.fegis.location import Location
from omoide.families.fegis.values import Document, mapping

MAX_FILE_BYTES = 250_000
#: Most names and values in a file after expanding its aliases, which can make a huge document of a small file.
MAX_VALUES = 20_000

_SPLIT = {"ja": "分けてください。", "zh": "请拆分文件。"}
_TOO_DEEP = {"ja": "入れ子が深すぎます。", "zh": "嵌套过深。"}
_NOT_REGULAR = {
    "ja": "通常のファイルではありません。どのプロセスからも読めるファイルを指定してください。",
    "zh": "不是普通文件。请指定每个进程都能读取的文件。",
}
_EMPTY = {
    "ja": "空です。少なくとも `tools:` にツールを一つ書いてください。",
    "zh": "文件为空。请至少在 `tools:` 中写一个工具。",
}
_LOOP = {
    "ja": "自分自身を含んでいます。元の位置に戻るエイリアスを取り除いてください。",
    "zh": "包含自身。请去掉指回其所在位置的别名。",
}

_NULL = "tag:yaml.org,2002:null"


def text_of(place: Location) -> str:
    """The text of the file. Raises InvalidArgument."""
    try:
        mode = place.path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # opening a pipe waits for a writer, whatever signal comes
            raise place.error("it is not a regular file.", "Name one that each process can read.", also=_NOT_REGULAR)
        with place.path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
        if len(raw) > MAX_FILE_BYTES:
            raise place.error(f"it is larger than {MAX_FILE_BYTES:,} bytes.", "Split it.", also=_too_large())
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        hint = "Check --archetype or ARCHETYPE_PATH; without them the built-in tools are offered."
        message = f"Archetype file not found: {place.path}"
        raise InvalidArgument("archetype", message, hint=hint, also=no_file(place.path)) from None
    except OSError as error:
        raise place.error(f"it cannot be read: {error.strerror}.", also=system_refused(error)) from error
    except UnicodeDecodeError as error:
        also = filled(
            {
                "ja": "UTF-8 ではありません（{start} バイト目）。UTF-8 で保存してください。",
                "zh": "不是 UTF-8（第 {start} 字节）。请以 UTF-8 保存。",
            },
            start=error.start,
        )
        raise place.error(f"it is not UTF-8 (byte {error.start}).", "Save it as UTF-8.", also=also) from error


def _too_large() -> Mapping[str, str]:
    words = {"ja": "{most} バイトを超えています。{split}", "zh": "超过 {most} 字节。{split}"}
    return filled(words, most=f"{MAX_FILE_BYTES:,}", split=_SPLIT)


def _too_many_values() -> Mapping[str, str]:
    words = {
        "ja": "展開すると値が {most} 個を超えます。{split}エイリアスを減らしてもかまいません。",
        "zh": "展开后超过 {most} 个值。{split}也可以减少别名。",
    }
    return filled(words, most=f"{MAX_VALUES:,}", split=_SPLIT)


def parse(text: str, place: Location) -> Document:
    """The document in the text. Raises InvalidArgument."""
    try:
        root = _composed(text, place)
        values = mapping(_constructed(root), place)
    except yaml.YAMLError as error:
        words = {"ja": "YAML として読めません（{said}）。", "zh": "无法作为 YAML 读取（“{said}”）。"}
        also = filled(words, said=said(error))
        raise place.error(f"Failed to parse YAML: {said(error)}.", also=also) from error
    except RecursionError:
        raise place.error("it is nested too deeply.", also=_TOO_DEEP) from None
    return Document(values, dict(_scalars(root)))


def _composed(text: str, place: Location) -> Node:
    root = yaml.compose(text, Loader=_Loader)
    if root is None:
        raise place.error("it is empty.", "Give it at least `tools:` with one tool.", also=_EMPTY)
    sizes: dict[int, int] = {}
    if _expanded_size(root, sizes, place) > MAX_VALUES:
        message = f"it stands for more than {MAX_VALUES:,} values."
        raise place.error(message, "Split it, or use fewer aliases.", also=_too_many_values())
    _warn_of_repeated_names(root, place, set())
    return root


def _constructed(root: Node) -> Any:
    return _Loader("").construct_document(root)


class _Loader(Loader):
    """Reports the position of an invalid value, such as the date 2025-02-30, for any exception that PyYAML lets through."""

    most_values = MAX_VALUES

    def construct_object(self, node: Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise ConstructorError(problem=f"{node.value}: {error}", problem_mark=node.start_mark) from error


def _parts(node: Node) -> Iterator[Node]:
    if isinstance(node, SequenceNode):
        yield from node.value
    elif isinstance(node, MappingNode):
        for key, value in node.value:
            yield from (key, value)


def _expanded_size(node: Node, sizes: dict[int, int], place: Location) -> int:
    """How many values a node has after expanding aliases; each node is visited once, however often aliases repeat it."""
    if id(node) not in sizes:
        sizes[id(node)] = 0
        sizes[id(node)] = 1 + sum(_expanded_size(each, sizes, place) for each in _parts(node))
    elif sizes[id(node)] == 0:
        raise place.error("it contains itself.", "Remove the alias that leads back to where it stands.", also=_LOOP)
    return sizes[id(node)]


def _warn_of_repeated_names(node: Node, place: Location, seen: set[int]) -> None:
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, MappingNode):
        names = Counter(key.value for key, _ in node.value if isinstance(key, ScalarNode) and key.value != "<<")
        for name in (name for name, count in names.items() if count > 1):
            line = node.start_mark.line + 1
            place.warn(f"{name!r} is written more than once in the lines from {line} on; the last counts.")
    for part in _parts(node):
        _warn_of_repeated_names(part, place, seen)


def _scalars(root: Node) -> Iterator[tuple[str, str]]:
    for key, value in root.value if isinstance(root, MappingNode) else ():
        if isinstance(key, ScalarNode) and isinstance(value, ScalarNode) and value.tag != _NULL:
            yield key.value, value.value
