"""The recallnest family: tools that search, store and forget memories. Deviations are listed in README.md.

tools               the list of tools; each is in `commands` and works with a context; options: an operator's choices
wire, translate     the names and limits that clients see, and what arguments mean; scope, profiles: those of a call
searching           from a question to a page of hits, each memory with its card; highlight orders them
related, reconstruction     optional parts of an answer, which optional_sections describes
rendering           the layout of a page (layouts, adaptive), with notes on what is missing
write_answers       the answer to a write; redact, keys, topics, slots and procedure prepare a text to be stored
"""

from omoide.families.recallnest.options import Options
from omoide.families.recallnest.tools import tools

__all__ = ["Options", "tools"]
