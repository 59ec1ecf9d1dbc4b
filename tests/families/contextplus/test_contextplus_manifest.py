"""The manifest of behaviours: every requirement has a test, every test cites a requirement that is there."""

from pathlib import Path

from tests.families.manifest import cited, required

HERE = Path(__file__).parent


def test_requirements_and_tests_cover_each_other() -> None:
    ids, tests = required(HERE), cited(HERE)
    assert len(ids) == len(set(ids))
    assert set(ids) == set().union(*tests.values())
    assert [name for name, cites in tests.items() if not cites] == []
