"""Who may come in over HTTP, and how much each may ask.

    visitor       who a request comes from, and what they may do
    tokens        static tokens: one for the whole server, or a file of hashed ones
    oauth         signed tokens of an authorization server, with keys by jwks_source
    limits        requests at a time and per second, of one visitor
    refusal       the answers to requests that are not let in
    languages     which language such an answer is told in, beside English

Useful for: the guards of HTTP. Not useful for: stdio, whose client is the one who started the process.
"""
