"""The options of the fegis family. Values only: settings are read from the environment elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from omoide.families.fegis.archetype import ArchetypeFile


@dataclass(frozen=True, slots=True)
class Options:
    """`archetype` (ARCHETYPE_PATH): the YAML file with the storing tools, parsed; None: the built-in one.

    `agent_id` (AGENT_ID): the `agent_id` of every memory that is stored.
    """

    archetype: ArchetypeFile | None = None
    agent_id: str = "default-agent"
