"""Words that people use about anything, and that therefore discriminate little.

A long message consists mostly of them: "Hey, did you know? I really had a great time with my friends today!" In a small store
of notes they are rare, so their frequency does not show how common they are. In a short question every word was
chosen, and counts.

Useful for: the weights of a query's words. Not useful for: documents, which keep every word.
Invariant: if a query has no other words, these keep their weight.
"""

from __future__ import annotations

from functools import lru_cache

from omoide import _engine
from omoide.text import english, meanings
from omoide.text.normalise import fold

ENGLISH = (
    "really actually basically literally honestly seriously totally absolutely definitely certainly probably maybe perhaps "
    "possibly exactly quite pretty rather almost always never ever often sometimes usually already still yet again also "
    "even else either instead anyway though much lot lots many several bit little few enough every everyone everybody "
    "everything someone somebody something anyone anything nothing one ones thing things stuff way ways kind sort case "
    "point matter place time times moment while day days today now later soon recently ago yesterday tomorrow tonight last "
    "next well good better best great nice fine cool awesome amazing wonderful incredible incredibly fantastic lovely super "
    "perfect new big right sure okay ok yes yeah yep nope oh ah hey hi hello wow haha hmm um hm please thanks thank sorry "
    "welcome bye get gets got getting go goes going gone went come comes came coming take takes took taken taking make "
    "makes made making give gives gave given giving put keep keeps kept let lets try tries tried trying use used using "
    "happen happened happens want wants wanted need needs needed like likes liked love loves loved enjoy enjoyed hope "
    "hoping wish feel feels felt feeling know knows knew known think thinks thought thinking believe guess suppose mean "
    "means meant remember remind understand wonder wondering say says said saying tell tells told telling talk talked "
    "talking ask asked asking see sees saw seen look looks looked looking find finds found seem seems seemed show watch "
    "hear heard help able might must shall may us let's there's he's she's we're they're i've i'll you're can't won't "
    "doesn't isn't it'll i'd mine people person guy guys others another since without within however ok kinda gonna wanna"
)
CHINESE = (
    "知道 觉得 认为 以为 感觉 感到 想 想要 希望 喜欢 爱 需要 可以 能 能够 应该 可能 必须 一定 当然 真 真的 真是 其实 特别 非常 超 超级 十分 比较 有点 有些 一些 一点 "
    "一下 一直 一起 总是 经常 常常 有时 有时候 已经 现在 今天 昨天 明天 今晚 昨晚 刚 刚刚 刚才 最近 后来 然后 之前 之后 以前 以后 时候 时 时间 每次 每天 上次 下次 这次 那次 "
    "那天 很多 好多 许多 多 少 好 好好 不错 太 最 更 再 才 只 只是 就是 还是 还有 而且 或者 不过 可是 并 跟 像 那么 这么 这样 那样 这些 那些 这里 那里 这儿 那儿 怎样 怎么样 "
    "为什么 什么样 多少 东西 事 事情 问题 样子 办法 人 大家 自己 别人 看 看到 看看 看见 听 听到 说话 告诉 问 讲 聊 做 弄 用 来 走 给 拿 得到 成为 变 变得 开始 出来 起来 下来 过来 "
    "过去 发现 记得 忘记 打算 准备 试试 帮 帮忙 帮助 对啊 是的 是啊 嗯 哦 噢 哇 嘿 哈哈 哈 嘻嘻 哎 唉 诶 啦 哟 喂 你好 谢谢 没事 没关系 好的 好吧 行"
)
JAPANESE = (
    "為る する 成る なる 有る 居る 言う 思う 考える 感じる 知る 分かる 見る 見える 聞く 聞こえる 行く 来る 帰る 遣る やる 出来る 使う 作る 入れる 出る 出す 取る 持つ 置く 始める 続ける "
    "終わる 貰う 呉れる 上げる 下さる 頂く 御座る 致す 仰る 良い いい 好い 凄い すごい 好き 大好き 楽しい 嬉しい 面白い 本当 本当に ほんとう 結構 とても 凄く かなり 少し ちょっと 一寸 多分 "
    "多い 沢山 いっぱい 一杯 全部 全然 皆 みんな 色々 いろいろ 又 また まだ もう 未だ やはり やっぱり 矢張り 例えば 特に 最近 今 今日 昨日 明日 今度 前 後 時 時間 日 年 度 回 頃 所 場所 "
    "方 人 物 事 こと もの 訳 感じ 気 為 風 様 中 うち 何 何か 何時 何処 誰 どう 如何 何故 どれ 此れ 其れ 彼れ 此の 其の そう こう ああ 其処 此処 彼処 此方 其方 私 僕 俺 貴方 自分 "
    "さん ちゃん 君 はい ええ うん いえ いいえ 有り難う ありがとう 今日は 宜しい 宜しく 済む"
)


@lru_cache(maxsize=1)
def small_talk() -> _engine.SmallTalk:
    """The terms of these words."""
    chinese, japanese = (list(map(fold, words.split())) for words in (CHINESE, JAPANESE))
    first = [*map(meanings.in_chinese().get, chinese), *map(meanings.in_japanese().get, japanese)]
    terms = (english.term(word)[0] for word in (*ENGLISH.split(), *filter(None, first)))
    return _engine.SmallTalk([*terms, *chinese, *japanese])
