"""An answer is indented as the standard library does it, whatever is in it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.families.tool import indented

_LEAVES = st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from((0.0, 0.5, -0.0, 1.0, 0.0001, 1e15))
_BODIES = st.dictionaries(
    st.text(), st.recursive(_LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)
)


@given(_BODIES)
def test_an_answer_reads_as_the_standard_library_writes_it(body: dict[str, Any]) -> None:
    assert indented(body) == json.dumps(body, ensure_ascii=False, indent=2)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"記憶": [], "frames": {}, "none": None},
        {"text": '昨日、"京都"で\n抹茶\t\\ \x00\x1b\x7f\u2028 café 👩‍👩‍👧', "refs": ("a", "b")},
        {"long": 10**30, "keys": {1: "one", None: "nothing"}},
        {"half a character": "\ud83d"},
    ],
)
def test_what_is_seldom_in_an_answer_reads_the_same(body: dict[str, Any]) -> None:
    assert indented(body) == json.dumps(body, ensure_ascii=False, indent=2)


@pytest.mark.parametrize("beside", [10**30, "\ud83d", {1: "茶"}, 1])
def test_what_is_no_number_is_null_whatever_stands_beside_it(beside: object) -> None:
    body = {"抹茶": math.nan, "龙井茶": [math.inf], "tea": -math.inf, "beside": beside}
    written = json.loads(indented(body), parse_constant=pytest.fail)
    assert (written["抹茶"], written["龙井茶"], written["tea"]) == (None, [None], None)


@pytest.mark.parametrize("share", [1e-7, 1e22, 0.1 + 0.2])
def test_a_number_is_the_one_that_it_was(share: float) -> None:
    assert json.loads(indented({"strength": share})) == {"strength": share}
