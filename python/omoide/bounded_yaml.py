"""YAML that other people write, refused as soon as it turns out to be nested too deeply or to be too long.

PyYAML recurses for each level until RecursionError, and before that compares every bracket with all that are open.

Useful for: settings and archetype files. Not useful for: what the values mean, and what aliases make of them. Invariant: every node
that the loader composes is at most MOST_LEVELS below the root.
"""

from __future__ import annotations

import math
from typing import Any

from yaml import MarkedYAMLError, SafeLoader, YAMLError
from yaml.composer import ComposerError
from yaml.scanner import ScannerError

from omoide.nesting import MOST_LEVELS

_TOO_DEEP = f"more than {MOST_LEVELS} lists and mappings are inside one another"


class Loader(SafeLoader):
    """PyYAML's safe loader, which raises YAMLError for what is nested too deeply, or has more than `most_values` names and values."""

    most_values = math.inf
    _values = 0
    _level = 0

    def fetch_flow_collection_start(self, TokenClass: Any) -> None:  # noqa: N803
        """Read a bracket. The scanner is up to a thousand of them ahead of the composer."""
        if self.flow_level >= MOST_LEVELS:
            raise ScannerError(None, None, _TOO_DEEP, self.get_mark())
        super().fetch_flow_collection_start(TokenClass)

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a node and those inside it."""
        self._values += 1
        if self._level > MOST_LEVELS or self._values > self.most_values:
            problem = _TOO_DEEP if self._level > MOST_LEVELS else f"there are more than {self.most_values:,} values"
            raise ComposerError(None, None, problem, self.get_mark())
        self._level += 1
        node = super().compose_node(parent, index)
        self._level -= 1
        return node

    def compose_scalar_node(self, anchor: Any) -> Any:
        """Compose a name or value. JSON, which is YAML, has a character like 😀 as two escapes; PyYAML reads two halves."""
        node = super().compose_scalar_node(anchor)
        try:
            node.value = node.value.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            problem = "half of a character (a lone surrogate)"
            raise ComposerError(None, None, problem, node.start_mark) from None
        return node


def said(error: YAMLError) -> str:
    """What is wrong, and where, in one line: PyYAML's own message draws the place over several."""
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return " ".join(str(error).split())
    mark = error.problem_mark
    what = ", ".join(filter(None, (error.context, error.problem)))
    return f"line {mark.line + 1}, column {mark.column + 1}: {what}"
