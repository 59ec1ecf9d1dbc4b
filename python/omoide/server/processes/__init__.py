"""Several processes that serve one address over one store.

    crew          started, watched, replaced when they die, ended together
    dealing       which of them takes a connection
    together      what they share, and are asked for as one

Useful for: `omoide serve --http --workers N`. Not useful for: processes that were started apart; the store is all they share.
"""
