"""The errors of calls that the dispatcher ends itself: not allowed, too long, too late. In English, Japanese and Chinese.

Useful for: the dispatcher. Not useful for: what tools refuse, and refusals by a schema (translations.py).
Invariant: each says what was asked, why it is refused and what to do next, in every language.
"""

from __future__ import annotations

from omoide.errors import NotAllowed, ResultTooLarge, TimedOut, filled
from omoide.server.access.visitor import WRITING, Visitor

_NOT_ALLOWED = {
    "ja": "このトークンでは {name} を呼び出せません。許されているのは{allowed}だけです。{step}",
    "zh": "此令牌不能调用“{name}”，只允许{allowed}。{step}",
}
_READING = {"ja": "読み取り", "zh": "读取"}
_MEASURING = {"ja": "メトリクスの取得", "zh": "读取指标"}
_ASK = {
    "ja": "書き込めるトークンをサーバーの管理者に求めてください。",
    "zh": "请向服务器的管理员索取可以写入的令牌。",
}
_SIGN_IN = {"ja": f"scope {WRITING} でサインインし直してください。", "zh": f"请以 scope {WRITING} 重新登录。"}
_TOO_LARGE = {
    "ja": "結果が {length} 文字あり、送れません（{most} 文字まで）。{step}",
    "zh": "结果有 {length} 个字符，无法发送（最多 {most} 个）。{step}",
}
_DONE = {"ja": "{name} は実行済みです。繰り返さないでください。", "zh": "“{name}”已经执行，请勿重复。"}
_ASK_FOR_LESS = {"ja": "件数か、一件あたりの量を減らしてください。", "zh": "请减少条数，或减少每条的内容。"}


def not_allowed(name: str, visitor: Visitor) -> NotAllowed:
    """For a tool that the visitor's token does not allow."""
    allowed, named = ("reading", _READING) if visitor.may_read else ("metrics", _MEASURING)
    alone = visitor.metadata_url is None
    return NotAllowed(
        f"This token may not call {name}: it allows {allowed} alone.",
        hint="Ask whoever runs the server for a token that may write."
        if alone
        else f"Sign in again, for the scope {WRITING}.",
        also=filled(_NOT_ALLOWED, name=name, allowed=named, step=_ASK if alone else _SIGN_IN),
    )


def too_large(name: str, length: int, most: int, *, carried_out: bool) -> ResultTooLarge:
    """For an answer of so many characters, where `most` are sent; `carried_out`: the call has changed something."""
    step = filled(_DONE, name=name) if carried_out else _ASK_FOR_LESS
    return ResultTooLarge(
        f"The answer has {length:,} characters; at most {most:,} are sent.",
        hint=f"{name} was carried out: do not repeat it."
        if carried_out
        else "Ask for fewer hits, or for less of each.",
        also=filled(_TOO_LARGE, length=f"{length:,}", most=f"{most:,}", step=step),
    )


def read_timeout(name: str, seconds: float | None) -> TimedOut:
    """For a tool that reads, and was given up."""
    return TimedOut(
        f"{name} took longer than {seconds:g} s and was given up.",
        hint="Ask for less (a lower limit, a shorter walk, a narrower scope), or try again in a while.",
        also=filled(
            {
                "ja": "{name} は {seconds:g} 秒以内に終わらなかったので、打ち切りました。件数を減らすか、範囲をしぼるか、"
                "しばらくしてからやり直してください。",
                "zh": "“{name}”未能在 {seconds:g} 秒内完成，已放弃。请减少条数、缩小范围，或稍后重试。",
            },
            name=name,
            seconds=seconds,
        ),
    )


def write_timeout(name: str, seconds: float | None) -> TimedOut:
    """For a tool that writes, and goes on."""
    return TimedOut(
        f"{name} takes longer than {seconds:g} s; it may still be carried out.",
        hint="Look whether it was before you repeat it.",
        also=filled(
            {
                "ja": "{name} は {seconds:g} 秒以内に終わりませんでした。このあと実行されることがあります。"
                "やり直す前に、実行されたかどうかを確かめてください。",
                "zh": "“{name}”未能在 {seconds:g} 秒内完成，之后仍可能执行。重试之前，请先确认是否已经执行。",
            },
            name=name,
            seconds=seconds,
        ),
    )
