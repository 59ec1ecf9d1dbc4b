"""`omoide doctor`: checks that everything is in order. Reads all stores; without `--repair` it changes nothing but the
indexes."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import omoide
from omoide.cli.common import (
    SAMPLES,
    Commands,
    add_command,
    bring_index_up,
    legible,
    print_json,
    settings_of,
    waited_for,
)
from omoide.cli.translation import language_for, translations
from omoide.config import Settings
from omoide.errors import OmoideError, StoreBusy, StoreError, Unavailable, counted
from omoide.store.layout import STORE_FILE
from omoide.store.sqlite.repair import unfinished
from omoide.transfer.backup import unfinished as unfinished_restore

if TYPE_CHECKING:
    from omoide.app import Opened
    from omoide.text import Analyzer

#: Less free disk space than this is reported as bad.
FREE_BYTES = 500 * 1024 * 1024
#: What to do about findings, in other languages; about errors they say it themselves.
_ALSO: Mapping[str, Mapping[str, str]] = {
    "restore": {
        "ja": "このフォルダーへの復元が途中で終わっています。同じ `omoide restore FILE` をもう一度実行すると、続きから行われます。",
        "zh": "向此文件夹的恢复没有完成。再次执行同样的 `omoide restore FILE` 即可继续。",
    },
    "rows": {
        "ja": "保存先の内容に問題があります。フォルダーのバックアップを取ってから `omoide doctor --repair` を実行してください。",
        "zh": "存储的内容有问题。请先备份文件夹，然后执行 `omoide doctor --repair`。",
    },
    "read_only": {
        "ja": "記憶の保存先に書き込めません。検索はできますが、新しい記憶は保存できません。",
        "zh": "记忆的存储不可写入。仍可搜索，但无法保存新的记忆。",
    },
    "index": {
        "ja": "索引が保存先と一致しません。`omoide doctor --repair` で作り直せます。",
        "zh": "索引与存储不符。可用 `omoide doctor --repair` 重新生成。",
    },
    "unsaved": {
        "ja": "索引を保存できないので、コマンドごとに作り直されます。このユーザーが書き込めるようにするか、削除してください。",
        "zh": "索引无法保存，每条命令都要重新生成。请允许此用户写入该处，或将其删除。",
    },
    "words": {
        "ja": "この単語のファイルは読めないので、使われていません。このユーザーが読める UTF-8 のテキストにしてください。",
        "zh": "这个单词文件无法读取，因此没有使用。应为此用户可以读取的 UTF-8 文本。",
    },
    "disk": {"ja": "ディスクの空きが少なくなっています。", "zh": "磁盘空间不足。"},
}

#: What libraries raise whose dictionary cannot be loaded.
_NO_DICTIONARY = (ImportError, OSError, RuntimeError)

_EXAMPLES = """\
  omoide doctor
  omoide doctor --data ~/記憶 && omoide backup --data ~/記憶 backup.zip
  omoide doctor --repair                       what is damaged is kept aside
  omoide doctor --json | jq '.findings[] | select(.fine | not)'
"""


class Finding(NamedTuple):
    """The result of one check."""

    name: str
    fine: bool
    detail: str
    also: Mapping[str, str] = MappingProxyType({})  #: what is wrong, in other languages


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    made = add_command(commands, "doctor", run, help="check stores, indexes, dictionaries and disk", examples=_EXAMPLES)
    made.add_argument("--repair", action="store_true", help="repair what is wrong, keeping everything that can be read")
    made.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(arguments: argparse.Namespace) -> int:
    """Repair if asked to, then check; 1 if something is wrong."""
    settings = settings_of(arguments)
    from omoide.app import require_stores, settings_of_stores

    require_stores(settings)
    findings = [_version(), *_restored(settings)]
    stores = settings_of_stores(settings)
    for each in stores:
        findings += [*_whose(each, settings), *_looked_at(each, repair=arguments.repair), *_words(each)]
    findings += [*_dictionaries(settings), *_disks([settings.data, *(each.data for each in stores)])]
    fine = all(finding.fine for finding in findings)
    if arguments.json:
        shown = [{"name": each.name, "fine": each.fine, "detail": each.detail} for each in findings]
        print_json({"fine": fine, "findings": shown})
    else:
        _print(findings, language_for(str(settings.data), settings.language, os.environ))
    return 0 if fine else 1


def _print(findings: Iterable[Finding], language: str | None) -> None:
    from omoide.traditional import told_in

    for finding in findings:
        print(legible(f"{'ok  ' if finding.fine else 'BAD '} {finding.name:<12} {finding.detail}"))
        if told := told_in(finding.also, language):
            print(legible(f"{'':17} {told}"))


def _restored(settings: Settings) -> Iterator[Finding]:
    if unfinished_restore(settings.data):
        told = (
            "A restore into this folder was ended in the middle; the same `omoide restore FILE` again goes on with it."
        )
        yield Finding("restore", False, told, _ALSO["restore"])


def _looked_at(settings: Settings, *, repair: bool) -> Iterator[Finding]:
    try:
        if repair:
            yield from _repaired(settings)
    except StoreBusy as error:  # another process repairs it, so it cannot be examined yet
        yield _failed("repair", error)
    else:
        yield from _examined(settings)


def _repaired(settings: Settings) -> Iterator[Finding]:
    from omoide.app import repair

    try:
        with waited_for("repairing the store"):
            done = repair(settings)
        yield from (Finding("repair", True, each) for each in done)
    except StoreBusy:
        raise
    except StoreError as error:
        yield _failed("repair", error)


def _whose(settings: Settings, top: Settings) -> Iterator[Finding]:
    """A heading for the findings of a tenant's store."""
    if settings.data != top.data:
        yield Finding("tenant", True, settings.data.name)


def _examined(settings: Settings) -> Iterator[Finding]:
    from omoide.app import INDEX_FOLDER, opened

    if told := unfinished(settings.data / STORE_FILE):
        yield Finding("repair", False, told)
        return
    try:
        with opened(settings) as found:
            with waited_for("reading the store"):
                problems = found.store.problems()
            yield from _store(found, problems)
            if not problems:
                yield from _index(found)
            if not found.store.read_only:
                yield from _unsaved(settings.data / INDEX_FOLDER)
    except StoreError as error:
        yield _failed("store", error)
    except (*_NO_DICTIONARY, Unavailable) as error:  # what is wrong with it, the findings on dictionaries say
        yield _failed("index", error)


def _failed(name: str, error: Exception) -> Finding:
    also = translations(error) if isinstance(error, (OmoideError, OSError)) else {}
    return Finding(name, False, str(error), also)


def _version() -> Finding:
    return Finding("version", True, f"omoide {omoide.__version__}, Python {platform.python_version()}, {sys.platform}")


def _store(opened: Opened, problems: Sequence[str]) -> Iterator[Finding]:
    if not problems:
        counts = opened.memories.counts()
        held = (
            counted(counts.memories, "memory", "memories"),
            counted(counts.entities, "entity", "entities"),
            counted(counts.relations, "relation", "relations"),
        )
        yield Finding("store", True, ", ".join(held))
    for problem in problems:
        told = f"{problem} Back up the folder, then run `omoide doctor --repair`."
        yield Finding("store", False, told, _ALSO["rows"])
    if opened.store.read_only:
        told = "It cannot be written; searches work, nothing can be stored."
        yield Finding("store", False, told, _ALSO["read_only"])


def _index(opened: Opened) -> Iterator[Finding]:
    from omoide.app import verify

    bring_index_up(opened)
    state = opened.index.state()
    with waited_for("comparing index and store"):
        problems = verify(opened)
    held = counted(state.stats.documents, "memory", "memories"), counted(state.stats.terms, "term", "terms")
    yield Finding("index", not problems, ", ".join(held))
    for problem in problems:
        yield Finding("index", False, f"{problem} `omoide doctor --repair` makes it anew.", _ALSO["index"])
    if state.refused:
        yield Finding("index", True, f"a snapshot could not be used, and is made anew: {state.refused}")


def _unsaved(folder: Path) -> Iterator[Finding]:
    """Whether the index can be written to its folder: otherwise each process makes it anew."""
    for each in (folder, *folder.glob("*/")) if folder.exists() else (folder.parent,):
        if why := _refusal_to_write(each):
            told = f"It cannot be saved in {each} ({why}), so each command makes it anew."
            yield Finding("index", False, f"{told} Let this user write there, or remove it.", _ALSO["unsaved"])


def _refusal_to_write(folder: Path) -> str:
    try:
        TemporaryFile(dir=folder).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _words(settings: Settings) -> Iterator[Finding]:
    from omoide.text import unreadable

    for problem in unreadable(settings.data):
        told = f"{problem} What is in it does not count: it has to be text in UTF-8 that this user may read."
        yield Finding("words", False, told, _ALSO["words"])


def _dictionaries(settings: Settings) -> list[Finding]:
    from omoide.text import Analyzer

    analyzer = Analyzer(japanese=settings.japanese)
    return [_dictionary(analyzer, language, sample) for language, sample in SAMPLES.items()]


def _dictionary(analyzer: Analyzer, language: str, sample: str) -> Finding:
    try:
        words = analyzer.document(sample).terms
    except (*_NO_DICTIONARY, Unavailable) as error:
        return _failed(language, error)
    # Only their number: the terms are normalized for comparison (饮ム for 飲む), and would look broken.
    return Finding(language, bool(words), f"{sample}: {counted(len(words), 'term', 'terms')}")


def _disks(folders: Iterable[Path]) -> Iterator[Finding]:
    """The free space of each disk that the folders are on; what else SQLite needs, it keeps in memory."""
    seen = set[int]()
    for folder in folders:
        if (disk := folder.stat().st_dev) not in seen:
            seen.add(disk)
            free = shutil.disk_usage(folder).free
            fine = free >= FREE_BYTES
            told = f"{free // 1024**2:,} MiB free in {folder.absolute()}"
            yield Finding("disk", fine, told, {} if fine else _ALSO["disk"])
