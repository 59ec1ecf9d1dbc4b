"""Remarks beside the results, in the language of the query: Japanese, Chinese, else English.

Useful for: what a list of hits cannot say (nothing in this scope, but in others; weak matches; a missing arm).
Not useful for: errors, which replace the results.
Invariant: every remark begins with a fixed English label, so that programs can look for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from heapq import nsmallest
from types import MappingProxyType

from omoide.families.recallnest.scope import covers, similar
from omoide.memory.recall import WORTH_READING
from omoide.traditional import told_in

#: How many of the other scopes an empty answer names.
NAMED_SCOPES = 3

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
        "none_passes": {
            "en": "filters: none of the memories there passes {conditions}.",
            "ja": "filters: その中に、条件（{conditions}）に合う記憶はありません。",
            "zh": "filters: 其中没有符合条件（{conditions}）的记忆。",
        },
        "none_current": {
            "en": "filters: all memories there are archived, superseded or no longer valid. includeArchived=true and "
            "includeExpired=true show them.",
            "ja": "filters: そこにある記憶はどれも、保管済みか、置き換えられたか、有効期間が過ぎています。"
            "includeArchived=true や includeExpired=true で見られます。",
            "zh": "filters: 其中的记忆都已归档、被取代或过了有效期。可用 includeArchived=true 或 includeExpired=true 查看。",
        },
        "did_you_mean": {
            "en": " Did you mean {names}?",
            "ja": "もしかして: {names}",
            "zh": "是否指 {names}？",
        },
        "none_related": {
            "en": "related: no other scope is named as related to '{scope}' (setting related_scopes).",
            "ja": "related: '{scope}' に関連するスコープは設定されていません（設定 related_scopes）。",
            "zh": "related: 没有为 '{scope}' 设置相关作用域（设置项 related_scopes）。",
        },
        "reminders_wait": {
            "en": "reminders: this search brings one up that could not be marked as said, as the store cannot be written at "
            "present. It stays for a later search.",
            "ja": "reminders: この検索で出るはずのリマインダーがありますが、今は記憶に書き込めず、済みにできないため、次の検索まで残します。",
            "zh": "reminders: 这次搜索触发了提醒，但目前无法写入存储、不能标记为已提示，因此留待以后的搜索。",
        },
        "reconstruct_off": {
            "en": "reconstruct: off; these are the raw results. It needs RECALLNEST_CONSTRUCTIVE_RETRIEVAL=true, "
            "OMOIDE_LLM_URL and OMOIDE_LLM_MODEL where the server runs.",
            "ja": "reconstruct: 無効のため、検索結果をそのまま返しました。サーバー側に RECALLNEST_CONSTRUCTIVE_RETRIEVAL=true、"
            "OMOIDE_LLM_URL、OMOIDE_LLM_MODEL が必要です。",
            "zh": "reconstruct: 未启用，返回的是原始结果。服务器上需要设置 RECALLNEST_CONSTRUCTIVE_RETRIEVAL=true、"
            "OMOIDE_LLM_URL 和 OMOIDE_LLM_MODEL。",
        },
        "reconstruct_failed": {
            "en": "reconstruct: failed; these are the raw results. {why}",
            "ja": "reconstruct: 失敗したため、検索結果をそのまま返しました。{why}",
            "zh": "reconstruct: 失败，返回的是原始结果。{why}",
        },
        "reconstruct_empty": {
            "en": "reconstruct: nothing to put together; these are the raw results.",
            "ja": "reconstruct: まとめられる内容がないため、検索結果をそのまま返しました。",
            "zh": "reconstruct: 没有可以归纳的内容，返回的是原始结果。",
        },
        "reconstruct_ungrounded": {
            "en": "reconstruct: not shown; the memories cited cover only {kept} of {count} sentences.",
            "ja": "reconstruct: 引用された記憶で裏づけられた文が {count} 文中 {kept} 文だけのため、表示しません。",
            "zh": "reconstruct: 引用的记忆只能支持 {count} 句中的 {kept} 句，因此不显示。",
        },
        "reconstruct_dropped": {
            "en": "reconstruct: {dropped} of {count} sentences left out: the memories they cite do not cover them.",
            "ja": "reconstruct: 引用された記憶で裏づけられない {dropped} 文（全 {count} 文）を省きました。",
            "zh": "reconstruct: 略去了 {dropped} 句（共 {count} 句）：所引用的记忆不支持。",
        },
    }
)


@cache
def _sentence(key: str, lang: str) -> str:
    # Cached, as converting a sentence to Traditional Chinese takes a while.
    return told_in(_WORDS[key], lang) or _WORDS[key]["en"]


def low_confidence(best: float, lang: str) -> str:
    """The remark that the best hit is weak."""
    return _sentence("low_confidence", lang).format(best=best, bar=WORTH_READING)


def missing(reason: str) -> str:
    """The remark that an arm could not take part, which `reason` says."""
    return f"missing: {reason}"


def reminders_wait(lang: str) -> str:
    """The remark that a reminder was triggered but not shown, as the store could not be written to mark it as fired."""
    return _sentence("reminders_wait", lang)


def none_related(scope: str, lang: str) -> str:
    """The remark that related scopes were asked for, but the operator has named none for this scope."""
    return _sentence("none_related", lang).format(scope=scope)


def reconstruct(outcome: str, lang: str, **values: object) -> str:
    """The remark on a reconstruction; `outcome` is off, failed, empty, ungrounded or dropped."""
    return _sentence(f"reconstruct_{outcome}", lang).format(**values)


def nothing_found(scope: str | None, by_scope: Mapping[str, int], lang: str) -> str:
    """The remark on an empty answer: the scope searched, how many memories it has, and how many other scopes have. `by_scope`:
    numbers of memories."""
    if scope is None:
        return _sentence("searched_all", lang).format(here=sum(by_scope.values()))
    others = {name: count for name, count in by_scope.items() if not covers(scope, name)}
    here = sum(by_scope.values()) - sum(others.values())
    text = _sentence("searched", lang).format(scope=scope, here=here)
    if not others:
        return text
    text += _sentence("elsewhere", lang).format(others=sum(others.values()), names=_largest(others))
    names = "" if here else ", ".join(similar(scope, others))  # a scope that has memories was hardly mistyped
    return text + _sentence("did_you_mean", lang).format(names=names) if names else text


def none_passes(conditions: Sequence[str], lang: str) -> str:
    """The remark on an empty answer that no memory of the scope passes what restricts the search: `conditions`, or without any,
    that it looks for current memories."""
    if not conditions:
        return _sentence("none_current", lang)
    return _sentence("none_passes", lang).format(conditions=", ".join(conditions))


def _largest(by_scope: Mapping[str, int]) -> str:
    named = nsmallest(NAMED_SCOPES, by_scope.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{name}: {count}" for name, count in named) + (", …" if len(by_scope) > NAMED_SCOPES else "")
