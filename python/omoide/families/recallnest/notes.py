"""Remarks beside the results, in the language of the query: Japanese, Chinese, else English.

Useful for: saying what a bare list of hits cannot (nothing here, but there; weak matches; a part that is absent).
Not useful for: errors, which answer instead of results.
Invariant: every remark begins with a fixed English label, so that programs can look for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from omoide.families.recallnest.scope import covers

#: Below this relevance the best hit is called weak.
CONFIDENT = 0.4
#: How many of the other scopes an empty answer names.
NAMED_SCOPES = 3

_KANA = re.compile("[\u3041-\u30ff\uff66-\uff9d]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")

_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "low_confidence": {
            "en": "low confidence: the best match reaches {best:.1%}; below {bar:.0%} a memory may be unrelated.",
            "ja": "low confidence: 最も近い記憶でも関連度は {best:.1%} です。{bar:.0%} 未満は無関係かもしれません。",
            "zh": "low confidence: 最相近的记忆相关度只有 {best:.1%}；低于 {bar:.0%} 可能无关。",
        },
        "searched": {
            "en": "scope: searched '{scope}' (memories there: {here}).",
            "ja": "scope: '{scope}' を検索しました（記憶 {here} 件）。",
            "zh": "scope: 已搜索 '{scope}'（其中有 {here} 条记忆）。",
        },
        "searched_all": {
            "en": "scope: searched all scopes (memories: {here}).",
            "ja": "scope: すべてのスコープを検索しました（記憶 {here} 件）。",
            "zh": "scope: 已搜索所有作用域（共 {here} 条记忆）。",
        },
        "elsewhere": {
            "en": " Memories in other scopes: {others} ({names}). Pass one as scope, or allScopes=true, to search them.",
            "ja": "ほかのスコープに {others} 件あります（{names}）。scope に指定するか allScopes=true で検索できます。",
            "zh": "其他作用域还有 {others} 条记忆（{names}）。可在 scope 中指定，或用 allScopes=true 搜索。",
        },
        "reconstruct": {
            "en": "reconstruct: these are the raw results. Reconstruction needs RECALLNEST_CONSTRUCTIVE_RETRIEVAL=true "
            "and a chat endpoint, and is not part of this version.",
            "ja": "reconstruct: 検索結果をそのまま返しました。再構成には RECALLNEST_CONSTRUCTIVE_RETRIEVAL=true と"
            "チャットのエンドポイントが必要で、この版には含まれていません。",
            "zh": "reconstruct: 返回的是原始结果。重构需要 RECALLNEST_CONSTRUCTIVE_RETRIEVAL=true 和聊天模型端点，"
            "本版本尚不包含。",
        },
    }
)


def language(text: str) -> str:
    """`ja` where there is kana, `zh` where there is Han without kana, else `en`."""
    if _KANA.search(text):
        return "ja"
    return "zh" if _HAN.search(text) else "en"


def low_confidence(best: float, lang: str) -> str:
    """The best hit is weak."""
    return _WORDS["low_confidence"][lang].format(best=best, bar=CONFIDENT)


def reconstruct(lang: str) -> str:
    """A synthesis was asked for."""
    return _WORDS["reconstruct"][lang]


def nothing_found(scope: str | None, by_scope: Mapping[str, int], lang: str) -> str:
    """Which scope was searched, how much it holds and how much lies elsewhere. `by_scope`: memories by scope."""
    if scope is None:
        return _WORDS["searched_all"][lang].format(here=sum(by_scope.values()))
    others = {name: count for name, count in by_scope.items() if count and not covers(scope, name)}
    here = sum(by_scope.values()) - sum(others.values())
    said = _WORDS["searched"][lang].format(scope=scope, here=here)
    if not others:
        return said
    return said + _WORDS["elsewhere"][lang].format(others=sum(others.values()), names=_largest(others))


def _largest(by_scope: Mapping[str, int]) -> str:
    named = sorted(by_scope.items(), key=lambda each: (-each[1], each[0]))[:NAMED_SCOPES]
    return ", ".join(f"{name}: {count}" for name, count in named) + (", …" if len(by_scope) > NAMED_SCOPES else "")
