"""Callers who come while the embedder is busy share its next run, and each gets what is theirs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from omoide.embed import EmbedderUnavailable, Kind, Lexical, TextRefused, Vector
from omoide.embed.batched import AT_ONCE, Batched
from omoide.turns import Turn, Turns, WouldWait, never_waiting

QUESTIONS = ["抹茶はどこ", "会议在哪里", "where was the tea", "京都", "決まったこと", "龙井茶", "meetings"]
POISON = "毒"


class Slow(Lexical):
    """Holds every caller until it is let go. `asked` are its batches in the order of their coming."""

    def __init__(self) -> None:
        super().__init__(8)
        self.asked: list[list[str]] = []
        self.inside = threading.Semaphore(0)
        self.let_go = threading.Event()
        self.error: Exception | None = None

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        self.asked.append([*texts])
        self.inside.release()
        assert self.let_go.wait(20)
        if self.error is not None:
            raise self.error
        if POISON in texts:
            raise TextRefused("It is refused.")
        return super().embed(texts, kind)


class Crowd:
    """Callers of a slow embedder: as many as it takes at once, and those who come while it is busy. `places`: how many of
    them may be at work at a time."""

    def __init__(self, places: int = 20, **options: float) -> None:
        self.turns = Turns(places)
        self.slow = Slow()
        self.batched = Batched(self.slow, **options)
        self.pool = ThreadPoolExecutor(20)

    def ask(self, kind: Kind, early: Sequence[str], late: Sequence[str]) -> list[Future[list[Vector]]]:
        """The answers to come, in that order; the embedder has been let go."""
        asked = [self._ask(text, kind) for text in early]
        for _ in early:
            assert self.slow.inside.acquire(timeout=20)
        asked += [self._ask(text, kind) for text in late]
        self._until(lambda: self.batched.waiting == len(late))
        self.slow.let_go.set()
        return asked

    def _ask(self, text: str, kind: Kind) -> Future[list[Vector]]:
        return self.pool.submit(self._in_turn, text, kind)

    def _in_turn(self, text: str, kind: Kind) -> list[Vector]:
        turn = Turn(self.turns)
        turn.begin()
        try:
            return self.batched.embed([text], kind)
        finally:
            turn.end()

    def _until(self, done: Callable[[], bool]) -> None:
        given_up = threading.Event()
        while not done():
            assert not given_up.wait(0.001)


@pytest.mark.parametrize("places", [20, 1])
@pytest.mark.parametrize("kind", ["query", "passage"])
def test_those_who_come_while_it_is_busy_share_the_next_batch(kind: Kind, places: int) -> None:
    crowd = Crowd(places)
    early, late = QUESTIONS[:AT_ONCE], QUESTIONS[AT_ONCE:]
    answers = [each.result(20) for each in crowd.ask(kind, early, late)]
    assert answers == [[vector] for vector in Lexical(8).embed(QUESTIONS, kind)]
    assert sorted(map(len, crowd.slow.asked)) == [1] * AT_ONCE + [len(late)]


def test_a_failure_is_told_to_everyone_in_the_batch() -> None:
    crowd = Crowd()
    crowd.slow.error = EmbedderUnavailable("It is down.")
    for each in crowd.ask("query", QUESTIONS[:AT_ONCE], QUESTIONS[AT_ONCE:]):
        with pytest.raises(EmbedderUnavailable, match="It is down"):
            each.result(20)


def test_a_text_that_is_refused_is_refused_to_its_own_caller_alone() -> None:
    crowd = Crowd()
    late = [QUESTIONS[2], POISON, QUESTIONS[3]]
    *early, first, refused, last = crowd.ask("query", QUESTIONS[:AT_ONCE], late)
    with pytest.raises(TextRefused):
        refused.result(20)
    assert [each.result(20)[0] for each in (*early, first, last)] == Lexical(8).embed(QUESTIONS[:4], "query")


def test_one_caller_alone_waits_for_nobody() -> None:
    slow = Slow()
    slow.let_go.set()
    batched = Batched(slow)
    for text in QUESTIONS:
        assert batched.embed([text], "query") == Lexical(8).embed([text], "query")
    assert slow.asked == [[text] for text in QUESTIONS]


def test_who_must_not_wait_leaves_nothing_behind_for_others_to_wait_for() -> None:
    batched = Batched(Lexical(8))
    with pytest.raises(WouldWait), never_waiting():
        batched.embed(QUESTIONS, "query")
    assert batched.waiting == 0
    assert batched.embed(QUESTIONS, "query") == Lexical(8).embed(QUESTIONS, "query")


def test_a_search_stands_in_line_only_so_long() -> None:
    crowd = Crowd(queue_seconds=0.05)
    held = [crowd._ask(text, "query") for text in QUESTIONS[:AT_ONCE]]
    for _ in held:
        assert crowd.slow.inside.acquire(timeout=20)
    for asked in [crowd._ask(text, "query") for text in QUESTIONS[AT_ONCE:]]:
        with pytest.raises(EmbedderUnavailable, match="more to do") as raised:
            asked.result(20)
        assert ["間に合っていません" in raised.value.also["ja"], "来不及" in raised.value.also["zh"]] == [True] * 2
    assert crowd.batched.waiting == 0
    crowd.slow.let_go.set()
    assert [each.result(20) for each in held] == [Lexical(8).embed([text], "query") for text in QUESTIONS[:AT_ONCE]]
    assert crowd._ask(QUESTIONS[-1], "query").result(20) == Lexical(8).embed([QUESTIONS[-1]], "query")
