"""The manifest of behaviours: every requirement has a test, every test cites a requirement that is there."""

import csv
import re
from pathlib import Path

HERE = Path(__file__).parent


def test_requirements_and_tests_cover_each_other() -> None:
    with (HERE / "requirements.tsv").open(encoding="utf-8", newline="") as file:
        required = [row["id"] for row in csv.DictReader(file, delimiter="\t")]
    cited = {
        id
        for test in HERE.glob("test_*.py")
        for ids in re.findall(r"requirement\(([^)]+)\)", test.read_text(encoding="utf-8"))
        for id in re.findall(r'"([^"]+)"', ids)
    }
    assert set(required) == cited
    assert len(required) == len(set(required))
