"""Words that ask for whatever there was: 何があった, 出来事, 做了什么, 安排, what happened, plans.

Beside a date (昨日の出来事, 上个月都干了些什么, what did I do last Tuesday) they name no subject: a text of another day that happens to
have one of them is no answer.

Useful for: telling a question about a date alone. Not useful for: the weights of words; see small_talk.py.
Invariant: function words need not be here, as they weigh nothing anyway.
"""

from __future__ import annotations

#: Each is analysed as a query is, so that its forms and translations count as well.
ABOUT_ANYTHING = (
    "happen go talk chat say tell learn event thing stuff anything something everything note memory record diary summary recap "
    "overview plan schedule agenda "
    "出来事 事 物 予定 話 話す 喋る 聞く 行く 出かける 過ごす やる ある する 思い出 記憶 記録 日記 メモ まとめ 振り返り "
    "做 干 弄 去 聊 说 讲 谈 发生 事 事情 事儿 些 安排 计划 日程 行程 活动 记录 日记 记忆 回忆 笔记 总结"
).split()
