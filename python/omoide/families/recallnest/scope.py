"""The scope of a call, and the memories that it covers.

Useful for: `scope`, `sessionId`, `allScopes` and their defaults. Not useful for: tenants (a scope divides one tenant's
memories).
Invariant: a call never reaches outside the scope that the process is pinned to, nor further than it asked.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import nlargest
from typing import Any

from omoide.errors import InvalidArgument, filled
from omoide.families.recallnest.options import Options
from omoide.model import scope as model
from omoide.model.condition import Condition, Equals, Under
from omoide.model.memory import DEFAULT_SCOPE
from omoide.model.scope import plain
from omoide.text import is_blank

_SETTINGS = "or set RECALLNEST_DEFAULT_SCOPE / RECALLNEST_SCOPE / RECALLNEST_SESSION_ID."
#: What to do without a scope; tools that write have no sessionId.
REMEDY_FOR_WRITES = f"Pass scope explicitly, such as session:<id>, {_SETTINGS}"
REMEDY_FOR_READS = (
    f"Pass scope explicitly, provide sessionId, {_SETTINGS} Use allScopes=true only for explicit cross-scope reads."
)
_SETTINGS_ALSO = {
    "ja": "サーバー側で RECALLNEST_DEFAULT_SCOPE、RECALLNEST_SCOPE、RECALLNEST_SESSION_ID のどれかを設定してください。",
    "zh": "在服务器上设置 RECALLNEST_DEFAULT_SCOPE、RECALLNEST_SCOPE 或 RECALLNEST_SESSION_ID。",
}
#: The same in Japanese and Chinese.
_REMEDIES: Mapping[str, Mapping[str, str]] = {
    REMEDY_FOR_WRITES: {
        "ja": "scope が必要です。session:<id> のように指定するか、{settings}",
        "zh": "缺少 scope。请指定，例如 session:<id>，或{settings}",
    },
    REMEDY_FOR_READS: {
        "ja": "scope が必要です。scope か sessionId を指定するか、{settings}allScopes=true は、すべてのスコープを検索するときだけ使ってください。",
        "zh": "缺少 scope。请指定 scope 或 sessionId，或{settings}仅在要搜索所有作用域时使用 allScopes=true。",
    },
}
#: Names of at least this similarity may have been meant; and how many of them are named.
MIN_SIMILARITY = 0.8
MOST_SIMILAR = 3
#: At most this many scopes, those with the most memories, are compared with a name: there are thousands if each session has its
#: own, and comparing two names takes up to 0.1 ms.
COMPARED = 500
#: How many related scopes one search looks into.
MOST_RELATED = 2


def of_read(tool: str, arguments: Mapping[str, Any], options: Options, pinned: str | None) -> str | None:
    """The scope to read; None is every scope. Raises InvalidArgument (`scope_required`, outside the pinned scope)."""
    if arguments.get("allScopes", False):
        return None
    scope = tidy(arguments.get("scope")) or _of_session(arguments.get("sessionId"))
    return _resolved(scope, tool, REMEDY_FOR_READS, options, pinned)


def of_write(tool: str, arguments: Mapping[str, Any], options: Options, pinned: str | None) -> str:
    """The scope to write to. Raises InvalidArgument as `of_read` does."""
    return _resolved(tidy(arguments.get("scope")), tool, REMEDY_FOR_WRITES, options, pinned)


def related(scope: str, options: Options, pinned: str | None) -> list[str]:
    """The first MOST_RELATED scopes that the operator named as related to this one, without itself and invisible ones."""
    asked = plain(scope)
    named = (tidy(each) for name, names in options.related_scopes.items() if plain(name) == asked for each in names)
    others = {plain(name): name for name in named if name and plain(name) != asked and visible(name, pinned)}
    return list(others.values())[:MOST_RELATED]


def tidy(name: str | None) -> str | None:
    """The name without outer blanks, and with inner ones collapsed; None for a blank name."""
    return " ".join(name.split()) if name and not is_blank(name) else None


def covers(scope: str, other: str) -> bool:
    """Whether a search of `scope` includes memories in `other`: `cc` covers `cc:1`; a name with a colon only itself."""
    return plain(other) == plain(scope) if is_one_alone(scope) else model.covers(scope, other)


def is_one_alone(scope: str) -> bool:
    """Whether a search of the scope excludes the scopes under it: its name has a colon."""
    return ":" in plain(scope)


def similar(scope: str, others: Mapping[str, int]) -> list[str]:
    """The scopes whose names are similar to this one, nearest first: they differ in case, hyphens and blanks only, one begins
    with the other, or there is a typo. `others`: numbers of memories by scope; only the `COMPARED` largest are compared."""
    name = _bare(scope)
    compared = SequenceMatcher(b=name)  # caches its analysis of the second text
    largest = nlargest(COMPARED, others, key=lambda name: others[name])
    ranked = [(_similarity(compared, name, _bare(other)), other) for other in largest if other != scope]
    return [
        other
        for similarity, other in sorted(ranked, key=lambda each: (-each[0], each[1]))
        if similarity >= MIN_SIMILARITY
    ][:MOST_SIMILAR]


def visible(name: str, pinned: str | None) -> bool:
    """Whether a process pinned to `pinned` (None: not pinned) may know of this scope."""
    return pinned is None or model.covers(pinned, name)


@lru_cache(maxsize=256)
def condition(scope: str) -> Condition:
    """The condition for memories in the scopes that `scope` covers. Cached, as callers use few scopes."""
    return Equals("scope", scope) if is_one_alone(scope) else Under(scope)


def _bare(name: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKC", name).casefold() if char not in "-_ ")


def _similarity(compared: SequenceMatcher[str], name: str, other: str) -> float:
    if not name or not other:
        return 0.0
    if other.startswith(name) or name.startswith(other):
        return 1.0 if name == other else 0.9
    compared.set_seq1(other)
    # Both are upper bounds of the ratio, and take a tenth of its time or less.
    if compared.real_quick_ratio() < MIN_SIMILARITY or compared.quick_ratio() < MIN_SIMILARITY:
        return 0.0
    return compared.ratio()


def _of_session(session_id: str | None) -> str | None:
    session = tidy(session_id)
    return f"session:{session}" if session else None


@lru_cache(maxsize=16)
def _default(default: str | None, session: str | None) -> str | None:
    """The operator's scope for calls that name none, if any."""
    return tidy(default) or _of_session(session)


def _resolved(scope: str | None, tool: str, remedy: str, options: Options, pinned: str | None) -> str:
    scope = scope or _default(options.default_scope, options.session) or pinned
    if scope is None and options.require_scope:
        also = filled(_REMEDIES[remedy], settings=_SETTINGS_ALSO)
        raise InvalidArgument("scope", f"{tool} requires a scope.", hint=remedy, code="scope_required", also=also)
    scope = scope or DEFAULT_SCOPE
    if not visible(scope, pinned):
        raise InvalidArgument(
            "scope",
            f"The scope {scope!r} is outside of {pinned!r}, which this server is pinned to.",
            hint=f"Leave scope out, or use {pinned!r} or a scope under it.",
            also={
                "ja": f"スコープ {scope!r} は、このサーバーが使える {pinned!r} の外にあります。scope を省くか、{pinned!r} かその下の"
                "スコープを指定してください。",
                "zh": f"作用域 {scope!r} 在此服务器所限定的 {pinned!r} 之外。请省略 scope，或使用 {pinned!r} 及其下的作用域。",
            },
        )
    return scope
