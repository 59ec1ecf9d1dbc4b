"""A tool that asks first: the person's yes or no reaches it in both eras, and no answer is a no."""

from typing import Any

import pytest
from mcp.client import Client
from mcp.client.context import ClientRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequestParams, ElicitResult

from omoide.errors import StoreError
from omoide.families.tool import Arguments, Caller, Result, Tool
from tests.server.conftest import serving
from tests.server.test_workers import no_more_threads

ERAS = ["auto", "legacy"]
FACT = {"entityName": "健太", "entityType": "person", "observation": "京都に住んでいる"}
QUESTION = "Forget 健太 (person) with its memories (1) for good?"


class Person:
    """Answers every question the same way and keeps what was asked."""

    def __init__(self, answer: ElicitResult | None) -> None:
        self.asked: list[str] = []
        self._answer = answer

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message.splitlines()[0])
        if self._answer is None:
            raise MCPError(code=-1, message="the window was closed")
        return self._answer


def accepted(**content: Any) -> ElicitResult:
    return ElicitResult(action="accept", content=content)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("answer", "gone"),
    [
        (accepted(confirm=True), True),
        (accepted(confirm=False), False),
        (accepted(), False),
        (ElicitResult(action="decline"), False),
        (ElicitResult(action="cancel"), False),
    ],
)
async def test_only_a_clear_yes_deletes(server: Server[Any], mode: str, answer: ElicitResult, gone: bool) -> None:
    person = Person(answer)
    async with Client(server, mode=mode, elicitation_callback=person) as client:
        await client.call_tool("remember_fact", FACT)
        # The person decides, whatever the model says.
        result = await client.call_tool("forget_entity", {"entityName": "健太", "confirm": True})
        left = await client.call_tool("query_memory", {"mode": "list"})
    assert person.asked == [QUESTION]
    assert result.is_error is not gone
    assert left.structured_content is not None
    assert left.structured_content["total"] == (0 if gone else 1)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    "arguments",
    [
        {"entityName": "健太", "dryRun": True},
        {"entityName": "誰か"},
        {"entityName": 3},
        {"confirm": True},
        {"entityName": "健太", "理由": "引っ越し"},
    ],
)
async def test_nothing_is_asked_where_nothing_would_be_done(
    server: Server[Any], mode: str, arguments: dict[str, Any]
) -> None:
    person = Person(accepted(confirm=True))
    async with Client(server, mode=mode, elicitation_callback=person) as client:
        await client.call_tool("remember_fact", FACT)
        await client.call_tool("forget_entity", arguments)
    assert person.asked == []


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(("arguments", "gone"), [({"confirm": True}, True), ({}, False)])
async def test_where_the_client_cannot_ask_the_argument_decides(
    server: Server[Any], mode: str, arguments: dict[str, bool], gone: bool
) -> None:
    async with Client(server, mode=mode) as client:
        await client.call_tool("remember_fact", FACT)
        result = await client.call_tool("forget_entity", {"entityName": "健太", **arguments})
    assert result.is_error is not gone


@pytest.mark.parametrize("mode", ERAS)
async def test_where_it_cannot_be_found_out_what_to_ask_nobody_has_said_yes(clock: Any, mode: str) -> None:
    def unreadable(arguments: Arguments) -> str:
        raise StoreError("The store is being restored.")

    def forget(caller: Caller, arguments: Arguments) -> Result:
        return Result("忘れた" if caller.confirmed in (None, True) else "残した")

    tool = Tool(
        name="forget",
        title="忘れる",
        description="Forgets.",
        input_schema={"type": "object"},
        output_schema=None,
        run=forget,
        asks=unreadable,
    )
    person = Person(accepted(confirm=True))
    async with Client(serving([tool], clock), mode=mode, elicitation_callback=person) as client:
        result = await client.call_tool("forget", {})
    assert (person.asked, result.content[0].model_dump()["text"]) == ([], "残した")


@pytest.mark.parametrize("mode", ERAS)
async def test_a_call_that_asks_is_told_that_no_thread_can_be_had_as_any_other(server: Server[Any], mode: str) -> None:
    person = Person(accepted(confirm=True))
    async with Client(server, mode=mode, elicitation_callback=person) as client:
        with no_more_threads():
            result = await client.call_tool("forget_entity", {"entityName": "健太"})
    assert result.content[0].model_dump()["text"].endswith("[unavailable]")
    assert (person.asked, result.is_error) == ([], True)


async def test_a_client_that_fails_to_ask_has_not_said_yes(server: Server[Any]) -> None:
    async with Client(server, mode="legacy", elicitation_callback=Person(None)) as client:
        await client.call_tool("remember_fact", FACT)
        result = await client.call_tool("forget_entity", {"entityName": "健太", "confirm": True})
    assert result.is_error
