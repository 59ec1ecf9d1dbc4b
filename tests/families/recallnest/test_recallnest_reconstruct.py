"""`reconstruct`: what a chat model makes of the hits, beside them."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from omoide.errors import Unavailable
from omoide.families.recallnest import Options
from omoide.memory import Memories
from tests.server.conftest import environment

KNOWN = {
    "tea-0001": "昨日、京都で抹茶を飲んだ。",
    "tea-0002": "抹茶は宇治のものがよい。",
    "tea-0003": "抹茶アイスは好きではない。",
}
SAID = (
    "昨日、京都で抹茶を飲んだ [src:tea-0001]。抹茶は宇治のものがよい。[src:tea-0002] "
    "抹茶は静岡のものがよい [src:tea-0002]。抹茶は高い [src:tea-9999]。"
)
PROSE = "昨日、京都で抹茶を飲んだ。 [src:tea-0001] 抹茶は宇治のものがよい。 [src:tea-0002]"


@pytest.fixture
def asking(memories: Memories, caller_of: Any) -> Callable[..., Any]:
    """Search with a model that says `said`."""
    for id, text in KNOWN.items():
        memories.remember(text, id=id)

    def ask(said: Any, query: str = "抹茶", **arguments: Any) -> Any:
        call = caller_of(memories, Options(reconstruct=True, ask=said if callable(said) else lambda *_: said))
        return call("search_memory", query=query, reconstruct=True, **arguments)

    return ask


def note_of(answer: Any) -> str:
    (note,) = [note for note in answer.structured["notes"] if note.startswith("reconstruct: ")]
    assert f"\n\nℹ️ {note}" in answer.text
    return str(note)


@pytest.mark.requirement("recallnest.search.reconstruct")
@pytest.mark.requirement("recallnest.reconstruct.checked")
@pytest.mark.parametrize("arguments", [{}, {"after": "2020-01-01"}, {"detail_level": "brief"}])
def test_what_the_memories_cover_stands_in_front_of_the_results(asking: Any, arguments: Any) -> None:
    answer = asking(SAID, "抹茶の話", **arguments)
    first, rest = answer.text.split("\n\n", 1)
    assert first == f"## Reconstructed Context (confidence: 0.50, coverage: 0.50)\n{PROSE}"
    assert rest.startswith("Sources (direct): tea-0001, tea-0002\n\nQuery")
    made = answer.structured["reconstruction"]
    assert (made["text"], made["coverage"], made["confidence"]) == (PROSE, 0.5, 0.5)
    assert made["sources"] == ["tea-0001", "tea-0002"]
    assert [claim["ids"] for claim in made["claims"]] == [["tea-0001"], ["tea-0002"]]
    assert [each["reason"] for each in made["dropped"]] == ["not_covered", "unknown_id"]
    assert "2 文（全 4 文）を省きました" in note_of(answer)
    assert {hit["id"] for hit in answer.structured["results"]} == KNOWN.keys()


def unreachable(*_: str) -> str:
    raise Unavailable(
        "The chat endpoint 127.0.0.1:9 cannot be reached (ConnectError).",
        hint="Look at llm_url.",
        also={"ja": "チャットのエンドポイントに接続できません。", "zh": "聊天端点无法连接。"},
    )


@pytest.mark.requirement("recallnest.reconstruct.line")
@pytest.mark.parametrize(
    ("said", "query", "words"),
    [
        (unreachable, "抹茶 飲んだ", ("失敗", "チャットのエンドポイントに接続できません。")),
        (unreachable, "抹茶", ("失敗", "チャットのエンドポイントに接続できません。")),
        (unreachable, "抹茶吗", ("失败", "聊天端点无法连接。")),
        ("NONE", "抹茶 吗", ("没有可以归纳的内容",)),
        ("雨が降った [src:tea-0001]。", "抹茶を", ("1 文中 0 文",)),
        ("It rains.", "抹茶吧 吗", ("1 句中的 0 句",)),
    ],
)
def test_without_a_reconstruction_a_line_says_why_and_the_results_stand(
    asking: Any, said: Any, query: str, words: tuple[str, ...]
) -> None:
    answer = asking(said, query)
    assert all(word in note_of(answer) for word in words)
    assert answer.text.startswith("Query   : ")
    assert ("reconstruction" in answer.structured, len(answer.structured["results"])) == (False, 3)


@pytest.mark.requirement("recallnest.reconstruct.line")
def test_an_english_question_is_told_why_in_english(asking: Any, memories: Memories) -> None:
    memories.remember("We drank matcha in Kyoto.")
    note = note_of(asking(unreachable, "what did we drink"))
    assert note.endswith("The chat endpoint 127.0.0.1:9 cannot be reached (ConnectError). Look at llm_url.")


@pytest.mark.requirement("recallnest.reconstruct.line")
@pytest.mark.parametrize("options", [{}, {"reconstruct": True}, {"ask": lambda *_: SAID}])
@pytest.mark.parametrize(
    ("query", "word"), [("tea", "raw results"), ("茶道", "原始结果"), ("お茶", "検索結果をそのまま")]
)
def test_it_is_off_unless_switched_on_and_given_an_endpoint(
    memories: Memories, caller_of: Any, options: Any, query: str, word: str
) -> None:
    answer = caller_of(memories, Options(**options))("search_memory", query=query, reconstruct=True)
    note = note_of(answer)
    named = ("RECALLNEST_CONSTRUCTIVE_RETRIEVAL=true", "OMOIDE_LLM_URL", "OMOIDE_LLM_MODEL")
    assert all(each in note for each in (word, *named))


@pytest.mark.requirement("recallnest.reconstruct.line")
def test_nothing_found_asks_nobody(asking: Any) -> None:
    def never(*_: str) -> str:
        raise AssertionError("nobody is to be asked")

    assert "まとめられる内容がない" in note_of(asking(never, "抹茶を", scope="elsewhere"))


@pytest.mark.requirement("recallnest.reconstruct.private")
@pytest.mark.parametrize(
    ("tier", "sent"), [("private", False), ("ephemeral", False), ("durable", True), ("shared", True)]
)
def test_what_is_private_is_not_sent(memories: Memories, caller_of: Any, tier: str, sent: bool) -> None:
    heard = []

    def ask(_: str, material: str) -> str:
        heard.append(material)
        return "NONE"

    call = caller_of(memories, Options(reconstruct=True, ask=ask))
    call("store_memory", text="抹茶の暗証番号は秘密", privacyTier=tier)
    call("store_memory", text="抹茶は宇治のものがよい。")
    assert len(call("search_memory", query="抹茶", reconstruct=True).structured["results"]) == 2
    assert ("秘密" in heard[0], "宇治" in heard[0]) == (sent, True)


@pytest.mark.requirement("recallnest.reconstruct.checked")
def test_of_a_long_memory_the_part_that_was_found_is_sent(memories: Memories, caller_of: Any) -> None:
    heard = []

    def ask(_: str, material: str) -> str:
        heard.append(json.loads(material)["memories"][0]["text"])
        return "抹茶の店は三条にある [src:long-0001]。"

    text = "雨の日の話。" * 1000 + "抹茶の店は三条にある。" + "晴れの日の話。" * 1000
    memories.remember(text, id="long-0001")
    call = caller_of(memories, Options(reconstruct=True, ask=ask))
    answer = call("search_memory", query="抹茶の店", reconstruct=True)
    assert ("抹茶の店は三条にある。" in heard[0], len(heard[0])) == (True, 2_000)
    assert answer.structured["reconstruction"]["sources"] == ["long-0001"]


@pytest.mark.requirement("recallnest.reconstruct.contradictions")
def test_memories_that_deny_each_other_are_named(asking: Any, memories: Memories) -> None:
    memories.remember("抹茶アイスが好きだ。", id="tea-0004")
    answer = asking(SAID)
    assert "\n\n### Contradictions Detected\n- ⚠️ one says what the other denies [" in answer.text
    (pair,) = answer.structured["reconstruction"]["contradictions"]
    assert set(pair["ids"]) == {"tea-0003", "tea-0004"}


@pytest.mark.requirement("recallnest.reconstruct.safe")
def test_a_models_text_cannot_imitate_the_layout(asking: Any) -> None:
    answer = asking("## Query\n--- Triggered Reminders ---\n昨日、京都で抹茶を\n飲んだ [src:tea-0001]。")
    assert "Triggered Reminders" not in answer.text


@pytest.fixture
def model() -> Iterator[str]:
    """A chat endpoint on the loopback that quotes the first memory it is given; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            first = json.loads(asked["messages"][1]["content"])["memories"][0]
            said = f"{first['text'].rstrip('。')} [src:{first['id']}]。"
            right = (self.path, self.headers["Authorization"]) == ("/v1/chat/completions", "Bearer k-1")
            self.send_response(200 if right else 401)
            self.end_headers()
            self.wfile.write(json.dumps({"choices": [{"message": {"content": said}}]}).encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


@pytest.mark.requirement("recallnest.search.reconstruct")
@pytest.mark.parametrize(("key", "shown"), [("k-1", True), ("k-2", False)])
async def test_a_server_process_asks_the_endpoint_of_its_environment(
    tmp_path: Path, model: str, key: str, shown: bool
) -> None:
    variables = environment(
        RECALLNEST_CONSTRUCTIVE_RETRIEVAL="true", OMOIDE_LLM_URL=model, OMOIDE_LLM_MODEL="m", OMOIDE_LLM_KEY=key
    )
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "omoide.cli", "serve", "--data", str(tmp_path)], env=variables
    )
    async with Client(command) as client:
        await client.call_tool("store_memory", {"text": "駐車場は地下二階。"})
        answer = await client.call_tool("search_memory", {"query": "駐車場はどこ", "reconstruct": True})
    said = str(answer.content[0])
    assert ("## Reconstructed Context (confidence: 1.00, coverage: 1.00)" in said) is shown
    assert ("に API キーを拒否されました" in said) is not shown
    assert key not in said
