"""Ids of new rows: told apart by their beginnings, and side by side where rows are stored together."""

from uuid import UUID

import pytest

from omoide.memory.ids import ids_meant, new_id, new_ids


@pytest.mark.parametrize("count", [0, 1, 20, 70_000])
def test_ids_of_a_batch_differ_in_their_first_eight_digits(count: int) -> None:
    made = new_ids(count)
    assert len({id[:8] for id in made}) == len(made) == count


def test_ids_of_a_batch_lie_side_by_side() -> None:
    assert len({id[:4] for id in new_ids(20)}) == 1


def test_ids_are_random_ones() -> None:
    made = [new_id(), *new_ids(20), *new_ids(20)]
    assert {(UUID(id).version, str(UUID(id)) == id) for id in made} == {(4, True)}
    assert len({id[8:] for id in made}) == len(made)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("体检-2026", ["体检-2026"]),
        ("体检-2026-二", ["体检-2026-二"]),
        ("体检-2026-", ["体检-2026-二", "体检-2026-三"]),
        ("体检-202", []),
        ("", []),
        ("weekly-r", ["weekly-report"]),
        ("weekly-x", []),
        ("健診", ["健診"]),
    ],
)
def test_an_id_is_named_by_itself_or_by_a_beginning_of_eight_characters(said: str, expected: list[str]) -> None:
    assert ids_meant(said, ["体检-2026", "体检-2026-二", "体检-2026-三", "weekly-report", "健診"]) == expected
