"""The use cases: remember, recall, relate, observe, thread, remind, forget, as plain blocking functions.

    memories      `Memories`: the methods that the tool families, the command line and the Python API call
    argument_types   checks the types of arguments
    remember      stores drafts as memories; ids: their ids; text_keys: keys made from a text; written_times: times as other
                  programs write them
    namesakes     entities by a name in other characters, without an index
    observe       entities, nodes and relations; remind: reminders; forget, prune: removing things
    visibility    what a process pinned to a scope may see; counts: how much is stored, cached
    recall        answers a query; candidate: a hit before it is explained
    boost         raises hits that are recent or of a date in the query; relevance: how surely a hit answers the query
    of_dates      what is of the dates that a query asks for; said_aside: which of its words say only when
    similar       memories whose vectors are near that of a text
    duplicates    folds hits that say the same (statements compares texts); budget: fits hits into a number of tokens
    reconstruct   a text made of several memories, each claim checked against those it cites (claims, negation)
    notes         sentences beside an answer: on an arm that could not take part, on folded duplicates
    stats, verify               how much is stored; whether the index agrees with the store

Useful for: all that a tool or a program does with memories. Not useful for: wire shapes (families) or SQL (store).
"""

from omoide.memory.memories import Memories
from omoide.memory.remember import Disposition, Remembered

__all__ = ["Disposition", "Memories", "Remembered"]
