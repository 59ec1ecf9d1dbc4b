"""Calls that an event loop answers itself: what has come is begun first, and nobody is forgotten over that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from omoide.engine.interleaving import SingleThreadInterleaver
from omoide.engine.searching import searching
from omoide.server.scheduling.inline import InlineLoop

PATIENCE = 20.0


class Engine:
    """Finds what is asked for."""

    def search(self, query: str) -> str:
        return query


async def _asked(loop: InlineLoop, name: str, told: list[str]) -> None:
    done: asyncio.Future[None] = loop.loop.create_future()

    def do() -> None:
        search: Callable[[Engine, str], str] = searching.get()
        told.append(f"{name} begins")
        told.append(f"{search(Engine(), name)} has it")
        loop.rounds.leave()
        done.set_result(None)

    loop.rounds.take(name, partial(loop.interleaver.begin, do))
    await done


async def test_all_that_have_come_are_begun_before_any_is_gone_on_with() -> None:
    names, told = ("山田", "王", "Ada"), list[str]()
    loop = InlineLoop(asyncio.get_running_loop(), SingleThreadInterleaver())
    await asyncio.wait_for(asyncio.gather(*(_asked(loop, name, told) for name in names)), PATIENCE)
    assert told == [*(f"{name} begins" for name in names), *(f"{name} has it" for name in names)]


async def test_more_than_are_begun_at_once_are_answered_too_and_each_in_its_turn() -> None:
    told: list[str] = []
    loop = InlineLoop(asyncio.get_running_loop(), SingleThreadInterleaver())
    most = loop.interleaver.most
    ask = partial(_asked, loop, told=told)
    await asyncio.wait_for(asyncio.gather(*(ask(f"{number}") for number in range(3 * most))), PATIENCE)
    assert told[: 2 * most] == [
        *(f"{number} begins" for number in range(most)),
        *(f"{number} has it" for number in range(most)),
    ]
    assert len(told) == 6 * most


async def test_what_is_left_is_gone_on_with_however_many_come_that_are_done_at_once() -> None:
    told: list[str] = []
    loop = InlineLoop(asyncio.get_running_loop(), SingleThreadInterleaver())

    def comes_again() -> None:
        loop.interleaver.begin(loop.rounds.leave)
        if len(told) < 2:
            loop.rounds.take("王", comes_again)

    searched = asyncio.ensure_future(_asked(loop, "山田", told))
    for _ in range(2):
        loop.rounds.take("王", comes_again)
    await asyncio.wait_for(searched, PATIENCE)
    assert told == ["山田 begins", "山田 has it"]
