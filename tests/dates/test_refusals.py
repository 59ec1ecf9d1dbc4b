"""Every message an argument that is no date gets, in the language of the input."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from omoide.dates import End, Moment
from omoide.errors import InvalidArgument

NOW = datetime(2026, 3, 15, 12, tzinfo=timezone.utc)
EN = "Write for example 2024-01-15, last 30 days, or March 2023."
JA = "例：2024-01-15、過去30日間、先週の金曜日。"
ZH = "示例：2024-01-15、最近30天、上周五。"

REFUSALS = [
    ("garbage", "after: 'garbage' is not a date I understand.", EN),
    ("", "after: '' is not a date I understand.", EN),
    ("soon after last week", "after: of 'soon after last week' I understand only 'after last week'.", EN),
    ("since 2014 to 2018", "after: of 'since 2014 to 2018' I understand only 'since 2014'.", EN),
    ("Feb 30", "after: 'Feb 30' is not a date I understand.", EN),
    ("Christmas in July", "after: 'Christmas in July' is not a date I understand.", EN),
    ("11月のクリスマス", "after：「11月のクリスマス」は日付として理解できません。", JA),
    ("十月的春节", "after：无法将“十月的春节”理解为日期。", ZH),
    ("そのうち", "after：「そのうち」は日付として理解できません。", JA),
    ("昨日っぽい", "after：「昨日っぽい」のうち理解できたのは「昨日」だけです。", JA),
    ("2025年度前期", "after：“2025年度前期”中只理解了“2025年度”。", ZH),
    ("2025-12-25T10:30+24:00", "after: of '2025-12-25T10:30+24:00' I understand only '2025-12-25T10:30'.", EN),
    ("2025-12-25T10:30+09:60", "after: of '2025-12-25T10:30+09:60' I understand only '2025-12-25T10:30'.", EN),
    ("改天", "after：无法将“改天”理解为日期。", ZH),
    ("毎週月曜", "after：「毎週月曜」のうち理解できたのは「月曜」だけです。", JA),
    ("先月32日", "after：「先月32日」のうち理解できたのは「先月」だけです。", JA),
    ("第5四半期", "after：「第5四半期」は日付として理解できません。", JA),
    ("昭和末期", "after：「昭和末期」は日付として理解できません。", JA),
    ("清朝", "after：无法将“清朝”理解为日期。", ZH),
    ("一兩日", "after：無法將「一兩日」理解為日期。", "範例：2024-01-15、最近30天、上週五。"),
    ("Mondays in May", "after: of 'Mondays in May' I understand only 'May'.", EN),
    ("今期", "after：“今期”中只理解了“今”。", ZH),
    ("in one thousand ways", "after: 'in one thousand ways' is not a date I understand.", EN),
    ("5000 years ago", "after: '5000 years ago' is not a date I understand.", EN),
    ("half of last year", "after: of 'half of last year' I understand only 'last year'.", EN),
    ("去年の半分", "after：「去年の半分」のうち理解できたのは「去年」だけです。", JA),
    ("去年的一半", "after：“去年的一半”中只理解了“去年”。", ZH),
    ("一千年", "after：无法将“一千年”理解为日期。", ZH),
    ("二千年の", "after：「二千年の」は日付として理解できません。", JA),
    ("昨天或者改天", "after：“昨天或者改天”中只理解了“昨天”。", ZH),
]


@pytest.mark.parametrize(("text", "message", "hint"), REFUSALS)
def test_a_refusal_names_the_argument_what_was_understood_and_three_examples(
    text: str, message: str, hint: str
) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Moment(NOW, timezone.utc).argument(text, "after")
    assert (refusal.value.argument, refusal.value.code) == ("after", "invalid_date")
    assert (refusal.value.message, refusal.value.hint) == (message, hint)


OPEN = [
    ("before 2024", "start", "after: 'before 2024' does not say when it begins."),
    ("since 2024", "end", "after: 'since 2024' does not say when it ends."),
    ("昨日まで", "start", "after：「昨日まで」には始まりがありません。"),
    ("令和", "end", "after：「令和」には終わりがありません。"),
    ("先月から", "end", "after：「先月から」には終わりがありません。"),
    ("截至昨天", "start", "after：“截至昨天”没有说明从何时开始。"),
    ("2018年之后", "end", "after：“2018年之后”没有说明到何时结束。"),
]


@pytest.mark.parametrize(("text", "end", "message"), OPEN)
def test_a_date_that_is_open_where_it_is_asked_for_is_refused(text: str, end: End, message: str) -> None:
    moment = Moment(NOW, timezone.utc)
    with pytest.raises(InvalidArgument) as refusal:
        moment.argument(text, "after", end=end)
    assert (refusal.value.code, refusal.value.message) == ("invalid_date", message)
    moment.argument(text, "after", end="end" if end == "start" else "start")


@pytest.mark.parametrize("hint", [EN, JA, ZH])
def test_the_examples_of_a_hint_are_accepted(hint: str) -> None:
    for example in examples_in(hint):
        Moment(NOW, timezone.utc).argument(example, "after")


@pytest.mark.parametrize("text", ["soonish", "そのうち", "改天"])
def test_the_examples_for_what_is_to_come_are_of_the_future(text: str) -> None:
    moment = Moment(NOW, timezone.utc)
    with pytest.raises(InvalidArgument) as refusal:
        moment.argument(text, "validUntil", about="future", end="end")
    examples = examples_in(refusal.value.hint)
    assert len(examples) == 3
    for example in examples:
        end = moment.argument(example, "validUntil", about="future", end="end").end
        assert end is not None
        assert end > NOW, example


def examples_in(hint: str) -> list[str]:
    examples = hint.removeprefix("Write for example ").removeprefix("例：").removeprefix("示例：").rstrip(".。")
    return examples.replace(", or ", "、").replace(", ", "、").split("、")


def test_a_long_argument_is_shown_shortened() -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Moment(NOW, timezone.utc).argument("x" * 500, "before")
    assert len(refusal.value.message) < 150


@pytest.mark.parametrize("text", ["去年" * 50_000, "3日前から" * 20_000, "from 1 to " * 10_000])
def test_an_argument_longer_than_any_date_is_refused_unread(text: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        Moment(NOW, timezone.utc).argument(text, "after")
    assert refused.value.code == "invalid_date"
    assert len(refused.value.message) < 200
