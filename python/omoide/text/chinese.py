"""Chinese words, by rjieba: long words and the shorter ones inside them."""

from __future__ import annotations

from collections.abc import Iterator

from omoide.text.analysis import Word

#: Words that say too little to ask for.
STOP_WORDS = frozenset(
    "的 了 是 在 我 你 他 她 它 们 我们 你们 他们 她们 和 与 及 或 就 都 也 还 又 很 吗 呢 吧 啊 呀 嘛 么 着 过 地 得 把 被 让 给 这 那 "
    "这个 那个 哪 哪个 什么 怎么 谁 几 之 而 但 但是 因为 所以 如果 有 没有 不 会 要 去 到 说 上 下 里 对 从 为 以 于 个 一个".split()
)


def words(simplified: str, offset: int) -> Iterator[Word]:
    """The words of Simplified text, with offsets shifted by `offset`."""
    import rjieba

    for term, start, end in rjieba.tokenize(simplified, "search"):
        if not term.isspace():
            yield Word(term, offset + start, offset + end)
