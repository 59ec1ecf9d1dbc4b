"""The manifest of behaviours: every requirement has a test, every test cites requirements that are there."""

import csv
import re
from pathlib import Path

HERE = Path(__file__).parent


def test_requirements_and_tests_cover_each_other() -> None:
    with (HERE / "requirements.tsv").open(encoding="utf-8", newline="") as file:
        required = [row["id"] for row in csv.DictReader(file, delimiter="\t")]
    marks = [
        mark
        for test in HERE.glob("test_*.py")
        for mark in re.findall(r"mark\.requirement\(([^)]*)\)", test.read_text(encoding="utf-8"))
    ]
    cited = {id for mark in marks for id in re.findall(r'"([^"]+)"', mark)}
    assert set(required) == cited
    assert len(required) == len(set(required))
