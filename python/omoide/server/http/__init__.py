"""Any number of clients over streamable HTTP. A request passes, in this order:

    patience      the connection, and how long a slow client may take; again: calls with the head of the one before, which the
                  guards and the fast lane answer without what is between them
    guards        Host, Origin, token, limits, size; health: what anyone may ask, and /metrics
    fastlane      ordinary calls, from bytes to bytes; all else goes on to the SDK,
    seats         whose sessions are bounded,
    accepting, understood, listening    and whose answers to odd headers, bodies and streams are mended

    serving       puts these together, and serves
    replay        hands on what was read of a request; instead: sends another answer
    strangers     what clients hear of a fault of the store; elsewhere: where nothing is

Useful for: `omoide serve --http`. Not useful for: who may come in (access).
"""
