"""How deeply JSON is nested is found out without recursion."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.nesting import MOST_LEVELS, is_too_deep, loads

DEEPEST = b"[" * MOST_LEVELS + b"]" * MOST_LEVELS

TOO_DEEP = [
    (b"[" + DEEPEST + b"]", True),
    (b"[" * (MOST_LEVELS + 1), True),
    (b'{"\xe8\xa8\x98\xe6\x86\xb6":' * 100_000, True),
    (b'[{"a":' * 100 + b"[", True),
    (b'["' + b"]" * 500 + b'",' + DEEPEST + b"]", True),
    (rb'["\"' + b"]" * 500 + rb'\\",' + DEEPEST + b"]", True),
    (DEEPEST, False),
    (b"[" + b"[]," * 500 + b"[]]", False),
    (f'["茶{"[" * 500}"]'.encode(), False),
    (rb'["' + rb"\"[" * 500 + b'"]', False),
    (b'"' + b"[" * 500, False),
    (b"", False),
]


@pytest.mark.parametrize(("content", "expected"), TOO_DEEP)
def test_what_no_reader_should_follow_is_told_from_what_only_looks_like_it(content: bytes, expected: bool) -> None:
    assert is_too_deep(content) is expected


def levels(value: Any) -> int:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if below is None else 1 + max(map(levels, below), default=0)


TEXT = st.text(st.sampled_from('[]{}"\\思記é'))


@given(st.recursive(TEXT, lambda each: st.lists(each) | st.dictionaries(TEXT, each), max_leaves=20))
def test_whatever_its_texts_hold_a_value_is_as_deep_as_its_objects_and_arrays(value: Any) -> None:
    depth = MOST_LEVELS - levels(value)
    for ascii_alone in (True, False):
        content = json.dumps(value, ensure_ascii=ascii_alone).encode()
        whole = b"[" * depth + content + b"]" * depth
        assert loads(b"\xef\xbb\xbf" + whole) == json.loads(whole)
        with pytest.raises(ValueError, match="inside one another"):
            loads(b"[" + whole + b"]")


class Held:
    """Notes when it is let go of, as what holds a lock or a file does."""

    def __init__(self, noted: list[None]) -> None:
        self.itself, self._noted = self, noted

    def __del__(self) -> None:
        _at_a_depth(20, self._noted)


def _at_a_depth(levels: int, noted: list[None]) -> None:
    if levels:
        _at_a_depth(levels - 1, noted)
    else:
        noted.append(None)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_is_let_go_of_while_deep_json_is_read_is_let_go_of_in_good_order() -> None:
    noted: list[None] = []
    gc.collect()
    kept = gc.get_threshold()
    try:
        for after in range(700, 1_100):
            gc.disable()
            Held(noted)
            gc.set_threshold(gc.get_count()[0] + after)
            gc.enable()
            with pytest.raises(ValueError, match="inside one another"):
                loads(b"[" * 100_000)
    finally:
        gc.set_threshold(*kept)
        gc.enable()
    gc.collect()
    assert len(noted) == 400
