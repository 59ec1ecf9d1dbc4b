"""Rules that read one part of a `Frame` from the next few tokens.

Useful for: `joined`, which joins parts in any order. Not useful for: lengths, ranges and bounds.
Invariant: a rule looks at a bounded number of tokens, and at the parts read before ("15" is a day after "March").
"""

from __future__ import annotations

from collections.abc import Callable

from omoide.dates.frame import Frame
from omoide.dates.lexer import Tokens
from omoide.dates.parts.chunk import Chunk, Reading
from omoide.dates.parts.clocks import read_clock_digits, read_either_hour, read_named_hour, read_spoken_hour, read_zone
from omoide.dates.parts.days import (
    read_day_number,
    read_day_span,
    read_han_day,
    read_han_days,
    read_han_month,
    read_han_months,
    read_month_name,
    read_weekday,
)
from omoide.dates.parts.digits import read_literal
from omoide.dates.parts.lunar import read_lunar, read_old_day
from omoide.dates.parts.periods import (
    read_halved,
    read_named,
    read_nth,
    read_october_first,
    read_part,
    read_quarter,
    read_semester,
    read_week_number,
    read_week_of,
)
from omoide.dates.parts.relative import (
    read_day_weeks_away,
    read_day_word,
    read_edge,
    read_edge_of,
    read_edge_of_unit,
    read_nearest,
    read_period_word,
    read_shifted,
    read_steps,
    read_the_unit,
    read_this_time,
    read_whole,
    read_within_unit,
)
from omoide.dates.parts.years import (
    read_bare_year,
    read_century,
    read_decade,
    read_era_year,
    read_fiscal_year,
    read_han_year,
    read_school_year,
    read_year_word,
)
from omoide.dates.rules import COUNT, DAY, DAY_RANK, RANK, Behind, Rules


def next_part(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """The next part, by the first rule that finds one not in `said`."""
    for rule in RULES.beginning(tokens, at):
        found = rule(tokens, at, said, reading)
        if found is not None and not said.said & found.frame.said:
            return found
    return None


_Rule = Callable[[Tokens, int, Frame, Reading], "Chunk | None"]


#: Excludes what follows numbers that are not days: 3 weeks, 8 o'clock.
_NO_DAY = Behind("ordinal_sign", but="unit oclock scale season clock_mark")
#: In this order: the longer reading of the same tokens first. "q" and "h" of Q1 and H2 are a sign and a unit.
RULES: Rules[_Rule] = Rules(
    (read_whole, "whole num", Behind("unit:year unit:month unit:week unit:day")),
    (read_school_year, "num unit", Behind("unit:schoolyear to inside")),
    (read_literal, "num"),
    (read_spoken_hour, f"{COUNT} half unit", Behind("narrow relate to unit:minute")),
    (read_either_hour, "num", Behind("clock_mark link inside meridiem")),
    (read_day_span, f"{DAY_RANK} one here", _NO_DAY),
    (read_era_year, "era"),
    (read_decade, f"{COUNT} decade", Behind("decade_sign unit:decade decade to and link inside")),
    (read_century, RANK, Behind("unit:century ordinal_sign")),
    (read_quarter, f"{RANK} here halfyear half_of quarter_sign unit", Behind("unit:quarter unit:hour quarter_sign half ordinal_sign to and link inside")),
    (read_han_months, COUNT, Behind("unit:month to link inside")),
    (read_han_year, COUNT, Behind("unit:year edge_of")),
    (read_lunar, "lunar leap_month"),
    (read_han_month, f"{COUNT} calendar_month month_by_name old_month", Behind("unit:month edge_of")),
    (read_han_days, "num", Behind("unit:day to link inside few")),
    (read_han_day, f"{DAY} first_ten", Behind("unit:day", but="unit clock_mark")),
    (read_october_first, "han"),
    (read_old_day, "new_year_day old_day"),
    (read_year_word, "year_sign"),
    (read_fiscal_year, "fiscal_sign"),
    (read_semester, f"{RANK} shift season", Behind("unit:semester")),
    (read_week_number, "week_sign nth_mark"),
    (read_week_of, "week_of unit days_off"),
    (read_halved, "halved unit"),
    (read_nth, f"{RANK} nth head one here", Behind("ordinal_sign unit:week")),
    (read_day_weeks_away, "day this_time shift period"),
    (read_this_time, "this_time"),
    (read_shifted, "shift"),
    (read_nearest, "nearest"),
    (read_steps, "num", Behind("steps")),
    (read_period_word, "period"),
    (read_day_word, "day"),
    (read_edge_of, "edge_of eo"),
    (read_edge_of_unit, "unit"),
    (read_edge, "edge third"),
    (read_month_name, "month"),
    (read_weekday, "weekday"),
    (read_clock_digits, COUNT, Behind("clock_mark", but="unit")),
    (read_named_hour, "hour_name"),
    (read_zone, "zone"),
    (read_bare_year, COUNT, Behind("unit:weekend unit:quarter unit:hour week_sign", but="unit")),
    (read_day_number, f"{DAY_RANK} one here", _NO_DAY),
    (read_named, "season holiday"),
    (read_part, "part meridiem here"),
    (read_within_unit, "unit"),
    (read_the_unit, "unit here"),
)  # fmt: skip
