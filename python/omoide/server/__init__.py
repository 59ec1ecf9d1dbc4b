"""The protocol side: tools served over MCP, on stdin and stdout or over HTTP.

    http, stdio   the two transports, each with a lane for ordinary calls and one through the SDK
    access        who comes in, and how much of it
    protocol      what is said: JSON-RPC and MCP as bytes, and as the SDK has it
    calls         what every call passes, from its arguments to its answer
    scheduling    when a call has its turn, and in which thread
    processes     several that serve one address
    monitoring    what is counted and logged

    greeting      what an operator is told at the start
    files         how many connections and open stores there may be
    board         a table that several processes write
    heap          how seldom memory is looked through
    fixtures      what the conformance suite calls

Useful for: `omoide serve`. Not useful for: anything else. The SDK takes most of a second to import: what answers the
handshake over stdio (stdio/serving, stdio/talk, protocol/wire, protocol/identity) imports none of it.
"""
