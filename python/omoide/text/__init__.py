"""Which words does a text have? One pipeline for documents and queries, in any language.

    analyzer      the pipeline, from a text to an analysis: it folds (normalise, tables), detects languages (detect), cuts words
    japanese, chinese, english    the dictionaries that the engine cuts with; offsets: where a word stands in the original text
    meanings                    words that mean the same, in three languages; lexicon, synonyms: the user's own
    small_talk, asking          words that tell little, and phrases that only ask
    happenings                  words that ask for whatever there was
    highlight     the part of a text to show, cut between graphemes; tokens: how many tokens a text costs a model
    essence       what two texts must share to say the same
    make_tables   makes the tables that are shipped

Useful for: index terms, snippets, folded names. Not useful for: ranking, or meaning.
Invariant: the same characters are found however they are written: width, case, Unicode form, kana, and Traditional, Simplified,
old and new Han characters fold to one.
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
from omoide.text.lexicon import LexiconFiles, unreadable
from omoide.text.normalise import fold, fold_name, fold_statement, is_blank, plain, tags_in, without_blanks
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
    "is_blank",
    "line_of",
    "plain",
    "sentence_spans",
    "sentences",
    "snippets",
    "tags_in",
    "tokens_of",
    "unreadable",
    "without_blanks",
    "wording_of",
]
