"""Of a short question in a store of several languages, do texts in its own words come first, and translations of these next?

Sets whose memories of the same id say the same in different languages are stored together. Asked are everyday words of a text as
that language writes them: one, or up to three that follow each other. Three shares of the questions in each language: the first hit
has all the words; it is in their language; a translation of the text comes before every other hit but the text itself.

Useful for: choosing how much translations of a word count beside the word. Not useful for: whole questions in another language;
see retrieval --together. Invariant: only ids that all sets have are asked about.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from bench.dataset import DATA_VARIABLE, BadSet, Dataset, Question, find, load, namespaced, read_lines
from bench.options import at_least
from bench.systems.omoide import Omoide
from bench.variants import EVERYTHING
from omoide.text import fold
from omoide.text.tables import everyday_words

#: What stands between words that are asked for together, by language, in the order of the columns of `everyday_words`.
BETWEEN = {"en": " ", "ja": "の", "zh": ""}
#: So many words are asked for.
LENGTHS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Parallel:
    """The texts of one set, folded, by id; `known`: everyday words of its language as they are written, by their folded form."""

    dataset: Dataset
    language: str
    texts: Mapping[str, str]
    known: Mapping[str, str]

    @staticmethod
    def of(dataset: Dataset) -> Parallel:
        """Read a set. Raises BadSet: its language has no everyday words."""
        rows = list(read_lines(dataset.corpus))
        language = rows[0].get("lang")
        if language not in BETWEEN:
            raise BadSet(f"{dataset.corpus}: lang is {language!r}; it has to be one of {', '.join(BETWEEN)}")
        column = list(BETWEEN).index(language)
        words = (word for group in everyday_words() for word in group[column] if len(word) > 1)
        return Parallel(
            dataset, language, {row["id"]: fold(row["text"]) for row in rows}, {fold(word): word for word in words}
        )

    def words_of(self, text: str) -> list[str]:
        """The folded everyday words in a folded text, each once, in order."""
        words = re.findall(r"\w+", text) if self.language == "en" else self._longest(text)
        return list(dict.fromkeys(word for word in words if word in self.known))

    def _longest(self, text: str) -> Iterator[str]:
        most = max(map(len, self.known))
        at = 0
        while at < len(text):
            lengths = range(min(most, len(text) - at), 1, -1)
            length = next((length for length in lengths if text[at : at + length] in self.known), 0)
            if length:
                yield text[at : at + length]
            at += length or 1

    def has(self, id: str, words: Sequence[str]) -> bool:
        """Whether the text has all of these folded words."""
        text = self.texts[id]
        inside = set(self.words_of(text)) if self.language == "en" else text
        return all(word in inside for word in words)


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of one question."""

    has_words: bool
    in_language: bool
    translation_next: bool


def main(argv: Sequence[str]) -> int:
    """Measure and print the table; exit code 2 if a set is missing, cannot be judged, or shares no id with the others."""
    options = _parser().parse_args(argv)
    try:
        sets = [Parallel.of(load(find(name))) for name in options.sets]
    except (FileNotFoundError, BadSet) as error:
        print(error, file=sys.stderr)
        return 2
    ids = sorted(set.intersection(*(set(each.texts) for each in sets)))
    if not ids or len({each.language for each in sets}) < len(sets):
        print("these sets have no id in common, or two of them are in one language", file=sys.stderr)
        return 2
    ids = Random(0).sample(ids, min(options.questions, len(ids)))
    Console(width=max(120, Console().width)).print(_table(measured(sets, ids)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench short", description=__doc__)
    parser.add_argument(
        "sets", nargs="+", metavar="DIR", help=f"folders, or names under ${DATA_VARIABLE}, each in another language"
    )
    parser.add_argument(
        "--questions", type=at_least(1), default=300, metavar="N", help="words of at most N texts a language, by lot"
    )
    return parser


def measured(sets: Sequence[Parallel], ids: Sequence[str]) -> Iterator[tuple[int, str, list[Asked]]]:
    """(number of words, language, what came of the questions)."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="omoide-bench-")))
        system = stack.enter_context(Omoide(folder / "store"))
        for each in sets:
            system.load(namespaced(each.dataset, folder), triples=False)
        by_name = {each.dataset.name: each for each in sets}
        for length in LENGTHS:
            for each in sets:
                dice = Random(length)
                questions = ((id, words) for id in ids if (words := _drawn(each, id, length, dice)))
                yield length, each.language, [_asked(system, by_name, each, *question) for question in questions]


def _drawn(of: Parallel, id: str, length: int, dice: Random) -> list[str]:
    """So many words in a row of a text; none if it has fewer."""
    words = of.words_of(of.texts[id])
    if len(words) < length:
        return []
    begin = dice.randrange(len(words) - length + 1)
    return words[begin : begin + length]


def _asked(system: Omoide, sets: Mapping[str, Parallel], of: Parallel, id: str, words: Sequence[str]) -> Asked:
    text = BETWEEN[of.language].join(of.known[word] for word in words)
    answer = system.ask(Question(id, text, frozenset(), None, None), EVERYTHING.change_query)
    hits = [(sets[name], hit) for name, _, hit in (found.partition("/") for found in answer.ids)]
    others = [hit for hit in hits if hit != (of, id)]
    return Asked(
        has_words=any(each is of and of.has(hit, words) for each, hit in hits[:1]),
        in_language=any(each is of for each, _ in hits[:1]),
        translation_next=any(hit == id for _, hit in others[:1]),
    )


def _table(rows: Iterator[tuple[int, str, list[Asked]]]) -> Table:
    table = Table(
        "words", "language", "questions", "first has the words", "first is in the language", "translation next"
    )
    for length, language, asked in rows:
        shares = (
            fmean(getattr(each, name) for each in asked) if asked else float("nan")
            for name in ("has_words", "in_language", "translation_next")
        )
        table.add_row(str(length), language, str(len(asked)), *(f"{share:.2f}" for share in shares))
    return table
