"""The archetype that is served if ARCHETYPE_PATH is not set: one tool for anything, two for the most common kinds.

The rules for files in docs/archetypes.md apply to it. It is written in Python because importing a YAML parser takes longer
than loading a family.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

BUILT_IN: Final[Mapping[str, Any]] = {
    "version": "1.0",
    "title": "omoide",
    "parameters": {
        "Status": {
            "description": "Where the decision stands",
            "examples": ["proposed", "decided", "revised"],
        },
    },
    "tools": {
        "StoreMemory": {
            "description": "Keep anything worth remembering: a fact, a preference, an event, a result. Write Content so that it makes sense on its own, in the language it was said in.",
            "frames": {"key_points": {"type": "List"}},
        },
        "RecordDecision": {
            "description": "Keep a decision with its reasons. Content states the decision itself.",
            "parameters": {"Status": "decided"},
            "frames": {"reasons": {"type": "List", "required": True}, "alternatives": {"type": "List"}},
        },
        "LearnLesson": {
            "description": "Keep what was learned from a success or a mistake. Content states the lesson.",
            "frames": {"next_time": {"required": True}},
        },
    },
}
