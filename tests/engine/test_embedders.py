"""Embedders that take their time, go away and come back: words are found at once, vectors follow, nothing is lost."""

from __future__ import annotations

import select
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from omoide.app import INDEX_FOLDER, STORE_FILE, utc_now
from omoide.embed import Embedder, EmbedderUnavailable, Kind, TextRefused, Vector
from omoide.embed.protocol import packed
from omoide.embed.truncated import Truncated
from omoide.embed.within import EmbedWithin
from omoide.engine import Index, filling
from omoide.engine.background import BackgroundWork
from omoide.engine.embedders import Embedders
from omoide.engine.index import PATIENCE_SECONDS
from omoide.engine.interleaving import ThreadedInterleaver
from omoide.engine.passages import parts, span_of
from omoide.errors import InvalidArgument
from omoide.families import recallnest
from omoide.families.tool import Caller
from omoide.memory import Memories
from omoide.memory.verify import verify
from omoide.model.memory import Draft
from omoide.model.query import Recalled
from omoide.store.sqlite import SqliteStore
from omoide.text import Analyzer

#: What means the same, by the axis it lies on.
MEANINGS = (("抹茶", "matcha", "green tea", "緑茶", "绿茶"), ("会議", "meeting", "会议", "打ち合わせ", "conference"))
TEXTS = ["昨日、抹茶を飲んだ。", "今天的会议很长。", "We had a conference on Monday."]


class Meaning:
    """An embedder that knows MEANINGS. `gate` closed: it waits there; `down`: it cannot be asked."""

    name = "meaning"
    semantic = True
    weight = 1.0
    instant = False

    def __init__(self, dimensions: int | None = 3, *, version: str = "1", max_tokens: int | None = 40) -> None:
        self._known = dimensions or 3
        self.dimensions = dimensions
        self.version = version
        self.max_tokens = max_tokens
        self.down = False
        self.passages: list[str] = []
        self.gate = threading.Event()
        self.gate.set()

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        if kind == "passage":
            assert self.gate.wait(60)
        if self.down:
            raise EmbedderUnavailable("It is down.", retry_after=0.001)
        if any("毒" in text for text in texts):
            raise TextRefused("It does not like this.")
        self.dimensions = self._known
        self.passages += texts if kind == "passage" else []
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        axes = [float(any(word in text for word in words)) for words in MEANINGS]
        return packed([*axes, 0.1, *([0.0] * (self._known - 3))])

    def close(self) -> None:
        pass


def opened(data: Path, embedder: Embedder, earlier: Embedder | None = None) -> tuple[Memories, Index]:
    store = SqliteStore(data / STORE_FILE, clock=utc_now)
    kept = None if earlier is None else lambda _: earlier
    index = Index(store, Analyzer(), folder=data / INDEX_FOLDER, embedder=embedder, embedder_by_identity=kept)
    return Memories(store, index, clock=utc_now, zone=utc_now().tzinfo), index  # type: ignore[arg-type]


def texts(found: Recalled) -> list[str]:
    return [hit.memory.text for hit in found.hits]


@pytest.mark.parametrize(("question", "expected"), [("green tea", 0), ("打ち合わせ", 1), ("绿茶", 0)])
def test_what_means_the_same_is_found(tmp_path: Path, question: str, expected: int) -> None:
    memories, _ = opened(tmp_path, Meaning())
    memories.remember_many([Draft(text=text) for text in TEXTS[:2]])
    found = memories.recall(question)
    assert texts(found)[0] == TEXTS[expected]
    assert found.missing == ()
    memories.close()


def test_while_it_is_down_words_answer_and_the_answer_says_so(tmp_path: Path) -> None:
    embedder = Meaning()
    embedder.down = True
    memories, index = opened(tmp_path, embedder)
    memories.remember_many([Draft(text=text) for text in TEXTS])
    found = memories.recall("抹茶", arms=frozenset({"vectors"}))
    assert texts(found)[0] == TEXTS[0]
    assert [(each.arm, each.reason) for each in found.missing] == [("vectors", "It is down.")]
    told = memories.stats()["embedder"]
    assert (told["waiting"], told["missing"]) == (3, "It is down.")
    embedder.down = False
    assert index.wait_for_vectors(60)
    found = memories.recall("green tea")
    assert (texts(found)[0], found.missing) == (TEXTS[0], ())
    assert memories.stats()["embedder"]["waiting"] == 0
    memories.close()


def test_searches_wait_once_for_an_embedder_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, waited = [0.0], []

    def wait(background: BackgroundWork, timeout: float | None = None) -> bool:
        waited.append(timeout)
        return really(background, 0.0 if timeout is not None and not embedder.gate.is_set() else timeout)

    really = BackgroundWork.wait
    monkeypatch.setattr(BackgroundWork, "wait", wait)
    monkeypatch.setattr(filling, "monotonic", lambda: now[0])
    embedder = Meaning()
    embedder.gate.clear()
    memories, index = opened(tmp_path, embedder)
    memories.remember_many([Draft(text=text) for text in TEXTS])
    for seconds in (0.0, 0.2, 0.4, 10.0):
        now[0] += seconds
        assert texts(memories.recall("抹茶"))[0] == TEXTS[0]
    assert waited == [PATIENCE_SECONDS, pytest.approx(PATIENCE_SECONDS - 0.2)]
    embedder.gate.set()
    assert index.wait_for_vectors(60)
    memories.close()


def test_what_waits_is_found_again_after_a_restart(tmp_path: Path) -> None:
    embedder = Meaning()
    memories, index = opened(tmp_path, embedder)
    memories.remember(TEXTS[0])
    memories.recall("抹茶")
    assert index.wait_for_vectors(60)
    embedder.down = True
    memories.remember(TEXTS[1])
    memories.recall("会议")
    memories.close()
    again = Meaning()
    memories, index = opened(tmp_path, again)
    memories.recall("茶")
    assert index.wait_for_vectors(60)
    assert again.passages == [TEXTS[1]]
    assert texts(memories.recall("打ち合わせ"))[0] == TEXTS[1]
    memories.close()


def test_a_memory_rewritten_while_it_is_embedded_gets_the_vector_of_its_new_text(tmp_path: Path) -> None:
    embedder = Meaning()
    memories, index = opened(tmp_path, embedder)
    embedder.gate.clear()
    memories.remember(Draft(id="m", text=TEXTS[0]))
    memories.recall("抹茶")
    memories.remember(Draft(id="m", text=TEXTS[1]))
    memories.recall("会议")
    embedder.gate.set()
    assert index.wait_for_vectors(60)
    memories.recall("会议")
    assert index.wait_for_vectors(60)
    (hit,) = memories.recall("conference").hits
    assert hit.why.arms[0].score > 0.9
    memories.close()


def test_a_text_that_is_refused_keeps_no_other_from_its_vector(tmp_path: Path) -> None:
    memories, index = opened(tmp_path, Meaning())
    memories.remember_many([Draft(text=text) for text in ("毒薬の話", *TEXTS)])
    memories.recall("抹茶")
    assert index.wait_for_vectors(60)
    assert texts(memories.recall("green tea"))[0] == TEXTS[0]
    assert texts(memories.recall("毒薬"))[0] == "毒薬の話"
    assert memories.stats()["embedder"]["waiting"] == 0
    memories.close()


def test_an_endpoint_never_met_is_stood_in_for_and_taken_up_when_it_answers(tmp_path: Path) -> None:
    embedder = Meaning(None)
    embedder.down = True
    memories, index = opened(tmp_path, embedder)
    memories.remember_many([Draft(text=text) for text in TEXTS])
    found = memories.recall("抹茶")
    assert texts(found)[0] == TEXTS[0]
    assert found.missing[0].reason == "It is down."
    assert memories.stats()["embedder"]["name"].startswith("lexical")
    embedder.down = False
    while memories.stats()["embedder"]["name"].startswith("lexical"):
        index.wait_for_reindex(60)
    assert index.wait_for_vectors(60)
    assert texts(memories.recall("green tea"))[0] == TEXTS[0]
    memories.close()


@pytest.mark.parametrize("dimensions", [3, 5])
def test_another_model_is_built_beside_the_old_one_which_answers_with_its_own_vectors(
    tmp_path: Path, dimensions: int
) -> None:
    old, new = Meaning(), Meaning(dimensions, version="2")
    memories, index = opened(tmp_path, old)
    memories.remember_many([Draft(text=f"{text} {at}") for at, text in enumerate(TEXTS * 100)])
    memories.recall("抹茶")
    assert index.wait_for_vectors(60)
    memories.close()
    old, new = Meaning(), Meaning(dimensions, version="2")
    new.gate.clear()
    memories, index = opened(tmp_path, new, old)
    assert TEXTS[0] in texts(memories.recall("green tea"))[0]
    told = memories.stats()
    assert told["embedder"]["name"] == "meaning @ 1"
    assert told["index"]["reindexing"]["embedder"] == "meaning @ 2"
    new.gate.set()
    assert index.wait_for_reindex(60)
    assert memories.stats()["embedder"]["name"] == "meaning @ 2"
    assert len(new.passages) == 300
    assert TEXTS[0] in texts(memories.recall("green tea"))[0]
    memories.close()


def test_an_embedder_that_says_its_vectors_are_others_now_is_asked_for_all_of_them(tmp_path: Path) -> None:
    embedder = Meaning(3)
    memories, index = opened(tmp_path, embedder)
    with memories:
        for text in TEXTS:
            memories.remember(text)
        memories.recall("緑茶")
        assert embedder.passages == TEXTS
        embedder.version = "2"
        memories.recall("緑茶")
        assert index.wait_for_reindex(60)
        assert texts(memories.recall("緑茶"))[:1] == TEXTS[:1]
        assert embedder.passages == TEXTS * 2
        assert index.state().embedder == "meaning @ 2"


def test_a_new_build_waits_for_an_embedder_that_goes_away_and_goes_on(tmp_path: Path) -> None:
    memories, _ = opened(tmp_path, Meaning())
    memories.remember_many([Draft(text=f"{text} {at}") for at, text in enumerate(TEXTS * 100)])
    memories.recall("抹茶")
    memories.close()
    new = Meaning(version="2")
    new.down = True
    memories, index = opened(tmp_path, new)
    found = memories.recall("抹茶")
    assert "抹茶" in texts(found)[0]
    assert "The index was built with meaning @ 1" in found.missing[0].reason
    while memories.stats()["index"]["reindexing"]["error"] is None:
        pass
    assert memories.stats()["index"]["reindexing"]["error"] == "It is down."
    new.down = False
    assert index.wait_for_reindex(60)
    assert len(new.passages) == 300
    memories.close()


LONG = {
    "ja": ("話は続く。" * 30 + "抹茶は京都で飲む。" + "話は続く。" * 30, "green tea", "抹茶は京都で飲む。"),
    "zh": ("事情很多。" * 30 + "绿茶很好喝。" + "事情很多。" * 30, "matcha", "绿茶很好喝。"),
    "en": ("It goes on and on. " * 30 + "The conference was dull. " + "It goes on and on. " * 30, "会議", "conference"),
    "ko": ("이야기는 계속된다. " * 30 + "교토에서 抹茶를 마셨다. " + "이야기는 계속된다. " * 30, "green tea", "抹茶"),
    "ar": ("القصة مستمرة. " * 30 + "هل شربت 抹茶 اليوم؟ " + "القصة مستمرة. " * 30, "green tea", "抹茶"),
    "hi": ("कहानी चलती रहती है। " * 30 + "उसने 抹茶 पी। " + "कहानी चलती रहती है। " * 30, "green tea", "抹茶"),
    "my": ("ဇာတ်လမ်း ဆက်နေတယ်။ " * 30 + "抹茶 သောက်တယ်။ " + "ဇာတ်လမ်း ဆက်နေတယ်။ " * 30, "green tea", "抹茶"),
}


@pytest.mark.parametrize("language", LONG)
def test_a_long_text_is_as_near_as_its_nearest_passage_and_the_hit_says_which(tmp_path: Path, language: str) -> None:
    text, question, inside = LONG[language]
    memories, index = opened(tmp_path, Meaning())
    memories.remember(text, title="題")
    memories.remember("Nothing of the kind.")
    memories.recall("x")
    assert index.wait_for_vectors(60)
    hit = memories.recall(question).hits[0]
    assert hit.memory.text == text
    assert hit.why.passage is not None
    start, end = hit.why.passage
    assert inside in text[start:end]
    assert end - start < len(text) / 3
    memories.close()


@pytest.mark.parametrize("language", LONG)
def test_a_long_text_is_cut_once_for_many_searches(tmp_path: Path, language: str) -> None:
    text, question, _ = LONG[language]
    memories, index = opened(tmp_path, Meaning())
    memories.remember(text)
    memories.recall("x")
    assert index.wait_for_vectors(60)
    memory = memories.recall(question).hits[0].memory
    cut = memory.passages
    again = memories.recall(question).hits[0]
    assert again.memory.passages is cut
    spans = {most: [part.span for part in parts(memory, most)] for most in (40, 80)}
    assert again.why.passage in spans[40]
    for most in spans:  # of another embedder
        assert [span_of(memory, at, most) for at in range(len(spans[most]))] == spans[most]
    memories.close()


def test_a_short_text_has_no_passages(tmp_path: Path) -> None:
    memories, index = opened(tmp_path, Meaning())
    memories.remember(TEXTS[0])
    memories.recall("x")
    assert index.wait_for_vectors(60)
    assert memories.recall("green tea").hits[0].why.passage is None
    memories.close()


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("抹茶はどこ", "なしの結果です"),
        ("会议在哪里", "缺少按 vectors"),
        ("where was the tea", "without the ranking by vectors"),
    ],
)
def test_search_memory_says_which_ranking_is_missing_in_the_language_of_the_question(
    tmp_path: Path, question: str, said: str
) -> None:
    embedder = Meaning()
    embedder.down = True
    memories, _ = opened(tmp_path, embedder)
    memories.remember_many([Draft(text=text) for text in TEXTS])
    (search,) = [tool for tool in recallnest.tools(memories, recallnest.Options()) if tool.name == "search_memory"]
    answer = search.run(Caller(session_id="s", client="test"), {"query": question})
    assert "missing: " in answer.text
    assert said in answer.text
    assert "It is down." in answer.text
    memories.close()


@pytest.mark.parametrize("questions", [("毒と抹茶", "会议"), ("conference", "抹茶に毒")])
def test_that_an_embedder_refuses_a_question_is_told_to_who_asked_it_and_nobody_else(
    tmp_path: Path, questions: tuple[str, str]
) -> None:
    memories, index = opened(tmp_path, Meaning())
    memories.remember_many([Draft(text=text) for text in TEXTS])
    memories.recall("抹茶")
    assert index.wait_for_vectors(60)
    (search,) = [tool for tool in recallnest.tools(memories, recallnest.Options()) if tool.name == "search_memory"]
    calls, answers = ThreadedInterleaver(), {}

    def ask(question: str) -> None:
        answers[question] = search.run(Caller(session_id="s"), {"query": question}).text

    for question in questions:
        calls.begin(partial(ask, question))
    calls.search_now()
    while len(answers) < len(questions):
        assert select.select([calls], [], [], 60)[0]
        calls.resume()
    assert {each: "does not like this" in answers[each] for each in questions} == {
        each: "毒" in each for each in questions
    }
    memories.close()


def test_a_log_is_told_once_that_an_embedder_was_never_met(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    embedder = Meaning(dimensions=None)
    embedder.down = True
    memories, index = opened(tmp_path, embedder)
    memories.remember(TEXTS[0])
    for _ in range(5):
        memories.recall("抹茶")
        assert index._embedders._probing is not None
        index._embedders._probing.join(60)
    assert [record.message for record in caplog.records if "stands in" in record.message] == [
        "It is down. The built-in embedder stands in."
    ]
    memories.close()


def test_more_dimensions_wanted_than_an_endpoint_turns_out_to_have_are_told_and_words_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = Meaning(dimensions=None)
    embedder.down = True
    memories, index = opened(tmp_path, Truncated(embedder, 64))
    memories.remember_many([Draft(text=text) for text in TEXTS])
    embedder.down = False
    for question, text in zip(("抹茶", "会议", "conference"), TEXTS, strict=True):
        memories.recall(question)
        assert index._embedders._probing is not None
        index._embedders._probing.join(60)
        found = memories.recall(question)
        assert texts(found)[0] == text
        assert found.missing[0].reason == "The vectors of meaning have 3 numbers; the first 64 cannot be kept."
        assert "先頭の 64 次元は使えません" in found.missing[0].also["ja"]
        assert "不能只用前 64 维" in found.missing[0].also["zh"]
    assert memories.stats()["index"]["reindexing"] is None
    memories.close()
    assert [each for each in caplog.messages if "64" in each] == [
        "The vectors of meaning have 3 numbers; the first 64 cannot be kept. The built-in embedder stands in."
    ]


def test_more_dimensions_wanted_than_an_embedder_has_are_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="64"):
        opened(tmp_path, Truncated(Meaning(dimensions=None), 64))


def test_a_log_is_not_told_of_an_embedder_that_closing_calls_off(caplog: pytest.LogCaptureFixture) -> None:
    class Endless(Meaning):
        """Says each time something else."""

        def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
            self.down = not self.down
            raise EmbedderUnavailable("It was closed." if self.down else "It is down.")

    endless = Endless(dimensions=None)
    endless.down = True
    embedders = Embedders(endless)
    embedders.close()
    embedders.probe_in_background()
    assert embedders._probing is not None
    embedders._probing.join(60)
    assert caplog.messages == ["It is down. The built-in embedder stands in."]


def test_who_ends_does_not_wait_for_an_embedder_that_says_nothing(tmp_path: Path) -> None:
    silent = Meaning()
    silent.gate.clear()
    memories, index = opened(tmp_path, silent)
    memories.remember_many([Draft(text=text) for text in TEXTS])
    memories.recall("抹茶")
    index._filling._background.stop(0.01)
    assert not index.wait_for_vectors(0)
    silent.gate.set()
    memories.close()
    memories, index = opened(tmp_path, Meaning())
    assert texts(memories.recall("green tea"))[0] == TEXTS[0]
    memories.close()


def test_who_stores_does_not_wait_for_what_is_alike_as_long_as_an_embedder_likes() -> None:
    silent = Meaning()
    silent.gate.clear()
    with pytest.raises(EmbedderUnavailable, match="meaning did not answer"):
        EmbedWithin(0.01).embed(silent, TEXTS)
    silent.gate.set()
    assert EmbedWithin().embed(silent, TEXTS) == silent.embed(TEXTS, "passage")
    silent.down = True
    with pytest.raises(EmbedderUnavailable, match="It is down"):
        EmbedWithin().embed(silent, TEXTS)


def test_who_stores_many_texts_waits_once_for_an_embedder_that_hangs() -> None:
    asked: list[str] = []

    class Hanging(Meaning):
        def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
            asked.extend(texts)
            return super().embed(texts, kind)

    hanging = Hanging()
    hanging.gate.clear()
    within = EmbedWithin(0.01)
    for text in TEXTS:
        with pytest.raises(EmbedderUnavailable) as raised:
            within.embed(hanging, [text])
        assert "応答しませんでした" in raised.value.also["ja"]
        assert "没有应答" in raised.value.also["zh"]
    assert asked == TEXTS[:1]
    hanging.gate.set()
    assert within._late is not None
    within._late.result(60)
    with suppress(EmbedderUnavailable):  # it answers, but perhaps not in so short a time
        within.embed(hanging, TEXTS[1:2])
    within._late.result(60)
    assert asked == TEXTS[:2]


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("田中さんは抹茶が好きだ。", "田中さんは抹茶が好きだ"),
        ("他喜欢喝绿茶", "他喜欢喝绿茶。"),
        ("Tanaka likes green tea.", "tanaka likes green tea"),
    ],
)
@pytest.mark.parametrize("is_down", [True, False])
def test_an_observation_is_not_stored_again_while_vectors_are_missing(
    tmp_path: Path, text: str, again: str, *, is_down: bool
) -> None:
    class Slow(Meaning):
        """Makes no vectors of what is stored until the gate opens, but answers whoever asks at once."""

        def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
            if threading.current_thread().name == "omoide-embed":
                assert self.gate.wait(60)
            if self.down:
                raise EmbedderUnavailable("It is down.", retry_after=0.001)
            return [self._vector(text) for text in texts]

    embedder = Slow()
    memories, _ = opened(tmp_path, embedder)
    observe = partial(memories.observe, "田中", "person", deduplicate=True)
    observe(Draft(text="Tanaka came to Kyoto."))
    embedder.down = is_down
    embedder.gate.clear()
    assert [observe(Draft(text=each))[1].disposition for each in (text, again)] == ["stored", "deduplicated"]
    embedder.gate.set()
    memories.close()


def test_looking_whether_all_are_found_asks_an_embedder_nothing(tmp_path: Path) -> None:
    embedder = Meaning()
    memories, index = opened(tmp_path, embedder)
    memories.remember_many([Draft(text=text) for text in TEXTS])
    memories.recall("抹茶")
    assert index.wait_for_vectors(60)
    embedder.down = True
    asked = len(embedder.passages)
    assert verify(memories.store, index) == []
    assert (index.missing, len(embedder.passages)) == (None, asked)
    memories.close()
