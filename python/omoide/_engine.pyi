"""The native module: text runs, the built-in embedder, the index and its search. Every method releases the interpreter
while it works; every handle is frozen and may be shared by threads.

Keys are caller-chosen unsigned 64-bit integers; inside, everything shares one dense 32-bit id space.
Times are integers (microseconds since the epoch, UTC).
"""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Generic, Literal, TypeAlias, TypeVar, final

__all__ = [
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
    "Searches",
    "Shapes",
    "Sight",
    "SmallTalk",
    "SnapshotError",
    "StaticEmbedder",
    "Stats",
    "Variants",
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
    "runs",
]

class EngineError(Exception):
    """A call that the engine refused (wrong dimension, unknown column) or could not finish."""

class SnapshotError(EngineError):
    """A snapshot that is missing, torn, of another version or of another identity: rebuild from the store."""

# --- text and embedding (pure functions) ------------------------------------------------------------------------------

#: What the relevance of a hit is made of: coverage, usual coverage, cosine, usual cosine, whether the walk has met it.
_Evidence: TypeAlias = tuple[float, tuple[float, float], float, tuple[float, float, int] | None, bool]

@final
class Curve:
    """From evidence to relevance."""

    def __new__(cls, constants: object) -> Curve:
        """`constants` has the attributes of omoide.memory.relevance.Curve."""

def relevance(ranked: Sequence[_Evidence], searched: int, curve: Curve) -> list[float]:
    """Relevance, 0..1 and never rising, of ranked hits, best first; `searched`: among how many memories they were found."""

def runs(text: str) -> list[tuple[int, int, str]]:
    """Script runs of `text` as (start, end, script), half-open in code points, in order, covering it completely.

    `script` is one of: han, kana, hangul, latin, thai, digit, other (letters of any other script), space
    (white space, punctuation, symbols). A prolonged sound mark belongs to the kana run before it; 々 and 〆 to Han.
    """

def grams(text: str) -> list[str]:
    """Character uni- and bigrams of every Han, kana and Hangul run of folded `text` (a run may mix these three)."""

def plain(text: str) -> str | None:
    """NFKC and case folding of a text whose characters are folded one by one, as most are; None for one with marks that join
    the letter before them, or forms that are taken apart."""

def has_cjk(text: str) -> bool:
    """Whether a Han character or kana is there."""

def has_han(text: str) -> bool:
    """Whether a Han character is there."""

def has_kana(text: str) -> bool:
    """Whether a kana letter is there: not the middle dot and the long vowel mark, which also stand in Chinese names."""

@final
class Languages:
    """Tells Japanese and Chinese apart, which share their characters; `japanese` are the Han characters of Japanese standards."""

    def __new__(cls, japanese: str) -> Languages: ...
    def of(self, line: str, near: str | None) -> Literal["ja", "zh"] | None:
        """Of a line; None without Han and kana. `near`: the language tag the caller gave or the text around suggests."""

@final
class Vocabulary:
    """The terms of the words between spaces that have been met. `function_words` say too little to ask for; the `particles`
    among them end a verb that is also written as one word."""

    def __new__(cls, function_words: Sequence[str], particles: Sequence[str]) -> Vocabulary: ...

@final
class JapaneseWords:
    """The Japanese words that have been met, by the number an analyser has for each and as they were written."""

    def __new__(cls) -> JapaneseWords: ...
    def line(self, text: str, words: Sequence[tuple[int, int]]) -> JapaneseLine:
        """A line that an analyser has cut into words: (number, where it begins), in order, up to the next and the end."""

    def learned(
        self,
        line: JapaneseLine,
        units: Sequence[tuple[Sequence[tuple[str, int, int, bool]], Sequence[tuple[str, int, int, bool]]]],
    ) -> JapaneseLine:
        """The same with its unknown words told, in their order: each by its tokens (term, start, end, function word) and
        readings, with those of its parts, by their places inside it."""

@final
class JapaneseLine:
    """A line of Japanese and its words."""

    @property
    def unknown(self) -> list[int]:
        """Which of them have not been met, or are forgotten."""

@final
class Cutter:
    """What cuts texts into terms. `own`: the user's words, and the same folded, in their order."""

    def __new__(
        cls,
        variants: Variants,
        languages: Languages,
        vocabulary: Vocabulary,
        chinese: Chinese,
        small_talk: SmallTalk,
        own: tuple[Phrases, Sequence[str]] | None = None,
    ) -> Cutter: ...
    def document(self, written: str, near: str | None = None, spelled: str | None = None) -> Cut | None:
        """A text to be found, as it was written: capitals part a name (`cancelOrder`). `near` is the language that is known of
        it; `spelled` the text NFKC and case-folded. None where that needs tables and is not given."""

    def question(self, written: str, near: str | None = None, spelled: str | None = None) -> Question | Cut | None:
        """The same of a text to look for: neighbours may be one word, and text of Han characters alone is Japanese and
        Chinese where nothing tells. Where nothing has to be told of it, it is what is asked for already."""

    def asked(
        self, cut: Cut, told: Sequence[tuple[str, bool]], japanese: Sequence[tuple[int, JapaneseLine]]
    ) -> Question:
        """What is asked for, once it is told. The same term at the same place counts once. Function words weigh nothing, unless
        there are no others, and small talk the less the longer the text is."""

    def learn(self, cut: Cut, told: Sequence[tuple[str, bool]]) -> None:
        """Remember (term, function word) of the text's unknown words, in their order."""

@final
class Cut:
    """A text with the words that the engine finds by itself. `told` are (term, function word) of the unknown ones, `japanese` its
    lines of Japanese as (where it begins, line), in order; a long one may be in pieces."""

    @property
    def folded(self) -> str: ...
    @property
    def unknown(self) -> list[str]:
        """Words between spaces whose terms have to be told."""
    @property
    def japanese(self) -> list[tuple[int, str]]:
        """(where it begins, text) of the lines that an analyser of Japanese has to cut, in code points."""

    def terms(
        self, told: Sequence[tuple[str, bool]], japanese: Sequence[tuple[int, JapaneseLine]]
    ) -> tuple[list[str], list[str]]:
        """What a document is found by: (terms with repeats, but function words last and each once; readings)."""

    def places(
        self,
        told: Sequence[tuple[str, bool]],
        japanese: Sequence[tuple[int, JapaneseLine]],
        wanted: Sequence[str],
    ) -> list[tuple[int, int]]:
        """[start, end) of the words that have one of these terms, in code points of the folded text."""

@final
class Variants:
    """One form for the variants of each character: `characters` fold to those at the same place of `folded`."""

    def __new__(cls, characters: str, folded: str) -> Variants: ...
    def fold(self, text: str) -> str:
        """The text with every variant folded; its length in code points stays."""

    def essences(self, texts: Sequence[str]) -> list[int | None]:
        """The essence of each text as it was written (see `essence`). None for a text that needs tables."""

    def glimpse(self, text: str, terms: Sequence[str], width: int) -> tuple[int, int] | None:
        """[start, end) of what to show of a text in at most `width` code points: the sentence with most of the folded
        terms, cut around the first. None for a text that needs tables."""

    def snippets(self, texts: Sequence[str], terms: Sequence[Sequence[str]], width: int) -> list[str | None]:
        """The same of several texts with their terms, each in one line: white space collapsed, with dots where the sentence
        goes on."""

@final
class DateWords:
    """The words that dates are written with. Any text is accepted; half of a character is read as some other one."""

    def __new__(
        cls,
        characters: str,
        folded: str,
        words: Sequence[tuple[str, dict[str, Any], int, bool, int, int]],
        numerals: str,
        inside: Sequence[tuple[str, int]],
    ) -> DateWords:
        """`characters` fold to those at the same place of `folded`. A word is (as it is spelled folded, senses, what it
        tells of a date: 0 nothing, 1 something beside what makes a date of both, 2 something alone, whether its first
        character does that behind another word, whether a date begins with it: 0 never, 1 with others that belong to dates
        behind it, 2 and 3 the same, and surely only with one that says a length or more, or more than one, 4 even without
        them, but then not surely, 5 even without them, how much it says: 0 nothing, 1 a count or an hour at most, 2 a
        length, 3 more); `numerals` are the characters of Han numbers, `inside` what means nothing, and yet stands inside
        dates, and how much it says there."""

    def signs(self, text: str, surely: bool) -> int:
        """What a text shows of dates, added: 1 a word, 2 a Latin word that tells only beside something, 4 a digit. The
        others are not looked for once there is a word. `surely`: words that are not Latin, too, count only beside what
        makes a date of both, and nothing does where none can begin that is sure to be one."""

    def places(self, text: str) -> list[int]:
        """Where words that tell something begin, in code points, ascending."""

    def tokens(
        self, text: str, surely: bool, always: bool
    ) -> tuple[str, list[tuple[str, int, int, dict[str, Any] | None, bool]], list[int]]:
        """The folded text and its tokens as (text, start, end, senses, whether no space is before it), in order and without
        overlap; offsets count code points. Digits have the sense "num" unless they are more than eight; senses are None
        for a run of Han numerals. Last, which of the tokens a date may begin with; `surely`: one that is sure to be a date.
        Unless `always`, there are tokens only where there is one of these."""

def essence(folded: str) -> int:
    """A hash of the digits and Han characters of folded text in their order, particles aside: equal in texts that say the
    same."""

@final
class Wording:
    """The words of a folded text, most of which another has that says the same."""

    def __new__(cls, folded: str) -> Wording: ...
    def is_near(self, other: Wording) -> bool:
        """Whether both share most words; if not, they do not say the same."""

@final
class Chinese:
    """Chinese words by jieba's dictionary and the user's own (Simplified, folded). Read as far as the texts so far need it."""

    def __new__(cls, function_words: Sequence[str], user_words: Sequence[str]) -> Chinese: ...

@final
class Phrases:
    """Given phrases (folded), found wherever they stand; Latin ones only as whole words."""

    def __new__(cls, phrases: Sequence[str]) -> Phrases: ...
    def find(self, folded: str) -> list[tuple[int, int, int]]:
        """(index of the phrase, start, end) in the order of their ends."""

@final
class LexicalEmbedder:
    """Hashed character 2-4-grams and words: a vector for text without a model. Not semantic.

    Same text, same vector, on every machine; `version` changes when the vectors do.
    """

    def __new__(cls, dimensions: int = 1024) -> LexicalEmbedder: ...
    @property
    def version(self) -> int: ...
    @property
    def dimensions(self) -> int: ...
    def embed(self, folded: Sequence[str]) -> list[bytes]:
        """One L2-normalised vector (little-endian 32-bit floats) per text (the zero vector where a text has no letter or digit)."""

@final
class StaticEmbedder:
    """A static model (model2vec format, or sentence-transformers' StaticEmbedding) in a folder: the mean of its tokens'
    vectors, the same to the bit as the model2vec package gives. Raises EngineError for a folder that holds none."""

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
    """One searchable memory. `folded` is its folded text: grams, and what spellings are compared by, are cut from it.

    `words` are its analysed terms in order, repeats included; `readings` how they are read. `attributes` are (name, value) pairs, a name may repeat.
    `numbers` are (column, value). `edges` are (target key, type, weight, created_at) that live and die with it; a
    target that is not there yet is remembered until it comes. `vectors` (little-endian 32-bit floats) are those of its
    passages in order: it is as near to a query as the nearest of them. `turn` is (conversation, number, time): words of
    the turns before and after it there count as if they stood in it, at a smaller weight. Other texts may mention it by
    its `names` (see Node), or all of a thread by the `thread_names` of those in it; what its own text names it is tied to, as of `stored_at`.
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
        names: Sequence[tuple[str, Sequence[str]]] = ...,
        thread_names: Sequence[tuple[str, Sequence[str]]] = ...,
        stored_at: int = 0,
    ) -> Document: ...

@final
class Node:
    """A named thing without text of its own: a place in the graph, and names that texts may mention.

    A name is (folded, words): where the name alone would also be found inside other words, a text mentions it that has its
    words, or words it is put together of; without words its characters are enough.
    """

    def __new__(cls, *, key: int, names: Sequence[tuple[str, Sequence[str]]], homes: Sequence[str] = ...) -> Node:
        """`homes`: the scope it is at home in, if it is, and each that this lies under."""

@final
class Edge:
    """One directed, typed, weighted edge with a key of its own (a key space apart from documents and nodes)."""

    def __new__(
        cls, *, key: int, source: int, target: int, type: str, weight: float, created_at: int, home: str = ...
    ) -> Edge:
        """`home`: the scope that says it; empty for none."""

# --- what a text asks for ---------------------------------------------------------------------------------------------

@final
class Word:
    """An index term and where it stands: code-point offsets [start, end) into a question's `folded` text. One of weight 0
    says too little to ask for."""

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
    """A text to look for. `plain` is the text as long as `folded` that hits tell their words in (None: `folded`). `words` stand
    in the order of their places. What may stand for some of them: `alternatives` (other words), `readings` (of what is
    written in kana, looked up among the documents' readings), `synonyms` (words that mean all that stands at their place),
    and `also`, folded texts of the same meaning with what they count. All of these add to a document's score and coverage; where
    none is found nothing is taken away.
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
        """The same with other words, and other texts of the same meaning."""

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
    """Terms that people say about anything. In a long question they count the less the longer it is, and at least .3 of others; as
    much as those where there are no others. All that stands where such a word does is one."""

    def __new__(cls, terms: Sequence[str]) -> SmallTalk: ...

# --- what is asked ----------------------------------------------------------------------------------------------------

@final
class Filter:
    """A set of documents, described. Built from static constructors and combined."""

    @staticmethod
    def equals(attribute: str, value: str) -> Filter: ...
    @staticmethod
    def one_of(attribute: str, values: Sequence[str]) -> Filter: ...
    @staticmethod
    def has_attribute(attribute: str) -> Filter: ...
    @staticmethod
    def within(column: str, start: int | None, end: int | None) -> Filter:
        """Half-open [start, end) on a number column; None is open. Documents without a value never match."""
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
class Sight:
    """Who walks: somebody who sees one scope (as homes are written) of the graph. Nodes that are at home there or under it, and
    those that documents of `known_by` are about; edges that the scope says, one under it, or none."""

    def __new__(cls, scope: str, known_by: Filter) -> Sight: ...

@final
class PageRank:
    """Personalised PageRank by forward push: seeds are the nodes named in the query and the best `hit_seeds` hits."""

    def __new__(
        cls, *, damping: float = 0.7, hit_seeds: int = 2, epsilon: float = 3e-6, weight: float = 1.0
    ) -> PageRank: ...

@final
class BreadthFirst:
    """Neighbours of the hits up to `depth` edges away, either direction; `types` None = all, empty = none."""

    def __new__(cls, *, depth: int = 1, types: Sequence[str] | None = None, limit: int = 200) -> BreadthFirst: ...

@final
class Query:
    """One search. With neither words, folded text nor vector, documents are listed by `order_by` (newest first).

    `question` is what its text asks for (None: nothing). `vector` (little-endian 32-bit floats) is the query's own (asked alone, with `word_weight` 0, the nearest are told however far, scored (1 + cosine) / 2);
    with None spellings are compared: the cosine of the folded text and each document as sparse vectors of their letters in a row,
    the query's weighted by their rarity and that of the words over them, or with `evenly` as a document's are.
    `word_weight`, `vector_weight`: weights in the fusion, 0 leaves an arm out. `semantic`: the vectors know meaning, so
    that words count as much as the part of the query which the best of them cover. `gram_share`: what the character
    grams' BM25 counts beside the words' inside the word arm; grams within words of weight 0 (function words) alone
    count `function_share` of that. `candidates`: depth of each arm, `limit` at least. `order_by` is "stored_at" by default.
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
        gram_share: float = 1.0,
        function_share: float = 0.3,
        page_rank: PageRank | None = None,
        breadth_first: BreadthFirst | None = None,
        sight: Sight | None = None,
        order_by: str = ...,
        ascending: bool = False,
    ) -> Query: ...
    def reaching(self, limit: int) -> Query:
        """The same for so many hits."""

# --- what comes out ---------------------------------------------------------------------------------------------------

_Memory = TypeVar("_Memory")
_Hit = TypeVar("_Hit", bound=tuple[Any, ...])
_Candidate: TypeAlias = tuple[int, _Memory, float, float, tuple[str, ...], tuple[str, ...]]

@final
class Measured:
    """What was measured of a hit; made anything of when it is asked for. Equal where all of it is; can be copied and pickled."""

    def __new__(
        cls, arms: Sequence[tuple[Literal["words", "vectors", "graph"], int, float]], evidence: _Evidence
    ) -> Measured: ...
    @property
    def arms(self) -> tuple[tuple[Literal["words", "vectors", "graph"], int, float], ...]:
        """Those that ranked it, with its rank, from 1, and score."""
    @property
    def evidence(self) -> _Evidence:
        """With the turns around it; see the model's Evidence."""

@final
class Hit:
    """A found document, explained."""

    key: int
    score: float  #: fused score
    measured: Measured
    cosine: float | None  #: cosine of the query vector and the document's, where both exist
    passage: int | None  #: which of its vectors, from 0, that is
    terms: tuple[str, ...]  #: matched word terms and grams, rarest first, at most 16
    words: tuple[str, ...]  #: the same as they were written, without those that are part of another
    path: list[tuple[int, str, bool]]  #: from a seed to here: (key reached, edge type, along the edge's direction)

@final
class Shapes(Generic[_Hit]):
    """The named tuples of omoide.model.query that hits are told in."""

    def __new__(cls, *, hit: type[_Hit], why: type[tuple[Any, ...]]) -> Shapes[_Hit]: ...

@final
class Neighbour:
    """Something met on a breadth-first walk. `path` runs from `origin` to `key`."""

    key: int
    origin: int
    depth: int
    path: list[tuple[int, str, bool]]
    cosine: float
    weight: float  #: of the last edge
    created_at: int  #: of the last edge

@final
class Hits:
    """The answer to one query, best first; ties by key, newest first."""

    @property
    def hits(self) -> list[Hit]:
        """Made whenever they are asked for, as the other lists here are."""
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
        """The change number this answer is as of."""
    @property
    def keys(self) -> list[int]:
        """Of the hits."""
    @property
    def beside(self) -> list[int]:
        """Keys of what else is told of, each once: what hits were reached by, neighbours with their paths, what is named."""
    def candidates(self, memories: list[_Memory | None], curve: Curve) -> list[_Candidate[_Memory]]:
        """Of each hit, in their order, to which `memories` gives one: its place, the memory, relevance (as the function of that
        name, among the documents that passed the filter), score, and two empty tuples."""
    def explained(
        self, candidates: Sequence[_Candidate[Any]], shapes: Shapes[_Hit]
    ) -> tuple[list[_Hit], list[tuple[int, list[tuple[int, str, bool]], int | None]]]:
        """The hits of candidates (as `candidates` tells them; a score, dates and others alike may be put in), in their order,
        without path and passage. Of those that have one, beside them: the place in the list, the path, which passage; see Hit."""
    def first(
        self, limit: int, memories: list[Any], curve: Curve, shapes: Shapes[_Hit]
    ) -> tuple[list[_Hit], list[tuple[int, list[tuple[int, str, bool]], int | None]]]:
        """The same of the first `limit` of all `candidates`: what most answers are made of."""

@final
class Stats:
    """Counts and resident bytes by part."""

    documents: int
    nodes: int
    edges: int
    mentions: int  #: edges from a document to what its text names, counted in `edges`
    waiting: int  #: documents to be read again
    terms: int
    postings: int
    vectors_in_graph: int
    bytes: list[tuple[str, int]]

@final
class Engine:
    """The index and its search, for any number of threads: writes queue up, searches go on meanwhile."""

    def __new__(cls, *, dimensions: int = 1024, lexical: bool = True, codes: bool = False) -> Engine:
        """An empty engine. `lexical`: documents and queries without a vector are compared by their spelling.

        `codes`: vectors are searched by a byte a value, and measured again by their 16-bit floats, which a loaded engine
        leaves on the disk until then.
        """
    @staticmethod
    def load(path: str | PathLike[str], identity: str, *, lexical: bool = True, codes: bool = False) -> Engine:
        """Open the current snapshot in the folder, written with or without codes. Raises SnapshotError (see there)."""
    @property
    def converted(self) -> bool:
        """Whether codes were made, or let go of, when the snapshot was opened: the next one should be as this engine is."""
    def save(self, path: str | PathLike[str], identity: str) -> int:
        """Write a snapshot beside the present one and switch to it; returns its bytes. Safe against a crash anywhere."""
    @property
    def applied(self) -> int:
        """The number of the last change applied."""
    @property
    def dead(self) -> int:
        """Documents and nodes that were removed or replaced since the index was opened, or since their ids were last given
        anew, which happens when there are thousands of them."""
    @property
    def history(self) -> str:
        """The history of the store that change belongs to; "" before any."""

    def stands_at(self, applied: int, history: str) -> bool:
        """Whether it is at that change of that history."""
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
        """Put (insert or replace by key) and remove, then stand at change number `applied` of the store's `history`. All
        or nothing for readers."""
    def put_vectors(self, vectors: Sequence[tuple[int, Sequence[bytes]]]) -> None:
        """Give documents by key the vectors of their passages, in place of those they have; unknown keys are no matter.

        Raises EngineError, and gives none, where one is of another length.
        """
    def waiting(self, most: int) -> list[int]:
        """Keys of documents that may mention a name which came, went or got another bearer since they were read; at most
        `most`, ascending."""
    def read_again(self, applied: int, said: Sequence[tuple[int, str, int]]) -> None:
        """Tie waiting documents, (key, folded text, stored_at), to what they name; they wait no longer. Nothing where the
        engine stands at another change than `applied`: ask anew."""
    def called(self, name: str) -> list[int]:
        """Keys of the nodes of a folded name."""

    def without_vectors(self) -> list[int]:
        """Keys of the documents that wait for a vector, ascending; none where spellings are compared instead."""
    @property
    def dimensions(self) -> int:
        """The length of every vector."""
    def search(self, query: Query) -> Hits:
        """Answer a query, best first. Raises EngineError where its vector is of another length."""
    def neighbours(
        self,
        start: int,
        *,
        depth: int,
        types: Sequence[str] | None = None,
        limit: int = 200,
        filter: Filter | None = None,
        sight: Sight | None = None,
    ) -> list[Neighbour]:
        """What is at most `depth` edges away from a key, against their direction too, at most `limit`: the nearest first, of
        equals in the order of what they were met from, then of when the edge was made, then of keys. Edges of other types than
        `types` (None: all) are not walked; documents that do not pass the filter are neither returned nor walked through."""
    def stats(self) -> Stats: ...

@final
class Searches:
    """Searches that go on while the thread that asked for them does something else; not on Windows.

    Each that is begun is taken once, by its number. Some thread's handles are as good as another's.
    """

    def __new__(cls, threads: int) -> Searches:
        """`threads` search at once."""

    def fileno(self) -> int:
        """Can be read as long as a search has ended and was not taken."""

    def begin(self, number: int, engine: Engine, query: Query) -> None:
        """Search as Engine.search does, by when `wake` is called; what is found is taken under this number."""

    def wake(self) -> None:
        """Have a thread begin with what there is, unless all are at work: who is, goes on with it."""

    def take(self) -> list[tuple[int, Hits | EngineError]]:
        """What has ended by now; an error instead of hits where Engine.search would have raised it."""
