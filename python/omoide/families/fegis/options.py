"""What may be set about the fegis door. Values only: the environment is read where settings are."""

from __future__ import annotations

from dataclasses import dataclass

from omoide.families.fegis.archetype import ArchetypeFile


@dataclass(frozen=True, slots=True)
class Options:
    """`archetype` (ARCHETYPE_PATH): what the YAML file says that names the storing tools; None is the built-in one.

    `agent_id` (AGENT_ID): who stores, in every memory.
    """

    archetype: ArchetypeFile | None = None
    agent_id: str = "default-agent"
