"""The words of date expressions and their meanings, in one table for each language.

A table maps a kind of meaning to its values, and each value to the words for it, separated by spaces; `_` stands for a space
inside a phrase. A word may have several meanings ("second": the 2nd, a unit); the grammar chooses by context.

Useful for: adding a word; nothing else changes. Not useful for: rules; see grammar.py.

    lengths   unit, half (0.5), few (3), one (a, an), cardinal and scale (numbers in words)
    dates     month, weekday (0 = Monday), ordinal, nth (first, last), nth_mark and nth_unit (第, 目), head (前 of 前10天),
              year_sign, fiscal_sign, week_sign, quarter_sign, decade, decade_sign, ordinal_sign, season, third (旬), era (its year 0),
              halved, half_of and halfyear (1 or 2), holiday (a name `holidays` knows), week_of (week, ending); of the old calendar lunar,
              leap_month, calendar_month, month_by_name, old_month, first_ten, new_year_day, and old_day (month, day, whose calendar)
    relative  shift (last -1, this 0, next +1), narrow (the same, nearest), nearest (来る, before a date), steps (2つ前の), period (unit, shift), day (days from today, part
              of the day), neighbours (unit, the first, the last), now, todate and eo (a unit so far, its end), edge (start, mid, end, opening, closing, rest),
              edge_of (unit, edge), here (the, my)
    of a day  part, meridiem, hour_name (noon, midnight), zone (minutes from UTC), oclock, clock_mark
    around    whole (a unit, all of it: 去年全年), bound (before the date), tail (after it): since, after, before, until, by (until one to come), no later (the same of a weekday), on (one to come); ago and hence (after a length),
              compared (more, less or least: 至少三天前), window (-1 up to now, +1 from now), within, by_then, lead (in), relate
              (two days BEFORE that)
    joining   between, to, and, closing (of a range); link (two parts of one date), skip (about), prep (before a date)
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

Table = Mapping[str, Mapping[Hashable, str]]
Senses = dict[str, Any]
