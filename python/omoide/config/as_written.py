"""Reads the YAML of settings so that names which YAML takes for numbers or dates stay as they are written.

Useful for: a scope called 0042, 2024-01-01 or 12:30, which YAML reads as 34, a date and 750. Not useful for: archetypes of fegis.
Invariant: what is no number in plain decimal digits is never silently another one.
"""

from __future__ import annotations

from typing import Any

from omoide.bounded_yaml import Loader


class WrittenNumber(int):
    """A whole number that is not written in plain decimal digits: as text, it is what is written."""

    written = ""

    def __repr__(self) -> str:
        return self.written

    __str__ = __repr__


class SettingsLoader(Loader):
    """The loader of settings."""

    def number_as_written(self, node: Any) -> int:
        """A number, with what is written."""
        number: int = self.construct_yaml_int(node)
        if str(number) == node.value:
            return number
        kept = WrittenNumber(number)
        kept.written = node.value
        return kept

    def time_as_written(self, node: Any) -> str:
        """What is written, as no setting is a time. Raises what PyYAML raises for a tag with a wrong value."""
        self.construct_yaml_timestamp(node)
        return str(node.value)


SettingsLoader.add_constructor("tag:yaml.org,2002:int", SettingsLoader.number_as_written)
SettingsLoader.add_constructor("tag:yaml.org,2002:timestamp", SettingsLoader.time_as_written)
