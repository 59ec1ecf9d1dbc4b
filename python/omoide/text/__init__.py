"""Which words does a text hold? One pipeline for writing and for asking, in any language.

Useful for: index terms, snippets, folded names. Not useful for: ranking, or meaning.
Invariant: the same characters are found again however they were written: width, case, Unicode form, kana, and
Traditional, Simplified or old and new Han characters fold to one.
"""

from omoide.text.analysis import Analysis, Question, Word
from omoide.text.analyzer import Analyzer
from omoide.text.essence import Wording, essences_of, wording_of
from omoide.text.highlight import (
    Excerpt,
    best_sentence,
    first_sentence,
    glimpse,
    line_of,
    sentence_spans,
    sentences,
    snippet,
)
from omoide.text.lexicon import LexiconFiles
from omoide.text.normalise import fold, fold_name, fold_statement, plain
from omoide.text.tokens import tokens_of

__all__ = [
    "Analysis",
    "Analyzer",
    "Excerpt",
    "LexiconFiles",
    "Question",
    "Word",
    "Wording",
    "best_sentence",
    "essences_of",
    "first_sentence",
    "fold",
    "fold_name",
    "fold_statement",
    "glimpse",
    "line_of",
    "plain",
    "sentence_spans",
    "sentences",
    "snippet",
    "tokens_of",
    "wording_of",
]
