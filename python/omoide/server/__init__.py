"""The protocol side: tools served over MCP, on stdin and stdout or over HTTP.

    guards      what every HTTP request passes first: Host, token (tokens), limits, size; refusal says no
    fastlane    ordinary calls, from bytes to bytes (wire); protocol: all else, tools as MCP tools through the SDK;
                identity says who the server is, by either
    desk        what every call passes: rights, the tenant's place (places), measures (meter), one line of the log
    provenance  where what is shown comes from, in every answer's _meta
    calls       one call from arguments to answer; questions: how a person is asked before it
    sessions    which session a caller belongs to
    stdio, http the two transports; patience bounds slow clients; talk is stdio without the SDK, bridge stdio with it,
                waiting and workers help them
    crew        several processes on one socket; dealing: which of them takes a connection
    files       how many connections and open stores there may be
    health      what a supervisor asks, with metrics; logs writes the log
    greeting    what an operator is told at the start; fixtures: what the conformance suite calls

Useful for: `omoide serve`. Not useful for: anything else. The SDK takes most of a second to import: what answers the
handshake over stdio (stdio, talk, wire, identity) imports none of it.
"""
