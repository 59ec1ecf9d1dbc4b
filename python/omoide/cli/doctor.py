"""`omoide doctor`: is everything as it should be? Reads the whole store; changes nothing but the index."""

from __future__ import annotations

import argparse
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import omoide
from omoide.cli.common import Commands, add_command, bring_index_up, settings_of
from omoide.config import Settings

if TYPE_CHECKING:
    from omoide.app import Opened
    from omoide.text import Analyzer

#: Less free room than this is worth a word.
FREE_BYTES = 500 * 1024 * 1024

_SAMPLES = {"Japanese": "京都で抹茶を飲んだ", "Chinese": "我们在北京喝茶", "English": "we drank tea"}

_EXAMPLES = """\
  omoide doctor
  omoide doctor --data ~/記憶 && omoide export --data ~/記憶 backup.jsonl
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    name: str
    fine: bool
    detail: str


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    add_command(commands, "doctor", run, help="check store, index, dictionaries and disk", examples=_EXAMPLES)


def run(arguments: argparse.Namespace) -> int:
    """Check; 1 if something is wrong."""
    from omoide.app import opened, require_store

    settings = settings_of(arguments)
    require_store(settings)
    with opened(settings) as found:
        findings = [_version(), *_store(found), *_index(found), *_dictionaries(settings), _disk(settings)]
    for each in findings:
        print(f"{'ok  ' if each.fine else 'BAD '} {each.name:<12} {each.detail}")
    return 0 if all(each.fine for each in findings) else 1


def _version() -> Finding:
    return Finding("version", True, f"omoide {omoide.__version__}, Python {platform.python_version()}, {sys.platform}")


def _store(opened: Opened) -> Iterator[Finding]:
    counts = opened.memories.counts()
    problems = opened.store.problems()
    held = f"{counts.memories:,} memories, {counts.entities:,} entities, {counts.relations:,} relations"
    yield Finding("store", not problems, held)
    for problem in problems:
        yield Finding("store", False, f"{problem} Export what can be read, and import it into a new folder.")
    if opened.store.read_only:
        yield Finding("store", False, "It cannot be written; searches work, nothing can be stored.")


def _index(opened: Opened) -> Iterator[Finding]:
    bring_index_up(opened)
    counts, state = opened.memories.counts(), opened.index.state()
    for noun, stored, indexed in (
        ("memories", counts.memories, state.stats.documents),
        ("entities", counts.entities, state.stats.nodes),
    ):
        hint = "" if stored == indexed else "; delete the index folder, it is made anew"
        yield Finding("index", stored == indexed, f"{indexed:,} {noun} of {stored:,}{hint}")


def _dictionaries(settings: Settings) -> list[Finding]:
    from omoide.text import Analyzer

    analyzer = Analyzer(japanese=settings.japanese)
    return [_dictionary(analyzer, language, sample) for language, sample in _SAMPLES.items()]


def _dictionary(analyzer: Analyzer, language: str, sample: str) -> Finding:
    try:
        words = analyzer.document(sample).terms
    except (ImportError, OSError, RuntimeError) as error:
        return Finding(language, False, str(error))
    return Finding(language, bool(words), " ".join(words))


def _disk(settings: Settings) -> Finding:
    free = shutil.disk_usage(settings.data).free
    return Finding("disk", free >= FREE_BYTES, f"{free // 1024**2:,} MiB free in {settings.data.absolute()}")
