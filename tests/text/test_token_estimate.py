"""The estimate of tokens beside what cl100k really counts."""

import pytest

from omoide.text import tokens_of

COUNTED = [
    ("Search the memory graph by meaning, in any language.", 11),
    ('{"type": "string", "minLength": 1, "maxLength": 200, "description": "Entity name to look up"}', 29),
    ('{"includeRelatedScopes": {"type": "boolean"}, "max_depth": {"type": "number"}}', 22),
    ("works_at, knows, reports_to, depends_on", 10),
    ("昨日、京都で抹茶を飲んだ。", 17),
    ("スレッドを作成します。種類は通常、翻訳、テンプレートのいずれかです。", 36),
    ("エントリを検索 / Search entries", 11),
    ("最近30天, 一昨日, last 7 days", 15),
    ("删除实体及其所有记忆，无法恢复", 15),
    ("搜索記憶，支援日文、中文與英文", 18),
]


@pytest.mark.parametrize(("text", "counted"), COUNTED)
def test_the_estimate_is_rather_too_high_than_too_low(text: str, counted: int) -> None:
    assert counted <= tokens_of(text) <= 1.4 * counted


def test_nothing_costs_nothing() -> None:
    assert tokens_of("") == 0
