"""How fast is text analysed, compared with the tokenizer libraries alone?

One row per language: characters a second of the library alone (each word as a Python string) and of `Analyzer.document`
(folding, language, words, their forms, readings, numbers), and how many times as long ours takes. Both are timed in turn
over the same texts, so that a busy machine slows both; the median of the rounds counts. The first round sees every word
for the first time and is shown separately.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from bench.dataset import DATA_VARIABLE, find, read_lines
from bench.options import at_least
from omoide.text import Analyzer

#: language -> the sets whose texts are used.
SETS = {
    "ja": ("jsquad_ja_valid", "rpc_ja_dev"),
    "zh": ("cmrc2018_zh_dev", "drcd_zh_dev"),
    "en": ("locomo_en", "xquad_en"),
}
#: Characters of each language.
MOST_CHARS = 300_000
ROUNDS = 5
_WORD = re.compile(r"\w+")

Bare = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Row:
    """One language; seconds of each round."""

    language: str
    library: str
    chars: int
    bare: list[float]
    ours: list[float]

    @property
    def overhead(self) -> float:
        """How many times as long as the library alone, with words seen before."""
        return median(self.ours[1:]) / median(self.bare[1:])


def main(argv: Sequence[str]) -> int:
    """Print the table; exit code 2 if a set is missing."""
    parser = argparse.ArgumentParser(prog="python -m bench text", description=__doc__)
    parser.add_argument(
        "--chars", type=at_least(1), default=MOST_CHARS, help="characters a language (default: %(default)s)"
    )
    parser.epilog = f"The texts are those of {', '.join(name for names in SETS.values() for name in names)}, under ${DATA_VARIABLE}."
    options = parser.parse_args(argv)
    try:
        texts = {language: _texts(sets, options.chars) for language, sets in SETS.items()}
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    rows = [measure(language, library, bare(), texts[language]) for language, library, bare in PEERS]
    Console(width=max(110, Console().width)).print(table(rows))
    return 0


def measure(language: str, library: str, bare: Bare, texts: Sequence[str]) -> Row:
    """Time both in turn. The analyser is new: it has no word cached."""
    analyzer = Analyzer("fugashi" if library == "fugashi" else "sudachi")
    row = Row(language, library, sum(map(len, texts)), [], [])
    analyzer.document(texts[0])  # the dictionary is loaded
    bare(texts[0])
    for _ in range(ROUNDS):
        row.bare.append(_seconds(bare, texts))
        row.ours.append(_seconds(analyzer.document, texts))
    return row


def table(rows: Sequence[Row]) -> Table:
    """The table: characters a second."""
    made = Table(
        "language", "library", "characters", "bare", "omoide", "first round", "overhead", title="text analysis"
    )
    for row in rows:
        speeds = (row.chars / seconds for seconds in (median(row.bare[1:]), median(row.ours[1:]), row.ours[0]))
        made.add_row(
            row.language, row.library, f"{row.chars:,}", *(f"{each:,.0f}" for each in speeds), f"{row.overhead:.2f}"
        )
    return made


def _texts(sets: Sequence[str], most_chars: int) -> list[str]:
    texts: list[str] = []
    left = most_chars
    for name in sets:
        for line in read_lines(find(name) / "corpus.jsonl"):
            if left <= 0:
                return texts
            texts.append(line["text"][:left])
            left -= len(texts[-1])
    return texts


def _seconds(work: Bare, texts: Sequence[str]) -> float:
    begin = perf_counter()
    for text in texts:
        work(text)
    return perf_counter() - begin


def _sudachi() -> Bare:
    from sudachipy import Dictionary, SplitMode

    tokenizer = Dictionary(dict="small").tokenizer(mode=SplitMode.C)
    return lambda text: [morpheme.surface() for morpheme in tokenizer.tokenize(text)]


def _fugashi() -> Bare:
    from fugashi import Tagger

    tagger = Tagger()
    return lambda text: [word.surface for word in tagger(text)]


def _rjieba() -> Bare:
    import rjieba

    return lambda text: rjieba.tokenize(text, "search")


def _snowball() -> Bare:
    from Stemmer import Stemmer

    english = Stemmer("english")
    return lambda text: english.stemWords(_WORD.findall(text.lower()))


PEERS: tuple[tuple[str, str, Callable[[], Bare]], ...] = (
    ("ja", "sudachipy", _sudachi),
    ("ja", "fugashi", _fugashi),
    ("zh", "rjieba", _rjieba),
    ("en", "pystemmer", _snowball),
)
