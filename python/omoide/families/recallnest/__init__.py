"""The recallnest door: tools that search, store and forget memories. Deviations are listed in README.md.

tools         which it offers; each is in `commands`, and has from door what all work with; options: an operator's choices
wire, translate             words and bounds that clients see, and what they come to; scope, profiles: of a call
found         from a question to a page of hits (page), each memory with its card; related, reconstruction: what may stand beside them, joined by beside
shown         how a page is laid out (layouts, adaptive, highlight), with notes on what is missing
written       the answer to a write; before it redact, keys, topics, slots and procedure make of a text what is stored
"""

from omoide.families.recallnest.options import Options
from omoide.families.recallnest.tools import tools

__all__ = ["Options", "tools"]
