"""The use cases: remember, recall, relate, observe, thread, remind, forget, as plain blocking functions.

    memories      `Memories`: what every door, the command line and the Python API call
    remember      drafts become memories, of the type they are announced with (fit), with ids and written_times
    observe       entities, nodes and relations; remind: reminders; forget, prune: what goes
    sight         what a process pinned to a scope sees of all that; tally: how large its graph is
    recall        a question, its hits on their way (candidate) and explained
    boost, relevance, alike     what raises a hit, how surely it is about the query, what reads like a text
    duplicates    hits that say the same (same); budget: what of the hits fits into so many tokens
    reconstruct   what memories say together, each claim held against those it cites (claims, denial)
    again, lacking              what is said beside an answer: of such duplicates, of a ranking that took no part
    stats, verify               how much there is; whether the index holds it

Useful for: everything a door or a program wants of the memories. Not useful for: wire shapes (families) or SQL (store).
"""

from omoide.memory.memories import Memories
from omoide.memory.remember import Disposition, Remembered

__all__ = ["Disposition", "Memories", "Remembered"]
