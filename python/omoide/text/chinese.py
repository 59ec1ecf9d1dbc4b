"""Chinese words by jieba's dictionary: long words and the shorter ones inside them."""

from __future__ import annotations

from functools import lru_cache

from omoide import _engine

#: Words too common to search for.
STOP_WORDS = frozenset(
    "的 了 是 在 我 你 他 她 它 们 我们 你们 他们 她们 和 与 及 或 就 都 也 还 又 很 吗 呢 吧 啊 呀 嘛 么 着 过 地 得 把 被 让 给 这 那 "
    "这个 那个 哪 哪个 哪里 哪儿 哪些 哪位 什么 什么时候 何时 怎么 怎样 怎么样 如何 为什么 为何 是否 谁 几 多少 之 而 但 但是 因为 所以 如果 有 没有 不 会 要 去 到 说 上 下 里 对 从 为 以 于 个 一个 "
    "几点 几点钟 几时 几岁 几号 几月 几年 几天 几个 几位 几次 几楼 多久 多大 多长 多远 多高 多重 啥 咋 哪天 哪年 哪种 哪家 哪间 哪边 哪一年 哪一天 哪一个 "
    "哪一位 怎么办 干什么 啥时候".split()
)


@lru_cache(maxsize=2)
def segmenter(user_words: tuple[str, ...]) -> _engine.Chinese:
    """Cuts folded text, with the user's words (folded). Cached, as each keeps what texts have needed of the dictionary."""
    return _engine.Chinese(sorted(STOP_WORDS), user_words)
