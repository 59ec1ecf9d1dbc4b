"""What do the systems hold and what are they asked? Seeded: the same numbers and texts at every run.

Vectors lie in clusters of a few directions each, as embeddings do. Texts are those of the labelled sets in three languages,
repeated with some words changed for others (by how common they are), or made-up words where no sets are given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.dataset import DATA_VARIABLE, read_lines
from omoide._engine import grams

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]

SEED = 20261121
#: Directions that vary within a cluster.
INTRINSIC = 24
#: The sets whose texts are taken, a language each.
SETS = ("jsquad_ja_valid", "cmrc2018_zh_dev", "xquad_en", "locomo_en", "madial_zh", "rpc_ja_dev")
TEXTS_A_SET = 1_500
#: Share of the words of a repeated text that are changed.
VARIED = 0.3
LONGEST_TEXT = 60
QUESTION_WORDS = (1, 2, 3, 5)
_WORD = re.compile(r"[a-z0-9]+")


def clustered(count: int, dimensions: int, seed: int = SEED) -> Floats:
    """Unit vectors around `count ** .5` centres."""
    dice = np.random.default_rng(seed)
    world = np.random.default_rng(SEED)  # the centres are the same for what is held and what is asked
    centres = world.standard_normal((256, dimensions), dtype=np.float32)
    bases = world.standard_normal((256, INTRINSIC, dimensions), dtype=np.float32)
    of = dice.integers(0, len(centres), count)
    found = np.empty((count, dimensions), dtype=np.float32)
    for centre in range(len(centres)):
        rows = np.flatnonzero(of == centre)
        inside = dice.standard_normal((len(rows), INTRINSIC), dtype=np.float32)
        noise = dice.standard_normal((len(rows), dimensions), dtype=np.float32)
        found[rows] = centres[centre] + 0.35 * inside @ bases[centre] / INTRINSIC**0.5 * 2 + 0.1 * noise
    return unit(found)


def unit(vectors: Floats) -> Floats:
    """Each at length 1."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Floats = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
    return found


def nearest(vectors: Floats, queries: Floats, count: int, allowed: Ints | None = None) -> list[list[int]]:
    """The exact answer: ids of the `count` most alike, best first, for each query."""
    ids = np.arange(len(vectors)) if allowed is None else allowed
    held = vectors if allowed is None else vectors[allowed]
    return [ids[np.argsort(-(held @ query), kind="stable")[:count]].tolist() for query in queries]


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts as lists of words, and questions of a few words."""

    texts: list[list[str]]
    questions: list[list[str]]


def zipfian(count: int, questions: int) -> Texts:
    """`count` texts of 5 to `LONGEST_TEXT` words, real ones varied as far as there are any."""
    dice = np.random.default_rng(SEED)
    real = [words for words in _real_texts() if len(words) >= 5]
    common = [word for words in real for word in words] or [f"word{n}" for n in (dice.zipf(1.3, 200_000) % 50_000)]
    chosen = dice.integers(0, max(len(real), 1), count)
    texts = [_varied(real[at] if real else [], common, dice) for at in chosen]
    lengths = dice.choice(QUESTION_WORDS, questions)
    asked = dice.integers(0, count, questions)
    return Texts(texts, [_some(texts[at], int(length), dice) for at, length in zip(asked, lengths, strict=True)])


def _varied(words: Sequence[str], common: Sequence[str], dice: np.random.Generator) -> list[str]:
    start = int(dice.integers(0, max(len(words) - LONGEST_TEXT, 0) + 1))
    part = list(words[start : start + LONGEST_TEXT]) or [""] * int(dice.integers(5, LONGEST_TEXT))
    others = dice.integers(0, len(common), len(part))
    changed = dice.random(len(part)) < (VARIED if words else 1.0)
    return [common[other] if change else word for word, other, change in zip(part, others, changed, strict=True)]


def _some(words: Sequence[str], count: int, dice: np.random.Generator) -> list[str]:
    distinct = sorted(set(words))
    return [distinct[at] for at in dice.choice(len(distinct), min(count, len(distinct)), replace=False)]


def _real_texts() -> list[list[str]]:
    root = os.environ.get(DATA_VARIABLE)
    files = [Path(root) / name / "corpus.jsonl" for name in SETS] if root else []
    return [_words(line["text"]) for file in files if file.is_file() for line in islice(read_lines(file), TEXTS_A_SET)]


def _words(text: str) -> list[str]:
    """Latin words and the grams of everything written without spaces: enough for terms as common as real ones."""
    folded = text.casefold()
    return _WORD.findall(folded) + grams(folded)


@dataclass(frozen=True, slots=True)
class Edges:
    """An undirected graph: ends and weights by edge."""

    nodes: int
    sources: Ints
    targets: Ints
    weights: Floats


def graph(nodes: int, edges: int) -> Edges:
    """Some places have many edges: ends are drawn with a tail."""
    dice = np.random.default_rng(SEED)
    tail = (nodes * dice.random(edges) ** 3).astype(np.int64)
    sources, targets = dice.integers(0, nodes, edges), np.minimum(tail, nodes - 1)
    keep = sources != targets
    weights = dice.uniform(0.1, 1.0, int(keep.sum())).astype(np.float32)
    return Edges(nodes, sources[keep], targets[keep], weights)


def page_rank(edges: Edges, seed: int, damping: float, tolerance: float = 1e-10) -> Scores:
    """Personalised PageRank by power iteration until nothing moves by more than `tolerance`."""
    sources, targets = np.concatenate([edges.sources, edges.targets]), np.concatenate([edges.targets, edges.sources])
    weights = np.concatenate([edges.weights, edges.weights]).astype(np.float64)
    shares = weights / np.bincount(sources, weights, edges.nodes)[sources]
    mass: Scores = np.zeros(edges.nodes)
    while True:
        new: Scores = damping * np.bincount(targets, mass[sources] * shares, edges.nodes).astype(np.float64)
        new[seed] += 1 - damping
        if np.abs(new - mass).sum() < tolerance:
            return new
        mass = new
