"""One question to a chat model, one answer in words.

Invariant: whatever goes wrong is Unavailable, within one deadline, saying what happened and which setting to look at;
the key is in the request's header and nowhere else. However slow a model is, only a few callers wait for it.
"""

from __future__ import annotations

import json
import re
import threading

import httpx2

from omoide.errors import Unavailable
from omoide.exchange import Answer, Exchange, TooLong, TooSlow, Unreachable
from omoide.turns import waiting

TIMEOUT_SECONDS = 20.0
#: Questions under way at once; one more is refused rather than kept waiting in a thread that searches need.
MOST_AT_ONCE = 4
#: No answer of a few sentences is longer.
MAX_ANSWER_BYTES = 100_000
PATH = "/chat/completions"

#: Status -> (what it says, the setting to look at).
_STATUSES = {
    401: ("refused the key", "llm_key (OMOIDE_LLM_KEY)"),
    403: ("refused the key", "llm_key (OMOIDE_LLM_KEY)"),
    404: ("knows no such path or model", "llm_url (OMOIDE_LLM_URL) and llm_model (OMOIDE_LLM_MODEL)"),
    429: ("has too much to do", "llm_url (OMOIDE_LLM_URL), or try again later"),
}
#: What a model thinks to itself before it answers.
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|$)", re.DOTALL)


class ChatEndpoint:
    """The model `model` at `url` (with or without /chat/completions). `transport` replaces the network in tests."""

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._url = httpx2.URL(url.rstrip("/").removesuffix(PATH) + PATH)
        self._model = model
        self._seconds = timeout_seconds
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._exchange = Exchange(str(self._url), headers, transport=transport)
        self._turns = threading.BoundedSemaphore(MOST_AT_ONCE)

    def __repr__(self) -> str:
        return f"ChatEndpoint({self._model!r} at {self._where})"

    def ask(self, instructions: str, material: str) -> str:
        """What the model says to the material. Raises Unavailable."""
        if not self._turns.acquire(blocking=False):
            raise self._failed(
                f"is busy with {MOST_AT_ONCE} questions already", "llm_url (OMOIDE_LLM_URL), or try again"
            )
        try:
            with waiting():
                answer = self._answer(instructions, material)
            if answer.status != 200:
                raise self._refused(answer.status)
            return self._said(answer.body)
        finally:
            self._turns.release()

    def _answer(self, instructions: str, material: str) -> Answer:
        messages = [{"role": "system", "content": instructions}, {"role": "user", "content": material}]
        payload = {"model": self._model, "messages": messages, "stream": False}
        try:
            return self._exchange.post(payload, seconds=self._seconds, most_bytes=MAX_ANSWER_BYTES)
        except TooSlow:
            raise self._failed(f"did not answer within {self._seconds:g} seconds", "llm_url (OMOIDE_LLM_URL)") from None
        except TooLong:
            raise self._failed("sent more than an answer", "llm_url (OMOIDE_LLM_URL)") from None
        except Unreachable as error:
            raise self._failed(f"cannot be reached ({error.kind})", "llm_url (OMOIDE_LLM_URL)") from None

    @property
    def _where(self) -> str:
        """Host and port; what else an address holds is nobody's business."""
        return f"{self._url.host}:{self._url.port}" if self._url.port else self._url.host

    def _said(self, body: bytes) -> str:
        try:
            said = json.loads(body)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError):
            said = None
        if not isinstance(said, str):
            raise self._failed("answered with something else than a chat completion", "llm_url (OMOIDE_LLM_URL)")
        return _THOUGHTS.sub("", said).strip()

    def _refused(self, status: int) -> Unavailable:
        what, setting = _STATUSES.get(status, ("failed", "the log of that server"))
        return self._failed(f"{what} (status {status})", setting)

    def _failed(self, what: str, setting: str) -> Unavailable:
        return Unavailable(f"The chat endpoint {self._where} {what}.", hint=f"Look at {setting}.")
