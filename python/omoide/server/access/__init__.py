"""Who comes in over HTTP, and how much of it.

    visitor       who a request comes from, and what it may do
    tokens        static tokens: one of the server's own, or a file of hashed ones
    oauth         signed tokens of an authorization server, with keys by jwks_source
    limits        requests at a time and in a time, of one visitor
    refusal       what is answered to whom all that keeps out

Useful for: the guards of HTTP. Not useful for: stdio, whose client is the one who started the process.
"""
