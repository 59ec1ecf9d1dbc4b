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
    "(list|show|find|give me|get me) (all|everything|anything|the|my|our|any)",
    "(summarize|summarise|recap|give me a summary of) (everything|all|what)",
    "(do|did|have|has) (i|we|you|he|she|they|anyone|anybody) (ever |)"
    "(mention|mentioned|tell you about|told you about|say anything about|said anything about)",
    "请(问|)",
    "(麻烦|请)(你|您)",
    "(我|)想(知道|问|问一下)",
    "(你|您|我们|你们)(还记得|记得|知道)",
    "(帮我|帮忙|请)(找|查|搜|搜索|查找|回忆)(一下|)",
    "(告诉我|(问|查|找|搜索|回忆)一下)",
    "(列出|列一下|总结|总结一下|汇总|给我)(所有|全部|一切|)",
    "(我|你|我们|他|她|)(有没有|没有|)(跟你|和你|给你|对你|跟我|和我|)(提过|提到过|说过|讲过|聊过)",
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
    "(何|なん)(て|を|か|と)(言った|言ってた|言っていた|言いました|言っていました|言われた)(っけ|の|か|)",
    "(言った|言ってた|話した|話してた|話していた|聞いた)(っけ|こと|事)",
    "(話し合った|教えてもらった|教わった|相談した)(こと|事|っけ|)",
    "(有|)(提到|说到|讲到|提过|说过|讲过)(吗|过吗|没有|没|过没有|)",
    "来(着|著)",
)
#: Dictionaries find other words in these: 付く, 言う, 時, 番, 时候, 地方, 点, 钱, 嘛了.
ANYWHERE = (
    "に(ついて|関して|関する|対して|対する)",
    "(っていう|という|どういう|どうやって)",
    "何(時|分|秒|円|番)",
    "什么(时候|地方|样)",
    "(花了|)(多少|几|几块|几元|几毛)钱",
    "几(点|号|天|个|岁|块|周|分钟|小时|楼|层|折)",
    "(为啥|为什么(这么|那么)|怎么(这么|那么)|多少(天|人|度|号|次|块))",
    "(有没有|是不是|能不能|会不会|要不要|多长时间|多少时间)",
    "有多(大|长|久|远|高|重)",
    "(关于|有关|相关的|相关)",
    "(anything|something|everything)( about| on| regarding| concerning|)",
    "(say|said|mention|mentioned|know|knew|discuss|discussed|decide|decided|talk|talked|tell you|told you) about",
    "happened (with|to)",
    "(都|)(干嘛|干吗|干啥|做啥)(了|呢|)",
)
#: These tell what kind of text is looked for, or what for. A text may call itself so (会議のメモ), but many others do, too; and an
#: answer to 何曜日 has 曜日, but so have those to others.
ASIDE = (
    "(note|notes|memo|memos|info|information|details|facts|memories|thoughts) (about|on|regarding|concerning)",
    "(details|summary) of",
    "(reason|reasons) (for|why|behind)",
    "何曜日",
    "(の|に関する|についての)(話|件|メモ|情報|詳細|記録|記憶|内容|一覧|リスト|ノート|理由|原因)",
    "的(内容|笔记|信息|记录|记忆|事|事儿|事情|细节|详情|资料|情况|备忘|备忘录|消息|原因|理由|话题|清单|列表)",
)


@lru_cache(maxsize=1)
def asking() -> _engine.Asking:
    """All of these phrases."""
    return _engine.Asking(_folded(OPENING), _folded(CLOSING), _folded(ANYWHERE), _folded(ASIDE))


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
