"""What may be set about the fegis door. Values only: the environment is read where settings are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """`archetype` (ARCHETYPE_PATH): the YAML file that names the storing tools; None is the built-in one.

    `agent_id` (AGENT_ID): who stores, in every memory.
    """

    archetype: Path | None = None
    agent_id: str = "default-agent"
