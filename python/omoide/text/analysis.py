"""What text analysis yields: a folded text and its words, the same way for writing and for asking."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """An index term and where it stands: code-point offsets [start, end) into the analysis' `folded` text."""

    term: str
    start: int
    end: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Analysis:
    """`folded` has been through width, case and character-variant folding; words are in order of `start`.

    Several words may cover the same span (a compound and its parts, a surface and its normalised form).
    """

    folded: str
    words: tuple[Word, ...]
    language: str | None = None
