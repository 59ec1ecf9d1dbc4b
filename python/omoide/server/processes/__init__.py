"""Several processes that serve one address over one store.

    supervisor      starts them, watches them, replaces those that die, ends all together
    load_balancing  which of them takes a new connection
    shared_state    what they share, and how one asks the others

Useful for: `omoide serve --http --workers N`. Not useful for: processes started separately, which share only the store.
"""
