"""The words dates are made of, one table a language, and what each may mean.

A table maps a kind of meaning to its values and each value to the words for it, separated by spaces; `_` stands for a
space inside a phrase. A word may have several meanings ("second": the 2nd, a unit); the grammar picks by what is around.

Useful for: adding a word or a language: nothing else changes. Not useful for: rules, which are `grammar`'s.

    unit      a length of time                shift     which one: last -1, this 0, next +1
    month     1..12                           period    a (unit, shift) in one word: last year
    weekday   0 = Monday                      day       days from today, with or without a part of the day
    part      part of a day                   meridiem  am, pm
    season    spring..winter                  half      first or second half of a year, month, week
    edge      start, mid, end, opening, rest  holiday   a name that `holidays` knows
    bound     before the date: since, ...     tail      the same, behind the date
    ago       a length + this = a past day    hence     a length + this = a future day
    window    a stretch up to or from now     within    a stretch from now, behind its length
    to        between two ends of a range     between   opens a range
    link      ties two parts of one date      skip      says nothing about the date
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

Table = Mapping[str, Mapping[Hashable, str]]
Senses = dict[str, Any]
