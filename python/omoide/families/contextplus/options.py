"""What an operator may choose about this door: nothing yet; the store decides where memories live."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """No setting of its own: CONTEXTPLUS_* variables choose embedding providers, and no provider is needed here."""
