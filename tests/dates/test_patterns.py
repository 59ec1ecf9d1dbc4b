"""Which patterns a process compiles before its first date is read: those that the text asks for."""

import json
import subprocess
import sys

import pytest

#: Prints, in JSON, the dates of a text, the patterns that loading the grammar compiles, and those compiled after reading.
_COMPILED = """
import json, re, sys
from datetime import datetime, timezone
import omoide.dates.lexer
asked, compiled = [], re.compile
def compile(written, *flags):
    if sys._getframe(1).f_globals["__name__"].startswith("omoide."):
        asked.append(written)
    return compiled(written, *flags)
re.compile = compile
from omoide.dates import mentions
loaded = asked.copy()
found = mentions.find_sure(sys.argv[1], now=datetime(2026, 3, 15, tzinfo=timezone.utc), zone=timezone.utc)
print(json.dumps([[one.text for one in found], loaded, asked]))
"""


def _compiled(text: str) -> tuple[list[str], list[str], list[str]]:
    answer = subprocess.run(
        [sys.executable, "-c", _COMPILED, text], capture_output=True, check=True, timeout=60, encoding="utf-8"
    )
    return json.loads(answer.stdout)


@pytest.mark.parametrize(
    ("text", "date"), [("last week's meeting", "last week"), ("先週の会議", "先週"), ("上周的会议", "上周")]
)
def test_loading_the_grammar_compiles_no_pattern_of_it(text, date):
    dates, loaded, asked = _compiled(text)
    assert dates == [date]
    assert loaded == []
    assert 0 < len(asked) < 30


def test_an_english_date_asks_for_no_pattern_of_other_scripts():
    assert [written for written in _compiled("last week's meeting")[2] if not written.isascii()] == []


@pytest.mark.parametrize("text", ["先週の会議", "上周的会议"])
def test_a_date_without_latin_letters_asks_for_no_pattern_of_them(text):
    assert [written for written in _compiled(text)[2] if "(?i:" in written] == []
