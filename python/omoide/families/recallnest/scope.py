"""Which scope a call is about, and which memories that covers.

Useful for: `scope`, `sessionId`, `allScopes` and the defaults behind them. Not useful for: tenants (a scope divides one
tenant's memories).
Invariant: a call never reaches outside the scope the process is pinned to, and never wider than it asked.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import nlargest
from typing import Any

from omoide.errors import InvalidArgument
from omoide.families.recallnest.options import Options
from omoide.model import scope as model
from omoide.model.condition import Condition, Equals, Under
from omoide.model.memory import DEFAULT_SCOPE
from omoide.model.scope import plain

REMEDY = "Pass scope explicitly, provide sessionId, or set RECALLNEST_DEFAULT_SCOPE / RECALLNEST_SCOPE / RECALLNEST_SESSION_ID."
#: From this likeness on a name may have been meant, and how many are named.
NEAR = 0.8
MOST_NEAR = 3
#: Of more scopes those that hold most are compared with a name: where each session has its own there are thousands, and to
#: compare two names takes up to .1 ms.
COMPARED = 500
#: How many related scopes one search looks into.
MOST_RELATED = 2
REMEDY_FOR_READS = f"{REMEDY} Use allScopes=true only for explicit cross-scope reads."


def of_read(tool: str, arguments: Mapping[str, Any], options: Options, pinned: str | None) -> str | None:
    """The scope to read; None is every scope. Raises InvalidArgument (`scope_required`, outside the pinned scope)."""
    if arguments.get("allScopes", False):
        return None
    scope = tidy(arguments.get("scope")) or _of_session(arguments.get("sessionId"))
    return _settled(scope, tool, REMEDY_FOR_READS, options, pinned)


def of_write(tool: str, arguments: Mapping[str, Any], options: Options, pinned: str | None) -> str:
    """The scope to write to. Raises InvalidArgument as `of_read` does."""
    return _settled(tidy(arguments.get("scope")), tool, REMEDY, options, pinned)


def related(scope: str, options: Options, pinned: str | None) -> list[str]:
    """The first scopes that the operator named as related to this one, without itself and without unseen ones."""
    named = (tidy(name) for name in options.related_scopes.get(scope, ()))
    others = dict.fromkeys(name for name in named if name and name != scope and visible(name, pinned))
    return list(others)[:MOST_RELATED]


def tidy(name: str | None) -> str | None:
    """Without outer blanks, inner ones collapsed; a blank name is no name."""
    return (" ".join(name.split()) or None) if name else None


def covers(scope: str, other: str) -> bool:
    """Whether a search of `scope` reaches the memories in `other`: `cc` covers `cc:1`; a name with a colon only itself."""
    return plain(other) == plain(scope) if is_one_alone(scope) else model.covers(scope, other)


def is_one_alone(scope: str) -> bool:
    """Whether a search of the scope does not reach what is under it: its name has a colon."""
    return ":" in plain(scope)


def near(scope: str, others: Mapping[str, int]) -> list[str]:
    """The scopes whose names are written much like this one, nearest first: the same but for case, hyphens and blanks,
    the beginning of one another, or a slip of the pen apart. `others`: memories by scope; the `COMPARED` largest are looked at."""
    asked = _bare(scope)
    compared = SequenceMatcher(b=asked)  # what it finds out of its second text is kept
    largest = nlargest(COMPARED, others, key=lambda name: others[name])
    ranked = [(_likeness(compared, asked, _bare(other)), other) for other in largest if other != scope]
    return [other for likeness, other in sorted(ranked, key=lambda each: (-each[0], each[1])) if likeness >= NEAR][
        :MOST_NEAR
    ]


def visible(name: str, pinned: str | None) -> bool:
    """Whether a process pinned to a scope (None: to none) may know of this one."""
    return pinned is None or model.covers(pinned, name)


@lru_cache(maxsize=256)
def condition(scope: str) -> Condition:
    """The memories that `covers` describes. Made once: whoever asks does so in few scopes."""
    return Equals("scope", scope) if is_one_alone(scope) else Under(scope)


def _bare(name: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKC", name).casefold() if char not in "-_ ")


def _likeness(compared: SequenceMatcher[str], asked: str, other: str) -> float:
    if not asked or not other:
        return 0.0
    if other.startswith(asked) or asked.startswith(other):
        return 1.0 if asked == other else 0.9
    compared.set_seq1(other)
    # Either is never below the ratio, and takes a tenth of its time or less.
    if compared.real_quick_ratio() < NEAR or compared.quick_ratio() < NEAR:
        return 0.0
    return compared.ratio()


def _of_session(session_id: str | None) -> str | None:
    session = tidy(session_id)
    return f"session:{session}" if session else None


@lru_cache(maxsize=16)
def _chosen(default: str | None, session: str | None) -> str | None:
    """What the operator chose for calls that name no scope."""
    return tidy(default) or _of_session(session)


def _settled(scope: str | None, tool: str, remedy: str, options: Options, pinned: str | None) -> str:
    scope = scope or _chosen(options.default_scope, options.session) or pinned
    if scope is None and options.require_scope:
        raise InvalidArgument("scope", f"{tool} requires a scope.", hint=remedy, code="scope_required")
    scope = scope or DEFAULT_SCOPE
    if not visible(scope, pinned):
        raise InvalidArgument(
            "scope",
            f"The scope {scope!r} is outside of {pinned!r}, which this server is pinned to.",
            hint=f"Leave scope out, or use {pinned!r} or a scope under it.",
            also={
                "ja": f"scope {scope!r} はこのサーバーの {pinned!r} の外にあります。scope を省くか、{pinned!r} かその下を指定してください。",
                "zh": f"作用域 {scope!r} 在此服务器的 {pinned!r} 之外。请省略 scope，或使用 {pinned!r} 及其下的作用域。",
            },
        )
    return scope
