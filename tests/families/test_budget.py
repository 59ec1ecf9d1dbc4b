"""Listing the tools costs every conversation tokens: a family and the whole default surface keep within a budget."""

from collections import Counter
from pathlib import Path

from omoide import app
from omoide.cli.token_cost import tokens_to_list
from omoide.config import load
from omoide.memory import Memories

FAMILY_TOKENS = 1_500
ALL_TOKENS = 5_000


def test_the_default_surface_keeps_within_its_budget(memories: Memories, tmp_path: Path) -> None:
    spent: Counter[str] = Counter()
    for tool in app.tools(memories, load({"data": str(tmp_path)}, {})):
        if not tool.on_request:
            spent[tool.family] += tokens_to_list(tool)
    assert len(spent) == 5
    assert {family: tokens for family, tokens in spent.items() if tokens > FAMILY_TOKENS} == {}
    assert spent.total() <= ALL_TOKENS
