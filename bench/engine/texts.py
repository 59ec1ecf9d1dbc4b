"""Which texts do the systems hold, and which words are asked? Seeded: the same in every run; a million take seconds.

Texts are those of the labelled sets in three languages, repeated with some words replaced at random (in proportion to their
frequency); if no sets are given, they are made-up words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import overload

import numpy as np
import numpy.typing as npt

from bench.dataset import DATA_VARIABLE, read_lines
from bench.engine.data import SEED, Ints, Scores
from omoide._engine import grams

#: The sets whose texts are used, one a language.
SETS = ("jsquad_ja_valid", "cmrc2018_zh_dev", "xquad_en", "locomo_en", "madial_zh", "rpc_ja_dev")
TEXTS_A_SET = 1_500
MADE_UP = 2_000
#: Share of the words of a repeated text that are changed.
VARIED = 0.3
SHORTEST_TEXT, LONGEST_TEXT = 5, 60
QUESTION_WORDS = (1, 2, 3, 5)
#: Parameters of Lucene's BM25.
K1, B = 1.2, 0.75
_WORD = re.compile(r"[a-z0-9]+")

Numbers = npt.NDArray[np.int32]


class Written(Sequence[list[str]]):
    """Texts as lists of words, stored as numbers: text `n` is `numbers[bounds[n]:bounds[n + 1]]` of `vocabulary`."""

    def __init__(self, vocabulary: Sequence[str], numbers: Numbers, bounds: Ints) -> None:
        self.vocabulary, self.numbers, self.bounds = vocabulary, numbers, bounds

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @overload
    def __getitem__(self, at: int) -> list[str]: ...
    @overload
    def __getitem__(self, at: slice) -> Written: ...
    def __getitem__(self, at: int | slice) -> list[str] | Written:
        if isinstance(at, slice):
            start, stop, _ = at.indices(len(self))
            return Written(self.vocabulary, self.numbers, self.bounds[start : stop + 1])
        if not 0 <= at < len(self):
            raise IndexError(at)
        part = self.numbers[self.bounds[at] : self.bounds[at + 1]]
        return [self.vocabulary[number] for number in part.tolist()]


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts and questions of a few words."""

    texts: Written
    questions: list[list[str]]


def zipfian(count: int, questions: int) -> Texts:
    """`count` texts of 5 to 60 words, and questions of one to five words, each from one of the texts."""
    dice = np.random.default_rng(SEED)
    real = [words for words in _real_texts() if len(words) >= SHORTEST_TEXT] or _made_up(dice)
    vocabulary, common = np.unique([word for words in real for word in words], return_inverse=True)
    texts = _varied(np.array([len(words) for words in real]), common.astype(np.int32), count, dice)
    written = Written(vocabulary.tolist(), *texts)
    lengths = dice.choice(QUESTION_WORDS, questions)
    asked = dice.integers(0, count, questions)
    return Texts(written, [_some(written[at], int(length), dice) for at, length in zip(asked, lengths, strict=True)])


def _varied(lengths: Ints, words: Numbers, count: int, dice: np.random.Generator) -> tuple[Numbers, Ints]:
    """Parts of texts, concatenated in `words`, with some words changed: (numbers, bounds)."""
    chosen = dice.integers(0, len(lengths), count)
    begins = np.cumsum(lengths) - lengths
    taken = np.minimum(lengths[chosen], LONGEST_TEXT)
    starts = begins[chosen] + (dice.random(count) * (lengths[chosen] - taken + 1)).astype(np.int64)
    bounds = np.concatenate([[0], np.cumsum(taken)])
    numbers = words[np.arange(bounds[-1]) + np.repeat(starts - bounds[:-1], taken)]
    change = dice.random(len(numbers)) < VARIED
    numbers[change] = words[dice.integers(0, len(words), int(change.sum()))]
    return numbers, bounds


def _some(words: Sequence[str], count: int, dice: np.random.Generator) -> list[str]:
    distinct = sorted(set(words))
    return [distinct[at] for at in dice.choice(len(distinct), min(count, len(distinct)), replace=False)]


def _real_texts() -> list[list[str]]:
    root = os.environ.get(DATA_VARIABLE)
    files = [Path(root) / name / "corpus.jsonl" for name in SETS] if root else []
    return [_words(line["text"]) for file in files if file.is_file() for line in islice(read_lines(file), TEXTS_A_SET)]


def _words(text: str) -> list[str]:
    """Latin words, and the grams of scripts without spaces: enough for realistic frequencies of terms."""
    folded = text.casefold()
    return _WORD.findall(folded) + grams(folded)


def _made_up(dice: np.random.Generator) -> list[list[str]]:
    lengths = dice.integers(SHORTEST_TEXT, LONGEST_TEXT, MADE_UP)
    return [[f"word{n}" for n in (dice.zipf(1.3, length) % 50_000).tolist()] for length in lengths]


class Formula:
    """Lucene's BM25 of every text, by its formula."""

    def __init__(self, texts: Written) -> None:
        lengths = np.diff(texts.bounds)
        self._count = len(texts)
        self._numbers = {word: number for number, word in enumerate(texts.vocabulary)}
        self._norms = K1 * (1 - B + B * lengths / lengths.mean())
        places = texts.numbers.astype(np.int64) * self._count + np.repeat(np.arange(self._count), lengths)
        pairs, self._counts = np.unique(places, return_counts=True)
        self._docs = pairs % self._count
        self._bounds = np.searchsorted(pairs, np.arange(len(texts.vocabulary) + 1) * self._count)

    def scores(self, words: Sequence[str]) -> Scores:
        """The score of every text."""
        total = np.zeros(self._count)
        for number in (self._numbers[word] for word in words if word in self._numbers):
            place = slice(*self._bounds[number : number + 2].tolist())
            docs, counts = self._docs[place], self._counts[place]
            rarity = np.log(1 + (self._count - len(docs) + 0.5) / (len(docs) + 0.5))
            total[docs] += rarity * counts / (counts + self._norms[docs])
        return total
