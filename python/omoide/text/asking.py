"""Phrases that only ask for an answer: "do you remember …", …について教えてください, 请告诉我….

People, and agents that pass on their words, ask a memory as they ask a person. A text that happens to have `tell` or 教える is no
better an answer for it.

Useful for: the weights of a query's words. Not useful for: documents, which keep every word.
Invariant: each phrase is given to the engine folded. asking.rs of omoide-text says where phrases count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from omoide import _engine
from omoide.text.normalise import fold

#: `(a|b)`: either. Function words beside a phrase (can, you, about; ですか) weigh nothing anyway.
OPENING = (
    "please",
    "(tell|show|remind) me",
    "let me know",
    "help me (find|remember)",
    "(i want|i wanted|i need|i'd like|i would like) to (know|find out)",
    "(i wonder|i was wondering|i am wondering|i'm wondering)",
    "(do|did|can) you (remember|recall|know)",
    "(can you|could you|please) (find|find out|look up|search for)",
    "(search|search in|look in|check) (your memory|your memories|my memories)",
    "请(问|)",
    "(麻烦|请)(你|您)",
    "(我|)想(知道|问|问一下)",
    "(你|您|我们|你们)(还记得|记得|知道)",
    "(帮我|帮忙|请)(找|查|搜|搜索|查找|回忆)(一下|)",
    "(告诉我|(问|查|找|搜索|回忆)一下)",
)
CLOSING = (
    "please",
    "告诉我",
    "((你还|还|你)记得|你知道)(吗|么|)",
    "(查|找|说|讲|介绍)一下",
    "(教えて|聞かせて|見せて|思い出して|調べて|探して|検索して|見つけて)"
    "(|下さい|ください|ちょうだい|欲しい|ほしい|くれ|くれる|くれます|くれません|もらえる|もらえます|もらえません|"
    "いただけます|いただけません|頂けます|頂けません)",
    "(覚えて|知って)(る|いる|ます|います|ない|いない|ません|いません)",
    "(知り|聞き)たい",
    "お願い(|します|致します|いたします)",
)
#: Dictionaries find other words in these: 付く, 言う, 时候, 地方, 嘛了.
ANYWHERE = (
    "に(ついて|関して|関する|対して|対する)",
    "(っていう|という|どういう|どうやって)",
    "什么(时候|地方|样)",
    "(有没有|是不是|能不能|会不会|要不要|多长时间|多少时间)",
    "有多(大|长|久|远|高|重)",
    "(都|)(干嘛|干吗|干啥|做啥)(了|呢|)",
)


@lru_cache(maxsize=1)
def asking() -> _engine.Asking:
    """All of these phrases."""
    return _engine.Asking(_folded(OPENING), _folded(CLOSING), _folded(ANYWHERE))


def _folded(patterns: Iterable[str]) -> list[str]:
    return sorted({fold(phrase) for pattern in patterns for phrase in _expanded(pattern)})


def _expanded(pattern: str) -> Iterator[str]:
    """Every phrase that a pattern stands for, the innermost brackets first."""
    inner = re.search(r"\(([^()]*)\)", pattern)
    if inner is None:
        yield pattern
        return
    for choice in inner[1].split("|"):
        yield from _expanded(pattern[: inner.start()] + choice + pattern[inner.end() :])
