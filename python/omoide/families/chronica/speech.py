"""Words for the present moment and for how long ago something was, in Japanese, English and Chinese.

Useful for: the opening and the tick of a session. Not useful for: entries, which are shown as they were written.
Invariant: pure; the same moment and entries give the same words. Seasons are those of the northern hemisphere.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from omoide.text.graphemes import beginning
from omoide.traditional import HANT, traditional

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
#: Characters of a title, text or kind in a line of the opening.
LABEL_CHARS = 50


class Language(NamedTuple):
    """The words of one language. `{n}` stands for a number."""

    seasons: tuple[str, str, str, str]  #: winter, spring, summer, autumn
    hours: tuple[str, str, str, str]  #: night, morning, day, evening
    joined: str  #: season and time of day in one phrase
    minutes_ago: str
    an_hour_ago: str
    hours_ago: str
    yesterday: str
    days_ago: str
    a_week_ago: str
    weeks_ago: str
    first_time: str
    untitled: str
    nothing: str
    none_open: str
    headings: tuple[str, str, str, str, str, str]  #: now, flow, open, instructions, good, bad
    now: str
    part_of_day: str
    instructions: tuple[str, ...]
    good: str
    bad: str


JAPANESE = Language(
    seasons=("冬", "春", "夏", "秋"),
    hours=("夜", "朝", "昼", "夕方"),
    joined="{season}の{hour}",
    minutes_ago="数分前",
    an_hour_ago="1時間ほど前",
    hours_ago="{n}時間前",
    yesterday="昨日",
    days_ago="{n}日前",
    a_week_ago="1週間前",
    weeks_ago="{n}週間前",
    first_time="初回",
    untitled="（無題）",
    nothing="（エントリーがありません）",
    none_open="（該当なし）",
    headings=("現在状況", "プロジェクトの直近の流れ", "継続中・未解決", "Claude への指示", "良い例", "悪い例"),
    now="現在時刻",
    part_of_day="時間帯",
    instructions=(
        "前回からの経過時間に合った挨拶を一言添える。",
        "直近の流れから、いま最も自然な話題を一つだけ取り上げる。",
        "未解決の項目があれば、押しつけずに様子を尋ねる。",
        "記録や検索のしくみには触れず、覚えていることとして自然に話す。",
        'もっと知りたいときは chronica_search を thread_id なしで、thread_type="project" で呼び、スレッドを横断して探す。',
        "thread_id を付けて見つからなければ、外してもう一度探す。",
        "新しい決定、予定、質問が出たら chronica_save_entry で残す。",
        "保存したことをわざわざ報告しない。",
    ),
    good="「こんばんは。先日決めた保存先、その後うまくいっていますか。」",
    bad="「データベースを検索したところ、エントリが5件見つかりました。」",
)
ENGLISH = Language(
    seasons=("winter", "spring", "summer", "autumn"),
    hours=("night", "morning", "day", "evening"),
    joined="{season} {hour}",
    minutes_ago="minutes ago",
    an_hour_ago="about an hour ago",
    hours_ago="{n} hours ago",
    yesterday="yesterday",
    days_ago="{n} days ago",
    a_week_ago="1 week ago",
    weeks_ago="{n} weeks ago",
    first_time="first time",
    untitled="(untitled)",
    nothing="(no entries)",
    none_open="(none)",
    headings=("Now", "Recent course of the project", "Open", "Instructions", "Good example", "Bad example"),
    now="Time",
    part_of_day="Part of day",
    instructions=(
        "Greet in a way that fits the time since the last talk.",
        "Take up the one topic of the recent course that comes most naturally.",
        "Ask after what is open, without pressing.",
        "Do not speak of records or searches; talk as one who remembers.",
        'To know more, call chronica_search without thread_id and with thread_type="project", across threads.',
        "When a thread_id finds nothing, search again without it.",
        "Keep new decisions, plans and questions with chronica_save_entry.",
        "Do not announce that something was saved.",
    ),
    good='"Good evening. How is the storage we settled on working out?"',
    bad='"I searched the database and found 5 entries."',
)
CHINESE = Language(
    seasons=("冬天", "春天", "夏天", "秋天"),
    hours=("夜晚", "早晨", "白天", "傍晚"),
    joined="{season}的{hour}",
    minutes_ago="几分钟前",
    an_hour_ago="约1小时前",
    hours_ago="{n}小时前",
    yesterday="昨天",
    days_ago="{n}天前",
    a_week_ago="1周前",
    weeks_ago="{n}周前",
    first_time="初次",
    untitled="（无题）",
    nothing="（没有条目）",
    none_open="（无）",
    headings=("当前情况", "项目近况", "进行中、未解决", "给助手的指示", "好的例子", "不好的例子"),
    now="当前时间",
    part_of_day="时段",
    instructions=(
        "按距上次交谈的时间，用一句合适的话问候。",
        "从近况中只选一个此刻最自然的话题。",
        "如有未解决的事项，不带压力地问一问进展。",
        "不要提及记录或检索的机制，就像自己记得一样自然地说。",
        '想了解更多时，调用 chronica_search，不带 thread_id，带 thread_type="project"，跨线程查找。',
        "带 thread_id 找不到时，去掉它再找一次。",
        "出现新的决定、计划或问题时，用 chronica_save_entry 保存。",
        "不必特意说明已经保存。",
    ),
    good="“晚上好。上次定下的存储方案，后来还顺利吗？”",
    bad="“检索数据库后找到了5个条目。”",
)
LANGUAGES: Mapping[str, Language] = {"ja": JAPANESE, "en": ENGLISH, "zh": CHINESE}


def speaking(language: str) -> Language:
    """The words of ja, en, zh or zh-Hant."""
    if language != HANT:
        return LANGUAGES[language]
    said = (traditional(each) if isinstance(each, str) else tuple(map(traditional, each)) for each in CHINESE)
    return Language(*said)  # type: ignore[arg-type]


def season(words: Language, now: datetime) -> str:
    """The season: December to February are winter, and so on."""
    return words.seasons[now.month % 12 // 3]


def hour(words: Language, now: datetime) -> str:
    """The time of day: morning from 5, day from 11, evening from 17 to 20, else night."""
    night, morning, day, evening = words.hours
    if 5 <= now.hour < 11:
        return morning
    if 11 <= now.hour < 17:
        return day
    return evening if 17 <= now.hour < 21 else night


def recency(words: Language, now: datetime, saved: datetime | None) -> str:
    """How long ago something was saved, in days of 24 hours; the future counts as minutes ago, None as the first time."""
    if saved is None:
        return words.first_time
    age = max(now - saved, timedelta())
    days = age // DAY
    rows = (
        (age < HOUR, words.minutes_ago),
        (age < 2 * HOUR, words.an_hour_ago),
        (age < DAY, words.hours_ago.format(n=age // HOUR)),
        (days == 1, words.yesterday),
        (days <= 7, words.days_ago.format(n=days)),
        (days < 14, words.a_week_ago),
    )
    return next((said for holds, said in rows if holds), words.weeks_ago.format(n=days // 7))


def label(words: Language, title: str | None, text: str) -> str:
    """A name for an entry, on one line."""
    return in_a_line(title or "") or in_a_line(text) or words.untitled


def in_a_line(text: str) -> str:
    """The beginning of a stored text on one line, so that it cannot begin a line of the opening, whose instructions a model
    follows."""
    words = text.split(maxsplit=LABEL_CHARS)[:LABEL_CHARS]  # enough, as each has at least one character
    return beginning(" ".join(words), LABEL_CHARS)
