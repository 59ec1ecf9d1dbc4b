"""What does each arm and feature contribute? The same search with one of them off, with the question in kana, as a request, or as
keywords: a row each.

Invariant: the first variant is the default.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import rjieba
import sudachipy

from bench.dataset import Dataset, without
from omoide.model.query import ArmName, Query, RankWalk
from omoide.text.detect import has_han, has_kana
from omoide.text.english import STOP_WORDS
from omoide.text.normalise import HIRAGANA_TO_KATAKANA

#: Few: agents ask for two or three words at a time.
MOST_KEYWORDS = 3
#: Nouns, verbs, adjectives, idioms, numbers and times, as jieba tags them.
CHINESE_TAGS = ("n", "v", "a", "i", "j", "l", "m", "t", "eng")
CHINESE_QUESTION_WORDS = frozenset(
    "什么 什麼 哪里 哪裡 哪个 哪個 哪些 多少 如何 怎么 怎麼 为什么 為什麼 是否 可以".split()
)


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


def _as_keywords(query: Query) -> Query:
    """The first words with a meaning of the question, as agents type them; a question without any is unchanged."""
    keywords = dict.fromkeys(_keywords(query.text))
    return replace(query, text=" ".join(list(keywords)[:MOST_KEYWORDS]) or query.text)


def _keywords(text: str) -> list[str]:
    if has_kana(text):
        return _nouns(text)
    if has_han(text):
        tagged = (word for word, tag in rjieba.tag(text) if tag.startswith(CHINESE_TAGS))
        return [word for word in tagged if len(word) > 1 and word not in CHINESE_QUESTION_WORDS]
    words = (word.strip("?!.,;:\"'()").removesuffix("'s") for word in text.split())
    return [word for word in words if word and word.lower() not in STOP_WORDS]


def _nouns(text: str) -> list[str]:
    """Nouns in Japanese; adjacent ones are one word."""
    found: list[str] = []
    end = -1
    for word in _words(text):
        if word.part_of_speech()[0] == "名詞":
            if word.begin() == end:
                found[-1] += word.surface()
            else:
                found.append(word.surface())
            end = word.end()
    return found


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

AS_KEYWORDS = (EVERYTHING, Variant("as keywords", _as_keywords))

AS_REQUESTS = (EVERYTHING, Variant("as a request", _as_request))


def with_graph(variant: Variant) -> Variant:
    """The same variant, always walking the graph."""
    return replace(variant, change_query=lambda query: replace(variant.change_query(query), walk=RankWalk()))
