"""What does each arm and feature contribute? The same search with one of them off, with the question in kana, or as a request: a row each.

Invariant: the first variant is the default.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import sudachipy

from bench.dataset import Dataset, without
from omoide.model.query import ArmName, Query, RankWalk
from omoide.text.detect import has_han, has_kana
from omoide.text.normalise import HIRAGANA_TO_KATAKANA


def _same_query(query: Query) -> Query:
    return query


def _same_data(dataset: Dataset, folder: Path) -> Dataset:
    return dataset


@dataclass(frozen=True, slots=True)
class Variant:
    """A name, and how queries and sets are changed (the folder is for a changed copy of the set)."""

    name: str
    change_query: Callable[[Query], Query] = _same_query
    change_data: Callable[[Dataset, Path], Dataset] = _same_data


def _less(arm: ArmName) -> Callable[[Query], Query]:
    return lambda query: replace(query, arms=query.arms - {arm})


def _no_dates(query: Query) -> Query:
    return replace(query, weights=replace(query.weights, dates=0.0))


def _no_conversations(dataset: Dataset, folder: Path) -> Dataset:
    return without(dataset, folder, "session", "session_id", "thread")


def _in_kana(query: Query) -> Query:
    """The question as somebody types it who knows no Han characters."""
    words = _words(query.text)
    return replace(query, text="".join(_read(word) if has_han(word.surface()) else word.surface() for word in words))


def _nouns_in_kana(query: Query) -> Query:
    """Only the two longest nouns, as typed in haste; a question without nouns in Han characters is unchanged."""
    words = _words(query.text)
    nouns = [word for word in words if word.part_of_speech()[0] == "名詞" and has_han(word.surface())]
    longest = sorted(map(_read, nouns), key=len, reverse=True)[:2]
    return replace(query, text=" ".join(longest)) if longest else query


def _as_request(query: Query) -> Query:
    """The question as one puts it to an assistant."""
    if has_kana(query.text):
        return replace(query, text=f"{query.text}教えてください。")
    if has_han(query.text):
        return replace(query, text=f"请告诉我，{query.text}")
    return replace(query, text=f"Please tell me: {query.text}")


def _words(text: str) -> sudachipy.MorphemeList:
    return _tokenizer().tokenize(text)


@cache
def _tokenizer() -> sudachipy.Tokenizer:
    return sudachipy.Dictionary(dict="small").tokenizer()


def _read(word: sudachipy.Morpheme) -> str:
    """In hiragana."""
    katakana = word.reading_form()
    return "".join(chr(ord(kana) - HIRAGANA_TO_KATAKANA) if "ァ" <= kana <= "ヶ" else kana for kana in katakana)


EVERYTHING = Variant("everything")
VARIANTS = (
    EVERYTHING,
    Variant("without words", _less("words")),
    Variant("without vectors", _less("vectors")),
    Variant("without graph", _less("graph")),
    Variant("without dates", _no_dates),
    Variant("without turns around", change_data=_no_conversations),
)
#: For questions in Japanese.
IN_KANA = (EVERYTHING, Variant("in kana", _in_kana), Variant("two nouns in kana", _nouns_in_kana))

AS_REQUESTS = (EVERYTHING, Variant("as a request", _as_request))


def with_graph(variant: Variant) -> Variant:
    """The same variant, always walking the graph."""
    return replace(variant, change_query=lambda query: replace(variant.change_query(query), walk=RankWalk()))
