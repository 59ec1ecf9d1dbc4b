"""Which words does a text hold? One pipeline for writing and for asking, in any language.

    analyzer      the pipeline, and its yield (analysis): folds (normalise, tables), tells languages apart (detect), cuts words
    japanese, chinese, english    what the engine, which cuts, is told of each; offsets: where that stood in the text
    synonyms, lexicon           words that users say are the same, or are words; small_talk: which are said about anything
    highlight     what of a text is shown, cut between graphemes; tokens: how many a model reads
    essence       what must be the same in a text that says the same
    make_tables   where the shipped tables come from

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
    snippets,
)
from omoide.text.lexicon import LexiconFiles
from omoide.text.normalise import fold, fold_name, fold_statement, plain, without_blanks
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
    "snippets",
    "tokens_of",
    "without_blanks",
    "wording_of",
]
