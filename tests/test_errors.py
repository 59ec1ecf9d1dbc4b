"""How a value stands inside a message about it."""

from __future__ import annotations

import pytest

from omoide.errors import SHOWN_CHARS, shortened, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("昨日のお茶", "昨日のお茶"),
        ("茶" * SHOWN_CHARS, "茶" * SHOWN_CHARS),
        ("茶" * (SHOWN_CHARS + 1), "茶" * (SHOWN_CHARS - 1) + "…"),
        ("会议" * 500_000, "会议" * 29 + "会…"),
    ],
)
def test_a_text_is_shown_up_to_a_length(text: str, expected: str) -> None:
    assert shortened(text) == expected


@pytest.mark.parametrize(("value", "expected"), [("a\nb", r"'a\nb'"), (["茶"], "['茶']"), (None, "None")])
def test_a_value_is_shown_on_one_line(value: object, expected: str) -> None:
    assert shown(value) == expected
