"""Any number of clients over streamable HTTP. A request passes, in this order:

    accepting       connections that wait while the server is busy
    connection      the connection, with time limits for slow clients; places: how many there are, and which make room
    repeated_heads  requests that repeat the head of an earlier one, which the guards and the fast lane answer directly
    guards          Host, Origin, token, limits, size; health: paths that need no token, and /metrics
    fastlane        ordinary calls, from bytes to bytes; all others go on to the SDK, behind
    scope_challenges    refusals of calls that need another scope than the token has,
    session_limit   a bound on its sessions, and
    content_negotiation, event_streams, repeated_ids, malformed_bodies    corrections of its answers to unusual headers, streams,
                    ids and bodies

    listening       where the server listens
    serving         puts these together, and serves
    replay          gives a body that has been read to the next reader; replaced_response: replaces an answer
    public_errors   what clients are told of a fault of the store; unknown_paths: answers at unknown paths

Useful for: `omoide serve --http`. Not useful for: who may come in (access).
"""
