"""The native module: text analysis, the built-in embedder, the index and its search. Methods that work long release the
interpreter while they work; every object is frozen and may be shared by threads.

Keys are unsigned 64-bit integers that the caller chooses; inside, documents and nodes share one dense 32-bit id space.
Times are integers (microseconds since the epoch, UTC).
"""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Generic, Literal, TypeAlias, TypeVar, final

__all__ = [
    "Asking",
    "BreadthFirst",
    "Chinese",
    "Curve",
    "Cut",
    "Cutter",
    "DateWords",
    "Document",
    "Edge",
    "Engine",
    "EngineError",
    "Filter",
    "Hit",
    "Hits",
    "JapaneseLine",
    "JapaneseWords",
    "Languages",
    "LexicalEmbedder",
    "Measured",
    "Neighbour",
    "Node",
    "PageRank",
    "Phrases",
    "Query",
    "Question",
    "Saved",
    "Searches",
    "Shapes",
    "SmallTalk",
    "SnapshotError",
    "Spellings",
    "StaticEmbedder",
    "Stats",
    "Variants",
    "Visibility",
    "Vocabulary",
    "Word",
    "Wording",
    "essence",
    "grams",
    "has_cjk",
    "has_han",
    "has_kana",
    "plain",
    "relevance",
]

class EngineError(Exception):
    """The engine refused a call (wrong dimension, unknown column) or could not finish it."""

class SnapshotError(EngineError):
    """A snapshot is missing, damaged, or of another version or identity: rebuild the index from the store."""

# --- text and embedding (pure functions) ------------------------------------------------------------------------------

#: What the relevance of a hit is computed from: coverage, usual coverage, cosine, usual cosine, whether the graph walk met it,
#: and the most that its words tell, in nats.
_Evidence: TypeAlias = tuple[float, tuple[float, float], float, tuple[float, float, int] | None, bool, float]

@final
class Curve:
    """Computes relevance from evidence."""

    def __new__(cls, constants: object) -> Curve:
        """`constants` has the attributes of omoide.memory.relevance.Curve."""

def relevance(ranked: Sequence[_Evidence], searched: int, curve: Curve) -> list[float]:
    """The relevance, 0..1 and never rising, of ranked hits, best first; `searched`: how many memories were searched."""

def grams(text: str) -> list[str]:
    """Character uni- and bigrams of every Han, kana and Hangul run of folded `text` (a run may mix these three)."""

def plain(text: str) -> str | None:
    """NFKC and case folding of a text whose characters fold one by one, as in most texts; None for a text with combining marks
    or characters that decompose."""

def has_cjk(text: str) -> bool:
    """Whether the text has a Han character or kana."""

def has_han(text: str) -> bool:
    """Whether the text has a Han character."""

def has_kana(text: str) -> bool:
    """Whether the text has a kana letter. The middle dot and the long vowel mark are none, as Chinese names have them, too."""

@final
class Languages:
    """Distinguishes Japanese and Chinese, which share characters, by the Han characters of the standards of Japanese, Simplified and
    Traditional Chinese."""

    def __new__(cls, japanese: str, simplified: str, traditional: str) -> Languages: ...
    def of(self, line: str, context_language: str | None) -> Literal["ja", "zh"] | None:
        """The language of a line; None without Han and kana. `context_language`: the language tag of the caller, or of the text
        around."""

@final
class Vocabulary:
    """Caches the terms of words between spaces. `function_words` say too little to search for; those of them in `particles`
    end a verb that is also written as one word ("log in")."""

    def __new__(cls, function_words: Sequence[str], particles: Sequence[str]) -> Vocabulary: ...

@final
class JapaneseWords:
    """Caches the tokens of Japanese words, by the number an analyser has for each word and its spelling."""

    def __new__(cls) -> JapaneseWords: ...
    def line(self, text: str, words: Sequence[tuple[int, int]]) -> JapaneseLine:
        """A line that an analyser has cut into words, in order, each (number, start); a word ends where the next begins."""

    def learned(
        self,
        line: JapaneseLine,
        units: Sequence[tuple[Sequence[tuple[str, int, int, bool]], Sequence[tuple[str, int, int, bool]]]],
    ) -> JapaneseLine:
        """The line with its unknown words filled in, and cached. `units`: for each, in order, its tokens (term, start, end,
        function word) and readings, with those of its parts; offsets count from the start of the word."""

@final
class JapaneseLine:
    """A line of Japanese, cut into words."""

    @property
    def unknown(self) -> list[int]:
        """The indexes of words that are not in the cache (any more)."""

@final
class Spellings:
    """The words that have the term of others that mean the same, and that term: those that count in Japanese and those that count
    in Chinese texts, katakana as written, all else folded. `translated`: the terms of everyday words in English among these;
    `of_several_words`: the terms of several English words, each with that of the whole."""

    def __new__(
        cls,
        in_japanese: Sequence[tuple[str, str]],
        in_chinese: Sequence[tuple[str, str]],
        translated: Sequence[str],
        of_several_words: Sequence[tuple[Sequence[str], str]],
    ) -> Spellings: ...

@final
class Cutter:
    """Cuts texts into terms. `user_words`: the user's words as phrases to find, and as folded text in the same order."""

    def __new__(
        cls,
        variants: Variants,
        languages: Languages,
        vocabulary: Vocabulary,
        chinese: Chinese,
        spellings: Spellings,
        small_talk: SmallTalk,
        asking: Asking,
        user_words: tuple[Phrases, Sequence[str]] | None = None,
    ) -> Cutter: ...
    def document(self, written: str, context_language: str | None = None, plain: str | None = None) -> Cut | None:
        """Cuts a document's text. `written`: as it was written, since capitals divide names (`cancelOrder`);
        `context_language`: its language, if known; `plain`: the text after NFKC and case folding. Returns None if folding
        needs tables and `plain` is None."""

    def question(
        self,
        written: str,
        context_language: str | None = None,
        plain: str | None = None,
        aside: Sequence[tuple[int, int]] = ...,
    ) -> Question | Cut | None:
        """Cuts the text of a query. Unlike in a document, two neighbours are also read as one word, and Han characters alone
        both as Japanese and as Chinese if nothing shows which. The words at the places `aside` of the plain text weigh little, unless
        there are no others. Returns a Question if `finish_question` has nothing to add."""

    def finish_question(
        self,
        cut: Cut,
        unknown_terms: Sequence[tuple[str, bool]],
        japanese: Sequence[tuple[int, JapaneseLine]],
        aside: Sequence[tuple[int, int]] = ...,
    ) -> Question:
        """The question of a cut text; for `unknown_terms` and `japanese` see Cut, for `aside` see `question`. The same term at the
        same place counts once. Function words weigh nothing, unless there are no others; small talk weighs the less the longer the
        text is."""

    def learn(self, cut: Cut, unknown_terms: Sequence[tuple[str, bool]]) -> None:
        """Cache (term, function word) of the text's unknown words, given in their order."""

@final
class Cut:
    """A text, cut as far as the engine can without Python. The caller supplies the rest: `unknown_terms`, (term, function
    word) of each unknown word, and `japanese`, its lines of Japanese as (start, line), both in order; a long line may be in pieces."""

    @property
    def folded(self) -> str: ...
    @property
    def unknown(self) -> list[str]:
        """Words between spaces whose terms the caller has to supply."""
    @property
    def japanese(self) -> list[tuple[int, str]]:
        """(start in code points, text) of the lines that an analyser of Japanese has to cut."""

    def terms(
        self, unknown_terms: Sequence[tuple[str, bool]], japanese: Sequence[tuple[int, JapaneseLine]]
    ) -> tuple[list[str], list[str]]:
        """What a document is found by: (terms with repeats, then function words, each once; readings)."""

    def places(
        self,
        unknown_terms: Sequence[tuple[str, bool]],
        japanese: Sequence[tuple[int, JapaneseLine]],
        wanted: Sequence[str],
    ) -> list[tuple[int, int]]:
        """[start, end) of the words that have one of these terms, in code points of the folded text."""

@final
class Variants:
    """Folds variants of a character to one: `characters` become those at the same place of `folded`."""

    def __new__(cls, characters: str, folded: str) -> Variants: ...
    def fold(self, text: str) -> str:
        """The text with every variant folded; it has as many code points as before."""

    def essences(self, texts: Sequence[str]) -> list[int | None]:
        """The essence (see `essence`) of each text, given as it was written; None for a text that needs tables to be folded."""

    def glimpse(self, text: str, terms: Sequence[str], width: int) -> tuple[int, int] | None:
        """[start, end) of what to show of a text, at most `width` code points: the sentence with most of the folded terms, cut
        around the first of them. None for a text that needs tables to be folded."""

    def snippets(self, texts: Sequence[str], terms: Sequence[Sequence[str]], width: int) -> list[str | None]:
        """What `glimpse` finds in several texts, each for its terms, as one line: white space collapsed, with dots where the
        sentence goes on."""

@final
class DateWords:
    """Finds the words that dates are written with. Accepts any text; a lone surrogate is read as some other character."""

    def __new__(
        cls,
        characters: str,
        folded: str,
        words: Sequence[tuple[str, dict[str, Any], int, bool, int, int, int, int]],
        numerals: str,
        inside: Sequence[tuple[str, int]],
    ) -> DateWords:
        """`characters` fold to those at the same place of `folded`; `numerals`: the characters of Han numbers; `inside`:
        texts that mean nothing and yet occur inside dates, each with how specific it is there. A word is a tuple of

        1. its folded spelling, and 2. its senses;
        3. whether it shows that a date may be here: 0 no, 1 only beside a word that completes it, 2 by itself;
        4. whether its first character completes a word in front of it in that way;
        5. whether a date may begin with it: 0 never; 1 if another word of dates follows; 2 or 3 likewise, and the date is
           certain only if such a word is a length or more (2), or more than a length (3); 4 by itself, but not certainly; 5
           by itself;
        6. how specific it is: 0 not, 1 a count or an hour at most, 2 a length, 3 more;
        7. kinds of words, of which one must directly follow for a date to begin with it, as a sum: 1 is a number with more
           behind it, any other power of two is the caller's; 0 if nothing special must follow;
        8. the kinds that it is itself."""

    def signs(self, text: str, certain_only: bool) -> int:
        """Signs that the text may hold a date, as a sum: 1 a word, 2 a Latin word that counts only beside another, 4 a digit.
        Once there is a word, the others are not looked for. `certain_only`: words that are not Latin, too, count only beside one
        that completes them, and the sum is 0 if no date that is certain can begin anywhere."""

    def places(self, text: str) -> list[int]:
        """Where words that show a date begin, in code points, ascending."""

    def tokens(
        self, text: str, certain_only: bool, always: bool
    ) -> tuple[str, list[tuple[str, int, int, dict[str, Any] | None, bool]], list[int]]:
        """Returns (the folded text, its tokens, the indexes of tokens that a date may begin with). A token is (text, start,
        end, senses, whether no space is before it); they are in order, without overlap, and offsets count code points. Up to
        eight digits have the sense "num"; senses are None for a run of Han numerals. `certain_only`: only beginnings of dates
        that are certain. Unless `always`, a text without beginnings has no tokens."""

def essence(folded: str) -> int:
    """A hash of the digits and Han characters of folded text, in order, without particles: equal if two texts say the same."""

@final
class Wording:
    """The words of a folded text, to compare with those of another."""

    def __new__(cls, folded: str) -> Wording: ...
    def is_near(self, other: Wording) -> bool:
        """Whether the two share most words; if not, they do not say the same."""

@final
class Chinese:
    """Finds Chinese words by jieba's dictionary and the user's words (Simplified, folded). Of the dictionary only what texts
    have needed so far is loaded."""

    def __new__(cls, function_words: Sequence[str], user_words: Sequence[str]) -> Chinese: ...

@final
class Phrases:
    """Finds given (folded) phrases anywhere in a text; Latin ones only as whole words."""

    def __new__(cls, phrases: Sequence[str]) -> Phrases: ...
    def find(self, folded: str) -> list[tuple[int, int, int]]:
        """(index of the phrase, start, end), ordered by end."""

@final
class LexicalEmbedder:
    """Makes vectors without a model, from hashed character 2-4-grams and words. Not semantic.

    The same text gets the same vector on every machine; `version` changes when the vectors do.
    """

    def __new__(cls, dimensions: int = 1024) -> LexicalEmbedder: ...
    @property
    def version(self) -> int: ...
    @property
    def dimensions(self) -> int: ...
    def embed(self, folded: Sequence[str]) -> list[bytes]:
        """One L2-normalised vector (little-endian 32-bit floats) per text; zero for a text without letters and digits."""

@final
class StaticEmbedder:
    """A static model (model2vec format, or sentence-transformers' StaticEmbedding) in a folder. A text's vector is the mean
    of its tokens' vectors, bit for bit that of the model2vec package. Raises EngineError for a folder without a model."""

    def __new__(cls, folder: str | PathLike[str]) -> StaticEmbedder: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def max_tokens(self) -> int | None:
        """How many tokens of a text count; None: all."""
    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector (little-endian 32-bit floats) per text, the zero vector where no token is known."""

# --- what goes in -----------------------------------------------------------------------------------------------------

@final
class Document:
    """One searchable memory. `folded`: its folded text, the source of its grams and of the letters by which spellings compare.

    `words`: its terms in order, with repeats; `readings`: how they are read. `attributes`: (name, value) pairs; a name may
    repeat. `numbers`: (column, value) pairs. `edges`: (target key, type, weight, created_at), removed together with the
    document; an edge to a target that is not indexed yet waits for it. `vectors` (little-endian 32-bit floats): one for each
    passage, in order; the nearest of them counts. `turn`: (conversation, number, time); words of the turns before and after
    it count as if they were in it, at a smaller weight. `names` (see Node): how other texts mention it; `thread_names`: how
    they mention all documents of its thread. The engine links it to whatever its own text names, as of `stored_at`.
    """

    key: int

    def __new__(
        cls,
        *,
        key: int,
        folded: str,
        words: Sequence[str],
        readings: Sequence[str] = ...,
        attributes: Sequence[tuple[str, str]] = ...,
        numbers: Sequence[tuple[str, int]] = ...,
        edges: Sequence[tuple[int, str, float, int]] = ...,
        turn: tuple[str, int, int] | None = None,
        vectors: Sequence[bytes] = ...,
        names: Sequence[tuple[str, Sequence[Sequence[str]]]] = ...,
        thread_names: Sequence[tuple[str, Sequence[Sequence[str]]]] = ...,
        stored_at: int = 0,
    ) -> Document: ...

@final
class Node:
    """A node of the graph without a text: it has names that texts may mention.

    A name is (folded, words), its words once for each language that it may be read in. With words, a text mentions it only if it
    also has those of one language, or words that together make the name; this keeps a short name from being found inside other
    words. Without words, the characters are enough.
    """

    def __new__(
        cls, *, key: int, names: Sequence[tuple[str, Sequence[Sequence[str]]]], homes: Sequence[str] = ...
    ) -> Node:
        """`homes`: the scope it belongs to, if any, and each scope above that."""

@final
class Edge:
    """One directed, typed, weighted edge. Keys of edges are a key space of their own."""

    def __new__(
        cls, *, key: int, source: int, target: int, type: str, weight: float, created_at: int, home: str = ...
    ) -> Edge:
        """`home`: the scope that stated it; empty for none."""

# --- what a text asks for ---------------------------------------------------------------------------------------------

@final
class Word:
    """An index term and where it stands: code-point offsets [start, end) into a question's `folded` text. One of weight 0 is
    not searched for."""

    def __new__(cls, term: str, start: int, end: int, weight: float = 1.0) -> Word: ...
    @property
    def term(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def weight(self) -> float: ...

@final
class Question:
    """A query's text, analysed. `words` are in the order of their places. `plain` is a text as long as `folded`, from which
    hits take the spelling of their words (None: `folded`). Other terms may be found in place of some words: `alternatives`
    (other words), `readings` (of what is written in kana, looked up among the documents' readings), `synonyms` (each means
    all that stands at its place), and `also`, (folded text of the same meaning, weight). A match adds to a document's score
    and coverage; a miss takes nothing away.
    """

    def __new__(
        cls,
        folded: str,
        *,
        plain: str | None = None,
        words: Sequence[Word] = ...,
        alternatives: Sequence[Word] = ...,
        readings: Sequence[Word] = ...,
        synonyms: Sequence[Word] = ...,
        also: Sequence[tuple[str, float]] = ...,
    ) -> Question: ...
    def with_synonyms(self, synonyms: Sequence[Word], also: Sequence[tuple[str, float]]) -> Question:
        """The same question with `synonyms` and `also`."""

    @property
    def folded(self) -> str: ...
    @property
    def words(self) -> list[Word]: ...
    @property
    def alternatives(self) -> list[Word]: ...
    @property
    def readings(self) -> list[Word]: ...
    @property
    def synonyms(self) -> list[Word]: ...
    @property
    def also(self) -> list[tuple[str, float]]: ...

@final
class SmallTalk:
    """Terms that people use about anything. In a long question they weigh the less the longer it is, but at least .3 of other
    words; if there are no others, they weigh as much. Every term at the place of such a word counts as one."""

    def __new__(cls, terms: Sequence[str]) -> SmallTalk: ...

@final
class Asking:
    """Folded phrases that only ask for an answer: those that begin a sentence (`tell me`) or end it (教えて), and `relating` ones
    that may be anywhere (について). In a question their words weigh as little as function words, unless there are no others. The
    words of those `aside` weigh less than others (`notes about`)."""

    def __new__(
        cls, opening: Sequence[str], closing: Sequence[str], relating: Sequence[str], aside: Sequence[str]
    ) -> Asking: ...

# --- what is asked ----------------------------------------------------------------------------------------------------

@final
class Filter:
    """Describes a set of documents. Made by the static methods, and combined by `all`, `any` and `negate`."""

    @staticmethod
    def equals(attribute: str, value: str) -> Filter: ...
    @staticmethod
    def one_of(attribute: str, values: Sequence[str]) -> Filter: ...
    @staticmethod
    def has_attribute(attribute: str) -> Filter: ...
    @staticmethod
    def within(column: str, start: int | None, end: int | None) -> Filter:
        """Values in [start, end) of a number column; None leaves that end open. Documents without a value never match."""
    @staticmethod
    def has_number(column: str) -> Filter: ...
    @staticmethod
    def keys(keys: Sequence[int]) -> Filter: ...
    @staticmethod
    def all(filters: Sequence[Filter]) -> Filter: ...
    @staticmethod
    def any(filters: Sequence[Filter]) -> Filter: ...
    @staticmethod
    def negate(filter: Filter) -> Filter: ...

@final
class Visibility:
    """Limits a graph walk to what one scope (spelled as homes are) knows: nodes whose home is that scope or one under it, or
    that documents of `known_by` are about; edges whose home is that scope, one under it, or none."""

    def __new__(cls, scope: str, known_by: Filter) -> Visibility: ...

@final
class PageRank:
    """Personalised PageRank by forward push, from the nodes named in the query and the best `hit_seeds` hits."""

    def __new__(cls, *, damping: float, hit_seeds: int, epsilon: float = 3e-6, weight: float = 1.0) -> PageRank: ...

@final
class BreadthFirst:
    """Neighbours of the hits up to `depth` edges away, in either direction; `types` None = all, empty = none."""

    def __new__(cls, *, depth: int = 1, types: Sequence[str] | None = None, limit: int = 200) -> BreadthFirst: ...

@final
class Query:
    """One search. With neither words, folded text nor vector, it lists documents by `stored_at` (newest first).

    `question`: the analysed text (None: no text). `vector` (little-endian 32-bit floats): that of the query; searched alone
    (`word_weight` 0), the nearest are returned however far they are, with the score (1 + cosine) / 2. Without a vector,
    spellings are compared: by the cosine of sparse vectors of letter sequences, which in the query are weighted by their
    rarity and that of the words over them, or with `evenly` as in a document. `word_weight`, `vector_weight`: weights in the
    fusion; 0 leaves an arm out. `semantic`: vectors know meaning, so words count in proportion to the part of the query that
    the best hits by words cover. `candidates`: hits that each arm collects, at least `limit`.
    """

    @staticmethod
    def of(
        question: Question | None = None,
        *,
        vector: bytes | None = None,
        filter: Filter | None = None,
        limit: int = 10,
        candidates: int = 200,
        word_weight: float = 1.0,
        vector_weight: float = 0.3,
        evenly: bool = False,
        semantic: bool = False,
        page_rank: PageRank | None = None,
        breadth_first: BreadthFirst | None = None,
        visibility: Visibility | None = None,
        ascending: bool = False,
    ) -> Query: ...
    def reaching(self, limit: int) -> Query:
        """The same query for `limit` hits."""

# --- what comes out ---------------------------------------------------------------------------------------------------

_Memory = TypeVar("_Memory")
_Hit = TypeVar("_Hit", bound=tuple[Any, ...])
_Candidate: TypeAlias = tuple[int, _Memory, float, float, tuple[str, ...], tuple[str, ...]]

@final
class Measured:
    """What was measured of a hit; turned into Python objects when it is read. Compares by value; can be copied and pickled."""

    def __new__(
        cls, arms: Sequence[tuple[Literal["words", "vectors", "graph"], int, float]], evidence: _Evidence
    ) -> Measured: ...
    @property
    def arms(self) -> tuple[tuple[Literal["words", "vectors", "graph"], int, float], ...]:
        """The arms that found it, each with its rank (from 1) and score there."""
    @property
    def evidence(self) -> _Evidence:
        """Including that of the turns around it; see the model's Evidence."""

@final
class Hit:
    """A found document, explained."""

    key: int
    score: float  #: fused score
    measured: Measured
    cosine: float | None  #: cosine of the query vector and the document's, where both exist
    passage: int | None  #: which of its vectors (from 0) has that cosine
    terms: tuple[str, ...]  #: matched word terms and grams, rarest first, at most 16
    words: tuple[str, ...]  #: the same as they are written in the query, without those that are part of another
    path: list[tuple[int, str, bool]]  #: from a seed to here: (key reached, edge type, whether along its direction)

@final
class Shapes(Generic[_Hit]):
    """The named tuples of omoide.model.query that hits are returned as."""

    def __new__(cls, *, hit: type[_Hit], why: type[tuple[Any, ...]]) -> Shapes[_Hit]: ...

@final
class Neighbour:
    """A document or node met on a breadth-first walk. `path` runs from `origin` to `key`."""

    key: int
    origin: int
    depth: int
    path: list[tuple[int, str, bool]]
    cosine: float
    weight: float  #: of the last edge
    created_at: int  #: of the last edge

@final
class Hits:
    """The hits of one query, best first; ties by key, newest first."""

    @property
    def hits(self) -> list[Hit]:
        """A new list each time, as with the other properties."""
    @property
    def neighbours(self) -> list[Neighbour]: ...
    @property
    def allowed(self) -> int:
        """Documents that passed the filter."""
    @property
    def named(self) -> list[int]:
        """Keys of nodes named in the query."""
    @property
    def applied(self) -> int:
        """The change number as of which this was answered."""
    @property
    def keys(self) -> list[int]:
        """The keys of the hits."""
    @property
    def beside(self) -> list[int]:
        """Keys of whatever else an answer mentions, each once: on paths to hits, neighbours and their paths, named nodes."""
    def candidates(self, memories: list[_Memory | None], curve: Curve) -> list[_Candidate[_Memory]]:
        """For each hit, in order, that has an entry in `memories` (one for each hit): (its index, the memory, its relevance
        among the documents that passed the filter, its score, and two empty tuples)."""
    def explained(
        self, candidates: Sequence[_Candidate[Any]], shapes: Shapes[_Hit]
    ) -> tuple[list[_Hit], list[tuple[int, list[tuple[int, str, bool]], int | None]]]:
        """(hits of the candidates, in their order; those that have a path or a passage, as (index in the list, path, passage)).
        Candidates are as `candidates` returns them; the caller may have filled in score, dates and similar memories. The hits
        themselves lack path and passage; see Hit."""
    def first(
        self, limit: int, memories: list[Any], curve: Curve, shapes: Shapes[_Hit]
    ) -> tuple[list[_Hit], list[tuple[int, list[tuple[int, str, bool]], int | None]]]:
        """`explained` of the first `limit` of all `candidates`, which is all that most answers need."""

@final
class Stats:
    """Counts and resident bytes by part."""

    documents: int
    nodes: int
    edges: int
    mentions: int  #: edges from a document to what its text names, counted in `edges`
    waiting: int  #: documents to be read again for new names
    terms: int
    postings: int
    bytes: list[tuple[str, int]]

@final
class Saved:
    """What the current snapshot in a folder holds."""

    applied: int  #: the number of the last change
    vectors: int
    bytes: int

@final
class Engine:
    """The index and its search. Safe from any thread: writers wait for one another, searches go on meanwhile."""

    def __new__(cls, *, dimensions: int = 1024, lexical: bool = True, codes: bool = False) -> Engine:
        """An empty engine. `lexical`: documents and queries without a vector are compared by their spelling.

        `codes`: vectors are searched as one byte a value, and the best are measured again by their 16-bit floats, which a
        loaded engine reads from the disk when it needs them.
        """
    @staticmethod
    def load(path: str | PathLike[str], identity: str, *, lexical: bool = True, codes: bool = False) -> Engine:
        """Open the current snapshot in the folder, written with or without codes. Raises SnapshotError, and EngineError where a
        file of it cannot be read."""
    @property
    def converted(self) -> bool:
        """Whether the snapshot differed from `codes` and was converted when opened, so that it is worth saving again."""
    def save(self, path: str | PathLike[str], identity: str, *, most_missing: int | None = None) -> Saved:
        """Write a snapshot beside the present one, then switch to it; returns what the current one then holds. Safe against
        crashes. Waits while another process writes one there.

        `most_missing`: write nothing if the present one, whoever wrote it, is whole and has later changes, or is of the same history
        and lacks at most so many of the changes and vectors that are here.
        """
    @property
    def applied(self) -> int:
        """The number of the last change applied."""
    @property
    def vectors(self) -> int:
        """How many vectors there are."""
    @property
    def dead(self) -> int:
        """How many documents and nodes were removed or replaced since the index was opened or its ids were last renumbered,
        which happens when there are thousands of them."""
    @property
    def history(self) -> str:
        """The history of the store that the last change belongs to; "" before any."""

    def stands_at(self, applied: int, history: str) -> bool:
        """Whether that change of that history is the last one applied."""

    def texts_by_writing(self) -> tuple[int, int, int, int]:
        """How many texts with terms are in alphabets, with kana, in Han characters alone, in Hangul."""
    def apply(
        self,
        applied: int,
        *,
        documents: Sequence[Document] = ...,
        nodes: Sequence[Node] = ...,
        edges: Sequence[Edge] = ...,
        removed: Sequence[int] = ...,
        removed_edges: Sequence[int] = ...,
        history: str = ...,
    ) -> None:
        """Insert, replace (by key) and remove, after which the last change is `applied` of the store's `history`. Searches
        see all of it or nothing."""
    def put_vectors(self, vectors: Sequence[tuple[int, Sequence[bytes]]]) -> None:
        """Set the vectors of documents, one for each passage, by key, replacing those they have; unknown keys are ignored.

        Raises EngineError, and sets none, if one has another length.
        """
    def waiting(self, most: int) -> list[int]:
        """Keys of documents that may mention a name which was added, removed or given to another node since they were read; at
        most `most`, ascending."""
    def read_again(self, applied: int, texts: Sequence[tuple[int, str, int]]) -> None:
        """Link waiting documents, given as (key, folded text, stored_at), to what they name; they wait no longer. Does
        nothing if the last change is not `applied`: call `waiting` again."""
    def nodes_named(self, name: str) -> list[int]:
        """Keys of the nodes with a (folded) name."""

    def without_vectors(self) -> list[int]:
        """Keys of the documents that lack vectors, ascending; none if spellings are compared instead."""
    @property
    def dimensions(self) -> int:
        """The length of every vector."""
    def search(self, query: Query) -> Hits:
        """Answer a query, best first. Raises EngineError if its vector has another length."""
    def neighbours(
        self,
        start: int,
        *,
        depth: int,
        types: Sequence[str] | None = None,
        limit: int = 200,
        filter: Filter | None = None,
        visibility: Visibility | None = None,
    ) -> list[Neighbour]:
        """At most `limit` documents and nodes that are up to `depth` edges away from a key, in either direction. Order: the
        nearest first, then in the order of what they were reached from, then by when the edge was made, then by key. Only
        edges of `types` (None: all) are walked; documents that do not pass the filter are neither returned nor crossed."""
    def stats(self) -> Stats: ...

@final
class Searches:
    """Runs searches in threads of its own while the caller's thread does something else; not on Windows.

    Each search that is begun is returned once by `take`, under its number. Any thread may call any method.
    """

    def __new__(cls, threads: int) -> Searches:
        """`threads`: how many searches run at once."""

    def fileno(self) -> int:
        """A file that is readable as long as a search has ended that was not taken."""

    def begin(self, number: int, engine: Engine, query: Query) -> None:
        """Queue a search like that of Engine.search, which begins at the latest when `wake` is called."""

    def wake(self) -> None:
        """Have a thread begin with the queue; if all threads are busy, they go on with it when they are done."""

    def take(self) -> list[tuple[int, Hits | EngineError]]:
        """(number, hits) of searches that have ended; the error in place of hits if Engine.search would have raised it."""
