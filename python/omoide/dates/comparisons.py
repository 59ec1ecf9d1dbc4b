"""Reads comparisons of lengths: at least 3 days ago, 不到三天前, 2週間より前, older than 30 days.

Useful for: `grammar`, as bounds that are counted from now. Not useful for: before and after a date; see grammar.py.
Invariant: "older than 30 days" is one only as a whole argument, since in a text it may be somebody's age.
"""

from __future__ import annotations

from omoide.dates.frame import Bound, Node, Now, Offset, Range, Stretch, Window
from omoide.dates.joining import Term
from omoide.dates.lengths import DATE_LIKE, length
from omoide.dates.lexer import Tokens
from omoide.dates.parts.chunk import Reading
from omoide.dates.terms import at_least, past_fillers, term_at


def compared(tokens: Tokens, at: int, reading: Reading) -> Term | None:
    """More than two weeks ago: before that day; less than two weeks ago: since then; at least two weeks ago: until that day."""
    how = tokens.get(at, "compared")
    if how is None or (tokens.all[at].text == "不到" and tokens.word(at - 1) in _VERBS):
        return None
    start = past_fillers(tokens, at + 1)
    term = term_at(tokens, start, reading)
    farther = _farther(term.node) if term else None
    if term is None or farther is None:
        return _aged(tokens, at, start, how) if reading.whole else None
    if tokens.all[at].text == "over" and farther.base is not None:
        return None  # for over sixty years from 1892
    return term._replace(node=_side(how, farther))


#: After one of these verbs 不到 belongs to it: 找不到三天前的记录.
_VERBS = set("找看收想见听碰达用拿买得料办做查搜遇等赶接")


def _farther(node: Node) -> Offset | None:
    """The farther end: of "two or three weeks ago", three."""
    ends = (node.first, node.last) if isinstance(node, Range) else (node,)
    offsets = [end for end in ends if isinstance(end, Offset)]
    return offsets[0 if offsets[0].sign < 0 else -1] if len(offsets) == len(ends) else None


def _aged(tokens: Tokens, at: int, start: int, how: str) -> Term | None:
    """Older than 30 days, more than 30 days old."""
    found = length(tokens, start)
    old = found is not None and tokens.word(found[1]) == "old"
    if found is None or not (old or tokens.all[at].text in _AGES) or tokens.all[found[1] - 1].text in DATE_LIKE:
        return None
    return Term(_side(how, Offset(found[0], -1)), found[1] + old, True, True)


_AGES = {"older than", "newer than", "younger than", "超过", "超過"}


def _side(how: str, node: Offset) -> Node:
    if how == "more":
        return Bound("before" if node.sign < 0 else "after", node)
    if how == "least":
        return at_least(node)
    if node.base is None or isinstance(node.base, Now):
        return Window(node.length, node.sign)
    return Stretch(node.length, node.base) if node.sign > 0 else node
