"""How sure a mean is and how well a promise was kept, against values worked out by hand."""

import pytest

from bench.statistics import bins, expected_calibration_error, interval, percentile, separation


def test_an_interval_holds_the_mean_and_narrows_with_more_values() -> None:
    few, many = interval([0.0, 1.0] * 10), interval([0.0, 1.0] * 1000)
    assert few[0] < many[0] < 0.5 < many[1] < few[1]
    assert interval([0.7] * 9) == (pytest.approx(0.7), pytest.approx(0.7))


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1), (0.5, 5), (0.95, 10), (1.0, 10)])
def test_a_percentile_is_one_of_the_values(share: float, expected: float) -> None:
    assert percentile([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], share) == expected


@pytest.mark.parametrize("count", range(1, 101))
@pytest.mark.parametrize("percent", [7, 50, 95, 99])
def test_a_percentile_is_the_smallest_value_that_enough_values_do_not_exceed(count: int, percent: int) -> None:
    values = [float(value) for value in range(count)]
    enough = [value for value in values if 100 * sum(other <= value for other in values) >= percent * count]
    assert percentile(values[::-1], percent / 100) == min(enough)


@pytest.mark.parametrize(
    ("promises", "error"),
    [
        ([(1.0, True), (0.0, False)], 0.0),
        ([(1.0, False), (0.0, True)], 1.0),
        ([(0.75, True), (0.75, True), (0.75, True), (0.75, False)], 0.0),
        ([(0.95, True), (0.95, False), (0.05, False), (0.05, False)], (0.45 * 2 + 0.05 * 2) / 4),
    ],
)
def test_the_calibration_error_is_what_was_promised_less_what_came(
    promises: list[tuple[float, bool]], error: float
) -> None:
    assert expected_calibration_error(promises) == pytest.approx(error)


def test_bins_leave_out_what_is_empty() -> None:
    assert [(each.count, each.promised, each.came) for each in bins([(0.2, True), (0.2, False)])] == [(2, 0.2, 0.5)]


@pytest.mark.parametrize(
    ("higher", "lower", "area"), [([0.9, 0.8], [0.1], 1.0), ([0.1], [0.9], 0.0), ([0.5], [0.5], 0.5)]
)
def test_separation_counts_pairs_in_the_right_order(higher: list[float], lower: list[float], area: float) -> None:
    assert separation(higher, lower) == area
