"""The options of this family, which an operator chooses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Values only; settings are read from the environment elsewhere.

    `compact_responses` (COMPACT_RESPONSES): short keys in the text block; `structuredContent` is the same either way.
    `enable_memory` (ENABLE_MEMORY): when off, the tools stay listed and answer "Memory not enabled".
    """

    compact_responses: bool = True
    enable_memory: bool = True
