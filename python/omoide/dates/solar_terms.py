"""When does the sun reach a given longitude: 冬至, 立春, the summer solstice?

Useful for: the solar terms among `holidays`. Not useful for: sunrise, or the moon.
Invariant: right to two minutes; the days from 1980 to 2050 are those of the Chinese almanac (小满 of 2008 aside, by seconds).
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from functools import lru_cache
from math import cos, radians, sin

_EPOCH = datetime(1899, 12, 31, 12, tzinfo=timezone.utc)
_DAYS_A_CENTURY, _DAYS_A_YEAR = 36525, 365.2422
#: Terrestrial time minus UTC, near enough for these years.
LAG = timedelta(seconds=70)
#: Perturbations by Venus (twice), Jupiter and one of long period: (degrees, angle, its growth in a century).
_DRAWN = (
    (0.00134, 153.23, 22518.7541),
    (0.00154, 216.57, 45037.5082),
    (0.00200, 312.69, 32964.3577),
    (0.00178, 141.19, 20.20),
)


@lru_cache(maxsize=256)
def reaches(degrees: int, year: int) -> datetime:
    """The instant of that year (UTC) at which the sun is that far from the vernal equinox."""
    from_spring = degrees if degrees < 285 else degrees - 360  # winter ends before spring of the same year
    at = datetime(year, 3, 20, 12, tzinfo=timezone.utc) + timedelta(days=from_spring * _DAYS_A_YEAR / 360)
    for _ in range(5):
        short = (degrees - _longitude(at) + 180) % 360 - 180
        at += timedelta(days=short * _DAYS_A_YEAR / 360)
    return at - LAG


def _longitude(at: datetime) -> float:
    """The sun's apparent longitude in degrees, after Newcomb."""
    t = (at - _EPOCH) / timedelta(days=_DAYS_A_CENTURY)
    mean = 279.69668 + 36000.76892 * t + 0.0003025 * t * t
    orbit = radians(358.47583 + 35999.04975 * t - 0.00015 * t * t)
    centre = (
        (1.919460 - 0.004789 * t) * sin(orbit) + (0.020094 - 0.0001 * t) * sin(2 * orbit) + 0.000293 * sin(3 * orbit)
    )
    drawn = sum(by * cos(radians(angle + growth * t)) for by, angle, growth in _DRAWN)
    moon = 0.00179 * sin(radians(350.74 + 445267.1142 * t))
    nodding = 0.00479 * sin(radians(259.18 - 1934.142 * t))
    return mean + centre + drawn + moon - 0.00569 - nodding
