"""The protocol side: tools served over MCP, on stdin and stdout or over HTTP.

    guards      what every HTTP request passes first: Host, token (tokens; oauth, with keys by jwks_source), limits, size;
                refusal says no, visitor is who comes in, replay hands on what was read
    fastlane    ordinary calls, from bytes to bytes (wire); protocol: all else, tools as MCP tools through the SDK, whose
                sessions have seats and whose answers listening, accepting and understood (over HTTP) mend, partly by sending
                others instead; misfits: what is answered to what is no message; identity says who the server is
    desk        what every call (toolcall) passes: rights, the tenant's place (places, tenants), its turn among those of others
                (line), a thread (workers; where its pace is quick, the one that is here), measures (meter), one line of the log
    provenance  where what is shown comes from, in every answer's _meta
    calls       one call from arguments to answer: members of what is given, what is wrong translated; questions: how a
                person is asked before it
    sessions    which session a caller belongs to
    stdio, http the two transports; patience bounds slow clients; lines are read from a pipe, calls gone on with between
                them; talk is stdio without the SDK, bridge stdio with it, waiting counts what is not answered
    crew        several processes on one socket; together: what they share; dealing: which of them takes a connection;
                board: a table that they all write
    files       how many connections and open stores there may be
    health      what a supervisor asks, with metrics; logs writes the log; strangers: what clients hear of a fault
    greeting    what an operator is told at the start; heap: how seldom memory is looked through; fixtures: what the
                conformance suite calls

Useful for: `omoide serve`. Not useful for: anything else. The SDK takes most of a second to import: what answers the
handshake over stdio (stdio, talk, wire, identity) imports none of it.
"""
